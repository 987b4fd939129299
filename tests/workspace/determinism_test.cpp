// A run depends on the model and on nothing else, bit for bit.
#include <gtest/gtest.h>

#include "sestina/integrate/rule_list.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

System make_robot_with(const std::string& rule, const std::string& driver) {
  System system = make_robot();
  add_given_forces(system);
  system.analysis.integrator.name = rule;
  system.analysis.step.driver = driver;
  system.analysis.step.dt = 1e-3;
  system.analysis.step.rtol = system.analysis.step.atol = 1e-7;
  system.analysis.duration = 0.5;
  system.output.every = 0.05;
  return system;
}

// Every rule with the drivers that it fits.
std::vector<std::tuple<std::string, std::string>> pairs() {
  std::vector<std::tuple<std::string, std::string>> list;
  for (const std::string& rule : integration_rule_names()) list.emplace_back(rule, "fixed");
  for (const std::string& rule : names_of_rules_with_error_estimate()) list.emplace_back(rule, "variable");
  return list;
}

class Determinism : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    const auto& [rule, driver] = GetParam();
    system_ = make_robot_with(rule, driver);
  }
  System system_;
};

void expect_same_bits(const State<double>& a, const State<double>& b) {
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.u, b.u);
}

TEST_P(Determinism, SameRunTwiceGivesTheSameBits) {
  const RunResult first = run_system(system_), second = run_system(system_);
  EXPECT_TRUE(std::ranges::equal(first.table.values(), second.table.values()));
  EXPECT_EQ(first.table.rows(), 11u);
}

TEST_P(Determinism, WorkspaceThatRunsTwiceGivesTheSameBits) {
  Workspace workspace(system_);
  const RunReport first = workspace.run(), second = workspace.run();
  expect_same_bits(first.final_state, second.final_state);
  EXPECT_EQ(first.steps.steps, second.steps.steps);
}

TEST_P(Determinism, OutputDoesNotInfluenceTheTrajectory) {
  const RunResult reference = run_system(system_);
  for (const double every : {10.0, 0.3, 0.025, 1e-4}) {
    System system = system_;
    system.output.every = every;
    const RunResult run = run_system(system);
    expect_same_bits(run.report.final_state, reference.report.final_state);
    EXPECT_EQ(run.report.steps.steps, reference.report.steps.steps);
    // Rows at the same instant are the same.
    if (every == 0.025) {
      for (std::size_t i = 0; i < reference.table.rows(); ++i) {
        EXPECT_TRUE(std::ranges::equal(reference.table.row(i), run.table.row(2 * i))) << i;
      }
    }
  }
}

TEST_P(Determinism, RecordingDoesNotInfluenceTheTrajectory) {
  const RunResult reference = run_system(system_);
  Workspace silent(system_);
  expect_same_bits(silent.run().final_state, reference.report.final_state);
  Workspace verbose(system_);
  verbose.record_reactions();
  verbose.add_recorder(std::make_unique<MemoryRecorder>());
  verbose.on_progress([](const RunProgress&) {});
  expect_same_bits(verbose.run().final_state, reference.report.final_state);
}

// With events too, where rows, steps and events fall between one another.
TEST_P(Determinism, OutputDoesNotInfluenceEvents) {
  const auto events_of = [](const RunResult& run) {
    std::vector<double> values;
    for (std::size_t i = 0; i < run.table.rows(); ++i) {
      if (run.at(i, "event") == 0.0) continue;
      const auto row = run.table.row(i);
      values.insert(values.end(), row.begin(), row.end());
    }
    return values;
  };
  System system = make_bouncing_chain();
  system.analysis = system_.analysis;
  system.analysis.step.dt = 5e-3;
  system.analysis.duration = 1.5;
  system.output.every = 0.05;
  const RunResult reference = run_system(system);
  const std::vector<double> expected = events_of(reference);
  EXPECT_GT(expected.size(), 10 * reference.table.header().columns.size());
  for (const double every : {10.0, 0.3, 0.025, 1e-3}) {
    system.output.every = every;
    const RunResult run = run_system(system);
    EXPECT_EQ(events_of(run), expected);
    expect_same_bits(run.report.final_state, reference.report.final_state);
    EXPECT_EQ(run.report.steps.steps, reference.report.steps.steps);
    EXPECT_EQ(run.report.event_counts, reference.report.event_counts);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Determinism, testing::ValuesIn(pairs()), [](const auto& test) {
  return std::get<0>(test.param) + "_" + std::get<1>(test.param);
});

}  // namespace
}  // namespace sestina::test
