// The analytical derivatives of inverse and forward dynamics against dual numbers through the formulations
// themselves, along each direction of q and u.
#include <gtest/gtest.h>

#include "dynamics/evaluation.h"
#include "dynamics/mechanisms.h"
#include "dynamics/random_systems.h"
#include "sestina/base/error.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/forward_dynamics_derivatives.h"

namespace sestina {
namespace {

using namespace testing_support;

constexpr std::uint64_t kDerivativeTrees = 60;

using Column = std::vector<double>;

Column column_of(const MatrixBlock& A, std::size_t j, int n) {
  Column column;
  for (int i = 0; i < n; ++i) column.push_back(A(i, static_cast<int>(j)));
  return column;
}
Column derivative_parts(const std::vector<Dual>& x) {
  Column d;
  for (const Dual& value : x) d.push_back(value.d);
  return d;
}

// A model at a random state with random udot or with the udot that solves it.
struct DerivativeCase {
  explicit DerivativeCase(const System& system, std::uint64_t seed)
      : at(freeze(system)), dual(at.model), random(seed), state(scatter_states(*at.model, 1, 1.0, seed)[1]) {
    state.t = 0.7;
    at.update(state);
    for (double& x : at.udot) x = random.signed_unit();
  }
  int nu() const { return at.model->nu(); }
  Column unit(std::size_t k) const { return numbers(k, 1.0); }
  Column zero() const { return numbers(0, 0.0); }
  Column numbers(std::size_t k, double x) const {
    Column e(static_cast<std::size_t>(nu()), 0.0);
    if (!e.empty()) e[k] = x;
    return e;
  }
  // The derivative of the residual at at.udot, where udot moves by dudot.
  Column residual_derivative(const Column& dq, const Column& du, const Column& dudot) {
    dual.update(moving_state(*at.model, state, dq, du, 0.0));
    for (std::size_t k = 0; k < dudot.size(); ++k) dual.udot[k] = {at.udot[k], dudot[k]};
    dual.residual();
    return derivative_parts(dual.inverse.residual);
  }
  Column udot_derivative(const Column& dq, const Column& du) {
    return derivative_parts(dual.solve<RecursiveSolver>(moving_state(*at.model, state, dq, du, 0.0)));
  }

  Evaluation<double> at;
  Evaluation<Dual> dual;
  SplitMix random;
  State<double> state;
};

double largest_entry(const MatrixBlock& A, int n) {
  double most = 0.0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) most = std::max(most, std::abs(A(i, j)));
  }
  return most;
}

// `scale`: of the largest entry of the whole matrix, since a column may be a difference of larger terms.
void expect_near(const Column& a, const Column& b, double tolerance, const std::string& what) {
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance) << what << ", row " << k;
}

// Each entry is a sum over up to sixty bodies of products of some ten numbers.
constexpr double kRoundOff = 1e-12;

void expect_inverse_derivatives(DerivativeCase& c, const std::string& what) {
  InverseDynamicsDerivatives derivatives(*c.at.model, c.at.properties);
  derivatives.update(c.state, c.at.kinematics, c.at.forces, c.at.udot);
  const int n = c.nu();
  const double q_scale = kRoundOff * std::max(1.0, largest_entry(derivatives.by_q(), n));
  const double u_scale = kRoundOff * std::max(1.0, largest_entry(derivatives.by_u(), n));
  const MatrixBlock M{derivatives.mass_matrix().row(0), n};
  const double M_scale = kRoundOff * largest_entry(M, n);
  for (std::size_t k = 0; k < c.at.udot.size(); ++k) {
    const std::string name = fmt::format("{} by {}", what, c.at.model->u_names()[k]);
    expect_near(column_of(derivatives.by_q(), k, n), c.residual_derivative(c.unit(k), c.zero(), c.zero()),
                q_scale, name + ", q");
    expect_near(column_of(derivatives.by_u(), k, n), c.residual_derivative(c.zero(), c.unit(k), c.zero()),
                u_scale, name + ", u");
    expect_near(column_of(M, k, n), c.residual_derivative(c.zero(), c.zero(), c.unit(k)), M_scale,
                name + ", udot");
  }
}

TEST(InverseDynamicsDerivatives, EqualDualNumbersForEveryJointAndForce) {
  for (std::uint64_t seed = 1; seed <= kDerivativeTrees; ++seed) {
    DerivativeCase c(random_system(seed), seed);
    expect_inverse_derivatives(c, fmt::format("seed {}", seed));
    if (HasFailure()) return;
  }
}

TEST(InverseDynamicsDerivatives, EqualDualNumbersWithoutForces) {
  for (std::uint64_t seed = 1; seed <= kDerivativeTrees; ++seed) {
    DerivativeCase c(random_system(seed, {.has_forces = false}), seed);
    expect_inverse_derivatives(c, fmt::format("seed {}", seed));
    if (HasFailure()) return;
  }
}

