// Stresses of cross-sections against handbook values, the stress function on a grid, and the rim in small
// steps.
#include "sestina/flexible/section_stress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace sestina {
namespace {

using std::numbers::pi;

const Vec3<double> kNothing{};

TEST(SectionStress, TensionIsForceOverArea) {
  for (const SectionShape& shape :
       {SectionShape::rectangle(0.02, 0.05), SectionShape::round(0.0, 0.0178412411615277),
        SectionShape::round(0.03, 0.0348)}) {
    const SectionStress stress = calc_section_stress(shape, {-2000.0, 0.0, 0.0}, kNothing);
    EXPECT_NEAR(stress.max, -2000.0 / shape.area.A, 1e-6);
    EXPECT_NEAR(stress.min, stress.max, 1e-6);
    EXPECT_NEAR(stress.mises, 2000.0 / shape.area.A, 1e-6);
  }
  EXPECT_NEAR(calc_section_stress(SectionShape::rectangle(0.02, 0.05), {1000.0, 0, 0}, kNothing).max, 1e6,
              1e-6);
}

// 6 M/(b h^2) about each axis; at a corner both add.
TEST(SectionStress, BendingOfARectangleIsLargestAtACorner) {
  const double b = 0.02, h = 0.05, My = 30.0, Mz = -11.0;
  const SectionShape shape = SectionShape::rectangle(b, h);
  EXPECT_NEAR(calc_section_stress(shape, kNothing, {0.0, My, 0.0}).max, 6.0 * My / (b * h * h), 1e-6);
  EXPECT_NEAR(calc_section_stress(shape, kNothing, {0.0, 0.0, Mz}).max, -6.0 * Mz / (b * b * h), 1e-6);
  const SectionStress both = calc_section_stress(shape, {500.0, 0.0, 0.0}, {0.0, My, Mz});
  const double bending = 6.0 * My / (b * h * h) - 6.0 * Mz / (b * b * h), axial = 500.0 / (b * h);
  EXPECT_NEAR(both.max, axial + bending, 1e-6);
  EXPECT_NEAR(both.min, axial - bending, 1e-6);
  EXPECT_NEAR(both.mises, axial + bending, 1e-6);
}

// Timoshenko and Goodier, table of k2: the largest shear stress is T/(k2 d c^2).
TEST(SectionStress, TorsionOfRectanglesIsTheTabulatedOne) {
  const std::vector<std::pair<double, double>> table{{1.0, 0.208}, {1.5, 0.231}, {2.0, 0.246},
                                                     {3.0, 0.267}, {5.0, 0.291}, {10.0, 0.312}};
  for (const auto& [ratio, k2] : table) {
    const double c = 0.01, d = ratio * c;
    for (const SectionShape& shape : {SectionShape::rectangle(c, d), SectionShape::rectangle(d, c)}) {
      const double mises = calc_section_stress(shape, kNothing, {7.0, 0.0, 0.0}).mises;
      EXPECT_NEAR(mises * d * c * c * k2 / (std::sqrt(3.0) * 7.0), 1.0, 5e-3) << ratio;
    }
  }
}

// The stress function psi, laplace psi = -2, psi = 0 on the boundary, T = 2 G theta int psi: the shear stress
// is its slope times G theta. A quarter of the section on a grid, by successive over-relaxation.
TEST(SectionStress, TorsionAtTheMiddlesOfSidesIsThatOfTheStressFunction) {
  const double b = 1.0, h = 1.75;
  const int n = 40, m = 70;
  const double step = 0.5 * b / n;
  std::vector<std::vector<double>> psi(n + 1, std::vector<double>(m + 1, 0.0));
  for (int sweep = 0; sweep < 1500; ++sweep) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < m; ++j) {
        const double before_i = psi[i == 0 ? 1 : i - 1][j], before_j = psi[i][j == 0 ? 1 : j - 1];
        const double mean = 0.25 * (before_i + psi[i + 1][j] + before_j + psi[i][j + 1] + 2.0 * step * step);
        psi[i][j] += 1.9 * (mean - psi[i][j]);
      }
    }
  }
  double volume = 0.0;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= m; ++j) {
      volume += psi[i][j] * (i == 0 || i == n ? 0.5 : 1.0) * (j == 0 || j == m ? 0.5 : 1.0) * step * step;
    }
  }
  const double torque = 8.0 * volume;  // 2 times four quarters
  const auto slope = [step](double at, double next, double second) {
    return (-1.5 * at + 2.0 * next - 0.5 * second) / step;
  };
  const SectionShape shape = SectionShape::rectangle(b, h);
  EXPECT_NEAR(shape.area.J / torque, 1.0, 1e-3);
  EXPECT_NEAR(shape.torsion_y * torque / slope(psi[n][0], psi[n - 1][0], psi[n - 2][0]), 1.0, 1e-3);
  EXPECT_NEAR(shape.torsion_z * torque / slope(psi[0][m], psi[0][m - 1], psi[0][m - 2]), 1.0, 1e-3);
  EXPECT_GT(shape.torsion_y, 1.1 * shape.torsion_z);
}

