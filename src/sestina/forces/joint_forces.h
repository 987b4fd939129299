// Force elements that act along one coordinate of a joint: spring, damper, and a given force.
//
// tau is the generalised force of the speed u (N m or N). The spring needs a joint whose speeds are the rates
// of its coordinates, so that its power is -d(potential energy)/dt.
#pragma once

#include "sestina/forces/force.h"

namespace sestina {

// tau = -stiffness (q - reference)
template <class T>
struct JointSpring : ForceElement<T> {
  int q = 0, u = 0;  // the coordinate and the speed it acts on
  T stiffness{};     // N m/rad or N/m
  T reference{};     // rad or m

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    out.tau[u] -= stiffness * (in.q[q] - reference);
  }
  T potential_energy(const ForceInput<T>& in) const {
    const T x = in.q[q] - reference;
    return T(0.5) * stiffness * x * x;
  }
};

// tau = -damping u
template <class T>
struct JointDamper : ForceElement<T> {
  int u = 0;
  T damping{};  // N m s/rad or N s/m

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const { out.tau[u] -= damping * in.u[u]; }
  T dissipated_power(const ForceInput<T>& in) const { return damping * in.u[u] * in.u[u]; }
};

// tau = value of an expression of t, q, u
template <class T>
struct JointForce : ForceElement<T> {
  int u = 0;
  int expression = 0;  // index of the value, N m or N

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    out.tau[u] += in.expressions[expression];
  }
  T supplied_power(const ForceInput<T>& in) const { return in.expressions[expression] * in.u[u]; }
};

}  // namespace sestina
