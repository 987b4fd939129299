// The articulated inertia and bias force of the recursion on lanes, and their rotations and shifts across
// joints.
//
//   I = [ J  B ; B^T  m ],  J and m symmetric;   f = I [alpha; a] + z,   z = [torque; force]
#pragma once

#include <cstdint>

#include "sestina/dynamics/solve_report.h"
#include "sestina/spatial/spatial.h"

namespace sestina {

// Sums of products are written as chains, one product added after the other: each step is one fused
// multiply-add where the processor has it. Returns sum + a x b.
template <class T>
[[gnu::always_inline]] inline Vec3<T> plus_cross(const Vec3<T>& sum, const Vec3<T>& a, const Vec3<T>& b) {
  return {sum.x + a.y * b.z - a.z * b.y, sum.y + a.z * b.x - a.x * b.z, sum.z + a.x * b.y - a.y * b.x};
}
// Returns sum + A v.
template <class T>
[[gnu::always_inline]] inline Vec3<T> plus_product(const Vec3<T>& sum, const Mat3<T>& A, const Vec3<T>& v) {
  return {sum.x + A.xx * v.x + A.xy * v.y + A.xz * v.z, sum.y + A.yx * v.x + A.yy * v.y + A.yz * v.z,
          sum.z + A.zx * v.x + A.zy * v.y + A.zz * v.z};
}
template <class T>
[[gnu::always_inline]] inline Vec3<T> plus_product(const Vec3<T>& sum, const SymMat3<T>& A,
                                                   const Vec3<T>& v) {
  return {sum.x + A.xx * v.x + A.xy * v.y + A.xz * v.z, sum.y + A.xy * v.x + A.yy * v.y + A.yz * v.z,
          sum.z + A.xz * v.x + A.yz * v.y + A.zz * v.z};
}

// A rotation about one coordinate axis.
template <class T>
struct PlaneTurn {
  T cos, sin;
};

// Rotates the components a, b of a vector from a towards b.
template <class T>
[[gnu::always_inline]] inline void turn(const PlaneTurn<T>& r, T& a, T& b) {
  const T turned_a = r.cos * a - r.sin * b;
  b = r.sin * a + r.cos * b;
  a = turned_a;
}
template <class T>
[[gnu::always_inline]] inline void turn_back(const PlaneTurn<T>& r, T& a, T& b) {
  const T turned_a = r.cos * a + r.sin * b;
  b = r.cos * b - r.sin * a;
  a = turned_a;
}

// R A R^T for the 2x2 block [aa ab; ab bb]. g = sin (aa - bb) + 2 cos ab combines the four products of each
// number.
template <class T>
[[gnu::always_inline]] inline void turn_symmetric(const PlaneTurn<T>& r, T& aa, T& bb, T& ab) {
  const T g = r.sin * (aa - bb) + (r.cos + r.cos) * ab;
  aa -= r.sin * g;
  bb += r.sin * g;
  ab = r.cos * g - ab;
}
// The same for [aa ab; ba bb], whose antisymmetric part does not change.
template <class T>
[[gnu::always_inline]] inline void turn_block(const PlaneTurn<T>& r, T& aa, T& ab, T& ba, T& bb) {
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
[[gnu::always_inline]] inline void add_cross(const T& s_x, const T& s_y, const Vec3<T>& v, Vec3<T>& sum) {
  if constexpr (has_x(along)) sum.y -= s_x * v.z, sum.z += s_x * v.y;
  if constexpr (has_y(along)) sum.x += s_y * v.z, sum.z -= s_y * v.x;
}

template <class T>
struct ArticulatedBody {
  SymMat3<T> J;
  Mat3<T> B;
  SymMat3<T> m;
  SpatialForce<T> z;

  [[gnu::always_inline]] ArticulatedBody& operator+=(const ArticulatedBody& b) {
    J += b.J;
    B = B + b.B;
    m += b.m;
    z += b.z;
    return *this;
  }

  // Transforms to axes relative to which the old ones are rotated about z.
  [[gnu::always_inline]] void turn_about_z(const PlaneTurn<T>& r) {
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
  [[gnu::always_inline]] void turn_about_x(const PlaneTurn<T>& r) {
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
  [[gnu::always_inline]] void rename_axes() {
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
  [[gnu::always_inline]] static void turn(const PlaneTurn<U>& r, U& a, U& b) {
    sestina::turn(r, a, b);
  }

  [[gnu::always_inline]] SpatialForce<T> times(const SpatialMotion<T>& a) const {
    return {J * a.w + B * a.v, transpose_times(B, a.w) + m * a.v};
  }

  // z += I [0; a]
  template <bool has_z_row>
  [[gnu::always_inline]] void add_force_of_acceleration(const Vec3<T>& a) {
    z.torque.x = z.torque.x + B.xx * a.x + B.xy * a.y + B.xz * a.z;
    z.torque.y = z.torque.y + B.yx * a.x + B.yy * a.y + B.yz * a.z;
    if constexpr (has_z_row) z.torque.z = z.torque.z + B.zx * a.x + B.zy * a.y + B.zz * a.z;
    z.force = plus_product(z.force, m, a);
  }

  // Shifts from the point at s = p_PQ back to P: B' = B + [s]x m,  J' = J + [s]x B^T - B' [s]x
  [[gnu::always_inline]] void shift_back(const Vec3<T>& s) {
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

  // The same for s = (s_x, s_y, 0). Without a z row, that of J and B counts as zero, whatever it contains.
  template <bool has_z_row, Along along>
  [[gnu::always_inline]] void shift_back(const T& s_x, const T& s_y) {
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
  [[gnu::always_inline]] void subtract_outer(const SpatialForce<T>& U, const SpatialForce<T>& W) {
    const Vec3<T>&t = U.torque, &f = U.force, &a = W.torque, &b = W.force;
    J -= {t.x * a.x, t.y * a.y, t.z * a.z, t.x * a.y, t.x * a.z, t.y * a.z};
    m -= {f.x * b.x, f.y * b.y, f.z * b.z, f.x * b.y, f.x * b.z, f.y * b.z};
    B = {B.xx - t.x * b.x, B.xy - t.x * b.y, B.xz - t.x * b.z, B.yx - t.y * b.x, B.yy - t.y * b.y,
         B.yz - t.y * b.z, B.zx - t.z * b.x, B.zy - t.z * b.y, B.zz - t.z * b.z};
  }
};

// Like SolveReport::check_pivot: keeps the smallest excess of a pivot over the limit. A NaN pivot shows in
// the solution.
template <class T>
[[gnu::always_inline]] inline void check_pivot(const T& pivot, const T& scale, T& smallest) {
  const T above = pivot - T(kSingularPivot) * scale;
  smallest = select(above < smallest, above, smallest);
}

// A = L D L^T
template <class T>
class FactoredSymMat3 {
 public:
  [[gnu::always_inline]] FactoredSymMat3(const SymMat3<T>& A, const T& scale, T& smallest_pivot)
      : d_x_(T(1) / A.xx), l_yx_(d_x_ * A.xy), l_zx_(d_x_ * A.xz) {
    const T y = A.yy - l_yx_ * A.xy, zy = A.yz - l_zx_ * A.xy;
    d_y_ = T(1) / y;
    l_zy_ = d_y_ * zy;
    const T z = A.zz - l_zx_ * A.xz - l_zy_ * zy;
    d_z_ = T(1) / z;
    check_pivot(A.xx, scale, smallest_pivot);
    check_pivot(y, scale, smallest_pivot);
    check_pivot(z, scale, smallest_pivot);
  }
  [[gnu::always_inline]] FactoredSymMat3(const SymMat3<T>& A, T& smallest_pivot)
      : FactoredSymMat3(A, A.trace(), smallest_pivot) {}

  [[gnu::always_inline]] Vec3<T> solve(const Vec3<T>& f) const {
    const T y = f.y - l_yx_ * f.x, z = d_z_ * (f.z - l_zx_ * f.x - l_zy_ * y);
    const T a_y = d_y_ * y - l_zy_ * z;
    return {d_x_ * f.x - l_yx_ * a_y - l_zx_ * z, a_y, z};
  }

 private:
  T d_x_, d_y_, d_z_;  // 1 / D
  T l_yx_, l_zx_, l_zy_;
};

}  // namespace sestina
