// Runs a system through the whole chain and keeps the rows.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "repository.h"
#include "sestina/io/model_file.h"
#include "sestina/model/analysis.h"
#include "sestina/workspace/workspace.h"

namespace sestina::test {

// The model examples/NAME.
inline System example(const std::string& name) { return read_model_file(repository() + "/examples/" + name); }

struct RunResult {
  RunReport report;
  ResultTable table;

  double at(std::size_t row, std::string_view column) const {
    return table.at(row, table.column_index(column));
  }
  double end(std::string_view column) const { return at(table.rows() - 1, column); }
  Vec3<double> vector(std::size_t row, const std::string& name) const {
    return {at(row, name + ".x"), at(row, name + ".y"), at(row, name + ".z")};
  }
};

// Whatever becomes of it.
inline RunResult run_anyhow(Workspace& workspace) {
  auto recorder = std::make_unique<MemoryRecorder>();
  const MemoryRecorder* rows = recorder.get();
  workspace.add_recorder(std::move(recorder));
  RunReport report = workspace.run();
  return {std::move(report), rows->table()};
}
inline RunResult run_anyhow(System system) {
  Workspace workspace(std::move(system));
  return run_anyhow(workspace);
}

// To the end, and nowhere else.
inline RunResult run_system(System system) {
  RunResult run = run_anyhow(std::move(system));
  EXPECT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  return run;
}

// rtol 1e-12, atol 1e-13: over the few hundred steps of these tests the global error stays below 1e-9 of the
// amplitude, which is the tolerance of the comparisons unless they say otherwise.
inline void set_accurate(System& system, double duration, double every) {
  system.analysis.integrator.name = "dormand_prince_54";
  system.analysis.step.driver = "variable";
  system.analysis.step.rtol = 1e-12;
  system.analysis.step.atol = 1e-13;
  system.analysis.duration = duration;
  system.output.every = every;
}

// A mass on a spring, released with a speed.
inline System make_oscillator() {
  System system;
  system.parameters = {{"m", 2.0}, {"k", 50.0}, {"v", 0.7}, {"start", 1.0}};
  system.add_particle("mass", "m");
  JointSpec& rail = system.add_joint("rail", "prismatic", "ground.origin", "mass.origin");
  rail.axis = {1, 0, 0};
  rail.q = {0.3};
  rail.u = {"v"};
  system.add_joint_spring("spring", "rail", {"k"});
  set_accurate(system, 2.0, 0.05);
  return system;
}

inline void set_fixed_step(System& system, std::string rule, double dt, double duration) {
  system.analysis.integrator.name = std::move(rule);
  system.analysis.step.driver = "fixed";
  system.analysis.step.dt = dt;
  system.analysis.duration = duration;
  system.output.every = duration;
}

inline constexpr double kAccurate = 1e-9;

// A test for each way of solving the equations of motion.
class EachSolver : public testing::TestWithParam<std::string> {
 protected:
  System make_system(std::string name) const {
    System system;
    system.name = std::move(name);
    system.analysis.solver = GetParam();
    return system;
  }
};

#define SESTINA_FOR_EACH_SOLVER(Suite)                                        \
  INSTANTIATE_TEST_SUITE_P(Solvers, Suite, testing::ValuesIn(solver_names()), \
                           [](const auto& test) { return test.param; })

// To be run with elements in time.
inline System with_elements(System system, int elements, const char* pair, int windows) {
  system.analysis.coordinates = "state_time";
  system.analysis.integrator = {};
  TimeElementsSpec& spec = system.analysis.time_elements.emplace();
  spec.elements = elements, spec.pair = pair, spec.windows = windows;
  return system;
}

}  // namespace sestina::test
