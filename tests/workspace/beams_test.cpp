// Beams in models: statics, modes and motions, against shooting, closed forms and momenta.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "flexible/beam_references.h"
#include "flexible/reduced_models.h"
#include "message_of.h"
#include "sestina/dynamics/implicit_motion.h"
#include "sestina/io/model_file.h"
#include "sestina/io/model_writer.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"
#include "sestina/workspace/simulator.h"
#include "workspace/flexible_motion.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::message_of;

// Nachbagauer's cantilever under a part of its load, in its plane.
System cantilever(int elements, const std::string& more = "") {
  return read_model(fmt::format(R"(
sestina: 1
parameters: {{F: {}}}
bodies:
  - name: boom
    type: beam
    centerline: {{from: [0, 0, 0], to: [2, 0, 0]}}
    up: [0, 0, 1]
    elements: {}
    section: {{rectangle: [0.5, 0.1]}}
    material: {{E: 2.07e11, nu: 0.3, density: 7850}}
    points: {{mid: {{at: 0.5}}}}
joints: [{{name: clamp, type: weld, parent: ground.origin, child: boom.start}}]
forces: [{{name: load, type: point_force, at: boom.end, value: [0, F, 0]}}]
analysis: {{type: statics}}
{})",
                                testing_support::kNachbagauerForce, elements, more));
}

// A beam whose waves are slow, so that explicit rules run it too.
constexpr const char* kRubber = R"(
    section: {EA: 4.0e3, GAy: 1.5e3, GAz: 1.5e3, GJ: 2, EIy: 3, EIz: 3, mass: 1, Ixx: 4.0e-3, Iyy: 2.0e-3, Izz: 2.0e-3}
)";
System rubber_beam(int elements, const std::string& more) {
  return read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: noodle
    type: beam
    centerline: {{from: [0, 0, 0], to: [1, 0, 0]}}
    elements: {}{}{})",
                                elements, kRubber, more));
}

TEST(Beams, CantileverTakesItsWholeLoadInOneStepAndConverges) {
  double before = 0.0;
  for (const int elements : {4, 8, 16}) {
    const RunResult run = run_system(cantilever(elements));
    const double error =
        std::max(std::abs(2.0 - run.end("boom.end.x") - testing_support::kNachbagauerShortening),
                 std::abs(run.end("boom.end.y") - testing_support::kNachbagauerDeflection));
    if (before > 0.0) {
      EXPECT_NEAR(std::log2(before / error), 4.0, 0.2);
    }
    before = error;
  }
  EXPECT_LE(before, 2e-7);
}

// The section's force is the load in its own axes, the moment grows with the arm.
// ---- statics of a stiff beam and of what moves easily -----------------------------------------------------
constexpr const char* kSteel = R"(
sestina: 1
gravity: [0, 0, -10]
bodies:
  - name: boom
    type: beam
    centerline: {from: [0, 0, 0], to: [2, 0, 0]}
    elements: 6
    section: {rectangle: [0.1, 0.1]}
    material: {E: 2.0e11, nu: 0.3, density: 3000}
)";

