// Rows of six numbers, for the 6x6 matrices of divide and conquer: two Lanes3 side by side.
#pragma once

#include "sestina/spatial/lanes3.h"
#include "sestina/spatial/mat6.h"

namespace sestina {

template <class T>
struct Row6 {
  Lanes3<T> a, b;

  [[gnu::always_inline]] Row6& operator+=(const Row6& x) { return a += x.a, b += x.b, *this; }
  [[gnu::always_inline]] Row6& operator-=(const Row6& x) { return a -= x.a, b -= x.b, *this; }
  [[gnu::always_inline]] void store(Vec6<T>& x) const { a.store(x.x), b.store(x.x + 3); }
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
[[gnu::always_inline]] inline Row6<T> operator*(const T& s, const Row6<T>& x) {
  return {s * x.a, s * x.b};
}
template <class T>
[[gnu::always_inline]] inline Row6<T> load_row6(const T* x) {
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

template <class T>
struct Rows6 {
  Row6<T> row[6];

  [[gnu::always_inline]] explicit Rows6(const Mat6<T>& A) {
    for (int i = 0; i < 6; ++i) row[i] = load_row6(A.m[i]);
  }
  [[gnu::always_inline]] void store(Mat6<T>& A) const {
    for (int i = 0; i < 6; ++i) row[i].a.store(A.m[i]), row[i].b.store(A.m[i] + 3);
  }
  // A^T [w; 0]
  [[gnu::always_inline]] Row6<T> transpose_times_turn(const Vec3<T>& w) const {
    return w.x * row[0] + w.y * row[1] + w.z * row[2];
  }
  // A^T a
  [[gnu::always_inline]] Row6<T> transpose_times(const SpatialMotion<T>& a) const {
    return transpose_times_turn(a.w) + (a.v.x * row[3] + a.v.y * row[4] + a.v.z * row[5]);
  }
  // The columns are forces at s = p_PQ: they pass to P.
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
};

}  // namespace sestina
