// Derivatives of inverse dynamics with respect to q and u, and the mass matrix: analytical, O(n depth).
//
// "By q_k" means along the tangent of `plus` (joints/joint.h): the derivative of f(plus(q, d)) by d_k at d =
// 0. There are nu such directions; Euler parameters have three. The residual is that of inverse_dynamics.h;
// udot and the given tau are held fixed.
//
// Frames, points and accelerations as in kinematics.h and inverse_dynamics.h: everything of body B in ground
// axes about its Mo, classical accelerations A = [alpha; a] less g. Let k be a speed of the joint of body j,
// P the parent of j. A displacement of q_k moves the subtree of j (j and all bodies outboard) rigidly, by the
// rotation theta and the translation eta of Mo_j. A dash marks the part of a derivative beyond this rotation:
// d'x = dx - theta x x. The motion of the subtree relative to j does not change, so that d' of body i follows
// from d' of body j alone. With p from Mo_j to Mo_i:
//   d'w_i = psi                                                                       (1)
//   d'A_i = [beta; gamma + beta x p] + [psi x w_i; 2 psi x (v_i - v_j)]               (2)
//   psi   = dr.w - theta x w_j                                                        (3)
//   beta  = dalpha_j - theta x alpha_j + w_j x psi,   gamma = da_j - theta x a_j
//   dA_j  = dH udot + dbias + [w_P x dr.w; alpha_P x eta + w_P x (w_P x eta) + 2 w_P x dr.v]      (4)
// where dH, dbias and dr = dH u come from the joint alone (they vanish for all joints whose H is constant in
// F). By u_k instead of q_k nothing turns, and (1), (2) hold for the plain derivative with
//   psi = theta,   [beta; gamma] = dbias + [(w_P + w_j) x theta; 2 w_P x eta]         (5)
// Body i then requires the force M_i [beta; gamma + beta x p], and the second part of (2) and the gyroscopic
// terms add the Coriolis force 2 psi x velocity on each element of its mass. Summed over the subtree, with
// rho from Mo_j and velocities relative to v_j:
//   d'F_j = M [beta; gamma] + [2 (tr G 1 - G) psi; 2 psi x P],
//   G = sum of velocity rho^T,  P = sum of velocity                                   (6)
// M, G and P are passed from B to its parent at -s with dv = v_B - v_P (E = sum of rho rho^T, h = sum of
// rho):
//   P += m dv,   G += P s^T + dv h^T,   E += s (h + m s)^T + h s^T,   h += m s        (7)
// The displaced subtree acts on inboard bodies by dF_j = d'F_j + theta x F_j, at a place moved by eta:
//   Q_k = d'F_j + [theta x F_j.torque + eta x F_j.force; theta x F_j.force]           (8)
//   dresidual_l/dq_k = H_l . shift_back(Q_k)                         l inboard of j     (9)
// and by u_k with C_k, which is d'F_j for (5), in place of Q_k. Outboard of j, H_l and F turn together:
//   dresidual_l/dq_k = H_l . d'F_i = U_l . [beta; gamma]_k + W_l . psi_k                (10)
//   U_l = M_i H_l,   W_l = 2 (tr G 1 - G^T) H_l.w + 2 P x H_l.v,   passed inward by
//   U := shift_back(U, s),   W += 2 dv x U.force
// For two speeds on one joint, (9) is taken about the moving point Mo_j, plus dH_l . F_j. The mass matrix is
// M_kl = U_k . H_l, with the armature on the diagonal. In F of (8) applied forces rotate with their body; the
// rest of their derivatives is added afterwards (force_derivatives.h).
//
// | here              | Singh et al. 2022 | meaning                                                  |
// |-------------------|-------------------|----------------------------------------------------------|
// | theta, eta        | S                 | angular and linear part of a joint column H_k            |
// | psi, beta, gamma  | Psi-dot, Psi-ddot | what a displacement adds to the motion of the subtree    |
// | E, h, m           | I^C               | moments of mass of a subtree: J = tr E 1 - E             |
// | G, P              | B^C               | moments of momentum: the Coriolis force of a rotation    |
// | F                 | f^C               | force through the joint                                  |
// | U, W              | rows of (10)      | what a body feels along H_l for a motion of the subtree  |
//
// Cost: O(n) for the quantities of bodies, and some 70 multiplications for each pair of speeds of which one
// is inboard of the other; pairs on different branches are zero and not computed. Memory 3 nu^2 numbers: 24
// MB for 1000 speeds. Source: Singh, Russell and Wensing, Efficient analytical derivatives of rigid-body
// dynamics using spatial vector algebra, IEEE RA-L 7 (2022); Carpentier and Mansard, Analytical derivatives
// of rigid body dynamics algorithms, RSS 2018; here in ground axes about each body's own point, classical
// accelerations.
#pragma once

#include "sestina/dynamics/force_derivatives.h"
#include "sestina/dynamics/subtree_sums.h"
#include "sestina/numerics/cache_line_vector.h"
#include "sestina/numerics/ldlt.h"
#include "sestina/numerics/matrix_block.h"

namespace sestina {

class InverseDynamicsDerivatives {
 public:
  // The model and the properties must outlive this object. A model with a UserForce is refused (InputError).
  // Forces of conditions rotate with their bodies; constrained_tangents.h has the rest of their derivatives.
  InverseDynamicsDerivatives(const Model& model, const Properties<double>& properties,
                             Conditions conditions = Conditions::kRefused);

  // Updates for the state to which `kinematics` and `forces` belong, and udot (nu). No allocation.
  void update(const State<double>& state, const Kinematics<double>& kinematics,
              const AppliedForces<double>& forces, std::span<const double> udot);

  // (nu x nu) dresidual_i/dq_j and dresidual_i/du_j of the last update().
  MatrixBlock by_q() const { return {by_state_.data(), stride_}; }
  MatrixBlock by_u() const { return {by_state_.data() + width_, stride_}; }
  // (nu x nu) dresidual_i/dudot_j, both triangles.
  const DenseMatrix<double>& mass_matrix() const { return M_; }
  // True if entries for speeds on different branches may be nonzero.
  bool is_full() const { return force_derivatives_.needs_tangents(); }
  // Number of columns of by_q() and by_u() with their padding of zeros: a multiple of eight. The rows of both
  // are stored side by side.
  std::ptrdiff_t width() const { return width_; }

  // The sums over subtrees and the accelerations of the last update().
  const SubtreeSums& sums() const { return sums_; }

 private:
  double* q_row(std::size_t i) { return by_state_.data() + static_cast<std::ptrdiff_t>(i) * stride_; }
  double* u_row(std::size_t i) { return q_row(i) + width_; }

  const Properties<double>& properties_;
  std::ptrdiff_t nu_, width_, stride_;
  CacheLineVector<double> by_state_;  // (nu x stride): [by q | 0 | by u | 0]
  DenseMatrix<double> M_;
  SubtreeSums sums_;
  std::vector<TangentMotion> tangents_;  // (nu)
  ForceDerivatives force_derivatives_;
};

}  // namespace sestina
