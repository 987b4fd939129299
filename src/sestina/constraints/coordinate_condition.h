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

#include <vector>

namespace sestina {

struct CoordinateCondition {
  bool is_on_position = true;
  // Place of the first expression among those of all constraints: error (only for conditions on positions),
  // velocity, bias, then the coefficients.
  int first_expression = 0;
  std::vector<int> speeds;  // speeds that have a coefficient
  // Cut joints that take part, and which of their speeds have a coefficient; these coefficients follow the
  // others, joint by joint.
  struct OfCutJoint {
    int joint = 0;
    std::vector<int> speeds;
  };
  std::vector<OfCutJoint> cut_joints;
  int row = 0;
  int first_term = 0;  // position in the list of all rows' terms
  int first_pair = 0;  // position in the list of further pairs, for every cut joint after the first
};

// Number of expressions before the coefficients.
inline constexpr int kConditionHead = 3;

}  // namespace sestina
