// Forces along a beam on points that slide on it: closed forms of a bead on an inclined line, and balances.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sestina/io/model_file.h"
#include "sestina/io/model_writer.h"
#include "workspace/flexible_motion.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;

constexpr double kWeight = 2 * 9.81, kAlong = 0.6 * kWeight, kAcross = 0.8 * kWeight;  // N

// A bead of 2 kg on a stiff line of length 2.5 m and slope 3/4, s = 0.5 m at first, held at both ends.
System bead_with(const std::string& force, double speed, const std::string& analysis,
                 const std::string& formulation = "") {
  return read_model(fmt::format(
      R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {{points: {{low: [2, 0, -1.5]}}}}
bodies:
  - name: line
    type: beam
    centerline: {{from: [0, 0, 0], to: [2, 0, -1.5]}}
    elements: 3
{}
  - {{name: bead, type: particle, mass: 2}}
joints:
  - {{name: high_end, type: spherical, parent: ground.origin, child: line.start}}
  - {{name: low_end, type: spherical, parent: ground.low, child: line.end}}
  - {{name: place, type: xyz, parent: ground.origin, child: bead.origin, q: [0.4, 0, -0.3], u: [{}, 0, {}]}}
constraints: [{{name: slide, type: point_on_beam, point: bead.origin, beam: line}}]
forces: [{{name: rub, type: sliding_force, constraint: slide, {}}}]
analysis: {}
)",
      formulation.empty() ? "    section: {EA: 1.0e9, EIy: 1.0e8, EIz: 1.0e8, GJ: 1.0e8, mass: 1.0e-2}"
                          : formulation,
      0.8 * speed, -0.6 * speed, force, analysis));
}
constexpr const char* kCableOfBead = R"(    formulation: ancf_cable
    section: {EA: 1.0e9, EI: 1.0e8, mass: 1.0e-2})";
constexpr const char* kShortRun = "{duration: 0.4, step: {driver: fixed, dt: 4.0e-3}}";

// a = g (sin - mu cos), with the friction mu times the force across the line.
TEST(SlidingForce, DryFrictionSlowsTheBeadOnAnInclinedPlane) {
  const double mu = 0.25, a = 9.81 * (0.6 - mu * 0.8);
  for (const char* line : {"", kCableOfBead}) {
    const RunResult run = run_system(
        bead_with(fmt::format("friction: {}, creep_speed: 1.0e-3", mu * kAcross), 0.5, kShortRun, line));
    for (std::size_t i = 0; i < run.table.rows(); ++i) {
      const double t = run.at(i, "t");
      EXPECT_NEAR(run.at(i, "slide.s"), 0.5 + 0.5 * t + 0.5 * a * t * t, 1e-6) << line << t;
      EXPECT_NEAR(run.at(i, "rub.speed"), 0.5 + a * t, 1e-5) << line << t;
      EXPECT_NEAR(run.at(i, "rub.force"), -mu * kAcross, 1e-9) << line << t;
    }
    const double way = 0.5 * 0.4 + 0.5 * a * 0.16;
    EXPECT_NEAR(run.end("energy.dissipated"), mu * kAcross * way, 1e-4);
    EXPECT_NEAR(run.end("energy.total") + run.end("energy.dissipated"), run.at(0, "energy.total"), 1e-4);
    EXPECT_GT(run.end("slide.s"), 2.5 / 3 + 0.1);  // in another element
  }
}

// friction tanh(w/creep_speed) = m g sin: where friction is larger than the weight along the line it creeps.
TEST(SlidingForce, FrictionThatCarriesTheWeightLetsTheBeadCreep) {
  const double friction = 1.5 * kAlong, creep = 0.01, speed = creep * std::atanh(1 / 1.5);
  const RunResult run =
      run_system(bead_with(fmt::format("friction: {}, creep_speed: {}", friction, creep), speed, kShortRun));
  EXPECT_NEAR(run.end("rub.speed"), speed, 1e-6);
  EXPECT_NEAR(run.end("slide.s"), 0.5 + 0.4 * speed, 1e-6);
}

// w = w_end (1 - exp(-c t/m)), w_end = m g sin/c.
TEST(SlidingForce, DampingLeadsToTheTerminalSpeed) {
  const double c = 30.0, end = kAlong / c;
  const RunResult run = run_system(bead_with(fmt::format("damping: {}", c), 0.0, kShortRun));
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(run.at(i, "rub.speed"), end * (1 - std::exp(-c * t / 2)), 2e-5) << t;
  }
  EXPECT_NEAR(run.end("rub.speed"), end, 3e-3 * end);
}

