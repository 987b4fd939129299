// `--set PATH=VALUE`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sestina/base/error.h"
#include "sestina/io/model_file.h"
#include "sestina/io/set_option.h"

namespace sestina {
namespace {

using testing::HasSubstr;

constexpr const char* kModel = R"(sestina: 1
parameters: {l1: 0.8, l2: 1.0}
variables: {bounces: 0}
bodies:
  - &upper {name: upper, mass: 1, points: {tip: [0, -l1, 0]}, shape: [{type: sphere, radius: 1}]}
  - {<<: *upper, name: lower}
joints:
  - {name: hip, type: revolute, parent: ground.origin, child: upper.origin, axis: [0, 0, 1]}
forces:
  - {name: drive, type: joint_force, joint: hip, value: 1}
)";

System read_with(std::vector<std::string> set) { return read_model(kModel, "m.yaml", {std::move(set)}); }

std::string error_of(std::vector<std::string> set) {
  try {
    read_with(std::move(set));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SetOption, ReachesAnyKeyThatIsThere) {
  EXPECT_EQ(read_with({"parameters.l1=2"}).parameters[0].value.value(), 2.0);
  EXPECT_EQ(read_with({"bodies.lower.mass=3"}).bodies[1].mass->value(), 3.0);
  EXPECT_EQ(read_with({"bodies[1].mass=l1*2"}).bodies[1].mass->expression(), "l1*2");
  EXPECT_EQ(read_with({"bodies.upper.points.tip=[1, 2, 3]"}).bodies[0].points[0].position[2].value(), 3.0);
  EXPECT_EQ(read_with({"bodies.upper.points.tip[2]=7"}).bodies[0].points[0].position[2].value(), 7.0);
  EXPECT_EQ(read_with({"bodies.upper.shape[0].radius=.5"}).bodies[0].shapes[0].radius.value(), 0.5);
  EXPECT_EQ(read_with({"forces.drive.value=sin(t)"}).forces[0].value[0].expression(), "sin(t)");
  EXPECT_EQ(read_with({"joints.hip.child=lower.tip"}).joints[0].child.text, "lower.tip");
}

TEST(SetOption, MakesKeysThatWereLeftOut) {
  EXPECT_EQ(read_with({"name=pendulum"}).name, "pendulum");
  EXPECT_EQ(read_with({"analysis.solver=kane"}).analysis.solver.text, "kane");
  EXPECT_EQ(read_with({"analysis.step.dt=1e-3"}).analysis.step.dt->value(), 1e-3);
  EXPECT_EQ(read_with({"joints.hip.q=0.5"}).joints[0].q[0].value(), 0.5);
  const System system = read_with({"analysis.step={driver: fixed, dt: 1e-3}"});
  EXPECT_EQ(system.analysis.step.driver.text, "fixed");
  EXPECT_EQ(system.analysis.step.dt->value(), 1e-3);
}

TEST(SetOption, TheLastOneCounts) {
  const System system = read_with({"analysis.duration=1", "analysis.solver=kane", "analysis.duration=2"});
  EXPECT_EQ(system.analysis.duration.value(), 2.0);
  EXPECT_EQ(system.analysis.solver.text, "kane");
}

TEST(SetOption, ChangesOnlyItsOwnUseOfAnAnchor) {
  const System system = read_with({"bodies.upper.points.tip[0]=5"});
  EXPECT_EQ(system.bodies[0].points[0].position[0].value(), 5.0);
  EXPECT_EQ(system.bodies[1].points[0].position[0].value(), 0.0);
}

TEST(SetOption, TheValueMayHoldEqualsSigns) {
  EXPECT_EQ(read_with({"forces.drive.value=if(t >= 1, 1, 0)"}).forces[0].value[0].expression(),
            "if(t >= 1, 1, 0)");
}

TEST(SetOption, FaultsStandAtTheOption) {
  EXPECT_EQ(error_of({"analysis.solvr=kane"}),
            "--set analysis.solvr=kane: analysis: unknown key 'solvr' (did you mean 'solver'?)");
  EXPECT_EQ(
      error_of({"bodies.upper.mass=true"}),
      "--set bodies.upper.mass=true: bodies[0].mass: expected a number or an expression, found the boolean "
      "'true'");
  EXPECT_EQ(
      error_of({"analysis.step={driver: fixed, dtt: 1}"}),
      "--set analysis.step={driver: fixed, dtt: 1}: analysis.step: unknown key 'dtt' (did you mean 'dt'?)");
  const System system = read_with({"analysis.solver=kane"});
  EXPECT_EQ(to_string(Place{system.analysis.solver.mark, "analysis.solver"}),
            "--set analysis.solver=kane: analysis.solver");
}

TEST(SetOption, UnknownNamesAreFaultsWithTheNearestOne) {
  EXPECT_EQ(error_of({"bodies.uper.mass=1"}),
            "--set bodies.uper.mass=1: bodies has no 'uper' (did you mean 'upper'?)");
  EXPECT_EQ(error_of({"parameters.l3=1"}),
            "--set parameters.l3=1: parameters has no 'l3' (did you mean 'l1'?)");
  EXPECT_EQ(error_of({"variables.bounce=1"}),
            "--set variables.bounce=1: variables has no 'bounce' (did you mean 'bounces'?)");
  EXPECT_EQ(
      error_of({"bodies.upper.points.tips=[0, 0, 0]"}),
      "--set bodies.upper.points.tips=[0, 0, 0]: bodies.upper.points has no 'tips' (did you mean 'tip'?)");
  EXPECT_EQ(error_of({"ground.points.wall=[0, 0, 0]"}),
            "--set ground.points.wall=[0, 0, 0]: ground.points has no 'wall'");
  EXPECT_EQ(error_of({"bodies[2].mass=1"}), "--set bodies[2].mass=1: bodies has 2 items, counted from [0]");
}

TEST(SetOption, MalformedOptionsAreFaults) {
  EXPECT_EQ(error_of({"analysis"}), "--set analysis: expected PATH=VALUE");
  EXPECT_EQ(error_of({""}), "--set : expected PATH=VALUE");
  EXPECT_EQ(error_of({"=1"}), "--set =1: expected PATH=VALUE");
  for (const char* option : {"a..b=1", ".a=1", "a.=1", "a.[0]=1"}) {
    EXPECT_THAT(error_of({option}), HasSubstr("empty key")) << option;
  }
  for (const char* option : {"bodies[-1]=1", "bodies[x]=1", "bodies[0=1", "bodies[]=1",
                             "bodies[99999999999]=1", "[", "[=1", "bodies[0]]=1", "bodies[0]x=1"}) {
    EXPECT_NE(error_of({option}), "no error") << option;
  }
  EXPECT_EQ(error_of({"name={"}).substr(0, 40), "--set name={: the value, column 1: a lis");
  EXPECT_THAT(error_of({"name={a: 1, a: 2}"}), HasSubstr("the key is given twice"));
  EXPECT_THAT(error_of({"parameters.l1.x=1"}), HasSubstr("parameters.l1 is not a list or map"));
  EXPECT_THAT(error_of({"parameters[0]=1"}), HasSubstr("parameters is a map and has no [index]"));
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  EXPECT_THAT(error_of({deep + "=1"}), HasSubstr("the path is too long"));
}

TEST(SetOption, AllOptionsAreCheckedBeforeFaultsAreReported) {
  const std::string error = error_of({"bodies.uper.mass=1", "analysis.solvr=kane"});
  EXPECT_THAT(error, HasSubstr("uper"));
  EXPECT_THAT(error, HasSubstr("solvr"));
}

}  // namespace
}  // namespace sestina
