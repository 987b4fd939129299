// The steps of an explicit Runge-Kutta rule, transposed: from the gradient of a number with respect to the
// state at the end of a step to its gradients at the beginning of the step and with respect to parameters,
// for any number of parameters at once.
//
// The rule, applied to the equations (1) of tangent_equations.h with s = [s_q; s_u], gives at stage i
//
//   s_i = s + h sum_j a_ij k_j,   k_i = A_i s_i + B_i,   s_end = s + h sum_i b_i k_i                    (1)
//   A_i s = [s_u + w x s_q; -M^-1 (K s_q + D s_u)],   B_i = [0; -M^-1 dr/dp]                            (2)
//
// with K = dr/dq, D = dr/du at the stage, and w x s_q for orientations only. Let g = [g_q; g_u] be the
// gradient of the number with respect to the state at the end, that is, to a displacement of q and to u. From
// the last stage to the first,
//
//   y_i = h (b_i g + sum_{j > i} a_ji x_j)                                                              (3)
//   z   = -M^-1 y_u,   x_i = A_i^T y_i = [K^T z + y_q x w; D^T z + y_q]                                 (4)
//   gradient by p += B_i^T y_i = z . dr/dp                                                              (5)
//
// and the gradient at the beginning is g + sum_i x_i. This is the transpose of (1), so that gradients agree
// with the derivatives that TangentEquations gives with the same steps, to round-off.
//
// With loops, constraints or states with a rate, A_i and B_i are those of motion_derivatives.h, and the end
// of the step is projected onto the conditions, which is transposed first. The states of the stages satisfy
// the conditions up to the error of a step, which is therefore an error of the gradients. Products with A_i
// and B_i need no matrices where ConstrainedTranspose takes the model.
//
// Cost of a step: for each stage kinematics and forces, its acceleration unless it is given, the factors of M
// and the products of z with K and D, all O(n), and O(1) for most parameters (inverse_dynamics_transpose.h).
// With conditions: the cost of constrained_transpose.h, otherwise that of motion_derivatives.h.
//
// Source: Hager, Runge-Kutta methods in optimal control and the transformed adjoint system, Numerische
// Mathematik 87 (2000), which transposes Runge-Kutta steps.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sestina/dynamics/column_recursion.h"
#include "sestina/dynamics/constrained_transpose.h"
#include "sestina/dynamics/inverse_dynamics_transpose.h"
#include "sestina/dynamics/motion_derivatives.h"
#include "sestina/integrate/butcher_tableau.h"
#include "sestina/workspace/integral_derivatives.h"
#include "sestina/workspace/system_equations.h"

namespace sestina {

class AdjointSteps {
 public:
  struct Step {
    State<double> begin;
    double t_end = 0.0;  // s
    // s; times at which forces are evaluated first and last: at a jump, the time of its side within the step
    double first_time = 0.0, last_time = 0.0;
    std::vector<double> udots = {};  // (stages x nu), as the rule computed them; empty: to be computed
  };

  // `parameters`: indices in Model::parameters(). With `integrals`, for the same parameters, gradients have a
  // further part (nz) with respect to the integrals z. Throws InputError for user forces and constraints.
  AdjointSteps(const std::shared_ptr<const Model>& model, const Properties<double>& properties,
               std::string_view solver, ButcherTableau tableau, std::vector<int> parameters,
               std::unique_ptr<IntegralDerivatives> integrals = nullptr);

  std::size_t width() const { return y_.size(); }  // size of gradients
  // The state at the end of the step, with z only if there are `integrals`.
  const State<double>& end_of(const Step& step);
  // Goes back over the step: `gradient` (width), [with respect to displacements of q; u; x; z], is given at
  // the end and becomes that at the beginning; adds to by_parameters. Throws ComputationError.
  void step_back(const Step& step, std::span<double> gradient, std::span<double> by_parameters);

 private:
  // Each stage keeps the kinematics and forces at its state for the way back.
  struct Stage {
    Stage(const std::shared_ptr<const Model>& model, const Properties<double>& properties,
          std::string_view solver);
    ForwardDynamics dynamics;
    State<double> state;
    std::vector<double> qdot, udot, xdot, zdot;  // (nq), (nu), (nx), (nz) or none
    std::vector<double> x;                       // (width)
  };
  void update_stages(const Step& step);
  void update_end(const Step& step);  // after update_stages()
  void add_rates(const std::vector<double>& weights, std::size_t stages, double h, State<double>& to) const;
  void transpose(Stage& stage, std::span<double> by_parameters);
  void transpose_tree(Stage& stage, std::span<double> x_q, std::span<double> x_u,
                      std::span<double> by_parameters);
  void transpose_projection(std::span<double> gradient, std::span<double> by_parameters);

  ButcherTableau tableau_;
  std::vector<std::unique_ptr<Stage>> stages_;  // except a last one that belongs to the next step
  std::vector<int> parameters_;
  ForwardDynamics own_;  // for quantities that do not depend on a stage
  SystemEquations equations_;
  // Data for trees without states with a rate.
  struct Tree {
    Tree(const Model& model, const Properties<double>& properties)
        : mass(model), transpose(model, properties) {}
    ColumnRecursion mass;
    InverseDynamicsTranspose transpose;
  };
  std::optional<Tree> tree_;
  std::optional<ConstrainedTranspose> constrained_;  // for most models with loops or constraints
  std::optional<MotionDerivatives> derivatives_;     // for other models
  std::unique_ptr<IntegralDerivatives> integrals_;   // or null
  State<double> end_;
  std::vector<double> y_, z_;  // (width), (nu)
};

}  // namespace sestina
