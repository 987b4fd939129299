// Universal (Hooke, Cardan): a rotation about an axis fixed in F, then about one fixed in M.
//
//      F ----+ axis            R_FM = Rot(axis, q0) Rot(second_axis, q1)
//            |\ second_axis
//            +----- M
//
// q: the two angles (rad). u: their rates (rad/s). In F the second axis is b = Rot(axis, q0) second_axis, so
// that H = [axis, b; 0, 0] and dH/dt u = [axis x b u0 u1; 0]. Singular only if the two axes are parallel,
// which perpendicular axes never are.
#pragma once

#include "sestina/joints/joint.h"

namespace sestina {

template <class T>
struct Universal : PlainCoordinates<T, 2> {
  Vec3<T> axis{T(1), T(0), T(0)};         // unit, components in F
  Vec3<T> second_axis{T(0), T(1), T(0)};  // unit, components in M

  static constexpr std::string_view kKeyword = "universal";
  static constexpr std::array<std::string_view, 2> kQUnits{"rad", "rad"};
  static constexpr std::array<std::string_view, 2> kUUnits{"rad/s", "rad/s"};

  Pose<T> pose(const T* q) const {
    return {axis_rotation(axis, q[0]) * axis_rotation(second_axis, q[1]), {}};
  }
  JointColumns<T, 2> H(const T* q) const { return {{{axis, {}}, {turned_second_axis(q), {}}}}; }
  SpatialMotion<T> bias_acceleration(const T* q, const T* u) const {
    return {(u[0] * u[1]) * cross(axis, turned_second_axis(q)), {}};
  }

 private:
  Vec3<T> turned_second_axis(const T* q) const { return axis_rotation(axis, q[0]) * second_axis; }
};

}  // namespace sestina
