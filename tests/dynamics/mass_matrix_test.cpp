// The mass matrix by composite bodies: against Kane's partial velocities, against closed forms, and by the
// work that it stands for.
#include "sestina/dynamics/mass_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <random>

#include "dynamics/evaluation.h"
#include "dynamics/mechanisms.h"
#include "dynamics/random_systems.h"
#include "sestina/dynamics/branch_mass_matrix.h"
#include "sestina/dynamics/comparison.h"

namespace sestina {
namespace {

using namespace testing_support;
using Eigen::Index;
using Eigen::MatrixXd;

double largest_entry(const DenseMatrix<double>& M) {
  double most = 0.0;
  for (int i = 0; i < M.size(); ++i) {
    for (int j = 0; j <= i; ++j) most = std::max(most, std::abs(M(i, j)));
  }
  return most;
}

void expect_kane(const System& system, const State<double>& state, const std::string& what) {
  Evaluation<double> at(freeze(system));
  at.update(state);
  MassMatrix<double> composite(*at.model);
  composite.update(at.properties, at.kinematics);
  KaneSolver<double> kane(*at.model);
  kane.update_mass_matrix(at.properties, at.kinematics);
  const DenseMatrix<double>& M = composite.matrix();
  // Sums over up to a hundred bodies of products of some ten numbers.
  const double tolerance = 1e-13 * largest_entry(M);
  for (int i = 0; i < M.size(); ++i) {
    for (int j = 0; j <= i; ++j) {
      EXPECT_NEAR(M(i, j), kane.mass_matrix()(i, j), tolerance) << what << " at " << i << ", " << j;
      if (i != j) {
        EXPECT_EQ(M(j, i), 0.0) << what;
      }
    }
  }
}

TEST(MassMatrix, EqualsKanesOnTreesOfEveryJoint) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const System system = random_system(seed);
    expect_kane(system, scatter_states(*freeze(system), 1, 1.0, seed)[1], fmt::format("seed {}", seed));
    if (HasFailure()) return;
  }
}

TEST(MassMatrix, EqualsKanesOnLongChainsAndBushyTrees) {
  for (const System& system : {revolute_chain(100), ball_chain(30), binary_tree(31)}) {
    expect_kane(system, driven_state(system, *freeze(system), 100).state, system.name);
  }
}

// A uniform rod on each of two hinges about z, one metre apart, the second turned by q.
TEST(MassMatrix, OfADoublePendulumIsThatOfTheTextbooks) {
  System system;
  system.add_body("upper", 2.0).center_of_mass = {0.5, 0, 0};
  system.add_body("lower", 3.0).center_of_mass = {0.5, 0, 0};
  for (const char* name : {"upper", "lower"}) {
    system.body(name).inertia = {.xx = 0.0, .yy = 0.25, .zz = 0.25};
    system.body(name).add_point("tip", {1, 0, 0});
  }
  system.add_joint("hip", "revolute", "ground.origin", "upper.origin").axis = Triple{0, 0, 1};
  JointSpec& knee = system.add_joint("knee", "revolute", "upper.tip", "lower.origin");
  knee.axis = Triple{0, 0, 1};
  knee.armature = 0.125;
  Evaluation<double> at(freeze(system));
  State<double> state = calc_initial_state(*at.model);
  state.q = {0.3, 0.7};
  at.update(state);
  MassMatrix<double> mass_matrix(*at.model);
  mass_matrix.update(at.properties, at.kinematics);
  const DenseMatrix<double>& M = mass_matrix.matrix();
  const double lower = 0.25 + 3.0 * 0.25, cosine = 3.0 * 0.5 * std::cos(0.7);
  EXPECT_NEAR(M(1, 1), lower + 0.125, 1e-15);
  EXPECT_NEAR(M(1, 0), lower + cosine, 1e-15);
  EXPECT_NEAR(M(0, 0), 0.25 + 2.0 * 0.25 + lower + 3.0 + 2.0 * cosine, 2e-15);
}

TEST(MassMatrix, IsZeroBetweenBranches) {
  const System system = binary_tree(31);
  Evaluation<double> at(freeze(system));
  at.update(driven_state(system, *at.model, 100).state);
  MassMatrix<double> mass_matrix(*at.model);
  mass_matrix.update(at.properties, at.kinematics);
  const auto is_inboard = [&](BodyIndex a, BodyIndex b) {
    while (b != a && b != kGround) b = at.model->bodies()[b].parent;
    return b == a;
  };
  int zeros = 0;
  for (int i = 0; i < at.model->nu(); ++i) {
    for (int j = 0; j < i; ++j) {
      const BodyIndex a = at.model->body_of_speed(j), b = at.model->body_of_speed(i);
      if (is_inboard(a, b)) {
        EXPECT_NE(mass_matrix.matrix()(i, j), 0.0);
      } else {
        EXPECT_EQ(mass_matrix.matrix()(i, j), 0.0);
        ++zeros;
      }
    }
  }
  EXPECT_EQ(zeros, 31 * 30 / 2 - (2 * 1 + 4 * 2 + 8 * 3 + 16 * 4));
}

