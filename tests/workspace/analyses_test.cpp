// Kinematics, statics and modes, against closed forms and against motions that were integrated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "message_of.h"
#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/dynamics/equilibrium.h"
#include "sestina/io/model_file.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using std::numbers::pi;
using testing::HasSubstr;
using testing_support::message_of;

std::vector<double> column(const RunResult& run, std::string_view name) { return run.table.column(name); }

// A uniform rod of mass m and length l that hangs from a hinge, and a torque.
System pendulum(double q, const char* torque, const char* more = "") {
  return read_model(fmt::format(R"(
sestina: 1
gravity: [0, -9.81, 0]
bodies: [{{name: rod, mass: 1.5, center_of_mass: [0, -0.5, 0], inertia: {{xx: 0.125, zz: 0.125}}}}]
joints: [{{name: hip, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1], q: {}}}]
forces: [{{name: push, type: joint_force, joint: hip, value: {}}}]
analysis: {{type: statics}}
{})",
                                q, torque, more));
}

// Two bars of length a, hinged to the ground and to a bar of length b that stays parallel to the ground: one
// of the loop's conditions in the plane and two out of it are redundant.
System parallelogram(const std::string& more) {
  return read_model(R"(
sestina: 1
parameters: {a: 0.6, b: 1.1, m: 0.8, M: 2.0}
gravity: [0, -9.81, 0]
ground: {points: {right: [b, 0, 0]}}
bodies:
  - {name: left, mass: m, center_of_mass: [0, -a/2, 0], inertia: {xx: m*a^2/12, zz: m*a^2/12}, points: {tip: [0, -a, 0]}}
  - {name: bar, mass: M, center_of_mass: [b/2, 0, 0], inertia: {yy: M*b^2/12, zz: M*b^2/12}, points: {end: [b, 0, 0]}}
  - {name: right, mass: m, center_of_mass: [0, -a/2, 0], inertia: {xx: m*a^2/12, zz: m*a^2/12}, points: {tip: [0, -a, 0]}}
joints:
  - {name: j1, type: revolute, parent: ground.origin, child: left.origin, axis: [0, 0, 1], q: 0.3}
  - {name: j2, type: revolute, parent: left.tip, child: bar.origin, axis: [0, 0, 1], q: -0.3}
  - {name: j3, type: revolute, parent: ground.right, child: right.origin, axis: [0, 0, 1], q: 0.3}
  - {name: pin, type: revolute, parent: right.tip, child: bar.end, axis: [0, 0, 1]}
)" + more);
}

// ---- statics ----------------------------------------------------------------------------------------------

// m g l/2 sin q = torque, of which gravity and the torque grow alike: q is the same under any part of both.
TEST(Statics, PendulumHangsWhereItsTorqueBalancesItsWeight) {
  for (const double start : {-2.9, -1.0, 0.0, 0.5, 2.0, 3.0}) {
    SCOPED_TRACE(start);
    const RunResult run = run_system(pendulum(start, "3.0"));
    ASSERT_EQ(run.table.rows(), 1U);
    EXPECT_NEAR(std::remainder(run.end("hip.q") - std::asin(3.0 / (1.5 * 9.81 * 0.5)), 2 * pi), 0.0, 1e-14);
    EXPECT_EQ(run.end("load"), 1.0);
    EXPECT_EQ(run.end("hip.u"), 0.0);
    EXPECT_TRUE(run.report.remarks.empty());
  }
}

TEST(Statics, LeavesAMaximumOfTheEnergyWithStatesToo) {
  for (const char* state : {"-lag", "hip.q - lag", "hip.u - lag"}) {
    const std::string states = fmt::format("states: [{{name: lag, rate: {}}}]\n", state);
    for (const double start : {1.8, 2.6, 3.0}) {
      EXPECT_NEAR(run_system(pendulum(start, "-0.1*lag", states.c_str())).end("hip.q"), 0.0, 1e-9)
          << state << start;
    }
  }
}

TEST(Statics, TellsThatARestIsNotStable) {
  const RunResult run = run_system(pendulum(pi, "0"));
  EXPECT_NEAR(run.end("hip.q"), pi, 1e-14);
  ASSERT_EQ(run.report.remarks.size(), 1U);
  EXPECT_THAT(run.report.remarks.front(), HasSubstr("not stable"));
}

TEST(Statics, TellsWhatDoesNotBalance) {
  const RunResult run = run_anyhow(pendulum(0.5, "8.0"));  // m g l/2 = 7.36
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("no state of rest was found beyond 0 of the load"));
  EXPECT_THAT(run.report.failure, HasSubstr("hip is left with 0.64"));
}

