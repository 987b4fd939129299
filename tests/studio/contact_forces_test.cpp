#include "studio/contact_forces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sestina/io/model_file.h"
#include "studio/replay.h"

namespace sestina::studio {
namespace {

constexpr double kG = 9.81;

Motion motion_of(const std::string& text) {
  RunReport report;
  const Replay replay = run_replay(read_model(text, "model"), false, report);
  EXPECT_EQ(report.status, RunStatus::kComplete) << report.failure;
  const Scene scene = make_scene(replay);
  return make_motion(replay, scene, 1u << 24);
}

// The forces of one contact in a row: their sum, and their moments about the axes of the ground.
struct Sum {
  double force[3] = {}, moment[3] = {};
  int points = 0;
};
Sum sum_of(const Motion& motion, std::size_t row, std::uint32_t contact) {
  Sum sum;
  for (std::uint32_t i = motion.contact_starts[row]; i < motion.contact_starts[row + 1]; ++i) {
    const MotionContactPoint& point = motion.contact_points[i];
    if (point.contact != contact) continue;
    ++sum.points;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
      sum.force[k] += point.force[k];
      sum.moment[k] += point.p[a] * point.force[b] - point.p[b] * point.force[a];
    }
  }
  return sum;
}

// Two boxes at rest, the upper one off the middle: statics gives the sums of forces and moments.
TEST(ContactForces, CarryAndBalanceABoxOnABox) {
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
  ASSERT_EQ(motion.contact_starts.size(), motion.rows + 1);
  const Sum feet = sum_of(motion, motion.rows - 1, 0), seat = sum_of(motion, motion.rows - 1, 1);
  EXPECT_EQ(feet.points, 4);
  // float32 numbers of about 10 N
  EXPECT_NEAR(feet.force[2], 3 * kG, 1e-5);       // up, on the box: the floor is the ground
  EXPECT_NEAR(feet.moment[1], -0.03 * kG, 1e-5);  // the weights act at x = 0 and x = 0.03 m
  EXPECT_NEAR(seat.force[2], kG, 1e-5);           // on the second shape, the upper box
  EXPECT_NEAR(seat.moment[1], -0.03 * kG, 1e-5);
  EXPECT_NEAR(seat.moment[0], 0.0, 1e-5);
}

// A block that slides down along x: the friction on it is mu m g cos(slope) against the motion.
TEST(ContactForces, HaveTheFrictionOfABlockThatSlides) {
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

TEST(ContactForces, AreAbsentInFlight) {
  const Motion motion = motion_of(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies: [{name: ball, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, shapes: [{type: sphere, radius: 0.1}]}]
joints: [{name: fly, type: free, parent: ground.origin, child: ball.origin, q: [0, 0, 1, 1, 0, 0, 0]}]
contacts: [{name: bounce, between: [ball, floor]}]
analysis: {duration: 0.1}
)");
  ASSERT_EQ(motion.contact_starts.size(), motion.rows + 1);
  EXPECT_TRUE(motion.contact_points.empty());
}

}  // namespace
}  // namespace sestina::studio
