// A run that is interrupted and resumed is the run that was not, bit for bit; whatever does not belong
// together is refused.
#include "sestina/workspace/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "flexible/reduced_models.h"
#include "sestina/base/error.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/io/checksum.h"
#include "sestina/io/model_file.h"
#include "sestina/io/reduced_file.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

template <class Work>
std::string input_error(Work work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

// A separate folder for each test, with the results and the checkpoint of a run.
class InFolder : public testing::Test {
 protected:
  ~InFolder() override { fs::remove_all(folder_); }

  static fs::path make_folder() {
    std::string name = (fs::temp_directory_path() / "sestina-checkpoint-XXXXXX").string();
    return mkdtemp(name.data());
  }

  const fs::path folder_ = make_folder();
  fs::path checkpoint_ = path("run.checkpoint");
  fs::path path(const char* name) const { return folder_ / name; }
};

// Rings a bell when the run first evaluates forces beyond an instant, in the middle of a step.
class Bell final : public UserForce {
 public:
  Bell(std::atomic<bool>& bell, double at) : bell_(bell), at_(at) {}
  void add_force(double t, std::span<const BodyMotion<double>>,
                 std::span<SpatialForce<double>>) const override {
    if (t > at_) bell_ = true;
  }

 private:
  std::atomic<bool>& bell_;
  double at_;
};

// The joints of a beam are cut.
System make_held_beam() {
  return read_model(R"(sestina: 1
gravity: [0, 0, -9.81]
ground: {points: {right: [1, 0, 0]}}
bodies:
  - name: strip
    type: beam
    centerline: {from: [0, 0, 0], to: [1, 0, 0]}
    elements: 6
    section: {rectangle: [0.02, 0.02]}
    material: {E: 2.1e+11, nu: 0.3, density: 7850, damping: 1.0e-4}
    points: {mid: {at: 0.5}}
  - {name: load, mass: 3.0, center_of_mass: [0, 0, -0.3], inertia: {xx: 0.1, yy: 0.1, zz: 0.15}}
joints:
  - {name: clamp, type: weld, parent: ground.origin, child: strip.start}
  - {name: eye, type: weld, parent: ground.right, child: strip.end}
  - {name: hinge, type: revolute, parent: strip.mid, child: load.origin, axis: [0, 1, 0], u: 1}
)");
}

// Passes a flat position, where its conditions are dependent.
System make_parallelogram() {
  return read_model(R"(sestina: 1
gravity: [0, -9.81, 0]
ground: {points: {right: [1, 0, 0]}}
bodies:
  - {name: crank, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {yy: 0.1, zz: 0.1}, points: {tip: [1, 0, 0]}}
  - {name: rocker, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {yy: 0.1, zz: 0.1}, points: {tip: [1, 0, 0]}}
  - {name: coupler, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {yy: 0.1, zz: 0.1}, points: {tip: [1, 0, 0]}}
joints:
  - {name: left, type: revolute, parent: ground.origin, child: crank.origin, axis: [0, 0, 1], q: 0.3, u: -4}
  - {name: right, type: revolute, parent: ground.right, child: rocker.origin, axis: [0, 0, 1], q: 0.3}
  - {name: elbow, type: revolute, parent: crank.tip, child: coupler.origin, axis: [0, 0, 1], q: -0.3}
  - {name: pin, type: revolute, parent: coupler.tip, child: rocker.tip, axis: [0, 0, 1]}
)");
}

struct Case {
  std::string model, rule, driver, suffix;
};

System make_driven_robot() {
  System system = make_robot();
  add_given_forces(system);
  return system;
}

System make_case(const Case& test) {
  System system = test.model == "beam"            ? make_held_beam()
                  : test.model == "parallelogram" ? make_parallelogram()
                                                  : make_driven_robot();
  system.analysis.integrator.name = test.rule;
  system.analysis.step.driver = test.driver;
  system.analysis.step.dt = 2e-3;
  system.analysis.step.rtol = system.analysis.step.atol = 1e-6;
  system.analysis.duration = 0.2;
  system.output.every = 0.003;
  return system;
}

// ---- bit for bit ------------------------------------------------------------------------------------

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const std::string& rule : integration_rule_names()) list.push_back({"robot", rule, "fixed", "csv"});
  for (const std::string& rule : names_of_rules_with_error_estimate())
    list.push_back({"robot", rule, "variable", "csv"});
  list.push_back({"robot", "dormand_prince_54", "variable", "h5"});
  for (const char* rule : {"radau_iia", "generalized_alpha", "trapezoidal"})
    list.push_back({"beam", rule, "fixed", "csv"});
  for (const char* model : {"beam", "parallelogram"}) {
    for (const char* rule : {"radau_iia", "generalized_alpha"})
      list.push_back({model, rule, "variable", "csv"});
  }
  return list;
}

