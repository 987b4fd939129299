// Runs with contacts against closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"
#include "sestina/workspace/system_equations.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing::HasSubstr;
using testing_support::message_of;

constexpr double kG = 9.81;

System ball(const std::string& start, const std::string& contact, double duration) {
  return read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {{shapes: [{{name: floor, type: plane}}]}}
bodies:
  - {{name: ball, mass: 2, inertia: {{xx: 0.008, yy: 0.008, zz: 0.008}}, shapes: [{{name: skin, type: sphere, radius: 0.1}}]}}
joints: [{{name: fly, type: free, parent: ground.origin, child: ball.origin, {}}}]
contacts: [{{name: touch, between: [floor, skin], {}}}]
analysis: {{duration: {}, step: {{rtol: 1.0e-8, atol: 1.0e-9}}}}
)",
                                start, contact, duration));
}

// Height of a ball that falls from h and bounces with e, at time t.
double height_of_bouncing(double h, double e, double t) {
  double begin = 0.0, up = 0.0, z = h;
  while (true) {
    const double flight = (up + std::sqrt(up * up + 2 * kG * z)) / kG;
    if (t < begin + flight) return z + up * (t - begin) - 0.5 * kG * (t - begin) * (t - begin);
    up = e * (kG * flight - up);
    begin += flight;
    z = 0.0;
  }
}

TEST(Contact, BallBouncesByEachLaw) {
  for (const char* law : {"newton", "poisson", "stronge"}) {
    SCOPED_TRACE(law);
    const RunResult run =
        run_system(ball("q: [0, 0, 1.1, 1, 0, 0, 0]", fmt::format("restitution: 0.8, law: {}", law), 2.0));
    ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
    const std::vector<double>& t = run.table.column("t");
    for (std::size_t i = 0; i < t.size(); ++i) {
      // Steps are exact where the acceleration is constant, impacts within them too.
      EXPECT_NEAR(run.table.column("fly.q[2]")[i] - 0.1, height_of_bouncing(1.0, 0.8, t[i]), 1e-12) << t[i];
    }
    EXPECT_LT(run.report.energy_drift, 1e-12);
    EXPECT_GT(run.end("energy.dissipated"), 1.0);
  }
}

TEST(Contact, BallComesToRestAndCarriesItsWeight) {
  const RunResult run = run_system(ball("q: [0, 0, 0.15, 1, 0, 0, 0]", "restitution: 0.5", 2.0));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  EXPECT_NEAR(run.end("fly.q[2]"), 0.1, 1e-9);
  EXPECT_NEAR(run.end("touch.normal_force"), 2 * kG, 1e-6);
  EXPECT_NEAR(run.end("touch.gap"), 0.0, 1e-9);
  EXPECT_NEAR(run.end("energy.dissipated"), 2 * kG * 0.05, 1e-6);
}

// What lands without a rebound loses what it brings; what lies there, nothing more.
TEST(Contact, BallLandsForGood) {
  const RunResult run =
      run_system(ball("q: [0, 0, 0.6, 1, 0, 0, 0], u: [0, 0, 0, 3, 0, 0]", "friction: 0.3", 1.0));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  // The blow is strong enough to make it roll at once.
  EXPECT_NEAR(run.end("fly.u[3]"), 3.0 * 5 / 7, 1e-12);
  EXPECT_NEAR(run.end("fly.u[1]"), 30.0 * 5 / 7, 1e-11);
  EXPECT_NEAR(run.end("energy.dissipated"), 2 * kG * 0.5 + 0.5 * 2 * 9 * 2 / 7, 1e-11);
  EXPECT_LT(run.report.energy_drift, 1e-11);
}

