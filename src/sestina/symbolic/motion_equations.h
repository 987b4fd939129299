// Equations of motion by Kane's or by Lagrange's method in a common form for evaluation:
//
//   q' = G(q, u, t)                                        (1)
//   M(q, t) u' = f(q, u, t) + a^T lambda                   (2)
//   c(q, t) = 0,   a(q, t) u + b(q, t) = 0,   a u' + d = 0  (3)
//
// No speed is treated as dependent, so that no position is singular because of such a choice. lambda_k is the
// force along constraint k, in the form of (3), that acts on the system. Lagrange's method counts it against
// the given constraint, hence the minus.
//
//   here   Kane                          Lagrange
//   u      all speeds                    the rates of q
//   M, f   M, F - h, unconstrained       mass_matrix, forcing
//   a, b   K, c                          lam_coeffs, minus the rest of the constraints
//   c      configuration constraints     holonomic constraints
#pragma once

#include <vector>

#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/lagrange.h"

namespace sestina::symbolic {

struct MotionEquations {
  Mechanics* mechanics = nullptr;
  std::vector<Expression> q, u, multipliers;
  Matrix G, M, f, a, b, d, c;
  // The choice in KaneOptions; empty for Lagrange's method.
  std::vector<Expression> q_dependent, u_dependent;
  std::vector<Load> loads = {};
  // Replaces the rates of q by (1) and auxiliary speeds by zero in expressions of the user.
  Replacements replacements;
};

MotionEquations motion_equations(const KanesMethod& kane);
MotionEquations motion_equations(Mechanics& mechanics, const LagrangesMethod& lagrange);

// Makes all replacements in every element.
Matrix substitute(Mechanics& mechanics, const Matrix& matrix, const Replacements& replacements);

}  // namespace sestina::symbolic
