// Where the time of a run went.
#include <gtest/gtest.h>

#include <algorithm>

#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

System make_short_robot() {
  System system = make_robot();
  set_fixed_step(system, "rk4", 1e-3, 1.0);
  system.output.every = 0.01;
  return system;
}

PhaseTime phase(const RunReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.trace, name, &PhaseTime::name);
  return found == report.trace.end() ? PhaseTime{} : *found;
}

TEST(Trace, CountsEachPhaseAsOftenAsItCame) {
  Workspace workspace(make_short_robot());
  workspace.record_trace();
  const RunResult run = run_anyhow(workspace);
  // rk4 with a step of 1 ms: four evaluations in each of 1000 steps. Rows evaluate on their own account.
  for (const char* name : {"kinematics", "forces", "solve"}) {
    EXPECT_EQ(phase(run.report, name).entries, 4000) << name;
    EXPECT_GT(phase(run.report, name).seconds, 0.0) << name;
  }
  EXPECT_EQ(phase(run.report, "record").entries, 101);
  EXPECT_EQ(phase(run.report, "checkpoint").entries, 0);
  EXPECT_EQ(phase(run.report, "wait").seconds, 0.0);
}

TEST(Trace, AddsUpToTheTimeOfTheRun) {
  Workspace workspace(make_short_robot());
  workspace.record_trace();
  const RunReport report = workspace.run();
  double sum = 0.0;
  for (const PhaseTime& time : report.trace) sum += time.seconds;
  // The trace leaves out what comes before the first step: making the solver and its memory.
  EXPECT_LE(sum, report.wall_seconds * 1.001);
  EXPECT_GE(sum, report.wall_seconds * 0.5);
}

TEST(Trace, DoesNotInfluenceTheRun) {
  const RunResult plain = run_system(make_short_robot());
  Workspace workspace(make_short_robot());
  workspace.record_trace();
  const RunResult traced = run_anyhow(workspace);
  EXPECT_TRUE(std::ranges::equal(plain.table.values(), traced.table.values()));
  EXPECT_TRUE(plain.report.trace.empty());
}

}  // namespace
}  // namespace sestina::test
