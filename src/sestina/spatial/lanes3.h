// Three numbers side by side: a Vec3 for the inner loops of the recursion. Three doubles fill three of the
// four lanes of a SIMD register, where the processor has registers of this width; the content of the fourth
// is undefined. Other scalars are three separate numbers.
//
// A product or sum is one instruction for all three lanes, but extracting one number costs an instruction: a
// kernel reads single numbers from memory (Vec3) and rows from here.
#pragma once

#include "sestina/spatial/vec3.h"

namespace sestina {

template <class T>
struct Lanes3 {
  T lane[3] = {};

  Lanes3() = default;
  Lanes3(const T& x, const T& y, const T& z) : lane{x, y, z} {}
  explicit Lanes3(const Vec3<T>& a) : Lanes3(a.x, a.y, a.z) {}

  const T& operator[](int i) const { return lane[i]; }
  // Returns [y z x].
  Lanes3 rotated() const { return {lane[1], lane[2], lane[0]}; }
  Lanes3& operator+=(const Lanes3& b) {
    for (int i = 0; i < 3; ++i) lane[i] += b.lane[i];
    return *this;
  }
  Lanes3& operator-=(const Lanes3& b) {
    for (int i = 0; i < 3; ++i) lane[i] -= b.lane[i];
    return *this;
  }
  Lanes3& operator*=(const Lanes3& b) {
    for (int i = 0; i < 3; ++i) lane[i] *= b.lane[i];
    return *this;
  }
  static Lanes3 all(const T& x) { return {x, x, x}; }
  // Writes the three numbers to `first`, such as the members of a Vec3.
  void store(T* first) const {
    for (int i = 0; i < 3; ++i) first[i] = lane[i];
  }
  // Writes in the same way, but may overwrite the number that follows, which the caller then writes later.
  void store_before_more(T* first) const { store(first); }
  // The rows of [a]x.
  static void cross_rows(const Lanes3& a, Lanes3 (&rows)[3]) {
    const T o(0);
    rows[0] = {o, -a[2], a[1]}, rows[1] = {a[2], o, -a[0]}, rows[2] = {-a[1], a[0], o};
  }
  // Stores the symmetric matrix with this diagonal [xx yy zz] and these off-diagonal elements [xy yz zx].
  static void store_symmetric(const Lanes3& diagonal, const Lanes3& off_diagonal, SymMat3<T>& A) {
    A = {diagonal[0], diagonal[1], diagonal[2], off_diagonal[0], off_diagonal[2], off_diagonal[1]};
  }
  static void symmetric_rows(const SymMat3<T>& A, Lanes3 (&rows)[3]) {
    rows[0] = {A.xx, A.xy, A.xz}, rows[1] = {A.xy, A.yy, A.yz}, rows[2] = {A.xz, A.yz, A.zz};
  }
};

// All members are inlined: as an argument, the class would be passed in memory where registers are narrower.
template <>
struct Lanes3<double> {
  using Vector = double __attribute__((vector_size(32)));
  using Pair = double __attribute__((vector_size(16)));
  Vector lanes = {};

  Lanes3() = default;
  [[gnu::always_inline]] Lanes3(const Vector& v) : lanes(v) {}  // NOLINT: the same thing
  [[gnu::always_inline]] Lanes3(double x, double y, double z) : lanes{x, y, z, 0.0} {}
  [[gnu::always_inline]] explicit Lanes3(const Vec3<double>& a) : Lanes3(a.x, a.y, a.z) {}

