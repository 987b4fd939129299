#include "sestina/symbolic/kane.h"

#include <fmt/format.h>

#include <optional>

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

// Returns the elements at symbols = 0: an expression linear in `symbols` minus its linear part.
Matrix rest_of(Mechanics& mechanics, const Matrix& exprs, const std::vector<Expression>& symbols) {
  return substitute(mechanics.graph(), exprs, all_zero(symbols));
}

// Throws if the constraints are dependent. `speeds` names in the message what the factors K multiply.
void check_independent(Mechanics& mechanics, const Matrix& K, const std::vector<Expression>& constraints,
                       std::string_view what, std::string_view speeds) {
  const auto row = find_dependent_row(mechanics, K);
  if (!row) return;
  const std::string which = fmt::format("{} {}, {} = 0,", what, *row + 1, to_text(constraints[*row]));
  throw InputError(*row == 0 ? fmt::format("{} holds none of {}", which, speeds)
                             : fmt::format("{} follows from those before it, as far as {} go: "
                                           "constraints have to be linearly independent",
                                           which, speeds));
}

// Throws if the rates of speeds have other factors in the acceleration constraints than the speeds in the
// velocity constraints: each row of the former must depend on all of the latter.
void check_rates(Mechanics& mechanics, const Matrix& K, const Matrix& K_of_rates,
                 const std::vector<Expression>& accelerations) {
  for (std::size_t i = 0; i < K_of_rates.rows(); ++i) {
    Matrix all(K.rows() + 1, K.columns());
    all.set_block(0, 0, K);
    all.set_block(K.rows(), 0, K_of_rates.block(i, 0, 1, K.columns()));
    if (find_dependent_row(mechanics, all)) continue;
    throw InputError(
        fmt::format("acceleration constraint {}, {} = 0, is not the rate of a velocity "
                    "constraint, nor a sum of such rates times factors",
                    i + 1, to_text(accelerations[i])));
  }
}

bool are_identical(Mechanics& mechanics, const Matrix& a, const Matrix& b) {
  for (std::size_t i = 0; i < a.elements().size(); ++i) {
    if (!mechanics.identities().are_equal(a[i].in(mechanics.graph()), b[i].in(mechanics.graph())))
      return false;
  }
  return true;
}

}  // namespace

KanesMethod::KanesMethod(const ReferenceFrame& inertial, KaneOptions options, const std::vector<Body>& bodies,
                         const std::vector<Load>& loads)
    : mechanics_(&inertial.mechanics()),
      inertial_(inertial),
      options_(std::move(options)),
      q_(joined(options_.q_ind, options_.q_dependent)),
      u_(joined(options_.u_ind, options_.u_dependent)),
      loads_(loads) {
  check();
  check_bodies(bodies);
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
  check_variables(*mechanics_, joined(q_, joined(u_, options_.u_auxiliary)));
  check_orders();
}

// Checks the order of the derivatives of coordinates and speeds in each kind of equation.
void KanesMethod::check_orders() const {
  const std::vector<Expression> speeds = joined(u_, options_.u_auxiliary);
  const auto check_one = [&](const std::vector<Expression>& equations, int of_q, int of_u, const char* what,
                             const char* allowed) {
    for (const Expression& equation : equations) {
      auto beyond = find_above(*mechanics_, {equation}, q_, of_q);
      if (!beyond) beyond = find_above(*mechanics_, {equation}, speeds, of_u);
      if (!beyond) continue;
      throw InputError(fmt::format("the {} {} = 0 holds {}; allowed are {}", what, to_text(equation),
                                   to_text(*beyond), allowed));
    }
  };
  constexpr const char* kRates = "coordinates, their rates and speeds";
  check_one(options_.kd_eqs, 1, 0, "kinematic equation", kRates);
  check_one(options_.velocity_constraints, 1, 0, "velocity constraint", kRates);
  check_one(options_.configuration_constraints, 0, -1, "configuration constraint",
            "coordinates, neither their rates nor speeds");
  check_one(options_.acceleration_constraints, 2, 1, "acceleration constraint",
            "coordinates with their first and second rates, speeds and their rates");
}

