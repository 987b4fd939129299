// Where the mass matrix is singular every formulation says so, by the joint's name, and never gives a NaN;
// where it is only close to singular they give the right answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamics/evaluation.h"
#include "dynamics/mechanisms.h"
#include "sestina/base/error.h"
#include "sestina/base/memory.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/kane_solver.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/model/analysis.h"

namespace sestina {
namespace {

using namespace testing_support;
using testing::AllOf;
using testing::HasSubstr;

// The solver's message for the state; empty if it finds accelerations, which then must be finite.
std::string failure(const System& system, const std::string& solver, double spread = 0.5) {
  const auto model = freeze(system);
  ForwardDynamics dynamics(model, calc_properties(*model), solver);
  State<double> state = calc_initial_state(*model);
  SplitMix random(1);
  std::vector<double> displacement(static_cast<std::size_t>(model->nu()));
  for (double& x : displacement) x = spread * random.signed_unit();
  plus_q<double>(*model, state.q, displacement, state.q);
  for (double& u : state.u) u += random.signed_unit();
  std::vector<double> udot(static_cast<std::size_t>(model->nu()));
  try {
    dynamics.calc_udot(state, udot);
  } catch (const ComputationError& error) {
    return error.what();
  }
  for (const double x : udot) EXPECT_TRUE(std::isfinite(x));
  return {};
}

void expect_singular_at(const System& system, const std::string& joint) {
  for (const std::string& solver : solver_names()) {
    EXPECT_THAT(failure(system, solver),
                AllOf(HasSubstr("singular"), HasSubstr("at joint " + joint + ":"), HasSubstr(joint + ".u")))
        << solver;
  }
}
void expect_regular(const System& system) {
  for (const std::string& solver : solver_names()) EXPECT_EQ(failure(system, solver), "") << solver;
}

// An arm of two links, then a body `last` on a joint of the given type with awkward axes.
System arm_with(const std::string& type, double mass) {
  System system = revolute_chain(2);
  PointSpec& wrist = system.body("link1").add_point("wrist", {0.7, 0.1, -0.2});
  wrist.axes = RotationSpec::rpy(0.3, -1.1, 2.0);
  BodySpec& last = system.add_body("last", mass);
  last.add_point("hub", {-0.4, 0.2, 0.3}).axes = RotationSpec::axis_angle({1, 2, -1}, 0.8);
  JointSpec& joint = system.add_joint("test", type, "link1.wrist", "last.hub");
  const JointInfo& info = joint_info(*joint_type_from_keyword(type));
  if (info.has_axis) joint.axis = {0.3, -0.5, 0.7};
  if (info.has_second_axis) joint.second_axis = {0.9, 0.2, -0.1};
  if (info.numbers.pitch) joint.pitch = 0.1;
  return system;
}

class EveryJoint : public testing::TestWithParam<std::string> {};

TEST_P(EveryJoint, WithAMasslessTipIsSingular) {
  const System system = arm_with(GetParam(), 0.0);
  if (GetParam() == "weld") {
    expect_regular(system);  // nothing can move by itself
  } else {
    expect_singular_at(system, "test");
  }
}

TEST_P(EveryJoint, WithATipOfMassAndInertiaIsRegular) {
  System system = arm_with(GetParam(), 0.1);
  system.body("last").inertia = {.xx = 1e-3, .yy = 2e-3, .zz = 2e-3};
  expect_regular(system);
}

TEST_P(EveryJoint, ThatTurnsAPointMassAboutItselfIsSingular) {
  System system = arm_with(GetParam(), 2.0);
  system.body("last").type = "particle";
  system.joint("test").child = "last.origin";
  if (GetParam() == "weld" || GetParam() == "prismatic" || GetParam() == "xyz" || GetParam() == "screw") {
    expect_regular(system);  // every motion displaces the mass
  } else {
    expect_singular_at(system, "test");
  }
}

INSTANTIATE_TEST_SUITE_P(Joints, EveryJoint, testing::ValuesIn(joint_keywords()),
                         [](const auto& test) { return test.param; });

TEST(SingularMassMatrix, OfAPointMassOnTheAxisIsFoundForAnyAxis) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SplitMix random(seed);
    const auto a = random.direction();
    const double along = random.uniform(-1e3, 1e3);  // far out on the axis
    for (const char* type : {"revolute", "cylindrical"}) {
      System system = arm_with(type, std::pow(10.0, random.uniform(-6.0, 6.0)));
      system.joint("test").axis = {a[0], a[1], a[2]};
      system.joint("test").child = "last.origin";
      system.body("last").center_of_mass = {along * a[0], along * a[1], along * a[2]};
      expect_singular_at(system, "test");
    }
  }
}

