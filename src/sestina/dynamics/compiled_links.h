// A model in the form that the compiled recursions use: a tree of links with one elementary joint each, in
// frames chosen so that as few numbers as possible differ from zero. All of it is plain numbers.
//
// An elementary joint rotates about or translates along the z axis of its link, does both with a pitch, or is
// spherical. A universal joint becomes two of them and a free joint four, with massless links between; bodies
// that are welded together become one link. A link whose joint has an axis has its z axis on that axis, and
// its origin and x axis on the common normal to the axis of the first outboard joint (Denavit and Hartenberg
// 1955; Craig, Introduction to Robotics, ch. 3). The path from a link to the next is then
//   a shift along x, a rotation about x, a shift along z, the rotation about z by q + a constant
// and in general a shift by any vector and a rotation about z before it.
//
// Mass on the axis of a rotating joint is not moved by that joint: it is assigned to the inboard link, on
// which it is at rest too (the minimal parameters of Khalil and Dombre, Modeling, Identification and Control
// of Robots, ch. 9). The same holds for the moments of inertia of a translating link and for mass at the
// centre of a spherical joint. Masses move inboard across at most kMostRegrouped joints, because on long
// chains inertias would become differences of ever larger numbers.
#pragma once

#include <vector>

#include "sestina/model/model.h"

namespace sestina {

inline constexpr int kMostRegrouped = 12;

// Cosine and sine of a constant angle; exactly 0, 1 or -1 where they equal that to round-off.
struct ConstantTurn {
  double cos = 1.0, sin = 0.0;
};

struct CompiledLink {
  enum class Kind { kTurn, kSlide, kScrew, kBall };

  Kind kind = Kind::kTurn;
  BodyIndex body;    // the body whose joint this elementary joint belongs to
  int parent = -1;   // link; -1: the ground
  int q = 0, u = 0;  // its first coordinate and speed
  double pitch = 0.0;
  double armature = 0.0;

  // Path from the parent's frame, in this order: a shift (m, parent's axes), rotations about z and x, a shift
  // along z (m), and the constant that is added to the joint's angle (rad).
  Vec3<double> shift;
  ConstantTurn before_x, about_x, about_z;
  double along_z = 0.0;
  double angle = 0.0;

  // Link's axes, about the link's origin: mass (kg), its first moments (kg m) and its second moments, the
  // integral of r r^T dm (kg m^2).
  double mass = 0.0;
  Vec3<double> first;
  SymMat3<double> second;

  // Only for a link on the ground: acceleration (m/s^2) of a body at rest less gravity, axes of the base.
  Vec3<double> base_acceleration;
  // Scale of the joint's inertia (kg m^2 or kg); a pivot counts as vanished relative to it.
  double scale = 0.0;
};

// Returns the links, parents before children.
std::vector<CompiledLink> make_compiled_links(const Model& model, const Properties<double>& properties);

}  // namespace sestina
