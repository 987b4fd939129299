// Events against closed forms: a ball, a pendulum between bounces, a latch, a switch like a Geneva drive. All
// instants within 1e-12 of the closed form.
//
// Why that can be reached: an event is located on the rule's own solution to 16 spacings of the time, 4e-15 s
// at t = 1 s. What remains is the error of the integration. With the fifth-order rule and steps of 1e-3 s,
// h^5 is 1e-15, so that rounding governs: some 1e-16 in each step, which do not grow in these systems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "analytic/oscillators.h"
#include "sestina/integrate/rule_list.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;
constexpr double kLocated = 1e-12;  // s, or in the unit of what is set
constexpr double kGravity = 9.81;

class EventClosedForm : public EachSolver {};

void set_finest(System& system, double duration) {
  set_fixed_step(system, "dormand_prince_54", 1e-3, duration);
  system.output.every = 0.1;
}

// The rows just after events of one number; the row before each of them is that just before.
std::vector<std::size_t> rows_of(const RunResult& run, int event) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    if (run.at(i, "event") == event) rows.push_back(i);
  }
  return rows;
}

std::vector<double> times_of(const RunResult& run, int event) {
  std::vector<double> times;
  for (const std::size_t row : rows_of(run, event)) times.push_back(run.at(row, "t"));
  return times;
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size()) << testing::PrintToString(found);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], kLocated) << i;
}

// ---- a bouncing ball --------------------------------------------------------------------------------

System& add_ball(System& system, double height, double restitution) {
  system.gravity = {0, 0, -kGravity};
  system.set_parameter("e", restitution);
  system.set_parameter("radius", 0.1);
  system.add_particle("ball", 2.0);
  auto& joint = system.add_joint("flight", "prismatic", "ground.origin", "ball.origin");
  joint.axis = {0, 0, 1};
  joint.q = {height + 0.1};
  system.set_variable("bounces", 0);
  EventSpec& floor = system.add_event("floor", "flight.q - radius", "falling");
  floor.set = {{"flight.u", "-e*flight.u"}, {"bounces", "bounces + 1"}};
  return system;
}

// Bounce n at T + 2 T (e + e^2 + ... + e^(n-1)), with the speed e^(n-1) g T before it.
TEST_P(EventClosedForm, BallBouncesAtTheSumsOfAGeometricSeries) {
  const double e = 0.8, height = 1.0, T = std::sqrt(2.0 * height / kGravity);
  System system = make_system("ball");
  add_ball(system, height, e);
  system.add_event("enough", "bounces - 9.5").terminal = true;
  set_finest(system, 100.0);
  const RunResult run = run_system(system);
  std::vector<double> times;
  double t = T, factor = 1.0;
  for (int n = 1; n <= 10; ++n) {
    times.push_back(t);
    t += 2.0 * T * (factor *= e);
  }
  expect_times(times_of(run, 1), times);
  const auto rows = rows_of(run, 1);
  for (std::size_t n = 0; n < 10; ++n) {
    const double speed = std::pow(e, static_cast<double>(n)) * kGravity * T;
    EXPECT_EQ(run.at(rows[n] - 1, "t"), run.at(rows[n], "t"));
    EXPECT_EQ(run.at(rows[n] - 1, "event"), 0.0);
    EXPECT_NEAR(run.at(rows[n] - 1, "flight.q"), 0.1, kLocated);
    EXPECT_NEAR(run.at(rows[n] - 1, "flight.u"), -speed, kLocated * kGravity);
    EXPECT_NEAR(run.at(rows[n], "flight.u"), e * speed, kLocated * kGravity);
    EXPECT_EQ(run.at(rows[n] - 1, "bounces"), static_cast<double>(n));
    EXPECT_EQ(run.at(rows[n], "bounces"), static_cast<double>(n + 1));
  }
  // The bounces dissipate 1 - e^20 of the energy of the fall.
  EXPECT_NEAR(run.end("energy.dissipated"), 2.0 * kGravity * height * (1.0 - std::pow(e, 20.0)), 1e-11);
  EXPECT_LT(run.report.energy_drift, 1e-11);

  EXPECT_EQ(run.report.status, RunStatus::kComplete);
  EXPECT_EQ(run.report.ended_by, "enough");
  EXPECT_EQ(run.report.event_counts, (std::vector<long>{10, 1}));
  EXPECT_NEAR(run.report.t, times.back(), kLocated);
  EXPECT_EQ(run.end("event"), 2.0);
}

