// Machine code and interpreter give the same bits of the same program, fused or not, whatever the
// expressions, the processor and the values.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <thread>

#if defined(__linux__) && defined(__x86_64__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstddef>
#endif

#include "expression/random_expression.h"
#include "sestina/expression/compiled_function.h"
#include "sestina/expression/compiled_program.h"
#include "sestina/expression/interpreter.h"
#include "sestina/expression/parse.h"

namespace sestina {
namespace {

using Backend = CompiledFunction::Backend;

// The interpreter of a program that is fused or not, whichever the processor suggests.
class Interpreted {
 public:
  Interpreted(const Graph& graph, std::span<const Expr> outputs, std::span<const Expr> variables,
              std::span<const Expr> parameters, bool is_fused)
      : program_(graph, outputs, join(variables, parameters), parameters.size(), is_fused),
        interpreter_(program_),
        registers_(Interpreter::kBlock * interpreter_.register_count()) {}

  std::vector<double> bind(std::span<const double> parameters) const { return program_.bind(parameters); }

  void evaluate_many(std::span<const double> bound, std::size_t count, std::span<const double> in,
                     std::span<double> out) {
    constexpr std::size_t kBlock = Interpreter::kBlock;
    for (std::size_t k = 0; k < count; k += kBlock) {
      interpreter_.run<Interpreter::kBlock>(bound.data(), in.data() + k, out.data() + k, count,
                                            static_cast<int>(std::min(kBlock, count - k)), registers_.data());
    }
  }

 private:
  static std::vector<Expr> join(std::span<const Expr> variables, std::span<const Expr> parameters) {
    std::vector<Expr> inputs(variables.begin(), variables.end());
    inputs.insert(inputs.end(), parameters.begin(), parameters.end());
    return inputs;
  }

  CompiledProgram program_;
  Interpreter interpreter_;
  std::vector<double> registers_;
};

class MachineCodeTest : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    const auto known = CompiledFunction::backends();
    if (std::find(known.begin(), known.end(), GetParam()) == known.end()) {
      GTEST_SKIP() << "this processor has no " << CompiledFunction::name(GetParam());
    }
  }

  Expr read(std::string_view text) { return parse(graph, text, resolve_to_symbols(graph)); }

  std::vector<Expr> symbols(const std::string& name, int count) {
    std::vector<Expr> made;
    for (int i = 0; i < count; ++i) made.push_back(graph.symbol(name + std::to_string(i)));
    return made;
  }

  // For one state and for several, with `value()` for each variable and parameter.
  template <class Value>
  void expect_the_bits_of_the_interpreter(std::span<const Expr> outputs, std::span<const Expr> variables,
                                          std::span<const Expr> parameters, Value value) {
    Interpreted expected(graph, outputs, variables, parameters, CompiledFunction::is_fused(GetParam()));
    const CompiledFunction f(graph, outputs, variables, parameters, GetParam());
    ASSERT_EQ(f.backend(), GetParam());
    std::vector<double> at(parameters.size());
    for (double& e : at) e = value();
    const std::vector<double> bound = f.bind(at), expected_bound = expected.bind(at);
    std::vector<double> scratch(f.scratch_size());
    for (const std::size_t count : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 16u, 21u, 40u, 64u, 133u}) {
      std::vector<double> in(count * variables.size());
      for (double& e : in) e = value();
      std::vector<double> out(count * outputs.size()), wanted(out);
      expected.evaluate_many(expected_bound, count, in, wanted);
      f.evaluate_many(bound, count, in, out, scratch);
      expect_same(out, wanted, count, "together");
      for (std::size_t k = 0; k < count; ++k) {
        std::vector<double> state(variables.size()), result(outputs.size());
        for (std::size_t i = 0; i < state.size(); ++i) state[i] = in[i * count + k];
        f.evaluate(bound, state, result, scratch);
        for (std::size_t j = 0; j < result.size(); ++j) out[j * count + k] = result[j];
      }
      expect_same(out, wanted, count, "one by one");
    }
  }

  template <class Any>
  Expr random_operation(std::size_t which, Any any) {
    const Expr a = any(), b = any(), c = any(), d = any();
    switch (which) {
      case 0:
      case 1:
        return graph.add(a, b);
      case 2:
      case 3:
        return graph.subtract(a, b);
      case 4:
      case 5:
        return graph.multiply(a, b);
      case 6:
        return graph.divide(a, b);
      case 7:
        return graph.unary(Op::kAbs, a);
      case 8:
        return graph.unary(Op::kSqrt, a);
      case 9:
        return graph.if_less(a, b, c, d);
      case 10:
        return graph.max(a, graph.min(b, c));
      default:
        return graph.unary(Op::kSin, a);
    }
  }

  static void expect_same(const std::vector<double>& given, const std::vector<double>& wanted,
                          std::size_t count, const char* how) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (std::isnan(given[i]) && std::isnan(wanted[i])) continue;
      ASSERT_EQ(std::bit_cast<std::uint64_t>(given[i]), std::bit_cast<std::uint64_t>(wanted[i]))
          << "output " << i / count << " of state " << i % count << " of " << count << " " << how << ": "
          << given[i] << " instead of " << wanted[i];
    }
  }

  Graph graph;
};

