// Ensembles: runs in lanes against the same runs by themselves, and what must not make a difference.
#include "sestina/workspace/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <thread>

#include "sestina/base/error.h"
#include "sestina/ensemble/late_runs.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

// Keeps the rows of a member beyond the life of its workspace.
class TableRecorder final : public Recorder {
 public:
  explicit TableRecorder(ResultTable& table) : table_(table) {}
  void begin(const ResultHeader& header) override { table_ = ResultTable(header); }
  void record(std::span<const double> row) override { table_.append_row(row); }
  void flush() override {}
  void end() override {}

 private:
  ResultTable& table_;
};

struct EnsembleResult {
  std::vector<RunReport> reports;
  std::vector<ResultTable> tables;
};

EnsembleResult run_members(const System& system, const std::vector<EnsembleMember>& members,
                           EnsembleOptions options = {}) {
  EnsembleResult result;
  result.tables.resize(members.size());
  if (options.threads == 0) options.threads = 1;
  options.make_recorder = [&result](std::size_t member) {
    return std::make_unique<TableRecorder>(result.tables[member]);
  };
  result.reports = Workspace(system).run_ensemble(members, options);
  return result;
}

// Lengths from 0.3 to 0.5 m, and masses that a joint feels.
std::vector<EnsembleMember> members_of_lengths(int count) {
  std::vector<EnsembleMember> members(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    members[static_cast<std::size_t>(i)].parameters = {{"l", 0.3 + 0.2 * i / (count - 1)}};
  }
  return members;
}

// The largest difference of two tables, each column relative to its own largest value, at least one.
double difference_of(const ResultTable& a, const ResultTable& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.header().names(), b.header().names());
  double most = 0.0;
  for (std::size_t k = 0; k < a.columns(); ++k) {
    double scale = 1.0, difference = 0.0;
    for (std::size_t i = 0; i < a.rows(); ++i) {
      scale = std::max(scale, std::abs(a.at(i, k)));
      difference = std::max(difference, std::abs(a.at(i, k) - b.at(i, k)));
    }
    most = std::max(most, difference / scale);
  }
  return most;
}

bool is_same(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}
bool is_same(const RunReport& a, const RunReport& b) {
  return a.status == b.status && a.failure == b.failure && a.t == b.t && a.rows == b.rows &&
         is_same(a.final_state.q, b.final_state.q) && is_same(a.final_state.u, b.final_state.u) &&
         a.energy_drift == b.energy_drift && a.kinetic_energy == b.kinetic_energy &&
         a.steps.steps == b.steps.steps && a.steps.rejected == b.steps.rejected &&
         a.steps.evaluations == b.steps.evaluations && a.steps.smallest_step == b.steps.smallest_step &&
         a.steps.largest_step == b.steps.largest_step && a.lanes == b.lanes;
}

System make_driven_robot() {
  System robot = make_robot();
  add_given_forces(robot);
  robot.forces.pop_back();  // a user force, which lanes do not support
  return robot;
}

RunResult run_alone(System system, const EnsembleMember& member) {
  for (const auto& [name, value] : member.parameters) system.set_parameter(name, value);
  if (member.duration) system.analysis.duration = *member.duration;
  return run_system(std::move(system));
}

class EnsembleOfRule : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Explicit, EnsembleOfRule,
                         testing::Values("forward_euler", "rk4", "rkf45", "dormand_prince_54"));

