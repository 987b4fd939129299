// Inverse dynamics of mechanisms with loops and constraints: against forward dynamics, and against closed
// forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/random_systems.h"
#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/driving_forces.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/freeze.h"
#include "stewart_platform.h"

namespace sestina {
namespace {

using namespace testing_support;

// Four bars with the hinges in space, so that three of the conditions of the last hinge are implied by
// others.
System four_bar() {
  System system;
  system.gravity = {0, -9.81, 0};
  system.add_ground_point("right", {2, 0, 0});
  for (const auto& [name, length] : {std::pair{"crank", 0.5}, {"coupler", 2.0}, {"rocker", 1.5}}) {
    BodySpec& bar = system.add_body(name, length);
    bar.center_of_mass = {length / 2, 0, 0};
    bar.inertia.yy = bar.inertia.zz = length * length * length / 12;
    bar.add_point("tip", {length, 0, 0});
  }
  const auto hinge = [&](const char* name, const char* parent, const char* child) -> JointSpec& {
    JointSpec& joint = system.add_joint(name, "revolute", parent, child);
    joint.axis = {0, 0, 1};
    return joint;
  };
  JointSpec& hip = hinge("hip", "ground.origin", "crank.origin");
  hip.q = 1.0, hip.u = 3.0;
  hinge("elbow", "crank.tip", "coupler.origin");
  hinge("heel", "ground.right", "rocker.origin").armature = 0.2;
  hinge("pin", "rocker.tip", "coupler.tip").armature = 0.1;
  return system;
}

// A parallelogram with a third crank, which is one bar too many, on top of its hinges in space.
System parallelogram() {
  System system;
  system.gravity = {0, -9.81, 0};
  BodySpec& beam = system.add_body("beam", 2.0);
  beam.inertia.yy = beam.inertia.zz = 0.5;
  for (const char* name : {"a", "b", "c"}) {
    const std::string crank = std::string("crank_") + name, foot = std::string("foot_") + name;
    const double x = name[0] - 'a';
    system.add_ground_point(foot, {x, 0, 0});
    beam.add_point(name, {x, 0, 0});
    BodySpec& bar = system.add_body(crank, 1.0);
    bar.center_of_mass = {0, 0.5, 0};
    bar.inertia.xx = bar.inertia.zz = 1.0 / 12;
    bar.add_point("tip", {0, 1, 0});
    JointSpec& hinge =
        system.add_joint(std::string("hinge_") + name, "revolute", "ground." + foot, crank + ".origin");
    hinge.axis = {0, 0, 1};
    hinge.q = 0.4;
    if (name[0] == 'a') hinge.u = 1.5;
    JointSpec& head = system.add_joint(std::string("head_") + name, "revolute", crank + ".tip",
                                       std::string("beam.") + name);
    head.axis = {0, 0, 1};
  }
  return system;
}

// Legs that drive the platform, without the motions; on the move.
System stewart_platform() {
  System system = test::make_stewart_platform();
  system.constraints.clear();
  system.joint("flight").u = {0.3, -0.2, 0.4, 0.1, 0.2, -0.15};
  return system;
}

struct Mechanism {
  explicit Mechanism(const System& system)
      : model(freeze(system)),
        properties(calc_properties(*model)),
        state(calc_assembled_state(*model, properties)),
        udot(static_cast<std::size_t>(model->nu())) {}

  // Accelerations under these generalised forces (nu), and the multipliers.
  void accelerate(const std::vector<double>& tau, const char* solver) {
    ForwardDynamics dynamics(model, properties, solver);
    dynamics.calc_udot(state, udot, tau);
    lambda.assign(dynamics.constrained()->lambda().begin(), dynamics.constrained()->lambda().end());
  }

  std::shared_ptr<const Model> model;
  Properties<double> properties;
  State<double> state;
  std::vector<double> udot, lambda;
};

double largest(std::span<const double> values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

void expect_near(std::span<const double> found, std::span<const double> expected, double relative) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], relative * std::max(1.0, largest(expected))) << i;
  }
}

