#include "sestina/symbolic/motion_equations.h"

#include "sestina/expression/substitution.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {

Matrix substitute(Mechanics& mechanics, const Matrix& matrix, const Replacements& replacements) {
  Graph& graph = mechanics.graph();
  std::vector<std::pair<Expr, Expr>> pairs;
  for (const auto& [from, to] : replacements) pairs.emplace_back(from.in(graph), to.in(graph));
  Substitution substitution(graph, pairs);
  Matrix result = matrix;
  for (std::size_t i = 0; i < matrix.elements().size(); ++i) {
    result[i] = mechanics.wrap(substitution(matrix[i].in(graph)));
  }
  return result;
}

MotionEquations motion_equations(const KanesMethod& kane) {
  Mechanics& mechanics = kane.mechanics();
  MotionEquations motion;
  motion.mechanics = &mechanics;
  motion.q = kane.q();
  motion.u = kane.u();
  motion.G = kane.calc_coordinate_rates();
  motion.M = kane.unconstrained_mass_matrix();
  motion.f = kane.unconstrained_forcing();
  motion.a = kane.velocity_constraint_matrix();
  motion.b = kane.velocity_constraint_rest();
  motion.d = kane.velocity_constraint_bias();
  motion.c = Matrix(kane.options().configuration_constraints);
  motion.q_dependent = kane.options().q_dependent;
  motion.u_dependent = kane.options().u_dependent;
  motion.loads = kane.loads();
  std::vector<Expression> all = motion.q;
  all.insert(all.end(), motion.u.begin(), motion.u.end());
  for (const Matrix* matrix : {&motion.G, &motion.M, &motion.f, &motion.a, &motion.b, &motion.d, &motion.c}) {
    all.insert(all.end(), matrix->elements().begin(), matrix->elements().end());
  }
  motion.multipliers = name_multipliers(mechanics, motion.a.rows(), all);
  for (std::size_t i = 0; i < motion.q.size(); ++i) {
    motion.replacements.emplace_back(mechanics.rate(motion.q[i]), motion.G[i]);
  }
  for (const Expression& e : kane.options().u_auxiliary) {
    motion.replacements.emplace_back(e, 0);
    motion.replacements.emplace_back(mechanics.rate(e), 0);
  }
  return motion;
}

MotionEquations motion_equations(Mechanics& mechanics, const LagrangesMethod& lagrange) {
  MotionEquations motion;
  motion.mechanics = &mechanics;
  motion.q = lagrange.q();
  Replacements at_rest;
  for (const Expression& q : motion.q) {
    motion.u.push_back(mechanics.rate(q));
    at_rest.emplace_back(motion.u.back(), 0);
  }
  motion.multipliers = lagrange.lam_vec();
  motion.loads = lagrange.loads();
  motion.G = Matrix(motion.u);
  motion.M = lagrange.mass_matrix();
  motion.f = lagrange.forcing();
  if (const std::size_t m = motion.multipliers.size(); m > 0) {
    motion.a = lagrange.lam_coeffs();
    motion.b = -substitute(mechanics, Matrix(lagrange.velocity_constraints()), at_rest);
    motion.d = lagrange.augmented_forcing().block(motion.q.size(), 0, m, 1);
  }
  motion.c = Matrix(lagrange.configuration_constraints());
  return motion;
}

}  // namespace sestina::symbolic