// Checks that masses and inertias depend only on coordinates and time.
void KanesMethod::check_bodies(const std::vector<Body>& bodies) const {
  const std::vector<Expression> speeds = joined(u_, options_.u_auxiliary);
  const auto check_one = [&](const Body& body, const char* what, const std::vector<Expression>& elements) {
    auto beyond = find_above(*mechanics_, elements, speeds, -1);
    if (!beyond) beyond = find_above(*mechanics_, elements, q_, 0);
    if (!beyond) return;
    throw InputError(
        fmt::format("the {} of body {} depends on {}; allowed are coordinates, the time and other given "
                    "functions of it, neither speeds nor rates of coordinates",
                    what, name_of(body), to_text(*beyond)));
  };
  for (const Body& body : bodies) {
    check_one(body, "mass", {mass_of(body)});
    const auto* rigid = std::get_if<RigidBody>(&body);
    if (rigid == nullptr) continue;
    std::vector<Expression> moments;
    const Dyadic I = rigid->central_inertia();
    for (const Dyadic::Part& part : I.parts()) {
      for (const Triple& row : part.xyz) moments.insert(moments.end(), row.begin(), row.end());
    }
    check_one(body, "inertia", moments);
  }
}

// Solves (1).
void KanesMethod::solve_kinematics() {
  const std::vector<Expression> rates = rates_of(*mechanics_, q_);
  const Matrix equations = column(options_.kd_eqs);
  const std::vector<Expression> symbols = joined(rates, joined(u_, options_.u_auxiliary));
  const Matrix derivatives = jacobian(*mechanics_, equations, symbols);
  check_linear(*mechanics_, options_.kd_eqs, derivatives, symbols, "kinematic equation");
  k_q_ = derivatives.block(0, 0, q_.size(), q_.size());
  k_rest_ = rest_of(*mechanics_, equations, rates);
  const Matrix solution =
      solve_linear(*mechanics_, k_q_, -k_rest_,
                   {"the kinematic equations", rates, "kd_eqs must give the rate of every coordinate"});
  k_rest_ = rest_of(*mechanics_, k_rest_, options_.u_auxiliary);
  for (std::size_t i = 0; i < q_.size(); ++i) kindiffdict_.emplace_back(rates[i], solution[i]);
}

// Forms (5) and (6).
void KanesMethod::form_constraints() {
  if (u_.size() == options_.u_ind.size()) return;
  Graph& graph = mechanics_->graph();
  const Replacements no_auxiliary = all_zero(options_.u_auxiliary);
  const std::vector<Expression> speeds = joined(u_, options_.u_auxiliary);
  const std::size_t n = u_.size(), p = options_.u_ind.size(), m = n - p, a = speeds.size() - n;
  const Matrix constraints = substitute(graph, column(options_.velocity_constraints), kindiffdict_);
  const Matrix by_speeds = jacobian(*mechanics_, constraints, speeds);
  check_linear(*mechanics_, options_.velocity_constraints, by_speeds, speeds, "velocity constraint");
  const Matrix K = substitute(graph, by_speeds, no_auxiliary);
  K_ = K.block(0, 0, m, n);
  c_ = rest_of(*mechanics_, constraints, speeds);
  Matrix right = -K_.block(0, 0, m, p);
  if (a > 0) {
    Matrix all(m, p + a);
    all.set_block(0, 0, right);
    all.set_block(0, p, -K.block(0, n, m, a));
    right = all;
  }
  check_independent(*mechanics_, K_, options_.velocity_constraints, "velocity constraint", "the speeds");
  const Matrix solution =
      solve_linear(*mechanics_, K_.block(0, p, m, m), right,
                   {"the velocity constraints, solved for the dependent speeds", options_.u_dependent,
                    "take another speed as a dependent one in its place"});
  Ars_ = solution.block(0, 0, m, p);
  A_auxiliary_ = solution.block(0, p, m, a);
  form_acceleration_constraints(substitute(graph, constraints, no_auxiliary));
}

