// A model in the form that the compiled recursions use: a tree of links with one elementary joint each, in
// the axes of joint_axes.h. All of it is plain numbers.
//
// An elementary joint rotates about or translates along an axis, does both with a pitch, or is spherical. A
// universal joint becomes two of them and a free joint four, with massless links between; bodies that are
// welded together become one link.
//
// Mass on the axis of a rotating joint is not moved by that joint: it is assigned to the inboard link, on
// which it is at rest too (the minimal parameters of Khalil and Dombre, Modeling, Identification and Control
// of Robots, ch. 9). The same holds for the moments of inertia of a translating link and for mass at the
// centre of a spherical joint. Masses move inboard across at most kMostRegrouped joints, because on long
// chains inertias would become differences of ever larger numbers.
#pragma once

#include <vector>

#include "sestina/dynamics/joint_axes.h"
#include "sestina/dynamics/tree_layout.h"

namespace sestina {

inline constexpr int kMostRegrouped = 12;

struct CompiledLinks {
  TreeLayout tree;                       // with the model's coordinates and speeds
  std::vector<AnyJoint<double>> joints;  // by link; the first is the ground
  ModelInAxes<double> numbers;           // after regrouping
  std::vector<JointAxesStructure> structure;
  // By speed: the scale of the joint's inertia (kg m^2 or kg); a pivot counts as vanished relative to it.
  std::vector<double> scales;
};

CompiledLinks make_compiled_links(const Model& model, const Properties<double>& properties);

}  // namespace sestina