class Resuming : public InFolder, public testing::WithParamInterface<Case> {
 protected:
  RunReport run(double interrupt_at, const fs::path& result) {
    bell_ = false;
    System system = make_system(interrupt_at);
    Workspace workspace(system);
    workspace.set_interrupt(&bell_);
    workspace.set_checkpoint({.path = checkpoint_, .result_file = result});
    return workspace.run(result);
  }
  RunReport resume(double interrupt_at, const fs::path& result) {
    bell_ = false;
    Workspace workspace(make_system(interrupt_at));
    workspace.set_interrupt(&bell_);
    workspace.set_checkpoint({.path = checkpoint_, .result_file = result});
    return workspace.resume(read_checkpoint(checkpoint_), result);
  }
  System make_system(double interrupt_at) {
    System system = make_case(GetParam());
    system.add_user_force("bell", std::make_shared<Bell>(bell_, interrupt_at));
    return system;
  }
  void expect_same_result(const fs::path& a, const fs::path& b) {
    const ResultTable x = read_result(a), y = read_result(b);
    ASSERT_EQ(x.rows(), y.rows());
    EXPECT_TRUE(std::ranges::equal(x.values(), y.values()));
    if (a.extension() == ".csv") {
      EXPECT_EQ(contents(a), contents(b));
    }
  }

  static constexpr double kNever = std::numeric_limits<double>::infinity();
  std::atomic<bool> bell_{false};
};

TEST_P(Resuming, GivesTheBitsOfAnUninterruptedRun) {
  const std::string suffix = "." + GetParam().suffix;
  const fs::path whole = folder_ / ("whole" + suffix), parts = folder_ / ("parts" + suffix);
  const RunReport reference = run(kNever, whole);
  ASSERT_EQ(reference.status, RunStatus::kComplete);
  for (const double at : {0.0, 0.0105, 0.07, 0.1979}) {
    RunReport report = run(at, parts);
    ASSERT_EQ(report.status, RunStatus::kInterrupted) << at;
    EXPECT_LE(report.checkpoint_t, report.t);
    report = resume(kNever, parts);
    EXPECT_EQ(report.status, RunStatus::kComplete) << report.failure;
    expect_same_result(whole, parts);
    EXPECT_EQ(report.final_state.q, reference.final_state.q);
    EXPECT_EQ(report.final_state.u, reference.final_state.u);
    EXPECT_EQ(report.rows, reference.rows);
    EXPECT_EQ(report.energy_drift, reference.energy_drift);
    EXPECT_EQ(report.kinetic_energy, reference.kinetic_energy);
    EXPECT_EQ(report.steps.steps, reference.steps.steps);
    EXPECT_EQ(report.steps.rejected, reference.steps.rejected);
    EXPECT_EQ(report.steps.smallest_step, reference.steps.smallest_step);
  }
}

TEST_P(Resuming, OfAResumedRunGivesThemToo) {
  const std::string suffix = "." + GetParam().suffix;
  const fs::path whole = folder_ / ("whole" + suffix), parts = folder_ / ("parts" + suffix);
  run(kNever, whole);
  run(0.02, parts);
  for (const double at : {0.02, 0.05, 0.0501, 0.11, 0.17}) {
    EXPECT_EQ(resume(at, parts).status, RunStatus::kInterrupted) << at;
  }
  EXPECT_EQ(resume(kNever, parts).status, RunStatus::kComplete);
  expect_same_result(whole, parts);
}

