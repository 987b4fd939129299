#include "sestina/state_time/error_estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sestina/state_time/state_time_solver.h"
#include "state_time/state_time_systems.h"

namespace sestina::test {
namespace {

std::unique_ptr<StateTimeSolver> solved(const System& system, double duration, StateTimeOptions options) {
  const auto model = freeze(system);
  auto solver =
      std::make_unique<StateTimeSolver>(model, calc_properties(*model), std::move(options), nullptr);
  solver->start(calc_initial_state(*model), duration);
  while (!solver->is_complete()) solver->solve_window();
  return solver;
}

struct Squares {
  double v = 0.0, w = 0.0, C = 0.0, x = 0.0;
};

double square(const Mat3<double>& a, const Mat3<double>& b) {
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    const Vec3<double> d = a.column(i) - b.column(i);
    sum += dot(d, d);
  }
  return sum;
}

// The integrals of the squared differences of two solutions over the run, by 16 times per element.
Squares squares_of_differences(const StateTimeSolver& a, const StateTimeSolver& b, std::size_t bodies) {
  constexpr int kInstants = 16;
  std::vector<BodyInstant> in_a(bodies), in_b(bodies);
  Squares sum;
  for (const TimeElement& element : a.elements()) {
    for (int i = 0; i < kInstants; ++i) {
      const double t = element.t + (i + 0.5) / kInstants * element.h, weight = element.h / kInstants;
      a.calc_bodies(t, in_a), b.calc_bodies(t, in_b);
      for (std::size_t body = 0; body < bodies; ++body) {
        const BodyInstant &p = in_a[body], &q = in_b[body];
        sum.v += weight * dot(p.v - q.v, p.v - q.v);
        sum.w += weight * dot(p.w - q.w, p.w - q.w);
        sum.C += weight * square(p.C, q.C);
        sum.x += weight * dot(p.x - q.x, p.x - q.x);
      }
    }
  }
  return sum;
}

Squares squares_of_estimates(StateTimeSolver& solver, std::size_t bodies) {
  std::vector<BodyError> errors(bodies);
  Squares sum;
  for (std::size_t e = 0; e < solver.elements().size(); ++e) {
    solver.estimate_errors(static_cast<int>(e), errors);
    const double h = solver.elements()[e].h;
    for (const BodyError& error : errors) {
      sum.v += h * error.v * error.v, sum.w += h * error.w * error.w;
      sum.C += h * error.C * error.C, sum.x += h * error.x * error.x;
    }
  }
  return sum;
}

struct Case {
  const char* name;
  System system;
  double duration;
};
std::vector<Case> cases() {
  System damped = double_pendulum();
  damped.add_joint_damper("friction", "knee", 0.05);
  damped.add_joint_force("drive", "hip", "0.4*sin(3*t) - 0.2*hip.u");
  return {{"double pendulum", double_pendulum(), 1.0},
          {"with forces", damped, 1.0},
          {"branched tree", branched_tree(), 0.5},
          {"chain", spherical_chain(4), 0.5}};
}

void expect_effective(const Case& c, const StateTimeOptions& options, double least, double most) {
  const auto bodies = static_cast<std::size_t>(freeze(c.system)->bodies().size() - 1);
  const auto solver = solved(c.system, c.duration, options);
  const auto reference = solved(c.system, c.duration, {.elements = 16, .pair = "P7P8"});
  const Squares error = squares_of_differences(*solver, *reference, bodies),
                estimate = squares_of_estimates(*solver, bodies);
  const auto check = [&](const char* kind, double of_estimate, double of_error) {
    const double effectivity = std::sqrt(of_estimate / of_error);
    EXPECT_GT(effectivity, least) << c.name << ", " << options.pair << ", " << kind;
    EXPECT_LT(effectivity, most) << c.name << ", " << options.pair << ", " << kind;
  };
  check("v", estimate.v, error.v), check("w", estimate.w, error.w);
  check("C", estimate.C, error.C), check("x", estimate.x, error.x);
}

TEST(ErrorEstimateTest, IsTheErrorOfTheNaturalSet) {
  for (const Case& c : cases()) {
    for (const auto& [pair, elements] : {std::pair{"LQ", 32}, {"QC", 16}, {"P3P4", 16}, {"P5P6", 8}}) {
      expect_effective(c, {.elements = elements, .pair = pair}, 0.8, 1.25);
    }
  }
}

// The spin alone is fast: cosines and rates are what an element resolves badly. Places and velocities of the
// top have by far the larger errors from the starts of elements, which are not estimated.
TEST(ErrorEstimateTest, IsTheErrorOfAFastSpin) {
  const System system = heavy_top();
  const auto solver = solved(system, 0.1, {.elements = 8, .pair = "P3P4"});
  const auto reference = solved(system, 0.1, {.elements = 32, .pair = "P7P8"});
  const double effectivity =
      std::sqrt(squares_of_estimates(*solver, 1).C / squares_of_differences(*solver, *reference, 1).C);
  EXPECT_GT(effectivity, 0.9);
  EXPECT_LT(effectivity, 1.1);
}

TEST(ErrorEstimateTest, IsTheErrorOfTheUpwindSet) {
  for (const Case& c : cases()) {
    for (const auto& [pair, elements] : {std::pair{"QC", 32}, {"P3P4", 16}}) {
      expect_effective(c, {.elements = elements, .pair = pair, .tests = TestFunctions::kUpwind}, 0.5, 2.0);
    }
  }
}

// A polynomial of one degree less on the same elements.
TEST(ErrorEstimateTest, OfOneDegreeLessIsTheErrorOfThese) {
  for (const Case& c : cases()) {
    const auto bodies = static_cast<std::size_t>(freeze(c.system)->bodies().size() - 1);
    for (const TestFunctions tests : {TestFunctions::kNatural, TestFunctions::kUpwind}) {
      const auto higher = solved(c.system, c.duration, {.elements = 16, .pair = "P4P5", .tests = tests});
      const auto lower = solved(c.system, c.duration, {.elements = 16, .pair = "P3P4", .tests = tests});
      const Squares expected = squares_of_estimates(*lower, bodies);
      std::vector<BodyError> errors(bodies);
      Squares told;
      for (int e = 0; e < 16; ++e) {
        const TimeElement& element = higher->elements()[static_cast<std::size_t>(e)];
        higher->estimate_lower_errors(e, errors);
        for (const BodyError& error : errors) {
          told.w += element.h * error.w * error.w, told.C += element.h * error.C * error.C;
          told.x += element.h * error.x * error.x;
        }
      }
      // Velocities have the jumps at the ends of elements besides.
      for (const double ratio : {told.w / expected.w, told.C / expected.C, told.x / expected.x}) {
        EXPECT_GT(ratio, 0.25) << c.name;
        EXPECT_LT(ratio, 4.0) << c.name;
      }
    }
  }
}

}  // namespace
}  // namespace sestina::test
