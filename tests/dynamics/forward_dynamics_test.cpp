// ForwardDynamics: the failures it names, the forces of redundant conditions, and the zero of the potential
// energy.
#include "sestina/dynamics/forward_dynamics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dynamics/mechanisms.h"
#include "model/example_system.h"
#include "sestina/base/error.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/model/analysis.h"

namespace sestina {
namespace {

using namespace testing_support;
using testing::HasSubstr;

class AnySolver : public testing::TestWithParam<std::string> {
 protected:
  // The reason of the failure at the initial state, changed by `change(model, state)`.
  template <class Change>
  std::string failure(const System& system, Change&& change) {
    const auto model = freeze(system);
    ForwardDynamics dynamics(model, calc_properties(*model), GetParam());
    State<double> state = calc_initial_state(*model);
    state.t = 1.25;
    change(*model, state);
    std::vector<double> udot(state.u.size());
    try {
      dynamics.calc_udot(state, udot);
    } catch (const ComputationError& error) {
      EXPECT_EQ(error.time(), 1.25);
      return error.reason();
    }
    for (const double x : udot) EXPECT_TRUE(std::isfinite(x));
    return {};
  }
  std::string failure(const System& system) {
    return failure(system, [](const Model&, State<double>&) {});
  }
};

TEST_P(AnySolver, SolvesTheExample) { EXPECT_EQ(failure(example_system()), ""); }

// M (udot with tau - udot without) = tau, whether or not forces act on bodies and the time is measured.
TEST_P(AnySolver, AddsTheGeneralisedForcesThatAreGiven) {
  for (const System& system : {example_system(), revolute_chain(5)}) {
    const auto model = freeze(system);
    const auto nu = static_cast<std::size_t>(model->nu());
    ForwardDynamics dynamics(model, calc_properties(*model), GetParam());
    const State<double> state = calc_initial_state(*model);
    std::vector<double> tau(nu), without(nu), with(nu);
    for (std::size_t i = 0; i < nu; ++i) tau[i] = 1.0 + 0.5 * static_cast<double>(i);
    Trace trace;
    for (Trace* const counts : {static_cast<Trace*>(nullptr), &trace}) {
      dynamics.set_trace(counts);
      dynamics.calc_udot(state, without);
      dynamics.calc_udot(state, with, tau);
      MassMatrix<double> mass_matrix(*model);
      mass_matrix.update(dynamics.properties(), dynamics.kinematics());
      const auto& M = mass_matrix.matrix();
      for (int i = 0; i < model->nu(); ++i) {
        double sum = 0.0;
        for (int j = 0; j < model->nu(); ++j) {
          const auto k = static_cast<std::size_t>(j);
          sum += (i >= j ? M(i, j) : M(j, i)) * (with[k] - without[k]);
        }
        EXPECT_NEAR(sum, tau[static_cast<std::size_t>(i)], 1e-10);
      }
    }
  }
}

TEST_P(AnySolver, NamesAForceExpressionThatIsNotFinite) {
  System system = example_system();
  system.force("drive").value = {"sqrt(shoulder.q - 1)"};
  EXPECT_THAT(failure(system), HasSubstr("the value of force drive is not finite: "));
  system.force("drive").value = {"1/(t - 1.25)"};
  EXPECT_THAT(failure(system), HasSubstr("drive"));
  system.force("drive").value = {"exp(1000*t)"};
  EXPECT_THAT(failure(system), HasSubstr("drive"));
}

TEST_P(AnySolver, NamesASpringWhosePointsCoincide) {
  System system = example_system();
  system.ground_points.push_back({"nail", {1, 1, 1}, {}});
  system.force("band").to = "ground.nail";  // where the floating box has its corner
  EXPECT_THAT(failure(system), HasSubstr("the two points of band coincide"));
}

TEST_P(AnySolver, NamesACoordinateThatIsNotFinite) {
  System system = example_system();
  system.forces.clear();
  const double bad = std::numeric_limits<double>::infinity();
  EXPECT_THAT(failure(system,
                      [&](const Model& model, State<double>& state) {
                        state.q[static_cast<std::size_t>(model.bodies()[model.body("hand")].q_start) + 1] =
                            bad;
                      }),
              HasSubstr("elbow.q[1] is not finite"));
  EXPECT_THAT(failure(system,
                      [&](const Model& model, State<double>& state) {
                        state.u[static_cast<std::size_t>(model.bodies()[model.body("ball")].u_start) + 2] =
                            bad;
                      }),
              HasSubstr("wrist.u[2] is not finite"));
}

TEST_P(AnySolver, RecoversAfterAFailure) {
  System system = example_system();
  system.force("drive").value = {"1/(t - 1)"};
  const auto model = freeze(system);
  ForwardDynamics dynamics(model, calc_properties(*model), GetParam());
  State<double> state = calc_initial_state(*model);
  std::vector<double> before(state.u.size()), after(state.u.size());
  dynamics.calc_udot(state, before);
  state.t = 1.0;
  EXPECT_THROW(dynamics.calc_udot(state, after), ComputationError);
  state.t = 0.0;
  dynamics.calc_udot(state, after);
  EXPECT_EQ(before, after);
}

INSTANTIATE_TEST_SUITE_P(All, AnySolver, testing::ValuesIn(solver_names()),
                         [](const auto& test) { return test.param; });

TEST(ForwardDynamics, KnowsNoOtherSolver) {
  const auto model = freeze(example_system());
  EXPECT_THROW(ForwardDynamics(model, calc_properties(*model), "newton"), InputError);
}

TEST(ForwardDynamics, KeepsTheModelAlive) {
  auto model = freeze(example_system());
  const State<double> state = calc_initial_state(*model);
  ForwardDynamics dynamics(model, calc_properties(*model), "recursive");
  model.reset();
  std::vector<double> udot(state.u.size());
  dynamics.calc_udot(state, udot);
  EXPECT_EQ(dynamics.model().name(), "example");
}

// Conditions q2 = 0, q1 + q2 = 0 and q1 = 0, of which the first is eliminated at joint2 and one of the others
// further inboard, yet all three share the force. Their idle multipliers are in the ratio 1 : -1 : 1.
TEST(RedundantConditions, ShareTheirForceWhereverTheyAreEliminated) {
  System system = revolute_chain(4);
  system.add_coupling("outer", {{"joint2.q", 1}}, 0);
  system.add_coupling("both", {{"joint1.q", 1}, {"joint2.q", 1}}, 0);
  system.add_coupling("inner", {{"joint1.q", 1}}, 0);
  const auto model = freeze(system);
  const State<double> state = calc_initial_state(*model);
  std::vector<double> udot(state.u.size()), lambda[2];
  const char* solvers[] = {"recursive", "kane"};
  for (std::size_t i = 0; i < 2; ++i) {
    ForwardDynamics dynamics(model, calc_properties(*model), solvers[i]);
    dynamics.calc_udot(state, udot);
    lambda[i].assign(dynamics.constrained()->lambda().begin(), dynamics.constrained()->lambda().end());
    ASSERT_EQ(lambda[i].size(), 3u);
    EXPECT_NEAR(lambda[i][0] - lambda[i][1] + lambda[i][2], 0.0, 1e-12) << solvers[i];
  }
  EXPECT_GT(std::abs(lambda[1][0] + lambda[1][1]), 1.0);
  for (std::size_t r = 0; r < 3; ++r) EXPECT_NEAR(lambda[0][r], lambda[1][r], 1e-12);
}

TEST(PotentialEnergy, IsZeroWithTheMassAtTheGroundsOriginAndSpringsAtRest) {
  System system;
  system.gravity = {0, 0, -9.81};
  BodySpec& body = system.add_body("body", 2.0);
  body.center_of_mass = {0, 0, -1};
  body.inertia = {.xx = 1, .yy = 1, .zz = 1};
  body.add_point("hook", {3, 0, 0});
  JointSpec& joint = system.add_joint("lift", "prismatic", "ground.origin", "body.origin");
  joint.axis = {0, 0, 1}, joint.q = {1};
  ForceSpec& spring = system.add_force("spring", "joint_spring");
  spring.joint = "lift", spring.stiffness = {8}, spring.reference = {1};
  system.add_ground_point("wall", {5, 0, 1});
  ForceSpec& band = system.add_force("band", "spring_damper");
  band.from = "body.hook", band.to = "ground.wall", band.stiffness = {6}, band.free_length = 2;
  const auto model = freeze(system);
  ForwardDynamics dynamics(model, calc_properties(*model), "recursive");
  State<double> state = calc_initial_state(*model);
  dynamics.update(state);
  EXPECT_EQ(dynamics.energy(state).potential, 0.0);
  state.q[0] = 2.0;  // m g h, half of 8 N/m m^2, and a band now sqrt(5) long
  dynamics.update(state);
  const double stretch = std::sqrt(5.0) - 2.0;
  EXPECT_NEAR(dynamics.energy(state).potential, 2.0 * 9.81 + 4.0 + 3.0 * stretch * stretch, 1e-13);
  EXPECT_EQ(dynamics.energy(state).kinetic, 0.0);
}

}  // namespace
}  // namespace sestina
