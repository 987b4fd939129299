#include "sestina/integrate/step_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "integrate/test_rules.h"
#include "integrate/test_systems.h"
#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/step_options.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;
using testing_support::message_of;

std::unique_ptr<StepDriver> make_fixed(double dt) { return make_step_driver({.driver = "fixed", .dt = dt}); }
std::unique_ptr<StepDriver> make_variable(double rtol, double atol) {
  return make_step_driver({.driver = "variable", .rtol = rtol, .atol = atol});
}

// Rule and driver, wherever they fit.
class Run : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::unique_ptr<IntegrationRule> rule_ = make_rule(std::get<0>(GetParam()));
  std::unique_ptr<StepDriver> driver_ = make_step_driver(options());

  static StepOptions options() {
    return {.driver = std::get<1>(GetParam()), .dt = 0.03, .rtol = 1e-5, .atol = 1e-7};
  }
  static constexpr double kEnd = 2.0;
};

TEST_P(Run, StateAtAnInstantDoesNotDependOnTheOtherInstantsAskedFor) {
  FreeRigidBody body;
  driver_->start(*rule_, body, FreeRigidBody::start(), kEnd);
  std::vector<State<double>> dense;
  for (int k = 0; k <= 200; ++k) dense.push_back(driver_->advance_to(0.01 * k));
  const StepStatistics statistics = driver_->statistics();

  driver_->start(*rule_, body, FreeRigidBody::start(), kEnd);
  for (const int k : {37, 38, 160, 199, 200}) {
    const State<double>& state = driver_->advance_to(0.01 * k);
    const auto& expected = dense[static_cast<std::size_t>(k)];
    EXPECT_EQ(state.t, 0.01 * k);
    EXPECT_EQ(state.q, expected.q) << k;
    EXPECT_EQ(state.u, expected.u) << k;
  }
  EXPECT_EQ(driver_->statistics().steps, statistics.steps);
  EXPECT_EQ(driver_->statistics().smallest_step, statistics.smallest_step);
}

TEST_P(Run, IsAsAccurateBetweenStepsAsAtTheirEnds) {
  FreeRigidBody body;
  driver_->start(*rule_, body, FreeRigidBody::start(), kEnd);
  double at_ends = 0.0;
  while (!driver_->done()) at_ends = std::max(at_ends, FreeRigidBody::calc_error(driver_->step()));
  driver_->start(*rule_, body, FreeRigidBody::start(), kEnd);
  double between = 0.0;
  for (int k = 1; k <= 200; ++k)
    between = std::max(between, FreeRigidBody::calc_error(driver_->advance_to(0.01 * k)));
  EXPECT_GT(at_ends, 0.0);
  // Dense output of order four adds a local error of its own, about the tolerance of a step.
  EXPECT_LT(between, 1.1 * at_ends + options().rtol);
}

TEST_P(Run, ResumesBitForBitFromACheckpoint) {
  FreeRigidBody body;
  driver_->start(*rule_, body, FreeRigidBody::start(), kEnd);
  driver_->advance_to(0.905);
  const StepCheckpoint checkpoint = driver_->checkpoint();
  EXPECT_LE(checkpoint.state.t, 0.905);  // so that the resumed run can tell what comes next
  const State<double> between = driver_->advance_to(1.234);
  driver_->advance_to(kEnd);

  auto rule = make_rule(std::get<0>(GetParam()));
  auto driver = make_step_driver(options());
  driver->resume(*rule, body, checkpoint, kEnd);
  const State<double> between_resumed = driver->advance_to(1.234);
  driver->advance_to(kEnd);
  EXPECT_EQ(between_resumed.q, between.q);
  EXPECT_EQ(between_resumed.u, between.u);
  EXPECT_EQ(driver->state().q, driver_->state().q);
  EXPECT_EQ(driver->state().u, driver_->state().u);
  EXPECT_EQ(driver->statistics().steps, driver_->statistics().steps);
  EXPECT_EQ(driver->statistics().smallest_step, driver_->statistics().smallest_step);
}

TEST_P(Run, RepeatsItselfBitForBit) {
  FreeRigidBody body;
  driver_->start(*rule_, body, FreeRigidBody::start(), kEnd);
  const State<double> first = driver_->advance_to(kEnd);
  driver_->start(*rule_, body, FreeRigidBody::start(), kEnd);
  EXPECT_EQ(driver_->advance_to(kEnd).q, first.q);
}

