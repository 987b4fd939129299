// Where events are, in which order, and how often: laws that hold with every rule and driver.
#include <gtest/gtest.h>

#include "integrate/event_watcher.h"
#include "integrate/test_rules.h"
#include "integrate/test_systems.h"

namespace sestina::test {
namespace {

constexpr auto kRising = CrossingDirection::kRising;
constexpr auto kFalling = CrossingDirection::kFalling;
constexpr auto kBoth = CrossingDirection::kBoth;

// An event takes place at the crossing or up to 16 spacings of the time after it.
constexpr double spacings(double t) { return 32.0 * std::numeric_limits<double>::epsilon() * t; }

std::vector<double> times_of(const std::vector<Occurrence>& found, int event) {
  std::vector<double> times;
  for (const Occurrence& x : found) {
    if (x.event == event) times.push_back(x.t);
  }
  return times;
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size()) << testing::PrintToString(found);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

// Free motion of a point that nothing depends on, in steps of dt: what is watched are functions of the time.
std::vector<Occurrence> watch(std::vector<Watched> watched, double dt, double t_end,
                              const EventRun::Act& act = {}) {
  PlainSystem system(1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = 0.0; });
  auto rule = make_rule("dormand_prince_54");
  EventRun run(*rule, {.driver = "fixed", .dt = dt}, system, std::move(watched));
  return run.run({0.0, {0.0}, {1.0}, {}}, t_end, act);
}

Watched sine(CrossingDirection direction) {
  return of_time([](double t) { return std::sin(t + 1.0); }, [](double t) { return std::cos(t + 1.0); },
                 direction);
}

TEST(EventLocator, TellsDirections) {
  const double pi = std::numbers::pi;
  const auto found = watch({sine(kRising), sine(kFalling), sine(kBoth)}, 0.37, 10.0);
  expect_times(times_of(found, 0), {2.0 * pi - 1.0}, spacings(10.0));
  expect_times(times_of(found, 1), {pi - 1.0, 3.0 * pi - 1.0}, spacings(10.0));
  expect_times(times_of(found, 2), {pi - 1.0, 2.0 * pi - 1.0, 3.0 * pi - 1.0}, spacings(10.0));
}

TEST(EventLocator, EventIsNeverBeforeItsCrossing) {
  const auto found = watch({sine(kBoth)}, 0.37, 10.0);
  double sign = 1.0;
  for (const Occurrence& x : found) EXPECT_LE((sign = -sign) * -std::sin(x.t + 1.0), 0.0) << x.t;
}

Watched crossing_at(double t0, double slope = 1.0, CrossingDirection direction = kBoth) {
  return of_time([=](double t) { return slope * (t - t0); }, [=](double) { return slope; }, direction);
}

TEST(EventLocator, SimultaneousEventsTakePlaceTogetherInTheirOrder) {
  const auto found =
      watch({crossing_at(1.3, 5.0), crossing_at(2.0), crossing_at(1.3, -2.0), crossing_at(1.3 + 1e-15, 1e3)},
            0.5, 1.9);
  ASSERT_EQ(found.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i].event, (std::array{0, 2, 3}[i]));
    EXPECT_EQ(found[i].t, found[0].t);
  }
}

TEST(EventLocator, EventsThatTheTimeTellsApartTakePlaceApart) {
  const std::vector<double> offsets = {1e-13, 1e-9, 1e-5, 0.1};
  for (const double offset : offsets) {
    // The later one comes first in the order.
    const auto found = watch({crossing_at(1.3 + offset), crossing_at(1.3)}, 0.5, 1.9);
    ASSERT_EQ(found.size(), 2u) << offset;
    EXPECT_EQ(found[0].event, 1);
    EXPECT_NEAR(found[0].t, 1.3, spacings(1.3));
    EXPECT_NEAR(found[1].t, 1.3 + offset, spacings(1.3));
    EXPECT_LT(found[0].t, found[1].t);
  }
}

Watched dip(double t0, double depth, CrossingDirection direction = kBoth) {
  return of_time([=](double t) { return (t - t0) * (t - t0) - depth; },
                 [=](double t) { return 2.0 * (t - t0); }, direction);
}

