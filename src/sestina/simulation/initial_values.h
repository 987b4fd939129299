// Values of dependent coordinates and speeds that satisfy the constraints together with those of the others.
#pragma once

#include <functional>
#include <vector>

#include "sestina/symbolic/compiled_expressions.h"
#include "sestina/symbolic/motion_equations.h"

namespace sestina::symbolic {

struct InitialValues {
  std::vector<double> q, u;  // (nq), (nu); of what is to be found, where the search begins
  std::vector<bool> q_is_free, u_is_free;
  std::vector<bool> q_is_given, u_is_given;  // where the search begins
};

// Solves c(q, t) = 0 for the free coordinates by Newton's method, of many solutions the one that it finds
// from the given values, then a u + b = 0 for the free speeds, at the coordinates as `settle` leaves them.
// Constraints may follow from each other. Where the constraints leave a free one undetermined, as at a
// turning point, it keeps what is given for it; where nothing is given, all are at rest if they can be.
// InputError where there is no solution nearby, where what is not free contradicts a constraint, or where
// something stays undetermined.
void solve_initial_values(const MotionEquations& motion, const ParameterValues& parameters, double t,
                          InitialValues& values, const std::function<void(std::vector<double>& q)>& settle);

}  // namespace sestina::symbolic
