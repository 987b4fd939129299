// Properties of every integration rule on linked bodies, where the mass matrix varies with the position
// and accelerations depend on speeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "integrate/articulated_systems.h"
#include "integrate/test_rules.h"
#include "integrate/test_systems.h"
#include "sestina/base/error.h"
#include "sestina/integrate/step_options.h"

namespace sestina::test {
namespace {

struct Case {
  System (*make_system)();
  int speed;  // number of steps relative to the pendulum
};

// Two angles; an orientation and two angles; a place, two orientations and a length; friction and motors.
constexpr Case kCases[] = {{hinged_rods, 1}, {top_with_rod, 8}, {free_bodies, 1}, {driven_top, 8}};

const std::vector<std::string>& labels_of_reversible_rules() {
  static const std::vector<std::string> labels = {"verlet",
                                                  "velocity_verlet",
                                                  "lobatto_iiia_iiib_2_velocity",
                                                  "lobatto_iiia_iiib_3_velocity",
                                                  "lobatto_iiia_iiib_2_momentum",
                                                  "lobatto_iiia_iiib_3_momentum"};
  return labels;
}
bool is_reversible(const std::string& label) {
  return std::ranges::count(labels_of_reversible_rules(), label) > 0;
}

// s, long enough for the motion to be large.
constexpr double kEnd = 0.5;

class RuleOnLinkedBodies : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<IntegrationRule> rule_ = make_rule(GetParam());
};

TEST_P(RuleOnLinkedBodies, ConvergesWithItsOrder) {
  // Steps at which the leading term of the error dominates and rounding does not show.
  static const std::map<int, int> kSteps = {{1, 2000}, {2, 200}, {3, 100}, {4, 50}, {5, 40}};
  // One looks back four steps; the other's error is so small that it reaches rounding in as many steps.
  const double factor = rule_->name() == "adams_bashforth_moulton" ? 4.0
                        : GetParam() == "radau_iia_3"              ? 0.25
                                                                   : 1.0;
  // The error of a symmetric rule has even powers of h alone, so that the next term is hardly seen. The
  // others pass through steps at which two terms cancel; more than half an order tells neighbouring orders
  // apart.
  const double tolerance = is_reversible(GetParam()) ? 0.01 : 0.6;
  for (const auto& [make_system, speed] : kCases) {
    const int steps = static_cast<int>(factor * speed * kSteps.at(rule_->order()));
    ArticulatedSystem bodies(make_system());
    const auto at_end = [&](IntegrationRule& rule, int n) {
      return integrate(rule, bodies.equations, bodies.start(), kEnd, n);
    };
    const State<double> exact = at_end(*make_integration_rule("dormand_prince_54"), 8000);
    const double coarse = calc_distance(at_end(*rule_, steps), exact);
    const double fine = calc_distance(at_end(*rule_, 4 * steps), exact);
    EXPECT_GT(calc_distance(exact, bodies.start()), 0.1);
    EXPECT_NEAR(0.5 * std::log2(coarse / fine), rule_->order(), tolerance) << coarse << ' ' << fine;
    EXPECT_GT(fine, 1e-12);  // far above rounding
  }
}

INSTANTIATE_TEST_SUITE_P(All, RuleOnLinkedBodies, testing::ValuesIn(labels_of_rules_of_given_step()),
                         [](const auto& test) { return test.param; });

class ReversibleRule : public testing::TestWithParam<std::string> {
 protected:
  // The state from which a step leads to `there`, less the one to which a step back leads from there; the
  // largest of `steps` along the motion, relative to the largest speed.
  double calc_defect(IntegrationRule& rule, ArticulatedSystem& bodies, int steps) {
    constexpr double kStep = 0.01;
    State<double> from = bodies.start();
    double defect = 0.0, fastest = 0.0;
    for (int k = 0; k < steps; ++k) {
      for (const double u : from.u) fastest = std::max(fastest, std::abs(u));
      rule.start(bodies.equations, from);
      EXPECT_TRUE(rule.try_step(from.t + kStep).complete());
      const State<double> there = rule.candidate();
      rule.start(bodies.equations, there);
      EXPECT_TRUE(rule.try_step(from.t).complete());
      defect = std::max(defect, calc_distance(rule.candidate(), from));
      from = there;
    }
    return defect / fastest;
  }
  std::unique_ptr<IntegrationRule> rule_ = make_rule(GetParam());
};

TEST_P(ReversibleRule, AStepBackUndoesAStepToRounding) {
  for (const auto& [make_system, speed] : kCases) {
    ArticulatedSystem bodies(make_system());
    // The stages are known to some roundings, which a mass matrix of condition 50 magnifies.
    EXPECT_LT(calc_defect(*rule_, bodies, 200), 2e-14);
    EXPECT_GT(calc_defect(*make_integration_rule("rk4"), bodies, 200), 1e-10);
  }
}

// A thousand steps there and as many back. The pendulum's motion is regular; on a chaotic one the rounding of
// the first steps would grow with the motion itself.
TEST_P(ReversibleRule, TheWayBackLeadsToTheStart) {
  ArticulatedSystem bodies(hinged_rods());
  const State<double> start = bodies.start();
  const State<double> there = integrate(*rule_, bodies.equations, start, 10.0, 1000);
  EXPECT_GT(calc_distance(there, start), 0.1);
  const State<double> back = integrate(*rule_, bodies.equations, there, 0.0, 1000);
  EXPECT_LT(calc_distance(back, start), 1e-12);  // 2000 roundings of 1e-15, which add up by chance
}

TEST_P(ReversibleRule, SaysWhenItsImplicitEquationsAreNotSolved) {
  // u = 1 + (h/2) u^2 has no solution for h > 1/2.
  PlainSystem system(2, 0, [](double, auto, auto u, auto udot, auto) {
    udot[0] = 0.0;
    udot[1] = u[1] * u[1];
  });
  const State<double> start = {0.0, {0.0, 0.0}, {1.0, 1.0}};
  rule_->start(system, start);
  EXPECT_TRUE(rule_->try_step(0.01).complete());
  EXPECT_FALSE(rule_->try_step(2.0).complete());

  auto driver = make_step_driver({.driver = "fixed", .dt = 2.0});
  driver->start(*rule_, system, start, 4.0);
  try {
    driver->advance_to(4.0);
    FAIL();
  } catch (const ComputationError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind("t = 0 s: ", 0), 0u) << message;
    EXPECT_NE(message.find("joint1.u"), std::string::npos) << message;
    EXPECT_NE(message.find("in a step of 2 s: reduce step.dt"), std::string::npos) << message;
  }
}

// Speeds leave the range of numbers within a few iterations.
TEST_P(ReversibleRule, TakesAnIterationThatLeavesTheNumbersForOneThatDiverges) {
  PlainSystem system(1, 0, [](double, auto, auto u, auto udot, auto) { udot[0] = u[0] * u[0] * u[0]; });
  rule_->start(system, {0.0, {0.0}, {1.0}, {}});
  const StepReport report = rule_->try_step(1e30);
  EXPECT_EQ(report.status, StepStatus::kNotConverged);
}

INSTANTIATE_TEST_SUITE_P(All, ReversibleRule, testing::ValuesIn(labels_of_reversible_rules()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace sestina::test
