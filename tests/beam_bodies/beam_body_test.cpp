#include "sestina/beam_bodies/beam_body.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "message_of.h"
#include "sestina/dynamics/energy.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"
#include "sestina/workspace/simulator.h"
#include "spatial/difference.h"

namespace sestina {
namespace {

using namespace testing_support;

// Soft as rubber, so that explicit steps are long.
BeamSection rubber_section() {
  BeamSection section = diagonal_section(4e3, 1.5e3, 1.5e3, 2.0, 3.0, 3.0);
  section.mass = 1.0;
  section.inertia = {4e-3, 2e-3, 2e-3, 0.0, 0.0, 0.0};
  return section;
}

BeamMesh straight_mesh(int elements) {
  return make_beam_mesh(straight_frames({0, 0, 0}, {1, 0, 0}, {0, 0, 1}), 1.0, elements, rubber_section());
}

struct Ledger {
  Energy<double> energy;
  Momentum<double> momentum;
  Power<double> power;
};
Ledger ledger_of(const Model& model, const Properties<double>& properties, const State<double>& state) {
  Kinematics<double> kinematics(model);
  AppliedForces<double> forces(model);
  update_kinematics(model, properties, state, kinematics);
  update_applied_forces(model, properties, state, kinematics, forces);
  return {calc_energy(model, properties, state, kinematics, forces), calc_momentum(kinematics),
          calc_power(model, properties, state, kinematics, forces)};
}

SimulatorOptions tolerances(double tolerance) {
  return {.rule = {.name = "dormand_prince_54"},
          .tolerances = ErrorTolerances{.rtol = tolerance, .atol = tolerance}};
}

// Thrown so that it bends by more than a right angle: nothing acts from outside.
TEST(BeamBody, FlyingBeamKeepsEnergyAndMomentum) {
  System system;
  const BeamBody beam = add_beam(system, "noodle", straight_mesh(6));
  system.joint(beam.body(0) + "_free").u = Numbers{0, 0, 0, 0, 4, 1};
  system.joint(beam.body(6) + "_free").u = Numbers{2, 0, 0, 0, -3, 0};
  Simulator simulator(freeze(system), tolerances(1e-9));
  const Ledger start = ledger_of(simulator.model(), simulator.properties(), simulator.state());
  double strain = 0.0;
  for (int k = 0; k < 20; ++k) {
    simulator.step(0.05);
    const Ledger now = ledger_of(simulator.model(), simulator.properties(), simulator.state());
    strain = std::max(strain, now.energy.potential);
    const double total = now.energy.kinetic + now.energy.potential;
    EXPECT_NEAR(total, start.energy.kinetic, 1e-6 * start.energy.kinetic) << k;
    // Forces balance in each element: what is left is round-off of some thousand steps and the tolerance.
    EXPECT_LE(difference(now.momentum.linear, start.momentum.linear), 1e-9);
    EXPECT_LE(difference(now.momentum.angular, start.momentum.angular), 1e-7);
  }
  EXPECT_GE(strain, 0.1 * start.energy.kinetic);
}

// Released from rest beside a clamp: the energy of the weight, of motion and of strain together stay, and
// damping takes what the ledger says.
TEST(BeamBody, DampedCantileverLosesWhatTheLedgerSays) {
  for (double damping : {0.0, 2e-3}) {
    System system;
    system.gravity = {0, 0, -9.81};
    const BeamBody beam = add_beam(system, "boom", straight_mesh(5), damping, 1);
    system.add_joint("clamp", "weld", "ground.origin", beam.point(0));
    Simulator simulator(freeze(system), tolerances(1e-9));
    const auto total = [&simulator] {
      const Ledger now = ledger_of(simulator.model(), simulator.properties(), simulator.state());
      return now.energy.kinetic + now.energy.potential;
    };
    const double start = total();
    double work = 0.0, least_power = 0.0;
    // Simpson's rule over the power.
    const double dt = 2.5e-3;
    std::vector<double> powers;
    for (int k = 0; k <= 80; ++k) {
      if (k > 0) simulator.step(dt);
      powers.push_back(
          ledger_of(simulator.model(), simulator.properties(), simulator.state()).power.supplied);
      least_power = std::min(least_power, powers.back());
    }
    for (std::size_t k = 0; k + 2 < powers.size(); k += 2) {
      work += dt / 3.0 * (powers[k] + 4.0 * powers[k + 1] + powers[k + 2]);
    }
    EXPECT_NEAR(total() - start, work, 2e-4);
    if (damping == 0.0) {
      EXPECT_LE(std::abs(total() - start), 1e-6);
    } else {
      EXPECT_LE(work, -0.01);
      EXPECT_LE(least_power, 0.0);
    }
  }
}

// The first bending frequency of a cantilever, 1.8751^2 sqrt(EI/(m L^4)), by the zeros of its tip after a
// small push.
double measured_period(int elements) {
  System system;
  const BeamBody beam = add_beam(system, "rod", straight_mesh(elements), 0.0, 1);
  system.add_joint("clamp", "weld", "ground.origin", beam.point(0));
  // Speeds of the mode's shape, about: s^2 (6 - 4 s + s^2).
  for (int k = 1; k <= elements; ++k) {
    const double s = static_cast<double>(k) / elements;
    const double w = 1e-4 * s * s * (6.0 - 4.0 * s + s * s),
                 slope = 1e-4 * (12.0 * s - 12.0 * s * s + 4.0 * s * s * s);
    system.joint(beam.body(k) + "_free").u = Numbers{0, -slope, 0, 0, 0, w};
  }
  const auto model = freeze(system);
  Simulator simulator(model, tolerances(1e-8));
  const int tip = model->bodies()[model->body(beam.body(elements))].q_start + 2;
  double previous = 0.0, first = 0.0, last = 0.0;
  int zeros = 0;
  const double dt = 5e-3;
  while (zeros < 4) {
    simulator.step(dt);
    const double z = simulator.state().q[static_cast<std::size_t>(tip)];
    if (previous * z < 0.0) {
      last = simulator.t() - dt * z / (z - previous);
      if (zeros++ == 0) first = last;
    }
    previous = z;
  }
  return 2.0 * (last - first) / (zeros - 1);
}

TEST(BeamBody, VibratesWithTheFrequencyOfTheBeam) {
  // Shear (3/1500) and rotary inertia (2e-3) of this thick rod lower it by about one per cent; nodes of mass
  // raise or lower it with the square of the element's length.
  const double euler = 2.0 * 3.14159265358979 / (1.8751040687 * 1.8751040687 * std::sqrt(3.0));
  EXPECT_NEAR(measured_period(10), euler, 0.03 * euler);
}

// A rigid body hangs on the tip, and a joint closes the loop to the ground: sections are bodies like others.
TEST(BeamBody, JointsAttachSectionsAndCloseLoops) {
  System system;
  system.gravity = {0, 0, -9.81};
  const BeamBody beam = add_beam(system, "boom", straight_mesh(4), 1e-3, 1);
  system.add_joint("clamp", "weld", "ground.origin", beam.point(0));
  system.add_body("load", 0.5).inertia = {1e-3, 1e-3, 1e-3};
  JointSpec& hinge = system.add_joint("hinge", "revolute", beam.point(4), "load.origin");
  hinge.axis = Triple{0, 1, 0};
  system.add_ground_point("support", {1, 0, 0});
  JointSpec& slide = system.add_joint("slide", "planar", "ground.support", beam.point(4));
  slide.cut = true;
  Simulator simulator(freeze(system), tolerances(1e-8));
  simulator.step(0.2);
  const auto& model = simulator.model();
  const auto q = static_cast<std::size_t>(model.bodies()[model.body(beam.body(4))].q_start);
  EXPECT_NEAR(simulator.state().q[q + 2], 0.0, 1e-9);  // the tip stays in the plane z = 0
  const auto middle = static_cast<std::size_t>(model.bodies()[model.body(beam.body(2))].q_start);
  EXPECT_LE(simulator.state().q[middle + 2], -1e-3);  // and the middle sags
}

TEST(BeamBody, RefusesASectionWithoutMass) {
  System system;
  const BeamMesh mesh = make_beam_mesh(straight_frames({0, 0, 0}, {1, 0, 0}, {0, 0, 1}), 1.0, 2,
                                       diagonal_section(1, 1, 1, 1, 1, 1));
  EXPECT_NE(message_of([&] { add_beam(system, "boom", mesh); }).find("boom: its section has no mass"),
            std::string::npos);
  EXPECT_TRUE(system.bodies.empty());
  EXPECT_NE(message_of([&] { add_beam(system, "boom", straight_mesh(2), -1.0); }).find("-1 is negative"),
            std::string::npos);
}

}  // namespace
}  // namespace sestina