// Both crossings lie between two samples; sqrt(depth) apart from the vertex.
TEST(EventLocator, SeesTwoCrossingsWithinAPartOfAStep) {
  for (const double depth : {1e-2, 1e-4, 1e-8, 1e-12}) {
    const double width = std::sqrt(depth);
    for (const double t0 : {0.33, 0.6, 1.1, 1.9}) {
      // The slope at the crossing is 2 width: rounding of the square's value is that much time.
      const double tolerance = spacings(2.0) + 4.0 * std::numeric_limits<double>::epsilon() / width;
      const auto found = watch({dip(t0, depth), dip(t0, depth, kRising), dip(t0, depth, kFalling)}, 1.0, 2.2);
      expect_times(times_of(found, 0), {t0 - width, t0 + width}, tolerance);
      expect_times(times_of(found, 1), {t0 + width}, tolerance);
      expect_times(times_of(found, 2), {t0 - width}, tolerance);
    }
  }
}

TEST(EventLocator, WhatComesNearZeroDoesNotCross) {
  for (const double height : {1e-2, 1e-6, 1e-12}) {
    EXPECT_TRUE(watch({dip(0.33, -height), dip(1.5, -height)}, 1.0, 2.2).empty()) << height;
  }
}

// It reaches zero and turns back: if that is seen, then once down and once up, and never again.
TEST(EventLocator, GrazingTakesPlaceAtMostOnceInADirection) {
  for (const double t0 : {0.25, 0.33, 0.5, 0.75, 1.0, 1.1}) {
    const auto found = watch({dip(t0, 0.0, kFalling), dip(t0, 0.0, kRising)}, 1.0, 2.2);
    EXPECT_LE(times_of(found, 0).size(), 1u) << t0;
    EXPECT_LE(times_of(found, 1).size(), 1u) << t0;
    for (const Occurrence& x : found) EXPECT_NEAR(x.t, t0, 1e-7);  // the square is zero that near
  }
  EXPECT_EQ(times_of(watch({dip(0.5, 0.0, kFalling)}, 1.0, 2.2), 0).size(), 1u);  // a sample hits it
}

// The root of t0 - t, which is not a number after t0, minus a level: it crosses zero at t0 - level^2.
Watched root(double t0, double level) {
  return of_time([=](double t) { return std::sqrt(t0 - t) - level; },
                 [=](double t) { return -0.5 / std::sqrt(t0 - t); });
}

TEST(EventLocator, EventBeforeTheEndOfADomainIsFoundWhereTheStepGoesBeyond) {
  // A run that stops there has the events of both; with a step of one half only the first sample is a number.
  for (const double dt : {1e-2, 0.5, 4.0}) {
    for (const double t0 : {0.05, 0.7, 1.3}) {
      const auto found = watch({crossing_at(0.04), root(t0, 0.1)}, dt, 4.0,
                               [](int event, State<double>&) { return event == 0; });
      expect_times(times_of(found, 1), {t0 - 0.01}, spacings(t0) + 1e-15);
      EXPECT_EQ(times_of(found, 0).size(), 1u);
    }
  }
}

TEST(EventLocator, EndOfADomainWithoutAnEventIsAFailureAtItsInstant) {
  for (const double dt : {1e-2, 0.5, 4.0}) {
    try {
      watch({root(1.3, -0.1)}, dt, 4.0);
      ADD_FAILURE() << "no failure";
    } catch (const ComputationError& error) {
      EXPECT_NEAR(error.time(), 1.3, spacings(1.3));
      EXPECT_EQ(error.reason(), "function 0 is not finite");
    }
  }
}

// It stays at zero until a force sets in within a step, and never comes back.
TEST(EventLocator, LeavingZeroAfterRestIsNoCrossing) {
  for (const double dt : {0.1, 0.03, 0.7}) {
    for (const char* name : {"dormand_prince_54", "rk4", "adams_bashforth_moulton", "cvode_adams"}) {
      PlainSystem system(1, 0, [](double t, auto, auto, auto udot, auto) { udot[0] = t < 0.95 ? 0.0 : 1.0; });
      auto rule = make_rule(name);
      EventRun run(*rule, {.driver = "fixed", .dt = dt}, system,
                   {of_height(0.0, kBoth), of_height(0.5, kBoth)});
      const auto& found = run.run({0.0, {0.0}, {0.0}, {}}, 3.0);
      EXPECT_EQ(times_of(found, 0).size(), 0u) << name << ' ' << dt;
      EXPECT_EQ(times_of(found, 1).size(), 1u);
    }
  }
}