// The first of infinitely many rebounds makes it roll; none of the others changes that.
TEST(Contact, RollingBallRebounds) {
  for (const char* driver : {"variable", "fixed"}) {
    SCOPED_TRACE(driver);
    System system =
        ball("q: [0, 0, 0.6, 1, 0, 0, 0], u: [0, 0, 0, 3, 0, 0]", "friction: 0.3, restitution: 0.6", 2.0);
    system.analysis.step.driver = driver;
    system.analysis.step.dt = 0.01;
    const RunResult run = run_system(std::move(system));
    ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
    EXPECT_NEAR(run.end("fly.u[3]"), 3.0 * 5 / 7, 1e-11);
    EXPECT_NEAR(run.end("touch.normal_force"), 2 * kG, 1e-5);
    EXPECT_NEAR(run.end("energy.dissipated"), 2 * kG * 0.5 + 0.5 * 2 * 9 * 2 / 7, 1e-10);
    EXPECT_LT(run.report.energy_drift, 1e-11);
    EXPECT_LT(run.report.steps.steps, 250);
  }
}

// A ball that slides begins to roll: v = 5/7 of v_0 at t = 2 v_0/(7 mu g) for a solid one.
TEST(Contact, SlidingBallBeginsToRoll) {
  const double mu = 0.2, v0 = 1.4;
  const RunResult run = run_system(
      ball("q: [0, 0, 0.1, 1, 0, 0, 0], u: [0, 0, 0, 1.4, 0, 0]", fmt::format("friction: {}", mu), 1.0));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  const double rolls = 2 * v0 / (7 * mu * kG);
  const std::vector<double>& t = run.table.column("t");
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double expected = t[i] < rolls ? v0 - mu * kG * t[i] : v0 * 5 / 7;
    EXPECT_NEAR(run.table.column("fly.u[3]")[i], expected, 1e-6) << t[i];
    if (t[i] > 0.0 && t[i] < rolls - 0.01) {
      EXPECT_NEAR(run.table.column("touch.friction_force")[i], mu * 2 * kG, 1e-5);
      EXPECT_GT(run.table.column("touch.slip")[i], 0.01);
    }
  }
  EXPECT_NEAR(run.end("touch.slip"), 0.0, 1e-9);
  EXPECT_NEAR(run.end("energy.dissipated"), 0.5 * 2 * v0 * v0 * 2 / 7, 1e-6);
}

System block_on_slope(double friction, double angle) {
  return read_model(fmt::format(R"(
sestina: 1
gravity: [{}, 0, {}]
ground: {{shapes: [{{name: slope, type: plane}}]}}
bodies:
  - {{name: block, mass: 3, inertia: {{xx: 0.02, yy: 0.03, zz: 0.04}}, shapes: [{{type: box, size: [0.2, 0.15, 0.1]}}]}}
joints: [{{name: fly, type: free, parent: ground.origin, child: block.origin, q: [0, 0, 0.05, 1, 0, 0, 0]}}]
contacts: [{{name: feet, between: [block, ground], friction: {}}}]
analysis: {{duration: 2, step: {{rtol: 1.0e-7, atol: 1.0e-9}}}}
)",
                                kG * std::sin(angle), -kG * std::cos(angle), friction));
}

TEST(Contact, BlockOnASlopeSticksWithoutCreep) {
  const RunResult run = run_system(block_on_slope(0.6, 0.5));  // tan 0.5 = 0.546
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  EXPECT_NEAR(run.end("fly.q[0]"), 0.0, 1e-14);
  EXPECT_NEAR(run.end("feet.normal_force"), 3 * kG * std::cos(0.5), 1e-5);
  EXPECT_NEAR(run.end("feet.friction_force"), 3 * kG * std::sin(0.5), 1e-5);
  EXPECT_LT(run.report.energy_drift, 1e-12);
  EXPECT_NEAR(run.end("feet.gap"), 0.0, 1e-12);
}

TEST(Contact, BlockOnASlopeSlides) {
  const double a = kG * (std::sin(0.5) - 0.3 * std::cos(0.5));
  const RunResult run = run_system(block_on_slope(0.3, 0.5));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  EXPECT_NEAR(run.end("fly.q[0]"), 0.5 * a * 4, 1e-6);
  EXPECT_NEAR(run.end("fly.u[3]"), a * 2, 1e-6);
  EXPECT_NEAR(run.end("feet.slip"), a * 2, 1e-6);
}

