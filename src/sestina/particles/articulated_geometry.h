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

struct BuiltMolecule {
  JointedMolecule bodies;    // with those without mass, which joints of two or three coordinates consist of
  std::vector<int> part_of;  // the body of each description
};

BuiltMolecule build_molecule(const std::vector<BodyDescription>& descriptions);

}  // namespace sestina
