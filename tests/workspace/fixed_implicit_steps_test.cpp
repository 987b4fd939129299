// Fixed steps of implicit rules, which are solved to round-off: where nothing moves, where the directions of
// a joint that closes a loop could change their order, and where the tangents change within a step.
#include <gtest/gtest.h>

#include "slider_crank.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

class FixedImplicitSteps : public testing::TestWithParam<const char*> {};

// An arm of three links that motors hold against gravity: it comes to rest.
TEST_P(FixedImplicitSteps, GoOnWhereAStiffArmIsAtRest) {
  System system;
  system.gravity = {0, 0, -9.81};
  std::string parent = "ground.origin";
  for (const char* name : {"first", "second", "third"}) {
    BodySpec& link = system.add_body(name, 5.0);
    link.center_of_mass = {0.25, 0, 0.05};
    link.inertia.xx = 0.02, link.inertia.yy = 0.1, link.inertia.zz = 0.1;
    link.add_point("tip", {0.5, 0, 0.1});
    const std::string joint = std::string(name) + "_hinge";
    system.add_joint(joint, "revolute", parent, std::string(name) + ".origin").axis = {0, 1, 0};
    system.add_joint_spring(joint + "_spring", joint, {4e4});
    system.add_joint_damper(joint + "_damper", joint, {400});
    parent = std::string(name) + ".tip";
  }
  for (const char* coordinates : {"relative", "cartesian"}) {
    set_fixed_step(system, GetParam(), 1e-3, 3.0);
    system.analysis.coordinates = coordinates;
    const RunResult run = run_anyhow(system);
    EXPECT_EQ(run.report.status, RunStatus::kComplete) << coordinates << ": " << run.report.failure;
    EXPECT_NEAR(run.end("first_hinge.u"), 0.0, 1e-9);
    EXPECT_GT(std::abs(run.end("first_hinge.q")), 1e-3);
  }
}

TEST_P(FixedImplicitSteps, TakeTheSliderCrankThroughATurn) {
  System system = make_slider_crank();
  set_accurate(system, 1.0, 1.0);
  const RunResult exact = run_system(system);
  for (const char* coordinates : {"relative", "cartesian"}) {
    set_fixed_step(system, GetParam(), 1e-3, 1.0);
    system.analysis.coordinates = coordinates;
    const RunResult run = run_anyhow(system);
    EXPECT_EQ(run.report.status, RunStatus::kComplete) << coordinates << ": " << run.report.failure;
    EXPECT_NEAR(run.end("slider.origin.x"), exact.end("slider.origin.x"), 1e-4) << coordinates;
  }
}

// A level chain is released. The tension of each step, which was zero before it, is larger than what holds
// the links by their inertia: tangents from the beginning of the step do not contract.
TEST_P(FixedImplicitSteps, TakeNewTangentsWithinAStep) {
  System system;
  system.gravity = {0, -9.81, 0};
  std::string parent = "ground.origin";
  for (int i = 0; i < 100; ++i) {
    const std::string name = "link" + std::to_string(i), joint = "hinge" + std::to_string(i);
    BodySpec& link = system.add_body(name, 1.0);
    link.inertia.xx = link.inertia.yy = link.inertia.zz = 0.1;
    link.add_point("a", {-0.5, 0, 0});
    link.add_point("b", {0.5, 0, 0});
    system.add_joint(joint, "revolute", parent, name + ".a").axis = {0, 0, 1};
    parent = name + ".b";
  }
  set_accurate(system, 0.2, 0.2);
  const double exact = run_system(system).end("link99.origin.x");
  system.analysis.coordinates = "cartesian";
  double errors[2];
  for (const int i : {0, 1}) {
    set_fixed_step(system, GetParam(), i == 0 ? 0.05 : 0.0125, 0.2);
    errors[i] = std::abs(run_system(system).end("link99.origin.x") - exact);
  }
  EXPECT_LT(errors[0], 5e-4);
  EXPECT_LT(errors[1], errors[0] / 10.0);
}

INSTANTIATE_TEST_SUITE_P(Rules, FixedImplicitSteps, testing::Values("generalized_alpha", "radau_iia"));

}  // namespace
}  // namespace sestina::test
