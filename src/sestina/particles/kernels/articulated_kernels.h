// The inner loops of jointed bodies, compiled once for each instruction set: eight molecules of one structure
// at a time, one in each lane. See articulated_bodies.h for the equations.
//
// "In lanes" means eight consecutive numbers, one for each molecule. Bodies come after their parents; the
// first one is free.
#pragma once

#include <cstdint>

#include "sestina/parallel/instruction_set.h"

namespace sestina {

// How a body moves relative to its parent.
enum class BodyJoint : std::int32_t { kFree, kSpherical, kRevolute, kPrismatic };

// Each condition of a joint that closes a loop is one of these, between its first body and its second one.
enum class ClosingLaw : std::int32_t {
  kPlane,          // a point of the second body stays in a plane through a point of the first
  kPerpendicular,  // the angle between two directions, one on each body, stays constant
  kDistance        // the distance between two points, one on each body, stays constant
};

// Numbers for each body, in lanes.
namespace body_numbers {
// Constants. Vectors are in the body's frame, which has its origin at the centre of mass and the principal
// axes.
inline constexpr int kMass = 0;      // kg
inline constexpr int kInertia = 1;   // kg m^2, 3 principal moments
inline constexpr int kOwn = 4;       // m, the joint's point on the body
inline constexpr int kOnParent = 7;  // m, the joint's point on the parent, in the parent's frame
inline constexpr int kAxis = 10;     // of the joint, in the parent's frame
inline constexpr int kRest = 13;     // quaternion from body to parent where the coordinate is zero
inline constexpr int kConstants = 17;
// The state. `turn`: the body's quaternion (free, spherical), or cosine and sine of half the angle
// (revolute). `shift`: the centre of mass (free, m), or the displacement of the joint (prismatic, m).
inline constexpr int kTurn = 0, kShift = 4, kState = 7;
// The pose: the quaternion from body to world, and the centre of mass (m).
inline constexpr int kQuaternion = 0, kCentre = 4, kPose = 7;
// Momentum: angular, about the centre of mass (N m s), and linear (N s). Twist: angular velocity (rad/s) and
// velocity of the centre of mass (m/s). Wrench: torque about the centre of mass (N m) and force (N).
inline constexpr int kAngular = 0, kLinear = 3, kSpatial = 6;
inline constexpr int kScratch = 110;
// Constants of a condition, in lanes: directions and points in the frames of the bodies that have them.
inline constexpr int kFirstAlong = 0;  // the normal of the plane, or the first direction
inline constexpr int kSecondAlong = 3;
inline constexpr int kFirstPoint = 6, kSecondPoint = 9;  // m
inline constexpr int kOffset = 12;  // the constant value: m, m, or the cosine of the angle
inline constexpr int kCondition = 13;
// Numbers in lanes for a body of a molecule with conditions, and for each of its columns
// (closing_conditions.h).
inline constexpr int kLoopBody = 28, kColumn = 10;

// All scratch of a molecule, in lanes.
inline constexpr int scratch_of_molecule(int bodies, int conditions) {
  const int of_loops = conditions * (conditions + 2) + (kLoopBody + kColumn * conditions) * bodies;
  return kScratch * bodies + (conditions > 0 ? of_loops : 0);
}
// Returns the place in the scratch of the conditions' pivots after set_twists: the velocity along the
// condition per unit of its impulse while the conditions before it hold (1/kg, or 1/(kg m^2) for angles).
inline constexpr int pivots_in_scratch(int bodies) { return kScratch * bodies; }
}  // namespace body_numbers

struct BodyTree {
  int bodies = 0;
  const std::int32_t* parent;       // (bodies) -1: none
  const BodyJoint* joint;           // (bodies)
  const std::int32_t* child_begin;  // (bodies + 1)
  const std::int32_t* child;        // (bodies - 1)
  int conditions = 0;
  const ClosingLaw* law = nullptr;        // (conditions)
  const std::int32_t* closing = nullptr;  // (conditions x 2) the first body and the second one
};

// Up to eight molecules. Unused lanes repeat the first one, at rest.
struct JointedMolecules {
  BodyTree tree;
  const double* constants;  // (bodies x kConstants) in lanes
  double* state;            // (bodies x kState) in lanes
  double* pose;             // (bodies x kPose) in lanes
  double* momentum;         // (bodies x kSpatial) in lanes
  double* twist;            // (bodies x kSpatial) in lanes
  double* scratch;          // (scratch_of_molecule) in lanes
  double inverse_size;      // 1/m, of the molecule
  const double* condition;  // (conditions x kCondition) in lanes
};

// The atoms of bodies: `body` has as many of them as `begin` says, each in lanes.
struct BodyAtoms {
  int bodies = 0, used = 0;   // lanes
  const std::int32_t* begin;  // (bodies + 1)
  const std::int32_t* place;  // (atoms) in lanes, of the arrays of particles
  const double* offset;       // (atoms x 3) in lanes, m, in the body's frame
};

// Values of particles.
struct AtomArrays {
  double *x, *y, *z;
};
struct AtomForces {
  const double *x, *y, *z;
};

struct ArticulatedKernels {
  // Computes the pose from the state.
  void (*set_pose)(const JointedMolecules&);
  // Computes the twists that the joints allow, from the momenta.
  void (*set_twists)(const JointedMolecules&);
  // Moves by h, which changes state, pose and momenta. Returns false, with nothing changed, if the iteration
  // fails.
  bool (*advance)(const JointedMolecules&, double h);
  // Computes the wrenches of the atoms' forces.
  void (*set_wrenches)(const BodyAtoms&, const double* poses, const AtomForces&, double* wrenches);
  // Adds h times the wrenches to the momenta.
  void (*add_impulses)(int bodies, const double* wrenches, double h, double* momenta);
  // Puts the atoms where their bodies are; `shift` (atoms x 3, in lanes, m) is added.
  void (*put_positions)(const BodyAtoms&, const double* poses, const double* shift,
                        const AtomArrays& positions);
};

// Returns the kernels for an instruction set, which must be available.
const ArticulatedKernels& articulated_kernels(InstructionSet set);

}  // namespace sestina
