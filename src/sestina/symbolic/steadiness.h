// Whether a motion whose equations hold at an instant goes on as it is.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>

#include "sestina/symbolic/compiled_expressions.h"
#include "sestina/symbolic/motion_equations.h"

namespace sestina::symbolic {

// One number for each row of the derivatives J of equations that makes them count alike, whatever they are
// measured in. `sizes` are those of the terms of each (rounding.h): where its derivatives are but rounding of
// these, it does not get the weight of others.
Eigen::VectorXd calc_weights(const Eigen::MatrixXd& J, std::span<const double> sizes);

// What a motion that should be steady does instead.
struct Unsteadiness {
  std::size_t equation = 0;  // of `vanishing`, which is no longer zero
  Expression moving;         // a coordinate, or a speed that is not steady, that it depends on
  double rate = 0.0;         // of that
};

// Follows the coordinates, and the speeds whose rates are `rates`, while all other speeds stay as they are,
// and looks whether there are multipliers and rates for which `vanishing` stays zero; it is linear in these.
// `values` are numbers of all other symbols and of all coordinates and speeds. Nothing where all that moves
// leaves the equations as they are.
std::optional<Unsteadiness> find_unsteadiness(const MotionEquations& motion,
                                              const std::vector<Expression>& vanishing,
                                              const std::vector<Expression>& unsteady,
                                              const ParameterValues& values);

}  // namespace sestina::symbolic
