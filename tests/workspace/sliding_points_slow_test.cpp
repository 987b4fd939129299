// Points that slide along beams and cables: against closed forms, rigid curves and the series of a moving
// load.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sestina/io/model_file.h"
#include "sestina/io/model_writer.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing::HasSubstr;

// The largest value of a column, or of its magnitude.
double largest(const RunResult& run, const std::string& column) {
  double most = 0.0;
  for (std::size_t i = 0; i < run.table.rows(); ++i) most = std::max(most, std::abs(run.at(i, column)));
  return most;
}

// A bead on a line of length 2.5 m and slope 3/4, s = 0.5 m at first, held at both ends.
System bead_on_a_stiff_line(const std::string& line, const std::string& more) {
  return read_model(fmt::format(R"(
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
  - {{name: place, type: xyz, parent: ground.origin, child: bead.origin, q: [0.4, 0, -0.3]}}
constraints: [{{name: slide, type: point_on_beam, point: bead.origin, beam: line}}]
{})",
                                line, more));
}
constexpr const char* kStiffBeam =
    "    section: {EA: 1.0e9, EIy: 1.0e8, EIz: 1.0e8, GJ: 1.0e8, mass: 1.0e-2}";
constexpr const char* kTautCable = R"(    formulation: ancf_cable
    section: {EA: 1.0e9, EI: 1.0e8, mass: 1.0e-2})";

// s = s_0 + g sin(a) t^2/2 over two elements; the force is m g cos(a), upwards across the line.
TEST(SlidingPoints, BeadSlidesDownAStiffLineAsOnAnInclinedPlane) {
  for (const char* line : {kStiffBeam, kTautCable}) {
    const RunResult run = run_system(bead_on_a_stiff_line(
        line, "analysis: {duration: 0.6, step: {driver: fixed, dt: 2.0e-3}}\noutput: {every: 0.05}\n"));
    for (std::size_t i = 0; i < run.table.rows(); ++i) {
      const double t = run.at(i, "t");
      EXPECT_NEAR(run.at(i, "slide.s"), 0.5 + 0.5 * 9.81 * 0.6 * t * t, 2e-7) << line << t;
    }
    EXPECT_GT(run.end("slide.s"), 2.5 / 3 + 0.5);  // in another element
    const bool is_beam = line == kStiffBeam;       // whose `up` is in the plane; that of the cable is across
    EXPECT_NEAR(run.end(is_beam ? "slide.force[0]" : "slide.force[1]"), 0.0, 1e-6);
    EXPECT_NEAR(std::abs(run.end(is_beam ? "slide.force[1]" : "slide.force[0]")), 2 * 9.81 * 0.8, 1e-3);
    EXPECT_LE(std::max(largest(run, "slide.error[0]"), largest(run, "slide.error[1]")), 1e-8);
  }
}

TEST(SlidingPoints, LeavingAnEndEndsTheRunAndNamesIt) {
  System system = bead_on_a_stiff_line(
      kStiffBeam, "analysis: {duration: 2, step: {driver: fixed, dt: 5.0e-3}}\noutput: {every: 0.1}\n");
  const RunResult run = run_anyhow(system);
  EXPECT_EQ(run.report.status, RunStatus::kFailed);
  EXPECT_THAT(run.report.failure, HasSubstr("slide: the point leaves line, which ends at s = 2.5 m"));
  EXPECT_GT(run.end("slide.s"), 2.0);
  EXPECT_THAT(write_model(system), HasSubstr("type: point_on_beam, point: bead.origin, beam: line"));
}

// A slack rope between two hooks, along which a bead rolls to and fro.
System bead_on_a_rope(const std::string& more) {
  return read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {{points: {{other: [2, 0, 0]}}}}
parameters: {{R: 1.2}}
bodies:
  - name: rope
    type: beam
    formulation: ancf_cable
    centerline:
      curve: ['R*sin((s - 1.1)/R) + 1', 0, 'R*cos(1.1/R) - R*cos((s - 1.1)/R)']
      length: 2.2
    elements: 6
    section: {{EA: 300, EI: 0.1, mass: 0.5}}
  - {{name: bead, type: particle, mass: 1}}
joints:
  - {{name: left, type: spherical, parent: ground.origin, child: rope.start}}
  - {{name: right, type: spherical, parent: ground.other, child: rope.end}}
  - {{name: place, type: xyz, parent: ground.origin, child: bead.origin, q: [0.4, 0, -0.4]}}
constraints: [{{name: slide, type: point_on_beam, point: bead.origin, beam: rope}}]
{})",
                                more));
}

TEST(SlidingPoints, BeadOnASaggingRopeKeepsEnergy) {
  for (const char* coordinates : {"relative", "cartesian"}) {
    const RunResult run = run_system(bead_on_a_rope(
        fmt::format("analysis: {{coordinates: {}, duration: 0.6, step: {{rtol: 1.0e-6, atol: 1.0e-8}}}}\n"
                    "output: {{every: 0.02}}\n",
                    coordinates)));
    double least = 3.0, most = 0.0, drift = 0.0;
    for (std::size_t i = 0; i < run.table.rows(); ++i) {
      least = std::min(least, run.at(i, "slide.s")), most = std::max(most, run.at(i, "slide.s"));
      drift = std::max(drift, std::abs(run.at(i, "energy.total") - run.at(0, "energy.total")));
    }
    EXPECT_GT(most - least, 0.4) << coordinates;  // more than an element
    EXPECT_LE(drift, 2e-4) << coordinates;
    EXPECT_LE(std::max(largest(run, "slide.error[0]"), largest(run, "slide.error[1]")), 1e-8);
  }
}

