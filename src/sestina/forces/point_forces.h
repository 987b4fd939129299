// A given force and a given torque at a marker.
//
// Their components are expressions of t, q and u, in ground axes or in axes fixed to the marker's frame.
// Their power, F . v of the marker or T . w of its frame, counts as supplied.
#pragma once

#include "sestina/forces/force.h"

namespace sestina {

// The source of the three components of a given vector, and their axes.
template <class T>
struct GivenVector {
  int expression = 0;         // index of the x component; y and z follow
  bool in_body_axes = false;  // otherwise in ground axes
  Rotation<T> R_BA =
      Rotation<T>::identity();  // the axes of the components in the frame that carries the marker

  Vec3<T> in_ground_axes(const ForceInput<T>& in, const Marker<T>& at) const {
    const T* e = in.expressions + expression;
    const Vec3<T> value{e[0], e[1], e[2]};
    return in_body_axes ? in.frame(at).X_WB.R * (R_BA * value) : value;
  }
};

// A force (N) whose line of action passes through the point.
template <class T>
struct PointForce : ForceElement<T> {
  Marker<T> at;
  GivenVector<T> value;

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    out.add_force_at(at, marker_motion(in.frames, at).arm, value.in_ground_axes(in, at));
  }
  T supplied_power(const ForceInput<T>& in) const {
    return dot(marker_motion(in.frames, at).velocity, value.in_ground_axes(in, at));
  }
};

// A pure torque (N m).
template <class T>
struct PointTorque : ForceElement<T> {
  Marker<T> at;
  GivenVector<T> value;

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    out.add_torque_at(at, value.in_ground_axes(in, at));
  }
  T supplied_power(const ForceInput<T>& in) const {
    return dot(in.frame(at).V_WB.w, value.in_ground_axes(in, at));
  }
};

}  // namespace sestina