// A pendulum on a soft spring: c q = m g a cos q.
TEST(Beams, WhatIsSoftBesideThemComesToRestAsExactly) {
  const RunResult run = run_system(read_model(std::string(kSteel) + R"(
  - {name: bob, mass: 0.1, center_of_mass: [0.1, 0, 0]}
joints:
  - {name: clamp, type: weld, parent: ground.origin, child: boom.start}
  - {name: hip, type: revolute, parent: ground.origin, child: bob.origin, axis: [0, 1, 0], q: 0.3}
forces: [{name: spring, type: joint_spring, joint: hip, stiffness: 0.2}]
analysis: {type: statics}
)"));
  const double q = run.end("hip.q");
  EXPECT_NEAR(0.2 * q - 0.1 * 10.0 * 0.1 * std::cos(q), 0.0, 1e-12);
}

// A column past Euler's force, which a small load disturbs, leaves the straight shape in the sense of that
// load. The elastica, which nothing disturbs, has deflections of 0.18999 and 0.32439 m.
TEST(Beams, ColumnsPastTheirBucklingLoadBendTheWayTheyArePushed) {
  const double buckling = std::numbers::pi * std::numbers::pi / 4.0 * 2.1e11 * 0.02 * 1e-6 / 12.0 / 0.25;
  for (const auto& [part, expected] : {std::pair{0.9, 0.00118}, {1.05, 0.191216}, {1.2, 0.324608}}) {
    SCOPED_TRACE(part);
    const RunResult run = run_system(read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: bar
    type: beam
    centerline: {{from: [0, 0, 0], to: [0.5, 0, 0]}}
    elements: 16
    section: {{rectangle: [0.02, 0.01]}}
    material: {{E: 2.1e11, nu: 0.3, density: 7850}}
joints: [{{name: clamp, type: weld, parent: ground.origin, child: bar.start}}]
forces:
  - {{name: load, type: point_force, at: bar.end, value: [{}, 0, 0]}}
  - {{name: aside, type: point_force, at: bar.end, value: [0, 0, 1]}}
analysis: {{type: statics}}
output: {{columns: {{deflection: bar.end.z}}}}
)",
                                                            -part * buckling)));
    EXPECT_NEAR(run.end("deflection"), expected, 1e-3 * expected + 1e-5);
    EXPECT_TRUE(run.report.remarks.empty());
  }
}

// A bead that slides without friction.
System bead_on_steel(const std::string& axes, const std::string& start, const std::string& more) {
  return read_model(kSteel + fmt::format(R"(
  - {{name: bead, type: particle, mass: 0.5}}
ground: {{points: {{base: {{axes: {{axis: [0, 1, 0], angle: {}}}}}, far: [3, 0, 0]}}}}
joints:
  - {{name: clamp, type: weld, parent: ground.base, child: boom.start}}
  - {{name: fly, type: xyz, parent: ground.origin, child: bead.origin, q: {}}}
constraints: [{{name: slide, type: point_on_beam, point: bead.origin, beam: boom}}]
analysis: {{type: statics}}
{})",
                                         axes, start, more));
}
TEST(Beams, NothingIsAtRestThatSlidesDownThem) {
  const RunResult run = run_anyhow(bead_on_steel("0.3", "[0.2*cos(0.3), 0, -0.2*sin(0.3)]", ""));
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("no state of rest was found beyond 0 of the load"));
}
TEST(Beams, NothingIsAtRestBeyondTheirEnd) {
  const std::string spring =
      "forces: [{name: pull, type: cartesian_spring, from: ground.far, to: bead.origin, stiffness: [10, 10, "
      "10]}]\n";
  const RunResult run = run_anyhow(bead_on_steel("0", "[1, 0, 0]", spring));
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("slide: the point leaves boom"));
}

TEST(Beams, SectionForcesAreThoseOfEquilibrium) {
  const RunResult run = run_system(cantilever(16));
  const double F = testing_support::kNachbagauerForce;
  for (int k : {0, 7, 15}) {
    const std::string section = fmt::format("boom.section[{}]", k);
    EXPECT_NEAR(std::hypot(run.end(section + ".force.x"), run.end(section + ".force.y")), F, 2e-3 * F);
  }
  // Half an element before the tip, whose slope is that of its last element to the second order.
  EXPECT_NEAR(run.end("boom.section[15].moment.z"), F * 2.0 / 32 * 0.87, 0.01 * F / 16);
  EXPECT_NEAR(run.end("energy.strain"), run.end("energy.potential"), 1e-6 * run.end("energy.strain"));
}

TEST(Beams, EndMomentRollsUpIntoTwoFullCircles) {
  const System system = read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: strip
    type: beam
    centerline: {{from: [0, 0, 0], to: [1, 0, 0]}}
    elements: 10
    section: {{EA: 1.0e6, GAy: 1.0e6, GAz: 1.0e6, GJ: 1, EIy: 1, EIz: 1, mass: 1}}
joints: [{{name: clamp, type: weld, parent: ground.origin, child: strip.start}}]
forces: [{{name: moment, type: point_torque, at: strip.end, value: [0, 0, {}]}}]
analysis: {{type: statics, load_steps: 8}}
)",
                                               4 * std::numbers::pi));
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("strip.end.x"), 0.0, 1e-8);
  EXPECT_NEAR(run.end("strip.end.y"), 0.0, 1e-8);
  EXPECT_NEAR(run.end("strip.section[4].curvature.z"), 4 * std::numbers::pi, 1e-7);
}