TEST(SingularMassMatrix, OfAPointMassInThePlaneOfTheUniversalJointsAxesIsFound) {
  System system = arm_with("universal", 2.0);
  JointSpec& joint = system.joint("test");
  joint.child = "last.origin";
  joint.axis = {0.6, 0, 0.8};
  joint.second_axis = {-0.8, 0, 0.6};
  // With the second angle at zero the mass at c and both axes lie in one plane, and stay there while the
  // first angle turns both.
  system.body("last").center_of_mass = {0.35, 0, 0.15};
  const auto model = freeze(system);
  const State<double> state = calc_initial_state(*model);
  for (const std::string& solver : solver_names()) {
    ForwardDynamics dynamics(model, calc_properties(*model), solver);
    std::vector<double> udot(static_cast<std::size_t>(model->nu()));
    EXPECT_THROW(dynamics.calc_udot(state, udot), ComputationError) << solver;
  }
  EXPECT_EQ(failure(system, "recursive"), "") << "away from that plane there is inertia";
}

TEST(SingularMassMatrix, OfAnyLeafMadeMasslessInARandomTreeIsFound) {
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    System system = random_system(seed, {.has_forces = false});
    const auto model = freeze(system);
    const BodyIndex last(model->bodies().size() - 1);  // in the model's order the last body is a leaf
    const BodyInfo& leaf = model->bodies()[last];
    if (leaf.nu == 0) continue;
    BodySpec& body = system.body(leaf.name);
    body.mass = 0.0, body.inertia = {};
    const bool floats = leaf.joint_name == leaf.name;
    if (!floats) system.joint(leaf.joint_name).armature.reset();
    expect_singular_at(system, leaf.joint_name);
    ++tried;
  }
  EXPECT_GT(tried, 40);
}

TEST(SingularMassMatrix, OfAMasslessBodyBetweenTwoJointsOnOneAxisIsFoundAtTheInnerJoint) {
  System system = revolute_chain(3);
  system.body("link1").mass = 0, system.body("link1").inertia = {};
  system.joint("joint2").parent = "link1.origin";
  system.joint("joint1").axis = system.joint("joint2").axis = {0.2, 0.9, -0.4};
  expect_singular_at(system, "joint1");
}

TEST(SingularMassMatrix, OfAMasslessRodBetweenBallsIsFound) {
  System system = ball_chain(3);  // it may spin about its own line
  system.body("link1").mass = 0, system.body("link1").inertia = {};
  expect_singular_at(system, "joint1");
}

TEST(SingularMassMatrix, OfAFloatingBodyWithoutInertiaIsFound) {
  System system;
  system.add_body("dust", 1.0);
  expect_singular_at(system, "dust");
}

TEST(MasslessBody, WithRotorInertiaObeysItsTorque) {
  System system = arm_with("revolute", 0.0);
  system.joint("test").armature = 0.25;
  ForceSpec& drive = system.add_force("drive", "joint_force");
  drive.joint = "test", drive.value = {2.0};
  const auto model = freeze(system);
  Evaluation<double> at(model);
  at.solve<RecursiveSolver>(calc_initial_state(*model));
  EXPECT_NEAR(at.udot[2], 8.0, 1e-14);  // a quotient, to a few roundings
  at.solve<KaneSolver>();
  EXPECT_NEAR(at.udot[2], 8.0, 1e-14);
}

TEST(MasslessBody, InsideAChainIsHarmless) {
  System system = revolute_chain(7);
  system.body("link3").mass = 0, system.body("link3").inertia = {};
  Evaluation<double> at(freeze(system));
  const DrivenState driven = driven_state(system, *at.model, 100);
  at.update(driven.state, driven.tau);
  // Pinocchio 3.7.0 and Simbody 3.9dev both give -4.2492 at this state.
  EXPECT_NEAR(at.solve<RecursiveSolver>().back(), -4.2492, 5e-5);
  EXPECT_LE(at.residual(), 1e-13);  // Pinocchio leaves 1e-14
  const double recursive = at.udot.back();
  EXPECT_NEAR(at.solve<KaneSolver>().back(), recursive, 1e-12);  // cond(M) is 1e3
}

TEST(MasslessBody, IsTheLimitOfLightOnes) {
  const auto last_udot = [](double mass) {
    System system = revolute_chain(7);
    BodySpec& light = system.body("link3");
    light.mass = mass;
    light.inertia = {.xx = 0.01 * mass, .yy = 0.0833 * mass, .zz = 0.0833 * mass};
    Evaluation<double> at(freeze(system));
    const DrivenState driven = driven_state(system, *at.model, 100);
    at.update(driven.state, driven.tau);
    return at.solve<RecursiveSolver>().back();
  };
  const double limit = last_udot(0.0);
  const double far = last_udot(1e-3) - limit, near = last_udot(1e-4) - limit;
  EXPECT_GT(std::abs(far), 1e-4);
  EXPECT_NEAR(far / near, 10.0, 0.1);  // linear in the mass, with a curvature of its size
}