TEST(Statics, NamesTheSpringWhosePointsCoincide) {
  const RunResult run = run_anyhow(read_model(R"(
sestina: 1
bodies: [{name: a, mass: 1}, {name: b, mass: 1}]
forces: [{name: k, type: spring_damper, from: a.origin, to: b.origin, stiffness: 10}]
analysis: {type: statics}
)"));
  EXPECT_THAT(run.report.failure, HasSubstr("the two points of k coincide"));
}

// (m + M) g a sin q = F a cos q, by the power of weights and force on the motion of the bar.
TEST(Statics, ParallelogramWithARedundantLoop) {
  System system = parallelogram(R"(
forces: [{name: wind, type: point_force, at: bar.origin, value: [12, 0, 0]}]
analysis: {type: statics, load_steps: 3}
)");
  const RunResult run = run_system(std::move(system));
  ASSERT_EQ(run.table.rows(), 3U);
  EXPECT_NEAR(run.at(1, "load"), 2.0 / 3.0, 1e-16);
  const double q = std::atan(12.0 / ((0.8 + 2.0) * 9.81));
  EXPECT_NEAR(run.end("j1.q"), q, 1e-13);
  EXPECT_NEAR(run.end("j3.q"), q, 1e-13);
  EXPECT_NEAR(run.end("pin.q"), -q, 1e-13);
  EXPECT_LE(run.end("constraints.position_error"), 1e-14);
}

// The weight of a body that a distance holds.
TEST(Statics, ForceOfADistanceIsTheWeight) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {points: {up: [0, 0, 1]}}
bodies: [{name: ball, mass: 2}]
joints: [{name: at, type: xyz, parent: ground.origin, child: ball.origin, q: [0.3, -0.2, 0.1]}]
constraints: [{name: rope, type: distance, from: ground.up, to: ball.origin, length: 0.7}]
analysis: {type: statics}
)"));
  EXPECT_NEAR(run.end("rope.force"), 2 * 9.81, 1e-12);
  EXPECT_NEAR(run.end("ball.origin.z"), 0.3, 1e-13);
}

// A search that fails takes thousands of iterations, and must end when it is told to.
TEST(Statics, EndsBetweenTwoIterations) {
  const Workspace workspace(pendulum(0.5, "8.0"));
  Equilibrium equilibrium(workspace.model(), workspace.properties());
  State<double> state = workspace.calc_initial_state();
  int iterations = 0;
  equilibrium.set_watch([&] {
    if (++iterations == 3) throw std::runtime_error("stop");
  });
  EXPECT_THROW(equilibrium.find(1.0, state), std::runtime_error);
  EXPECT_EQ(iterations, 3);
}

// Two springs that meet at an apex (von Mises' truss): P = 2 k y (L0/L - 1), L = sqrt(1 + y^2). The load has
// a maximum, falls below zero, and grows again when the truss has turned over.
TEST(Statics, TrussSnapsThroughAlongItsPath) {
  System system = read_model(R"(
sestina: 1
parameters: {P: 1.0, k: 100, h: 0.2}
ground: {points: {left: [-1, 0, 0], right: [1, 0, 0]}}
bodies: [{name: apex, type: particle, mass: 1}]
joints: [{name: slide, type: prismatic, parent: ground.origin, child: apex.origin, axis: [0, 1, 0], q: h}]
forces:
  - {name: a, type: spring_damper, from: ground.left, to: apex.origin, stiffness: k, free_length: sqrt(1+h^2)}
  - {name: b, type: spring_damper, from: ground.right, to: apex.origin, stiffness: k, free_length: sqrt(1+h^2)}
  - {name: push, type: point_force, at: apex.origin, value: [0, -P, 0]}
analysis: {type: statics, load_steps: 40, arc_length: true}
)");
  const RunResult run = run_system(std::move(system));
  const std::vector<double> y = column(run, "slide.q"), load = column(run, "load");
  double largest = 0.0, smallest = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double L = std::sqrt(1.0 + y[i] * y[i]);
    EXPECT_NEAR(load[i], 200.0 * y[i] * (std::sqrt(1.04) / L - 1.0), 1e-10);
    if (std::abs(y[i]) < 0.19) largest = std::max(largest, load[i]), smallest = std::min(smallest, load[i]);
  }
  // dP/dy = 0 where L^3 = L0.
  const double turn = std::sqrt(std::pow(1.04, 1.0 / 3.0) - 1.0);
  const double most = 200.0 * turn * (std::sqrt(1.04) / std::sqrt(1.0 + turn * turn) - 1.0);
  EXPECT_NEAR(largest, most, 0.01 * most);
  EXPECT_NEAR(smallest, -most, 0.01 * most);
  EXPECT_EQ(load.back(), 1.0);
  EXPECT_LT(y.back(), -0.2);
}