// 16 sqrt(4 M^2 + 3 T^2)/(pi d^3) of a shaft.
TEST(SectionStress, ShaftsBendAndTwist) {
  const double R = 0.02, M = 120.0, T = 200.0;
  const SectionShape shaft = SectionShape::round(0.0, R);
  EXPECT_NEAR(calc_section_stress(shaft, kNothing, {T, 0.0, 0.0}).mises,
              std::sqrt(3.0) * 2.0 * T / (pi * R * R * R), 1e-5);
  const SectionStress both = calc_section_stress(shaft, kNothing, {T, 0.6 * M, -0.8 * M});
  EXPECT_NEAR(both.max, 4.0 * M / (pi * R * R * R), 1e-5);
  EXPECT_NEAR(both.mises, 16.0 * std::sqrt(4 * M * M + 3 * T * T) / (pi * 8 * R * R * R), 1e-4);
}

// At the neutral axis: 3/2, 4/3 and for a thin tube 2 times the mean shear stress.
TEST(SectionStress, ShearIsLargestAtTheNeutralAxis) {
  const auto over_mean = [](const SectionShape& shape) {
    const double along_y = calc_section_stress(shape, {0.0, 90.0, 0.0}, kNothing).mises;
    EXPECT_NEAR(calc_section_stress(shape, {0.0, 0.0, -90.0}, kNothing).mises, along_y, 1e-12 * along_y);
    return along_y / std::sqrt(3.0) * shape.area.A / 90.0;
  };
  EXPECT_NEAR(over_mean(SectionShape::rectangle(0.02, 0.07)), 1.5, 1e-12);
  EXPECT_NEAR(over_mean(SectionShape::round(0.0, 0.03)), 4.0 / 3.0, 1e-12);
  EXPECT_NEAR(over_mean(SectionShape::round(0.02999999, 0.03)), 2.0, 1e-5);
}

// Torsion and shear add on one side and cancel on the other: exact for a wide side of a strip.
TEST(SectionStress, TorsionAndShearAddOnOneSide) {
  const SectionShape shape = SectionShape::rectangle(0.01, 0.04);
  const double T = 3.0, V = 4000.0;
  const double of_T = T * shape.torsion_y, of_V = 1.5 * V / shape.area.A;
  for (const double sign : {1.0, -1.0}) {
    const double mises = calc_section_stress(shape, {0.0, 0.0, sign * V}, {T, 0.0, 0.0}).mises;
    EXPECT_NEAR(mises, std::sqrt(3.0) * (of_T + of_V), 1e-6);
  }
}

TEST(SectionStress, OfTubesIsTheLargestOfTheRim) {
  const SectionShape tube = SectionShape::round(0.012, 0.02);
  const SectionArea& area = tube.area;
  const double k = 4.0 / 3.0 * (0.02 * 0.02 + 0.02 * 0.012 + 0.012 * 0.012) / (0.02 * 0.02 + 0.012 * 0.012);
  for (int trial = 0; trial < 50; ++trial) {
    const auto any = [trial](int i) { return std::sin(12.9898 * (trial + 1) * (i + 1) + i); };
    const Vec3<double> force{9e3 * any(0), 2e4 * any(1), 2e4 * any(2)};
    const Vec3<double> moment{300.0 * any(3), 200.0 * any(4), 200.0 * any(5)};
    double largest = 0.0, most = -1e300, least = 1e300;
    for (int i = 0; i < 20000; ++i) {
      const double c = std::cos(2 * pi * i / 20000), s = std::sin(2 * pi * i / 20000);
      const double sigma = force.x / area.A + 0.02 * (moment.y * s - moment.z * c) / area.Iy;
      const double tau = 0.02 * moment.x / area.J + k * (force.z * c - force.y * s) / area.A;
      largest = std::max(largest, std::hypot(sigma, std::sqrt(3.0) * tau));
      most = std::max(most, sigma), least = std::min(least, sigma);
    }
    const SectionStress stress = calc_section_stress(tube, force, moment);
    EXPECT_NEAR(stress.mises, largest, 1e-6 * largest);  // steps of 3e-4 rad
    EXPECT_NEAR(stress.max, most, 1e-6 * largest);
    EXPECT_NEAR(stress.min, least, 1e-6 * largest);
  }
}

}  // namespace
}  // namespace sestina