// Every joint and force, quadratures, and rows between steps. A few hundred steps leave the rounding of
// each, magnified by a motion that is not chaotic within that time.
TEST_P(EnsembleOfRule, WithFixedStepGivesTheRowsOfRunsByThemselves) {
  System robot = make_driven_robot();
  set_fixed_step(robot, GetParam(), 1e-3, 0.3);
  robot.output.every = 0.0137;
  const auto members = members_of_lengths(11);
  const EnsembleResult ensemble = run_members(robot, members);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const RunReport& report = ensemble.reports[i];
    ASSERT_EQ(report.status, RunStatus::kComplete) << report.failure;
    EXPECT_GT(report.lanes, 1);
    const RunResult alone = run_alone(robot, members[i]);
    EXPECT_LE(difference_of(ensemble.tables[i], alone.table), 1e-12) << i;
    EXPECT_EQ(report.rows, alone.report.rows);
    EXPECT_EQ(report.t, 0.3);
    EXPECT_EQ(report.steps.steps, 300);
    EXPECT_EQ(report.steps.evaluations, alone.report.steps.evaluations);
    EXPECT_EQ(report.steps.largest_step, alone.report.steps.largest_step);
    EXPECT_NEAR(report.energy_drift, alone.report.energy_drift, 1e-11);
    EXPECT_NEAR(report.kinetic_energy, alone.report.kinetic_energy, 1e-11);
  }
  EXPECT_GT(difference_of(ensemble.tables[0], ensemble.tables[10]), 1e-3);
}

// Errors of both are below the tolerance times the number of steps and the growth of errors.
TEST(Ensemble, WithErrorControlTakesTheStepsOfRunsByThemselves) {
  for (const char* rule : {"rkf45", "dormand_prince_54"}) {
    for (const char* control : {"pi", "pid"}) {
      for (const bool lands : {false, true}) {
        System robot = make_driven_robot();
        set_accurate(robot, 0.4, 0.05);
        robot.analysis.integrator.name = rule;
        robot.analysis.step.rtol = 1e-8;
        robot.analysis.step.atol = 1e-10;
        robot.analysis.step.control = control;
        robot.analysis.step.land_on_output = lands;
        const auto members = members_of_lengths(11);
        const EnsembleResult ensemble = run_members(robot, members);
        for (std::size_t i = 0; i < members.size(); ++i) {
          const RunResult alone = run_alone(robot, members[i]);
          const RunReport& report = ensemble.reports[i];
          ASSERT_EQ(report.status, RunStatus::kComplete) << report.failure;
          EXPECT_LE(difference_of(ensemble.tables[i], alone.table), 1e-8) << rule << i;
          // Stiff springs keep the steps at the edge of stability, where the errors, and with them which
          // steps are rejected, feel the rounding.
          const auto steps = static_cast<double>(alone.report.steps.steps);
          EXPECT_NEAR(static_cast<double>(report.steps.steps), steps, 0.03 * steps + 1);
          EXPECT_GT(report.steps.rejected + report.steps.steps, 20);
        }
      }
    }
  }
}

// Where nothing is stiff, a step is accepted or rejected otherwise only if its error is within rounding of
// the tolerance.
TEST(Ensemble, RejectsTheStepsThatRunsByThemselvesReject) {
  System chain = make_hanging_chain(3);
  chain.set_parameter("l", 0.0);
  chain.joints[0].q = {"l"};
  chain.analysis.duration = 4.0;
  chain.analysis.step.rtol = 1e-5;
  const auto members = members_of_lengths(10);
  const EnsembleResult ensemble = run_members(chain, members);
  long rejected = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const StepStatistics& alone = run_alone(chain, members[i]).report.steps;
    EXPECT_EQ(ensemble.reports[i].steps.steps, alone.steps);
    EXPECT_EQ(ensemble.reports[i].steps.rejected, alone.rejected);
    EXPECT_EQ(ensemble.reports[i].steps.evaluations, alone.evaluations);
    EXPECT_NEAR(ensemble.reports[i].steps.smallest_step, alone.smallest_step, 1e-6 * alone.smallest_step);
    rejected += alone.rejected;
  }
  EXPECT_GT(rejected, 10);
}

