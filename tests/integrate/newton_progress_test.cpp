#include "sestina/integrate/newton_progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace sestina {
namespace {

// A rate assumed from earlier steps counts less with each step, until a second increment has to
// measure it.
TEST(NewtonProgress, TrustsAnOldRateLessFromStepToStep) {
  const ErrorTolerances tolerances{.rtol = 1e-6, .atol = 1e-6};
  double rate = 1e-3;
  int steps = 0;
  for (; steps < 100; ++steps) {
    NewtonProgress progress(rate, tolerances, 15.0);
    if (progress.take(0.5, 0.0) != NewtonProgress::Outcome::kConverged) break;
    EXPECT_GT(progress.rate(), rate);
    rate = progress.rate();
  }
  EXPECT_GT(steps, 0);
  EXPECT_LT(steps, 10);
}

// The contraction that an iteration has measured counts in it, however fast it is, where steps are solved to
// round-off. With error control it counts as 1e-4 at most: the next one may be slower.
TEST(NewtonProgress, EndsByTheContractionThatItHasMeasured) {
  using Outcome = NewtonProgress::Outcome;
  const ErrorTolerances controlled{.rtol = 1e-6, .atol = 1e-6};
  for (const auto& [tolerances, expected] :
       {std::pair{kToRoundOff, Outcome::kConverged}, std::pair{controlled, Outcome::kGoesOn}}) {
    NewtonProgress progress(1.0, tolerances, 15.0);
    EXPECT_EQ(progress.take(3e7, 0.0), Outcome::kGoesOn);
    EXPECT_EQ(progress.take(371.0, 0.0), expected);
    EXPECT_EQ(progress.rate(), 1e-4);
  }
}

// If each step takes an iteration more than the step before it, a period of n steps costs (C + n (n - 1) / 2)
// / n additional iterations a step.
TEST(TangentWear, RenewsTangentsAfterTheCheapestNumberOfSteps) {
  constexpr int kSteps = 200;
  for (const double cost : {5.0, 15.0, 150.0}) {
    TangentWear wear;
    int period = 0;
    while (period < kSteps && !wear.is_spent(cost)) wear.take(3 + period++);
    const auto cost_of_step = [&](int n) { return (cost + 0.5 * n * (n - 1)) / n; };
    double least = cost_of_step(1);
    for (int n = 2; n < kSteps; ++n) least = std::min(least, cost_of_step(n));
    EXPECT_LT(cost_of_step(period), 1.05 * least) << period << " steps, tangents cost " << cost;
  }
}

TEST(TangentWear, KeepsTangentsThatTakeNoMoreIterationsThanNewOnes) {
  TangentWear wear;
  for (const int iterations : {3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}) wear.take(iterations);
  EXPECT_FALSE(wear.is_spent(1.0));
  wear.take(3);
  EXPECT_TRUE(wear.is_spent(1.0));
  EXPECT_FALSE(TangentWear(wear.least(), wear.extra()).is_spent(1.1));
}

}  // namespace
}  // namespace sestina
