// Steps of one length. Step k ends at t_start + k dt, calculated anew and not added up, so that rounding
// errors do not gather; the last step is cut to end at t_end, and so is one in which an event takes place:
// the next one ends where that would have ended.
//
// With `land_every`, steps end at t_start + k land_every, too: each of these intervals is divided into the
// fewest equal steps that are not longer than dt.
#pragma once

#include "sestina/integrate/step_driver.h"
#include "sestina/integrate/step_length.h"

namespace sestina {

class FixedStepDriver final : public StepDriver {
 public:
  explicit FixedStepDriver(double dt, double land_every = 0.0);  // s; zero: nowhere

 private:
  void check_fit(const IntegrationRule& rule, double t_start, double t_end) const override;
  void do_start() override {}
  void do_step() override;

  double dt_;  // s
  FixedStepLength length_;
};

}  // namespace sestina
