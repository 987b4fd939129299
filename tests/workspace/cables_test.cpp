// Cables in models: statics, modes and motions, against shooting, closed forms and momenta.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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
using testing_support::message_of;

System make_cable(const std::string& keys, const std::string& more) {
  return read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: rope
    type: beam
    formulation: ancf_cable
{}
{})",
                                keys, more));
}

// Clamped at its start, with a load across its end that bends it by 0.7 of its length.
System clamped_cable(int elements, double EA) {
  return make_cable(fmt::format(R"(
    centerline: {{from: [0, 0, 0], to: [1, 0, 0]}}
    elements: {}
    section: {{EA: {}, EI: 1, mass: 1}}
    points: {{mid: {{at: 0.5}}}})",
                                elements, EA),
                    R"(
joints: [{name: clamp, type: weld, parent: ground.origin, child: rope.start}]
forces: [{name: load, type: point_force, at: rope.end, value: [0, -5, 0]}]
analysis: {type: statics}
)");
}

// The elastica with an extensible axis, shot at the tip (DOP853, relative tolerance 1e-13). Slender cables
// converge as fast as others.
TEST(Cables, CantileverConvergesWithOrderFourAtAnySlenderness) {
  struct Tip {
    double EA, x, y;
  };
  for (const Tip& tip :
       {Tip{1e3, 0.613274770566, -0.717335784851}, Tip{1e6, 0.612372543089, -0.713795064771}}) {
    double before = 0.0;
    for (const int elements : {4, 8, 16}) {
      const RunResult run = run_system(clamped_cable(elements, tip.EA));
      const double error = std::hypot(run.end("rope.end.x") - tip.x, run.end("rope.end.y") - tip.y);
      if (before > 0.0) {
        EXPECT_NEAR(std::log2(before / error), 4.0, 0.15) << tip.EA;
      }
      before = error;
    }
    EXPECT_LE(before, 1e-6) << tip.EA;
  }
}

// The moment at the clamp is the load times its arm; half an element further it is less by the load.
TEST(Cables, ColumnsAreThoseOfEquilibrium) {
  const RunResult run = run_system(clamped_cable(16, 1e3));
  const double arm = run.end("rope.end.x");
  EXPECT_NEAR(run.end("rope.section[0].moment.z"), -5.0 * (arm - 1.0 / 32), 5e-3);
  EXPECT_NEAR(run.end("rope.section[0].curvature.z"), run.end("rope.section[0].moment.z"), 1e-12);
  EXPECT_NEAR(run.end("rope.section[15].tension"), 5.0 * std::abs(run.end("rope.end.slope.y")), 3e-2);
  EXPECT_NEAR(run.end("rope.section[15].strain"), 1e-3 * run.end("rope.section[15].tension"), 1e-12);
  EXPECT_NEAR(run.end("energy.strain"), run.end("energy.potential"), 1e-12);
  EXPECT_NEAR(std::hypot(run.end("clamp_tangent.force[0]"), run.end("clamp_tangent.force[1]")), 5.0 * arm,
              2e-2);
  EXPECT_NEAR(run.end("rope.mid.x"), run.end("rope_8.origin.x"), 0.0);
}

// An elastic catenary: 1.2 m of rope between two hooks 1 m apart, laid out as an arc of a circle.
TEST(Cables, SlackRopeHangsAsACatenary) {
  constexpr double kSag = -0.293734213556, kTension = 2.291002204125;
  double before = 0.0;
  for (const int elements : {8, 16, 32}) {
    const RunResult run = run_system(make_cable(fmt::format(R"(
    centerline:
      curve: ['R*sin((s - 0.6)/R) + R*sin(0.6/R)', 0, 'R*cos(0.6/R) - R*cos((s - 0.6)/R)']
      length: 1.2
    elements: {}
    section: {{EA: 2000, EI: 1.0e-8, mass: 0.5}}
    points: {{mid: {{at: 0.5}}}})",
                                                            elements),
                                                R"(
parameters: {R: 0.584374815902541}
gravity: [0, 0, -9.81]
ground: {points: {other: [1, 0, 0]}}
joints:
  - {name: left, type: spherical, parent: ground.origin, child: rope.start}
  - {name: right, type: spherical, parent: ground.other, child: rope.end}
analysis: {type: statics}
)"));
    const double error = std::abs(run.end("rope.mid.z") - kSag);
    if (before > 0.0) {
      EXPECT_NEAR(std::log2(before / error), 4.0, 0.3);
    }
    before = error;
    const std::string middle = fmt::format("rope.section[{}].tension", elements / 2);
    EXPECT_NEAR(run.end(middle), kTension, 0.5 / elements);
  }
  EXPECT_LE(before, 5e-8);
}

