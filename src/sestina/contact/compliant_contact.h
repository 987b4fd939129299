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
// A pair that touches at a single point may have bristles instead of (3), which stick (LuGre). Their mean
// deflection z is a state of the model, z_t its part normal to n; w_c is the angular velocity of the tangent
// plane: that of the body whose surface is not a ball's, and for two balls (9) with c between their centres.
//   g   = mu + (mu_s - mu) exp(-(|v_t|/v_s)^2)                                                        (6)
//   s   = v_t - s0 |v_t| z_t/g,   F_t = -N (s0 z_t + s1 s)                                            (7)
//   z'  = w_c x z + s - s0/s1 (z - z_t),   of an open contact -s0/s1 z                                (8)
//   w_c = n x c'/|c| + n (n.(w_1 + w_2))/2                                                            (9)
// At a constant slip |F_t| = N g. s0/s1 is the rate at which free bristles straighten. The energy of bent
// bristles counts as dissipated until they return it.
//
// In an impact of two bodies with the approach speed v and without other forces, (2) with d = 0 gives
// m v dv/d delta = -k delta^p (1 + c v) in compression and in restitution, so that the restitution e depends
// on s = c v alone, not on m, k or p:
//   (1 + e) s = ln((1 + s)/(1 - e s))                                                                 (5)
//
// Source: K. H. Hunt, F. R. E. Crossley, J. Applied Mechanics 42 (1975) 440-445; K. L. Johnson, Contact
// Mechanics (1985), ch. 4 for (4). (5) integrates the equation before it from v to 0 and from 0 to -e v. (6)
// and (7) are the law of C. Canudas de Wit et al., IEEE Trans. Automatic Control 40 (1995) 419-425, for each
// newton of normal force.
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

// Whether such a pair touches at one point, so that it may have bristles.
inline bool has_single_point(ShapeType a, ShapeType b) {
  return a == ShapeType::kSphere || b == ShapeType::kSphere || b == ShapeType::kEllipsoid;
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
  T creep_speed{};                  // v_c, m/s; unused without friction, and with bristles
  int bristle = -1;                 // index of z (m, ground axes) among the states; -1: (3)
  T bristle_stiffness{};            // s0, 1/m
  T bristle_damping{};              // s1, s/m
  T static_friction{};              // mu_s
  T stribeck_speed{};               // v_s, m/s

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    visit(in, [&](const Point& point) {
      if (bristle >= 0) {
        out.rates[bristle] = point.z_rate.x, out.rates[bristle + 1] = point.z_rate.y;
        out.rates[bristle + 2] = point.z_rate.z;
      }
      if (!acts(point)) return;
      const Vec3<T> force = point.N * point.n + point.F_t;
      out.add_force_at(second, point.p - in.frame(second).X_WB.p, force);
      out.add_force_at(first, point.p - in.frame(first).X_WB.p, -force);
    });
  }
  // Calls take(p, force) with each contact point (m, ground axes) that carries load and the force on the
  // second body (N); for scalars with derivatives with all points.
  template <class Take>
  void for_each_force(const ForceInput<T>& in, const Take& take) const {
    visit(in, [&](const Point& point) {
      if (acts(point)) take(point.p, point.N * point.n + point.F_t);
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
      sum += (point.N - point.elastic) * point.rate - dot(point.F_t, point.v_t);
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
      totals.friction_force += std::sqrt(value_of(dot(point.F_t, point.F_t)));
      totals.slip = std::max(totals.slip, slip);
    });
  }

 private:
  struct Point {
    Vec3<T> p, n, v_t, F_t;
    T delta, rate, elastic, N;
    Vec3<T> z_rate;  // with bristles
  };

  static bool acts(const Point& point) {
    if constexpr (std::is_same_v<T, double>) return point.N != 0.0;
    return true;
  }

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
      set_normal_force(point);
      if (bristle >= 0) {
        set_bristles(in, calc_tangent_velocity(in, a.X, b.X, point), point);
      } else {
        set_creep(point);
      }
      take(point);
    });
  }

  static Vec3<T> velocity_of(const ForceInput<T>& in, const Marker<T>& marker, const Vec3<T>& p) {
    const FrameMotion<T>& B = in.frame(marker);
    return B.V_WB.v + cross(B.V_WB.w, p - B.X_WB.p);
  }

  // (2). The forces of an open contact are zero, with derivatives that are zero times those of their
  // arguments: implicit rules find by NaN on which coordinates a force may depend.
  void set_normal_force(Point& point) const {
    point.elastic = point.N = T(0) * (point.delta + point.rate);
    if (!(value_of(point.delta) > 0.0)) return;
    point.elastic = stiffness * pow(point.delta, exponent);
    const T N = point.elastic * (T(1) + dissipation * point.rate) + damping * point.rate;
    if (value_of(N) > 0.0) point.N = N;
  }

  // (3)
  void set_creep(Point& point) const {
    point.F_t = point.N * point.v_t;  // zero, where there is none
    if (!(value_of(point.N) > 0.0)) return;
    const T part = dot(point.v_t, point.v_t) / (creep_speed * creep_speed);
    point.F_t = value_of(friction) == 0.0
                    ? T(0) * point.v_t
                    : (-friction * point.N / creep_speed * tanh_ratio(part)) * point.v_t;
  }

  // (6) to (8)
  void set_bristles(const ForceInput<T>& in, const Vec3<T>& w_c, Point& point) const {
    const Vec3<T> z{in.x[bristle], in.x[bristle + 1], in.x[bristle + 2]};
    const T straightening = bristle_stiffness / bristle_damping, along = dot(point.n, z);
    point.F_t = point.N * z;
    point.z_rate = -straightening * z + point.N * point.v_t;  // of an open contact
    if (!(value_of(point.N) > 0.0)) return;
    const Vec3<T> z_t = z - along * point.n;
    const T square = dot(point.v_t, point.v_t), part = square / (stribeck_speed * stribeck_speed);
    const T speed = value_of(square) > 0.0 ? sqrt(square) : T(0) * square;
    const T g = friction + (static_friction - friction) * exp(-part);
    const Vec3<T> slip = point.v_t - (bristle_stiffness * speed / g) * z_t;
    point.F_t = -point.N * (bristle_stiffness * z_t + bristle_damping * slip);
    point.z_rate = cross(w_c, z) + slip - (straightening * along) * point.n;
  }

  // w_c
  Vec3<T> calc_tangent_velocity(const ForceInput<T>& in, const Pose<T>& a, const Pose<T>& b,
                                const Point& point) const {
    const Vec3<T>&w_1 = in.frame(first).V_WB.w, &w_2 = in.frame(second).V_WB.w;
    if (first_type != ShapeType::kSphere) return w_1;
    if (second_type != ShapeType::kSphere) return w_2;
    const Vec3<T> c = b.p - a.p, rate = velocity_of(in, second, b.p) - velocity_of(in, first, a.p);
    return (T(1) / norm(c)) * cross(point.n, rate) + (T(0.5) * dot(point.n, w_1 + w_2)) * point.n;  // (9)
  }

  // tanh(x)/x of x^2, smooth at zero.
  static T tanh_ratio(const T& square) {
    if (value_of(square) < 1e-5) return T(1) - square / T(3) + T(2.0 / 15.0) * square * square;
    const T x = sqrt(square);
    return tanh(x) / x;
  }
};

}  // namespace sestina
