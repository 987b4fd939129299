// Arrays of the standard library as vectors of Eigen, without copies.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace sestina {

inline Eigen::Map<Eigen::VectorXd> as_vector(std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

inline Eigen::Map<const Eigen::VectorXd> as_vector(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

inline Eigen::Map<Eigen::VectorXd> as_vector(std::span<double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

inline Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace sestina
