// The gradient, with respect to q and u, of a number that depends on the motions of some bodies.
//
// Let a change of the motion of body i (theta: rotation; dp, dw, dv, dalpha, da of Mo, ground axes) change
// the number by
//   theta.T_i + dp.P_i + dw.S_i + dv.H_i + dalpha.t_i + da.f_i                                     (1)
// In the notation of inverse_dynamics_derivatives.h, with p from Mo_j to Mo_i, a displacement of q_k changes
// the motion of each body i of the subtree of joint j by theta, and
//   dp = eta + theta x p,   dw = theta x w_i + psi,   dv = dv_j + theta x (v_i - v_j) + psi x p    (2)
//   dalpha = theta x alpha_i + beta + psi x w_i
//   da = theta x a_i + gamma + beta x p + 2 psi x (v_i - v_j)                                      (3)
// Sorted by theta, eta, psi, dv_j, beta and gamma, the terms of (1) are sums over the subtree. They are
// started at each body and passed to the parent at -s, with v = v_B - v_P, by
//   T += w_i x S + alpha_i x t + a_i x f,   S += w_i x t                                           (4)
//   T' = T + s x P + v x H,   S' = S + s x H + 2 v x f,   t' = t + s x f                           (5)
// and the derivative by q_k, or by a displacement of the frame of joint j, is
//   theta.T + eta.P + psi.S + dv_j.H + beta.t + gamma.f                                            (6)
// By u_k nothing turns: dw = theta, dv = eta + theta x p, and (3) without theta for beta and gamma of u_k
// and psi = theta:
//   theta.S + eta.H + beta.t + gamma.f                                                             (7)
// Cost: O(1) for each body between the ground and those on which the number depends.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "sestina/dynamics/inverse_dynamics_by_parameters.h"
#include "sestina/dynamics/subtree_sums.h"

namespace sestina {

class MotionGradient {
 public:
  explicit MotionGradient(const Model& model) : sums_(model.bodies().size()) {}

  // The numbers of (1) for a body.
  struct Of {
    Vec3<double> T, P, S, H, t, f;
    bool is_used = false;
  };
  void clear() { std::ranges::fill(sums_, Of{}); }
  Of& of(std::size_t body) {
    sums_[body].is_used = true;
    return sums_[body];
  }

  // Adds (6) and (7) to by_q and by_u (nu), for the state to which `kinematics` and `at` belong.
  void pass_inward(const Kinematics<double>& kinematics, const SubtreeSums& at, std::span<double> by_q,
                   std::span<double> by_u);
  // (6) for the displacement of a frame, after pass_inward().
  double calc_product(const InverseDynamicsByParameters::Displacement& d) const;

 private:
  std::vector<Of> sums_;  // by BodyIndex
};

}  // namespace sestina
