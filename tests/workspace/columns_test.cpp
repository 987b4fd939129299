// Columns that a model defines by expressions, and integrals among them: closed forms, and that they are the
// same in each kind of run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/workspace/checkpoint.h"
#include "sestina/workspace/ensemble.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;

constexpr double kInertia = 0.5, kTorque = 2.0, kLength = 0.3;

// A rotor at rest that a motor turns with a constant torque: u = torque t / inertia.
System make_motor() {
  System system;
  system.name = "motor";
  system.set_parameter("torque", kTorque);
  system.set_parameter("l", kLength);
  BodySpec& rotor = system.add_body("rotor", 1.0);
  rotor.inertia.zz = kInertia, rotor.inertia.xx = kInertia, rotor.inertia.yy = kInertia;
  rotor.add_point("rim", {"l", 0, 0.1});
  system.add_joint("axle", "revolute", "ground.origin", "rotor.origin").axis = {0, 0, 1};
  system.add_joint_force("motor", "axle", "torque");
  system.analysis.duration = 2.0;
  system.output.every = 0.25;
  return system;
}

TEST(Columns, AreExpressionsOfTheRow) {
  System system = make_motor();
  system.gravity = {0, -3, 0};
  system.add_column("power", "motor.value*axle.u", "W");
  system.add_column("twice", "2*power");
  system.add_column("rim.height", "rotor.rim.y + rotor.origin.z + l", "m");
  system.add_column("axial", "rotor.rim.z");
  system.add_column("ratio", "energy.kinetic/(angular_momentum.z^2 + 1e-9)");
  system.add_column("load", "axle.reaction.force.y");
  system.add_column("instant", "axle.q[0]*0 + t");
  const RunResult run = run_system(system);
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double t = run.at(row, "t"), power = kTorque * kTorque * t / kInertia;
    const double angle = kTorque * t * t / (2.0 * kInertia);
    EXPECT_NEAR(run.at(row, "power"), power, 1e-12);
    EXPECT_NEAR(run.at(row, "twice"), 2.0 * power, 1e-12);
    EXPECT_NEAR(run.at(row, "rim.height"), kLength * std::sin(angle) + kLength, 1e-12);
    EXPECT_EQ(run.at(row, "axial"), 0.1);
    EXPECT_NEAR(run.at(row, "ratio"), row == 0 ? 0.0 : 0.5 / kInertia, 1e-8);
    EXPECT_NEAR(run.at(row, "load"), 3.0, 1e-12);
    EXPECT_EQ(run.at(row, "instant"), t);
  }
  EXPECT_EQ(run.table.unit("power"), "W");
  EXPECT_EQ(run.table.unit("twice"), "");
  EXPECT_FALSE(run.table.has_column("axle.reaction.force.y"));  // used, but not requested
}

TEST(Columns, StandBeforeTheReactions) {
  System system = make_motor();
  system.add_column("load", "axle.reaction.torque.z");
  Workspace workspace(system);
  workspace.record_reactions();
  const RunResult run = run_anyhow(workspace);
  const std::vector<Column>& columns = run.table.header().columns;
  EXPECT_EQ(columns[columns.size() - 7].name, "load");
  EXPECT_NEAR(run.end("load"), kTorque, 1e-12);
  EXPECT_EQ(run.end("load"), run.end("axle.reaction.torque.z"));
}

TEST(Columns, KnowVariablesAndEvents) {
  System system = make_motor();
  system.set_variable("stage", 1);
  EventSpec& event = system.add_event("half", "axle.q - 2", "rising");
  event.set.push_back({"stage", 2});
  system.add_column("state", "10*stage + event");
  const RunResult run = run_system(system);
  EXPECT_EQ(run.at(0, "state"), 10.0);
  EXPECT_EQ(run.end("state"), 20.0);
  const std::vector<double> states = run.table.column("state");
  EXPECT_EQ(std::count(states.begin(), states.end(), 21.0), 1);
}

// ---- integrals ------------------------------------------------------------------------------------------

std::vector<std::string> rules() {
  return {integration_rule_names().begin(), integration_rule_names().end()};
}

class Integrals : public testing::TestWithParam<std::string> {};

