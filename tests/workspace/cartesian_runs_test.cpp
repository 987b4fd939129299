// Runs in cartesian coordinates against runs in the coordinates of joints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "message_of.h"
#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/io/model_file.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing_support::message_of;

System in_cartesian(System system) {
  system.analysis.coordinates = "cartesian";
  return system;
}

// Every column of the one run against that of the other, in each row, relative to its largest value or one;
// but for errors of conditions, and reactions if they are not determined.
void expect_same_rows(const RunResult& relative, const RunResult& cartesian, double tolerance,
                      bool reactions) {
  ASSERT_EQ(relative.table.rows(), cartesian.table.rows());
  std::vector<std::string> names, others;
  for (const Column& column : relative.table.header().columns) names.push_back(column.name);
  for (const Column& column : cartesian.table.header().columns) others.push_back(column.name);
  for (const std::string& name : names) {
    if (name.starts_with("constraints.") || name.ends_with(".error") ||
        (!reactions && name.find(".force") != std::string::npos))
      continue;
    double size = 1.0, difference = 0.0;
    for (std::size_t row = 0; row < relative.table.rows(); ++row) {
      size = std::max(size, std::abs(relative.at(row, name)));
      difference = std::max(difference, std::abs(relative.at(row, name) - cartesian.at(row, name)));
    }
    EXPECT_LT(difference, tolerance * size) << name;
  }
  for (const std::string& name : others) {
    if (!name.starts_with("constraints.")) {
      EXPECT_THAT(names, testing::Contains(name));
    }
  }
}

double largest_in(const RunResult& run, std::string_view column) {
  double largest = 0.0;
  for (std::size_t row = 0; row < run.table.rows(); ++row)
    largest = std::max(largest, std::abs(run.at(row, column)));
  return largest;
}

// Motions that tolerances of 1e-12 determine to 1e-8 over half a second.
TEST(CartesianRuns, ExamplesMoveAsInJointCoordinates) {
  for (const char* name :
       {"01_double_pendulum.yaml", "03_puma_560.yaml", "04_heavy_top.yaml", "06_spherical_chain.yaml",
        "07_every_joint_and_force.yaml", "08_cart_pole.yaml", "12_bouncing_pendulum.yaml", "16_four_bar.yaml",
        "17_slider_crank.yaml", "19_every_constraint.yaml"}) {
    SCOPED_TRACE(name);
    System system = example(name);
    set_accurate(system, 0.5, 0.1);
    const RunResult relative = run_system(system);
    const RunResult cartesian = run_system(in_cartesian(system));
    expect_same_rows(relative, cartesian, 1e-8, std::string(name) != "16_four_bar.yaml");
    EXPECT_LT(largest_in(cartesian, "constraints.position_error"), 1e-11);
  }
}

TEST(CartesianRuns, SqueezerReachesThePublishedAngles) {
  const RunResult run = run_system(in_cartesian(example("18_squeezer.yaml")));
  EXPECT_NEAR(run.end("beta.q"), 15.81077119629904, 1e-8);
  EXPECT_NEAR(run.end("gamma.q"), 0.04082224013073101, 1e-9);
  EXPECT_NEAR(run.end("epsilon.q"), 1.048080741042263, 1e-9);
}

// Cranks and couplers in series, of which each loop has three redundant conditions.
System four_bars(int count) {
  System system;
  system.gravity = {0, -9.81, 0};
  const auto add_bar = [&](const std::string& name, Triple tip) {
    BodySpec& bar = system.add_body(name, 1.0);
    bar.center_of_mass = {tip[0].value() / 2, tip[1].value() / 2, 0};
    bar.inertia = {.xx = 0.09, .yy = 0.09, .zz = 0.09};
    bar.add_point("tip", tip);
  };
  const auto add_hinge = [&](const std::string& name, const std::string& from,
                             const std::string& to) -> JointSpec& {
    JointSpec& hinge = system.add_joint(name, "revolute", from, to);
    hinge.axis = {0, 0, 1};
    return hinge;
  };
  for (int i = 0; i <= count; ++i) {
    system.add_ground_point(fmt::format("p{}", i), {i, 0, 0});
    add_bar(fmt::format("crank{}", i), {0, 1, 0});
    JointSpec& hinge =
        add_hinge(fmt::format("foot{}", i), fmt::format("ground.p{}", i), fmt::format("crank{}.origin", i));
    if (i == 0) hinge.q = {0.4}, hinge.u = {-1.0};
  }
  for (int i = 0; i < count; ++i) {
    add_bar(fmt::format("coupler{}", i), {1, 0, 0});
    add_hinge(fmt::format("top{}", i), fmt::format("crank{}.tip", i), fmt::format("coupler{}.origin", i));
    add_hinge(fmt::format("pin{}", i), fmt::format("coupler{}.tip", i), fmt::format("crank{}.tip", i + 1));
  }
  return system;
}

