// Closed cables and their contact with pulleys, against closed forms, balances and differences.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "message_of.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/implicit_motion.h"
#include "sestina/io/model_writer.h"
#include "sestina/model/freeze.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using std::numbers::pi;
using testing::AllOf;
using testing::HasSubstr;
using testing_support::message_of;

// Around the ground's origin and the point (L, 0), from the top of the first pulley on, clockwise.
constexpr const char* kLoop = R"yaml(
    centerline:
      curve:
        - "if(s < L, s, if(s < L + pi*R, L + R*sin((s - L)/R), if(s < 2*L + pi*R, 2*L + pi*R - s, -R*sin((s - 2*L - pi*R)/R))))"
        - "if(s < L, R, if(s < L + pi*R, R*cos((s - L)/R), if(s < 2*L + pi*R, -R, -R*cos((s - 2*L - pi*R)/R))))"
        - 0
      length: 2*L + 2*pi*R
    closed: true)yaml";

// A tight belt around two pulleys of equal radii; `pulleys` describes what carries them.
System make_belt(int elements, const std::string& pulleys, const std::string& friction = "") {
  return read_model(fmt::format(R"(
sestina: 1
parameters: {{L: 0.3, R: 0.1}}
ground: {{points: {{right: [L, 0, 0]}}}}
bodies:
  - name: belt
    type: beam
    formulation: ancf_cable{}
    elements: {}
    section: {{EA: 8000, EI: 0.01, mass: 0.8}}
    material: {{damping: 1.0e-4}}
    pretension: 400
{}
forces:
  - {{name: on_left, type: belt_contact, cable: belt, at: LEFT, axis: [0, 0, 1], radius: R, stiffness: 1.0e8,
     damping: 5.0e3, segments: 2, groove_radius: 0.05{}}}
  - {{name: on_right, type: belt_contact, cable: belt, at: RIGHT, axis: [0, 0, 1], radius: R, stiffness: 1.0e8,
     damping: 5.0e3, segments: 2, groove_radius: 0.05{}}}
)",
                                kLoop, elements, pulleys, friction, friction));
}

void set_pulleys(System& system, const char* left, const char* right) {
  for (ForceSpec& force : system.forces) {
    if (force.at == "LEFT") force.at = left;
    if (force.at == "RIGHT") force.at = right;
  }
}

// A free ring falls; it has the length and the mass of the circle.
TEST(Belts, AClosedCableHasItsLengthAndMass) {
  System system = read_model(R"(
sestina: 1
gravity: [0, -9.81, 0]
bodies:
  - name: ring
    type: beam
    formulation: ancf_cable
    centerline: {curve: [0.5*cos(2*s), 0.5*sin(2*s), 0], length: pi}
    elements: 16
    closed: true
    precurved: true
    section: {EA: 1000, EI: 1, mass: 3}
analysis: {duration: 0.1}
output: {every: 0.1}
)");
  const std::shared_ptr<const Model> model = freeze(system);
  EXPECT_EQ(model->bodies().size(), 1 + 16 * 4);  // a particle and three slopes for each of 16 nodes
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("momentum.y"), -3.0 * pi * 9.81 * 0.1, 1e-6);
  EXPECT_NEAR(run.end("ring.start.y"), -0.5 * 9.81 * 0.01, 1e-6);
  EXPECT_EQ(run.end("ring.start.y"), run.end("ring.end.y"));
  EXPECT_NEAR(run.end("energy.strain"), 0.0, 1e-9);
}

// The tension is EA times the strain all along, which is that of the pretension less what the pulleys yield;
// the pressure is the tension over the radius, and a pulley on a spring carries twice the tension.
TEST(Belts, ATightBeltPressesWithItsTensionOverTheRadius) {
  System system = make_belt(48, R"(
  - {name: pulley, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: slide, type: prismatic, parent: ground.right, child: pulley.origin, axis: [1, 0, 0]}
analysis: {duration: 5, step: {rtol: 1.0e-3, atol: 1.0e-6}}
output: {every: 5})");
  set_pulleys(system, "ground.origin", "pulley.origin");
  system.bodies[0].beam->material.damping = 0.01;  // until it is at rest
  system.analysis.coordinates = "cartesian";
  system.add_joint_spring("spring", "slide", {1e7});
  system.add_joint_damper("damper", "slide", {1e4});
  const RunResult run = run_system(system);
  const double tension = run.end("belt.section[2].tension");
  EXPECT_NEAR(tension, 400.0, 3.0);
  const double pull = -1e7 * run.end("slide.q");
  EXPECT_NEAR(pull, 2.0 * tension, 1e-3 * tension);
  for (const char* contact : {"on_left", "on_right"}) {
    const double N = run.end(std::string(contact) + ".normal_force");
    EXPECT_NEAR(N, pi * tension, 5e-3 * N) << contact;
    EXPECT_NEAR(run.end(std::string(contact) + ".angle"), pi, 0.26) << contact;  // a segment has 0.13 rad
    EXPECT_NEAR(run.end(std::string(contact) + ".torque"), 0.0, 1e-9) << contact;
  }
  for (int k = 0; k < 48; ++k) {
    // Within an element on an arc the strain of a cubic varies, with the square of the element's angle.
    EXPECT_NEAR(run.end(fmt::format("belt.section[{}].tension", k)), tension, 2.0) << k;
  }
}