TEST_P(Run, EndsAtExactlyTheEnd) {
  FreeRigidBody body;
  driver_->start(*rule_, body, FreeRigidBody::start(), kEnd);
  double t = 0.0;
  while (!driver_->done()) {
    EXPECT_GT(driver_->step().t, t);
    t = driver_->state().t;
  }
  EXPECT_EQ(t, kEnd);
  EXPECT_GT(driver_->statistics().steps, 3);
}

TEST_P(Run, OfNoDurationIsItsInitialState) {
  FreeRigidBody body;
  driver_->start(*rule_, body, FreeRigidBody::start(), 0.0);
  EXPECT_TRUE(driver_->done());
  EXPECT_EQ(driver_->advance_to(0.0).q, FreeRigidBody::start().q);
  EXPECT_EQ(driver_->statistics().steps, 0);
}

std::vector<std::tuple<std::string, std::string>> make_pairs() {
  std::vector<std::tuple<std::string, std::string>> pairs;
  for (const std::string& label : rule_labels()) pairs.emplace_back(label, "fixed");
  for (const std::string& name : names_of_rules_with_error_estimate()) {
    pairs.emplace_back(name == "radau_iia" ? "radau_iia_3" : name, "variable");
  }
  return pairs;
}
INSTANTIATE_TEST_SUITE_P(All, Run, testing::ValuesIn(make_pairs()), [](const auto& test) {
  return std::get<0>(test.param) + "_" + std::get<1>(test.param);
});

TEST(FixedStep, EndsStepsAtMultiplesOfItsLengthAndCutsTheLast) {
  PlainSystem oscillator = make_oscillator();
  auto rule = make_integration_rule("rk4");
  auto driver = make_fixed(0.1);
  driver->start(*rule, oscillator, {0.3, {1.0}, {0.0}, {}}, 1.35);
  for (int k = 1; k <= 10; ++k) EXPECT_EQ(driver->step().t, 0.3 + k * 0.1);
  EXPECT_EQ(driver->step().t, 1.35);
  EXPECT_TRUE(driver->done());
}

TEST(FixedStep, TakesNoStepForARestThatIsRounding) {
  PlainSystem oscillator = make_oscillator();
  auto rule = make_integration_rule("rk4");
  auto driver = make_fixed(0.3);  // 3 * 0.3 < 0.9 by a rounding
  for (const auto& [t_end, steps] : {std::pair(0.9, 3), std::pair(1.2, 4), std::pair(1.8, 6)}) {
    driver->start(*rule, oscillator, {0.0, {1.0}, {0.0}, {}}, t_end);
    driver->advance_to(t_end);
    EXPECT_EQ(driver->statistics().steps, steps);
    EXPECT_EQ(driver->state().t, t_end);
  }
}

TEST(FixedStep, SaysWhatToDoWhereTheHalfKickDoesNotConverge) {
  // u = 1 + 50 u^2 has no solution.
  PlainSystem system(1, 0, [](double, auto, auto u, auto udot, auto) { udot[0] = 1000.0 * u[0] * u[0]; });
  auto rule = make_integration_rule("velocity_verlet");
  auto driver = make_fixed(0.1);
  driver->start(*rule, system, {0.0, {0.0}, {1.0}, {}}, 1.0);
  try {
    driver->advance_to(1.0);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_STREQ(error.what(),
                 "t = 0 s: the equations of the step do not converge (worst in joint0.u) in a step of 0.1 s: "
                 "reduce step.dt");
  }
}

// A step whose estimate of order p + 1 meets the tolerance has a length of tol^(1/(p+1)); the error at the
// end goes with the order of the solution that is carried (Hairer, Norsett, Wanner I, section II.4): slope 1
// with local extrapolation, 4/5 for a fourth-order solution whose own error is controlled.
TEST(VariableStep, ErrorFollowsTheTolerance) {
  constexpr double kEccentricity = 0.6;
  constexpr double kEnd = 6.0;
  PlainSystem kepler = make_kepler();
  for (const std::string& name : names_of_rules_with_error_estimate()) {
    auto rule = make_integration_rule(name);
    if (rule->chooses_its_steps()) continue;  // cvode_test.cpp
    const auto calc_error = [&](double tolerance) {
      auto driver = make_variable(tolerance, tolerance);
      driver->start(*rule, kepler, exact_kepler(kEccentricity, 0.0), kEnd);
      return calc_distance(driver->advance_to(kEnd), exact_kepler(kEccentricity, kEnd));
    };
    const double coarse = calc_error(1e-6);
    const double fine = calc_error(1e-10);
    const double slope = static_cast<double>(rule->order()) / (rule->error_order() + 1);
    EXPECT_NEAR(std::log10(coarse / fine) / 4.0, slope, 0.15) << name;
    // Some hundred steps (a thousand of Adams), whose errors grow tenfold along the orbit.
    // Of order two, whose error goes with the tolerance to the power 2/3, some ten thousand.
    EXPECT_LT(fine, rule->order() == 2 ? 3e-5 : 3e-7) << name;
  }
}

