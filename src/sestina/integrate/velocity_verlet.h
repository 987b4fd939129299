// Velocity Verlet: half a kick, a drift, half a kick.
//
//   u_h    = u_n + (h/2) a(t_n, q_n, u_h)                                          (1)
//   q_next = q_n moved along h u_h                                                 (2)
//   u_next = u_h + (h/2) a(t_next, q_next, u_h)                                    (3)
//   z_next = z_n + (h/2) [p(t_n, q_n, u_h) + p(t_next, q_next, u_h)]               (4)
//
// Order 2. (1) is the adjoint of (3), so a step of -h reverses a step of h. If accelerations derive from a
// potential and the mass matrix is constant, the rule is symplectic and the energy error stays bounded.
// Orientations are rotated by the exponential map, so (2) is reversed exactly as well.
//
// (1) is implicit if accelerations depend on speeds. It is solved by accelerated fixed-point iteration to the
// level of rounding (fixed_point.h), starting from the acceleration in (3) of the step before. If
// accelerations do not depend on speeds, a step thus costs two evaluations, one of which only confirms this;
// (4) needs no others.
//
// Sources: W. C. Swope, H. C. Andersen, P. H. Berens, K. R. Wilson, J. Chem. Phys. 76 (1982) 637-649;
// E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd edition (2006), I.1.4, II.3, VI.3.
#pragma once

#include "sestina/integrate/fixed_point.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {

class VelocityVerlet final : public IntegrationRule {
 public:
  const std::string& name() const override;
  int order() const override { return 2; }
  int error_order() const override { return 0; }
  bool has_dense_output() const override { return false; }
  // (nu) the acceleration with which the iteration of (1) starts
  std::span<const double> previous_memory() const override { return previous_acceleration_; }

 private:
  void do_start(std::span<const double> memory) override;
  StepReport do_step(double t_end, State<double>& candidate) override;
  void do_accept() override;
  StepReport do_interpolate(double t, State<double>& out) override;

  // Takes one step. `guess` is a(t_n, q_n, .) at some speed; stores a(t_next, q_next, u_h) in udot_end_.
  StepReport calc_step(const State<double>& from, std::span<const double> guess, double t_end,
                       State<double>& to);
  StepReport solve_half_kick(const State<double>& from, std::span<const double> guess, double half);

  std::vector<double> previous_acceleration_;  // (nu) at previous()
  std::vector<double> acceleration_;           // (nu) at state()
  std::vector<double> udot_end_;               // (nu) at the end of the step last tried
  std::vector<double> udot_;                   // (nu)
  State<double> half_;                         // (t_n, q_n, u_h)
  std::vector<double> u_next_;                 // (nu)
  std::vector<double> displacement_;           // (nu) h u_h
  std::vector<double> zdot_begin_;             // (nz)
  std::vector<double> zdot_end_;               // (nz)
  FixedPointIteration iteration_;
};

}  // namespace sestina