// It leaves zero by a force and comes back through it.
TEST(EventLocator, ReturnAfterRestIsACrossing) {
  PlainSystem system(1, 0, [](double t, auto, auto, auto udot, auto) {
    const double s = std::max(t - 1.0, 0.0);
    udot[0] = 6.0 * s - 4.0 * s * s;
  });
  auto rule = make_rule("dormand_prince_54");
  EventRun run(*rule, {.driver = "fixed", .dt = 0.25}, system, {of_height(0.0, kBoth)});
  const auto& found = run.run({0.0, {0.0}, {0.0}, {}}, 6.0);
  expect_times(times_of(found, 0), {4.0}, 1e-13);  // s^3 - s^4 / 3
}

TEST(EventLocator, ZeroAtTheStartCrossesWhereItsRateLeads) {
  for (const double slope : {-1.0, 1.0}) {
    const auto rises = watch({crossing_at(0.0, slope, kRising)}, 0.5, 1.0);
    const auto falls = watch({crossing_at(0.0, slope, kFalling)}, 0.5, 1.0);
    const auto both = watch({crossing_at(0.0, slope, kBoth)}, 0.5, 1.0);
    expect_times(times_of(rises, 0), slope > 0.0 ? std::vector{0.0} : std::vector<double>{}, 0.0);
    expect_times(times_of(falls, 0), slope < 0.0 ? std::vector{0.0} : std::vector<double>{}, 0.0);
    expect_times(times_of(both, 0), {0.0}, 0.0);
  }
}

// Without a rate at the start it takes the side to which it goes, from which it can cross later.
TEST(EventLocator, RestAtZeroIsNoCrossing) {
  const auto found = watch(
      {of_time([](double t) { return t * t * (1.0 - t); }, [](double t) { return 2.0 * t - 3.0 * t * t; })},
      0.5, 2.0);
  expect_times(times_of(found, 0), {1.0}, spacings(1.0));
}

TEST(EventLocator, FindsJumps) {
  const auto found =
      watch({of_time([](double t) { return t < 0.777 ? -3.0 : 1e9; }, [](double) { return 0.0; })}, 0.5, 2.0);
  expect_times(times_of(found, 0), {0.777}, spacings(0.777));
}

TEST(EventLocator, ToleranceIsHowLateAnEventMayBe) {
  const double tolerance = 0.03;
  const auto found = watch({of_time([](double t) { return std::tanh(5.0 * (t - 1.1)); },
                                    [](double) { return 1.0; }, kBoth, tolerance)},
                           0.5, 2.0);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GE(found[0].t, 1.1);
  EXPECT_LE(found[0].t, 1.1 + tolerance);
}

// Located roughly, together with another one: neither is lost with the part of the step that is
// cut, and neither takes place before its crossing, to take place again there.
TEST(EventLocator, EventsWithTolerancesTakePlaceOnceAndInTime) {
  const auto rising = [](double t0, double tolerance) {
    return of_time([=](double t) { return std::tanh(3.0 * (t - t0)); }, [](double) { return 1.0; }, kRising,
                   tolerance);
  };
  for (const double later : {1e-3, 0.01, 0.02, 0.05, 0.08, 0.2}) {
    for (const double tolerance : {0.0, 0.1}) {
      for (const double dt : {2.0, 0.2}) {
        const auto found = watch({rising(1.1 + later, tolerance), rising(1.1, 0.1)}, dt, 2.0);
        ASSERT_EQ(times_of(found, 0).size(), 1u) << later << ' ' << tolerance << ' ' << dt;
        ASSERT_EQ(times_of(found, 1).size(), 1u) << later << ' ' << tolerance << ' ' << dt;
        EXPECT_GE(times_of(found, 0)[0], 1.1 + later - spacings(1.1));
        EXPECT_LE(times_of(found, 0)[0], 1.1 + later + tolerance + spacings(2.0));
        EXPECT_GE(times_of(found, 1)[0], 1.1);
        EXPECT_LE(times_of(found, 1)[0], 1.2);
      }
    }
  }
}