// omega^2 = (n pi/L)^2 (T + EI (n pi/L)^2)/rho of a string with hinged ends, in both planes.
TEST(Cables, PretensionedStringVibratesWithTheFrequenciesOfTheory) {
  const RunResult run = run_system(make_cable(R"(
    centerline: {from: [0, 0, 0], to: [2, 0, 0]}
    elements: 16
    section: {EA: 4.0e5, EI: 0.3, mass: 0.02}
    pretension: 80)",
                                              R"(
ground: {points: {other: [2, 0, 0]}}
joints:
  - {name: left, type: spherical, parent: ground.origin, child: rope.start}
  - {name: right, type: spherical, parent: ground.other, child: rope.end}
analysis: {type: modes}
)"));
  for (std::size_t n = 1; n <= 4; ++n) {
    const double k = static_cast<double>(n) * std::numbers::pi / 2.0;
    const double frequency = k * std::sqrt((80.0 + 0.3 * k * k) / 0.02) / (2 * std::numbers::pi);
    const double error = std::pow(k * 2.0 / 16, 4) / 1000 * frequency;  // order four
    EXPECT_NEAR(run.at(2 * n - 2, "frequency"), frequency, error) << n;
    EXPECT_NEAR(run.at(2 * n - 1, "frequency"), frequency, error) << n;
  }
}

// Euler and Bernoulli's cantilever; the mass is consistent, so that the order is four.
TEST(Cables, CantileverVibratesWithTheFrequencyOfTheory) {
  const double exact = 1.8751040687119612 * 1.8751040687119612 / (2 * std::numbers::pi);
  double before = 0.0;
  for (const int elements : {2, 4}) {
    System system = clamped_cable(elements, 1e6);
    system.forces.clear();
    system.analysis.type = "modes";
    const double error = run_system(system).at(0, "frequency") / exact - 1.0;
    if (before > 0.0) {
      EXPECT_NEAR(std::log2(before / error), 4.0, 0.2);
    }
    before = error;
  }
  EXPECT_LE(before, 4e-5);
}

constexpr const char* kElastic = R"(
    centerline: {from: [0, 0, 0], to: [1, 0, 0]}
    elements: 4
    section: {EA: 400, EI: 0.5, mass: 1})";

