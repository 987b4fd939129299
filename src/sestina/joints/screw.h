// Screw: M turns about an axis and advances along it in proportion.
//
// q: angle (rad); the displacement along the axis is pitch q, pitch in m/rad, positive for a right-handed
// thread. u: rate of the angle (rad/s). H = [axis; pitch axis]. No singularity.
#pragma once

#include "sestina/joints/joint.h"

namespace sestina {

template <class T>
struct Screw : PlainCoordinates<T, 1> {
  Vec3<T> axis{T(0), T(0), T(1)};  // unit, the same components in F and M
  T pitch{};                       // m/rad

  static constexpr std::string_view kKeyword = "screw";
  static constexpr std::array<std::string_view, 1> kQUnits{"rad"};
  static constexpr std::array<std::string_view, 1> kUUnits{"rad/s"};

  Pose<T> pose(const T* q) const { return {axis_rotation(axis, q[0]), (pitch * q[0]) * axis}; }
  JointColumns<T, 1> H(const T*) const { return {{{axis, pitch * axis}}}; }
};

}  // namespace sestina
