// Adams-Bashforth-Moulton of order 4 with variable coefficients: predict, evaluate, correct, evaluate.
//
// With y = [q, u, x, z], y' = f and f_k = f(t_k, y_k), a step from t_n to t_n + h is
//   predictor   y*     = y_n + integral of the cubic through f_n, f_(n-1), f_(n-2), f_(n-3)              (1)
//   corrector   y_next = y_n + integral of the cubic through f*, f_n, f_(n-1), f_(n-2)                   (2)
// and f_next = f(t_next, y_next) is stored for the next step: two evaluations per step. In Newton's form the
// two cubics differ by
//   D (t_next - t_(n-3)) (t - t_n) (t - t_(n-1)) (t - t_(n-2)),
// where D is the fourth divided difference of f*, f_n .. f_(n-3). The cubic of (2) misses
//   D (t - t_next) (t - t_n) (t - t_(n-1)) (t - t_(n-2))                                                 (3)
// The integral of (3) is the error of the step (Milne's device: for equal steps -19/270 of y* - y_next).
//
// The coefficients vary; the rule does not restart after a change of the step, because the controller changes
// nearly every step and a restart costs more evaluations than eight steps. The coefficients are integrals of
// cubics over the actual times. Adams rules are stable for any sequence of step sizes because the only value
// of the solution that they use is y_n.
//
// The first three steps are taken with dormand_prince_54, whose error estimate has the same order. Euler
// parameters are normalised at the end of each step, before f_next is evaluated (explicit_runge_kutta.h
// explains why the order is kept).
//
// Dense output: y_n + the integral of the quartic that has f at t_next, t_n, t_(n-1), t_(n-2) and meets
// y_next. Its slope is continuous, and its error is that of the step, O(h^5).
//
// Sources: W. E. Milne, Amer. Math. Monthly 33 (1926) 455-460; E. Hairer, S. P. Norsett, G. Wanner, Solving
// Ordinary Differential Equations I (1993), sections III.1 and III.5.
#pragma once

#include <array>

#include "sestina/integrate/explicit_runge_kutta.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {

class AdamsBashforthMoulton final : public IntegrationRule {
 public:
  AdamsBashforthMoulton();

  const std::string& name() const override;
  int order() const override { return 4; }
  int error_order() const override { return 4; }
  bool projects() const override { return true; }
  bool leaves_constraints() const override { return true; }
  bool has_dense_output() const override { return true; }
  // The number of stored derivatives, their times (4) and their values (4 x (nq + nu + nx + nz)), the newest
  // first.
  std::span<const double> previous_memory() const override { return previous_history_.values; }

 private:
  static constexpr std::size_t kSteps = 4;

  // Derivatives and their times, in one block of memory.
  struct History {
    std::vector<double> values;
    std::size_t n = 0;  // nq + nu + nx + nz

    void resize(std::size_t size) {
      n = size;
      values.assign(1 + kSteps + kSteps * n, 0.0);
    }
    std::size_t count() const { return static_cast<std::size_t>(values[0]); }
    double time(std::size_t k) const { return values[1 + k]; }
    std::span<const double> derivative(std::size_t k) const {
      return std::span(values).subspan(1 + kSteps + k * n, n);
    }
    void push(double t, std::span<const double> derivative);
  };

  void do_start(std::span<const double> memory) override;
  bool do_can_remember(std::span<const double> memory) const override;
  StepReport do_step(double t_end, State<double>& candidate) override;
  void do_accept() override;
  StepReport do_interpolate(double t, State<double>& out) override;

  StepReport calc_derivative(const State<double>& at, std::span<double> derivative);
  StepReport start_step(double t_end, State<double>& candidate);
  StepReport adams_step(double t_end, State<double>& candidate);
  void update_error(double t_end);

  ExplicitRungeKutta starter_;
  bool last_step_was_a_start_ = false;  // whether the step that led to state() was one of the first three
  History history_, previous_history_;  // at state() and at previous()
  std::vector<double> end_;             // (n) the derivative at candidate()
  std::vector<double> predicted_end_;   // (n) the derivative at the predicted state
  State<double> predicted_;
};

}  // namespace sestina
