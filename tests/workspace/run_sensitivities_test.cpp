// Derivatives of runs: against closed forms, and against differences of runs with other parameters.
#include "sestina/workspace/run_sensitivities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/io/model_file.h"
#include "sestina/model/properties.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;

std::string refusal_of(System system, const SensitivityOptions& options) {
  try {
    calc_run_sensitivities(Workspace(std::move(system)), options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

struct Told {
  RunSensitivities run;
  double by(std::size_t direction, std::size_t row, std::size_t column) const {
    return run.by[(direction * run.t.size() + row) * run.columns.size() + column];
  }
  double value(std::size_t row, std::size_t column) const {
    return run.values[row * run.columns.size() + column];
  }
};

Told differentiate(const System& system, std::vector<std::string> by, std::vector<std::string> columns) {
  return {calc_run_sensitivities(Workspace(system), {.by = std::move(by), .columns = std::move(columns)})};
}

// x = x0 cos wt + (v/w) sin wt, w^2 = k/m.
TEST(RunSensitivities, OfAnOscillatorAreThoseOfItsClosedForm) {
  const Told told = differentiate(make_oscillator(), {"m", "k", "v", "rail.q", "rail.u"},
                                  {"rail.q", "rail.u", "energy.kinetic", "t"});
  ASSERT_EQ(told.run.t.size(), 41U);
  const double m = 2.0, k = 50.0, v = 0.7, x0 = 0.3, w = std::sqrt(k / m);
  for (std::size_t row = 0; row < told.run.t.size(); ++row) {
    const double t = told.run.t[row], c = std::cos(w * t), s = std::sin(w * t);
    const double x = x0 * c + v / w * s, u = -x0 * w * s + v * c;
    const double x_w = -x0 * t * s - v / (w * w) * s + v / w * t * c,
                 u_w = -x0 * s - x0 * w * t * c - v * t * s;
    const double w_m = -0.5 * w / m, w_k = 0.5 * w / k;
    EXPECT_NEAR(told.value(row, 0), x, kAccurate);
    const double x_by[] = {x_w * w_m, x_w * w_k, s / w, c, s / w};
    const double u_by[] = {u_w * w_m, u_w * w_k, c, -w * s, c};
    for (std::size_t p = 0; p < 5; ++p) {
      EXPECT_NEAR(told.by(p, row, 0), x_by[p], kAccurate) << p;
      EXPECT_NEAR(told.by(p, row, 1), u_by[p], kAccurate) << p;
      const double energy_by = m * u * u_by[p] + (p == 0 ? 0.5 * u * u : 0.0);
      EXPECT_NEAR(told.by(p, row, 2), energy_by, 1e-8) << p;
      EXPECT_EQ(told.by(p, row, 3), 0.0);
    }
  }
}

// Central differences of two runs. Tolerances of 1e-12 and a width of 1e-4 leave an error of about 1e-8.
void expect_differences(const System& system, const std::vector<std::string>& parameters,
                        const std::vector<std::string>& columns, double tolerance) {
  constexpr double kWidth = 1e-4;
  const Told told = differentiate(system, parameters, columns);
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const Workspace workspace(system);
    const auto place = std::ranges::find(workspace.model().parameters(), parameters[p], &ParameterInfo::name);
    ASSERT_NE(place, workspace.model().parameters().end());
    const double value =
        workspace.properties()
            .parameters[static_cast<std::size_t>(place - workspace.model().parameters().begin())];
    const double width = kWidth * (value == 0.0 ? 1.0 : std::abs(value));
    const auto run_at = [&](double at) {
      const std::unique_ptr<Workspace> moved =
          workspace.with_parameters(std::vector<ParameterValue>{{parameters[p], at}});
      return run_anyhow(*moved);
    };
    const RunResult less = run_at(value - width), more = run_at(value + width);
    ASSERT_EQ(less.table.rows(), told.run.t.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (std::size_t row = 0; row < told.run.t.size(); ++row) {
        const double expected = (more.at(row, columns[c]) - less.at(row, columns[c])) / (2.0 * width);
        EXPECT_NEAR(told.by(p, row, c) * width, expected * width, tolerance * kWidth)
            << columns[c] << " by " << parameters[p] << " in row " << row << ": " << told.by(p, row, c) << ' '
            << expected;
      }
    }
  }
}

TEST(RunSensitivities, OfAHeavyTopAreThoseOfDifferences) {
  System system = example("04_heavy_top.yaml");
  set_accurate(system, 0.3, 0.05);
  expect_differences(system, {"m", "r", "l", "tilt", "spin", "precession"},
                     {"tip.q[1]", "tip.u[2]", "axle.origin.x", "axle.origin.z", "energy.total"}, 2e-4);
}

TEST(RunSensitivities, OfEveryJointAndForceAreThoseOfDifferences) {
  System system = example("07_every_joint_and_force.yaml");
  set_accurate(system, 0.3, 0.05);
  std::vector<std::string> columns;
  const Workspace workspace(system);
  for (const std::string& name : workspace.model().q_names()) columns.push_back(name);
  for (const std::string& name : workspace.model().u_names()) columns.push_back(name);
  columns.insert(columns.end(), {"probe.origin.x", "energy.total", "momentum.z"});
  expect_differences(system, {"g", "k", "c", "h"}, columns, 1e-4);
}

TEST(RunSensitivities, OfLoopsAreThoseOfDifferences) {
  System bars = example("16_four_bar.yaml");
  set_accurate(bars, 0.5, 0.1);
  expect_differences(bars, {"a", "b", "c", "d"},
                     {"hip.q", "heel.u", "pin.q", "energy.kinetic", "coupler.origin.y"}, 1e-4);
  System spatial = example("17_slider_crank.yaml");
  spatial.parameters = {{"m", 0.5}, {"l", 0.3}, {"v", 6.0}};
  for (BodySpec& body : spatial.bodies) {
    if (body.name == "rod") body.mass = "m", body.points.back().position = {"l", 0, 0};
  }
  for (JointSpec& joint : spatial.joints) {
    if (joint.name == "drive") joint.u = {"v"};
    if (joint.name == "rail") joint.q.clear();
  }
  set_accurate(spatial, 0.3, 0.1);
  expect_differences(spatial, {"m", "l", "v"}, {"drive.q", "rail.q", "rail.u", "ball.u[1]", "energy.total"},
                     1e-4);
}

// Rolling, a curve, a prescribed motion, and conditions given as expressions.
TEST(RunSensitivities, OfEveryConstraintAreThoseOfDifferences) {
  System system = example("19_every_constraint.yaml");
  system.parameters = {{"r", 0.3}, {"w", 2.0}, {"k", 1.0}, {"l", 1.0}};
  for (ConstraintSpec& constraint : system.constraints) {
    if (constraint.name == "ramp") constraint.radius = "r";
    if (constraint.name == "motor") constraint.value = "w*t + t^2";
    if (constraint.name == "parabola") constraint.zero = "wire.q[1] - k*wire.q[0]^2";
    if (constraint.name == "rod") constraint.length = "l";
    if (constraint.name == "helix") constraint.position = {"k*cos(s)", "-s/2", "sin(s)"};
  }
  for (JointSpec& joint : system.joints) {
    if (joint.name == "swing") joint.q = {"0.6*l", "-0.8*l", 0};
    if (joint.name == "way") joint.q = {"0.6*r", "0.8*r", 0, 1, 0, 0, 0};
  }
  set_accurate(system, 0.3, 0.1);
  expect_differences(
      system, {"r", "w", "k", "l"},
      {"shaft.q", "spindle.u", "swing.q[0]", "wire.u[1]", "coil.q[2]", "way.u[2]", "disc.origin.x"}, 1e-4);
}

TEST(RunSensitivities, OfAnInitialValueMoveTheWholeLoop) {
  System system = example("16_four_bar.yaml");
  set_accurate(system, 0.3, 0.3);
  const std::vector<std::string> columns{"hip.q", "elbow.q", "heel.u"};
  const Told told = differentiate(system, {"hip.q", "hip.u"}, columns);
  for (const std::size_t p : {0U, 1U}) {
    RunResult runs[2];
    for (const std::size_t side : {0U, 1U}) {
      System moved = system;
      JointSpec& hip = moved.joints.front();
      const double width = side == 0 ? -1e-4 : 1e-4;
      if (p == 0) hip.q = {1.0 + width};
      if (p == 1) hip.u = {12.0 + width};
      runs[side] = run_anyhow(moved);
    }
    for (std::size_t row = 0; row < 2; ++row) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const double difference = (runs[1].at(row, columns[c]) - runs[0].at(row, columns[c])) / 2e-4;
        EXPECT_NEAR(told.by(p, row, c), difference, 1e-6 * (1.0 + std::abs(difference))) << columns[c];
      }
    }
  }
  EXPECT_THAT(refusal_of(system, {.by = {"elbow.q"}, .columns = {"hip.q"}}),
              HasSubstr("elbow.q: the loops determine its initial value"));
}

