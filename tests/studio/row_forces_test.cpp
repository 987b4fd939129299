#include "studio/row_forces.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sestina/io/model_file.h"
#include "studio/replay.h"

namespace sestina::studio {
namespace {

using ::testing::ElementsAre;

constexpr double kG = 9.81;

Replay replay_of(const std::string& text) {
  RunReport report;
  Replay replay = run_replay(read_model(text, "model"), false, report);
  EXPECT_EQ(report.status, RunStatus::kComplete) << report.failure;
  return replay;
}

Motion motion_of(const std::string& text) {
  const Replay replay = replay_of(text);
  return make_motion(replay, make_scene(replay), 1u << 24);
}

// The forces of one item in a row: their sum, and their moments about the axes of the ground.
struct Sum {
  double force[3] = {}, moment[3] = {};
  int count = 0;
};
Sum sum_of(const Motion& motion, std::size_t row, std::uint32_t item) {
  Sum sum;
  for (std::uint32_t i = motion.force_starts[row]; i < motion.force_starts[row + 1]; ++i) {
    const MotionForce& one = motion.forces[i];
    if (one.item != item) continue;
    ++sum.count;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
      sum.force[k] += one.force[k];
      sum.moment[k] += one.p[a] * one.force[b] - one.p[b] * one.force[a];
    }
  }
  return sum;
}

// Two boxes at rest, the upper one off the middle: statics gives the sums of forces and moments.
TEST(RowForces, CarryAndBalanceABoxOnABox) {
  const Motion motion = motion_of(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies:
  - {name: low, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}, shapes: [{name: cube, type: box, size: [0.2, 0.2, 0.1]}]}
  - {name: high, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, shapes: [{name: top, type: box, size: [0.1, 0.1, 0.1]}]}
joints:
  - {name: one, type: free, parent: ground.origin, child: low.origin, q: [0, 0, 0.05, 1, 0, 0, 0]}
  - {name: two, type: free, parent: ground.origin, child: high.origin, q: [0.03, 0, 0.15, 1, 0, 0, 0]}
contacts:
  - {name: feet, between: [cube, floor], friction: 0.5}
  - {name: seat, between: [cube, top], friction: 0.5}
analysis: {duration: 0.1, step: {driver: fixed, dt: 0.01}}
)");
  ASSERT_EQ(motion.force_starts.size(), motion.rows + 1);
  const Sum feet = sum_of(motion, motion.rows - 1, 0), seat = sum_of(motion, motion.rows - 1, 1);
  EXPECT_EQ(feet.count, 4);
  // float32 numbers of about 10 N
  EXPECT_NEAR(feet.force[2], 3 * kG, 1e-5);       // up, on the box: the floor is the ground
  EXPECT_NEAR(feet.moment[1], -0.03 * kG, 1e-5);  // the weights act at x = 0 and x = 0.03 m
  EXPECT_NEAR(seat.force[2], kG, 1e-5);           // on the second shape, the upper box
  EXPECT_NEAR(seat.moment[1], -0.03 * kG, 1e-5);
  EXPECT_NEAR(seat.moment[0], 0.0, 1e-5);
}

// A block that slides down along x: the friction on it is mu m g cos(slope) against the motion.
TEST(RowForces, HaveTheFrictionOfABlockThatSlides) {
  const double slope = 0.6, mu = 0.3, m = 3.0;
  const Motion motion = motion_of(fmt::format(R"(
sestina: 1
gravity: [{}, 0, {}]
ground: {{shapes: [{{name: slope, type: plane}}]}}
bodies: [{{name: block, mass: 3, inertia: {{xx: 1, yy: 1, zz: 1}}, shapes: [{{type: box, size: [0.2, 0.2, 0.1]}}]}}]
joints: [{{name: fly, type: free, parent: ground.origin, child: block.origin, q: [0, 0, 0.05, 1, 0, 0, 0]}}]
contacts: [{{name: feet, between: [block, slope], friction: {}}}]
analysis: {{duration: 0.2, step: {{driver: fixed, dt: 0.01}}}}
)",
                                              kG * std::sin(slope), -kG * std::cos(slope), mu));
  const Sum sum = sum_of(motion, motion.rows - 1, 0);
  EXPECT_NEAR(sum.force[2], m * kG * std::cos(slope), 1e-4);
  EXPECT_NEAR(sum.force[0], -mu * m * kG * std::cos(slope), 1e-4);
}

