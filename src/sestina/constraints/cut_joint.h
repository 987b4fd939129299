// A joint that closes a loop: it is cut, and conditions on its frames F and M keep it closed.
//
//   F on body a ----( joint )---- M on body b
//
// With q the coordinates that bring the joint's pose X(q) closest to the pose X_FM of the frames, and N (6 x
// (6 - nu)) the directions in which the joint does not move, N^T H(q) = 0, components in F at M's origin:
//   g  = N^T [R; p],   R, p: rotation vector and displacement from X(q) to X_FM                      (1)
//   g' = N^T V_FM                                                                                    (2)
//   g''= N^T (A_FM - bias(q, u)),   u = H^+ V_FM                                                     (3)
// (3) is the derivative of (2) along motions that the joint allows: N'^T H = -N^T H'. Therefore every joint
// type can be cut without code of its own (cut_joint_motion.h computes q, u and N). The columns of N are
// orthonormal if lengths are measured in units of `length`, the mechanism's size, so that every multiplier is
// a force (N).
//
// Most types give q without iteration (cut_coordinates.h); for the others Newton's method starts from the
// coordinates of the last accepted step. Angles count turns.
//
// Springs, motors and conditions may act on the joint's speeds. As u = H^+ V_FM, a generalised force tau
// is the force (H^+)^T tau between the frames, whose power is tau.u.                                     (4)
#pragma once

#include <array>

#include "sestina/constraints/constraint_row.h"
#include "sestina/joints/any_joint.h"

namespace sestina {

// A vector in six dimensions, [rotation * length; displacement].
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

// An orthonormal basis of six dimensions: its first nu vectors span the motions H of a joint, the others are
// N.
template <class T>
struct JointDirections {
  std::array<ScaledTwist<T>, 6> basis{};
  std::array<std::array<T, 6>, 6> triangle{};  // H_k = sum over i <= k of triangle[i][k] basis[i]

  // A unit vector is a candidate for the next direction if less than this part of it (squared) lies in the
  // span of the directions found so far.
  static constexpr double kMostInside = 0.6;

  JointDirections() = default;
  // Gram-Schmidt, twice for each vector, so that the basis is orthonormal to round-off. After the columns of
  // H come the unit vectors with the largest remainders.
  template <std::size_t nu>
  JointDirections(const std::array<SpatialMotion<T>, nu>& H, const T& length) {
    for (std::size_t k = 0; k < nu; ++k) {
      basis[k] = scaled(H[k], length);
      add(k, &triangle);
    }
    for (std::size_t k = nu; k < 6; ++k) {
      basis[k][outstanding(k)] = T(1);
      add(k, nullptr);
    }
  }

  // Computes by least squares u (nu) with H u closest to V.
  void find_speeds(const ScaledTwist<T>& V, int nu, T* u) const {
    for (int k = nu - 1; k >= 0; --k) {
      const auto c = static_cast<std::size_t>(k);
      u[k] = product(basis[c], V);
      for (int j = k + 1; j < nu; ++j) u[k] -= triangle[c][static_cast<std::size_t>(j)] * u[j];
      u[k] = u[k] / triangle[c][c];
    }
  }
  // Returns (H^+)^T tau, the force whose power is tau.u, in the basis: [torque / length; force].
  ScaledTwist<T> force_of_speeds(const T* tau, int nu) const {
    ScaledTwist<T> sum{};
    std::array<T, 6> y{};
    for (int k = 0; k < nu; ++k) {
      const auto c = static_cast<std::size_t>(k);
      y[c] = tau[k];
      for (std::size_t i = 0; i < c; ++i) y[c] -= triangle[i][c] * y[i];
      y[c] = y[c] / triangle[c][c];
      for (std::size_t x = 0; x < 6; ++x) sum[x] += y[c] * basis[c][x];
    }
    return sum;
  }

 private:
  void add(std::size_t k, std::array<std::array<T, 6>, 6>* coefficients) {
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < k; ++i) {
        const T part = product(basis[i], basis[k]);
        if (coefficients) (*coefficients)[i][k] += part;
        for (std::size_t x = 0; x < 6; ++x) basis[k][x] -= part * basis[i][x];
      }
    }
    const T size = sqrt(product(basis[k], basis[k]));
    if (coefficients) (*coefficients)[k][k] = size;
    for (T& x : basis[k]) x = x / size;
  }
  // Returns the first coordinate axis of which less than kMostInside lies in the span of the first k
  // directions. Taking the first one, not the best one, makes the choice insensitive to round-off.
  std::size_t outstanding(std::size_t k) const {
    std::size_t best = 0;
    double least = 2.0;
    for (std::size_t x = 0; x < 6; ++x) {
      double inside = 0.0;
      for (std::size_t i = 0; i < k; ++i) inside += value_of(basis[i][x]) * value_of(basis[i][x]);
      if (inside < kMostInside) return x;
      if (inside < least) best = x, least = inside;
    }
    return best;
  }
};