// Every operation, and numbers at which functions have edges.
TEST_P(MachineCodeTest, GivesTheBitsOfTheInterpreterForAllOperations) {
  const TableId table =
      graph.add_table("cam", Table({0.0, 1.0, 3.0}, {0.0, 1.0, 2.0}, Interpolation::kPchip));
  const auto x = symbols("x", 3), p = symbols("p", 2);
  std::vector<Expr> outputs = {graph.table(table, x[0]), graph.table(table, graph.add(x[1], p[0]), 1), p[1],
                               x[2], graph.fraction(5, 2)};
  for (const char* text : {"-x0",
                           "abs(x0*p0)",
                           "-abs(x1)",
                           "sqrt(x0)",
                           "sqrt(x0 + p0)",
                           "min(x0, x1)",
                           "max(x0, p0)",
                           "atan2(x0, x1)",
                           "atan2(p0, x1)",
                           "x0^x1",
                           "x0^p0",
                           "p0^x2",
                           "sign(x0)",
                           "step(x1)",
                           "p0 - x0",
                           "x0 - p0",
                           "p0/x0",
                           "x0/p0",
                           "1/x0",
                           "x0/x1 - x1/x0",
                           "sin(x0) + cos(x0)",
                           "sin(x1)",
                           "cos(p0*x2)",
                           "if(x0 < x1, x2, p0)",
                           "if(x0 <= p1, -x1, x2)",
                           "sin(exp(x0)) + cos(exp(x0))",
                           "x0*x0*x1",
                           "sin(sin(sin(x0)*x1)*x2) + x0",
                           "exp(sin(x0)) + sin(x0)*cos(exp(x1)) + cos(x0)",
                           "x0 + x0",
                           "tanh(x0) + log(abs(x1)) + tan(x2)",
                           "p0*p1 + sin(p0)",
                           "x0*x1 + x2",
                           "x0*x1 - x2",
                           "x2 - x0*x1",
                           "p0*x0 + x1",
                           "p0*x0 - x1",
                           "x1 - p0*x0",
                           "x0*x1 + p0",
                           "x0*x1 - p0",
                           "p0 - x0*x1",
                           "p0*x0 + p1",
                           "p1 - p0*x0",
                           "x1*x1 + x1",
                           "x0*x1 - x1*x2 + x0*x2",
                           "if(x0*x1 < x2*x2, x0*x2, x1)",
                           "min(x0, max(x1, min(x2, p0)))"}) {
    outputs.push_back(read(text));
  }
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::array values = {0.0,    -0.0,         1.0,    -1.0, 0.5, kInf,
                             -kInf,  std::nan(""), 1e-310, -1e7, 1e7, 1e200,
                             -1e200, 1e-200,       2.0,    -3.5, 0.7, std::nextafter(1e6, 0.0)};
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    expect_the_bits_of_the_interpreter(outputs, x, p, [&] {
      return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
    });
  }
}

