// The contact of a cable with a pulley: pressure by a penalty, and dry friction by bristles.
//
// Each element of the cable has `segments` points of contact, each in the middle of its segment of the
// unstressed length w. With d from the pulley's centre to the point, a the unit vector of its axis, y = a.d,
// e the unit vector of d - y a and rho the length of that, the pulley has the depth
//   delta = radius + y^2/(2 groove_radius) - rho                                                          (1)
// at the point, the velocity v of the point relative to the pulley there, and
//   normal force    N = w (k delta + clamp(damping delta', -k delta, k delta)),   k = stiffness (2)
// where delta > 0, otherwise zero: it is continuous, and does not pull;
//   slip speed      s = t.v,   t = a x e,   delta' = -m.v,   m = e - (y/groove_radius) a                  (3)
// Without groove_radius the pulley is a cylinder, on which a cable moves freely along the axis. A bristle of
// deflection z (a state) with a spring and a damper in parallel, and a slider of Coulomb's friction behind
// them, resists slip:
//   F = clamp(w (sigma z + sigma1 s), -friction N, friction N)                                            (4)
//   z' = (F/w - sigma z)/sigma1                                                                           (5)
// The contact sticks where the clamp has no effect, z' = s; otherwise it slips with s - z' = (F_unclamped -
// F)/(w sigma1), a speed of the sign of F, so that F (s - z') + w sigma1 z'^2 >= 0 is dissipated. Without
// contact z relaxes. The force on the cable is N m - F t. N delta'/w in excess of the energy of its spring is
// dissipated.
#pragma once

#include <array>
#include <vector>

#include "sestina/forces/cable_force.h"
#include "sestina/forces/force.h"

namespace sestina {

template <class T>
struct BeltContact : ForceElement<T> {
  struct Piece {
    typename CableForce<T>::End a, b;
    T length{};  // m
  };
  std::vector<Piece> pieces;  // elements of the cable
  Marker<T> at;               // the pulley's centre
  Vec3<T> axis;               // unit, in the axes of the frame that carries `at`
  T stiffness{}, damping{};   // N/m^2, N s/m^2: of the pressure
  T radius{};                 // m
  T groove_radius{};          // m; 0: none
  T friction_coefficient{};   // Coulomb's
  T bristle_stiffness{};      // N/m^2: sigma
  T bristle_damping{};        // N s/m^2: sigma1
  int segments = 1;
  int first_bristle = -1;  // among the states; -1: no friction

  struct Pulley {
    Vec3<T> center, arm, velocity, w, axis;
  };
  // One point of contact with its segment.
  struct Point {
    std::array<T, 4> S;  // of the nodes' positions and slopes
    T w{};               // m
    Vec3<T> d, e, m, t;
    T y{}, rho{}, delta{}, rate{}, slip{};
    Vec3<T> v;  // m/s
    T N{}, F{}, z{}, z_rate{};
    double by_delta = 0.0, by_rate = 0.0;  // the derivatives of N
    bool sticks = false;
  };

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    const Pulley pulley = pulley_of(in);
    Vec3<T> on_pulley, torque;
    const auto relax = [&](std::size_t, int bristle, const T& z) { out.rates[bristle] = rate_of_free(z); };
    for_each_point(in, pulley, relax, [&](std::size_t piece, int bristle, const Point& point) {
      if (bristle >= 0) out.rates[bristle] = point.z_rate;
      const Vec3<T> force = force_of(point);
      add_to_end(pieces[piece].a, point.S[0], point.S[1], force, out);
      add_to_end(pieces[piece].b, point.S[2], point.S[3], force, out);
      on_pulley -= force, torque -= cross(pulley.arm + point.d, force);
    });
    out.frame_forces[at.frame.value()] += {torque, on_pulley};
  }
  T potential_energy(const ForceInput<T>& in) const {
    T sum(0);
    const auto relax = [&](std::size_t piece, int, const T& z) {
      sum += segment_of(pieces[piece]) * bristle_stiffness * z * z;
    };
    for_each_point(in, pulley_of(in), relax, [&](std::size_t, int bristle, const Point& point) {
      sum += point.w * stiffness * point.delta * point.delta;
      if (bristle >= 0) sum += point.w * bristle_stiffness * point.z * point.z;
    });
    return T(0.5) * sum;
  }
  T dissipated_power(const ForceInput<T>& in) const {
    T sum(0);
    const auto relax = [&](std::size_t piece, int, const T& z) {
      sum -= segment_of(pieces[piece]) * bristle_stiffness * z * rate_of_free(z);
    };
    for_each_point(in, pulley_of(in), relax, [&](std::size_t, int bristle, const Point& point) {
      sum += (point.N - point.w * stiffness * point.delta) * point.rate;
      if (bristle >= 0) sum += point.F * point.slip - point.w * bristle_stiffness * point.z * point.z_rate;
    });
    return sum;
  }

  static Vec3<T> force_of(const Point& point) { return point.N * point.m - point.F * point.t; }
  T groove() const { return is_exactly(groove_radius, 0.0) ? T(0) : T(1) / groove_radius; }

  Pulley pulley_of(const ForceInput<T>& in) const {
    const MarkerMotion<T> motion = marker_motion(in.frames, at);
    const FrameMotion<T>& frame = in.frame(at);
    return {motion.position, motion.arm, motion.velocity, frame.V_WB.w, frame.X_WB.R * axis};
  }

