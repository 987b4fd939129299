// Implicit rules on mechanisms with loops and constraints: published and closed solutions, the explicit
// rules, stiff problems, and that loops stay closed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "repository.h"
#include "sestina/io/model_file.h"
#include "sestina/workspace/checkpoint.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

JointSpec& add_hinge(System& system, const std::string& name, const std::string& parent,
                     const std::string& child, Triple axis = {0, 0, 1}) {
  JointSpec& hinge = system.add_joint(name, "revolute", parent, child);
  hinge.axis = std::move(axis);
  return hinge;
}

void set_rule(System& system, const std::string& rule, double rtol, double duration) {
  system.analysis.integrator.name = rule;
  system.analysis.step.driver = "variable";
  system.analysis.step.rtol = rtol;
  system.analysis.step.atol = 1e-2 * rtol;
  system.analysis.duration = duration;
  system.output.every = duration / 20;
}

double largest_in(const RunResult& run, std::string_view column) {
  double largest = 0.0;
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    largest = std::max(largest, std::abs(run.at(row, column)));
  }
  return largest;
}

// A bob on a rod of 1 m that a distance constraint is, from the side.
System pendulum() {
  System system;
  system.gravity = {0, -9.81, 0};
  system.add_particle("bob", 1.0);
  system.add_joint("p", "xyz", "ground.origin", "bob.origin").q = {1, 0, 0};
  system.add_distance("rod", "ground.origin", "bob.origin", 1.0);
  return system;
}

// Runs that are cut after these numbers of steps and resumed end in the same state, to the bit.
void expect_same_after_resuming(const System& system, const std::filesystem::path& path,
                                const State<double>& end, const std::vector<long>& cuts) {
  for (const long steps : cuts) {
    Workspace first(system);
    first.set_checkpoint({.path = path});
    first.set_limits({.steps = steps});
    ASSERT_EQ(first.run().status, RunStatus::kFailed);
    Workspace second(system);
    const RunReport rest = second.resume(read_checkpoint(path));
    EXPECT_EQ(rest.status, RunStatus::kComplete);
    EXPECT_EQ(rest.final_state.q, end.q) << steps;
    EXPECT_EQ(rest.final_state.u, end.u) << steps;
    EXPECT_EQ(rest.final_state.h, end.h) << steps;
  }
}

// A fast and a slow vibration: at a radius of 0 the fast one is gone after a few steps, at 1 it stays.
TEST(GeneralizedAlpha, TakesTheSpectralRadiusOfTheModel) {
  const auto fast_after = [](double radius) {
    System system;
    system.add_particle("mass", 1.0);
    JointSpec& rail = system.add_joint("rail", "prismatic", "ground.origin", "mass.origin");
    rail.axis = {1, 0, 0};
    rail.q = {1e-3};
    system.add_joint_spring("spring", "rail", 1e6);
    set_fixed_step(system, "generalized_alpha", 0.01, 0.2);
    system.analysis.integrator.spectral_radius = radius;
    EXPECT_EQ(read_model(write_model(system)).analysis.integrator.spectral_radius->value(), radius);
    const RunResult run = run_system(system);
    return std::hypot(run.end("rail.q"), run.end("rail.u") / 1000.0);
  };
  EXPECT_LT(fast_after(0.0), 1e-7);
  EXPECT_LT(fast_after(0.5), 1e-5);
  EXPECT_NEAR(fast_after(1.0), 1e-3, 1e-6);
  EXPECT_THROW(fast_after(1.1), InputError);
  System system = pendulum();
  system.analysis.integrator.name = "radau_iia";
  system.analysis.integrator.spectral_radius = 0.5;
  EXPECT_THROW(Workspace{system}, InputError);
}

struct Order {
  std::string rule;
  int stages;
  double order;
  int steps;  // in 1 s, of the coarser run
};
class OrderOnAPendulum : public testing::TestWithParam<Order> {};

// The period is that of the closed form: K(sin 45 degrees) = 1.854074677..., so that after half a period
// T/2 = 2 K sqrt(L/g) the bob is at the other side.
TEST_P(OrderOnAPendulum, IsThatOfTheRule) {
  const double half_period = 2.0 * std::comp_ellint_1(std::sin(0.25 * std::numbers::pi)) / std::sqrt(9.81);
  const auto calc_error = [&](int steps) {
    System system = pendulum();
    set_fixed_step(system, GetParam().rule, half_period / steps, half_period);
    if (GetParam().rule == "radau_iia") system.analysis.integrator.stages = GetParam().stages;
    const RunResult run = run_system(system);
    // At rest, so that the position errs by the square of the phase: the speed tells it.
    return std::max(std::abs(run.end("p.u[1]")), std::abs(run.end("p.q[0]") + 1.0));
  };
  const double order = std::log2(calc_error(GetParam().steps) / calc_error(2 * GetParam().steps));
  EXPECT_NEAR(order, GetParam().order, 0.3);
}