INSTANTIATE_TEST_SUITE_P(All, Resuming, testing::ValuesIn(cases()), [](const auto& test) {
  return test.param.model + "_" + test.param.rule + "_" + test.param.driver + "_" + test.param.suffix;
});

// ---- the file ---------------------------------------------------------------------------------------

Checkpoint make_checkpoint() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Checkpoint checkpoint;
  checkpoint.program = "sestina 7";
  checkpoint.model_file = "/a folder/m.yaml";
  checkpoint.model_text = "sestina: 1\nchecksum 3\n";
  checkpoint.tables = 0xfedcba9876543210;
  checkpoint.provenance = {{"a: key", "two\nlines"}, {"empty", ""}};
  checkpoint.reactions = true;
  checkpoint.step.state = {0.1, {-0.0, 4.9e-324, 1e308}, {1.0 / 3.0}, {}, {-3.25}};
  checkpoint.step.rule_memory = {2.2250738585072011e-308};
  checkpoint.step.control = {0.0, 1e-3, 0.7, 0.6, {5, 2, 77, 1e-9, 0.1}};
  checkpoint.events = {{-1.0, 1.0, 0.0}, {1e9, 0.0, 2.0}, {0.1, 0.2, 0.3}, {4.0, 0.0, 1.0}};
  checkpoint.next_row = 9;
  checkpoint.rows = 10;
  checkpoint.rows_checksum = 0x0123456789abcdef;
  checkpoint.last_row = {0.1, kNan, -std::numeric_limits<double>::infinity()};
  return checkpoint;
}

std::uint64_t checksum_of(const std::vector<double>& row) {
  RowChecksum sum;
  sum.add(row);
  return sum.value();
}

TEST(CheckpointText, ReadsBackToTheSameBits) {
  const std::string text = to_text(make_checkpoint());
  EXPECT_EQ(to_text(parse_checkpoint(text, "c")), text);
  const Checkpoint read = parse_checkpoint(text, "c");
  const Checkpoint written = make_checkpoint();
  EXPECT_TRUE(std::signbit(read.step.state.q[0]));
  EXPECT_EQ(read.step.state.q, written.step.state.q);
  EXPECT_EQ(read.step.rule_memory, written.step.rule_memory);
  EXPECT_EQ(checksum_of(read.last_row), checksum_of(written.last_row));
  EXPECT_EQ(read.rows_checksum, written.rows_checksum);
  EXPECT_EQ(read.model_text, written.model_text);
  EXPECT_EQ(read.provenance, written.provenance);
  EXPECT_EQ(read.tables, written.tables);
  EXPECT_EQ(read.step.control.statistics.evaluations, 77);
  EXPECT_EQ(read.step.control.error_before, 0.6);
  EXPECT_EQ(read.step.state.d, written.step.state.d);
  EXPECT_EQ(read.events.sides, written.events.sides);
  EXPECT_EQ(read.events.counts, written.events.counts);
  EXPECT_EQ(read.events.window_start, written.events.window_start);
  EXPECT_EQ(read.events.window_counts, written.events.window_counts);
}

TEST(CheckpointText, WithAnyByteChangedIsRefused) {
  const std::string text = to_text(make_checkpoint());
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const int bit : {1, 4, 128}) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ bit);
      EXPECT_THAT(input_error([&] { parse_checkpoint(damaged, "c"); }), testing::StartsWith("c:")) << i;
    }
  }
}

TEST(CheckpointText, CutAnywhereIsRefused) {
  const std::string text = to_text(make_checkpoint());
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_THAT(input_error([&] { parse_checkpoint(text.substr(0, i), "c"); }), testing::StartsWith("c:"))
        << i;
  }
  EXPECT_THAT(input_error([&] { parse_checkpoint(text.substr(0, 300), "c"); }), HasSubstr("cut short"));
}

