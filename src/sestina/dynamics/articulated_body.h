// The articulated inertia and bias force of the recursion on lanes, and their rotations and shifts across
// joints.
//
//   I = [ J  B ; B^T  m ],  J and m symmetric;   f = I [alpha; a] + z,   z = [torque; force]
//
// J (kg m^2), B (kg m), m (kg) and z (N m, N) have components in the axes K of a body and refer to their
// origin (joint_axes.h); alpha is in rad/s^2, a in m/s^2.
//
// Source: R. Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7.
#pragma once

#include <cstdint>
#include <utility>

#include "sestina/dynamics/solve_report.h"
#include "sestina/spatial/spatial.h"

// Lanes stay in registers only if everything is inlined; for formulas, inlining only lengthens compilation.
#ifdef SESTINA_BATCH_LANES
#define SESTINA_INLINE_IN_LANES __attribute__((always_inline))
#else
#define SESTINA_INLINE_IN_LANES
#endif

namespace sestina {

// Sums of products are written as chains, one product added after the other: each step is one fused
// multiply-add where the processor has it. Returns sum + a x b.
template <class T>
SESTINA_INLINE_IN_LANES inline Vec3<T> plus_cross(const Vec3<T>& sum, const Vec3<T>& a, const Vec3<T>& b) {
  return {sum.x + a.y * b.z - a.z * b.y, sum.y + a.z * b.x - a.x * b.z, sum.z + a.x * b.y - a.y * b.x};
}
// A rotation about one coordinate axis.
template <class T>
struct PlaneTurn {
  T cos, sin;
};

// Rotates the components a, b of a vector from a towards b.
template <class T>
SESTINA_INLINE_IN_LANES inline void turn(const PlaneTurn<T>& r, T& a, T& b) {
  const T turned_a = r.cos * a - r.sin * b;
  b = r.sin * a + r.cos * b;
  a = turned_a;
}
template <class T>
SESTINA_INLINE_IN_LANES inline void turn_back(const PlaneTurn<T>& r, T& a, T& b) {
  const T turned_a = r.cos * a + r.sin * b;
  b = r.cos * b - r.sin * a;
  a = turned_a;
}

// Returns the number of quarter turns if it is known at compile time (for formulas: when they are formed),
// otherwise -1.
template <class T>
constexpr int find_quarter_turns(const PlaneTurn<T>&) {
  return -1;
}

// R A R^T for the 2x2 block [aa ab; ab bb]. g = sin (aa - bb) + 2 cos ab combines the four products of each
// number.
template <class T>
SESTINA_INLINE_IN_LANES inline void turn_symmetric(const PlaneTurn<T>& r, T& aa, T& bb, T& ab) {
  if (const int quarters = find_quarter_turns(r); quarters >= 0) {
    if (quarters % 2 == 1) std::swap(aa, bb), ab = -ab;
    return;
  }
  const T g = r.sin * (aa - bb) + (r.cos + r.cos) * ab;
  aa -= r.sin * g;
  bb += r.sin * g;
  ab = r.cos * g - ab;
}
// The same for [aa ab; ba bb], whose antisymmetric part does not change.
template <class T>
SESTINA_INLINE_IN_LANES inline void turn_block(const PlaneTurn<T>& r, T& aa, T& ab, T& ba, T& bb) {
  if (const int quarters = find_quarter_turns(r); quarters >= 0) {
    if (quarters % 2 == 1) std::swap(aa, bb), std::swap(ab, ba), ab = -ab, ba = -ba;
    return;
  }
  const T g = r.sin * (aa - bb) + r.cos * (ab + ba);
  aa -= r.sin * g;
  bb += r.sin * g;
  const T turned_ab = r.cos * g - ba;
  ba = r.cos * g - ab;
  ab = turned_ab;
}

// The components of a shift that can differ from zero.
enum class Along : std::uint8_t { kX, kY, kXY };
constexpr bool has_x(Along along) { return along != Along::kY; }
constexpr bool has_y(Along along) { return along != Along::kX; }

// Adds s x v, s = (s_x, s_y, 0), to `sum`.
template <Along along, class T>
SESTINA_INLINE_IN_LANES inline void add_cross(const T& s_x, const T& s_y, const Vec3<T>& v, Vec3<T>& sum) {
  if constexpr (has_x(along)) sum.y -= s_x * v.z, sum.z += s_x * v.y;
  if constexpr (has_y(along)) sum.x += s_y * v.z, sum.z -= s_y * v.x;
}

template <class T>
struct ArticulatedBody {
  SymMat3<T> J;
  Mat3<T> B;
  SymMat3<T> m;
  SpatialForce<T> z;

