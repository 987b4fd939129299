// A System written as text and read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "io/model_file_equality.h"
#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/forces/user_force.h"
#include "sestina/io/model_file.h"
#include "sestina/io/text_file.h"

namespace sestina {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

const fs::path kWritten = fs::path(repository()) / "tests/io/model_file";

class ScratchFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sestina-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};
using ModelFileWriter = ScratchFolder;

std::string error_of(const System& system) {
  try {
    write_model(system);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(ModelFileWriter, WhatItWritesReadsBackToAnEqualSystem) {
  const System system = read_model_file(kWritten / "everything.yaml");
  const std::string text = write_model(system);
  expect_same(read_model(text, (kWritten / "again.yaml").string()), system);
}

TEST_F(ModelFileWriter, WritesLikeAPerson) {
  System system;
  system.name = "pendulum";
  system.set_parameter("l", 0.8);
  system.gravity = {0, -9.81, 0};
  BodySpec& rod = system.add_body("rod", 1.0);
  rod.center_of_mass = {0, "-l/2", 0};
  rod.inertia.xx = "l^2/12";
  rod.inertia.zz = "l^2/12";
  rod.add_point("tip", {0, "-l", 0});
  JointSpec& hinge = system.add_joint("hinge", "revolute", "ground.origin", "rod.origin");
  hinge.axis = {0, 0, 1};
  hinge.q = {1.0};
  system.add_force("drive", "joint_force").value = {"atan2(t, 2)"};
  system.forces[0].joint = "hinge";
  system.analysis.step.driver = "fixed";
  system.analysis.step.dt = 1e-3;
  const std::string expected = R"yaml(sestina: 1
name: pendulum
parameters: {l: 0.8}
gravity: [0, -9.81, 0]
bodies:
  - name: rod
    mass: 1
    center_of_mass: [0, -l/2, 0]
    inertia: {xx: l^2/12, zz: l^2/12}
    points: {tip: [0, -l, 0]}
joints:
  - {name: hinge, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1], q: 1}
forces:
  - {name: drive, type: joint_force, joint: hinge, value: "atan2(t, 2)"}
analysis:
  step: {driver: fixed, dt: 0.001}
)yaml";
  EXPECT_EQ(write_model(system), expected);
}

TEST_F(ModelFileWriter, ElementsInTimeComeBackAsTheyWere) {
  System system;
  system.add_body("a", 1.0);
  system.analysis.coordinates = "state_time";
  expect_same(read_model(write_model(system)), system);
  system.analysis.time_elements.emplace();
  system.analysis.time_elements->elements = "2*n";
  system.analysis.time_elements->pair = "P5P6";
  system.analysis.time_elements->tests = "upwind";
  system.analysis.time_elements->scheme = "linear_quadratic";
  system.analysis.time_elements->windows = 3.0;
  system.analysis.time_elements->tolerance = 1e-6;
  system.analysis.time_elements->stretches = 4.0;
  system.analysis.limits.steps = 1e6;
  system.output.max_rows = "1e3*n";
  system.analysis.limits.wall_time = "60*n";
  expect_same(read_model(write_model(system)), system);
}

TEST_F(ModelFileWriter, NumbersKeepEveryBit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t bits = random();
    const double value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    System system;
    system.add_body("a", value);
    const double back = read_model(write_model(system)).bodies[0].mass->value();
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value)) << value;
  }
  for (const double value : {0.1, 1.0 / 3.0, 1e22, 5e-324, std::numeric_limits<double>::max(), -0.0}) {
    System system;
    system.add_body("a", value);
    const double back = read_model(write_model(system)).bodies[0].mass->value();
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value)) << value;
  }
}

TEST_F(ModelFileWriter, AwkwardTextsComeBackAsTheyWere) {
  for (const char* text :
       {"a: b", "- a",         "# no comment", "null", "true",  "1.5", "it's \"it\"", "line\nbreak",
        "\t",   " ",           "*star",        "&and", "!bang", "[",   "{",           "%",
        "@",    "caf\xC3\xA9", "---",          "a, b", "\\",    "\x01"}) {
    System system;
    system.name = text;
    BodySpec& body = system.add_body(text, 1);
    body.original_name = text;
    body.add_point(text, {0, 0, 0});
    expect_same(read_model(write_model(system)), system);
  }
}

TEST_F(ModelFileWriter, RefusesWhatAFileCannotHold) {
  System system;
  system.add_body("a", 1.0);
  EXPECT_EQ(error_of(system), "no error");
  system.bodies[0].mass = std::numeric_limits<double>::quiet_NaN();
  system.bodies[0].inertia.xy = -std::numeric_limits<double>::infinity();
  EXPECT_THAT(error_of(system), HasSubstr("bodies[0].mass: nan is not finite"));
  EXPECT_THAT(error_of(system), HasSubstr("bodies[0].inertia.xy: -inf is not finite"));
  system.bodies[0] = BodySpec{};
  system.add_user_force("mine", nullptr);
  EXPECT_THAT(error_of(system), HasSubstr("forces[0]: a user force cannot be written"));
  system.forces[0].type = "joint_force";
  system.forces[0].table.emplace();
  EXPECT_THAT(error_of(system), HasSubstr("forces[0].value: a table that has no file cannot be written"));
  system.forces.clear();
  system.name = "\xFF";
  EXPECT_THAT(error_of(system), HasSubstr("is not UTF-8"));
}

TEST_F(ModelFileWriter, AFileIsReplacedWholeOrNotAtAll) {
  const fs::path path = folder_ / "m.yaml";
  System system;
  system.add_body("a", 1.0);
  write_model_file(system, path);
  expect_same(read_model_file(path), system);
  const std::string before = read_text_file(path, 1000);
  System bad = system;
  bad.bodies[0].mass = std::nan("");
  EXPECT_THROW(write_model_file(bad, path), InputError);
  EXPECT_EQ(read_text_file(path, 1000), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()),
            1);  // nothing is left behind
  EXPECT_EQ(fs::status(path).permissions() & fs::perms::owner_all,
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THROW(write_model_file(system, folder_ / "no" / "such" / "m.yaml"), InputError);
}

TEST_F(ModelFileWriter, TablesAreFoundFromTheNewFolder) {
  fs::create_directory(folder_ / "in");
  fs::create_directory(folder_ / "out");
  std::ofstream(folder_ / "in" / "gust.csv") << "t,f\n0,1\n1,2\n";
  std::ofstream(folder_ / "in" / "m.yaml")
      << "sestina: 1\nbodies: [{name: a, mass: 1, shape: {type: mesh, file: a.stl}}]\nforces:\n"
         "- {name: f, type: point_force, at: a.origin, value: {table: gust.csv, columns: [f, f, f]}}\n";
  const System system = read_model_file(folder_ / "in" / "m.yaml");
  write_model_file(system, folder_ / "out" / "m.yaml");
  const System moved = read_model_file(folder_ / "out" / "m.yaml");
  EXPECT_EQ(moved.forces[0].table->file.text, "../in/gust.csv");
  EXPECT_EQ(moved.forces[0].table->values, system.forces[0].table->values);
  EXPECT_EQ(moved.bodies[0].shapes[0].file.text, "../in/a.stl");
  write_model_file(system, folder_ / "in" / "again.yaml");
  EXPECT_EQ(read_model_file(folder_ / "in" / "again.yaml").forces[0].table->file.text, "gust.csv");
}

}  // namespace
}  // namespace sestina