TEST(VariableStep, RejectsAStepOverADiscontinuityAndStaysAccurate) {
  PlainSystem kicked(1, 0, [](double t, auto, auto, auto udot, auto) { udot[0] = t < 0.5 ? 0.0 : 100.0; });
  auto rule = make_integration_rule("dormand_prince_54");
  auto driver = make_variable(1e-8, 1e-10);
  driver->start(*rule, kicked, {0.0, {0.0}, {1.0}, {}}, 1.0);
  const State<double>& end = driver->advance_to(1.0);
  EXPECT_GT(driver->statistics().rejected, 3);
  // The few steps that see the jump err by the tolerance (1e-8 of u = 51) each.
  EXPECT_NEAR(end.u[0], 51.0, 5e-6);
  EXPECT_NEAR(end.q[0], 1.0 + 12.5, 5e-6);
}

TEST(VariableStep, NamesTheCoordinateWhereTheStepBecomesTooSmall) {
  // u = 1 / (1 - t)
  PlainSystem explosion(2, 0, [](double, auto, auto u, auto udot, auto) {
    udot[0] = 0.0;
    udot[1] = u[1] * u[1];
  });
  auto rule = make_integration_rule("dormand_prince_54");
  auto driver = make_variable(1e-8, 1e-10);
  driver->start(*rule, explosion, {0.0, {0.0, 0.0}, {1.0, 1.0}, {}}, 2.0);
  try {
    driver->advance_to(2.0);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_NEAR(error.time(), 1.0, 1e-6);  // u is integrated to 1e-8 per step
    EXPECT_THAT(error.what(), HasSubstr("the step fell to "));
    EXPECT_THAT(error.what(), HasSubstr("joint1.u"));
  }
  EXPECT_NEAR(driver->state().t, 1.0, 1e-6);  // what was computed is kept
}

TEST(VariableStep, SaysThatValuesAreNotFiniteWhereAShorterStepDoesNotHelp) {
  PlainSystem system(1, 0, [](double t, auto, auto, auto udot, auto) { udot[0] = std::sqrt(0.5 - t); });
  auto rule = make_integration_rule("rkf45");
  auto driver = make_variable(1e-6, 1e-8);
  driver->start(*rule, system, {0.0, {0.0}, {0.0}, {}}, 1.0);
  try {
    driver->advance_to(1.0);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_NEAR(error.time(), 0.5, 1e-12);  // the steps close in on it
    EXPECT_THAT(error.what(), HasSubstr("joint0.u does not stay finite"));
  }
}

TEST(VariableStep, ShortensAStepThatRunsIntoAccelerationsThatCannotBeCalculated) {
  // From t = 0.5 on a strong brake: the motion slows down, but the trial stages of the long steps of the
  // free motion before it shoot far beyond the speeds for which the brake is known.
  long failures = 0;
  PlainSystem braked(1, 0, [&](double t, auto, auto u, auto udot, auto) {
    if (std::abs(u[0]) > 2.0) {
      ++failures;
      throw ComputationError(t, "too fast for the brake");
    }
    udot[0] = t < 0.5 ? 0.0 : -1e3 * u[0];
  });
  auto rule = make_integration_rule("dormand_prince_54");
  auto driver = make_variable(1e-6, 1e-8);
  driver->start(*rule, braked, {0.0, {0.0}, {1.0}, {}}, 1.0);
  EXPECT_NEAR(driver->advance_to(1.0).q[0], 0.5 + 1e-3, 1e-5);  // some steps with the tolerance 1e-6
  EXPECT_GT(failures, 0);
}

