// The force along the axis of a beam on a point that slides on it, as a function of its place and speed.
//
// With s the arc length of the unstressed axis at the point, r' = dr/ds there and w the speed of the point
// along the axis relative to the beam, w = s_t |r'|, the force on the point along increasing s is
//   F = value - damping w - friction tanh(w/creep_speed) + (P_lower - P_upper)/|r'|                     (1)
// and the beam feels the opposite. A stop that s exceeds by depth > 0, depth = lower - s or s - upper, with
// the rate of depth, pushes back with
//   P = max(0, stop_stiffness depth + stop_damping rate)                                                (2)
// so that it never pulls; its work in excess of the energy stop_stiffness depth^2/2 is dissipated. The power
// of a stop is P s_t, hence the division by |r'|. As of coordinate_friction.h, friction is smooth: below
// creep_speed the point creeps instead of sticking.
//
// constraints/sliding_point_force.h applies it.
#pragma once

#include "sestina/forces/force.h"

namespace sestina {

// Where the point is, and how it moves.
template <class T>
struct Sliding {
  T s{};        // m
  T speed{};    // w, m/s
  T stretch{};  // |r'|
};

template <class T>
struct SlidingForce : ForceElement<T> {
  int expression = -1;  // of the value, N; negative: none
  bool has_stops = false;
  T damping{};         // N s/m
  T friction{};        // N
  T creep_speed{};     // m/s
  T lower{};           // m
  T upper{};           // m
  T stop_stiffness{};  // N/m
  T stop_damping{};    // N s/m

  // (1)
  T force(const ForceInput<T>& in, const Sliding<T>& at) const {
    T F = value(in) - resistance(at);
    if (has_stops) F += (push(lower - at.s, -rate(at)) - push(at.s - upper, rate(at))) / at.stretch;
    return F;
  }
  T stored_energy(const Sliding<T>& at) const {
    return has_stops ? stored(lower - at.s) + stored(at.s - upper) : T(0);
  }
  T lost_power(const Sliding<T>& at) const {
    const T by_friction = resistance(at) * at.speed;
    if (!has_stops) return by_friction;
    return by_friction + lost(lower - at.s, -rate(at)) + lost(at.s - upper, rate(at));
  }
  T value(const ForceInput<T>& in) const { return expression < 0 ? T(0) : in.expressions[expression]; }

 private:
  static T rate(const Sliding<T>& at) { return at.speed / at.stretch; }  // s_t
  T resistance(const Sliding<T>& at) const {
    const T viscous = damping * at.speed;
    return value_of(friction) == 0.0 ? viscous : viscous + friction * tanh(at.speed / creep_speed);
  }
  T push(const T& depth, const T& rate) const {
    if (!(value_of(depth) > 0.0)) return T(0);
    const T P = stop_stiffness * depth + stop_damping * rate;  // (2)
    return value_of(P) > 0.0 ? P : T(0);
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
