// A given force at a point of a body, and a given torque on a body.
#pragma once

#include "sestina/forces/force.h"

namespace sestina {

// Where the three components of a given vector come from, and in which axes they are.
template <class T>
struct GivenVector {
  int expression = 0;                          // index of the x component; y and z follow
  bool in_body_axes = false;                   // otherwise in ground axes
  Rotation<T> R_BA = Rotation<T>::identity();  // the axes of the components in the frame of BodyMotion

  Vec3<T> in_ground_axes(const ForceInput<T>& in, BodyIndex body) const {
    const T* e = in.expressions + expression;
    const Vec3<T> value{e[0], e[1], e[2]};
    return in_body_axes ? in.body(body).X_WB.R * (R_BA * value) : value;
  }
};

// A force (N) whose line of action passes through the point.
template <class T>
struct PointForce : ForceElement<T> {
  AttachedPoint<T> at;
  GivenVector<T> value;

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    out.add_at(at.body, point_motion(in, at).arm, value.in_ground_axes(in, at.body));
  }
  T supplied_power(const ForceInput<T>& in) const {
    return dot(point_motion(in, at).velocity, value.in_ground_axes(in, at.body));
  }
};

// A pure torque (N m).
template <class T>
struct PointTorque : ForceElement<T> {
  AttachedPoint<T> at;
  GivenVector<T> value;

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    out.body_forces[at.body.value()] += {value.in_ground_axes(in, at.body), {}};
  }
  T supplied_power(const ForceInput<T>& in) const {
    return dot(in.body(at.body).V_WB.w, value.in_ground_axes(in, at.body));
  }
};

}  // namespace sestina
