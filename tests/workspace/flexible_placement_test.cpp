// Flexible bodies that are drawn away from their joints: they start where the joints are, undeformed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "flexible/reduced_models.h"
#include "sestina/io/model_file.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing_support::make_particle_body;

// A straight beam of 1 m along x, drawn `dx` away from the ground's origin.
System beam_with(const std::string& joint, double dx) {
  return read_model(fmt::format(R"(
sestina: 1
ground: {{points: {{side: [0, 2, 0]}}}}
bodies:
  - {{name: boom, type: beam, centerline: {{from: [{0}, 0, 0], to: [{0} + 1, 0, 0]}}, elements: 8,
     section: {{rectangle: [0.02, 0.02]}}, material: {{E: 2.0e9, nu: 0.3, density: 1000}}}}
joints: [{{name: hinge, parent: ground.origin, child: boom.start, {1}}}]
analysis: {{duration: 1.0e-4, integrator: radau_iia}}
)",
                                dx, joint));
}

TEST(FlexiblePlacement, BeamStartsAtItsClamp) {
  const RunResult run = run_system(beam_with("type: weld", 1.0));
  EXPECT_NEAR(run.at(0, "boom.end.x"), 1.0, 1e-12);
  EXPECT_NEAR(run.at(0, "energy.strain"), 0.0, 1e-12);
}

TEST(FlexiblePlacement, BeamTurnsWithItsHingeAsAWhole) {
  const RunResult run = run_system(beam_with("type: revolute, axis: [0, 1, 0], q: 0.5, u: 10", 0.3));
  EXPECT_NEAR(run.at(0, "hinge.q"), 0.5, 1e-12);
  EXPECT_NEAR(run.at(0, "hinge.u"), 10.0, 1e-11);
  EXPECT_NEAR(run.at(0, "boom.end.x"), std::cos(0.5), 1e-12);
  EXPECT_NEAR(run.at(0, "boom.end.z"), -std::sin(0.5), 1e-12);
  EXPECT_NEAR(run.at(0, "energy.strain"), 0.0, 1e-12);
  // Half of J w^2, with J = m l^2/3 and what the lumps of half an element change of it.
  EXPECT_NEAR(run.at(0, "energy.kinetic"), 0.5 * 0.4 / 3 * 100, 0.15);
}

// The other way round, and in a chain: the boom hangs on a bar of the tree that is turned, and carries
// another.
TEST(FlexiblePlacement, ChainOfBeamsFollowsTheTree) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
bodies:
  - {name: bar, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, points: {tip: [1, 0, 0]}}
  - {name: far, type: beam, centerline: {from: [5, 0, 0], to: [6, 0, 0]}, elements: 4,
     section: {rectangle: [0.02, 0.02]}, material: {E: 2.0e9, nu: 0.3, density: 1000}}
  - {name: near, type: beam, centerline: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 4,
     section: {rectangle: [0.02, 0.02]}, material: {E: 2.0e9, nu: 0.3, density: 1000}}
joints:
  - {name: pivot, type: revolute, parent: ground.origin, child: bar.origin, axis: [0, 0, 1], q: 0.4, u: 1}
  - {name: seam, type: weld, parent: far.start, child: near.end}
  - {name: root, type: revolute, parent: near.start, child: bar.tip, axis: [0, 0, 1], q: -0.3, u: 0}
analysis: {duration: 1.0e-4, integrator: radau_iia}
)"));
  EXPECT_NEAR(run.at(0, "root.q"), -0.3, 1e-12);
  EXPECT_NEAR(run.at(0, "far.end.x"), std::cos(0.4) + 2 * std::cos(0.7), 1e-10);
  EXPECT_NEAR(run.at(0, "far.end.y"), std::sin(0.4) + 2 * std::sin(0.7), 1e-10);
  EXPECT_NEAR(run.at(0, "energy.strain"), 0.0, 1e-12);
}