// Bristles of friction (LuGre), by an explicit rule.
TEST(RunSensitivities, OfStatesWithARateAreThoseOfDifferences) {
  System system = example("23_stick_slip.yaml");
  system.set_parameter("sigma0", 1e3);
  system.analysis.integrator = {};
  set_accurate(system, 0.5, 0.1);
  expect_differences(system, {"k", "Fc", "sigma0"}, {"table.q", "table.u", "z", "pull"}, 1e-4);
}

// States of 1e7 Pa beside angles.
TEST(RunSensitivities, OfPressuresAreThoseOfDifferences) {
  System system = example("24_hydraulic_boom.yaml");
  system.analysis.integrator = {};
  set_accurate(system, 0.02, 0.01);
  expect_differences(system, {"opening"}, {"energy.total", "lift.force"}, 1e-4);
}

// The run differentiates its numerical solution, which is itself 1e-4 off.
TEST(RunSensitivities, WithFixedStepsAreThoseOfTheNumericalSolution) {
  System system = make_oscillator();
  set_fixed_step(system, "rk4", 0.05, 2.0);
  const Told told = differentiate(system, {"k"}, {"rail.q"});
  const Workspace workspace(system);
  double at[2];
  for (const int side : {0, 1}) {
    const double k = 50.0 + (side == 0 ? -1e-3 : 1e-3);
    at[side] = run_anyhow(*workspace.with_parameters(std::vector<ParameterValue>{{"k", k}})).end("rail.q");
  }
  EXPECT_NEAR(told.by(0, 1, 0), (at[1] - at[0]) / 2e-3, 1e-10);
  const double exact = differentiate(make_oscillator(), {"k"}, {"rail.q"}).by(0, 40, 0);
  EXPECT_GT(std::abs(told.by(0, 1, 0) - exact), 1e-7);
}

