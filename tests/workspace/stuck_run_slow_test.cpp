// Runs with coordinates: state_time of what dry friction brings to rest; they take tens of seconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workspace/run_system.h"

namespace sestina::test {
namespace {

// A pendulum that dry friction brings to rest: from there on no polynomial is a solution.
System make_sticking(const std::string& friction) {
  System system;
  system.gravity = {0, -9.81, 0};
  BodySpec& rod = system.add_body("rod", 1.0);
  rod.center_of_mass = {0, -0.5, 0};
  rod.inertia = {.xx = 0.1, .yy = 0.1, .zz = 0.1};
  JointSpec& hip = system.add_joint("hip", "revolute", "ground.origin", "rod.origin");
  hip.axis = {0, 0, 1};
  hip.q = 1.0;
  system.add_joint_force("motor", "hip", "0.1*sin(t)");
  system.add_joint_force("friction", "hip", "-" + friction + "*sign(hip.u)");
  system.analysis.duration = 5.0;
  system.output.every = 0.05;
  return with_elements(system, 64, "QC", 1);
}

TEST(StateTimeRun, EndsWhereAForceSticksAndNamesIt) {
  System system = make_sticking("2");
  const RunResult by_number = run_anyhow(system);
  EXPECT_EQ(by_number.report.status, RunStatus::kFailed);
  EXPECT_THAT(by_number.report.failure, testing::HasSubstr("may help: the force friction jumps with hip.u"));
  system.analysis.time_elements->tolerance = 1e-6;
  const RunResult by_tolerance = run_anyhow(system);
  EXPECT_EQ(by_tolerance.report.status, RunStatus::kFailed);
  EXPECT_THAT(by_tolerance.report.failure, testing::HasSubstr("come to a standstill"));
  EXPECT_THAT(by_tolerance.report.failure,
              testing::HasSubstr("the force friction jumps with hip.u, and where"));
  EXPECT_THAT(by_tolerance.report.failure, testing::Not(testing::HasSubstr("motor")));
  // A hundred windows suffice to detect it, not the thousands that the whole run would take.
  EXPECT_LT(by_tolerance.report.steps.steps, 5000);
  EXPECT_GT(by_tolerance.report.t, 0.5);
}

// A motion that passes through zero speed does not stick: a pendulum that turns back, where its load exceeds
// the largest static friction.
TEST(StateTimeRun, PassesForcesThatSwitchOnTheWay) {
  System system = make_sticking("0.5");
  system.analysis.duration = 2.0;
  system.analysis.time_elements->tolerance = 1e-6;
  system.output.every = 0.1;
  const RunResult passed = run_system(system);
  system.analysis.coordinates = "relative";
  system.analysis.time_elements.reset();
  set_accurate(system, 2.0, 0.1);
  const RunResult reference = run_system(system);
  // The elements about a switch err by up to a hundred times the tolerance of each.
  EXPECT_NEAR(passed.end("hip.q"), reference.end("hip.q"), 1e-4);
}

}  // namespace
}  // namespace sestina::test