// Forces on the drives, forward dynamics, and the same forces back.
void expect_round_trip(const System& system, const std::vector<std::string>& drives) {
  Mechanism mechanism(system);
  DrivingForces inverse(*mechanism.model, mechanism.properties, drives);
  SplitMix random(7);
  std::vector<double> tau(mechanism.udot.size()), expected;
  for (const std::string& name : inverse.names()) {
    const auto& names = mechanism.model->u_names();
    const auto speed = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    tau.at(speed) = 20 * random.signed_unit();
    expected.push_back(tau.at(speed));
  }
  for (const char* solver : {"recursive", "kane"}) {
    mechanism.accelerate(tau, solver);
    EXPECT_GT(largest(mechanism.udot), 1.0);
    inverse.update(mechanism.state, mechanism.udot);
    expect_near(inverse.forces(), expected, 1e-10);
    expect_near(inverse.generalized_forces(), tau, 1e-10);
    expect_near(inverse.lambda(), mechanism.lambda, 1e-10);
  }
}

TEST(DrivingForces, OfAFourBarAreThoseThatForwardDynamicsWasGiven) {
  for (const char* drive : {"hip", "elbow", "heel"}) expect_round_trip(four_bar(), {drive});
}

TEST(DrivingForces, OfAStewartPlatformAreThoseThatForwardDynamicsWasGiven) {
  const std::vector<std::string> pistons{"piston0", "piston1", "piston2", "piston3", "piston4", "piston5"};
  expect_round_trip(stewart_platform(), pistons);
  expect_round_trip(stewart_platform(), {"flight"});
}

TEST(DrivingForces, OfAMechanismWithABarTooManyAreThoseThatForwardDynamicsWasGiven) {
  for (const char* drive : {"hinge_a", "hinge_c"}) expect_round_trip(parallelogram(), {drive});
}

// The motor of the model itself acts in forward dynamics; inverse dynamics of the model without it.
TEST(DrivingForces, OfAJointThatClosesALoopAreThoseOfAMotorThere) {
  System driven = four_bar();
  driven.add_joint_force("motor", "pin", 5.0);
  for (const char* coordinates : {"relative", "cartesian"}) {
    driven.analysis.coordinates = coordinates;
    System passive = driven;
    passive.forces.clear();
    Mechanism with(driven), without(passive);
    with.accelerate({}, "recursive");
    DrivingForces inverse(*without.model, without.properties, {"pin"});
    inverse.update(without.state, with.udot);
    EXPECT_NEAR(inverse.forces()[0], 5.0, 1e-9);
    without.accelerate({inverse.generalized_forces().begin(), inverse.generalized_forces().end()},
                       "recursive");
    expect_near(without.udot, with.udot, 1e-9);
  }
}

// A slider of mass m moves by a crank of radius r and a rod of length l without mass:
//   x = r cos a + sqrt(l^2 - r^2 sin^2 a),  tau = m x'' x'/a'
TEST(DrivingForces, OfACrankMoveASliderAsInClosedForm) {
  const double r = 0.3, l = 0.9, m = 4.0, a = 0.7, omega = 5.0;
  System system;
  system.add_body("crank", 0.0).add_point("tip", {r, 0, 0});
  system.add_body("rod", 0.0).add_point("tip", {l, 0, 0});
  system.add_body("slider", m);
  JointSpec& drive = system.add_joint("drive", "revolute", "ground.origin", "crank.origin");
  drive.axis = {0, 0, 1}, drive.q = a, drive.u = omega, drive.hold = true;
  system.add_joint("elbow", "revolute", "crank.tip", "rod.origin").axis = {0, 0, 1};
  JointSpec& rail = system.add_joint("rail", "prismatic", "ground.origin", "slider.origin");
  rail.axis = {1, 0, 0}, rail.q = r + l;
  system.add_joint("fork", "revolute", "rod.tip", "slider.origin").axis = {0, 0, 1};
  Mechanism mechanism(system);
  // The crank turns with constant speed; with b the angle of the rod, r sin a + l sin b = 0.
  const double b = std::asin(-r / l * std::sin(a));
  const double b_dot = -r * std::cos(a) * omega / (l * std::cos(b));
  const double b_ddot =
      (r * std::sin(a) * omega * omega + l * std::sin(b) * b_dot * b_dot) / (l * std::cos(b));
  const double x_dot = -r * std::sin(a) * omega - l * std::sin(b) * b_dot;
  const double x_ddot =
      -r * std::cos(a) * omega * omega - l * std::cos(b) * b_dot * b_dot - l * std::sin(b) * b_ddot;
  const auto& names = mechanism.model->u_names();
  ASSERT_THAT(names, testing::ElementsAre("drive.u", "elbow.u", "rail.u"));
  ASSERT_NEAR(mechanism.state.u[2], x_dot, 1e-12);
  DrivingForces inverse(*mechanism.model, mechanism.properties, {"drive"});
  inverse.update(mechanism.state, std::vector<double>{0.0, b_ddot, x_ddot});
  EXPECT_NEAR(inverse.forces()[0], m * x_ddot * x_dot / omega, 1e-11 * m * omega * omega);
}

