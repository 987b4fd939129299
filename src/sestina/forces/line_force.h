// A force per length along one element of a beam or cable.
//
// With x from 0 to 1 along the unstressed element of length h, f(x) per unstressed length, and the axis r(x)
// of constraints/point_on_beam.h, the cubic through the nodes with their slopes, the work of f on a
// displacement of the nodes is
//   integral of f . delta r ds = h sum over Gauss points of w f . (S_1 delta r_a + S_2 delta e_a + ...)
// so that a force f S_1 h w acts on node a, and f S_2 h w on its slope. The slope of a beam is the x-axis t
// of its section: delta t = theta x t, and f S_2 h w is the torque t x f S_2 h w. Three points are exact for
// a load that is quadratic in x.
//
// The components of f are expressions, in ground axes or in those of the section: between the nodes these
// turn linearly, f = (1 - x) R_a f + x R_b f. Its power counts as supplied.
#pragma once

#include "sestina/flexible/cable_element.h"
#include "sestina/forces/force.h"

namespace sestina {

template <class T>
struct LineForce : ForceElement<T> {
  struct End {
    FrameIndex frame;
    int q = -1, u = -1;  // of a cable: the slope's x-component
  };
  End a, b;
  T length{};                    // h, m
  int expression = 0;            // index of the x component at the first point; 3 for each point
  bool in_section_axes = false;  // otherwise in ground axes

  static constexpr int kPoints = 3;

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    for_each_point(in, [&](const std::array<T, 4>& S, const Vec3<T>& f) {
      add(in, a, S[0] * f, S[1] * f, out), add(in, b, S[2] * f, S[3] * f, out);
    });
  }
  T supplied_power(const ForceInput<T>& in) const {
    const CableNodes<T> rates{in.frames[a.frame.value()].V_WB.v, slope_rate(in, a),
                              in.frames[b.frame.value()].V_WB.v, slope_rate(in, b)};
    T power(0);
    for_each_point(in, [&](const std::array<T, 4>& S, const Vec3<T>& f) {
      power += dot(f, cable_element::interpolate(S, rates));
    });
    return power;
  }

 private:
  // Calls visit(S, f w h) at the points.
  template <class F>
  void for_each_point(const ForceInput<T>& in, F&& visit) const {
    int next = expression;
    for (const auto& [x, weight] : cable_element::gauss_points()) {
      Vec3<T> f{in.expressions[next], in.expressions[next + 1], in.expressions[next + 2]};
      next += 3;
      if (in_section_axes) {
        f = T(1.0 - x) * (in.frames[a.frame.value()].X_WB.R * f) +
            T(x) * (in.frames[b.frame.value()].X_WB.R * f);
      }
      visit(cable_element::shapes(x, length), (T(weight) * length) * f);
    }
  }
  static Vec3<T> slope_rate(const ForceInput<T>& in, const End& end) {
    if (end.u >= 0) return {in.u[end.u], in.u[end.u + 1], in.u[end.u + 2]};
    const FrameMotion<T>& frame = in.frames[end.frame.value()];
    return cross(frame.V_WB.w, frame.X_WB.R.column(0));
  }
  static void add(const ForceInput<T>& in, const End& end, const Vec3<T>& force, const Vec3<T>& on_slope,
                  ForceOutput<T>& out) {
    SpatialForce<T>& of_frame = out.frame_forces[end.frame.value()];
    of_frame.force += force;
    if (end.u < 0) {
      of_frame.torque += cross(in.frames[end.frame.value()].X_WB.R.column(0), on_slope);
      return;
    }
    for (int i = 0; i < 3; ++i) out.tau[end.u + i] += on_slope[i];
  }
};

}  // namespace sestina
