// The elastic and damping forces of one element of a beam, between the cross-sections at its two ends.
//
// The ends are fixed in two frames, the nodes of the beam; flexible/beam_element.h does the rest: the wrench
// lambda = dW/dd of the energy W(d) of the relative twist d, and Kelvin-Voigt damping tau S d', which
// dissipates tau d'.S d'.
#pragma once

#include <limits>

#include "sestina/flexible/beam_element.h"
#include "sestina/forces/force.h"

namespace sestina {

template <class T>
struct BeamForce : ForceElement<T> {
  FrameIndex a, b;         // the nodes, in the axes of the cross-sections
  BeamSegment<T> segment;  // the element between them
  T damping{};             // tau, s

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    const BeamElement<T> element = relax(in);
    Vec6<T> wrench = element.lambda();
    if (!is_exactly(damping, 0.0)) wrench = wrench + element.damping_wrench(twist_rate(in, element), damping);
    add(in, element.forces(wrench), out);
  }
  T potential_energy(const ForceInput<T>& in) const { return relax(in).energy(segment); }
  T dissipated_power(const ForceInput<T>& in) const {
    if (is_exactly(damping, 0.0)) return T(0);
    const BeamElement<T> element = relax(in);
    const Vec6<T> rate = twist_rate(in, element);
    return dot(rate, element.damping_wrench(rate, damping));
  }

  // The element in equilibrium with its ends. If no strains connect the ends, the force is NaN, which a run
  // reports with the force's name.
  BeamElement<T> relax(const ForceInput<T>& in) const {
    BeamElement<T> element;
    Pose<T> X_a = frame(in, a).X_WB;
    if (element.relax(segment, X_a, frame(in, b).X_WB) == BeamRelaxation::stalled) {
      X_a.p.x = T(std::numeric_limits<double>::quiet_NaN());
      element.advance(segment, X_a, frame(in, b).X_WB, element.lambda());
    }
    return element;
  }
  // d'
  Vec6<T> twist_rate(const ForceInput<T>& in, const BeamElement<T>& element) const {
    return element.twist_rate(own_velocity(frame(in, a)), own_velocity(frame(in, b)));
  }
  // The beam exerts the opposite of the load that its nodes require.
  void add(const ForceInput<T>& in, const BeamElementForces<T>& f, ForceOutput<T>& out) const {
    const Rotation<T>&R_a = frame(in, a).X_WB.R, &R_b = frame(in, b).X_WB.R;
    out.frame_forces[a.value()] -= {R_a * angular(f.a), R_a * linear(f.a)};
    out.frame_forces[b.value()] -= {R_b * angular(f.b), R_b * linear(f.b)};
  }

 private:
  static const FrameMotion<T>& frame(const ForceInput<T>& in, FrameIndex i) { return in.frames[i.value()]; }
  static Vec6<T> own_velocity(const FrameMotion<T>& at) {
    return make_vec6(transpose_times(at.X_WB.R, at.V_WB.w), transpose_times(at.X_WB.R, at.V_WB.v));
  }
};

}  // namespace sestina