  SESTINA_INLINE_IN_LANES ArticulatedBody& operator+=(const ArticulatedBody& b) {
    J += b.J;
    B = B + b.B;
    m += b.m;
    z += b.z;
    return *this;
  }

  // Transforms to axes relative to which the old ones are rotated about z.
  SESTINA_INLINE_IN_LANES void turn_about_z(const PlaneTurn<T>& r) {
    turn_symmetric(r, J.xx, J.yy, J.xy);
    turn(r, J.xz, J.yz);
    turn_block(r, B.xx, B.xy, B.yx, B.yy);
    turn(r, B.xz, B.yz);
    turn(r, B.zx, B.zy);
    turn_symmetric(r, m.xx, m.yy, m.xy);
    turn(r, m.xz, m.yz);
    turn(r, z.torque.x, z.torque.y);
    turn(r, z.force.x, z.force.y);
  }
  SESTINA_INLINE_IN_LANES void turn_about_x(const PlaneTurn<T>& r) {
    turn_symmetric(r, J.yy, J.zz, J.yz);
    turn(r, J.xy, J.xz);
    turn_block(r, B.yy, B.yz, B.zy, B.zz);
    turn(r, B.xy, B.xz);
    turn(r, B.yx, B.zx);
    turn_symmetric(r, m.yy, m.zz, m.yz);
    turn(r, m.xy, m.xz);
    turn(r, z.torque.y, z.torque.z);
    turn(r, z.force.y, z.force.z);
  }
  // Transforms to the axes z, x, y of the old ones.
  SESTINA_INLINE_IN_LANES void rename_axes() {
    J = {J.yy, J.zz, J.xx, J.yz, J.xy, J.xz};
    B = {B.yy, B.yz, B.yx, B.zy, B.zz, B.zx, B.xy, B.xz, B.xx};
    m = {m.yy, m.zz, m.xx, m.yz, m.xy, m.xz};
    z = {{z.torque.y, z.torque.z, z.torque.x}, {z.force.y, z.force.z, z.force.x}};
  }
  // Transforms by any rotation.
  void turn(const Mat3<T>& R) {
    J = rotate(R, J);
    B = R * B * R.transpose();
    m = rotate(R, m);
    z = {R * z.torque, R * z.force};
  }
  template <class U>
  SESTINA_INLINE_IN_LANES static void turn(const PlaneTurn<U>& r, U& a, U& b) {
    sestina::turn(r, a, b);
  }

  SESTINA_INLINE_IN_LANES SpatialForce<T> times(const SpatialMotion<T>& a) const {
    return {J * a.w + B * a.v, transpose_times(B, a.w) + m * a.v};
  }

  // Returns I [turn e_z; slide e_z].
  SESTINA_INLINE_IN_LANES SpatialForce<T> along_z(const T& turn, const T& slide) const {
    return {{turn * J.xz + slide * B.xz, turn * J.yz + slide * B.yz, turn * J.zz + slide * B.zz},
            {turn * B.zx + slide * m.xz, turn * B.zy + slide * m.yz, turn * B.zz + slide * m.zz}};
  }

  // Shifts from the point at s = p_PQ back to P: B' = B + [s]x m,  J' = J + [s]x B^T - B' [s]x
  SESTINA_INLINE_IN_LANES void shift_back(const Vec3<T>& s) {
    const Vec3<T> x = plus_cross({B.xx, B.yx, B.zx}, s, {m.xx, m.xy, m.xz});
    const Vec3<T> y = plus_cross({B.xy, B.yy, B.zy}, s, {m.xy, m.yy, m.yz});
    const Vec3<T> w = plus_cross({B.xz, B.yz, B.zz}, s, {m.xz, m.yz, m.zz});
    const Mat3<T> P = Mat3<T>::from_columns(x, y, w);
    // Column k of [s]x B^T is s x (row k of B); row k of -B' [s]x is s x (row k of B').
    J.xx = J.xx + s.y * B.xz - s.z * B.xy + s.y * P.xz - s.z * P.xy;
    J.yy = J.yy + s.z * B.yx - s.x * B.yz + s.z * P.yx - s.x * P.yz;
    J.zz = J.zz + s.x * B.zy - s.y * B.zx + s.x * P.zy - s.y * P.zx;
    J.xy = J.xy + s.y * B.yz - s.z * B.yy + s.z * P.xx - s.x * P.xz;
    J.xz = J.xz + s.y * B.zz - s.z * B.zy + s.x * P.xy - s.y * P.xx;
    J.yz = J.yz + s.z * B.zx - s.x * B.zz + s.x * P.yy - s.y * P.yx;
    B = P;
    z.torque = plus_cross(z.torque, s, z.force);
  }

