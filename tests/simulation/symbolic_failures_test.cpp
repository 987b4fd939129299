// Failures that a run must detect: constraints that no longer hold, endless events, invalid states after
// events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sestina/base/error.h"
#include "simulation/systems.h"

namespace sestina::symbolic {
namespace {

SimulationOptions accurate(double duration, double every) {
  SimulationOptions options{.duration = duration, .output_every = every};
  options.step.rtol = options.step.atol = 1e-10;
  return options;
}

// Parallelogram of absolute angles: cranks of 1 m, coupler of 2 m, unit masses at its ends. While it stays
// one it is a pendulum of both cranks: 2 q'' = -2 g cos q.
class Parallelogram {
 public:
  Parallelogram() {
    const Expression x2 = cos(q[0]) + 2 * cos(q[1]), y2 = sin(q[0]) + 2 * sin(q[1]);
    const auto square = [&](const Expression& x) { return pow(mechanics.rate(x), 2); };
    const Expression T = (square(cos(q[0])) + square(sin(q[0])) + square(x2) + square(y2)) / 2;
    gap = {x2 - cos(q[2]) - 2, y2 - sin(q[2])};
    LagrangeOptions constraints;
    constraints.hol_coneqs = gap;
    lagrange.emplace(mechanics, T - g * (sin(q[0]) + y2), std::vector<Expression>{q[0], q[1], q[2]},
                     constraints);
  }
  SimulationReport run(double start, Recorder& recorder) {
    SymbolicSystem system(mechanics, *lagrange);
    system.set({{g, 9.81}});
    system.set_initial({{q[0], start}, {q[1], 0}, {q[2], start}});
    system.set_initial({{mechanics.rate(q[0]), 3}, {mechanics.rate(q[1]), 0}, {mechanics.rate(q[2]), 3}});
    return system.run(accurate(0.3, 0.01), recorder);
  }

