// The quantities of bodies and speeds from which the derivatives of inverse dynamics are formed: equations
// (3) to (7) of inverse_dynamics_derivatives.h, in its notation. O(n).
#pragma once

#include <span>
#include <vector>

#include "sestina/dynamics/applied_forces.h"
#include "sestina/dynamics/kinematics.h"
#include "sestina/model/properties.h"
#include "sestina/spatial/lanes3.h"

namespace sestina {

// How the conditions of a model with loops or constraints are treated: such a model is refused (InputError),
// or they act through their forces alone, which stand among the applied forces.
enum class Conditions { kRefused, kAsForces };

class SubtreeSums {
 public:
  using Lanes = Lanes3<double>;

  // Sums over the subtree of a joint, about Mo: (6) and (7), with velocities doubled, and F of inverse
  // dynamics.
  struct Subtree {
    double m, trace_E, trace_G;
    Lanes h, P, E[3], G[3];  // E and G by columns
    Lanes torque, force;     // F
    Lanes s, dv;             // from the parent to the body
  };
  // The quantities of (3) to (5) for one speed.
  struct Column {
    Lanes theta, eta, psi;
    Lanes beta_q, gamma_q, beta_u, gamma_u;
    Lanes dv;  // of Mo, derivative by q
  };

  // The model and the properties must outlive this object.
  SubtreeSums(const Model& model, const Properties<double>& properties,
              Conditions conditions = Conditions::kRefused);

  // Updates for the state to which `kinematics` and `forces` belong, and udot (nu). No allocation.
  void update(const State<double>& state, const Kinematics<double>& kinematics,
              const AppliedForces<double>& forces, std::span<const double> udot);

  // The argument is a BodyIndex.
  const Subtree& subtree(std::size_t body) const { return subtree_[body]; }
  const SpatialMotion<double>& acceleration(std::size_t body) const { return A_[body]; }  // less g
  const Column& column(std::size_t speed) const { return columns_[speed]; }
  // dH_l/dq_k (ground axes) for speeds l and k of the joint of a body, counted from its first one; null: H is
  // constant in F.
  const SpatialMotion<double>* joint_rates(std::size_t body) const {
    return varying_start_[body] < 0 ? nullptr : dH_.data() + varying_start_[body];
  }

 private:
  void start_body(std::size_t i, const Kinematics<double>& kinematics, const AppliedForces<double>& forces,
                  std::span<const double> u, std::span<const double> udot);
  void start_column(std::size_t i, std::size_t k, const Kinematics<double>& kinematics);
  void add_joint_rates(std::size_t i, const State<double>& state, const Kinematics<double>& kinematics,
                       std::span<const double> udot);
  void give_to_parent(std::size_t i, std::size_t parent);

  const Model& model_;
  const Properties<double>& properties_;
  std::vector<SpatialMotion<double>> A_;  // by BodyIndex, less g
  std::vector<Subtree> subtree_;          // by BodyIndex
  std::vector<Column> columns_;           // (nu)
  // Used for joints whose H depends on q: dH_l by q_k is at varying_start_ + l nu_j + k.
  std::vector<int> varying_start_;         // by BodyIndex; -1: H is constant
  std::vector<SpatialMotion<double>> dH_;  // ground axes
};

}  // namespace sestina