INSTANTIATE_TEST_SUITE_P(Implicit, OrderOnAPendulum,
                         testing::Values(Order{"radau_iia", 2, 3, 40}, Order{"radau_iia", 3, 5, 16},
                                         Order{"generalized_alpha", 0, 2, 100},
                                         Order{"trapezoidal", 0, 2, 100}),
                         [](const auto& test) {
                           return test.param.rule + std::to_string(test.param.stages);
                         });

TEST(ImplicitRules, SqueezerReachesThePublishedAngles) {
  System system = example("18_squeezer.yaml");
  set_rule(system, "radau_iia", 1e-9, 0.03);
  const RunResult run = run_system(system);
  // beta turns by 16 rad in this time; the error of the run follows from its tolerance.
  EXPECT_NEAR(run.end("beta.q"), 15.81077119629904, 1e-6);
  EXPECT_NEAR(run.end("theta.q"), -15.75637105984298, 1e-6);
  EXPECT_NEAR(run.end("gamma.q"), 0.04082224013073101, 1e-7);
  EXPECT_NEAR(run.end("epsilon.q"), 1.048080741042263, 1e-7);
  EXPECT_LT(largest_in(run, "constraints.position_error"), 1e-13);
}

// It damps nothing: errors of the accelerations along the rod would change their sign from step to step and
// stay. Of the 9.81 J of a swing, 70 swings lose an error of the order of the rule.
TEST(TrapezoidalRule, KeepsTheEnergyOfAPendulumOverManySteps) {
  const auto largest_error = [](double dt) {
    System system = pendulum();
    set_fixed_step(system, "trapezoidal", dt, 200.0);
    system.output.every = 0.5;
    const RunResult run = run_system(system);
    EXPECT_GT(largest_in(run, "p.u[0]"), 4.0);
    return largest_in(run, "energy.total");
  };
  const double coarse = largest_error(4e-3), fine = largest_error(2e-3);
  EXPECT_LT(fine, 1e-4 * 9.81);
  EXPECT_GT(coarse / fine, 3.5);
}

TEST(TrapezoidalRule, GoesOnBitForBitWithLoops) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("sestina_trapezoidal_" + std::to_string(getpid()));
  System system = example("16_four_bar.yaml");
  set_rule(system, "trapezoidal", 1e-5, 1.0);
  const RunReport whole = run_system(system).report;
  expect_same_after_resuming(system, path, whole.final_state, {1L, 2L, 77L});
  std::filesystem::remove(path);
}

// The loops of the first have three redundant conditions each.
TEST(ImplicitRules, GiveTheMotionOfExplicitRules) {
  for (const char* name : {"16_four_bar.yaml", "17_slider_crank.yaml"}) {
    System system = example(name);
    set_accurate(system, 1.0, 0.05);
    const RunResult reference = run_system(system);
    set_rule(system, "radau_iia", 1e-11, 1.0);
    const RunResult radau = run_system(system);
    for (std::size_t c = 0; c < reference.table.columns(); ++c) {
      const std::string& column = reference.table.header().columns[c].name;
      if (column.starts_with("constraints.")) continue;
      EXPECT_NEAR(radau.end(column), reference.end(column), 1e-8 * (1.0 + std::abs(reference.end(column))))
          << name << ' ' << column;
    }
  }
}

// Multistep formulas of order 5 at most: many steps, and errors that add up over them.
TEST(CvodeWithLoops, GivesTheMotionOfExplicitRules) {
  for (const char* name : {"16_four_bar.yaml", "17_slider_crank.yaml", "19_every_constraint.yaml"}) {
    System system = example(name);
    set_accurate(system, 0.5, 0.05);
    const RunResult reference = run_system(system);
    set_rule(system, "cvode_bdf", 1e-10, 0.5);
    const RunResult bdf = run_system(system);
    for (std::size_t c = 0; c < reference.table.columns(); ++c) {
      const std::string& column = reference.table.header().columns[c].name;
      if (column.starts_with("constraints.")) continue;
      EXPECT_NEAR(bdf.end(column), reference.end(column), 1e-6 * (1.0 + std::abs(reference.end(column))))
          << name << ' ' << column;
    }
    EXPECT_LT(largest_in(bdf, "constraints.position_error"), 1e-11) << name;
    EXPECT_LT(largest_in(bdf, "constraints.velocity_error"), 1e-9) << name;
  }
}

