// Compliant contact of two shapes, as a force element.
//
// At each contact point, with n the normal from the first shape to the second, v the velocity of the second
// body relative to the first at the point, v_t its part normal to n:
//   delta = -gap,   delta' = -n.v                                                                     (1)
//   N   = max(0, k delta^p (1 + c delta') + d delta')  where delta > 0, otherwise 0                   (2)
//   F_t = -mu N tanh(|v_t|/v_c) v_t/|v_t|                                                             (3)
// p = 3/2, c = d = 0 is Hertz's law, d = 0 that of Hunt and Crossley, p = 1, c = 0 a spring and damper. For
// two balls of moduli E_i and Poisson's ratios nu_i, Hertz's law has
//   k = 4/3 E* sqrt(R),   1/E* = sum (1 - nu_i^2)/E_i,   1/R = sum 1/r_i (a plane has none)           (4)
// Friction creeps: a contact that carries mu' < mu of its normal force slides with v_c artanh(mu'/mu).
// Energy k delta^(p+1)/(p+1) is stored; the work of N beyond it and that of F_t is dissipated.
//
// In an impact of two bodies with the approach speed v and without other forces, (2) with d = 0 gives
// m v dv/d delta = -k delta^p (1 + c v) in compression and in restitution, so that the restitution e depends
// on s = c v alone, not on m, k or p:
//   (1 + e) s = ln((1 + s)/(1 - e s))                                                                 (5)
//
// Source: K. H. Hunt, F. R. E. Crossley, J. Applied Mechanics 42 (1975) 440-445; K. L. Johnson, Contact
// Mechanics (1985), ch. 4 for (4). (5) integrates the equation before it from v to 0 and from 0 to -e v.
#pragma once

#include <algorithm>
#include <limits>

#include "sestina/contact/closed_form_points.h"
#include "sestina/forces/force.h"
#include "sestina/numerics/dual.h"

namespace sestina {

// Whether the element takes a pair whose first shape is a plane or a sphere: (1) then holds at all points.
inline bool has_compliant_force(ShapeType a, ShapeType b) {
  return has_closed_form(a, b) && !(a == ShapeType::kPlane && b == ShapeType::kCylinder);
}

// Returns s of (5) for e > 0; zero if e >= 1. s <= 1/e; accurate to round-off of e.
inline double impact_number(double e) {
  if (e >= 1.0) return 0.0;
  double low = 0.0, high = 1.0 / e;
  while (true) {
    const double s = 0.5 * (low + high);
    if (s <= low || s >= high) return s;
    (std::log1p(s) - std::log1p(-e * s) - (1.0 + e) * s > 0.0 ? high : low) = s;
  }
}
inline Dual impact_number(const Dual& e) {
  const double s = impact_number(e.v);
  if (s == 0.0) return s;
  if (!(1.0 - e.v * s > 1e-15)) return {s, -e.d / (e.v * e.v)};  // s is 1/e to rounding
  const double by_e = e.v * s * s / (1.0 - e.v * s),
               by_s = 1.0 / (1.0 + s) + e.v / (1.0 - e.v * s) - 1.0 - e.v;
  return {s, -by_e / by_s * e.d};
}

// The sums of the forces' magnitudes over the points (N), the smallest gap (m), and the largest tangential
// speed of the points that carry load (m/s).
struct ContactTotals {
  double normal_force = 0.0, friction_force = 0.0;
  double gap = std::numeric_limits<double>::max();
  double slip = 0.0;
};

template <class T>
struct CompliantContact : ForceElement<T> {
  int contact = 0;          // in Model::contacts()
  Marker<T> first, second;  // the shapes
  ShapeType first_type = ShapeType::kPlane, second_type = ShapeType::kSphere;
  Vec3<T> first_size, second_size;  // m, of shape.h
  T stiffness{};                    // k, N/m^p
  T exponent{};                     // p
  T dissipation{};                  // c, s/m
  T damping{};                      // d, N s/m
  T friction{};                     // mu
  T creep_speed{};                  // v_c, m/s; unused without friction

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    for_each_force(in, [&](const Vec3<T>& p, const Vec3<T>& force) {
      out.add_force_at(second, p - in.frame(second).X_WB.p, force);
      out.add_force_at(first, p - in.frame(first).X_WB.p, -force);
    });
  }
  // Calls take(p, force) with each contact point (m, ground axes) that carries load and the force on the
  // second body (N); for scalars with derivatives with all points.
  template <class Take>
  void for_each_force(const ForceInput<T>& in, const Take& take) const {
    visit(in, [&](const Point& point) {
      if constexpr (std::is_same_v<T, double>) {
        if (point.N == 0.0) return;
      }
      take(point.p, point.N * point.n - point.drag * point.v_t);
    });
  }
  T potential_energy(const ForceInput<T>& in) const {
    T sum(0);
    visit(in, [&](const Point& point) {
      if (value_of(point.delta) > 0.0) sum += point.elastic * point.delta / (exponent + T(1));
    });
    return sum;
  }
  T dissipated_power(const ForceInput<T>& in) const {
    T sum(0);
    visit(in, [&](const Point& point) {
      if (!(value_of(point.delta) > 0.0)) return;
      sum += (point.N - point.elastic) * point.rate + point.drag * dot(point.v_t, point.v_t);
    });
    return sum;
  }

