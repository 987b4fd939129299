// The rules of CVODE: accuracy, cost on stiff systems, and resuming bit for bit.
#include "sestina/integrate/cvode_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "integrate/test_systems.h"
#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/step_options.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;
using testing_support::message_of;

StepOptions variable(double rtol, double atol) { return {.driver = "variable", .rtol = rtol, .atol = atol}; }
StepOptions fixed(double dt, double tolerance) {
  return {.driver = "fixed", .dt = dt, .rtol = tolerance, .atol = tolerance};
}

struct End {
  State<double> state;
  StepStatistics statistics;
};
End run(const std::string& name, const StepOptions& options, EquationsOfMotion& equations,
        const State<double>& initial, double t_end) {
  auto rule = make_integration_rule(name);
  auto driver = make_step_driver(options);
  driver->start(*rule, equations, initial, t_end);
  while (!driver->done()) driver->step();
  return {driver->state(), driver->statistics()};
}

// A row of unit masses joined by stiff dampers, the first one tied to a spring and driven: the differences
// of the speeds decay at up to 4e6 /s, while the row as a whole swings with a period of seconds.
PlainSystem make_stiff_row() {
  constexpr int kMasses = 5;
  constexpr double kStiffDamping = 1e6;  // N s/m
  return {kMasses, 1, [](double t, auto q, auto u, auto udot, auto zdot) {
            for (std::size_t i = 0; i < kMasses; ++i) udot[i] = 0.0;
            udot[0] = -5.0 * q[0] + std::sin(t);
            zdot[0] = u[0] * std::sin(t);
            for (std::size_t i = 0; i + 1 < kMasses; ++i) {
              const double force = kStiffDamping * (u[i + 1] - u[i]);
              udot[i] += force;
              udot[i + 1] -= force;
            }
          }};
}
State<double> start_of_stiff_row() {
  return {.q = {1.0, 1.0, 1.0, 1.0, 1.0}, .u = {0.0, 0.1, 0.0, -0.1, 0.0}, .z = {0.0}};
}

class Cvode : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Cvode, testing::Values("cvode_bdf", "cvode_adams"),
                         [](const auto& test) { return test.param; });

TEST_P(Cvode, ErrorFollowsTheTolerance) {
  constexpr double kEccentricity = 0.3, kEnd = 6.0;
  PlainSystem kepler = make_kepler();
  for (const bool is_variable : {true, false}) {
    const auto calc_error = [&](double tolerance) {
      const StepOptions options = is_variable ? variable(tolerance, tolerance) : fixed(0.1, tolerance);
      const End end = run(GetParam(), options, kepler, exact_kepler(kEccentricity, 0.0), kEnd);
      return calc_distance(end.state, exact_kepler(kEccentricity, kEnd));
    };
    const double coarse = calc_error(1e-5), fine = calc_error(1e-9);
    // Some hundred steps, whose errors grow along the orbit; with the order that fits a tolerance, the error
    // is proportional to it, more or less.
    EXPECT_NEAR(std::log10(coarse / fine) / 4.0, 1.0, 0.45) << coarse << " and " << fine;
    EXPECT_LT(fine, 2e-6);
  }
}

TEST_P(Cvode, IsAsExactBetweenItsStepsAsAtTheirEnds) {
  FreeRigidBody body;
  for (const StepOptions& options : {variable(1e-8, 1e-8), fixed(0.5, 1e-8)}) {
    auto rule = make_integration_rule(GetParam());
    auto driver = make_step_driver(options);
    driver->start(*rule, body, FreeRigidBody::start(), 10.0);
    double between = 0.0, at_ends = 0.0;
    for (int k = 1; k <= 1000; ++k) {
      between = std::max(between, FreeRigidBody::calc_error(driver->advance_to(0.01 * k)));
      at_ends = std::max(at_ends, FreeRigidBody::calc_error(driver->state()));
    }
    EXPECT_GT(at_ends, 1e-9);
    EXPECT_LT(between, 1.2 * at_ends) << options.driver;
  }
}

