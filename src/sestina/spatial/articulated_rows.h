// The articulated inertia and the bias force of the recursion, laid out for SIMD lanes: the symmetric
//   I = [ J  B ; B^T  m ]   by rows of its three blocks, and   z = [torque; force].
//
// Equations are those of ArticulatedInertia; J and m are stored with all nine numbers, because an operation
// on a row costs no more than one on a number.
#pragma once

#include "sestina/spatial/lanes3.h"
#include "sestina/spatial/spatial.h"

namespace sestina {

template <class T>
struct ForceLanes {
  Lanes3<T> torque, force;

  [[gnu::always_inline]] ForceLanes& operator+=(const ForceLanes& b) {
    torque += b.torque;
    force += b.force;
    return *this;
  }
  [[gnu::always_inline]] void shift_back(const Lanes3<T>& s) { torque += cross(s, force); }
  [[gnu::always_inline]] SpatialForce<T> unpacked() const { return {to_vec3(torque), to_vec3(force)}; }
};
template <class T>
[[gnu::always_inline]] inline ForceLanes<T> operator*(const T& s, const ForceLanes<T>& a) {
  return {s * a.torque, s * a.force};
}
template <class T>
[[gnu::always_inline]] inline T dot(const SpatialMotion<T>& a, const ForceLanes<T>& f) {
  const Lanes3<T> p = Lanes3<T>(a.w) * f.torque + Lanes3<T>(a.v) * f.force;
  return p[0] + p[1] + p[2];
}

template <class T>
struct ArticulatedRows {
  Lanes3<T> J[3], B[3], m[3];
  ForceLanes<T> z;

  // Sets I and z of a rigid body without children; w: its angular velocity; `applied`: forces on it, or null.
  [[gnu::always_inline]] void start(const RigidInertia<T>& M, const Lanes3<T>& w,
                                    const SpatialForce<T>* applied) {
    const T o(0);
    Lanes3<T>::symmetric_rows(M.J, J);
    Lanes3<T>::cross_rows(M.mass * Lanes3<T>(M.c), B);
    m[0] = {M.mass, o, o}, m[1] = {o, M.mass, o}, m[2] = {o, o, M.mass};
    start_bias(M, w, applied);
  }
  // Adds I and z of a rigid body to those of its children.
  [[gnu::always_inline]] void add(const RigidInertia<T>& M, const Lanes3<T>& w,
                                  const SpatialForce<T>* applied) {
    ArticulatedRows own;
    own.start(M, w, applied);
    *this += own;
  }
  [[gnu::always_inline]] ArticulatedRows& operator+=(const ArticulatedRows& b) {
    for (int i = 0; i < 3; ++i) J[i] += b.J[i], B[i] += b.B[i], m[i] += b.m[i];
    z += b.z;
    return *this;
  }

  // I [w; 0]
  [[gnu::always_inline]] ForceLanes<T> times_turn(const Vec3<T>& w) const {
    return {w.x * J[0] + w.y * J[1] + w.z * J[2], w.x * B[0] + w.y * B[1] + w.z * B[2]};
  }
  // I a
  [[gnu::always_inline]] ForceLanes<T> times(const SpatialMotion<T>& a) const {
    const Lanes3<T> v(a.v);
    ForceLanes<T> f = times_turn(a.w);
    f.torque += row_sums(B[0] * v, B[1] * v, B[2] * v);
    f.force += a.v.x * m[0] + a.v.y * m[1] + a.v.z * m[2];
    return f;
  }
  // Shifts I and z from the point at s = p_PQ back to P: with d = [s]x m,
  //   B' = B + d,   J' = J + Y + Y^T,   rows of Y: s x (B_i + d_i / 2) = s/2 x (B_i + B'_i)
  [[gnu::always_inline]] void shift_back(const Vec3<T>& s) {
    const Lanes3<T> s_lanes(s), half_s = T(0.5) * s_lanes;
    const Lanes3<T> shifted[3] = {B[0] + (s.y * m[2] - s.z * m[1]), B[1] + (s.z * m[0] - s.x * m[2]),
                                  B[2] + (s.x * m[1] - s.y * m[0])};
    Lanes3<T> Y[3];
    for (int i = 0; i < 3; ++i) {
      Y[i] = cross(half_s, B[i] + shifted[i]);
      J[i] += Y[i];
      B[i] = shifted[i];
    }
    transpose(Y);
    for (int i = 0; i < 3; ++i) J[i] += Y[i];
    z.shift_back(s_lanes);
  }
  // I -= U W^T, where W is U times a number.
  [[gnu::always_inline]] void subtract_outer(const SpatialForce<T>& U, const ForceLanes<T>& W) {
    for (int i = 0; i < 3; ++i) {
      J[i] -= U.torque[i] * W.torque;
      B[i] -= U.torque[i] * W.force;
      m[i] -= U.force[i] * W.force;
    }
  }

 private:
  [[gnu::always_inline]] void start_bias(const RigidInertia<T>& M, const Lanes3<T>& w,
                                         const SpatialForce<T>* applied) {
    const Vec3<T> turning = to_vec3(w);
    const Lanes3<T> spin = turning.x * J[0] + turning.y * J[1] + turning.z * J[2];
    z.torque = cross(w, spin);
    z.force = M.mass * cross(w, cross(w, Lanes3<T>(M.c)));
    if (applied == nullptr) return;
    z.torque -= Lanes3<T>(applied->torque);
    z.force -= Lanes3<T>(applied->force);
  }
};

}  // namespace sestina
