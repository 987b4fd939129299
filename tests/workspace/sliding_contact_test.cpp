// Contacts that slide, stick and turn, against the differential equations of the mechanism that they leave.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sestina/io/model_file.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;

constexpr double kG = 9.81;

// A ladder of 2 L = 2 m on a floor and a wall. Its ends are spheres of radius r, at the angle a from the
// vertical and sliding away from the wall.
struct Ladder {
  static constexpr double m = 5.0, L = 1.0, r = 0.02, inertia = 5.0 / 3.0, mu = 0.3;

  // {a'', the force of the floor, that of the wall} by the equations of Newton and Euler.
  static Eigen::Vector3d solve(double a, double rate) {
    const double s = std::sin(a), c = std::cos(a);
    const Eigen::Matrix3d equations{{m * L * c, mu, -1.0},
                                    {-m * L * s, -1.0, -mu},
                                    {inertia, -L * s + mu * (L * c + r), L * c + mu * (L * s + r)}};
    return equations.lu().solve(
        Eigen::Vector3d(m * L * s * rate * rate, m * L * c * rate * rate - m * kG, 0.0));
  }
  // The angle at t, for a motion from rest, by the classical Runge-Kutta rule.
  static double angle_at(double t, double a) {
    const int steps = 200;
    const double h = t / steps;
    Eigen::Vector2d y(a, 0.0);
    const auto rate = [](const Eigen::Vector2d& at) {
      return Eigen::Vector2d(at[1], solve(at[0], at[1])[0]);
    };
    for (int i = 0; i < steps; ++i) {
      const Eigen::Vector2d k1 = rate(y), k2 = rate(y + 0.5 * h * k1), k3 = rate(y + 0.5 * h * k2),
                            k4 = rate(y + h * k3);
      y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return y[0];
  }

  static System system(double a, const std::string& step) {
    return read_model(fmt::format(
        R"(
sestina: 1
gravity: [0, 0, -9.81]
ground:
  points: {{xz: {{axes: {{matrix: [[1, 0, 0], [0, 0, -1], [0, 1, 0]]}}}}}}
  shapes: [{{name: floor, type: plane}}, {{name: wall, type: plane, axes: {{axis: [0, 1, 0], angle: pi/2}}}}]
bodies:
  - name: ladder
    mass: 5
    inertia: {{xx: 5/3, yy: 5/3, zz: 0.001}}
    points: {{xz: {{axes: {{matrix: [[1, 0, 0], [0, 0, -1], [0, 1, 0]]}}}}}}
    shapes:
      - {{name: foot, type: sphere, radius: 0.02, position: [0, 0, -1]}}
      - {{name: top, type: sphere, radius: 0.02, position: [0, 0, 1]}}
joints:
  - {{name: slide, type: planar, parent: ground.xz, child: ladder.xz, q: [0.02 + sin({0}), 0.02 + cos({0}), {0}]}}
contacts:
  - {{name: below, between: [foot, floor], friction: 0.3}}
  - {{name: beside, between: [top, wall], friction: 0.3}}
analysis: {{duration: 0.8, integrator: moreau, step: {1}}}
output: {{every: 0.1}}
)",
        a, step));
  }
};

// The free motion of the ladder would leave the wall; the force of the floor holds it there.
TEST(SlidingContact, LadderSlidesDownAWall) {
  constexpr double kStart = 0.64;
  const RunResult run = run_system(Ladder::system(kStart, "{rtol: 1.0e-9, atol: 1.0e-11}"));
  for (std::size_t row = 1; row < run.table.rows(); ++row) {
    const double a = run.at(row, "slide.q[2]"), rate = run.at(row, "slide.u[2]");
    EXPECT_NEAR(a, Ladder::angle_at(run.at(row, "t"), kStart), 1e-7);
    const Eigen::Vector3d expected = Ladder::solve(a, rate);
    EXPECT_NEAR(run.at(row, "below.normal_force"), expected[1], 1e-5);
    EXPECT_NEAR(run.at(row, "beside.normal_force"), expected[2], 1e-5);
    EXPECT_GT(expected[2], 1.0);
  }
  EXPECT_GT(run.end("slide.q[2]"), kStart + 0.1);
  EXPECT_LT(run.report.steps.steps, 200);
  for (const double dt : {1e-2, 5e-3}) {
    const RunResult fixed = run_system(Ladder::system(kStart, fmt::format("{{driver: fixed, dt: {}}}", dt)));
    // The error is that of the first step, in which it begins to slide.
    EXPECT_LT(fixed.report.energy_drift, 50 * dt * dt * dt);
  }
}