TEST(Ensemble, ConservesEnergy) {
  System chain = make_hanging_chain(7);
  set_accurate(chain, 1.0, 0.1);
  std::vector<EnsembleMember> members(9);
  const State<double> initial = calc_initial_state(*freeze(chain));
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].q = initial.q;
    members[i].u = initial.u;
    members[i].q[2] = 0.1 * static_cast<double>(i);
  }
  for (const RunReport& report : run_members(chain, members).reports) {
    EXPECT_EQ(report.status, RunStatus::kComplete);
    EXPECT_GT(report.lanes, 1);
    EXPECT_LE(report.energy_drift, 1e-9 * report.kinetic_energy);  // some hundred steps of rtol 1e-12
    EXPECT_GT(report.kinetic_energy, 10.0);                        // J
  }
}

// Members whose numbers have other zeros are computed by other code: they must not make their neighbours'
// numbers go that way.
TEST(Ensemble, BitsDoNotDependOnThreadsOrderOrNeighbours) {
  System robot = make_driven_robot();
  robot.set_parameter("rotor", 0.01);
  robot.set_parameter("skew", 0.0);
  robot.joint("elbow").armature = "rotor";
  robot.bodies[1].inertia.xy = "skew";
  set_accurate(robot, 0.2, 0.03);
  robot.analysis.step.rtol = 1e-6;
  std::vector<EnsembleMember> members = members_of_lengths(29);
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].duration = 0.05 + 0.01 * static_cast<double>(i * 7 % 10);
    if (i % 3 == 1) members[i].parameters.emplace_back("rotor", 0.0);
    if (i % 5 == 1) members[i].parameters.emplace_back("skew", 1e-3);
  }
  const EnsembleResult whole = run_members(robot, members);
  const EnsembleResult threads = run_members(robot, members, {.threads = 3});
  std::vector<EnsembleMember> reversed(members.rbegin(), members.rend());
  const EnsembleResult other_way = run_members(robot, reversed);
  for (std::size_t i = 0; i < members.size(); ++i) {
    ASSERT_EQ(whole.reports[i].status, RunStatus::kComplete) << whole.reports[i].failure;
    EXPECT_EQ(whole.reports[i].t, members[i].duration);
    EXPECT_GT(whole.reports[i].lanes, 1);
    const std::size_t mirrored = members.size() - 1 - i;
    const EnsembleResult single = run_members(robot, {members[i]});
    for (const auto& [report, table] : {std::pair(&threads.reports[i], &threads.tables[i]),
                                        std::pair(&other_way.reports[mirrored], &other_way.tables[mirrored]),
                                        std::pair(&single.reports[0], &single.tables[0])}) {
      EXPECT_TRUE(is_same(*report, whole.reports[i])) << i;
      EXPECT_TRUE(is_same(table->values(), whole.tables[i].values())) << i;
    }
  }
}

TEST(Ensemble, IsTheSameOnEveryInstructionSetButForRounding) {
  System robot = make_driven_robot();
  set_fixed_step(robot, "rk4", 2e-3, 0.1);
  const auto members = members_of_lengths(5);
  const EnsembleResult widest = run_members(robot, members);
  for (const InstructionSet set : available_instruction_sets()) {
    const EnsembleResult other = run_members(robot, members, {.instruction_set = set});
    for (std::size_t i = 0; i < members.size(); ++i) {
      EXPECT_EQ(other.reports[i].lanes, lanes_of(set));
      EXPECT_LE(difference_of(other.tables[i], widest.tables[i]), 1e-12);
    }
  }
}

// u' = u^2 reaches infinity at t = 1 / u(0).
TEST(Ensemble, MemberThatFailsTellsItsReasonAndSpoilsNoOther) {
  System slide = make_slide("slide.u^2");
  slide.analysis.duration = 1.0;
  slide.output.every = 0.125;
  std::vector<EnsembleMember> members(20);
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].q = {0.0};
    members[i].u = {i % 4 == 2 ? 2.0 : 0.5 - 0.01 * static_cast<double>(i)};
  }
  const EnsembleResult ensemble = run_members(slide, members);
  System failing = slide;
  failing.joint("slide").u = {2.0};
  const RunResult alone = run_anyhow(failing);
  ASSERT_EQ(alone.report.status, RunStatus::kFailed);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const RunReport& report = ensemble.reports[i];
    if (i % 4 == 2) {
      EXPECT_TRUE(is_same(report, alone.report)) << report.failure;
      EXPECT_TRUE(is_same(ensemble.tables[i].values(), alone.table.values()));
      EXPECT_NE(report.failure.find("t = 0.5"), std::string::npos) << report.failure;
    } else {
      ASSERT_EQ(report.status, RunStatus::kComplete) << report.failure;
      EXPECT_GT(report.lanes, 1);
      // u = u0 / (1 - u0 t); errors grow with u^2, to four times themselves.
      EXPECT_NEAR(report.final_state.u[0], members[i].u[0] / (1.0 - members[i].u[0]), 1e-7);
    }
  }
}