TEST(CheckpointText, SaysWhatIsWrong) {
  EXPECT_THAT(input_error([] { parse_checkpoint("sestina: 1\n", "m.yaml"); }),
              HasSubstr("m.yaml: is not a checkpoint"));
  std::string other = to_text(make_checkpoint());
  other.replace(other.find(" 4\n"), 3, " 2\n");
  EXPECT_THAT(input_error([&] { parse_checkpoint(other, "c"); }), HasSubstr("of version 2"));
  EXPECT_THAT(input_error([] { read_checkpoint("/nowhere/at/all"); }), HasSubstr("/nowhere/at/all"));
}

// The text with another line, and the checksum that belongs to it.
std::string with_line(const std::string& text, const std::string& key, const std::string& value) {
  const std::size_t begin = text.find("\n" + key + " ") + 1;
  std::string changed = text;
  changed.replace(begin, text.find('\n', begin) - begin, key + " " + value);
  changed.resize(changed.rfind("\nchecksum ") + 1);
  Checksum sum;
  sum.add(changed);
  return changed + fmt::format("checksum {:016x}\n", sum.value());
}

TEST(CheckpointText, WithAValueThatIsNoneIsRefusedThoughItsChecksumFits) {
  const std::string text = to_text(make_checkpoint());
  EXPECT_EQ(parse_checkpoint(with_line(text, "next_row", "10"), "c").next_row, 10);
  const auto refusal = [&](const char* key, const char* value) {
    return input_error([&] { parse_checkpoint(with_line(text, key, value), "c"); });
  };
  EXPECT_THAT(refusal("complete", "maybe"), HasSubstr("c:4:1: complete: 'maybe' is neither yes nor no"));
  EXPECT_THAT(refusal("next_row", "9.5"), HasSubstr("next_row: '.5' follows the numbers"));
  EXPECT_THAT(refusal("q", "3 0 0"), HasSubstr("'' is not a number"));
  EXPECT_THAT(refusal("q", "999999999999 0"), HasSubstr("the list is shorter than its length says"));
  EXPECT_THAT(refusal("rows_checksum", "xyz"), HasSubstr("rows_checksum: 'xyz' is not a checksum"));
  EXPECT_THAT(refusal("provenance", "9"), HasSubstr("expected 'key', found 'model'"));
}

// ---- numbers that no run writes --------------------------------------------------------------------------

// Checkpoints of a run of a slide with this rule, interrupted at 0.05 s.
class Forged : public InFolder, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    System system = make_system();
    system.add_user_force("bell", std::make_shared<Bell>(bell_, 0.05));
    Workspace workspace(system);
    workspace.set_interrupt(&bell_);
    workspace.set_checkpoint({.path = checkpoint_, .result_file = path("r.csv")});
    ASSERT_EQ(workspace.run(path("r.csv")).status, RunStatus::kInterrupted);
    text_ = contents(checkpoint_);
    result_ = contents(path("r.csv"));
  }
  static System make_system() {
    System system = make_slide("sin(t)");
    system.analysis.integrator.name = GetParam();
    system.analysis.step.driver = "fixed";
    system.analysis.step.dt = 1e-3;
    system.analysis.duration = 0.1;
    system.output.every = 0.01;
    return system;
  }
  // Why resuming is refused; empty where it is not.
  std::string resume(const std::string& checkpoint) {
    write(path("r.csv"), result_);
    System system = make_system();
    system.add_user_force("bell", std::make_shared<Bell>(bell_, 1e300));
    try {
      Workspace(system).resume(parse_checkpoint(checkpoint, "c"), path("r.csv"));
    } catch (const InputError& error) {
      EXPECT_EQ(contents(path("r.csv")), result_);
      return error.what();
    }
    return "";
  }

  std::atomic<bool> bell_{false};
  std::string text_, result_;
};

INSTANTIATE_TEST_SUITE_P(Rules, Forged,
                         testing::Values("rk4", "lobatto_iiia_iiib", "adams_bashforth_moulton", "verlet",
                                         "velocity_verlet", "cvode_bdf"),
                         [](const auto& rule) { return rule.param; });