TEST(RowForces, AreAbsentInFlight) {
  const Motion motion = motion_of(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies: [{name: ball, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, shapes: [{type: sphere, radius: 0.1}]}]
joints: [{name: fly, type: free, parent: ground.origin, child: ball.origin, q: [0, 0, 1, 1, 0, 0, 0]}]
contacts: [{name: bounce, between: [ball, floor]}]
analysis: {duration: 0.1}
)");
  ASSERT_EQ(motion.force_starts.size(), motion.rows + 1);
  EXPECT_TRUE(motion.forces.empty());
}

// Bodies on which every kind of force element acts, and nothing else: mass times acceleration of each body is
// the sum of the arrows on it.
TEST(RowForces, OfElementsAreMassTimesAcceleration) {
  const char* text = R"(
sestina: 1
bodies:
  - {name: a, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}, points: {hook: [0.1, 0.2, 0], eye: [0, -0.3, 0.1]}}
  - {name: b, mass: 3, inertia: {xx: 1, yy: 1, zz: 1}, points: {hook: [-0.2, 0, 0.1], eye: [0.1, 0.1, 0.2]}}
ground: {points: {wall: [0, 0, 2], sheave: [1, 1, 1]}}
joints:
  - {name: ja, type: free, parent: ground.origin, child: a.origin, q: [0, 0, 0, 1, 0, 0, 0]}
  - {name: jb, type: free, parent: ground.origin, child: b.origin, q: [1, 0.2, 0.1, 1, 0, 0, 0], u: [0, 0, 0.1, 0, 0.3, 0]}
forces:
  - {name: spring, type: spring_damper, from: a.hook, to: b.hook, stiffness: 70, damping: 3, free_length: 0.4}
  - {name: bush, type: bushing, from: ground.wall, to: a.eye, stiffness: [1, 2, 3], damping: 0.5}
  - {name: three, type: cartesian_spring, from: a.origin, to: b.eye, stiffness: [4, 5, 6], damping: 0.2}
  - {name: line, type: rope, points: [a.hook, ground.sheave, b.eye], stiffness: 20, free_length: 1}
  - {name: pull, type: gravity_between, from: a.origin, to: b.origin, strength: 2}
  - {name: given, type: point_force, at: b.eye, value: [1, t, 2], axes: body}
  - {name: twist, type: point_torque, at: b.eye, value: [1, 0, 2]}
analysis: {duration: 0.02, step: {driver: fixed, dt: 0.001}}
output: {every: 0.001}
)";
  const Replay replay = replay_of(text);
  const Scene scene = make_scene(replay);
  const Motion motion = make_motion(replay, scene, 1u << 24);
  ASSERT_EQ(motion.force_starts.size(), motion.rows + 1);
  const std::size_t row = 10;
  std::set<std::string> names;
  double force[2][3] = {};
  for (std::uint32_t i = motion.force_starts[row]; i < motion.force_starts[row + 1]; ++i) {
    const MotionForce& one = motion.forces[i];
    const std::string& name = scene.items[one.item].name;
    // The first arrow is that on a; the ground has none.
    const int body = !names.insert(name).second || name == "given";
    for (std::size_t k = 0; k < 3; ++k) force[body][k] += one.force[k];
  }
  EXPECT_THAT(names, ElementsAre("bush", "given", "line", "pull", "spring", "three"));
  for (const int body : {0, 1}) {
    for (const int k : {0, 1, 2}) {
      const auto q = [&](std::size_t at) {
        return replay.table.at(at, replay.table.column_index(fmt::format("j{}.q[{}]", "ab"[body], k)));
      };
      const double acceleration = (q(row + 1) - 2 * q(row) + q(row - 1)) / 1e-6;
      EXPECT_NEAR(force[body][k], (body == 0 ? 2 : 3) * acceleration, 2e-3)
          << body << k;  // of 45 N; the error of dt
    }
  }
}