// A mass on a compliant floor: rest at -m g/k, and the oscillation about it.
TEST(Contact, CompliantFloorIsASpring) {
  const RunResult run = run_system(ball("q: [0, 0, 0.1, 1, 0, 0, 0]", "stiffness: 4.0e4, damping: 30", 0.3));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  const double m = 2, k = 4e4, d = 30, rest = -m * kG / k;
  const double decay = d / (2 * m), w = std::sqrt(k / m - decay * decay);
  const std::vector<double>& t = run.table.column("t");
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double z =
        rest - rest * std::exp(-decay * t[i]) * (std::cos(w * t[i]) + decay / w * std::sin(w * t[i]));
    EXPECT_NEAR(run.table.column("fly.q[2]")[i] - 0.1, z, 1e-6) << t[i];
  }
}

TEST(Contact, LimitsOfAJointAreStops) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
bodies: [{name: mass, mass: 1}]
joints:
  - {name: rail, type: prismatic, parent: ground.origin, child: mass.origin, axis: [0, 0, 1], q: 1,
     limits: {lower: 0, upper: 3, enforced: true, restitution: 0.7}}
analysis: {duration: 1.2, step: {rtol: 1.0e-8, atol: 1.0e-9}}
)"));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  EXPECT_NEAR(run.end("rail.q"), height_of_bouncing(1.0, 0.7, 1.2), 1e-6);
}

// Two equal balls exchange their speeds; the momentum stays.
TEST(Contact, BallsExchangeMomentum) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
bodies:
  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, shapes: [{name: skin_a, type: sphere, radius: 0.1}]}
  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, shapes: [{name: skin_b, type: sphere, radius: 0.1}]}
joints:
  - {name: fly_a, type: free, parent: ground.origin, child: a.origin, u: [0, 0, 0, 1, 0, 0]}
  - {name: fly_b, type: free, parent: ground.origin, child: b.origin, q: [1, 0, 0, 1, 0, 0, 0]}
contacts: [{name: hit, between: [skin_a, skin_b], restitution: 1}]
analysis: {duration: 2}
)"));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  EXPECT_NEAR(run.end("fly_a.u[3]"), 0.0, 1e-12);
  EXPECT_NEAR(run.end("fly_b.u[3]"), 1.0, 1e-12);
  EXPECT_NEAR(run.end("fly_b.q[0]"), 1.0 + (2.0 - 0.8), 1e-7);
  EXPECT_NEAR(run.end("momentum.x"), 1.0, 1e-12);
}

// Boxes one upon the other, each with four corners on the next: more contacts than the motion determines.
TEST(Contact, StackOfBoxesRests) {
  std::string bodies, joints, contacts;
  for (int i = 0; i < 3; ++i) {
    bodies += fmt::format(
        "  - {{name: b{0}, mass: 1, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, "
        "shapes: [{{name: s{0}, type: box, size: [0.2, 0.2, 0.2]}}]}}\n",
        i);
    joints += fmt::format(
        "  - {{name: j{0}, type: free, parent: ground.origin, child: b{0}.origin, q: [0, 0, {1}, 1, 0, 0, "
        "0]}}\n",
        i, 0.1 + 0.2 * i);
    contacts += fmt::format("  - {{name: c{}, between: [{}, s{}], friction: 0.5}}\n", i,
                            i == 0 ? "floor" : fmt::format("s{}", i - 1), i);
  }
  const RunResult run = run_system(read_model(
      "sestina: 1\ngravity: [0, 0, -9.81]\nground: {shapes: [{name: floor, type: plane}]}\nbodies:\n" +
      bodies + "joints:\n" + joints + "contacts:\n" + contacts + "analysis: {duration: 2}\n"));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  EXPECT_LT(run.report.energy_drift, 1e-11);
  EXPECT_LT(run.report.steps.steps, 100);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(run.end(fmt::format("j{}.q[2]", i)), 0.1 + 0.2 * i, 1e-12);
    EXPECT_NEAR(run.end(fmt::format("j{}.q[0]", i)), 0.0, 1e-12);
    EXPECT_NEAR(run.end(fmt::format("c{}.normal_force", i)), (3 - i) * kG, 1e-6);
  }
}

