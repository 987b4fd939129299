// The generalised-alpha method on the manifold, and the trapezoidal rule: one stage, order 2, also for
// systems with conditions (loops, constraints).
//
// With a displacement X from q_n (displacement.h), w = [u, x], their rates w', and auxiliary rates a:
//   (1 - alpha_m) a_next + alpha_m a_n = (1 - alpha_f) w'_next + alpha_f w'_n                            (1)
//   w_next = w_n + h ((1 - gamma) a_n + gamma a_next)                                                    (2)
//   X = h u_n + h^2 ((1/2 - beta) a_n + beta a_next),   q_next = q_n moved by X                          (3)
//   r(t, q, w, w', lambda) = 0 and v(t, q, w) = 0 at the end of the step (index 2)                       (4)
// where (3) contains the part of a that belongs to u. The conditions are then projected to round-off,
// including those on positions. (With g = 0 instead of v = 0, index 3, rounding of g would be divided by h^2,
// and short steps would not converge.) With rho the spectral radius for vibrations of infinite frequency,
//   alpha_m = (2 rho - 1)/(rho + 1),  alpha_f = rho/(rho + 1),
//   gamma = 1/2 + alpha_f - alpha_m,  beta = (gamma + 1/2)^2/4                                          (5)
// Low frequencies are hardly damped, and the less so the nearer rho is to 1. The trapezoidal rule has alpha_m
// = alpha_f = 0, beta = 1/4, gamma = 1/2, so that a = w': it damps nothing. Where there are conditions, an
// error of the accelerations along them would change its sign from step to step and never decay. Therefore
// w'_n is computed anew at the start of each step, from r = 0 and the derivative of v = 0: one explicit
// evaluation. The error of w'_next, O(h^2), is then that of one step.
//
// Newton's method for w' and lambda, with k = (1 - alpha_f)/(1 - alpha_m):
//   [ M + h gamma k D + h^2 beta k K   -C^T ] [ dw'     ]     [ r ]
//   [ C + (h beta/gamma) v_q             0  ] [ dlambda ] = - [ v/(h gamma k) ]                          (6)
// so that the multipliers have the same size for any h.
//
// The error of a step: with d = alpha_m - alpha_f, a_n = w'(t_n + d h) + O(h^2), so that
//   q_next - q(t_next) = (beta + d/2 - 1/6) h^2 (a_next - a_n) + O(h^4)                                   (7)
//   w_next - w(t_next) = (d^2/2 + c + gamma (d + 1/2) - 1/6) h^3 w''' + O(h^4)                            (8)
//   c = (1 - alpha_f)/2 - (1 - alpha_m) (1 + d)^2/2 - alpha_m d^2/2
// where w''' is the second difference of a, from the second step on. The first step also begins with w' at
// t_0 + d h, computed from a difference of w' along the motion; a_0 = w'_0 alone would be an error of first
// order in each start. Motions faster than the step are excluded from this. If the length of the step
// changes, a_n becomes w'_n + (h/h_before) (a_n - w'_n), which keeps the order. Quadratures follow the
// trapezoidal rule. Dense output consists of cubics through both ends with the rates there.
//
// Source: J. Chung, G. Hulbert, J. Appl. Mech. 60 (1993) 371-375 for (1)-(3), (5); M. Arnold, O. Bruels,
// Multibody Syst. Dyn. 18 (2007) 185-202 and M. Arnold, O. Bruels, A. Cardona, Numer. Math. 129 (2015)
// 149-179 for (4) and changes of the step; (7), (8) by Taylor expansion.
#pragma once

#include <string>

#include "sestina/integrate/integration_rule.h"
#include "sestina/integrate/newton_progress.h"
#include "sestina/integrate/stage_equations.h"

namespace sestina {

struct AlphaCoefficients {
  std::string name;
  double alpha_m = 0.0, alpha_f = 0.0, beta = 0.0, gamma = 0.0;
  // Whether errors of the accelerations along conditions decay; if not, each step begins with those of its
  // state.
  bool damps_conditions = true;
};
// Throws InputError if the spectral radius is not from 0 to 1.
AlphaCoefficients generalized_alpha_coefficients(double spectral_radius);
AlphaCoefficients trapezoidal_coefficients();

class GeneralizedAlpha final : public IntegrationRule {
 public:
  explicit GeneralizedAlpha(AlphaCoefficients coefficients);

  const std::string& name() const override { return coefficients_.name; }
  int order() const override { return 2; }
  int error_order() const override { return 2; }
  bool has_dense_output() const override { return true; }
  bool projects() const override { return true; }
  double keeps_step_up_to() const override { return 1.2; }
  void set_tolerances(const ErrorTolerances& tolerances) override { tolerances_ = tolerances; }
  std::span<const double> previous_memory() const override { return previous_memory_; }
  const StageEquations& stage_equations() const { return equations_; }

 private:
  // The places of the parts of a memory.
  struct Places {
    std::size_t w_dot, a, slope, zdot, lambda, lambda_slope, tangents, size;
  };

  void do_start(std::span<const double> memory) override;
  bool do_can_remember(std::span<const double> memory) const override;
  StepReport do_step(double t_end, State<double>& candidate) override;
  void do_accept() override;
  StepReport do_interpolate(double t, State<double>& out) override;

  void take_memory();
  void prepare_start(double h);
  void find_start_slope(double h);
  bool factorize(double h);
  bool renew_tangents(double h);
  bool renew_at_iterate(double h);
  StepReport solve(double h);
  void predict(double h);
  StepReport iterate(double h, bool& has_converged);
  void update_end(double h);
  int evaluate_end(double h);
  double norm_of_increments(double h, double& rounding) const;
  void update_error(double h, State<double>& candidate);

  AlphaCoefficients coefficients_;
  double k_ = 1.0;            // (6)
  double q_error_, w_error_;  // the factors of (7) and (8)
  ErrorTolerances tolerances_ = kToRoundOff;
  StageEquations equations_;
  SaddlePointMatrix<double> matrix_;
  State<double> end_;
  // (nw): w'_n, a_n for this step; w'_next, a_next; the slope of a in this step
  std::vector<double> begin_w_dot_, begin_a_, w_dot_, a_, slope_;
  std::vector<double> start_slope_;  // (nw) slope of w' at the start, zero if the step does not resolve it
  std::vector<double> lambda_, begin_lambda_;  // (rows)
  std::vector<double> X_, e_x_;                // (nu)
  std::vector<double> r_, v_;                  // (nw), (rows); then the increments
  std::vector<double> begin_zdot_, zdot_;      // (nz)
  bool has_start_ = false;                     // rates at state(), if the step computes them
  // [has_steps, h, has_tangents, h of the factors, must renew, rate, the numbers of wear_, and the parts
  // listed in Places] at state() and previous()
  std::vector<double> memory_, previous_memory_;
  Places places_ = {};
  double factors_h_ = 0.0;  // s, 0: none
  bool must_renew_ = false;
  double rate_ = 1.0;
  TangentWear wear_;
};

}  // namespace sestina
