// The steps of an explicit Runge-Kutta rule, transposed: from the gradient of a number at the end of a step
// to its gradients at the beginning of the step and by parameters, for any number of parameters at once.
//
// The rule, applied to the equations (1) of tangent_equations.h with s = [s_q; s_u], gives at stage i
//
//   s_i = s + h sum_j a_ij k_j,   k_i = A_i s_i + B_i,   s_end = s + h sum_i b_i k_i                    (1)
//   A_i s = [s_u + w x s_q; -M^-1 (K s_q + D s_u)],   B_i = [0; -M^-1 dr/dp]                            (2)
//
// with K = dr/dq, D = dr/du at the stage, and w x s_q for orientations only. Let g = [g_q; g_u] be the
// gradient of the number by the state at the end: by a displacement of q and by u. From the last stage to the
// first,
//
//   y_i = h (b_i g + sum_{j > i} a_ji x_j)                                                              (3)
//   z   = -M^-1 y_u,   x_i = A_i^T y_i = [K^T z + y_q x w; D^T z + y_q]                                 (4)
//   gradient by p += B_i^T y_i = z . dr/dp                                                              (5)
//
// and the gradient at the beginning is g + sum_i x_i. This is the transpose of (1), so that gradients agree
// with the derivatives that TangentEquations gives with the same steps, to round-off.
//
// Cost of a step: its stages once more; for each stage a tangent, O(nu^2) on chains, a dense factorisation of
// M, O(nu^3), and dr/dp for each parameter, O(nu).
//
// Source: Hager, Runge-Kutta methods in optimal control and the transformed adjoint system, Numerische
// Mathematik 87 (2000), which transposes Runge-Kutta steps.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sestina/integrate/butcher_tableau.h"
#include "sestina/integrate/equations_of_motion.h"

namespace sestina {

class AdjointSteps {
 public:
  struct Step {
    State<double> begin;
    double t_end = 0.0;  // s
    // s, from which and up to which forces are evaluated: at a jump, the time of its side within the step
    double first_time = 0.0, last_time = 0.0;
  };

  // The equations must outlive this, and have a ResidualFace and no states with a rate. Throws InputError for
  // the name of a parameter that does not exist.
  AdjointSteps(EquationsOfMotion& equations, ButcherTableau tableau,
               const std::vector<std::string>& parameters);
  ~AdjointSteps();

  // The state at the end of the step.
  const State<double>& end_of(const Step& step);
  // Of the step: `gradient` (2 nu), [by displacements of q; by u], is given at the end and becomes that at
  // the beginning; adds to by_parameters. Throws ComputationError.
  void step_back(const Step& step, std::span<double> gradient, std::span<double> by_parameters);

 private:
  void update_stages(const Step& step);
  void add_stage(const std::vector<double>& weights, std::size_t stages, double h, State<double>& to) const;
  void transpose_stage(std::size_t stage, std::span<double> by_parameters);

  EquationsOfMotion& equations_;
  ResidualFace& face_;
  ButcherTableau tableau_;
  std::size_t stages_;  // without a last one that belongs to the next step
  std::vector<int> parameters_;
  std::vector<State<double>> states_;  // by stage
  State<double> end_;
  std::vector<std::vector<double>> qdots_;  // by stage (nq)
  std::vector<std::vector<double>> udots_;  // by stage (nu)
  std::vector<double> zdot_, by_parameter_;
  struct Vectors;
  std::unique_ptr<Vectors> vectors_;
};

}  // namespace sestina
