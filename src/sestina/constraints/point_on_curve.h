// A point of one body that stays on a curve of another.
//
// With K the frame of the curve c(s) on body a, p = p_KP the point of body b in it and ' for d/ds, the
// curve's point closest to P has the parameter s with
//   (p - c(s)).c'(s) = 0                                                                              (1)
// which Newton's method finds, starting from s of the last accepted step: on a curve that crosses itself the
// point stays on its branch, and on a closed curve s counts turns. With two unit vectors n_1, n_2
// perpendicular to the tangent c'(s) and to each other, and v, a the velocity and the acceleration of P in K:
//   g   = n.(p - c)                                                                                   (2)
//   g_t = n.v,        where g = 0 (n turns, but p - c vanishes)                                       (3)
//   g_tt = n.(a - c'' s_t^2),   s_t = v.c'/|c'|^2,   where g_t = 0 (n_t.c' = -n.c'' s_t)              (4)
// The directions are chosen such that they seldom turn fast along the curve: n_1 = up x c'/|up x c'|, n_2 =
// the tangent x n_1, with `up` the axis of K that is farthest from all tangents; for a curve in a coordinate
// plane this is the normal of the plane.
//
// The multipliers are the force on the point (N) along n_1 and n_2.
//
// Singular where c' vanishes, and where P is as far from the curve as its centre of curvature.
#pragma once

#include <cmath>

#include "sestina/constraints/constraint_row.h"

namespace sestina {

template <class T>
struct PointOnCurve {
  Marker<T> point, curve;  // P, K
  bool is_open = false;    // ends at s = first and s = last; if false, these may be the bounds of a period
  T first{}, last{};
  int up = 2;     // axis of K: 0, 1 or 2
  int index = 0;  // index of the curve, and of its s, among the model's curves
  int first_row = 0;

  static constexpr int kRows = 2;
};

// c and its derivatives with respect to s at a parameter.
template <class T>
struct CurvePoint {
  Vec3<T> c, by_s, by_ss;
};

// Solves (1) from the given s, and returns s of the closest point in it. `at` is a function (s) ->
// CurvePoint. If a Newton step would lead away from the closest point, a Gauss-Newton step is taken, along
// which the distance decreases.
template <class T, class Curve>
CurvePoint<T> find_closest_point(const Vec3<T>& p, const Curve& at, T& s) {
  constexpr int kMostSteps = 50;
  CurvePoint<T> point = at(s);
  bool is_near = false;
  for (int step = 0; step < kMostSteps; ++step) {
    const Vec3<T> away = p - point.c;
    const T square = dot(point.by_s, point.by_s), bent = square - dot(away, point.by_ss);
    const T slope = value_of(bent) > 0.5 * value_of(square) ? bent : square;
    const T ds = dot(away, point.by_s) / slope;
    if (!std::isfinite(value_of(ds))) break;
    s = s + ds;
    point = at(s);
    // Newton's method converges quadratically; dual parts need one step more.
    const double size = 1.0 + std::abs(value_of(s));
    if (is_near || value_of(ds) == 0.0) break;
    is_near = std::abs(value_of(ds)) < 1e-8 * size;
  }
  return point;
}

// Returns the axis farthest from all tangents, whose largest components are given; z if two axes are equally
// far.
inline int find_up_axis(const double (&largest)[3]) {
  if (largest[2] <= largest[0] && largest[2] <= largest[1]) return 2;
  return largest[1] <= largest[0] ? 1 : 0;
}

template <class T>
void find_curve_normals(const Vec3<T>& tangent, int up, Vec3<T>& first, Vec3<T>& second) {
  Vec3<T> sideways;
  for (int turn = 0; turn < 3; ++turn) {
    Vec3<T> axis;
    axis[(up + turn) % 3] = T(1);
    sideways = cross(axis, tangent);
    if (value_of(dot(sideways, sideways)) > 0.01) break;
  }
  first = (T(1) / norm(sideways)) * sideways;
  second = cross(tangent, first);
}

// s: on entry the value of the last accepted step, on return the present one.
template <class T, class Curve>
void update_point_on_curve(const PointOnCurve<T>& constraint, const FrameMotion<T>* frames, const Curve& at,
                           T& s, ConstraintRow<T>* rows) {
  const RelativeMarkerMotion<T> relative =
      calc_relative_marker_motion(frames, constraint.curve, constraint.point);
  const Vec3<T>& p = relative.X_FM.p;
  const CurvePoint<T> point = find_closest_point(p, at, s);
  const T length = norm(point.by_s);
  Vec3<T> normals[2];
  find_curve_normals((T(1) / length) * point.by_s, constraint.up, normals[0], normals[1]);
  const Vec3<T> v = relative.R_WF.transpose() * relative.velocity.v;
  const T s_rate = dot(v, point.by_s) / (length * length);
  for (int i = 0; i < PointOnCurve<T>::kRows; ++i) {
    ConstraintRow<T>& row = rows[i];
    row.a = constraint.curve.frame, row.b = constraint.point.frame;
    row.force = {{}, relative.R_WF * normals[i]};
    row.arm_a = relative.arm_a, row.arm_b = relative.arm_b;
    row.error = dot(normals[i], p - point.c);                                                   // (2)
    row.velocity = dot(relative.velocity, row.force);                                           // (3)
    row.bias = dot(relative.bias, row.force) - s_rate * s_rate * dot(normals[i], point.by_ss);  // (4)
  }
}

}  // namespace sestina
