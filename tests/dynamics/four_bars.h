// Mechanisms of hinged bars with closed loops, of any length, for tests and benchmarks.
#pragma once

#include <cmath>
#include <string>

#include "sestina/model/system.h"

namespace sestina::testing_support {

inline std::string numbered(const char* kind, int i) { return kind + std::to_string(i); }

inline void add_bar(System& system, const std::string& name, Triple tip) {
  BodySpec& bar = system.add_body(name, 1.0);
  bar.inertia = {.xx = 0.09, .yy = 0.09, .zz = 0.09};
  bar.add_point("tip", std::move(tip));
}

inline JointSpec& add_hinge(System& system, const std::string& name, const std::string& from,
                            const std::string& to, double q) {
  JointSpec& hinge = system.add_joint(name, "revolute", from, to);
  hinge.axis = {0, 0, 1}, hinge.q = {q};
  return hinge;
}

// A parallelogram that stands on two points a metre apart.
inline void add_four_bar(System& system, int i, const std::string& left, const std::string& right) {
  add_bar(system, numbered("crank", i), {0, 1, 0});
  add_bar(system, numbered("rocker", i), {0, 1, 0});
  add_bar(system, numbered("coupler", i), {1, 0, 0});
  const double angle = i % 2 == 0 ? 0.4 : -0.4;  // rad, from the vertical
  add_hinge(system, numbered("left", i), left, numbered("crank", i) + ".origin", angle).u = {0.3};
  add_hinge(system, numbered("right", i), right, numbered("rocker", i) + ".origin", angle);
  add_hinge(system, numbered("top", i), numbered("crank", i) + ".tip", numbered("coupler", i) + ".origin",
            -angle);
  add_hinge(system, numbered("pin", i), numbered("coupler", i) + ".tip", numbered("rocker", i) + ".tip",
            angle);
}

inline System four_bars_in_series(int n) {
  System system;
  system.gravity = {0, -9.81, 0};
  system.add_ground_point("tip", {1, 0, 0});
  for (int i = 0; i < n; ++i) {
    const std::string base = i == 0 ? "ground" : numbered("coupler", i - 1);
    add_four_bar(system, i, base + ".origin", base + ".tip");
  }
  return system;
}

inline System four_bars_side_by_side(int n) {
  System system;
  system.gravity = {0, -9.81, 0};
  for (int i = 0; i <= n; ++i) system.add_ground_point(numbered("p", i), {i, 0, 0});
  for (int i = 0; i < n; ++i) {
    add_four_bar(system, i, "ground." + numbered("p", i), "ground." + numbered("p", i + 1));
  }
  return system;
}

// A regular polygon whose first corner is on the ground.
inline System ring_of_bars(int n) {
  System system;
  system.gravity = {0, -9.81, 0};
  const double angle = 2.0 * std::acos(-1.0) / n;
  for (int i = 0; i < n; ++i) {
    add_bar(system, numbered("bar", i), {1, 0, 0});
    const std::string from = i == 0 ? "ground.origin" : numbered("bar", i - 1) + ".tip";
    add_hinge(system, numbered("hinge", i), from, numbered("bar", i) + ".origin", angle).u = {0.1 * (i % 3)};
  }
  add_hinge(system, "pin", numbered("bar", n - 1) + ".tip", "ground.origin", 0.0);
  return system;
}

}  // namespace sestina::testing_support