TEST(InverseDynamicsDerivatives, DependOnNoSteadyMotionOfTheWhole) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    DerivativeCase c(random_system(seed, {.has_ground_forces = false, .is_floating = true}), seed);
    InverseDynamicsDerivatives derivatives(*c.at.model, c.at.properties);
    derivatives.update(c.state, c.at.kinematics, c.at.forces, c.at.udot);
    InverseDynamicsDerivatives moved(*c.at.model, c.at.properties);
    for (std::size_t i = 3; i < 6; ++i) c.state.u[i] += 1000.0;
    c.at.update(c.state);
    moved.update(c.state, c.at.kinematics, c.at.forces, c.at.udot);
    const int n = c.nu();
    // Forces of dampers are differences of velocities, to 1000 times round-off.
    const double scale = 1e-10 * std::max(1.0, largest_entry(derivatives.by_q(), n));
    for (std::size_t k = 0; k < c.at.udot.size(); ++k) {
      expect_near(column_of(derivatives.by_q(), k, n), column_of(moved.by_q(), k, n), scale, "by q");
      expect_near(column_of(derivatives.by_u(), k, n), column_of(moved.by_u(), k, n), scale, "by u");
    }
  }
}

TEST(ForwardDynamicsDerivatives, EqualDualNumbersThroughTheRecursion) {
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= kDerivativeTrees; ++seed) {
    DerivativeCase c(random_system(seed), seed);
    c.at.solve<RecursiveSolver>();
    ForwardDynamicsDerivatives derivatives(*c.at.model, c.at.properties);
    ASSERT_FALSE(derivatives.update(c.state, c.at.kinematics, c.at.forces, c.at.udot).is_singular);
    const double condition =
        compare_formulations(c.at.model, calc_properties(*c.at.model), {c.state}).condition;
    const int n = c.nu();
    // Both solve with M once more for the derivative; round-off of the terms is about ten times 1e-16.
    const double accuracy = std::max(1e-12, 1e-15 * condition);
    if (accuracy > 1e-9) continue;
    ++tried;
    const double q_scale = accuracy * std::max(1.0, largest_entry(derivatives.by_q(), n));
    const double u_scale = accuracy * std::max(1.0, largest_entry(derivatives.by_u(), n));
    for (std::size_t k = 0; k < c.at.udot.size(); ++k) {
      const std::string name = fmt::format("seed {} by {}", seed, c.at.model->u_names()[k]);
      expect_near(column_of(derivatives.by_q(), k, n), c.udot_derivative(c.unit(k), c.zero()), q_scale,
                  name + ", q");
      expect_near(column_of(derivatives.by_u(), k, n), c.udot_derivative(c.zero(), c.unit(k)), u_scale,
                  name + ", u");
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(tried, 40);
}

TEST(ForwardDynamicsDerivatives, ByTauAreTheInverseOfTheMassMatrixAndSymmetric) {
  for (std::uint64_t seed = 1; seed <= kDerivativeTrees; ++seed) {
    DerivativeCase c(random_system(seed), seed);
    c.at.solve<RecursiveSolver>();
    ForwardDynamicsDerivatives derivatives(*c.at.model, c.at.properties);
    derivatives.update(c.state, c.at.kinematics, c.at.forces, c.at.udot);
    const MatrixBlock inverse = derivatives.by_tau();
    const DenseMatrix<double>& M = derivatives.inverse().mass_matrix();
    for (int i = 0; i < c.nu(); ++i) {
      for (int j = 0; j < c.nu(); ++j) {
        EXPECT_EQ(inverse(i, j), inverse(j, i));
        double sum = 0.0, scale = 1.0;
        for (int k = 0; k < c.nu(); ++k) {
          sum += M(i, k) * inverse(k, j);
          scale += std::abs(M(i, k) * inverse(k, j));
        }
        EXPECT_NEAR(sum, i == j ? 1.0 : 0.0, 1e-12 * scale) << "seed " << seed;
      }
    }
  }
}

// Both ways to solve for the columns, on trees of every joint and on chains deep enough for the recursion.
void expect_both_ways(DerivativeCase& c, const std::string& what) {
  using Columns = ForwardDynamicsDerivatives::Columns;
  c.at.solve<RecursiveSolver>();
  ForwardDynamicsDerivatives factors(*c.at.model, c.at.properties, Columns::kFactors);
  ForwardDynamicsDerivatives recursion(*c.at.model, c.at.properties, Columns::kRecursion);
  ASSERT_FALSE(factors.update(c.state, c.at.kinematics, c.at.forces, c.at.udot).is_singular);
  ASSERT_FALSE(recursion.update(c.state, c.at.kinematics, c.at.forces, c.at.udot).is_singular);
  const double condition = compare_formulations(c.at.model, c.at.properties, {c.state}).condition;
  const double accuracy = std::max(1e-12, 1e-15 * condition);
  const int n = c.nu();
  const auto expect_same = [&](const MatrixBlock& a, const MatrixBlock& b, const char* by) {
    const double tolerance = accuracy * std::max(1.0, largest_entry(a, n));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        EXPECT_NEAR(a(i, j), b(i, j), tolerance) << what << ", by " << by << " at " << i << ", " << j;
      }
    }
  };
  expect_same(factors.by_q(), recursion.by_q(), "q");
  expect_same(factors.by_u(), recursion.by_u(), "u");
  expect_same(factors.by_tau(), recursion.by_tau(), "tau");
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) EXPECT_EQ(recursion.by_tau()(i, j), recursion.by_tau()(j, i));
  }
}

