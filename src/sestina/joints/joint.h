// The definition of a joint, and the functions that every joint type offers.
//
// A joint sits between a frame F on the parent body and a frame M on the child; where q is the identity
// (zero, or the Euler parameters 1 0 0 0) F and M coincide.
//
//   X_FM(q)           pose of M in F
//   V_FM_F = H(q) u   velocity of M in F: [angular velocity; velocity of M's origin], axes of F
//   A_FM_F = H(q) udot + bias,   bias = dH/dt u, the time derivative taken in F
//
// A joint type J<T> offers, always in this order:
//   parameters                     its axes (unit vectors), pitch, ...: plain data
//   kKeyword                       its name in a model file
//   kNq, kNu                       numbers of coordinates and speeds
//   kQUnits, kUUnits               their units
//   pose(q)                        X_FM
//   H(q)                           the kNu columns of H
//   bias_acceleration(q, u)        dH/dt u
//   q_dot(q, u, qdot)              rates of the coordinates
//   plus(q, d, q_out)              q moved by the displacement d = u dt of constant speeds; q_out may be q
//   minus(q_b, q_a, d)             the displacement that plus() needs to go from q_a to q_b
//   set_identity(q), normalize(q)  the q where F and M coincide; Euler parameters brought back to norm one
// The laws that these functions must satisfy are in tests/joints/joint_laws.h, once for all joints.
#pragma once

#include <array>
#include <concepts>
#include <string_view>

#include "sestina/spatial/spatial.h"

namespace sestina {

template <class T, int nu>
using JointColumns = std::array<SpatialMotion<T>, static_cast<std::size_t>(nu)>;

template <class J, class T>
concept JointFor = requires(const J joint, const T* q, const T* u, T* out) {
  { J::kKeyword } -> std::convertible_to<std::string_view>;
  { J::kNq } -> std::convertible_to<int>;
  { J::kNu } -> std::convertible_to<int>;
  { J::kQUnits[0] } -> std::convertible_to<std::string_view>;
  { J::kUUnits[0] } -> std::convertible_to<std::string_view>;
  { joint.pose(q) } -> std::same_as<Pose<T>>;
  { joint.H(q) } -> std::same_as<JointColumns<T, J::kNu>>;
  { joint.bias_acceleration(q, u) } -> std::same_as<SpatialMotion<T>>;
  {J::q_dot(q, u, out)};
  {J::plus(q, u, out)};
  {J::minus(q, q, out)};
  {J::set_identity(out)};
  {J::normalize(out)};
};

// Base of joints whose coordinates are plain numbers: u is the rate of q.
template <class T, int n>
struct PlainCoordinates {
  static constexpr int kNq = n;
  static constexpr int kNu = n;

  SpatialMotion<T> bias_acceleration(const T*, const T*) const { return {}; }
  static void q_dot(const T*, const T* u, T* qdot) {
    for (int i = 0; i < n; ++i) qdot[i] = u[i];
  }
  static void plus(const T* q, const T* d, T* q_out) {
    for (int i = 0; i < n; ++i) q_out[i] = q[i] + d[i];
  }
  static void minus(const T* q_b, const T* q_a, T* d) {
    for (int i = 0; i < n; ++i) d[i] = q_b[i] - q_a[i];
  }
  static void set_identity(T* q) {
    for (int i = 0; i < n; ++i) q[i] = T(0);
  }
  static void normalize(T*) {}
};

// The orientation part shared by the spherical and the free joint: q = e0 e1 e2 e3, u = w_FM_F.
template <class T>
struct EulerParameters {
  static void q_dot(const T* e, const T* w, T* e_dot) {
    euler_parameter_rate(e, Vec3<T>{w[0], w[1], w[2]}, e_dot);
  }
  static void plus(const T* e, const T* d, T* e_out) {
    turn_euler_parameters(e, Vec3<T>{d[0], d[1], d[2]}, e_out);
  }
  static void minus(const T* e_b, const T* e_a, T* d) {
    const Vec3<T> r = rotation_between(e_b, e_a);
    d[0] = r.x, d[1] = r.y, d[2] = r.z;
  }
  static void set_identity(T* e) { e[0] = T(1), e[1] = e[2] = e[3] = T(0); }
  static void normalize(T* e) {
    const T s = T(1) / sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (int i = 0; i < 4; ++i) e[i] = s * e[i];
  }
};

}  // namespace sestina