// The crank of a four-bar without springs turns freely while there is no load.
TEST(Statics, PathOfAMechanismThatMovesWithoutLoadIsRefused) {
  System system = example("16_four_bar.yaml");
  system.analysis.type = "statics";
  system.analysis.load_steps = 10;
  system.analysis.arc_length = true;
  EXPECT_THAT(run_anyhow(system).report.failure,
              testing::HasSubstr("elbow is free to move without load, so that arc_length finds no path"));
  system.add_joint_spring("flat", "hip", 1000.0, 1.0);
  const RunResult held = run_system(system);
  EXPECT_EQ(held.end("load"), 1.0);
}

// Springs across the path of a bob have no stiffness along it where they are at rest: P = 2 k x (1 - 1/L).
TEST(Statics, PathBeginsWhereTheStiffnessIsZero) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
ground: {points: {above: [0, 1, 0], below: [0, -1, 0]}}
bodies: [{name: bob, type: particle, mass: 1}]
joints: [{name: slide, type: prismatic, parent: ground.origin, child: bob.origin, axis: [1, 0, 0]}]
forces:
  - {name: a, type: spring_damper, from: ground.above, to: bob.origin, stiffness: 100, free_length: 1}
  - {name: b, type: spring_damper, from: ground.below, to: bob.origin, stiffness: 100, free_length: 1}
  - {name: push, type: point_force, at: bob.origin, value: [50, 0, 0]}
analysis: {type: statics, load_steps: 20, arc_length: true}
)"));
  const double x = run.end("slide.q");
  EXPECT_GT(x, 0.5);
  EXPECT_NEAR(200.0 * x * (1.0 - 1.0 / std::sqrt(1.0 + x * x)), 50.0, 1e-8);
}

// ---- modes ------------------------------------------------------------------------------------------------

// Cranks hang: omega^2 = g (m + M) / (2 m a/3 + M a).
TEST(Modes, ParallelogramSwings) {
  const RunResult run = run_system(parallelogram("analysis: {type: modes}\n"));
  ASSERT_EQ(run.table.rows(), 1U);
  const double omega = std::sqrt(9.81 * 2.8 / (0.6 * (2 * 0.8 / 3 + 2.0)));
  EXPECT_NEAR(run.end("eigenvalue.imag"), omega, 1e-12);
  EXPECT_EQ(run.end("eigenvalue.real"), 0.0);
  EXPECT_NEAR(run.end("frequency"), omega / (2 * pi), 1e-13);
  EXPECT_EQ(run.end("damping_ratio"), 0.0);
  EXPECT_NEAR(run.end("j1.shape.real") / run.end("j3.shape.real"), 1.0, 1e-12);
  EXPECT_NEAR(run.end("j1.shape.real") / run.end("j2.shape.real"), -1.0, 1e-12);
  EXPECT_NEAR(run.report.final_state.q[0], 0.0, 1e-13);
}

// Equal masses on equal springs between walls: omega_k = 2 sqrt(k/m) sin(k pi / (2 (n + 1))).
TEST(Modes, ChainOfMassesAndSprings) {
  constexpr int kMasses = 12;
  System system;
  std::string before = "ground.origin";
  for (int i = 0; i <= kMasses; ++i) {
    if (i == kMasses) {
      system.add_ground_point("wall", {1.0, 0, 0});
    } else {
      system.add_particle(fmt::format("m{}", i), 0.5);
      JointSpec& joint =
          system.add_joint(fmt::format("x{}", i), "prismatic", "ground.origin", fmt::format("m{}.origin", i));
      joint.axis = {1, 0, 0}, joint.q = {(i + 1.0) / (kMasses + 1.0)};
    }
    const std::string next = i == kMasses ? "ground.wall" : fmt::format("m{}.origin", i);
    system.add_spring_damper(fmt::format("k{}", i), before, next, 200.0, 0, 1.0 / (kMasses + 1.0));
    before = next;
  }
  system.analysis.type = "modes";
  const RunResult run = run_system(std::move(system));
  const std::vector<double> omega = column(run, "eigenvalue.imag");
  ASSERT_EQ(omega.size(), static_cast<std::size_t>(kMasses));
  for (int k = 1; k <= kMasses; ++k) {
    const double exact = 2.0 * std::sqrt(200.0 / 0.5) * std::sin(k * pi / (2.0 * (kMasses + 1)));
    EXPECT_NEAR(omega[static_cast<std::size_t>(k - 1)], exact, 1e-11 * exact) << k;
  }
}