// q is watched at 2 and jumps over it at t = 1: no crossing. Then it comes back.
TEST(EventLocator, WhatAnEventMovesJumpsButDoesNotCross) {
  PlainSystem system(1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = 0.0; });
  auto rule = make_rule("dormand_prince_54");
  EventRun run(*rule, {.driver = "fixed", .dt = 0.3}, system, {crossing_at(1.0), of_height(2.0, kBoth)});
  const auto& found = run.run({0.0, {0.0}, {1.0}, {}}, 3.0, [](int event, State<double>& state) {
    if (event == 0) state.q[0] = 3.0, state.u[0] = -1.0;
    return true;
  });
  expect_times(times_of(found, 1), {2.0}, spacings(2.0));
}

// A function that an event sets to zero crosses at once if and only if its rate has the right direction.
TEST(EventLocator, WhatAnEventSetsToZeroCrossesWhereItsRateLeads) {
  for (const double u : {-1.0, 1.0}) {
    PlainSystem system(1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = 0.0; });
    auto rule = make_rule("rk4");
    EventRun run(*rule, {.driver = "fixed", .dt = 0.3}, system, {crossing_at(1.0), of_height(5.0, kRising)});
    const auto& found = run.run({0.0, {0.0}, {1.0}, {}}, 2.0, [u](int event, State<double>& state) {
      if (event == 0) state.q[0] = 5.0, state.u[0] = u;
      return true;
    });
    expect_times(times_of(found, 1), u > 0.0 ? std::vector{found[0].t} : std::vector<double>{}, 0.0);
  }
}

// Each flight takes less than the resolution of time: the event repeats, and time still advances.
TEST(EventLocator, ReturnToZeroSoonerThanTheTimeCanTellTakesPlaceAgain) {
  PlainSystem system(1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = -1.0; });
  auto rule = make_rule("dormand_prince_54");
  EventRun run(*rule, {.driver = "fixed", .dt = 0.25}, system, {of_height(0.0)});
  int count = 0;
  const auto& found = run.run({0.0, {0.5}, {0.0}, {}}, 3.0, [&count](int, State<double>& state) {
    state.u[0] = 1e-18;
    return ++count < 20;
  });
  ASSERT_EQ(found.size(), 20u);
  for (std::size_t i = 1; i < found.size(); ++i) {
    EXPECT_GT(found[i].t, found[i - 1].t);
    EXPECT_LE(found[i].t, found[i - 1].t + spacings(1.0));
  }
}

// Flights whose height is lost in the rounding of q take their time, and the speed is always downwards.
TEST(EventLocator, ReturnToZeroThatTheValuesCannotShowWaitsForTheRate) {
  PlainSystem system(1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = -10.0; });
  auto rule = make_rule("dormand_prince_54");
  EventRun run(*rule, {.driver = "fixed", .dt = 0.25}, system, {of_height(0.1)});
  int count = 0;
  const auto& found = run.run({0.0, {1.1}, {0.0}, {}}, 5.0, [&count](int, State<double>& state) {
    EXPECT_LE(state.u[0], 0.0);
    state.u[0] *= -0.5;
    return ++count < 300;
  });
  ASSERT_EQ(found.size(), 300u);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GT(found[i].t, found[i - 1].t);
  EXPECT_NEAR(found.back().q[0], 0.1, 1e-12);
  // The sum of all flights: T + 2 T (1/2 + 1/4 + ...), each below 1e-8 s to about its own length.
  EXPECT_NEAR(found.back().t, 3.0 * std::sqrt(0.2), 1e-7);
}

// Values that rounding leaves on the wrong side for many steps do not take the side: what was sent back
// returns when its rate turns.
TEST(EventLocator, KeepsTheSideOfWhatLeavesZeroForAsLongAsTheValuesCannotShowIt) {
  PlainSystem system(1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = -1.0; });
  auto rule = make_rule("dormand_prince_54");
  const auto value = [](const State<double>& s) {
    return s.t < 1.0 ? 1.0 - s.t : s.t < 1.0 + 1e-12 ? 0.0 : -1e-12;
  };
  const auto rate = [](const State<double>& s) { return s.u[0]; };
  EventRun run(*rule, {.driver = "fixed", .dt = 0.07}, system, {{value, rate, {kFalling, 0.0}}});
  const auto& found = run.run({0.0, {0.0}, {0.0}, {}}, 3.0, [](int, State<double>& state) {
    state.u[0] *= -1.0;
    return state.t < 1.5;
  });
  expect_times(times_of(found, 0), {1.0, 2.0}, 1e-12);
}

