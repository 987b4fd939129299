// Cylindrical: M turns about an axis and slides along it, independently.
//
// q: angle (rad), displacement (m). u: their rates. H = [axis, 0; 0, axis]. No singularity.
#pragma once

#include "sestina/joints/joint.h"

namespace sestina {

template <class T>
struct Cylindrical : PlainCoordinates<T, 2> {
  Vec3<T> axis{T(0), T(0), T(1)};  // unit, the same components in F and M

  static constexpr std::string_view kKeyword = "cylindrical";
  static constexpr std::array<std::string_view, 2> kQUnits{"rad", "m"};
  static constexpr std::array<std::string_view, 2> kUUnits{"rad/s", "m/s"};

  Pose<T> pose(const T* q) const { return {axis_rotation(axis, q[0]), q[1] * axis}; }
  JointColumns<T, 2> H(const T*) const { return {{{axis, {}}, {{}, axis}}}; }
};

}  // namespace sestina
