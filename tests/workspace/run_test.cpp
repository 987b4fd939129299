// Runs: their rows, their ends, and what remains of them after a failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "sestina/base/error.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;

std::vector<double> times(const RunResult& run) { return run.table.column("t"); }

RunResult run_slide(double duration, std::optional<double> every) {
  System system = make_slide("-slide.q", 1.0);
  system.analysis.duration = duration;
  if (every) system.output.every = *every;
  return run_system(std::move(system));
}

TEST(Rows, StandAtMultiplesOfTheIntervalAndAtTheEnd) {
  EXPECT_EQ(times(run_slide(1.0, 0.3)), (std::vector<double>{0.0, 0.3, 2 * 0.3, 3 * 0.3, 1.0}));
  EXPECT_EQ(times(run_slide(1.0, 0.5)), (std::vector<double>{0.0, 0.5, 1.0}));
  EXPECT_EQ(times(run_slide(1.0, 7.0)), (std::vector<double>{0.0, 1.0}));
  EXPECT_EQ(run_slide(1.0, {}).table.rows(), 101u);
}

TEST(Rows, DoNotComeTwiceWhereTheIntervalDividesTheDurationButForRounding) {
  for (const double duration : {1.0, 0.7, 3.3}) {
    for (int n = 1; n <= 300; ++n) {
      const RunResult run = run_slide(duration, duration / n);
      ASSERT_EQ(run.table.rows(), static_cast<std::size_t>(n) + 1) << duration << " / " << n;
      ASSERT_EQ(run.end("t"), duration);
    }
  }
}

TEST(Rows, HaveTheLastOneAtTheEndOfTheDuration) {
  const RunResult run = run_slide(1.0, 0.3);
  EXPECT_EQ(run.end("slide.q"), run.report.final_state.q[0]);
  EXPECT_EQ(run.report.t, 1.0);
  EXPECT_EQ(run.report.rows, 5);
  EXPECT_NEAR(run.end("slide.q"), std::cos(1.0), 1e-7);  // some ten steps of 1e-8
}

TEST(Rows, HaveColumnsNamedByTheModel) {
  System system = make_slide("0");
  system.analysis.duration = 0;
  Workspace workspace(system);
  workspace.record_reactions();
  const RunResult run = run_anyhow(workspace);
  EXPECT_THAT(
      run.table.header().names(),
      testing::ElementsAre("t", "slide.q", "slide.u", "mass.origin.x", "mass.origin.y", "mass.origin.z",
                           "energy.kinetic", "energy.potential", "energy.total", "energy.supplied",
                           "energy.dissipated", "momentum.x", "momentum.y", "momentum.z",
                           "angular_momentum.x", "angular_momentum.y", "angular_momentum.z",
                           "slide.reaction.torque.x", "slide.reaction.torque.y", "slide.reaction.torque.z",
                           "slide.reaction.force.x", "slide.reaction.force.y", "slide.reaction.force.z"));
  EXPECT_EQ(run.table.unit("slide.u"), "m/s");
  EXPECT_EQ(run.table.unit("slide.reaction.torque.x"), "N m");
}

// A weight on a rod that stands still: the hinge carries it, and the torque about the hinge is none.
TEST(Rows, HoldTheReactionsOnRequest) {
  System system;
  system.gravity = {0, -9.81, 0};
  system.add_particle("bob", 2.0);
  system.bodies[0].add_point("hook", {0, 0.5, 0});
  system.add_joint("hinge", "revolute", "ground.origin", "bob.hook").axis = {0, 0, 1};
  system.analysis.duration = 0.1;
  Workspace workspace(system);
  workspace.record_reactions();
  const RunResult run = run_anyhow(workspace);
  EXPECT_NEAR(run.end("hinge.reaction.force.y"), 2.0 * 9.81, 1e-12);
  EXPECT_NEAR(run.end("hinge.reaction.force.x"), 0.0, 1e-12);
  EXPECT_NEAR(run.end("hinge.reaction.torque.z"), 0.0, 1e-12);
}

TEST(Run, WithoutDurationHasOneRow) {
  const RunResult run = run_slide(0.0, {});
  EXPECT_EQ(times(run), (std::vector<double>{0.0}));
  EXPECT_EQ(run.report.final_state.q, (std::vector<double>{1.0}));
  EXPECT_EQ(run.report.steps.steps, 0);
}

TEST(Run, ReportsTheEnergyBalanceOfWhatIsSuppliedAndDissipated) {
  System system = make_robot();
  add_given_forces(system);
  set_accurate(system, 1.0, 0.05);
  const RunResult run = run_system(std::move(system));
  EXPECT_GT(std::abs(run.end("energy.total") - run.at(0, "energy.total")), 0.1);
  EXPECT_GT(run.end("energy.dissipated"), 0.1);
  // The quadratures have no error control of their own, yet follow in the same steps.
  EXPECT_LT(run.report.energy_drift, 1e-8 * run.report.kinetic_energy);
}

// ---- bad input, before anything is written --------------------------------------------------------