// On a plate: a can that stands, one on top of it, and one that lies and rolls down a slope of 0.1.
TEST(Contact, CansStandOnAPlateAndRoll) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, -0.981, -9.81]
ground: {shapes: [{name: plate, type: box, size: [4, 4, 0.2], position: [0, 0, -0.1]}]}
bodies:
  - {name: a, mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, shapes: [{name: lower, type: cylinder, radius: 0.1, length: 0.2}]}
  - {name: b, mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, shapes: [{name: upper, type: cylinder, radius: 0.08, length: 0.2}]}
  - name: c
    mass: 2
    inertia: {xx: 0.01, yy: 0.02, zz: 0.02}
    shapes: [{name: roll, type: cylinder, radius: 0.1, length: 0.4, axes: {axis: [0, 1, 0], angle: pi/2}}]
joints:
  - {name: ja, type: free, parent: ground.origin, child: a.origin, q: [1, 0, 0.1, 1, 0, 0, 0]}
  - {name: jb, type: free, parent: ground.origin, child: b.origin, q: [1, 0, 0.3, 1, 0, 0, 0]}
  - {name: jc, type: free, parent: ground.origin, child: c.origin, q: [-1, 1, 0.1, 1, 0, 0, 0]}
contacts:
  - {name: foot, between: [plate, lower], friction: 0.5}
  - {name: top, between: [lower, upper], friction: 0.5}
  - {name: side, between: [plate, roll], friction: 0.5}
analysis: {duration: 0.5}
)"));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  for (const char* joint : {"ja", "jb"}) {
    EXPECT_NEAR(run.end(fmt::format("{}.q[0]", joint)), 1.0, 1e-12);
    EXPECT_NEAR(run.end(fmt::format("{}.q[1]", joint)), 0.0, 1e-12);
  }
  EXPECT_NEAR(run.end("jb.q[2]"), 0.3, 1e-12);
  EXPECT_NEAR(run.end("top.normal_force"), kG, 1e-6);
  // A full cylinder: 2/3 of the acceleration along the slope.
  EXPECT_NEAR(run.end("jc.q[1]"), 1.0 - 0.5 * 0.981 * 2.0 / 3.0 * 0.25, 1e-6);
  EXPECT_NEAR(run.end("jc.q[0]"), -1.0, 1e-9);
  EXPECT_NEAR(run.end("jc.q[2]"), 0.1, 1e-12);
}

// A block that is pressed against another: steps of the variable driver are so long that it would pass it.
TEST(Contact, BodiesDoNotPassThroughEachOther) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
ground: {shapes: [{name: stop, type: box, size: [0.1, 1, 1], position: [0.15, 0, 0]}]}
bodies: [{name: b, mass: 0.5, shapes: [{name: s, type: box, size: [0.2, 0.2, 0.2]}]}]
joints: [{name: j, type: prismatic, parent: ground.origin, child: b.origin, axis: [1, 0, 0], q: -0.5}]
forces: [{name: f, type: joint_force, joint: j, value: 50}]
contacts: [{name: c, between: [stop, s]}]
analysis: {duration: 4}
)"));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  EXPECT_NEAR(run.end("j.q"), 0.0, 1e-12);
  EXPECT_NEAR(run.end("c.normal_force"), 50.0, 1e-9);
  EXPECT_NEAR(run.end("energy.supplied"), 25.0, 1e-6);  // 50 N over 0.5 m, and nothing while it rests
}

// A motor and a damper at a stop do no work, and integrals of the speed are the displacement.
TEST(Contact, NothingIsIntegratedAtRest) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
bodies: [{name: b, mass: 1, center_of_mass: [1, 0, 0]}]
joints: [{name: j, type: revolute, parent: ground.origin, child: b.origin, axis: [0, 1, 0], q: 0,
          limits: {lower: 0, enforced: true}}]
forces: [{name: f, type: joint_force, joint: j, value: -5}, {name: d, type: joint_damper, joint: j, damping: 2}]
states: [{name: x, rate: "j.u"}]
analysis: {duration: 2}
output: {columns: {w: {value: j.u, integrate: true}}}
)"));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  for (const char* column : {"energy.supplied", "energy.dissipated", "x", "w"}) {
    EXPECT_NEAR(run.end(column), 0.0, 1e-14) << column;
  }
  EXPECT_LT(run.report.steps.steps, 50);
}

