// A boom that a hydraulic cylinder lifts, against an independent integration, and closed forms of its oil.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;

ForceSpec& add_cylinder(System& system, const Name& from, const Name& to, Numbers valve) {
  ForceSpec& lift = system.add_hydraulic_actuator("lift", from, to, std::move(valve));
  lift.head_area = 2e-3, lift.rod_area = 1.2e-3, lift.retracted_length = 0.5, lift.stroke = 0.5;
  lift.head_volume = 3e-4, lift.rod_volume = 2e-4, lift.bulk_modulus = 1.5e9;
  lift.valve_flow = 2e-7, lift.supply_pressure = 5e6, lift.tank_pressure = 1e5;
  lift.initial_p1 = 1e6, lift.initial_p2 = 5e5;
  return lift;
}

System make_boom(Numbers valve) {
  System system;
  system.gravity = {0, -9.81, 0};
  system.add_ground_point("foot", {0.5, -0.5, 0});
  BodySpec& arm = system.add_body("arm", 100.0);
  arm.center_of_mass = {1, 0, 0}, arm.inertia = {.xx = 1, .yy = 30, .zz = 30};
  arm.add_point("eye", {0.8, 0, 0});
  JointSpec& pin = system.add_joint("pin", "revolute", "ground.origin", "arm.origin");
  pin.axis = {0, 0, 1}, pin.q = 0.1;
  add_cylinder(system, "ground.foot", "arm.eye", std::move(valve)).damping = 2e3;
  set_accurate(system, 1.0, 0.1);
  system.analysis.step.rtol = 1e-10, system.analysis.step.atol = 1e-10;
  return system;
}

// A mass on a rail along the cylinder, without weight.
System make_slider(Numbers valve) {
  System system;
  system.add_body("mass", 50.0).inertia = {.xx = 1, .yy = 1, .zz = 1};
  JointSpec& rail = system.add_joint("rail", "prismatic", "ground.origin", "mass.origin");
  rail.axis = {1, 0, 0}, rail.q = 0.7;
  ForceSpec& lift = add_cylinder(system, "ground.origin", "mass.origin", std::move(valve));
  lift.initial_p2 = 1e6 * 2.0 / 1.2;  // balances p1
  set_accurate(system, 0.2, 0.01);
  return system;
}

// q, u, p1, p2 by SciPy 1.x: solve_ivp of the equations with the length and its rate as functions of q,
// Radau, rtol = atol = 1e-11. The generalised-alpha rule of Exudyn's HydraulicActuatorSimple with steps of
// 1/1000, 1/4000 and 1/16000 s comes to q(1) = 0.378582, 0.378692, 0.378719, and by extrapolation in the step
// to 0.3787283.
struct BoomRow {
  std::size_t row;
  double q, u, p1, p2;
};
constexpr std::array<BoomRow, 3> kBoom{{
    {3, 1.806711181534e-01, 2.755629117942e-01, 1.689573337479e+06, 1.291735405793e+06},
    {5, 2.361631041581e-01, 2.794360167503e-01, 1.691238269812e+06, 1.291143272961e+06},
    {10, 3.787283225243e-01, 2.914158314704e-01, 1.689803351871e+06, 1.291707797858e+06},
}};

TEST(HydraulicActuator, LiftsABoomAsAnIndependentIntegrationSays) {
  for (const char* coordinates : {"relative", "cartesian"}) {
    System system = make_boom(1.0);
    system.analysis.coordinates = coordinates;
    const RunResult run = run_system(system);
    for (const BoomRow& at : kBoom) {
      EXPECT_NEAR(run.at(at.row, "pin.q"), at.q, 1e-8) << coordinates;
      EXPECT_NEAR(run.at(at.row, "lift.p1"), at.p1, 1e-1) << coordinates;  // of 1.7e6 Pa
      EXPECT_NEAR(run.at(at.row, "lift.p2"), at.p2, 1e-1) << coordinates;
      if (coordinates == std::string("relative")) {
        EXPECT_NEAR(run.at(at.row, "pin.u"), at.u, 1e-8);
      }
      const double q = at.q, x = 0.8 * std::cos(q) - 0.5, y = 0.8 * std::sin(q) + 0.5;
      const double length = std::hypot(x, y);
      const double rate = 0.8 * at.u * (-x * std::sin(q) + y * std::cos(q)) / length;
      EXPECT_NEAR(run.at(at.row, "lift.length"), length, 1e-8);
      EXPECT_NEAR(run.at(at.row, "lift.force"), 2e-3 * at.p1 - 1.2e-3 * at.p2 - 2e3 * rate, 1e-3);
    }
  }
}