  Mechanics mechanics;
  const std::array<Expression, 3> q = mechanics.dynamicsymbols<3>("q1 q2 q3");
  const Expression g = mechanics.symbol("g");
  std::vector<Expression> gap;
  std::optional<LagrangesMethod> lagrange;
};

// Stretched out flat one of its constraints depends on nothing: it must not be forgotten from there on.
TEST(SymbolicFailures, AConstraintThatFollowsFromOthersAtTheStartOnlyIsNotForgotten) {
  Parallelogram linkage;
  MemoryRecorder near, flat;
  const SimulationReport moves = linkage.run(1e-3, near);
  ASSERT_TRUE(moves.is_complete) << moves.failure;
  EXPECT_TRUE(moves.redundant.empty());
  const double q = near.table().column("q1").back(), rate = near.table().column("q1'").back();
  EXPECT_NEAR(rate * rate / 2 + 9.81 * std::sin(q), 4.5 + 9.81 * std::sin(1e-3), 1e-8);

  const SimulationReport stands = linkage.run(0.0, flat);
  EXPECT_FALSE(stands.is_complete);
  EXPECT_EQ(stands.redundant.size(), 1u);
  EXPECT_THAT(stands.failure, testing::HasSubstr("velocity constraint 1 stays at"));
  EXPECT_THAT(stands.failure, testing::HasSubstr("let it begin near that position"));
  EXPECT_LT(stands.configuration_residual, 1e-7);
}

// A pendulum in Cartesian coordinates that an event moves 50 lengths away is brought back to its circle along
// the line to the pivot, as the nearest point of it is.
TEST(SymbolicFailures, AnEventThatLeadsFarAwayIsBroughtBack) {
  test::StringPendulum pendulum;
  const LagrangesMethod lagrange = pendulum.by_lagrange();
  SymbolicSystem system(pendulum.mechanics, lagrange);
  system.set({{pendulum.m, 1.0}, {pendulum.g, 9.81}, {pendulum.l, 1.0}});
  system.set_initial({{pendulum.x, 0.6}, {pendulum.mechanics.rate(pendulum.x), 0}});
  system.set_guess({{pendulum.y, -1.0}});
  system.add_event(
      {.name = "throw", .function = pendulum.mechanics.time() - 0.25, .set = {{pendulum.x, 50}}});
  MemoryRecorder recorder;
  const SimulationReport report = system.run(accurate(0.5, 0.05), recorder);
  ASSERT_TRUE(report.is_complete) << report.failure;
  EXPECT_LT(report.configuration_residual, 1e-15);
  const std::vector<double> event = recorder.table().column("event"), x = recorder.table().column("x"),
                            y = recorder.table().column("y");
  for (std::size_t i = 0; i < event.size(); ++i) {
    if (event[i] == 0.0) continue;
    EXPECT_NEAR(y[i] / x[i], y[i - 1] / 50.0, 1e-12);
    EXPECT_NEAR(std::hypot(x[i], y[i]), 1.0, 1e-15);
  }

  // From the pivot no direction is nearer than another.
  SymbolicSystem other(pendulum.mechanics, lagrange);
  other.set({{pendulum.m, 1.0}, {pendulum.g, 9.81}, {pendulum.l, 1.0}});
  other.set_initial({{pendulum.x, 0.6}, {pendulum.mechanics.rate(pendulum.x), 0}});
  other.set_guess({{pendulum.y, -1.0}});
  other.add_event({.name = "throw",
                   .function = pendulum.mechanics.time() - 0.25,
                   .set = {{pendulum.x, 0}, {pendulum.y, 0}}});
  const SimulationReport failed = other.run(accurate(0.5, 0.05), recorder);
  EXPECT_FALSE(failed.is_complete);
  EXPECT_THAT(failed.failure, testing::StartsWith("t = 0.25 s: "));
}

// A relativistic particle, whose mass depends on its speed: p' = -k with p = m v / sqrt(1 - v^2/c^2).
TEST(SymbolicFailures, AMassThatDependsOnSpeedsIsThatOfTheNewSpeed) {
  Mechanics mechanics;
  const Expression x = mechanics.dynamicsymbol("x"), v = mechanics.rate(x);
  const LagrangesMethod lagrange(mechanics, -sqrt(1 - v * v) - x, {x});
  SymbolicSystem system(mechanics, lagrange);
  system.set_initial({{x, 0}, {v, 0.99}});
  system.add_event(
      {.name = "brake", .function = x - 0.2, .direction = CrossingDirection::kRising, .set = {{v, 0.1}}});
  system.add_output("acceleration", mechanics.rate(v));
  system.add_output("closed form", -pow(1 - v * v, Expression(3) / 2));
  system.add_output("momentum", v / sqrt(1 - v * v));
  const ResultTable table = system.simulate(accurate(0.6, 0.01));
  const std::vector<double> t = table.column("t"), event = table.column("event");
  const std::vector<double> found = table.column("acceleration"), expected = table.column("closed form");
  double since = 0.0, braked = 0.0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-12) << t[i];
    if (event[i] != 0.0) since = t[i], braked += 1.0;
  }
  EXPECT_EQ(braked, 1.0);
  EXPECT_NEAR(table.column("momentum").back(), 0.1 / std::sqrt(0.99) - (0.6 - since), 1e-9);
}