// A load along a beam has an arrow at each node: halves of an element's load at its ends.
TEST(RowForces, OfALineForceAreOneForEachNode) {
  const Motion motion = motion_of(R"(
sestina: 1
bodies:
  - name: boom
    type: beam
    centerline: {from: [0, 0, 0], to: [2, 0, 0]}
    elements: 4
    section: {circle: 0.1}
    material: {E: 2e11, nu: 0.3, density: 7800}
joints: [{name: clamp, type: weld, parent: ground.origin, child: boom.start}]
forces: [{name: wind, type: line_force, beam: boom, value: [0, 3, 0]}]
analysis: {type: statics}
)");
  ASSERT_EQ(motion.force_starts, (std::vector<std::uint32_t>{0, 5}));
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(motion.forces[k].force[1], k == 0 || k == 4 ? 0.75 : 1.5, 1e-6) << k;
  }
}

TEST(RowForces, GrowWithTheLoadOfStatics) {
  const Motion motion = motion_of(R"(
sestina: 1
bodies: [{name: a, mass: 1}]
joints: [{name: j, type: prismatic, axis: [1, 0, 0], parent: ground.origin, child: a.origin}]
forces:
  - {name: hold, type: joint_spring, joint: j, stiffness: 10}
  - {name: push, type: point_force, at: a.origin, value: [3, 0, 0]}
analysis: {type: statics, load_steps: 3}
)");
  ASSERT_EQ(motion.forces.size(), motion.rows);
  ASSERT_GE(motion.rows, 3u);
  for (std::size_t row = 0; row < motion.rows; ++row) {
    const double load = motion.values[row * motion.columns.size() + motion.columns.size() - 1];
    EXPECT_NEAR(motion.forces[row].force[0], 3 * load, 1e-6) << row;
  }
}

// A hydraulic actuator pushes its two points apart, by the force of its column.
TEST(RowForces, OfAnActuatorPushItsPointsApart) {
  const Motion motion = motion_of(R"(
sestina: 1
bodies: [{name: piston, mass: 1000, points: {rod: [0, 0, 0]}}]
joints: [{name: guide, type: prismatic, axis: [1, 0, 0], parent: ground.origin, child: piston.origin, q: 1.2}]
forces:
  - {name: lift, type: hydraulic_actuator, from: ground.origin, to: piston.rod, value: 0.1, retracted_length: 1,
     stroke: 0.5, head_area: 1e-3, head_volume: 1e-3, rod_volume: 1e-3, bulk_modulus: 1e9, initial_p1: 2e6,
     supply_pressure: 5e6, valve_flow: 1e-8}
analysis: {duration: 0.01}
)");
  ASSERT_EQ(motion.force_starts.size(), motion.rows + 1);
  for (std::size_t row = 0; row < motion.rows; ++row) {
    ASSERT_EQ(motion.force_starts[row], row);
    EXPECT_NEAR(motion.forces[row].force[0], 2000, 200);
    EXPECT_EQ(motion.forces[row].force[1], 0);
    EXPECT_GT(motion.forces[row].p[0], 1.1);
  }
}

TEST(RowForces, AreAbsentFromModes) {
  const Motion motion = motion_of(R"(
sestina: 1
bodies: [{name: a, mass: 1}]
joints: [{name: j, type: prismatic, axis: [1, 0, 0], parent: ground.origin, child: a.origin}]
ground: {points: {wall: [-1, 0, 0]}}
forces: [{name: s, type: spring_damper, from: ground.wall, to: a.origin, stiffness: 1, free_length: 1}]
analysis: {type: modes}
)");
  EXPECT_EQ(motion.rows, 1u);
  EXPECT_TRUE(motion.force_starts.empty());
}

}  // namespace
}  // namespace sestina::studio
