// Rows of six numbers, for the 6x6 matrices of divide and conquer. Doubles use as few SIMD registers as
// possible; the content of lanes beyond the sixth is undefined.
#pragma once

#include "sestina/spatial/mat6.h"

namespace sestina {

template <class T>
struct Row6 {
  T lane[6] = {};

  Row6() = default;
  explicit Row6(const T* x) {
    for (int i = 0; i < 6; ++i) lane[i] = x[i];
  }
  void store(T* x) const {
    for (int i = 0; i < 6; ++i) x[i] = lane[i];
  }
  Row6& operator+=(const Row6& x) {
    for (int i = 0; i < 6; ++i) lane[i] += x.lane[i];
    return *this;
  }
  Row6& operator-=(const Row6& x) {
    for (int i = 0; i < 6; ++i) lane[i] -= x.lane[i];
    return *this;
  }
  Row6& operator*=(const T& s) {
    for (int i = 0; i < 6; ++i) lane[i] *= s;
    return *this;
  }
};

template <>
struct Row6<double> {
#if defined(__AVX__)
  static constexpr int kWidth = 4;  // measured: 8 lanes were slower together with narrower code
#else
  static constexpr int kWidth = 2;
#endif
  static constexpr int kParts = (6 + kWidth - 1) / kWidth;
  using Part = double __attribute__((vector_size(kWidth * sizeof(double))));
  Part part[kParts] = {};

  Row6() = default;
  [[gnu::always_inline]] explicit Row6(const double* x) {
    for (int i = 0; i < 6; ++i) part[i / kWidth][i % kWidth] = x[i];
  }
  [[gnu::always_inline]] void store(double* x) const {
    for (int i = 0; i < 6; ++i) x[i] = part[i / kWidth][i % kWidth];
  }
  [[gnu::always_inline]] Row6& operator+=(const Row6& x) {
    for (int i = 0; i < kParts; ++i) part[i] += x.part[i];
    return *this;
  }
  [[gnu::always_inline]] Row6& operator-=(const Row6& x) {
    for (int i = 0; i < kParts; ++i) part[i] -= x.part[i];
    return *this;
  }
  [[gnu::always_inline]] Row6& operator*=(double s) {
    for (int i = 0; i < kParts; ++i) part[i] *= s;
    return *this;
  }
};

template <class T>
[[gnu::always_inline]] inline Row6<T> operator+(Row6<T> x, const Row6<T>& y) {
  return x += y;
}
template <class T>
[[gnu::always_inline]] inline Row6<T> operator-(Row6<T> x, const Row6<T>& y) {
  return x -= y;
}
template <class T>
[[gnu::always_inline]] inline Row6<T> operator*(const T& s, Row6<T> x) {
  return x *= s;
}

template <class T>
struct Rows6 {
  Row6<T> row[6];

  Rows6() = default;
  [[gnu::always_inline]] explicit Rows6(const Mat6<T>& A) {
    for (int i = 0; i < 6; ++i) row[i] = Row6<T>(A.m[i]);
  }
  [[gnu::always_inline]] void store(Mat6<T>& A) const {
    for (int i = 0; i < 6; ++i) row[i].store(A.m[i]);
  }
  // A^T [w; 0]
  [[gnu::always_inline]] Row6<T> transpose_times_turn(const Vec3<T>& w) const {
    return w.x * row[0] + w.y * row[1] + w.z * row[2];
  }
  // A^T a
  [[gnu::always_inline]] Row6<T> transpose_times(const SpatialMotion<T>& a) const {
    return transpose_times_turn(a.w) + (a.v.x * row[3] + a.v.y * row[4] + a.v.z * row[5]);
  }
  // Shifts the columns, which are forces at s = p_PQ, to P.
  [[gnu::always_inline]] void shift_back(const Vec3<T>& s) {
    row[0] += s.y * row[5] - s.z * row[4];
    row[1] += s.z * row[3] - s.x * row[5];
    row[2] += s.x * row[4] - s.y * row[3];
  }
  // A -= U y^T
  [[gnu::always_inline]] void subtract_outer(const SpatialForce<T>& U, const Row6<T>& y) {
    for (int i = 0; i < 3; ++i) {
      row[i] -= U.torque[i] * y;
      row[3 + i] -= U.force[i] * y;
    }
  }
  // A += x y^T
  [[gnu::always_inline]] void add_outer(const Vec6<T>& x, const Row6<T>& y) {
    for (int i = 0; i < 6; ++i) row[i] += x[i] * y;
  }
};

}  // namespace sestina
