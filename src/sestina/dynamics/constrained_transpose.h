// Products of a vector with the derivatives of the accelerations of a mechanism with loops and constraints,
// and with those of its projection, without matrices: the transposes (3) of motion_derivatives.h.
//
// With r, a, C and lambda of motion_tangents.h, a change of r and a changes the accelerations by
//   M dudot - C^T dlambda = -dr,   C dudot = -da                                                   (1)
// This matrix is symmetric. Therefore, for a given y (nu),
//   y . dudot = z . dr + w . da,   where   M z + C^T w = -y,   C z = 0                             (2)
// which the factors of the equations of motion give in O(nu + rows). Rotors (is_inertia) have C z = w.
//
// z . dr is that of a tree (inverse_dynamics_transpose.h) on which the forces of the conditions act and turn
// with their bodies. What remains depends on the state through what the conditions read: with Z_b the virtual
// velocities of bodies due to z and A_b their accelerations, held as lambda and udot are,
//   sum of w_i d(bias_i + C_i [A; udot]) - lambda_i (dC_i [Z; z] - theta x forces) + w_i C_i [dA; 0]   (3)
// The first two terms come from condition_seeds.h. The last is a force on each body, times dA. All three are
// passed inward by motion_gradient.h.
//
// Transposed projection: y' = [y'_q; y'_u] becomes y, with C_g the rows of conditions on positions, mu(x) of
//   M d = x + C^T mu,  C d = 0                                                                     (4)
//   nu = mu(y'_u),   y_u = y'_u + C^T nu,   yy = y'_q + v_q^T nu,   y_q = yy + C_g^T mu(yy)          (5)
// and the derivative by a parameter is nu . v_p + mu(yy) . g_p.
//
// Cost: O(n), a few evaluations of the rows for each body on which a condition acts, and O(1) to O(rows) for
// most parameters.
#pragma once

#include <span>
#include <vector>

#include "sestina/dynamics/condition_seeds.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/input_tangent.h"
#include "sestina/dynamics/inverse_dynamics_transpose.h"
#include "sestina/dynamics/motion_gradient.h"

namespace sestina {

class ConstrainedTranspose {
 public:
  // False for models that need MotionDerivatives: those of which ConditionSeeds takes none, those with states
  // that have a rate, and those with forces on joints that close loops.
  static bool takes(const Model& model);
  // `parameters`: indices in Model::parameters(). The model and the properties must outlive this object.
  // Throws InputError for a model with a UserForce.
  ConstrainedTranspose(const Model& model, const Properties<double>& properties,
                       std::span<const int> parameters);

  // At the state of the last dynamics.calc_udot(), which gave udot (nu): fills by_q and by_u (nu) with the
  // derivatives of y . udot and adds those by the parameters to by_parameters.
  void calc(const State<double>& state, ForwardDynamics& dynamics, std::span<const double> udot,
            std::span<const double> y, std::span<double> by_q, std::span<double> by_u,
            std::span<double> by_parameters);
  // y' = [y'_q; y'_u] becomes y of (5) at a state that satisfies the conditions; adds to by_parameters.
  // Overwrites the results of `dynamics`.
  void transpose_projection(const State<double>& state, ForwardDynamics& dynamics, std::span<double> y,
                            std::span<double> by_parameters);

 private:
  // The forces on bodies (about Mo) and along speeds that multipliers exert.
  struct Forces {
    std::vector<SpatialForce<double>> body;
    std::vector<double> tau;
    void update(const ConstraintRows<double>& rows, std::span<const double> multipliers);
  };
  double calc_product(const ConstraintRows<Dual>& rows, std::size_t r, std::span<const double> lambda) const;
  void start_gradient(const Kinematics<double>& kinematics);
  void take_sources(MotionGradient& gradient, std::span<double> by_q, std::span<double> by_u) const;
  void add_parameters(const State<double>& state, std::span<const double> lambda,
                      std::span<double> by_parameters);
  void add_rates_of_poses(const ConstraintRows<double>& rows, std::span<double> y_q);
  void add_forces(const ConstraintRows<double>& rows, std::span<const double> multipliers,
                  const Kinematics<double>& kinematics, std::span<double> y);
  void add_projected_parameters(const State<double>& state, std::span<double> by_parameters);

  std::vector<int> parameters_;
  std::vector<int> dense_;  // by parameter: its place in inputs_, or -1
  ConditionSeeds seeds_;
  InverseDynamicsTranspose tree_;
  MotionGradient gradient_, of_positions_;
  InputTangents inputs_;  // for parameters that change the axis of a joint
  // Data for the projection.
  SubtreeSums sums_;
  InverseDynamicsByParameters displaced_;

  std::span<const double> udot_;
  std::vector<double> z_, w_, minus_y_, along_, no_udot_, unused_;
  std::vector<double> nu_, mu_;           // (rows) of (5)
  std::vector<SpatialMotion<double>> A_;  // by BodyIndex
  Forces of_lambda_, of_w_;
};

}  // namespace sestina
