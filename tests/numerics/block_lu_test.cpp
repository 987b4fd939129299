// The factors by blocks against Eigen's dense ones, for matrices of chains, loops and springs.
#include "sestina/numerics/block_lu.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <complex>
#include <random>

#include "sestina/numerics/saddle_point_matrix.h"

namespace sestina {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A graph of bodies, each with `freedom` speeds, and of joints with `conditions` rows between two bodies, -1
// for the ground; springs couple two bodies.
struct Linkage {
  int bodies = 0, freedom = 6, conditions = 5;
  std::vector<std::array<int, 2>> joints, springs;
};

template <class Number>
struct System {
  SparsePattern E, C;
  std::vector<Number> E_values, B_values;
  std::vector<double> C_values;
  std::vector<char> active;
  Eigen::Matrix<Number, -1, -1> A;
};

template <class Number>
Number draw(std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  if constexpr (std::is_same_v<Number, double>)
    return number(random);
  else
    return {number(random), number(random)};
}

// E is near to a mass matrix: definite blocks on the diagonal and lesser numbers elsewhere.
template <class Number>
System<Number> make_system(const Linkage& of, unsigned seed) {
  std::mt19937 random(seed);
  const int n = of.bodies * of.freedom, m = static_cast<int>(of.joints.size()) * of.conditions;
  Eigen::MatrixXi coupled = Eigen::MatrixXi::Identity(of.bodies, of.bodies);
  for (const auto* pairs : {&of.joints, &of.springs}) {
    for (const auto& [a, b] : *pairs) {
      if (a >= 0) coupled(a, b) = coupled(b, a) = 1;
    }
  }
  System<Number> system;
  system.E.rows = n, system.C.rows = m;
  system.active.assign(at(m), 1);
  system.A.setZero(n + m, n + m);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (!coupled(i / of.freedom, j / of.freedom)) continue;
      const Number value = 0.02 * draw<Number>(random) + (i == j ? 1.0 : 0.0);
      system.E.row_of.push_back(i), system.E_values.push_back(value);
      system.A(i, j) = value;
    }
    system.E.starts.push_back(static_cast<int>(system.E.row_of.size()));
    for (int r = 0; r < m; ++r) {
      const auto& [a, b] = of.joints[at(r / of.conditions)];
      if (j / of.freedom != a && j / of.freedom != b) continue;
      const double value = draw<double>(random);
      system.C.row_of.push_back(r), system.C_values.push_back(value);
      system.B_values.push_back(value + 0.01 * draw<Number>(random));
      system.A(n + r, j) = system.B_values.back(), system.A(j, n + r) = -value;
    }
    system.C.starts.push_back(static_cast<int>(system.C.row_of.size()));
  }
  return system;
}

template <class Number>
void leave_out(System<Number>& system, int row) {
  const Eigen::Index i = system.E.rows + row;
  system.active[at(row)] = 0;
  system.A.row(i).setZero(), system.A.col(i).setZero();
  system.A(i, i) = 1.0;
}

template <class Number>
void expect_solution(const System<Number>& system, const char* what) {
  BlockLu<Number> lu(system.E, system.C);
  ASSERT_TRUE(lu.factor(system.E_values, system.B_values, system.C_values, system.active)) << what;
  const auto n = static_cast<Eigen::Index>(system.E.rows), size = system.A.rows();
  Eigen::Matrix<Number, -1, 1> b = Eigen::Matrix<Number, -1, 1>::Random(size);
  for (Eigen::Index r = 0; r < size - n; ++r) {
    if (!system.active[static_cast<std::size_t>(r)]) b[n + r] = 0.0;
  }
  const Eigen::Matrix<Number, -1, 1> expected = system.A.partialPivLu().solve(b);
  const auto count = static_cast<std::size_t>(n);
  std::span<Number> x(b.data(), static_cast<std::size_t>(size));
  lu.solve(x.first(count), x.subspan(count));
  EXPECT_LE((system.A * (b - expected)).norm(), 1e-10 * system.A.norm() * expected.norm()) << what;
}

Linkage chain(int bodies) {
  Linkage mechanism{.bodies = bodies, .joints = {}, .springs = {}};
  for (int b = 0; b < bodies; ++b) mechanism.joints.push_back({b - 1, b});
  return mechanism;
}

TEST(BlockLu, SolvesWhatDenseFactorsSolve) {
  Linkage loop = chain(7);
  loop.freedom = 6, loop.conditions = 4;
  loop.joints.push_back({0, 6});
  Linkage tree = chain(5);
  tree.joints[3] = {1, 3}, tree.joints[4] = {1, 4};
  tree.springs = {{0, 4}, {2, 3}};
  const Linkage masses{.bodies = 40, .freedom = 1, .joints = {}, .springs = [] {
                         std::vector<std::array<int, 2>> springs;
                         for (int i = 1; i < 40; ++i) springs.push_back({i - 1, i});
                         return springs;
                       }()};
  const Linkage wide{
      .bodies = 3, .freedom = 9, .conditions = 8, .joints = {{-1, 0}, {0, 1}, {1, 2}}, .springs = {}};
  for (unsigned seed = 0; seed < 5; ++seed) {
    expect_solution(make_system<double>(chain(1), seed), "one body");
    expect_solution(make_system<double>(chain(20), seed), "chain");
    expect_solution(make_system<double>(loop, seed), "loop");
    expect_solution(make_system<double>(tree, seed), "tree with springs");
    expect_solution(make_system<double>(masses, seed), "masses and springs");
    expect_solution(make_system<double>(wide, seed), "nodes of more than six");
    expect_solution(make_system<std::complex<double>>(chain(20), seed), "complex chain");
    expect_solution(make_system<std::complex<double>>(tree, seed), "complex tree");
  }
}

TEST(BlockLu, RowsThatAreNotActiveAreLeftOut) {
  auto system = make_system<double>(chain(6), 3);
  leave_out(system, 7);
  leave_out(system, 20);
  expect_solution(system, "without two conditions");
}

// Two bodies without inertia, held by conditions on all of their speeds: regular, but not without pivots
// between nodes.
TEST(BlockLu, RefusesPivotsThatAreNone) {
  auto system =
      make_system<double>({.bodies = 2, .conditions = 6, .joints = {{-1, 0}, {0, 1}}, .springs = {}}, 1);
  std::ranges::fill(system.E_values, 0.0);
  BlockLu<double> lu(system.E, system.C);
  EXPECT_FALSE(lu.factor(system.E_values, system.B_values, system.C_values, system.active));

  SaddlePointMatrix<double> matrix;
  matrix.resize(system.E, system.C);
  ASSERT_TRUE(matrix.factorize(system.E_values, system.B_values, system.C_values, system.active));
  system.A.topLeftCorner(12, 12).setZero();
  Eigen::VectorXd b = Eigen::VectorXd::Random(24);
  const Eigen::VectorXd expected = system.A.partialPivLu().solve(b);
  matrix.solve({b.data(), 12}, {b.data() + 12, 12});
  EXPECT_LE((b - expected).norm(), 1e-11 * expected.norm());
}

}  // namespace
}  // namespace sestina
