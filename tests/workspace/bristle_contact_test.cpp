// Friction of contacts by bristles against closed forms: true stick, sliding, contacts whose tangent plane
// turns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "message_of.h"
#include "sestina/model/freeze.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing::HasSubstr;
using testing_support::message_of;

constexpr double kWeight = 9.81, kSpringOfFloor = 1e5, kBristlesPerMetre = 1e4;
constexpr const char* kBristles = "friction: 0.5, bristle_stiffness: 1.0e4, bristle_damping: 30";

// A ball of 2 kg that does not turn, at its depth of rest on a floor, for the law of friction and the pull
// (m/s^2).
System skid(const std::string& friction, double pull, const std::string& u, double duration) {
  System system = read_model(fmt::format(R"(
sestina: 1
gravity: [{}, 0, {}]
ground: {{shapes: [{{name: floor, type: plane}}]}}
bodies: [{{name: ball, mass: 2, shapes: [{{name: skin, type: sphere, radius: 0.1}}]}}]
joints: [{{name: move, type: xyz, parent: ground.origin, child: ball.origin, q: [0, 0, {:.17g}], u: {}}}]
contacts: [{{name: touch, between: [skin, floor], law: linear, stiffness: 1.0e5, damping: 200, {}}}]
)",
                                         pull, -kWeight, 0.1 - 2 * kWeight / kSpringOfFloor, u, friction));
  set_accurate(system, duration, duration / 100);
  return system;
}

TEST(BristleContact, SticksWhereRegularisedFrictionCreeps) {
  const double pull = 2.0;  // 0.2 of the weight
  for (const char* rule : {"dormand_prince_54", "radau_iia"}) {
    for (const char* coordinates : {"relative", "cartesian"}) {
      SCOPED_TRACE(fmt::format("{} {}", rule, coordinates));
      System system = skid(kBristles, pull, "[0, 0, 0]", 4.0);
      system.analysis.coordinates = coordinates;
      system.analysis.integrator.name = system.analysis.coordinates == "cartesian" ? "radau_iia" : rule;
      system.analysis.step.rtol = 1e-10, system.analysis.step.atol = 1e-13;
      const RunResult run = run_system(system);
      // |z| = pull/(g s0): the first shape is the floor, and z that of the ball relative to it.
      EXPECT_NEAR(run.end("touch.bristle_0"), pull / (kWeight * kBristlesPerMetre), 1e-12);
      EXPECT_NEAR(run.end("touch.friction_force"), 2 * pull, 1e-8);
      EXPECT_NEAR(run.end("move.q[0]"), run.at(50, "move.q[0]"), 1e-11);
      EXPECT_GT(run.end("move.q[0]"), 0.9 * pull / (kWeight * kBristlesPerMetre));
    }
  }
  const RunResult creeping = run_system(skid("friction: 0.5, creep_speed: 1.0e-3", pull, "[0, 0, 0]", 4.0));
  EXPECT_GT(creeping.end("move.q[0]"), 4.0 * 1e-3 * 0.4);
}

// With Stribeck's effect the deceleration at v is g (mu + (mu_s - mu) exp(-(v/v_s)^2)).
TEST(BristleContact, SlidesToItsStopInTheTimeAndOnTheWayOfTheLaw) {
  const double mu = 0.3, at_rest = 0.45, stribeck = 0.5, first = 3.0;
  System system = skid(
      "friction: 0.3, static_friction: 0.45, stribeck_speed: 0.5, bristle_stiffness: 1.0e6, "
      "bristle_damping: 10",
      0.0, "[1.8, 2.4, 0]", 1.2);
  system.analysis.integrator.name = "radau_iia";
  system.analysis.step.rtol = 1e-9, system.analysis.step.atol = 1e-12;
  const RunResult run = run_system(system);
  double way = 0.0;
  const int n = 20000;
  for (int i = 0; i < n; ++i) {  // the midpoint rule for the integral of v dv/deceleration
    const double v = first * (i + 0.5) / n;
    way += v * first / n / (kWeight * (mu + (at_rest - mu) * std::exp(-std::pow(v / stribeck, 2))));
  }
  EXPECT_NEAR(std::hypot(run.end("move.q[0]"), run.end("move.q[1]")), way, 1e-4 * way);
  EXPECT_NEAR(run.end("move.q[1]"), run.end("move.q[0]") * 2.4 / 1.8, 1e-9);
  EXPECT_NEAR(run.at(1, "touch.friction_force"), mu * 2 * kWeight, 1e-3);
  EXPECT_NEAR(run.end("touch.slip"), 0.0, 1e-6);
  EXPECT_LT(run.report.energy_drift, 5e-6);  // of 9 J
}

