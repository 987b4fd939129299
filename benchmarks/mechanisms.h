// The mechanisms that benchmarks share: revolute chains, binary trees and spherical chains of equal links.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "sestina/model/system.h"

namespace sestina::benchmarks {

// Numbers in (-1, 1) that are the same everywhere (splitmix64, Steele, Lea and Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return std::ldexp(static_cast<double>(z >> 11), -52) - 1.0;
  }

 private:
  std::uint64_t state_;
};

// Mass 1 kg, mass centre (0.5, 0, 0) m, inertia diag(0.01, 0.0833, 0.0833) kg m^2.
inline BodySpec& add_link(System& system, const std::string& name) {
  BodySpec& link = system.add_body(name, 1.0);
  link.center_of_mass = {0.5, 0, 0};
  link.inertia.xx = 0.01;
  link.inertia.yy = link.inertia.zz = 0.0833;
  return link;
}

inline std::string link_name(int i) { return "link" + std::to_string(i); }

// n links end to end; revolute axes y, z, y, z, ..., or spherical joints.
inline System make_chain(int n, bool is_spherical = false) {
  System system;
  system.gravity = {0, 0, -9.81};
  Random random(100);
  for (int i = 0; i < n; ++i) {
    add_link(system, link_name(i)).add_point("tip", {1, 0, 0});
    JointSpec& joint =
        system.add_joint("joint" + std::to_string(i), is_spherical ? "spherical" : "revolute",
                         i == 0 ? "ground.origin" : link_name(i - 1) + ".tip", link_name(i) + ".origin");
    if (is_spherical) {
      const double x = random.next(), y = random.next(), z = random.next(), w = random.next();
      const double norm = std::sqrt(w * w + x * x + y * y + z * z);
      joint.q = {w / norm, x / norm, y / norm, z / norm};
      joint.u = {random.next(), random.next(), random.next()};
    } else {
      joint.axis = i % 2 == 0 ? Triple{0, 1, 0} : Triple{0, 0, 1};
      joint.q = {random.next()};
      joint.u = {random.next()};
    }
  }
  return system;
}

// A complete binary tree of n links: the children of i are 2i+1 and 2i+2, at (1, +0.2, 0) and (1, -0.2, 0);
// axis y for even i, z for odd.
inline System make_binary_tree(int n) {
  System system;
  system.gravity = {0, 0, -9.81};
  Random random(100);
  for (int i = 0; i < n; ++i) {
    BodySpec& link = add_link(system, link_name(i));
    link.add_point("left", {1, 0.2, 0});
    link.add_point("right", {1, -0.2, 0});
    const std::string parent =
        i == 0 ? "ground.origin" : link_name((i - 1) / 2) + (i % 2 == 1 ? ".left" : ".right");
    JointSpec& joint =
        system.add_joint("joint" + std::to_string(i), "revolute", parent, link_name(i) + ".origin");
    joint.axis = i % 2 == 0 ? Triple{0, 1, 0} : Triple{0, 0, 1};
    joint.q = {random.next()};
    joint.u = {random.next()};
  }
  return system;
}

}  // namespace sestina::benchmarks
