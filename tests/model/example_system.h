// A system with something of everything that freeze() reads, for tests that spoil one thing at a time.
#pragma once

#include <memory>

#include "sestina/model/freeze.h"

namespace sestina::testing_support {

class NoForce : public UserForce {
  void add_force(double, std::span<const BodyMotion<double>>,
                 std::span<SpatialForce<double>>) const override {}
};

// ground --shoulder (revolute)--> arm --elbow (universal)--> hand --wrist (spherical)--> ball
//        --rail (screw)--> cart,   box floats.
inline System example_system() {
  System system;
  system.name = "example";
  system.set_parameter("l", 0.8);
  system.set_parameter("m", 2.0);
  system.set_parameter("heavy", "3*m + l");
  system.gravity = {0, 0, -9.81};
  system.add_ground_point("post", {1, 2, "l"});
  BodySpec& arm = system.add_body("arm", "m");
  arm.center_of_mass = {"l/2", 0, 0};
  arm.inertia = {.xx = 0.01, .yy = "m*l^2/12", .zz = "m*l^2/12"};
  arm.add_point("tip", {"l", 0, 0}).axes = RotationSpec::rpy(0, 0, 0.5);
  BodySpec& hand = system.add_body("hand", 1.0);
  hand.inertia = {.xx = 0.1, .yy = 0.1, .zz = 0.1};
  hand.add_point("palm", {0, 0.1, 0}).axes = RotationSpec::axis_angle({0, 0, 1}, "l");
  BodySpec& ball = system.add_body("ball", "heavy");
  ball.inertia = {.xx = 0.3, .yy = 0.4, .zz = 0.5};
  system.add_body("cart", 4.0).inertia = {.xx = 1, .yy = 1, .zz = 1};
  BodySpec& box = system.add_body("box", 5.0);
  box.inertia = {.xx = 1, .yy = 2, .zz = 2, .xy = 0.1};
  box.add_point("corner", {1, 1, 1}).axes = RotationSpec::euler_parameters(1, 0, 0, 0);
  box.add_point("edge", {1, 1, 0}).axes =
      RotationSpec::matrix({Triple{0, -1, 0}, Triple{1, 0, 0}, Triple{0, 0, 1}});

  JointSpec& shoulder = system.add_joint("shoulder", "revolute", "ground.origin", "arm.origin");
  shoulder.axis = {0, 0, 2}, shoulder.armature = 0.1, shoulder.q = {0.3}, shoulder.u = {"l"};
  JointSpec& elbow = system.add_joint("elbow", "universal", "arm.tip", "hand.origin");
  elbow.axis = {1, 0, 0}, elbow.second_axis = {0, 1, 0}, elbow.q = {0.1, 0.2};
  JointSpec& wrist = system.add_joint("wrist", "spherical", "hand.palm", "ball.origin");
  wrist.q = {0.6, 0, 0.8, 0}, wrist.u = {1, 2, 3};
  JointSpec& rail = system.add_joint("rail", "screw", "ground.post", "cart.origin");
  rail.axis = {1, 1, 0}, rail.pitch = 0.01;

  ForceSpec& spring = system.add_force("spring", "joint_spring");
  spring.joint = "elbow", spring.stiffness = {2, 3}, spring.reference = {0.1};
  ForceSpec& damper = system.add_force("damper", "joint_damper");
  damper.joint = "rail", damper.damping = {"m/4"};
  ForceSpec& drive = system.add_force("drive", "joint_force");
  drive.joint = "shoulder", drive.value = {"sin(t) - m*elbow.u[1]"};
  ForceSpec& band = system.add_force("band", "spring_damper");
  band.from = "box.corner", band.to = "ground.post";
  band.stiffness = {10}, band.damping = {1}, band.free_length = 0.5;
  ForceSpec& push = system.add_force("push", "point_force");
  push.at = "ball.origin", push.value = {1, "wrist.q[0]", "t"}, push.axes = "body";
  ForceSpec& gust = system.add_force("gust", "point_torque");
  gust.at = "box.edge";
  gust.table =
      TableSpec{"gust.csv", {"x", "y", "z"}, "cubic", {0, 1, 2}, {{0, 1, 0}, {1, 1, 1}, {2, 0, 1}}, {}};
  system.add_user_force("none", std::make_shared<NoForce>());
  return system;
}

}  // namespace sestina::testing_support
