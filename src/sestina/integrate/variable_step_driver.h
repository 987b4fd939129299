// Steps whose length is controlled by their estimated error, with a PI or a PID controller.
//
// The error of a step is the largest over all coordinates and speeds x of
//   |error in x| / (atol + rtol max(|x before|, |x after|)),
// which must not exceed 1. The maximum is used, not the mean square, so that one fast joint keeps its
// accuracy in a system of a thousand. The quadratures are not controlled. The next step is h times the
// following factor, limited to between 1/5 and 10:
//   PI:  0.9 error^-alpha error_before^beta, k = error_order + 1, beta = 0.2 / k, alpha = 1 / k - 0.75 beta;
//   PID: 0.9 error^(-0.58 / k) error_before^(0.21 / k) error_before_that^(-0.1 / k), which varies the
//        steps more smoothly; without earlier errors (start, rejected step, event) 0.9 error^(-1 / k).
//
// With `land_every`, steps also end at t_start + k land_every. A step that is cut to land, or to end at a
// switch, does not shorten the next one.
//
// A step that meets a value that is not finite, or accelerations that cannot be calculated, is tried again
// with a fifth of its length; if this does not help, the reason is reported.
//
// A rule that chooses its steps does all this itself, with the same tolerances.
//
// Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd edition (1993), section
// II.4, and section IV.2 of volume II (1996) for the PI controller; K. Gustafsson, ACM Trans. Math. Softw. 17
// (1991) 533-554. C. A. Kennedy, M. H. Carpenter, Appl. Numer. Math. 44 (2003) 139-181, for the PID
// controller. (The filter H312PID of G. Soderlind, ACM Trans. Math. Softw. 29 (2003) 1-26, responds too
// slowly to the increase of the error towards a pericentre: with it, one step in twelve was rejected there.)
#pragma once

#include <limits>
#include <string>

#include "sestina/integrate/step_driver.h"
#include "sestina/integrate/step_length.h"

namespace sestina {

class VariableStepDriver final : public StepDriver {
 public:
  using Control = VariableStepLength::Control;

  explicit VariableStepDriver(const ErrorTolerances& tolerances, Control control = Control::kPI,
                              double land_every = 0.0);

 private:
  // The result of an attempt at a step: the error relative to the tolerance, or infinity and the reason.
  struct Outcome {
    double error = std::numeric_limits<double>::infinity();
    int worst = 0;  // index through [q, u, x]
    StepReport report;
    std::string failure;  // why the accelerations could not be calculated
  };

  void check_fit(const IntegrationRule& rule, double t_start, double t_end) const override;
  void do_start() override;
  void do_step() override;
  bool ends_steps_at_switches() const override { return true; }
  bool controls_errors() const override { return true; }

  void take_own_step();
  Outcome try_step(double t_next);
  void compare(std::span<const double> errors, Outcome& outcome) const;
  void project_errors(Outcome& outcome);
  double calc_initial_step();
  double tolerance(double before, double after) const;
  static std::vector<double> flatten(const State<double>& from);
  double scaled_norm(std::span<const double> values) const;
  [[noreturn]] void fail(double h, const Outcome& outcome) const;

  ErrorTolerances tolerances_;
  VariableStepLength length_;
  std::vector<double> errors_;  // (nq + nu + nx) scratch
};

}  // namespace sestina
