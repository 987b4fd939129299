// Runge-Kutta on the manifold of orientations (Munthe-Kaas): each step is an ordinary Runge-Kutta step in
// displacements x from the state where it begins,
//
//   x_i    = h sum_j a_ij x'_j,     x'_i = dexp(x_i)^-1 u_i       (displacement.h)
//   u_i    = u_n + h sum_j a_ij a(t_i, q_i, u_j),    q_i = q_n moved by x_i
//   q_next = q_n moved by h sum_i b_i x'_i
//
// with the tableau of the classical rule, order 4. The orientation is turned, never added to, so that Euler
// parameters keep norm one by construction and no direction in the space of q is preferred. Everything that
// does not turn is integrated by the classical rule itself.
//
// Source: H. Z. Munthe-Kaas, Runge-Kutta methods on Lie groups, BIT 38 (1998) 92-111; A. Iserles and others
// (rotation_chart.h).
#pragma once

#include "sestina/integrate/butcher_tableau.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {

class MuntheKaas final : public IntegrationRule {
 public:
  MuntheKaas();

  const std::string& name() const override { return name_; }
  int order() const override { return tableau_.order; }
  int error_order() const override { return 0; }
  bool has_dense_output() const override { return false; }

 private:
  void do_start(std::span<const double> memory) override;
  StepReport do_step(double t_end, IntegrationState& candidate) override;
  void do_accept() override {}
  StepReport do_interpolate(double t, IntegrationState& out) override;

  StepReport calc_step(const IntegrationState& from, double t_end, IntegrationState& to);
  // to = from moved by h times the weighted sum of the stages' rates; x_ becomes the displacement
  void move(const IntegrationState& from, double h, std::span<const double> weights, IntegrationState& to);

  std::string name_;
  ButcherTableau tableau_;
  std::vector<double> k_;    // (stages x (nu + nu + nz)): rates of x, u and z
  std::vector<double> sum_;  // (nu + nu + nz)
  std::vector<double> x_;    // (nu)
  IntegrationState stage_state_;
};

}  // namespace sestina
