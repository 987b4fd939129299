// Linearisation of equations of motion about a state, if necessary with dependent coordinates and speeds
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
// Derivatives are taken before the state is inserted, so that symbols that remain in the state (a forward
// speed, say) are exact in the result.
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

// Equations (1), (2); u' comes first in z.
struct ImplicitEquations {
  std::vector<Expression> q, u, q_ind, u_ind;
  // Symbols that a state may name though they are not in (1) and (2): auxiliary speeds, multipliers.
  std::vector<Expression> others;
  Matrix G, W, F, configuration, velocity;
  // z vanishes at the state, even if symbols related by (1) do not show it.
  bool is_rest = false;
};

// `op_point` replaces coordinates, speeds and parameters, all at once; anything it leaves out stays a symbol.
// Its keys are functions of time of the system or their derivatives, expressions that occur in (1) and (2),
// and any constants, since a parameter may drop out of the equations; other keys, such as a coordinate of
// another system, are an InputError. Inputs are the functions of time in (1) and (2) that are neither
// coordinates nor speeds; a drive r in f_c adds its derivatives r' and r'' as inputs. Throws InputError if
// (2) has not as many constraints as there are dependent coordinates and speeds, if numbers of the state
// violate them by more than kMostViolation, if (2) does not determine the dependent ones at the state, or if
// W is singular there.
inline constexpr double kMostViolation = 1e-4;  // of a constraint's largest term; 1e-9 is round-off
Linearization linearize(Mechanics& mechanics, const ImplicitEquations& equations,
                        const Replacements& op_point);
Linearization linearize(const KanesMethod& kane, const Replacements& op_point);
// Linearises Lagrange's equations, whose speeds are the rates of q; multipliers are eliminated.
Linearization linearize(Mechanics& mechanics, const LagrangesMethod& lagrange,
                        const std::vector<Expression>& q_ind, const std::vector<Expression>& qd_ind,
                        const Replacements& op_point);

}  // namespace sestina::symbolic