// In the plane no contact can move across: friction along the plane must not suffer.
TEST(Contact, SphereInAPlanarJointSlidesToRest) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, -9.81, 0]
ground: {shapes: [{name: floor, type: box, size: [40, 1, 4], position: [0, -0.5, 0]}]}
bodies: [{name: b, mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, shapes: [{name: s, type: sphere, radius: 0.1}]}]
joints: [{name: j, type: planar, parent: ground.origin, child: b.origin, q: [0, 0.1, 0], u: [2, 0, 0]}]
contacts: [{name: c, between: [floor, s], friction: 0.3}]
analysis: {duration: 1}
)"));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  // It rolls with 1/(1 + J/(m r^2)) of its speed in the end, here a half.
  EXPECT_NEAR(run.end("j.u[0]"), 1.0, 1e-8);
  EXPECT_NEAR(run.end("j.u[2]"), -10.0, 1e-7);
}

// Without friction impacts keep the energy by e = 1, however many points touch.
TEST(Contact, ElasticImpactsOfManyPointsKeepTheEnergy) {
  for (const char* law : {"poisson", "stronge"}) {
    SCOPED_TRACE(law);
    const RunResult run = run_system(read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {{shapes: [{{name: floor, type: plane}}]}}
bodies: [{{name: b, mass: 1, inertia: {{xx: 0.008, yy: 0.004, zz: 0.01}}, shapes: [{{name: s, type: box, size: [0.2, 0.3, 0.1]}}]}}]
joints: [{{name: j, type: free, parent: ground.origin, child: b.origin, q: [0, 0, 1.05, 1, 0, 0, 0]}}]
contacts: [{{name: c, between: [floor, s], friction: 0, restitution: 1, law: {}}}]
analysis: {{duration: 3}}
)",
                                                            law)));
    ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
    EXPECT_NEAR(run.end("energy.dissipated"), 0.0, 1e-12);
    EXPECT_NEAR(run.end("j.q[2]") - 0.05, height_of_bouncing(1.0, 1.0, 3.0), 1e-10);
  }
}

// The first of three equal balls that touch hits the others; the last one leaves, none gains energy.
TEST(Contact, ImpactPassesThroughBallsThatTouch) {
  for (const char* law : {"poisson", "stronge"}) {
    SCOPED_TRACE(law);
    const RunResult run = run_system(read_model(fmt::format(R"(
sestina: 1
bodies:
  - {{name: a, mass: 1, shapes: [{{name: sa, type: sphere, radius: 0.1}}]}}
  - {{name: b, mass: 1, shapes: [{{name: sb, type: sphere, radius: 0.1}}]}}
  - {{name: c, mass: 1, shapes: [{{name: sc, type: sphere, radius: 0.1}}]}}
joints:
  - {{name: ja, type: prismatic, parent: ground.origin, child: a.origin, axis: [1, 0, 0], q: -0.3, u: 1}}
  - {{name: jb, type: prismatic, parent: ground.origin, child: b.origin, axis: [1, 0, 0], q: 0}}
  - {{name: jc, type: prismatic, parent: ground.origin, child: c.origin, axis: [1, 0, 0], q: 0.2}}
contacts:
  - {{name: ab, between: [sa, sb], restitution: 1, law: {0}}}
  - {{name: bc, between: [sb, sc], restitution: 1, law: {0}}}
analysis: {{duration: 0.5}}
)",
                                                            law)));
    ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
    EXPECT_NEAR(run.end("energy.kinetic"), 0.5, 1e-13);
    EXPECT_NEAR(run.end("ja.u") + run.end("jb.u") + run.end("jc.u"), 1.0, 1e-13);
    EXPECT_GT(run.end("jc.u"), 0.5);
  }
}

