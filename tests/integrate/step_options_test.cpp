// Steps that land on the output's instants, and the controllers of the variable step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrate/test_rules.h"
#include "integrate/test_systems.h"
#include "sestina/base/error.h"
#include "sestina/integrate/step_options.h"

namespace sestina::test {
namespace {

// The ends of all steps.
std::vector<double> step_ends(IntegrationRule& rule, const StepOptions& options, double t_end,
                              double t_start = 0.0) {
  FreeRigidBody body;
  auto driver = make_step_driver(options);
  State<double> start = FreeRigidBody::start();
  start.t = t_start;
  driver->start(rule, body, start, t_end);
  std::vector<double> ends;
  while (!driver->done()) ends.push_back(driver->step().t);
  return ends;
}

class Landing : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<IntegrationRule> rule_ = make_rule(GetParam());
  std::vector<StepOptions> options() const {
    std::vector<StepOptions> list = {{.driver = "fixed", .dt = 0.03}, {.driver = "fixed", .dt = 7.0}};
    if (rule_->error_order() == 0) return list;
    for (const char* control : {"pi", "pid"}) {
      for (const double rtol : {1e-3, 1e-7}) {
        list.push_back({.driver = "variable", .rtol = rtol, .atol = rtol, .control = control});
      }
    }
    return list;
  }
};

// Each product k every, to the last bit, and no step that is a mere rest before it.
TEST_P(Landing, StepsEndAtEveryInstantOfTheOutput) {
  for (StepOptions option : options()) {
    for (const double every : {0.1, 0.07, 1.0 / 3.0}) {
      for (const double t_start : {0.0, 1.7}) {
        option.land_every = every;
        const std::vector<double> ends = step_ends(*rule_, option, t_start + 2.0, t_start);
        auto next = ends.begin();
        for (int k = 1; t_start + k * every < t_start + 2.0 - 1e-9; ++k) {
          next = std::find(next, ends.end(), t_start + k * every);
          ASSERT_NE(next, ends.end()) << option.driver << ", " << every << " * " << k;
        }
        EXPECT_EQ(ends.back(), t_start + 2.0);
        double shortest = 1.0, before = t_start;
        for (const double end : ends) shortest = std::min(shortest, end - before), before = end;
        if (option.driver == "fixed" && every == 0.1) {
          EXPECT_GT(shortest, 0.3 * std::min(option.dt, every));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Landing, testing::ValuesIn(rule_labels()),
                         [](const auto& test) { return test.param; });

TEST(FixedStepThatLands, DividesEachIntervalEqually) {
  auto rule = make_rule("rk4");
  const auto ends = step_ends(*rule, {.driver = "fixed", .dt = 0.04, .land_every = 0.1}, 0.25);
  const std::vector<double> expected = {0.1 / 3,       0.2 / 3, 0.1,           0.1 + 0.1 / 3,
                                        0.1 + 0.2 / 3, 0.2,     0.2 + 0.1 / 3, 0.25};
  ASSERT_EQ(ends.size(), expected.size());
  for (std::size_t i = 0; i < ends.size(); ++i) EXPECT_NEAR(ends[i], expected[i], 1e-16) << i;
  // A step that divides the interval stays as it is.
  EXPECT_EQ(step_ends(*rule, {.driver = "fixed", .dt = 0.1, .land_every = 0.3}, 3.0).size(), 30u);
}

// A short way to an instant does not make the steps after it short: where instants are rare, they cost at
// most two steps each.
TEST(VariableStepThatLands, DoesNotForgetItsLength) {
  auto rule = make_rule("dormand_prince_54");
  for (const char* control : {"pi", "pid"}) {
    StepOptions options{.driver = "variable", .rtol = 1e-9, .atol = 1e-9, .control = control};
    const std::size_t free = step_ends(*rule, options, 20.0).size();
    ASSERT_GT(free, 150u);
    options.land_every = 1.0;
    EXPECT_LT(step_ends(*rule, options, 20.0).size(), free + 40) << control;
  }
}

// ---- control --------------------------------------------------------------------------------------

struct Ride {
  StepStatistics statistics;
  double error = 0.0;      // at the end
  double roughness = 0.0;  // mean square of the second differences of log(step)
};

Ride ride_kepler(const StepOptions& options, double eccentricity) {
  auto rule = make_rule("dormand_prince_54");
  auto system = make_kepler();
  auto driver = make_step_driver(options);
  const double end = 40.0;
  driver->start(*rule, system, exact_kepler(eccentricity, 0.0), end);
  std::vector<double> logs;
  double before = 0.0;
  while (!driver->done()) {
    const double t = driver->step().t;
    logs.push_back(std::log(t - before));
    before = t;
  }
  Ride ride{driver->statistics(), 0.0, 0.0};
  const State<double> exact = exact_kepler(eccentricity, end);
  for (std::size_t i = 0; i < 2; ++i) {
    ride.error = std::max(ride.error, std::abs(driver->state().q[i] - exact.q[i]));
  }
  // The last steps share what is left.
  for (std::size_t i = 10; i + 4 < logs.size(); ++i) {
    const double bend = logs[i + 1] - 2.0 * logs[i] + logs[i - 1];
    ride.roughness += bend * bend / static_cast<double>(logs.size());
  }
  return ride;
}

StepOptions controlled(const char* control, double tolerance) {
  return {.driver = "variable", .rtol = tolerance, .atol = tolerance, .control = control};
}

// Errors as with the PI controller in 5 to 8 % more steps, whose lengths vary half as much.
TEST(PidControl, IsAsAccurateInAboutAsManyStepsAndVariesThemMoreSmoothly) {
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    for (const double eccentricity : {0.1, 0.5}) {
      const Ride pi = ride_kepler(controlled("pi", tolerance), eccentricity);
      const Ride pid = ride_kepler(controlled("pid", tolerance), eccentricity);
      EXPECT_LT(pid.error, 2.0 * pi.error);
      const auto tries = [](const Ride& ride) {
        return static_cast<double>(ride.statistics.steps + ride.statistics.rejected);
      };
      EXPECT_LT(tries(pid), 1.1 * tries(pi));
      EXPECT_LT(pid.roughness, 0.8 * pi.roughness);
    }
  }
}

TEST(PidControl, ErrorFollowsTheTolerance) {
  double before = ride_kepler(controlled("pid", 1e-4), 0.3).error;
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    const double error = ride_kepler(controlled("pid", tolerance), 0.3).error;
    EXPECT_LT(error, 0.05 * before) << tolerance;  // a hundredth, if the error were proportional
    before = error;
  }
}

TEST(PidControl, RemembersItsHistoryInCheckpoints) {
  auto rule = make_rule("dormand_prince_54");
  auto system = make_kepler();
  const StepOptions options = controlled("pid", 1e-8);
  auto whole = make_step_driver(options);
  whole->start(*rule, system, exact_kepler(0.5, 0.0), 20.0);
  for (int i = 0; i < 30; ++i) whole->step();
  const StepCheckpoint checkpoint = whole->checkpoint();
  EXPECT_GT(checkpoint.control.error_before, 0.0);
  while (!whole->done()) whole->step();
  const State<double> end = whole->state();
  auto resumed = make_step_driver(options);
  resumed->resume(*rule, system, checkpoint, 20.0);
  while (!resumed->done()) resumed->step();
  EXPECT_EQ(resumed->state().q, end.q);
  EXPECT_EQ(resumed->statistics().steps, whole->statistics().steps);
  // Without that memory, the steps are others.
  StepCheckpoint forgetful = checkpoint;
  forgetful.control.error_before = 0.0;
  resumed->resume(*rule, system, forgetful, 20.0);
  while (!resumed->done()) resumed->step();
  EXPECT_NE(resumed->state().q, end.q);
}

TEST(StepOptions, NamesTheControlThatIsUnknown) {
  try {
    make_step_driver({.driver = "variable", .control = "pdi"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("step.control: unknown control of the step 'pdi'"));
  }
}

}  // namespace
}  // namespace sestina::test
