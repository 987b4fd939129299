// Sweeps: which runs there are, that they are those of single runs, and what becomes of faults and
// interruptions.
#include "sestina/sweep/sweep.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "sestina/base/error.h"

namespace sestina {
namespace {

constexpr const char* kPendulum = R"(sestina: 1
name: pendulum
parameters: {l: 1.0, m: 2.0}
gravity: [0, -9.81, 0]
bodies: [{name: rod, mass: m, center_of_mass: [0, -l/2, 0], inertia: {xx: m*l^2/12, zz: m*l^2/12}}]
joints: [{name: hinge, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1], q: 1}]
analysis: {duration: 0.5}
output: {every: 0.1}
)";

// Reaches infinity at t = 1 / speed.
constexpr const char* kExplosion = R"(sestina: 1
parameters: {speed: 1}
bodies: [{name: mass, type: particle, mass: 1}]
joints: [{name: slide, type: prismatic, parent: ground.origin, child: mass.origin, axis: [1, 0, 0], u: speed}]
forces: [{name: boost, type: joint_force, joint: slide, value: slide.u^2}]
analysis: {duration: 1}
)";

class Sweeps : public testing::Test {
 protected:
  Sweeps() : folder_(std::filesystem::temp_directory_path() / ("sestina_sweep_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    options_.out = folder_ / "s.h5";
  }
  ~Sweeps() override { std::filesystem::remove_all(folder_); }

  SweepReport sweep(const std::string& model, const std::vector<std::string>& axes) {
    return run_sweep(parse_model_tree(model, "model.yaml"), parse_sweep_axes(axes), options_);
  }
  std::vector<SweepRecord> records() const {
    const SweepFile file = SweepFile::open(options_.out, SweepFile::Access::kRead);
    std::vector<SweepRecord> result;
    for (std::size_t run = 0; run < file.header().runs(); ++run) result.push_back(file.read_numbers(run));
    return result;
  }
  SweepHeader header() const { return SweepFile::open(options_.out, SweepFile::Access::kRead).header(); }
  // All that is in the file but its wall times, whose places differ from run to run.
  std::string bytes_without_wall_times() const {
    std::ifstream file(options_.out, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (const SweepRecord& record : records()) {
      const auto time = std::bit_cast<std::array<char, sizeof(double)>>(record.wall_seconds);
      const std::size_t place = bytes.find(std::string(time.begin(), time.end()));
      if (place != std::string::npos) bytes.replace(place, time.size(), time.size(), '\0');
    }
    return bytes;
  }
  std::string fault_of(const std::string& model, const std::vector<std::string>& axes) {
    try {
      sweep(model, axes);
    } catch (const InputError& error) {
      EXPECT_FALSE(std::filesystem::exists(options_.out)) << "something was written";
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
  SweepOptions options_;
};

std::string axis_fault(const std::string& option) {
  try {
    parse_sweep_axis(option);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> values_of(const SweepAxis& axis) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < axis.size(); ++i) values.push_back(axis.value(i));
  return values;
}

TEST(SweepAxis, HasEvenlySpacedNumbersBothEndsIncluded) {
  EXPECT_EQ(
      values_of(parse_sweep_axis("parameters.l=0.5:1.5:11")),
      (std::vector<std::string>{"0.5", "0.6", "0.7", "0.8", "0.9", "1", "1.1", "1.2", "1.3", "1.4", "1.5"}));
  EXPECT_EQ(parse_sweep_axis("x=3:-1:3").numbers, (std::vector<double>{3, 1, -1}));
}

TEST(SweepAxis, HasNumbersOfEqualRatios) {
  const SweepAxis axis = parse_sweep_axis("m=1e-3:1e3:7:log");
  ASSERT_EQ(axis.numbers.size(), 7U);
  EXPECT_EQ(axis.numbers.front(), 1e-3);
  EXPECT_EQ(axis.numbers.back(), 1e3);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(axis.numbers[i] / std::pow(10.0, static_cast<double>(i) - 3), 1.0,
                1e-14);  // of pow's rounding
  }
  EXPECT_EQ(parse_sweep_axis("m=-8:-2:3:log").numbers, (std::vector<double>{-8, -4, -2}));
}

TEST(SweepAxis, HasAnyYamlValues) {
  EXPECT_EQ(values_of(parse_sweep_axis("p=[1, 2.50, 5]")), (std::vector<std::string>{"1", "2.5", "5"}));
  const SweepAxis mixed = parse_sweep_axis("s=[{driver: fixed, dt: 1e-3}, '1', kane, 2*l]");
  EXPECT_EQ(values_of(mixed),
            (std::vector<std::string>{"{driver: fixed, dt: 1e-3}", "\"1\"", "kane", "2*l"}));
  EXPECT_TRUE(mixed.numbers.empty());
}

// As texts they would take ten times the memory.
TEST(SweepAxis, OfManyNumbersTakesEightBytesForEach) {
  const auto peak_of_memory = [] {  // bytes
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
  };
  const long before = peak_of_memory();
  EXPECT_EQ(parse_sweep_axis("x=0:1:10000000").value(9'999'999), "1");
  EXPECT_LT(peak_of_memory() - before, 250'000'000);
}

TEST(SweepAxis, RefusesWhatIsNone) {
  for (const auto& [option, message] : std::vector<std::pair<std::string, std::string>>{
           {"parameters.l", "--vary parameters.l: expected PATH=VALUES"},
           {"=1:2:3", "expected PATH=VALUES"},
           {"l=1:2", "expected a:b:n, a:b:n:log or a list such as [1, 2, 5], found '1:2'"},
           {"l=kane", "expected a:b:n"},
           {"l=1:2:3:lin", "'lin' is not a spacing; allowed: log"},
           {"l=1:2:3:log:x", "expected a:b:n"},
           {"l=a:2:3", "'a' is not a number"},
           {"l=.nan:2:3", "is not a number"},
           {"l=1:1e308:3", "is not a number"},
           {"l=1:2:1", "'1' is not a number of values from 2"},
           {"l=1:2:2.5", "'2.5' is not a number of values"},
           {"l=1:2:99999999999", "is not a number of values"},
           {"l=0:2:3:log", "ends of the same sign"},
           {"l=-1:2:3:log", "ends of the same sign"},
           {"l=[]", "the list of values is empty"},
           {"l=[1, ]]", "the list, column"},
           {"l=[1, null]", "an empty value"},
           {"a/b=[1]", "'/'"}}) {
    EXPECT_NE(axis_fault(option).find(message), std::string::npos) << option << ": " << axis_fault(option);
  }
}

TEST(SweepAxes, AreToldWithAllFaults) {
  try {
    parse_sweep_axes({"l=1:2", "m=1:2:3", "m=[4]", "n=1:2:3:lin"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.faults().size(), 3U) << error.what();
    EXPECT_NE(std::string(error.what()).find("'m' is given twice"), std::string::npos) << error.what();
  }
  EXPECT_THROW(parse_sweep_axes({}), InputError);
  EXPECT_THROW(parse_sweep_axes({"a=1:2:10000", "b=1:2:10000"}), InputError);
}

TEST_F(Sweeps, InterruptedWhileValuesAreCheckedWriteNothing) {
  const std::atomic<bool> interrupt{true};
  options_.interrupt = &interrupt;
  const SweepReport report = sweep(kPendulum, {"analysis.duration=0.1:0.5:20000"});
  EXPECT_EQ(report.status, RunStatus::kInterrupted);
  EXPECT_EQ(report.runs, 20000U);
  EXPECT_EQ(report.complete + report.failed, 0U);
  EXPECT_FALSE(std::filesystem::exists(options_.out));
}

TEST_F(Sweeps, InterruptedWhileALargeFileIsLaidOutLeaveNone) {
  const std::atomic<bool> interrupt{true};
  SweepHeader wide;
  for (int k = 0; k < 40; ++k) wide.columns.push_back({"c" + std::to_string(k), "1"});
  for (int axis = 0; axis < 6; ++axis) {
    SweepAxis& added = wide.axes.emplace_back();
    added.path = std::string(1, static_cast<char>('a' + axis));
    added.numbers = {0, 1, 2, 3, 4, 5, 6, 7};
  }
  EXPECT_FALSE(SweepFile::create(options_.out, wide, &interrupt).has_value());
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Sweeps, LastAxisVariesFastest) {
  sweep(kPendulum,
        {"joints.hinge.q=[0, 1]", "joints.hinge.u=[0, 1, 2]", "analysis.solver=[kane, recursive]"});
  const SweepHeader file = header();
  EXPECT_EQ(file.runs(), 12U);
  EXPECT_EQ(file.settings(9),
            (std::vector<std::string>{"joints.hinge.q=1", "joints.hinge.u=1", "analysis.solver=recursive"}));
  EXPECT_EQ(file.index(9), (std::vector<std::size_t>{1, 1, 1}));
}

TEST_F(Sweeps, RunIsThatOfTheSameSettingsByItself) {
  options_.lanes = false;
  EXPECT_EQ(sweep(kPendulum, {"parameters.l=0.3:1.1:7", "parameters.m=[1, 3]"}).complete, 14U);
  const std::vector<SweepRecord> all = records();
  for (std::size_t run = 0; run < all.size(); ++run) {
    Workspace workspace(read_model(kPendulum, "model.yaml", {header().settings(run)}));
    auto recorder = std::make_unique<MemoryRecorder>();
    const MemoryRecorder* rows = recorder.get();
    workspace.add_recorder(std::move(recorder));
    const RunReport report = workspace.run();
    const std::span<const double> last = rows->table().row(rows->table().rows() - 1);
    EXPECT_EQ(all[run].last_row, std::vector<double>(last.begin(), last.end()));  // to the last bit
    EXPECT_EQ(all[run].steps, report.steps.steps);
    EXPECT_EQ(all[run].energy_drift, report.energy_drift);
    EXPECT_EQ(all[run].rows, report.rows);
    EXPECT_EQ(all[run].rows, 6);
  }
  EXPECT_NE(all[0].last_row, all[1].last_row);
  EXPECT_NE(all[0].last_row, all[2].last_row);
}

TEST_F(Sweeps, RunInALaneIsThatByItselfButForRounding) {
  const std::vector<std::string> axes = {"parameters.l=0.3:1.1:7",
                                         "analysis.integrator=[dormand_prince_54, rkf45]"};
  const SweepReport report = sweep(kPendulum, axes);
  EXPECT_EQ(report.complete, 14U);
  EXPECT_EQ(report.in_lanes, 14U);
  ASSERT_TRUE(report.lanes.has_value());
  EXPECT_EQ(*report.lanes, default_instruction_set());
  EXPECT_EQ(report.reason_alone, "");
  const std::vector<SweepRecord> in_lanes = records();
  options_.lanes = false;
  EXPECT_FALSE(sweep(kPendulum, axes).lanes.has_value());
  const std::vector<SweepRecord> alone = records();
  for (std::size_t run = 0; run < 14; ++run) {
    EXPECT_EQ(in_lanes[run].rows, 6);
    EXPECT_EQ(in_lanes[run].steps, alone[run].steps);
    EXPECT_EQ(in_lanes[run].evaluations, alone[run].evaluations);
    for (std::size_t i = 0; i < alone[run].last_row.size(); ++i) {
      EXPECT_NEAR(in_lanes[run].last_row[i], alone[run].last_row[i], 1e-9);
    }
    EXPECT_GT(in_lanes[run].wall_seconds, 0.0);
  }
}

TEST_F(Sweeps, TellHowManyRunsWereInLanesAndWhyOthersWereNot) {
  const SweepReport report =
      sweep(kPendulum, {"analysis.solver=[recursive, kane, hybrid]", "parameters.l=[0.5, 1]"});
  EXPECT_EQ(report.complete, 6U);
  EXPECT_EQ(report.in_lanes, 2U);
  EXPECT_EQ(report.reason_alone, "the solver is kane, and not recursive");
}

TEST_F(Sweeps, GoOnInTheLanesTheyWereBegunIn) {
  const std::vector<std::string> axes = {"parameters.l=0.3:1.1:3"};
  options_.resume = true;
  std::atomic<bool> interrupt{true};
  options_.interrupt = &interrupt;
  options_.lanes = false;
  sweep(kPendulum, axes);
  interrupt = false;
  options_.lanes = true;
  EXPECT_EQ(sweep(kPendulum, axes).in_lanes, 0U);
  options_.resume = false;
  EXPECT_EQ(sweep(kPendulum, axes).in_lanes, 3U);
  options_.resume = true;
  options_.lanes = false;
  try {
    sweep(kPendulum, axes);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("were computed in lanes"), std::string::npos) << error.what();
  }
}

TEST_F(Sweeps, NumbersDoNotDependOnThreads) {
  const std::vector<std::string> axes = {"parameters.l=0.2:2:20",
                                         "analysis.solver=[kane, recursive, hybrid]"};
  sweep(kPendulum, axes);
  const std::string one = bytes_without_wall_times();
  options_.threads = 3;
  options_.out = folder_ / "t.h5";
  sweep(kPendulum, axes);
  EXPECT_TRUE(bytes_without_wall_times() == one);
}

TEST_F(Sweeps, FailedRunIsRecordedAndTheOthersGoOn) {
  const SweepReport report = sweep(kExplosion, {"parameters.speed=[0.5, 2, 0.25, 4]"});
  EXPECT_EQ(report.status, RunStatus::kFailed);
  EXPECT_EQ(report.complete, 2U);
  EXPECT_EQ(report.failed, 2U);
  ASSERT_EQ(report.failures.size(), 2U);
  EXPECT_EQ(report.failures[0].settings, "parameters.speed=2");
  EXPECT_EQ(report.failures[1].settings, "parameters.speed=4");
  const std::vector<SweepRecord> all = records();
  EXPECT_EQ(all[0].status, SweepStatus::kComplete);
  EXPECT_EQ(all[0].reason, "");
  EXPECT_EQ(all[0].last_row[0], 1.0);  // t, s
  EXPECT_EQ(all[1].status, SweepStatus::kFailed);
  EXPECT_EQ(all[1].reason, report.failures[0].reason);
  EXPECT_NE(all[1].reason.find("t = 0.5"), std::string::npos) << all[1].reason;
  EXPECT_NEAR(all[1].last_row[0], 0.5, 1e-6);  // how far it came
}

// The reasons of runs that do not fail are holes of the file.
TEST_F(Sweeps, WithoutFailuresTakeNoRoomForReasons) {
  options_.record = {"none"};
  sweep(kPendulum, {"parameters.l=1:2:4000", "analysis.duration=[0.01]", "output.every=[0.01]"});
  struct stat file {};
  ASSERT_EQ(::stat(options_.out.c_str(), &file), 0);
  const auto taken = static_cast<double>(file.st_blocks) * 512.0;
  EXPECT_LT(taken, static_cast<double>(file.st_size) - 3500.0 * SweepFile::kReasonBytes);
}

TEST_F(Sweeps, CombinationThatCannotBeginIsRecordedWithItsReason) {
  // Runge and Kutta's fourth order rule estimates no error, so that it has no variable step.
  const SweepReport report =
      sweep(kPendulum, {"analysis.integrator=[rk4, dormand_prince_54]",
                        "analysis.step=[{driver: variable}, {driver: fixed, dt: 1e-3}]"});
  EXPECT_EQ(report.complete, 3U);
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.failures[0].settings, "analysis.integrator=rk4, analysis.step={driver: variable}");
  EXPECT_NE(report.failures[0].reason.find("rk4"), std::string::npos) << report.failures[0].reason;
  EXPECT_TRUE(std::isnan(records()[0].last_row[0]));
}

TEST_F(Sweeps, AxesThatNoRunCanBeginWithAreRefused) {
  EXPECT_NE(fault_of(kPendulum, {"parameters.x=1:2:3"}).find("--vary parameters.x=1: parameters has no 'x'"),
            std::string::npos);
  const std::string slips = fault_of(kPendulum, {"parameters.x=1:2:3", "bodies.rot.mass=[1]"});
  EXPECT_NE(slips.find("has no 'x'"), std::string::npos) << slips;
  EXPECT_NE(slips.find("has no 'rot'"), std::string::npos) << slips;
  const std::string negative = fault_of(kPendulum, {"joints.hinge.q=[0, 1]", "bodies.rod.mass=-2:2:5"});
  EXPECT_NE(negative.find("--vary bodies.rod.mass=-2"), std::string::npos) << negative;
  EXPECT_NE(negative.find("--vary bodies.rod.mass=-1"), std::string::npos) << negative;
  EXPECT_EQ(negative.find("joints.hinge"), std::string::npos) << negative;
  EXPECT_NE(fault_of(kPendulum, {"analysis.solver=[kane, kan]"}).find("'kan' is unknown"), std::string::npos);
  options_.record = {"hinge.x"};
  EXPECT_NE(fault_of(kPendulum, {"parameters.l=1:2:3"}).find("--record: unknown column 'hinge.x'"),
            std::string::npos);
  options_.record = {"none"};
  options_.out = folder_ / "s.csv";
  EXPECT_NE(fault_of(kPendulum, {"parameters.l=1:2:3"}).find("must end in .h5"), std::string::npos);
}

TEST_F(Sweeps, OneKeyByTwoNamesIsRefused) {
  EXPECT_EQ(fault_of(kPendulum, {"bodies.rod.mass=1:2:2", "bodies[0].mass=3:4:2"}),
            "--vary bodies[0].mass: is the same key as --vary bodies.rod.mass");
  const std::string steps = "analysis.step=[{driver: fixed, dt: 0.01}, {driver: fixed, dt: 0.02}]";
  EXPECT_EQ(fault_of(kPendulum, {"analysis.step.rtol=1e-6:1e-4:2", steps}),
            "--vary analysis.step: replaces the key of --vary analysis.step.rtol");
  EXPECT_EQ(fault_of(kPendulum, {"bodies[1].mass=3:4:2", "bodies.rod.mass=1:2:2"}),
            "--vary bodies[1].mass: bodies has 1 items, counted from [0]");
  EXPECT_EQ(sweep(kPendulum, {steps, "analysis.step.rtol=1e-6:1e-4:2"}).complete, 4U);
}

TEST_F(Sweeps, SeriesOfManyRunsAreKeptOnlyWhenAskedFor) {
  const std::string fault = fault_of(kPendulum, {"parameters.l=1:2:2000", "parameters.m=1:2:2000"});
  EXPECT_NE(fault.find("--record"), std::string::npos) << fault;
  options_.record = {"*.q", "energy.total"};
  sweep(kPendulum, {"parameters.l=1:2:3"});
  EXPECT_EQ(header().series, (std::vector<std::string>{"hinge.q", "energy.total"}));
  options_.record = {"none"};
  sweep(kPendulum, {"parameters.l=1:2:3"});
  EXPECT_TRUE(header().series.empty());
  EXPECT_EQ(records()[2].status, SweepStatus::kComplete);
}

TEST_F(Sweeps, HaveRoomForTheRowsOfTheLongestRun) {
  sweep(kPendulum, {"analysis.duration=[0.1, 0.35, 0.2]"});
  EXPECT_EQ(header().rows, 5U);  // 0, 0.1, 0.2, 0.3, 0.35
  EXPECT_EQ(records()[1].rows, 5);
  EXPECT_EQ(records()[0].rows, 2);
  sweep(kPendulum, {"analysis.duration=[0.1, 1]", "output.every=[0.5, 0.01]"});
  EXPECT_EQ(header().rows, 101U);
  EXPECT_EQ(records()[3].rows, 101);
}

TEST_F(Sweeps, HaveRowsOfTheSameInstantsWhateverEventsTheRunsHave) {
  const std::string clock = std::string(kPendulum) +
                            "variables: {ticks: 0}\n"
                            "events: [{name: tick, when: t - m, set: {ticks: ticks + 1}},\n"
                            "         {name: stop, when: t - 4*m, terminal: true}]\n";
  options_.record = {"t", "ticks", "event"};
  const SweepReport report = sweep(clock, {"parameters.m=[0.25, 0.2, 3, 0.1]"});
  EXPECT_EQ(report.complete, 4U);
  EXPECT_EQ(report.rows, 6U);  // 0, 0.1, ..., 0.5
  EXPECT_EQ(report.cut, 0U);
  for (std::size_t run = 0; run < 4; ++run) EXPECT_EQ(records()[run].rows, run < 3 ? 6 : 5) << run;
  // The end of the run that an event ended is its last row.
  const auto column = [&](std::string_view name) {
    std::size_t i = 0;
    while (header().columns[i].name != name) ++i;
    return i;
  };
  EXPECT_NEAR(records()[3].last_row[column("t")], 0.4, 1e-14);
  EXPECT_EQ(records()[3].last_row[column("event")], 2.0);
}

TEST_F(Sweeps, InterruptedAndResumedSweepIsThatOfOneThatWasNot) {
  const std::vector<std::string> axes = {"parameters.l=0.2:2:40"};
  sweep(kPendulum, axes);
  const std::string whole = bytes_without_wall_times();
  options_.out = folder_ / "r.h5";
  options_.resume = true;  // there is none yet
  std::atomic<bool> interrupt{true};
  options_.interrupt = &interrupt;
  SweepReport report = sweep(kPendulum, axes);
  EXPECT_EQ(report.status, RunStatus::kInterrupted);
  EXPECT_EQ(report.complete, 0U);
  {
    // The file that a process leaves which was killed after some runs.
    SweepFile file = SweepFile::open(options_.out, SweepFile::Access::kWrite);
    const SweepFile other = SweepFile::open(folder_ / "s.h5", SweepFile::Access::kRead);
    EXPECT_THROW(SweepFile::open(options_.out, SweepFile::Access::kWrite),
                 InputError);  // it is being written
    SweepRecord partial = other.read_numbers(3);
    partial.status = SweepStatus::kPending;  // the status comes last
    partial.series.assign(header().rows * header().series.size(), 1.0);
    file.write(3, partial);
  }
  interrupt = false;
  report = sweep(kPendulum, axes);
  EXPECT_EQ(report.status, RunStatus::kComplete);
  EXPECT_EQ(report.found, 0U);
  EXPECT_TRUE(bytes_without_wall_times() == whole);
  report = sweep(kPendulum, axes);
  EXPECT_EQ(report.found, 40U);
  EXPECT_EQ(report.complete, 40U);
  EXPECT_TRUE(bytes_without_wall_times() == whole);
}

TEST_F(Sweeps, ResumeRefusesAnotherSweepAndNamesTheDifference) {
  sweep(kPendulum, {"parameters.l=1:2:4"});
  options_.resume = true;
  const auto difference = [&](const std::string& model, const std::vector<std::string>& axes) -> std::string {
    try {
      sweep(model, axes);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  std::string heavier = kPendulum;
  heavier.replace(heavier.find("m: 2.0"), 6, "m: 3.0");
  const std::string other_model = difference(heavier, {"parameters.l=1:2:4"});
  EXPECT_NE(other_model.find("its model is another: line 3"), std::string::npos) << other_model;
  EXPECT_NE(difference(kPendulum, {"parameters.l=1:2:5"})
                .find("parameters.l: 4 values from 1 to 2 and not parameters.l: 5 values"),
            std::string::npos);
  EXPECT_NE(
      difference(kPendulum, {"parameters.l=1:2:4", "parameters.m=[1]"}).find("does not vary parameters.m"),
      std::string::npos);
  EXPECT_NE(difference(kPendulum, {"parameters.l=1:2:4:log"}).find("between the first and the last"),
            std::string::npos);
  options_.record = {"none"};
  EXPECT_NE(difference(kPendulum, {"parameters.l=1:2:4"}).find("(--record)"), std::string::npos);
  options_.record.clear();
  options_.reactions = true;
  EXPECT_NE(difference(kPendulum, {"parameters.l=1:2:4"}).find("(--reactions)"), std::string::npos);
  options_.reactions = false;
  EXPECT_EQ(difference(kPendulum, {"parameters.l=1:2:4"}), "");
  std::ofstream(options_.out) << "text";
  EXPECT_NE(difference(kPendulum, {"parameters.l=1:2:4"}).find("cannot continue"), std::string::npos);
}

TEST_F(Sweeps, ResumeRefusesACurveThatHasChanged) {
  const auto write_track = [&](const char* end) {
    std::ofstream(folder_ / "track.csv") << "s,x,y,z\n0,0,0,0\n1,1,0,-0.1\n2,2,0," << end << "\n";
  };
  const std::string model =
      "sestina: 1\n"
      "parameters: {m: 1}\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies: [{name: car, type: particle, mass: m}]\n"
      "constraints: [{name: track, type: point_on_curve, point: car.origin, curve: ground.origin, start: 0.3,"
      " position: {table: " +
      (folder_ / "track.csv").string() +
      ", columns: [x, y, z]}}]\n"
      "analysis: {duration: 0.1}\n";
  write_track("-0.4");
  sweep(model, {"parameters.m=1:2:2"});
  options_.resume = true;
  EXPECT_NO_THROW(sweep(model, {"parameters.m=1:2:2"}));
  write_track("-0.5");
  try {
    sweep(model, {"parameters.m=1:2:2"});
    ADD_FAILURE() << "the sweep went on along another curve";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("its tables, meshes or reduced bodies were others"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Sweeps, ProgressTellsOfAllRuns) {
  SweepProgress last;
  options_.on_progress = [&](const SweepProgress& progress) { last = progress; };
  options_.lanes = false;  // about a second of work
  sweep(kPendulum, {"parameters.l=1:2:40", "analysis.duration=[200]", "output.every=[200]"});
  EXPECT_EQ(last.runs, 40U);
  EXPECT_GT(last.fraction, 0.0);
  EXPECT_LE(last.fraction, 1.0);
  EXPECT_GE(last.fraction, static_cast<double>(last.done) / 40.0);
  EXPECT_NEAR(last.seconds_left, last.wall_seconds * (1 - last.fraction) / last.fraction, 1e-9);
}

TEST_F(Sweeps, TableHasACurveForEachCombinationOfTheOtherAxes) {
  sweep(kPendulum, {"parameters.l=1:2:3", "parameters.m=[1, 2]"});
  const ResultTable table = read_sweep_table(options_.out, {"hinge.q", "steps"});
  EXPECT_EQ(table.header().names(),
            (std::vector<std::string>{"parameters.l", "hinge.q (parameters.m=1)", "hinge.q (parameters.m=2)",
                                      "steps (parameters.m=1)", "steps (parameters.m=2)"}));
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.at(1, 0), 1.5);
  EXPECT_EQ(table.at(1, 2), records()[3].last_row[1]);
  EXPECT_EQ(table.unit("hinge.q (parameters.m=2)"), "rad");
  EXPECT_THROW(read_sweep_table(options_.out, {"hinge.z"}), InputError);
}

}  // namespace
}  // namespace sestina