TEST(RunSensitivities, InitialValuesTurnAnOrientation) {
  System system = example("04_heavy_top.yaml");
  set_accurate(system, 0.2, 0.2);
  const Workspace workspace(system);
  const Told told = differentiate(system, {"tip.u[0]", "tip.u[2]"}, {"tip.u[0]", "axle.origin.y"});
  const State<double> start = workspace.calc_initial_state();
  for (const std::size_t p : {0U, 1U}) {
    double x[2], y[2];
    for (const std::size_t side : {0U, 1U}) {
      Workspace moved(system);
      std::vector<double> u = start.u;
      u[2 * p] += side == 0 ? -1e-3 : 1e-3;
      moved.set_initial_state(start.q, u);
      const RunResult run = run_anyhow(moved);
      x[side] = run.end("tip.u[0]"), y[side] = run.end("axle.origin.y");
    }
    EXPECT_NEAR(told.by(p, 1, 0), (x[1] - x[0]) / 2e-3, 1e-6);
    EXPECT_NEAR(told.by(p, 1, 1), (y[1] - y[0]) / 2e-3, 1e-8);
  }
}

TEST(RunSensitivities, RefuseWhatHasNone) {
  const System system = make_oscillator();
  EXPECT_THAT(refusal_of(system, {.by = {}, .columns = {"t"}}),
              HasSubstr("no parameter or initial value is named"));
  EXPECT_THAT(refusal_of(system, {.by = {"m"}, .columns = {}}), HasSubstr("no column"));
  EXPECT_THAT(refusal_of(system, {.by = {"mm"}, .columns = {"t"}}), HasSubstr("mm"));
  EXPECT_THAT(refusal_of(system, {.by = {"m"}, .columns = {"rail.v"}}), HasSubstr("no column 'rail.v'"));
  EXPECT_THAT(refusal_of(example("04_heavy_top.yaml"), {.by = {"tip.q[0]"}, .columns = {"t"}}),
              HasSubstr("an Euler parameter"));
  System cartesian = example("16_four_bar.yaml");
  cartesian.analysis.coordinates = "cartesian";
  EXPECT_THAT(refusal_of(cartesian, {.by = {"a"}, .columns = {"t"}}),
              HasSubstr("the same mechanism has them in relative coordinates"));
  EXPECT_THAT(refusal_of(example("12_bouncing_pendulum.yaml"), {.by = {"x"}, .columns = {"t"}}),
              HasSubstr("events"));
  EXPECT_THAT(refusal_of(example("15_state_time.yaml"), {.by = {"x"}, .columns = {"t"}}),
              HasSubstr("state_time"));
}

