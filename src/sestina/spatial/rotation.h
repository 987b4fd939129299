// Rotations and poses. `R_AB` transforms components in B to components in A: v_A = R_AB v_B; its columns are
// the axes of B in A. `X_AB` is the pose of B in A: p_A = p_AB_A + R_AB p_B.
#pragma once

#include "sestina/spatial/vec3.h"

namespace sestina {

template <class T>
using Rotation = Mat3<T>;

// Returns the rotation about the unit vector `axis` by `angle` (rad), by Rodrigues' formula.
template <class T>
Rotation<T> axis_rotation(const Vec3<T>& axis, const T& angle) {
  const auto [s, c] = sincos(angle);
  const T k = T(1) - c;
  const T kx = k * axis.x, ky = k * axis.y, kz = k * axis.z;
  const T sx = s * axis.x, sy = s * axis.y, sz = s * axis.z;
  return {c + kx * axis.x,  kx * axis.y - sz, kx * axis.z + sy, ky * axis.x + sz, c + ky * axis.y,
          ky * axis.z - sx, kz * axis.x - sy, kz * axis.y + sx, c + kz * axis.z};
}

// R = Rz(yaw) Ry(pitch) Rx(roll), angles in rad.
template <class T>
Rotation<T> rpy_rotation(const T& roll, const T& pitch, const T& yaw) {
  const auto axis = [](int i) { return Vec3<T>{T(i == 0), T(i == 1), T(i == 2)}; };
  return axis_rotation(axis(2), yaw) * axis_rotation(axis(1), pitch) * axis_rotation(axis(0), roll);
}

// Returns R for Euler parameters e0 e1 e2 e3 (scalar first). Divides by their squared norm, so that R is a
// rotation even if an integrator lets the norm drift.
template <class T>
Rotation<T> euler_parameter_rotation(const T* e) {
  const T s = T(2) * reciprocal(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  const T x = s * e[1], y = s * e[2], z = s * e[3];
  const T wx = x * e[0], wy = y * e[0], wz = z * e[0];
  const T xx = x * e[1], xy = x * e[2], xz = x * e[3], yy = y * e[2], yz = y * e[3], zz = z * e[3];
  return {T(1) - (yy + zz), xy - wz, xz + wy, xy + wz,         T(1) - (xx + zz),
          yz - wx,          xz - wy, yz + wx, T(1) - (xx + yy)};
}

// Computes the rate of the Euler parameters of R_FM; w = w_FM_F is the angular velocity in the axes of F:
// e' = 1/2 (0, w) o e.
template <class T>
void euler_parameter_rate(const T* e, const Vec3<T>& w, T* rate) {
  const T h(0.5);
  rate[0] = -h * (w.x * e[1] + w.y * e[2] + w.z * e[3]);
  rate[1] = h * (w.x * e[0] + w.y * e[3] - w.z * e[2]);
  rate[2] = h * (w.y * e[0] + w.z * e[1] - w.x * e[3]);
  rate[3] = h * (w.z * e[0] + w.x * e[2] - w.y * e[1]);
}

// Rotates e further by the rotation vector (rad, axes of F): e_out = exp(rotation/2) o e. e_out may be e.
template <class T>
void turn_euler_parameters(const T* e, const Vec3<T>& rotation, T* e_out) {
  // sin(a/2)/a and cos(a/2) for a = |rotation|; a small a uses the series, so that they are smooth at a = 0.
  const T a2 = dot(rotation, rotation);
  const auto is_small = a2 < T(1e-4);
  const T a = sqrt(select(is_small, T(1), a2));
  const auto [s, c] = sincos(T(0.5) * a);
  const T scale =
      select(is_small, T(0.5) - a2 * (T(1.0 / 48) - a2 * (T(1.0 / 3840) - a2 * T(1.0 / 645120))), s / a);
  const T d0 = select(is_small, T(1) - a2 * (T(1.0 / 8) - a2 * (T(1.0 / 384) - a2 * T(1.0 / 46080))), c);
  const Vec3<T> d = scale * rotation;
  const T e0 = e[0], e1 = e[1], e2 = e[2], e3 = e[3];
  e_out[0] = d0 * e0 - d.x * e1 - d.y * e2 - d.z * e3;
  e_out[1] = d0 * e1 + d.x * e0 + d.y * e3 - d.z * e2;
  e_out[2] = d0 * e2 + d.y * e0 + d.z * e1 - d.x * e3;
  e_out[3] = d0 * e3 + d.z * e0 + d.x * e2 - d.y * e1;
}

// Returns the rotation vector (norm <= pi) with which turn_euler_parameters goes from e_a to e_b.
template <class T>
Vec3<T> rotation_between(const T* e_b, const T* e_a) {
  // d = e_b o conjugate(e_a)
  const T w = e_b[0] * e_a[0] + e_b[1] * e_a[1] + e_b[2] * e_a[2] + e_b[3] * e_a[3];
  const Vec3<T> b{e_b[1], e_b[2], e_b[3]}, a{e_a[1], e_a[2], e_a[3]};
  Vec3<T> v = e_a[0] * b - e_b[0] * a - cross(b, a);
  const auto flip = w < T(0);  // e and -e are the same rotation: take the shorter one
  const T w_abs = select(flip, -w, w);
  const T sign = select(flip, T(-1), T(1));
  const T s2 = dot(v, v);
  const auto is_small = s2 < T(1e-8) * w * w;
  const T s = sqrt(select(is_small, T(1), s2));
  // 2 atan2(s, w)/s; for small s the series 2/w (1 - (s/w)^2/3)
  const T small = T(2) / w_abs * (T(1) - s2 / (T(3) * w * w));
  const T scale = select(is_small, small, T(2) * atan2(s, w_abs) / s);
  return (sign * scale) * v;
}

template <class T>
struct Pose {
  Rotation<T> R = Rotation<T>::identity();
  Vec3<T> p;
};

template <class T>
Pose<T> operator*(const Pose<T>& X_AB, const Pose<T>& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
}
template <class T>
Pose<T> inverse(const Pose<T>& X_AB) {
  return {X_AB.R.transpose(), -transpose_times(X_AB.R, X_AB.p)};
}
template <class T>
Vec3<T> operator*(const Pose<T>& X_AB, const Vec3<T>& p_B) {
  return X_AB.p + X_AB.R * p_B;
}

}  // namespace sestina
