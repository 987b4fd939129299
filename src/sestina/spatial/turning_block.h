// The elimination of a spherical joint: the symmetric 3x3 block J is factored at once, and rows of four
// numbers (three of a matrix, one of a vector) are solved for together.
#pragma once

#include "sestina/spatial/articulated_rows.h"

namespace sestina {

// A Lanes3 and a fourth number.
template <class T>
struct Lanes4 {
  Lanes3<T> row;
  T last{};

  Lanes4() = default;
  Lanes4(const Lanes3<T>& a, const T& b) : row(a), last(b) {}
  const T& operator[](int i) const { return i < 3 ? row[i] : last; }
  Lanes4& operator-=(const Lanes4& b) { return row -= b.row, last -= b.last, *this; }
};
template <class T>
Lanes4<T> operator*(const T& s, const Lanes4<T>& a) {
  return {s * a.row, s * a.last};
}

template <>
struct Lanes4<double> {
  Lanes3<double> row;  // `last` is its fourth lane

  Lanes4() = default;
  [[gnu::always_inline]] Lanes4(const Lanes3<double>& a, double b) : row(a) { row.lanes[3] = b; }
  [[gnu::always_inline]] explicit Lanes4(const Lanes3<double>& a) : row(a) {}
  [[gnu::always_inline]] double operator[](int i) const { return row.lanes[i]; }
  [[gnu::always_inline]] Lanes4& operator-=(const Lanes4& b) { return row -= b.row, *this; }
};
[[gnu::always_inline]] inline Lanes4<double> operator*(double s, const Lanes4<double>& a) {
  return Lanes4<double>(s * a.row);
}

// The factors J = L D L^T of a symmetric positive definite matrix, by rows. The second and third pivots are
// computed from minors,
//   d1 = J00,   d2 = m11 / d1,   d3 = p / (d1 m11),   m_ij = J00 J_ij - J_i0 J_0j,   p = m11 m22 - m12^2
// The round-off is that of elimination, but the three divisions depend only on p and not on each
// other.
template <class T>
struct SymmetricFactor3 {
  T d1, m11, d1_m11, p;  // the pivots are d1, m11 / d1 and p / d1_m11
  T l10, l20, l21;
  T inverse_d1, inverse_d2, inverse_d3;

  [[gnu::always_inline]] explicit SymmetricFactor3(const Lanes3<T> (&J)[3]) {
    d1 = J[0][0];
    const T j10 = J[1][0], j20 = J[2][0];
    m11 = d1 * J[1][1] - j10 * j10;
    const T m12 = d1 * J[2][1] - j10 * j20, m22 = d1 * J[2][2] - j20 * j20;
    p = m11 * m22 - m12 * m12;
    d1_m11 = d1 * m11;
    inverse_d1 = T(1) / d1;
    const T inverse_m11 = T(1) / m11;
    inverse_d2 = d1 * inverse_m11;
    inverse_d3 = d1_m11 * (T(1) / p);
    l10 = j10 * inverse_d1, l20 = j20 * inverse_d1, l21 = m12 * inverse_m11;
  }
  [[gnu::always_inline]] Mask<T> has_pivot_below(const T& least) const {
    return d1 <= least || m11 <= least * d1 || p <= least * d1_m11;
  }
  // Solves J x = b; x holds rows (or numbers) of b on entry and of the solution on return.
  template <class Row>
  [[gnu::always_inline]] void solve(Row (&x)[3]) const {
    x[1] -= l10 * x[0];
    x[2] -= l20 * x[0];
    x[2] -= l21 * x[1];
    x[2] = inverse_d3 * x[2];
    x[1] = inverse_d2 * x[1];
    x[0] = inverse_d1 * x[0];
    x[0] -= l20 * x[2];
    x[1] -= l21 * x[2];
    x[0] -= l10 * x[1];
  }
};

// Data of a spherical joint for the outward sweep: the angular acceleration of its body is -G [a; 1], where a
// is the acceleration of Mo.
template <class T>
struct TurningBlock {
  Lanes4<T> G[3];  // J^-1 [B  z.torque - tau]
  Vec3<T> a;       // for a free joint: the acceleration of Mo

  [[gnu::always_inline]] Vec3<T> turning(const Vec3<T>& at) const {
    const auto row = [&at](const Lanes4<T>& g) {
      return -((g[0] * at.x + g[1] * at.y) + (g[2] * at.z + g[3]));
    };
    return {row(G[0]), row(G[1]), row(G[2])};
  }
};

// Eliminates the rotation of a body from `I`; `tau` is the torque of its joint (ground axes). The result is
// the inertia and force that remain at Mo: no rotational inertia, the mass m - B^T J^-1 B, the torque tau,
// and the force. The rows J and B of I are not valid afterwards.
template <class T>
[[gnu::always_inline]] inline void eliminate_turning(const SymmetricFactor3<T>& factor, const Lanes3<T>& tau,
                                                     ArticulatedRows<T>& I, Lanes4<T> (&G)[3]) {
  const Lanes3<T> torque = I.z.torque - tau;
  for (int i = 0; i < 3; ++i) G[i] = Lanes4<T>(I.B[i], torque[i]);
  factor.solve(G);
  Lanes4<T> left[3];
  for (int i = 0; i < 3; ++i) {
    left[i] = Lanes4<T>(I.m[i], I.z.force[i]);
    left[i] -= I.B[2][i] * G[2];
    left[i] -= I.B[1][i] * G[1];
    left[i] -= I.B[0][i] * G[0];
    I.m[i] = left[i].row;
  }
  I.z = {tau, {left[0][3], left[1][3], left[2][3]}};
}

// Shifts from Mo at s = p_PQ back to P after eliminate_turning: B = [s]x m, J = -B [s]x, rows of J: s x B_i
template <class T>
[[gnu::always_inline]] inline void shift_back_without_turning(const Lanes3<T>& s, ArticulatedRows<T>& I) {
  const T x = s[0], y = s[1], z = s[2];
  I.B[0] = y * I.m[2] - z * I.m[1];
  I.B[1] = z * I.m[0] - x * I.m[2];
  I.B[2] = x * I.m[1] - y * I.m[0];
  for (int i = 0; i < 3; ++i) I.J[i] = cross(s, I.B[i]);
  I.z.shift_back(s);
}

}  // namespace sestina
