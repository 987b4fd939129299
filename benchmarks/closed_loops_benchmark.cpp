// Time and accuracy of the accelerations of mechanisms with closed loops, by recursion and by divide and
// conquer.
//
//   bench_closed_loops [SECONDS]
//
// Four-bars in series (each stands on the coupler of the one before), four-bars side by side on the ground,
// and rings of hinged bars. Kinematics, forces and multipliers are included. The solvers are timed in turn
// for SECONDS (0.05) in each of seven rounds; medians. The last column is the largest difference of udot from
// the recursion's, relative to the largest udot.
//
//   bench_closed_loops count MECHANISM N SOLVER EVALUATIONS    for callgrind; MECHANISM: series, side, ring
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "dynamics/four_bars.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/freeze.h"

namespace {

using namespace sestina;
using namespace sestina::testing_support;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 7;

struct Contestant {
  std::string name;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<ForwardDynamics> dynamics;
  std::vector<double> udot, rounds;  // rounds: s for one evaluation
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void time_round(Contestant& contestant, const State<double>& state, double seconds) {
  int count = 0;
  const auto start = Clock::now();
  double elapsed = 0.0;
  do {
    contestant.dynamics->calc_udot(state, contestant.udot);
    ++count;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  } while (elapsed < seconds);
  contestant.rounds.push_back(elapsed / count);
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i])), scale = std::max(scale, std::abs(b[i]));
  }
  return largest / scale;
}

void time_mechanism(const char* name, int n, const System& system, double seconds) {
  const auto model = freeze(system);
  const Properties<double> properties = calc_properties(*model);
  const State<double> state = calc_assembled_state(*model, properties);
  std::vector<Contestant> contestants;
  const auto add = [&](const char* solver, int threads) {
    Contestant& added = contestants.emplace_back();
    added.name = solver;
    if (threads > 0) {
      added.executor = std::make_unique<Executor>(threads);
      added.name += " on " + std::to_string(threads);
    }
    added.dynamics = std::make_unique<ForwardDynamics>(model, properties, solver, added.executor.get());
    added.udot.resize(state.u.size());
  };
  add("recursive", 0);
  for (const char* solver : {"divide_and_conquer", "hybrid"}) {
    for (const int threads : {1, 2}) add(solver, threads);
  }
  for (int round = 0; round < kRounds; ++round) {
    for (Contestant& contestant : contestants) time_round(contestant, state, seconds);
  }
  const double reference = median(contestants[0].rounds);
  for (const Contestant& contestant : contestants) {
    const double time = median(contestant.rounds);
    std::printf("%-15s %5d  %-24s %10.1f us  %6.2f  %.1e\n", name, n, contestant.name.c_str(), 1e6 * time,
                time / reference, difference(contestant.udot, contestants[0].udot));
  }
}

System make_mechanism(const std::string& name, int n) {
  if (name == "series") return four_bars_in_series(n);
  return name == "side" ? four_bars_side_by_side(n) : ring_of_bars(n);
}

void evaluate(const System& system, const char* solver, int evaluations) {
  const auto model = freeze(system);
  const Properties<double> properties = calc_properties(*model);
  const State<double> state = calc_assembled_state(*model, properties);
  ForwardDynamics dynamics(model, properties, solver);
  std::vector<double> udot(state.u.size());
  for (int i = 0; i < evaluations; ++i) dynamics.calc_udot(state, udot);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 6 && std::string(argv[1]) == "count") {
    evaluate(make_mechanism(argv[2], std::atoi(argv[3])), argv[4], std::atoi(argv[5]));
    return 0;
  }
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.05;
  for (const int n : {10, 100, 1000}) time_mechanism("in series", n, four_bars_in_series(n), seconds);
  time_mechanism("side by side", 100, four_bars_side_by_side(100), seconds);
  time_mechanism("ring", 100, ring_of_bars(100), seconds);
  return 0;
}
