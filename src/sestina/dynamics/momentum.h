// The equations of motion in momenta p = M(q) u instead of accelerations, all in O(n).
//
// Frames and points as in kinematics.h. With L_B = [angular; linear] momentum about Mo of B and everything
// that hangs on it, and W_B the applied forces and weights on the same bodies about the same point:
//   L_B = M V_WB + sum over children of shift_back(L_C, s_C)                                 (1)
//   p_k = H_k . L_B + armature u_k                                                           (2)
// The momentum of the subtree changes by the forces on it: W_B, and F_B from the parent through the joint.
// About the moving point Mo
//   dL_B/dt = F_B + W_B - [v_Mo x L_B.force; 0],   H_k . F_B = tau_k - armature udot_k        (3)
// so that the rate of p needs no accelerations:
//   dp_k/dt = tau_k + H_k . W_B - H_k.w . (v_Mo x L_B.force) + dH_k/dt . L_B                 (4)
//   dH_k/dt = w_P x H_k + R_WF dH_FM_k/dt                                                    (5)
// The speeds for given momenta are the accelerations that generalised forces p produce in the system at rest
// without gravity and other forces: M u = p, solved by RecursiveSolver.
#pragma once

#include <span>
#include <vector>

#include "sestina/dynamics/applied_forces.h"
#include "sestina/dynamics/recursive_solver.h"
#include "sestina/model/properties.h"

namespace sestina {

// Computes p = M(q) u (nu) for the state to which `kinematics` belongs. `subtree` (bodies) is scratch memory
// and becomes L_B of (1).
template <class T>
void calc_generalized_momentum(const Model& model, const Properties<T>& properties,
                               const Kinematics<T>& kinematics, std::span<const T> u,
                               std::span<SpatialForce<T>> subtree, std::span<T> p);

class MomentumEquations {
 public:
  // Keeps references: the model and the properties must outlive this object.
  MomentumEquations(const Model& model, const Properties<double>& properties);

  // Computes p (nu) for q and u of the state.
  void calc_momentum(const State<double>& state, std::span<double> p);
  // Computes u (nu) = M(q)^-1 p; only q of the state is used.
  SolveReport<double> solve_speeds(const State<double>& state, std::span<const double> p,
                                   std::span<double> u);
  // Computes dp/dt (nu), for kinematics and forces of the state.
  void calc_momentum_rate(const State<double>& state, const Kinematics<double>& kinematics,
                          const AppliedForces<double>& forces, std::span<double> rate);

 private:
  void update_joint_column_rates(const State<double>& state, const Kinematics<double>& kinematics);

  const Model& model_;
  const Properties<double>& properties_;
  Properties<double> weightless_;  // the same numbers without gravity
  Properties<Dual> with_rates_;    // for dH_FM/dt by dual numbers
  Kinematics<double> kinematics_;
  AppliedForces<double> forces_;
  RecursiveSolver<double> solver_;
  State<double> at_rest_;
  std::vector<double> qdot_;                   // (nq)
  std::vector<Dual> dual_q_;                   // (nq) with its rate as derivative
  std::vector<SpatialMotion<double>> H_rate_;  // (nu): (5)
  std::vector<SpatialForce<double>> L_;        // by BodyIndex
  std::vector<SpatialForce<double>> W_;        // by BodyIndex
};

}  // namespace sestina