// The drive pulls uphill with twice the weight along the line, as a function of time; its work is supplied.
TEST(SlidingForce, GivenForceActsAlongTheLine) {
  const RunResult run = run_system(bead_with(fmt::format("value: \"-{}*t\"", 10 * kAlong), 0.0, kShortRun));
  const double t = 0.4, g = 9.81 * 0.6;
  EXPECT_NEAR(run.end("slide.s"), 0.5 + g * (t * t / 2 - 10 * t * t * t / 6), 1e-5);
  EXPECT_NEAR(run.end("rub.force"), -10 * kAlong * t, 1e-9);
  EXPECT_NEAR(run.end("energy.total") - run.end("energy.supplied"), run.at(0, "energy.total"), 1e-4);
  EXPECT_GT(std::abs(run.end("energy.supplied")), 1.0);
}

TEST(SlidingForce, StopsHoldTheBead) {
  const std::string stop = "lower: 0.2, upper: 0.9, stop_stiffness: 2.0e4, stop_damping: 300";
  const RunResult rest = run_system(bead_with(stop, 0.0, "{type: statics}"));
  EXPECT_NEAR(rest.end("slide.s"), 0.9 + kAlong / 2e4, 1e-6);
  EXPECT_NEAR(rest.end("rub.force"), -kAlong, 1e-4);
  const RunResult run =
      run_system(bead_with(stop, -2.0, "{duration: 1.2, step: {driver: fixed, dt: 5.0e-4}}"));
  double least = 1.0, most = 0.0;
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    least = std::min(least, run.at(i, "slide.s")), most = std::max(most, run.at(i, "slide.s"));
  }
  EXPECT_LT(least, 0.2);  // both stops were reached
  EXPECT_GT(least, 0.17);
  EXPECT_GT(most, 0.9);
  EXPECT_LT(most, 0.93);
  EXPECT_NEAR(run.end("energy.total") + run.end("energy.dissipated"), run.at(0, "energy.total"), 2e-3);
  EXPECT_GT(run.end("energy.dissipated"), 1.0);
}

// A free rod and a bead on it: the forces are internal.
TEST(SlidingForce, KeepsBothMomentaOfAFreeBeam) {
  for (const char* section :
       {"    section: {EA: 4.0e3, GAy: 1.5e3, GAz: 1.5e3, GJ: 2, EIy: 3, EIz: 3, mass: 1}",
        "    formulation: ancf_cable\n    section: {EA: 4.0e3, EI: 3, mass: 1}"}) {
    const System system = read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: rod
    type: beam
    centerline: {{from: [0, 0, 0], to: [1, 0, 0]}}
    angular_velocity: [0, 0, 0.8]
    elements: 4
{}
  - {{name: bead, mass: 0.5, inertia: {{xx: 1.0e-3, yy: 1.0e-3, zz: 1.0e-3}}, points: {{eye: [0, 0, 0.05]}}}}
joints:
  - {{name: place, type: free, parent: ground.origin, child: bead.origin, q: [0.3, 0, -0.05, 1, 0, 0, 0],
     u: [0, 0, 0, 1.5, 0.24, 0]}}
constraints: [{{name: slide, type: point_on_beam, point: bead.eye, beam: rod}}]
forces:
  - {{name: rub, type: sliding_force, constraint: slide, value: '0.4*cos(9*t)', damping: 0.3, friction: 0.4,
     creep_speed: 0.05, lower: 0.1, upper: 0.6, stop_stiffness: 200, stop_damping: 1}}
analysis: {{duration: 0.5, integrator: radau_iia, step: {{rtol: 1.0e-7, atol: 1.0e-9}}}}
output: {{every: 0.05}}
)",
                                                 section));
    const RunResult run = run_system(system);
    for (const char* column : {"momentum.x", "momentum.y", "momentum.z", "angular_momentum.x",
                               "angular_momentum.y", "angular_momentum.z"}) {
      EXPECT_NEAR(run.end(column), run.at(0, column), 2e-6) << column << section;
    }
    const auto balance = [&](std::size_t i) {
      return run.at(i, "energy.total") - run.at(i, "energy.supplied") + run.at(i, "energy.dissipated");
    };
    EXPECT_NEAR(balance(run.table.rows() - 1), balance(0), 1e-4) << section;
    EXPECT_GT(run.end("energy.dissipated"), 0.05);
    EXPECT_GT(run.end("slide.s"), 0.6);  // at the stop
    EXPECT_TRUE(compare_in_every_formulation(system).agrees()) << section;
  }
}

TEST(SlidingForce, IsWrittenAsItIsRead) {
  const System system = bead_with("value: 3, damping: 2, friction: 1, creep_speed: 0.1", 0.0, kShortRun);
  const std::string text = write_model(system);
  EXPECT_THAT(text,
              AllOf(HasSubstr("type: sliding_force"), HasSubstr("constraint: slide"), HasSubstr("value: 3")));
  EXPECT_EQ(write_model(read_model(text)), text);
}

}  // namespace
}  // namespace sestina