// A mass on a floor and a spring: with mu m g/k = 0.03924 m and the period 2 pi sqrt(m/k).
System oscillator(double start, const std::string& pendulum, const std::string& step,
                  const std::string& speed = "") {
  return read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground:
  points: {{wall: [-1, 0, 0.05]}}
  shapes: [{{name: floor, type: plane}}]
bodies:
  - {{name: mass, mass: 2, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}},
     shapes: [{{name: skin, type: sphere, radius: 0.05}}]}}
  - {{name: bob, mass: 1, center_of_mass: [0, 0, -0.4], inertia: {{xx: 0.02, yy: 0.02, zz: 0.02}}}}
joints:
  - {{name: fly, type: xyz, parent: ground.origin, child: mass.origin, q: [{}, 0, 0.05]{}}}
  - {{name: swing, type: revolute, parent: ground.wall, child: bob.origin, axis: [0, 1, 0]{}}}
forces:
  - {{name: spring, type: spring_damper, from: ground.wall, to: mass.origin, stiffness: 100, free_length: 1}}
contacts: [{{name: touch, between: [skin, floor], friction: 0.2}}]
analysis: {{duration: 5, integrator: moreau, step: {}}}
output: {{every: 0.25}}
)",
                                start, speed, pendulum, step));
}

// Friction holds the mass, at rest and beside a pendulum that moves.
TEST(SlidingContact, FrictionHoldsAMassAgainstASpringWithoutCreep) {
  for (const char* const pendulum : {"", ", q: 1"}) {
    for (const char* const step : {"{rtol: 1.0e-6}", "{driver: fixed, dt: 0.01}"}) {
      const RunResult run = run_system(oscillator(0.03, pendulum, step));
      for (std::size_t row = 0; row < run.table.rows(); ++row) {
        EXPECT_NEAR(run.at(row, "fly.q[0]"), 0.03, 1e-16) << pendulum << step;
        EXPECT_NEAR(run.at(row, "touch.friction_force"), 3.0, 1e-9);
      }
      EXPECT_EQ(run.end("touch.slip"), 0.0);
      if (*pendulum == 0) EXPECT_LT(run.report.steps.steps, 600);
    }
  }
}

// The oscillator's place: half waves about +-f with f = mu m g/k, whose ends come closer by 2 f each, until
// friction holds the mass.
double place_of_oscillator(double start, double t) {
  const double f = 0.2 * 2 * kG / 100, omega = std::sqrt(100.0 / 2);
  double end = start, side = 1.0;
  for (; end > f && t > M_PI / omega; t -= M_PI / omega, end -= 2 * f) side = -side;
  return side * (end > f ? f + (end - f) * std::cos(omega * t) : end);
}

double largest_error(const RunResult& run) {
  double largest = 0.0;
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double expected = place_of_oscillator(0.5, run.at(row, "t"));
    largest = std::max(largest, std::abs(run.at(row, "fly.q[0]") - expected));
  }
  return largest;
}

// Its slip turns five times, then ends.
TEST(SlidingContact, SlipTurnsAndEndsToOrderFour) {
  const double coarse = largest_error(run_system(oscillator(0.5, "", "{driver: fixed, dt: 0.02}")));
  const double fine = largest_error(run_system(oscillator(0.5, "", "{driver: fixed, dt: 0.01}")));
  EXPECT_LT(coarse, 1e-6);
  EXPECT_GT(coarse, 12 * fine);
  const RunResult run = run_system(oscillator(0.5, "", "{rtol: 1.0e-8}"));
  EXPECT_LT(largest_error(run), 2e-8);
  EXPECT_LT(run.report.steps.steps, 600);
  EXPECT_EQ(run.end("fly.u[0]"), 0.0);
  EXPECT_NEAR(run.end("energy.dissipated"), run.at(0, "energy.total") - run.end("energy.total"), 1e-7);
}