// Fourth of four right-angle arcs by `curve`; the same by points lies within the spline's error.
TEST(Beams, CurvedAxisIsUnstressedWhereItBegins) {
  for (const char* axis : {"{curve: ['2*sin(s/2)', '2 - 2*cos(s/2)', 0], length: 3}",
                           "{points: [[0, 0, 0], [1, 0.3, 0.1], [1.6, 1, 0.3], [2, 2, 0.2]]}"}) {
    const System system = read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: arc
    type: beam
    centerline: {}
    elements: 6
    section: {{circle: 0.02}}
    material: {{E: 1.0e9, nu: 0.3, density: 1000}}
joints: [{{name: clamp, type: weld, parent: ground.origin, child: arc.start}}]
analysis: {{type: statics}}
)",
                                                 axis));
    System free = system;
    free.joints.clear();
    free.analysis.type = "dynamics";
    free.analysis.duration = 0.0;
    const RunResult run = run_system(free);
    EXPECT_NEAR(run.end("energy.strain"), 0.0, 1e-20) << axis;
    EXPECT_NEAR(run.end("arc.section[2].moment.z"), 0.0, 1e-8) << axis;
  }
}

// Euler and Bernoulli's frequencies; shear and rotary inertia are small, masses are lumped (second order).
TEST(Beams, CantileverVibratesWithTheFrequenciesOfTheory) {
  const System system = read_model(R"(
sestina: 1
bodies:
  - name: boom
    type: beam
    centerline: {from: [0, 0, 0], to: [1, 0, 0]}
    elements: 32
    section: {EA: 1.0e7, GJ: 1.0e3, EIy: 10, EIz: 40, mass: 1}
joints: [{name: clamp, type: weld, parent: ground.origin, child: boom.start}]
analysis: {type: modes}
)");
  const RunResult run = run_system(system);
  const double first = 1.8751040687 * 1.8751040687 / (2 * std::numbers::pi);
  EXPECT_NEAR(run.at(0, "frequency"), first * std::sqrt(10.0), 2e-3);
  EXPECT_NEAR(run.at(1, "frequency"), first * std::sqrt(40.0), 4e-3);
}

TEST(Beams, AllFormulationsAgree) {
  const System system = rubber_beam(5, R"(
  - {name: hub, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
gravity: [0, 0, -9.81]
joints:
  - {name: axle, type: revolute, parent: ground.origin, child: hub.origin, axis: [0, 1, 0]}
  - {name: root, type: weld, parent: hub.origin, child: noodle.start}
)");
  const Comparison comparison = compare_in_every_formulation(system);
  EXPECT_TRUE(comparison.agrees());
  EXPECT_EQ(comparison.states, 11);
}

// Thrown and spinning, by an explicit and by an implicit rule.
TEST(Beams, FlyingBeamKeepsEnergyAndMomenta) {
  const std::shared_ptr<const Model> model = freeze(rubber_beam(6, ""));
  for (const char* rule : {"dormand_prince_54", "radau_iia"}) {
    Simulator simulator(model,
                        {.rule = {.name = rule}, .tolerances = ErrorTolerances{.rtol = 1e-8, .atol = 1e-9}});
    State<double> state = simulator.state();
    state.u[4] = 4.0, state.u[5] = 1.0;  // of the first node, [w; v]
    const std::size_t last = state.u.size() - 6;
    state.u[last] = 2.0, state.u[last + 4] = -3.0;
    simulator.reset(0.0, state.q, state.u);
    const Kept start = measure(*model, simulator.state());
    for (int k = 0; k < 10; ++k) simulator.step(0.02);
    const Kept end = measure(*model, simulator.state());
    EXPECT_NEAR(end.energy, start.energy, 1e-6 * start.energy) << rule;
    EXPECT_LE(norm(end.momentum.linear - start.momentum.linear), 1e-6) << rule;
    EXPECT_LE(norm(end.momentum.angular - start.momentum.angular), 1e-6) << rule;
  }
}

TEST(Beams, DampedCantileverLosesWhatTheLedgerSays) {
  const std::string more = R"(
    material: {damping: 2.0e-3}
gravity: [0, 0, -9.81]
joints: [{name: clamp, type: weld, parent: ground.origin, child: noodle.start}]
analysis: {duration: 0.5, step: {rtol: 1.0e-7, atol: 1.0e-9}}
)";
  const RunResult run = run_system(rubber_beam(4, more));
  EXPECT_GE(run.end("energy.dissipated"), 0.03);
  EXPECT_NEAR(run.end("energy.total") + run.end("energy.dissipated"), run.at(0, "energy.total"), 1e-6);
}

