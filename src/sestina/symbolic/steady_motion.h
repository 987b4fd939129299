// States of rest and of steady motion: coordinates, speeds or parameters for which all speeds stay as they
// are.
//
// With the equations of motion_equations.h, what vanishes is
//   f + a^T lambda - M u',   c,   a u + b,   a u' + d                                      (1)
// where u' is zero but for the speeds that need not be steady. Newton's method seeks the unknowns together
// with lambda and those u', from given values, each step shortened until it gets nearer. There may be more
// equations than unknowns or fewer; of many solutions it finds one. An equation holds when what is left of it
// is small beside its own terms, by rounding.h, whatever the others are measured in.
//
// A motion is steady if (1) goes on to hold while coordinates move: that is looked at along a stretch of time
// in which the fastest of them moves by 0.3. At rest none moves: q' vanishes, too.
#pragma once

#include <vector>

#include "sestina/symbolic/compiled_expressions.h"
#include "sestina/symbolic/motion_equations.h"

namespace sestina::symbolic {

// `parameters` below give the time a number where the equations depend on it: all is sought for that instant.
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

// InputError where what is named is none of these, where the equations depend on the time and it has no
// number, where no solution is found (it tells the equation that fails most), and where the solution is that
// of an instant only.
SteadyMotion find_steady_motion(const MotionEquations& motion, const ParameterValues& parameters,
                                const SteadyMotionOptions& options);
// At rest, from a guess: all coordinates are unknown. Speeds are zero, or unknown, too, where the coordinates
// move while they are: q' = u + V.
SteadyMotion find_equilibrium(const MotionEquations& motion, const ParameterValues& parameters,
                              const std::vector<std::pair<Expression, double>>& guess = {});

}  // namespace sestina::symbolic