// A function of discrete variables alone takes place where it jumps across zero or onto it.
TEST(EventLocator, WhatOnlyJumpsCrossesByJumping) {
  const auto counter = [](double limit, CrossingDirection direction) {
    return Watched{[limit](const State<double>& s) { return s.d[0] - limit; },
                   [](const State<double>&) { return 0.0; },
                   {direction, 0.0, true}};
  };
  PlainSystem system(
      1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = 0.0; }, 1);
  auto rule = make_rule("rk4");
  EventRun run(*rule, {.driver = "fixed", .dt = 0.3}, system,
               {sine(kBoth), counter(1.5, kRising), counter(3.0, kRising), counter(3.0, kFalling),
                counter(0.0, kBoth)});
  const auto& found = run.run({0.0, {0.0}, {1.0}, {}, {0.0}}, 18.0, [](int event, State<double>& state) {
    if (event == 0) state.d[0] += 1.0;
    if (event == 2) state.d[0] = 1.0;
    return true;
  });
  // Ticks 1 to 5 count 1, 2, 3 -> 1, 2, 3 -> 1.
  const auto ticks = times_of(found, 0);
  ASSERT_EQ(ticks.size(), 6u);
  expect_times(times_of(found, 1), {ticks[1], ticks[3], ticks[5]}, 0.0);
  expect_times(times_of(found, 2), {ticks[2], ticks[4]}, 0.0);
  expect_times(times_of(found, 3), {ticks[2], ticks[4]}, 0.0);
  EXPECT_TRUE(times_of(found, 4).empty());  // leaving zero at the start is not a crossing
}

// ---- with every rule ------------------------------------------------------------------------------

