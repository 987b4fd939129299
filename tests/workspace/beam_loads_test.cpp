// Loads along the length of beams and cables, and their motion at the start: against closed forms, the
// elastica and momenta.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sestina/io/model_file.h"
#include "sestina/io/model_writer.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kBeam = "    section: {EA: 1.0e8, EIy: 1, EIz: 1, GJ: 1, mass: 1}\n";
constexpr const char* kCable = "    formulation: ancf_cable\n    section: {EA: 1.0e6, EI: 1, mass: 1}\n";

// Length 1, EI = 1, clamped at its start.
System loaded_cantilever(const char* line, int elements, const std::string& load,
                         const std::string& analysis = "analysis: {type: statics}\n") {
  return read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: boom
    type: beam
    centerline: {{from: [0, 0, 0], to: [1, 0, 0]}}
    elements: {}
{}
joints: [{{name: clamp, type: weld, parent: ground.origin, child: boom.start}}]
forces: [{{name: load, type: line_force, beam: boom, {}}}]
{})",
                                elements, line, load, analysis));
}

// q L^4/(8 EI), and 13 q L^4/(180 EI) for q x^2/L^2; deflections of 1e-5 are small to 1e-9.
TEST(LineForces, SmallDeflectionsAreThoseOfTheory) {
  for (const char* line : {kBeam, kCable}) {
    const RunResult uniform = run_system(loaded_cantilever(line, 4, "value: [0, 0, -8.0e-5]"));
    EXPECT_NEAR(uniform.end("boom.end.z"), -1e-5, 1e-12) << line;
    const RunResult growing = run_system(loaded_cantilever(line, 4, "value: [0, 1.8e-4*at^2, 0]"));
    EXPECT_NEAR(growing.end("boom.end.y"), 1.3e-5, 1e-12) << line;
  }
}

