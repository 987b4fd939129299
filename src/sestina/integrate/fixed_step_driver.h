// Steps of one length. Step k ends at t_start + k dt, calculated anew and not added up, so that rounding
// errors do not gather; the last step is cut to end at t_end.
#pragma once

#include "sestina/integrate/step_driver.h"

namespace sestina {

class FixedStepDriver final : public StepDriver {
 public:
  explicit FixedStepDriver(double dt);  // s

 private:
  void check_fit(const IntegrationRule& rule, double t_start, double t_end) const override;
  void do_start() override {}
  void do_step() override;

  double dt_;  // s
};

}  // namespace sestina
