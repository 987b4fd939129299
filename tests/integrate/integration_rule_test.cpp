// Properties of every integration rule.
#include "sestina/integrate/integration_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "integrate/test_rules.h"
#include "integrate/test_systems.h"
#include "sestina/base/error.h"
#include "sestina/integrate/rule_list.h"

namespace sestina::test {
namespace {

TEST(TestSystems, JacobiFunctionsInvertTheEllipticIntegral) {
  for (const double k : {0.1, 0.6, 0.95}) {
    for (const double phi : {0.2, 1.0, 1.5}) {
      const JacobiElliptic e = calc_jacobi_elliptic(std::ellint_1(k, phi), k);
      EXPECT_NEAR(e.sn, std::sin(phi), 1e-14);  // both sides are rounded a few times
      EXPECT_NEAR(e.cn, std::cos(phi), 1e-14);
    }
  }
}

class AnyRule : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<IntegrationRule> rule_ = make_rule(GetParam());
};

// Properties of rules whose error is determined by the length of the step.
class Rule : public AnyRule {
 protected:
  // Steps per unit of time at which the leading error term dominates and rounding does not show.
  int steps_per_second() const {
    static const std::map<int, int> kSteps = {{1, 2000}, {2, 100}, {3, 40}, {4, 20}, {5, 20}};
    // The error constants of a multistep rule are larger, and its coefficients look back four steps.
    const int factor = rule_->name() == "adams_bashforth_moulton" ? 4 : 1;
    return factor * kSteps.at(rule_->order());
  }
  // A quarter of an order tells neighbouring orders apart; the next term of the error takes a part of it.
  static constexpr double kOrderTolerance = 0.25;
};

TEST_P(AnyRule, IsFoundByItsName) { EXPECT_EQ(rule_->name(), labelled_rules().at(GetParam()).name); }

TEST_P(Rule, ConvergesWithItsOrderOnAKeplerOrbit) {
  constexpr double kEccentricity = 0.2;
  constexpr double kEnd = 4.0;
  PlainSystem kepler = make_kepler();
  const auto calc_error = [&](int steps) {
    return calc_distance(integrate(*rule_, kepler, exact_kepler(kEccentricity, 0.0), kEnd, steps),
                         exact_kepler(kEccentricity, kEnd));
  };
  const int steps = 4 * static_cast<int>(kEnd) * steps_per_second();
  EXPECT_NEAR(std::log2(calc_error(steps) / calc_error(2 * steps)), rule_->order(), kOrderTolerance);
}

TEST_P(Rule, ConvergesWithItsOrderWhereForcesDependOnSpeed) {
  constexpr double kEnd = 3.0;
  PlainSystem oscillator = make_damped_oscillator();
  const auto calc_error = [&](int steps) {
    return calc_distance(integrate(*rule_, oscillator, start_of_damped_oscillator(), kEnd, steps),
                         exact_damped_oscillator(kEnd));
  };
  const int steps = static_cast<int>(kEnd) * steps_per_second();
  EXPECT_NEAR(std::log2(calc_error(steps) / calc_error(2 * steps)), rule_->order(), kOrderTolerance);
}

TEST_P(Rule, ConvergesWithItsOrderOnAFreeRigidBody) {
  constexpr double kEnd = 5.0;
  FreeRigidBody body;
  const auto calc_error = [&](int steps) {
    return FreeRigidBody::calc_error(integrate(*rule_, body, FreeRigidBody::start(), kEnd, steps));
  };
  const int steps = static_cast<int>(kEnd) * steps_per_second();
  EXPECT_NEAR(std::log2(calc_error(steps) / calc_error(2 * steps)), rule_->order(), kOrderTolerance);
}

TEST_P(Rule, IntegratesQuadraturesWithItsOrder) {
  constexpr double kEnd = 3.0;
  PlainSystem oscillator = make_damped_oscillator();
  const int steps = static_cast<int>(kEnd) * steps_per_second();
  const std::vector<double> exact = exact_damped_oscillator(kEnd).z;
  // The larger of the two: the error of one alone changes its sign at some step.
  const auto calc_error = [&](int n) {
    const State<double> end = integrate(*rule_, oscillator, start_of_damped_oscillator(), kEnd, n);
    return std::max(std::abs(end.z[0] - exact[0]), std::abs(end.z[1] - exact[1]));
  };
  EXPECT_GT(exact[0], 0.1);
  EXPECT_GT(exact[1], 0.1);
  EXPECT_NEAR(std::log2(calc_error(steps) / calc_error(2 * steps)), rule_->order(), kOrderTolerance);
}

TEST_P(AnyRule, KeepsEulerParametersOfNormOne) {
  FreeRigidBody body;
  rule_->start(body, FreeRigidBody::start());
  State<double> between = rule_->state();
  const auto calc_norm = [](const State<double>& s) {
    return std::hypot(std::hypot(s.q[0], s.q[1]), std::hypot(s.q[2], s.q[3]));
  };
  double least = 1.0;
  for (int k = 1; k <= 50; ++k) {
    rule_->try_step(0.2 * k);  // long enough for every rule to leave the norm by far more than rounding
    rule_->accept();
    rule_->interpolate(0.2 * k - 0.07, between);
    EXPECT_NEAR(calc_norm(rule_->state()), 1.0, 4e-16);  // two roundings
    EXPECT_NEAR(calc_norm(between), 1.0, 4e-16);
    least = std::min(least, std::abs(rule_->state().q[0]));
  }
  EXPECT_LT(least, 0.9);  // it turned
}

TEST_P(Rule, ErrorEstimateShrinksWithItsOrder) {
  PlainSystem kepler = make_kepler();
  const auto calc_estimate = [&](double h) {
    rule_->start(kepler, exact_kepler(0.3, 0.4));
    EXPECT_TRUE(rule_->try_step(0.4 + h).complete());
    double largest = 0.0;
    for (const double error : rule_->error()) largest = std::max(largest, std::abs(error));
    return largest;
  };
  if (rule_->error_order() == 0) {
    EXPECT_EQ(calc_estimate(0.1), 0.0);
  } else {
    EXPECT_NEAR(std::log2(calc_estimate(0.04) / calc_estimate(0.02)), rule_->error_order() + 1,
                kOrderTolerance);
  }
}

// A step within the step has the local error of the rule; dense output of order four has h^5, the collocation
// polynomial of s stages h^(s + 1), and a cubic between the ends the error of these.
int order_of_interpolation(const IntegrationRule& rule) {
  if (!rule.has_dense_output()) return rule.order();
  if (rule.name() == "radau_iia") return rule.error_order();
  return rule.order() == 2 ? 2 : 4;
}

TEST_P(Rule, InterpolatesWithTheLocalErrorOfItsOrder) {
  PlainSystem kepler = make_kepler();
  const auto calc_error = [&](double h) {
    rule_->start(kepler, exact_kepler(0.3, 0.4));
    rule_->try_step(0.4 + h);
    rule_->accept();
    State<double> between = rule_->state();
    double largest = 0.0;
    for (const double theta : {0.2, 0.45, 0.7}) {
      EXPECT_TRUE(rule_->interpolate(0.4 + theta * h, between).complete());
      EXPECT_EQ(between.t, 0.4 + theta * h);
      largest = std::max(largest, calc_distance(between, exact_kepler(0.3, between.t)));
    }
    return largest;
  };
  EXPECT_NEAR(std::log2(calc_error(0.08) / calc_error(0.04)), order_of_interpolation(*rule_) + 1,
              kOrderTolerance);
}

TEST_P(AnyRule, InterpolatingLeavesTheTrajectoryAsItIs) {
  FreeRigidBody body;
  const auto run = [&](bool interpolating) {
    rule_->start(body, FreeRigidBody::start());
    State<double> between = rule_->state();
    for (int k = 1; k <= 20; ++k) {
      rule_->try_step(0.2 * k);  // rejected
      rule_->try_step(0.1 * k);
      rule_->accept();
      if (interpolating) {
        rule_->interpolate(0.1 * k - 0.03, between);
        rule_->interpolate(0.1 * k - 0.07, between);
      }
    }
    return rule_->state();
  };
  const State<double> with = run(true);
  const State<double> without = run(false);
  EXPECT_EQ(with.q, without.q);
  EXPECT_EQ(with.u, without.u);
}

TEST_P(AnyRule, GoesOnBitForBitFromAnEarlierStateAndItsMemory) {
  FreeRigidBody body;
  rule_->start(body, FreeRigidBody::start());
  for (int k = 1; k <= 3; ++k) {
    rule_->try_step(0.1 * k);
    rule_->accept();
  }
  auto other = make_rule(GetParam());
  other->start(body, rule_->previous(), rule_->previous_memory());
  other->try_step(rule_->state().t);
  other->accept();
  for (int k = 4; k <= 6; ++k) {
    for (IntegrationRule* rule : {rule_.get(), other.get()}) {
      rule->try_step(0.1 * k);
      rule->accept();
    }
  }
  EXPECT_EQ(other->state().q, rule_->state().q);
  EXPECT_EQ(other->state().u, rule_->state().u);
}

// So that a force need not be defined after the end of a run.
TEST_P(AnyRule, NeverEvaluatesBeyondTheEndOfTheStep) {
  double latest = 0.0;
  PlainSystem system(1, 0, [&](double t, auto, auto, auto udot, auto) {
    latest = std::max(latest, t);
    udot[0] = 0.0;
  });
  for (int k = 0; k < 1000; ++k) {  // t + (t_end - t) may be rounded to more than t_end where t < 0
    const double t_end = 0.1 * (1.0 + 1e-3 * k);
    latest = -1.0;
    rule_->start(system, {-1.0, {0.0}, {0.0}, {}});
    rule_->try_step(t_end);
    ASSERT_LE(latest, t_end);
  }
}

TEST_P(Rule, ReportsTheCoordinateThatIsNotFinite) {
  PlainSystem system(2, 0, [](double t, auto, auto, auto udot, auto) {
    udot[0] = 1.0;
    udot[1] = std::log(0.5 - t);
  });
  rule_->start(system, {0.0, {0.0, 0.0}, {0.0, 0.0}, {}});
  EXPECT_TRUE(rule_->try_step(0.25).complete());
  rule_->accept();
  rule_->try_step(0.75);
  rule_->accept();
  const StepReport report = rule_->try_step(1.25);  // every rule looks past t = 0.5 by now
  EXPECT_FALSE(report.complete());
  if (report.status == StepStatus::kNotConverged) return;  // an implicit rule searches in vain for its step
  EXPECT_EQ(report.status, StepStatus::kNotFinite);
  EXPECT_EQ(describe(report, system), "joint1.u does not stay finite");
}

TEST_P(Rule, ReportsOverflowOfTheCandidateItself) {
  PlainSystem system(1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = 1e300; });
  rule_->start(system, {0.0, {0.0}, {0.0}, {}});
  EXPECT_EQ(rule_->try_step(1e100).status, StepStatus::kNotFinite);
}

