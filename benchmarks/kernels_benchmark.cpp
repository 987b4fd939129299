// The kernels of the dynamics over the number of bodies, for one state and one thread, each with its
// kinematics; and the articulated-body algorithm as textbooks print it, checked against ours before it is
// timed.
//
// Counters: seconds for a body; bytes for a body, of the memory that the recursion works on.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "mechanisms.h"
#include "sestina/dynamics/forward_dynamics_derivatives.h"
#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/dynamics/recursive_solver.h"
#include "sestina/model/freeze.h"
#include "textbook_recursion.h"

namespace {

using namespace sestina;

struct Evaluation {
  explicit Evaluation(const System& system)
      : model(freeze(system)),
        properties(calc_properties(*model)),
        state(calc_initial_state(*model)),
        kinematics(*model),
        forces(*model),
        solver(*model),
        udot(static_cast<std::size_t>(model->nu())) {
    benchmarks::Random random(7);
    for (double& tau : forces.tau) tau = random.next();
  }
  void run() {
    update_kinematics(*model, properties, state, kinematics);
    solver.solve(properties, kinematics, forces, udot);
  }

  std::shared_ptr<const Model> model;
  Properties<double> properties;
  State<double> state;
  Kinematics<double> kinematics;
  AppliedForces<double> forces;
  RecursiveSolver<double> solver;
  std::vector<double> udot;
};

template <class V>
double bytes(const V& values) {
  return static_cast<double>(values.size() * sizeof(values[0]));
}

// Properties, state, kinematics and forces; and what the two sweeps keep for each body and speed.
double bytes_of_recursion(const Evaluation& e) {
  const Kinematics<double>& k = e.kinematics;
  const double kinematics = bytes(k.motion) + bytes(k.s) + bytes(k.bias) + bytes(k.H) + bytes(k.inertia) +
                            bytes(k.sin_cos) + bytes(k.tree.links);
  const double sweeps =
      bytes(k.motion) / sizeof(k.motion[0]) * (sizeof(SpatialMotion<double>) + sizeof(WalkStep)) +
      bytes(e.udot) / sizeof(double) * (sizeof(SpatialForce<double>) + 2 * sizeof(double));
  return bytes(e.properties.bodies.values()) + bytes(e.state.q) + bytes(e.state.u) + bytes(e.udot) +
         bytes(e.forces.tau) + bytes(e.forces.body) + kinematics + sweeps;
}

System make(int kind, int n) {
  if (kind == 2) return benchmarks::make_binary_tree(n);
  return benchmarks::make_chain(n, kind == 1);
}

void count(benchmark::State& bench, double bodies) {
  bench.counters["s_per_body"] =
      benchmark::Counter(bodies, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void forward_dynamics(benchmark::State& bench) {
  const auto n = static_cast<int>(bench.range(1));
  Evaluation evaluation(make(static_cast<int>(bench.range(0)), n));
  for (auto _ : bench) evaluation.run();
  count(bench, n);
  bench.counters["bytes_per_body"] = bytes_of_recursion(evaluation) / n;
}

void kinematics(benchmark::State& bench) {
  const auto n = static_cast<int>(bench.range(1));
  Evaluation e(make(static_cast<int>(bench.range(0)), n));
  for (auto _ : bench) update_kinematics(*e.model, e.properties, e.state, e.kinematics);
  count(bench, n);
}

void inverse_dynamics(benchmark::State& bench) {
  const auto n = static_cast<int>(bench.range(1));
  Evaluation e(make(static_cast<int>(bench.range(0)), n));
  e.run();
  InverseDynamics<double> inverse(*e.model);
  for (auto _ : bench) {
    update_kinematics(*e.model, e.properties, e.state, e.kinematics);
    update_inverse_dynamics<double>(*e.model, e.properties, e.kinematics, e.forces, e.udot, inverse);
  }
  count(bench, n);
}

void mass_matrix(benchmark::State& bench) {
  const auto n = static_cast<int>(bench.range(1));
  Evaluation e(make(static_cast<int>(bench.range(0)), n));
  MassMatrix<double> M(*e.model);
  for (auto _ : bench) {
    update_kinematics(*e.model, e.properties, e.state, e.kinematics);
    M.update(e.properties, e.kinematics);
  }
  count(bench, n);
}

void derivatives(benchmark::State& bench) {
  const auto n = static_cast<int>(bench.range(1));
  Evaluation e(make(static_cast<int>(bench.range(0)), n));
  ForwardDynamicsDerivatives derivatives(*e.model, e.properties);
  for (auto _ : bench) {
    e.run();
    derivatives.update(e.state, e.kinematics, e.forces, e.udot);
  }
  count(bench, n);
}

void textbook(benchmark::State& bench) {
  const auto n = static_cast<int>(bench.range(1));
  Evaluation ours(make(static_cast<int>(bench.range(0)), n));
  benchmarks::TextbookRecursion theirs(*ours.model, ours.properties);
  std::vector<double> udot(ours.udot.size());
  ours.run();
  theirs.solve(ours.state, ours.forces.tau, udot);
  double most = 0.0, difference = 0.0;
  for (std::size_t k = 0; k < udot.size(); ++k) {
    most = std::max(most, std::abs(ours.udot[k]));
    difference = std::max(difference, std::abs(ours.udot[k] - udot[k]));
  }
  if (!(difference <= 1e-8 * most)) {
    bench.SkipWithError("the textbook's accelerations are not ours");
    return;
  }
  for (auto _ : bench) theirs.solve(ours.state, ours.forces.tau, udot);
  count(bench, n);
}

const std::vector<std::int64_t> kKinds{0, 1, 2};  // revolute chain, spherical chain, binary tree

BENCHMARK(forward_dynamics)
    ->ArgsProduct({{0}, {1, 10, 100, 1000, 5000, 10000, 100000}})
    ->ArgNames({"kind", "n"});
BENCHMARK(forward_dynamics)->ArgsProduct({{1, 2}, {7, 31, 127}})->ArgNames({"kind", "n"});
BENCHMARK(kinematics)->ArgsProduct({kKinds, {1, 31, 1000}})->ArgNames({"kind", "n"});
BENCHMARK(inverse_dynamics)->ArgsProduct({kKinds, {1, 31, 1000}})->ArgNames({"kind", "n"});
BENCHMARK(mass_matrix)->ArgsProduct({kKinds, {7, 31, 100}})->ArgNames({"kind", "n"});
BENCHMARK(derivatives)->ArgsProduct({kKinds, {7, 31, 100}})->ArgNames({"kind", "n"});
BENCHMARK(textbook)->ArgsProduct({kKinds, {1, 7, 31, 100}})->ArgNames({"kind", "n"});

}  // namespace
