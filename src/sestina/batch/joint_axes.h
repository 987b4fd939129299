// The numbers of a model as the recursion of lane_recursion.h wants them: each body in axes of its own
// choice, so that passing a revolute joint takes as few products as there can be.
//
// The axes K of a body are fixed in it. Of a body on a revolute joint, z is the joint's axis. The rotation
// from the parent's axes to them is then
//   R_PK(q) = Rz(yaw) Rx(twist) Rz(q + offset)
// with constants that every rotation between two axes has (Euler's angles). About its own z, K may still be
// turned at will, at the price of an offset; it is turned so that the first child on a revolute joint has no
// yaw. So a chain of such joints has a twist and an offset each: the angles of Denavit and Hartenberg; x is
// along the common normal of the two joints, and where they are parallel, towards the child. The axes of
// other bodies, and of the ground, are those of their first child's joint, which then has no constants at
// all, or a right angle where the joint beyond it has one: joints of one kind are eliminated in one loop.
//
// The origin of K is Mo; of a body on a revolute joint it is the point of the joint's axis that is nearest to
// the origin of the parent's K. So seen before its own turn, in the axes N that R_PN = Rz(yaw) Rx(twist)
// takes to the parent's, it stands at s = (s_x, s_y, 0).
//
// Twists of 0 and of a right angle, the usual ones, cost nothing: in place of Rx(-90 deg) stands
// Rx(-90 deg) Rz(-90 deg), which renames the axes without a change of sign (x, y, z of the child are z, x, y
// of the parent), and the offset takes the other 90 degrees.
//
// Source: McMillan and Orin, Efficient computation of articulated-body inertias using successive axial
// screws, IEEE Trans. Robotics and Automation 11 (1995) 4.
#pragma once

#include <cstdint>

#include "sestina/model/model.h"
#include "sestina/model/properties.h"

namespace sestina {

enum class Twist : std::uint8_t { kNone, kQuarter, kAny };

// What is decided once for all states and, where sets of properties differ, for all of them alike.
struct JointAxesStructure {
  bool is_turn = false;  // a revolute joint; the others apply to these only
  Twist twist = Twist::kAny;
  bool has_yaw = true;
  bool has_armature = true;
  bool is_shift_along_normal = false;  // s is along the common normal: x, or y where axes were renamed
  bool has_simple_inertia = false;     // J is diagonal, h along x

  // What holds for both.
  JointAxesStructure operator&(const JointAxesStructure& b) const;
};

// P: one number for all lanes, or one for each.
template <class P>
struct BodyInAxes {
  P offset{};  // rad, added to the angle
  P cos_twist{1}, sin_twist{0};
  P cos_yaw{1}, sin_yaw{0};
  Vec3<P> s;     // m, from the parent's origin, in N; not revolute: to F's origin, in the parent's K
  P armature{};  // kg m^2 or kg
  P mass{};      // kg
  Vec3<P> h;     // kg m, mass times mass centre, in K
  SymMat3<P> J;  // kg m^2, about the origin of K, in K
};
// Apart from these, because few bodies need them: joints that are not revolute, bodies on which a force acts.
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

struct JointAxes {
  // `may_rename`: whether right angles may be made by new names for the axes. Where sets of properties differ
  // in which twists are right angles, none may.
  JointAxes(const Model& model, const Properties<double>& properties, bool may_rename = true);

  ModelInAxes<double> numbers;
  std::vector<JointAxesStructure> structure;  // by BodyIndex
};

}  // namespace sestina
