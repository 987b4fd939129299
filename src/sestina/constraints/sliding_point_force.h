// A force along a beam or cable on a point that slides on it (forces/sliding_force.h), applied to the point
// and to the nodes.
//
// The place s of the point is found as by its constraint (point_on_beam.h), from that of the last accepted
// step. With the tangent t = r'/|r'| and the weights S of the axis, the force F t on the point has the
// opposite -F t on the axis, which is -F S_i t on positions and slopes of the nodes: its power is F w with
//   w = (v - rdot).t                                                                                    (1)
// and its resultant vanishes with that on the point where p = r(s). Nodes of other elements take part with
// zero weights, so that the bodies on which the force acts do not change.
#pragma once

#include "sestina/constraints/point_on_beam.h"
#include "sestina/forces/sliding_force.h"

namespace sestina {

template <class T>
struct SlidingPointForce : SlidingForce<T> {
  PointOnBeam<T> on;
  int history = 0;  // index of s among the history variables

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    const Place place = find_place(in);
    const Vec3<T> f = this->force(in, place.sliding) * place.tangent;
    out.add_force_at(on.point, marker_motion(in.frames, on.point).arm, f);
    for (std::size_t k = 0; k < on.nodes.size(); ++k) {
      const bool is_a = k == place.at.a, is_b = k == place.at.b;
      const T of_position = is_a ? place.at.S[0] : is_b ? place.at.S[2] : T(0);
      const T of_slope = is_a ? place.at.S[1] : is_b ? place.at.S[3] : T(0);
      SpatialForce<T>& on_node = out.frame_forces[on.nodes[k].value()];
      on_node.force -= of_position * f;
      if (!on.is_cable()) {
        on_node.torque -= cross(in.frames[on.nodes[k].value()].X_WB.R.column(0), of_slope * f);
        continue;
      }
      for (int i = 0; i < 3; ++i) out.tau[on.slope_u[k] + i] -= of_slope * f[i];
    }
  }
  T potential_energy(const ForceInput<T>& in) const { return this->stored_energy(find_place(in).sliding); }
  T dissipated_power(const ForceInput<T>& in) const { return this->lost_power(find_place(in).sliding); }
  T supplied_power(const ForceInput<T>& in) const {
    return this->expression < 0 ? T(0) : this->value(in) * find_place(in).sliding.speed;
  }
  Sliding<T> sliding(const ForceInput<T>& in) const { return find_place(in).sliding; }

 private:
  struct Place {
    BeamPlace<T> at;
    Vec3<T> tangent;
    Sliding<T> sliding;
  };
  Place find_place(const ForceInput<T>& in) const {
    const BeamNodes<T> nodes(on, in.q, in.u, in.frames);
    const MarkerMotion<T> moving = marker_motion(in.frames, on.point);
    Place place;
    place.sliding.s = in.h[history];
    const CurvePoint<T> point = find_closest_point(
        moving.position, [&](const T& s) { return nodes.point(s); }, place.sliding.s);
    place.at = find_beam_place(on, place.sliding.s);
    place.sliding.stretch = norm(point.by_s);
    place.tangent = (T(1) / place.sliding.stretch) * point.by_s;
    const Vec3<T> v = moving.velocity - cable_element::interpolate(place.at.S, nodes.rates(place.at));
    place.sliding.speed = dot(v, place.tangent);  // (1)
    return place;
  }
};

}  // namespace sestina
