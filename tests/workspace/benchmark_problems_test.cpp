// Mechanisms of the literature and of other engines' libraries, against published or converged values and
// against the same mechanism described in another way.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "repository.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/io/model_file.h"
#include "stewart_platform.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;

// IFToMM's spatial slider-crank, as modelled in Exudyn. At the start the rod's axes are those of
// the ground; its universal joint turns about y of the slider and x of the rod. The initial
// velocities are those of Exudyn's model. They contradict the universal joint: the assembly moves
// them as little as possible in the norm of the mass matrix, as the first step of an implicit rule
// does.
System slider_crank() {
  System system;
  system.gravity = {0, 0, -9.81};
  system.add_ground_point("bearing", {0, 0.1, 0.12});
  BodySpec& crank = system.add_body("crank", 0.12);
  crank.center_of_mass = {0, 0, 0.04};
  crank.inertia = {.xx = 1e-4, .yy = 1e-4, .zz = 1e-5};
  crank.add_point("pin", {0, 0, 0.08});
  const double u[] = {2.0 / 3, -1.0 / 3, -2.0 / 3};  // along the rod
  const auto J = [&](int i, int j) { return (i == j ? 4e-3 : 0.0) - 3.6e-3 * u[i] * u[j]; };
  BodySpec& rod = system.add_body("rod", 0.5);
  rod.center_of_mass = {0.15 * u[0], 0.15 * u[1], 0.15 * u[2]};
  rod.inertia = {.xx = J(0, 0), .yy = J(1, 1), .zz = J(2, 2), .xy = J(0, 1), .xz = J(0, 2), .yz = J(1, 2)};
  rod.add_point("end", {0.3 * u[0], 0.3 * u[1], 0.3 * u[2]});
  rod.add_point("middle", rod.center_of_mass);
  system.add_body("slider", 2).inertia = {.xx = 1e-4, .yy = 1e-4, .zz = 1e-4};
  JointSpec& drive = system.add_joint("drive", "revolute", "ground.bearing", "crank.origin");
  drive.axis = {1, 0, 0}, drive.u = 6;
  system.add_joint("ball", "spherical", "crank.pin", "rod.origin").u = {1.92 - 6, -0.96, 0.48};
  JointSpec& rail = system.add_joint("rail", "prismatic", "ground.origin", "slider.origin");
  rail.axis = {1, 0, 0}, rail.q = 0.2, rail.u = 0.24;
  JointSpec& fork = system.add_joint("fork", "universal", "slider.origin", "rod.end");
  fork.axis = {0, 1, 0}, fork.second_axis = {1, 0, 0};
  return system;
}

// The limit of Exudyn's results at 5 s for vanishing steps, by Richardson's extrapolation from steps of 1e-4
// s and 5e-5 s with errors of 3.5e-6 m and 8.8e-7 m, has about six digits.
TEST(Benchmarks, SpatialSliderCrankReachesTheConvergedPlace) {
  System system = slider_crank();
  system.analysis.step.rtol = 1e-9, system.analysis.step.atol = 1e-11;
  system.analysis.duration = 5, system.output.every = 5;
  for (const char* axis : {"x", "y", "z"}) {
    system.add_column(fmt::format("middle_{}", axis), fmt::format("rod.middle.{}", axis));
  }
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("slider.origin.x"), 0.2293836, 1e-6);
  EXPECT_NEAR(run.end("middle_x"), 0.1146918, 1e-6);
  EXPECT_NEAR(run.end("middle_y"), 0.0863887, 1e-6);
  EXPECT_NEAR(run.end("middle_z"), 0.0433910, 1e-6);
}

// A top on a spherical joint, and as a free body whose tip a joint of three conditions holds.
System heavy_top(bool is_free) {
  System system;
  system.gravity = {0, 0, -9.81};
  BodySpec& top = system.add_body("top", 15);
  top.center_of_mass = {0, 1, 0};
  top.inertia = {.xx = 0.234375, .yy = 0.46875, .zz = 0.234375};
  if (is_free) {
    JointSpec& joint = system.add_joint("flight", "free", "ground.origin", "top.origin");
    joint.q = {0, 0, 0, 1, 0, 0, 0};
    joint.u = {0, 150, -4.61538, 0, 0, 0};
    system.add_joint("tip", "spherical", "ground.origin", "top.origin").cut = true;
  } else {
    system.add_joint("tip", "spherical", "ground.origin", "top.origin").u = {0, 150, -4.61538};
  }
  set_accurate(system, 0.2, 0.02);
  return system;
}