  // Adds the points to `totals`.
  void add_totals(const ForceInput<T>& in, ContactTotals& totals) const {
    visit(in, [&](const Point& point) {
      totals.gap = std::min(totals.gap, -value_of(point.delta));
      if (!(value_of(point.N) > 0.0)) return;
      const double slip = std::sqrt(value_of(dot(point.v_t, point.v_t)));
      totals.normal_force += value_of(point.N);
      totals.friction_force += value_of(point.drag) * slip;
      totals.slip = std::max(totals.slip, slip);
    });
  }

 private:
  struct Point {
    Vec3<T> p, n, v_t;
    T delta, rate, elastic, N;
    T drag;  // |F_t|/|v_t|
  };

  template <class Take>
  void visit(const ForceInput<T>& in, const Take& take) const {
    const ShapeInGround<T> a{first_type, first_size, marker_pose(in.frames, first)};
    const ShapeInGround<T> b{second_type, second_size, marker_pose(in.frames, second)};
    visit_closed_form_points(a, b, [&](const ClosedFormPoint<T>& at) {
      Point point;
      point.p = at.p, point.n = at.normal;
      const Vec3<T> v = velocity_of(in, second, at.p) - velocity_of(in, first, at.p);
      point.delta = -at.gap, point.rate = -dot(at.normal, v);
      point.v_t = v + point.rate * at.normal;
      set_forces(point);
      take(point);
    });
  }

  static Vec3<T> velocity_of(const ForceInput<T>& in, const Marker<T>& marker, const Vec3<T>& p) {
    const FrameMotion<T>& B = in.frame(marker);
    return B.V_WB.v + cross(B.V_WB.w, p - B.X_WB.p);
  }

  // (2) and (3). The forces of an open contact are zero, with derivatives that are zero times those of their
  // arguments: implicit rules find by NaN on which coordinates a force may depend.
  void set_forces(Point& point) const {
    point.elastic = point.N = point.drag = T(0) * (point.delta + point.rate);
    if (!(value_of(point.delta) > 0.0)) return;
    point.elastic = stiffness * pow(point.delta, exponent);
    const T N = point.elastic * (T(1) + dissipation * point.rate) + damping * point.rate;
    if (!(value_of(N) > 0.0)) return;
    point.N = N;
    if (value_of(friction) == 0.0) return;
    point.drag =
        friction * N / creep_speed * tanh_ratio(dot(point.v_t, point.v_t) / (creep_speed * creep_speed));
  }

  // tanh(x)/x of x^2, smooth at zero.
  static T tanh_ratio(const T& square) {
    if (value_of(square) < 1e-5) return T(1) - square / T(3) + T(2.0 / 15.0) * square * square;
    const T x = sqrt(square);
    return tanh(x) / x;
  }
};

}  // namespace sestina
