// Rows of conditions on coordinates (coordinate_condition.h) from the values of their expressions.
#pragma once

#include <algorithm>
#include <array>

#include "sestina/constraints/coordinate_condition.h"
#include "sestina/constraints/cut_joint.h"

namespace sestina {

// `expressions`: values of the expressions of all constraints. `terms`: the list of all rows' terms.
template <class T>
void update_coordinate_condition(const CoordinateCondition& condition, const T* expressions,
                                 const CutJoint<T>* cut_joints, const CutJointMotion<T>* motions,
                                 SpeedTerm<T>* terms, FramePair<T>* pairs, ConstraintRow<T>& row) {
  const T* values = expressions + condition.first_expression;
  row.is_on_position = condition.is_on_position;
  row.error = values[0], row.velocity = values[1], row.bias = values[2];
  row.first_term = condition.first_term;
  row.terms = static_cast<int>(condition.speeds.size());
  for (std::size_t i = 0; i < condition.speeds.size(); ++i) {
    terms[condition.first_term + static_cast<int>(i)] = {condition.speeds[i],
                                                         values[kConditionHead + static_cast<int>(i)]};
  }
  const T* coefficient = values + kConditionHead + row.terms;
  row.first_pair = condition.first_pair;
  row.pairs = std::max(0, static_cast<int>(condition.cut_joints.size()) - 1);
  for (std::size_t i = 0; i < condition.cut_joints.size(); ++i) {
    const auto& [joint, speeds] = condition.cut_joints[i];
    std::array<T, 6> c{};
    for (const int speed : speeds) c[static_cast<std::size_t>(speed)] = *coefficient++;
    FramePair<T>& pair = i == 0 ? row : pairs[condition.first_pair + static_cast<int>(i) - 1];
    add_force_of_speeds(cut_joints[joint], motions[joint], c.data(), pair, row.bias);
  }
}

}  // namespace sestina
