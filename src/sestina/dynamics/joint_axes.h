// The numbers of a model in the form for the recursion of joint_axes_recursion.h: each body has its own axes,
// chosen so that a revolute joint needs as few products as possible.
//
// The axes K of a body are fixed in it. For a body on a revolute joint, z is the joint's axis. The rotation
// from the parent's axes to K is then
//   R_PK(q) = Rz(yaw) Rx(twist) Rz(q + offset)
// with the Euler angles as constants. Prismatic joints (without q there) and screws are treated alike. K may
// still be rotated about its own z, which changes the offset; it is chosen so that the first child on a
// revolute joint has no yaw. A chain of such joints then has one twist and one offset for each: the angles of
// Denavit and Hartenberg; x is along the common normal of the two joints or, if they are parallel, towards
// the child. The axes of other bodies and of the ground are those of their first child's joint, which then
// has no constants at all, or a right angle if the joint after it has one: joints of one kind are eliminated
// in one loop.
//
// The origin of K is Mo; for a body on a revolute joint it is the point of the joint's axis nearest to the
// origin of the parent's K. In the axes N before the joint's own rotation, which R_PN = Rz(yaw) Rx(twist)
// transforms to the parent's, it is therefore at s = (s_x, s_y, 0).
//
// The usual twists, 0 and a right angle, cost nothing: Rx(-90 deg) is replaced by Rx(-90 deg) Rz(-90 deg),
// which permutes the axes without a change of sign (x, y, z of the child are z, x, y of the parent), and the
// offset includes the other 90 degrees.
//
// Source: McMillan and Orin, Efficient computation of articulated-body inertias using successive axial
// screws, IEEE Trans. Robotics and Automation 11 (1995) 4.
#pragma once

#include <cstdint>

#include "sestina/model/model.h"
#include "sestina/model/properties.h"

namespace sestina {

enum class Twist : std::uint8_t { kNone, kQuarter, kAny };

// Decisions that hold for all states and, if sets of properties differ, for all of these sets.
struct JointAxesStructure {
  bool has_axis = false;  // a revolute, prismatic or screw joint; the others apply to these only
  bool is_turn = false;   // a revolute joint
  Twist twist = Twist::kAny;
  bool has_yaw = true;
  bool has_armature = true;
  bool is_shift_along_normal = false;  // s is along the common normal: x, or y after renaming
  bool has_simple_inertia = false;     // J is diagonal, h along x

  // Returns the structure that holds for both.
  JointAxesStructure operator&(const JointAxesStructure& b) const;
};

// P: one number for all lanes, or one for each lane.
template <class P>
struct BodyInAxes {
  // H = [turn e_z; slide e_z]: 1 and 0 of a revolute joint, 0 and 1 of a prismatic one, 1 and the pitch of a
  // screw.
  P turn{1}, slide{0};
  P offset{};  // rad, added to the angle
  P cos_offset{1}, sin_offset{0};
  P cos_twist{1}, sin_twist{0};
  P cos_yaw{1}, sin_yaw{0};
  Vec3<P> s;     // m, from the parent's origin for q = 0, in N; without an axis: to F's origin, in parent's K
  P armature{};  // kg m^2 or kg
  P mass{};      // kg
  Vec3<P> h;     // kg m, mass times mass centre, in K
  SymMat3<P> J;  // kg m^2, about the origin of K, in K
  SymMat3<P> S;  // kg m^2, second moments: the integral of r r^T dm, r from the origin of K, in K
};
// Separate from BodyInAxes because few bodies need them: joints without an axis, forces on bodies.
template <class P>
struct FramesInAxes {
  Rotation<P> R_PF;  // from F to the parent's axes
  Rotation<P> R_MK;  // from K to M
  P slide{};         // m, of the origin of K from Mo along z
};

template <class P>
struct ModelInAxes {
  Vec3<P> gravity;                      // m/s^2, in the axes of the ground's K
  std::vector<BodyInAxes<P>> bodies;    // by BodyIndex
  std::vector<FramesInAxes<P>> frames;  // by BodyIndex
};

// A body and its joint as the choice of axes needs them.
struct JointedBody {
  int parent = 0;  // its index; parents come before children, and 0 is the ground
  AnyJoint<double> joint;
  Pose<double> X_PF;
  double armature = 0.0;  // kg m^2 or kg
  double mass = 0.0;      // kg
  Vec3<double> c;         // m, mass centre in M
  SymMat3<double> J_com;  // kg m^2, about the mass centre, in M
};

struct JointAxes {
  // `may_rename`: right angles may be made by a permutation of axes. This must be false if sets of properties
  // differ in which twists are right angles.
  JointAxes(const Model& model, const Properties<double>& properties, bool may_rename = true);
  // The first of `tree` is the ground.
  JointAxes(const std::vector<JointedBody>& tree, const Vec3<double>& gravity, bool may_rename = true);

  ModelInAxes<double> numbers;
  std::vector<JointAxesStructure> structure;  // by BodyIndex
};

}  // namespace sestina
