// Puts spatial things together from a value and a derivative, and takes them apart again.
#pragma once

#include "sestina/numerics/dual.h"
#include "sestina/spatial/spatial.h"

namespace sestina::testing_support {

inline Vec3<Dual> dual(const Vec3<double>& value, const Vec3<double>& derivative) {
  return {{value.x, derivative.x}, {value.y, derivative.y}, {value.z, derivative.z}};
}

inline Vec3<double> value(const Vec3<Dual>& a) { return {a.x.v, a.y.v, a.z.v}; }
inline Vec3<double> derivative(const Vec3<Dual>& a) { return {a.x.d, a.y.d, a.z.d}; }

inline Mat3<double> value(const Mat3<Dual>& A) {
  return Mat3<double>::from_columns(value(A.column(0)), value(A.column(1)), value(A.column(2)));
}
inline Mat3<double> derivative(const Mat3<Dual>& A) {
  return Mat3<double>::from_columns(derivative(A.column(0)), derivative(A.column(1)),
                                    derivative(A.column(2)));
}

inline SpatialMotion<double> value(const SpatialMotion<Dual>& a) { return {value(a.w), value(a.v)}; }
inline SpatialMotion<double> derivative(const SpatialMotion<Dual>& a) {
  return {derivative(a.w), derivative(a.v)};
}
inline SpatialForce<double> value(const SpatialForce<Dual>& a) { return {value(a.torque), value(a.force)}; }
inline SpatialForce<double> derivative(const SpatialForce<Dual>& a) {
  return {derivative(a.torque), derivative(a.force)};
}

// The angular velocity w of [w]x = R' R^T, in the axes that R maps to.
inline Vec3<double> angular_velocity(const Mat3<Dual>& R) {
  const Mat3<double> S = derivative(R) * value(R).transpose();
  return {0.5 * (S.zy - S.yz), 0.5 * (S.xz - S.zx), 0.5 * (S.yx - S.xy)};
}

}  // namespace sestina::testing_support