TEST(ForwardDynamicsDerivatives, AreTheSameByFactorsAndByTheRecursion) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DerivativeCase c(random_system(seed), seed);
    expect_both_ways(c, fmt::format("seed {}", seed));
    DerivativeCase without_forces(random_system(seed, {.has_forces = false}), seed);
    expect_both_ways(without_forces, fmt::format("seed {} without forces", seed));
    if (HasFailure()) return;
  }
  for (const System& system : {revolute_chain(50), ball_chain(20), binary_tree(31)}) {
    DerivativeCase c(system, 1);
    expect_both_ways(c, "mechanism");
  }
}

TEST(ForwardDynamicsDerivatives, OfDeepTreesPassThroughTheRecursion) {
  using Columns = ForwardDynamicsDerivatives::Columns;
  EXPECT_EQ(ForwardDynamicsDerivatives::choose_columns(*freeze(revolute_chain(100))), Columns::kRecursion);
  EXPECT_EQ(ForwardDynamicsDerivatives::choose_columns(*freeze(revolute_chain(7))), Columns::kFactors);
  EXPECT_EQ(ForwardDynamicsDerivatives::choose_columns(*freeze(binary_tree(31))), Columns::kFactors);
}

// A wheel without inertia about its axle.
TEST(ForwardDynamicsDerivatives, ReportASingularMassMatrix) {
  System system;
  system.add_body("wheel", 1.0).inertia = {.xx = 1.0, .yy = 1.0, .zz = 0.0};
  system.add_joint("axle", "revolute", "ground.origin", "wheel.origin").axis = Triple{0, 0, 1};
  DerivativeCase c(system, 1);
  using Columns = ForwardDynamicsDerivatives::Columns;
  for (const Columns columns : {Columns::kFactors, Columns::kRecursion}) {
    ForwardDynamicsDerivatives derivatives(*c.at.model, c.at.properties, columns);
    const auto report = derivatives.update(c.state, c.at.kinematics, c.at.forces, c.at.udot);
    EXPECT_TRUE(report.is_singular);
    EXPECT_EQ(report.singular_speed, 0);
  }
}

class Wind : public UserForce {
  void add_force(double, std::span<const BodyMotion<double>>,
                 std::span<SpatialForce<double>>) const override {}
};

TEST(DynamicsDerivatives, RefuseAUserForceByItsName) {
  System system = random_system(3);
  system.add_user_force("wind", std::make_shared<Wind>());
  const auto model = freeze(system);
  const Properties<double> properties = calc_properties(*model);
  try {
    InverseDynamicsDerivatives derivatives(*model, properties);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("wind"), std::string::npos) << error.what();
  }
}

// A force that reads a variable before coordinates: (3 + d) x pushes back.
TEST(InverseDynamicsDerivatives, KnowTheVariablesThatForcesRead) {
  System system;
  system.variables.push_back({"extra", 4.0});
  system.add_body("sled", 2.0);
  system.add_joint("track", "prismatic", "ground.origin", "sled.origin").axis = Triple{1, 0, 0};
  ForceSpec& push = system.add_force("push", "joint_force");
  push.joint = "track";
  push.value = {"-(3 + extra)*track.q"};
  Evaluation<double> at(freeze(system));
  State<double> state = calc_initial_state(*at.model);
  state.d = {5.0};
  at.update(state);
  InverseDynamicsDerivatives derivatives(*at.model, at.properties);
  derivatives.update(state, at.kinematics, at.forces, at.udot);
  EXPECT_DOUBLE_EQ(derivatives.by_q()(0, 0), 8.0);
}

// For a chain of 1000 links, the derivative along one direction equals that by dual numbers.
TEST(ForwardDynamicsDerivatives, OfAThousandLinksEqualDualNumbers) {
  DerivativeCase c(revolute_chain(1000), 1);
  c.at.solve<RecursiveSolver>();
  ForwardDynamicsDerivatives derivatives(*c.at.model, c.at.properties);
  ASSERT_FALSE(derivatives.update(c.state, c.at.kinematics, c.at.forces, c.at.udot).is_singular);
  const int n = c.nu();
  Column residual_by_q = column_of(derivatives.inverse().by_q(), 500, n);
  const Column expected = c.residual_derivative(c.unit(500), c.zero(), c.zero());
  expect_near(residual_by_q, expected, 1e-11 * largest(expected), "residual");
  // cond(M) of the chain is about 1e10.
  const Column by_q = column_of(derivatives.by_q(), 500, n);
  expect_near(by_q, c.udot_derivative(c.unit(500), c.zero()), 1e-5 * largest(by_q), "udot");
}

}  // namespace
}  // namespace sestina
