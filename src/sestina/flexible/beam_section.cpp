#include "sestina/flexible/beam_section.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sestina/base/error.h"

namespace sestina {

namespace {
constexpr double kPi = 3.14159265358979323846;
constexpr const char* kNames[] = {"GJ", "EIy", "EIz", "EA", "GAy", "GAz"};

// Rows and columns whose stiffness is infinite are rigid and must stand alone.
bool is_rigid(const Mat6<double>& K, int i) { return std::isinf(K.m[i][i]); }
}  // namespace

double rectangle_torsion_constant(double width, double height) {
  // J = a b^3 (1/3 - 64/pi^5 b/a sum tanh(n pi a/(2 b))/n^5 over odd n), a >= b (Timoshenko, Goodier). The
  // tail of the sum of 1/n^5, which tanh = 1 leaves, falls as n^-4: 2000 terms reach round-off.
  const double a = std::max(width, height), b = std::min(width, height);
  double sum = 0.0;
  for (int n = 3999; n > 0; n -= 2) {
    sum += std::tanh(n * kPi * a / (2.0 * b)) / std::pow(static_cast<double>(n), 5);
  }
  return a * b * b * b * (1.0 / 3.0 - 64.0 / std::pow(kPi, 5) * b / a * sum);
}

SectionArea rectangle_area(double width, double height, double nu) {
  const double k = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
  return {width * height,
          width * std::pow(height, 3) / 12.0,
          height * std::pow(width, 3) / 12.0,
          rectangle_torsion_constant(width, height),
          k,
          k};
}

SectionArea circle_area(double radius, double nu) {
  const double I = kPi / 4.0 * std::pow(radius, 4), k = 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu);
  return {kPi * radius * radius, I, I, 2.0 * I, k, k};
}

SectionArea tube_area(double inner, double outer, double nu) {
  const double I = kPi / 4.0 * (std::pow(outer, 4) - std::pow(inner, 4));
  const double m2 = std::pow(inner / outer, 2), square = (1.0 + m2) * (1.0 + m2);
  const double k = 6.0 * (1.0 + nu) * square / ((7.0 + 6.0 * nu) * square + (20.0 + 12.0 * nu) * m2);
  return {kPi * (outer * outer - inner * inner), I, I, 2.0 * I, k, k};
}

BeamSection make_section(const SectionArea& area, const BeamMaterial& material) {
  const double E = material.E, G = E / (2.0 * (1.0 + material.nu)), rho = material.density;
  BeamSection section = diagonal_section(E * area.A, G * area.A * area.ky, G * area.A * area.kz, G * area.J,
                                         E * area.Iy, E * area.Iz);
  section.mass = rho * area.A;
  section.inertia = {rho * (area.Iy + area.Iz), rho * area.Iy, rho * area.Iz, 0.0, 0.0, 0.0};
  return section;
}

BeamSection diagonal_section(double EA, double GAy, double GAz, double GJ, double EIy, double EIz) {
  BeamSection section;
  const double diagonal[6] = {GJ, EIy, EIz, EA, GAy, GAz};
  for (int i = 0; i < 6; ++i) section.stiffness.m[i][i] = diagonal[i];
  return section;
}

Mat6<double> section_compliance(const BeamSection& section) {
  std::vector<Fault> faults;
  Mat6<double> C = section.stiffness;
  for (int i = 0; i < 6; ++i) {
    if (!(C.m[i][i] > 0.0)) {
      faults.push_back({{}, fmt::format("{} = {} of the section is not positive", kNames[i], C.m[i][i])});
    }
    for (int j = 0; j < i; ++j) {
      if (std::abs(C.m[i][j] - C.m[j][i]) > 1e-12 * (std::abs(C.m[i][j]) + std::abs(C.m[j][i]))) {
        faults.push_back(
            {{},
             fmt::format("the section's stiffness is not symmetric: [{}][{}] = {} and [{}][{}] = {}", i, j,
                         C.m[i][j], j, i, C.m[j][i])});
      }
      if ((is_rigid(C, i) || is_rigid(C, j)) && C.m[i][j] != 0.0) {
        faults.push_back({{},
                          fmt::format("{} is rigid and coupled with {}", kNames[is_rigid(C, i) ? i : j],
                                      kNames[is_rigid(C, i) ? j : i])});
      }
    }
  }
  if (!faults.empty()) throw InputError(faults);
  // Scaled to a unit diagonal, then Gauss-Jordan: positive pivots mean that the stiffness is positive.
  double scale[6];
  for (int i = 0; i < 6; ++i) scale[i] = is_rigid(C, i) ? 1.0 : std::sqrt(C.m[i][i]);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j)
      C.m[i][j] = is_rigid(C, i) ? (i == j ? 1.0 : 0.0) : C.m[i][j] / (scale[i] * scale[j]);
  }
  for (int k = 0; k < 6; ++k) {
    const double pivot = C.m[k][k];
    if (!(pivot > 1e-14)) throw InputError("the section's stiffness is not positive definite");
    double row[6];
    for (int j = 0; j < 6; ++j) row[j] = C.m[k][j] / pivot;
    row[k] = 1.0 / pivot;
    for (int i = 0; i < 6; ++i) {
      if (i == k) continue;
      const double factor = C.m[i][k];
      C.m[i][k] = 0.0;
      for (int j = 0; j < 6; ++j) C.m[i][j] -= factor * row[j];
    }
    std::copy(row, row + 6, C.m[k]);
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      const bool rigid = is_rigid(section.stiffness, i) || is_rigid(section.stiffness, j);
      C.m[i][j] = rigid ? 0.0 : C.m[i][j] / (scale[i] * scale[j]);
    }
  }
  return C;
}

}  // namespace sestina
