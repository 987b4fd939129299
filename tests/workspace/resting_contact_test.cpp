// Mechanisms with loops that come to rest on a contact.
#include <gtest/gtest.h>

#include <cmath>

#include "sestina/io/model_file.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;

// A four-bar whose crank falls on the floor: with one freedom, the normal direction of the contact determines
// the slip too, and friction within its cone is not unique.
TEST(RestingContact, FourBarRestsOnAFloorWithFriction) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, -9.81, 0]
ground:
  points: {right: [2, 0, 0]}
  shapes: [{name: floor, type: plane, position: [0, -0.3, 0], axes: {rpy: [-pi/2, 0, 0]}}]
bodies:
  - {name: crank, mass: 0.5, center_of_mass: [0.25, 0, 0], inertia: {xx: 0.01, yy: 0.0104, zz: 0.0104},
     points: {tip: [0.5, 0, 0]}, shapes: [{name: knob, type: sphere, radius: 0.05, position: [0.5, 0, 0]}]}
  - {name: coupler, mass: 2, center_of_mass: [1, 0, 0], inertia: {xx: 0.02, yy: 0.667, zz: 0.667},
     points: {tip: [2, 0, 0]}}
  - {name: rocker, mass: 1.5, center_of_mass: [0.75, 0, 0], inertia: {xx: 0.02, yy: 0.281, zz: 0.281},
     points: {tip: [1.5, 0, 0]}}
joints:
  - {name: hip, type: revolute, parent: ground.origin, child: crank.origin, axis: [0, 0, 1], q: 1, u: 3}
  - {name: elbow, type: revolute, parent: crank.tip, child: coupler.origin, axis: [0, 0, 1]}
  - {name: heel, type: revolute, parent: ground.right, child: rocker.origin, axis: [0, 0, 1]}
  - {name: pin, type: revolute, parent: rocker.tip, child: coupler.tip, axis: [0, 0, 1]}
contacts: [{name: hit, between: [knob, floor], friction: 0.3}]
analysis: {duration: 2, step: {rtol: 1.0e-8, atol: 1.0e-9}}
output: {every: 0.05}
)"));
  // The knob touches where its centre is 0.05 m above the floor: 0.5 sin q = -0.25, behind the vertical.
  const double q = run.end("hip.q");
  EXPECT_NEAR(0.5 * std::sin(q), -0.25, 1e-12);
  const double force = run.end("hit.normal_force");
  EXPECT_GT(force, 1.0);
  for (std::size_t row = run.table.rows() - 10; row < run.table.rows(); ++row) {
    EXPECT_NEAR(run.at(row, "hip.q"), q, 1e-12);
    EXPECT_NEAR(run.at(row, "hip.u"), 0.0, 1e-11);
    EXPECT_NEAR(run.at(row, "hit.normal_force"), force, 1e-8 * force);
  }
  EXPECT_LT(run.report.steps.steps, 400);
}

// The column `slip` is that of the state of its row, not of a moment later, when the point of contact has
// moved on.
TEST(RestingContact, BallThatRollsHasNoSlip) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies:
  - {name: ball, mass: 2, inertia: {xx: 0.008, yy: 0.008, zz: 0.008}, shapes: [{name: skin, type: sphere, radius: 0.1}]}
joints:
  - {name: fly, type: free, parent: ground.origin, child: ball.origin, q: [0, 0, 0.1, 1, 0, 0, 0], u: [0, 14, 0, 1.4, 0, 0]}
contacts: [{name: touch, between: [floor, skin], friction: 0.3}]
analysis: {duration: 0.5}
output: {every: 0.1}
)"));
  for (std::size_t row = 0; row < run.table.rows(); ++row) EXPECT_LT(run.at(row, "touch.slip"), 1e-13);
  EXPECT_NEAR(run.end("fly.q[0]"), 0.7, 1e-10);
}

}  // namespace
}  // namespace sestina
