// Shallow arches that snap through, under a load along its path and under a prescribed displacement.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;

constexpr double kSpan = 2.0, kRise = 0.2, kRadius = 2.6;  // m, of a circle: (1 + 0.04)/0.4

// A strip of steel, 50 mm wide and 20 mm thick, clamped at both ends.
std::string arch(const std::string& centerline, double slope_left, double slope_right, int elements,
                 const std::string& more) {
  return fmt::format(R"(
sestina: 1
ground:
  points:
    left: {{axes: {{rpy: [0, {}, 0]}}}}
    right: {{position: [2, 0, 0], axes: {{rpy: [0, {}, 0]}}}}
    crown: [1, 0, 0]
bodies:
  - name: arch
    type: beam
    centerline: {}
    elements: {}
    section: {{rectangle: [0.05, 0.02]}}
    material: {{E: 2.1e11, nu: 0.3, density: 7850}}
    points: {{mid: {{at: 0.5}}}}
joints:
  - {{name: left_end, type: weld, parent: ground.left, child: arch.start}}
  - {{name: right_end, type: weld, parent: ground.right, child: arch.end}}
{})",
                     -slope_left, -slope_right, centerline, elements, more);
}

std::string circular_arch(int elements, const std::string& more) {
  const double half = std::asin(0.5 * kSpan / kRadius), length = 2.0 * kRadius * half;
  const std::string line =
      fmt::format("{{curve: ['2.6*sin((s - {0})/2.6) + 1', 0, '2.6*cos((s - {0})/2.6) - 2.4'], length: {1}}}",
                  0.5 * length, length);
  return arch(line, half, -half, elements, more);
}

// The circle and a sine with a tenth of its rise.
std::string imperfect_arch(int elements, const std::string& more) {
  std::string points;
  const double pi = std::acos(-1.0), amplitude = 0.1 * kRise,
               foot = std::tan(std::asin(0.5 * kSpan / kRadius));
  for (int i = 0; i <= 40; ++i) {
    const double x = kSpan * i / 40, circle = std::sqrt(kRadius * kRadius - (x - 1) * (x - 1)) - 2.4;
    points += fmt::format("{}[{}, 0, {}]", i == 0 ? "" : ", ", x, circle + amplitude * std::sin(pi * x));
  }
  return arch("{points: [" + points + "]}", std::atan(foot + amplitude * pi),
              std::atan(amplitude * pi - foot), elements, more);
}

constexpr double kLoad = 6e4;  // N
std::string pushed(const std::string& analysis) {
  return fmt::format(
      "forces: [{{name: push, type: point_force, at: arch.mid, value: [0, 0, -{}]}}]\nanalysis: {{type: "
      "statics, {}}}\n",
      kLoad, analysis);
}

struct Path {
  std::vector<double> height, load;  // of the crown, m; N

  explicit Path(const RunResult& run) {
    for (std::size_t i = 0; i < run.table.rows(); ++i) {
      height.push_back(run.at(i, "arch.mid.z")), load.push_back(kLoad * run.at(i, "load"));
    }
  }
  // The extremum is that of the parabola through three points about point i.
  double extremum(std::size_t i) const {
    const double a = height[i - 1] - height[i], b = height[i + 1] - height[i];
    const double f = (load[i - 1] - load[i]) / a, g = (load[i + 1] - load[i]) / b;
    const double bent = (f - g) / (a - b), slope = f - bent * a;
    return load[i] - 0.25 * slope * slope / bent;
  }
  // By cubic interpolation at a height, on a path on which the crown only sinks.
  double load_at(double z) const {
    std::size_t i = 1;
    while (i + 3 < height.size() && height[i + 1] > z) ++i;
    double sum = 0.0;
    for (std::size_t j = i - 1; j <= i + 2; ++j) {
      double weight = load[j];
      for (std::size_t k = i - 1; k <= i + 2; ++k) {
        if (k != j) weight *= (z - height[k]) / (height[j] - height[k]);
      }
      sum += weight;
    }
    return sum;
  }
};

// The reference is Reissner's beam as differential equations for half of the arch, solved by shooting for
// given heights of the crown (Runge and Kutta's rule of fourth order; 100 and 200 steps agree to 1e-7).
constexpr double kUpperLimit = 38340.86, kLowerLimit = 14541.33;  // N, at z = 0.13198 m and -0.05123 m

// Sixteen elements are within 0.16 % and 0.27 % of it.
TEST(ArchStatics, PathPassesBothLimitPointsOfAShallowArch) {
  const Path path(run_system(read_model(circular_arch(16, pushed("load_steps: 24, arc_length: true")))));
  std::size_t top = 1;
  while (path.load[top + 1] > path.load[top]) ++top;
  std::size_t bottom = top + 1;
  while (path.load[bottom + 1] < path.load[bottom]) ++bottom;
  EXPECT_NEAR(path.extremum(top), kUpperLimit, 2.5e-3 * kUpperLimit);
  EXPECT_NEAR(path.extremum(bottom), kLowerLimit, 4e-3 * kLowerLimit);
  EXPECT_GT(path.height[top], 0.1);
  EXPECT_LT(path.height[bottom], 0.0);
  EXPECT_NEAR(path.load.back(), kLoad, 1e-9 * kLoad);
}

// The crown is pushed down by the whole rise at once: its start is bent far from equilibrium.
TEST(ArchStatics, PrescribedDisplacementOfAnImperfectArchIsThatOfItsPath) {
  const Path path(run_system(read_model(imperfect_arch(12, pushed("load_steps: 24, arc_length: true")))));
  const RunResult run = run_system(read_model(imperfect_arch(
      12,
      "constraints: [{name: push, type: point_on_plane, point: arch.mid, plane: ground.crown, normal: [0, 0, "
      "1]}]\nanalysis: {type: statics}\n")));
  EXPECT_NEAR(run.end("arch.mid.z"), 0.0, 1e-9);
  EXPECT_NEAR(std::abs(run.end("push.force")), path.load_at(0.0), 2e-3 * path.load_at(0.0));
}

}  // namespace
}  // namespace sestina
