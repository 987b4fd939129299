#include "sestina/expression/time_switch_finder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <random>

#include "sestina/expression/evaluate.h"
#include "sestina/expression/parse.h"

namespace sestina {
namespace {

// The switches of an expression of t, a parameter p = 3, a discrete variable d and a coordinate x.
class Switches {
 public:
  explicit Switches(const std::string& text, double t_end = 10.0, double d = 0.0) : t_end_(t_end) {
    add_table("wave", {0.0, 1.0, 2.5, 4.0});
    const Expr t = graph_.symbol("t"), p = graph_.symbol("p"), at = graph_.symbol("d");
    const Expr expr = parse(graph_, text, resolve_to_symbols(graph_));
    const Expr constants[] = {p, at};
    const double values[] = {3.0}, variables[] = {d};
    finder_.emplace(std::make_shared<const TimeConditions>(
                        find_time_conditions(graph_, t, constants, std::span(&expr, 1), {})),
                    values);
    finder_->start(0.0, t_end, variables);
  }

  TimeSwitch next(double after, double horizon) { return finder_->find_next(after, horizon); }
  void start_again(double t, double d) { finder_->start(t, t_end_, std::span(&d, 1)); }
  // All of them, found from steps of this length.
  std::vector<double> instants(double step = 10.0) {
    std::vector<double> found;
    for (double t = 0.0; t < t_end_;) {
      const double after = t + shortest_time(t, t_end_);
      const TimeSwitch one = next(after, std::min(t + step, t_end_));
      if (one.t <= t_end_) found.push_back(one.t);
      t = std::min(t + step, one.t);
    }
    return found;
  }

 private:
  void add_table(const std::string& name, std::vector<double> x) {
    std::vector<double> y(x.size(), 1.0);
    graph_.add_table(name, Table(std::move(x), std::move(y), Interpolation::kLinear));
  }

  Graph graph_;
  double t_end_;
  std::optional<TimeSwitchFinder> finder_;
};

void expect_instants(const std::vector<double>& found, const std::vector<double>& expected,
                     const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-14 * 10.0) << what;
}

TEST(TimeSwitchFinder, FindsSwitchesOfConditionsThatAreLinear) {
  expect_instants(Switches("if(t < 2, x, 1)").instants(), {2.0}, "if");
  expect_instants(Switches("if(2*t - p <= d + 1, x, 1)").instants(), {2.0}, "constants");
  expect_instants(Switches("if(t < d, x, 1)", 10.0, 7.0).instants(), {7.0}, "variable");
  expect_instants(Switches("abs(t - 1) + sign(3 - t) + step(t - 4) + min(t, 5) + max(6, t)").instants(),
                  {1.0, 3.0, 4.0, 5.0, 6.0}, "functions");
  expect_instants(Switches("if(t > 2, if(t < 2.5, x*abs(t - p), 1), 0)").instants(), {2.0, 2.5, 3.0},
                  "nested");
}

TEST(TimeSwitchFinder, FindsThePointsOfTables) {
  expect_instants(Switches("x*wave(t)").instants(), {1.0, 2.5, 4.0}, "of the time");
  expect_instants(Switches("wave(5 - t/2)").instants(), {2.0, 5.0, 8.0, 10.0}, "of a linear function");
  expect_instants(Switches("wave(t^2)").instants(), {1.0, std::sqrt(2.5), 2.0}, "of a power");
}

TEST(TimeSwitchFinder, LeavesWhatDependsOnTheMotionToEvents) {
  EXPECT_TRUE(Switches("if(x < 2, t, 1) + abs(t*x) + wave(x + t) + if(p < 2, t, 1)").instants().empty());
}

TEST(TimeSwitchFinder, TellsJumpsFromKinks) {
  EXPECT_FALSE(Switches("abs(t - 1)").next(0.0, 10.0).is_jump);
  EXPECT_FALSE(Switches("wave(t)").next(0.0, 10.0).is_jump);
  EXPECT_TRUE(Switches("sign(t - 1)").next(0.0, 10.0).is_jump);
  EXPECT_TRUE(Switches("if(t < 1, 1, 2)").next(0.0, 10.0).is_jump);
  EXPECT_TRUE(Switches("atan2(sin(t), cos(t))").next(1.0, 10.0).is_jump);
  EXPECT_TRUE(Switches("wave(t) + sign(t - 1)").next(0.0, 10.0).is_jump);  // both at once
}

TEST(TimeSwitchFinder, FindsEverySwitchOfAnOscillation) {
  for (const double step : {0.01, 0.3, 10.0}) {
    std::vector<double> zeros;
    for (int k = 1; k * std::numbers::pi / 50.0 < 10.0; ++k) zeros.push_back(k * std::numbers::pi / 50.0);
    expect_instants(Switches("sign(sin(50*t))").instants(step), zeros, "square wave");
    std::vector<double> narrow;  // pulses of 1e-6 of their period
    for (int k = 0; k < 10; ++k) {
      narrow.push_back(k + 0.25 - std::acos(std::cos(1e-6)) / (2.0 * std::numbers::pi));
      narrow.push_back(k + 0.25 + std::acos(std::cos(1e-6)) / (2.0 * std::numbers::pi));
    }
    const std::vector<double> found = Switches("if(sin(2*pi*t) > cos(1e-6), 1, 0)").instants(step);
    ASSERT_EQ(found.size(), narrow.size()) << step;
    // cos(1e-6) is 1 - 5e-13, known to 1e-16: the instants to 1e-4 of 1e-6 / (2 pi).
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], narrow[i], 1e-10);
  }
}