INSTANTIATE_TEST_SUITE_P(All, AnyRule, testing::ValuesIn(rule_labels()),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(All, Rule, testing::ValuesIn(labels_of_rules_of_given_step()),
                         [](const auto& test) { return test.param; });

TEST(DormandPrince, EvaluatesSixTimesAStepAndOnceMoreAtTheStart) {
  PlainSystem kepler = make_kepler();
  integrate(*make_integration_rule("dormand_prince_54"), kepler, exact_kepler(0.2, 0.0), 1.0, 10);
  EXPECT_EQ(kepler.evaluations(), 61);
}

TEST(DormandPrince, DenseOutputIsSmoothAcrossStepsAndNormalised) {
  FreeRigidBody body;
  auto rule = make_integration_rule("dormand_prince_54");
  rule->start(body, FreeRigidBody::start());
  constexpr double kStep = 0.5;  // s, so long that dense output that is merely continuous has a visible kink
  constexpr double kDelta = 1e-4;  // s; one-sided differences of second order err by 1e-8
  State<double> a = rule->state(), b = a;
  rule->try_step(kStep);
  rule->accept();
  const State<double> node = rule->state();
  rule->interpolate(kStep - kDelta, a);
  rule->interpolate(kStep - 2 * kDelta, b);
  std::vector<double> slope;
  for (std::size_t i = 0; i < 4; ++i) slope.push_back((3 * node.q[i] - 4 * a.q[i] + b.q[i]) / (2 * kDelta));
  rule->try_step(2 * kStep);
  rule->accept();
  rule->interpolate(kStep + kDelta, a);
  rule->interpolate(kStep + 2 * kDelta, b);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR((-3 * node.q[i] + 4 * a.q[i] - b.q[i]) / (2 * kDelta), slope[i], 1e-6);
  }
}

TEST(RuleList, SuggestsTheNearestNameForAnUnknownOne) {
  try {
    make_integration_rule("dormand_prince");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown integration rule 'dormand_prince' (did you mean 'dormand_prince_54'?)");
  }
}

TEST(RuleList, HasTheRulesOfTheModelFile) {
  const std::vector<std::string> names(integration_rule_names().begin(), integration_rule_names().end());
  EXPECT_EQ(names,
            (std::vector<std::string>{"forward_euler", "rk4", "rkf45", "dormand_prince_54",
                                      "adams_bashforth_moulton", "munthe_kaas_4", "verlet", "velocity_verlet",
                                      "lobatto_iiia_iiib", "moreau", "time_stepping", "radau_iia",
                                      "generalized_alpha", "trapezoidal", "cvode_bdf", "cvode_adams"}));
}

}  // namespace
}  // namespace sestina::test
