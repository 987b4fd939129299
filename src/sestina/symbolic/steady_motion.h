// States of rest and of steady motion: coordinates, speeds or parameters for which all speeds stay as they
// are.
//
// With the equations of motion_equations.h, what vanishes is
//   f + a^T lambda - M u',   c,   a u + b,   a u' + d                                      (1)
// where u' is zero but for the speeds that need not be steady. Newton's method seeks the unknowns together
// with lambda and those u', from given values, each step shortened until it gets nearer. There may be more
// equations than unknowns or fewer; of many solutions it finds one.
#pragma once

#include <vector>

#include "sestina/symbolic/compiled_expressions.h"
#include "sestina/symbolic/motion_equations.h"

namespace sestina::symbolic {

struct SteadyMotionOptions {
  // Numbers of coordinates and speeds; what is not named is 0. Of unknowns, where the search begins.
  std::vector<std::pair<Expression, double>> values = {};
  std::vector<Expression> unknowns = {};  // coordinates, speeds and parameters
  std::vector<Expression> unsteady = {};  // speeds whose rates need not vanish
};

struct SteadyMotion {
  std::vector<std::pair<Expression, double>> values;  // of all q and u, and of unknown parameters
  std::vector<double> multipliers;
  int steps = 0;
  double residual = 0.0;     // the largest of (1)
  bool is_isolated = false;  // no others nearby
};

// InputError where what is named is none of these, or where no steady motion is found: it tells the equation
// that fails most.
SteadyMotion find_steady_motion(const MotionEquations& motion, const ParameterValues& parameters,
                                const SteadyMotionOptions& options);
// At rest: u = 0, all coordinates unknown, from a guess.
SteadyMotion find_equilibrium(const MotionEquations& motion, const ParameterValues& parameters,
                              const std::vector<std::pair<Expression, double>>& guess = {});

}  // namespace sestina::symbolic
