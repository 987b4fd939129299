// Verlet's rule in position form, as used by Stormer:
//
//   q_next = q_n moved by d_next,   d_next = d_n + h^2 a_n                                   (1)
//   u_n    = (d_n + d_next) / 2h                                                             (2)
//
// d_n is the displacement that led from q_(n-1) to q_n: q_n minus q_(n-1) where plus() is an addition, and
// the rotation vector between them for an orientation (that vector is unchanged by its own rotation, so that
// it may be applied again at q_n). It is stored instead of q_(n-1), because a difference of coordinates would
// lose the digits that h^2 a_n adds.
//
// The central difference (2) gives a speed only when the next position is known. By (1) it is
//   u_n = d_n / h + (h/2) a(t_n, q_n, u_n)                                                   (3)
// which defines u_n at the end of the step: explicitly if accelerations do not depend on speeds, otherwise by
// fixed-point iteration to the level of rounding. After a step of another length h' (before the first step,
// d = h u)
//   d_next = (h/h') d_n + h (h + h')/2 a_n                                                   (4)
// which is (1) if h = h', and otherwise starts again from the state (q_n, u_n).
//
// Order 2. (3) is the adjoint of (4), so a step of -h reverses a step of h. If accelerations do not depend on
// speeds, the trajectory q_n is that of velocity Verlet, and symplectic if the mass matrix is constant as
// well; if they do, the accelerations are those at the full steps, not at mid-step. Quadratures follow the
// trapezoidal rule.
//
// Sources: L. Verlet, Phys. Rev. 159 (1967) 98-103; E. Hairer, C. Lubich, G. Wanner, Geometric numerical
// integration illustrated by the Stormer-Verlet method, Acta Numerica 12 (2003) 399-450, section 1.
#pragma once

#include "sestina/integrate/fixed_point.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {

class Verlet final : public IntegrationRule {
 public:
  const std::string& name() const override;
  int order() const override { return 2; }
  int error_order() const override { return 0; }
  bool has_dense_output() const override { return false; }
  // h', d_n (nu), a_n (nu), p_n (nz)
  std::span<const double> previous_memory() const override { return previous_; }

 private:
  void do_start(std::span<const double> memory) override;
  StepReport do_step(double t_end, State<double>& candidate) override;
  void do_accept() override;
  StepReport do_interpolate(double t, State<double>& out) override;

  // Takes one step from the memory of its beginning, and computes the memory of its end.
  StepReport calc_step(const State<double>& from, std::span<const double> before, double t_end,
                       State<double>& to, std::span<double> after);
  StepReport solve_speed(double h, std::span<const double> displacement, State<double>& to,
                         std::span<double> udot, std::span<double> zdot);

  // Layout as in previous_memory().
  std::vector<double> previous_;   // at previous()
  std::vector<double> current_;    // at state()
  std::vector<double> candidate_;  // at candidate()
  std::vector<double> between_;    // for interpolation
  std::vector<double> u_next_;     // (nu)
  FixedPointIteration iteration_;
};

}  // namespace sestina