TEST(CartesianRuns, FourBarsInSeriesMoveAsOnePendulum) {
  for (const int count : {1, 2, 40}) {
    SCOPED_TRACE(count);
    System system = four_bars(count);
    // All cranks turn alike; with many loops the assembly of the start is what takes the time.
    for (JointSpec& joint : system.joints) {
      const double sign = joint.name.text.starts_with("top") ? -1.0 : 1.0;
      joint.q = {0.4 * sign}, joint.u = {-1.0 * sign};
    }
    set_accurate(system, 0.3, 0.1);
    const RunResult run = run_system(in_cartesian(system));
    // (n + 1) cranks about their feet and n couplers that move in circles, as one pendulum.
    System pendulum;
    pendulum.gravity = {0, -9.81, 0};
    const double cranks = count + 1, couplers = count;
    BodySpec& bob = pendulum.add_body("bob", cranks + couplers);
    bob.center_of_mass = {0, (0.5 * cranks + couplers) / (cranks + couplers), 0};
    const double about_foot = cranks * (0.09 + 0.25) + couplers, offset = bob.center_of_mass[1].value();
    bob.inertia = {.xx = 1, .yy = 1, .zz = about_foot - (cranks + couplers) * offset * offset};
    bob.inertia_check = false;
    JointSpec& hinge = pendulum.add_joint("foot", "revolute", "ground.origin", "bob.origin");
    hinge.axis = {0, 0, 1}, hinge.q = {0.4}, hinge.u = {-1.0};
    set_accurate(pendulum, 0.3, 0.1);
    const RunResult expected = run_system(pendulum);
    EXPECT_NEAR(run.end("foot0.q"), expected.end("foot.q"), 1e-9);
    EXPECT_NEAR(run.end(fmt::format("pin{}.u", count - 1)), expected.end("foot.u"), 1e-9);
    EXPECT_LT(largest_in(run, "constraints.position_error"), 1e-12);
  }
}

// A condition that holds a rod about its axis is not implied by another one that also does.
TEST(CartesianRuns, ImplicitRulesMoveLoopsOfThinRods) {
  System system = four_bars(1);
  for (BodySpec& body : system.bodies) {
    body.inertia = {.xx = 0.09, .yy = 0.09, .zz = 0.09};
    (body.name.text.starts_with("coupler") ? body.inertia.xx : body.inertia.yy) = 0.0;
  }
  for (JointSpec& joint : system.joints) {  // conditions along the rods' axes soon after the start
    const double sign = joint.name.text.starts_with("top") ? -1.0 : 1.0;
    joint.q = {0.02 * sign}, joint.u = {-5.0 * sign};
  }
  set_accurate(system, 0.3, 0.1);
  const RunResult expected = run_system(system);
  system.analysis.step.rtol = system.analysis.step.atol = 1e-7;
  for (const char* rule : {"generalized_alpha", "trapezoidal", "radau_iia"}) {
    SCOPED_TRACE(rule);
    system.analysis.integrator.name = rule;
    const RunResult run = run_system(in_cartesian(system));
    EXPECT_NEAR(run.end("foot0.q"), expected.end("foot0.q"), 1e-5);
  }
}

TEST(CartesianRuns, StayClosedToRoundOffOverManySteps) {
  System system = in_cartesian(example("16_four_bar.yaml"));
  set_fixed_step(system, "rk4", 1e-3, 5.0);
  system.output.every = 0.05;
  const RunResult run = run_system(system);
  EXPECT_LT(largest_in(run, "constraints.position_error"), 1e-12);
  EXPECT_LT(largest_in(run, "constraints.velocity_error"), 1e-11);
}

TEST(CartesianRuns, EventsSetSpeedsOfJointsWithAllThatHangsOnThem) {
  System system = example("01_double_pendulum.yaml");
  system.add_event("stop", "t - 0.2").set = {{"hip.u", "-0.5*hip.u"}};
  set_accurate(system, 0.5, 0.1);
  expect_same_rows(run_system(system), run_system(in_cartesian(system)), 1e-8, true);
}

class NoForce : public UserForce {};

class Nothing : public UserConstraint {
 public:
  int count() const override { return 1; }
  bool calc(const UserConstraintInput&, const UserConstraintOutput&) const override { return false; }
};

TEST(CartesianRuns, AreRefusedByNameWhereTheyAreNotKnown) {
  for (const char* type : {"statics", "modes", "kinematics"}) {
    System system = in_cartesian(example("01_double_pendulum.yaml"));
    system.analysis.type = type;
    EXPECT_THAT(message_of([&] { Workspace workspace(system); }),
                testing::HasSubstr(fmt::format("cartesian is for dynamics; {} takes relative", type)));
  }
  System user = in_cartesian(example("01_double_pendulum.yaml"));
  user.add_user_constraint("law", std::make_shared<Nothing>());
  EXPECT_THAT(message_of([&] { Workspace workspace(user); }),
              testing::HasSubstr("law is a user constraint, which reads coordinates of joints"));
  System forced = in_cartesian(example("01_double_pendulum.yaml"));
  forced.add_user_force("drive", std::make_shared<NoForce>());
  EXPECT_THAT(message_of([&] { Workspace workspace(forced); }),
              testing::HasSubstr("drive is a user force, which reads coordinates of joints"));
  System system = in_cartesian(example("01_double_pendulum.yaml"));
  system.analysis.integrator.name = "verlet";
  EXPECT_THAT(message_of([&] { Workspace workspace(system); }),
              testing::HasSubstr("does not keep loops closed"));
}

}  // namespace
}  // namespace sestina