TEST(Cables, AllFormulationsAgree) {
  const System system = make_cable(kElastic, R"(
  - {name: hub, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
gravity: [0, 0, -9.81]
joints:
  - {name: axle, type: revolute, parent: ground.origin, child: hub.origin, axis: [0, 1, 0]}
  - {name: root, type: weld, parent: hub.origin, child: rope.start}
)");
  const Comparison comparison = compare_in_every_formulation(system);
  EXPECT_TRUE(comparison.agrees());
  EXPECT_EQ(comparison.states, 11);
}

// Thrown and spinning, by explicit and implicit rules.
TEST(Cables, FlyingCableKeepsEnergyAndMomenta) {
  for (const char* coordinates : {"relative", "cartesian"}) {
    System system = make_cable(kElastic, "");
    system.analysis.coordinates = coordinates;
    const std::shared_ptr<const Model> model = freeze(system);
    for (const char* rule : {"dormand_prince_54", "radau_iia", "generalized_alpha"}) {
      const double rtol = std::string(rule) == "generalized_alpha" ? 1e-6 : 1e-9;
      Simulator simulator(
          model, {.rule = {.name = rule}, .tolerances = ErrorTolerances{.rtol = rtol, .atol = rtol}});
      State<double> state = simulator.state();
      state.u[0] = 2.0, state.u[1] = -1.0, state.u[5] = 1.5, state.u[14] = 2.0;  // of nodes 0, 1 and 4
      simulator.reset(0.0, state.q, state.u);
      const Kept start = measure(*model, simulator.state());
      EXPECT_GT(norm(start.momentum.angular), 0.1);
      for (int k = 0; k < 10; ++k) simulator.step(0.05);
      const Kept end = measure(*model, simulator.state());
      EXPECT_NEAR(end.energy, start.energy, 300.0 * rtol * start.energy) << rule;
      EXPECT_LE(norm(end.momentum.linear - start.momentum.linear), 300.0 * rtol) << rule;
      EXPECT_LE(norm(end.momentum.angular - start.momentum.angular), 300.0 * rtol) << rule;
    }
  }
}

// All of its mass has weight: a cable that falls keeps its energy, and its momentum grows by m g t.
TEST(Cables, FallingCableHasItsWeight) {
  const std::shared_ptr<const Model> model = freeze(make_cable(kElastic, "gravity: [0, 0, -9.81]\n"));
  Simulator simulator(model, {.rule = {.name = "radau_iia"}});
  const Kept start = measure(*model, simulator.state());
  simulator.step(0.5);
  const Kept end = measure(*model, simulator.state());
  EXPECT_NEAR(end.momentum.linear.z, -9.81 * 0.5 * 1.0, 1e-9);
  EXPECT_NEAR(end.energy, start.energy, 1e-9);
  EXPECT_NEAR(simulator.state().q[2], -0.5 * 9.81 * 0.25, 1e-9);
}

TEST(Cables, DampedPendulumLosesWhatTheLedgerSays) {
  const RunResult run = run_system(make_cable(std::string(kElastic) + "\n    material: {damping: 5.0e-3}", R"(
gravity: [0, 0, -9.81]
joints: [{name: hook, type: spherical, parent: ground.origin, child: rope.start}]
analysis: {duration: 0.5, step: {rtol: 1.0e-7, atol: 1.0e-9}}
)"));
  EXPECT_GE(run.end("energy.dissipated"), 1e-3);
  EXPECT_NEAR(run.end("energy.total") + run.end("energy.dissipated"), run.at(0, "energy.total"), 1e-6);
}

// A cable that is bent by nature rests where it begins; one that is straight by nature opens.
TEST(Cables, NaturalShapeIsStraightUnlessPrecurved) {
  for (const bool is_precurved : {true, false}) {
    const RunResult run = run_system(make_cable(fmt::format(R"(
    centerline: {{curve: ['sin(s)', '1 - cos(s)', 0], length: 1.5}}
    elements: 8
    section: {{EA: 1000, EI: 1, mass: 1}}
    precurved: {})",
                                                            is_precurved),
                                                R"(
joints: [{name: clamp, type: weld, parent: ground.origin, child: rope.start}]
analysis: {type: statics}
)"));
    EXPECT_NEAR(run.end("energy.strain"), 0.0, 1e-12);
    EXPECT_NEAR(run.end("rope.end.x"), is_precurved ? std::sin(1.5) : 1.5, is_precurved ? 1e-9 : 1e-4);
    EXPECT_NEAR(run.end("rope.end.y"), is_precurved ? 1.0 - std::cos(1.5) : 0.0, 1e-6);
  }
}

// The implicit equations against differences of their residual: M, K and D, by closed forms (all bodies
// float) and beside a tree.
TEST(Cables, TangentsAreThoseOfTheForces) {
  for (const char* more : {"", R"(
  - {name: hub, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
joints: [{name: axle, type: revolute, parent: ground.origin, child: hub.origin, axis: [0, 1, 0]}]
)"}) {
    const std::shared_ptr<const Model> model =
        freeze(make_cable(std::string(kElastic) + "\n    material: {damping: 0.05}", more));
    ImplicitMotion motion(*model, calc_properties(*model));
    State<double> state = scatter_states(*model, 1, 0.5, 3).back();
    std::fill(state.u.begin(), state.u.end(), 0.0);
    const std::vector<double> none(state.u.size(), 0.0),
        lambda(static_cast<std::size_t>(model->constraint_rows()));
    motion.update_tangents(state, none, lambda);
    const std::vector<double> tangents[] = {motion.M, motion.D, motion.K};
    const double h = 1e-6;
    for (std::size_t k = 0; k < state.u.size(); ++k) {
      for (const std::size_t kind : {0U, 1U, 2U}) {
        std::vector<double> ends[2];
        for (const std::size_t side : {0U, 1U}) {
          State<double> moved = state;
          std::vector<double> step = none, udot = none;
          (kind == 0 ? udot : step)[k] = side == 0 ? -h : h;
          if (kind == 1) moved.u[k] += step[k];
          if (kind == 2) plus_q<double>(*model, state.q, step, moved.q);
          motion.update(moved, udot, lambda, {});
          for (std::size_t i = 0; i < none.size(); ++i) ends[side].push_back(motion.r(i));
        }
        const SparsePattern& pattern = motion.pattern();
        for (int p = pattern.starts[k]; p < pattern.starts[k + 1]; ++p) {
          const auto row = static_cast<std::size_t>(pattern.row_of[static_cast<std::size_t>(p)]);
          const double tangent = tangents[kind][static_cast<std::size_t>(p)];
          EXPECT_NEAR((ends[1][row] - ends[0][row]) / (2 * h), tangent, 1e-5 + 1e-6 * std::abs(tangent))
              << kind << " " << row << " " << k;
        }
      }
    }
  }
}

TEST(Cables, ModelFileKeepsThem) {
  System system = clamped_cable(8, 1000);
  system.bodies[0].beam->pretension = "EA/100";
  system.set_parameter("EA", 1000);
  system.bodies[0].beam->precurved = true;
  const std::string text = write_model(system);
  EXPECT_EQ(write_model(read_model(text)), text);
  EXPECT_THAT(text, AllOf(HasSubstr("ancf_cable"), HasSubstr("pretension: EA/100"),
                          HasSubstr("precurved: true"), HasSubstr("EI: 1"), HasSubstr("type: weld")));
}

TEST(Cables, FaultsNameThePlaceAndWhatIsAllowed) {
  const auto fault_of = [](const std::string& from, const std::string& to) {
    std::string text = write_model(clamped_cable(4, 1000));
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << " in " << text;
    text.replace(at, from.size(), to);
    return message_of<InputError>([&] { freeze(read_model(text)); });
  };
  EXPECT_THAT(fault_of("EI: 1,", ""), HasSubstr("bodies[0].section.EI: is missing"));
  EXPECT_THAT(fault_of("EI: 1,", "EI: 1, GJ: 2,"), HasSubstr("bodies[0].section.GJ: belongs to a beam"));
  EXPECT_THAT(fault_of("EI: 1,", "EI: -1,"), HasSubstr("bodies[0].section.EI: -1"));
  for (const char* pretension : {"1000", "-1000", "-1200"}) {
    EXPECT_THAT(fault_of("elements: 4", fmt::format("elements: 4\n    pretension: {}", pretension)),
                HasSubstr(fmt::format("bodies[0]: the pretension {} N leaves no natural length: allowed are "
                                      "values between -EA and EA, 1000 N",
                                      pretension)));
  }
  EXPECT_EQ(fault_of("elements: 4", "elements: 4\n    pretension: 999"), "(nothing was thrown)");
  EXPECT_THAT(fault_of("EA: 1000, EI: 1, mass: 1", "circle: 0.1"),
              HasSubstr("bodies[0].material.E: is missing"));
  EXPECT_THAT(fault_of("EA: 1000, EI: 1, mass: 1", "rectangle: [0.1, 0.2]"),
              HasSubstr("bodies[0].section.rectangle: belongs to a beam"));
  EXPECT_THAT(fault_of("EA: 1000, EI: 1, mass: 1", "circle: 0.1, mass: 1"), HasSubstr("expected one of"));
  EXPECT_THAT(
      fault_of("type: weld", "type: universal, axis: [1, 0, 0], second_axis: [0, 1, 0]"),
      HasSubstr("joints[0].type: a point of the cable rope has no axes: expected spherical, or weld"));
  EXPECT_THAT(fault_of("type: weld, parent: ground.origin, child: rope.start",
                       "type: free, parent: ground.origin, child: rope_2.origin"),
              HasSubstr("joints[0].type: a point of the cable rope has no axes"));
  EXPECT_THAT(fault_of("type: point_force", "type: point_torque"),
              HasSubstr("forces[0].at: is on the cable rope, whose points have no axes"));
  EXPECT_THAT(fault_of("ancf_cable", "ancf_rope"), HasSubstr("geometrically_exact or ancf_cable"));
  EXPECT_THAT(fault_of("formulation: ancf_cable", "pretension: 5"),
              AllOf(HasSubstr("bodies[0].pretension: belongs to a cable"),
                    HasSubstr("bodies[0].section.EI: belongs to a cable")));
  EXPECT_THAT(
      fault_of("forces:",
               "constraints: [{name: t, type: tangent, point: ground.origin, line: rope.mid}]\nforces:"),
      AllOf(HasSubstr("constraints[0].point: 'ground.origin' is not a point of a cable"),
            HasSubstr("constraints[0].line: is on the cable rope")));
}

// A node between elements carries joints as a named point does.
TEST(Cables, NodesCarryJoints) {
  System named = clamped_cable(4, 1000), node = named;
  named.add_particle("bob", 0.3), node.add_particle("bob", 0.3);
  named.gravity = node.gravity = {0, 0, -9.81};
  named.add_joint("hook", "spherical", "rope.mid", "bob.origin");
  node.add_joint("hook", "spherical", "rope_2.origin", "bob.origin");
  EXPECT_EQ(run_system(named).end("rope.end.z"), run_system(node).end("rope.end.z"));
}

TEST(Cables, FormulationsForTreesRefuseThemByName) {
  System compiled = make_cable(kElastic, "");
  compiled.analysis.solver = "compiled";
  EXPECT_THAT(message_of<InputError>([&] { Workspace(compiled).run(); }), HasSubstr("rope"));
  System system = make_cable(kElastic, "");
  system.analysis.coordinates = "state_time";
  EXPECT_THAT(message_of<InputError>([&] { Workspace(system).run(); }), HasSubstr("rope"));
}

}  // namespace
}  // namespace sestina
