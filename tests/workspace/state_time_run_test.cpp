// Runs with coordinates: state_time, compared with runs of the same systems by steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/forces/user_force.h"
#include "state_time/loop_systems.h"
#include "state_time/state_time_systems.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

// The rows of a run with elements, compared with those of a run by steps: between the ends of elements, and
// for reactions, of order 7.
RunResult expect_rows_of_any_other_run(System system, int elements, double duration) {
  set_accurate(system, duration, 0.015 * duration);
  Workspace by_elements(with_elements(system, elements, "P5P6", 4)), by_steps(system);
  by_elements.record_reactions(), by_steps.record_reactions();
  RunResult state_time = run_anyhow(by_elements);
  const RunResult reference = run_anyhow(by_steps);
  EXPECT_EQ(state_time.report.status, RunStatus::kComplete) << state_time.report.failure;
  EXPECT_EQ(state_time.table.header().columns.size(), reference.table.header().columns.size());
  EXPECT_EQ(state_time.table.rows(), reference.table.rows());
  for (std::size_t row = 0; row < state_time.table.rows(); ++row) {
    for (std::size_t column = 0; column < reference.table.header().columns.size(); ++column) {
      const double expected = reference.table.at(row, column);
      EXPECT_NEAR(state_time.table.at(row, column), expected, 1e-7 * std::max(1.0, std::abs(expected)))
          << reference.table.header().columns[column].name << " in row " << row;
    }
  }
  EXPECT_EQ(state_time.report.steps.steps, elements);
  return state_time;
}

TEST(StateTimeRun, RecordsTheRowsOfAnyOtherRun) {
  System system = double_pendulum();
  system.add_joint_damper("friction", "knee", 0.05);
  system.add_joint_force("drive", "hip", "0.1*sin(3*t) - 0.2*hip.u");
  const RunResult run = expect_rows_of_any_other_run(system, 32, 2.0);  // measured 3e-9 at worst
  EXPECT_GT(std::abs(run.end("energy.supplied")), 1e-3);
  EXPECT_GT(run.end("energy.dissipated"), 1e-3);
}

// Forces and errors of constraints, coordinates of cut joints, and the work of a motor.
TEST(StateTimeRun, RecordsTheRowsOfLoopsAndConstraints) {
  const RunResult gear = expect_rows_of_any_other_run(driven_gear(), 32, 0.5);
  EXPECT_GT(std::abs(gear.end("energy.supplied")), 1.0);
  EXPECT_GT(std::abs(gear.end("gear.force")), 0.1);
  EXPECT_LT(std::abs(gear.end("rope.error")), 1e-9);
  System four_bar = example("16_four_bar.yaml");
  four_bar.add_joint_damper("friction", "elbow", 0.5);
  const RunResult run = expect_rows_of_any_other_run(four_bar, 128, 0.8);
  EXPECT_LT(run.end("constraints.position_error"), 1e-12);
  EXPECT_GT(std::abs(run.end("pin.q") - run.at(0, "pin.q")), 0.01);
}

TEST(StateTimeRun, RefusesWhatItDoesNotOffer) {
  System system = with_elements(double_pendulum(), 4, "LQ", 1);
  Workspace with_checkpoint(system);
  with_checkpoint.set_checkpoint({.path = "never.checkpoint"});
  with_checkpoint.set_real_time(1.0);
  try {
    with_checkpoint.run();
    FAIL() << "neither is there";
  } catch (const InputError& error) {
    ASSERT_EQ(error.faults().size(), 2U);
    for (const Fault& fault : error.faults()) EXPECT_EQ(fault.place.path, "analysis.coordinates");
  }
}

class Nothing final : public UserForce {
 public:
  void add_force(double, std::span<const BodyMotion<double>>,
                 std::span<SpatialForce<double>>) const override {}
};

