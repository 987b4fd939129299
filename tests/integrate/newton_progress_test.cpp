#include "sestina/integrate/newton_progress.h"

#include <gtest/gtest.h>

namespace sestina {
namespace {

// A rate assumed from earlier steps counts less with each step, until a second increment has to
// measure it.
TEST(NewtonProgress, TrustsAnOldRateLessFromStepToStep) {
  const ErrorTolerances tolerances{.rtol = 1e-6, .atol = 1e-6};
  double rate = 1e-3;
  int steps = 0;
  for (; steps < 100; ++steps) {
    NewtonProgress progress(rate, tolerances);
    if (progress.take(0.5, 0.0) != NewtonProgress::Outcome::kConverged) break;
    EXPECT_GT(progress.rate(), rate);
    rate = progress.rate();
  }
  EXPECT_GT(steps, 0);
  EXPECT_LT(steps, 10);
}

}  // namespace
}  // namespace sestina
