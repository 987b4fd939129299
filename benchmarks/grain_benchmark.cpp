// How many bodies a piece of divide and conquer should have: kinematics and solution of a chain and a binary
// tree of revolute joints, over the grain and the number of threads. Grain 0 is the recursive solver.
// Read median_us: the mean is ruled by rare interruptions. docs/divide_and_conquer.md shows what was
// measured.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "mechanisms.h"
#include "sestina/dynamics/divide_and_conquer_solver.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

void solve(benchmark::State& benchmark_state, const System& system) {
  const int grain = static_cast<int>(benchmark_state.range(1));
  const int threads = static_cast<int>(benchmark_state.range(2));
  const auto model = freeze(system);
  const Properties<double> properties = calc_properties(*model);
  const State<double> state = calc_initial_state(*model);
  Kinematics<double> kinematics(*model);
  AppliedForces<double> forces(*model);
  Executor executor(threads);
  RecursiveSolver<double> recursive(*model);
  DivideAndConquerSolver<double> divided(*model, std::max(grain, 1), threads > 1 ? &executor : nullptr);
  std::vector<double> udot(static_cast<std::size_t>(model->nu())), times;
  for (auto _ : benchmark_state) {
    const auto start = std::chrono::steady_clock::now();
    if (grain == 0) {
      update_kinematics(*model, properties, state, kinematics);
      benchmark::DoNotOptimize(recursive.solve(properties, kinematics, forces, udot));
    } else {
      divided.update_kinematics(properties, state, kinematics);
      benchmark::DoNotOptimize(divided.solve(properties, kinematics, forces, udot));
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    benchmark_state.SetIterationTime(time.count());
    times.push_back(1e6 * time.count());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  benchmark_state.counters["median_us"] = times[times.size() / 2];
}

void chain(benchmark::State& state) {
  solve(state, benchmarks::make_chain(static_cast<int>(state.range(0))));
}
void tree(benchmark::State& state) {
  solve(state, benchmarks::make_binary_tree(static_cast<int>(state.range(0))));
}

void over_grains(benchmark::internal::Benchmark* b) {
  b->ArgNames({"n", "grain", "threads"})->UseManualTime()->MinTime(0.1);
  b->ArgsProduct({{1024}, {0}, {1}});
  b->ArgsProduct({{1024}, {1, 4, 16, 32, 64, 128, 256}, {1, 2, 4}});
}
BENCHMARK(chain)->Apply(over_grains);
BENCHMARK(tree)->Apply(over_grains);

}  // namespace
}  // namespace sestina
