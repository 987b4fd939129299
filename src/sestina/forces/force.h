// The definition of a force element, its input and its output.
//
// A force element F<T> is plain data (its constants and where it acts) with these functions:
//   add_force(in, out)      adds its generalised forces and its spatial forces at markers
//   potential_energy(in)    J, zero with the spring at rest
//   kinetic_energy(in)      J, of what moves inside the element
//   dissipated_power(in)    W, turned into heat: >= 0 for a positive damping constant
//   supplied_power(in)      W, that an actuator or the surroundings feed into the system
// They balance: power of the forces = -d(kinetic + potential energy)/dt - dissipated + supplied, which one
// test (tests/forces/force_laws.h) checks for all of them. Derivatives of a force come from running add_force
// on Dual (docs/decisions/force-jacobians.md).
#pragma once

#include "sestina/base/index.h"
#include "sestina/forces/marker.h"
#include "sestina/spatial/spatial.h"

namespace sestina {

template <class T>
struct ForceInput {
  T t;                           // s
  const T* q;                    // (nq)
  const T* u;                    // (nu)
  const FrameMotion<T>* frames;  // by FrameIndex, the ground included
  const T* expressions;          // the values of the force expressions at this t, q, u
  const T* x = nullptr;          // (nx)
  const T* h = nullptr;          // (nh) history, which only accepted steps change

  const FrameMotion<T>& frame(const Marker<T>& marker) const { return frames[marker.frame.value()]; }
};

template <class T>
struct ForceOutput {
  T* tau;                         // (nu) generalised forces
  SpatialForce<T>* frame_forces;  // by FrameIndex: about the origin of the frame, ground axes
  T* rates = nullptr;             // (nx) of the states, which an element of its own states sets

  // (1) of marker.h
  void add_force_at(const Marker<T>& marker, const Vec3<T>& arm, const Vec3<T>& force) {
    frame_forces[marker.frame.value()] += {cross(arm, force), force};
  }
  void add_torque_at(const Marker<T>& marker, const Vec3<T>& torque) {
    frame_forces[marker.frame.value()] += {torque, {}};
  }
};

// Zero terms of the energy balance, for elements that do not have them.
template <class T>
struct ForceElement {
  ForceIndex index;  // the model's force to which this element belongs

  T kinetic_energy(const ForceInput<T>&) const { return T(0); }
  T potential_energy(const ForceInput<T>&) const { return T(0); }
  T dissipated_power(const ForceInput<T>&) const { return T(0); }
  T supplied_power(const ForceInput<T>&) const { return T(0); }
};

}  // namespace sestina