TEST_P(MachineCodeTest, GivesTheBitsOfTheInterpreterForRandomExpressions) {
  const std::array all = {read("x"), read("y"), read("hip.q[1]")};
  std::mt19937_64 random(2);
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::vector<Expr> outputs;
    for (unsigned i = 0; i < 1 + seed; ++i) {
      test::RandomExpression expression(100 * seed + i, {0.7, -1.3, 2.1});
      outputs.push_back(read(expression.make(2 + static_cast<int>(i % 5)).text));
    }
    const std::size_t variables = 1 + seed % 3;
    expect_the_bits_of_the_interpreter(outputs, std::span(all).first(variables),
                                       std::span(all).subspan(variables),
                                       [&] { return std::uniform_real_distribution(-3.0, 3.0)(random); });
  }
}

// Equal outputs are copied, for all states and no others.
TEST_P(MachineCodeTest, GivesTheBitsOfTheInterpreterForOutputsThatAreTheSame) {
  const auto x = symbols("x", 4), p = symbols("p", 1);
  std::vector<Expr> outputs;
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 12; ++j) {
      const auto low = static_cast<std::size_t>(std::min(i, j) % 4),
                 high = static_cast<std::size_t>(std::max(i, j) % 4);
      outputs.push_back(graph.multiply(x[low], graph.add(x[high], p[0])));
    }
  }
  outputs.push_back(p[0]);
  outputs.push_back(p[0]);
  std::mt19937_64 random(4);
  expect_the_bits_of_the_interpreter(outputs, x, p,
                                     [&] { return std::uniform_real_distribution(-1.0, 2.0)(random); });
}

TEST_P(MachineCodeTest, RoundsAProductAndTheSumItGoesIntoOnceWhereItIsFused) {
  const auto x = symbols("x", 3), p = symbols("p", 1);
  const double a = 1.0 + 0x1p-30, b = 1.0 - 0x1p-30;
  const bool is_fused = CompiledFunction::is_fused(GetParam());
  const auto expect = [&](const char* text, double fused, double rounded_twice) {
    const std::array outputs = {read(text)};
    const CompiledFunction f(graph, outputs, x, p, GetParam());
    std::vector<double> result(1), scratch(f.scratch_size());
    f.evaluate(f.bind(std::array{b}), std::array{a, b, 1.0}, result, scratch);
    EXPECT_EQ(result.front(), is_fused ? fused : rounded_twice) << text;
  };
  expect("x0*x1 - x2", -0x1p-60, 0.0);
  expect("x2 - x0*x1", 0x1p-60, 0.0);
  expect("x0*x1 + x2", 2.0, 2.0);
  expect("p0*x0 - x2", -0x1p-60, 0.0);
  expect("x2 - p0*x0", 0x1p-60, 0.0);
}

TEST_P(MachineCodeTest, KeepsTheSignOfAZeroAngle) {
  const auto x = symbols("x", 1);
  const std::array outputs = {read("sin(x0)")};
  const CompiledFunction f(graph, outputs, x, {}, GetParam());
  std::vector<double> in(20, -0.0), result(20), scratch(f.scratch_size());
  in[3] = 0.0;
  in[5] = 1e7;
  f.evaluate_many(f.bind({}), 20, in, result, scratch);
  for (std::size_t k = 0; k < in.size(); ++k)
    EXPECT_EQ(std::signbit(result[k]), std::signbit(std::sin(in[k]))) << k;
  f.evaluate(f.bind({}), std::array{-0.0}, std::span(result).first(1), scratch);
  EXPECT_TRUE(std::signbit(result[0]));
}

// The greater, the smaller or the chosen number; nan where what is compared is none, whichever is chosen.
TEST_P(MachineCodeTest, ChoosesAsTheTapeDoes) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const auto x = symbols("x", 4);
  const std::array outputs = {read("min(x0, x1)"), read("max(x0, x1)"), read("if(x0 < x1, x2, x3)"),
                              read("if(x0 <= x1, x2, x3)")};
  const CompiledFunction f(graph, outputs, x, {}, GetParam());
  const Tape tape(graph, outputs, x);
  const std::array values = {0.0, -0.0, 1.0, -2.0, kInf, -kInf, std::nan("")};
  std::vector<double> in;
  for (const double a : values) {
    for (const double b : values) in.insert(in.end(), {a, b, 3.0, -0.0});
  }
  const std::size_t count = in.size() / 4;
  std::vector<double> by_variable(in.size()), many(4 * count), scratch(f.scratch_size());
  for (std::size_t i = 0; i < in.size(); ++i) by_variable[i % 4 * count + i / 4] = in[i];
  f.evaluate_many(f.bind({}), count, by_variable, many, scratch);
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double> wanted(4), room(tape.scratch_size()), together(4);
    tape.evaluate<double>(std::span(in).subspan(4 * k, 4), wanted, room);
    for (std::size_t j = 0; j < 4; ++j) together[j] = many[j * count + k];
    expect_same(together, wanted, 1, "together");
  }
}