class EachRuleAndDriver : public testing::TestWithParam<std::string> {
 protected:
  void for_each_driver(const std::function<void(IntegrationRule&, const StepOptions&)>& test) {
    auto rule = make_rule(GetParam());
    test(*rule, {.driver = "fixed", .dt = 0.17});
    if (rule->chooses_its_steps()) test(*rule, {.driver = "variable", .rtol = 1e-8, .atol = 1e-10});
    if (rule->error_order() == 0) return;
    for (const char* control : {"pi", "pid"}) {
      test(*rule, {.driver = "variable", .rtol = 1e-6, .atol = 1e-6, .control = control});
      test(*rule, {.driver = "variable", .rtol = 1e-6, .atol = 1e-6, .control = control, .land_every = 0.11});
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, EachRuleAndDriver, testing::ValuesIn(rule_labels()),
                         [](const auto& test) { return test.param; });

// A parabola is exact in every rule of order two. Bounce k is at (2k + 1) T, where T is the time of the first
// fall; the speed grows by rounding alone.
TEST_P(EachRuleAndDriver, BallBouncesAtTheInstantsOfTheClosedForm) {
  for_each_driver([](IntegrationRule& rule, const StepOptions& options) {
    if (rule.order() < 2) return;
    const double gravity = 9.81, height = 1.3, radius = 0.1;
    PlainSystem system(1, 0, [&](double, auto, auto, auto udot, auto) { udot[0] = -gravity; });
    EventRun run(rule, options, system, {of_height(radius), of_height(0.5 * height + radius, kBoth)});
    const auto& found = run.run({0.0, {height + radius}, {0.0}, {}}, 10.0, [](int event, auto& state) {
      if (event == 0) state.u[0] = -state.u[0];
      return true;
    });
    const double T = std::sqrt(2.0 * height / gravity), half = std::sqrt(height / gravity);
    std::vector<double> floor, middle;
    for (double k = 0.0; (2.0 * k + 1.0) * T < 10.0; k += 1.0) {
      floor.push_back((2.0 * k + 1.0) * T);
      middle.push_back(2.0 * k * T + half);
      if ((2.0 * k + 2.0) * T - half < 10.0) middle.push_back((2.0 * k + 2.0) * T - half);
    }
    // CVODE restarts at each bounce, with order one.
    const double tolerance = rule.chooses_its_steps() ? 1e-5 : 1e-12;
    expect_times(times_of(found, 0), floor, tolerance);
    expect_times(times_of(found, 1), middle, tolerance);
    for (const Occurrence& x : found) {
      if (x.event == 0) {
        EXPECT_NEAR(x.u[0], -std::sqrt(2.0 * gravity * height), tolerance);
      }
    }
  });
}

// The cut step is the step that ends there: its end is that of a run that has no more to go.
TEST_P(EachRuleAndDriver, CutStepIsTheRulesOwnStepToThatInstant) {
  auto rule = make_rule(GetParam());
  if (rule->chooses_its_steps()) GTEST_SKIP() << "its dense output is the solution";
  auto oscillator = make_oscillator();
  auto driver = make_step_driver({.driver = "fixed", .dt = 0.1});
  driver->start(*rule, oscillator, {0.0, {1.0}, {0.0}, {}}, 2.0);
  while (driver->state().t < 0.95) driver->step();
  const double begin = driver->step_begin(), end = begin + 0.037;
  for (const double t : {end + 0.01, begin + 1e-9, end}) driver->try_end(t);
  const State<double> cut = driver->end_step_at(end);
  const long steps = driver->statistics().steps;
  EXPECT_EQ(driver->step_begin(), begin);
  EXPECT_EQ(driver->state().t, end);

  auto other_rule = make_rule(GetParam());
  auto other = make_step_driver({.driver = "fixed", .dt = 0.1});
  other->start(*other_rule, oscillator, {0.0, {1.0}, {0.0}, {}}, end);
  other->advance_to(end);
  EXPECT_EQ(cut.q, other->state().q);
  EXPECT_EQ(cut.u, other->state().u);
  EXPECT_EQ(steps, other->statistics().steps);
  EXPECT_EQ(driver->statistics().smallest_step, other->statistics().smallest_step);
}

// A rule that chooses its steps restarts at the end of a cut step, and so does a run resumed from there.
TEST_P(EachRuleAndDriver, RuleThatChoosesItsStepsGoesOnFromACut) {
  auto rule = make_rule(GetParam());
  if (!rule->chooses_its_steps()) GTEST_SKIP() << "the driver chooses";
  auto oscillator = make_oscillator();
  auto driver = make_step_driver({.driver = "variable", .rtol = 1e-8, .atol = 1e-10});
  driver->start(*rule, oscillator, {0.0, {1.0}, {0.0}, {}}, 2.0);
  while (driver->state().t < 0.95) driver->step();
  const double begin = driver->step_begin(), cut = 0.5 * (begin + driver->state().t);
  const State<double> told = driver->try_end(cut);
  const long steps = driver->statistics().steps;
  EXPECT_EQ(driver->end_step_at(cut).q, told.q);
  EXPECT_EQ(driver->state().t, cut);
  EXPECT_EQ(driver->statistics().steps, steps);
  driver->advance_to(0.5 * (begin + cut));  // it can still tell of what is before
  EXPECT_NEAR(told.q[0], std::cos(cut), 1e-6);

  driver->step();
  const StepCheckpoint checkpoint = driver->checkpoint();
  EXPECT_EQ(checkpoint.state.t, cut);
  EXPECT_EQ(checkpoint.rule_memory[0], 0.0);  // steps since its start, which is there
  EXPECT_EQ(checkpoint.rule_memory[1], cut);
  while (!driver->done()) driver->step();
  auto other_rule = make_rule(GetParam());
  auto other = make_step_driver({.driver = "variable", .rtol = 1e-8, .atol = 1e-10});
  other->resume(*other_rule, oscillator, checkpoint, 2.0);
  while (!other->done()) other->step();
  EXPECT_EQ(other->state().q, driver->state().q);
  EXPECT_EQ(other->state().u, driver->state().u);
}

// A function that is never zero does not influence the steps.
TEST_P(EachRuleAndDriver, WatchingDoesNotInfluenceTheTrajectory) {
  for_each_driver([](IntegrationRule& rule, const StepOptions& options) {
    FreeRigidBody body;
    auto alone = make_step_driver(options);
    alone->start(rule, body, FreeRigidBody::start(), 5.0);
    while (!alone->done()) alone->step();
    const State<double> reference = alone->state();
    const long steps = alone->statistics().steps;
    EventRun never(rule, options, body, {crossing_at(77.0)});
    EXPECT_TRUE(never.run(FreeRigidBody::start(), 5.0).empty());
    EXPECT_EQ(never.driver().state().q, reference.q);
    EXPECT_EQ(never.driver().state().u, reference.u);
    EXPECT_EQ(never.driver().statistics().steps, steps);
  });
}

// From a checkpoint between bounces, the same events at the same instants, bit for bit.
TEST_P(EachRuleAndDriver, ResumesWithItsSides) {
  for_each_driver([](IntegrationRule& rule, const StepOptions& options) {
    const auto make = [] {
      return PlainSystem(1, 0, [](double, auto q, auto, auto udot, auto) { udot[0] = -9.81 - q[0]; });
    };
    const std::vector<Watched> watched = {of_height(0.0), of_height(0.7, kBoth)};
    const auto bounce = [](int event, State<double>& state) {
      if (event == 0) state.u[0] *= -0.9;
      return true;
    };
    auto system = make();
    EventRun whole(rule, options, system, watched);
    const std::vector<Occurrence> reference = whole.run({0.0, {1.0}, {0.0}, {}}, 4.0, bounce);
    ASSERT_GT(reference.size(), 4u);

    for (const long stop : {1L, 4L, 9L, 14L}) {
      EventRun first(rule, options, system, watched);
      long count = 0;
      first.run({0.0, {1.0}, {0.0}, {}}, 4.0, [&](int event, State<double>& state) {
        bounce(event, state);
        return ++count < stop;
      });
      if (first.driver().done()) continue;
      first.driver().step();
      const StepCheckpoint checkpoint = first.driver().checkpoint();
      const std::vector<int> sides(first.locator().sides_before_step().begin(),
                                   first.locator().sides_before_step().end());
      WatchedFunctions functions(watched);
      EventLocator locator(functions, functions.watches());
      auto driver = make_step_driver(options);
      driver->resume(rule, system, checkpoint, 4.0);
      locator.resume(sides);
      std::size_t next = static_cast<std::size_t>(count);
      while (!driver->done()) {
        driver->step();
        for (std::span<const int> due = locator.look(*driver); !due.empty();) {
          State<double> state = driver->state();
          for (const int event : due) {
            ASSERT_LT(next, reference.size());
            EXPECT_EQ(event, reference[next].event);
            EXPECT_EQ(state.t, reference[next].t);
            EXPECT_EQ(state.q, reference[next].q);
            bounce(event, state);
            ++next;
          }
          driver->restart(state);
          due = locator.restart(*driver);
        }
      }
      EXPECT_EQ(next, reference.size());
      EXPECT_EQ(driver->state().q, whole.driver().state().q);
      EXPECT_EQ(driver->statistics().steps, whole.driver().statistics().steps);
    }
  });
}

// n clocks that go off one after the other within a single step: the work for each is some values of all and
// one of each that is still to come.
TEST(EventCost, OfManyCrossingsInOneStepIsThatOfTheFirst) {
  constexpr int kClocks = 200;
  std::vector<Watched> clocks;
  for (int i = 0; i < kClocks; ++i) {
    const double at = 0.001 * (1 + (37 * i) % kClocks);  // in no order
    clocks.push_back(of_time([at](double t) { return t - at; }, [](double) { return 1.0; }));
  }
  PlainSystem system(1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = 0.0; });
  auto rule = make_rule("dormand_prince_54");
  EventRun run(*rule, {.driver = "fixed", .dt = 1.0}, system, clocks);
  const std::vector<Occurrence>& found = run.run({0.0, {0.0}, {1.0}, {}}, 1.0);
  ASSERT_EQ(found.size(), static_cast<std::size_t>(kClocks));
  for (int i = 0; i < kClocks; ++i) {
    EXPECT_NEAR(found[static_cast<std::size_t>(i)].t, 0.001 * (i + 1), spacings(1.0));
  }
  EXPECT_LT(run.functions().calls_of_all(), 20 * kClocks);
  EXPECT_LT(run.functions().calls_of_one(), 6 * kClocks * kClocks);
}

TEST(EventCost, OfSimultaneousCrossingsIsOneSetOfValuesForAll) {
  constexpr int kClocks = 200;
  const std::vector<Watched> clocks(kClocks,
                                    of_time([](double t) { return t - 0.5; }, [](double) { return 1.0; }));
  PlainSystem system(1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = 0.0; });
  auto rule = make_rule("dormand_prince_54");
  EventRun run(*rule, {.driver = "fixed", .dt = 1.0}, system, clocks);
  EXPECT_EQ(run.run({0.0, {0.0}, {1.0}, {}}, 1.0).size(), static_cast<std::size_t>(kClocks));
  EXPECT_LT(run.functions().calls_of_all(), 40);
  EXPECT_LT(run.functions().calls_of_one(), 100 * kClocks);
}

}  // namespace
}  // namespace sestina::test
