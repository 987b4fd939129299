// Systems on which the state-time formulation is tried.
#pragma once

#include <string>

#include "dynamics/random_systems.h"
#include "sestina/model/freeze.h"
#include "sestina/model/system.h"

namespace sestina::test {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

inline std::vector<double> random_numbers(std::size_t count, std::uint64_t seed) {
  testing_support::SplitMix random(seed);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = random.signed_unit();
  return numbers;
}

// The planar double pendulum of Anderson and Oghbaei (2005): two rods, angles from the downward vertical.
inline System double_pendulum() {
  System system;
  system.name = "double pendulum";
  system.gravity = {0, -2.0, 0};
  const auto add_rod = [&](const char* name, double mass, double length) {
    BodySpec& body = system.add_body(name, mass);
    body.center_of_mass = {0, -length / 2, 0};
    body.inertia = {.xx = mass * length * length / 12, .zz = mass * length * length / 12};
    body.add_point("tip", {0, -length, 0});
  };
  add_rod("upper", 1.0, 0.8);
  add_rod("lower", 0.5, 1.0);
  JointSpec& hip = system.add_joint("hip", "revolute", "ground.origin", "upper.origin");
  hip.axis = {0, 0, 1}, hip.q = 1.0, hip.u = 1.0;
  JointSpec& knee = system.add_joint("knee", "revolute", "upper.tip", "lower.origin");
  knee.axis = {0, 0, 1}, knee.q = 0.2, knee.u = -2.0;
  return system;
}

// Links of 0.5 m and 1 kg that swing in space from a sheared start.
inline System spherical_chain(int links) {
  System system;
  system.gravity = {0, 0, -9.81};
  for (int i = 0; i < links; ++i) {
    const std::string name = "link" + std::to_string(i);
    BodySpec& body = system.add_body(name, 1.0);
    body.center_of_mass = {0, 0, -0.25};
    body.inertia = {.xx = 0.02, .yy = 0.025, .zz = 0.005};
    body.add_point("tip", {0, 0, -0.5});
    const std::string parent = i == 0 ? "ground.origin" : "link" + std::to_string(i - 1) + ".tip";
    JointSpec& joint = system.add_joint("joint" + std::to_string(i), "spherical", parent, name + ".origin");
    const double angle = i == 0 ? 0.4 : 0.05;
    joint.q = {std::cos(angle / 2), std::sin(angle / 2), 0, 0};
    joint.u = {0.3, i % 2 == 0 ? 0.5 : -0.4, 0.2};
  }
  return system;
}

// Links of 0.5 m and 1 kg on hinges that turn about x and y in turn, each with a spring and a damper.
inline System sprung_chain(int links) {
  System system = spherical_chain(links);
  for (int i = 0; i < links; ++i) {
    JointSpec& joint = system.joints[static_cast<std::size_t>(i)];
    joint.type = "revolute";
    joint.axis = i % 2 == 0 ? Triple{1, 0, 0} : Triple{0, 1, 0};
    joint.q = i == 0 ? 0.4 : 0.05, joint.u = i % 2 == 0 ? 0.5 : -0.4;
    system.add_joint_spring("spring" + std::to_string(i), joint.name.text, 20.0);
    system.add_joint_damper("damper" + std::to_string(i), joint.name.text, 0.1);
  }
  return system;
}

// A trunk with three branches of two links each, by revolute, universal and spherical joints.
inline System branched_tree() {
  System system;
  system.gravity = {0.5, -9.81, 1.0};
  const auto add_link = [&](const std::string& name, double mass) {
    BodySpec& body = system.add_body(name, mass);
    body.center_of_mass = {0.2, 0.01, 0};
    body.inertia = {.xx = 0.01, .yy = 0.03, .zz = 0.025};
    body.add_point("a", {0.4, 0, 0});
    body.add_point("b", {0.3, 0.1, 0});
    body.add_point("c", {0.3, -0.1, 0.05});
  };
  add_link("trunk", 2.0);
  JointSpec& root = system.add_joint("root", "spherical", "ground.origin", "trunk.origin");
  root.u = {0.4, -0.3, 0.5};
  const char* types[] = {"revolute", "universal", "spherical"};
  for (int i = 0; i < 3; ++i) {
    const std::string inner = "inner" + std::to_string(i), outer = "outer" + std::to_string(i);
    add_link(inner, 1.0), add_link(outer, 0.5);
    JointSpec& first =
        system.add_joint(inner + "_joint", types[i], std::string("trunk.") + "abc"[i], inner + ".origin");
    if (i < 2) first.axis = {0, 0.6, 0.8};
    if (i == 1) first.second_axis = {0, -0.8, 0.6};
    if (i == 0) first.u = 1.0;
    JointSpec& second = system.add_joint(outer + "_joint", "revolute", inner + ".a", outer + ".origin");
    second.axis = {0, 0, 1}, second.q = 0.3 * (i + 1), second.u = -0.5;
  }
  return system;
}

// A heavy symmetric top on its tip.
inline System heavy_top() {
  System system;
  system.gravity = {0, 0, -9.81};
  BodySpec& top = system.add_body("top", 1.0);
  top.center_of_mass = {0, 0, 0.3};
  top.inertia = {.xx = 0.02, .yy = 0.02, .zz = 0.01};
  JointSpec& tip = system.add_joint("tip", "spherical", "ground.origin", "top.origin");
  tip.q = {std::cos(0.25), std::sin(0.25), 0, 0};
  tip.u = {0, -40.0 * std::sin(0.5), 40.0 * std::cos(0.5)};
  return system;
}

// Links on screws, whose pitch is 0.1 m/rad.
inline System screwed_links() {
  System system = branched_tree();
  for (const char* name : {"inner0_joint", "outer0_joint", "outer2_joint"}) {
    system.joint(name).type = "screw", system.joint(name).pitch = 0.1;
  }
  return system;
}

// A random tree of all joints and forces that have state-time equations.
inline System random_state_time_system(std::uint64_t seed, int bodies) {
  testing_support::RandomSystemOptions options;
  options.bodies = bodies;
  System system = testing_support::RandomSystem(seed, options).make();
  for (JointSpec& joint : system.joints) {
    joint.armature.reset();
  }
  return system;
}

}  // namespace sestina::test