// q'' = -2 zeta omega q' - omega^2 q
TEST(Modes, DampedOscillator) {
  const auto oscillator = [](double damping) {
    System system;
    system.add_particle("m", 2.0);
    JointSpec& joint = system.add_joint("x", "prismatic", "ground.origin", "m.origin");
    joint.axis = {1, 0, 0};
    system.add_joint_spring("k", "x", {50.0});
    system.add_joint_damper("c", "x", {damping});
    system.analysis.type = "modes";
    return run_system(std::move(system));
  };
  const RunResult under = oscillator(4.0);  // omega = 5, zeta = 0.2
  ASSERT_EQ(under.table.rows(), 1U);
  EXPECT_NEAR(under.end("damping_ratio"), 0.2, 1e-14);
  EXPECT_NEAR(under.end("eigenvalue.real"), -1.0, 1e-13);
  EXPECT_NEAR(under.end("eigenvalue.imag"), 5.0 * std::sqrt(0.96), 1e-13);
  const RunResult over = oscillator(30.0);  // zeta = 1.5
  ASSERT_EQ(over.table.rows(), 2U);
  EXPECT_NEAR(over.at(0, "eigenvalue.real"), -5.0 * (1.5 - std::sqrt(1.25)), 1e-12);
  EXPECT_NEAR(over.at(1, "eigenvalue.real"), -5.0 * (1.5 + std::sqrt(1.25)), 1e-12);
  EXPECT_EQ(over.at(1, "frequency"), 0.0);
}

TEST(Modes, UprightPendulumFallsAtTheRateOfItsFrequency) {
  System system = pendulum(pi, "0");
  system.analysis.type = "modes";
  const RunResult run = run_system(std::move(system));
  const double rate = std::sqrt(1.5 * 9.81);  // m g l/2 over m l^2/3
  ASSERT_EQ(run.table.rows(), 2U);
  EXPECT_NEAR(run.at(0, "eigenvalue.real"), -rate, 1e-12);
  EXPECT_NEAR(run.at(1, "eigenvalue.real"), rate, 1e-12);
}

// A free symmetric body that spins about its axis: a small nutation turns with J3 spin / J1 as seen from the
// ground. Its other deviations stay or drift.
TEST(Modes, SpinningBodyNutates) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
bodies: [{name: top, mass: 1, inertia: {xx: 0.2, yy: 0.2, zz: 0.3}}]
joints: [{name: ball, type: spherical, parent: ground.origin, child: top.origin, u: [0, 0, 8]}]
analysis: {type: modes, about: initial}
)"));
  double fastest = 0.0;
  for (const double omega : column(run, "eigenvalue.imag")) fastest = std::max(fastest, omega);
  EXPECT_NEAR(fastest, 12.0, 1e-9);
  for (const double real : column(run, "eigenvalue.real")) EXPECT_NEAR(real, 0.0, 1e-6);
  EXPECT_TRUE(run.report.remarks.empty());
}

// ---- kinematics -------------------------------------------------------------------------------------------

System driven_four_bar(const std::string& type) {
  System system = read_model_file(repository() + "/examples/16_four_bar.yaml");
  ConstraintSpec& motor = system.constraints.emplace_back();
  motor.name = "motor", motor.type = "motion", motor.joint = "hip", motor.value = {"1 + 6*t + sin(3*t)"};
  for (JointSpec& joint : system.joints) joint.q = {}, joint.u = {};
  system.joints[0].q = {1.0};
  system.analysis.type = type;
  set_accurate(system, 1.5, 0.05);
  return system;
}

TEST(Kinematics, FollowsWhatDynamicsIntegrates) {
  const RunResult moved = run_system(driven_four_bar("kinematics"));
  const RunResult integrated = run_system(driven_four_bar("dynamics"));
  ASSERT_EQ(moved.table.rows(), integrated.table.rows());
  for (const char* name : {"hip.q", "heel.q", "pin.q", "elbow.u", "coupler.origin.y", "energy.kinetic"}) {
    for (std::size_t row = 0; row < moved.table.rows(); ++row) {
      EXPECT_NEAR(moved.at(row, name), integrated.at(row, name), 1e-9) << name << " " << row;
    }
  }
  for (std::size_t row = 0; row < moved.table.rows(); ++row) {
    EXPECT_NEAR(moved.at(row, "motor.force"), integrated.at(row, "motor.force"), 1e-7);
  }
  EXPECT_LE(moved.report.energy_drift, 1e-12 * moved.report.kinetic_energy);
}