// Bristles turn with the table: a body that friction holds on it keeps its place there.
TEST(BristleContact, HoldsABodyOnATurntable) {
  const double rate = 2.0, radius = 0.5;
  System system = read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, 0]
bodies:
  - {{name: table, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}, shapes: [{{name: top, type: plane}}]}}
  - {{name: puck, mass: 2, inertia: {{xx: 1, yy: 1, zz: 1}}, shapes: [{{name: skin, type: sphere, radius: 0.1}}]}}
joints:
  - {{name: turn, type: revolute, parent: ground.origin, child: table.origin, axis: [0, 0, 1], u: {0}}}
  - {{name: move, type: planar, parent: ground.level, child: puck.origin, q: [{1}, 0, 0], u: [0, {2}, {0}]}}
ground: {{points: {{level: [0, 0, 0.0998]}}}}
constraints: [{{name: motor, type: motion, joint: turn, value: {0}*t}}]
contacts: [{{name: touch, between: [top, skin], law: linear, stiffness: 1.0e5, {3}}}]
)",
                                         rate, radius, rate * radius, kBristles));
  set_accurate(system, 30.0, 0.3);
  system.analysis.step.rtol = 1e-10, system.analysis.step.atol = 1e-13;
  const RunResult run = run_system(system);
  const auto place = [&](std::size_t row) {
    const double x = run.at(row, "move.q[0]"), y = run.at(row, "move.q[1]"), angle = run.at(row, "turn.q");
    return std::pair(x * std::cos(angle) + y * std::sin(angle), y * std::cos(angle) - x * std::sin(angle));
  };
  // m w^2 r/(N s0) on the force 2 w^2 r of the weight 20 N
  EXPECT_NEAR(std::hypot(run.end("touch.bristle_0"), run.end("touch.bristle_1")),
              2 * rate * rate * place(100).first / (20 * kBristlesPerMetre), 1e-10);
  EXPECT_NEAR(place(100).first, place(20).first, 1e-9);
  EXPECT_NEAR(place(100).second, place(20).second, 1e-9);
  EXPECT_NEAR(place(20).first, radius, 1e-4);
}

// A planet that resists its spin rolls on a sun without creep: equation (9).
TEST(BristleContact, TurnsWithThePlaneBetweenTwoBalls) {
  const double R = 0.2, r = 0.1, d = 0.2998, rate = 3.0, depth = R + r - d;
  System system = read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, 0]
ground: {{shapes: [{{name: sun, type: sphere, radius: {0}}}]}}
bodies:
  - {{name: carrier, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}, points: {{pin: [{2}, 0, 0]}}}}
  - {{name: planet, mass: 0.5, inertia: {{xx: 0.002, yy: 0.002, zz: 0.002}},
     shapes: [{{name: skin, type: sphere, radius: {1}}}]}}
joints:
  - {{name: arm, type: revolute, parent: ground.origin, child: carrier.origin, axis: [0, 0, 1], u: {3}}}
  - {{name: spin, type: revolute, parent: carrier.pin, child: planet.origin, axis: [0, 0, 1], u: {4:.17g}}}
constraints: [{{name: motor, type: motion, joint: arm, value: {3}*t}}]
forces: [{{name: brake, type: joint_force, joint: spin, value: -0.3}}]
contacts: [{{name: touch, between: [sun, skin], law: linear, stiffness: 1.0e5, {5}}}]
)",
                                         R, r, d, rate, rate * d / (r - depth / 2) - rate, kBristles));
  set_accurate(system, 10.0, 0.1);
  system.analysis.step.rtol = 1e-10, system.analysis.step.atol = 1e-13;
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("spin.u"), rate * d / (r - depth / 2) - rate, 1e-8);
  EXPECT_NEAR(run.end("touch.friction_force"), 0.3 / (r - depth / 2), 1e-7);
  EXPECT_LT(run.end("touch.slip"), 1e-9);
}