TEST(VariableStep, GivesTheReasonWhereAccelerationsCannotBeCalculated) {
  PlainSystem spring(1, 0, [](double t, auto q, auto, auto udot, auto) {
    if (q[0] > 1.0) throw ComputationError(t, "the spring is torn");
    udot[0] = 0.0;
  });
  auto rule = make_integration_rule("dormand_prince_54");
  auto driver = make_variable(1e-8, 1e-10);
  driver->start(*rule, spring, {0.0, {0.5}, {1.0}, {}}, 1.0);
  try {
    driver->advance_to(1.0);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_NEAR(error.time(), 0.5, 1e-12);
    EXPECT_THAT(error.what(), HasSubstr("the spring is torn"));
  }
}

TEST(VariableStep, NeverExceedsTheLongestStepAllowed) {
  PlainSystem oscillator = make_oscillator();
  auto rule = make_integration_rule("dormand_prince_54");
  auto driver = make_step_driver({.rtol = 1e-3, .atol = 1e-3, .max_step = 0.1});
  driver->start(*rule, oscillator, {0.0, {1.0}, {0.0}, {}}, 3.001);
  driver->advance_to(3.001);
  EXPECT_LE(driver->statistics().largest_step, 0.1 * (1.0 + 1e-14));  // a difference of times is rounded
  EXPECT_GT(driver->statistics().largest_step, 0.099);
  // The last two steps share what is left; the last one is not the rest of 0.001.
  EXPECT_GT(driver->state().t - rule->previous().t, 0.04);
}

TEST(VariableStep, IsNotFollowedByALongerOneWhereItWasRejectedFirst) {
  // Before the jump every accepted step has no error, and the next one is proposed ten times as
  // long.
  PlainSystem kicked(1, 0, [](double t, auto, auto, auto udot, auto) { udot[0] = t < 0.5 ? 0.0 : 100.0; });
  auto rule = make_integration_rule("dormand_prince_54");
  auto driver = make_variable(1e-8, 1e-10);
  driver->start(*rule, kicked, {0.0, {0.0}, {1.0}, {}}, 1.0);
  int checked = 0;
  double h = 0.0;
  bool was_rejected = false;
  while (!driver->done()) {
    const long rejected = driver->statistics().rejected;
    const double t = driver->state().t;
    const double former = h;
    h = driver->step().t - t;
    if (was_rejected) {
      EXPECT_LE(h, former * (1.0 + 1e-12));  // a difference of times is rounded
      ++checked;
    }
    was_rejected = driver->statistics().rejected > rejected;
  }
  EXPECT_GT(checked, 2);
}

// Without its integral part the controller hunts: 59 steps of 3021 are rejected, with it 4.
TEST(VariableStep, IsSteadyWhereStabilityLimitsIt) {
  PlainSystem stiff(1, 0,
                    [](double t, auto, auto u, auto udot, auto) { udot[0] = -1e3 * (u[0] - std::cos(t)); });
  auto rule = make_integration_rule("dormand_prince_54");
  auto driver = make_variable(1e-3, 1e-3);
  driver->start(*rule, stiff, {0.0, {0.0}, {1.0}, {}}, 10.0);
  driver->advance_to(10.0);
  // The rule is stable up to h = 3.3e-3 s.
  EXPECT_GT(driver->statistics().steps, 2900);
  EXPECT_LT(driver->statistics().rejected, 15);
}

TEST(VariableStep, CountsEveryEvaluation) {
  PlainSystem kepler = make_kepler();
  auto rule = make_integration_rule("dormand_prince_54");
  auto driver = make_variable(1e-8, 1e-10);
  driver->start(*rule, kepler, exact_kepler(0.6, 0.0), 10.0);
  driver->advance_to(10.0);
  const StepStatistics& statistics = driver->statistics();
  EXPECT_GT(statistics.rejected, 0);
  EXPECT_EQ(statistics.evaluations, kepler.evaluations());
  // Two for the initial step, one to start the rule, six a step.
  EXPECT_EQ(statistics.evaluations, 3 + 6 * (statistics.steps + statistics.rejected));
  EXPECT_LT(statistics.smallest_step, 0.5 * statistics.largest_step);
}

