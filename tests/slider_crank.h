// A spatial slider-crank whose loop is closed by a universal joint.
#pragma once

#include "sestina/model/system.h"

namespace sestina::test {

// The spatial slider-crank of examples/17_slider_crank.yaml, with the axes of all bodies along those of the
// ground at the start: the universal joint begins where its directions are along the axes of F.
inline System make_slider_crank() {
  System system;
  system.gravity = {0, 0, -9.81};
  system.ground_points.push_back({.name = "bearing", .position = {0, 0.1, 0.12}, .axes = {}});
  BodySpec& crank = system.add_body("crank", 0.12);
  crank.center_of_mass = {0, 0, 0.04};
  crank.inertia.xx = crank.inertia.yy = 1e-4, crank.inertia.zz = 1e-5;
  crank.add_point("pin", {0, 0, 0.08});
  BodySpec& rod = system.add_body("rod", 0.5);  // along (2, -1, -2)/3; 4e-3 kg m^2, 4e-4 along it
  rod.center_of_mass = {0.1, -0.05, -0.1};
  rod.inertia = {.xx = 2.4e-3, .yy = 3.6e-3, .zz = 2.4e-3, .xy = 8e-4, .xz = 1.6e-3, .yz = -8e-4};
  rod.add_point("end", {0.2, -0.1, -0.2});
  BodySpec& slider = system.add_body("slider", 2.0);
  slider.inertia.xx = slider.inertia.yy = slider.inertia.zz = 1e-4;
  JointSpec& drive = system.add_joint("drive", "revolute", "ground.bearing", "crank.origin");
  drive.axis = {1, 0, 0}, drive.u = {6};
  system.add_joint("ball", "spherical", "crank.pin", "rod.origin");
  JointSpec& rail = system.add_joint("rail", "prismatic", "ground.origin", "slider.origin");
  rail.axis = {1, 0, 0}, rail.q = {0.2};
  JointSpec& fork = system.add_joint("fork", "universal", "slider.origin", "rod.end");
  fork.axis = {0, 1, 0}, fork.second_axis = {1, 0, 0};
  return system;
}

}  // namespace sestina::test
