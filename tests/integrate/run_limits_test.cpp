// Limits of a run: when a limit is reached, and the message.
#include "sestina/integrate/run_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "message_of.h"
#include "sestina/base/error.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;
using testing_support::message_of;

TEST(RunLimits, AllowAllWithoutNumbers) {
  LimitWatch watch({});
  watch.start(0);
  for (long steps = 0; steps < 100000; ++steps) watch.check(0.0, steps);
  EXPECT_FALSE(watch.meets(1L << 60, 1e300));
  EXPECT_FALSE(watch.is_met());
}

TEST(RunLimits, AllowJustSoManySteps) {
  LimitWatch watch({.steps = 3});
  watch.start(100);  // of a run that is resumed
  for (const long steps : {100L, 101L, 102L}) {
    watch.check(0.5, steps);
    EXPECT_FALSE(watch.meets(steps, 0.0));
  }
  EXPECT_TRUE(watch.meets(103, 0.0));
  EXPECT_FALSE(watch.is_met());
  EXPECT_THROW(watch.check(0.5, 103), ComputationError);
  EXPECT_TRUE(watch.is_met());
}

TEST(RunLimits, NameTheLimitAndWhatRaisesIt) {
  LimitWatch of_steps({.steps = 3});
  EXPECT_EQ(
      message_of<ComputationError>([&] { of_steps.check(0.5, 3); }),
      "t = 0.5 s: the run has reached its limit of 3 steps; analysis.limits.steps (--max-steps, max_steps) "
      "raises it");
  const LimitWatch of_time({.wall_time = 2.0}, {"max_steps", "max_wall"});
  EXPECT_EQ(of_time.explain(7, 2.5),
            "the run has reached its limit of 2 s of wall time, after 7 steps in 2.5 s; max_wall raises it");
}

// However cheap the steps before: the clock is read again within a millisecond or 1024 steps.
TEST(RunLimits, EndARunAfterItsWallTime) {
  LimitWatch watch({.wall_time = 0.02});
  watch.start(0);
  long steps = 0;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(
      for (;; ++steps) {
        if (steps > 2000) std::this_thread::sleep_for(std::chrono::microseconds(10));
        watch.check(0.0, steps);
      },
      ComputationError);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_GE(elapsed.count(), 0.02);
  EXPECT_LT(elapsed.count(), 1.0);  // 1024 steps of some 60 us, on a busy machine
}

TEST(RunLimits, RefuseWhatIsNone) {
  EXPECT_THAT(message_of<InputError>([] { check_run_limits({.steps = -1}); }),
              HasSubstr("-1 is not a limit"));
  EXPECT_THAT(message_of<InputError>([] { check_run_limits({.wall_time = -0.5}); }),
              HasSubstr("-0.5 s is not a limit"));
}

}  // namespace
}  // namespace sestina::test
