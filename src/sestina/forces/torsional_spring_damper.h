// A torsion spring and a rotary damper between two markers, about an axis of the first.
//
// With R = R_FM the second marker's axes in the first, a the axis (unit, in F), and e0, e the Euler
// parameters of R, the angle belongs to the part of R that rotates about a (swing-twist decomposition):
//   phi = 2 atan2(e.a, e0)                       in (-pi, pi)                                         (1)
//   phi' = g.w,   g = (e0^2 a + e0 e x a + (e.a) e)/(e0^2 + (e.a)^2)                                  (2)
// with w the angular velocity of M in F, from e0' = -e.w/2, e' = (e0 w + w x e)/2. The torque on M is
//   -(stiffness (phi - reference) + damping phi') g                                                   (3)
// and F feels the opposite. Where M turns about a alone, g = a. The angle does not count turns: at half a
// turn it jumps. Use joint_spring and joint_damper on a joint's own angle, which does.
#pragma once

#include "sestina/forces/force.h"
#include "sestina/spatial/rotation_vector.h"

namespace sestina {

template <class T>
struct TorsionalSpringDamper : ForceElement<T> {
  Marker<T> from, to;  // F, M
  Vec3<T> axis;        // a
  T stiffness{};       // N m/rad
  T damping{};         // N m s/rad
  T reference{};       // rad

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    const Twist now = measure(in);
    const Vec3<T> torque =
        -(stiffness * (now.angle - reference) + damping * now.rate) * now.direction;  // (3)
    out.add_torque_at(to, torque);
    out.add_torque_at(from, -torque);
  }
  T potential_energy(const ForceInput<T>& in) const {
    const T x = measure(in).angle - reference;
    return T(0.5) * stiffness * x * x;
  }
  T dissipated_power(const ForceInput<T>& in) const {
    const T rate = measure(in).rate;
    return damping * rate * rate;
  }

 private:
  struct Twist {
    T angle, rate;      // rad, rad/s
    Vec3<T> direction;  // g, ground axes
  };
  Twist measure(const ForceInput<T>& in) const {
    const Rotation<T> R_WF = marker_pose(in.frames, from).R, R_WM = marker_pose(in.frames, to).R;
    T parameters[4];
    euler_parameters_of(R_WF.transpose() * R_WM, parameters);
    // e and -e are the same orientation; the sign is chosen such that the angle is in (-pi, pi).
    const T sign(value_of(parameters[0]) < 0.0 ? -1.0 : 1.0);
    const T e0 = sign * parameters[0];
    const Vec3<T> e{sign * parameters[1], sign * parameters[2], sign * parameters[3]};
    const T along = dot(e, axis);
    const Vec3<T> g =
        (T(1) / (e0 * e0 + along * along)) * (e0 * e0 * axis + e0 * cross(e, axis) + along * e);  // (2)
    const Vec3<T> direction = R_WF * g;
    return {T(2) * atan2(along, e0), dot(direction, in.frame(to).V_WB.w - in.frame(from).V_WB.w), direction};
  }
};

}  // namespace sestina