TEST_P(Forged, NumbersEndInAReportOrAnInputError) {
  EXPECT_EQ(resume(text_), "");
  for (const char* key : {"next_row", "rows", "last_row", "t", "q", "u", "z", "d", "rule_memory", "t_start",
                          "next_step", "last_error", "error_before", "steps", "event_sides"}) {
    std::istringstream line(
        text_.substr(text_.find("\n" + std::string(key) + " ") + std::string(key).size() + 2));
    std::string all;
    std::getline(line, all);
    std::vector<std::string> numbers;
    std::istringstream words(all);
    for (std::string word; words >> word;) numbers.push_back(word);
    for (std::size_t i = 0; i < std::min<std::size_t>(numbers.size(), 4); ++i) {
      for (const char* other : {"nan", "inf", "-1", "0.5", "7", "1e300", "4000000000"}) {
        std::vector<std::string> changed = numbers;
        changed[i] = other;
        SCOPED_TRACE(fmt::format("{} {} {}", key, i, other));
        resume(with_line(text_, key, fmt::format("{}", fmt::join(changed, " "))));
      }
    }
  }
}

TEST_P(Forged, StatesTimesAndMemoriesAreRefused) {
  EXPECT_THAT(resume(with_line(text_, "t", "-1")), HasSubstr("the checkpoint cannot be of a run: t is -1"));
  EXPECT_THAT(resume(with_line(text_, "u", "1 nan")),
              HasSubstr("the checkpoint cannot be of a run: u is nan"));
  EXPECT_THAT(resume(with_line(text_, "next_row", "4000000000")), HasSubstr("next_row is 4000000000"));
  EXPECT_THAT(resume(with_line(text_, "rule_memory", "2 1 1000")), HasSubstr("does not hold what"));
  const Checkpoint checkpoint = parse_checkpoint(text_, "c");
  if (checkpoint.step.rule_memory.empty()) return;
  for (const double number :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Checkpoint changed = checkpoint;
    changed.step.rule_memory.front() = number;
    EXPECT_THAT(resume(to_text(changed)),
                HasSubstr("the checkpoint does not hold what " + GetParam() + " remembers"));
  }
  if (GetParam().starts_with("v")) return;  // verlet and velocity_verlet remember no count
  for (const double count : {-1.0, 0.5, 501.0}) {
    Checkpoint changed = checkpoint;
    changed.step.rule_memory.front() = count;
    EXPECT_THAT(resume(to_text(changed)),
                HasSubstr("the checkpoint does not hold what " + GetParam() + " remembers"));
  }
}

// ---- where it cannot be written --------------------------------------------------------------------------

class Writing : public InFolder {
 protected:
  // Runs a slide with these options into r.csv, where an earlier result stands.
  std::string refusal(CheckpointOptions options) {
    write(path("r.csv"), "earlier");
    options.result_file = path("r.csv");
    std::string message = input_error([&] {
      Workspace workspace(make_slide("1"));
      workspace.set_checkpoint(options);
      workspace.run(path("r.csv"));
    });
    EXPECT_EQ(contents(path("r.csv")), "earlier");
    return message;
  }
};

TEST_F(Writing, WhereItCannotBeIsRefusedBeforeTheRun) {
  EXPECT_THAT(refusal({.path = path("no") / "such" / "c"}), HasSubstr("no directory"));
  EXPECT_THAT(refusal({.path = folder_}), HasSubstr("directory"));
  EXPECT_THAT(refusal({.path = ""}), HasSubstr("empty"));
  EXPECT_THAT(refusal({.path = path("r.csv")}), HasSubstr("the same file as the result"));
  EXPECT_THAT(refusal({.path = path("c"), .every_wall = 0}), HasSubstr("apart"));
}