// K, D of the implicit equations against differences of the residual.
TEST(Beams, TangentsAreThoseOfTheForces) {
  System system = rubber_beam(3, "\n    material: {damping: 0.05}\n");
  const std::shared_ptr<const Model> model = freeze(system);
  ImplicitMotion motion(*model, calc_properties(*model));
  State<double> state = scatter_states(*model, 1, 0.5, 3).back();
  std::fill(state.u.begin(), state.u.end(), 0.0);
  const std::vector<double> udot(state.u.size(), 0.0);
  motion.update_tangents(state, udot, {});
  const std::vector<double> K = motion.K, D = motion.D;
  const auto residual = [&](const State<double>& at) {
    motion.update(at, udot, {}, {});
    std::vector<double> r;
    for (std::size_t i = 0; i < udot.size(); ++i) r.push_back(motion.r(i));
    return r;
  };
  const double h = 1e-6;
  for (std::size_t k = 0; k < state.u.size(); ++k) {
    for (const bool by_q : {true, false}) {
      std::vector<double> step(state.u.size(), 0.0), ends[2];
      for (const int side : {0, 1}) {
        State<double> moved = state;
        step[k] = side == 0 ? -h : h;
        if (by_q) {
          plus_q<double>(*model, state.q, step, moved.q);
        } else {
          moved.u[k] += step[k];
        }
        ends[side] = residual(moved);
      }
      const SparsePattern& pattern = motion.pattern();
      for (int p = pattern.starts[k]; p < pattern.starts[k + 1]; ++p) {
        const auto row = static_cast<std::size_t>(pattern.row_of[static_cast<std::size_t>(p)]);
        const double tangent = (by_q ? K : D)[static_cast<std::size_t>(p)];
        EXPECT_NEAR((ends[1][row] - ends[0][row]) / (2 * h), tangent, 1e-3 + 1e-6 * std::abs(tangent))
            << by_q << " " << row << " " << k;
      }
    }
  }
}

TEST(Beams, OtherValuesOfParametersMakeAnotherBeam) {
  System system = cantilever(4);
  system.set_parameter("E", 1e11);
  system.bodies[0].beam->material.E = "E";
  const std::shared_ptr<const Model> model = freeze(system);
  const double twice[] = {1.0, 2e11};
  const auto stiffness_of = [](const Properties<double>& properties) {
    return 1.0 / properties.forces.connectors.beams[0].segment.compliance.m[3][3];
  };
  EXPECT_NEAR(stiffness_of(calc_properties<double>(*model, twice)), 2 * stiffness_of(calc_properties(*model)),
              1.0);
}

TEST(Beams, ModelFileKeepsThem) {
  const System system = cantilever(8, "output: {every: 0.1}\n");
  const std::string text = write_model(system);
  const System again = read_model(text);
  EXPECT_EQ(write_model(again), text);
  EXPECT_THAT(text, AllOf(HasSubstr("rectangle"), HasSubstr("at: 0.5"), HasSubstr("elements: 8")));
}