// A rod on a hinge lies with its tip on the floor, and on a stop of the hinge: both carry half of its weight,
// and the hinge the other half. Without contact it would carry a quarter, as the rod falls.
TEST(Contact, ReactionsContainTheForcesOfContactsAndStops) {
  for (const char* held : {"", ", limits: {lower: 0, upper: 3, enforced: true}"}) {
    SCOPED_TRACE(held);
    Workspace workspace(read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {{shapes: [{{name: floor, type: plane, position: [0, 0, {}]}}]}}
bodies:
  - {{name: rod, mass: 3, center_of_mass: [0.5, 0, 0], inertia: {{yy: 0.25, zz: 0.25}},
     shapes: [{{name: tip, type: sphere, radius: 0.1, position: [1, 0, 0]}}]}}
joints: [{{name: hinge, type: revolute, axis: [0, -1, 0], parent: ground.origin, child: rod.origin{}}}]
contacts: [{{name: touch, between: [floor, tip]}}]
analysis: {{duration: 0.1}}
)",
                                               *held == 0 ? -0.1 : -0.5, held)));
    workspace.record_reactions();
    const RunResult run = run_anyhow(workspace);
    ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
    EXPECT_NEAR(run.end("hinge.reaction.force.z"), *held == 0 ? 1.5 * kG : 3 * kG, 1e-8);
    EXPECT_NEAR(run.end("hinge.reaction.torque.y"), *held == 0 ? 0.0 : -1.5 * kG, 1e-8);
  }
}

// A motion pulls a block over the floor, faster and faster.
TEST(Contact, MotionsSupplyWorkAgainstContacts) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies: [{name: block, mass: 2, inertia: {xx: 0.02, yy: 0.02, zz: 0.02}, shapes: [{name: box, type: box, size: [0.2, 0.2, 0.2]}]}]
joints: [{name: fly, type: free, parent: ground.origin, child: block.origin, q: [0, 0, 0.1, 1, 0, 0, 0]}]
constraints: [{name: pull, type: expression, zero: "fly.q[0] - 0.5*t^2"}]
contacts: [{name: touch, between: [floor, box], friction: 0.3}]
analysis: {duration: 2}
)"));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  const double friction = 0.3 * 2 * kG;
  EXPECT_NEAR(run.end("touch.friction_force"), friction, 1e-6);
  EXPECT_NEAR(run.end("pull.force"), friction + 2.0, 1e-6);
  EXPECT_NEAR(run.end("energy.dissipated"), friction * 2.0, 1e-8);
  EXPECT_NEAR(run.end("energy.supplied"), friction * 2.0 + 0.5 * 2 * 4, 1e-8);
  EXPECT_LT(run.report.energy_drift, 1e-8);
}

// A rod of 1 m falls with its lower end on the floor, at an angle from it; v is the speed of its centre.
System falling_rod(double angle, double v, double friction, double duration, double dt) {
  System system = read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {{shapes: [{{name: floor, type: plane}}]}}
bodies:
  - {{name: rod, mass: 1, inertia: {{xx: 0.0001, yy: 0.08333333333333333, zz: 0.08333333333333333}},
     shapes: [{{name: end, type: sphere, radius: 0.05, position: [-0.5, 0, 0]}}]}}
joints: [{{name: fly, type: free, parent: ground.origin, child: rod.origin,
          q: [0, 0, {:.17g}, {:.17g}, 0, {:.17g}, 0], u: [0, 0, 0, {}, 0, 0]}}]
contacts: [{{name: touch, between: [floor, end], friction: {}}}]
analysis: {{duration: {}, step: {{rtol: 1.0e-9, atol: 1.0e-11}}}}
)",
                                         0.05 + 0.5 * std::sin(angle), std::cos(0.5 * angle),
                                         -std::sin(0.5 * angle), v, friction, duration));
  if (dt > 0.0) system.analysis.step.driver = "fixed", system.analysis.step.dt = dt;
  return system;
}

