// States of rest and of steady motion: coordinates, speeds or parameters for which all speeds remain
// constant.
//
// With the equations of motion_equations.h, these expressions must vanish:
//   f + a^T lambda - M u',   c,   a u + b,   a u' + d                                      (1)
// where u' is zero except for speeds that need not be steady. Newton's method seeks the unknowns together
// with lambda and those u', from given values; each step is shortened until the residual decreases. There may
// be more equations than unknowns or fewer; if there are many solutions, it finds one. An equation is
// satisfied if its residual is small relative to its own terms (rounding.h), in any units.
//
// A motion is steady if (1) remains satisfied while coordinates move: this is tested over a time in which the
// fastest of them moves by 0.3. At rest none moves: q' vanishes too.
#pragma once

#include <vector>

#include "sestina/symbolic/compiled_expressions.h"
#include "sestina/symbolic/motion_equations.h"

namespace sestina::symbolic {

// If the equations depend on time, `parameters` below must include a value of t, the instant of the solution.
struct SteadyMotionOptions {
  // Values of coordinates and speeds, 0 for all others; for unknowns, the start of the search.
  std::vector<std::pair<Expression, double>> values = {};
  std::vector<Expression> unknowns = {};  // coordinates, speeds and parameters
  std::vector<Expression> unsteady = {};  // speeds whose rates need not vanish
};

struct SteadyMotion {
  std::vector<std::pair<Expression, double>> values;  // of all q and u, and of unknown parameters
  std::vector<double> multipliers;
  int steps = 0;
  double residual = 0.0;     // the largest of (1)
  bool is_isolated = false;  // no other solutions nearby
};

// Throws InputError if a name is none of these, if the equations depend on time without a value for it, if no
// solution is found (it names the equation with the largest residual), and if the solution holds only for an
// instant.
SteadyMotion find_steady_motion(const MotionEquations& motion, const ParameterValues& parameters,
                                const SteadyMotionOptions& options);
// Finds a state of rest from a guess; all coordinates are unknown. Speeds are zero, or also unknown if the
// coordinates move while they are zero: q' = u + V.
SteadyMotion find_equilibrium(const MotionEquations& motion, const ParameterValues& parameters,
                              const std::vector<std::pair<Expression, double>>& guess = {});

}  // namespace sestina::symbolic
