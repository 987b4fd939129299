// What the applied forces contribute to the derivatives of inverse dynamics.
//
// Joint springs and dampers have theirs in closed form: a number on the diagonal. For all other elements
// add_force runs on Dual (docs/decisions/force-jacobians.md), once for each of the 2 nu directions, on
// motions of the bodies whose derivatives are analytical: by q_k, a body i of the subtree of joint j moves by
//   dX = theta x,   dp = eta + theta x p_ji                                            (1)
//   dw = theta x w_i + psi,   dv = dv_j + theta x (v_i - v_j) + psi x p_ji             (2)
// and by u_k with dX = 0, dw = theta, dv = eta + theta x p_ji; other bodies stay. The generalised forces are
// summed from the tips inward, less theta x f on displaced bodies, which inverse_dynamics_derivatives.h has.
// Cost: none without elements; O(nu) with joint springs and dampers; otherwise O(nu (elements + n)), which is
// what the result may have in numbers, since any force may depend on any coordinate.
#pragma once

#include <optional>

#include "sestina/dynamics/dual_forces.h"

namespace sestina {

// The derivative of a subtree's motion by one coordinate; names as in inverse_dynamics_derivatives.h.
struct TangentMotion {
  Vec3<double> psi;
  Vec3<double> dv;  // of Mo_j
};

class ForceDerivatives {
 public:
  // The model must outlive this. A model with a UserForce is refused (InputError). The elements take their
  // numbers from properties.parameters.
  ForceDerivatives(const Model& model, const Properties<double>& properties);

  // Whether any tangents are asked for, and the derivatives may be other than zero for speeds on different
  // branches.
  bool needs_tangents() const { return dual_.has_value(); }

  // Subtracts the derivatives of the generalised forces: column k of `by_q` and `by_u` (rows `stride` apart).
  // tangents (nu). No allocation.
  void subtract(const State<double>& state, const Kinematics<double>& kinematics,
                std::span<const TangentMotion> tangents, double* by_q, double* by_u, std::ptrdiff_t stride);

 private:
  void set_values(const State<double>& state, const Kinematics<double>& kinematics);
  void move_by_q(std::size_t k, const State<double>& state, const Kinematics<double>& kinematics,
                 const TangentMotion& tangent);
  void move_by_u(std::size_t k, const Kinematics<double>& kinematics);
  void stop(std::size_t k, const State<double>& state);
  void subtract_column(const Kinematics<double>& kinematics, double* column, std::ptrdiff_t stride,
                       std::size_t turned_begin, std::size_t turned_end, const Vec3<double>& theta);

  const Model& model_;
  std::vector<JointSpring<double>> springs_;
  std::vector<JointDamper<double>> dampers_;
  std::optional<DualForces> dual_;
  bool acts_on_bodies_ = false;
  std::vector<int> body_of_speed_;             // (nu)
  std::vector<int> subtree_end_;               // by BodyIndex
  std::vector<SpatialForce<double>> subtree_;  // by BodyIndex: scratch memory
  std::vector<double> qdot_;                   // (nq) scratch memory
  std::vector<double> unit_;                   // (nu) zeros between uses
};

}  // namespace sestina