  // Calls f(piece, bristle, point) for all points that touch (bristle is -1 without friction), and
  // relax(piece, bristle, z) for the bristles of all others.
  template <class Relax, class F>
  void for_each_point(const ForceInput<T>& in, const Pulley& pulley, const Relax& relax, const F& f) const {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool is_near = may_touch(in, pulley, pieces[i]);
      if (!is_near && first_bristle < 0) continue;
      for (int k = 0; k < segments; ++k) {
        const int bristle = first_bristle < 0 ? -1 : first_bristle + static_cast<int>(i) * segments + k;
        Point point;
        if (is_near && measure(in, pulley, pieces[i], (k + 0.5) / segments, point)) {
          if (bristle >= 0) set_friction(in.x[bristle], point);
          f(i, bristle, point);
        } else if (bristle >= 0) {
          relax(i, bristle, in.x[bristle]);
        }
      }
    }
  }
  T segment_of(const Piece& piece) const { return piece.length / T(segments); }
  T rate_of_free(const T& z) const { return -(bristle_stiffness / bristle_damping) * z; }

 private:
  // Elements whose stretch is below 2 lie within twice their length from their first node.
  bool may_touch(const ForceInput<T>& in, const Pulley& pulley, const Piece& piece) const {
    const Vec3<T> d = in.frames[piece.a.frame.value()].X_WB.p - pulley.center;
    const double y = value_of(dot(pulley.axis, d));
    const double out = value_of(radius) + 2.0 * value_of(piece.length) + 0.5 * y * y * value_of(groove());
    return value_of(dot(d, d)) - y * y <= out * out;
  }

  // Whether the point touches.
  bool measure(const ForceInput<T>& in, const Pulley& pulley, const Piece& piece, double x,
               Point& point) const {
    point.S = cable_element::shapes(x, piece.length);
    point.d = combine(point.S, in.frames[piece.a.frame.value()].X_WB.p, in.q + piece.a.q,
                      in.frames[piece.b.frame.value()].X_WB.p, in.q + piece.b.q) -
              pulley.center;
    point.y = dot(pulley.axis, point.d);
    const Vec3<T> across = point.d - point.y * pulley.axis;
    point.rho = norm(across);
    point.delta = radius + T(0.5) * groove() * point.y * point.y - point.rho;
    if (!(value_of(point.delta) > 0.0 && value_of(point.rho) > 0.0)) return false;
    point.e = (T(1) / point.rho) * across;
    point.m = point.e - (groove() * point.y) * pulley.axis;
    point.t = cross(pulley.axis, point.e);
    const Vec3<T> velocity = combine(point.S, in.frames[piece.a.frame.value()].V_WB.v, in.u + piece.a.u,
                                     in.frames[piece.b.frame.value()].V_WB.v, in.u + piece.b.u);
    point.v = velocity - pulley.velocity - cross(pulley.w, point.d);
    point.rate = -dot(point.m, point.v), point.slip = dot(point.t, point.v);
    point.w = segment_of(piece);
    set_pressure(point);
    return true;
  }

  // (2)
  void set_pressure(Point& point) const {
    const T elastic = stiffness * point.delta, viscous = damping * point.rate;
    const double k = value_of(point.w * stiffness);
    if (std::abs(value_of(viscous)) <= value_of(elastic)) {
      point.N = point.w * (elastic + viscous);
      point.by_delta = k, point.by_rate = value_of(point.w * damping);
    } else if (value_of(viscous) > 0.0) {
      point.N = T(2) * point.w * elastic;
      point.by_delta = 2.0 * k;
    }
  }

  // (4) and (5)
  void set_friction(const T& z, Point& point) const {
    point.z = z;
    const T elastic = bristle_stiffness * point.z, limit = friction_coefficient * point.N;
    point.F = point.w * (elastic + bristle_damping * point.slip);
    point.sticks = std::abs(value_of(point.F)) <= value_of(limit);
    if (point.sticks) {
      point.z_rate = point.slip;
      return;
    }
    point.F = value_of(point.F) > 0.0 ? limit : -limit;
    point.z_rate = (point.F / point.w - elastic) / bristle_damping;
  }

  static Vec3<T> combine(const std::array<T, 4>& S, const Vec3<T>& a, const T* slope_a, const Vec3<T>& b,
                         const T* slope_b) {
    return S[0] * a + S[1] * Vec3<T>{slope_a[0], slope_a[1], slope_a[2]} + S[2] * b +
           S[3] * Vec3<T>{slope_b[0], slope_b[1], slope_b[2]};
  }
  static void add_to_end(const typename CableForce<T>::End& end, const T& on_node, const T& on_slope,
                         const Vec3<T>& force, ForceOutput<T>& out) {
    out.frame_forces[end.frame.value()].force += on_node * force;
    for (int i = 0; i < 3; ++i) out.tau[end.u + i] += on_slope * force[i];
  }
};

// A force and a torque that keep their values while their point moves: dual numbers take from them the
// derivatives of pulleys' motions (dynamics/belt_forces.h).
template <class T>
struct HeldWrench : ForceElement<T> {
  Marker<T> at;
  Vec3<T> force, torque;  // N, N m, ground axes

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    out.add_force_at(at, marker_motion(in.frames, at).arm, force);
    out.add_torque_at(at, torque);
  }
};

}  // namespace sestina