TEST(Kinematics, WorksDoNotDependOnTheDistanceOfRows) {
  for (const double every : {0.3, 1.5}) {
    System system = driven_four_bar("kinematics");
    system.output.every = every;
    const RunResult run = run_system(system);
    EXPECT_LE(run.report.energy_drift, 1e-12 * run.report.kinetic_energy) << every;
  }
}

// A crank of length r turns at a constant rate and drives a piston by a rod of length l, which has no mass:
// x = r cos(w t) + sqrt(l^2 - r^2 sin^2(w t)).
TEST(Kinematics, SliderCrankWithoutMasses) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
parameters: {r: 0.1, l: 0.3}
bodies:
  - {name: crank, mass: 0, points: {tip: [r, 0, 0]}}
  - {name: rod, mass: 0, points: {tip: [l, 0, 0]}}
  - {name: piston, mass: 0}
joints:
  - {name: main, type: revolute, parent: ground.origin, child: crank.origin, axis: [0, 0, 1]}
  - {name: pin, type: revolute, parent: crank.tip, child: rod.origin, axis: [0, 0, 1]}
  - {name: bore, type: prismatic, parent: ground.origin, child: piston.origin, axis: [1, 0, 0], q: 0.4}
  - {name: wrist, type: revolute, parent: rod.tip, child: piston.origin, axis: [0, 0, 1]}
constraints: [{name: motor, type: motion, joint: main, value: "20*t"}]
analysis: {type: kinematics, duration: 1}
)"));
  ASSERT_EQ(run.table.rows(), 101U);
  for (std::size_t row = 0; row < 101; ++row) {
    const double angle = 20.0 * run.at(row, "t"), s = std::sin(angle), c = std::cos(angle);
    const double root = std::sqrt(0.09 - 0.01 * s * s);
    EXPECT_NEAR(run.at(row, "bore.q"), 0.1 * c + root, 1e-12);
    EXPECT_NEAR(run.at(row, "bore.u"), 20.0 * (-0.1 * s - 0.01 * s * c / root), 1e-10);
    EXPECT_NEAR(run.at(row, "motor.force"), 0.0, 1e-12);
  }
}

TEST(Kinematics, TellsHowManyDegreesOfFreedomAreLeft) {
  System system = read_model_file(repository() + "/examples/16_four_bar.yaml");
  system.analysis.type = "kinematics";
  const RunResult run = run_anyhow(std::move(system));
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("1 degree of freedom is left"));
}

// The rocker, driven beyond where the crank and the coupler are stretched out.
TEST(Kinematics, TellsWhereTheMechanismCannotFollow) {
  System system = driven_four_bar("kinematics");
  system.constraints.back().joint = "heel";
  system.constraints.back().value = {"2 - t"};
  system.joints[0].q = {}, system.joints[2].q = {2.0};
  const RunResult run = run_anyhow(std::move(system));
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("cannot be closed"));
  EXPECT_GT(run.report.t, 0.1);
  EXPECT_GT(run.table.rows(), 2U);
}

TEST(Kinematics, RefusesConditionsOnSpeedsByName) {
  System system = driven_four_bar("kinematics");
  system.constraints.back().level = "velocity";
  system.constraints.back().value = {"6"};
  const RunResult run = run_anyhow(std::move(system));
  EXPECT_THAT(run.report.failure, HasSubstr("motor is a condition on speeds"));
}

// ---- what these analyses refuse ---------------------------------------------------------------------------

TEST(Analyses, RefuseOtherCoordinatesAndCheckpoints) {
  System system = pendulum(0.5, "1");
  system.analysis.coordinates = "state_time";
  EXPECT_THAT(message_of([&] { Workspace workspace(system); }), HasSubstr("statics takes relative"));
  Workspace workspace(pendulum(0.5, "1"));
  workspace.set_checkpoint({.path = "never.ck"});
  EXPECT_THAT(message_of([&] { workspace.run(); }), HasSubstr("statics writes no checkpoints"));
}

}  // namespace
}  // namespace sestina