TEST(HydraulicActuator, ItsPowerIsInTheEnergyLedger) {
  const RunResult run = run_system(make_boom(1.0));
  const auto balance = [&](std::size_t row) {
    return run.at(row, "energy.total") - run.at(row, "energy.supplied") + run.at(row, "energy.dissipated");
  };
  for (std::size_t row = 1; row < run.table.rows(); ++row) EXPECT_NEAR(balance(row), balance(0), 1e-6);
  EXPECT_GT(run.end("energy.supplied"), 100.0);
  EXPECT_GT(run.end("energy.dissipated"), 10.0);
}

TEST(HydraulicActuator, RunsWithImplicitRules) {
  for (const auto& [rule, tolerance] : {std::pair{"radau_iia", 1e-7}, std::pair{"generalized_alpha", 1e-4}}) {
    System system = make_boom(1.0);
    set_fixed_step(system, rule, 1e-3, 1.0);
    const RunResult run = run_system(system);
    EXPECT_NEAR(run.end("pin.q"), kBoom[2].q, tolerance) << rule;
  }
}

// One valve is two with opposite openings; the valve may follow the state.
TEST(HydraulicActuator, TakesOneValveOrTwoThatExpressionsMove) {
  const RunResult one = run_system(make_boom("0.3*sin(20*t) - lift.p1/1e7"));
  const RunResult two =
      run_system(make_boom({"0.3*sin(20*t) - lift.p1/1e7", "-0.3*sin(20*t) + lift.p1/1e7"}));
  for (const char* column : {"pin.q", "lift.p1", "lift.p2"}) {
    EXPECT_NEAR(one.end(column), two.end(column), 1e-9 * std::abs(one.end(column)));
  }
  EXPECT_GT(std::abs(one.end("pin.q") - 0.1), 1e-3);
}

// With closed valves dp1 = -K dV1/V1 and dp2 = -K dV2/V2: the pressures depend on the stroke alone.
TEST(HydraulicActuator, ClosedValvesMakeASpringOfOil) {
  System system = make_slider(0);
  system.joint("rail").u = 0.5;
  const RunResult run = run_system(system);
  double most = 0;
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double s = run.at(row, "rail.q") - 0.5, K = 1.5e9;
    const double V1 = 3e-4 + 2e-3 * s, V2 = 2e-4 + 1.2e-3 * (0.5 - s);
    const double p1 = 1e6 - K * std::log(V1 / 7e-4), p2 = 1e6 * 2.0 / 1.2 - K * std::log(V2 / 5.6e-4);
    EXPECT_NEAR(run.at(row, "lift.p1"), p1, 1e-2);
    EXPECT_NEAR(run.at(row, "lift.p2"), p2, 1e-2);
    most = std::max(most, std::abs(s - 0.2));
  }
  EXPECT_GT(most, 1e-3);
}

// K (A1^2/V1 + A2^2/V2) is the stiffness of the oil.
TEST(HydraulicActuator, ModesSeeTheSpringOfOil) {
  System system = make_slider(0);
  system.analysis.type = "modes";
  system.analysis.about = "initial";
  const RunResult run = run_anyhow(system);
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  const double k = 1.5e9 * (4e-6 / 7e-4 + 1.44e-6 / 5.6e-4);
  const double frequency = std::sqrt(k / 50.0) / (2 * std::numbers::pi);
  double found = 0;
  for (std::size_t row = 0; row < run.table.rows(); ++row) found = std::max(found, run.at(row, "frequency"));
  EXPECT_NEAR(found, frequency, 1e-8 * frequency);
}

// The piston without load moves at the speed at which the flow out of the valve fills the chambers.
TEST(HydraulicActuator, OpenValvesMoveThePistonAtTheSpeedOfTheFlow) {
  System system = make_slider(1);
  system.force("lift").valve_flow = 1e-7;
  system.force("lift").damping = 1e3;
  set_fixed_step(system, "radau_iia", 1e-3, 1.5);
  const RunResult run = run_system(system);
  const double speed = run.end("rail.u"), p1 = run.end("lift.p1"), p2 = run.end("lift.p2");
  EXPECT_NEAR(1e-7 * std::sqrt(5e6 - p1), 2e-3 * speed, 1e-3 * 2e-3 * speed);
  EXPECT_NEAR(1e-7 * std::sqrt(p2 - 1e5), 1.2e-3 * speed, 1e-3 * 1.2e-3 * speed);
  EXPECT_NEAR(run.end("lift.force"), 0.0, 1.0);
  EXPECT_GT(speed, 0.05);
}

}  // namespace
}  // namespace sestina
