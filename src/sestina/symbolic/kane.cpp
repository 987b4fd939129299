#include "sestina/symbolic/kane.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/expression/substitution.h"
#include "sestina/symbolic/kane_sums.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {
namespace {

Matrix column(const std::vector<Expression>& elements) { return Matrix(elements); }

std::vector<Expression> joined(std::vector<Expression> a, const std::vector<Expression>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::pair<Expr, Expr>> in_graph(Graph& graph, const Replacements& replacements) {
  std::vector<std::pair<Expr, Expr>> pairs;
  for (const auto& [from, to] : replacements) pairs.emplace_back(from.in(graph), to.in(graph));
  return pairs;
}

Matrix substitute(Graph& graph, const Matrix& matrix, const Replacements& replacements) {
  Substitution substitution(graph, in_graph(graph, replacements));
  Matrix result = matrix;
  for (std::size_t i = 0; i < matrix.elements().size(); ++i) {
    result[i] = Expression(graph, substitution(matrix[i].in(graph)));
  }
  return result;
}

Replacements all_zero(const std::vector<Expression>& symbols) {
  Replacements replacements;
  for (const Expression& symbol : symbols) replacements.emplace_back(symbol, 0);
  return replacements;
}

void append(Replacements& a, const Replacements& b) { a.insert(a.end(), b.begin(), b.end()); }

std::vector<Expression> rates_of(Mechanics& mechanics, const std::vector<Expression>& variables) {
  std::vector<Expression> rates;
  for (const Expression& variable : variables) rates.push_back(mechanics.rate(variable));
  return rates;
}

// The difference of elements that are linear in `symbols` and their linear part: what stands there at zero.
Matrix rest_of(Mechanics& mechanics, const Matrix& exprs, const std::vector<Expression>& symbols) {
  return substitute(mechanics.graph(), exprs, all_zero(symbols));
}

}  // namespace

KanesMethod::KanesMethod(const ReferenceFrame& inertial, KaneOptions options, const std::vector<Body>& bodies,
                         const std::vector<Load>& loads)
    : mechanics_(&inertial.mechanics()),
      inertial_(inertial),
      options_(std::move(options)),
      q_(joined(options_.q_ind, options_.q_dependent)),
      u_(joined(options_.u_ind, options_.u_dependent)) {
  check();
  solve_kinematics();
  form_constraints();
  form_motion(bodies, loads);
}

void KanesMethod::check() const {
  const auto compare = [](std::size_t a, std::string_view of_a, std::size_t b, std::string_view of_b) {
    if (a != b) throw InputError(fmt::format("there are {} {}, but {} {}", a, of_a, b, of_b));
  };
  compare(options_.kd_eqs.size(), "kinematic equations", q_.size(), "coordinates");
  compare(options_.velocity_constraints.size(), "velocity constraints", options_.u_dependent.size(),
          "dependent speeds");
  compare(options_.configuration_constraints.size(), "configuration constraints", options_.q_dependent.size(),
          "dependent coordinates");
  if (!options_.acceleration_constraints.empty()) {
    compare(options_.acceleration_constraints.size(), "acceleration constraints", options_.u_dependent.size(),
            "dependent speeds");
  }
  const TimeVariables& variables = mechanics_->variables();
  for (const Expression& e : joined(q_, joined(u_, options_.u_auxiliary))) {
    if (e.graph() && variables.is_variable(e.in(*e.graph())) &&
        e.graph()->op(e.in(*e.graph())) == Op::kSymbol) {
      continue;
    }
    throw InputError(fmt::format("{} is no function of time, as coordinates and speeds are", to_text(e)));
  }
}

// (1)
void KanesMethod::solve_kinematics() {
  const std::vector<Expression> rates = rates_of(*mechanics_, q_);
  const Matrix equations = column(options_.kd_eqs);
  k_q_ = jacobian(*mechanics_, equations, rates);
  k_rest_ = rest_of(*mechanics_, equations, rates);
  const Matrix solution = solve_linear(*mechanics_, k_q_, -k_rest_, "the kinematic equations");
  for (std::size_t i = 0; i < q_.size(); ++i) kindiffdict_.emplace_back(rates[i], solution[i]);
}

// (5)
void KanesMethod::form_constraints() {
  if (u_.size() == options_.u_ind.size()) return;
  Graph& graph = mechanics_->graph();
  Replacements rules = all_zero(options_.u_auxiliary);
  Substitution without_auxiliary(graph, in_graph(graph, rules));
  for (const auto& [rate, value] : kindiffdict_) {
    rules.emplace_back(rate, Expression(graph, without_auxiliary(value.in(graph))));
  }
  const Matrix constraints = substitute(graph, column(options_.velocity_constraints), rules);
  K_ = jacobian(*mechanics_, constraints, u_);
  c_ = rest_of(*mechanics_, constraints, u_);
  const std::vector<Expression> rates = rates_of(*mechanics_, u_);
  Matrix accelerations(constraints.rows(), 1);
  for (std::size_t i = 0; i < constraints.rows(); ++i) {
    accelerations[i] = options_.acceleration_constraints.empty() ? mechanics_->rate(constraints[i])
                                                                 : options_.acceleration_constraints[i];
  }
  append(rules, all_zero(rates));
  append(rules, all_zero(rates_of(*mechanics_, options_.u_auxiliary)));
  constraint_bias_ = substitute(graph, accelerations, rules);
  const std::size_t p = options_.u_ind.size(), m = options_.u_dependent.size();
  Ars_ = solve_linear(*mechanics_, K_.block(0, p, m, m), -K_.block(0, 0, m, p), "the velocity constraints");
}

void KanesMethod::form_motion(const std::vector<Body>& bodies, const std::vector<Load>& loads) {
  Graph& graph = mechanics_->graph();
  const std::vector<Expression> speeds = joined(u_, options_.u_auxiliary);
  PieceRules rules;
  rules.inertial = inertial_.index();
  for (const Expression& u : speeds) rules.speeds.push_back(u.in(graph));
  rules.coordinates = in_graph(graph, kindiffdict_);
  const Replacements no_auxiliary = all_zero(options_.u_auxiliary);
  Substitution without_auxiliary(graph, in_graph(graph, no_auxiliary));
  rules.remainder = in_graph(graph, all_zero(rates_of(*mechanics_, speeds)));
  for (const auto& [rate, value] : rules.coordinates)
    rules.remainder.emplace_back(rate, without_auxiliary(value));
  for (const auto& pair : in_graph(graph, no_auxiliary)) rules.remainder.push_back(pair);

  KaneSums sums(*mechanics_, rules, u_.size());
  for (const Body& body : bodies) sums.add(body);
  for (const Load& load : loads) sums.add(load);
  const Matrix M = substitute(graph, sums.mass_matrix(), no_auxiliary);  // (4)
  const Matrix h = substitute(graph, sums.bias(), no_auxiliary);
  const Matrix F = substitute(graph, sums.active(), no_auxiliary);  // (3)

  const std::size_t n = u_.size(), p = options_.u_ind.size(), m = n - p, a = speeds.size() - n;
  const Matrix rates = column(rates_of(*mechanics_, u_));
  if (a > 0) auxiliary_eqs_ = F.block(n, 0, a, 1) - h.block(n, 0, a, 1) - M.block(n, 0, a, n) * rates;
  fr_ = F.block(0, 0, p, 1);
  Matrix top = M.block(0, 0, p, n), bias = h.block(0, 0, p, 1);
  if (m > 0) {  // (6)
    const Matrix projection = Ars_.transpose();
    fr_ = fr_ + projection * F.block(p, 0, m, 1);
    top = top + projection * M.block(p, 0, m, n);
    bias = bias + projection * h.block(p, 0, m, 1);
  }
  mass_matrix_ = Matrix(n, n);
  mass_matrix_.set_block(0, 0, top);
  forcing_ = Matrix(n, 1);
  forcing_.set_block(0, 0, fr_ - bias);
  if (m > 0) {
    mass_matrix_.set_block(p, 0, K_);
    forcing_.set_block(p, 0, -constraint_bias_);
  }
}

Matrix KanesMethod::frstar() const {
  const std::size_t p = options_.u_ind.size();
  const Matrix rates = column(rates_of(*mechanics_, u_));
  return forcing_.block(0, 0, p, 1) - fr_ - mass_matrix_.block(0, 0, p, u_.size()) * rates;
}

Matrix KanesMethod::mass_matrix_full() const {
  const std::size_t nq = q_.size(), nu = u_.size();
  Matrix full(nq + nu, nq + nu);
  if (options_.explicit_kinematics) {
    for (std::size_t i = 0; i < nq; ++i) full(i, i) = 1;
  } else {
    full.set_block(0, 0, k_q_);
  }
  full.set_block(nq, nq, mass_matrix_);
  return full;
}

Matrix KanesMethod::forcing_full() const {
  const std::size_t nq = q_.size();
  Matrix full(nq + u_.size(), 1);
  for (std::size_t i = 0; i < nq; ++i) {
    full[i] = options_.explicit_kinematics ? kindiffdict_[i].second : -k_rest_[i];
  }
  full.set_block(nq, 0, forcing_);
  return full;
}

Matrix KanesMethod::calc_coordinate_rates() const {
  Matrix rates(q_.size(), 1);
  for (std::size_t i = 0; i < q_.size(); ++i) rates[i] = kindiffdict_[i].second;
  return rates;
}

Matrix KanesMethod::rhs() const {
  const std::size_t nq = q_.size();
  Matrix result(nq + u_.size(), 1);
  result.set_block(0, 0, calc_coordinate_rates());
  result.set_block(nq, 0, solve_linear(*mechanics_, mass_matrix_, forcing_, "the equations of motion"));
  return result;
}

}  // namespace sestina::symbolic
