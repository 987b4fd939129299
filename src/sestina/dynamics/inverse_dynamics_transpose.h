// Products of a vector z (nu) with the derivatives of inverse dynamics, z . dresidual/dq_k for all k, and the
// same for u and for parameters, in O(n): no matrix is formed. Adjoint equations need only these products.
//
// In the notation of inverse_dynamics_derivatives.h, z moves the bodies by the virtual velocities
//   V_i = shift(V_P, s) + sum over the joint of z_l H_l                                          (1)
// With (9), the speeds inboard of joint j take part in the product by q_k through V_P alone; with (10), those
// outboard through the sums U_j, W_j of z_l U_l and z_l W_l, passed inward as there:
//   z . dresidual/dq_k = shift(V_P, s) . Q_k + (V_j - shift(V_P, s)) . d'F_j
//                        + U_j . [beta; gamma]_k + W_j . psi_k                                   (2)
// where U_j and W_j omit the joint of j itself, whose speeds are in the second term (with dH_l . F_j if
// columns vary); with respect to u_k with C_k and the [beta; gamma], psi of (5). The force through the joint
// and the applied forces rotate as in (8); the remaining part of applied forces is in force_derivatives.h.
//
// Cost: some 300 multiplications for each speed; O(nu (elements + n)) in addition if there are forces other
// than joint springs and dampers. Source: the transpose of the sources given there.
#pragma once

#include "sestina/dynamics/force_derivatives.h"
#include "sestina/dynamics/inverse_dynamics_by_parameters.h"
#include "sestina/dynamics/subtree_sums.h"
#include "sestina/dynamics/virtual_motion.h"

namespace sestina {

class InverseDynamicsTranspose {
 public:
  // The model and the properties must outlive this object. A model with a UserForce is refused (InputError).
  // Forces of conditions rotate with their bodies; constrained_transpose.h has the rest of their derivatives.
  InverseDynamicsTranspose(const Model& model, const Properties<double>& properties,
                           Conditions conditions = Conditions::kRefused);

  // For the state to which `kinematics` and `forces` belong, udot (nu) and z (nu): fills by_q and by_u (nu).
  // No allocation. All arguments must live as long as calc_by_parameter() is called.
  void calc(const State<double>& state, const Kinematics<double>& kinematics,
            const AppliedForces<double>& forces, std::span<const double> udot, std::span<const double> z,
            std::span<double> by_q, std::span<double> by_u);
  // z . dresidual/dp at the last calc(), for a parameter given by its index in Model::parameters(). Allocates
  // only in the first call for a parameter.
  double calc_by_parameter(int parameter) { return by_parameters_.calc_product(parameter, virtual_motion_); }

  // The following belong to the last calc().
  const SubtreeSums& sums() const { return sums_; }
  const VirtualMotion& virtual_motion() const { return virtual_motion_; }
  InverseDynamicsByParameters& by_parameters() { return by_parameters_; }

 private:
  void move(const Kinematics<double>& kinematics);
  void sum_body(std::size_t i, const Kinematics<double>& kinematics, std::span<double> by_q,
                std::span<double> by_u);

  SubtreeSums sums_;
  VirtualMotion virtual_motion_;
  std::vector<TangentMotion> tangents_;  // (nu)
  ForceDerivatives force_derivatives_;
  InverseDynamicsByParameters by_parameters_;
};

}  // namespace sestina