TEST_P(Cvode, IntegratesQuadraturesAsExactlyAsItsTolerance) {
  PlainSystem oscillator = make_damped_oscillator();
  const End end = run(GetParam(), variable(1e-8, 1e-8), oscillator, start_of_damped_oscillator(), 3.0);
  const std::vector<double> exact = exact_damped_oscillator(3.0).z;
  EXPECT_GT(exact[0], 0.1);
  // A hundred steps, each of an error of 1e-8 at most in the coordinates.
  EXPECT_NEAR(end.state.z[0], exact[0], 1e-6);
  EXPECT_NEAR(end.state.z[1], exact[1], 1e-6);
}

// The tolerance is one on the largest error: additional systems at rest do not let it grow.
TEST_P(Cvode, FollowsAFastJointInALargeSystemAsWellAsAlone) {
  const auto calc_error = [&](int n) {
    PlainSystem system(n, 0, [](double, auto q, auto, auto udot, auto) {
      std::ranges::fill(udot, 0.0);
      udot[0] = -q[0];
    });
    State<double> initial{0.0,
                          std::vector<double>(static_cast<std::size_t>(n)),
                          std::vector<double>(static_cast<std::size_t>(n)),
                          {}};
    initial.q[0] = 1.0;
    const End end = run(GetParam(), variable(1e-6, 1e-6), system, initial, 10.0);
    return std::hypot(end.state.q[0] - std::cos(10.0), end.state.u[0] + std::sin(10.0));
  };
  EXPECT_GT(calc_error(1), 1e-7);
  EXPECT_NEAR(calc_error(200), calc_error(1),
              0.2 * calc_error(1));  // Newton's matrix is not the same to rounding
}

TEST_P(Cvode, QuadraturesLeaveTheStepsAsTheyAre) {
  const auto count = [&](int nz) {
    PlainSystem system(1, nz, [](double t, auto q, auto, auto udot, auto zdot) {
      udot[0] = -q[0];
      if (!zdot.empty()) zdot[0] = 1e6 * std::sin(40.0 * t);
    });
    const State<double> initial{
        .q = {1.0}, .u = {0.0}, .z = std::vector<double>(static_cast<std::size_t>(nz))};
    return run(GetParam(), variable(1e-8, 1e-10), system, initial, 5.0).statistics;
  };
  // The increments of BDF's differences grow with the number of unknowns.
  EXPECT_NEAR(static_cast<double>(count(0).steps), static_cast<double>(count(1).steps), 2.0);
}

TEST_P(Cvode, CountsEvaluationsAndRejections) {
  PlainSystem kicked(1, 0, [](double t, auto, auto, auto udot, auto) { udot[0] = t < 0.5 ? 0.0 : 100.0; });
  const End end = run(GetParam(), variable(1e-8, 1e-10), kicked, {0.0, {0.0}, {1.0}, {}}, 1.0);
  EXPECT_GT(end.statistics.rejected, 3);
  EXPECT_EQ(end.statistics.evaluations, kicked.evaluations());
  EXPECT_NEAR(end.state.u[0], 51.0, 5e-6);  // the few steps that see the jump err by 1e-8 of it each
}

TEST_P(Cvode, NeverExceedsTheLongestStepAllowed) {
  PlainSystem oscillator = make_oscillator();
  StepOptions options = variable(1e-3, 1e-3);
  options.max_step = 0.1;
  const End end = run(GetParam(), options, oscillator, {0.0, {1.0}, {0.0}, {}}, 3.0);
  EXPECT_LE(end.statistics.largest_step, 0.1 * (1.0 + 1e-12));  // a difference of times is rounded
  EXPECT_GT(end.statistics.largest_step, 0.099);
}