TEST_F(Writing, OverSomethingElseIsRefused) {
  write(path("model.yaml"), "sestina: 1\n");
  EXPECT_THAT(refusal({.path = path("model.yaml")}), HasSubstr("is not overwritten"));
  EXPECT_EQ(contents(path("model.yaml")), "sestina: 1\n");
  EXPECT_THAT(refusal({.path = "/dev/null"}), HasSubstr("is not overwritten"));
}

// At the tenth row the folder of the checkpoint goes away.
TEST_F(Writing, ThatFailsInTheMidstIsToldAtTheEnd) {
  class Remover final : public Recorder {
   public:
    explicit Remover(fs::path folder) : folder_(std::move(folder)) {}
    void begin(const ResultHeader&) override {}
    void record(std::span<const double>) override {
      if (++rows_ == 10) fs::remove_all(folder_);
    }
    void flush() override {}
    void end() override {}

   private:
    fs::path folder_;
    int rows_ = 0;
  };
  fs::create_directory(path("sub"));
  Workspace workspace(make_slide("1"));
  workspace.set_checkpoint({.path = path("sub") / "c", .every_wall = 1e-9});
  workspace.add_recorder(std::make_unique<Remover>(path("sub")));
  const RunReport report = workspace.run();
  EXPECT_EQ(report.status, RunStatus::kComplete);
  EXPECT_EQ(report.rows, 101);
  EXPECT_GT(report.checkpoints, 0);
  EXPECT_THAT(report.checkpoint_failure, HasSubstr("no directory"));
}

// ---- what does not belong together ---------------------------------------------------------------------

class Mismatch : public InFolder {
 protected:
  void SetUp() override {
    for (const char* name : {"r.csv", "r.h5"}) {
      std::atomic<bool> now{true};
      Workspace workspace(make_slide("sin(t)"));
      workspace.set_interrupt(&now);
      workspace.set_checkpoint({.path = checkpoint_, .result_file = path(name)});
      ASSERT_EQ(workspace.run(path(name)).status, RunStatus::kInterrupted);
    }
  }
  // The message when resuming with a result file is refused; the file must stay unchanged.
  std::string refusal(const char* result, const System& system = make_slide("sin(t)")) {
    const std::string before = contents(path(result));
    const bool existed = fs::exists(path(result));
    std::string message =
        input_error([&] { Workspace(system).resume(read_checkpoint(checkpoint_), path(result)); });
    EXPECT_EQ(contents(path(result)), before);
    EXPECT_EQ(fs::exists(path(result)), existed);
    return message;
  }
};

TEST_F(Mismatch, OfTheModelIsRefused) {
  EXPECT_THAT(refusal("r.csv", make_slide("sin(2*t)")), HasSubstr("another model"));
  EXPECT_THAT(refusal("r.csv", make_robot()), HasSubstr("another model"));
}

TEST_F(Mismatch, OfTheResultIsRefused) {
  EXPECT_THAT(refusal("absent.csv"), HasSubstr("there is no such file"));
  EXPECT_THAT(refusal("absent.h5"), HasSubstr("there is no such file"));
  for (const char* name : {"other.csv", "other.h5"}) {
    Workspace(make_slide("t")).run(path(name));
    EXPECT_THAT(refusal(name), HasSubstr("cannot continue")) << name;
  }
  // The same header and another row.
  std::string text = contents(path("r.csv"));
  text.replace(text.rfind("\n0,"), 5, "\n0,7,");
  write(path("changed.csv"), text);
  EXPECT_THAT(refusal("changed.csv"), HasSubstr("its first 1 rows are not those of this run"));
  // No row at all.
  write(path("short.csv"), text.substr(0, text.rfind("\n0,") + 1));
  EXPECT_THAT(refusal("short.csv"), HasSubstr("it has 0 rows, and should have 1"));
}

TEST_F(Mismatch, OfACompleteRunIsRefused) {
  Workspace workspace(make_slide("sin(t)"));
  workspace.set_checkpoint({.path = checkpoint_});
  workspace.run();
  EXPECT_TRUE(read_checkpoint(checkpoint_).is_complete);
  EXPECT_THAT(refusal("r.csv"), HasSubstr("is complete: it ended at t = 1 s"));
}

