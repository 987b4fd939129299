// Values of dependent coordinates and speeds that satisfy the constraints for given values of the others.
#pragma once

#include <functional>
#include <vector>

#include "sestina/symbolic/compiled_expressions.h"
#include "sestina/symbolic/motion_equations.h"

namespace sestina::symbolic {

struct InitialValues {
  std::vector<double> q, u;  // (nq), (nu); for unknowns, the start of the search
  std::vector<bool> q_is_free, u_is_free;
  std::vector<bool> q_is_given, u_is_given;  // the start of the search is given
};

// Solves c(q, t) = 0 for the free coordinates by Newton's method (of several solutions the one it finds
// from the given values), then a u + b = 0 for the free speeds, at the coordinates after `settle`.
// Constraints may be redundant. If the constraints leave a free unknown undetermined, as at a turning
// point, it keeps its given value; if none is given, all speeds are zero if possible. Throws InputError if
// there is no solution nearby, if fixed values contradict a constraint, or if an unknown stays
// undetermined.
void solve_initial_values(const MotionEquations& motion, const ParameterValues& parameters, double t,
                          InitialValues& values, const std::function<void(std::vector<double>& q)>& settle);

}  // namespace sestina::symbolic