// qdot is at right angles to q, so that the norm strays by no more than a step errs.
TEST_P(Cvode, NormOfEulerParametersStaysWithinTheTolerance) {
  FreeRigidBody body;
  CvodeSolver solver(GetParam() == "cvode_bdf" ? CvodeMethod::kBdf : CvodeMethod::kAdams, body);
  const State<double> start = FreeRigidBody::start();
  std::vector<double> y = start.q;
  y.insert(y.end(), start.u.begin(), start.u.end());
  solver.start(body, {1e-8, 1e-8}, 0.0, y, {}, {});
  double largest = 0.0;
  for (int k = 0; k < CvodeRule::kStepsFromAStart; ++k) {
    solver.step(1e3);
    const std::span<const double> e = solver.values();
    largest = std::max(largest, std::abs(std::hypot(std::hypot(e[0], e[1]), std::hypot(e[2], e[3])) - 1.0));
  }
  EXPECT_GT(largest, 1e-9);
  EXPECT_LT(largest, 1e-6);  // of 500 steps
  RecordProperty("deviation", std::to_string(1e9 * largest) + "e-9");
}

TEST_P(Cvode, ContinuesAfterAStepBackwards) {
  PlainSystem oscillator = make_oscillator();
  auto rule = make_integration_rule(GetParam());
  rule->set_tolerances({1e-9, 1e-9});
  rule->start(oscillator, {0.0, {1.0}, {0.0}, {}});
  for (const double t : {1.0, 2.0, 0.5, -1.0, 3.0}) {
    ASSERT_TRUE(rule->try_step(t).complete());
    rule->accept();
    EXPECT_NEAR(rule->state().q[0], std::cos(t), 1e-6);
    const double between = 0.5 * (rule->previous().t + t);
    State<double> state = rule->state();
    rule->interpolate(between, state);
    EXPECT_NEAR(state.q[0], std::cos(between), 1e-6);
  }
}

// ---- resuming

// At every step of a run: the continuation does not depend on the stop.
TEST_P(Cvode, ResumesBitForBitFromEveryStep) {
  FreeRigidBody body;
  for (const StepOptions& options : {variable(1e-4, 1e-4), fixed(0.2, 1e-6)}) {
    const double end = options.driver == "fixed" ? 40.0 : 150.0;
    auto rule = make_integration_rule(GetParam());
    auto driver = make_step_driver(options);
    driver->start(*rule, body, FreeRigidBody::start(), end);
    std::vector<StepCheckpoint> checkpoints;
    std::vector<State<double>> states;
    bool has_started_anew = false;
    while (!driver->done()) {
      states.push_back(driver->step());
      checkpoints.push_back(driver->checkpoint());
      has_started_anew |= checkpoints.back().rule_memory[1] > 0.0;
    }
    EXPECT_TRUE(has_started_anew);
    for (std::size_t k = 0; k < checkpoints.size(); k += k < 20 ? 1 : 7) {
      auto other_rule = make_integration_rule(GetParam());
      auto other = make_step_driver(options);
      other->resume(*other_rule, body, checkpoints[k], end);
      for (std::size_t i = k; i < std::min(k + 30, states.size()); ++i) {
        other->step();
        ASSERT_EQ(other->state().t, states[i].t) << options.driver << " " << k;
        ASSERT_EQ(other->state().q, states[i].q) << options.driver << " " << k;
        ASSERT_EQ(other->state().u, states[i].u) << options.driver << " " << k;
      }
      if (k != 0) continue;
      while (!other->done()) other->step();
      EXPECT_EQ(other->state().q, driver->state().q);
      EXPECT_EQ(other->statistics().evaluations, driver->statistics().evaluations);
      EXPECT_EQ(other->statistics().rejected, driver->statistics().rejected);
    }
  }
}

// As an event does that changes the speeds.
TEST_P(Cvode, StartsAnewFromAnotherStateAndResumesThere) {
  FreeRigidBody body;
  auto rule = make_integration_rule(GetParam());
  const auto go = [&](IntegrationRule& r, double t) {
    EXPECT_TRUE(r.try_step(t).complete());
    r.accept();
  };
  rule->set_tolerances({1e-7, 1e-7});
  rule->start(body, FreeRigidBody::start());
  for (int k = 1; k <= 5; ++k) go(*rule, 0.1 * k);
  State<double> other_state = rule->state();
  other_state.u[1] += 1.0;
  rule->start(body, other_state);
  for (int k = 6; k <= 9; ++k) go(*rule, 0.1 * k);

  auto fresh = make_integration_rule(GetParam());
  fresh->set_tolerances({1e-7, 1e-7});
  fresh->start(body, other_state);
  for (int k = 6; k <= 9; ++k) go(*fresh, 0.1 * k);
  EXPECT_EQ(fresh->state().q, rule->state().q);  // nothing is left of the time before

  auto resumed = make_integration_rule(GetParam());
  resumed->set_tolerances({1e-7, 1e-7});
  resumed->start(body, rule->previous(), rule->previous_memory());
  go(*resumed, 0.1 * 9);
  EXPECT_EQ(resumed->state().q, rule->state().q);
}