TEST_P(Integrals, OfThePowerOfAMotorIsTheChangeOfEnergy) {
  System system = make_motor();
  set_fixed_step(system, GetParam(), 1.0 / 64.0, 2.0);
  system.add_integral("work", "motor.value*axle.u", "J");
  system.add_integral("elapsed", 1);
  system.add_column("mean", "work/max(elapsed, 0.01)", "W");
  const RunResult run = run_system(system);
  // Linear in t: of first order for forward Euler alone, and exact for CVODE's to its tolerance.
  const double tolerance = GetParam() == "forward_euler" ? 0.2 : 1e-6;
  const double expected = kTorque * kTorque * 4.0 / (2.0 * kInertia);
  EXPECT_NEAR(run.end("work"), expected, tolerance);
  EXPECT_NEAR(run.end("work"), run.end("energy.supplied"), 1e-12 * expected);
  EXPECT_NEAR(run.end("elapsed"), 2.0, 1e-12);
  EXPECT_DOUBLE_EQ(run.end("mean"), run.end("work") / run.end("elapsed"));
}

// The work supplied to a robot of many joints and its energy, by each integration method.
TEST_P(Integrals, FollowTheRuleAsTheWorkOfForcesDoes) {
  System system = make_robot();
  add_given_forces(system);
  set_fixed_step(system, GetParam(), 1e-3, 0.05);
  system.add_column("dissipation", "0.05*elbow.u^2");
  system.add_integral("loss", "dissipation");
  system.add_integral("height", "hand.tip.z");
  system.add_integral("action", "energy.kinetic - energy.potential + 0*momentum.x + 0*hand.origin.x");
  const RunResult run = run_system(system);
  EXPECT_GT(run.end("loss"), 1e-6);
  EXPECT_GT(std::abs(run.end("height")), 1e-3);
  System by_dormand_prince = system;
  set_accurate(by_dormand_prince, 0.05, 0.05);
  const RunResult reference = run_system(by_dormand_prince);
  // Forward Euler is off by half a step's change of what it integrates; the others by its square and less.
  const double tolerance = GetParam() == "forward_euler" ? 1e-2 : 1e-4;
  for (const char* column : {"loss", "height", "action"}) {
    EXPECT_NEAR(run.end(column), reference.end(column), tolerance * (1.0 + std::abs(reference.end(column))))
        << column;
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, Integrals, testing::ValuesIn(rules()),
                         [](const auto& test) { return test.param; });

TEST(Integral, OfTheTimeEndsStepsWhereItSwitches) {
  System system = make_motor();
  system.add_integral("pulse", "3*step(t - 0.7)*step(1.1 - t)");
  system.add_integral("ramp", "t");
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("pulse"), 1.2, 1e-12);
  EXPECT_NEAR(run.end("ramp"), 2.0, 1e-12);
  const double t = run.at(3, "t");
  EXPECT_NEAR(run.at(3, "ramp"), 0.5 * t * t, 1e-12);
}

TEST(Integral, ThatDoesNotUseTheTimeLeavesTheMotionAsItIs) {
  System system = make_robot();
  system.analysis.duration = 0.5;
  const RunResult plain = run_system(system);
  system.add_integral("loss", "0.05*elbow.u^2");
  system.add_column("speed", "sqrt(elbow.u^2)");
  const RunResult with_columns = run_system(system);
  ASSERT_EQ(plain.table.rows(), with_columns.table.rows());
  for (std::size_t row = 0; row < plain.table.rows(); ++row) {
    for (std::size_t column = 0; column < plain.table.columns(); ++column) {
      ASSERT_EQ(plain.table.at(row, column), with_columns.table.at(row, column));
    }
  }
  EXPECT_EQ(plain.report.steps.steps, with_columns.report.steps.steps);
}

TEST(Integral, EndsTheRunWhereItsRateIsNotFinite) {
  System system = make_motor();
  system.add_integral("cost", "1/(1 - axle.q)");
  system.analysis.integrator.name = "rk4";
  system.analysis.step.driver = "fixed";
  system.analysis.step.dt = 0.5;  // q = 1 at t = 1/sqrt(2) is passed; q = 2 t^2
  system.set_parameter("torque", 1.0);
  const RunResult run = run_anyhow(system);
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("the rate of column cost is not finite: division by zero"));
}

TEST(Columns, EndTheRunWhereTheyAreNotFinite) {
  System system = make_motor();
  system.add_column("inverse", "1/axle.u");
  const RunResult run = run_anyhow(system);
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("column inverse is not finite: division by zero"));
}

// ---- other kinds of runs --------------------------------------------------------------------------------

System make_measured_robot() {
  System system = make_robot();
  add_given_forces(system);
  system.analysis.duration = 0.2;
  system.output.every = 0.01;
  system.add_integral("loss", "0.05*elbow.u^2", "J");
  system.add_column("share", "loss/(energy.dissipated + 1)");
  system.add_column("height", "hand.tip.z", "m");
  system.add_column("load", "elbow.reaction.torque.x");
  return system;
}