// A pulley turns under a rope that is held at one end and loaded at the other: Euler and Eytelwein.
TEST(Belts, SlidingFrictionMultipliesTheTension) {
  System system = read_model(R"yaml(
sestina: 1
parameters: {R: 0.1, A: 0.1, mu: 0.4, T: 50}
ground: {points: {anchor: [R, -A, 0]}}
bodies:
  - name: rope
    type: beam
    formulation: ancf_cable
    centerline:
      curve:
        - "if(s < A, s - A, if(s < A + pi/2*R, R*sin((s - A)/R), R))"
        - "if(s < A, R, if(s < A + pi/2*R, R*cos((s - A)/R), A + pi/2*R - s))"
        - 0
      length: 2*A + pi/2*R
    elements: 48
    section: {EA: 50000, EI: 1.0e-5, mass: 0.1}
    material: {damping: 1.0e-3}
    pretension: T
  - {name: pulley, mass: 1, inertia: {xx: 1, yy: 1, zz: 0.01}}
joints:
  - {name: axle, type: revolute, parent: ground.origin, child: pulley.origin, axis: [0, 0, 1]}
  - {name: hook, type: spherical, parent: ground.anchor, child: rope.end}
forces:
  - {name: load, type: point_force, at: rope.start, value: [-T, 0, 0]}
  - {name: touch, type: belt_contact, cable: rope, at: pulley.origin, axis: [0, 0, 1], radius: R, stiffness: 1.0e7,
     damping: 1.0e3, segments: 2, groove_radius: 0.05, friction_coefficient: mu, bristle_stiffness: 1.0e6,
     bristle_damping: 1.0e3}
constraints:
  - {name: drive, type: motion, joint: axle, value: 10*t^2}
analysis: {duration: 0.4, coordinates: cartesian, step: {rtol: 1.0e-3, atol: 1.0e-6}}
output: {every: 0.4}
)yaml");
  const RunResult run = run_system(system);
  const double loose = run.end("rope.section[1].tension"), tight = run.end("rope.section[46].tension");
  EXPECT_NEAR(loose, 50.0, 0.5);
  const double angle = run.end("touch.angle");
  EXPECT_NEAR(angle, pi / 2, 0.1);  // a segment has 0.04 rad
  // The pulley turns counterclockwise, away from the anchor.
  EXPECT_NEAR(std::log(tight / loose), 0.4 * pi / 2, 2e-3);
  EXPECT_NEAR(std::abs(run.end("touch.torque")), 0.1 * (tight - loose), 0.02 * (tight - loose));
}

constexpr const char* kDrive = R"(
  - {name: left, mass: 5, inertia: {xx: 1, yy: 1, zz: 0.02}}
  - {name: right, mass: 5, inertia: {xx: 1, yy: 1, zz: 0.02}}
joints:
  - {name: driver, type: revolute, parent: ground.origin, child: left.origin, axis: [0, 0, 1]}
  - {name: driven, type: revolute, parent: ground.right, child: right.origin, axis: [0, 0, 1]}
analysis: {duration: 0.1, coordinates: cartesian, step: {rtol: 1.0e-4, atol: 1.0e-6}}
output: {every: 0.02})";
constexpr const char* kFriction =
    ", friction_coefficient: 0.5, bristle_stiffness: 2.0e7, bristle_damping: 1.0e4";

// A torque accelerates the belt and both pulleys; what it supplies is energy, or has become heat.
TEST(Belts, ADriveKeepsTheBalanceOfEnergy) {
  System system = make_belt(24, kDrive, kFriction);
  set_pulleys(system, "left.origin", "right.origin");
  system.add_joint_force("motor", "driver", "5*min(t/0.02, 1)");
  const RunResult run = run_system(system);
  const double balance = run.end("energy.total") + run.end("energy.dissipated") - run.end("energy.supplied") -
                         run.at(0, "energy.total");
  EXPECT_GE(run.end("energy.supplied"), 0.1);
  EXPECT_NEAR(balance, 0.0, 1e-4 * run.end("energy.supplied"));
  // Torque by time over the inertia: 2 (0.02) kg m^2 and that of the belt, 0.8 kg/m at 0.1 m.
  EXPECT_NEAR(run.end("driver.u"), 5.0 * 0.09 / (0.04 + 0.8 * (0.6 + 0.2 * pi) * 0.01), 0.3);
  EXPECT_NEAR(run.end("driven.u"), run.end("driver.u"), 0.3);
}