// A slip that does not vanish, but turns within a part of 1e-3 of its period: no step may miss that.
TEST(SlidingContact, SlipThatNearlyVanishesIsAccurate) {
  const double u0 = 0.005;
  const RunResult run = run_system(oscillator(0.5, "", "{rtol: 1.0e-8}", fmt::format(", u: [0, {}, 0]", u0)));
  const auto rate = [](const Eigen::Vector4d& y) {
    const Eigen::Vector2d arm(y[0] + 1.0, y[1]), v = y.tail<2>();
    Eigen::Vector4d out;
    out << v, -50.0 * (arm.norm() - 1.0) * arm.normalized() - 0.2 * kG * v.normalized();
    return out;
  };
  Eigen::Vector4d y(0.5, 0.0, 0.0, u0);
  double t = 0.0;
  for (const std::size_t row : {1U, 2U, 3U, 4U}) {
    while (t < run.at(row, "t") - 1e-14) {
      const double h = std::min({run.at(row, "t") - t, 2e-3, 2e-3 * y.tail<2>().norm() + 1e-7});
      const Eigen::Vector4d k1 = rate(y), k2 = rate(y + 0.5 * h * k1), k3 = rate(y + 0.5 * h * k2),
                            k4 = rate(y + h * k3);
      y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
      t += h;
    }
    EXPECT_NEAR(run.at(row, "fly.q[0]"), y[0], 1e-7);
    EXPECT_NEAR(run.at(row, "fly.q[1]"), y[1], 1e-7);
  }
  EXPECT_GT(std::abs(y[1]), 1e-3);
}

// Where an edge slides over a face, points of contact come and go: a number may mean other points at the end
// of a step than at its start, whose gaps are not to be closed.
TEST(SlidingContact, DominoFallsOnTheNextAndSlidesOnIt) {
  std::string bodies, joints;
  for (const int i : {0, 1}) {
    bodies += fmt::format(R"(
  - name: d{0}
    mass: 0.01
    inertia: {{xx: 2.6e-6, yy: 2.17e-6, zz: 6.0e-7}}
    points: {{side: {{axes: {{rpy: [pi/2, 0, 0]}}}}}}
    shapes: [{{name: x{0}, type: box, size: [0.01, 0.025, 0.05]}}])",
                          i);
    joints += fmt::format(R"(
  - {{name: j{0}, type: planar, parent: ground.side, child: d{0}.side, q: [{1}, 0.025, 0], u: [{2}, 0, {3}]}})",
                          i, 0.03 * i, i == 0 ? 0.1 : 0.0, i == 0 ? -4.0 : 0.0);
  }
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {points: {side: {axes: {rpy: [pi/2, 0, 0]}}}, shapes: [{name: floor, type: plane}]}
bodies:)" + bodies + "\njoints:" + joints + R"(
contacts:
  - {name: f0, between: [floor, x0], friction: 0.3}
  - {name: f1, between: [floor, x1], friction: 0.3}
  - {name: between, between: [x0, x1], friction: 0.2}
analysis: {duration: 0.2, limits: {steps: 2000}}
output: {every: 0.02}
)"));
  EXPECT_LT(run.report.energy_drift, 1e-9);
  EXPECT_LT(run.end("j0.q[2]"), -0.45);
  EXPECT_LT(run.end("j1.q[2]"), -0.05);
  EXPECT_GT(run.end("between.normal_force"), 1e-3);
}

// A block tips while it slides, falls back, and rocks: edges that the spring and the other edges hold closed.
TEST(SlidingContact, BlockThatASpringPullsAtItsFootTipsAndRocks) {
  const RunResult run = run_system(read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {points: {wall: [-1, 0, 0]}, shapes: [{name: floor, type: plane}]}
bodies:
  - {name: block, mass: 2, inertia: {xx: 1/120, yy: 1/120, zz: 1/75}, points: {foot: [0, 0, -0.05]},
     shapes: [{name: box, type: box, size: [0.2, 0.2, 0.1]}]}
joints: [{name: fly, type: free, parent: ground.origin, child: block.origin, q: [0.5, 0, 0.05, 1, 0, 0, 0]}]
forces: [{name: spring, type: spring_damper, from: ground.wall, to: block.foot, stiffness: 100, free_length: 1}]
contacts: [{name: feet, between: [box, floor], friction: 0.2}]
analysis: {duration: 1, limits: {steps: 2000}}
output: {every: 0.02}
)"));
  double highest = 0.0;
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    highest = std::max(highest, run.at(row, "fly.q[2]"));
    EXPECT_NEAR(run.at(row, "energy.total") + run.at(row, "energy.dissipated"), run.at(0, "energy.total"),
                2e-5);
    EXPECT_GT(run.at(row, "feet.gap"), -1e-9);
  }
  EXPECT_GT(highest, 0.055);
}

}  // namespace
}  // namespace sestina