TEST(Beams, FaultsNameThePlaceAndWhatIsAllowed) {
  const auto fault_of = [](const std::string& from, const std::string& to) {
    std::string text = write_model(cantilever(4));
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return message_of<InputError>([&] { freeze(read_model(text)); });
  };
  EXPECT_THAT(fault_of("elements: 4", "elements: 2.5"),
              HasSubstr("bodies[0].elements: 2.5 is not a whole number from 1 to 1000000"));
  EXPECT_THAT(fault_of("nu: 0.3", "nu: 0.7"), HasSubstr("bodies[0].material.nu: 0.7 is not Poisson's ratio"));
  EXPECT_THAT(fault_of("density: 7850", "density: -1"), HasSubstr("bodies[0].material.density: -1"));
  EXPECT_THAT(fault_of("at: 0.5", "at: 1.5"), HasSubstr("bodies[0].points.mid.at: 1.5 is not from 0 to 1"));
  EXPECT_THAT(fault_of("mid:", "start:"), HasSubstr("the point 'start' already exists"));
  EXPECT_THAT(fault_of("boom.end", "boom.tip"), HasSubstr("the beam 'boom' has no point 'tip'"));
  EXPECT_THAT(fault_of("rectangle: [0.5, 0.1]", "circle: 0.1, EA: 3"), HasSubstr("has more than one of"));
  EXPECT_THAT(fault_of("to: [2, 0, 0]", "to: [0, 0, 0]"),
              HasSubstr("bodies[0]: the beam's axis has no length"));
  EXPECT_THAT(fault_of("to: [2, 0, 0]", "to: [0, 0, 2]"), HasSubstr("along the beam's axis"));
  EXPECT_THAT(fault_of("from: [0, 0, 0], to: [2, 0, 0]", "curve: [2*s, 0, 0], length: 1"),
              HasSubstr("is not its arc length"));
  const auto fault_of_curve = [&](const std::string& x, const std::string& y) {
    return fault_of("from: [0, 0, 0], to: [2, 0, 0]", "curve: ['" + x + "', '" + y + "', 0], length: 2");
  };
  EXPECT_THAT(fault_of_curve("s", "if(s < 0.7, 0, 1)"),
              HasSubstr("bodies[0]: the beam's curve jumps by 1 m at s = 0.7 m"));
  EXPECT_THAT(fault_of_curve("if(s < 1.2, s, s - 0.3)", "0"), HasSubstr("jumps by 0.3 m at s = 1.2 m"));
  const std::string arc = "if(s < 1.3, sin(s), sin(1.3) + cos(1.3)*(s - 1.3))";
  EXPECT_EQ(fault_of_curve(arc, "if(s < 1.3, 1 - cos(s), 1 - cos(1.3) + sin(1.3)*(s - 1.3))"),
            "(nothing was thrown)");
  EXPECT_THAT(fault_of("name: load", "name: boom_2"),
              HasSubstr("the name 'boom_2' is taken by bodies[0].name"));
}

TEST(Beams, WithTheNameOfAnotherOneAreOneFaultThatNamesThem) {
  System system = cantilever(4);
  system.bodies.push_back(system.bodies[0]);
  system.add_reduced_body("boom", testing_support::make_particle_body(1, 8, 2).reduced);
  const std::string faults = message_of<InputError>([&] { freeze(system); });
  EXPECT_THAT(faults, HasSubstr("bodies[1].name: the name 'boom' is taken by bodies[0].name"));
  EXPECT_THAT(faults, HasSubstr("bodies[2].name: the name 'boom' is taken by bodies[0].name"));
  EXPECT_THAT(faults, Not(HasSubstr("boom_")));
}

TEST(Beams, RefuseDataOfRigidBodiesThatWouldHaveNoEffect) {
  System system = cantilever(4);
  BodySpec& boom = system.bodies[0];
  boom.mass = 300;
  boom.center_of_mass[2] = 3;
  boom.inertia.xy = "mass";
  boom.inertia_check = false;
  boom.shapes.emplace_back().type = "box";
  const std::string faults = message_of<InputError>([&] { freeze(system); });
  for (const char* key : {"mass", "center_of_mass", "inertia", "inertia_check", "shapes"}) {
    EXPECT_THAT(faults, HasSubstr(std::string("bodies[0].") + key + ": does not fit a body of type beam"));
  }
}

TEST(Beams, FormulationsForTreesRefuseThemByName) {
  System system = cantilever(2);
  system.analysis.type = "dynamics";
  system.analysis.coordinates = "state_time";
  EXPECT_THAT(message_of<InputError>([&] { Workspace(system).run(); }), HasSubstr("boom"));
}

}  // namespace
}  // namespace sestina
