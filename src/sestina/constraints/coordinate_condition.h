// An expression of time, joint coordinates and speeds that must vanish: the form of couplings (gears, racks,
// differentials), prescribed motions and user-defined conditions.
//
// The expression and its derivatives are expressions too, which freeze() derives symbolically:
//   on positions, g(t, q):      g,  g' = dg/dq qdot + dg/dt,  coefficients dg'/du,  bias g'' at udot = 0
//   on speeds,    h(t, q, u):   h,  coefficients dh/du,  bias dh/dq qdot + dh/dt
// with qdot = N(q) u, including coordinates that are Euler parameters.
//
// Joints that are cut may take part. Their speeds are u_c = H^+ V_FM of cut_joint.h, so that their
// coefficients c act as the force (H^+)^T c between the joint's frames, and the bias grows by
// c^T H^+ (the bias of A_FM - the joint's own bias acceleration). Each has a pair of frames of its own.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "sestina/constraints/cut_joint.h"

namespace sestina {

struct CoordinateCondition {
  bool is_on_position = true;
  // Place of the first expression among those of all constraints: error (only for conditions on positions),
  // velocity, bias, then the coefficients.
  int first_expression = 0;
  std::vector<int> speeds;  // that have a coefficient
  // Cut joints that take part, and which of their speeds have a coefficient; these coefficients follow the
  // others, joint by joint.
  struct OfCutJoint {
    int joint = 0;
    std::vector<int> speeds;
  };
  std::vector<OfCutJoint> cut_joints;
  int row = 0;
  int first_term = 0;  // in the list of terms beside the rows
  int first_pair = 0;  // in the list of further pairs, of all cut joints but the first
};

// Number of expressions before the coefficients.
inline constexpr int kConditionHead = 3;

// `expressions`: values of the expressions of all constraints. `terms`: the list of terms beside the rows.
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