TEST(Ensemble, WithFixedStepTellsWhichMemberLeavesTheNumbers) {
  System slide = make_slide("slide.u^2");
  set_fixed_step(slide, "rk4", 1e-2, 1.0);
  std::vector<EnsembleMember> members(3);
  for (std::size_t i = 0; i < 3; ++i) {
    members[i].q = {0.0};
    members[i].u = {i == 1 ? 50.0 : 0.5};
  }
  const EnsembleResult ensemble = run_members(slide, members);
  EXPECT_EQ(ensemble.reports[0].status, RunStatus::kComplete);
  EXPECT_TRUE(is_same(ensemble.reports[0], ensemble.reports[2]));
  EXPECT_EQ(ensemble.reports[1].status, RunStatus::kFailed);
  EXPECT_FALSE(ensemble.reports[1].failure.empty());
}

// To the last bit as Workspace::run, since that is what it is.
TEST(Ensemble, ComputesByThemselvesTheRunsThatNoLaneCan) {
  const auto expect_alone = [](const System& system) {
    const EnsembleResult ensemble = run_members(system, {{}, {}});
    const RunResult alone = run_system(system);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(ensemble.reports[i].lanes, 0);
      EXPECT_TRUE(is_same(ensemble.reports[i], alone.report));
      EXPECT_TRUE(is_same(ensemble.tables[i].values(), alone.table.values()));
    }
  };
  System kane = make_hanging_chain(3);
  kane.analysis.duration = 0.1;
  kane.analysis.solver = "kane";
  expect_alone(kane);
  System verlet = make_hanging_chain(3);
  set_fixed_step(verlet, "verlet", 1e-2, 0.1);
  expect_alone(verlet);
  System bouncing = make_bouncing_chain();
  bouncing.analysis.duration = 0.5;
  expect_alone(bouncing);
  System airy = make_robot();
  add_given_forces(airy);
  airy.analysis.duration = 0.02;
  expect_alone(airy);
  System short_one = make_hanging_chain(3);
  short_one.analysis.duration = 0.0;
  expect_alone(short_one);
  const std::vector<EnsembleMember> members(2);
  System chain = make_hanging_chain(3);
  chain.analysis.duration = 0.1;
  EXPECT_TRUE(is_same(run_members(chain, members, {.lanes = false}).reports[0], run_system(chain).report));
}

TEST(Ensemble, TellsWhatIsWrongWithAMember) {
  System robot = make_driven_robot();
  robot.analysis.duration = 0.01;
  std::vector<EnsembleMember> members(6);
  members[0].parameters = {{"k", 1.0}};
  members[1].q = {1.0};
  members[2].parameters = {{"l", std::nan("")}};
  members[3].duration = -1.0;
  const State<double> initial = calc_initial_state(*freeze(robot));
  members[4].q = initial.q;
  members[4].u = initial.u;
  members[4].u[3] = INFINITY;
  const std::vector<RunReport> reports = run_members(robot, members).reports;
  EXPECT_NE(reports[0].failure.find("no parameter 'k'"), std::string::npos) << reports[0].failure;
  EXPECT_NE(reports[1].failure.find("initial q has 1 numbers"), std::string::npos) << reports[1].failure;
  EXPECT_NE(reports[4].failure.find("number 3 of the initial u"), std::string::npos) << reports[4].failure;
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(reports[i].status, RunStatus::kFailed) << i;
  EXPECT_EQ(reports[5].status, RunStatus::kComplete);
}