std::vector<std::string> faults_of(const System& system) {
  try {
    Workspace workspace(system);
  } catch (const InputError& error) {
    std::vector<std::string> list;
    for (const Fault& fault : error.faults()) list.push_back(to_string(fault));
    return list;
  }
  return {};
}

TEST(Workspace, RefusesARuleThatTheDriverCannotUse) {
  for (const char* rule : {"velocity_verlet", "forward_euler", "rk4"}) {
    System system = make_slide("0");
    system.analysis.integrator.name = rule;
    system.analysis.integrator.name.mark.line = 7;
    EXPECT_THAT(faults_of(system),
                testing::ElementsAre(testing::AllOf(HasSubstr("7:0: analysis.integrator: "), HasSubstr(rule),
                                                    HasSubstr("dormand_prince_54"))));
  }
}

TEST(Workspace, NamesTheKeyOfAStepThatCannotBe) {
  System tolerance = make_slide("0");
  tolerance.analysis.step.atol = 0;
  tolerance.analysis.step.atol.mark.line = 3;
  EXPECT_THAT(faults_of(tolerance), testing::ElementsAre(HasSubstr("3:0: analysis.step.atol: 0 ")));
  System step = make_slide("0");
  set_fixed_step(step, "rk4", 1e-18, 1.0);
  EXPECT_THAT(faults_of(step), testing::ElementsAre(HasSubstr("analysis.step.dt: 1e-18 s is too short")));
  System output = make_slide("0");
  output.output.every = 1e-17;
  EXPECT_THAT(faults_of(output), testing::ElementsAre(HasSubstr("output.every: 1e-17 s is too short")));
}

// Throws from `begin`, or from the row with this number on.
class BadRecorder final : public Recorder {
 public:
  explicit BadRecorder(int good_rows) : good_rows_(good_rows) {}
  void begin(const ResultHeader&) override {
    if (good_rows_ < 0) throw InputError("no place to write to");
  }
  void record(std::span<const double> row) override {
    if (++rows_ > good_rows_) throw ComputationError(row[0], "the disk is full");
  }
  void flush() override {}
  void end() override {}

 private:
  int good_rows_;
  int rows_ = 0;
};

TEST(Workspace, LetsARecorderRefuseBeforeTheRun) {
  Workspace workspace(make_slide("0"));
  workspace.add_recorder(std::make_unique<BadRecorder>(-1));
  EXPECT_THROW(workspace.run(), InputError);
}

TEST(Workspace, ForgetsAResultFileThatCannotBeWritten) {
  Workspace workspace(make_slide("0"));
  EXPECT_THROW(workspace.run("/nowhere/at/all.csv"), InputError);
  EXPECT_EQ(workspace.run().status, RunStatus::kComplete);
}

// A table that was made by a program has no file, so that no model file can hold the system.
TEST(Workspace, RunsSystemsThatNoFileCanHold) {
  System system = make_robot();
  add_given_forces(system);
  system.analysis.duration = 0.01;
  const RunResult run = run_system(std::move(system));
  EXPECT_THAT(run.table.header().model_text, testing::StartsWith("#"));
}

// ---- computations that fail -------------------------------------------------------------------------

// The run failed near this time, for this reason, and kept its rows until then.
void expect_failure(const RunResult& run, double t, double tolerance, const std::string& reason) {
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_NEAR(run.report.t, t, tolerance);
  EXPECT_THAT(run.report.failure, HasSubstr("t = "));
  EXPECT_THAT(run.report.failure, HasSubstr(reason));
  ASSERT_GT(run.table.rows(), 0u);
  EXPECT_EQ(run.report.rows, static_cast<long>(run.table.rows()));
  EXPECT_EQ(run.end("t"), run.report.t);
  const std::vector<double> t_column = times(run);
  EXPECT_TRUE(std::is_sorted(t_column.begin(), t_column.end(), std::less_equal<>()));  // strictly
  for (const double value : run.table.values()) EXPECT_TRUE(std::isfinite(value));
}

// u' = u^2 from u = 1 ends in infinity at t = 1.
TEST(FailedRun, ByAForceThatExplodesNamesTheSpeedAndTheTime) {
  System system = make_slide("slide.u^2", 0.0, 1.0);
  system.analysis.duration = 2.0;
  system.output.every = 0.1;
  const RunResult run = run_anyhow(std::move(system));
  expect_failure(run, 1.0, 1e-6, "slide");
  EXPECT_THAT(run.report.failure, HasSubstr("too short to advance the time"));
  EXPECT_GE(run.table.rows(), 11u);  // 0 ... 0.9, perhaps 1, and the last state
}

TEST(FailedRun, ByAnExpressionNamesItAndThePartThatFails) {
  System system = make_slide("log(1 - t)");
  system.analysis.duration = 2.0;
  system.output.every = 0.25;
  const RunResult run = run_anyhow(system);
  expect_failure(run, 1.0, 1e-6, "drive");
  EXPECT_THAT(run.report.failure, HasSubstr("log"));
  set_fixed_step(system, "rk4", 0.125, 2.0);
  system.output.every = 0.25;
  expect_failure(run_anyhow(system), 0.875, 0.0, "drive");
}

