// Vectors, matrices and quaternions of as many bodies at a time as there are lanes, for the kernels alone
// (lanes.h). In memory their components are eight doubles apart.
#pragma once

#include "sestina/particles/kernels/lanes.h"

namespace sestina {
namespace {

struct Vector {
  Lanes x, y, z;
};

// Rows.
struct Matrix {
  Vector x, y, z;
};

struct Quaternion {
  Lanes w;
  Vector v;
};

[[gnu::always_inline]] inline Vector load3(const double* from) {
  return {load(from), load(from + 8), load(from + 16)};
}
[[gnu::always_inline]] inline void store3(const Vector& a, double* to) {
  store(a.x, to), store(a.y, to + 8), store(a.z, to + 16);
}
[[gnu::always_inline]] inline Matrix load9(const double* from) {
  return {load3(from), load3(from + 24), load3(from + 48)};
}
[[gnu::always_inline]] inline void store9(const Matrix& a, double* to) {
  store3(a.x, to), store3(a.y, to + 24), store3(a.z, to + 48);
}
[[gnu::always_inline]] inline Quaternion load4(const double* from) { return {load(from), load3(from + 8)}; }
[[gnu::always_inline]] inline void store4(const Quaternion& a, double* to) {
  store(a.w, to), store3(a.v, to + 8);
}

[[gnu::always_inline]] inline Vector operator+(const Vector& a, const Vector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[gnu::always_inline]] inline Vector operator-(const Vector& a, const Vector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[gnu::always_inline]] inline Vector operator*(const Lanes& s, const Vector& a) {
  return {s * a.x, s * a.y, s * a.z};
}
[[gnu::always_inline]] inline Vector operator*(double s, const Vector& a) {
  return {s * a.x, s * a.y, s * a.z};
}
[[gnu::always_inline]] inline Vector operator-(const Vector& a) { return {-a.x, -a.y, -a.z}; }
[[gnu::always_inline]] inline Lanes dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[gnu::always_inline]] inline Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[gnu::always_inline]] inline void add(const Lanes& s, const Vector& a, Vector& to) {
  to.x += s * a.x, to.y += s * a.y, to.z += s * a.z;
}

[[gnu::always_inline]] inline Matrix operator+(const Matrix& A, const Matrix& B) {
  return {A.x + B.x, A.y + B.y, A.z + B.z};
}
[[gnu::always_inline]] inline Matrix operator-(const Matrix& A, const Matrix& B) {
  return {A.x - B.x, A.y - B.y, A.z - B.z};
}
[[gnu::always_inline]] inline Vector operator*(const Matrix& A, const Vector& b) {
  return {dot(A.x, b), dot(A.y, b), dot(A.z, b)};
}
[[gnu::always_inline]] inline Matrix scaled(const Lanes& s, const Matrix& A) {
  return {s * A.x, s * A.y, s * A.z};
}
// A^T b
[[gnu::always_inline]] inline Vector times_transposed(const Matrix& A, const Vector& b) {
  return b.x * A.x + b.y * A.y + b.z * A.z;
}
[[gnu::always_inline]] inline Matrix operator*(const Matrix& A, const Matrix& B) {
  return {times_transposed(B, A.x), times_transposed(B, A.y), times_transposed(B, A.z)};
}
// A B^T
[[gnu::always_inline]] inline Matrix times_transpose(const Matrix& A, const Matrix& B) {
  return {B * A.x, B * A.y, B * A.z};
}
// a b^T
[[gnu::always_inline]] inline Matrix outer(const Vector& a, const Vector& b) {
  return {a.x * b, a.y * b, a.z * b};
}
// [a] B: the cross product of a with the columns of B.
[[gnu::always_inline]] inline Matrix cross(const Vector& a, const Matrix& B) {
  return {a.y * B.z - a.z * B.y, a.z * B.x - a.x * B.z, a.x * B.y - a.y * B.x};
}
// A [b]: the cross product of the rows of A with b.
[[gnu::always_inline]] inline Matrix cross(const Matrix& A, const Vector& b) {
  return {cross(A.x, b), cross(A.y, b), cross(A.z, b)};
}
[[gnu::always_inline]] inline Matrix skew(const Vector& a) {
  const Lanes zero{};
  return {{zero, -a.z, a.y}, {a.z, zero, -a.x}, {-a.y, a.x, zero}};
}
[[gnu::always_inline]] inline void add_to_diagonal(const Lanes& s, Matrix& A) {
  A.x.x += s, A.y.y += s, A.z.z += s;
}
// A J with J diagonal.
[[gnu::always_inline]] inline Matrix scale_columns(const Matrix& A, const Vector& J) {
  return {{A.x.x * J.x, A.x.y * J.y, A.x.z * J.z},
          {A.y.x * J.x, A.y.y * J.y, A.y.z * J.z},
          {A.z.x * J.x, A.z.y * J.y, A.z.z * J.z}};
}
[[gnu::always_inline]] inline Matrix inverse(const Matrix& A) {
  // The columns of the adjugate are the cross products of the rows.
  const Vector a = cross(A.y, A.z), b = cross(A.z, A.x), c = cross(A.x, A.y);
  const Lanes s = 1.0 / dot(A.x, a);
  return {{s * a.x, s * b.x, s * c.x}, {s * a.y, s * b.y, s * c.y}, {s * a.z, s * b.z, s * c.z}};
}

[[gnu::always_inline]] inline Lanes square_root(const Lanes& a) {
  Lanes root{};
  for (int l = 0; l < kWidth; ++l) root[l] = __builtin_sqrt(a[l]);
  return root;
}
[[gnu::always_inline]] inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - dot(a.v, b.v), a.w * b.v + b.w * a.v + cross(a.v, b.v)};
}
[[gnu::always_inline]] inline Quaternion conjugate(const Quaternion& a) { return {a.w, -a.v}; }
[[gnu::always_inline]] inline Quaternion normalised(const Quaternion& a) {
  const Lanes s = 1.0 / square_root(a.w * a.w + dot(a.v, a.v));
  return {s * a.w, s * a.v};
}
// The rotation matrix: its columns are the axes of the body.
[[gnu::always_inline]] inline Matrix rotation(const Quaternion& q) {
  const Vector v = q.v, d = 2.0 * v;
  const Lanes xx = d.x * v.x, yy = d.y * v.y, zz = d.z * v.z, xy = d.x * v.y, yz = d.y * v.z, zx = d.z * v.x;
  const Vector w = q.w * d;
  return {{1.0 - yy - zz, xy - w.z, zx + w.y},
          {xy + w.z, 1.0 - zz - xx, yz - w.x},
          {zx - w.y, yz + w.x, 1.0 - xx - yy}};
}

}  // namespace
}  // namespace sestina
