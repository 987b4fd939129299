// Inverse dynamics: the generalised forces that produce a given udot, and the reactions at the joints.
//
// From the root outward (A: acceleration less g; frames and points as in kinematics.h):
//   A_B = shift(A_P, s) + H udot + c,            A of the ground = -g              (1)
// and from the tips inward:
//   F_B = M A_B + gyroscopic - applied force + sum over children shift_back(F_C, s_C)   (2)
//   residual_k = H_k . F_B + armature udot_k - tau_k                               (3)
// F_B is the spatial force that the parent exerts on B through the joint, actuation included, about Mo in
// ground axes. The residual is zero where udot solves the equations of motion.
// Cost O(n). Source: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 5, in classical accelerations.
#pragma once

#include <vector>

#include "sestina/dynamics/applied_forces.h"

namespace sestina {

template <class T>
struct InverseDynamics {
  explicit InverseDynamics(const Model& model);

  std::vector<SpatialMotion<T>> acceleration;  // by BodyIndex: the true one, A_B + g
  std::vector<SpatialForce<T>> reaction;       // by BodyIndex: F_B
  std::vector<T> residual;                     // (nu)
};

// Fills `result` for the state to which `kinematics` and `forces` belong. udot (nu). No allocation.
template <class T>
void update_inverse_dynamics(const Model& model, const Properties<T>& properties,
                             const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                             std::span<const T> udot, InverseDynamics<T>& result);

// Returns the sum of the magnitudes of the terms of each residual (nu) before they cancel, the scale of its
// round-off. Moments count with their full lever arms, so that the scale is that of the weights also if a
// mechanism hangs at rest. O(n depth); for checks, not for stepping.
std::vector<double> calc_residual_scale(const Model& model, const Properties<double>& properties,
                                        const Kinematics<double>& kinematics,
                                        const AppliedForces<double>& forces, std::span<const double> udot,
                                        const InverseDynamics<double>& result);

// The diagonal of the mass matrix (nu), armature included, without the matrix. O(n depth); for checks.
std::vector<double> calc_inertia_diagonal(const Model& model, const Properties<double>& properties,
                                          const Kinematics<double>& kinematics);

}  // namespace sestina