// Forms (6) by differentiating the velocity constraints, unless they are given. Given ones may be the rates
// times factors; K of both agrees only if they are the rates themselves.
void KanesMethod::form_acceleration_constraints(const Matrix& constraints) {
  Graph& graph = mechanics_->graph();
  const std::vector<Expression> rates = rates_of(*mechanics_, u_);
  const auto& given = options_.acceleration_constraints;
  if (!given.empty()) {
    Replacements rules = all_zero(joined(options_.u_auxiliary, rates_of(*mechanics_, options_.u_auxiliary)));
    append(rules, rates_in_motion());
    const Matrix accelerations = substitute(graph, column(given), rules);
    acceleration_K_ = jacobian(*mechanics_, accelerations, rates);
    check_linear(*mechanics_, given, acceleration_K_, rates, "acceleration constraint");
    check_independent(*mechanics_, acceleration_K_, given, "acceleration constraint",
                      "the rates of the speeds");
    check_rates(*mechanics_, K_, acceleration_K_, given);
    acceleration_rest_ = rest_of(*mechanics_, accelerations, rates);
    constraint_bias_ = acceleration_rest_;
    if (are_identical(*mechanics_, acceleration_K_, K_)) return;
  }
  Matrix differentiated(constraints.rows(), 1);
  for (std::size_t i = 0; i < constraints.rows(); ++i) {
    differentiated[i] = mechanics_->rate(constraints[i]);
  }
  Replacements rules;
  const Matrix coordinate_rates = calc_coordinate_rates();
  for (std::size_t i = 0; i < q_.size(); ++i) {
    rules.emplace_back(kindiffdict_[i].first, coordinate_rates[i]);
  }
  append(rules, all_zero(rates));
  constraint_bias_ = substitute(graph, differentiated, rules);
  if (!given.empty()) return;
  acceleration_K_ = K_;
  acceleration_rest_ = constraint_bias_;
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

  find_accelerations(loads, rules);

  KaneSums sums(*mechanics_, rules, u_.size());
  for (const Body& body : bodies) sums.add(body);
  for (const Load& load : loads) sums.add(load);
  Matrix M = substitute(graph, sums.mass_matrix(), no_auxiliary);  // (4)
  const Matrix h = substitute(graph, sums.bias(), no_auxiliary);
  const Matrix F = substitute(graph, sums.active(), no_auxiliary);  // (3)
  const Matrix by_rates = sums.active_by_rates();

  const std::size_t n = u_.size(), p = options_.u_ind.size(), m = n - p, a = speeds.size() - n;
  const Matrix rates = column(rates_of(*mechanics_, u_));
  fr_ = project(F);
  forcing_ = Matrix(n, 1);
  forcing_.set_block(0, 0, fr_ - project(h));
  if (by_rates.rows() > 0) {
    M = M - by_rates;
    fr_ = fr_ + project(by_rates) * rates;
  }
  const auto sum_along = [&](std::size_t first, std::size_t count) {
    return F.block(first, 0, count, 1) - h.block(first, 0, count, 1) - M.block(first, 0, count, n) * rates;
  };
  if (a > 0) auxiliary_eqs_ = sum_along(n, a);
  if (a > 0 && m > 0) auxiliary_eqs_ = auxiliary_eqs_ + A_auxiliary_.transpose() * sum_along(p, m);  // (7)
  unconstrained_mass_matrix_ = M.block(0, 0, n, n);
  unconstrained_forcing_ = F.block(0, 0, n, 1) - h.block(0, 0, n, 1);
  mass_matrix_ = Matrix(n, n);
  mass_matrix_.set_block(0, 0, project(M));
  if (m > 0) {
    mass_matrix_.set_block(p, 0, acceleration_K_);
    forcing_.set_block(p, 0, -acceleration_rest_);
  }
}

Matrix KanesMethod::project(const Matrix& along_all) const {
  const std::size_t p = options_.u_ind.size(), m = u_.size() - p, columns = along_all.columns();
  const Matrix independent = along_all.block(0, 0, p, columns);
  return m > 0 ? independent + Ars_.transpose() * along_all.block(p, 0, m, columns) : independent;
}

