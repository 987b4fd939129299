// Every fault of meaning that freeze() reports: its place and its message. The systems are built by a
// program, so that places are paths of keys without lines.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "model/example_system.h"
#include "sestina/base/error.h"

namespace sestina {
namespace {

using namespace testing_support;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

struct FaultCase {
  std::function<void(System&)> spoil;
  std::string path, message;  // the message contains this
};

std::vector<Fault> faults_in(const System& system) {
  try {
    freeze(system);
  } catch (const InputError& error) {
    return error.faults();
  }
  return {};
}

TEST(Freeze, AcceptsTheExampleThatTheFollowingSpoils) { EXPECT_TRUE(faults_in(example_system()).empty()); }

void expect_faults(const std::vector<FaultCase>& cases) {
  for (const FaultCase& c : cases) {
    System system = example_system();
    c.spoil(system);
    const std::vector<Fault> faults = faults_in(system);
    ASSERT_EQ(faults.size(), 1U) << c.path << ": " << c.message
                                 << (faults.empty() ? "" : "; the second: " + to_string(faults.back()));
    EXPECT_EQ(faults[0].place.path, c.path);
    EXPECT_THAT(faults[0].message, testing::HasSubstr(c.message)) << c.path;
  }
}

// Short functions for the cases.
BodySpec& arm(System& s) { return s.body("arm"); }
BodySpec& box(System& s) { return s.body("box"); }
PointSpec& corner(System& s) { return box(s).points[0]; }
PointSpec& edge(System& s) { return box(s).points[1]; }
JointSpec& shoulder(System& s) { return s.joint("shoulder"); }
JointSpec& elbow(System& s) { return s.joint("elbow"); }
JointSpec& wrist(System& s) { return s.joint("wrist"); }

TEST(FreezeFaults, OfNames) {
  expect_faults({
      {[](System& s) { s.body("cart"), s.add_body("", 1); }, "bodies[5].name", "a name is missing"},
      {[](System& s) { s.add_body("2nd", 1); }, "bodies[5].name", "'2nd' is not a name"},
      {[](System& s) { s.add_body("a-b", 1); }, "bodies[5].name", "'a-b' is not a name"},
      {[](System& s) { s.add_body("\xc3\xa9", 1); }, "bodies[5].name", "is not a name"},
      {[](System& s) { s.add_body("energy", 1); }, "bodies[5].name", "'energy' is reserved"},
      {[](System& s) { s.add_body("sin", 1); }, "bodies[5].name", "'sin' is reserved"},
      {[](System& s) { s.add_body("ground", 1); }, "bodies[5].name", "'ground' is reserved"},
      {[](System& s) { s.add_body("arm", 1); }, "bodies[5].name", "'arm' is taken by bodies[0].name"},
      {[](System& s) { s.add_body("l", 1); }, "bodies[5].name", "'l' is taken by parameters.l"},
      {[](System& s) { s.add_user_force("rail", std::make_shared<NoForce>()); }, "forces[7].name",
       "'rail' is taken by joints[3].name"},
      {[](System& s) { s.set_parameter("t", 1); }, "parameters.t", "'t' is reserved"},
      {[](System& s) { box(s).add_point("origin", {}); }, "bodies[4].points.origin", "already"},
      {[](System& s) { box(s).add_point("edge", {}); }, "bodies[4].points.edge", "already exists"},
      {[](System& s) { box(s).add_point("a b", {}); }, "bodies[4].points.a b", "is not a name"},
      {[](System& s) { s.add_ground_point("post", {}); }, "ground.points.post", "already exists"},
  });
}

TEST(FreezeFaults, OfParametersAndNumbers) {
  expect_faults({
      {[](System& s) { s.set_parameter("x", "2*lenght"); }, "parameters.x", "there is no parameter 'lenght'"},
      {[](System& s) { s.set_parameter("x", "1 +"); }, "parameters.x", "in '1 +'"},
      {[](System& s) { s.set_parameter("x", "x + 1"); }, "parameters.x",
       "have a circular definition: x -> x"},
      {[](System& s) { s.set_parameter("x", "y"), s.set_parameter("y", "x"); }, "parameters.x",
       "have a circular definition: x -> y -> x"},
      {[](System& s) { s.set_parameter("x", kInf); }, "parameters.x", "inf is not finite"},
      {[](System& s) { s.set_parameter("x", "m/(l - 0.8)"); }, "parameters.x", "is not finite"},
      {[](System& s) { s.set_parameter("x", "0/0"); }, "parameters.x", "0/0 = nan is not finite"},
      {[](System& s) { s.set_parameter("m", kNotANumber); }, "parameters.m", "nan is not finite"},
      {[](System& s) { s.set_parameter("x", "1/(l - 0.8)"), arm(s).mass = "x"; }, "parameters.x",
       "is not finite"},
      {[](System& s) { s.set_parameter("x", "t"); }, "parameters.x", "there is no parameter 't'"},
      {[](System& s) { s.gravity[1] = kNotANumber; }, "gravity[1]", "nan is not finite"},
      {[](System& s) { s.gravity[2] = "-9.81*t"; }, "gravity[2]", "'t' changes with time"},
      {[](System& s) { arm(s).mass = "1 + shoulder.q"; }, "bodies[0].mass", "changes with time"},
      {[](System& s) { arm(s).mass = "lm"; }, "bodies[0].mass", "there is no parameter 'lm'"},
      {[](System& s) { arm(s).center_of_mass[2] = "sqrt(l - 1)"; }, "bodies[0].center_of_mass[2]",
       "is not finite: "},
      {[](System& s) { corner(s).position[0] = kInf; }, "bodies[4].points.corner.position[0]",
       "inf is not finite"},
      {[](System& s) { s.ground_points[0].position[1] = "y"; }, "ground.points.post[1]", "'y'"},
      {[](System& s) { arm(s).points[0].axes->numbers[1] = kNotANumber; }, "bodies[0].points.tip.axes[1]",
       "nan is not finite"},
  });
}

AnalysisSpec& take_elements(System& system) {
  system.analysis.coordinates = "state_time";
  system.analysis.time_elements.emplace();
  return system.analysis;
}

TEST(FreezeFaults, OfTheAnalysis) {
  expect_faults({
      {[](System& s) { s.analysis.solver = "recursiv"; }, "analysis.solver", "did you mean 'recursive'"},
      {[](System& s) { s.analysis.integrator.name = "euler5"; }, "analysis.integrator",
       "'euler5' is unknown"},
      {[](System& s) { s.analysis.coordinates = "curved"; }, "analysis.coordinates", "'curved' is unknown"},
      {[](System& s) { s.analysis.time_elements.emplace(); }, "analysis.integrator",
       "belong to coordinates: state_time"},
      {[](System& s) { take_elements(s).integrator.name = "rk4"; }, "analysis.integrator",
       "state_time has no integration rule such as rk4"},
      {[](System& s) { take_elements(s).time_elements->pair = "QL"; }, "analysis.integrator.pair",
       "'QL' is unknown"},
      {[](System& s) { take_elements(s).time_elements->tests = "upwnd"; }, "analysis.integrator.tests",
       "did you mean 'upwind'"},
      {[](System& s) { take_elements(s).time_elements->scheme = "linear"; }, "analysis.integrator.scheme",
       "'linear' is unknown"},
      {[](System& s) { take_elements(s).time_elements->elements = 0; }, "analysis.integrator.elements",
       "0 is not a whole number from 1 to 10000000"},
      {[](System& s) { take_elements(s).time_elements->elements = 2.5; }, "analysis.integrator.elements",
       "2.5 is not a whole number"},
      {[](System& s) { take_elements(s).time_elements->tolerance = 1.5; }, "analysis.integrator.tolerance",
       "1.5 is not from 1e-12 to less than 1"},
      {[](System& s) { take_elements(s).time_elements->windows = 65; }, "analysis.integrator.windows",
       "65 is not a whole number from 1 to 64"},
      {[](System& s) { take_elements(s).time_elements->pair = "auto"; }, "analysis.integrator.pair",
       "auto needs a tolerance"},
      {[](System& s) { take_elements(s).time_elements->stretches = 65; }, "analysis.integrator.stretches",
       "65 is not a whole number from 1 to 64"},
      {[](System& s) {
         take_elements(s).time_elements->stretches = 2;
         s.analysis.time_elements->scheme = "linear_quadratic";
       },
       "analysis.integrator.stretches", "the linear_quadratic scheme has one stretch"},
      {[](System& s) { s.analysis.limits.steps = 0.5; }, "analysis.limits.steps",
       "0.5 is not a whole number from 1 to 1e+15"},
      {[](System& s) { s.analysis.limits.wall_time = 0; }, "analysis.limits.wall_time", "0 is not positive"},
      {[](System& s) { s.analysis.step.driver = "fix"; }, "analysis.step.driver", "'fix' is unknown"},
      {[](System& s) { s.analysis.step.driver = "fixed"; }, "analysis.step.dt", "is missing"},
      {[](System& s) { s.analysis.step.dt = 0; }, "analysis.step.dt", "0 is not positive"},
      {[](System& s) { s.analysis.step.dt = -0.1; }, "analysis.step.dt", "-0.1 is negative"},
      {[](System& s) { s.analysis.step.rtol = -1e-6; }, "analysis.step.rtol", "-1e-06 is negative"},
      {[](System& s) { s.analysis.step.rtol = s.analysis.step.atol = 0; }, "analysis.step",
       "cannot both be zero"},
      {[](System& s) { s.analysis.duration = "l - 1"; }, "analysis.duration", "is negative"},
      {[](System& s) { s.output.every = 0; }, "output.every", "0 is not positive"},
  });
  EXPECT_EQ(faults_in(System())[0].place.path, "bodies");
}

TEST(FreezeFaults, OfBodies) {
  expect_faults({
      {[](System& s) { arm(s).type = "solid"; }, "bodies[0].type", "'solid'"},
      {[](System& s) { arm(s).mass.reset(); }, "bodies[0].mass", "is missing"},
      {[](System& s) { arm(s).mass = -0.5; }, "bodies[0].mass", "-0.5 is negative"},
      {[](System& s) { arm(s).mass = "l - m"; }, "bodies[0].mass", "l - m = -1.2 is negative"},
      {[](System& s) { box(s).inertia.xx = -1; }, "bodies[4].inertia", "one is negative"},
      {[](System& s) { box(s).inertia.xy = 1.5; }, "bodies[4].inertia", "one is negative"},
      {[](System& s) { box(s).inertia.xx = 4.1; }, "bodies[4].inertia", "inertia_check"},
      {[](System& s) { box(s).inertia.yz = kNotANumber; }, "bodies[4].inertia.yz", "nan is not finite"},
      {[](System& s) { s.add_particle("dot", 1).inertia.xx = 1; }, "bodies[5].inertia",
       "a particle has no inertia"},
      {[](System& s) { s.add_particle("dot", 1).center_of_mass[0] = 1; }, "bodies[5].center_of_mass",
       "mass is at its origin"},
      {[](System& s) { corner(s).axes = RotationSpec::euler_parameters(1, 0.1, 0, 0); },
       "bodies[4].points.corner.axes", "norm 1.00498756, not 1"},
      {[](System& s) {
         corner(s).axes = RotationSpec::axis_angle({0, 0, 0}, 1);
       },
       "bodies[4].points.corner.axes", "the axis is zero"},
      {[](System& s) { edge(s).axes->numbers[0] = 0.1; }, "bodies[4].points.edge.axes", "not orthonormal"},
      {[](System& s) { edge(s).axes->numbers[1] = 1; }, "bodies[4].points.edge.axes", "a reflection"},
  });
}

TEST(FreezeFaults, OfTheTree) {
  expect_faults({
      {[](System& s) { shoulder(s).type = "revolut"; }, "joints[0].type", "did you mean 'revolute'"},
      {[](System& s) { shoulder(s).parent = "ground"; }, "joints[0].parent", "expected BODY.POINT"},
      {[](System& s) { shoulder(s).parent = ""; }, "joints[0].parent", "expected BODY.POINT"},
      {[](System& s) { shoulder(s).parent = "ground.a.b"; }, "joints[0].parent", "expected BODY.POINT"},
      {[](System& s) { elbow(s).parent = "arn.tip"; }, "joints[1].parent", "did you mean 'arm'"},
      {[](System& s) { elbow(s).parent = "arm.tipp"; }, "joints[1].parent", "did you mean 'tip'"},
      {[](System& s) { elbow(s).child = "hand.thumb"; }, "joints[1].child", "no point 'thumb'"},
      {[](System& s) { shoulder(s).parent = "arm.tip"; }, "joints[0].child", "to itself"},
  });
}

TEST(FreezeFaults, OfJointsThatCloseLoops) {
  const auto loop = [](System& s) -> JointSpec& {
    return s.add_joint("loop", "revolute", "ground.origin", "ball.origin");
  };
  expect_faults({
      {[&](System& s) { loop(s); }, "joints[4].axis", "a revolute joint needs it"},
      {[&](System& s) {
         loop(s).axis = {0, 0, 1}, s.joints.back().u = {1, 2};
       },
       "joints[4].u", "has 2 numbers; the joint has 1"},
      {[&](System& s) { loop(s).type = "spherical", s.joints.back().armature = 1; }, "joints[4].armature",
       "one"},
      {[&](System& s) { loop(s).type = "spherical", s.add_joint_damper("d", "loop", 1); }, "forces[7].joint",
       "use joint_force"},
      {[&](System& s) {
         loop(s).axis = {0, 0, 1}, s.add_joint_force("d", "rail", "loop.u[1]");
       },
       "forces[7].value", "'loop.u[1]' is out of range"},
  });
}

TEST(FreezeFaults, OfConstraints) {
  expect_faults({
      {[](System& s) { s.add_constraint("c1", "distanc"); }, "constraints[0].type",
       "did you mean 'distance'"},
      {[](System& s) { s.add_distance("arm", "arm.tip", "ball.origin", 1); }, "constraints[0].name",
       "is taken by"},
      {[](System& s) { s.add_distance("c1", "arm.tip", "arm.origin", 1); }, "constraints[0].to",
       "their distance never changes"},
      {[](System& s) { s.add_distance("c1", "arm.tipp", "ball.origin", 1); }, "constraints[0].from",
       "did you mean 'tip'"},
      {[](System& s) { s.add_distance("c1", "arm.tip", "ball.origin", 0); }, "constraints[0].length",
       "0 is not positive"},
      {[](System& s) { s.add_distance("c1", "arm.tip", "ball.origin", "1 + shoulder.q"); },
       "constraints[0].length", "expected an expression of t and parameters"},
      {[](System& s) { s.add_distance("c1", "arm.tip", "ball.origin", 1).length.reset(); },
       "constraints[0].length", "is missing"},
      {[](System& s) { s.add_coupling("c1", {}); }, "constraints[0].coefficients", "is missing or empty"},
      {[](System& s) {
         s.add_coupling("c1", {{"shoulde.q", 1}});
       },
       "constraints[0].coefficients.shoulde.q", "did you mean 'shoulder'"},
      {[](System& s) {
         s.add_coupling("c1", {{"shoulder.u", 1}});
       },
       "constraints[0].coefficients.shoulder.u", "`level: velocity`"},
      {[](System& s) {
         s.add_coupling("c1", {{"shoulder.q", 1}}).level = "velocity";
       },
       "constraints[0].coefficients.shoulder.q", "names speeds"},
      {[](System& s) {
         s.add_coupling("c1", {{"shoulder.q", 0}});
       },
       "constraints[0]", "no speed takes part in it"},
      {[](System& s) { s.add_motion("c1", "shoulde", 1); }, "constraints[0].joint",
       "did you mean 'shoulder'"},
      {[](System& s) {
         s.add_motion("c1", "shoulder", std::vector<Number>{1, 2});
       },
       "constraints[0].value", "has 2 values; joint 'shoulder' has 1"},
      {[](System& s) { s.add_motion("c1", "shoulder", "sin(t").level = "velocity"; }, "constraints[0].value",
       ""},
      {[](System& s) { s.add_motion("c1", "shoulder", 1).level = "speed"; }, "constraints[0].level",
       "'speed' is unknown"},
      {[](System& s) { s.add_condition("c1", "shoulder.u - 1"); }, "constraints[0].zero", "is a speed"},
      {[](System& s) { s.add_condition("c1", "t - 1"); }, "constraints[0].zero", "no speed takes part in it"},
      {[](System& s) { s.add_constraint("c1", "expression"); }, "constraints[0].zero", "is missing"},
      {[](System& s) {
         s.add_point_on_plane("c1", "arm.tip", "arm.origin", {0, 0, 1});
       },
       "constraints[0].plane", "nothing can move between them"},
      {[](System& s) {
         s.add_point_on_line("c1", "arm.tip", "ground.origin", {0, 0, 0});
       },
       "constraints[0].axis", "is zero"},
      {[](System& s) {
         s.add_point_on_line("c1", "arm.tip", "ground.origin", {0, 0, 1}).axis.reset();
       },
       "constraints[0].axis", "is missing"},
  });
}

TEST(FreezeFaults, OfJoints) {
  expect_faults({
      {[](System& s) { shoulder(s).axis.reset(); }, "joints[0].axis", "a revolute joint needs it"},
      {[](System& s) {
         shoulder(s).axis = {0, 0, 0};
       },
       "joints[0].axis", "is zero"},
      {[](System& s) {
         shoulder(s).axis = {0, "l - 0.8", 0};
       },
       "joints[0].axis", "is zero"},
      {[](System& s) {
         shoulder(s).axis = {0, 0, kNotANumber};
       },
       "joints[0].axis[2]", "nan is not finite"},
      {[](System& s) {
         wrist(s).axis = {0, 0, 1};
       },
       "joints[2].axis", "a spherical joint has none"},
      {[](System& s) { elbow(s).second_axis.reset(); }, "joints[1].second_axis", "is missing"},
      {[](System& s) {
         elbow(s).second_axis = {-3, 0, 0};
       },
       "joints[1].second_axis", "is parallel to axis"},
      {[](System& s) {
         shoulder(s).second_axis = {0, 1, 0};
       },
       "joints[0].second_axis", "has none"},
      {[](System& s) { shoulder(s).pitch = 1; }, "joints[0].pitch", "a revolute joint has none"},
      {[](System& s) { s.joint("rail").pitch = kInf; }, "joints[3].pitch", "inf is not finite"},
      {[](System& s) { shoulder(s).armature = -0.1; }, "joints[0].armature", "-0.1 is negative"},
      {[](System& s) { wrist(s).armature = 0.1; }, "joints[2].armature", "spherical has 3"},
      {[](System& s) {
         shoulder(s).q = {1, 2};
       },
       "joints[0].q", "has 2 numbers; the joint has 1"},
      {[](System& s) { elbow(s).q = {1}; }, "joints[1].q", "has 1 numbers; the joint has 2"},
      {[](System& s) {
         wrist(s).u = {1, 2, 3, 4};
       },
       "joints[2].u", "has 4 numbers; the joint has 3"},
      {[](System& s) {
         wrist(s).q = {1, 0, 0, 0.1};
       },
       "joints[2].q", "norm 1.00498756, not 1"},
      {[](System& s) {
         wrist(s).q = {0, 0, 0, 0};
       },
       "joints[2].q", "norm 0, not 1"},
      {[](System& s) { wrist(s).u[1] = kNotANumber; }, "joints[2].u[1]", "nan is not finite"},
      {[](System& s) { shoulder(s).q = {"elbow.q[0]"}; }, "joints[0].q", "changes with time"},
  });
}

ShapeSpec& shape(System& s, const char* type) {
  ShapeSpec& shape = arm(s).shapes.emplace_back();
  shape.type = type, shape.file = "arm.stl";
  return shape;
}

TEST(FreezeFaults, OfShapes) {
  expect_faults({
      {[](System& s) { shape(s, "box").size[1] = -2; }, "bodies[0].shape.size[1]", "-2 is negative"},
      {[](System& s) { shape(s, "sphere").radius = "l - 1"; }, "bodies[0].shape.radius", "is negative"},
      {[](System& s) { shape(s, "sphere").radius = "ll"; }, "bodies[0].shape.radius", "did you mean 'l'"},
      {[](System& s) { shape(s, "cylinder").length = -1; }, "bodies[0].shape.length", "-1 is negative"},
      {[](System& s) { shape(s, "box"), shape(s, "capsule").radius = kInf; }, "bodies[0].shape[1].radius",
       "inf is not finite"},
      {[](System& s) { shape(s, "box").position[2] = kNotANumber; }, "bodies[0].shape.position[2]",
       "nan is not finite"},
      {[](System& s) { shape(s, "mesh").scale[0] = 0; }, "bodies[0].shape.scale[0]", "0 is zero"},
      {[](System& s) {
         shape(s, "box").axes = RotationSpec::axis_angle({0, 0, 0}, 1);
       },
       "bodies[0].shape.axes", "the axis is zero"},
      {[](System& s) { shape(s, "ball"); }, "bodies[0].shape.type", "'ball' is unknown"},
  });
}

LimitsSpec& limits(System& s) { return shoulder(s).limits.emplace(); }

TEST(FreezeFaults, OfLimits) {
  expect_faults({
      {[](System& s) {
         LimitsSpec& l = limits(s);
         l.lower = 2, l.upper = 1;
       },
       "joints[0].limits.upper", "1 is below the lower limit 2"},
      {[](System& s) {
         LimitsSpec& l = limits(s);
         l.lower = "l", l.upper = "l - 1";
       },
       "joints[0].limits.upper", "is below the lower limit 0.8"},
      {[](System& s) { limits(s).velocity = -1; }, "joints[0].limits.velocity", "-1 is negative"},
      {[](System& s) { limits(s).effort = -3; }, "joints[0].limits.effort", "-3 is negative"},
      {[](System& s) { limits(s).lower = kNotANumber; }, "joints[0].limits.lower", "nan is not finite"},
  });
  System system = example_system();
  LimitsSpec& zero = limits(system);
  zero.lower = zero.upper = zero.velocity = zero.effort = 0;
  EXPECT_TRUE(faults_in(system).empty());
}

TEST(FreezeFaults, OfNumbersThatAreFiniteOnlyByThemselves) {
  expect_faults({
      {[](System& s) { box(s).mass = 1e308, box(s).center_of_mass[0] = 10; }, "bodies[4]",
       "its inertia about the joint is not finite: its mass of 1e+308 kg is 10 m away"},
      {[](System& s) { box(s).mass = 1e308; }, "bodies[4]", "its weight with gravity"},
      {[](System& s) {
         s.gravity = {0, 0, 0}, box(s).mass = 1e308, s.body("cart").mass = 1e308;
       },
       "bodies", "their masses together are not finite"},
      {[](System& s) { box(s).center_of_mass[0] = 1e160; }, "bodies[4]", "its inertia about the joint"},
  });
}

TEST(FreezeFaults, OfInertiasOfAnySize) {
  expect_faults({
      {[](System& s) { box(s).inertia = {.xx = -1e-200}; }, "bodies[4].inertia", "one is negative"},
      {[](System& s) { box(s).inertia = {.xx = -1e300, .yy = 1e300, .zz = 1e300}; }, "bodies[4].inertia",
       "one is negative"},
      {[](System& s) { box(s).inertia = {.xx = 1e300, .yy = 1e300, .zz = 1e308}; }, "bodies[4].inertia",
       "the largest exceeds"},
      {[](System& s) { box(s).type = "particle", box(s).inertia = {.xx = 1e-200}; }, "bodies[4].inertia",
       "a particle has no inertia"},
  });
}

TEST(FreezeFaults, OfForcesOnJoints) {
  const auto spring = [](System& s) -> ForceSpec& { return s.force("spring"); };
  const auto drive = [](System& s) -> ForceSpec& { return s.force("drive"); };
  expect_faults({
      {[&](System& s) { drive(s).type = "joint_forces"; }, "forces[2].type", "did you mean 'joint_force'"},
      {[&](System& s) { spring(s).joint = {}; }, "forces[0].joint", "is missing"},
      {[&](System& s) { spring(s).joint = "elbo"; }, "forces[0].joint", "did you mean 'elbow'"},
      {[&](System& s) { spring(s).joint = "wrist", spring(s).stiffness = {1}; }, "forces[0].joint",
       "'wrist' is spherical"},
      {[&](System& s) { s.force("damper").joint = "box"; }, "forces[1].joint", "'box' is free"},
      {[&](System& s) {
         spring(s).stiffness = {1, 2, 3};
       },
       "forces[0].stiffness", "has 3 numbers; joint 'elbow' has 2"},
      {[&](System& s) { spring(s).stiffness = {"t"}; }, "forces[0].stiffness", "changes with time"},
      {[&](System& s) {
         spring(s).reference = {1, kNotANumber};
       },
       "forces[0].reference[1]", "is not finite"},
      {[&](System& s) {
         s.add_body("flag", 0), s.add_joint("glue", "weld", "arm.tip", "flag.origin");
         drive(s).joint = "glue";
       },
       "forces[2].joint", "'glue' is a weld"},
      {[&](System& s) { drive(s).value = {}; }, "forces[2].value", "is missing: expected 1"},
      {[&](System& s) {
         drive(s).value = {1, 2};
       },
       "forces[2].value", "has 2 values; expected 1"},
      {[&](System& s) { drive(s).value = {kNotANumber}; }, "forces[2].value", "nan is not finite"},
      {[&](System& s) { drive(s).value = {"2*"}; }, "forces[2].value", "in '2*'"},
      {[&](System& s) { drive(s).value = {"k*t"}; }, "forces[2].value", "there is no parameter 'k'"},
      {[&](System& s) { drive(s).value = {"shouldr.q"}; }, "forces[2].value", "did you mean 'shoulder'"},
      {[&](System& s) { drive(s).value = {"shoulder.x"}; }, "forces[2].value", "a joint has .q and .u"},
      {[&](System& s) { drive(s).value = {"elbow.q"}; }, "forces[2].value",
       "has 2 coordinates: say elbow.q[i]"},
      {[&](System& s) { drive(s).value = {"wrist.u[3]"}; }, "forces[2].value", "out of range"},
  });
}

TEST(FreezeFaults, OfForcesOnPoints) {
  const auto band = [](System& s) -> ForceSpec& { return s.force("band"); };
  const auto push = [](System& s) -> ForceSpec& { return s.force("push"); };
  const auto gust = [](System& s) -> ForceSpec& { return s.force("gust"); };
  expect_faults({
      {[&](System& s) { band(s).from = {}; }, "forces[3].from", "is missing"},
      {[&](System& s) { band(s).to = "box.corner"; }, "forces[3].to", "the same point as 'from'"},
      {[&](System& s) { band(s).to = "box.centre"; }, "forces[3].to", "no point 'centre'"},
      {[&](System& s) { band(s).free_length = "-l"; }, "forces[3].free_length", "-l = -0.8 is negative"},
      {[&](System& s) {
         band(s).stiffness = {1, 2};
       },
       "forces[3].stiffness", "expected one number"},
      {[&](System& s) { band(s).damping = {kInf}; }, "forces[3].damping", "inf is not finite"},
      {[&](System& s) { push(s).at = "balll.origin"; }, "forces[4].at", "did you mean 'ball'"},
      {[&](System& s) { push(s).axes = "world"; }, "forces[4].axes", "allowed: ground or body"},
      {[&](System& s) {
         push(s).value = {1, 2};
       },
       "forces[4].value", "has 2 values; expected 3"},
      {[&](System& s) { push(s).value[1] = "wrist.q[x]"; }, "forces[4].value[1]", "in 'wrist.q[x]'"},
      {[&](System& s) { gust(s).table->interpolation = "spline"; }, "forces[5].value.interpolation",
       "allowed: linear or cubic"},
      {[&](System& s) { gust(s).table->values.pop_back(); }, "forces[5].value.columns",
       "names 2 columns; expected 3"},
  });
}

TEST(FreezeFaults, AreReportedAllAtOnce) {
  System system = example_system();
  system.set_parameter("x", "nothing");
  system.analysis.solver = "magic";
  system.add_body("arm", 1);
  system.body("arm").mass = -1;
  system.body("hand").points[0].axes = RotationSpec::axis_angle({0, 0, 0}, 1);
  system.joint("shoulder").axis.reset();
  system.joint("elbow").q = {1};
  system.force("spring").joint = "none_such";
  system.force("band").from = {};
  system.force("push").value = {"?", "t", "t"};
  std::vector<std::string> places;
  for (const Fault& fault : faults_in(system)) places.push_back(fault.place.path);
  EXPECT_THAT(places, testing::UnorderedElementsAre("parameters.x", "analysis.solver", "bodies[5].name",
                                                    "bodies[0].mass", "bodies[1].points.palm.axes",
                                                    "joints[0].axis", "joints[1].q", "forces[0].joint",
                                                    "forces[3].from", "forces[4].value[0]"));
}

TEST(FreezeFaults, OfTheTreeDoNotHideOthersAndLeaveNoEcho) {
  System system = example_system();
  system.joint("shoulder").parent = "grund.origin";
  system.joint("shoulder").axis = {0, 0, 0};  // of a joint that has no place
  system.joint("wrist").parent = "ball.origin";
  system.joint("wrist").q = {1};
  system.body("box").mass = -1;
  system.force("spring").stiffness = {1, 2, 3};
  system.force("push").axes = "sky";
  // The forces on shoulder and wrist (drive, push) are not at fault.
  std::vector<std::string> places;
  for (const Fault& fault : faults_in(system)) places.push_back(fault.place.path);
  EXPECT_THAT(places, testing::UnorderedElementsAre("joints[0].parent", "joints[0].axis", "joints[2].child",
                                                    "joints[2].q", "bodies[4].mass", "forces[0].stiffness",
                                                    "forces[4].axes"));
}

TEST(Freeze, CutsCirclesAtTheLastOfTheirJoints) {
  System system;
  for (const char* name : {"a", "b", "c", "d", "e"}) system.add_body(name, 1);
  const std::pair<const char*, const char*> joints[] = {
      {"a", "b"}, {"b", "a"}, {"c", "d"}, {"d", "e"}, {"e", "c"}};
  for (const auto& [parent, child] : joints) {
    system
        .add_joint(fmt::format("on_{}", child), "revolute", fmt::format("{}.origin", parent),
                   fmt::format("{}.origin", child))
        .axis = {0, 0, 1};
  }
  const auto model = freeze(system);
  ASSERT_EQ(model->cut_joints().size(), 2U);
  EXPECT_EQ(model->cut_joints()[0].name, "on_a");
  EXPECT_EQ(model->cut_joints()[1].name, "on_c");
  // A body without a joint floats.
  EXPECT_EQ(model->bodies()[model->body("a")].joint_name, "a");
  EXPECT_EQ(model->nu(), 2 * 6 + 3);
}

TEST(Freeze, CutsTheJointThatSaysSo) {
  System system;
  for (const char* name : {"a", "b"}) system.add_body(name, 1).inertia = {.xx = 1, .yy = 1, .zz = 1};
  system.add_joint("j1", "weld", "ground.origin", "a.origin").cut = true;
  system.add_joint("j2", "weld", "ground.origin", "b.origin");
  system.add_joint("j3", "weld", "b.origin", "a.origin");
  system.add_joint("j4", "weld", "b.origin", "ground.origin");
  const auto model = freeze(system);
  ASSERT_EQ(model->cut_joints().size(), 2U);
  EXPECT_EQ(model->cut_joints()[0].name, "j1");
  EXPECT_EQ(model->cut_joints()[1].name, "j4");
  EXPECT_EQ(model->bodies()[model->body("a")].joint_name, "j3");
  EXPECT_EQ(model->constraint_rows(), 12);
}

TEST(FreezeFaults, OfAMissingNameInTheModelComeWithTheNearestOne) {
  const auto model = freeze(example_system());
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(message([&] { model->body("hnad"); }), testing::HasSubstr("did you mean 'hand'"));
  EXPECT_THAT(message([&] { model->point("arm.tpi"); }), testing::HasSubstr("did you mean 'arm.tip'"));
  EXPECT_THAT(message([&] { model->body_of_joint("riel"); }), testing::HasSubstr("did you mean 'rail'"));
  System system = example_system();
  EXPECT_THAT(message([&] { system.joint("riel"); }), testing::HasSubstr("did you mean 'rail'"));
}

}  // namespace
}  // namespace sestina
