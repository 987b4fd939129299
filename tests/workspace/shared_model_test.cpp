// Workspaces with other values of parameters: the frozen model is shared where that makes no difference, and
// the runs have the bits of a system that was frozen with these values.
#include <gtest/gtest.h>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/workspace/ensemble.h"

namespace sestina::test {
namespace {

using testing_support::message_of;

// A pendulum on a spring with a switch, all of whose numbers depend on parameters.
System switched_pendulum() {
  System system;
  system.set_parameter("l", 0.4);
  system.set_parameter("m", 1.5);
  system.set_parameter("start", 0.2);
  system.set_parameter("twice", "2*l");
  system.set_parameter("end", 1.0);
  system.gravity = {0, 0, -9.81};
  BodySpec& rod = system.add_body("rod", "m");
  rod.center_of_mass = {0, 0, "-l/2"};
  rod.inertia = {.xx = "m*l^2/12", .yy = "m*l^2/12", .zz = "m*l^2/1000"};
  rod.add_point("tip", {0, 0, "-twice/2"});
  JointSpec& hinge = system.add_joint("hinge", "revolute", "ground.origin", "rod.origin");
  hinge.axis = {0, 1, 0}, hinge.q = "start", hinge.u = "l";
  system.add_ground_point("wall", {"twice", 0, 0});
  system.add_spring_damper("band", "ground.wall", "rod.tip", "3*m", 0.1, "l/2");
  system.add_joint_force("drive", "hinge", "s*m*sin(5*t)");
  system.set_variable("s", "start/l");
  system.add_event("switch", "hinge.q").set.push_back({"s", "-s"});
  system.analysis.duration = "end";
  return system;
}

System with_values(System system, const std::vector<ParameterValue>& values) {
  for (const auto& [name, value] : values) system.set_parameter(name, value);
  return system;
}

void expect_same_run(Workspace& a, Workspace& b) {
  const RunReport x = a.run(), y = b.run();
  EXPECT_EQ(x.failure, "");
  EXPECT_EQ(x.final_state.q, y.final_state.q);
  EXPECT_EQ(x.final_state.u, y.final_state.u);
  EXPECT_EQ(x.final_state.d, y.final_state.d);
  EXPECT_EQ(x.t, y.t);
  EXPECT_EQ(x.steps.evaluations, y.steps.evaluations);
  EXPECT_EQ(x.energy_drift, y.energy_drift);
}

TEST(SharedModel, GivesTheBitsOfASystemThatIsFrozenAnew) {
  for (const char* solver : {"recursive", "kane", "compiled", "hybrid"}) {
    for (const char* rule : {"dormand_prince_54", "cvode_bdf"}) {
      System system = switched_pendulum();
      system.analysis.solver = solver;
      system.analysis.integrator.name = rule;
      const Workspace base(system);
      const std::vector<ParameterValue> values{{"l", 0.7}, {"start", -0.4}, {"m", 2.0}};
      const auto other = base.with_parameters(values);
      Workspace anew(with_values(system, values));
      EXPECT_EQ(other->shared_model() == base.shared_model(), std::string(solver) != "hybrid");
      expect_same_run(*other, anew);
      Workspace first(system);
      const RunReport of_first = first.run();
      EXPECT_NE(of_first.final_state.q, other->run().final_state.q);  // the values matter
    }
  }
}

TEST(SharedModel, HasASystemWithItsValues) {
  const Workspace base(switched_pendulum());
  const auto other = base.with_parameters(std::vector<ParameterValue>{{"l", 0.7}});
  Workspace again(other->system());
  expect_same_run(*other, again);
  const auto next = other->with_parameters(std::vector<ParameterValue>{{"m", 3.0}});  // and keeps them
  Workspace both(with_values(switched_pendulum(), {{"l", 0.7}, {"m", 3.0}}));
  EXPECT_EQ(next->shared_model(), base.shared_model());
  expect_same_run(*next, both);
}

TEST(SharedModel, IsNotThatOfValuesThatDecideAboutMore) {
  const Workspace base(switched_pendulum());
  for (const ParameterValue& value : {ParameterValue{"end", 0.5}, {"twice", 1.0}}) {
    const auto other = base.with_parameters(std::span(&value, 1));
    EXPECT_NE(other->shared_model(), base.shared_model()) << value.first;
    Workspace anew(with_values(switched_pendulum(), {value}));
    expect_same_run(*other, anew);
  }
  EXPECT_EQ(base.share_model(std::vector<ParameterValue>{{"m", -1.0}}), nullptr);
}

TEST(SharedModel, RefusesWhatFreezeRefuses) {
  const Workspace base(switched_pendulum());
  const auto message = [&](const char* name, double value) {
    return message_of([&] { base.with_parameters(std::vector<ParameterValue>{{name, value}}); });
  };
  EXPECT_EQ(message("m", -1.0), message_of([] { freeze(with_values(switched_pendulum(), {{"m", -1.0}})); }));
  EXPECT_NE(message("m", -1.0).find("bodies[0].mass: m = -1 is negative"), std::string::npos);
  EXPECT_EQ(message("ll", 1.0), "there is no parameter 'll' (did you mean 'l'?)");
}

}  // namespace
}  // namespace sestina::test
