#include "sestina/io/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "io/model_file_equality.h"
#include "io/result_testing.h"
#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/io/model_file_reader.h"
#include "sestina/io/text_file.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kModelFiles = std::filesystem::path(repository()) / "tests/io/model_file";

// The example of the format's definition.
constexpr const char* kDoublePendulum = R"(sestina: 1
name: double pendulum
parameters: {l1: 0.8, m1: 1.0, l2: 1.0, m2: 0.5}
gravity: [0, -2, 0]                       # m/s^2, in ground axes
bodies:
  - name: upper
    type: rigid                           # rigid | particle
    mass: m1
    center_of_mass: [0, -l1/2, 0]
    inertia: {xx: m1*l1^2/12, yy: 0, zz: m1*l1^2/12}
    points: {tip: [0, -l1, 0]}
    shape: {type: cylinder, radius: 0.02, length: l1}
  - {name: lower, mass: m2, center_of_mass: [0, -l2/2, 0], inertia: {xx: m2*l2^2/12, yy: 0, zz: m2*l2^2/12}}
joints:
  - {name: hip, type: revolute, parent: ground.origin, child: upper.origin, axis: [0, 0, 1], q: 1.0, u: 1.0}
  - {name: knee, type: revolute, parent: upper.tip, child: lower.origin, axis: [0, 0, 1], q: 0.2, u: -2.0}
forces:
  - {name: friction, type: joint_damper, joint: knee, damping: 0.0}
  - {name: drive, type: joint_force, joint: hip, value: "0.1*sin(3*t) - 0.2*hip.u"}
analysis:
  coordinates: relative
  solver: recursive
  integrator: dormand_prince_54
  step: {driver: variable, rtol: 1e-8, atol: 1e-10}
  duration: 5
output: {every: 0.01}
)";

