// Molecules of jointed bodies from points with masses.
#pragma once

#include <array>
#include <vector>

#include "sestina/particles/articulated_bodies.h"
#include "sestina/particles/particle_model.h"

namespace sestina {

struct PointMass {
  Vec3<double> at;    // m
  double mass = 0.0;  // kg
};

// A body and the joint that connects it to its parent; all positions are in one image.
struct BodyDescription {
  std::vector<PointMass> points;
  double inertia = 0.0;  // kg m^2, about any axis, in addition to that of the points
  int parent = -1;       // an earlier body
  ParticleJoint joint = ParticleJoint::kFree;
  Vec3<double> at{}, axis{}, second_axis{};  // of the joint; axes of any length
};

// A joint that closes a loop; positions are in the images of its bodies.
struct ClosureDescription {
  std::array<int, 2> bodies{};  // descriptions
  ParticleJoint joint = ParticleJoint::kSpherical;
  std::array<Vec3<double>, 2> points{};  // m, on each body; at one place unless they keep a distance
  double distance = 0.0;                 // m
  Vec3<double> axis{}, second_axis{};    // of any length
  int particle = -1;                     // the particle that names it
};

struct BuiltMolecule {
  JointedMolecule molecule;  // including the massless bodies within joints of two or three coordinates
  std::vector<int> part_of;  // the body of each description
};

BuiltMolecule build_molecule(const std::vector<BodyDescription>& descriptions,
                             const std::vector<ClosureDescription>& closures);

}  // namespace sestina