  // The same for s = (s_x, s_y, 0). Without a z row, the z rows of J and B count as zero, whatever they
  // contain.
  template <bool has_z_row, Along along>
  SESTINA_INLINE_IN_LANES void shift_back(const T& s_x, const T& s_y) {
    Mat3<T> P = B;
    if constexpr (!has_z_row) P.zx = P.zy = P.zz = J.xz = J.yz = J.zz = T(-0.0);  // -0.0 adds nothing
    if constexpr (has_x(along)) {
      P.yx -= s_x * m.xz, P.yy -= s_x * m.yz, P.yz -= s_x * m.zz;
      P.zx += s_x * m.xy, P.zy += s_x * m.yy, P.zz += s_x * m.yz;
    }
    if constexpr (has_y(along)) {
      P.xx += s_y * m.xz, P.xy += s_y * m.yz, P.xz += s_y * m.zz;
      P.zx -= s_y * m.xx, P.zy -= s_y * m.xy, P.zz -= s_y * m.xz;
    }
    if constexpr (has_x(along)) {
      if constexpr (has_z_row) J.zz += s_x * B.zy, J.yz -= s_x * B.zz;
      J.yy = J.yy - s_x * B.yz - s_x * P.yz;
      J.zz += s_x * P.zy;
      J.xy -= s_x * P.xz;
      J.xz += s_x * P.xy;
      J.yz += s_x * P.yy;
    }
    if constexpr (has_y(along)) {
      if constexpr (has_z_row) J.zz -= s_y * B.zx, J.xz += s_y * B.zz;
      J.xx = J.xx + s_y * B.xz + s_y * P.xz;
      J.zz -= s_y * P.zx;
      J.xy += s_y * B.yz;
      J.xz -= s_y * P.xx;
      J.yz -= s_y * P.yx;
    }
    B = P;
    add_cross<along>(s_x, s_y, z.force, z.torque);
  }

  // I -= U W^T, where W is U times a number.
  SESTINA_INLINE_IN_LANES void subtract_outer(const SpatialForce<T>& U, const SpatialForce<T>& W) {
    const Vec3<T>&t = U.torque, &f = U.force, &a = W.torque, &b = W.force;
    J -= {t.x * a.x, t.y * a.y, t.z * a.z, t.x * a.y, t.x * a.z, t.y * a.z};
    m -= {f.x * b.x, f.y * b.y, f.z * b.z, f.x * b.y, f.x * b.z, f.y * b.z};
    B = {B.xx - t.x * b.x, B.xy - t.x * b.y, B.xz - t.x * b.z, B.yx - t.y * b.x, B.yy - t.y * b.y,
         B.yz - t.y * b.z, B.zx - t.z * b.x, B.zy - t.z * b.y, B.zz - t.z * b.z};
  }
};

// Like SolveReport::check_pivot, for all pivots of a solution: keeps the smallest excess of a pivot over its
// limit. A NaN pivot shows in the solution.
template <class T>
class Pivots {
 public:
  // Announces that the next pivots are those of the speeds from u on.
  SESTINA_INLINE_IN_LANES void begin(int) {}
  SESTINA_INLINE_IN_LANES void check(const T& pivot, const T& scale) {
    const T above = pivot - T(kSingularPivot) * scale;
    smallest_ = select(above < smallest_, above, smallest_);
  }
  Mask<T> vanish() const { return smallest_ <= T(0.0); }

 private:
  T smallest_{1.0};
};

// A = L D L^T
template <class T>
class FactoredSymMat3 {
 public:
  SESTINA_INLINE_IN_LANES FactoredSymMat3(const SymMat3<T>& A, const T& scale, Pivots<T>& pivots)
      : d_x_(reciprocal(A.xx)), l_yx_(d_x_ * A.xy), l_zx_(d_x_ * A.xz) {
    const T y = A.yy - l_yx_ * A.xy, zy = A.yz - l_zx_ * A.xy;
    d_y_ = reciprocal(y);
    l_zy_ = d_y_ * zy;
    const T z = A.zz - l_zx_ * A.xz - l_zy_ * zy;
    d_z_ = reciprocal(z);
    pivots.check(A.xx, scale);
    pivots.check(y, scale);
    pivots.check(z, scale);
  }
  SESTINA_INLINE_IN_LANES FactoredSymMat3(const SymMat3<T>& A, Pivots<T>& pivots)
      : FactoredSymMat3(A, A.trace(), pivots) {}

  SESTINA_INLINE_IN_LANES Vec3<T> solve(const Vec3<T>& f) const {
    const T y = f.y - l_yx_ * f.x, z = d_z_ * (f.z - l_zx_ * f.x - l_zy_ * y);
    const T a_y = d_y_ * y - l_zy_ * z;
    return {d_x_ * f.x - l_yx_ * a_y - l_zx_ * z, a_y, z};
  }