// Thrown with slip, a ball ends at 5/7 of its first speed, and rolls without creep.
TEST(BristleContact, BallBeginsToRoll) {
  System system = read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {{shapes: [{{name: floor, type: plane}}]}}
bodies:
  - {{name: ball, mass: 2, inertia: {{xx: 0.008, yy: 0.008, zz: 0.008}}, shapes: [{{name: skin, type: sphere, radius: 0.1}}]}}
joints:
  - {{name: fly, type: free, parent: ground.origin, child: ball.origin, q: [0, 0, {:.17g}, 1, 0, 0, 0], u: [0, 0, 0, 3, 0, 0]}}
contacts: [{{name: touch, between: [floor, skin], law: linear, stiffness: 1.0e5, damping: 200, {}}}]
)",
                                         0.1 - 2 * kWeight / kSpringOfFloor, kBristles));
  set_accurate(system, 1.5, 0.01);
  system.analysis.step.rtol = 1e-10, system.analysis.step.atol = 1e-12;
  const double arm = 0.1 - kWeight / kSpringOfFloor, rolling = 3 * 2 * arm * arm / (2 * arm * arm + 0.008);
  std::vector<double> ends;
  for (const char* rule : {"dormand_prince_54", "radau_iia"}) {
    SCOPED_TRACE(rule);
    system.analysis.integrator.name = rule;
    const RunResult run = run_system(system);
    EXPECT_NEAR(run.end("fly.u[3]"), rolling, 1e-7);
    EXPECT_NEAR(run.end("fly.u[1]"), rolling / arm, 1e-6);
    EXPECT_LT(run.end("touch.slip"), 1e-8);
    EXPECT_LT(run.report.energy_drift, 1e-7);
    ends.push_back(run.end("fly.q[0]"));
  }
  EXPECT_NEAR(ends[0], ends[1], 1e-7);
}

TEST(BristleContact, EveryPairOfShapesHasItsOwn) {
  System system = skid(kBristles, 0.0, "[0, 0, 0]", 0.1);
  system.bodies[0].shapes.push_back(system.bodies[0].shapes[0]);
  system.bodies[0].shapes[1].name = "second";
  system.contacts[0].between[0] = Name("ball");
  const std::shared_ptr<const Model> model = freeze(system);
  EXPECT_EQ(model->nx(), 6);
}

TEST(BristleContact, KeysThatDoNotBelongAreRefused) {
  const auto refusal = [](const std::string& friction) {
    return message_of([&] { freeze(skid(friction, 0.0, "[0, 0, 0]", 1.0)); });
  };
  EXPECT_THAT(refusal("friction: 0.5, bristle_stiffness: 1"), HasSubstr("bristle_damping: is missing"));
  EXPECT_THAT(refusal("friction: 0.5, bristle_damping: 1, creep_speed: 1"),
              HasSubstr("has no bristle_stiffness"));
  EXPECT_THAT(refusal("friction: 0.5, bristle_stiffness: 1, bristle_damping: 1, creep_speed: 1"),
              HasSubstr("cannot stand beside"));
  EXPECT_THAT(refusal("bristle_stiffness: 1, bristle_damping: 1"), HasSubstr("friction: 0 is not positive"));
  EXPECT_THAT(refusal("friction: 0.5, bristle_stiffness: 1, bristle_damping: 1, static_friction: 0.6"),
              HasSubstr("expected both, or none"));
  EXPECT_THAT(refusal("friction: 0.5, bristle_stiffness: 1, bristle_damping: 1, static_friction: 0.4, "
                      "stribeck_speed: 1"),
              HasSubstr("0.4 is smaller than friction, 0.5"));
  System box = skid(kBristles, 0.0, "[0, 0, 0]", 1.0);
  box.bodies[0].shapes[0].type = "box", box.bodies[0].shapes[0].size = {1, 1, 1};
  box.bodies[0].shapes[0].radius = {};
  EXPECT_THAT(message_of([&] { freeze(box); }), HasSubstr("touches at several points"));
  System rigid = skid(kBristles, 0.0, "[0, 0, 0]", 1.0);
  rigid.contacts[0].law = "stronge", rigid.contacts[0].damping = 0;
  EXPECT_THAT(message_of([&] { freeze(rigid); }), HasSubstr("with stronge a contact sticks"));
}

}  // namespace
}  // namespace sestina
