// A run with events that is interrupted and resumed is the run that was not, bit for bit.
#include <gtest/gtest.h>

#include <fstream>

#include "sestina/integrate/rule_list.h"
#include "sestina/workspace/checkpoint.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Rings when forces are first evaluated beyond an instant.
class Alarm final : public UserForce {
 public:
  Alarm(std::atomic<bool>& rings, double at) : rings_(rings), at_(at) {}
  void add_force(double t, std::span<const BodyMotion<double>>,
                 std::span<SpatialForce<double>>) const override {
    if (t > at_) rings_ = true;
  }

 private:
  std::atomic<bool>& rings_;
  double at_;
};

struct Case {
  std::string rule;
  StepSpec step;
  std::string suffix;
  std::string label;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  const auto add = [&](const std::string& rule, const StepSpec& step, const std::string& suffix) {
    const std::string label = rule + "_" + step.driver.text + "_" + step.control.text +
                              (step.land_on_output ? "_landing_" : "_") + suffix;
    list.push_back({rule, step, "." + suffix, label});
  };
  for (const std::string& rule : integration_rule_names()) {
    StepSpec step;
    step.driver = "fixed";
    step.dt = 7e-3;
    add(rule, step, "csv");
  }
  for (const std::string& rule : names_of_rules_with_error_estimate()) {
    for (const char* control : {"pi", "pid"}) {
      for (const bool lands : {false, true}) {
        StepSpec step;
        step.driver = "variable";
        step.rtol = step.atol = 1e-6;
        step.control = control;
        step.land_on_output = lands;
        add(rule, step, "csv");
        if (rule == "dormand_prince_54") add(rule, step, "h5");
      }
    }
  }
  return list;
}

class ResumingEvents : public testing::TestWithParam<Case> {
 protected:
  ~ResumingEvents() override { fs::remove_all(folder_); }

  static fs::path make_folder() {
    std::string name = (fs::temp_directory_path() / "sestina-events-XXXXXX").string();
    return mkdtemp(name.data());
  }
  System make_system(double stop_at) {
    rings_ = false;
    System system = make_bouncing_chain();
    system.add_event("enough", "hip.q + 0.0*knee.q - 3", "rising").terminal = true;
    system.add_user_force("alarm", std::make_shared<Alarm>(rings_, stop_at));
    system.analysis.integrator.name = GetParam().rule;
    system.analysis.step = GetParam().step;
    system.analysis.duration = 1.2;
    system.output.every = 0.03;
    return system;
  }
  RunReport run(double stop_at, const std::string& result, bool resumes) {
    Workspace workspace(make_system(stop_at));
    const fs::path file = folder_ / (result + GetParam().suffix);
    workspace.set_interrupt(&rings_);
    workspace.set_checkpoint({.path = folder_ / "c", .result_file = file});
    return resumes ? workspace.resume(read_checkpoint(folder_ / "c"), file) : workspace.run(file);
  }

  const fs::path folder_ = make_folder();
  std::atomic<bool> rings_{false};
};

TEST_P(ResumingEvents, GivesTheBitsOfAnUninterruptedRun) {
  constexpr double kNever = 1e9;
  const RunReport reference = run(kNever, "whole", false);
  ASSERT_EQ(reference.status, RunStatus::kComplete) << reference.failure;
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(reference.event_counts[i], 1) << i;  // each has a part in it
  const fs::path whole = folder_ / ("whole" + GetParam().suffix),
                 parts = folder_ / ("parts" + GetParam().suffix);
  // The ticks of the clock are at multiples of pi / 20: stops just before, just after, and anywhere.
  const double tick = std::numbers::pi / 20.0;
  for (const double at : {0.0, tick - 1e-4, tick + 1e-4, 0.61}) {
    ASSERT_EQ(run(at, "parts", false).status, RunStatus::kInterrupted) << at;
    ASSERT_EQ(run(at + 0.003, "parts", true).status, RunStatus::kInterrupted) << at;
    const RunReport report = run(kNever, "parts", true);
    ASSERT_EQ(report.status, RunStatus::kComplete) << report.failure;
    EXPECT_EQ(report.event_counts, reference.event_counts);
    EXPECT_EQ(report.final_state.q, reference.final_state.q);
    EXPECT_EQ(report.final_state.u, reference.final_state.u);
    EXPECT_EQ(report.final_state.d, reference.final_state.d);
    EXPECT_EQ(report.energy_drift, reference.energy_drift);
    EXPECT_EQ(report.rows, reference.rows);
    EXPECT_EQ(report.steps.steps, reference.steps.steps);
    EXPECT_EQ(report.steps.smallest_step, reference.steps.smallest_step);
    const ResultTable x = read_result(whole), y = read_result(parts);
    ASSERT_EQ(x.rows(), y.rows());
    EXPECT_TRUE(std::ranges::equal(x.values(), y.values()));
    if (GetParam().suffix == ".csv") {
      EXPECT_EQ(contents(whole), contents(parts));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ResumingEvents, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.label; });

}  // namespace
}  // namespace sestina::test