 private:
  T d_x_, d_y_, d_z_;  // 1 / D
  T l_yx_, l_zx_, l_zy_;
};

// Returns the solution of I a = f; displacements are eliminated before rotations.
template <class T>
[[gnu::noinline]] SpatialMotion<T> solve(const ArticulatedBody<T>& I, const SpatialForce<T>& f,
                                         Pivots<T>& pivots) {
  const Mat3<T>& B = I.B;
  const FactoredSymMat3<T> m(I.m, pivots);
  const Vec3<T> a = m.solve(f.force);
  const Vec3<T> X_x = m.solve({B.xx, B.xy, B.xz}), X_y = m.solve({B.yx, B.yy, B.yz}),
                X_z = m.solve({B.zx, B.zy, B.zz});  // columns of m^-1 B^T
  const SymMat3<T> J = {I.J.xx - B.xx * X_x.x - B.xy * X_x.y - B.xz * X_x.z,
                        I.J.yy - B.yx * X_y.x - B.yy * X_y.y - B.yz * X_y.z,
                        I.J.zz - B.zx * X_z.x - B.zy * X_z.y - B.zz * X_z.z,
                        I.J.xy - B.xx * X_y.x - B.xy * X_y.y - B.xz * X_y.z,
                        I.J.xz - B.xx * X_z.x - B.xy * X_z.y - B.xz * X_z.z,
                        I.J.yz - B.yx * X_z.x - B.yy * X_z.y - B.yz * X_z.z};
  const Vec3<T> w = FactoredSymMat3<T>(J, I.J.trace(), pivots).solve(f.torque - B * a);
  return {w, a - w.x * X_x - w.y * X_y - w.z * X_z};
}

// Eliminates alpha from the torque equations of I [alpha; a] + z = [n; 0] for a given n: alpha as a function
// of a, and what remains for a in I, z.
template <class T>
class EliminatedTorques {
 public:
  // Leaves in I the mass matrix m and the force of z that remain; J and B become zero, the torque of z
  // becomes n.
  void eliminate(const Vec3<T>& n, ArticulatedBody<T>& I, Pivots<T>& pivots) {
    const Vec3<T> e = n - I.z.torque;
    const SymMat3<T>& J = I.J;
    const Mat3<T>& B = I.B;
    const T scale = J.trace();
    const T d_x = reciprocal(J.xx);
    l_yx_ = d_x * J.xy, l_zx_ = d_x * J.xz;
    const Vec3<T> x{B.xx, B.xy, B.xz};
    const Vec3<T> y = Vec3<T>{B.yx, B.yy, B.yz} - l_yx_ * x;
    const T J_yy = J.yy - l_yx_ * J.xy, J_yz = J.yz - l_yx_ * J.xz, e_y = e.y - l_yx_ * e.x;
    const T d_y = reciprocal(J_yy);
    l_zy_ = d_y * J_yz;
    const Vec3<T> z = Vec3<T>{B.zx, B.zy, B.zz} - l_zx_ * x - l_zy_ * y;
    const T J_zz = J.zz - l_zx_ * J.xz - l_zy_ * J_yz, e_z = e.z - l_zx_ * e.x - l_zy_ * e_y;
    const T d_z = reciprocal(J_zz);
    pivots.check(J.xx, scale);
    pivots.check(J_yy, scale);
    pivots.check(J_zz, scale);
    set_row(0, d_x, x, e.x, I);
    set_row(1, d_y, y, e_y, I);
    set_row(2, d_z, z, e_z, I);
  }
  Vec3<T> solve(const Vec3<T>& a) const {
    const T z = g_[2] - dot(W_[2], a), y = g_[1] - dot(W_[1], a) - l_zy_ * z;
    return {g_[0] - dot(W_[0], a) - l_yx_ * y - l_zx_ * z, y, z};
  }

 private:
  SESTINA_INLINE_IN_LANES void set_row(int k, const T& d, const Vec3<T>& u, const T& e,
                                       ArticulatedBody<T>& I) {
    const Vec3<T> w = d * u;
    W_[k] = w;
    g_[k] = d * e;
    I.m -= {u.x * w.x, u.y * w.y, u.z * w.z, u.x * w.y, u.x * w.z, u.y * w.z};
    I.z.force += e * w;
  }

  T l_yx_, l_zx_, l_zy_;  // J = L D L^T
  Vec3<T> W_[3];          // rows of D^-1 L^-1 B
  T g_[3];                // D^-1 L^-1 (n - z)
};

}  // namespace sestina
