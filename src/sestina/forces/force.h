// What a force element is, what it reads and what it writes.
//
// A force element F<T> is plain data (its constants and where it acts) with four functions:
//   add_force(in, out)      adds its generalised forces and its spatial forces on bodies
//   potential_energy(in)    J, zero with the spring at rest
//   dissipated_power(in)    W, turned into heat: >= 0 for a positive damping constant
//   supplied_power(in)      W, that an actuator or the surroundings feed into the system
// They balance: power of the forces = -d(potential energy)/dt - dissipated + supplied, which one test
// (tests/forces/force_laws.h) checks for all of them. Derivatives of a force come from running add_force on
// Dual (docs/decisions/force-jacobians.md).
#pragma once

#include "sestina/base/index.h"
#include "sestina/spatial/spatial.h"

namespace sestina {

// Motion of a body's frame, ground axes. In the recursions the frame is the joint frame M of the body;
// for a UserForce it is the body's own frame.
template <class T>
struct BodyMotion {
  Pose<T> X_WB;           // pose in the ground frame; p in m
  SpatialMotion<T> V_WB;  // angular velocity, and velocity of the frame's origin
};

// A frame fixed on a body.
template <class T>
struct AttachedPoint {
  BodyIndex body;
  Pose<T> X_BP;  // in the same frame of the body as BodyMotion
};

template <class T>
struct ForceInput {
  T t;                          // s
  const T* q;                   // (nq)
  const T* u;                   // (nu)
  const BodyMotion<T>* bodies;  // by BodyIndex, the ground included
  const T* expressions;         // the values of the force expressions at this t, q, u

  const BodyMotion<T>& body(BodyIndex b) const { return bodies[b.value()]; }
};

template <class T>
struct ForceOutput {
  T* tau;                        // (nu) generalised forces
  SpatialForce<T>* body_forces;  // by BodyIndex: about the frame origin of BodyMotion, ground axes

  void add_at(BodyIndex b, const Vec3<T>& arm, const Vec3<T>& force) {
    body_forces[b.value()] += {cross(arm, force), force};
  }
};

// Where a point is and how it moves, ground axes.
template <class T>
struct PointMotion {
  Vec3<T> arm;       // m, from the body's frame origin
  Vec3<T> position;  // m
  Vec3<T> velocity;  // m/s
};

template <class T>
PointMotion<T> point_motion(const ForceInput<T>& in, const AttachedPoint<T>& point) {
  const BodyMotion<T>& body = in.body(point.body);
  const Vec3<T> arm = body.X_WB.R * point.X_BP.p;
  return {arm, body.X_WB.p + arm, body.V_WB.v + cross(body.V_WB.w, arm)};
}

// The parts of the balance that an element does not have.
template <class T>
struct ForceElement {
  ForceIndex index;  // which force of the model it belongs to

  T potential_energy(const ForceInput<T>&) const { return T(0); }
  T dissipated_power(const ForceInput<T>&) const { return T(0); }
  T supplied_power(const ForceInput<T>&) const { return T(0); }
};

}  // namespace sestina
