// Radau IIA with s = 2 or 3 stages, order 2s - 1: implicit, stiffly accurate, L-stable; of index 2 for
// systems with conditions (loops, constraints).
//
// With displacements X from q_n and their rates (displacement.h), w = [u, x] and z_i = w_i - w_n:
//   X_i = h sum_j a_ij X'_j,     X'_j = dexp(X_j)^-1 u_j,     q_i = q_n moved by X_i                   (1)
//   z_i = h sum_j a_ij w'_j,     r(t_i, q_i, w_i, w'_i, lambda_i) = 0,   v(t_i, q_i, w_i) = 0          (2)
// The last stage is the end of the step (c_s = 1). There the conditions hold on speeds, and on positions up
// to the error of the step; both are then projected to round-off (EquationsOfMotion::project), which moves
// the solution by less than its error. Quadratures: z_next = z_n + h sum_j b_j z'_j, b_j = a_sj.
//
// Newton's method for z and lambda with tangents of (2) at one state: with A^-1 = V diag(mu) V^-1 the stages
// separate into one system for each eigenvalue mu, real or one of a complex pair, with sigma = mu/h,
//   [ sigma M + D + K/sigma   -C^T ] [ dz^      ]       [ r^ ]
//   [ C + v_q/sigma             0  ] [ dlambda^ ]  =  - [ v^ ],      hats: sums with a row of V^-1      (3)
// X follows from z by fixed-point iteration of (1), which needs no iteration where nothing rotates. Tangents
// are kept for as many steps as the iteration contracts by 5 or more, its factors for as many as h stays the
// same. The first guess of a step is the collocation polynomial of the one before.
//
// The error is that of an embedded solution of order s with weights on w'_n and all stages, damped by the
// matrix of (3) with the real sigma = 1/(gamma h), so that stiff components do not blow it up:
//   [ sigma M + D + K/sigma  -C^T ] [ e_w ]   [ M b_w - K b_x/sigma ]
//   [ C + v_q/sigma            0  ] [ mu  ] = [ - v_q b_x/sigma     ],   e_x = (b_x + e_w)/sigma       (4)
//   b_w = w'_n + sum_j d_j z_j/h,   b_x = u_n + sum_j d_j X_j/h
// In the first step and after a rejected one, b is re-evaluated at the state moved by the error (Hairer).
// Dense output is the collocation polynomial, of local order s + 1.
//
// Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (1996), sections IV.8 and VII.4;
// the two-stage estimate: weights for order 2 with gamma = 1/sqrt(6), derived in radau_iia.cpp.
#pragma once

#include <array>

#include "sestina/integrate/integration_rule.h"
#include "sestina/integrate/newton_progress.h"
#include "sestina/integrate/stage_equations.h"

namespace sestina {

// Coefficients, the first s rows and columns of each.
struct RadauTableau {
  int stages = 0;
  std::array<double, 3> c = {};
  std::array<std::array<double, 3>, 3> a = {}, a_inverse = {};
  double gamma = 0.0;            // of (4)
  std::array<double, 3> d = {};  // of (4)
};
const RadauTableau& radau_tableau(int stages);  // 2 or 3

class RadauIIA final : public IntegrationRule {
 public:
  explicit RadauIIA(int stages);

  const std::string& name() const override;
  int order() const override { return 2 * tableau_.stages - 1; }
  int error_order() const override { return tableau_.stages; }
  bool has_dense_output() const override { return true; }
  bool projects() const override { return true; }
  double keeps_step_up_to() const override { return 1.2; }
  void set_tolerances(const ErrorTolerances& tolerances) override { tolerances_ = tolerances; }
  std::span<const double> previous_memory() const override { return previous_memory_; }
  const StageEquations& stage_equations() const { return equations_; }

 private:
  // One row of V^-1 and one column of V, for a real eigenvalue or one of a complex pair.
  template <class Number>
  struct Block {
    Number mu{};
    std::array<Number, 3> from_stages = {}, to_stages = {};
    SaddlePointMatrix<Number> matrix;
    std::vector<Number> f, d;  // (nw), (rows)
  };

  void do_start(std::span<const double> memory) override;
  bool do_can_remember(std::span<const double> memory) const override;
  StepReport do_step(double t_end, State<double>& candidate) override;
  void do_accept() override;
  StepReport do_interpolate(double t, State<double>& out) override;

  void find_eigenvalues();
  void take_memory();
  void prepare_start();  // w' and lambda at state()
  void set_guess(double h);
  void set_times(double t_end);
  bool has_factors(double h) const;
  bool factorize(double h);
  bool renew_tangents(double h);
  bool renew_at_iterate(double h);
  StepReport solve_stages(double h);
  StepReport iterate(double h, bool& has_converged);
  void update_stage_states(double h);
  void update_displacements(double h);
  int evaluate_stages(double h);  // the number of [q, w] that is not finite, or -1
  void solve_for_increments();
  template <class Number>
  void solve_block(Block<Number>& block);
  double norm_of_increments(double h, double& rounding) const;
  StepReport finish(double h, State<double>& candidate);
  void update_error(double h, State<double>& candidate);
  void solve_error(double h);
  void filter_error(double h, State<double>& candidate);
  double norm_of_error() const;

  std::size_t stages() const { return static_cast<std::size_t>(tableau_.stages); }
  std::span<double> part(std::vector<double>& values, std::size_t i) const {
    const std::size_t size = values.size() / stages();
    return std::span(values).subspan(i * size, size);
  }

  RadauTableau tableau_;
  ErrorTolerances tolerances_ = kToRoundOff;
  StageEquations equations_;
  bool has_real_stages_ = false;  // real_ has an eigenvalue of A^-1; otherwise it is for (4) only
  Block<double> real_;
  Block<std::complex<double>> complex_;
  // By stage.
  std::vector<State<double>> states_;         // (stages) t_i, q_i, w_i
  std::vector<double> z_, w_dot_;             // (stages x nw)
  std::vector<double> lambda_;                // (stages x rows)
  std::vector<double> X_, X_dot_;             // (stages x nu)
  std::vector<double> r_, v_;                 // (stages x nw), (stages x rows); then the increments
  std::vector<double> zdot_;                  // (stages x nz)
  std::vector<double> start_, start_lambda_;  // (nw), (rows): w'_n, lambda_n
  std::vector<double> e_w_, e_x_, b_w_, b_x_, mu_, moved_;  // of (4)
  State<double> moved_state_;
  bool has_start_ = false;              // start_ belongs to state()
  long attempts_ = 0;                   // number of attempts at a step from state()
  bool has_tangents_of_start_ = false;  // true if the tangents are those of state()
  // [has_steps, h, has_tangents, h of the factors, whether tangents are to be renewed, rate of the iteration,
  // the numbers of wear_, z, lambda, state of the tangents]
  std::vector<double> memory_, previous_memory_;  // at state() and previous()
  double factors_h_ = 0.0;                        // s, 0: none
  bool must_renew_ = false;
  double rate_ = 1.0;
  TangentWear wear_;
};

}  // namespace sestina