TEST(StateTimeRun, NamesAllThatHasNoStateTimeEquations) {
  System system = with_elements(double_pendulum(), 4, "LQ", 1);
  system.joint("knee").armature = 0.2;
  system.add_user_force("mine", std::make_shared<Nothing>());
  system.add_event("top", "hip.q");
  try {
    const Workspace workspace(system);
    FAIL() << "nothing of this has state-time equations";
  } catch (const InputError& error) {
    const std::string text = error.what();
    for (const char* path : {"joints[1].armature", "forces[0]", "events[0]"}) {
      EXPECT_NE(text.find(path), std::string::npos) << path << " in " << text;
    }
    EXPECT_EQ(error.faults().size(), 3U);
  }
  system.analysis.coordinates = "relative";
  system.analysis.time_elements.reset();
  EXPECT_NO_THROW(Workspace{system});
}

TEST(StateTimeRun, RefusesLoopsWithTheLinearQuadraticScheme) {
  System system = with_elements(bricard_linkage(), 4, "LQ", 1);
  system.analysis.time_elements->scheme = "linear_quadratic";
  EXPECT_THAT(testing_support::message_of([&] { run_anyhow(system); }),
              testing::HasSubstr("analysis.integrator.scheme: linear_quadratic takes no closed loops"));
}

TEST(StateTimeRun, TellsOfTheFormulationInTheResult) {
  const RunResult run = run_system(with_elements(double_pendulum(), 8, "QC", 2));
  const auto& provenance = run.table.header().provenance;
  const auto has = [&](const char* key, const char* value) {
    return std::find(provenance.begin(), provenance.end(), std::pair<std::string, std::string>(key, value)) !=
           provenance.end();
  };
  EXPECT_TRUE(has("solver", "state_time"));
  EXPECT_TRUE(has("integrator", "8 elements QC in 2 windows, natural tests"));
  EXPECT_TRUE(has("step", "elements of 0.125 s"));
}

TEST(StateTimeRun, TakesTheSchemeOfTheModel) {
  System system = with_elements(double_pendulum(), 8, "QC", 2);
  const RunReport newton = run_system(system).report;
  system.analysis.time_elements->scheme = "linear_quadratic";
  const RunResult reduced = run_system(system);
  EXPECT_EQ(reduced.table.header().provenance[2].second,
            "8 elements QC in 2 windows, natural tests, linear-quadratic scheme");
  EXPECT_NEAR(reduced.report.final_state.q[1], newton.final_state.q[1], 1e-11);
}

TEST(StateTimeRun, KeepsATolerance) {
  System system = double_pendulum();
  system.add_joint_damper("friction", "knee", 0.05);
  set_accurate(system, 2.0, 0.03);
  const RunResult reference = run_system(system);
  system = with_elements(system, 4, "P3P4", 2);
  system.analysis.time_elements->tolerance = 1e-6;
  const RunResult run = run_system(system);
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  EXPECT_GT(run.report.steps.largest_step, run.report.steps.smallest_step);
  double largest = 0.0;
  for (std::size_t row = 0; row < reference.table.rows(); ++row) {
    for (std::size_t column = 0; column < reference.table.header().columns.size(); ++column) {
      const double expected = reference.table.at(row, column);
      largest = std::max(largest, std::abs(run.table.at(row, column) - expected));
    }
  }
  EXPECT_LT(largest, 3e-5);
  EXPECT_GT(largest, 1e-8);
  EXPECT_EQ(run.table.header().provenance[2].second,
            "elements P3P4 for a tolerance of 1e-06 in 2 windows, natural tests");
}

