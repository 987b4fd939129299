// Steps of constant length. Step k ends at t_start + k dt, computed as a product, not as a sum, so that
// rounding errors do not accumulate. The last step is cut to end at t_end. A step in which an event takes
// place is cut too; the next one ends where the cut step would have ended.
//
// With `land_every`, steps also end at t_start + k land_every: each of these intervals is divided into the
// smallest number of equal steps that are not longer than dt.
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
