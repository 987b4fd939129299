// A given number of equal steps from the start of a run to its end, for runs that follow one another
// (start_again), each with a division of its own. A step in which an event takes place is cut: the next one
// ends where that would have ended.
#pragma once

#include "sestina/integrate/step_driver.h"

namespace sestina {

class EqualStepDriver final : public StepDriver {
 public:
  // How many steps the run has that start or start_again begins next: at least 1.
  void divide(int steps) { steps_ = steps; }

 private:
  void check_fit(const IntegrationRule& rule, double t_start, double t_end) const override;
  void do_start() override;
  void do_step() override;

  int steps_ = 1;
  double h_ = 0.0;  // s
};

}  // namespace sestina
