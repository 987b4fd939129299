// A spring and a damper in parallel between two markers.
//
//   tension = stiffness (L - free_length) + damping dL/dt                                             (1)
// with L their distance (m); a positive tension (N) pulls them together. If the markers coincide, the
// direction is undefined and the force is not a number; the dynamics then report an error that names the
// element.
#pragma once

#include "sestina/forces/force.h"

namespace sestina {

template <class T>
struct SpringDamper : ForceElement<T> {
  Marker<T> from, to;
  T stiffness{};    // N/m
  T damping{};      // N s/m
  T free_length{};  // m

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    const Line line = measure(in);
    const T tension = this->tension(line);
    const Vec3<T> force_on_from = tension * line.direction;
    out.add_force_at(from, line.from.arm, force_on_from);
    out.add_force_at(to, line.to.arm, -force_on_from);
  }
  T potential_energy(const ForceInput<T>& in) const {
    const T x = measure(in).length - free_length;
    return T(0.5) * stiffness * x * x;
  }
  T dissipated_power(const ForceInput<T>& in) const {
    const T rate = measure(in).rate;
    return damping * rate * rate;
  }

  struct Line {
    MarkerMotion<T> from, to;
    Vec3<T> direction;  // unit, from -> to
    T length, rate;     // m, m/s
  };
  Line measure(const ForceInput<T>& in) const {
    const MarkerMotion<T> a = marker_motion(in.frames, from), b = marker_motion(in.frames, to);
    const Vec3<T> d = b.position - a.position;
    const T length = norm(d);
    const Vec3<T> direction = (T(1) / length) * d;
    return {a, b, direction, length, dot(direction, b.velocity - a.velocity)};
  }
  T tension(const Line& line) const { return stiffness * (line.length - free_length) + damping * line.rate; }
};

}  // namespace sestina