  [[gnu::always_inline]] double operator[](int i) const { return lanes[i]; }
  [[gnu::always_inline]] Lanes3 rotated() const { return __builtin_shufflevector(lanes, lanes, 1, 2, 0, 3); }
  [[gnu::always_inline]] Lanes3& operator+=(const Lanes3& b) { return lanes += b.lanes, *this; }
  [[gnu::always_inline]] Lanes3& operator-=(const Lanes3& b) { return lanes -= b.lanes, *this; }
  [[gnu::always_inline]] Lanes3& operator*=(const Lanes3& b) { return lanes *= b.lanes, *this; }
  [[gnu::always_inline]] static Lanes3 all(double x) { return Vector{x, x, x, x}; }
  [[gnu::always_inline]] void store(double* first) const {
    first[0] = lanes[0], first[1] = lanes[1], first[2] = lanes[2];
  }
  [[gnu::always_inline]] void store_before_more(double* first) const {
    __builtin_memcpy(first, &lanes, sizeof lanes);
  }
  // Sets the rows by shuffles; the fourth lane is zero.
  [[gnu::always_inline]] static void cross_rows(const Lanes3& a, Lanes3 (&rows)[3]) {
    const Vector minus = -a.lanes, plus = __builtin_shufflevector(a.lanes, Vector{}, 0, 1, 2, 4);
    rows[0] = __builtin_shufflevector(plus, minus, 3, 6, 1, 3);
    rows[1] = __builtin_shufflevector(plus, minus, 2, 3, 4, 3);
    rows[2] = __builtin_shufflevector(plus, minus, 5, 0, 3, 3);
  }
  // Stores in two pieces, which symmetric_rows reads in the same way: a load that spans two stores must wait
  // until both have reached the cache.
  [[gnu::always_inline]] static void store_symmetric(const Lanes3& diagonal, const Lanes3& off_diagonal,
                                                     SymMat3<double>& A) {
    static_assert(sizeof A == 6 * sizeof(double), "xx yy zz xy xz yz");
    const Vector first = __builtin_shufflevector(diagonal.lanes, off_diagonal.lanes, 0, 1, 2, 4);
    const Pair last = __builtin_shufflevector(off_diagonal.lanes, off_diagonal.lanes, 2, 1);
    __builtin_memcpy(&A.xx, &first, sizeof first);
    __builtin_memcpy(&A.xz, &last, sizeof last);
  }
  [[gnu::always_inline]] static void symmetric_rows(const SymMat3<double>& A, Lanes3 (&rows)[3]) {
    Vector first;
    Pair last;
    __builtin_memcpy(&first, &A.xx, sizeof first);
    __builtin_memcpy(&last, &A.xz, sizeof last);
    const Vector rest = __builtin_shufflevector(last, Pair{}, 0, 1, 2, 3);  // xz yz 0 0
    rows[0] = __builtin_shufflevector(first, rest, 0, 3, 4, 6);
    rows[1] = __builtin_shufflevector(first, rest, 3, 1, 5, 6);
    rows[2] = __builtin_shufflevector(first, rest, 4, 5, 2, 6);
  }
};

template <class T>
[[gnu::always_inline]] inline Lanes3<T> operator+(Lanes3<T> a, const Lanes3<T>& b) {
  return a += b;
}
template <class T>
[[gnu::always_inline]] inline Lanes3<T> operator-(Lanes3<T> a, const Lanes3<T>& b) {
  return a -= b;
}
template <class T>
[[gnu::always_inline]] inline Lanes3<T> operator*(Lanes3<T> a, const Lanes3<T>& b) {
  return a *= b;
}
template <class T>
[[gnu::always_inline]] inline Lanes3<T> operator*(const T& s, const Lanes3<T>& a) {
  return Lanes3<T>::all(s) * a;
}
template <class T>
[[gnu::always_inline]] inline Vec3<T> to_vec3(const Lanes3<T>& a) {
  return {a[0], a[1], a[2]};
}
template <class T>
[[gnu::always_inline]] inline T dot(const Lanes3<T>& a, const Lanes3<T>& b) {
  const Lanes3<T> p = a * b;
  return p[0] + p[1] + p[2];
}
// a x b = rotated(a rotated(b) - rotated(a) b): three shuffles.
template <class T>
[[gnu::always_inline]] inline Lanes3<T> cross(const Lanes3<T>& a, const Lanes3<T>& b) {
  return (a * b.rotated() - a.rotated() * b).rotated();
}

// Transposes a 3x3 matrix.
template <class T>
[[gnu::always_inline]] inline void transpose(Lanes3<T> (&rows)[3]) {
  const Lanes3<T> a = rows[0], b = rows[1], c = rows[2];
  rows[0] = {a[0], b[0], c[0]}, rows[1] = {a[1], b[1], c[1]}, rows[2] = {a[2], b[2], c[2]};
}
template <>
[[gnu::always_inline]] inline void transpose(Lanes3<double> (&rows)[3]) {
  const auto a = rows[0].lanes, b = rows[1].lanes, c = rows[2].lanes;
  const auto low = __builtin_shufflevector(a, b, 0, 4, 2, 6);   // a0 b0 a2 b2
  const auto high = __builtin_shufflevector(a, b, 1, 5, 1, 5);  // a1 b1
  rows[0] = __builtin_shufflevector(low, c, 0, 1, 4, 4);
  rows[1] = __builtin_shufflevector(high, c, 0, 1, 5, 5);
  rows[2] = __builtin_shufflevector(low, c, 2, 3, 6, 6);
}
// Returns the sum of each row.
template <class T>
[[gnu::always_inline]] inline Lanes3<T> row_sums(const Lanes3<T>& a, const Lanes3<T>& b, const Lanes3<T>& c) {
  Lanes3<T> rows[3] = {a, b, c};
  transpose(rows);
  return rows[0] + rows[1] + rows[2];
}

}  // namespace sestina