// The bounces add up to an instant that no event passes.
TEST_P(EventClosedForm, BallThatBouncesEverLowerEndsTheRunAndIsNamed) {
  const double e = 0.8, T = std::sqrt(2.0 / kGravity);
  System system = make_system("ball");
  add_ball(system, 1.0, e);
  set_finest(system, 10.0);
  const RunResult run = run_anyhow(system);
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("event floor takes place over and over"));
  EXPECT_NEAR(run.report.t, T + 2.0 * T * e / (1.0 - e), 1e-7);  // flights below 1e-8 s are lost in rounding
  EXPECT_NEAR(run.end("flight.q"), 0.1, 1e-9);
}

// Within the tolerance the ball is at rest before; it does not fall on through the floor.
TEST(EventsOfAFallingBall, BounceEverLowerWithEveryRuleOfVariableStep) {
  const double e = 0.5, T = std::sqrt(2.0 / kGravity);
  for (const std::string& rule : names_of_rules_with_error_estimate()) {
    for (const double tolerance : {1e-5, 1e-8, 1e-12}) {
      System system;
      add_ball(system, 1.0, e);
      system.analysis.integrator.name = rule;
      system.analysis.step.rtol = system.analysis.step.atol = tolerance;
      system.analysis.duration = 10.0;
      const RunResult run = run_anyhow(system);
      EXPECT_EQ(run.report.status, RunStatus::kFailed) << rule << ' ' << tolerance;
      EXPECT_THAT(run.report.failure, HasSubstr("event floor takes place over and over")) << rule;
      EXPECT_NEAR(run.report.t, T + 2.0 * T * e / (1.0 - e), 20.0 * std::sqrt(tolerance)) << rule;
      EXPECT_NEAR(run.end("flight.q"), 0.1, 1e3 * tolerance) << rule << ' ' << tolerance;
    }
  }
}

TEST_P(EventClosedForm, EventThatGivesEnergyWithoutBoundIsNamed) {
  System system = make_system("ball");
  add_ball(system, 1.0, 0.8);
  system.event("floor").set = {{"flight.u", "1e160"}};
  set_finest(system, 1.0);
  const RunResult run = run_anyhow(system);
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("the energy after event floor is not finite"));
  EXPECT_TRUE(std::isfinite(run.end("energy.total")));
}

// sqrt(flight.q) is not a number below the floor, which a step of the length of the fall reaches.
TEST_P(EventClosedForm, BallIsStoppedWhereItsEventIsNoNumberSoonAfter) {
  for (const char* rule :
       {"rk4", "dormand_prince_54", "velocity_verlet", "lobatto_iiia_iiib", "cvode_adams"}) {
    System system = make_system("ball");
    system.gravity = {0, 0, -kGravity};
    system.add_particle("ball", 2.0);
    auto& joint = system.add_joint("flight", "prismatic", "ground.origin", "ball.origin");
    joint.axis = {0, 0, 1};
    joint.q = {1.0};
    system.add_event("stop", "sqrt(flight.q) - 0.1", "falling").terminal = true;
    set_fixed_step(system, rule, 0.4, 2.0);
    const RunResult run = run_system(system);
    EXPECT_EQ(run.report.ended_by, "stop") << rule;
    // CVODE is as accurate as its tolerances; the others are exact for a parabola.
    EXPECT_NEAR(run.report.t, std::sqrt(2.0 * (1.0 - 0.01) / kGravity),
                std::string(rule) == "cvode_adams" ? 1e-5 : 1e-14);
    system.event("stop").when = "sqrt(flight.q) + 0.1";
    const RunResult beyond = run_anyhow(system);
    EXPECT_EQ(beyond.report.status, RunStatus::kFailed);
    EXPECT_THAT(beyond.report.failure, HasSubstr("square root of a negative number in sqrt(flight.q)"));
    EXPECT_NEAR(beyond.end("t"), std::sqrt(2.0 / kGravity), 1e-5);
  }
}