// A projection that corrected errors only above a tolerance would add its jumps to CVODE's history, as errors
// that no step is short enough for: these runs ended after 0.5 s, 0.9 s and 0.6 ms.
TEST(CvodeWithLoops, TakesTolerancesNearRoundOff) {
  for (const auto& [name, duration] :
       {std::pair("16_four_bar.yaml", 1.0), std::pair("17_slider_crank.yaml", 1.0),
        std::pair("18_squeezer.yaml", 0.03)}) {
    System system = example(name);
    set_accurate(system, duration, duration);
    const State<double> reference = run_system(system).report.final_state;
    set_rule(system, "cvode_bdf", 1e-11, duration);
    const State<double> end = run_system(system).report.final_state;
    for (std::size_t i = 0; i < end.q.size(); ++i) {
      EXPECT_NEAR(end.q[i], reference.q[i], 1e-7 * (1.0 + std::abs(reference.q[i]))) << name << ' ' << i;
    }
  }
}

// The angle of the crank, whose joint is cut, counts turns, which CVODE does not integrate and a spring
// feels.
TEST(CvodeWithLoops, GoesOnBitForBit) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("sestina_cvode_" + std::to_string(getpid()));
  System system = example("16_four_bar.yaml");
  system.joint("hip").cut = true;
  system.add_joint_spring("winding", "hip", {"0.1"});
  set_rule(system, "cvode_bdf", 1e-7, 2.0);
  const RunReport whole = run_system(system).report;
  System other = system;
  set_accurate(other, 2.0, 0.5);
  const State<double> expected = run_system(other).report.final_state;
  for (std::size_t i = 0; i < expected.q.size(); ++i) {
    EXPECT_NEAR(whole.final_state.q[i], expected.q[i], 1e-3) << i;  // 1000 steps of 1e-7
  }
  ASSERT_GT(whole.steps.steps, 1000);  // beyond two of the restarts of CVODE
  expect_same_after_resuming(system, path, whole.final_state, {7L, 499L, 501L, 777L});
  std::filesystem::remove(path);
}

TEST(ImplicitRules, KeepTheirTolerances) {
  System system = example("16_four_bar.yaml");
  set_accurate(system, 1.0, 0.05);
  const double exact = run_system(system).end("hip.q");
  for (const auto& [rule, rtol] : {std::pair("radau_iia", 1e-7), std::pair("radau_iia", 1e-5),
                                   std::pair("generalized_alpha", 1e-6), std::pair("trapezoidal", 1e-6)}) {
    set_rule(system, rule, rtol, 1.0);
    const RunResult run = run_system(system);
    // The crank turns twelve rad: local errors add up over it.
    EXPECT_NEAR(run.end("hip.q"), exact, 1e3 * rtol) << rule;
    EXPECT_LT(run.report.steps.steps, 20000) << rule;
  }
}

TEST(ImplicitRules, KeepLoopsClosedToRoundOff) {
  for (const char* rule : {"radau_iia", "generalized_alpha", "trapezoidal", "cvode_bdf"}) {
    System system = example("16_four_bar.yaml");
    set_fixed_step(system, rule, 1e-3, 10.0);
    system.output.every = 0.1;
    const RunResult run = run_system(system);
    EXPECT_LT(largest_in(run, "constraints.position_error"), 1e-12) << rule;
    EXPECT_LT(largest_in(run, "constraints.velocity_error"), 1e-11) << rule;
  }
}

// Of 1 m and 1 kg, along x.
void add_unit_rods(System& system, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    BodySpec& rod = system.add_body(name, 1.0);
    rod.center_of_mass = {0.5, 0, 0};
    rod.inertia = {.yy = 1.0 / 12, .zz = 1.0 / 12};
    rod.add_point("tip", {1, 0, 0});
  }
}

// Five rods of 1 m in a plane: three upright ones on the ground, two couplers at their ends. In the flat
// position the mechanism could continue in several ways.
System double_four_bar() {
  System system;
  system.gravity = {0, -9.81, 0};
  system.add_ground_point("middle", {1, 0, 0});
  system.add_ground_point("right", {2, 0, 0});
  add_unit_rods(system, {"left_bar", "left_coupler", "middle_bar", "right_coupler", "right_bar"});
  const double up = 0.5 * std::numbers::pi;
  JointSpec& left = add_hinge(system, "left", "ground.origin", "left_bar.origin");
  left.q = {up}, left.u = {-1.0};
  add_hinge(system, "elbow", "left_bar.tip", "left_coupler.origin").q = {-up};
  JointSpec& middle = add_hinge(system, "middle", "ground.middle", "middle_bar.origin");
  middle.q = {up}, middle.u = {-1.0};
  add_hinge(system, "knee", "middle_bar.tip", "right_coupler.origin").q = {-up};
  JointSpec& right = add_hinge(system, "right", "ground.right", "right_bar.origin");
  right.q = {up}, right.u = {-1.0};
  add_hinge(system, "pin_1", "left_coupler.tip", "middle_bar.tip");
  add_hinge(system, "pin_2", "right_coupler.tip", "right_bar.tip");
  return system;
}

