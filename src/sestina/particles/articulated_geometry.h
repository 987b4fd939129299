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

// A body as its joint to the parent connects it; positions in one image.
struct BodyDescription {
  std::vector<PointMass> points;
  double inertia = 0.0;  // kg m^2, about any axis, beside that of the points
  int parent = -1;       // an earlier body
  ParticleJoint joint = ParticleJoint::kFree;
  Vec3<double> at{}, axis{}, second_axis{};  // of the joint; axes of any length
};

// A joint that closes a loop, in the image of each of its bodies.
struct ClosureDescription {
  std::array<int, 2> bodies{};  // descriptions
  ParticleJoint joint = ParticleJoint::kSpherical;
  std::array<Vec3<double>, 2> points{};  // m, of each body; at one place unless they keep a distance
  double distance = 0.0;                 // m
  Vec3<double> axis{}, second_axis{};    // of any length
  int particle = -1;                     // that names it
};

struct BuiltMolecule {
  JointedMolecule molecule;  // with bodies without mass, which joints of two or three coordinates consist of
  std::vector<int> part_of;  // the body of each description
};

BuiltMolecule build_molecule(const std::vector<BodyDescription>& descriptions,
                             const std::vector<ClosureDescription>& closures);

}  // namespace sestina
