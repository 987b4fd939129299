// An expression of time, joint coordinates and speeds that has to vanish: what couplings (gears, racks,
// differentials), prescribed motions and conditions of the user's own are made of.
//
// The expression and its derivatives are expressions too, which freeze() derives with symbols:
//   on positions, g(t, q):      g,  g' = dg/dq qdot + dg/dt,  coefficients dg'/du,  bias g'' at udot = 0
//   on speeds,    h(t, q, u):   h,  coefficients dh/du,  bias dh/dq qdot + dh/dt
// with qdot = N(q) u also where coordinates are Euler parameters.
#pragma once

#include <vector>

#include "sestina/constraints/constraint_row.h"

namespace sestina {

struct CoordinateCondition {
  bool is_on_position = true;
  // Where the expressions stand among those of all constraints: error (of a condition on positions alone),
  // velocity, bias, then the coefficients.
  int first_expression = 0;
  std::vector<int> speeds;  // that have a coefficient
  int row = 0;
  int first_term = 0;  // in the list of terms beside the rows
};

// How many expressions stand before the coefficients.
inline constexpr int kConditionHead = 3;

// `expressions`: the values of those of all constraints. `terms`: beside the rows.
template <class T>
void update_coordinate_condition(const CoordinateCondition& condition, const T* expressions,
                                 SpeedTerm<T>* terms, ConstraintRow<T>& row) {
  const T* values = expressions + condition.first_expression;
  row.is_on_position = condition.is_on_position;
  row.error = values[0], row.velocity = values[1], row.bias = values[2];
  row.first_term = condition.first_term;
  row.terms = static_cast<int>(condition.speeds.size());
  for (std::size_t i = 0; i < condition.speeds.size(); ++i) {
    terms[condition.first_term + static_cast<int>(i)] = {condition.speeds[i],
                                                         values[kConditionHead + static_cast<int>(i)]};
  }
}

}  // namespace sestina
