// How long derivations take, and how large their results are: the planar pendulum of n particles by Kane's
// method, the bicycle derived, linearised and solved for its accelerations; and how fast the equations of
// both are compiled and evaluated.
//
//   bench_symbolic [largest n]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "../tests/symbolic/bicycle.h"
#include "../tests/symbolic/n_pendulum.h"
#include "sestina/expression/compiled_function.h"
#include "sestina/symbolic/linearize.h"

namespace {

using sestina::CompiledFunction;
using sestina::Expr;
using sestina::Graph;
using sestina::symbolic::KanesMethod;
using sestina::symbolic::Mechanics;

// Processor time, to the microsecond: others may use the machine meanwhile.
double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC);
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

// Symbols that are not functions of time are parameters.
CompiledFunction compile(Mechanics& mechanics, std::vector<Expr> outputs) {
  const Graph& graph = mechanics.graph();
  std::vector<Expr> variables, parameters;
  for (const Expr symbol : graph.free_symbols(outputs)) {
    (mechanics.variables().is_variable(symbol) ? variables : parameters).push_back(symbol);
  }
  return {graph, outputs, variables, parameters};
}

std::vector<Expr> elements(Mechanics& mechanics, std::initializer_list<sestina::symbolic::Matrix> matrices) {
  std::vector<Expr> exprs;
  for (const auto& matrix : matrices) {
    for (const auto& e : matrix.elements()) exprs.push_back(e.in(mechanics.graph()));
  }
  return exprs;
}

// The symmetric matrix without its upper triangle, and the right-hand sides.
std::vector<Expr> lower_half(Mechanics& mechanics, const KanesMethod& kane) {
  const std::vector<Expr> M = elements(mechanics, {kane.mass_matrix()});
  std::vector<Expr> outputs = elements(mechanics, {kane.forcing()});
  const std::size_t n = outputs.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) outputs.push_back(M[i * n + j]);
  }
  return outputs;
}

// From where a cache line begins, as memory for large arrays should.
class AlignedNumbers {
 public:
  AlignedNumbers(std::size_t count, double value) : numbers_(count + kLine, value), count_(count) {
    const auto address = reinterpret_cast<std::uintptr_t>(numbers_.data()) / sizeof(double);
    first_ = (kLine - address % kLine) % kLine;
  }
  std::span<double> all() { return std::span(numbers_).subspan(first_, count_); }

 private:
  static constexpr std::size_t kLine = 8;  // numbers
  std::vector<double> numbers_;
  std::size_t count_, first_;
};

struct Times {
  double one, of_many;  // seconds for one state: alone, and among 64
};

Times time_evaluation(const CompiledFunction& f) {
  constexpr std::size_t kMany = 64;
  const auto bound = f.bind(std::vector<double>(f.parameter_count(), 0.7));
  AlignedNumbers inputs(kMany * f.variable_count(), 0.6), outputs(kMany * f.output_count(), 0.0);
  const std::span<double> in = inputs.all(), out = outputs.all();
  std::vector<double> scratch(f.scratch_size());
  std::vector<double> one, many;
  const auto repeats = static_cast<int>(1 + 100'000 / (1 + f.instruction_count()));
  for (int round = 0; round < 21; ++round) {
    auto start = std::clock();
    for (int i = 0; i < repeats; ++i) {
      f.evaluate(bound, in.first(f.variable_count()), out.first(f.output_count()), scratch);
    }
    one.push_back(seconds_since(start) / repeats);
    start = std::clock();
    const int calls = 1 + repeats / 8;
    for (int i = 0; i < calls; ++i) f.evaluate_many(bound, kMany, in, out, scratch);
    many.push_back(seconds_since(start) / calls / kMany);
  }
  return {median(one), median(many)};
}

void sweep_pendulum(std::size_t largest) {
  std::printf("planar pendulum of n particles, Kane; M and f evaluated alone and as one of 64 states\n");
  std::printf("%5s %12s %12s %12s %12s %12s %12s %12s %12s\n", "n", "derive ms", "compile ms", "operations",
              "hoisted", "nodes", "alone us", "of many us", "half M us");
  for (std::size_t n = 2; n <= largest; n *= 2) {
    std::vector<double> derivations, compilations;
    std::size_t operations = 0, hoisted = 0, nodes = 0;
    Times evaluation{}, of_half{};
    for (int round = 0; round < (n > 32 ? 3 : 11); ++round) {
      Mechanics mechanics;
      const auto start = std::clock();
      const KanesMethod kane = sestina::symbolic::test::derive_n_pendulum(mechanics, n);
      derivations.push_back(seconds_since(start));
      nodes = mechanics.graph().size();
      const auto derived = std::clock();
      const CompiledFunction f =
          compile(mechanics, elements(mechanics, {kane.mass_matrix(), kane.forcing()}));
      compilations.push_back(seconds_since(derived));
      operations = f.instruction_count();
      hoisted = f.hoisted_count();
      if (round > 0) continue;
      evaluation = time_evaluation(f);
      of_half = time_evaluation(compile(mechanics, lower_half(mechanics, kane)));
    }
    std::printf("%5zu %12.3f %12.3f %12zu %12zu %12zu %12.3f %12.3f %12.3f\n", n, 1e3 * median(derivations),
                1e3 * median(compilations), operations, hoisted, nodes, 1e6 * evaluation.one,
                1e6 * evaluation.of_many, 1e6 * of_half.of_many);
  }
}

void time_bicycle() {
  std::vector<double> derivations, linearizations, compilations;
  std::size_t operations = 0;
  Times evaluation{};
  for (int round = 0; round < 21; ++round) {
    Mechanics mechanics;
    sestina::symbolic::test::Bicycle bicycle(mechanics);
    const auto start = std::clock();
    const KanesMethod kane = bicycle.derive();
    derivations.push_back(seconds_since(start));
    const auto derived = std::clock();
    const auto linear = linearize(kane, bicycle.riding());
    linearizations.push_back(seconds_since(derived));
    const std::vector<Expr> rhs = elements(mechanics, {kane.rhs()});
    const auto solved = std::clock();
    const CompiledFunction f = compile(mechanics, rhs);
    compilations.push_back(seconds_since(solved));
    if (round > 0) continue;
    operations = f.instruction_count();
    evaluation = time_evaluation(f);
  }
  std::printf(
      "\nbicycle: derive %.3f ms, linearise %.3f ms; right-hand side: compile %.3f ms, %zu operations, "
      "alone %.3f us, of many %.3f us\n",
      1e3 * median(derivations), 1e3 * median(linearizations), 1e3 * median(compilations), operations,
      1e6 * evaluation.one, 1e6 * evaluation.of_many);
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("compiled functions: %s\n",
              std::string(CompiledFunction::name(CompiledFunction::backends().back())).c_str());
  sweep_pendulum(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 128);
  time_bicycle();
  return 0;
}
