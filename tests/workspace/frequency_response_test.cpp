// Frequency responses against closed forms and against the linearised equations of motion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <complex>
#include <numbers>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/linearized_motion.h"
#include "sestina/io/model_file.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using std::numbers::pi;
using testing::HasSubstr;
using testing_support::message_of;
using Complex = std::complex<double>;

// Differences of rows over a displacement of 1e-5: rounding 1e-11, curvature 1e-10 of the response.
constexpr double kDifference = 1e-8;

Complex response(const RunResult& run, const std::string& magnitude, const std::string& phase,
                 std::size_t row) {
  return std::polar(run.table.column(magnitude)[row], run.table.column(phase)[row]);
}

void expect_near(Complex value, Complex expected, double scale = 0.0) {
  EXPECT_LT(std::abs(value - expected), kDifference * std::max(std::abs(expected), scale))
      << value << " for " << expected;
}

// A mass m on a spring k and a damper c, driven by a force.
TEST(FrequencyResponse, OscillatorFollowsItsForce) {
  const double m = 0.7, k = 40.0, c = 1.3;
  const RunResult run = run_system(read_model(R"(
sestina: 1
parameters: {F: 0}
bodies: [{name: block, mass: 0.7}]
joints: [{name: rail, type: prismatic, parent: ground.origin, child: block.origin, axis: [1, 0, 0]}]
forces:
  - {name: spring, type: joint_spring, joint: rail, stiffness: 40}
  - {name: damper, type: joint_damper, joint: rail, damping: 1.3}
  - {name: push, type: joint_force, joint: rail, value: F}
analysis: {type: frequency_response, input: F, frequencies: {from: 0.01, to: 100, points: 41}}
output: {columns: {spring_force: "40*rail.q + F"}}
)"));
  ASSERT_EQ(run.table.rows(), 41U);
  EXPECT_DOUBLE_EQ(run.table.column("frequency").front(), 0.01);
  EXPECT_DOUBLE_EQ(run.table.column("frequency").back(), 100.0);
  for (std::size_t i = 0; i < 41; ++i) {
    const double w = 2.0 * pi * run.table.column("frequency")[i];
    const Complex x = 1.0 / Complex(k - m * w * w, c * w);
    expect_near(response(run, "rail.q.magnitude", "rail.q.phase", i), x);
    expect_near(response(run, "rail.u.magnitude", "rail.u.phase", i), Complex(0.0, w) * x);
    expect_near(response(run, "spring_force.magnitude", "spring_force.phase", i), k * x + 1.0);
  }
}

// The ground of an oscillator is shaken: the force that this takes is m1 and the oscillator's inertia.
TEST(FrequencyResponse, ShakerTransmitsThroughSpringAndDamper) {
  const double M = 2.0, m = 0.7, k = 40.0, c = 1.3;
  const RunResult run = run_system(read_model(R"(
sestina: 1
parameters: {x0: 0}
bodies: [{name: table, mass: 2}, {name: block, mass: 0.7}]
joints:
  - {name: base, type: prismatic, parent: ground.origin, child: table.origin, axis: [1, 0, 0]}
  - {name: rail, type: prismatic, parent: table.origin, child: block.origin, axis: [1, 0, 0]}
forces:
  - {name: spring, type: joint_spring, joint: rail, stiffness: 40}
  - {name: damper, type: joint_damper, joint: rail, damping: 1.3}
constraints: [{name: shaker, type: motion, joint: base, value: x0}]
analysis: {type: frequency_response, input: x0, frequencies: {from: 0.1, to: 10, points: 9}}
)"));
  for (std::size_t i = 0; i < 9; ++i) {
    const double w = 2.0 * pi * run.table.column("frequency")[i];
    const Complex transmitted = Complex(k, c * w) / Complex(k - m * w * w, c * w);
    expect_near(response(run, "block.origin.x.magnitude", "block.origin.x.phase", i), transmitted);
    expect_near(response(run, "base.q.magnitude", "base.q.phase", i), 1.0);
    expect_near(response(run, "shaker.force.magnitude", "shaker.force.phase", i),
                -w * w * (M + m * transmitted));
  }
}

// A driven four-bar about the state of rest of its spring, and a spinning top about its motion.
constexpr const char* kFourBar = R"(
sestina: 1
parameters: {torque: 0}
gravity: [0, -9.81, 0]
ground: {points: {right: [1.1, 0, 0]}}
bodies:
  - {name: left, mass: 0.8, center_of_mass: [0, -0.3, 0], inertia: {xx: 0.024, zz: 0.024}, points: {tip: [0, -0.6, 0]}}
  - {name: bar, mass: 2, center_of_mass: [0.5, 0.1, 0], inertia: {yy: 0.2, zz: 0.2}, points: {end: [1.1, 0, 0]}}
  - {name: other, mass: 0.8, center_of_mass: [0, -0.3, 0], inertia: {xx: 0.024, zz: 0.024}, points: {tip: [0, -0.7, 0]}}
joints:
  - {name: j1, type: revolute, parent: ground.origin, child: left.origin, axis: [0, 0, 1], q: 0.3}
  - {name: j2, type: revolute, parent: left.tip, child: bar.origin, axis: [0, 0, 1], q: -0.3}
  - {name: j3, type: revolute, parent: ground.right, child: other.origin, axis: [0, 0, 1], q: 0.3}
  - {name: pin, type: revolute, parent: other.tip, child: bar.end, axis: [0, 0, 1]}
forces:
  - {name: grease, type: joint_damper, joint: j2, damping: 0.4}
  - {name: drive, type: joint_force, joint: j1, value: torque}
analysis: {type: frequency_response, input: torque, frequencies: {from: 0.05, to: 20, points: 7}}
)";
constexpr const char* kTop = R"(
sestina: 1
parameters: {torque: 0}
bodies: [{name: rotor, mass: 1, inertia: {xx: 0.2, yy: 0.3, zz: 0.5}}]
joints:
  - name: ball
    type: spherical
    parent: ground.origin
    child: rotor.origin
    q: [0.98006657784124163, 0, 0, 0.19866933079506122]
    u: [0, 0, 30]
forces: [{name: push, type: joint_force, joint: ball, value: [torque, 0, 0]}]
analysis: {type: frequency_response, about: initial, input: torque, frequencies: {from: 0.3, to: 40, points: 7}}
)";

