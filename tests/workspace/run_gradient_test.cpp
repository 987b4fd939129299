// Gradients of runs: against closed forms, and against the derivatives that are integrated forward.
#include "sestina/workspace/run_gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/io/model_file.h"
#include "sestina/workspace/run_sensitivities.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;

// The sum of all values, each squared and with a weight of its own.
double calc_squares(std::span<const double>, std::span<const double> values, std::span<double> by_values) {
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = std::cos(static_cast<double>(i));
    sum += weight * values[i] * values[i];
    by_values[i] = 2.0 * weight * values[i];
  }
  return sum;
}

GradientOptions squares(std::vector<std::string> by, std::vector<std::string> columns) {
  return {.by = std::move(by), .columns = std::move(columns), .cost = calc_squares};
}

// The gradient of calc_squares against the derivatives of all rows.
void expect_forward(const System& system, const GradientOptions& options, double tolerance) {
  const Workspace workspace(system);
  const RunGradient gradient = calc_run_gradient(workspace, options);
  const RunSensitivities forward =
      calc_run_sensitivities(workspace, {.by = options.by, .columns = options.columns});
  ASSERT_EQ(gradient.t, forward.t);
  ASSERT_EQ(gradient.values.size(), forward.values.size());
  std::vector<double> by_values(forward.values.size());
  EXPECT_NEAR(gradient.cost, options.cost(forward.t, forward.values, by_values),
              tolerance * (1.0 + std::abs(gradient.cost)));
  for (std::size_t p = 0; p < options.by.size(); ++p) {
    double sum = 0.0, size = 1.0;
    for (std::size_t i = 0; i < by_values.size(); ++i) {
      const double term = by_values[i] * forward.by[p * by_values.size() + i];
      sum += term, size += std::abs(term);
    }
    EXPECT_NEAR(gradient.by[p], sum, tolerance * size) << options.by[p];
  }
}