// Geradin and Cardona's heavy top; the published Euler parameters at 0.2 s have five digits.
TEST(Benchmarks, HeavyTopTurnsAsPublishedHoweverItIsDescribed) {
  const RunResult tree = run_system(heavy_top(false)), loop = run_system(heavy_top(true));
  const double published[] = {-0.70828, 0.43878, 0.54573, 0.0894};
  const double sign = tree.end("tip.q[0]") < 0.0 ? 1.0 : -1.0;  // e and -e are the same orientation
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(sign * tree.end(fmt::format("tip.q[{}]", i)), published[i], 2e-5);
    for (std::size_t row = 0; row < tree.table.rows(); ++row) {
      EXPECT_NEAR(loop.at(row, fmt::format("flight.q[{}]", 3 + i)), tree.at(row, fmt::format("tip.q[{}]", i)),
                  1e-8);
    }
  }
  EXPECT_LT(loop.end("constraints.position_error"), 1e-12);
}

// ---- governor ---------------------------------------------------------------------------------------------

// IFToMM's flyball governor. With `is_cut` the slider floats and a prismatic joint of five conditions, which
// closes a loop, holds it on the shaft; so do hinges the rods.
System governor(bool is_cut, double stiffness, double damping, double shaft_speed) {
  System system;
  system.gravity = {0, 0, -9.81};
  const auto box = [](double m, double x, double y, double z) {
    return InertiaSpec{
        .xx = m * (y * y + z * z) / 12, .yy = m * (x * x + z * z) / 12, .zz = m * (x * x + y * y) / 12};
  };
  BodySpec& shaft = system.add_body("shaft", 0.3);
  shaft.center_of_mass = {0, 0, 0.5};
  shaft.inertia = box(0.3, 0.01, 0.01, 1);
  shaft.add_point("right", {0.05, 0, 1});
  PointSpec& left = shaft.add_point("left", {-0.05, 0, 1});
  left.axes = RotationSpec::rpy(0, 0, std::numbers::pi);
  BodySpec& slider = system.add_body("slider", 3);
  slider.inertia = box(3, 0.1, 0.1, 0.1);
  slider.add_point("right", {0.05, 0, 0}), slider.add_point("left", {-0.05, 0, 0});
  JointSpec& axle = system.add_joint("axle", "revolute", "ground.origin", "shaft.origin");
  axle.axis = {0, 0, 1}, axle.u = shaft_speed;
  const auto cut = [&](JointSpec& joint, const std::string& body, std::vector<Number> q,
                       std::vector<Number> u) {
    if (!is_cut) return;
    joint.cut = true;
    JointSpec& flight = system.add_joint("flight_of_" + body, "free", "ground.origin", body + ".origin");
    flight.q = std::move(q), flight.u = std::move(u);
  };
  JointSpec& guide = system.add_joint("guide", "prismatic", "shaft.origin", "slider.origin");
  guide.axis = {0, 0, 1}, guide.q = 0.5;
  cut(guide, "slider", {0, 0, 0.5, 1, 0, 0, 0}, {0, 0, shaft_speed, 0, 0, 0});
  const double fall = std::numbers::pi / 6;
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "right" : "left";
    BodySpec& rod = system.add_body("rod_" + name, 5.3);
    const double c = (0.3 * 0.5 + 5.0) / 5.3;
    rod.center_of_mass = {c, 0, 0};
    InertiaSpec inertia = box(0.3, 1, 0.01, 0.01);
    const double moved = 0.3 * (c - 0.5) * (c - 0.5) + 5.0 * (1 - c) * (1 - c);
    inertia.yy = 0.3 * (1 + 1e-4) / 12 + moved, inertia.zz = 0.3 * (1 + 1e-4) / 12 + moved;
    rod.inertia = inertia;
    rod.add_point("middle", {0.5, 0, 0});
    JointSpec& hinge =
        system.add_joint("hinge_" + name, "revolute", "shaft." + name, rod.name.text + ".origin");
    hinge.axis = {0, 1, 0}, hinge.q = fall;
    const double h = fall / 2;
    // The left one is turned by pi about z, then by the hinge.
    const std::vector<Number> e = side > 0 ? std::vector<Number>{std::cos(h), 0, std::sin(h), 0}
                                           : std::vector<Number>{0, -std::sin(h), 0, std::cos(h)};
    std::vector<Number> q{0.05 * side, 0, 1};
    q.insert(q.end(), e.begin(), e.end());
    cut(hinge, rod.name.text, q, {0, 0, shaft_speed, 0, 0.05 * side * shaft_speed, 0});
    system.add_spring_damper("spring_" + name, "slider." + name, rod.name.text + ".middle", stiffness,
                             damping, 0.5);
  }
  return system;
}