// An event that lays the ball down: where it is slow, its weight is carried from then on.
TEST_P(EventClosedForm, BallThatIsLaidDownRests) {
  System system = make_system("ball");
  add_ball(system, 1.0, 0.5);
  system.set_variable("rests", 0);
  system.event("floor").set = {{"flight.u", "if(abs(flight.u) < 0.01, 0, -e*flight.u)"},
                               {"rests", "if(abs(flight.u) < 0.01, 1, 0)"}};
  auto& ground = system.add_force("ground_force", "joint_force");
  ground.joint = "flight";
  ground.value = {"if(rests > 0.5, 2*9.81, 0)"};
  set_finest(system, 3.0);
  const RunResult run = run_system(system);
  EXPECT_EQ(run.end("rests"), 1.0);
  EXPECT_NEAR(run.end("flight.q"), 0.1, kLocated);
  EXPECT_EQ(run.end("flight.u"), 0.0);
  // 4.43 m/s halved until it is below 0.01: the tenth bounce.
  EXPECT_EQ(run.report.event_counts, std::vector<long>{10});
  EXPECT_LT(run.report.energy_drift, 1e-11);
}

// ---- a pendulum that bounces off a wall --------------------------------------------------------------

// Released at rest at theta0; the wall at the bottom returns it with e of its speed. k = sin(theta0 / 2);
// after n bounces the modulus is e^n k, and the next bounce half a period later:
//   t_n = (K(k) + 2 K(e k) + ... + 2 K(e^(n-1) k)) / omega0, with the rate 2 e^(n-1) k omega0 before it.
TEST_P(EventClosedForm, PendulumBouncesAfterHalfPeriodsOfItsShrinkingAmplitudes) {
  const double m = 1.7, l = 0.6, J = 0.25, theta0 = 2.0, e = 0.7;
  System system = make_system("pendulum");
  system.gravity = {0, -kGravity, 0};
  auto& rod = system.add_body("rod", m);
  rod.center_of_mass = {0, -l, 0};
  rod.inertia = {.xx = J, .yy = 0, .zz = J};
  auto& hinge = system.add_joint("hinge", "revolute", "ground.origin", "rod.origin");
  hinge.axis = {0, 0, 1};
  hinge.q = {theta0};
  system.add_event("wall", "hinge.q", "falling").set = {{"hinge.u", "-0.7*hinge.u"}};
  // The turning points, where nothing is set. The start is one: the rate is zero and falls.
  system.add_event("turn", "hinge.u", "falling");
  set_finest(system, 4.0);
  const RunResult run = run_system(system);

  const double omega0 = std::sqrt(m * kGravity * l / (m * l * l + J));
  const double k = std::sin(0.5 * theta0);
  std::vector<double> bounces, turns = {0.0}, rates;
  double t = analytic::complete_elliptic_integral(k * k) / omega0;
  for (double modulus = k; t < 4.0;) {
    bounces.push_back(t);
    rates.push_back(2.0 * modulus * omega0);
    modulus *= e;
    const double quarter = analytic::complete_elliptic_integral(modulus * modulus) / omega0;
    if (t + quarter < 4.0) turns.push_back(t + quarter);
    t += 2.0 * quarter;
  }
  ASSERT_GE(bounces.size(), 4u);
  expect_times(times_of(run, 1), bounces);
  expect_times(times_of(run, 2), turns);
  const auto rows = rows_of(run, 1), turning = rows_of(run, 2);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    EXPECT_NEAR(run.at(rows[n] - 1, "hinge.u"), -rates[n], 10.0 * kLocated);
    EXPECT_NEAR(run.at(rows[n], "hinge.u"), e * rates[n], 10.0 * kLocated);
  }
  for (std::size_t n = 0; n < turning.size(); ++n) {
    const double amplitude = 2.0 * std::asin(k * std::pow(e, static_cast<double>(n)));
    EXPECT_NEAR(run.at(turning[n], "hinge.q"), amplitude, kLocated);
  }
}