struct Tip {
  double x, y, angle;
};
// The inextensible elastica from its free tip with the angle given to its root, under the load per length q
// across, dead (along y) or following: theta' = M/EI, F' = -f, M' = -(t x F)_z; Runge and Kutta, 4000 steps.
// Returns the tip seen from the root.
Tip integrate_elastica(double q, double tip_angle, bool follows) {
  struct State {
    double x, y, angle, M, Fx, Fy;
  };
  const auto rate = [&](const State& at) {  // by the distance from the tip
    const double c = std::cos(at.angle), s = std::sin(at.angle);
    const double fx = follows ? -q * s : 0.0, fy = follows ? q * c : q;
    return State{-c, -s, -at.M, c * at.Fy - s * at.Fx, fx, fy};
  };
  const auto moved = [](const State& a, const State& by, double h) {
    return State{a.x + h * by.x, a.y + h * by.y,   a.angle + h * by.angle,
                 a.M + h * by.M, a.Fx + h * by.Fx, a.Fy + h * by.Fy};
  };
  State at{0, 0, tip_angle, 0, 0, 0};
  constexpr int kSteps = 4000;
  for (int i = 0; i < kSteps; ++i) {
    const double h = 1.0 / kSteps;
    const State k1 = rate(at), k2 = rate(moved(at, k1, h / 2)), k3 = rate(moved(at, k2, h / 2)),
                k4 = rate(moved(at, k3, h));
    at = moved(moved(moved(moved(at, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
  }
  return {-at.x, -at.y, at.angle};
}

// The root's angle vanishes: a following load turns with the whole elastica, a dead one is shot.
Tip elastica(double q, bool follows) {
  if (follows) {
    const Tip tip = integrate_elastica(q, 0.0, true);
    const double c = std::cos(tip.angle), s = std::sin(tip.angle);
    return {c * tip.x + s * tip.y, c * tip.y - s * tip.x, 0.0};
  }
  double low = 0.0, high = 1.57;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (integrate_elastica(q, middle, false).angle > 0.0 ? high : low) = middle;
  }
  return integrate_elastica(q, low, false);
}

TEST(LineForces, LargeDeflectionsConvergeToTheElastica) {
  struct Case {
    const char *line, *load;
    bool follows;
    double order;
  };
  for (const Case& of :
       {Case{kBeam, "value: [0, 10, 0]", false, 4.0}, Case{kCable, "value: [0, 10, 0]", false, 3.0},
        Case{kBeam, "value: [0, 10, 0], axes: section", true, 4.0}}) {
    const Tip tip = elastica(10.0, of.follows);
    double before = 0.0;
    for (const int elements : {8, 16}) {
      const RunResult run = run_system(loaded_cantilever(of.line, elements, of.load));
      const double error = std::hypot(run.end("boom.end.x") - tip.x, run.end("boom.end.y") - tip.y);
      EXPECT_LE(error, elements == 8 ? 1e-4 : 1e-5) << of.line << of.load;
      if (before > 0.0) {
        EXPECT_GE(std::log2(before / error), of.order - 0.4) << of.line << of.load;
      }
      before = error;
    }
    EXPECT_GT(tip.y, 0.5);
  }
}

// A load over time and place, in both kinds of axes.
TEST(LineForces, LedgerOfEnergyCloses) {
  const std::string analysis =
      "analysis: {duration: 0.5, step: {rtol: 1.0e-7, atol: 1.0e-9}}\noutput: {every: 0.05}\n";
  const char* beam =
      "    section: {EA: 4.0e3, EIy: 3, EIz: 3, GJ: 2, mass: 1}\n    material: {damping: 1.0e-3}\n";
  const char* cable =
      "    formulation: ancf_cable\n    section: {EA: 4.0e3, EI: 3, mass: 1}\n    material: {damping: "
      "1.0e-3}\n";
  const std::string value = "value: ['3*at', '20*sin(8*t)*(1 - at)', 5]";
  for (const auto& [line, load] :
       {std::pair{beam, value}, std::pair{beam, value + ", axes: section"}, std::pair{cable, value}}) {
    const RunResult run = run_system(loaded_cantilever(line, 4, load, analysis));
    const std::size_t last = run.table.rows() - 1;
    EXPECT_GE(std::abs(run.end("energy.supplied")), 0.1) << line << load;
    EXPECT_GE(run.end("energy.dissipated"), 1e-4) << line << load;
    EXPECT_NEAR(
        run.at(last, "energy.total") - run.at(last, "energy.supplied") + run.at(last, "energy.dissipated"),
        run.at(0, "energy.total"), 5e-6)
        << line << load;
  }
}

TEST(LineForces, ModelFileKeepsThem) {
  const std::string text = write_model(loaded_cantilever(kBeam, 4, "value: [0, at, t], axes: section"));
  EXPECT_THAT(text, AllOf(HasSubstr("line_force"), HasSubstr("beam: boom"), HasSubstr("axes: section")));
  EXPECT_EQ(write_model(read_model(text)), text);
}

// A free line of length 1 and mass 1 kg along x, whose start moves with (0, 1, 0) m/s while it turns by 2
// rad/s about z: its middle has 2 m/s. About the origin, the integral of x (1 + 2 x) is 7/6.
TEST(BeamStarts, FreeLineSpinsAsGiven) {
  for (const char* line : {kBeam, kCable}) {
    const System system = read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: rod
    type: beam
    centerline: {{from: [0, 0, 0], to: [1, 0, 0]}}
    elements: 4
    velocity: [0, 1, 0]
    angular_velocity: [0, 0, 2]
{}
analysis: {{duration: 0.2, step: {{driver: fixed, dt: 2.0e-3}}}}
output: {{every: 0.1}}
)",
                                                 line));
    const RunResult run = run_system(system);
    for (const std::size_t row : {std::size_t{0}, run.table.rows() - 1}) {
      EXPECT_NEAR(run.at(row, "momentum.x"), 0.0, 1e-6) << line;
      EXPECT_NEAR(run.at(row, "momentum.y"), 2.0, 1e-6) << line;
      EXPECT_NEAR(run.at(row, "angular_momentum.z"), 7.0 / 6, 1e-5) << line;
    }
    EXPECT_NEAR(run.end("rod.end.y"), 2 * 0.2 + 0.5 * std::sin(0.4), 1e-6) << line;
    const std::string text = write_model(system);
    EXPECT_THAT(text, AllOf(HasSubstr("velocity: [0, 1, 0]"), HasSubstr("angular_velocity: [0, 0, 2]")));
    EXPECT_EQ(write_model(read_model(text)), text);
  }
}

// On a hinge at its start the beam turns as given; a hinge that is given a speed of its own has its way.
TEST(BeamStarts, HingeTurnsWithTheBeam) {
  const auto speed_of = [](const std::string& u) {
    const RunResult run = run_system(read_model(R"(
sestina: 1
bodies:
  - name: rod
    type: beam
    centerline: {from: [0, 0, 0], to: [1, 0, 0]}
    elements: 4
    angular_velocity: [0, 0, 2]
    section: {EA: 1.0e4, EIy: 10, EIz: 10, GJ: 10, mass: 1}
joints: [{name: hinge, type: revolute, parent: ground.origin, child: rod.start, axis: [0, 0, 1])" +
                                                u +
                                                R"(}]
analysis: {duration: 0.01}
)"));
    return run.at(0, "hinge.u");
  };
  EXPECT_NEAR(speed_of(""), 2.0, 1e-9);
  EXPECT_NEAR(speed_of(", u: 3"), 3.0, 1e-9);
}

}  // namespace
}  // namespace sestina
