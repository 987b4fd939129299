// Mechanisms with closed loops, in terms that no engine owns: a tree of mechanism.h, and conditions that
// close its loops.
#pragma once

#include "mechanism.h"

namespace peers {

// A frame K fixed on a link.
struct LinkFrame {
  int link = -1;                            // -1: the ground
  Vector3 position{};                       // m, in the link's frame
  EulerParameters orientation{1, 0, 0, 0};  // of K in the link's frame
};

enum class ClosureType {
  kPoint,  // the origins of both frames coincide: 3 rows
  kHinge,  // their z axes too: 5 rows
  kFrame,  // all axes too: 6 rows
};

struct Closure {
  ClosureType type = ClosureType::kPoint;
  LinkFrame a, b;
};

struct LoopMechanism {
  std::string name;
  Mechanism tree;
  std::vector<Closure> closures;
  // Coordinates (tree.nq) near which states are made, and how far they are moved from there at random (rad,
  // m) before the loops are closed again.
  std::vector<double> nominal_q;
  double spread = 0.0;

  int rows() const;
};

// n parallelograms in series: each has two cranks of 1 m on the coupler before it, or on the ground. The
// closure is the joint between the second crank and the coupler.
LoopMechanism make_four_bars(int n, ClosureType type);
// A chain of n links (mechanism.h) in the shape of a polygon, with its tip joined to the ground at its root.
LoopMechanism make_ring(int n, ClosureType type);
// Six legs with universal joint, slide and ball. The first one carries the platform.
LoopMechanism make_stewart_platform();
// The humanoid of mechanism.h with both feet fixed to the ground.
LoopMechanism make_humanoid_on_feet();

}  // namespace peers
