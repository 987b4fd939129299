// Vectors and 3x3 matrices of any scalar, small enough for the compiler to keep them in registers.
#pragma once

#include "sestina/numerics/scalar.h"

namespace sestina {

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }

  Vec3& operator+=(const Vec3& b) { return *this = {x + b.x, y + b.y, z + b.z}; }
  Vec3& operator-=(const Vec3& b) { return *this = {x - b.x, y - b.y, z - b.z}; }
};

template <class T>
Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
Vec3<T> operator-(const Vec3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
Vec3<T> operator*(const T& s, const Vec3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
Vec3<T> operator*(const Vec3<T>& a, const T& s) {
  return s * a;
}
template <class T>
T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T norm(const Vec3<T>& a) {
  return sqrt(dot(a, a));
}

// A 3x3 matrix by rows.
template <class T>
struct Mat3 {
  T xx{}, xy{}, xz{};
  T yx{}, yy{}, yz{};
  T zx{}, zy{}, zz{};

  static Mat3 identity() { return {T(1), T(0), T(0), T(0), T(1), T(0), T(0), T(0), T(1)}; }
  static Mat3 from_columns(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) {
    return {a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z};
  }
  Vec3<T> column(int j) const {
    return j == 0 ? Vec3<T>{xx, yx, zx} : j == 1 ? Vec3<T>{xy, yy, zy} : Vec3<T>{xz, yz, zz};
  }
  Mat3 transpose() const { return {xx, yx, zx, xy, yy, zy, xz, yz, zz}; }
};

template <class T>
Vec3<T> operator*(const Mat3<T>& A, const Vec3<T>& v) {
  return {A.xx * v.x + A.xy * v.y + A.xz * v.z, A.yx * v.x + A.yy * v.y + A.yz * v.z,
          A.zx * v.x + A.zy * v.y + A.zz * v.z};
}
// A^T v
template <class T>
Vec3<T> transpose_times(const Mat3<T>& A, const Vec3<T>& v) {
  return {A.xx * v.x + A.yx * v.y + A.zx * v.z, A.xy * v.x + A.yy * v.y + A.zy * v.z,
          A.xz * v.x + A.yz * v.y + A.zz * v.z};
}
template <class T>
Mat3<T> operator*(const Mat3<T>& A, const Mat3<T>& B) {
  return Mat3<T>::from_columns(A * B.column(0), A * B.column(1), A * B.column(2));
}
template <class T>
Mat3<T> operator+(const Mat3<T>& A, const Mat3<T>& B) {
  return {A.xx + B.xx, A.xy + B.xy, A.xz + B.xz, A.yx + B.yx, A.yy + B.yy,
          A.yz + B.yz, A.zx + B.zx, A.zy + B.zy, A.zz + B.zz};
}

// A symmetric 3x3 matrix, six numbers.
template <class T>
struct SymMat3 {
  T xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  T trace() const { return xx + yy + zz; }
  SymMat3& operator+=(const SymMat3& b) {
    return *this = {xx + b.xx, yy + b.yy, zz + b.zz, xy + b.xy, xz + b.xz, yz + b.yz};
  }
  SymMat3& operator-=(const SymMat3& b) {
    return *this = {xx - b.xx, yy - b.yy, zz - b.zz, xy - b.xy, xz - b.xz, yz - b.yz};
  }
};

template <class T>
Vec3<T> operator*(const SymMat3<T>& A, const Vec3<T>& v) {
  return {A.xx * v.x + A.xy * v.y + A.xz * v.z, A.xy * v.x + A.yy * v.y + A.yz * v.z,
          A.xz * v.x + A.yz * v.y + A.zz * v.z};
}
template <class T>
SymMat3<T> operator+(SymMat3<T> a, const SymMat3<T>& b) {
  return a += b;
}
template <class T>
Mat3<T> full(const SymMat3<T>& A) {
  return {A.xx, A.xy, A.xz, A.xy, A.yy, A.yz, A.xz, A.yz, A.zz};
}
// Returns R A R^T: the same tensor in other axes.
template <class T>
SymMat3<T> rotate(const Mat3<T>& R, const SymMat3<T>& A) {
  const Mat3<T> B = R * full(A);
  const auto row = [](const T& bx, const T& by, const T& bz, const T& rx, const T& ry, const T& rz) {
    return bx * rx + by * ry + bz * rz;
  };
  return {row(B.xx, B.xy, B.xz, R.xx, R.xy, R.xz), row(B.yx, B.yy, B.yz, R.yx, R.yy, R.yz),
          row(B.zx, B.zy, B.zz, R.zx, R.zy, R.zz), row(B.xx, B.xy, B.xz, R.yx, R.yy, R.yz),
          row(B.xx, B.xy, B.xz, R.zx, R.zy, R.zz), row(B.yx, B.yy, B.yz, R.zx, R.zy, R.zz)};
}
// Returns m (c.c 1 - c c^T), the inertia of a point mass m at c about the origin.
template <class T>
SymMat3<T> point_inertia(const T& m, const Vec3<T>& c) {
  const T x = m * c.x, y = m * c.y, z = m * c.z;
  return {y * c.y + z * c.z, x * c.x + z * c.z, x * c.x + y * c.y, -x * c.y, -x * c.z, -y * c.z};
}

}  // namespace sestina
