// Explicit Runge-Kutta rules, each defined by a ButcherTableau.
//
// q is integrated by qdot = N(q) u as coordinates, so that the norm of Euler parameters deviates from one by
// the error of the rule, O(h^(order+1)) per step; they are normalised at the end of the step. If the last
// stage is the first of the next step, it is evaluated at the normalised candidate. Hence
// - the derivative at the start of the next step belongs to exactly the state there (a run that is resumed
//   there and evaluates it again continues bit for bit);
// - dense output is continuously differentiable across steps;
// - the normalisation affects the error estimate only through the last stage, by O(h^(order+2)), while the
//   estimate is O(h^order) or larger.
// Dense output is normalised too, as is every state that leaves this class.
#pragma once

#include "sestina/integrate/butcher_tableau.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {

class ExplicitRungeKutta final : public IntegrationRule {
 public:
  explicit ExplicitRungeKutta(ButcherTableau tableau);

  const std::string& name() const override { return tableau_.name; }
  int order() const override { return tableau_.order; }
  int error_order() const override { return tableau_.embedded_order; }
  bool projects() const override { return true; }
  bool leaves_constraints() const override { return true; }
  bool has_dense_output() const override { return !tableau_.dense.empty(); }
  // Appends udot (nu) at each stage of the last accepted step, except a last stage that belongs to the next
  // step. Not after interpolate().
  void append_accelerations(std::vector<double>& udots) const;

 private:
  void do_start(std::span<const double> memory) override;
  StepReport do_step(double t_end, State<double>& candidate) override;
  void do_accept() override;
  StepReport do_interpolate(double t, State<double>& out) override;

  std::span<double> stage(int i);  // k_i, (nq + nu + nx + nz)
  int num_own_stages() const { return tableau_.stages() - (tableau_.first_same_as_last ? 1 : 0); }
  StepReport update_stage(int i, const State<double>& at);
  StepReport calc_end(const State<double>& from, double t_end, State<double>& to);
  void calc_weighted_sum(std::span<const double> weights);
  void add_weighted_sum(const State<double>& from, double h, State<double>& to) const;
  void update_error(double h);
  void calc_dense(double t, State<double>& out);

  ButcherTableau tableau_;
  std::vector<double> error_weights_;  // b - b^
  std::vector<double> k_;              // (stages x (nq + nu + nx + nz))
  std::vector<double> sum_;            // (nq + nu + nx + nz)
  State<double> stage_state_;
  bool first_stage_is_current_ = false;  // stage 0 belongs to state(), not to previous()
  bool last_stage_is_current_ = false;   // the last stage belongs to state(), its history included
};

}  // namespace sestina