// Power of the forces is the loss of potential energy less heat, with bristles and with contact at a few
// points.
TEST(Belts, ForcesAreTheirOwnPowerBalance) {
  System system = make_belt(24, kDrive, kFriction);
  set_pulleys(system, "left.origin", "right.origin");
  const std::shared_ptr<const Model> model = freeze(system);
  const Properties<double> numbers = calc_properties(*model);
  const Properties<Dual> dual =
      calc_properties<Dual>(*model, std::vector<Dual>(numbers.parameters.begin(), numbers.parameters.end()));
  int slips = 0, sticks = 0;
  for (State<double> state : scatter_states(*model, 20, 0.5, 7)) {
    const State<double> start = calc_initial_state<double>(*model, numbers.parameters);
    for (std::size_t i = 0; i < state.q.size(); ++i)
      state.q[i] = start.q[i] + 1e-6 * (state.q[i] - start.q[i]);
    for (std::size_t i = 0; i < state.x.size(); ++i)
      state.x[i] = 1e-4 * std::sin(3.0 * static_cast<double>(i));
    for (double& u : state.u) u *= 0.02;
    Kinematics<double> kinematics(*model);
    AppliedForces<double> forces(*model);
    update_kinematics(*model, numbers, state, kinematics);
    update_applied_forces(*model, numbers, state, kinematics, forces);
    State<Dual> moving;
    std::vector<double> qdot(state.q.size());
    calc_q_dot<double>(*model, state.q, state.u, qdot);
    for (std::size_t i = 0; i < state.q.size(); ++i) moving.q.emplace_back(state.q[i], qdot[i]);
    for (const double u : state.u) moving.u.emplace_back(u);
    for (std::size_t i = 0; i < state.x.size(); ++i) moving.x.emplace_back(state.x[i], forces.rates[i]);
    Kinematics<Dual> moving_kinematics(*model);
    AppliedForces<Dual> moving_forces(*model);
    update_kinematics(*model, dual, moving, moving_kinematics);
    const ForceInput<double> in = force_input(state, kinematics, forces);
    for (std::size_t b = 0; b < 2; ++b) {
      const BeltContact<double>& belt = numbers.forces.connectors.belts[b];
      std::vector<double> tau(state.u.size()), rates(state.x.size());
      std::vector<SpatialForce<double>> on_frames(kinematics.motion.size());
      ForceOutput<double> out{tau.data(), on_frames.data(), rates.data()};
      belt.add_force(in, out);
      double power = 0.0;
      for (std::size_t i = 0; i < tau.size(); ++i) power += tau[i] * state.u[i];
      for (std::size_t i = 0; i < on_frames.size(); ++i) {
        power += dot(kinematics.motion[i].V_WB, on_frames[i]);
      }
      const double potential_rate =
          dual.forces.connectors.belts[b]
              .potential_energy(force_input(moving, moving_kinematics, moving_forces))
              .d;
      const double heat = belt.dissipated_power(in);
      EXPECT_GE(heat, 0.0);
      EXPECT_NEAR(power, -potential_rate - heat, 1e-9 * (std::abs(power) + heat));
      const auto relax = [](std::size_t, int, double) {};
      belt.for_each_point(in, belt.pulley_of(in), relax,
                          [&](std::size_t, int, const auto& point) { ++(point.sticks ? sticks : slips); });
    }
  }
  EXPECT_GT(sticks, 20);
  EXPECT_GT(slips, 20);
}

