// The rule `time_stepping`: contacts against closed forms, at fixed steps.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"
#include "sestina/workspace/simulator.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;

constexpr double kGravity = 9.81;

// A block on a plane that gravity, turned by an angle, pulls along x.
RunResult run_block(double angle, double friction, const std::string& start = "") {
  return run_system(
      read_model(fmt::format(R"(
sestina: 1
gravity: [{}, 0, {}]
ground: {{shapes: [{{name: floor, type: plane}}]}}
bodies: [{{name: block, mass: 3, inertia: {{xx: 0.02, yy: 0.03, zz: 0.04}}, shapes: [{{type: box, size: [0.2, 0.15, 0.1]}}]}}]
joints: [{{name: fly, type: free, parent: ground.origin, child: block.origin, q: [0, 0, 0.05, 1, 0, 0, 0]{}}}]
contacts: [{{name: feet, between: [block, floor], friction: {}}}]
analysis: {{integrator: time_stepping, duration: 1, step: {{driver: fixed, dt: 0.01}}}}
output: {{every: 0.1}}
)",
                             kGravity * std::sin(angle), -kGravity * std::cos(angle), start, friction)));
}

TEST(TimeStepping, BlockSticksOnASlope) {
  const RunResult run = run_block(0.5, std::tan(0.5) + 1e-3);
  EXPECT_NEAR(run.end("fly.q[0]"), 0.0, 1e-13);
  EXPECT_NEAR(run.end("fly.q[2]"), 0.05, 1e-13);
}

TEST(TimeStepping, BlockSlidesDownASlope) {
  const RunResult run = run_block(0.5, 0.3);
  const double a = kGravity * (std::sin(0.5) - 0.3 * std::cos(0.5));
  EXPECT_NEAR(run.end("fly.u[3]"), a, 1e-12);
  // q moves with the speed at the end of each step.
  EXPECT_NEAR(run.end("fly.q[0]"), 0.5 * a * (1.0 + 0.01), 1e-12);
  const double dissipated = 3 * 0.3 * kGravity * std::cos(0.5) * run.end("fly.q[0]");
  EXPECT_NEAR(run.end("energy.dissipated"), dissipated, 0.02 * dissipated);
}

TEST(TimeStepping, SlidingBlockComesToRest) {
  const RunResult run = run_block(0.0, 0.4, ", u: [0, 0, 0, 1.5, 0.8, 0]");
  const double speed = std::hypot(1.5, 0.8), way = speed * speed / (2 * 0.4 * kGravity);
  EXPECT_NEAR(run.end("fly.q[0]") / run.end("fly.q[1]"), 1.5 / 0.8, 1e-9);
  EXPECT_NEAR(std::hypot(run.end("fly.q[0]"), run.end("fly.q[1]")), way, 0.01 * speed);
  EXPECT_NEAR(run.end("fly.u[3]"), 0.0, 1e-15);
}

TEST(TimeStepping, BallBouncesAndLands) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies: [{name: ball, mass: 2, inertia: {xx: 0.008, yy: 0.008, zz: 0.008}, shapes: [{name: skin, type: sphere, radius: 0.1}]}]
joints: [{name: fly, type: free, parent: ground.origin, child: ball.origin, q: [0, 0, 0.35, 1, 0, 0, 0]}]
contacts: [{name: touch, between: [floor, skin], restitution: 0.5, friction: 0.3}]
analysis: {integrator: time_stepping, duration: 2, step: {driver: fixed, dt: 0.0005}}
output: {every: 0.01}
)"));
  double highest = 0.0;  // after the first impact, at 0.226 s
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    if (run.at(row, "t") > 0.25) highest = std::max(highest, run.at(row, "fly.q[2]"));
  }
  EXPECT_NEAR(highest, 0.1 + 0.25 * 0.25, 2e-3);
  EXPECT_NEAR(run.end("fly.q[2]"), 0.1, 1e-9);
  EXPECT_NEAR(run.end("fly.u[2]"), 0.0, 1e-12);
}

// The balls have no relative speed until the floor stops the lower one: their contact must act in the same
// step.
TEST(TimeStepping, BallsThatFallTogetherDoNotOverlap) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies:
  - {name: low, mass: 1, inertia: {xx: 0.004, yy: 0.004, zz: 0.004}, shapes: [{name: a, type: sphere, radius: 0.1}]}
  - {name: high, mass: 1, inertia: {xx: 0.004, yy: 0.004, zz: 0.004}, shapes: [{name: b, type: sphere, radius: 0.1}]}
joints:
  - {name: fly_a, type: free, parent: ground.origin, child: low.origin, q: [0, 0, 0.2, 1, 0, 0, 0]}
  - {name: fly_b, type: free, parent: ground.origin, child: high.origin, q: [0, 0, 0.400001, 1, 0, 0, 0]}
contacts:
  - {name: landing, between: [floor, a], friction: 0.3}
  - {name: balls, between: [a, b], friction: 0.3}
analysis: {integrator: time_stepping, duration: 0.5, step: {driver: fixed, dt: 0.002}}
output: {every: 0.002}
)"));
  for (std::size_t row = 0; row < run.table.rows(); ++row) EXPECT_GT(run.at(row, "balls.gap"), -1e-10);
  EXPECT_NEAR(run.end("fly_b.q[2]"), 0.3, 1e-9);
  EXPECT_NEAR(run.end("fly_b.u[5]"), 0.0, 1e-10);
}

// Five boxes on each other: 20 points of contact, of which most are redundant.
TEST(TimeStepping, StackRests) {
  std::string model =
      "sestina: 1\ngravity: [0, 0, -9.81]\nground: {shapes: [{name: s0, type: plane}]}\nbodies:\n";
  for (int i = 1; i <= 5; ++i) {
    model += fmt::format(
        "  - {{name: b{0}, mass: 1, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, "
        "shapes: [{{name: s{0}, type: box, size: [0.3, 0.3, 0.2]}}]}}\n",
        i);
  }
  model += "joints:\n";
  for (int i = 1; i <= 5; ++i) {
    model += fmt::format(
        "  - {{name: j{0}, type: free, parent: ground.origin, child: b{0}.origin, "
        "q: [0, 0, {1}, 1, 0, 0, 0]}}\n",
        i, 0.2 * i - 0.1);
  }
  model += "contacts:\n";
  for (int i = 1; i <= 5; ++i)
    model += fmt::format("  - {{name: c{0}, between: [s{1}, s{0}], friction: 0.5}}\n", i, i - 1);
  const std::shared_ptr<const Model> frozen = freeze(read_model(model));
  Simulator simulator(frozen, {.rule = {.name = "time_stepping"}});
  for (int step = 0; step < 50; ++step) simulator.step(0.005);
  const State<double> start = calc_initial_state(*frozen);
  for (std::size_t i = 0; i < start.q.size(); ++i) EXPECT_NEAR(simulator.state().q[i], start.q[i], 1e-9) << i;
  for (const double speed : simulator.state().u) EXPECT_NEAR(speed, 0.0, 1e-9);
}

}  // namespace
}  // namespace sestina