TEST(FailedRun, AtItsBeginningKeepsTheFirstRow) {
  System system = make_slide("0");
  system.bodies[0].mass = 0;
  const RunResult run = run_anyhow(std::move(system));
  expect_failure(run, 0.0, 0.0, "singular at joint slide");
  EXPECT_EQ(run.table.rows(), 1u);
  EXPECT_EQ(run.report.final_state.q, (std::vector<double>{0.0}));
}

// Massless gimbals that come into one plane: two of three axes are parallel there.
TEST(FailedRun, ByAMassMatrixThatBecomesSingularNamesTheJoint) {
  System system;
  system.add_body("ring", 0.0);
  system.add_body("frame", 0.0);
  system.add_body("top", 1.0).inertia = {.xx = 0.1, .yy = 0.1, .zz = 0.1};
  system.add_joint("turn", "revolute", "ground.origin", "ring.origin").axis = {0, 0, 1};
  system.add_joint("tilt", "revolute", "ring.origin", "frame.origin").axis = {1, 0, 0};
  system.add_joint("spin", "revolute", "frame.origin", "top.origin").axis = {0, 0, 1};
  system.joint("tilt").q = {0.5};
  system.joint("tilt").u = {-1};
  set_fixed_step(system, "rk4", 0.125, 2.0);  // binary fractions: tilt.q is exactly zero at t = 0.5
  system.output.every = 0.125;
  for (const std::string& solver : solver_names()) {
    system.analysis.solver = solver;
    expect_failure(run_anyhow(system), 0.375, 0.0, "singular at joint turn");
  }
}

// Two points that meet exactly, at t = 1.
TEST(FailedRun, ByASpringWhosePointsCoincideNamesTheSpring) {
  System system = make_slide("0", 1.0, -1.0);
  auto& spring = system.add_force("strut", "spring_damper");
  spring.from = "ground.origin";
  spring.to = "mass.origin";
  set_fixed_step(system, "rk4", 0.25, 2.0);
  system.output.every = 0.25;
  const RunResult run = run_anyhow(std::move(system));
  expect_failure(run, 0.75, 0.0, "the two points of strut coincide");
  EXPECT_EQ(run.table.rows(), 4u);
}

TEST(FailedRun, ByARecorderKeepsTheRowsOfTheOthers) {
  Workspace workspace(make_slide("1"));
  workspace.add_recorder(std::make_unique<BadRecorder>(3));
  const RunResult run = run_anyhow(workspace);
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("t = 0.03 s: the disk is full"));
  EXPECT_LE(run.report.rows, 3);
}

// ---- interruption -----------------------------------------------------------------------------------

class Interrupter final : public UserForce {
 public:
  Interrupter(std::atomic<bool>& flag, double at) : flag_(flag), at_(at) {}
  void add_force(double t, std::span<const BodyMotion<double>>,
                 std::span<SpatialForce<double>>) const override {
    if (t > at_) flag_ = true;
  }

 private:
  std::atomic<bool>& flag_;
  double at_;
};

TEST(Interruption, EndsTheRunSoonAndKeepsItsRows) {
  std::atomic<bool> flag{false};
  System system = make_slide("1");
  system.add_user_force("bell", std::make_shared<Interrupter>(flag, 0.52));
  set_fixed_step(system, "rk4", 0.01, 1e6);
  system.output.every = 0.1;
  system.output.max_rows = 1e8;
  Workspace workspace(system);
  workspace.set_interrupt(&flag);
  const RunResult run = run_anyhow(workspace);
  EXPECT_EQ(run.report.status, RunStatus::kInterrupted);
  EXPECT_EQ(run.report.failure, "");
  EXPECT_EQ(run.report.rows, 7);
  EXPECT_NEAR(run.end("t"), 0.53, 0.011);
  EXPECT_EQ(run.end("t"), run.report.t);
  EXPECT_EQ(run.end("slide.q"), run.report.final_state.q[0]);
}

// One step reaches the end, but there is a row to record for every nanosecond of it.
TEST(Interruption, EndsARunOfManyRowsInOneStep) {
  std::atomic<bool> flag{false};
  class Counter final : public Recorder {
   public:
    explicit Counter(std::atomic<bool>& flag) : flag_(flag) {}
    void begin(const ResultHeader&) override {}
    void record(std::span<const double>) override { flag_ = ++rows_ >= 100; }
    void flush() override {}
    void end() override {}

   private:
    std::atomic<bool>& flag_;
    int rows_ = 0;
  };
  System system = make_slide("1");
  system.output.max_rows = 1e10;
  set_fixed_step(system, "rk4", 1.0, 1.0);
  system.output.every = 1e-9;
  Workspace workspace(system);
  workspace.set_interrupt(&flag);
  workspace.add_recorder(std::make_unique<Counter>(flag));
  const RunReport report = workspace.run();
  EXPECT_EQ(report.status, RunStatus::kInterrupted);
  EXPECT_LE(report.rows, 101);
}

}  // namespace
}  // namespace sestina::test
