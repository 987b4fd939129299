// Stresses of beams and cables as columns: closed forms of the strength of materials.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "message_of.h"
#include "sestina/model/freeze.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using std::numbers::pi;
using testing::HasSubstr;
using testing_support::message_of;

// A steel bar of 1 m, clamped at its start, that loads at its end bend so little that the shape does not
// count.
RunResult run_bar(const std::string& section, const std::string& force, const std::string& moment) {
  return run_system(read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: bar
    type: beam
    centerline: {{from: [0, 0, 0], to: [1, 0, 0]}}
    elements: 8
    section: {}
    material: {{E: 2.1e11, nu: 0.3, density: 7850}}
joints: [{{name: clamp, type: weld, parent: ground.origin, child: bar.start}}]
forces:
  - {{name: pull, type: point_force, at: bar.end, value: {}}}
  - {{name: twist, type: point_torque, at: bar.end, value: {}}}
analysis: {{type: statics}}
)",
                                           section, force, moment)));
}
double stress(const RunResult& run, int k, const std::string& kind) {
  return run.end(fmt::format("bar.section[{}].stress.{}", k, kind));
}

// M c/I with M = F (L - s) in the middle of the element.
TEST(BeamStress, OfACantileverIsMomentOverSectionModulus) {
  const double F = 10.0, b = 0.02, h = 0.04;
  const RunResult run = run_bar(fmt::format("{{rectangle: [{}, {}]}}", b, h), "[0, 0, -10]", "[0, 0, 0]");
  for (int k = 0; k < 8; ++k) {
    const double exact = 6.0 * F * (1.0 - (k + 0.5) / 8.0) / (b * h * h);
    // The slope of 2.2e-4 at the end makes a part of the load, 2.8 Pa, an axial one.
    EXPECT_NEAR(stress(run, k, "max"), exact, 3.0);
    EXPECT_NEAR(stress(run, k, "min"), -exact, 3.0);
    EXPECT_NEAR(stress(run, k, "mises"), exact, 3.0);
  }
}

TEST(BeamStress, OfABarUnderTensionAndOfAShaftInTorsion) {
  const RunResult pulled = run_bar("{tube: [0.01, 0.02]}", "[5000, 0, 0]", "[0, 0, 0]");
  const double area = pi * (4e-4 - 1e-4);
  EXPECT_NEAR(stress(pulled, 3, "max"), 5000 / area, 1e-4 * 5000 / area);  // the strain is 2.5e-5
  EXPECT_NEAR(stress(pulled, 3, "min"), stress(pulled, 3, "max"), 1e-3);
  const RunResult twisted = run_bar("{circle: 0.01}", "[0, 0, 0]", "[25, 0, 0]");
  const double exact = std::sqrt(3.0) * 2.0 * 25.0 / (pi * 1e-6);
  EXPECT_NEAR(stress(twisted, 3, "mises"), exact, 1e-9 * exact);
  EXPECT_NEAR(stress(twisted, 3, "max"), 0.0, 1e-6 * exact);
}

// Three quarters of the weight hang below the first of two elements, and bending has no share.
TEST(BeamStress, OfAHangingCableIsWeightOverArea) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
bodies:
  - name: rope
    type: beam
    formulation: ancf_cable
    centerline: {from: [0, 0, 0], to: [0, 0, -2]}
    elements: 2
    section: {circle: 0.004}
    material: {E: 1.0e9, density: 1200}
joints: [{name: hook, type: spherical, parent: ground.origin, child: rope.start}]
analysis: {type: statics}
)"));
  const double exact = 1200 * 9.81 * 1.5;
  EXPECT_NEAR(run.end("rope.section[0].stress.max"), exact, 1e-3 * exact);
  EXPECT_NEAR(run.end("rope.section[0].stress.min"), exact, 1e-3 * exact);
  EXPECT_NEAR(run.end("rope.section[0].stress.mises"), run.end("rope.section[0].tension") / (pi * 1.6e-5),
              1e-6 * exact);
}

// Bent to a circle of radius r: E R/r.
TEST(BeamStress, OfABentCableIsThatOfItsCurvature) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
bodies:
  - name: rope
    type: beam
    formulation: ancf_cable
    centerline: {curve: ['cos(s)', 'sin(s)', 0], length: 1}
    elements: 16
    section: {tube: [0.001, 0.002]}
    material: {E: 1.0e9, density: 1200}
analysis: {duration: 0}
)"));
  EXPECT_NEAR(run.end("rope.section[7].stress.max"), 1e9 * 0.002, 2e-3 * 2e6);
  EXPECT_NEAR(run.end("rope.section[7].stress.min"), -1e9 * 0.002, 2e-3 * 2e6);
}

TEST(BeamStress, NeedsASectionByShape) {
  const auto system = [](const std::string& section, const std::string& formulation) {
    return read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: bar
    type: beam
    formulation: {}
    centerline: {{from: [0, 0, 0], to: [1, 0, 0]}}
    elements: 4
    section: {}
joints: [{{name: hook, type: spherical, parent: ground.origin, child: bar.start}}]
output: {{columns: {{peak: "bar.section[1].stress.max"}}}}
)",
                                  formulation, section));
  };
  const System beam = system("{EA: 1.0e6, GJ: 1, EIy: 1, EIz: 1, mass: 1}", "geometrically_exact");
  EXPECT_THAT(
      message_of([&] { freeze(beam); }),
      HasSubstr("output.columns.peak: 'bar.section[1].stress.max': bar has no stresses, since its section "
                "is given by stiffnesses; expected a section by shape, {rectangle: [width, height]}"));
  const System cable = system("{EA: 1.0e6, EI: 1, mass: 1}", "ancf_cable");
  EXPECT_THAT(message_of([&] { freeze(cable); }),
              HasSubstr("expected a section by shape, {circle: radius} or"));
}

// A column of the model may use them, as other columns.
TEST(BeamStress, IsAnInputOfColumns) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
bodies:
  - name: bar
    type: beam
    centerline: {from: [0, 0, 0], to: [1, 0, 0]}
    elements: 4
    section: {circle: 0.01}
    material: {E: 2.1e11, nu: 0.3, density: 7850}
joints: [{name: clamp, type: weld, parent: ground.origin, child: bar.start}]
forces: [{name: twist, type: point_torque, at: bar.end, value: [9, 0, 0]}]
analysis: {type: statics}
output: {columns: {safety: {value: "250e6/bar.section[1].stress.mises", unit: "1"}}}
)"));
  EXPECT_NEAR(run.end("safety"), 250e6 / (std::sqrt(3.0) * 18.0 / (pi * 1e-6)), 1e-6);
}

}  // namespace
}  // namespace sestina