template <class T>
struct CutJoint {
  Marker<T> F, M;
  AnyJoint<T> joint;
  int nu = 0;       // of the joint
  T length{T(1)};   // m
  int q_start = 0;  // among the coordinates of cut joints
  int u_start = 0;  // among the speeds of cut joints
  int first_row = 0;
  int armature_row = -1;  // -1: no rotor
  T armature{};           // kg m^2 or kg, for a joint with one speed
  // For most types H is the same at every q, and so are the directions.
  bool has_constant_directions = false;
  JointDirections<T> directions;
  // The constant directions that have rotations, and those that have displacements.
  std::array<bool, 6> turn{true, true, true, true, true, true}, shift{true, true, true, true, true, true};
  // Whether the axes of F and M differ from those of their bodies.
  bool turns_F = true, turns_M = true;
};

// Finds the products with zeros that can be left out.
inline void find_zeros(CutJoint<double>& cut) {
  for (std::size_t k = 0; k < 6 && cut.has_constant_directions; ++k) {
    const ScaledTwist<double>& n = cut.directions.basis[k];
    cut.turn[k] = n[0] != 0.0 || n[1] != 0.0 || n[2] != 0.0;
    cut.shift[k] = n[3] != 0.0 || n[4] != 0.0 || n[5] != 0.0;
  }
}

// Poses and motion of the joint's frames.
template <class T>
struct CutJointMotion {
  RelativeMarkerMotion<T> relative;
  SpatialMotion<T> V_F;   // of M in F, axes of F
  SpatialMotion<T> left;  // [R; p] of (1), axes of F
  SpatialMotion<T> bias;  // of the joint, axes of F
  JointDirections<T> own;

  const JointDirections<T>& directions(const CutJoint<T>& cut) const {
    return cut.has_constant_directions ? cut.directions : own;
  }
  SpatialForce<T> in_axes_of_F(const CutJoint<T>& cut, const ScaledTwist<T>& n) const {
    return {{cut.length * n[0], cut.length * n[1], cut.length * n[2]}, {n[3], n[4], n[5]}};
  }
};

// Returns the [torque; force] about M's origin, ground axes, of tau along the speeds on the child: (4).
template <class T>
SpatialForce<T> calc_force_of_speeds(const CutJoint<T>& cut, const CutJointMotion<T>& motion, const T* tau) {
  const SpatialForce<T> force_F =
      motion.in_axes_of_F(cut, motion.directions(cut).force_of_speeds(tau, cut.nu));
  const Rotation<T>& R_WF = motion.relative.R_WF;
  return {R_WF * force_F.torque, R_WF * force_F.force};
}

// Makes the combination c . u act between the joint's frames, as `pair`. Adds the value of c . udot at zero
// accelerations to the bias of its row.
template <class T>
void add_force_of_speeds(const CutJoint<T>& cut, const CutJointMotion<T>& motion, const T* c,
                         FramePair<T>& pair, T& bias) {
  const RelativeMarkerMotion<T>& relative = motion.relative;
  pair.a = cut.F.frame, pair.b = cut.M.frame;
  pair.arm_a = relative.arm_a, pair.arm_b = relative.arm_b;
  pair.force = calc_force_of_speeds(cut, motion, c);
  bias += dot(relative.bias - rotate(relative.R_WF, motion.bias), pair.force);
}

template <class T>
void copy_motion(const CutJoint<T>& cut, const CutJointMotion<T>& from, CutJointMotion<T>& to) {
  to.relative = from.relative, to.V_F = from.V_F, to.left = from.left, to.bias = from.bias;
  if (!cut.has_constant_directions) to.own = from.own;
}

// Computes the joint's 6 - nu rows and the row of its rotor.
template <class T>
void update_cut_joint_rows(const CutJoint<T>& cut, const CutJointMotion<T>& motion, ConstraintRow<T>* rows,
                           bool wants_bias = true) {
  const int nu = cut.nu;
  const RelativeMarkerMotion<T>& relative = motion.relative;
  for (int k = nu; k < 6; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const SpatialForce<T> n_F = motion.in_axes_of_F(cut, motion.directions(cut).basis[i]);
    ConstraintRow<T>& row = rows[cut.first_row + k - nu];
    row.a = cut.F.frame, row.b = cut.M.frame;
    row.force = {};
    row.arm_a = relative.arm_a, row.arm_b = relative.arm_b;
    row.error = row.velocity = T(0);
    if (cut.turn[i]) {
      row.force.torque = relative.R_WF * n_F.torque;
      row.error += dot(motion.left.w, n_F.torque);    // (1)
      row.velocity += dot(motion.V_F.w, n_F.torque);  // (2)
    }
    if (cut.shift[i]) {
      row.force.force = relative.R_WF * n_F.force;
      row.error += dot(motion.left.v, n_F.force);
      row.velocity += dot(motion.V_F.v, n_F.force);
    }
    if (wants_bias) row.bias = dot(relative.bias, row.force) - dot(motion.bias, n_F);  // (3)
  }
  if (cut.armature_row < 0) return;
  ConstraintRow<T>& row = rows[cut.armature_row];
  row.is_inertia = true, row.is_on_position = false;
  row.bias = T(0);
  const T c = sqrt(cut.armature);
  add_force_of_speeds<T>(cut, motion, &c, row, row.bias);
}

}  // namespace sestina
