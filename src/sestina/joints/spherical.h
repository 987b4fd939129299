// Spherical: M turns freely about its origin, which stays at F's.
//
// q: Euler parameters e0 e1 e2 e3 of R_FM, scalar first. u: w_FM_F, the angular velocity of M in F in the
// axes of F (rad/s). H = [1; 0]. No singularity; the norm of q is kept by normalize().
#pragma once

#include "sestina/joints/joint.h"

namespace sestina {

template <class T>
struct Spherical : EulerParameters<T> {
  static constexpr std::string_view kKeyword = "spherical";
  static constexpr int kNq = 4;
  static constexpr int kNu = 3;
  static constexpr std::array<std::string_view, 4> kQUnits{"1", "1", "1", "1"};
  static constexpr std::array<std::string_view, 3> kUUnits{"rad/s", "rad/s", "rad/s"};

  Pose<T> pose(const T* q) const { return {euler_parameter_rotation(q), {}}; }
  JointColumns<T, 3> H(const T*) const {
    return {{{{T(1), T(0), T(0)}, {}}, {{T(0), T(1), T(0)}, {}}, {{T(0), T(0), T(1)}, {}}}};
  }
  SpatialMotion<T> bias_acceleration(const T*, const T*) const { return {}; }
};

}  // namespace sestina
