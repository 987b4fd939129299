// A joint that closes a loop: cut, and kept closed by conditions on its frames F and M.
//
//   F on body a ----( joint )---- M on body b
//
// With q the coordinates that bring the joint's pose X(q) closest to the pose X_FM of the frames, and N (6 x
// (6 - nu)) the directions in which the joint does not move, N^T H(q) = 0, components in F at M's origin:
//   g  = N^T [R; p],   R, p: rotation vector and displacement from X(q) to X_FM                      (1)
//   g' = N^T V_FM                                                                                    (2)
//   g''= N^T (A_FM - bias(q, u)),   u = H^+ V_FM                                                     (3)
// (3) is the derivative of (2) along motions that the joint allows: N'^T H = -N^T H'. So every joint type can
// be cut; none needs code of its own. The columns of N are orthonormal when lengths are measured in units of
// `length`, the mechanism's size, so that every multiplier is a force (N).
//
// The coordinates are found by Newton's method from those of the last accepted step: angles count turns.
#pragma once

#include <array>

#include "sestina/constraints/constraint_row.h"
#include "sestina/joints/joint_list.h"
#include "sestina/spatial/rotation_vector.h"

namespace sestina {

template <class T>
struct CutJoint {
  Marker<T> F, M;
  AnyJoint<T> joint;
  T length{T(1)};   // m
  int q_start = 0;  // among the coordinates of cut joints
  int u_start = 0;  // likewise
  int first_row = 0;
};

// Directions in six dimensions, [rotation * length; displacement].
template <class T>
using ScaledTwist = std::array<T, 6>;

template <class T>
T product(const ScaledTwist<T>& a, const ScaledTwist<T>& b) {
  T sum = a[0] * b[0];
  for (std::size_t i = 1; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}

template <class T>
ScaledTwist<T> scaled(const SpatialMotion<T>& a, const T& length) {
  return {length * a.w.x, length * a.w.y, length * a.w.z, a.v.x, a.v.y, a.v.z};
}

// An orthonormal basis of six dimensions whose first `nu` vectors span H and whose others are N.
template <class T, int nu>
struct JointDirections {
  std::array<ScaledTwist<T>, 6> basis;
  std::array<std::array<T, 6>, 6> triangle{};  // H_k = sum over i <= k of triangle[i][k] basis[i]

  // Gram-Schmidt, twice for each vector so that the basis is orthonormal to round-off. After the columns of H
  // come those unit vectors that stand out most from what is spanned.
  JointDirections(const JointColumns<T, nu>& H, const T& length) {
    for (int k = 0; k < nu; ++k) {
      const auto c = static_cast<std::size_t>(k);
      basis[c] = scaled(H[c], length);
      add(k, &triangle);
    }
    for (int k = nu; k < 6; ++k) {
      const auto c = static_cast<std::size_t>(k);
      basis[c] = {};
      basis[c][most_outstanding(k)] = T(1);
      add(k, nullptr);
    }
  }

  // Least squares: u with H u closest to V.
  std::array<T, 6> speeds(const ScaledTwist<T>& V) const {
    std::array<T, 6> u{};
    for (int k = nu - 1; k >= 0; --k) {
      const auto c = static_cast<std::size_t>(k);
      u[c] = product(basis[c], V);
      for (std::size_t j = c + 1; j < static_cast<std::size_t>(nu); ++j) u[c] -= triangle[c][j] * u[j];
      u[c] = u[c] / triangle[c][c];
    }
    return u;
  }

 private:
  void add(int k, std::array<std::array<T, 6>, 6>* coefficients) {
    const auto c = static_cast<std::size_t>(k);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < c; ++i) {
        const T part = product(basis[i], basis[c]);
        if (coefficients) (*coefficients)[i][c] += part;
        for (std::size_t x = 0; x < 6; ++x) basis[c][x] -= part * basis[i][x];
      }
    }
    const T size = sqrt(product(basis[c], basis[c]));
    if (coefficients) (*coefficients)[c][c] = size;
    for (T& x : basis[c]) x = x / size;
  }
  std::size_t most_outstanding(int k) const {
    std::size_t best = 0;
    double least = 2.0;
    for (std::size_t x = 0; x < 6; ++x) {
      double inside = 0.0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
        inside += value_of(basis[i][x]) * value_of(basis[i][x]);
      }
      if (inside < least - 1e-9) best = x, least = inside;
    }
    return best;
  }
};

// q: coordinates near those that are wanted, and then these. Returns what is left of the pose, [R; p] of (1),
// axes of F.
template <class T, class Joint>
SpatialMotion<T> find_coordinates(const Joint& joint, const Pose<T>& X_FM, const T& length, T* q) {
  constexpr int kMostSteps = 50;
  SpatialMotion<T> left;
  for (int step = 0; step < kMostSteps; ++step) {
    const Pose<T> X = joint.pose(q);
    left = {rotation_vector_between(X_FM.R, X.R), X_FM.p - X.p};
    if constexpr (Joint::kNu > 0) {
      const JointDirections<T, Joint::kNu> directions(joint.H(q), length);
      const std::array<T, 6> d = directions.speeds(scaled(left, length));
      double largest = 0.0;
      for (const T& x : d) largest = std::max(largest, std::abs(value_of(x)));
      if (largest < 1e-15) break;
      joint.plus(q, d.data(), q);
      joint.normalize(q);
      // Newton's method squares the distance, and the error does not tell of the last step's.
      if (largest < 1e-8) {
        const Pose<T> last = joint.pose(q);
        left = {rotation_vector_between(X_FM.R, last.R), X_FM.p - last.p};
        break;
      }
    } else {
      break;
    }
  }
  return left;
}

// Fills q (nq), u (nu) of the joint and its 6 - nu rows. q holds coordinates near by.
template <class T>
void update_cut_joint(const CutJoint<T>& cut, const FrameMotion<T>* frames, T* q, T* u,
                      ConstraintRow<T>* rows) {
  const RelativeMarkerMotion<T> relative = calc_relative_marker_motion(frames, cut.F, cut.M);
  const Rotation<T> R_FW = relative.R_WF.transpose();
  const SpatialMotion<T> V_F = rotate(R_FW, relative.velocity);
  visit_joint(cut.joint, [&](const auto& joint) {
    using Joint = std::decay_t<decltype(joint)>;
    constexpr int nu = Joint::kNu;
    const SpatialMotion<T> left = find_coordinates(joint, relative.X_FM, cut.length, q);
    const JointDirections<T, nu> directions(joint.H(q), cut.length);
    const std::array<T, 6> speeds = directions.speeds(scaled(V_F, cut.length));
    for (int k = 0; k < nu; ++k) u[k] = speeds[static_cast<std::size_t>(k)];
    const SpatialMotion<T> bias = joint.bias_acceleration(q, u);
    for (int k = nu; k < 6; ++k) {
      const ScaledTwist<T>& n = directions.basis[static_cast<std::size_t>(k)];
      const SpatialForce<T> n_F{{cut.length * n[0], cut.length * n[1], cut.length * n[2]},
                                {n[3], n[4], n[5]}};
      ConstraintRow<T>& row = rows[k - nu];
      row.a = cut.F.frame, row.b = cut.M.frame;
      row.force = {relative.R_WF * n_F.torque, relative.R_WF * n_F.force};
      row.arm_a = relative.arm_a, row.arm_b = relative.arm_b;
      row.error = dot(left, n_F);                                 // (1)
      row.velocity = dot(V_F, n_F);                               // (2)
      row.bias = dot(relative.bias, row.force) - dot(bias, n_F);  // (3)
    }
  });
}

}  // namespace sestina
