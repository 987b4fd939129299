// Equations of motion by Kane's or by Lagrange's method in one form, for whoever evaluates them:
//
//   q' = G(q, u, t)                                        (1)
//   M(q, t) u' = f(q, u, t) + a^T lambda                   (2)
//   c(q, t) = 0,   a(q, t) u + b(q, t) = 0,   a u' + d = 0  (3)
//
// Constraints stay what they are: no speed is singled out to follow from the others, so that no position is a
// singular one for that choice. lambda_k is the force along constraint k, as it is written in (3), as it acts
// on the system. Lagrange's method counts it against the constraint as it was given, whence the minus.
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
  // Chosen by KaneOptions; empty for Lagrange's method.
  std::vector<Expression> q_dependent, u_dependent;
  std::vector<Load> loads = {};
  // The rates of q by (1), and auxiliary speeds by zero, as expressions of the user's own want them.
  Replacements replacements;
};

MotionEquations motion_equations(const KanesMethod& kane);
MotionEquations motion_equations(Mechanics& mechanics, const LagrangesMethod& lagrange);

// All replacements in every element.
Matrix substitute(Mechanics& mechanics, const Matrix& matrix, const Replacements& replacements);

}  // namespace sestina::symbolic
