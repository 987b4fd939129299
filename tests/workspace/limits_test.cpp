// Limits of a run: it ends there with its rows, names the limit, and the other runs continue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "message_of.h"
#include "sestina/workspace/checkpoint.h"
#include "sestina/workspace/ensemble.h"
#include "state_time/state_time_systems.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;
using testing_support::message_of;

// Dry friction of f (N) that changes its sign at rest: with f = 0 a few steps, else ever shorter ones.
System make_sticking_slide() {
  System system = make_slide("if(slide.u > 0, -f, f)", 0.0, 0.1);
  system.set_parameter("f", 10.0);
  system.analysis.duration = 1e4;
  system.output.every = 0.005;
  return system;
}

TEST(Limits, EndARunWithWhatItHas) {
  System system = make_sticking_slide();
  system.analysis.limits.steps = 500;
  const RunResult run = run_anyhow(system);
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_EQ(run.report.steps.steps, 500);
  EXPECT_THAT(run.report.failure, HasSubstr("its limit of 500 steps; analysis.limits.steps (--max-steps"));
  EXPECT_GT(run.report.t, 0.009);  // v/f
  EXPECT_LT(run.report.t, 0.011);
  EXPECT_EQ(run.end("t"), run.report.t);  // the last state
  EXPECT_EQ(run.at(1, "t"), 0.005);
}

TEST(Limits, EndARunAfterItsWallTime) {
  System system = make_sticking_slide();
  system.analysis.limits.wall_time = 0.05;
  const RunResult run = run_anyhow(system);
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("its limit of 0.05 s of wall time, after"));
  EXPECT_GE(run.report.wall_seconds, 0.05);
  EXPECT_LT(run.report.wall_seconds, 2.0);  // of a busy machine
}

TEST(Limits, AllowARunThatTakesJustSoMany) {
  System system = make_slide("-slide.q", 1.0);
  const long steps = run_system(system).report.steps.steps;
  system.analysis.limits.steps = static_cast<double>(steps);
  EXPECT_EQ(run_system(system).report.steps.steps, steps);
  system.analysis.limits.steps = static_cast<double>(steps - 1);
  EXPECT_EQ(run_anyhow(system).report.status, RunStatus::kFailed);
}

TEST(Limits, OfTheWorkspaceTakeThePlaceOfTheAnalysis) {
  System system = make_sticking_slide();
  system.analysis.limits.steps = 100;
  Workspace workspace(system);
  workspace.set_limits({.steps = 300});
  EXPECT_EQ(run_anyhow(workspace).report.steps.steps, 300);
  EXPECT_THAT(message_of<InputError>([&] { workspace.set_limits({.steps = -3}); }), HasSubstr("-3"));
}

TEST(Limits, LetARunGoOnFromItsCheckpoint) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("sestina_limits_" + std::to_string(getpid()));
  System system = make_slide("-slide.q", 1.0);
  system.analysis.duration = 20.0;
  const State<double> expected = run_system(system).report.final_state;
  Workspace first(system);
  first.set_checkpoint({.path = path});
  first.set_limits({.steps = 10});
  ASSERT_EQ(first.run().status, RunStatus::kFailed);
  Workspace second(system);
  second.set_checkpoint({.path = path});
  second.set_limits({.steps = 20});
  const RunReport more = second.resume(read_checkpoint(path));
  EXPECT_EQ(more.steps.steps, 29);  // the count restarts, with the current step, which is repeated
  EXPECT_EQ(more.status, RunStatus::kFailed);
  Workspace last(system);
  const RunReport report = last.resume(read_checkpoint(path));
  EXPECT_EQ(report.status, RunStatus::kComplete);
  EXPECT_EQ(report.final_state.q, expected.q);
  std::filesystem::remove(path);
}

TEST(Limits, EndStateTimeBetweenWindows) {
  System system = double_pendulum();
  system.analysis.coordinates = "state_time";
  TimeElementsSpec& elements = system.analysis.time_elements.emplace();
  elements.elements = 20, elements.windows = 5;
  system.analysis.duration = 0.5;
  system.analysis.limits.steps = 6;
  const RunResult run = run_anyhow(system);
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_EQ(run.report.steps.steps, 8);  // windows of four
  EXPECT_THAT(run.report.failure, HasSubstr("t = 0.2 s: the run has reached its limit of 6 steps"));
  EXPECT_GT(run.table.rows(), 10u);
}

// Every third member sticks.
std::vector<EnsembleMember> members_of_which_some_stick(int count) {
  std::vector<EnsembleMember> members(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    members[static_cast<std::size_t>(i)].parameters = {{"f", i % 3 == 1 ? 10.0 : 0.0}};
  }
  return members;
}

class LimitsOfEnsembles : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Lanes, LimitsOfEnsembles, testing::Bool());

TEST_P(LimitsOfEnsembles, EndTheRunsThatMeetThemAndNoOthers) {
  System system = make_sticking_slide();
  system.output.every = 1e3;
  const auto members = members_of_which_some_stick(20);
  const auto reports =
      Workspace(system).run_ensemble(members, {.threads = 2, .lanes = GetParam(), .limits = {.steps = 500}});
  for (std::size_t i = 0; i < members.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(reports[i].lanes > 0, GetParam());
    if (i % 3 != 1) {
      EXPECT_EQ(reports[i].status, RunStatus::kComplete) << reports[i].failure;
      EXPECT_EQ(reports[i].t, 1e4);
      continue;
    }
    EXPECT_EQ(reports[i].status, RunStatus::kFailed);
    EXPECT_THAT(reports[i].failure, HasSubstr("its limit of 500 steps"));
    EXPECT_EQ(reports[i].steps.steps, 500);
    EXPECT_EQ(reports[i].rows, 2);  // the first and the last state
    EXPECT_NEAR(reports[i].t, 0.01, 1e-3);
    EXPECT_EQ(reports[i].final_state.t, reports[i].t);
    EXPECT_NEAR(reports[i].final_state.q[0], 0.0005, 1e-5);  // v^2/(2 f)
  }
}

TEST_P(LimitsOfEnsembles, EndTheRunsThatTakeTooLong) {
  System system = make_sticking_slide();
  system.output.every = 1e3;
  const auto members = members_of_which_some_stick(7);
  const auto reports = Workspace(system).run_ensemble(
      members, {.threads = 1, .lanes = GetParam(), .limits = {.wall_time = 0.05}});
  for (std::size_t i = 0; i < members.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(reports[i].status, i % 3 == 1 ? RunStatus::kFailed : RunStatus::kComplete)
        << reports[i].failure;
    if (i % 3 != 1) continue;
    EXPECT_THAT(reports[i].failure, HasSubstr("its limit of 0.05 s of wall time"));
  }
}

}  // namespace
}  // namespace sestina::test
