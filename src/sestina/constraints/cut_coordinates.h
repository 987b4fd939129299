// Coordinates of a joint that closes a loop, from the pose of its frame M in F, without iteration.
//
// These coordinates bring the joint's pose X(q) closest to the pose X_FM = [R; p] of the frames: the
// remaining deviation
//   left = [rotation vector from X(q) to R; p - X(q).p],     has   H(q)^T left = 0                        (1)
// For a joint that turns about an axis a, R = S Rot(a, q), and (1) requires S, the "swing", to be a rotation
// about an axis normal to a. With t the angle of S and v the axial vector of R - R^T,
//   a . v = (1 + cos t) sin q,   trace R - a . R a = (1 + cos t) cos q                                    (2)
// and S turns a to R a. Angles count turns: of all solutions of (2) the one nearest to the previous
// coordinate is taken.
//
// Source: P. Dobrowolski, Swing-twist decomposition in Clifford algebra, arXiv:1506.05481 (2015).
#pragma once

#include <cmath>
#include <numbers>

#include "sestina/joints/joint_list.h"
#include "sestina/spatial/rotation_vector.h"

namespace sestina {

// Returns the angle that differs from this one by whole turns and is nearest to another (rad).
template <class T>
T nearest_angle(const T& angle, const T& near) {
  constexpr double turn = 2.0 * std::numbers::pi;
  return angle + T(turn * std::round((value_of(near) - value_of(angle)) / turn));
}

// Puts the angle of (2) into q and returns the rotation vector of the swing.
template <class T>
Vec3<T> find_angle(const Rotation<T>& R, const Vec3<T>& axis, T& q) {
  const Vec3<T> turned = R * axis;
  const T along = dot(axis, turned);
  const T s = dot(axis, axial_vector(R)), c = R.xx + R.yy + R.zz - along;
  if (value_of(s) != 0.0 || value_of(c) != 0.0) q = nearest_angle(T(atan2(s, c)), q);
  // Near half a turn of the swing the cross product below, which gives its axis, vanishes.
  if (value_of(along) < -0.9) return rotation_vector_between(R, axis_rotation(axis, q));
  const Vec3<T> swing = cross(axis, turned);
  return angle_over_sine(dot(swing, swing), along) * swing;
}

// Each returns `left` and replaces the approximate coordinates in q by the coordinates.
template <class T>
SpatialMotion<T> find_coordinates(const Weld<T>&, const Pose<T>& X_FM, T*) {
  return {rotation_vector_of(X_FM.R), X_FM.p};
}
template <class T>
SpatialMotion<T> find_coordinates(const Revolute<T>& joint, const Pose<T>& X_FM, T* q) {
  return {find_angle(X_FM.R, joint.axis, q[0]), X_FM.p};
}
template <class T>
SpatialMotion<T> find_coordinates(const Prismatic<T>& joint, const Pose<T>& X_FM, T* q) {
  q[0] = dot(joint.axis, X_FM.p);
  return {rotation_vector_of(X_FM.R), X_FM.p - q[0] * joint.axis};
}
template <class T>
SpatialMotion<T> find_coordinates(const Cylindrical<T>& joint, const Pose<T>& X_FM, T* q) {
  q[1] = dot(joint.axis, X_FM.p);
  return {find_angle(X_FM.R, joint.axis, q[0]), X_FM.p - q[1] * joint.axis};
}
template <class T>
SpatialMotion<T> find_coordinates(const Spherical<T>&, const Pose<T>& X_FM, T* q) {
  T e[4];
  euler_parameters_of(X_FM.R, e);
  double same = 0.0;
  for (int i = 0; i < 4; ++i) same += value_of(q[i]) * value_of(e[i]);
  for (int i = 0; i < 4; ++i) q[i] = same < 0.0 ? -e[i] : e[i];
  return {{}, X_FM.p};
}

// Whether a type of joint has a function above.
template <class Joint, class T>
concept HasDirectCoordinates = requires(const Joint& joint, const Pose<T>& X_FM, T* q) {
  find_coordinates(joint, X_FM, q);
};

// Finds approximate coordinates of the other types of joints, from which Newton's method starts.
template <class Joint, class T>
void guess_coordinates(const Joint&, const Pose<T>&, T*) {}
// In F the second axis has turned about the first; in M the first has turned about the second.
template <class T>
void guess_coordinates(const Universal<T>& joint, const Pose<T>& X_FM, T* q) {
  const Vec3<T>&a = joint.axis, &b = joint.second_axis;
  const auto turned_by = [](const Vec3<T>& axis, const Vec3<T>& from, const Vec3<T>& to, T& angle) {
    const T s = dot(axis, cross(from, to)), c = dot(from, to) - dot(axis, from) * dot(axis, to);
    const double now = std::atan2(value_of(s), value_of(c));
    if (std::isfinite(now)) angle = T(nearest_angle(now, value_of(angle)));
  };
  turned_by(a, b, X_FM.R * b, q[0]);
  turned_by(b, transpose_times(X_FM.R, a), a, q[1]);
}

}  // namespace sestina
