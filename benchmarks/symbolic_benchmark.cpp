// How long derivations take, and how large their results are: the planar pendulum of n particles by Kane's
// method, the bicycle derived and linearised.
//
//   bench_symbolic [largest n]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../tests/symbolic/bicycle.h"
#include "../tests/symbolic/n_pendulum.h"
#include "sestina/expression/tape.h"
#include "sestina/symbolic/linearize.h"

namespace {

using sestina::Expr;
using sestina::Tape;
using sestina::symbolic::KanesMethod;
using sestina::symbolic::Mechanics;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

// M and f over parameters, coordinates and speeds.
Tape compile(Mechanics& mechanics, const KanesMethod& kane) {
  std::vector<Expr> outputs;
  for (const auto& e : kane.mass_matrix().elements()) outputs.push_back(e.in(mechanics.graph()));
  for (const auto& e : kane.forcing().elements()) outputs.push_back(e.in(mechanics.graph()));
  return {mechanics.graph(), outputs, mechanics.graph().free_symbols(outputs)};
}

double time_evaluation(const Tape& tape) {
  std::vector<double> inputs(tape.input_count(), 0.7), outputs(tape.output_count()),
      scratch(tape.scratch_size());
  std::vector<double> times;
  const auto repeats = static_cast<int>(1 + 100'000 / (1 + tape.instruction_count()));
  for (int round = 0; round < 21; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) tape.evaluate<double>(inputs, outputs, scratch);
    times.push_back(seconds_since(start) / repeats);
  }
  return median(times);
}

void sweep_pendulum(std::size_t largest) {
  std::printf("planar pendulum of n particles, Kane\n%5s %12s %12s %12s %12s %12s\n", "n", "derive ms",
              "compile ms", "operations", "nodes", "M, f us");
  for (std::size_t n = 2; n <= largest; n *= 2) {
    std::vector<double> derivations, compilations;
    std::size_t operations = 0, nodes = 0;
    double evaluation = 0.0;
    for (int round = 0; round < (n > 32 ? 3 : 11); ++round) {
      Mechanics mechanics;
      const auto start = Clock::now();
      const KanesMethod kane = sestina::symbolic::test::derive_n_pendulum(mechanics, n);
      derivations.push_back(seconds_since(start));
      nodes = mechanics.graph().size();
      const auto derived = Clock::now();
      const Tape tape = compile(mechanics, kane);
      compilations.push_back(seconds_since(derived));
      operations = tape.instruction_count();
      if (round == 0) evaluation = time_evaluation(tape);
    }
    std::printf("%5zu %12.3f %12.3f %12zu %12zu %12.3f\n", n, 1e3 * median(derivations),
                1e3 * median(compilations), operations, nodes, 1e6 * evaluation);
  }
}

void time_bicycle() {
  std::vector<double> derivations, linearizations;
  std::size_t operations = 0;
  double evaluation = 0.0;
  for (int round = 0; round < 21; ++round) {
    Mechanics mechanics;
    sestina::symbolic::test::Bicycle bicycle(mechanics);
    const auto start = Clock::now();
    const KanesMethod kane = bicycle.derive();
    derivations.push_back(seconds_since(start));
    const auto derived = Clock::now();
    const auto linear = linearize(kane, bicycle.riding());
    linearizations.push_back(seconds_since(derived));
    if (round > 0) continue;
    const Tape tape = compile(mechanics, kane);
    operations = tape.instruction_count();
    evaluation = time_evaluation(tape);
  }
  std::printf("\nbicycle: derive %.3f ms, linearise %.3f ms; M, f: %zu operations, %.3f us\n",
              1e3 * median(derivations), 1e3 * median(linearizations), operations, 1e6 * evaluation);
}

}  // namespace

int main(int argc, char** argv) {
  sweep_pendulum(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 128);
  time_bicycle();
  return 0;
}
