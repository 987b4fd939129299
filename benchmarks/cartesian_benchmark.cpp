// Time of the sparse factors and of one evaluation in cartesian coordinates, over the number of bodies.
//
//   bench_cartesian [LARGEST]
//
// First the factors alone, in microseconds a body: chains and binary trees, beside Eigen's SimplicialLDLT of
// the same matrix with -1e-9 on the multipliers' diagonal. Then chains of 10, 100, ... LARGEST (100000)
// bodies: freezing, the first evaluation of the accelerations, which lays out the factors, one evaluation,
// and that of the recursion in relative coordinates. All are timed in turn, several rounds; medians.
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "mechanisms.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/freeze.h"

namespace {

using namespace sestina;
using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Blocks {
  BlockPattern pattern;
  std::vector<Eigen::MatrixXd> masses, blocks;
};

class Matrices {
 public:
  Eigen::MatrixXd random(int rows, int columns) {
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return number(engine_); });
  }
  void add_body(Blocks& m) {
    const Eigen::MatrixXd A = random(6, 6);
    m.masses.emplace_back(A * A.transpose() + Eigen::MatrixXd::Identity(6, 6));
    m.pattern.sizes.push_back(6), m.pattern.is_dual.push_back(false);
  }
  void add_joint(Blocks& m, int a, int b) {
    const int node = static_cast<int>(m.pattern.sizes.size());
    m.pattern.sizes.push_back(5), m.pattern.is_dual.push_back(true);
    for (const int body : {a, b}) {
      if (body < 0) continue;
      m.pattern.links.push_back({node, body});
      m.blocks.push_back(random(5, 6));
    }
  }

 private:
  std::mt19937 engine_{1};
};

Blocks make_blocks(int bodies, bool is_tree) {
  Matrices matrices;
  Blocks m;
  for (int b = 0; b < bodies; ++b) matrices.add_body(m);
  for (int b = 0; b < bodies; ++b) matrices.add_joint(m, is_tree ? (b + 1) / 2 - 1 : b - 1, b);
  return m;
}

void fill(BlockLdlt& ldlt, const Blocks& m) {
  ldlt.clear();
  for (std::size_t b = 0; b < m.masses.size(); ++b) {
    const BlockLdlt::Block block = ldlt.diagonal(static_cast<int>(b));
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) block(i, j) = m.masses[b](i, j);
      ldlt.scales()[static_cast<std::size_t>(ldlt.start(static_cast<int>(b)) + i)] = m.masses[b](i, i);
    }
  }
  for (std::size_t l = 0; l < m.blocks.size(); ++l) {
    const BlockLdlt::Block block = ldlt.link(l);
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 6; ++j) block(i, j) = m.blocks[l](i, j);
    }
  }
}

Eigen::SparseMatrix<double> make_sparse(const Blocks& m) {
  std::vector<int> start(1, 0);
  for (const int size : m.pattern.sizes) start.push_back(start.back() + size);
  std::vector<Eigen::Triplet<double>> elements;
  for (std::size_t b = 0; b < m.masses.size(); ++b) {
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j <= i; ++j) elements.emplace_back(start[b] + i, start[b] + j, m.masses[b](i, j));
    }
  }
  for (std::size_t l = 0; l < m.blocks.size(); ++l) {
    const auto [dual, primal] = m.pattern.links[l];
    for (int i = 0; i < 5; ++i) {
      const int row = start[static_cast<std::size_t>(dual)] + i;
      elements.emplace_back(row, row, l == 0 || m.pattern.links[l - 1][0] != dual ? -1e-9 : 0.0);
      for (int j = 0; j < 6; ++j) {
        elements.emplace_back(row, start[static_cast<std::size_t>(primal)] + j, m.blocks[l](i, j));
      }
    }
  }
  Eigen::SparseMatrix<double> K(start.back(), start.back());
  K.setFromTriplets(elements.begin(), elements.end());
  return K;
}