struct Case {
  const char* name;
  const char* model;
  const char* joint;
};

class FrequencyResponseOf : public testing::TestWithParam<Case> {};

// x = (i w - A)^-1 B tau on the deviations that the conditions allow.
TEST_P(FrequencyResponseOf, MechanismIsThatOfItsLinearisedEquations) {
  const System system = read_model(GetParam().model);
  const RunResult run = run_system(system);
  Workspace workspace(system);
  const Model& model = workspace.model();
  State<double> state = run.report.final_state;
  ForwardDynamics dynamics(workspace.shared_model(), workspace.properties(), "recursive");
  std::vector<double> udot(state.u.size());
  dynamics.calc_udot(state, udot);
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(model.constraint_rows());
  if (dynamics.constrained() != nullptr) std::ranges::copy(dynamics.constrained()->lambda(), lambda.begin());
  MotionTangents tangents(model, workspace.properties());
  tangents.update_tangents(state, udot, lambda, true);
  const LinearizedMotion motion = linearize_motion(model, tangents, state);
  const Eigen::Index n = model.nu();
  const Eigen::MatrixXcd A = (motion.basis.transpose() * motion.A * motion.basis).cast<Complex>();
  const Eigen::VectorXcd B = (motion.basis.transpose() * motion.B.col(0)).cast<Complex>();
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const Complex iw(0.0, 2.0 * pi * run.table.column("frequency")[i]);
    const Eigen::VectorXcd x = motion.basis.cast<Complex>() *
                               (iw * Eigen::MatrixXcd::Identity(A.rows(), A.cols()) - A).fullPivLu().solve(B);
    const std::string joint = GetParam().joint, index = joint == "ball" ? "[0]" : "";
    expect_near(response(run, joint + ".u.magnitude" + index, joint + ".u.phase" + index, i), x[n]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FrequencyResponseOf,
                         testing::Values(Case{"four_bar", kFourBar, "j1"}, Case{"top", kTop, "ball"}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(FrequencyResponse, RangeFollowsFromNaturalFrequencies) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
parameters: {F: 0}
bodies: [{name: block, mass: 1}]
joints: [{name: rail, type: prismatic, parent: ground.origin, child: block.origin, axis: [1, 0, 0]}]
forces:
  - {name: spring, type: joint_spring, joint: rail, stiffness: 100}
  - {name: push, type: joint_force, joint: rail, value: F}
analysis: {type: frequency_response, input: F}
)"));
  ASSERT_EQ(run.table.rows(), 200U);
  EXPECT_NEAR(run.table.column("frequency").front(), 1.0 / (2 * pi), 1e-12);
  EXPECT_NEAR(run.table.column("frequency").back(), 100.0 / (2 * pi), 1e-10);
}

TEST(FrequencyResponse, TellsOfAResonanceWithoutDamping) {
  const RunResult run = run_anyhow(read_model(fmt::format(R"(
sestina: 1
parameters: {{F: 0}}
bodies: [{{name: block, mass: 1}}]
joints: [{{name: rail, type: prismatic, parent: ground.origin, child: block.origin, axis: [1, 0, 0]}}]
forces:
  - {{name: spring, type: joint_spring, joint: rail, stiffness: 4*pi^2}}
  - {{name: push, type: joint_force, joint: rail, value: F}}
analysis: {{type: frequency_response, input: F, frequencies: {{from: 1, to: 1, points: 1}}}}
)")));
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("resonates at 1 Hz"));
}

TEST(FrequencyResponse, RefusesWhatIsNoInput) {
  const auto message = [](const std::string& analysis) {
    return message_of<InputError>([&] {
      Workspace workspace(read_model(R"(
sestina: 1
parameters: {F: 0, twice: 2*F}
bodies: [{name: block, mass: 1}]
joints: [{name: rail, type: prismatic, parent: ground.origin, child: block.origin, axis: [1, 0, 0]}]
analysis: {type: frequency_response)" +
                                     analysis + "}"));
    });
  };
  EXPECT_THAT(message(""), HasSubstr("analysis.input: is missing"));
  EXPECT_THAT(message(", input: G"), HasSubstr("there is no parameter 'G'"));
  EXPECT_THAT(message(", input: twice"), HasSubstr("twice follows from other parameters"));
  EXPECT_THAT(message(", input: F, frequencies: {from: 2, to: 1}"),
              HasSubstr("expected `from` not above `to`"));
  EXPECT_THAT(message(", input: F, frequencies: {from: 0}"), HasSubstr("analysis.frequencies.from"));
  EXPECT_THAT(message(", input: F, frequencies: {points: 0}"), HasSubstr("analysis.frequencies.points"));
}

}  // namespace
}  // namespace sestina
