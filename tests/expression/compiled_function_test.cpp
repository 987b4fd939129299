#include "sestina/expression/compiled_function.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <thread>

#include "expression/allocation_count.h"
#include "expression/random_expression.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/print.h"

namespace sestina {
namespace {

class CompiledFunctionTest : public testing::Test {
 protected:
  Expr read(std::string_view text) { return parse(graph, text, resolve_to_symbols(graph)); }

  CompiledFunction compile(std::string_view text, std::span<const Expr> variables,
                           std::span<const Expr> parameters) {
    const std::array outputs = {read(text)};
    return {graph, outputs, variables, parameters};
  }

  Graph graph;
  const Expr x = graph.symbol("x"), y = graph.symbol("y"), z = graph.symbol("hip.q[1]");
};

bool same_bits(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

TEST_F(CompiledFunctionTest, HoistsWhatDependsOnParametersAlone) {
  const std::array variables = {x};
  const std::array parameters = {y, z};
  // One multiplication for each state.
  const CompiledFunction f = compile("x*y*(hip.q[1] + sin(y))*hip.q[1]", variables, parameters);
  EXPECT_EQ(f.hoisted_count(), 4u);      // sin, +, *, *
  EXPECT_EQ(f.instruction_count(), 3u);  // load, *, store
  const auto bound = f.bind(std::array{2.0, 3.0});
  std::vector<double> result(1), scratch(f.scratch_size());
  f.evaluate(bound, std::array{0.5}, result, scratch);
  EXPECT_DOUBLE_EQ(result[0], 0.5 * 2.0 * (3.0 + std::sin(2.0)) * 3.0);
}

TEST_F(CompiledFunctionTest, ParametersAloneAreNoWorkAtAll) {
  const std::array variables = {x};
  const std::array parameters = {y, z};
  const CompiledFunction f = compile("y^2/hip.q[1]", variables, parameters);
  EXPECT_EQ(f.instruction_count(), 1u);  // the store
  std::vector<double> results(70), scratch(f.scratch_size());
  f.evaluate_many(f.bind(std::array{3.0, 2.0}), 70, std::vector<double>(70), results, scratch);
  for (const double value : results) EXPECT_EQ(value, 4.5);
}

// Loads and stores apart.
std::size_t operations(const CompiledFunction& f) {
  return f.instruction_count() - f.variable_count() - f.output_count();
}

TEST_F(CompiledFunctionTest, SharesDifferencesAndTheirNegatives) {
  const std::array variables = {x, y, z};
  const std::array outputs = {read("(x - y)*hip.q[1]"), read("(y - x)*hip.q[1] + x"), read("-(y - x)*x")};
  const CompiledFunction f(graph, outputs, variables, {});
  EXPECT_EQ(operations(f), 4u);  // x - y, by z, x - that, by x
  std::array<double, 3> results{};
  std::vector<double> scratch(f.scratch_size());
  f.evaluate(f.bind({}), std::array{2.0, 5.0, 7.0}, results, scratch);
  EXPECT_EQ(results, (std::array{-21.0, 23.0, -6.0}));
}

TEST_F(CompiledFunctionTest, MultipliesFirstWhatSeveralProductsHave) {
  const Expr u = graph.symbol("u"), p = graph.symbol("p");
  const std::array variables = {x, y, z, u};
  const std::array parameters = {p};
  const std::array outputs = {read("x*y*u"), read("x*hip.q[1]*u"), read("2*u*p*(x - y)")};
  const CompiledFunction f(graph, outputs, variables, parameters);
  EXPECT_EQ(operations(f), 6u);  // u*x, by y and by z; x - y, by 2p, by u
  std::array<double, 3> results{};
  std::vector<double> scratch(f.scratch_size());
  f.evaluate(f.bind(std::array{0.5}), std::array{2.0, 5.0, 7.0, 3.0}, results, scratch);
  EXPECT_EQ(results, (std::array{30.0, 42.0, -9.0}));
}

TEST_F(CompiledFunctionTest, InvertsOnceWhatSeveralProductsAreDividedBy) {
  const std::array variables = {x, y, z};
  const std::array outputs = {read("x/hip.q[1]^2"), read("y/hip.q[1]^2"), read("x/y")};
  const CompiledFunction f(graph, outputs, variables, {});
  EXPECT_EQ(operations(f), 5u);  // square, inverse, two products, a quotient
  std::array<double, 3> results{};
  std::vector<double> scratch(f.scratch_size());
  f.evaluate(f.bind({}), std::array{2.0, 5.0, 4.0}, results, scratch);
  EXPECT_EQ(results, (std::array{0.125, 0.3125, 0.4}));
}

// Whatever is taken for a parameter, by whichever backend, all agree with the tape but for the order of terms
// and factors.
TEST_F(CompiledFunctionTest, AgreesWithTheTape) {
  const std::array<double, 3> values = {0.7, -1.3, 2.1};
  const std::array all = {x, y, z};
  int compared = 0;
  for (unsigned seed = 0; seed < 3'000; ++seed) {
    test::RandomExpression random(seed, values);
    const test::Reference reference = random.make(2 + static_cast<int>(seed % 4));
    if (!std::isfinite(static_cast<double>(reference.error))) continue;
    const std::array outputs = {read(reference.text)};
    const std::size_t variables = seed % 4;
    const long double tolerance = 32.0L * std::numeric_limits<double>::epsilon() * reference.error;
    if (tolerance > 1e-6L * std::abs(reference.value) + 1e-9L) continue;
    for (const CompiledFunction::Backend backend : CompiledFunction::backends()) {
      const CompiledFunction f(graph, outputs, std::span(all).first(variables),
                               std::span(all).subspan(variables), backend);
      std::array<double, 1> result;
      std::vector<double> scratch(f.scratch_size());
      f.evaluate(f.bind(std::span(values).subspan(variables)), std::span(values).first(variables), result,
                 scratch);
      ASSERT_NEAR(result[0], static_cast<double>(reference.value), static_cast<double>(tolerance) + 1e-300)
          << reference.text << " by " << CompiledFunction::name(backend);
    }
    ++compared;
  }
  EXPECT_GT(compared, 1'500);
}

// One by one or together, and in blocks that are not full: the same bits.
TEST_F(CompiledFunctionTest, ManyStatesGiveTheBitsOfOne) {
  const std::array<double, 3> values = {0.7, -1.3, 2.1};
  std::vector<Expr> outputs;
  for (unsigned seed = 0; seed < 200; ++seed) {
    outputs.push_back(read(test::RandomExpression(seed, values).make(4).text));
  }
  outputs.push_back(x);
  outputs.push_back(graph.fraction(5, 2));
  const std::array variables = {x, y};
  const std::array parameters = {z};
  const CompiledFunction f(graph, outputs, variables, parameters);
  const auto bound = f.bind(std::array{2.1});
  std::vector<double> scratch(f.scratch_size()), single(outputs.size());
  std::mt19937_64 random(1);
  for (const std::size_t count : {1u, 2u, 31u, 32u, 33u, 96u, 100u}) {
    std::vector<double> in(2 * count), room(outputs.size() * count + 3);
    const auto out = std::span(room).subspan(3);  // not at the begin of a cache line
    // Angles beyond those that are reduced by polynomials among them.
    for (double& e : in) e = std::uniform_real_distribution(-3.0, 3.0)(random);
    if (count > 2) in[1] = 1e7;
    f.evaluate_many(bound, count, in, out, scratch);
    for (std::size_t k = 0; k < count; ++k) {
      f.evaluate(bound, std::array{in[k], in[count + k]}, single, scratch);
      for (std::size_t j = 0; j < outputs.size(); ++j) {
        ASSERT_TRUE(same_bits(out[j * count + k], single[j]))
            << to_text(graph, outputs[j]) << ", state " << k << " of " << count;
      }
    }
  }
}

// The first calls for many states come from several threads at once, and one of them writes the machine code.
TEST_F(CompiledFunctionTest, FirstCallsForManyStatesMayComeTogether) {
  constexpr std::size_t kStates = 40, kThreads = 4;
  const std::array variables = {x};
  const std::array parameters = {y};
  const std::vector<double> in(kStates, 0.3);
  for (int round = 0; round < 50; ++round) {
    const CompiledFunction f = compile("sin(x)*y + sqrt(x)*(x + y)", variables, parameters);
    const auto bound = f.bind(std::array{2.0});
    std::vector<double> single(1), scratch(f.scratch_size());
    f.evaluate(bound, std::span(in).first(1), single, scratch);
    std::vector<std::vector<double>> results(kThreads, std::vector<double>(kStates));
    std::vector<std::thread> threads;
    for (auto& out : results) {
      threads.emplace_back([&f, &bound, &in, &out] {
        std::vector<double> own(f.scratch_size());
        f.evaluate_many(bound, kStates, in, out, own);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& out : results) ASSERT_EQ(out, std::vector<double>(kStates, single[0]));
  }
}

TEST_F(CompiledFunctionTest, RefusesASymbolWithoutValueAndAllocatesNothing) {
  const std::array variables = {x};
  const std::array parameters = {y};
  EXPECT_THROW(compile("x + other", variables, parameters), ExpressionError);
  const CompiledFunction f = compile("sin(x)*y + x^y", variables, parameters);
  const auto bound = f.bind(std::array{2.0});
  std::vector<double> in(40, 0.3), out(40), scratch(f.scratch_size());
  f.evaluate_many(bound, 40, in, out, scratch);  // writes machine code
  const auto before = test::allocation_count();
  f.evaluate_many(bound, 40, in, out, scratch);
  f.evaluate(bound, std::span(in).first(1), std::span(out).first(1), scratch);
  EXPECT_EQ(test::allocation_count(), before);
}

}  // namespace
}  // namespace sestina