// An arc of a stiff curved beam is the rigid circle, on which point_on_curve holds the bead.
TEST(SlidingPoints, StiffCurvedBeamIsARigidCurve) {
  const std::string curve = R"(['2*sin((s - 1.5)/2)', 0, '-2*cos((s - 1.5)/2)'])";
  const std::string bead = R"(
  - {name: bead, type: particle, mass: 1}
)";
  const std::string joint =
      "  - {name: place, type: xyz, parent: ground.origin, child: bead.origin, "
      "q: [-1, 0, -1.7320508075688772]}\n";
  const std::string rest =
      "analysis: {duration: 1.5, step: {driver: fixed, dt: 5.0e-3}, "
      "integrator: radau_iia}\noutput: {every: 0.1}\n";
  const RunResult rigid =
      run_system(read_model("sestina: 1\ngravity: [0, 0, -9.81]\nbodies:" + bead + "joints:\n" + joint +
                            "constraints: [{name: slide, type: point_on_curve, point: bead.origin, curve: "
                            "ground.origin, position: " +
                            curve + ", start: 0.5}]\n" + rest));
  double before = 0.0;
  for (const int elements : {4, 8}) {
    const RunResult run = run_system(read_model(
        "sestina: 1\ngravity: [0, 0, -9.81]\nground: {points: {left: {position: "
        "['2*sin(-0.75)', 0, '-2*cos(0.75)'], axes: {rpy: [0, 0.75, 0]}}}}\nbodies:\n  - name: arc\n"
        "    type: beam\n    centerline: {curve: " +
        curve + ", length: 3}\n" + fmt::format("    elements: {}\n", elements) +
        "    section: {EA: 1.0e10, EIy: 1.0e9, EIz: 1.0e9, GJ: 1.0e9, mass: 1}" + bead + "joints:\n" +
        "  - {name: clamp, type: weld, parent: ground.left, child: arc.start}\n" + joint +
        "constraints: [{name: slide, type: point_on_beam, point: bead.origin, beam: arc}]\n" + rest));
    double error = 0.0;
    for (std::size_t i = 0; i < run.table.rows(); ++i) {
      error = std::max(error, std::abs(run.at(i, "slide.s") - rigid.at(i, "slide.s")));
    }
    EXPECT_LE(error, elements == 4 ? 5e-4 : 4e-5);
    if (before > 0.0) {
      EXPECT_LE(error, before / 6);
    }
    before = error;
  }
  EXPECT_GT(largest(rigid, "slide.s"), 2.0);
}

// A force P that moves with speed c along a simply supported beam (Fryba, Vibration of Solids and Structures
// under Moving Loads, 1972). With w_n = (n pi/L)^2 sqrt(EI/m) and a = pi c/(L w_1):
//   w(x, t) = 2 P L^3/(pi^4 EI) sum of (sin(n pi c t/L) - a/n sin(w_n t)) sin(n pi x/L)/(n^2 (n^2 - a^2))
double moving_load(double x, double t, double P, double L, double EI, double m, double c) {
  const double pi = std::numbers::pi, first = pi * pi / (L * L) * std::sqrt(EI / m), a = pi * c / (L * first);
  double sum = 0.0;
  for (int n = 1; n < 40; ++n) {
    const double shape = std::sin(n * pi * c * t / L) - a / n * std::sin(n * n * first * t);
    sum += shape * std::sin(n * pi * x / L) / (n * n * (n * n - a * a));
  }
  return 2 * P * L * L * L / (std::pow(pi, 4) * EI) * sum;
}

TEST(SlidingPoints, MovingLoadBendsABeamAsTheSeriesTells) {
  for (const int elements : {8, 16}) {
    const RunResult run = run_system(read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: bridge
    type: beam
    centerline: {{from: [0, 0, 0], to: [4, 0, 0]}}
    elements: {}
    section: {{EA: 1.0e8, EIy: 1.0e4, EIz: 1.0e4, GJ: 1.0e4, mass: 10}}
    points: {{mid: {{at: 0.5}}}}
  - {{name: load, type: particle, mass: 1.0e-5}}
joints:
  - {{name: left, type: spherical, parent: ground.origin, child: bridge.start}}
  - {{name: place, type: xyz, parent: ground.origin, child: load.origin}}
constraints:
  - {{name: right, type: point_on_line, point: bridge.end, line: ground.origin, axis: [1, 0, 0]}}
  - {{name: drive, type: coupling, coefficients: {{"place.q[0]": 1}}, value: 12*t}}
  - {{name: slide, type: point_on_beam, point: load.origin, beam: bridge}}
forces: [{{name: weight, type: point_force, at: load.origin, value: [0, 0, -30]}}]
analysis: {{duration: 0.32, step: {{driver: fixed, dt: 1.0e-3}}}}
output: {{every: 0.02}}
)",
                                                            elements)));
    const double still = 30.0 * 64 / (48 * 1e4);
    double error = 0.0;
    for (std::size_t i = 0; i < run.table.rows(); ++i) {
      const double w = moving_load(2.0, run.at(i, "t"), -30, 4, 1e4, 10, 12);
      error = std::max(error, std::abs(run.at(i, "bridge.mid.z") - w) / still);
    }
    EXPECT_NEAR(run.end("slide.s"), 12 * 0.32, 1e-4);
    EXPECT_LE(error, elements == 8 ? 3.5e-3 : 6e-4);       // as the first frequency, docs/beams.md
    EXPECT_GE(largest(run, "bridge.mid.z"), 1.2 * still);  // dynamic
  }
}

}  // namespace
}  // namespace sestina
