// Runs that keep pace with the wall clock.
#include <gtest/gtest.h>

#include <thread>

#include "sestina/base/error.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

System make_half_second(double every) {
  System system = make_robot();
  set_fixed_step(system, "rk4", 1e-3, 0.5);
  system.output.every = every;
  return system;
}

// The delay that a busy machine may add to half a second; a missing or doubled wait is larger.
constexpr double kTolerance = 0.3;  // s

TEST(RealTime, TakesAsLongAsTheMotion) {
  Workspace workspace(make_half_second(0.01));
  workspace.set_real_time(1.0);
  const RunReport report = workspace.run();
  EXPECT_GE(report.wall_seconds, 0.5);
  EXPECT_LE(report.wall_seconds, 0.5 + kTolerance);
  ASSERT_TRUE(report.real_time);
  EXPECT_EQ(report.real_time->deadlines, 50);
  EXPECT_GE(report.real_time->mean_lateness, 0.0);
  EXPECT_LE(report.real_time->mean_lateness, report.real_time->largest_lateness);
  EXPECT_LE(report.real_time->lateness_99, report.real_time->largest_lateness);
  EXPECT_LE(report.real_time->largest_lateness, kTolerance);
}

TEST(RealTime, GoesByItsFactor) {
  for (const double factor : {0.8, 5.0}) {
    Workspace workspace(make_half_second(0.05));
    workspace.set_real_time(factor);
    const RunReport report = workspace.run();
    EXPECT_GE(report.wall_seconds, 0.5 / factor);
    EXPECT_LE(report.wall_seconds, 0.5 / factor + kTolerance);
  }
}

TEST(RealTime, DoesNotInfluenceTheRun) {
  const RunResult plain = run_system(make_half_second(0.01));
  Workspace workspace(make_half_second(0.01));
  workspace.set_real_time(4.0);
  const RunResult paced = run_anyhow(workspace);
  EXPECT_TRUE(std::ranges::equal(plain.table.values(), paced.table.values()));
  EXPECT_FALSE(plain.report.real_time);
}

// No machine simulates a robot a billion times faster than it moves.
TEST(RealTime, ThatCannotBeKeptIsReportedAsMissed) {
  Workspace workspace(make_half_second(0.01));
  workspace.set_real_time(1e9);
  const RunReport report = workspace.run();
  EXPECT_EQ(report.status, RunStatus::kComplete);
  EXPECT_EQ(report.real_time->missed, 50);
}

TEST(RealTime, WaitEndsWithAnInterruption) {
  System system = make_half_second(0.5);
  Workspace workspace(system);
  workspace.set_real_time(1e-3);  // would take 500 s
  std::atomic<bool> interrupt{false};
  workspace.set_interrupt(&interrupt);
  std::thread bell([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    interrupt = true;
  });
  const RunReport report = workspace.run();
  bell.join();
  EXPECT_EQ(report.status, RunStatus::kInterrupted);
  EXPECT_LE(report.wall_seconds, 10.0);
}

TEST(RealTime, NeedsAPositiveFactor) {
  for (const double factor : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    Workspace workspace(make_half_second(0.5));
    workspace.set_real_time(factor);
    EXPECT_THROW(workspace.run(), InputError) << factor;
  }
}

}  // namespace
}  // namespace sestina::test
