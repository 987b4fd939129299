// Steps as long as their estimated error permits, by a proportional-integral controller.
//
// The error of a step is the largest over all coordinates and speeds x of
//   |error in x| / (atol + rtol max(|x before|, |x after|)),
// which must not exceed 1. The maximum, not the mean square, so that one fast joint keeps its accuracy in a
// system of a thousand. The next step is h times
//   0.9 error^-alpha error_before^beta,  k = error_order + 1,  beta = 0.2 / k,  alpha = 1 / k - 0.75 beta,
// between 1/5 and 10. The quadratures are not controlled.
//
// A step that meets a value that is not finite, or accelerations that cannot be calculated, is tried again
// with a fifth of its length; the reason is reported where that does not help.
//
// A rule that chooses its steps does all this by itself, with the same tolerances.
//
// Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd edition (1993), section
// II.4, and section IV.2 of volume II (1996) for the controller; K. Gustafsson, ACM Trans. Math. Softw. 17
// (1991) 533-554.
#pragma once

#include <limits>
#include <string>

#include "sestina/integrate/step_driver.h"

namespace sestina {

class VariableStepDriver final : public StepDriver {
 public:
  VariableStepDriver(double rtol, double atol, double max_step);

 private:
  // How an attempt at a step ended: the error relative to the tolerance, or infinity and why.
  struct Attempt {
    double error = std::numeric_limits<double>::infinity();
    int worst = 0;  // counted through [q, u]
    StepReport report;
    std::string failure;  // why the accelerations could not be calculated
  };

  void check_fit(const IntegrationRule& rule, double t_start, double t_end) const override;
  void do_start() override;
  void do_step() override;

  void take_own_step();
  double calc_step_end(double t, double h) const;
  Attempt try_step(double t_next);
  double calc_initial_step();
  double smallest_step(double t) const;
  double tolerance(double before, double after) const;
  double scaled_norm(std::span<const double> values) const;
  [[noreturn]] void fail(double h, const Attempt& attempt) const;

  double rtol_;
  double atol_;
  double max_step_;  // s
};

}  // namespace sestina
