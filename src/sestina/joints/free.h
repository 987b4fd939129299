// Free: no constraint at all; the joint only supplies coordinates.
//
// q: position of M's origin in F, x y z (m), then the Euler parameters e0 e1 e2 e3 of R_FM.
// u: w_FM_F (rad/s), then v_FM_F (m/s): angular first, unlike q. H = 1. No singularity.
#pragma once

#include "sestina/joints/joint.h"

namespace sestina {

template <class T>
struct Free {
  static constexpr std::string_view kKeyword = "free";
  static constexpr int kNq = 7;
  static constexpr int kNu = 6;
  static constexpr std::array<std::string_view, 7> kQUnits{"m", "m", "m", "1", "1", "1", "1"};
  static constexpr std::array<std::string_view, 6> kUUnits{"rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s"};

  Pose<T> pose(const T* q) const { return {euler_parameter_rotation(q + 3), {q[0], q[1], q[2]}}; }
  JointColumns<T, 6> H(const T*) const {
    JointColumns<T, 6> columns{};
    for (int i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(i);
      columns[k].w[i] = T(1);
      columns[k + 3].v[i] = T(1);
    }
    return columns;
  }
  SpatialMotion<T> bias_acceleration(const T*, const T*) const { return {}; }
  static void q_dot(const T* q, const T* u, T* qdot) {
    for (int i = 0; i < 3; ++i) qdot[i] = u[3 + i];
    EulerParameters<T>::q_dot(q + 3, u, qdot + 3);
  }
  static void plus(const T* q, const T* d, T* q_out) {
    for (int i = 0; i < 3; ++i) q_out[i] = q[i] + d[3 + i];
    EulerParameters<T>::plus(q + 3, d, q_out + 3);
  }
  static void minus(const T* q_b, const T* q_a, T* d) {
    for (int i = 0; i < 3; ++i) d[3 + i] = q_b[i] - q_a[i];
    EulerParameters<T>::minus(q_b + 3, q_a + 3, d);
  }
  static void set_identity(T* q) {
    q[0] = q[1] = q[2] = T(0);
    EulerParameters<T>::set_identity(q + 3);
  }
  static void normalize(T* q) { EulerParameters<T>::normalize(q + 3); }
};

}  // namespace sestina
