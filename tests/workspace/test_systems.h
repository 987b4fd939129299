// Systems for the tests of runs.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>

#include "sestina/model/system.h"

namespace sestina::test {

// A drag on every body, as a user would write one.
class Drag final : public UserForce {
 public:
  void add_force(double, std::span<const BodyMotion<double>> bodies,
                 std::span<SpatialForce<double>> forces) const override {
    for (std::size_t b = 1; b < bodies.size(); ++b) {
      forces[b] += {-0.002 * bodies[b].V_WB.w, -0.01 * bodies[b].V_WB.v};
    }
  }
};

// A floating base that carries an arm with a joint of most types, in motion, with every force element there
// is but the given forces (add_given_forces). Everything is smooth, so that rules show their order.
inline System make_robot() {
  System system;
  system.name = "robot";
  system.set_parameter("l", 0.4);
  system.gravity = {0, 0, -9.81};
  const auto add_link = [&](const char* name, double mass, double size) -> BodySpec& {
    BodySpec& body = system.add_body(name, mass);
    body.center_of_mass = {0.02, 0.5 * size, -0.01};
    body.inertia = {.xx = 0.09 * mass * size * size,
                    .yy = 0.05 * mass * size * size,
                    .zz = 0.11 * mass * size * size,
                    .xy = 0.004 * mass * size * size,
                    .xz = -0.003 * mass * size * size};
    body.add_point("tip", {0, "l", 0.1});
    return body;
  };
  add_link("base", 3.0, 0.5);
  add_link("shoulder", 1.0, 0.4);
  add_link("upper", 0.8, 0.4);
  add_link("lower", 0.6, 0.4);
  add_link("hand", 0.3, 0.3);
  system.add_ground_point("anchor", {0.3, -0.2, 1.5});
  auto& flight = system.add_joint("flight", "free", "ground.origin", "base.origin");
  flight.q = {0, 0, 0, 0.8, 0, 0.6, 0};
  flight.u = {0.5, -0.4, 0.3, 0.2, 0.1, 1};
  auto& ball = system.add_joint("ball", "spherical", "base.tip", "shoulder.origin");
  ball.q = {0.6, 0, 0, 0.8};
  ball.u = {1, 0.5, -2};
  auto& cross = system.add_joint("cross", "universal", "shoulder.tip", "upper.origin");
  cross.axis = {1, 0, 0};
  cross.second_axis = {0, 0, 1};
  cross.q = {0.4, -0.3};
  cross.u = {-1, 1.5};
  auto& elbow = system.add_joint("elbow", "revolute", "upper.tip", "lower.origin");
  elbow.axis = {1, 1, 0};
  elbow.q = {0.7};
  elbow.armature = 0.01;
  auto& reach = system.add_joint("reach", "cylindrical", "lower.tip", "hand.origin");
  reach.axis = {0, 1, 0};
  reach.u = {2, 0.1};

  auto& spring = system.add_force("spring", "joint_spring");
  spring.joint = "cross";
  spring.stiffness = {3, 4};
  spring.reference = {0.1};
  auto& friction = system.add_force("friction", "joint_damper");
  friction.joint = "elbow";
  friction.damping = {0.05};
  auto& hold = system.add_force("hold", "joint_spring");
  hold.joint = "reach";
  hold.stiffness = {1, 60};
  auto& strut = system.add_force("strut", "spring_damper");
  strut.from = "ground.anchor";
  strut.to = "base.tip";
  strut.stiffness = {40};
  strut.damping = {2};
  strut.free_length = 0.8;
  return system;
}

// Forces by expressions, a table and user code.
inline void add_given_forces(System& system) {
  auto& drive = system.add_force("drive", "joint_force");
  drive.joint = "elbow";
  drive.value = {"0.3*sin(3*t) - 0.02*elbow.u*abs(elbow.u) - l*reach.q[1]"};
  auto& push = system.add_force("push", "point_force");
  push.at = "hand.tip";
  push.axes = "body";
  push.value = {"0.1*cos(t)", 0.05, "-0.1*flight.u[5]"};
  auto& twist = system.add_force("twist", "point_torque");
  twist.at = "shoulder.origin";
  twist.value = {0, "0.02*exp(-t)", "-0.01*ball.u[2]"};
  auto& table = system.add_force("table", "joint_force");
  table.joint = "cross";
  table.table = TableSpec{};
  table.table->columns = {"a", "b"};
  table.table->interpolation = "cubic";
  table.table->time = {0, 0.2, 0.5, 1};
  table.table->values = {{0, 0.1, 0.1, 0}, {0, -0.1, 0.2, 0}};
  system.add_user_force("air", std::make_shared<Drag>());
}

// Ten equal links, 1 kg and 1 m each, on revolute joints about y and z in turn, released at rest with the
// second joint turned by 0.3 rad.
inline System make_hanging_chain(int n = 10) {
  System system;
  system.name = "chain";
  system.gravity = {0, 0, -9.81};
  for (int i = 0; i < n; ++i) {
    auto& link = system.add_body(fmt::format("link{}", i), 1.0);
    link.center_of_mass = {0.5, 0, 0};
    link.inertia = {.xx = 0.01, .yy = 0.0833, .zz = 0.0833};
    link.add_point("end", {1, 0, 0});
    auto& joint = system.add_joint(fmt::format("joint{}", i), "revolute",
                                   i == 0 ? std::string("ground.origin") : fmt::format("link{}.end", i - 1),
                                   fmt::format("link{}.origin", i));
    joint.axis = {0, i % 2 == 0 ? 1 : 0, i % 2 == 0 ? 0 : 1};
  }
  system.joint("joint1").q = {0.3};
  return system;
}

// A mass on a rail along x, driven by an expression of t, slide.q and slide.u.
inline System make_slide(std::string force, double q = 0.0, double u = 0.0) {
  System system;
  system.name = "slide";
  system.add_particle("mass", 1.0);
  auto& slide = system.add_joint("slide", "prismatic", "ground.origin", "mass.origin");
  slide.axis = {1, 0, 0};
  slide.q = {q};
  slide.u = {u};
  auto& drive = system.add_force("drive", "joint_force");
  drive.joint = "slide";
  drive.value = {std::move(force)};
  return system;
}

// A chain of two links that swings between two walls of one side, and a ratchet that counts and holds: events
// of each kind, which set speeds, a coordinate and variables, together and one after the other.
inline System make_bouncing_chain() {
  System system;
  system.name = "bouncing chain";
  system.gravity = {0, -9.81, 0};
  for (const char* name : {"upper", "lower"}) {
    BodySpec& body = system.add_body(name, 1.0);
    body.center_of_mass = {0, -0.2, 0};
    body.inertia = {.xx = 0.01, .yy = 0.002, .zz = 0.012};
    body.add_point("tip", {0, -0.4, 0});
  }
  auto& hip = system.add_joint("hip", "revolute", "ground.origin", "upper.origin");
  hip.axis = {0, 0, 1};
  hip.q = {1.0};
  auto& knee = system.add_joint("knee", "revolute", "upper.tip", "lower.origin");
  knee.axis = {0, 0, 1};
  knee.q = {-0.5};
  knee.u = {-4};
  system.set_variable("bounces", 0);
  system.set_variable("held", 0);
  auto& hold = system.add_force("hold", "joint_force");
  hold.joint = "knee";
  hold.value = {"-held*20*knee.q - 0.01*knee.u"};
  system.add_event("wall", "hip.q", "falling").set = {{"hip.u", "-0.9*hip.u"}, {"bounces", "bounces + 1"}};
  system.add_event("stop", "knee.q + 0.8", "falling").set = {{"knee.u", "-0.8*knee.u"}, {"knee.q", "-0.8"}};
  system.add_event("ratchet", "bounces - 2", "rising").set = {{"held", "1 - held"}, {"bounces", "0"}};
  system.add_event("tick", "sin(20*t)").set = {};
  return system;
}

}  // namespace sestina::test
