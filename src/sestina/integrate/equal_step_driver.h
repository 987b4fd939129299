// A given number of equal steps from the start of a run to its end, for consecutive runs (start_again), each
// with its own division. A step in which an event takes place is cut; the next one ends where the cut step
// would have ended.
#pragma once

#include "sestina/integrate/step_driver.h"

namespace sestina {

class EqualStepDriver final : public StepDriver {
 public:
  // Sets the number of steps (at least 1) of the run that start or start_again begins next.
  void divide(int steps) { steps_ = steps; }

 private:
  void check_fit(const IntegrationRule& rule, double t_start, double t_end) const override;
  void do_start() override;
  void do_step() override;

  int steps_ = 1;
  double h_ = 0.0;  // s
};

}  // namespace sestina