TEST_F(Mismatch, OfTheMemoryOfARuleIsRefused) {
  Checkpoint checkpoint = read_checkpoint(checkpoint_);
  checkpoint.step.rule_memory.resize(3);
  EXPECT_THAT(input_error([&] { Workspace(make_slide("sin(t)")).resume(checkpoint); }),
              HasSubstr("dormand_prince_54 remembers"));
}

TEST_F(InFolder, TablesThatHaveChangedAreRefused) {
  write(path("gust.csv"), "t,f\n0,0\n1,1\n");
  Checkpoint checkpoint;
  checkpoint.model_file = path("m.yaml");
  checkpoint.model_text =
      "sestina: 1\n"
      "bodies: [{name: mass, type: particle, mass: 1}]\n"
      "joints: [{name: slide, type: prismatic, parent: ground.origin, child: mass.origin, axis: [1, 0, 0]}]\n"
      "forces: [{name: gust, type: joint_force, joint: slide, value: {table: gust.csv, columns: [f]}}]\n";
  checkpoint.tables = checksum_of_files(read_model(checkpoint.model_text, checkpoint.model_file));
  EXPECT_NO_THROW(read_model_of(checkpoint));
  write(path("gust.csv"), "t,f\n0,0\n1,1.0000000000000002\n");
  EXPECT_THAT(input_error([&] { read_model_of(checkpoint); }), HasSubstr("have changed"));
}

TEST_F(InFolder, CurveThatHasChangedIsRefused) {
  write(path("track.csv"), "s,x,y,z\n0,0,0,0\n1,1,0,0\n2,2,0,0\n");
  Checkpoint checkpoint;
  checkpoint.model_file = path("m.yaml");
  checkpoint.model_text =
      "sestina: 1\n"
      "bodies: [{name: car, type: particle, mass: 1}]\n"
      "constraints: [{name: track, type: point_on_curve, point: car.origin, curve: ground.origin, start: 0.3,"
      " position: {table: track.csv, columns: [x, y, z]}}]\n";
  checkpoint.tables = checksum_of_files(read_model(checkpoint.model_text, checkpoint.model_file));
  EXPECT_NO_THROW(read_model_of(checkpoint));
  write(path("track.csv"), "s,x,y,z\n0,0,0,0\n1,1,0,0\n2,2,0,1e-300\n");
  EXPECT_THAT(input_error([&] { read_model_of(checkpoint); }), HasSubstr("have changed"));
}

TEST_F(InFolder, ReducedBodyOfWhichAnyNumberHasChangedIsRefused) {
  const auto original = testing_support::make_particle_body(3, 8, 2).reduced;
  const auto store = [&](const ReducedModes& modes) { write_reduced_modes(modes, path("flex.h5")); };
  store(*original);
  Checkpoint checkpoint;
  checkpoint.model_file = path("m.yaml");
  checkpoint.model_text = "sestina: 1\nbodies: [{name: flex, type: reduced, file: flex.h5}]\n";
  checkpoint.tables = checksum_of_files(read_model(checkpoint.model_text, checkpoint.model_file));
  EXPECT_NO_THROW(read_model_of(checkpoint));
  const std::vector<std::function<void(ReducedModes&)>> changes{
      [](ReducedModes& modes) { modes.mass = std::nextafter(modes.mass, 10.0); },
      [](ReducedModes& modes) { modes.frequencies[1] *= 1.5; },
      [](ReducedModes& modes) { modes.center_of_mass.z += 1e-9; },
      [](ReducedModes& modes) { modes.J1[1].xy += 1e-12; },
      [](ReducedModes& modes) { modes.interfaces.back().turns[1].z += 1e-12; },
      [](ReducedModes& modes) { modes.interfaces.back().name += "x"; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ReducedModes changed = *original;
    changes[i](changed);
    store(changed);
    EXPECT_THAT(input_error([&] { read_model_of(checkpoint); }), HasSubstr("have changed")) << "change " << i;
  }
}

}  // namespace
}  // namespace sestina::test
