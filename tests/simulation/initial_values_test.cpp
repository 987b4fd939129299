// Where a run begins, and what is refused because it is not a place to begin.
#include "sestina/simulation/initial_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "message_of.h"
#include "sestina/base/error.h"
#include "simulation/systems.h"

namespace sestina::symbolic {
namespace {

using testing_support::message_of;

TEST(InitialValues, ThatAreNotFiniteAreRefused) {
  test::StringPendulum pendulum;
  const KanesMethod kane = pendulum.by_kane();
  SymbolicSystem system(kane);
  system.set({{pendulum.m, 1.5}, {pendulum.g, 9.81}, {pendulum.l, 2.0}});
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), -HUGE_VAL}) {
    const std::string text = std::isnan(value) ? "x = nan is not finite" : "x = -inf is not finite";
    EXPECT_THAT(message_of([&] { system.set_initial({{pendulum.x, value}}); }), testing::HasSubstr(text));
    EXPECT_THAT(message_of([&] { system.set_guess({{pendulum.x, value}}); }), testing::HasSubstr(text));
  }
  system.set_initial({{pendulum.x, 1 / (pendulum.l - 2)}});
  EXPECT_THAT(message_of([&] { (void)system.calc_initial_state(); }),
              testing::HasSubstr("inf is not finite"));
}

// A body by Euler parameters. Those of norm 2 are brought to the turn that they mean, those that are all zero
// mean none.
TEST(InitialValues, InvariantsHoldOrAreRefused) {
  Mechanics mechanics;
  const auto e = mechanics.dynamicsymbols<4>("e0 e1 e2 e3");
  const auto u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const ReferenceFrame N = mechanics.frame("N"), B = mechanics.frame("B");
  B.orient_quaternion(N, e);
  B.set_ang_vel(N, u[0] * B.x() + u[1] * B.y() + u[2] * B.z());
  const Point O = mechanics.point("O");
  O.set_vel(N, Vector());
  const auto kinematics = kinematic_equations_quaternion(mechanics, {u[0], u[1], u[2]}, e);
  const KanesMethod kane(N,
                         {.q_ind = {e.begin(), e.end()},
                          .u_ind = {u.begin(), u.end()},
                          .kd_eqs = {kinematics.begin(), kinematics.end()}},
                         {RigidBody{"B", O, B, 1, inertia(B, 1, 2, 3), O}}, {});
  const auto start = [&](double e0, double e1) {
    SymbolicSystem system(kane);
    system.set_initial({{e[0], e0}, {e[1], e1}, {u[1], 3.0}});
    system.add_invariant(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - Expression(1));
    return system.calc_initial_state().q;
  };
  EXPECT_THAT(start(2, 0), testing::Pointwise(testing::DoubleNear(1e-15), {1.0, 0.0, 0.0, 0.0}));
  EXPECT_THAT(start(-3000, 4000), testing::Pointwise(testing::DoubleNear(1e-15), {-0.6, 0.8, 0.0, 0.0}));
  EXPECT_THAT(message_of([&] { (void)start(0, 0); }), testing::HasSubstr("invariant 1 stays at -1"));
}

// A blade that moves along its heading only. At right angles to the x axis its speed along x is zero, and
// nothing tells its speed along y from that: cos(pi/2), which is 6e-17 in numbers, is not a coefficient.
TEST(InitialValues, AreNotFoundFromRoundOff) {
  Mechanics mechanics;
  const auto q = mechanics.dynamicsymbols<3>("x y th"), u = mechanics.dynamicsymbols<3>("vx vy om");
  const ReferenceFrame N = mechanics.frame("N"), A = N.orientnew("A", q[2], N.z());
  A.set_ang_vel(N, u[2] * N.z());
  const Point O = mechanics.point("O"), P = O.locatenew("P", q[0] * N.x() + q[1] * N.y());
  O.set_vel(N, Vector());
  P.set_vel(N, u[0] * N.x() + u[1] * N.y());
  const KanesMethod kane(
      N,
      {.q_ind = {q[0], q[1], q[2]},
       .u_ind = {u[0], u[2]},
       .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1], mechanics.rate(q[2]) - u[2]},
       .u_dependent = {u[1]},
       .velocity_constraints = {u[0] * sin(q[2]) - u[1] * cos(q[2])}},
      {RigidBody{"blade", P, A, 1, inertia(A, 1, 1, 1), P}}, {});
  const auto start = [&](const Replacements& values) {
    SymbolicSystem system(kane);
    system.set_initial(values);
    return system.calc_initial_state().u;  // vx, om, vy
  };
  const double across = M_PI / 2;
  EXPECT_THAT(message_of([&] {
                (void)start({{q[2], across}, {u[0], 0.1}});
              }),
              testing::HasSubstr("contradict velocity constraint 1, which is 0.1"));
  EXPECT_THAT(message_of([&] {
                (void)start({{q[2], across}, {u[2], 1.0}});
              }),
              testing::HasSubstr("the velocity constraints determine 0 of vy"));
  EXPECT_NEAR(start({{q[2], across}, {u[1], 2.0}}).at(2), 2.0, 1e-15);  // given
  EXPECT_EQ(start({{q[2], across}}).at(2), 0.0);                        // at rest
  EXPECT_NEAR(start({{q[2], 1.5}, {u[0], 0.1}}).at(2), 0.1 * std::tan(1.5), 1e-14);
}

// A pendulum by two Cartesian coordinates that begins level with its pivot, where x, called independent,
// turns back. It reaches the lowest point with sqrt(2 g l).
TEST(InitialValues, MayBeATurningPointThatIsGivenExactly) {
  test::StringPendulum pendulum;
  const KanesMethod kane = pendulum.by_kane();
  SymbolicSystem system(kane);
  system.set({{pendulum.m, 1.5}, {pendulum.g, 9.81}, {pendulum.l, 2.0}});
  system.set_initial({{pendulum.x, 2.0}});
  EXPECT_THAT(message_of([&] { (void)system.calc_initial_state(); }),
              testing::HasSubstr("the configuration constraints determine 0 of y"));
  system.set_initial({{pendulum.y, 0.0}});
  SimulationOptions options{.duration = 5.0, .output_every = 0.1};
  options.step.rtol = options.step.atol = 1e-11;
  system.add_event({.name = "lowest", .function = pendulum.x, .is_terminal = true});
  const ResultTable table = system.simulate(options);
  EXPECT_NEAR(table.column("vx").back(), -std::sqrt(2 * 9.81 * 2.0), 1e-8);
  EXPECT_NEAR(table.column("y").back(), -2.0, 1e-14);
}

}  // namespace
}  // namespace sestina::symbolic