void time_factors(const char* name, int bodies, bool is_tree) {
  const Blocks m = make_blocks(bodies, is_tree);
  BlockLdlt own(m.pattern);
  const Eigen::SparseMatrix<double> K = make_sparse(m);
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> eigen;
  eigen.analyzePattern(K);
  Eigen::VectorXd b = Eigen::VectorXd::Ones(K.rows()), x(K.rows());
  std::vector<double> times[5];
  const int repetitions = std::max(1, 2000 / bodies);
  for (int round = 0; round < 15; ++round) {
    double sums[5] = {};
    for (int r = 0; r < repetitions; ++r) {
      sums[0] += seconds_of([&] { fill(own, m); });
      sums[1] += seconds_of([&] { own.factor(); });
      x = b;
      sums[2] += seconds_of([&] { own.solve({x.data(), static_cast<std::size_t>(x.size())}); });
      sums[3] += seconds_of([&] { eigen.factorize(K); });
      sums[4] += seconds_of([&] { x = eigen.solve(b); });
    }
    for (int k = 0; k < 5; ++k) times[k].push_back(1e6 * sums[k] / repetitions / bodies);
  }
  std::printf("%-8s %7d   fill %.3f  factor %.3f  solve %.3f   Eigen %.3f %.3f us a body\n", name, bodies,
              median(times[0]), median(times[1]), median(times[2]), median(times[3]), median(times[4]));
}

// Cranks and couplers in series: each loop has three redundant conditions, and shares a crank with the next.
// `is_open`: without the joints that close the loops.
System make_four_bars(int count, bool is_open) {
  System system;
  system.gravity = {0, -9.81, 0};
  const auto add_bar = [&](const std::string& name, Triple tip) {
    BodySpec& bar = system.add_body(name, 1.0);
    bar.inertia = {.xx = 0.09, .yy = 0.09, .zz = 0.09};
    bar.add_point("tip", std::move(tip));
  };
  const auto add_hinge = [&](const std::string& name, const std::string& from, const std::string& to,
                             double q) {
    JointSpec& hinge = system.add_joint(name, "revolute", from, to);
    hinge.axis = {0, 0, 1}, hinge.q = {q};
  };
  const auto name = [](const char* kind, int i) { return kind + std::to_string(i); };
  for (int i = 0; i <= count; ++i) {
    system.add_ground_point(name("p", i), {i, 0, 0});
    add_bar(name("crank", i), {0, 1, 0});
    add_hinge(name("foot", i), "ground." + name("p", i), name("crank", i) + ".origin", 0.4);
  }
  for (int i = 0; i < count; ++i) {
    add_bar(name("coupler", i), {1, 0, 0});
    add_hinge(name("top", i), name("crank", i) + ".tip", name("coupler", i) + ".origin", -0.4);
    if (!is_open) add_hinge(name("pin", i), name("coupler", i) + ".tip", name("crank", i + 1) + ".tip", 0.4);
  }
  return system;
}

void time_mechanism(const char* name, System system) {
  const int bodies = static_cast<int>(system.bodies.size());
  const auto relative = freeze(system);
  system.analysis.coordinates = "cartesian";
  std::shared_ptr<const Model> model;
  const double freezing = seconds_of([&] { model = freeze(system); });
  const Properties<double> properties = calc_properties(*model);
  const State<double> state = calc_assembled_state(*model, properties);
  const State<double> joint_state = calc_assembled_state(*relative, calc_properties(*relative));
  ForwardDynamics dynamics(model, properties, "recursive");
  ForwardDynamics recursion(relative, calc_properties(*relative), "recursive");
  std::vector<double> udot(state.u.size()), joint_udot(joint_state.u.size());
  const double first = seconds_of([&] { dynamics.calc_udot(state, udot); });
  std::vector<double> times[2];
  const int repetitions = std::max(1, 2000 / bodies);
  for (int round = 0; round < 9; ++round) {
    times[0].push_back(seconds_of([&] {
                         for (int r = 0; r < repetitions; ++r) dynamics.calc_udot(state, udot);
                       }) /
                       repetitions);
    times[1].push_back(seconds_of([&] {
                         for (int r = 0; r < repetitions; ++r) recursion.calc_udot(joint_state, joint_udot);
                       }) /
                       repetitions);
  }
  std::printf("%-10s %7d   freeze %.3g s  first evaluation %.3g s  cartesian %.3f  relative %.3f us a body\n",
              name, bodies, freezing, first, 1e6 * median(times[0]) / bodies,
              1e6 * median(times[1]) / bodies);
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 100000;
  for (int n = 10; n <= std::min(largest, 10000); n *= 10) time_factors("chain", n, false);
  for (int n = 100; n <= std::min(largest, 1000); n *= 10) time_factors("tree", n, true);
  for (int n = 10; n <= largest; n *= 10) time_mechanism("chain", benchmarks::make_chain(n));
  for (const int n : {1, 10, 30, 40}) {
    time_mechanism("open bars", make_four_bars(n, true));
    time_mechanism("four-bars", make_four_bars(n, false));
  }
  return 0;
}
