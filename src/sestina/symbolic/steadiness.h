// Tests whether a motion whose equations hold at an instant continues unchanged.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>

#include "sestina/symbolic/compiled_expressions.h"
#include "sestina/symbolic/motion_equations.h"

namespace sestina::symbolic {

// Returns a weight for each row of the derivatives J of equations, so that all count alike in any units.
// `sizes` are those of the terms of each equation (rounding.h): an equation whose derivatives are only
// rounding of these gets no such weight.
Eigen::VectorXd calc_weights(const Eigen::MatrixXd& J, std::span<const double> sizes);

// The way in which a motion that should be steady changes.
struct Unsteadiness {
  std::size_t equation = 0;  // index in `vanishing`, no longer zero
  Expression moving;         // a coordinate or unsteady speed that it depends on
  double rate = 0.0;         // of `moving`
};

// Follows the coordinates and the `unsteady` speeds while all other speeds stay constant, and tests whether
// there are multipliers and rates with which `vanishing` stays zero; it is linear in these. `values` are
// numbers of all other symbols and of all coordinates and speeds. Returns nothing if the motion leaves the
// equations satisfied.
std::optional<Unsteadiness> find_unsteadiness(const MotionEquations& motion,
                                              const std::vector<Expression>& vanishing,
                                              const std::vector<Expression>& unsteady,
                                              const ParameterValues& values);

}  // namespace sestina::symbolic