TEST(TimeSwitchFinder, WhatComesNearAThresholdDoesNotPassIt) {
  EXPECT_TRUE(Switches("if(sin(3*t) < 1.0000001, 1, 0)").instants().empty());
  EXPECT_TRUE(Switches("abs((t - 5)^2 + 1e-12)").instants().empty());
  EXPECT_TRUE(Switches("sign(exp(-t)*(2 + cos(7*t)))").instants(0.1).empty());
}

TEST(TimeSwitchFinder, FindsWhatItIsAskedForInAnyPieces) {
  const std::string texts[] = {"sign(sin(3*t) - 0.5)", "sign(t*exp(-t/3)*sin(t^2))", "wave(2 + 1.9*cos(t))",
                               "sign(sin(t)^3 - sin(2*t)/3)", "if(tan(t) < 2, 1, 0)"};
  for (const std::string& text : texts) {
    const std::vector<double> whole = Switches(text).instants();
    EXPECT_GE(whole.size(), 3u) << text;
    for (const double step : {0.017, 0.1, 0.7, 3.0}) EXPECT_EQ(Switches(text).instants(step), whole) << text;
    for (const double t : whole) {  // and from anywhere
      EXPECT_EQ(Switches(text).next(t - 1e-3, 10.0).t, t) << text;
    }
  }
}

TEST(TimeSwitchFinder, StartedAgainItFindsWhatANewOneFinds) {
  const std::string text =
      "sign(sin(3*t) - 0.5) + if(t < 4 + d, x, 1) + wave(2 + 1.9*cos(t + d)) + abs(t - p)";
  std::mt19937 random(5);
  std::uniform_real_distribution<double> part(0.0, 1.0);
  for (int trial = 0; trial < 200; ++trial) {
    Switches again(text);
    double t = 0.0, d = 0.0;
    for (int k = 0; k < 6; ++k) {
      for (int n = static_cast<int>(4.0 * part(random)); n > 0; --n) {  // some are passed before
        t = std::min(again.next(t + shortest_time(t, 10.0), 10.0).t, 10.0);
      }
      if (part(random) < 0.5) t += 0.3 * part(random);
      if (part(random) < 0.2) t -= 0.5 * part(random);  // to an earlier instant
      t = std::clamp(t, 0.0, 9.0);
      if (part(random) < 0.5) d = part(random);
      again.start_again(t, d);
      Switches anew(text, 10.0, d);
      anew.start_again(t, d);
      const double after = t - shortest_time(t, 10.0);
      EXPECT_EQ(again.next(after, 10.0).t, anew.next(after, 10.0).t) << trial << ' ' << t << ' ' << d;
    }
  }
}

// A thousand conditions, and an event that changes a variable which one of them uses.
TEST(TimeSwitchFinder, AStartAfterAnEventSearchesOnlyWhatTheEventChanged) {
  std::string text = "sign(sin(t) - d)";
  for (int i = 1; i <= 1000; ++i) text += " + sign(cos(t*" + std::to_string(i) + "/1000) - 0.5)";
  Switches switches(text);
  const auto seconds = [&](int starts) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 1; k <= starts; ++k) {
      switches.start_again(1e-3 * k, 0.5 + 1e-4 * k);
      switches.next(1e-3 * k, 10.0);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const double first = seconds(1);
  EXPECT_LT(seconds(50), 20.0 * first);  // as if each were the first: 50 times; measured: 3 times
}

