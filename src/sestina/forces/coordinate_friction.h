// Dry friction of a coordinate, and stops at its ends.
//
// Friction with a creep_speed is regularised so that it is smooth: with u the speed, below creep_speed the
// coordinate creeps instead of sticking,
//   tau = -friction tanh(u/creep_speed)                                                               (1)
// Without a creep_speed it sticks: |tau| <= friction, tau = -friction u/|u| where u is not zero. This
// friction is not a force of the element but a contact with a given normal force (ContactFace,
// workspace/contact_system.h). A stop that q exceeds by depth > 0, depth = q - upper or lower - q, with the
// rate of depth, pushes back with
//   max(0, stop_stiffness depth + stop_damping rate)                                                  (2)
// so that it never pulls. Its work in excess of the energy stop_stiffness depth^2/2 is dissipated.
#pragma once

#include "sestina/forces/force.h"

namespace sestina {

template <class T>
struct CoordinateFriction : ForceElement<T> {
  int q = 0, u = 0;  // indices of the coordinate and of its speed
  bool has_stops = false, sticks = false;
  T friction{};        // N m or N
  T creep_speed{};     // rad/s or m/s
  T lower{};           // rad or m
  T upper{};           // rad or m
  T stop_stiffness{};  // N m/rad or N/m
  T stop_damping{};    // N m s/rad or N s/m

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    out.tau[u] -= resistance(in);
    if (!has_stops) return;
    out.tau[u] += push(lower - in.q[q], -in.u[u]) - push(in.q[q] - upper, in.u[u]);
  }
  T potential_energy(const ForceInput<T>& in) const {
    if (!has_stops) return T(0);
    return stored(lower - in.q[q]) + stored(in.q[q] - upper);
  }
  T dissipated_power(const ForceInput<T>& in) const {
    const T by_friction = resistance(in) * in.u[u];
    if (!has_stops) return by_friction;
    return by_friction + lost(lower - in.q[q], -in.u[u]) + lost(in.q[q] - upper, in.u[u]);
  }

 private:
  T resistance(const ForceInput<T>& in) const {
    if (sticks || value_of(friction) == 0.0) return T(0);
    return friction * tanh(in.u[u] / creep_speed);  // (1)
  }
  T push(const T& depth, const T& rate) const {
    if (!(value_of(depth) > 0.0)) return T(0);
    const T force = stop_stiffness * depth + stop_damping * rate;  // (2)
    return value_of(force) > 0.0 ? force : T(0);
  }
  T stored(const T& depth) const {
    return value_of(depth) > 0.0 ? T(0.5) * stop_stiffness * depth * depth : T(0);
  }
  T lost(const T& depth, const T& rate) const {
    if (!(value_of(depth) > 0.0)) return T(0);
    return (push(depth, rate) - stop_stiffness * depth) * rate;
  }
};

}  // namespace sestina
