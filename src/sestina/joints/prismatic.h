// Prismatic: M slides along an axis fixed in F and M, without turning.
//
//      F ----[====]--> axis
//            |-q->| M
//
// q: displacement of M's origin along the axis (m). u: its rate (m/s). H = [0; axis]. No singularity.
#pragma once

#include "sestina/joints/joint.h"

namespace sestina {

template <class T>
struct Prismatic : PlainCoordinates<T, 1> {
  Vec3<T> axis{T(0), T(0), T(1)};  // unit, the same components in F and M

  static constexpr std::string_view kKeyword = "prismatic";
  static constexpr std::array<std::string_view, 1> kQUnits{"m"};
  static constexpr std::array<std::string_view, 1> kUUnits{"m/s"};

  Pose<T> pose(const T* q) const { return {Rotation<T>::identity(), q[0] * axis}; }
  JointColumns<T, 1> H(const T*) const { return {{{{}, axis}}}; }
};

}  // namespace sestina
