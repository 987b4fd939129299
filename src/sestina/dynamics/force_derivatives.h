// The contribution of the applied forces to the derivatives of inverse dynamics.
//
// Joint springs and dampers contribute a number on the diagonal. For all other elements add_force runs on
// Dual (docs/decisions/force-jacobians.md), once for each of the 2 nu directions. Its input, the motion of
// the bodies, has analytical derivatives: with respect to q_k, for body i of the subtree of joint j,
//   dX = theta x,   dp = eta + theta x p_ji                                            (1)
//   dw = theta x w_i + psi,   dv = dv_j + theta x (v_i - v_j) + psi x p_ji             (2)
// and with respect to u_k: dX = 0, dw = theta, dv = eta + theta x p_ji; other bodies do not move. The
// generalised forces are summed from the tips inward, without theta x f on displaced bodies, which
// inverse_dynamics_derivatives.h has. Cost: none without elements; O(nu) with joint springs and dampers only;
// otherwise O(nu (elements + n)), the size of the result if every force depends on every coordinate.
#pragma once

#include <optional>

#include "sestina/dynamics/dual_forces.h"
#include "sestina/dynamics/virtual_motion.h"

namespace sestina {

// Derivative of a subtree's motion with respect to one coordinate; notation of
// inverse_dynamics_derivatives.h.
struct TangentMotion {
  Vec3<double> psi;
  Vec3<double> dv;  // of Mo_j
};

class ForceDerivatives {
 public:
  // Keeps references: the model must outlive this object. Refuses a model with a UserForce (InputError). The
  // elements take their numbers from properties.parameters.
  ForceDerivatives(const Model& model, const Properties<double>& properties);

  // True if subtract() needs `tangents`; derivatives may then be nonzero for speeds on different
  // branches.
  bool needs_tangents() const { return dual_.has_value(); }

  // Subtracts the derivatives of the generalised forces from column k of `by_q` and `by_u` (nu x nu, rows
  // `stride` apart) for all k. tangents (nu). No allocation.
  void subtract(const State<double>& state, const Kinematics<double>& kinematics,
                std::span<const TangentMotion> tangents, double* by_q, double* by_u, std::ptrdiff_t stride);
  // The same for the products with a virtual motion, (nu) each.
  void subtract_products(const State<double>& state, const Kinematics<double>& kinematics,
                         std::span<const TangentMotion> tangents, const VirtualMotion& virtual_motion,
                         std::span<double> by_q, std::span<double> by_u);

 private:
  template <class Take>
  void visit_columns(const State<double>& state, const Kinematics<double>& kinematics,
                     std::span<const TangentMotion> tangents, Take&& take);
  // Bodies begin to end - 1, which rotate by theta.
  struct Turned {
    std::size_t begin = 0, end = 0;
    Vec3<double> theta;
  };
  void set_values(const State<double>& state, const Kinematics<double>& kinematics);
  void move_by_q(std::size_t k, const State<double>& state, const Kinematics<double>& kinematics,
                 const TangentMotion& tangent);
  void move_by_u(std::size_t k, const Kinematics<double>& kinematics);
  void stop(std::size_t k, const State<double>& state);
  void subtract_column(const Kinematics<double>& kinematics, double* column, std::ptrdiff_t stride,
                       const Turned& turned);
  double calc_product(const VirtualMotion& virtual_motion, const Turned& turned);
  SpatialForce<double> force_rate(std::size_t body, const Turned& turned) const;

  const Model& model_;
  std::vector<JointSpring<double>> springs_;
  std::vector<JointDamper<double>> dampers_;
  std::optional<DualForces> dual_;
  bool acts_on_bodies_ = false;
  std::vector<int> body_of_speed_;             // (nu)
  std::vector<std::size_t> subtree_end_;       // by BodyIndex
  std::vector<SpatialForce<double>> subtree_;  // by BodyIndex: scratch memory
  std::vector<double> qdot_;                   // (nq) scratch memory
  std::vector<double> unit_;                   // (nu) zeros between uses
};

}  // namespace sestina
