// Revolute: M turns about an axis fixed in F and M.
//
//        axis ^  q (right-hand rule)
//             | )
//      F -----o===== M
//
// q: angle (rad). u: its rate (rad/s). H = [axis; 0]. No singularity.
#pragma once

#include "sestina/joints/joint.h"

namespace sestina {

template <class T>
struct Revolute : PlainCoordinates<T, 1> {
  Vec3<T> axis{T(0), T(0), T(1)};  // unit, the same components in F and M

  static constexpr std::string_view kKeyword = "revolute";
  static constexpr std::array<std::string_view, 1> kQUnits{"rad"};
  static constexpr std::array<std::string_view, 1> kUUnits{"rad/s"};

  Pose<T> pose(const T* q) const { return {axis_rotation(axis, q[0]), {}}; }
  JointColumns<T, 1> H(const T*) const { return {{{axis, {}}}}; }
};

}  // namespace sestina