// A blade on a hub that turns: by its joint's speed, or driven. It turns with the hub from the start.
TEST(FlexiblePlacement, BeamMovesWithTheBodyThatCarriesIt) {
  for (const char* drive :
       {"u: 10}", "q: 0}\nconstraints: [{name: motor, type: motion, joint: spin, value: 10*t}]"}) {
    const RunResult run = run_system(read_model(fmt::format(R"(
sestina: 1
bodies:
  - {{name: hub, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: blade, type: beam, centerline: {{from: [0, 0, 0], to: [1, 0, 0]}}, elements: 8,
     section: {{rectangle: [0.05, 0.01]}}, material: {{E: 1.0e9, nu: 0.3, density: 1000}}}}
analysis: {{duration: 1.0e-4, integrator: radau_iia}}
joints:
  - {{name: root, type: weld, parent: hub.origin, child: blade.start}}
  - {{name: spin, type: revolute, parent: ground.origin, child: hub.origin, axis: [0, 0, 1], {}
)",
                                                            drive)));
    // The blade has 0.5 kg: m w l/2, and (J + m l^2/3) w^2/2 but for the lumps of half an element.
    EXPECT_NEAR(run.at(0, "momentum.y"), 2.5, 1e-10) << drive;
    EXPECT_NEAR(run.at(0, "energy.kinetic"), 50.0 + 25.0 / 3.0, 0.1) << drive;
    EXPECT_NEAR(run.end("spin.u"), 10.0, 1e-3) << drive;
  }
}

// Given coordinates of a joint at an interface used to read past the end of memory.
TEST(FlexiblePlacement, ReducedBodyStartsWithTheCoordinatesOfItsJoint) {
  for (const bool is_drawn_elsewhere : {false, true}) {
    System system;
    system.add_reduced_body("flex", make_particle_body(1, 8, 4).reduced);
    if (is_drawn_elsewhere) system.bodies[0].reduced->position = Triple{0.01, 0.02, 0};
    JointSpec& hinge = system.add_joint("hinge", "revolute", "ground.origin", "flex.left");
    hinge.axis = {0, 0, 1};
    hinge.q = {0.5};
    hinge.u = {10.0};
    system.analysis.duration = 1e-4;
    const RunResult run = run_system(std::move(system));
    EXPECT_NEAR(run.at(0, "hinge.q"), 0.5, 1e-12);
    EXPECT_NEAR(run.at(0, "hinge.u"), 10.0, 1e-10);
    EXPECT_NEAR(run.at(0, "energy.strain"), 0.0, 1e-12);
    EXPECT_NEAR(norm(run.vector(0, "flex.left")), 0.0, 1e-10);
  }
}

// A slider-crank whose connecting rod is a beam, drawn off both its joints.
System slider_crank(const std::string& rail, bool is_reversed) {
  std::vector<std::string> joints = {
      "{name: hip, type: revolute, parent: ground.origin, child: crank.origin, axis: [0, 1, 0], q: 0.4, "
      "hold: true}",
      "{name: pin, type: revolute, parent: crank.tip, child: rod.start, axis: [0, 1, 0]}",
      "{name: wrist, type: revolute, parent: rod.end, child: slider.origin, axis: [0, 1, 0]}",
      "{name: rail, type: prismatic, parent: ground.origin, child: slider.origin, axis: [1, 0, 0]" + rail +
          "}"};
  if (is_reversed) std::reverse(joints.begin(), joints.end());
  return read_model(fmt::format(R"(
sestina: 1
bodies:
  - {{name: crank, mass: 0.5, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, points: {{tip: [0.3, 0, 0]}}}}
  - {{name: rod, type: beam, centerline: {{from: [0, 0, 0], to: [1, 0, 0]}}, elements: 8,
     section: {{rectangle: [0.02, 0.02]}}, material: {{E: 2.0e8, nu: 0.3, density: 1000}}}}
  - {{name: slider, mass: 0.5, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}
joints: [{}]
analysis: {{duration: 1.0e-6, integrator: radau_iia}}
)",
                                fmt::join(joints, ", ")));
}

TEST(FlexiblePlacement, RodTurnsAsAWholeToCloseALoop) {
  for (const bool is_reversed : {false, true}) {
    const RunResult run = run_system(slider_crank("", is_reversed));
    const double x = 0.3 * std::cos(0.4), z = 0.3 * std::sin(0.4);
    EXPECT_NEAR(run.at(0, "rail.q"), x + std::sqrt(1 - z * z), 1e-12);
    EXPECT_LT(run.at(0, "energy.strain"), 1e-20);
    EXPECT_TRUE(run.report.assembly.empty());
  }
}

// It is stretched evenly, as the loads at its ends would stretch it.
TEST(FlexiblePlacement, RodIsDeformedWhereNothingElseMayMove) {
  const RunResult run = run_system(slider_crank(", q: 1.3", false));
  EXPECT_NEAR(run.at(0, "rail.q"), 1.3, 1e-12);
  const double stretch = std::hypot(1.3 - 0.3 * std::cos(0.4), 0.3 * std::sin(0.4)) - 1;
  EXPECT_NEAR(run.at(0, "energy.strain"), 0.5 * 2e8 * 0.02 * 0.02 * stretch * stretch, 1e-3);
  ASSERT_EQ(run.report.assembly.size(), 1U);
  EXPECT_EQ(run.report.assembly[0], "the shape of rod changed by 0.0303 m");
}

// A floating beam and an eye 0.3 m beside it.
TEST(FlexiblePlacement, FloatingBeamMovesAsAWholeToItsEye) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
bodies:
  - {name: rod, type: beam, centerline: {from: [-0.5, 0, 0.3], to: [0.5, 0, 0.3]}, elements: 4,
     section: {rectangle: [0.02, 0.02]}, material: {E: 1.0e8, nu: 0.3, density: 1000}}
constraints: [{name: eye, type: point_on_beam, point: ground.origin, beam: rod}]
analysis: {duration: 1.0e-6, integrator: radau_iia}
)"));
  EXPECT_LT(run.at(0, "energy.strain"), 1e-20);
  EXPECT_NEAR(run.at(0, "rod.end.z"), 0.0, 1e-12);
  ASSERT_EQ(run.report.assembly.size(), 1U);
  EXPECT_EQ(run.report.assembly[0], "the position of rod changed by 0.3 m");
}

// Between two clamps that are not in line: it starts where it is at rest without gravity.
TEST(FlexiblePlacement, BeamBetweenTwoClampsStartsInBalance) {
  for (const int elements : {4, 7, 16, 33}) {
    const auto between_clamps = [&](const char* analysis) {
      return run_system(read_model(fmt::format(R"(
sestina: 1
ground: {{points: {{far: [1, 0, 0.1]}}}}
bodies:
  - {{name: boom, type: beam, centerline: {{from: [0, 0, 0], to: [1, 0, 0]}}, elements: {},
     section: {{rectangle: [0.05, 0.02]}}, material: {{E: 2.0e8, nu: 0.3, density: 1000}}}}
joints:
  - {{name: clamp, type: weld, parent: ground.origin, child: boom.start}}
  - {{name: far_clamp, type: weld, parent: ground.far, child: boom.end}}
analysis: {{{}}}
)",
                                               elements, analysis)));
    };
    const double start = between_clamps("duration: 1.0e-9, integrator: radau_iia").at(0, "energy.strain");
    const double rest = between_clamps("type: statics").at(0, "energy.strain");
    EXPECT_NEAR(start, rest, 1e-3 * rest) << elements;
  }
}

}  // namespace
}  // namespace sestina
