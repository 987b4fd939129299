// Compiled functions by each backend that the processor has: forward dynamics of an arm of seven joints, mass
// matrix and forces of planar pendulums of n particles.
//
//   bench_backends [ROUNDS]
//
// Backends are timed in turn; the middle of many short rounds is printed, in microseconds of processor time
// for one state, alone and as one of 64, with the middle of the ratios to AVX2 in the same round.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "../tests/symbolic/n_pendulum.h"
#include "mechanism.h"
#include "sestina/dynamics/compiled_recursion.h"
#include "sestina/expression/compiled_function.h"
#include "sestina/model/properties.h"
#include "sestina_model.h"

namespace {

using namespace sestina;
using Backend = CompiledFunction::Backend;

constexpr std::size_t kMany = 64;
constexpr double kRound = 2e-3;  // s

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC);
}

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// One backend's function, with numbers to evaluate it at.
class Timed {
 public:
  explicit Timed(CompiledFunction function)
      : function_(std::move(function)),
        bound_(function_.bind(numbers(function_.parameter_count()))),
        in_(numbers(kMany * function_.variable_count())),
        out_(kMany * function_.output_count()),
        scratch_(function_.scratch_size()) {
    one_calls_ = calls_in_a_round([this] { evaluate_one(); });
    many_calls_ = calls_in_a_round([this] { evaluate_many(); });
  }

  void run_round() {
    one.push_back(time(one_calls_, [this] { evaluate_one(); }));
    many.push_back(time(many_calls_, [this] { evaluate_many(); }) / kMany);
  }
  const CompiledFunction& function() const { return function_; }

  std::vector<double> one, many;  // seconds for a state, by round

 private:
  static std::vector<double> numbers(std::size_t count) {
    std::mt19937_64 random(1);
    std::vector<double> made(count);
    for (double& e : made) e = std::uniform_real_distribution(0.5, 1.5)(random);
    return made;
  }

  void evaluate_one() {
    function_.evaluate(bound_, std::span(in_).first(function_.variable_count()),
                       std::span(out_).first(function_.output_count()), scratch_);
  }
  void evaluate_many() { function_.evaluate_many(bound_, kMany, in_, out_, scratch_); }

  template <class Evaluate>
  static double time(int calls, Evaluate evaluate) {
    const auto start = std::clock();
    for (int i = 0; i < calls; ++i) evaluate();
    return seconds_since(start) / calls;
  }
  template <class Evaluate>
  static int calls_in_a_round(Evaluate evaluate) {
    int calls = 1;
    while (time(calls, evaluate) * calls < kRound) calls *= 2;
    return calls;
  }

  CompiledFunction function_;
  std::vector<double> bound_, in_, out_, scratch_;
  int one_calls_ = 1, many_calls_ = 1;
};

struct Problem {
  std::vector<Expr> outputs, variables, parameters;
};

std::string ratio(const std::vector<double>& times, const std::vector<double>& to) {
  if (to.empty()) return "-";
  std::vector<double> ratios;
  for (std::size_t k = 0; k < times.size(); ++k) ratios.push_back(times[k] / to[k]);
  return fmt::format("{:.2f}", median(ratios));
}

void compare(const std::string& name, const Graph& graph, const Problem& problem, int rounds) {
  std::vector<Timed> all;
  for (const Backend backend : CompiledFunction::backends()) {
    all.emplace_back(
        CompiledFunction(graph, problem.outputs, problem.variables, problem.parameters, backend));
  }
  for (int round = 0; round < rounds; ++round) {
    for (Timed& timed : all) timed.run_round();
  }
  std::vector<double> one, many;  // by AVX2
  for (const Timed& timed : all) {
    if (timed.function().backend() != Backend::kAvx2) continue;
    one = timed.one;
    many = timed.many;
  }
  for (const Timed& timed : all) {
    fmt::print("{:<12} {:<12} {:>12} {:>10.4f} {:>8} {:>10.4f} {:>8}\n", name,
               CompiledFunction::name(timed.function().backend()), timed.function().instruction_count(),
               1e6 * median(timed.one), ratio(timed.one, one), 1e6 * median(timed.many),
               ratio(timed.many, many));
  }
}

void compare_arm(int rounds) {
  const auto model = peers::make_model(peers::make_arm());
  CompiledRecursion recursion(*model, make_compiled_links(*model, calc_properties(*model)));
  Problem problem;
  const auto append = [](std::vector<Expr>& to, const std::vector<Expr>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  const std::vector<Expr> tau = recursion.new_symbols("tau", model->nu());
  const auto made = recursion.calc_udot(tau);
  append(problem.outputs, made.udot);
  append(problem.outputs, made.pivots);
  append(problem.variables, recursion.q());
  append(problem.variables, recursion.u());
  append(problem.variables, tau);
  problem.parameters = recursion.constants();
  compare("arm 7", recursion.graph(), problem, rounds);
}

void compare_pendulum(std::size_t n, int rounds) {
  symbolic::Mechanics mechanics;
  const symbolic::KanesMethod kane = symbolic::test::derive_n_pendulum(mechanics, n);
  Problem problem;
  for (const auto& matrix : {kane.mass_matrix(), kane.forcing()}) {
    for (const auto& e : matrix.elements()) problem.outputs.push_back(e.in(mechanics.graph()));
  }
  for (const Expr symbol : mechanics.graph().free_symbols(problem.outputs)) {
    (mechanics.variables().is_variable(symbol) ? problem.variables : problem.parameters).push_back(symbol);
  }
  compare(fmt::format("pendulum {}", n), mechanics.graph(), problem, rounds);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 41;
  fmt::print("{:<12} {:<12} {:>12} {:>10} {:>8} {:>10} {:>8}\n", "function", "backend", "instructions",
             "alone us", "ratio", "of 64 us", "ratio");
  compare_arm(rounds);
  for (const std::size_t n : {8u, 16u, 32u}) compare_pendulum(n, rounds);
  return 0;
}