TEST(ImplicitRules, PassSingularPositions) {
  System system = double_four_bar();
  set_rule(system, "radau_iia", 1e-8, 4.0);
  const RunResult run = run_system(system);
  // J. Near the singular position the error of a step becomes one of energy; Exudyn with steps of 0.01 s:
  // 0.11.
  EXPECT_LT(run.report.energy_drift, 0.01);
  EXPECT_LT(largest_in(run, "constraints.position_error"), 1e-9);
  EXPECT_GT(run.report.kinetic_energy, 10.0);
}

// A parallelogram of unit rods, whose cranks could go on in opposite directions from flat positions.
TEST(ImplicitRules, KeepCranksParallelThroughFlatPositions) {
  for (const double speed : {-1.0, -2.0, -3.8, -4.0}) {
    System system;
    system.gravity = {0, -9.81, 0};
    system.add_ground_point("right", {1, 0, 0});
    add_unit_rods(system, {"crank", "rocker", "coupler"});
    const double up = 0.5 * std::numbers::pi;
    JointSpec& left = add_hinge(system, "left", "ground.origin", "crank.origin");
    left.q = {up}, left.u = {speed};
    add_hinge(system, "right", "ground.right", "rocker.origin").q = {up};
    add_hinge(system, "elbow", "crank.tip", "coupler.origin").q = {-up};
    add_hinge(system, "pin", "coupler.tip", "rocker.tip");
    for (const char* rule : {"radau_iia", "generalized_alpha"}) {
      set_rule(system, rule, 1e-8, 10.0);
      system.analysis.step.atol = 1e-10;
      const RunResult run = run_system(system);
      EXPECT_NEAR(run.end("left.q"), run.end("right.q"), 1e-6) << rule << speed;
      EXPECT_LT(run.report.energy_drift, 1e-3) << rule << speed;
    }
  }
}

// A shaft with two arms, which stiff springs and dampers hold above a slider: the values of the IFToMM
// library.
System governor() {
  System system;
  system.gravity = {0, 0, -9.81};
  BodySpec& shaft = system.add_body("shaft", 0.3);
  shaft.center_of_mass = {0, 0, 0.5};
  const double along = 0.3 * 2e-4 / 12, across = 0.3 * (1 + 1e-4) / 12;
  shaft.inertia = {.xx = across, .yy = across, .zz = along};
  BodySpec& slider = system.add_body("slider", 3.0);
  slider.inertia = {.xx = 0.005, .yy = 0.005, .zz = 0.005};
  JointSpec& turn = add_hinge(system, "turn", "ground.origin", "shaft.origin");
  turn.u = {2 * std::numbers::pi};
  JointSpec& slide = system.add_joint("slide", "prismatic", "shaft.origin", "slider.origin");
  slide.axis = {0, 0, 1}, slide.q = {0.5};
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "right" : "left";
    // Rod and point mass at its end: a distance of 0.5 and 1 m from the hinge.
    BodySpec& rod = system.add_body(name, 5.3);
    const double center = (0.3 * 0.5 + 5.0) / 5.3;
    const double J =
        0.3 * (1 + 1e-4) / 12 + 0.3 * (center - 0.5) * (center - 0.5) + 5 * (1 - center) * (1 - center);
    rod.center_of_mass = {side * center, 0, 0};
    rod.inertia = {.xx = 0.3 * 2e-4 / 12, .yy = J, .zz = J};
    rod.add_point("middle", {side * 0.5, 0, 0});
    shaft.add_point(name, {side * 0.05, 0, 1});
    slider.add_point(name, {side * 0.05, 0, 0});
    add_hinge(system, name + "_hinge", "shaft." + name, name + ".origin", {0, 1, 0}).q = {
        side * std::numbers::pi / 6};
    system.add_spring_damper(name + "_spring", "slider." + name, name + ".middle", 8e5, 4e4, 0.5);
  }
  return system;
}

// Dampers with a time constant of 0.1 ms: explicit rules take steps of it.
TEST(ImplicitRules, StiffGovernorIsNoMoreWorkThanASoftOne) {
  System system = governor();
  set_rule(system, "radau_iia", 1e-8, 2.0);
  const RunResult run = run_system(system);
  set_accurate(system, 2.0, 0.1);
  system.analysis.step.rtol = 1e-10, system.analysis.step.atol = 1e-12;
  const RunResult reference = run_system(system);
  EXPECT_NEAR(run.end("slide.q"), reference.end("slide.q"), 1e-6);
  EXPECT_LT(run.report.steps.steps, 0.1 * reference.report.steps.steps);
  EXPECT_LT(std::abs(run.report.energy_drift), 1e-4);
}

}  // namespace
}  // namespace sestina::test