// Far more values at once than there are registers, in a function of some ten thousand instructions.
TEST_P(MachineCodeTest, GivesTheBitsOfTheInterpreterWhereRegistersAreShort) {
  constexpr int kCount = 120;
  const auto x = symbols("x", kCount), p = symbols("p", kCount);
  std::vector<Expr> shared, outputs;
  for (std::size_t i = 0; i < kCount; ++i) {
    const Expr angle = graph.multiply(x[i], x[(7 * i + 1) % kCount]);
    shared.push_back(graph.add(graph.unary(i % 3 == 0 ? Op::kSin : Op::kSqrt, angle), p[i]));
  }
  std::mt19937_64 random(3);
  std::uniform_int_distribution<std::size_t> any(0, kCount - 1);
  for (int j = 0; j < 400; ++j) {
    std::vector<Expr> terms;
    for (int i = 0; i < 12; ++i) {
      terms.push_back(
          graph.multiply(shared[any(random)], graph.subtract(shared[any(random)], p[any(random)])));
    }
    outputs.push_back(graph.divide(graph.sum(terms), shared[any(random)]));
    if (j % 5 == 0) shared[any(random)] = graph.unary(Op::kCos, outputs.back());
  }
  expect_the_bits_of_the_interpreter(outputs, x, p,
                                     [&] { return std::uniform_real_distribution(0.1, 2.0)(random); });
}

// Offsets do not fit into the instructions of every processor.
TEST_P(MachineCodeTest, GivesTheBitsOfTheInterpreterForThousandsOfVariables) {
  constexpr int kCount = 4200;
  const auto x = symbols("x", kCount), p = symbols("p", kCount);
  std::vector<Expr> outputs;
  for (std::size_t i = 0; i < kCount; ++i) {
    const Expr sine = graph.unary(Op::kSin, x[7 * i % kCount]);
    outputs.push_back(graph.add(graph.multiply(sine, p[11 * i % kCount]), x[i]));
  }
  std::mt19937_64 random(5);
  expect_the_bits_of_the_interpreter(outputs, x, p,
                                     [&] { return std::uniform_real_distribution(-2.0, 2.0)(random); });
}

// Each operation on whatever there is already, so that operands stay wanted or not, stand in registers, in
// memory or among the parameters, and are one and the same, and comparisons come where registers are short.
TEST_P(MachineCodeTest, GivesTheBitsOfTheInterpreterForRandomGraphs) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::array edges = {0.0, -0.0, kInf, -kInf, std::nan(""), 5e-324, -1e-310, 1.7e308};
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](std::size_t n) {
      return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    const auto x = symbols("x", 1 + static_cast<int>(pick(20))),
               p = symbols("p", 1 + static_cast<int>(pick(4)));
    std::vector<Expr> made = x;
    made.insert(made.end(), p.begin(), p.end());
    const auto any = [&] { return made[made.size() - 1 - pick(std::min<std::size_t>(made.size(), 24))]; };
    for (std::size_t k = 0; k < 20 * (1 + seed % 10); ++k) made.push_back(random_operation(pick(12), any));
    std::vector<Expr> outputs;
    for (std::size_t j = 0; j < 1 + pick(30); ++j) outputs.push_back(any());
    const bool has_edges = seed % 4 == 0;
    expect_the_bits_of_the_interpreter(outputs, x, p, [&] {
      return has_edges && pick(3) == 0 ? edges[pick(edges.size())]
                                       : std::uniform_real_distribution(-2.0, 2.0)(random);
    });
  }
}

