// Gondola: M rides on a circle and keeps its orientation, like a cabin of a Ferris wheel.
//
//            z |    . - .
//              |  /       \        p_FM = radius [sin q, 0, 1 - cos q],  R_FM = 1
//              | |    +    |
//              |  \   |q  M        M's origin begins at the lowest point of the circle, which is F's origin;
//              |    ' F '  --- x   the circle lies in the plane of F's x and z.
//
// q: angle (rad), from the lowest point towards x. u: its rate (rad/s).
// H = [0; radius (cos q, 0, sin q)], dH/dt u = [0; radius u^2 (-sin q, 0, cos q)]. No singularity.
#pragma once

#include "sestina/joints/joint.h"

namespace sestina {

template <class T>
struct Gondola : PlainCoordinates<T, 1> {
  T radius{};  // m

  static constexpr std::string_view kKeyword = "gondola";
  static constexpr std::array<std::string_view, 1> kQUnits{"rad"};
  static constexpr std::array<std::string_view, 1> kUUnits{"rad/s"};

  Pose<T> pose(const T* q) const {
    const auto [s, c] = sincos(q[0]);
    return {Rotation<T>::identity(), {radius * s, T(0), radius * (T(1) - c)}};
  }
  JointColumns<T, 1> H(const T* q) const {
    const auto [s, c] = sincos(q[0]);
    return {{{{}, {radius * c, T(0), radius * s}}}};
  }
  SpatialMotion<T> bias_acceleration(const T* q, const T* u) const {
    const auto [s, c] = sincos(q[0]);
    const T r_uu = radius * u[0] * u[0];
    return {{}, {-r_uu * s, T(0), r_uu * c}};
  }
};

}  // namespace sestina
