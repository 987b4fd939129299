// Computes the coordinates and speeds of a joint from the motion of its two bodies: the inverse of pose() and
// H().
//
//   q: pose(q) = X_FM as nearly as the joint allows, from a q that is not far, by the Gauss-Newton
//      method:  q <- plus(q, H^+ [turn; shift]),   H^+ = (H^T H)^-1 H^T,
//      shift = p_FM - p(q), turn the axial vector of R_FM R(q)^T
//   u: H^+ V_FM
//   the smallest spatial force on M whose generalised forces are tau: H (H^T H)^-1 tau
// Angles thus continue beyond a turn. R_FM need not be exactly orthonormal. With dual numbers one iteration
// from the converged q gives the derivatives.
#pragma once

#include <array>

#include "sestina/joints/joint_list.h"

namespace sestina {

// Solves (H^T H) x = b in place by Cholesky factors. n <= 6.
template <class T, std::size_t n>
void solve_normal_equations(const std::array<SpatialMotion<T>, n>& H, T* x) {
  std::array<std::array<T, n>, n> L{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      T sum = dot(H[i].w, H[j].w) + dot(H[i].v, H[j].v);
      for (std::size_t l = 0; l < j; ++l) sum -= L[i][l] * L[j][l];
      L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t l = 0; l < i; ++l) x[i] -= L[i][l] * x[l];
    x[i] /= L[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t l = i + 1; l < n; ++l) x[i] -= L[l][i] * x[l];
    x[i] /= L[i][i];
  }
}

// Computes x (n) = H^+ V.
template <class T, std::size_t n>
void solve_for_speeds(const std::array<SpatialMotion<T>, n>& H, const SpatialMotion<T>& V, T* x) {
  for (std::size_t i = 0; i < n; ++i) x[i] = dot(H[i].w, V.w) + dot(H[i].v, V.v);
  solve_normal_equations(H, x);
}

// Returns [turn; shift] between X_FM and pose(q), in the axes of F.
template <class T, class Joint>
SpatialMotion<T> calc_misfit(const Joint& joint, const Pose<T>& X_FM, const T* q) {
  const Pose<T> X = joint.pose(q);
  const Rotation<T> E = X_FM.R * X.R.transpose();
  const T half(0.5);
  return {{half * (E.zy - E.yz), half * (E.xz - E.zx), half * (E.yx - E.xy)}, X_FM.p - X.p};
}

// Makes one iteration; returns the square of the displacement.
template <class T, class Joint>
T improve_coordinates(const Joint& joint, const Pose<T>& X_FM, T* q) {
  if constexpr (Joint::kNu > 0) {
    std::array<T, static_cast<std::size_t>(Joint::kNu)> d;
    solve_for_speeds(joint.H(q), calc_misfit(joint, X_FM, q), d.data());
    Joint::plus(q, d.data(), q);
    T sum(0);
    for (const T& x : d) sum += x * x;
    return sum;
  } else {
    return T(0);
  }
}

template <class T, class Joint>
void find_speeds(const Joint& joint, const SpatialMotion<T>& V_FM, const T* q, T* u) {
  if constexpr (Joint::kNu > 0) solve_for_speeds(joint.H(q), V_FM, u);
}

// Iterates until q converges; false if it does not.
bool find_coordinates(const AnyJoint<double>& joint, const Pose<double>& X_FM, double* q);

// Returns the force on M about its origin, axes of F.
template <class T, class Joint>
SpatialForce<T> calc_joint_force(const Joint& joint, const T* q, const T* tau) {
  SpatialForce<T> force;
  if constexpr (Joint::kNu > 0) {
    const auto H = joint.H(q);
    std::array<T, static_cast<std::size_t>(Joint::kNu)> x;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = tau[i];
    solve_normal_equations(H, x.data());
    for (std::size_t i = 0; i < x.size(); ++i) force += SpatialForce<T>{x[i] * H[i].w, x[i] * H[i].v};
  }
  return force;
}

}  // namespace sestina
