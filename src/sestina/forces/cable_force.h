// The elastic and damping forces of one element of a cable (flexible/cable_element.h).
//
// Positions of its ends are those of two frames, which do not turn; slopes are coordinates of their own,
// three consecutive ones for each end.
#pragma once

#include "sestina/flexible/cable_element.h"
#include "sestina/forces/force.h"

namespace sestina {

template <class T>
struct CableForce : ForceElement<T> {
  struct End {
    FrameIndex frame;  // its origin is the node
    int q = 0, u = 0;  // of the slope's x-component
  };
  End a, b;
  CableSegment<T> segment;

  CableNodes<T> nodes(const ForceInput<T>& in) const {
    return {position(in, a), three(in.q + a.q), position(in, b), three(in.q + b.q)};
  }
  CableNodes<T> rates(const ForceInput<T>& in) const {
    return {velocity(in, a), three(in.u + a.u), velocity(in, b), three(in.u + b.u)};
  }

  // The cable exerts the opposite of the load that its nodes require.
  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    const CableNodes<T> f = calc_cable_forces(segment, nodes(in), rates(in));
    const auto add = [&out](const End& end, const Vec3<T>& on_node, const Vec3<T>& on_slope) {
      out.frame_forces[end.frame.value()].force -= on_node;
      for (int i = 0; i < 3; ++i) out.tau[end.u + i] -= on_slope[i];
    };
    add(a, f[0], f[1]), add(b, f[2], f[3]);
  }
  T potential_energy(const ForceInput<T>& in) const { return calc_cable_energy(segment, nodes(in)); }
  T dissipated_power(const ForceInput<T>& in) const {
    if (is_exactly(segment.damping, 0.0)) return T(0);
    return calc_cable_heat(segment, nodes(in), rates(in));
  }

 private:
  static Vec3<T> position(const ForceInput<T>& in, const End& end) {
    return in.frames[end.frame.value()].X_WB.p;
  }
  static Vec3<T> velocity(const ForceInput<T>& in, const End& end) {
    return in.frames[end.frame.value()].V_WB.v;
  }
  static Vec3<T> three(const T* x) { return {x[0], x[1], x[2]}; }
};

}  // namespace sestina
