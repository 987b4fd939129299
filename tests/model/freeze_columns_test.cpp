// How freeze() treats the columns that a model defines, and which faults it reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sestina/base/error.h"
#include "sestina/model/freeze.h"
#include "sestina/model/output_columns.h"

namespace sestina {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

System make_system() {
  System system;
  system.set_parameter("l", 0.5);
  system.set_variable("stage", 1);
  BodySpec& arm = system.add_body("arm", 1.0);
  arm.inertia.zz = 0.1, arm.inertia.xx = 0.1, arm.inertia.yy = 0.1;
  arm.add_point("tip", {"l", 0, 0});
  system.add_joint("hinge", "revolute", "ground.origin", "arm.origin").axis = {0, 0, 1};
  system.add_joint_force("drive", "hinge", "sin(t)");
  system.add_point_force("push", "arm.tip", {1, 2, 3});
  system.add_joint_damper("friction", "hinge", 0.1);
  system.add_event("turn", "hinge.q - 1");
  return system;
}

// "path: message" of all faults, each on a line.
std::string faults_of(const System& system) {
  try {
    freeze(system);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string faults_with(const std::string& name, Number value, const char* unit = "") {
  System system = make_system();
  system.add_column("other", "hinge.q");
  system.add_integral("sum", "hinge.u");
  system.add_column(name, std::move(value), unit);
  return faults_of(system);
}

std::string faults_of_rate(Number rate) {
  System system = make_system();
  system.add_integral("sum", "hinge.u");
  system.add_column("half", "sum/2");
  system.add_integral("cost", std::move(rate));
  return faults_of(system);
}

TEST(FreezeColumns, KeepsTheirOrderAndStandsThemBeforeTheReactions) {
  System system = make_system();
  system.add_column("later", "first + sum");
  system.add_integral("sum", "first^2", "J");
  system.add_column("arm.first", "hinge.q");
  system.add_column("first", "arm.first + 1");
  const auto model = freeze(system);
  const OutputColumns& columns = *model->output_columns();
  EXPECT_THAT(columns.integrals, ElementsAre(1));
  EXPECT_EQ(columns.columns[1].unit, "J");
  const std::vector<RowColumn> row = model->row_columns(true);
  const RowLayout layout = row_layout(*model);
  ASSERT_EQ(row.size(), static_cast<std::size_t>(layout.end));
  EXPECT_EQ(row[static_cast<std::size_t>(layout.q)].name, "hinge.q");
  EXPECT_EQ(row[static_cast<std::size_t>(layout.u)].name, "hinge.u");
  EXPECT_EQ(row[static_cast<std::size_t>(layout.d)].name, "stage");
  EXPECT_EQ(row[static_cast<std::size_t>(layout.event)].name, "event");
  EXPECT_EQ(row[static_cast<std::size_t>(layout.origins)].name, "arm.origin.x");
  EXPECT_EQ(row[static_cast<std::size_t>(layout.energy)].name, "energy.kinetic");
  EXPECT_EQ(row[static_cast<std::size_t>(layout.momentum)].name, "momentum.x");
  EXPECT_EQ(row[static_cast<std::size_t>(layout.defined)].name, "later");
  EXPECT_EQ(row[static_cast<std::size_t>(layout.reactions)].name, "hinge.reaction.torque.x");
  EXPECT_EQ(model->row_columns(false).size(), static_cast<std::size_t>(layout.reactions));
  EXPECT_EQ(freeze(make_system())->output_columns(), nullptr);
}

TEST(FreezeColumns, KnowOfTheTimeInRatesAlone) {
  System system = make_system();
  system.forces.clear();
  system.add_column("shown", "t");
  EXPECT_FALSE(freeze(system)->depends_on_time());
  system.add_integral("summed", "step(t - 1)");
  EXPECT_TRUE(freeze(system)->depends_on_time());
  EXPECT_NE(freeze(system)->time_conditions(), nullptr);
}

TEST(FreezeColumns, TellsWhatIsWrongWithNames) {
  EXPECT_THAT(faults_with("arm", 1),
              HasSubstr("output.columns.arm: the name 'arm' is taken by bodies[0].name"));
  EXPECT_THAT(faults_with("stage", 1), HasSubstr("the name 'stage' is taken by variables.stage"));
  EXPECT_THAT(faults_with("other", 1), HasSubstr("the name 'other' is taken by output.columns.other"));
  EXPECT_THAT(faults_with("t", 1), HasSubstr("'t' is reserved"));
  EXPECT_THAT(faults_with("energy.lost", 1), HasSubstr("'energy' is reserved"));
  EXPECT_THAT(faults_with("hinge.q", 1), HasSubstr("results have a column 'hinge.q' already"));
  EXPECT_THAT(faults_with("arm.origin.x", 1), HasSubstr("results have a column 'arm.origin.x' already"));
  EXPECT_THAT(faults_with("hinge.reaction.force.x", 1), HasSubstr("results have a column"));
  for (const char* name : {"", "2nd", "a-b", "a..b", "a.", ".a", "a,b", "hinge.q[0]"}) {
    EXPECT_THAT(faults_with(name, 1), HasSubstr("is not the name of a column")) << name;
  }
  EXPECT_EQ(faults_with("hinge.power", 1), "");
}

TEST(FreezeColumns, TellsWhatIsWrongWithExpressions) {
  EXPECT_THAT(faults_with("x", "2*hinge.w"), HasSubstr("output.columns.x: there is no column, point or "
                                                       "parameter 'hinge.w' (did you mean 'hinge.q'?)"));
  EXPECT_THAT(faults_with("x", "othr"), HasSubstr("(did you mean 'other'?)"));
  EXPECT_THAT(faults_with("x", "arm.tpi.x"), HasSubstr("(did you mean 'arm.tip.x'?)"));
  EXPECT_THAT(faults_with("x", "energy.kinetik"), HasSubstr("(did you mean 'energy.kinetic'?)"));
  EXPECT_THAT(faults_with("x", "hinge.q[3]"), HasSubstr("out of range"));
  EXPECT_THAT(faults_with("x", "push.value"), HasSubstr("force 'push' has 3 values: say push.value[i]"));
  EXPECT_THAT(faults_with("x", "push.value[3]"), HasSubstr("'push.value[3]' is out of range"));
  EXPECT_THAT(faults_with("x", "friction.value"),
              HasSubstr("force 'friction' is a joint_damper and has no value"));
  EXPECT_THAT(faults_with("x", "1 +"), HasSubstr("in '1 +'"));
  EXPECT_THAT(faults_with("x", "hinge.u", "J,W"), HasSubstr("output.columns.x.unit: 'J,W' is not a unit"));
  EXPECT_EQ(faults_with("x", "push.value[2] + drive.value + arm.tip.x + ground.origin.x + l + stage + t"),
            "");
}

TEST(FreezeColumns, TellsOfCircles) {
  System system = make_system();
  system.add_column("a", "b + 1");
  system.add_column("b", "c");
  system.add_column("c", "2*a");
  system.add_column("d", "a");
  system.add_column("self", "self");
  const std::string faults = faults_of(system);
  EXPECT_THAT(faults,
              HasSubstr("output.columns.a: the columns have a circular definition: a -> b -> c -> a"));
  EXPECT_THAT(faults, HasSubstr("output.columns.self: the columns have a circular definition: self -> self"));
  EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 1);
}

TEST(FreezeColumns, TellsWhatCannotBeIntegrated) {
  EXPECT_THAT(faults_of_rate("sum"), HasSubstr("output.columns.cost: 'sum' is an integral"));
  EXPECT_THAT(faults_of_rate("half"), HasSubstr("'sum' is an integral"));
  EXPECT_THAT(faults_of_rate("cost"), HasSubstr("'cost' is an integral"));
  EXPECT_THAT(faults_of_rate("energy.dissipated"), HasSubstr("'energy.dissipated' is an integral"));
  EXPECT_THAT(faults_of_rate("event"), HasSubstr("'event' belongs to rows alone"));
  EXPECT_THAT(faults_of_rate("hinge.reaction.force.x"), HasSubstr("reactions cannot be integrated"));
  EXPECT_EQ(faults_of_rate("energy.kinetic + arm.origin.x + momentum.x + arm.tip.y + stage"), "");
}

TEST(FreezeColumns, HaveAValue) {
  System system = make_system();
  system.add_column("x", 1).value.reset();
  EXPECT_THAT(faults_of(system), HasSubstr("output.columns.x: has no value: expected an expression"));
}

// The faults of a joint are not faults of the columns that use it.
TEST(FreezeColumns, RaiseNoEchoOfOtherFaults) {
  System system = make_system();
  system.joint("hinge").child = "amr.origin";
  system.events.clear();
  system.add_column("x", "hinge.q + hinge.reaction.force.x");
  const std::string faults = faults_of(system);
  EXPECT_THAT(faults, HasSubstr("there is no body 'amr'"));
  EXPECT_THAT(faults, testing::Not(HasSubstr("output.columns")));
}

}  // namespace
}  // namespace sestina