// A wall that is not at the bottom: the first bounce is where the free pendulum is at its angle.
TEST_P(EventClosedForm, PendulumMeetsAWallAnywhereOnItsWay) {
  for (const double wall : {1.2, 0.3, -0.5, -1.4}) {
    System system = make_system("pendulum");
    system.gravity = {0, -kGravity, 0};
    system.add_particle("bob", 1.0);
    system.bodies[0].add_point("hook", {0, 1, 0});
    auto& hinge = system.add_joint("hinge", "revolute", "ground.origin", "bob.hook");
    hinge.axis = {0, 0, 1};
    hinge.q = {1.5};
    system.set_parameter("wall", wall);
    system.add_event("hit", "hinge.q - wall", "falling").terminal = true;
    set_finest(system, 10.0);
    const RunResult run = run_system(system);
    const analytic::Pendulum pendulum{std::sqrt(kGravity), 1.5};
    EXPECT_EQ(run.report.ended_by, "hit");
    EXPECT_NEAR(pendulum.angle(run.report.t), wall, kLocated * std::abs(pendulum.rate(run.report.t)));
    EXPECT_GT(run.report.t, 0.1);
  }
}

// ---- a latch ----------------------------------------------------------------------------------------

// A carriage pushed by F passes a latch at x1, which holds it by a spring and gives way at the force R; it
// stops at x2.
//   free:  x = F t^2 / 2m;  t1 = sqrt(2 m x1 / F),  v1 = F t1 / m
//   held:  x - x1 = c (1 - cos wt) + v1/w sin wt,  c = F / k,  w^2 = k / m
//          k (x - x1) = R where  A sin(wt - phi) = R / k - c,  A = hypot(c, v1 / w),  tan phi = c w / v1
//   free:  from there with its speed, to x2
TEST_P(EventClosedForm, LatchCatchesAndGivesWay) {
  const double m = 3.0, F = 5.0, k = 200.0, x1 = 0.4, x2 = 2.0, R = 20.0;
  System system = make_system("latch");
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, double>>{{"F", F}, {"k", k}, {"x1", x1}, {"x2", x2}, {"R", R}}) {
    system.set_parameter(name, value);
  }
  system.add_particle("carriage", m);
  auto& rail = system.add_joint("rail", "prismatic", "ground.origin", "carriage.origin");
  rail.axis = {1, 0, 0};
  system.set_variable("held", 0);
  auto& push = system.add_force("push", "joint_force");
  push.joint = "rail";
  push.value = {"F - held*k*(rail.q - x1)"};
  system.add_event("caught", "rail.q - x1", "rising").set = {{"held", 1}};
  system.add_event("gave_way", "held*k*(rail.q - x1) - R", "rising").set = {{"held", 0}};
  system.add_event("stop", "rail.q - x2", "rising").terminal = true;
  set_finest(system, 10.0);
  const RunResult run = run_system(system);

  const double t1 = std::sqrt(2.0 * m * x1 / F), v1 = F * t1 / m;
  const double w = std::sqrt(k / m), c = F / k, b = v1 / w;
  const double A = std::hypot(c, b), phi = std::atan2(c, b);
  const double s = (phi + std::asin((R / k - c) / A)) / w;
  const double v2 = c * w * std::sin(w * s) + v1 * std::cos(w * s), distance = x2 - x1 - R / k;
  const double rest = (std::sqrt(v2 * v2 + 2.0 * F / m * distance) - v2) * m / F;
  expect_times(times_of(run, 1), {t1});
  expect_times(times_of(run, 2), {t1 + s});
  expect_times(times_of(run, 3), {t1 + s + rest});
  EXPECT_EQ(run.report.ended_by, "stop");
  EXPECT_EQ(run.at(rows_of(run, 1)[0], "held"), 1.0);
  EXPECT_EQ(run.at(rows_of(run, 2)[0] - 1, "held"), 1.0);
  EXPECT_EQ(run.end("held"), 0.0);
  EXPECT_NEAR(run.at(rows_of(run, 2)[0], "rail.u"), v2, kLocated);
  EXPECT_LT(run.report.energy_drift, 1e-11);
}