// Without friction the centre falls straight, and the energy gives the rate of the angle a:
//   (J + m l^2/4 cos^2 a) a'^2 = m g l (sin a_0 - sin a),   l = 1 m
TEST(Contact, RodFallsWithItsEndOnTheFloor) {
  const RunResult run = run_system(falling_rod(1.2, 0.0, 0.0, 0.5, 0.0));
  const double a = std::asin((run.end("fly.q[2]") - 0.05) / 0.5);
  const double rate =
      std::sqrt(kG * (std::sin(1.2) - std::sin(a)) / (1.0 / 12 + std::pow(std::cos(a), 2) / 4));
  EXPECT_LT(a, 0.6);
  EXPECT_NEAR(run.end("fly.u[1]"), rate, 1e-8);
  EXPECT_NEAR(run.end("fly.q[0]"), 0.0, 1e-10);
  EXPECT_LT(run.report.steps.steps, 100);
}

// Steps within which a contact slides have order 4: half the step, a sixteenth of the error.
TEST(Contact, SlidingContactHasOrderFour) {
  const auto error_of = [exact = run_system(falling_rod(1.2, -5.0, 0.3, 0.3, 0.001))](double dt) {
    const RunResult run = run_system(falling_rod(1.2, -5.0, 0.3, 0.3, dt));
    EXPECT_LT(run.report.energy_drift, 1e-3 * std::pow(dt / 0.02, 4));
    return std::hypot(run.end("fly.u[1]") - exact.end("fly.u[1]"),
                      run.end("fly.u[3]") - exact.end("fly.u[3]"));
  };
  const double coarse = error_of(0.02), fine = error_of(0.01);
  EXPECT_GT(coarse / fine, 12.0);
  EXPECT_LT(coarse / fine, 20.0);
  EXPECT_GT(fine, 1e-10);
}

// Impacts between two rows are the same for the rows and for the step: the balance of energy holds in all.
TEST(Contact, RowsWithinLongStepsSeeTheImpactsOfTheStep) {
  System system = read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies: [{name: b, mass: 1, inertia: {xx: 0.008, yy: 0.004, zz: 0.01}, shapes: [{name: s, type: box, size: [0.2, 0.3, 0.1]}]}]
joints: [{name: j, type: free, parent: ground.origin, child: b.origin, q: [0, 0, 1.05, 1, 0, 0, 0], u: [0, 0, 0, 1, 0, 0]}]
contacts: [{name: c, between: [floor, s], friction: 0.5, restitution: 0.9}]
analysis: {duration: 3}
output: {every: 0.01}
)");
  const RunResult run = run_system(std::move(system));
  EXPECT_LT(run.report.energy_drift, 1e-10);
  EXPECT_LT(run.report.steps.steps, 100);
}

// Friction that begins to slide and sticks again: few steps, and a closed balance of energy.
TEST(Contact, PendulumDragsItsEndOverTheFloor) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane, position: [0, 0, -1.2]}]}
bodies:
  - {name: a, mass: 1, center_of_mass: [0, 0, -0.5], inertia: {xx: 0.08, yy: 0.08, zz: 0.001}, points: {tip: [0, 0, -1]}}
  - {name: b, mass: 1, center_of_mass: [0, 0, -0.5], inertia: {xx: 0.08, yy: 0.08, zz: 0.001},
     shapes: [{name: s, type: sphere, radius: 0.05, position: [0, 0, -1]}]}
joints:
  - {name: j1, type: revolute, parent: ground.origin, child: a.origin, axis: [0, 1, 0], q: 1.2}
  - {name: j2, type: revolute, parent: a.tip, child: b.origin, axis: [0, 1, 0], q: 0.5}
contacts: [{name: c, between: [floor, s], friction: 0.6}]
analysis: {duration: 3}
)"));
  EXPECT_LT(run.report.energy_drift, 1e-6);
  EXPECT_LT(run.report.steps.steps, 1000);
  EXPECT_NEAR(run.end("j1.u"), 0.0, 1e-12);
}