TEST(VariableStep, QuadraturesLeaveTheStepsAsTheyAre) {
  const auto run = [](int nz) {
    PlainSystem system(1, nz, [](double t, auto q, auto, auto udot, auto zdot) {
      udot[0] = -q[0];
      if (!zdot.empty()) zdot[0] = 1e6 * std::sin(40.0 * t);
    });
    auto rule = make_integration_rule("dormand_prince_54");
    auto driver = make_variable(1e-8, 1e-10);
    const State<double> initial{
        .q = {1.0}, .u = {0.0}, .z = std::vector<double>(static_cast<std::size_t>(nz))};
    driver->start(*rule, system, initial, 5.0);
    driver->advance_to(5.0);
    return driver->statistics().steps;
  };
  EXPECT_EQ(run(0), run(1));
}

TEST(VariableStep, RefusesARuleWithoutErrorEstimateAndListsThoseThatHaveOne) {
  PlainSystem oscillator = make_oscillator();
  for (const char* name : {"velocity_verlet", "rk4", "forward_euler"}) {
    auto rule = make_integration_rule(name);
    EXPECT_EQ(message_of([&] {
                make_variable(1e-8, 1e-10)->start(*rule, oscillator, {0.0, {1.0}, {0.0}, {}}, 1.0);
              }),
              message_of([&] { make_variable(1e-8, 1e-10)->check(*rule, 0.0, 1.0); }));
    EXPECT_EQ(
        message_of([&] { make_variable(1e-8, 1e-10)->check(*rule, 0.0, 1.0); }),
        std::string("the rule ") + name +
            " does not estimate its error, which the variable step needs: take rkf45, "
            "dormand_prince_54, adams_bashforth_moulton, moreau, radau_iia, generalized_alpha, trapezoidal, "
            "cvode_bdf or cvode_adams, or a fixed step");
  }
}

TEST(StepOptions, ReportsAllThatIsWrong) {
  const std::string message = message_of([] {
    make_step_driver({.driver = "variable", .dt = -1.0, .rtol = -1e-3, .atol = 0.0, .max_step = NAN});
  });
  EXPECT_THAT(message, HasSubstr("step.rtol: -0.001 is not"));
  EXPECT_THAT(message, HasSubstr("step.atol: 0 is not"));
  EXPECT_THAT(message, HasSubstr("step.max_step: nan s is not"));
  EXPECT_THAT(message, testing::Not(HasSubstr("step.dt")));  // a key of the other driver
  EXPECT_EQ(message_of([] { make_fixed(0.0); }), "step.dt: 0 s is not a step: give a positive length");
  EXPECT_EQ(message_of([] { make_step_driver({.driver = "variabel"}); }),
            "step.driver: unknown step driver 'variabel' (did you mean 'variable'?)");
}

TEST(StepDriver, RefusesTimesThatDoNotFit) {
  PlainSystem oscillator = make_oscillator();
  auto rule = make_integration_rule("rk4");
  auto driver = make_fixed(0.1);
  const State<double> initial = {1.0, {1.0}, {0.0}};
  EXPECT_EQ(message_of([&] { driver->start(*rule, oscillator, initial, 0.5); }),
            "a run from 1 s cannot end at 0.5 s");
  EXPECT_THAT(message_of([&] { make_fixed(1e-15)->start(*rule, oscillator, initial, 2.0); }),
              HasSubstr("step.dt: 1e-15 s is too short"));
  driver->start(*rule, oscillator, initial, 2.0);
  driver->advance_to(1.55);
  EXPECT_NO_THROW(driver->advance_to(1.51));  // still within the last step
  EXPECT_THAT(message_of([&] { driver->advance_to(1.2); }), HasSubstr("the run is at 1.6 s"));
  EXPECT_THAT(message_of([&] { driver->advance_to(2.5); }), HasSubstr("ends at 2 s"));
}

TEST(StepDriver, DoesNotTellOfTheLastStepAfterAFailedAttemptHasOverwrittenIt) {
  PlainSystem system(1, 0, [](double t, auto, auto, auto udot, auto) { udot[0] = t > 0.25 ? NAN : 1.0; });
  auto rule = make_integration_rule("dormand_prince_54");
  auto driver = make_fixed(0.1);
  driver->start(*rule, system, {0.0, {0.0}, {0.0}, {}}, 1.0);
  EXPECT_THROW(driver->advance_to(1.0), ComputationError);
  EXPECT_EQ(driver->state().t, 0.2);
  EXPECT_THROW(driver->advance_to(0.15), InputError);
  EXPECT_EQ(driver->checkpoint().state.t, 0.1);
  EXPECT_EQ(driver->checkpoint().control.statistics.steps, 1);
}

}  // namespace
}  // namespace sestina::test