std::string message_of(System system, const GradientOptions& options) {
  try {
    calc_run_gradient(Workspace(std::move(system)), options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// x = x0 cos wt + (v/w) sin wt, w^2 = k/m.
TEST(RunGradient, OfTheLastPositionOfAnOscillatorIsThatOfItsClosedForm) {
  const RunGradient told =
      calc_run_gradient(Workspace(make_oscillator()),
                        {.by = {"m", "k", "v", "rail.q", "rail.u", "start"}, .columns = {"rail.q"}});
  const double m = 2.0, k = 50.0, v = 0.7, x0 = 0.3, w = std::sqrt(k / m), t = 2.0;
  const double c = std::cos(w * t), s = std::sin(w * t);
  const double x_w = -x0 * t * s - v / (w * w) * s + v / w * t * c;
  EXPECT_NEAR(told.cost, x0 * c + v / w * s, kAccurate);
  const double by[] = {-0.5 * x_w * w / m, 0.5 * x_w * w / k, s / w, c, s / w, 0.0};
  for (std::size_t p = 0; p < 6; ++p) EXPECT_NEAR(told.by[p], by[p], kAccurate) << p;
  EXPECT_EQ(told.t.size(), 41U);
  EXPECT_EQ(told.columns.front().name, "rail.q");
}

// With rows at the ends of fixed steps both are derivatives of the same numerical solution.
TEST(RunGradient, OfFixedStepsIsThatOfTheForwardDerivatives) {
  System top = example("04_heavy_top.yaml");
  set_fixed_step(top, "rk4", 0.01, 0.3);
  top.output.every = 0.05;
  expect_forward(top,
                 squares({"m", "r", "l", "tilt", "spin", "precession", "tip.u[0]"}, {"tip.q[1]", "tip.u[2]"}),
                 1e-8);
  System all = example("07_every_joint_and_force.yaml");
  set_fixed_step(all, "dormand_prince_54", 0.002, 0.1);
  all.output.every = 0.02;
  std::vector<std::string> columns = Workspace(all).model().u_names();
  columns.insert(columns.end(), {"probe.origin.x", "energy.total", "momentum.z", "t"});
  expect_forward(all, squares({"g", "k", "c", "h"}, columns), 1e-7);
}

TEST(RunGradient, OfRowsWithinStepsIsThatOfTheForwardDerivatives) {
  expect_forward(make_oscillator(),
                 squares({"m", "k", "v", "rail.q"}, {"rail.q", "rail.u", "energy.kinetic"}), 1e-8);
  System top = example("04_heavy_top.yaml");
  set_accurate(top, 0.3, 0.007);
  expect_forward(
      top, squares({"m", "l", "spin", "precession"}, {"axle.origin.x", "axle.origin.z", "tip.u[1]"}), 1e-7);
  // A rule without dense output.
  System slow = make_oscillator();
  set_fixed_step(slow, "rk4", 0.03, 0.3);
  slow.output.every = 0.007;
  expect_forward(slow, squares({"m", "k"}, {"rail.q"}), 1e-9);
}

// Parameters that change the joint itself.
TEST(RunGradient, TakesPitchesAndAxes) {
  System system;
  system.parameters = {{"pitch", 0.3}, {"tilt", 0.2}};
  system.add_particle("mass", 2.0).points.push_back({.name = "hub", .position = {0.4, 0, 0}});
  JointSpec& screw = system.add_joint("screw", "screw", "ground.origin", "mass.hub");
  screw.axis = {"sin(tilt)", 0, "cos(tilt)"};
  screw.pitch = "pitch";
  screw.u = {1.0};
  set_accurate(system, 1.0, 0.25);
  expect_forward(system, squares({"pitch", "tilt"}, {"screw.q", "mass.origin.z"}), 1e-8);
}

// Up to the drift of a step, which the projection takes back.
TEST(RunGradient, OfLoopsIsThatOfTheForwardDerivatives) {
  System bars = example("16_four_bar.yaml");
  set_fixed_step(bars, "rk4", 0.001, 0.2);
  bars.output.every = 0.02;
  expect_forward(
      bars, squares({"a", "b", "c", "d", "hip.u"}, {"hip.q", "heel.u", "pin.q", "coupler.origin.y"}), 1e-8);
  set_accurate(bars, 0.3, 0.007);  // rows within steps
  expect_forward(bars, squares({"a", "d", "hip.q"}, {"hip.q", "elbow.u"}), 1e-8);
}

TEST(RunGradient, OfStatesWithARateIsThatOfTheForwardDerivatives) {
  System system = make_oscillator();
  system.add_state("lag", "m*(rail.q - lag) + 0.1*rail.u^2", "v");
  system.add_joint_force("pull", "rail", {"-3*lag*rail.q - k*lag^3"});
  set_fixed_step(system, "rk4", 0.01, 0.3);
  system.output.every = 0.05;
  expect_forward(system, squares({"m", "k", "v", "rail.q"}, {"rail.q", "lag", "energy.kinetic"}), 1e-8);
}

TEST(RunGradient, OfIntegralsIsThatOfTheForwardDerivatives) {
  System system = make_oscillator();
  system.add_joint_damper("damper", "rail", {"m/10"});
  system.add_state("lag", "m*(rail.q - lag)", "v");
  system.add_integral("squares", "k*rail.q^2 + lag*rail.u");
  set_fixed_step(system, "rk4", 0.01, 0.3);
  system.output.every = 0.05;
  expect_forward(system, squares({"m", "k", "v", "rail.q"}, {"squares", "rail.u", "energy.dissipated"}),
                 1e-8);
  system.output.every = 0.007;  // rows within steps
  expect_forward(system, squares({"m", "k"}, {"squares"}), 1e-8);
  System bars = example("16_four_bar.yaml");
  bars.add_integral("effort", "hip.u^2*heel.q");
  set_fixed_step(bars, "dormand_prince_54", 0.002, 0.1);
  bars.output.every = 0.02;
  expect_forward(bars, squares({"a", "c", "hip.u"}, {"effort"}), 1e-8);
}

// A force that sets in at 1 s, and one that depends on time between.
TEST(RunGradient, CrossesJumpsOfForces) {
  System system = make_oscillator();
  system.add_joint_force("push", "rail", {"if(t < 1.003, 0, 3 + k * t)"});
  expect_forward(system, squares({"m", "k"}, {"rail.q", "rail.u"}), 1e-7);
}

// Steps are repeated bit for bit.
TEST(RunGradient, DoesNotDependOnTheMemory) {
  for (const bool has_jump : {false, true}) {
    System system = make_oscillator();
    if (has_jump) system.add_joint_force("push", "rail", {"if(t < 1.003, 0, 3)"});
    const Workspace workspace(system);
    GradientOptions options = squares({"m", "k", "rail.u"}, {"rail.q", "energy.total"});
    const RunGradient whole = calc_run_gradient(workspace, options);
    ASSERT_GT(whole.steps.steps, 100);
    for (const std::size_t memory : {0UL, 10000UL}) {
      options.memory = memory;
      EXPECT_EQ(calc_run_gradient(workspace, options).by, whole.by) << memory;
    }
  }
}

TEST(RunGradient, OfARunWithoutDurationIsThatOfTheStart) {
  System system = make_oscillator();
  system.analysis.duration = 0.0;
  const RunGradient told =
      calc_run_gradient(Workspace(system), {.by = {"v", "rail.q", "m"}, .columns = {"energy.kinetic"}});
  EXPECT_NEAR(told.by[0], 2.0 * 0.7, 1e-8);
  EXPECT_NEAR(told.by[1], 0.0, 1e-8);
  EXPECT_NEAR(told.by[2], 0.5 * 0.7 * 0.7, 1e-8);
}

TEST(RunGradient, RefusesWhatHasNone) {
  const System system = make_oscillator();
  EXPECT_THAT(message_of(system, {.by = {}, .columns = {"t"}}),
              HasSubstr("no parameter or initial value is named"));
  EXPECT_THAT(message_of(system, {.by = {"m"}, .columns = {}}), HasSubstr("no column"));
  EXPECT_THAT(message_of(system, {.by = {"mm"}, .columns = {"t"}}), HasSubstr("mm"));
  EXPECT_THAT(message_of(system, {.by = {"m"}, .columns = {"t", "rail.q"}}),
              HasSubstr("a function must give the cost"));
  System stiff = system;
  stiff.analysis.integrator.name = "radau_iia";
  EXPECT_THAT(message_of(stiff, {.by = {"m"}, .columns = {"t"}}),
              HasSubstr("radau_iia has no gradient of runs; allowed are forward_euler, rk4"));
  GradientOptions options = squares({"m"}, {"rail.q", "rail.u"});
  options.cost = [](std::span<const double>, std::span<const double>, std::span<double> by_values) {
    by_values[3] = std::numeric_limits<double>::quiet_NaN();
    return 1.0;
  };
  EXPECT_THAT(message_of(system, options), HasSubstr("by rail.u in row 1 is nan, not finite"));
  options.cost = [](std::span<const double>, std::span<const double>, std::span<double>) {
    return std::numeric_limits<double>::infinity();
  };
  EXPECT_THAT(message_of(system, options), HasSubstr("the cost is inf, not finite"));
}

TEST(RunGradient, EndsWhenItIsInterrupted) {
  const std::atomic<bool> interrupt = true;
  EXPECT_THROW(calc_run_gradient(Workspace(make_oscillator()),
                                 {.by = {"m"}, .columns = {"rail.q"}, .interrupt = &interrupt}),
               ComputationError);
}

}  // namespace
}  // namespace sestina::test