TEST(MasslessBody, OnAWeldEqualsTheBodyWithoutIt) {
  System plain = revolute_chain(4), split = revolute_chain(4);
  split.add_body("flange", 0.0).add_point("out", {0.1, 0, 0});
  split.body("link1").add_point("elbow", {0.9, 0, 0});
  split.add_joint("glue", "weld", "link1.elbow", "flange.origin");
  split.joint("joint2").parent = "flange.out";
  Evaluation<double> a(freeze(plain)), b(freeze(split));
  const DrivenState driven = driven_state(plain, *a.model, 5);
  a.update(driven.state, driven.tau), b.update(driven.state, driven.tau);
  a.solve<RecursiveSolver>(), b.solve<RecursiveSolver>();
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(a.udot[k], b.udot[k], 1e-12) << k;  // cond(M) is 1e2
}

TEST(ThinWire, OfAMicrometreTurnsAboutItsOwnLine) {
  // Length 1 m, radius 1e-6 m, mass 1 kg, lying along x of its axes, which stand obliquely on the joint.
  System system;
  BodySpec& wire = system.add_body("wire", 1.0);
  const double about_line = 0.5e-12, across = 1.0 / 12;
  wire.inertia = {.xx = about_line, .yy = across, .zz = across};
  wire.center_of_mass = {0.5, 0, 0};
  wire.add_point("hub", {0, 0, 0}).axes = RotationSpec::axis_angle({0.3, -0.5, 0.7}, 1.0);
  const Rotation<double> R_BM = axis_rotation((1.0 / std::sqrt(0.83)) * Vec3<double>{0.3, -0.5, 0.7}, 1.0);
  const Vec3<double> line_M = transpose_times(R_BM, Vec3<double>{1, 0, 0});
  system.add_joint("spin", "revolute", "ground.origin", "wire.hub").axis = {line_M.x, line_M.y, line_M.z};
  ForceSpec& drive = system.add_force("drive", "joint_force");
  drive.joint = "spin", drive.value = {3e-12};
  Evaluation<double> at(freeze(system));
  const State<double> state = calc_initial_state(*at.model);
  // Turning the inertia to other axes leaves round-off of 1e-16 of the 1/3 kg m^2 across, so of 5e-13
  // kg m^2 about a ten-thousandth is uncertain.
  EXPECT_NEAR(at.solve<RecursiveSolver>(state)[0], 6.0, 6e-3);
  EXPECT_FALSE(at.report.is_singular);
  EXPECT_NEAR(at.solve<KaneSolver>(state)[0], 6.0, 6e-3);
  EXPECT_FALSE(at.report.is_singular);
}

TEST(MassRatio, OfAMillionBillionIsSolved) {
  System system = revolute_chain(7);
  const auto set_mass = [&](const char* name, double mass) {
    system.body(name).mass = mass;
    system.body(name).inertia = {.xx = 0.01 * mass, .yy = 0.0833 * mass, .zz = 0.0833 * mass};
  };
  set_mass("link0", 1e9), set_mass("link6", 1e-6);
  Evaluation<double> at(freeze(system));
  const DrivenState driven = driven_state(system, *at.model, 100);
  at.update(driven.state, driven.tau);
  // Pinocchio, MuJoCo and Simbody agree on -2.0515e6.
  EXPECT_NEAR(at.solve<RecursiveSolver>().back(), -2.0515e6, 50.0);
  EXPECT_LE(at.residual(), 1e-6);  // Pinocchio leaves 2e-7, MuJoCo 4e-7; the terms are of 1e9 N m
  EXPECT_NEAR(at.solve<KaneSolver>().back(), -2.0515e6, 50.0);
}

TEST(SingularMassMatrix, OfANegativeInertiaIsCalledNegative) {
  System system = revolute_chain(2);
  BodySpec& link = system.body("link1");
  link.inertia = {.xx = -100, .yy = -100, .zz = -100};
  link.inertia_check = false;
  for (const std::string& solver : solver_names()) {
    EXPECT_THAT(failure(system, solver), AllOf(HasSubstr("the mass matrix is not positive at joint"),
                                               HasSubstr("body link1 is negative")))
        << solver;
  }
}

TEST(KaneMemory, ForMoreSpeedsThanFitIsRefusedBeforeItIsTaken) {
  if (!available_memory()) return;
  System system;
  for (int i = 0; i < 50'000; ++i) system.add_body("b" + std::to_string(i), 1);
  const auto model = freeze(system);
  try {
    const KaneSolver<double> solver(*model);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("mass matrix of Kane's method for 300000 speeds"),
                                    HasSubstr("takes 720 GB of memory, and ")));
  }
  EXPECT_THROW(MassMatrix<double>{*model}, InputError);
}

}  // namespace
}  // namespace sestina
