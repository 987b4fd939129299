// Equations of motion linearised about a state, where need be with dependent coordinates and speeds
// (Peterson, Gede and Hubbard 2014).
//
//   q' = G(q, u, r),   W(q) z = F(q, u, r),   z = [u'; multipliers]                  (1)
//   f_c(q, r) = 0,   f_v(q, u, r) = 0                                                (2)
//
// The variations of the dependent coordinates and speeds follow from (2):
//   dq = C0 dq_i + D0 dr,   du = C1 dq_i + C2 du_i + D1 dr                           (3)
// and with R = W z - F, z at the state from (1):
//   dz = -W^-1 (R_q dq + R_u du + R_r dr)                                            (4)
// The rows of dq' and du' of the independent coordinates and speeds are A and B of
//   d/dt [dq_i; du_i] = A [dq_i; du_i] + B dr                                        (5)
//
// Derivatives are taken before the state is inserted, so that what the state leaves as a symbol (a forward
// speed, say) is exact in the result.
#pragma once

#include <vector>

#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/lagrange.h"

namespace sestina::symbolic {

struct Linearization {
  std::vector<Expression> states, inputs;  // q_i, u_i; r
  Matrix A, B;
  Matrix C0, C1, C2, D0, D1;
};

// (1), (2); u has the first places of z.
struct ImplicitEquations {
  std::vector<Expression> q, u, q_ind, u_ind;
  // What else a state may name although it is in none of (1) and (2): auxiliary speeds, multipliers.
  std::vector<Expression> others;
  Matrix G, W, F, configuration, velocity;
  // z vanishes at the state, also where symbols that (1) ties to each other there do not show it.
  bool is_rest = false;
};

// `op_point` gives coordinates, speeds, and parameters that are to be numbers; all replacements take place at
// once. What is left out of it stays a symbol. Its keys are functions of time of the system, or their
// derivatives, expressions that stand in (1) and (2), and any constants, since a parameter may drop out of
// the equations; InputError for others, such as a coordinate of another system. Inputs are the functions of
// time in (1) and (2) that are neither coordinates nor speeds; a drive r in f_c comes with its derivatives r'
// and r'', inputs of their own. InputError when there are not as many constraints (2) as dependent
// coordinates and speeds, numbers of the state violate them by more than kMostViolation, (2) does not
// determine the dependent ones at the state, or W is singular there.
inline constexpr double kMostViolation = 1e-4;  // of the largest term of a constraint; 1e-9 is round-off
Linearization linearize(Mechanics& mechanics, const ImplicitEquations& equations,
                        const Replacements& op_point);
Linearization linearize(const KanesMethod& kane, const Replacements& op_point);
// Of Lagrange's, whose speeds are the rates of q; the multipliers are eliminated.
Linearization linearize(Mechanics& mechanics, const LagrangesMethod& lagrange,
                        const std::vector<Expression>& q_ind, const std::vector<Expression>& qd_ind,
                        const Replacements& op_point);

}  // namespace sestina::symbolic