// Twice the kinetic energy, and its change with the coordinates.
TEST(MassMatrix, GivesTheKineticEnergyAndItsDerivative) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Evaluation<Dual> at(freeze(random_system(seed)));
    const State<double> state = scatter_states(*at.model, 1, 1.0, seed)[1];
    const std::vector<double> direction(state.u.size(), 0.3), still(state.u.size(), 0.0);
    const State<Dual> moving = moving_state(*at.model, state, direction, still, 0.0);
    at.update(moving);
    MassMatrix<Dual> mass_matrix(*at.model);
    mass_matrix.update(at.properties, at.kinematics);
    Dual twice(0.0);
    for (int i = 0; i < at.model->nu(); ++i) {
      for (int j = 0; j < at.model->nu(); ++j) {
        twice += moving.u[static_cast<std::size_t>(i)] *
                 mass_matrix.matrix()(std::max(i, j), std::min(i, j)) * moving.u[static_cast<std::size_t>(j)];
      }
    }
    const Dual energy = calc_energy(*at.model, at.properties, moving, at.kinematics, at.forces).kinetic;
    EXPECT_NEAR(0.5 * twice.v, energy.v, 1e-12 * energy.v) << seed;
    EXPECT_NEAR(0.5 * twice.d, energy.d, 1e-11 * std::max(1.0, energy.v)) << seed;
  }
}

// ---- the matrices of the trees, factored ------------------------------------------------------------------

MatrixXd whole_matrix(const Evaluation<double>& at) {
  MassMatrix<double> composite(*at.model);
  composite.update(at.properties, at.kinematics);
  const DenseMatrix<double>& M = composite.matrix();
  MatrixXd full(M.size(), M.size());
  for (int i = 0; i < M.size(); ++i) {
    for (int j = 0; j <= i; ++j) full(i, j) = full(j, i) = M(i, j);
  }
  return full;
}

// Solves for three random right sides on each tree, and multiplies the solutions by the whole matrix.
void expect_solutions(const System& system, const State<double>& state, const std::string& what) {
  Evaluation<double> at(freeze(system));
  at.update(state);
  BranchMassMatrix branches(*at.model);
  ASSERT_TRUE(branches.update(at.properties, at.kinematics)) << what;
  const MatrixXd M = whole_matrix(at);
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  int seen = 0;
  for (BodyIndex b{1}; b.value() < at.model->bodies().size(); ++b) {
    if (at.model->bodies()[b].parent != kGround) continue;
    const BranchMassMatrix::Tree tree = branches.tree_of(b);
    seen += tree.count;
    const auto n = static_cast<std::size_t>(tree.count), stride = n + 2;
    std::vector<double> x(3 * stride);
    for (double& entry : x) entry = number(engine);
    const std::vector<double> right = x;
    branches.solve(tree, x.data(), stride);
    MatrixXd whole = MatrixXd::Zero(M.rows(), 3), wanted = whole;
    for (std::size_t k = 0; k < n; ++k) {
      const Index speed = branches.speeds()[static_cast<std::size_t>(tree.first) + k];
      for (std::size_t row = 0; row < 3; ++row) {
        whole(speed, static_cast<Index>(row)) = x[row * stride + k];
        wanted(speed, static_cast<Index>(row)) = right[row * stride + k];
      }
    }
    const double size = M.cwiseAbs().maxCoeff() * whole.cwiseAbs().maxCoeff();
    EXPECT_LE((M * whole - wanted).cwiseAbs().maxCoeff(), 1e-13 * size) << what;
    EXPECT_EQ(x[n], right[n]) << what << ": between rows";
  }
  EXPECT_EQ(seen, at.model->nu()) << what;
}

TEST(BranchMassMatrix, SolvesOnTreesOfEveryJoint) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const System system = random_system(seed);
    expect_solutions(system, scatter_states(*freeze(system), 1, 1.0, seed)[1], fmt::format("seed {}", seed));
    if (HasFailure()) return;
  }
}

TEST(BranchMassMatrix, SolvesOnChainsAndBushyTrees) {
  for (const System& system : {revolute_chain(40), ball_chain(10), binary_tree(31)}) {
    expect_solutions(system, driven_state(system, *freeze(system), 100).state, system.name);
  }
}

}  // namespace
}  // namespace sestina