// The integral of x^2 over the motion x = x0 cos wt + (v/w) sin wt has a closed form. The work of a damper in
// a loop is compared with differences.
TEST(RunSensitivities, OfIntegralsAreThoseOfTheirClosedForm) {
  System system = make_oscillator();
  system.add_integral("squares", "k*rail.q^2");
  const Told told = differentiate(system, {"k", "rail.u"}, {"squares"});
  const double m = 2.0, k = 50.0, v = 0.7, x0 = 0.3;
  const auto squares = [&](double stiffness, double speed, double t) {
    const double w = std::sqrt(stiffness / m), b = speed / w, s2 = std::sin(2 * w * t),
                 c2 = std::cos(2 * w * t);
    return stiffness *
           (0.5 * (x0 * x0 + b * b) * t + (x0 * x0 - b * b) * s2 / (4 * w) + x0 * b * (1 - c2) / (2 * w));
  };
  for (std::size_t row = 0; row < told.run.t.size(); ++row) {
    const double t = told.run.t[row];
    EXPECT_NEAR(told.value(row, 0), squares(k, v, t), 1e-9);
    const double by_k = (squares(k + 1e-3, v, t) - squares(k - 1e-3, v, t)) / 2e-3;
    const double by_v = (squares(k, v + 1e-4, t) - squares(k, v - 1e-4, t)) / 2e-4;
    EXPECT_NEAR(told.by(0, row, 0), by_k, 1e-8);
    EXPECT_NEAR(told.by(1, row, 0), by_v, 1e-8);
  }
  System loop = example("16_four_bar.yaml");
  loop.parameters.push_back({"c_heel", 0.5});
  loop.add_joint_damper("friction", "heel", {"c_heel"});
  set_accurate(loop, 0.3, 0.1);
  expect_differences(loop, {"c_heel", "b"}, {"energy.dissipated", "energy.total", "hip.q"}, 1e-4);
}

TEST(RunSensitivities, RefuseJumpsAtTimesThatDependOnAParameter) {
  System system = make_oscillator();
  system.add_joint_damper("damper", "rail", {"0.1"});
  System pushed = system;
  pushed.add_joint_force("push", "rail", {"if(t < start, 0, 3)"});
  EXPECT_THAT(refusal_of(pushed, {.by = {"start"}, .columns = {"rail.q"}}), HasSubstr("jumps at a time"));
  EXPECT_EQ(refusal_of(pushed, {.by = {"m"}, .columns = {"rail.q"}}), "");
  System ramped = system;  // a kink
  ramped.add_joint_force("push", "rail", {"max(0, t - start)"});
  expect_differences(ramped, {"start"}, {"rail.q"}, 1e-5);
}

}  // namespace
}  // namespace sestina::test