TEST_P(Cvode, GoesOnFromAStateThatTheRepeatedStepsMiss) {
  PlainSystem oscillator = make_oscillator();
  auto rule = make_integration_rule(GetParam());
  rule->start(oscillator, {0.0, {1.0}, {0.0}, {}});
  rule->try_step(1.0);
  rule->accept();
  rule->try_step(2.0);
  rule->accept();
  State<double> elsewhere = rule->previous();
  elsewhere.q[0] = std::nextafter(elsewhere.q[0], 2.0);  // as on a processor that rounds otherwise
  auto other = make_integration_rule(GetParam());
  other->start(oscillator, elsewhere, rule->previous_memory());
  ASSERT_TRUE(other->try_step(2.0).complete());
  EXPECT_NEAR(other->candidate().q[0], std::cos(2.0), 1e-6);
  other->accept();
  EXPECT_EQ(other->previous_memory()[1], 1.0);  // restarted there
}

// ---- stiff systems

TEST(CvodeBdf, TakesAFewEvaluationsWhereExplicitRulesAreBoundByStability) {
  PlainSystem row = make_stiff_row();
  const End bdf = run("cvode_bdf", variable(1e-5, 1e-7), row, start_of_stiff_row(), 1.0);
  const End explicit_rule = run("dormand_prince_54", variable(1e-5, 1e-7), row, start_of_stiff_row(), 1e-3);
  const auto in_a_second = 1000.0 * static_cast<double>(explicit_rule.statistics.evaluations);
  EXPECT_GT(in_a_second, 50.0 * static_cast<double>(bdf.statistics.evaluations));
  RecordProperty("evaluations", std::to_string(bdf.statistics.evaluations));
  RecordProperty("explicit", std::to_string(in_a_second));
  // Steps grow by powers of ten once the fast motion has died away.
  EXPECT_GT(bdf.statistics.largest_step, 1e6 * bdf.statistics.smallest_step);
}

TEST(CvodeBdf, IsExactOnAStiffSystem) {
  PlainSystem row = make_stiff_row();
  const auto end = [&](double tolerance) {
    return run("cvode_bdf", variable(tolerance, tolerance), row, start_of_stiff_row(), 10.0).state;
  };
  const State<double> coarse = end(1e-8), fine = end(1e-11);
  EXPECT_LT(calc_distance(coarse, fine), 2e-6);  // some hundred steps
  EXPECT_NEAR(coarse.z[0], fine.z[0], 1e-5);     // its rate is about 1
  // As one mass of five, q'' = -q + sin(t) / 5, from q = 1 at rest. The forces 4 q'', 3 q'' .. within the row
  // make the dampers dissipate 3e-5 W (q'')^2, which takes about 1e-5 of the amplitude in ten seconds.
  const double t = 10.0, exact = std::cos(t) + 0.1 * (std::sin(t) - t * std::cos(t));
  for (const double q : fine.q) EXPECT_NEAR(q, exact, 2e-5);
}

// ---- failures

TEST_P(Cvode, NamesTheCoordinateThatIsNotFinite) {
  PlainSystem system(2, 0, [](double t, auto, auto, auto udot, auto) {
    udot[0] = 1.0;
    udot[1] = std::sqrt(0.5 - t);
  });
  for (const StepOptions& options : {variable(1e-6, 1e-8), fixed(0.2, 1e-6)}) {
    try {
      run(GetParam(), options, system, {0.0, {0.0, 0.0}, {0.0, 0.0}, {}}, 1.0);
      FAIL();
    } catch (const ComputationError& error) {
      EXPECT_NEAR(error.time(), 0.5, 1e-9);  // the steps close in on it
      EXPECT_THAT(error.what(), HasSubstr("joint1.u does not stay finite"));
      EXPECT_THAT(error.what(), HasSubstr("the step fell to "));
    }
  }
}

