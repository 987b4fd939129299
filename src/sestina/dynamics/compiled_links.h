// A model as the compiled recursions walk it: a tree of links with one elementary joint each, in frames that
// leave as few numbers as possible different from zero. All of it is plain numbers.
//
// Elementary joints turn or slide along the z axis of their link, both at a pitch, or turn every way. A
// universal joint is two of them, a free one four, with links without mass between; what is welded is one
// link. Where a joint has an axis the link's frame has its z axis on it, and its origin and its x axis on the
// common normal to the axis of the first joint outboard (Denavit and Hartenberg 1955; Craig, Introduction to
// Robotics, ch. 3), so that from a link to the next there are
//   a shift along x, a turn about x, a shift along z, the turn about z by q + a constant
// and in general a shift by any vector and a turn about z before.
//
// Mass that lies on the axis of a joint that turns feels the joint in no way: it is counted to the link
// inboard, where it is at rest too (the minimal parameters of Khalil and Dombre, Modeling, Identification and
// Control of Robots, ch. 9). The same holds of the moments of inertia of what slides, and of the mass at the
// centre of a ball. Masses pass over at most kMostRegrouped joints: inertias that are known as differences of
// ever larger ones would lose digits on long chains.
#pragma once

#include <vector>

#include "sestina/model/model.h"

namespace sestina {

inline constexpr int kMostRegrouped = 12;

// Cosine and sine of a constant angle; exactly 0, 1 or -1 where they are that to round-off.
struct ConstantTurn {
  double cos = 1.0, sin = 0.0;
};

struct CompiledLink {
  enum class Kind { kTurn, kSlide, kScrew, kBall };

  Kind kind = Kind::kTurn;
  BodyIndex body;    // whose joint it is part of
  int parent = -1;   // link; -1: the ground
  int q = 0, u = 0;  // its first coordinate and speed
  double pitch = 0.0;
  double armature = 0.0;

  // From the parent's frame, in the order in which one gets here: a shift (m, the parent's axes), turns
  // about z and x, a shift along z, and the angle that is added to that of the joint (rad).
  Vec3<double> shift;
  ConstantTurn before_x, about_x, about_z;
  double along_z = 0.0;
  double angle = 0.0;

  // In the link's frame about its origin: mass (kg), its first moments (kg m) and second moments
  // integral r r^T dm (kg m^2).
  double mass = 0.0;
  Vec3<double> first;
  SymMat3<double> second;

  // Of a link on the ground: the acceleration less gravity of what is at rest, axes of its base (m/s^2).
  Vec3<double> base_acceleration;
  // Inertia (kg m^2 or kg) that nothing outboard falls much short of: what a vanishing pivot is small beside.
  double scale = 0.0;
};

// Parents before children.
std::vector<CompiledLink> make_compiled_links(const Model& model, const Properties<double>& properties);

}  // namespace sestina
