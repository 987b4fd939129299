// Mechanisms with loops and constraints on which the state-time formulation is tried.
#pragma once

#include <fmt/format.h>

#include "sestina/model/system.h"

namespace sestina::test {

// Six bars and six hinges at right angles, Bricard's mechanism: 36 - 30 - 6 = 0 degrees of freedom by
// counting, one in truth. A joint between a bar and the ground closes the loop.
inline System bricard_linkage() {
  System system;
  system.gravity = {0, -9.81, 0};
  const double corners[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const double axes[6][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  system.add_ground_point("end", {0, 0, 1});
  std::string parent = "ground.origin";
  for (int i = 0; i < 6; ++i) {
    const std::string child = i < 5 ? fmt::format("bar{}.origin", i) : "ground.end";
    if (i < 5) {
      double d[3];
      for (int k = 0; k < 3; ++k) d[k] = corners[i + 1][k] - corners[i][k];
      BodySpec& bar = system.add_body(fmt::format("bar{}", i), 1.0);
      bar.center_of_mass = {d[0] / 2, d[1] / 2, d[2] / 2};
      const double along = 0.01 / 6.0, across = (1.0 + 0.01) / 12.0;
      const auto J = [&](int k) { return d[k] != 0.0 ? along : across; };
      bar.inertia = {.xx = J(0), .yy = J(1), .zz = J(2)};
      bar.add_point("tip", {d[0], d[1], d[2]});
    }
    system.add_joint(fmt::format("h{}", i), "revolute", parent, child).axis = {axes[i][0], axes[i][1],
                                                                               axes[i][2]};
    parent = fmt::format("bar{}.tip", i);
  }
  return system;
}

// A body in space on two rods, one of its points on a plane and another on a line of a sliding block.
inline System constrained_body() {
  System system;
  system.gravity = {0.5, -9.81, 1.0};
  system.add_ground_point("left", {-0.6, 0.8, 0.1});
  system.add_ground_point("plane", {0, 0, 0.02});
  BodySpec& block = system.add_body("block", 2.0);
  block.inertia = {.xx = 0.02, .yy = 0.03, .zz = 0.04};
  block.center_of_mass = {0.05, 0.02, 0};
  block.add_point("groove", {0.1, 0.05, 0});
  system.add_joint("turn", "universal", "ground.origin", "block.origin").axis = {0, 0, 1};
  system.joints.back().second_axis = {0, 1, 0}, system.joints.back().u = {0.5, 0.2};
  BodySpec& body = system.add_body("body", 1.0);
  body.inertia = {.xx = 0.01, .yy = 0.015, .zz = 0.02};
  body.center_of_mass = {0.02, -0.03, 0.01};
  body.add_point("a", {0.2, 0.1, 0});
  body.add_point("b", {-0.2, 0.05, 0.1});
  body.add_point("c", {0, -0.15, 0.02});
  system.add_joint("float", "free", "ground.origin", "body.origin").q = {0.1, 0.2, 0, 1, 0, 0, 0};
  system.add_distance("rod", "ground.left", "body.b", 0.8);
  system.add_point_on_plane("table", "body.c", "ground.plane", {0, 0, 1});
  system.add_point_on_line("groove", "body.a", "block.groove", {0.6, 0.8, 0});
  return system;
}

// Two hinges and a slider, coupled by a gear, driven by a motion, with a rope that is wound up.
inline System driven_gear() {
  System system;
  system.gravity = {0, -9.81, 0};
  for (const char* name : {"a", "b", "c"}) {
    BodySpec& body = system.add_body(name, 1.0);
    body.center_of_mass = {0.2, 0.03, 0.01};
    body.inertia = {.xx = 0.02, .yy = 0.03, .zz = 0.04};
    body.add_point("tip", {0.5, 0, 0.1});
  }
  system.add_particle("bob", 0.5);
  system.add_joint("drive", "revolute", "ground.origin", "a.origin").axis = {0, 0, 1};
  system.add_joint("turn", "revolute", "a.tip", "b.origin").axis = {0, 0.6, 0.8};
  system.add_joint("slide", "prismatic", "b.tip", "c.origin").axis = {1, 0, 0};
  system.add_joint("place", "xyz", "ground.origin", "bob.origin").q = {0.5, 1, 0};
  system.add_coupling("gear", {{"turn.q", 2}, {"slide.q", 1}});
  system.add_motion("motor", "drive", {"sin(2*t)"});
  system.add_distance("rope", "b.tip", "bob.origin", "1.2 - 0.3*t");
  return system;
}

}  // namespace sestina::test