TEST(Columns, GoOnWhereARunIsResumed) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "sestina-columns-test";
  fs::create_directories(folder);
  for (const char* kind : {"csv", "h5"}) {
    const fs::path whole = folder / (std::string("whole.") + kind),
                   parts = folder / (std::string("parts.") + kind);
    Workspace(make_measured_robot()).run(whole);
    const fs::path checkpoint = folder / "run.checkpoint";
    fs::remove(checkpoint);
    std::atomic<bool> bell = false;
    Workspace first(make_measured_robot());
    first.set_interrupt(&bell);
    first.set_checkpoint({.path = checkpoint, .result_file = parts});
    first.on_progress([&](const RunProgress& progress) { bell = progress.t > 0.0; });
    first.set_limits({.steps = 5});
    EXPECT_LT(first.run(parts).t, 0.2);
    Workspace second(make_measured_robot());
    second.set_limits({.steps = 1'000'000});
    EXPECT_EQ(second.resume(read_checkpoint(checkpoint), parts).status, RunStatus::kComplete);
    const ResultTable a = read_result(whole), b = read_result(parts);
    ASSERT_EQ(a.rows(), b.rows());
    for (const char* column : {"loss", "share", "height", "load", "energy.supplied"}) {
      EXPECT_EQ(a.column(column), b.column(column)) << column << " in " << kind;
    }
    EXPECT_EQ(a.unit("loss"), "J");
    EXPECT_EQ(a.unit("share"), "");
  }
  fs::remove_all(folder);
}

TEST(Columns, AreThoseOfStateTimeToo) {
  System system = make_motor();
  system.add_joint_force("brake", "axle", "-0.3*axle.u*sin(3*t)^2");
  system.add_integral("work", "(motor.value + brake.value)*axle.u", "J");
  system.add_column("rim", "rotor.rim.x");
  system.add_column("load", "axle.reaction.torque.z");
  const RunResult by_steps = run_system(system);
  system.analysis.coordinates = "state_time";
  system.analysis.time_elements.emplace().pair = "P5P6";
  const RunResult by_elements = run_system(system);
  for (std::size_t row = 0; row < by_steps.table.rows(); ++row) {
    for (const char* column : {"work", "rim", "load"}) {
      EXPECT_NEAR(by_elements.at(row, column), by_steps.at(row, column), 1e-7) << column;
    }
    EXPECT_NEAR(by_elements.at(row, "work"), by_elements.at(row, "energy.kinetic"), 1e-9);
  }
  EXPECT_GT(by_elements.end("work"), 1.0);
}

TEST(Columns, AreCalculatedInLanes) {
  System system = make_motor();
  system.add_column("power", "motor.value*axle.u + l*rotor.origin.x + 0*energy.total", "W");
  const auto run = [&](const System& model) {
    std::vector<EnsembleMember> members(5);
    for (std::size_t i = 0; i < members.size(); ++i) {
      members[i].parameters = {{"torque", 1.0 + static_cast<double>(i)}};
    }
    EnsembleOptions options;
    options.threads = 1;
    std::vector<ResultTable> tables(members.size());
    options.make_recorder = [&](std::size_t i) -> std::unique_ptr<Recorder> {
      class Keep final : public Recorder {
       public:
        explicit Keep(ResultTable& table) : table_(table) {}
        void begin(const ResultHeader& header) override { table_ = ResultTable(header); }
        void record(std::span<const double> row) override { table_.append_row(row); }
        void flush() override {}
        void end() override {}

       private:
        ResultTable& table_;
      };
      return std::make_unique<Keep>(tables[i]);
    };
    std::vector<RunReport> reports = Workspace(model).run_ensemble(members, options);
    return std::pair(std::move(reports), std::move(tables));
  };
  const auto [reports, tables] = run(system);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const double torque = 1.0 + static_cast<double>(i);
    EXPECT_GT(reports[i].lanes, 0);
    EXPECT_NEAR(tables[i].column("power").back(), torque * torque * 2.0 / kInertia, 1e-11);
  }
  // Members with features that lanes lack are computed by separate runs.
  system.add_integral("work", "motor.value*axle.u");
  const auto [own, own_tables] = run(system);
  EXPECT_EQ(own.front().lanes, 0);
  EXPECT_NEAR(own_tables[1].column("work").back(), 2.0 * 2.0 * 4.0 / (2.0 * kInertia), 1e-9);
}

}  // namespace
}  // namespace sestina::test
