// From rotation matrices back to Euler parameters and rotation vectors.
#pragma once

#include "sestina/spatial/rotation.h"

namespace sestina {

// Computes the Euler parameters e0 e1 e2 e3 of R, the largest one positive, by Shepperd's method: it divides
// by the largest, so that round-off does not grow at any angle.
template <class T>
void euler_parameters_of(const Rotation<T>& R, T* e) {
  const T trace = R.xx + R.yy + R.zz;
  const T squares[4] = {T(1) + trace, T(1) - trace + T(2) * R.xx, T(1) - trace + T(2) * R.yy,
                        T(1) - trace + T(2) * R.zz};  // 4 e_i^2
  // 4 e_i e_j
  const T products[4][4] = {{squares[0], R.zy - R.yz, R.xz - R.zx, R.yx - R.xy},
                            {R.zy - R.yz, squares[1], R.xy + R.yx, R.xz + R.zx},
                            {R.xz - R.zx, R.xy + R.yx, squares[2], R.yz + R.zy},
                            {R.yx - R.xy, R.xz + R.zx, R.yz + R.zy, squares[3]}};
  int largest = 0;
  for (int i = 1; i < 4; ++i) {
    if (value_of(squares[i]) > value_of(squares[largest])) largest = i;
  }
  const T scale = T(0.5) / sqrt(squares[largest]);
  for (int i = 0; i < 4; ++i) e[i] = scale * products[largest][i];
}

// Returns the rotation vector (rad, norm <= pi, the same components in both frames) from R_from to R_to: R_to
// = exp(vector) R_from.
template <class T>
Vec3<T> rotation_vector_between(const Rotation<T>& R_to, const Rotation<T>& R_from) {
  T e[4];
  euler_parameters_of(R_to * R_from.transpose(), e);
  const T identity[4] = {T(1), T(0), T(0), T(0)};
  return rotation_between(e, identity);
}

// Returns t / sin t of the angle t from 0 to pi whose sine, squared, is s2 and whose cosine is c; small
// angles by the series of asin(s)/s, whose ninth power is below round-off.
template <class T>
T angle_over_sine(const T& s2, const T& c) {
  if (value_of(s2) < 1e-3 && value_of(c) > 0.0) {
    return T(1) +
           s2 * (T(1.0 / 6) +
                 s2 * (T(3.0 / 40) + s2 * (T(15.0 / 336) + s2 * (T(105.0 / 3456) + s2 * T(945.0 / 42240)))));
  }
  const T size = sqrt(s2);
  return atan2(size, c) / size;
}

// Returns 2 sin(angle) times the axis of R.
template <class T>
Vec3<T> axial_vector(const Rotation<T>& R) {
  return {R.zy - R.yz, R.xz - R.zx, R.yx - R.xy};
}

// Returns the rotation vector of R (rad, norm <= pi): exact to round-off for small angles too.
template <class T>
Vec3<T> rotation_vector_of(const Rotation<T>& R) {
  const Vec3<T> s = T(0.5) * axial_vector(R);
  const T c = T(0.5) * (R.xx + R.yy + R.zz - T(1));
  if (value_of(c) < -0.9) return rotation_vector_between(R, Rotation<T>::identity());  // s fades
  return angle_over_sine(dot(s, s), c) * s;
}

}  // namespace sestina