TEST(TimeSwitchFinder, EndsWhereTheConditionIsNoNumberForATime) {
  const std::vector<double> found = Switches("sign(sqrt(t - 3) - 1)").instants();
  expect_instants(found, {3.0, 4.0}, "where it becomes a number and where it passes zero");
}

// Near a double zero rounding decides, over some 1e-8 s, on which side the argument is.
TEST(TimeSwitchFinder, DoesNotFollowTheNoiseOfWhatTouchesAThreshold) {
  EXPECT_LE(Switches("sign(t^2 - 6*t + 9) + sign(1 - cos(t))").instants(0.5).size(), 40u);
}

// ---- bounds -----------------------------------------------------------------------------------------

TEST(Interval, HoldsTheValuesAndTheRates) {
  const std::string texts[] = {"sin(3*t) + cos(t^2)",
                               "tan(t/3)",
                               "asin(t/11) - acos(t/12)",
                               "atan(t - 5)*sinh(t/5)",
                               "cosh(t - 4)",
                               "tanh(t - 2)/(1 + t^2)",
                               "exp(-t)*log(1 + t)",
                               "sqrt(t + 1)*abs(t - 3)",
                               "t^3 - 4*t^-2 + (t - 5)^4",
                               "(1 + t)^1.7 - 2^t",
                               "min(t, 4) - max(sin(t), 0.3)",
                               "atan2(t - 3, 2 + t)",
                               "atan2(2 + t, t - 3)",
                               "atan2(-1 - t, t - 5)",
                               "if(t < 4, t, 4 + sin(t - 4))",
                               "step(t - 3)*(t - 3)",
                               "wave(t*1.3)^2"};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> instant(0.1, 9.9);
  for (const std::string& text : texts) {
    Graph graph;
    const Expr t = graph.symbol("t");
    graph.add_table("wave", Table({0.0, 2.0, 3.0, 7.0}, {1.0, -2.0, 4.0, 0.5}, Interpolation::kLinear));
    const Expr expr = parse(graph, text, resolve_to_symbols(graph));
    const Expr rate = graph.diff(expr, t);
    std::vector<TimeRange> ranges(graph.size());
    for (int trial = 0; trial < 200; ++trial) {
      double a = instant(random), b = instant(random);
      if (trial % 2 == 0) b = a + 0.01 * b;
      if (b < a) std::swap(a, b);
      ranges[t.id] = {{a, b}, {1.0, 1.0}};
      for (const Expr part : graph.reachable(std::span(&expr, 1))) {
        if (part != t) ranges[part.id] = calc_range(graph, part, ranges);
      }
      const auto [value, slope] = ranges[expr.id];
      for (int k = 0; k <= 20; ++k) {
        const Binding at{t, a + (b - a) * k / 20.0};
        const double v = evaluate(graph, expr, std::span(&at, 1)),
                     r = evaluate(graph, rate, std::span(&at, 1));
        const double rounding = 1e-12 * (1.0 + std::abs(v)), of_rate = 1e-12 * (1.0 + std::abs(r));
        EXPECT_TRUE(value.lo - rounding <= v && v <= value.hi + rounding) << text << " at " << at.second;
        EXPECT_TRUE(slope.lo - of_rate <= r && r <= slope.hi + of_rate) << text << "' at " << at.second;
      }
    }
  }
}

TEST(Interval, BecomesTightAsTheTimeDoes) {
  Graph graph;
  const Expr t = graph.symbol("t");
  const Expr expr = parse(graph, "sin(3*t)*exp(-t) + t^3/(1 + t)", resolve_to_symbols(graph));
  std::vector<TimeRange> ranges(graph.size());
  for (const double width : {1e-2, 1e-4, 1e-6}) {
    ranges[t.id] = {{2.0, 2.0 + width}, {1.0, 1.0}};
    for (const Expr part : graph.reachable(std::span(&expr, 1))) {
      if (part != t) ranges[part.id] = calc_range(graph, part, ranges);
    }
    EXPECT_LT(ranges[expr.id].value.hi - ranges[expr.id].value.lo, 20.0 * width);
    EXPECT_GT(ranges[expr.id].rate.lo, 0.0);
  }
}

}  // namespace
}  // namespace sestina