TEST_P(MachineCodeTest, ServesSeveralThreadsAtOnce) {
  const auto x = symbols("x", 2), p = symbols("p", 1);
  const std::array outputs = {read("sin(x0*x1) + p0*x0"), read("exp(x0 - x1)*cos(x0*x1)/p0")};
  const CompiledFunction f(graph, outputs, x, p, GetParam());
  const auto bound = f.bind(std::array{0.8});
  const auto evaluate = [&](int thread, std::vector<double>& results) {
    std::vector<double> scratch(f.scratch_size()), in(2 * 50), out(2 * 50);
    for (int round = 0; round < 200; ++round) {
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = 0.01 * static_cast<double>(i) + 0.1 * thread;
      f.evaluate_many(bound, 50, in, out, scratch);
      results.insert(results.end(), out.begin(), out.end());
    }
  };
  std::array<std::vector<double>, 4> apart, at_once;
  for (int t = 0; t < 4; ++t) evaluate(t, apart[static_cast<std::size_t>(t)]);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back(evaluate, t, std::ref(at_once[static_cast<std::size_t>(t)]));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(apart, at_once);
}

// A run with the interpreter then gives the same bits as one with the default.
TEST(MachineCodeBackends, InterpreterIsFusedAsTheFastestOne) {
  EXPECT_EQ(CompiledFunction::is_fused(Backend::kInterpreter),
            CompiledFunction::is_fused(CompiledFunction::backends().back()));
}

#if defined(__linux__) && defined(__x86_64__)
TEST(MachineCodeBackends, EveryProcessorHasSse2) {
  const auto known = CompiledFunction::backends();
  ASSERT_GE(known.size(), 2u);
  EXPECT_EQ(known[0], Backend::kInterpreter);
  EXPECT_EQ(known[1], Backend::kSse2);
}

struct Mappings {
  int executable = 0, writable_too = 0;
};

Mappings count_mappings() {
  Mappings count;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::string rights = line.substr(line.find(' ') + 1, 4);
    if (rights[2] != 'x') continue;
    ++count.executable;
    if (rights[1] == 'w') ++count.writable_too;
  }
  return count;
}

TEST_P(MachineCodeTest, IsNeverWritableAndExecutable) {
  if (GetParam() == Backend::kInterpreter) GTEST_SKIP() << "the interpreter has no machine code";
  const auto x = symbols("x", 2);
  const std::array outputs = {read("x0*x1")};
  const Mappings before = count_mappings();
  {
    const CompiledFunction f(graph, outputs, x, {}, GetParam());
    const Mappings during = count_mappings();
    EXPECT_EQ(during.executable, before.executable + 1);
    EXPECT_EQ(during.writable_too, before.writable_too);
  }
  EXPECT_EQ(count_mappings().executable, before.executable);
}

// From now on the system refuses this process every mprotect() that would make memory executable.
bool forbid_executable_memory() {
  constexpr auto field = [](std::size_t offset) { return static_cast<unsigned>(offset); };
  std::array filter = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, field(offsetof(seccomp_data, nr))),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, field(offsetof(seccomp_data, args[2]))),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_P(MachineCodeTest, IsInterpretedWhereTheSystemRefusesExecutableMemory) {
  const auto x = symbols("x", 2);
  const std::array outputs = {read("x0*x1 - 1")};
  const bool is_fused = CompiledFunction::is_fused(GetParam());
  // 0: interpreted, and with the bits of the machine code; 2: the system knows no such filter.
  const auto evaluate = [&] {
    if (!forbid_executable_memory()) std::_Exit(2);
    const CompiledFunction f(graph, outputs, x, {}, GetParam());
    std::array<double, 1> result{};
    std::vector<double> scratch(f.scratch_size());
    f.evaluate(f.bind({}), std::array{1.0 + 0x1p-30, 1.0 - 0x1p-30}, result, scratch);
    const double wanted = is_fused ? -0x1p-60 : 0.0;
    std::_Exit(f.backend() == Backend::kInterpreter && result[0] == wanted ? 0 : 1);
  };
  EXPECT_EXIT(
      evaluate(), [](int status) { return status == 0 || WEXITSTATUS(status) == 2; }, "");
}
#endif

INSTANTIATE_TEST_SUITE_P(Backends, MachineCodeTest,
                         testing::Values(Backend::kInterpreter, Backend::kSse2, Backend::kAvx2,
                                         Backend::kAvx512, Backend::kNeon),
                         [](const auto& tested) {
                           std::string name(CompiledFunction::name(tested.param));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace sestina