// The height of the slider at 10 s that Exudyn finds with 5e-4 s; CVODE for the stiff springs.
TEST(Benchmarks, GovernorLiftsItsSliderAsExudynTells) {
  System system = governor(false, 8e5, 4e4, 2 * std::numbers::pi);
  system.analysis.integrator.name = "cvode_bdf";
  system.analysis.step.rtol = 1e-9, system.analysis.step.atol = 1e-11;
  system.analysis.duration = 10, system.output.every = 10;
  const RunResult run = run_system(system);
  // Exudyn's own error with that step, from its difference to half of it, is some 1e-5.
  EXPECT_NEAR(run.end("guide.q"), 0.6196290867, 2e-4);
  EXPECT_NEAR(run.end("guide.u"), -0.7476025026, 2e-3);
}

TEST(Benchmarks, GovernorMovesTheSameAsALoop) {
  // Soft springs, which explicit rules follow with long steps.
  const auto run_of = [](bool is_cut) {
    System system = governor(is_cut, 4000, 200, 0.16 * 2 * std::numbers::pi);
    set_accurate(system, 1.0, 0.1);
    return run_system(system);
  };
  const RunResult tree = run_of(false), loop = run_of(true);
  for (std::size_t row = 0; row < tree.table.rows(); ++row) {
    for (const char* column : {"guide.q", "guide.u", "hinge_right.q", "hinge_left.q", "axle.u"}) {
      EXPECT_NEAR(loop.at(row, column), tree.at(row, column), 1e-8) << column << " in row " << row;
    }
  }
  EXPECT_GT(std::abs(tree.end("guide.q") - 0.5), 0.005);
}

// ---- Stewart platform -------------------------------------------------------------------------------------

void expect_platform_follows(const RunResult& run, double tolerance) {
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double t = run.at(row, "t");
    const Vec3<double> place = PlatformMotion::place(t);
    EXPECT_NEAR(run.at(row, "flight.q[0]"), place.x, tolerance);
    EXPECT_NEAR(run.at(row, "flight.q[1]"), place.y, tolerance);
    EXPECT_NEAR(run.at(row, "flight.q[2]"), place.z, tolerance);
    const double yaw = 2 * std::atan2(run.at(row, "flight.q[6]"), run.at(row, "flight.q[3]"));
    EXPECT_NEAR(yaw, PlatformMotion::yaw(t), tolerance);
    EXPECT_NEAR(run.at(row, "flight.q[4]"), 0, tolerance);
    EXPECT_NEAR(run.at(row, "flight.q[5]"), 0, tolerance);
  }
}

TEST(Benchmarks, StewartPlatformGoesWhereItsInverseKinematicsSendsIt) {
  System system = make_stewart_platform();
  system.analysis.type = "kinematics";
  expect_platform_follows(run_system(system), 1e-10);
  system.analysis.type = "dynamics";
  system.analysis.step.rtol = 1e-10, system.analysis.step.atol = 1e-12;
  for (const char* coordinates : {"relative", "cartesian"}) {
    system.analysis.coordinates = coordinates;
    const RunResult run = run_system(system);
    expect_platform_follows(run, 1e-9);
    EXPECT_LT(run.end("constraints.position_error"), 1e-12);
  }
}

TEST(Benchmarks, StewartPlatformHasTheSameResidualInEveryFormulation) {
  System system = make_stewart_platform();
  // Without the drives it has six degrees of freedom.
  system.constraints.clear();
  const auto model = freeze(system);
  system.analysis.coordinates = "cartesian";
  const Comparison comparison = compare_formulations(model, calc_properties(*model),
                                                     scatter_states(*model, 5, 0.05, 1), freeze(system));
  EXPECT_TRUE(comparison.agrees());
  EXPECT_GE(comparison.states, 3);
}

}  // namespace
}  // namespace sestina
