// The coordinates, speeds and directions of a joint that closes a loop, from the motion of its frames: the
// part of cut_joint.h that needs the joint types.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "sestina/constraints/cut_coordinates.h"
#include "sestina/constraints/cut_joint.h"

namespace sestina {

template <class T, class Joint>
JointDirections<T> calc_directions(const Joint& joint, const T* q, const T& length) {
  return JointDirections<T>(joint.H(q), length);
}
// Sets the basis in closed form: the axis, the part of the second axis that is normal to it, and the normal
// to both.
template <class T>
JointDirections<T> calc_directions(const Universal<T>& joint, const T* q, const T& length) {
  const auto columns = joint.H(q);
  const Vec3<T>&a = columns[0].w, &b = columns[1].w;
  const T along = dot(a, b), across = norm(b - along * a);
  const Vec3<T> second = (T(1) / across) * (b - along * a), third = cross(a, second);
  const auto inside = [&](int x) {
    return value_of(a[x]) * value_of(a[x]) + value_of(second[x]) * value_of(second[x]);
  };
  int first = 0;
  while (first < 2 && !(inside(first) < JointDirections<T>::kMostInside)) ++first;
  const T sign = value_of(third[first]) < 0.0 ? T(-1) : T(1);
  JointDirections<T> directions;
  for (std::size_t x = 0; x < 3; ++x) {
    const int i = static_cast<int>(x);
    directions.basis[0][x] = a[i], directions.basis[1][x] = second[i];
    directions.basis[2][x] = sign * third[i];
    directions.basis[3 + x][3 + x] = T(1);
  }
  directions.triangle[0][0] = length, directions.triangle[0][1] = length * along;
  directions.triangle[1][1] = length * across;
  return directions;
}

// Computes the directions if they are constant. H of a type with variable H has other numbers at the identity
// than after a displacement along all its speeds.
template <class T>
void find_constant_directions(CutJoint<T>& cut) {
  visit_joint(cut.joint, [&](const auto& joint) {
    using Joint = std::decay_t<decltype(joint)>;
    std::array<T, 7> q{}, moved{};
    std::array<T, 6> displacement{};
    for (std::size_t k = 0; k < 6; ++k) displacement[k] = T(0.3 + 0.1 * static_cast<double>(k));
    Joint::set_identity(q.data());
    Joint::plus(q.data(), displacement.data(), moved.data());
    const auto here = joint.H(q.data()), there = joint.H(moved.data());
    cut.has_constant_directions = true;
    for (std::size_t k = 0; k < here.size(); ++k) {
      for (int i = 0; i < 3; ++i) {
        const bool is_same = value_of(here[k].w[i]) == value_of(there[k].w[i]) &&
                             value_of(here[k].v[i]) == value_of(there[k].v[i]);
        cut.has_constant_directions = cut.has_constant_directions && is_same;
      }
    }
    cut.directions = calc_directions(joint, q.data(), cut.length);
  });
}

// Newton's method, starting from approximate coordinates in q. It converges quadratically; a step shows how
// far off the coordinates were before it.
template <class T, class Joint>
void iterate_coordinates(const CutJoint<T>& cut, const Joint& joint, T* q, CutJointMotion<T>& motion) {
  constexpr int kMostSteps = 50;
  const Pose<T>& X_FM = motion.relative.X_FM;
  const JointDirections<T>& directions = motion.directions(cut);
  guess_coordinates(joint, X_FM, q);
  bool is_near = false;
  for (int step = 0; step < kMostSteps; ++step) {
    const Pose<T> X = joint.pose(q);
    motion.left = {rotation_vector_between(X_FM.R, X.R), X_FM.p - X.p};
    if (!cut.has_constant_directions) motion.own = calc_directions(joint, q, cut.length);
    if (is_near) break;
    std::array<T, 6> d{};
    directions.find_speeds(scaled(motion.left, cut.length), Joint::kNu, d.data());
    double largest = 0.0;
    for (const T& x : d) largest = std::max(largest, std::abs(value_of(x)));
    // With dual numbers a step also carries the derivatives of the motion into q.
    if (largest < 1e-15 && std::is_same_v<T, double>) break;
    Joint::plus(q, d.data(), q);
    Joint::normalize(q);
    is_near = largest < 1e-8;
  }
}

// Computes q (nq), which holds approximate coordinates on entry, and u (nu); biases only if they are wanted.
template <class T>
void find_cut_coordinates(const CutJoint<T>& cut, const FrameMotion<T>* frames, T* q, T* u,
                          CutJointMotion<T>& motion, bool wants_bias = true) {
  motion.relative = calc_relative_marker_motion(frames, cut.F, cut.M, {wants_bias, cut.turns_F, cut.turns_M});
  const RelativeMarkerMotion<T>& relative = motion.relative;
  motion.V_F = rotate(relative.R_WF.transpose(), relative.velocity);
  visit_joint(cut.joint, [&](const auto& joint) {
    using Joint = std::decay_t<decltype(joint)>;
    if constexpr (HasDirectCoordinates<Joint, T>) {
      motion.left = find_coordinates(joint, relative.X_FM, q);
    } else {
      iterate_coordinates(cut, joint, q, motion);
    }
    motion.directions(cut).find_speeds(scaled(motion.V_F, cut.length), Joint::kNu, u);
    if (wants_bias) motion.bias = joint.bias_acceleration(q, u);
  });
}

}  // namespace sestina
