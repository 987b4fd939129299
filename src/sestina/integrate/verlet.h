// Verlet's rule in its position form, as Stormer used it:
//
//   q_next = q_n moved by d_next,   d_next = d_n + h^2 a_n                                   (1)
//   u_n    = (d_n + d_next) / 2h                                                             (2)
//
// d_n is the displacement that led from q_(n-1) to q_n: q_n minus q_(n-1) where plus() is an addition, and
// the rotation vector between them where it turns (that vector is fixed under its own rotation, so that it
// may be applied again at q_n). It is carried along instead of q_(n-1), for a difference of coordinates would
// lose the digits that h^2 a_n adds.
//
// The central difference (2) gives a speed only when the next position is known. By (1) it is
//   u_n = d_n / h + (h/2) a(t_n, q_n, u_n)                                                   (3)
// which defines u_n at the end of the step: explicit where accelerations do not depend on speeds, otherwise
// solved by fixed-point iteration to the level of rounding. After a step of another length h' (the first
// one has none, d = h u)
//   d_next = (h/h') d_n + h (h + h')/2 a_n                                                   (4)
// which is (1) where h = h', and otherwise begins anew from the state (q_n, u_n).
//
// Order 2. (3) is the adjoint of (4), so a step of -h undoes a step of h. The trajectory q_n is that of
// velocity Verlet where accelerations do not depend on speeds, and symplectic where the mass matrix is
// constant as well; where they do, the accelerations are those at the full steps, not at mid-step.
// Quadratures follow the trapezoidal rule.
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

  // One step with the memory of its beginning, which makes the memory of its end.
  StepReport calc_step(const State<double>& from, std::span<const double> before, double t_end,
                       State<double>& to, std::span<double> after);
  StepReport solve_speed(double h, std::span<const double> displacement, State<double>& to,
                         std::span<double> udot, std::span<double> zdot);

  // Memories as above.
  std::vector<double> previous_;   // at previous()
  std::vector<double> current_;    // at state()
  std::vector<double> candidate_;  // at candidate()
  std::vector<double> between_;    // of an interpolation
  std::vector<double> u_next_;     // (nu)
  FixedPointIteration iteration_;
};

}  // namespace sestina