// The implicit equations against differences of their residual: by closed forms (all bodies float) and beside
// a tree.
TEST(Belts, TangentsAreThoseOfTheForces) {
  for (const bool is_cartesian : {false, true}) {
    System system = make_belt(12, kDrive, kFriction);
    set_pulleys(system, "left.origin", "right.origin");
    for (BodySpec& body : system.bodies) {
      if (body.beam) body.beam->material.damping = 0;
    }
    system.analysis.coordinates = is_cartesian ? "cartesian" : "relative";
    const std::shared_ptr<const Model> model = freeze(system);
    const Properties<double> numbers = calc_properties(*model);
    ImplicitMotion motion(*model, numbers);
    State<double> state = scatter_states(*model, 1, 0.5, 3).back();
    const State<double> start = calc_initial_state<double>(*model, numbers.parameters);
    for (std::size_t i = 0; i < state.q.size(); ++i)
      state.q[i] = start.q[i] + 1e-4 * (state.q[i] - start.q[i]);
    normalize_q<double>(*model, state.q);
    for (std::size_t i = 0; i < state.x.size(); ++i)
      state.x[i] = 2e-6 * std::sin(3.0 * static_cast<double>(i));
    for (double& u : state.u) u *= 0.02;
    const std::vector<double> none(state.u.size() + state.x.size(), 0.0),
        lambda(static_cast<std::size_t>(model->constraint_rows()));
    motion.update_tangents(state, none, lambda);
    const std::vector<double>* tangents[] = {&motion.D, &motion.K};
    for (std::size_t k = 0; k < none.size(); ++k) {
      for (const std::size_t kind : {0U, 1U}) {
        if (kind == 1 && k >= state.u.size()) continue;
        // Round-off: the residual has 1e-9 N of it, as positions have 5e-17 m and the pulley 2e7 N/m.
        const double h = k >= state.u.size() ? 1e-9 : kind == 0 ? 1e-6 : 1e-8;
        std::vector<double> ends[2];
        for (const std::size_t side : {0U, 1U}) {
          State<double> moved = state;
          const double step = side == 0 ? -h : h;
          if (k >= state.u.size()) {
            moved.x[k - state.u.size()] += step;
          } else if (kind == 0) {
            moved.u[k] += step;
          } else {
            std::vector<double> displacement(state.u.size());
            displacement[k] = step;
            plus_q<double>(*model, state.q, displacement, moved.q);
          }
          motion.update(moved, none, lambda, {});
          for (std::size_t i = 0; i < none.size(); ++i) ends[side].push_back(motion.r(i));
        }
        const SparsePattern& pattern = motion.pattern();
        std::vector<double> column(none.size());
        for (int p = pattern.starts[k]; p < pattern.starts[k + 1]; ++p) {
          column[static_cast<std::size_t>(pattern.row_of[static_cast<std::size_t>(p)])] =
              (*tangents[kind])[static_cast<std::size_t>(p)];
        }
        double size = 0.0;
        for (const double x : column) size = std::max(size, std::abs(x));
        for (std::size_t i = 0; i < none.size(); ++i) {
          EXPECT_NEAR((ends[1][i] - ends[0][i]) / (2 * h), column[i], 2e-5 * size + 0.2)
              << is_cartesian << " " << kind << " " << i << " " << k;
        }
      }
    }
  }
}

TEST(Belts, ModelFileKeepsThem) {
  System system = make_belt(12, kDrive, kFriction);
  set_pulleys(system, "left.origin", "right.origin");
  const std::string text = write_model(system);
  EXPECT_EQ(write_model(read_model(text)), text);
  EXPECT_THAT(text,
              AllOf(HasSubstr("closed: true"), HasSubstr("type: belt_contact"), HasSubstr("cable: belt"),
                    HasSubstr("segments: 2"), HasSubstr("groove_radius: 0.05")));
}

TEST(Belts, FaultsNameThePlaceAndWhatIsAllowed) {
  const auto fault_of = [](const std::string& from, const std::string& to) {
    System system = make_belt(12, kDrive, kFriction);
    set_pulleys(system, "left.origin", "right.origin");
    std::string text = write_model(system);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << " in " << text;
    text.replace(at, from.size(), to);
    return message_of<InputError>([&] { freeze(read_model(text)); });
  };
  EXPECT_THAT(fault_of("length: 2*L + 2*pi*R", "length: 2*L + 1.9*pi*R"), HasSubstr("does not close"));
  EXPECT_THAT(fault_of("elements: 12", "elements: 1"), HasSubstr("a closed cable needs two elements"));
  EXPECT_THAT(fault_of("formulation: ancf_cable", "up: [0, 0, 1]"),
              HasSubstr("bodies[0].closed: belongs to a cable"));
  EXPECT_THAT(fault_of("cable: belt", "cable: bell"), HasSubstr("there is no cable 'bell'"));
  EXPECT_THAT(fault_of("at: left.origin", "at: belt.start"), HasSubstr("is on the cable belt"));
  EXPECT_THAT(fault_of("segments: 2", "segments: 0"), HasSubstr("is not a whole number from 1"));
  EXPECT_THAT(fault_of("bristle_damping: 10000", ""), HasSubstr("bristle_damping, which friction"));
  EXPECT_THAT(fault_of("stiffness: 100000000", "stiffness: -1"), HasSubstr("forces[0].stiffness: -1"));
}

}  // namespace
}  // namespace sestina