TEST(Ensemble, InterruptedSaysSo) {
  System chain = make_hanging_chain(3);
  std::atomic<bool> interrupt{true};
  const std::vector<EnsembleMember> members(3);
  for (const RunReport& report : run_members(chain, members, {.interrupt = &interrupt}).reports) {
    EXPECT_EQ(report.status, RunStatus::kInterrupted);
  }
}

// Ten million rows within a step: it is looked for an interrupt among them as well.
TEST(Ensemble, InterruptedAmongTheRowsOfAStepEndsSoon) {
  System chain = make_hanging_chain(3);
  chain.analysis.duration = 1.0;
  chain.output.every = 1e-8;
  chain.output.max_rows = 1e9;
  std::atomic<bool> interrupt{false};
  std::chrono::steady_clock::time_point rung;
  std::thread bell([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    rung = std::chrono::steady_clock::now();
    interrupt = true;
  });
  const std::vector<EnsembleMember> members(8);
  const auto reports = Workspace(chain).run_ensemble(members, {.threads = 1, .interrupt = &interrupt});
  const auto ended = std::chrono::steady_clock::now();
  bell.join();
  EXPECT_LT(std::chrono::duration<double>(ended - rung).count(), 1.0);  // 0.2 s, on a busy machine
  for (const RunReport& report : reports) EXPECT_EQ(report.status, RunStatus::kInterrupted);
}

// More structures than wait at a time, each of one member: a number within an expression is none that lanes
// may differ in.
TEST(Ensemble, RunsMembersOfManyStructures) {
  System chain = make_hanging_chain(3);
  chain.analysis.duration = 0.05;
  for (const char* name : {"r0", "r1", "r2"}) chain.set_parameter(name, 0.0);
  for (int i = 0; i < 3; ++i) chain.joints[static_cast<std::size_t>(i)].armature = "r" + std::to_string(i);
  chain.set_parameter("xy", 0.0);
  for (BodySpec& body : chain.bodies) body.inertia.xy = "xy";
  std::vector<EnsembleMember> members;
  for (int i = 0; i < 160; ++i) {
    EnsembleMember& member = members.emplace_back();
    for (int k = 0; k < 3; ++k) {
      member.parameters.emplace_back("r" + std::to_string(k), (i >> k & 1) * 0.1);
    }
    member.parameters.emplace_back("xy", (i >> 3 & 1) * 1e-3);
  }
  const EnsembleResult ensemble = run_members(chain, members);
  for (std::size_t i = 0; i < members.size(); ++i) {
    ASSERT_EQ(ensemble.reports[i].status, RunStatus::kComplete);
    EXPECT_TRUE(is_same(ensemble.reports[i], ensemble.reports[i % 16])) << i;
  }
  EXPECT_FALSE(is_same(ensemble.reports[0], ensemble.reports[1]));
}

TEST(LateRuns, AreToldOnceIfNoneEndsForMuchLongerThanOthersTook) {
  LateRuns late(15);
  EXPECT_EQ(late.look(0, 30.0), "");  // nothing to compare with
  EXPECT_EQ(late.look(14, 31.0), "");
  EXPECT_EQ(late.look(14, 40.9), "");
  EXPECT_EQ(late.look(14, 473.8), "");  // 200 times 31/14 s are 442.9 s
  const std::string hint = late.look(14, 475.0);
  EXPECT_THAT(hint,
              ::testing::StartsWith("14 of 15 runs have ended, one every 2.2 s, and none since 444 s: "));
  EXPECT_EQ(late.look(14, 900.0), "");
  LateRuns all(3);
  EXPECT_EQ(all.look(3, 1.0), "");
  EXPECT_EQ(all.look(3, 1e6), "");
}

}  // namespace
}  // namespace sestina::test