// The failure of a run of a bead on the parabola y = x^2 + lift sin t. Its velocity constraint has `factor`
// instead of 1; with 0 there is none.
std::string failure_of_bead(double speed, int factor, double lift) {
  Mechanics mechanics;
  const auto [x, y, u, v] = mechanics.dynamicsymbols<4>("x y u v");
  const Expression height = x * x + lift * sin(mechanics.time());
  KaneOptions kinematics{.q_ind = {x},
                         .u_ind = {u},
                         .kd_eqs = {mechanics.rate(x) - u, mechanics.rate(y) - v},
                         .q_dependent = {y},
                         .configuration_constraints = {y - height}};
  if (factor == 0) {
    kinematics.u_ind = {u, v};
  } else {
    kinematics.u_dependent = {v};
    kinematics.velocity_constraints = {v - factor * mechanics.rate(height)};
  }
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O"), P = O.locatenew("P", x * N.x() + y * N.y());
  O.set_vel(N, Vector());
  P.set_vel(N, u * N.x() + v * N.y());
  SymbolicSystem system(
      KanesMethod(N, kinematics, {Particle{"P", P, 1}}, {Force{P, Expression(-9.81) * N.y()}}));
  system.set_initial({{x, 0.5}, {u, speed}});
  MemoryRecorder recorder;
  try {
    return system.run(accurate(1.0, 0.1), recorder).failure;
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(SymbolicFailures, VelocityConstraintsThatContradictAConfigurationConstraintAreNamed) {
  const std::string text =
      "configuration constraint 1 does not last: for speeds that satisfy the velocity constraints its rate "
      "is ";
  EXPECT_THAT(failure_of_bead(1, -1, 0), testing::HasSubstr(text + "-2, allowed are 3e-10"));
  EXPECT_THAT(failure_of_bead(1, 2, 0.5), testing::HasSubstr(text));
  // At rest, where no constraint changes yet: along (1, -1) of x and y.
  EXPECT_THAT(failure_of_bead(0, -1, 0), testing::HasSubstr(text + "1.41421, allowed are 2.41e-08"));
  // With no velocity constraint the weight moves it off the parabola, which a step tells.
  EXPECT_THAT(failure_of_bead(0, 0, 0), testing::StartsWith("t = "));
  EXPECT_THAT(failure_of_bead(0, 0, 0), testing::HasSubstr(text));
}

TEST(SymbolicFailures, VelocityConstraintsThatAgreeWithAConfigurationConstraintAreNot) {
  EXPECT_EQ(failure_of_bead(1, 1, 0), "");
  EXPECT_EQ(failure_of_bead(0, 1, 0), "");
  EXPECT_EQ(failure_of_bead(1, 1, 0.5), "");
  EXPECT_EQ(failure_of_bead(0, 1, 0.5), "");
}

// Dry friction that changes its sign at rest: ever shorter steps.
TEST(SymbolicFailures, ARunThatMeetsItsLimitKeepsWhatItHas) {
  Mechanics mechanics;
  const auto [x, v] = mechanics.dynamicsymbols<2>("x v");
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O"), P = O.locatenew("P", x * N.x());
  P.set_vel(N, v * N.x());
  const KanesMethod kane(N, {.q_ind = {x}, .u_ind = {v}, .kd_eqs = {mechanics.rate(x) - v}},
                         {Particle{"P", P, 1}}, {Force{P, if_less(0, v, -10, 10) * N.x()}});
  SymbolicSystem system(kane);
  system.set_initial({{v, 0.1}});
  try {
    (void)system.simulate(accurate(1.0, 1e-9));
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("are 1000000001, which take 24 GB; allowed are 10000000 (max_rows)"));
  }
  for (const RunLimits limits : {RunLimits{.steps = 500}, RunLimits{.wall_time = 0.05}}) {
    SimulationOptions limited = accurate(1e4, 1e3);
    limited.limits = limits;
    MemoryRecorder recorder;
    const SimulationReport report = system.run(limited, recorder);
    EXPECT_FALSE(report.is_complete || report.is_interrupted);
    EXPECT_THAT(report.failure, testing::HasSubstr(limits.steps > 0 ? "its limit of 500 steps; max_steps"
                                                                    : "its limit of 0.05 s of wall time"));
    EXPECT_NEAR(report.t, 0.01, 1e-3);
    EXPECT_EQ(recorder.table().rows(), 2u);
    EXPECT_EQ(recorder.table().column("t").back(), report.t);
  }
}

// A ball that keeps half of its speed comes to rest after 3 sqrt(2 h/g): no run gets past that.
TEST(SymbolicFailures, EventsWithoutEndAreAnError) {
  Mechanics mechanics;
  const auto [y, v] = mechanics.dynamicsymbols<2>("y v");
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O"), P = O.locatenew("P", y * N.y());
  P.set_vel(N, v * N.y());
  const KanesMethod kane(N, {.q_ind = {y}, .u_ind = {v}, .kd_eqs = {mechanics.rate(y) - v}},
                         {Particle{"P", P, 1}}, {Force{P, Expression(-10) * N.y()}});
  SymbolicSystem system(kane);
  system.set_initial({{y, 5.0}});
  system.add_event(
      {.name = "floor", .function = y, .direction = CrossingDirection::kFalling, .set = {{v, -v / 2}}});
  MemoryRecorder recorder;
  const SimulationReport report = system.run(accurate(4.0, 0.1), recorder);
  EXPECT_FALSE(report.is_complete);
  EXPECT_NEAR(report.t, 3.0, 1e-6);
  EXPECT_THAT(report.failure, testing::HasSubstr("event floor takes place over and over: 1001 times in"));
  EXPECT_THAT(report.failure, testing::EndsWith(" s: " + report.reason));
  try {
    (void)system.simulate(accurate(4.0, 0.1));
    ADD_FAILURE();
  } catch (const ComputationError& error) {
    EXPECT_EQ(error.reason(), report.reason);
  }
  EXPECT_THROW(system.add_event({.name = "floor", .function = v}), InputError);
}

}  // namespace
}  // namespace sestina::symbolic
