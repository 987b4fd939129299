// Spatial vectors and inertias: six-dimensional velocities, accelerations and forces, angular part first.
//
// Everything is in one set of axes, about a stated point. Accelerations are the classical ones: `v` is the
// acceleration of the point of the body that is at the reference point (not the spatial acceleration of
// screw theory), so that no linear velocity enters the equations of motion.
//
//   shift a motion from point P to point Q of the same body, s = p_PQ:   v_Q = v_P + w x s
//   shift a force from Q to P:                                           torque_P = torque_Q + s x f
#pragma once

#include "sestina/spatial/rotation.h"

namespace sestina {

// Velocity [w; v], acceleration [alpha; a], or one column of a joint's H.
template <class T>
struct SpatialMotion {
  Vec3<T> w;  // rad/s, rad/s^2
  Vec3<T> v;  // m/s, m/s^2

  SpatialMotion& operator+=(const SpatialMotion& b) {
    w += b.w;
    v += b.v;
    return *this;
  }
};

// [torque; force], or [angular; linear] momentum.
template <class T>
struct SpatialForce {
  Vec3<T> torque;  // N m
  Vec3<T> force;   // N

  SpatialForce& operator+=(const SpatialForce& b) {
    torque += b.torque;
    force += b.force;
    return *this;
  }
  SpatialForce& operator-=(const SpatialForce& b) {
    torque -= b.torque;
    force -= b.force;
    return *this;
  }
};

template <class T>
SpatialMotion<T> operator+(SpatialMotion<T> a, const SpatialMotion<T>& b) {
  return a += b;
}
template <class T>
SpatialMotion<T> operator-(const SpatialMotion<T>& a, const SpatialMotion<T>& b) {
  return {a.w - b.w, a.v - b.v};
}
template <class T>
SpatialForce<T> operator+(SpatialForce<T> a, const SpatialForce<T>& b) {
  return a += b;
}
template <class T>
SpatialForce<T> operator-(SpatialForce<T> a, const SpatialForce<T>& b) {
  return a -= b;
}
template <class T>
SpatialMotion<T> operator*(const T& s, const SpatialMotion<T>& a) {
  return {s * a.w, s * a.v};
}
template <class T>
SpatialForce<T> operator*(const T& s, const SpatialForce<T>& a) {
  return {s * a.torque, s * a.force};
}
// Power of a force on a motion (W).
template <class T>
T dot(const SpatialMotion<T>& a, const SpatialForce<T>& f) {
  return dot(a.w, f.torque) + dot(a.v, f.force);
}
template <class T>
SpatialMotion<T> rotate(const Rotation<T>& R, const SpatialMotion<T>& a) {
  return {R * a.w, R * a.v};
}
// Shifts a motion from the reference point P to the point at s = p_PQ.
template <class T>
SpatialMotion<T> shift(const SpatialMotion<T>& a, const Vec3<T>& s) {
  return {a.w, a.v + cross(a.w, s)};
}
// Shifts a force from the point at s = p_PQ back to P.
template <class T>
SpatialForce<T> shift_back(const SpatialForce<T>& f, const Vec3<T>& s) {
  return {f.torque + cross(s, f.force), f.force};
}

// Mass properties of a rigid body about a reference point O:  M = [ J  m[c]x ; -m[c]x  m 1 ].
template <class T>
struct RigidInertia {
  T mass{};      // kg
  Vec3<T> c;     // m, from O to the centre of mass
  SymMat3<T> J;  // kg m^2, about O

  // M a
  SpatialForce<T> operator*(const SpatialMotion<T>& a) const {
    return {J * a.w + mass * cross(c, a.v), mass * (a.v + cross(a.w, c))};
  }
};

// The velocity-dependent term of Newton-Euler about O: [w x J w; m w x (w x c)].
template <class T>
SpatialForce<T> gyroscopic_force(const RigidInertia<T>& M, const Vec3<T>& w) {
  return {cross(w, M.J * w), M.mass * cross(w, cross(w, M.c))};
}

// A general symmetric spatial inertia, as needed by the articulated-body recursion: [ J  B ; B^T  m ] as
// three 3x3 blocks (21 numbers, nine of them in B).
template <class T>
struct ArticulatedInertia {
  SymMat3<T> J;  // kg m^2
  Mat3<T> B;     // kg m
  SymMat3<T> m;  // kg

  ArticulatedInertia() = default;
  explicit ArticulatedInertia(const RigidInertia<T>& M) : J(M.J) {
    const Vec3<T> h = M.mass * M.c;
    B = {T(0), -h.z, h.y, h.z, T(0), -h.x, -h.y, h.x, T(0)};
    m = {M.mass, M.mass, M.mass, T(0), T(0), T(0)};
  }

  SpatialForce<T> operator*(const SpatialMotion<T>& a) const {
    return {J * a.w + B * a.v, transpose_times(B, a.w) + m * a.v};
  }
  ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    J += b.J;
    B = B + b.B;
    m += b.m;
    return *this;
  }
  // this -= scale U U^T
  void subtract_outer(const SpatialForce<T>& U, const T& scale) {
    const Vec3<T> t = scale * U.torque, f = scale * U.force;
    J -= {t.x * U.torque.x, t.y * U.torque.y, t.z * U.torque.z,
          t.x * U.torque.y, t.x * U.torque.z, t.y * U.torque.z};
    m -= {f.x * U.force.x, f.y * U.force.y, f.z * U.force.z,
          f.x * U.force.y, f.x * U.force.z, f.y * U.force.z};
    B = {B.xx - t.x * U.force.x, B.xy - t.x * U.force.y, B.xz - t.x * U.force.z,
         B.yx - t.y * U.force.x, B.yy - t.y * U.force.y, B.yz - t.y * U.force.z,
         B.zx - t.z * U.force.x, B.zy - t.z * U.force.y, B.zz - t.z * U.force.z};
  }
};

// Shifts the inertia from the point Q at s = p_PQ back to P:
//   B_P = B + [s]x m,   J_P = J + [s]x B^T - B [s]x - [s]x m [s]x
template <class T>
ArticulatedInertia<T> shift_back(const ArticulatedInertia<T>& I, const Vec3<T>& s) {
  ArticulatedInertia<T> r;
  r.m = I.m;
  // Columns of [s]x m are s x (column of m).
  const Vec3<T> m0{I.m.xx, I.m.xy, I.m.xz}, m1{I.m.xy, I.m.yy, I.m.yz}, m2{I.m.xz, I.m.yz, I.m.zz};
  r.B = I.B + Mat3<T>::from_columns(cross(s, m0), cross(s, m1), cross(s, m2));
  // J_P = J + [s]x B^T - B_P [s]x; column k of -B_P [s]x is B_P (e_k x s), of [s]x B^T is s x (row k of B).
  const Mat3<T>& B = I.B;
  const Mat3<T>& P = r.B;
  const Vec3<T> row0{B.xx, B.xy, B.xz}, row1{B.yx, B.yy, B.yz}, row2{B.zx, B.zy, B.zz};
  const Vec3<T> c0 = cross(s, row0) + P * Vec3<T>{T(0), -s.z, s.y};
  const Vec3<T> c1 = cross(s, row1) + P * Vec3<T>{s.z, T(0), -s.x};
  const Vec3<T> c2 = cross(s, row2) + P * Vec3<T>{-s.y, s.x, T(0)};
  r.J = {I.J.xx + c0.x, I.J.yy + c1.y, I.J.zz + c2.z, I.J.xy + c1.x, I.J.xz + c2.x, I.J.yz + c2.y};
  return r;
}

}  // namespace sestina