Replacements KanesMethod::rates_in_motion() const {
  Graph& graph = mechanics_->graph();
  const Matrix first = calc_coordinate_rates();
  Replacements replacements;
  for (std::size_t i = 0; i < q_.size(); ++i) replacements.emplace_back(kindiffdict_[i].first, first[i]);
  Matrix second(q_.size(), 1);
  for (std::size_t i = 0; i < q_.size(); ++i) second[i] = mechanics_->rate(first[i]);
  second = substitute(graph, second, replacements);
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const Expression acceleration = mechanics_->rate(kindiffdict_[i].first);
    // A speed may be the rate of a coordinate itself.
    if (acceleration != second[i]) replacements.emplace_back(acceleration, second[i]);
  }
  return replacements;
}

// Finds rates of speeds and second rates of coordinates in loads: the former are kept, the latter replaced by
// them through (1).
void KanesMethod::find_accelerations(const std::vector<Load>& loads, PieceRules& rules) const {
  const std::vector<Expression> speeds = joined(u_, options_.u_auxiliary);
  std::vector<Expression> all;
  for (const Load& load : loads) all = joined(std::move(all), elements_of(vector_of(load)));
  const bool has_second = find_above(*mechanics_, all, q_, 1).has_value();
  if (!has_second && !find_above(*mechanics_, all, speeds, 0)) return;
  for (const Load& load : loads) {
    auto beyond = find_above(*mechanics_, elements_of(vector_of(load)), speeds, 1);
    if (!beyond) beyond = find_above(*mechanics_, elements_of(vector_of(load)), q_, 2);
    if (!beyond) continue;
    throw InputError(fmt::format("{} holds {}; allowed are coordinates, speeds and, linear, their rates",
                                 describe(load), to_text(*beyond)));
  }
  Graph& graph = mechanics_->graph();
  for (const Expression& rate : rates_of(*mechanics_, u_)) rules.rates.push_back(rate.in(graph));
  Replacements at_motion =
      all_zero(joined(options_.u_auxiliary, rates_of(*mechanics_, options_.u_auxiliary)));
  append(at_motion, rates_in_motion());
  rules.loads = in_graph(graph, at_motion);
}

Matrix KanesMethod::frstar() const {
  const std::size_t p = options_.u_ind.size();
  const Matrix rates = column(rates_of(*mechanics_, u_));
  return forcing_.block(0, 0, p, 1) - fr_ - mass_matrix_.block(0, 0, p, u_.size()) * rates;
}

Matrix KanesMethod::mass_matrix_kin() const {
  if (!options_.explicit_kinematics) return k_q_;
  Matrix unit(q_.size(), q_.size());
  for (std::size_t i = 0; i < q_.size(); ++i) unit(i, i) = 1;
  return unit;
}

Matrix KanesMethod::forcing_kin() const {
  return options_.explicit_kinematics ? calc_coordinate_rates() : -k_rest_;
}

Matrix KanesMethod::mass_matrix_full() const {
  const std::size_t nq = q_.size(), nu = u_.size();
  Matrix full(nq + nu, nq + nu);
  full.set_block(0, 0, mass_matrix_kin());
  full.set_block(nq, nq, mass_matrix_);
  return full;
}

Matrix KanesMethod::forcing_full() const {
  const std::size_t nq = q_.size();
  Matrix full(nq + u_.size(), 1);
  full.set_block(0, 0, forcing_kin());
  full.set_block(nq, 0, forcing_);
  return full;
}

Matrix KanesMethod::calc_coordinate_rates() const {
  Matrix rates(q_.size(), 1);
  for (std::size_t i = 0; i < q_.size(); ++i) rates[i] = kindiffdict_[i].second;
  if (options_.u_auxiliary.empty()) return rates;
  return substitute(mechanics_->graph(), rates, all_zero(options_.u_auxiliary));
}

Matrix KanesMethod::rhs() const {
  const std::size_t nq = q_.size();
  Matrix result(nq + u_.size(), 1);
  result.set_block(0, 0, calc_coordinate_rates());
  result.set_block(nq, 0,
                   solve_linear(*mechanics_, mass_matrix_, forcing_,
                                {"the equations of motion", rates_of(*mechanics_, u_),
                                 "some mass or inertia must move with every speed"}));
  return result;
}

}  // namespace sestina::symbolic