// A latch that is strong enough keeps the carriage.
TEST_P(EventClosedForm, StrongLatchHolds) {
  const double m = 3.0, F = 5.0, k = 200.0, x1 = 0.4;
  System system = make_system("latch");
  system.add_particle("carriage", m);
  auto& rail = system.add_joint("rail", "prismatic", "ground.origin", "carriage.origin");
  rail.axis = {1, 0, 0};
  system.set_variable("held", 0);
  auto& push = system.add_force("push", "joint_force");
  push.joint = "rail";
  push.value = {"5 - held*200*(rail.q - 0.4)"};
  system.add_event("caught", "rail.q - 0.4", "rising").set = {{"held", 1}};
  system.add_event("gave_way", "held*200*(rail.q - 0.4) - 36", "rising").set = {{"held", 0}};
  set_finest(system, 10.0);
  const RunResult run = run_system(system);
  const double t1 = std::sqrt(2.0 * m * x1 / F), v1 = F * t1 / m, w = std::sqrt(k / m);
  EXPECT_LT(F + k * std::hypot(F / k, v1 / w), 36.0);
  // It passes x1 upwards once in each of its periods; each time the latch already holds it.
  const double end = w * (10.0 - t1);
  EXPECT_NEAR(run.end("rail.q"), x1 + F / k * (1.0 - std::cos(end)) + v1 / w * std::sin(end), 1e-11);
  EXPECT_EQ(run.report.event_counts[1], 0);
}

// ---- a switch like a Geneva drive --------------------------------------------------------------------

// A crank under a constant torque has the angle alpha t^2 / 2. Within pi/4 of pi, in each turn, its pin takes
// the wheel along at the same rate, a quarter turn; otherwise the wheel is locked.
TEST_P(EventClosedForm, GenevaSwitchTurnsAQuarterInEachTurnOfItsCrank) {
  const double alpha = 3.0, pi = std::numbers::pi;
  System system = make_system("Geneva switch");
  system.set_parameter("alpha", alpha);
  system.set_parameter("J", 0.02);
  for (const char* name : {"crank", "wheel"}) {
    system.add_body(std::string(name) + "_disc", 1.0).inertia = {.xx = 0.01, .yy = 0.01, .zz = "J"};
    auto& joint = system.add_joint(name, "revolute", "ground.origin", std::string(name) + "_disc.origin");
    joint.axis = {0, 0, 1};
  }
  system.set_variable("engaged", 0);
  system.set_variable("quarters", 0);
  auto& drive = system.add_force("drive", "joint_force");
  drive.joint = "crank";
  drive.value = {"J*alpha"};
  auto& pin = system.add_force("pin", "joint_force");
  pin.joint = "wheel";
  pin.value = {"engaged*J*alpha"};
  system.add_event("enter", "-cos(crank.q) - cos(pi/4)", "rising").set = {{"engaged", 1},
                                                                          {"wheel.u", "crank.u"}};
  system.add_event("leave", "-cos(crank.q) - cos(pi/4)", "falling").set = {
      {"engaged", 0}, {"wheel.u", 0}, {"quarters", "quarters + 1"}};
  system.add_event("round", "quarters - 4", "rising").terminal = true;
  set_finest(system, 20.0);
  const RunResult run = run_system(system);

  std::vector<double> enters, leaves;
  for (double turn = 0.0; turn < 4.0; turn += 1.0) {
    enters.push_back(std::sqrt(2.0 * (2.0 * turn + 0.75) * pi / alpha));
    leaves.push_back(std::sqrt(2.0 * (2.0 * turn + 1.25) * pi / alpha));
  }
  expect_times(times_of(run, 1), enters);
  expect_times(times_of(run, 2), leaves);
  EXPECT_EQ(run.report.ended_by, "round");
  EXPECT_EQ(run.end("quarters"), 4.0);
  EXPECT_NEAR(run.end("wheel.q"), 2.0 * pi, 10.0 * kLocated);
  const auto left = rows_of(run, 2);
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_NEAR(run.at(left[i], "wheel.q"), 0.5 * pi * static_cast<double>(i + 1), 10.0 * kLocated);
    EXPECT_EQ(run.at(left[i], "wheel.u"), 0.0);
  }
  EXPECT_LT(run.report.energy_drift, 1e-11);
}

SESTINA_FOR_EACH_SOLVER(EventClosedForm);

}  // namespace
}  // namespace sestina::test