// A thin plate on the floor makes a step of many parts; the error of the oscillator beside it is estimated
// all the same.
TEST(Contact, StepsInPartsHaveAnErrorEstimate) {
  const System system = read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies:
  - {name: plate, mass: 1, inertia: {xx: 1, yy: 1, zz: 2}, shapes: [{name: s, type: box, size: [1, 1, 0.01]}]}
  - {name: mass, mass: 1}
joints:
  - {name: fly, type: free, parent: ground.origin, child: plate.origin, q: [0, 0, 0.005, 1, 0, 0, 0]}
  - {name: slide, type: prismatic, parent: ground.origin, child: mass.origin, axis: [1, 0, 0], q: 1}
forces: [{name: spring, type: joint_spring, joint: slide, stiffness: 400}]
contacts: [{name: c, between: [floor, s], friction: 0.5}]
analysis: {duration: 1}
)");
  const std::shared_ptr<const Model> model = freeze(system);
  ForwardDynamics dynamics(model, calc_properties(*model), "recursive");
  SystemEquations equations(dynamics);
  const std::unique_ptr<IntegrationRule> rule = make_integration_rule("moreau");
  State<double> start = calc_initial_state(*model);
  start.z.resize(static_cast<std::size_t>(equations.sizes().nz));
  rule->start(equations, start);
  ASSERT_TRUE(rule->try_step(0.4).complete());
  const auto slide = std::size_t{7};
  const double error = rule->candidate().q[slide] - std::cos(20.0 * 0.4);
  EXPECT_GT(std::abs(error), 1e-6);
  // By the difference of one step and two of half the length, 15 times the error of the latter.
  EXPECT_NEAR(rule->error()[slide] / error, 15.0, 5.0);
}

TEST(Contact, RefusesAStartThatOverlaps) {
  const RunResult run = run_anyhow(ball("q: [0, 0, 0.05, 1, 0, 0, 0]", "friction: 0.3", 1.0));
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, testing::AllOf(HasSubstr("touch"), HasSubstr("overlaps by 0.05")));
}

TEST(Contact, RefusesWhatCannotBe) {
  const auto message = [](const std::string& shapes, const std::string& contact,
                          const std::string& analysis = "") {
    return message_of<InputError>([&] {
      Workspace workspace(read_model(fmt::format(R"(
sestina: 1
ground: {{shapes: [{{name: floor, type: plane}}]}}
bodies: [{{name: box, mass: 1, shapes: [{}]}}, {{name: bare, mass: 1}}]
contacts: [{{name: touch, {}}}]
{}
)",
                                                 shapes, contact, analysis)));
    });
  };
  const std::string cube = "{name: cube, type: box, size: [1, 1, 1]}";
  EXPECT_THAT(message(cube, "between: [cube, flor]"),
              HasSubstr("no shape and no body 'flor' (did you mean 'floor'?)"));
  EXPECT_THAT(message(cube, "between: [cube, bare]"), HasSubstr("bare has no shape that could touch"));
  EXPECT_THAT(message(cube, "between: [cube, box]"), HasSubstr("shapes of one body cannot touch"));
  EXPECT_THAT(message(cube, "between: [cube]"), HasSubstr("has 1 names"));
  EXPECT_THAT(message(cube, "between: [cube, floor], friction: -0.1"), HasSubstr("contacts[0].friction"));
  EXPECT_THAT(message(cube, "between: [cube, floor], restitution: 1.2"), HasSubstr("is above 1"));
  EXPECT_THAT(message(cube, "between: [cube, floor], restitution: 0.2, stiffness: 10"),
              HasSubstr("is for rigid contacts"));
  EXPECT_THAT(message(cube, "between: [cube, floor], damping: 3"), HasSubstr("needs a stiffness"));
  EXPECT_THAT(message(cube, "between: [cube, floor], law: herz"), HasSubstr("'herz' is unknown"));
  EXPECT_THAT(message("{name: cube, type: sphere, radius: 0}", "between: [cube, floor]"),
              HasSubstr("radius"));
  EXPECT_THAT(message("{name: cube, type: mesh, file: a.stl}", "between: [cube, floor]"),
              HasSubstr("the mesh 'a.stl' is not found"));
  EXPECT_THAT(message(cube, "between: [cube, floor]", "analysis: {integrator: rk4}"),
              HasSubstr("rk4 does not handle contacts"));
  EXPECT_THAT(message(cube, "between: [cube, floor]", "analysis: {type: statics}"),
              HasSubstr("statics does not handle contacts"));
}

}  // namespace
}  // namespace sestina
