// Two masses that attract each other, as points.
//
//   attraction = strength/r^2 (N),   potential energy = -strength/r (J),   r their distance (m)
// with strength = G m1 m2 (N m^2); the potential vanishes at infinity. If the points coincide, the direction
// is undefined.
#pragma once

#include "sestina/forces/force.h"

namespace sestina {

template <class T>
struct GravityBetween : ForceElement<T> {
  Marker<T> from, to;
  T strength{};  // N m^2

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    const MarkerMotion<T> a = marker_motion(in.frames, from), b = marker_motion(in.frames, to);
    const Vec3<T> d = b.position - a.position;
    const T r = norm(d);
    const Vec3<T> force_on_from = (strength / (r * r * r)) * d;
    out.add_force_at(from, a.arm, force_on_from);
    out.add_force_at(to, b.arm, -force_on_from);
  }
  T potential_energy(const ForceInput<T>& in) const {
    return -strength / norm(marker_motion(in.frames, to).position - marker_motion(in.frames, from).position);
  }
};

}  // namespace sestina