// Two drives on one degree of freedom: (tau_1, tau_2) of least norm is along (u_1, u_2), and their power is
// that of one drive alone.
TEST(DrivingForces, HaveLeastNormIfThereAreMoreThanDegreesOfFreedom) {
  Mechanism mechanism(four_bar());
  mechanism.accelerate({7.0, 0.0, 0.0}, "kane");
  DrivingForces both(*mechanism.model, mechanism.properties, {"hip", "heel"});
  both.update(mechanism.state, mechanism.udot);
  const double hip = mechanism.state.u[0], heel = mechanism.state.u[2];
  EXPECT_NEAR(both.forces()[0] * heel, both.forces()[1] * hip, 1e-10);
  EXPECT_NEAR(both.forces()[0] * hip + both.forces()[1] * heel, 7.0 * hip, 1e-10);
}

// Motions take the part of the drives: their multipliers are the forces that drive.
TEST(DrivingForces, OfMotionsAreTheirMultipliers) {
  System system = four_bar();
  Mechanism passive(system);
  passive.accelerate({7.0, 0.0, 0.0}, "kane");
  system.add_motion("motor", "hip", "1 + 3*t + a*t^2/2");
  system.set_parameter("a", passive.udot[0]);
  Mechanism driven(system);
  DrivingForces inverse(*driven.model, driven.properties, {});
  inverse.update(driven.state, passive.udot);
  EXPECT_NEAR(inverse.lambda().back(), 7.0, 1e-9);
  EXPECT_EQ(driven.model->name_of_row(static_cast<int>(inverse.lambda().size()) - 1), "motor");
}

TEST(DrivingForces, AreRefusedForMotionsThatTheyCannotCause) {
  Mechanism mechanism(four_bar());
  mechanism.accelerate({7.0, 0.0, 0.0}, "kane");
  const auto with = [&](const std::vector<std::string>& drives, const auto& change) {
    State<double> state = mechanism.state;
    std::vector<double> udot = mechanism.udot;
    change(state, udot);
    DrivingForces(*mechanism.model, mechanism.properties, drives).update(state, udot);
  };
  const auto unchanged = [](auto&, auto&) {};
  EXPECT_THAT(message_of<ComputationError>([&] { with({}, unchanged); }),
              testing::HasSubstr("the drives cannot cause the motion: "));
  EXPECT_THAT(message_of<ComputationError>([&] { with({"hip"}, [](auto& s, auto&) { s.q[1] += 1e-3; }); }),
              testing::HasSubstr("the motion does not satisfy pin: the error of its position is"));
  EXPECT_THAT(message_of<ComputationError>([&] { with({"hip"}, [](auto& s, auto&) { s.u[1] += 1e-3; }); }),
              testing::HasSubstr("the motion does not satisfy pin: the error of its velocity is"));
  EXPECT_THAT(message_of<ComputationError>([&] { with({"hip"}, [](auto&, auto& udot) { udot[1] += 1; }); }),
              testing::HasSubstr("the motion does not satisfy pin: the error of its acceleration is"));
  EXPECT_THAT(message_of<ComputationError>([&] { with({"hip"}, [](auto&, auto& udot) { udot[1] = NAN; }); }),
              testing::HasSubstr("not finite"));
  EXPECT_THAT(message_of<InputError>([&] { with({"hop"}, unchanged); }),
              testing::HasSubstr("no joint and no speed is named 'hop'"));
  EXPECT_THAT(message_of<InputError>([&] {
                with({"hip", "hip.u"}, unchanged);
              }),
              testing::HasSubstr("drives: hip.u is given twice"));
}

}  // namespace
}  // namespace sestina