TEST_P(Cvode, GivesTheReasonWhereAccelerationsCannotBeCalculated) {
  PlainSystem spring(1, 0, [](double t, auto q, auto, auto udot, auto) {
    if (q[0] > 1.0) throw ComputationError(t, "the spring is torn");
    udot[0] = 0.0;
  });
  try {
    run(GetParam(), variable(1e-8, 1e-10), spring, {0.0, {0.5}, {1.0}, {}}, 1.0);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_NEAR(error.time(), 0.5, 1e-7);  // as near as the differences for Newton's matrix permit
    EXPECT_THAT(error.what(), HasSubstr("the spring is torn"));
  }
  const std::string at_once = message_of<std::exception>([&] {
    run(GetParam(), variable(1e-8, 1e-10), spring, {0.0, {1.5}, {1.0}, {}}, 1.0);
  });
  EXPECT_EQ(at_once, "t = 0 s: the spring is torn");
}

TEST_P(Cvode, NamesTheCoordinateWithTheLargestErrorWhereTheStepBecomesTooSmall) {
  PlainSystem explosion(2, 0, [](double, auto, auto u, auto udot, auto) {  // u = 1 / (1 - t)
    udot[0] = 0.0;
    udot[1] = u[1] * u[1];
  });
  try {
    run(GetParam(), variable(1e-8, 1e-10), explosion, {0.0, {0.0, 0.0}, {1.0, 1.0}, {}}, 2.0);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_NEAR(error.time(), 1.0, 1e-5);
    EXPECT_THAT(error.what(), HasSubstr("the step fell to "));
    EXPECT_THAT(error.what(), HasSubstr("joint1.u"));
  }
}

// If a coordinate is zero, its tolerance is the absolute one, and CVODE guesses the first step from the time
// in which the coordinate moves by that: less than the resolution of time late in a run.
TEST_P(Cvode, StartsLateFromACoordinateThatPassesZero) {
  constexpr double kStart = 1e7, kEnd = kStart + 0.5;
  PlainSystem ball(1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = -10.0; });
  const End end = run(GetParam(), variable(1e-8, 1e-10), ball, {kStart, {0.0}, {5.0}, {}}, kEnd);
  EXPECT_NEAR(end.state.q[0], 1.25, 1e-6);
  EXPECT_NEAR(end.state.u[0], 0.0, 1e-6);
}

TEST_P(Cvode, PassesOtherExceptionsThrough) {
  PlainSystem faulty(1, 0, [](double t, auto, auto, auto udot, auto) {
    if (t > 0.3) throw std::logic_error("of the user's own force");
    udot[0] = 1.0;
  });
  EXPECT_THROW(run(GetParam(), variable(1e-6, 1e-8), faulty, {0.0, {0.0}, {0.0}, {}}, 1.0), std::logic_error);
}

TEST_P(Cvode, SaysThatTolerancesAreBeyondTheDigitsOfNumbers) {
  PlainSystem oscillator = make_oscillator();
  EXPECT_EQ(message_of<std::exception>([&] {
              run(GetParam(), variable(1e-18, 1e-30), oscillator, {0.0, {1.0}, {0.0}, {}}, 1.0);
            }),
            "t = 0 s: step.rtol and step.atol require more digits than double precision has");
}

TEST_P(Cvode, RefusesTolerancesThatAreNoneWithAFixedStepToo) {
  PlainSystem oscillator = make_oscillator();
  EXPECT_THAT(message_of<std::exception>([&] {
                run(GetParam(), fixed(0.1, -1.0), oscillator, {0.0, {1.0}, {0.0}, {}}, 1.0);
              }),
              HasSubstr("step.rtol: -1 is not a relative tolerance"));
  EXPECT_NO_THROW(run("rk4", fixed(0.1, -1.0), oscillator, {0.0, {1.0}, {0.0}, {}}, 1.0));
}

}  // namespace
}  // namespace sestina::test