// Elements of several degrees, whose powers are integrated by points of their own.
TEST(StateTimeRun, ChoosesDegreesAndKeepsTheBalanceOfWork) {
  System system = double_pendulum();
  system.add_joint_damper("friction", "knee", 0.05);
  system.add_joint_force("drive", "hip", "2*exp(-40*(t - 2.5)^2)");
  set_accurate(system, 5.0, 0.05);
  const RunResult reference = run_system(system);
  system = with_elements(system, 20, "auto", 10);
  system.analysis.time_elements->tolerance = 1e-8;
  const RunResult run = run_system(system);
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  for (std::size_t row = 0; row < reference.table.rows(); ++row) {
    for (std::size_t column = 0; column < reference.table.header().columns.size(); ++column) {
      const double expected = reference.table.at(row, column);
      EXPECT_NEAR(run.table.at(row, column), expected, 1e-5 * std::max(1.0, std::abs(expected)))
          << reference.table.header().columns[column].name << " in row " << row;
    }
  }
  EXPECT_LT(run.report.energy_drift, 1e-6);
  EXPECT_GT(run.end("energy.supplied"), 1e-3);
  EXPECT_EQ(run.table.header().provenance[2].second,
            "elements of any degree for a tolerance of 1e-08 in 10 windows, natural tests");
}

TEST(StateTimeRun, StretchesOfTheModelGiveTheSame) {
  System system = with_elements(branched_tree(), 8, "QC", 2);
  const RunReport whole = run_system(system).report;
  system.analysis.time_elements->stretches = 4.0;
  const RunResult cut = run_system(system);
  EXPECT_EQ(cut.table.header().provenance[2].second,
            "8 elements QC in 2 windows, natural tests, 4 stretches");
  for (std::size_t i = 0; i < whole.final_state.q.size(); ++i) {
    EXPECT_NEAR(cut.report.final_state.q[i], whole.final_state.q[i], 1e-11);
  }
}

TEST(StateTimeRun, RefusesElementsForWhichThereIsNoMemory) {
  System system = with_elements(double_pendulum(), 10'000'000, "P7P8", 1);
  try {
    const Workspace workspace(system);
    FAIL() << "some terabytes are not at hand";
  } catch (const InputError& error) {
    const std::string text = error.what();
    for (const char* part :
         {"analysis.integrator.elements", "10000000 elements in 1 window take", "available"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
  }
}

TEST(StateTimeRun, EndsSoonWhenInterrupted) {
  std::atomic<bool> interrupt = true;
  Workspace workspace(with_elements(double_pendulum(), 8, "QC", 2));
  workspace.set_interrupt(&interrupt);
  const RunResult run = run_anyhow(workspace);
  EXPECT_EQ(run.report.status, RunStatus::kInterrupted);
  EXPECT_EQ(run.table.rows(), 1U);
}

TEST(StateTimeRun, ThreadsDoNotChangeABit) {
  const System system = with_elements(branched_tree(), 8, "QC", 2);
  std::vector<std::vector<double>> ends;
  for (const int threads : {1, 2, 3}) {
    Workspace workspace(system);
    workspace.set_threads(threads);
    ends.push_back(run_anyhow(workspace).report.final_state.q);
    EXPECT_EQ(ends.back(), ends.front()) << threads;
  }
}

TEST(StateTimeRun, OfNoDurationHasOneRow) {
  System system = with_elements(double_pendulum(), 4, "LQ", 1);
  system.analysis.duration = 0.0;
  system.output.every = 1.0;
  const RunResult run = run_system(system);
  EXPECT_EQ(run.table.rows(), 1U);
  EXPECT_EQ(run.at(0, "hip.q"), 1.0);
}

TEST(StateTimeRun, KeepsWhatWasComputedBeforeAFailure) {
  System system = with_elements(double_pendulum(), 40, "LQ", 40);
  // Turns the force into no number after one second.
  system.add_joint_force("late", "hip", "sqrt(1 - t)");
  system.analysis.duration = 2.0;
  system.output.every = 0.1;
  const RunResult run = run_anyhow(system);
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_NE(run.report.failure.find("late"), std::string::npos) << run.report.failure;
  EXPECT_EQ(run.table.rows(), 11U);
}

}  // namespace
}  // namespace sestina::test