std::string error_of(const std::string& text) {
  try {
    read_model(text, "m.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string with_body(const std::string& keys) { return "sestina: 1\nbodies:\n- {name: a, " + keys + "}\n"; }

TEST(ModelFile, ReadsTheDoublePendulumAsItStands) {
  const System system = read_model(kDoublePendulum);
  System expected;
  expected.name = "double pendulum";
  expected.analysis.integrator.name = "dormand_prince_54";
  expected.set_parameter("l1", 0.8);
  expected.set_parameter("m1", 1.0);
  expected.set_parameter("l2", 1.0);
  expected.set_parameter("m2", 0.5);
  expected.gravity = {0, -2, 0};
  BodySpec& upper = expected.add_body("upper", "m1");
  upper.center_of_mass = {0, "-l1/2", 0};
  upper.inertia.xx = "m1*l1^2/12";
  upper.inertia.zz = "m1*l1^2/12";
  upper.add_point("tip", {0, "-l1", 0});
  ShapeSpec shape;
  shape.type = "cylinder";
  shape.radius = 0.02;
  shape.length = "l1";
  upper.shapes.push_back(shape);
  BodySpec& lower = expected.add_body("lower", "m2");
  lower.center_of_mass = {0, "-l2/2", 0};
  lower.inertia.xx = "m2*l2^2/12";
  lower.inertia.zz = "m2*l2^2/12";
  JointSpec& hip = expected.add_joint("hip", "revolute", "ground.origin", "upper.origin");
  hip.axis = {0, 0, 1};
  hip.q = {1.0};
  hip.u = {1.0};
  JointSpec& knee = expected.add_joint("knee", "revolute", "upper.tip", "lower.origin");
  knee.axis = {0, 0, 1};
  knee.q = {0.2};
  knee.u = {-2.0};
  ForceSpec& friction = expected.add_force("friction", "joint_damper");
  friction.joint = "knee";
  friction.damping = {0.0};
  ForceSpec& drive = expected.add_force("drive", "joint_force");
  drive.joint = "hip";
  drive.value = {"0.1*sin(3*t) - 0.2*hip.u"};
  expected.analysis.duration = 5.0;
  expected.output.every = 0.01;
  expect_same(system, expected);
}

TEST(ModelFile, MarksStandWhereTheThingsStand) {
  const System system = read_model(kDoublePendulum, "dp.yaml");
  const auto place = [](const Mark& mark) { return to_string(Place{mark, ""}); };
  EXPECT_EQ(place(system.parameters[0].name.mark), "dp.yaml:3:14");
  EXPECT_EQ(place(system.parameters[0].value.mark), "dp.yaml:3:18");
  EXPECT_EQ(place(system.gravity[1].mark), "dp.yaml:4:14");
  EXPECT_EQ(place(system.bodies[0].mark), "dp.yaml:6:5");
  EXPECT_EQ(place(system.bodies[0].mass->mark), "dp.yaml:8:11");
  EXPECT_EQ(place(system.bodies[0].inertia.mark), "dp.yaml:10:14");
  EXPECT_EQ(place(system.bodies[0].inertia.zz.mark), "dp.yaml:10:42");
  EXPECT_EQ(place(system.bodies[0].points[0].name.mark), "dp.yaml:11:14");
  EXPECT_EQ(place(system.bodies[1].name.mark), "dp.yaml:13:12");
  EXPECT_EQ(place(system.joints[0].parent.mark), "dp.yaml:15:41");
  EXPECT_EQ(place(system.joints[0].q_mark), "dp.yaml:15:97");
  EXPECT_EQ(place(system.forces[0].damping_mark), "dp.yaml:18:64");
  EXPECT_EQ(place(system.analysis.step.driver.mark), "dp.yaml:24:18");
  EXPECT_EQ(place(system.output.every->mark), "dp.yaml:26:17");
}

TEST(ModelFile, LeavesDefaultsWhereNothingIsGiven) {
  System expected;
  expected.add_body("a", 1);
  expect_same(read_model("sestina: 1\nbodies: [{name: a, mass: 1}]"), expected);
}

TEST(ModelFile, ReadsEveryKeyThereIs) {
  const System system = read_model_file(kModelFiles / "everything.yaml");
  ASSERT_EQ(system.bodies.size(), 10u);
  const BodySpec& base = system.bodies[0];
  ASSERT_EQ(base.shapes.size(), 4u);
  EXPECT_EQ(base.shapes[3].file.text, "meshes/base.stl");
  EXPECT_EQ(base.points[1].axes->kind, RotationSpec::Kind::kAxisAngle);
  EXPECT_EQ(base.points[2].axes->kind, RotationSpec::Kind::kMatrix);
  EXPECT_EQ(base.points[2].axes->numbers[1].value(), -1.0);
  EXPECT_EQ(base.points[2].axes->numbers[3].value(), 1.0);
  EXPECT_EQ(system.ground_points[1].axes->numbers[1].expression(), "pi/6");
  EXPECT_FALSE(system.bodies[1].inertia_check);
  EXPECT_EQ(system.bodies[5].name.text, "c");
  EXPECT_EQ(system.bodies[5].inertia.xx.value(), 1.0);
  EXPECT_EQ(system.joints[1].limits->effort->value(), 10.0);
  EXPECT_EQ(system.joints[3].pitch->value(), 0.01);
  EXPECT_EQ(system.forces[3].value[1].expression(), "2*t");
  EXPECT_EQ(system.analysis.integrator.name.text, "lobatto_iiia_iiib");
  ASSERT_TRUE(system.forces[6].table);
  EXPECT_THAT(system.forces[6].table->time, ElementsAre(0, 0.5, 1));
  EXPECT_THAT(system.forces[6].table->values[0], ElementsAre(0, 1, 2.5));
  EXPECT_THAT(system.forces[6].table->values[2], ElementsAre(0, -1e-3, 0));
  EXPECT_EQ(system.forces[7].table->interpolation.text, "cubic");
}

TEST(ModelFile, EveryKeyFreezes) {
  EXPECT_NO_THROW(freeze(read_model_file(kModelFiles / "everything.yaml")));
}

TEST(ModelFile, TheExampleOfTheReferenceIsAModel) {
  const std::string page = read_text_file(repository() + "/docs/model_file.md", 1 << 20);
  const std::string fence = "```yaml\n";
  const std::size_t begin = page.find(fence) + fence.size();
  const System system = read_model(page.substr(begin, page.find("```", begin) - begin));
  EXPECT_EQ(system.joints.size(), 2u);
  EXPECT_NO_THROW(freeze(system));
}

TEST(ModelFile, TellsNumbersFromExpressions) {
  const auto mass = [](const std::string& text) {
    return *read_model(with_body("mass: " + text)).bodies[0].mass;
  };
  EXPECT_EQ(mass("1").value(), 1.0);
  EXPECT_EQ(mass("1.5e-3").value(), 1.5e-3);
  EXPECT_EQ(mass(".5").value(), 0.5);
  EXPECT_EQ(mass("-.5").value(), -0.5);
  EXPECT_EQ(mass("+2.").value(), 2.0);
  EXPECT_EQ(mass("1E2").value(), 100.0);
  EXPECT_EQ(mass("'3'").value(), 3.0);
  EXPECT_EQ(mass("0.1").value(), 0.1);  // the nearest double
  EXPECT_EQ(mass("1e-400").value(), 0.0);
  EXPECT_EQ(mass("4.9e-324").value(), std::numeric_limits<double>::denorm_min());
  for (const char* text :
       {"m1", "2*m1", "-m1", "(1+2)", "1 + 2", "0x10", "1_000", "e3", "1e", "inf", "'true'", "1d0"}) {
    EXPECT_TRUE(mass(text).is_expression()) << text;
  }
  for (const char* text : {".inf", "-.inf", ".nan", ".NaN", "1e400", "-1e400", "'.inf'"}) {
    EXPECT_THAT(error_of(with_body("mass: " + std::string(text))), HasSubstr("is not finite")) << text;
  }
  for (const char* text : {"true", "False", "null", "~", "''", "[1]", "{a: 1}", "[]"}) {
    EXPECT_THAT(error_of(with_body("mass: " + std::string(text))),
                HasSubstr("m.yaml:3:19: bodies[0].mass: expected a number or an expression, found "))
        << text;
  }
}

TEST(ModelFile, ReadsOnlyItsVersion) {
  EXPECT_THAT(error_of("sestina: 2\nbodies: 5"),
              "m.yaml:1:10: sestina: '2' is not a version that this program reads; it reads 1");
  EXPECT_THAT(error_of("bodies: []"), HasSubstr("the key 'sestina' is missing"));
  EXPECT_THAT(error_of(""), HasSubstr("the file holds no model"));
  EXPECT_THAT(error_of("- 1"), HasSubstr("expected a map"));
  EXPECT_THAT(error_of("urdf"), HasSubstr("expected a map"));
}

TEST(ModelFile, ReportsAllFaultsInTheOrderOfTheFile) {
  try {
    read_model(
        "sestina: 1\nbodys: 3\nbodies:\n- {nam: a, mass: true}\n- {name: b, mass: [1], name: c}\n"
        "joints: {}\noutput: {every: .inf}\n",
        "m.yaml");
    FAIL() << "no error";
  } catch (const InputError& error) {
    std::vector<std::string> lines;
    for (const Fault& fault : error.faults()) lines.push_back(to_string(fault));
    EXPECT_THAT(
        lines,
        ElementsAre(
            "m.yaml:2:1: unknown key 'bodys' (did you mean 'bodies'?)",
            "m.yaml:4:3: bodies[0]: the key 'name' is missing",
            "m.yaml:4:4: bodies[0]: unknown key 'nam' (did you mean 'name'?)",
            "m.yaml:4:18: bodies[0].mass: expected a number or an expression, found the boolean 'true'",
            "m.yaml:5:19: bodies[1].mass: expected a number or an expression, found a list",
            "m.yaml:5:24: bodies[1].name: the key is given twice, first in line 5",
            "m.yaml:6:9: joints: expected a list, found a map",
            "m.yaml:7:17: output.every: .inf is not finite"));
  }
}

TEST(ModelFile, SaysWhereFilesCannotBeRead) {
  const auto error = [](const std::filesystem::path& path) {
    try {
      read_model_file(path);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error("no/such.yaml"), "no/such.yaml: cannot be opened: No such file or directory");
  EXPECT_THAT(error(kModelFiles), HasSubstr("is a folder, not a file"));
  EXPECT_EQ(error("/dev/zero"), "/dev/zero: is a device, not a file");
  const sestina::test::TemporaryDirectory directory;
  for (const auto& [bytes, message] :
       {std::pair{0, ":1:1: the file holds no model; one begins with `sestina: 1`"},
        std::pair{(64 << 20) + 1, ": is larger than 64 MiB"}}) {
    const std::filesystem::path path = directory / "m.yaml";
    std::ofstream(path).close();
    std::filesystem::resize_file(path, static_cast<std::uintmax_t>(bytes));
    EXPECT_EQ(error(path), path.string() + message);
  }
}

TEST(ModelFile, StopsCollectingFaultsOfAHostileFile) {
  std::string text = "sestina: 1\nbodies: [";
  for (int i = 0; i < 100'000; ++i) text += "1,";
  try {
    read_model(text + "]");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.faults().size(), 1001u);
  }
}

}  // namespace
}  // namespace sestina
