#include "sestina/integrate/velocity_verlet.h"

#include <gtest/gtest.h>

#include <cmath>

#include "integrate/test_systems.h"
#include "sestina/integrate/rule_list.h"

namespace sestina::test {
namespace {

// The rule conserves u^2 + (1 - h^2/4) q^2 of the oscillator exactly (Hairer, Lubich, Wanner, example
// IX.8.1), so the energy swings by the part h^2/4 and never drifts.
TEST(VelocityVerlet, EnergyOfTheOscillatorStaysBoundedOverManySteps) {
  constexpr double kStep = 0.1;
  PlainSystem oscillator = make_oscillator();
  VelocityVerlet rule;
  rule.start(oscillator, {0.0, {1.0}, {0.0}, {}});
  double early = 0.0, late = 0.0;
  for (int k = 1; k <= 100000; ++k) {
    rule.try_step(kStep * k);
    rule.accept();
    const State<double>& s = rule.state();
    const double error = std::abs(s.q[0] * s.q[0] + s.u[0] * s.u[0] - 1.0);
    if (k <= 1000) early = std::max(early, error);
    if (k > 99000) late = std::max(late, error);
  }
  EXPECT_GT(early, 0.9 * kStep * kStep / 4.0);  // it does swing
  EXPECT_LT(early, 1.01 * kStep * kStep / 4.0);
  EXPECT_NEAR(late, early, 1e-2 * early);  // the maximum is met at other phases
}

// (1 + A)(1 - A)^-1 with A skew is a rotation: the speed stays to rounding, which an explicit kick would
// miss.
TEST(VelocityVerlet, KeepsTheSpeedOfAChargeInAMagneticField) {
  PlainSystem charge(2, 0, [](double, auto, auto u, auto udot, auto) {
    udot[0] = u[1];
    udot[1] = -u[0];
  });
  VelocityVerlet rule;
  const State<double> end = integrate(rule, charge, {0.0, {0.0, 0.0}, {1.0, 0.0}, {}}, 1000.0, 5000);
  EXPECT_NEAR(std::hypot(end.u[0], end.u[1]), 1.0, 1e-12);  // 5000 roundings, some of one sign
  EXPECT_LT(end.u[0], 0.9);                                 // it turned
}

TEST(VelocityVerlet, AStepBackUndoesAStep) {
  FreeRigidBody body;
  const auto go_and_return = [&](IntegrationRule& rule) {
    constexpr int kSteps = 200;
    const State<double> there = integrate(rule, body, FreeRigidBody::start(), 10.0, kSteps);
    EXPECT_GT(calc_distance(there, FreeRigidBody::start()), 0.1);
    return calc_distance(integrate(rule, body, there, 0.0, kSteps), FreeRigidBody::start());
  };
  VelocityVerlet rule;
  EXPECT_LT(go_and_return(rule), 1e-12);  // rounding of 400 steps
  EXPECT_GT(go_and_return(*make_integration_rule("rk4")), 1e-9);
}

TEST(VelocityVerlet, EvaluatesTwiceAStepWhereForcesDoNotDependOnSpeed) {
  PlainSystem oscillator = make_oscillator();
  VelocityVerlet rule;
  integrate(rule, oscillator, {0.0, {1.0}, {0.0}, {}}, 10.0, 100);
  EXPECT_EQ(oscillator.evaluations(), 1 + 2 * 100);
}

TEST(VelocityVerlet, ReportsAHalfKickThatHasNoSolution) {
  PlainSystem system(2, 0, [](double, auto, auto u, auto udot, auto) {
    udot[0] = 0.0;
    udot[1] = u[1] * u[1];
  });
  VelocityVerlet rule;
  rule.start(system, {0.0, {0.0, 0.0}, {1.0, 1.0}, {}});
  EXPECT_TRUE(rule.try_step(0.01).complete());
  const StepReport report = rule.try_step(2.0);  // u = 1 + u^2
  EXPECT_EQ(report.status, StepStatus::kNotConverged);
  EXPECT_EQ(describe(report, system), "the equations of the step do not converge (worst in joint1.u)");
}

}  // namespace
}  // namespace sestina::test
