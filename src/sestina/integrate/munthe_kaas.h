// Runge-Kutta on the manifold of orientations (Munthe-Kaas): each step is an ordinary Runge-Kutta step in
// displacements r from the state where it begins,
//
//   r_i    = h sum_j a_ij r'_j,     r'_i = dexp(r_i)^-1 u_i       (displacement.h)                       (1)
//   u_i    = u_n + h sum_j a_ij a(t_j, q_j, u_j),    q_i = q_n moved by r_i                              (2)
//   q_next = q_n moved by h sum_i b_i r'_i,   u_next = u_n + h sum_i b_i a(t_i, q_i, u_i)                (3)
//
// with the tableau of the classical rule, order 4. The orientation is updated by rotations, never by
// additions, so that Euler parameters keep norm one by construction and no direction in the space of q is
// preferred. All other coordinates are integrated by the classical rule itself.
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
  bool projects() const override { return true; }
  bool leaves_constraints() const override { return true; }
  bool has_dense_output() const override { return false; }

 private:
  void do_start(std::span<const double> memory) override;
  StepReport do_step(double t_end, State<double>& candidate) override;
  void do_accept() override {}
  StepReport do_interpolate(double t, State<double>& out) override;

  StepReport calc_step(const State<double>& from, double t_end, State<double>& to);
  // to = from moved by h times the weighted sum of the stages' rates; writes that of q to displacement_.
  void move(const State<double>& from, double h, std::span<const double> weights, State<double>& to);

  std::string name_;
  ButcherTableau tableau_;
  std::vector<double> k_;             // (stages x (nu + nu + nx + nz)): rates of the displacement, u, x and z
  std::vector<double> sum_;           // (nu + nu + nx + nz)
  std::vector<double> displacement_;  // (nu)
  State<double> stage_state_;
};

}  // namespace sestina
