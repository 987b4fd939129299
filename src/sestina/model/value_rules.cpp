#include "sestina/model/value_rules.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/base/quotation.h"

namespace sestina {
namespace {

constexpr double kInertiaTolerance = 1e-9;   // of the trace, for rounding in printed values
constexpr double kSymmetryTolerance = 1e-9;  // of the two elements, for rounding in printed values
constexpr double kRotationTolerance = 1e-6;  // of Euler parameters' norm and of a matrix' orthonormality

using Values = std::span<const double>;

bool all_finite(Values values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}
bool all_zero(Values values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return x == 0.0; });
}
double largest(Values values) {
  double most = 0.0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

std::string find_inertia_fault(Values J) {
  const double size = largest(J);
  if (size == 0.0) return "";
  Eigen::Matrix3d matrix;  // in units of `size`, so that the trace cannot overflow
  matrix << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
  matrix /= size;
  const Eigen::Vector3d principal =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
  const double tolerance = kInertiaTolerance * std::abs(matrix.trace());
  const auto moments = [&] {
    return fmt::format("its principal moments are {:.6g}, {:.6g} and {:.6g} kg m^2", size * principal[0],
                       size * principal[1], size * principal[2]);
  };
  if (principal[0] < -tolerance) {
    return fmt::format("no body has this inertia: {} and one is negative", moments());
  }
  if (principal[2] <= principal[0] + principal[1] + tolerance) return "";
  return fmt::format(
      "no body has this inertia: {} and the largest exceeds the sum of the others "
      "(inertia_check: none accepts it)",
      moments());
}

std::string find_direction_fault(Values a) {
  return all_zero(a) ? "the axis is zero: it has no direction" : "";
}

std::string find_parallel_fault(Values second, Values first) {
  if (all_zero(first) || all_zero(second)) return "";  // reported by another rule
  const Eigen::Vector3d a = Eigen::Vector3d(first.data()).stableNormalized(),
                        b = Eigen::Vector3d(second.data()).stableNormalized();
  return a.cross(b).norm() <= kRotationTolerance ? "is parallel to axis" : "";
}

std::string find_euler_fault(Values e) {
  const double norm = Eigen::Vector4d(e.data()).stableNorm();
  if (std::abs(norm - 1.0) <= kRotationTolerance) return "";
  return fmt::format("the Euler parameters have norm {:.9g}, not 1", norm);
}

std::string find_matrix_fault(Values x) {
  const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x.data());
  const double error = (R.transpose() * R - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (!(error <= kRotationTolerance)) return "the matrix is not a rotation: its columns are not orthonormal";
  return R.determinant() < 0.0 ? "the matrix is a reflection, not a rotation: its determinant is -1" : "";
}

// Elements of different units are compared after scaling to a diagonal of ones.
std::string find_stiffness_fault(Values x) {
  const auto element = [&](int i, int j) { return x[static_cast<std::size_t>(6 * i + j)]; };
  for (int i = 0; i < 6; ++i) {
    if (!(element(i, i) > 0.0)) {
      return fmt::format("[{0}][{0}] = {1} is not positive: expected a positive definite matrix", i,
                         element(i, i));
    }
    for (int j = 0; j < i; ++j) {
      const double a = element(i, j), b = element(j, i);
      if (std::abs(a - b) <= kSymmetryTolerance * (std::abs(a) + std::abs(b))) continue;
      return fmt::format("is not symmetric: [{}][{}] is {}, [{}][{}] is {}", i, j, a, j, i, b);
    }
  }
  Eigen::Matrix<double, 6, 6> scaled;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) scaled(i, j) = element(i, j) / std::sqrt(element(i, i) * element(j, j));
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> solver(scaled, Eigen::EigenvaluesOnly);
  const double least = solver.eigenvalues()[0];
  if (least > 1e-12) return "";
  return fmt::format(
      "is not positive definite: its smallest eigenvalue, with the diagonal scaled to 1, is {:.6g}", least);
}

}  // namespace

int number_count(ValueRule::Kind kind) {
  switch (kind) {
    case ValueRule::Kind::kInertia:
    case ValueRule::Kind::kNoInertia:
      return 6;
    case ValueRule::Kind::kNoOffset:
    case ValueRule::Kind::kDirection:
    case ValueRule::Kind::kNotParallel:
      return 3;
    case ValueRule::Kind::kEulerParameters:
      return 4;
    case ValueRule::Kind::kRotationMatrix:
      return 9;
    case ValueRule::Kind::kStiffness:
      return 36;
    case ValueRule::Kind::kFinite:
    case ValueRule::Kind::kNotNegative:
    case ValueRule::Kind::kPositive:
    case ValueRule::Kind::kFromOther:
    case ValueRule::Kind::kNotZero:
      return 1;
  }
  __builtin_unreachable();
}

std::string find_fault(const ValueRule& rule, std::span<const double> numbers) {
  const auto count = static_cast<std::size_t>(number_count(rule.kind));
  const auto at = [&](Slot slot) { return numbers.subspan(static_cast<std::size_t>(slot.first), count); };
  const Values x = at(rule.slot), other = rule.other.is_given() ? at(rule.other) : Values();
  if (!all_finite(x) || !all_finite(other)) return "";
  const auto value = [&] { return describe_value(rule.expression, x[0]); };
  switch (rule.kind) {
    case ValueRule::Kind::kFinite:
      return "";
    case ValueRule::Kind::kNotNegative:
      return x[0] < 0.0 ? value() + " is negative" : "";
    case ValueRule::Kind::kPositive:
      return x[0] < 0.0 ? value() + " is negative" : x[0] == 0.0 ? value() + " is not positive" : "";
    case ValueRule::Kind::kNotZero:
      return x[0] == 0.0 ? value() + " is zero" : "";
    case ValueRule::Kind::kFromOther:
      return x[0] < other[0] ? fmt::format("{} is below the lower limit {}", value(), other[0]) : "";
    case ValueRule::Kind::kInertia:
      return find_inertia_fault(x);
    case ValueRule::Kind::kNoInertia:
      return all_zero(x) ? "" : "a particle has no inertia: use type rigid";
    case ValueRule::Kind::kNoOffset:
      return all_zero(x) ? "" : "a particle's mass is at its origin: use type rigid";
    case ValueRule::Kind::kDirection:
      return find_direction_fault(x);
    case ValueRule::Kind::kNotParallel:
      return find_parallel_fault(x, other);
    case ValueRule::Kind::kEulerParameters:
      return find_euler_fault(x);
    case ValueRule::Kind::kRotationMatrix:
      return find_matrix_fault(x);
    case ValueRule::Kind::kStiffness:
      return find_stiffness_fault(x);
  }
  __builtin_unreachable();
}

std::string describe_value(const std::string& expression, double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();  // 0/0 has a sign on some machines
  return expression.empty() ? fmt::format("{}", value) : fmt::format("{} = {}", shortened(expression), value);
}

}  // namespace sestina
