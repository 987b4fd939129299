#include "sestina/symbolic/linearize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_set>

#include "sestina/base/error.h"
#include "sestina/expression/substitution.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {
namespace {

std::vector<Expr> roots_of(Graph& graph, const ImplicitEquations& equations) {
  std::vector<Expr> roots;
  for (const Matrix* matrix :
       {&equations.F, &equations.W, &equations.G, &equations.velocity, &equations.configuration}) {
    for (const Expression& e : matrix->elements()) roots.push_back(e.in(graph));
  }
  return roots;
}

std::string list_of(const std::vector<Expression>& symbols) {
  constexpr std::size_t kMost = 12;  // names in a message
  std::string text;
  for (std::size_t i = 0; i < std::min(symbols.size(), kMost); ++i) {
    text += (i > 0 ? ", " : "") + to_text(symbols[i]);
  }
  return symbols.size() > kMost ? text + " ..." : text;
}

// Rejects replacements of expressions that do not occur in the system: they would silently have no effect.
void check_op_point(Mechanics& mechanics, const ImplicitEquations& equations, const Replacements& op_point) {
  Graph& graph = mechanics.graph();
  const TimeVariables& variables = mechanics.variables();
  std::unordered_set<std::uint32_t> known, bases;  // the latter of functions of time
  const auto add = [&](Expr node) {
    known.insert(node.id);
    if (variables.is_variable(node)) bases.insert(variables.base(node).id);
  };
  for (const Expr node : graph.reachable(roots_of(graph, equations))) add(node);
  for (const auto* symbols : {&equations.q, &equations.u, &equations.others}) {
    for (const Expression& e : *symbols) add(e.in(graph));
  }
  for (const auto& [from, to] : op_point) {
    for (const Expression* e : {&from, &to}) {
      if (e->graph() == nullptr || e->graph() == &graph) continue;
      throw InputError(fmt::format("op_point: {} belongs to another Mechanics", to_text(*e)));
    }
    if (from.graph() == nullptr) {
      throw InputError(fmt::format("op_point: {} is a number, which nothing can replace", to_text(from)));
    }
    const Expr node = from.in(graph);
    const bool is_variable = variables.is_variable(node);
    const bool is_constant = !is_variable && graph.op(node) == Op::kSymbol;
    if (known.contains(node.id) || is_constant) continue;
    if (is_variable && bases.contains(variables.base(node).id)) continue;
    throw InputError(
        fmt::format("op_point: {} is {}; allowed are the coordinates {}, the speeds {}, their "
                    "rates, constants, and expressions in the equations",
                    to_text(from),
                    is_variable ? "a function of time that is not of this system"
                                : "an expression that does not occur in the equations",
                    list_of(equations.q), list_of(equations.u)));
  }
}

class Linearizer {
 public:
  Linearizer(Mechanics& mechanics, const ImplicitEquations& equations, const Replacements& op_point)
      : mechanics_(mechanics),
        graph_(mechanics.graph()),
        equations_(equations),
        at_state_(graph_, in_graph(op_point)) {}

  Linearization linearize() {
    check_state(equations_.configuration, "configuration");
    check_state(equations_.velocity, "velocity");
    find_inputs();
    form_variations();
    form_unknowns();
    return assemble();
  }

 private:
  std::vector<std::pair<Expr, Expr>> in_graph(const Replacements& replacements) const {
    std::vector<std::pair<Expr, Expr>> pairs;
    for (const auto& [from, to] : replacements) pairs.emplace_back(from.in(graph_), to.in(graph_));
    return pairs;
  }

  Matrix at_state(const Matrix& matrix) {
    Matrix result = matrix;
    for (std::size_t i = 0; i < matrix.elements().size(); ++i) {
      result[i] = mechanics_.wrap(at_state_(matrix[i].in(graph_)));
      if (mechanics_.identities().is_zero(result[i].in(graph_))) result[i] = 0;
    }
    return result;
  }

  Matrix derivative(const Matrix& of, const std::vector<Expression>& by) {
    return at_state(jacobian(mechanics_, of, by));
  }

  static std::vector<std::size_t> places(const std::vector<Expression>& of,
                                         const std::vector<Expression>& in) {
    std::vector<std::size_t> found;
    for (const Expression& e : of) {
      const auto at = std::find(in.begin(), in.end(), e);
      if (at == in.end()) throw InputError("'" + to_text(e) + "' is independent, but no coordinate or speed");
      found.push_back(static_cast<std::size_t>(at - in.begin()));
    }
    return found;
  }

  static std::vector<std::size_t> others(const std::vector<std::size_t>& places, std::size_t count) {
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::find(places.begin(), places.end(), i) == places.end()) rest.push_back(i);
    }
    return rest;
  }

  static Matrix columns(const Matrix& matrix, const std::vector<std::size_t>& places) {
    Matrix result(matrix.rows(), places.size());
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
      for (std::size_t j = 0; j < places.size(); ++j) result(i, j) = matrix(i, places[j]);
    }
    return result;
  }

  static constexpr const char* kOtherChoice = "take it as an independent one, and another as dependent";

  static std::vector<Expression> picked(const std::vector<Expression>& from,
                                        const std::vector<std::size_t>& places) {
    std::vector<Expression> found;
    for (const std::size_t i : places) found.push_back(from[i]);
    return found;
  }

  // Names for the unknowns z. Multipliers are the last of `others`.
  EquationNames motion_names() const {
    std::vector<Expression> unknowns;
    for (const Expression& u : equations_.u) unknowns.push_back(mechanics_.rate(u));
    const std::size_t rest = std::min(equations_.W.columns() - unknowns.size(), equations_.others.size());
    unknowns.insert(unknowns.end(), equations_.others.end() - static_cast<std::ptrdiff_t>(rest),
                    equations_.others.end());
    return {
        "the equations of motion at the state", unknowns,
        "some mass or inertia must move with every speed, and no constraint may follow from others there"};
  }

  // Returns the value at the state if it is a number.
  std::optional<double> number_at_state(Expr expr) { return graph_.constant_value(at_state_(expr)); }

  // Returns the size of the terms of a constraint at the state, or of its coordinates' and speeds' parts.
  double scale_at_state(Expr constraint) {
    double largest = 0.0;
    const auto take = [&](Expr term) {
      largest = std::max(largest, std::abs(number_at_state(term).value_or(0.0)));
    };
    if (graph_.op(constraint) == Op::kSum) {
      for (const Expr term : graph_.operands(constraint)) take(term);
    }
    for (const auto* variables : {&equations_.q, &equations_.u}) {
      for (const Expression& e : *variables) {
        const Expr node = e.in(graph_);
        take(graph_.multiply(graph_.diff(constraint, node), node));
      }
    }
    return largest;
  }

  // Rejects numbers that do not satisfy a constraint.
  void check_state(const Matrix& constraints, const char* what) {
    constexpr double kRoundOff = 1e-9;
    constexpr std::size_t kShort = 120;  // limit for a text in a message
    for (std::size_t k = 0; k < constraints.elements().size(); ++k) {
      const Expr constraint = constraints[k].in(graph_);
      const auto value = number_at_state(constraint);
      if (!value || std::abs(*value) <= kRoundOff) continue;
      if (std::abs(*value) <= kMostViolation * scale_at_state(constraint)) continue;
      std::string text = to_text(constraints[k]);
      if (text.size() > kShort) text = fmt::format("number {}", k + 1);
      throw InputError(fmt::format("the state violates the {} constraint {}: it is {:.4g} there, not 0", what,
                                   text, *value));
    }
  }

  void find_inputs() {
    const auto is_known = [&](const Expression& e) {
      return std::find(equations_.q.begin(), equations_.q.end(), e) != equations_.q.end() ||
             std::find(equations_.u.begin(), equations_.u.end(), e) != equations_.u.end();
    };
    for (const Expr symbol : graph_.free_symbols(roots_of(graph_, equations_))) {
      if (mechanics_.variables().is_variable(symbol) && !is_known(mechanics_.wrap(symbol))) {
        result_.inputs.push_back(mechanics_.wrap(symbol));
      }
    }
  }

  // Puts ones into the rows of the independent variables and the solution into those of the others.
  static Matrix scatter(const std::vector<std::size_t>& independent,
                        const std::vector<std::size_t>& dependent, const Matrix& solution, bool has_ones) {
    Matrix result(independent.size() + dependent.size(), solution.columns());
    for (std::size_t j = 0; has_ones && j < independent.size(); ++j) result(independent[j], j) = 1;
    for (std::size_t i = 0; i < dependent.size(); ++i) {
      for (std::size_t j = 0; j < solution.columns(); ++j) result(dependent[i], j) = solution(i, j);
    }
    return result;
  }

  // Forms (3).
  void form_variations() {
    const auto qi = places(equations_.q_ind, equations_.q), ui = places(equations_.u_ind, equations_.u);
    const auto qd = others(qi, equations_.q.size()), ud = others(ui, equations_.u.size());
    check_count(qd.size(), equations_.configuration.rows(), equations_.q.size(), "coordinates",
                "configuration");
    check_count(ud.size(), equations_.velocity.rows(), equations_.u.size(), "speeds", "velocity");
    const std::vector<Expression>& r = result_.inputs;
    Matrix q_by_q(0, qi.size()), q_by_r(0, r.size()), u_by_q(0, qi.size()), u_by_u(0, ui.size()),
        u_by_r(0, r.size());
    if (!qd.empty()) {
      const Matrix c = derivative(equations_.configuration, equations_.q);
      const Matrix right = joined(-columns(c, qi), -derivative(equations_.configuration, r));
      const Matrix solution = solve_linear(
          mechanics_, columns(c, qd), right,
          {"the configuration constraints at the state", picked(equations_.q, qd), kOtherChoice});
      q_by_q = solution.block(0, 0, qd.size(), qi.size());
      q_by_r = solution.block(0, qi.size(), qd.size(), r.size());
    }
    result_.C0 = scatter(qi, qd, q_by_q, true);
    result_.D0 = scatter(qi, qd, q_by_r, false);
    if (!ud.empty()) {
      const Matrix v_q = derivative(equations_.velocity, equations_.q);
      const Matrix v_u = derivative(equations_.velocity, equations_.u);
      const Matrix v_r = derivative(equations_.velocity, r);
      const Matrix pivot = columns(v_u, ud);
      const EquationNames names("the velocity constraints at the state", picked(equations_.u, ud),
                                kOtherChoice);
      u_by_q = solve_linear(mechanics_, pivot, -(v_q * result_.C0), names);
      u_by_u = solve_linear(mechanics_, pivot, -columns(v_u, ui), names);
      u_by_r = solve_linear(mechanics_, pivot, -(v_q * result_.D0 + v_r), names);
    }
    result_.C1 = scatter(ui, ud, u_by_q, false);
    result_.C2 = scatter(ui, ud, u_by_u, true);
    result_.D1 = scatter(ui, ud, u_by_r, false);
    q_places_ = qi;
    u_places_ = ui;
  }

  // The number of constraints must be that of the dependent variables.
  static void check_count(std::size_t dependent, std::size_t constraints, std::size_t all, const char* what,
                          const char* of) {
    if (dependent == constraints) return;
    throw InputError(fmt::format(
        "the number of independent {0} is {1}, but must be {2}: all are {3}, and the number of {4} "
        "constraints is {5}",
        what, all - dependent, constraints <= all ? all - constraints : 0, all, of, constraints));
  }

  static Matrix joined(const Matrix& a, const Matrix& b) {
    Matrix result(a.rows(), a.columns() + b.columns());
    result.set_block(0, 0, a);
    result.set_block(0, a.columns(), b);
    return result;
  }

  // Computes z at the state, and the derivatives of R = W z - F for constant z.
  void form_unknowns() {
    const Matrix W = at_state(equations_.W);
    const Matrix z = equations_.is_rest ? Matrix(W.rows(), 1)
                                        : solve_linear(mechanics_, W, at_state(equations_.F), motion_names());
    // W_q z contains symbols for z, which are replaced by their values afterwards.
    std::vector<std::pair<Expr, Expr>> values;
    Matrix held(z.rows(), 1);
    for (std::size_t i = 0; i < z.rows(); ++i) {
      held[i] = mechanics_.symbol("z[" + std::to_string(i) + "]");
      values.emplace_back(held[i].in(graph_), z[i].in(graph_));
    }
    Substitution insert(graph_, values);
    const Matrix R = equations_.W * held - equations_.F;
    const auto by = [&](const std::vector<Expression>& symbols) {
      Matrix partial = derivative(R, symbols);
      for (std::size_t i = 0; i < partial.elements().size(); ++i) {
        partial[i] = mechanics_.wrap(insert(partial[i].in(graph_)));
        if (mechanics_.identities().is_zero(partial[i].in(graph_))) partial[i] = 0;
      }
      return partial;
    };
    const Matrix R_q = by(equations_.q), R_u = by(equations_.u), R_r = by(result_.inputs);
    const std::size_t nq = result_.C0.columns(), nu = result_.C2.columns(), nr = R_r.columns();
    Matrix right(R.rows(), nq + nu + nr);
    right.set_block(0, 0, R_q * result_.C0 + R_u * result_.C1);
    right.set_block(0, nq, R_u * result_.C2);
    right.set_block(0, nq + nu, R_q * result_.D0 + R_u * result_.D1 + R_r);
    dz_ = solve_linear(mechanics_, W, -right, motion_names());  // (4)
  }

  // Assembles (5).
  Linearization assemble() {
    const std::size_t nq = result_.C0.columns(), nu = result_.C2.columns(), nr = result_.inputs.size();
    const Matrix G_q = derivative(equations_.G, equations_.q), G_u = derivative(equations_.G, equations_.u);
    const Matrix by_q = G_q * result_.C0 + G_u * result_.C1, by_u = G_u * result_.C2;
    const Matrix by_r = G_q * result_.D0 + G_u * result_.D1 + derivative(equations_.G, result_.inputs);
    result_.A = Matrix(nq + nu, nq + nu);
    result_.B = Matrix(nq + nu, nr);
    for (std::size_t i = 0; i < nq; ++i) {
      for (std::size_t j = 0; j < nq; ++j) result_.A(i, j) = by_q(q_places_[i], j);
      for (std::size_t j = 0; j < nu; ++j) result_.A(i, nq + j) = by_u(q_places_[i], j);
      for (std::size_t j = 0; j < nr; ++j) result_.B(i, j) = by_r(q_places_[i], j);
    }
    for (std::size_t i = 0; i < nu; ++i) {
      for (std::size_t j = 0; j < nq + nu; ++j) result_.A(nq + i, j) = dz_(u_places_[i], j);
      for (std::size_t j = 0; j < nr; ++j) result_.B(nq + i, j) = dz_(u_places_[i], nq + nu + j);
    }
    result_.states = equations_.q_ind;
    result_.states.insert(result_.states.end(), equations_.u_ind.begin(), equations_.u_ind.end());
    return std::move(result_);
  }

  Mechanics& mechanics_;
  Graph& graph_;
  const ImplicitEquations& equations_;
  Substitution at_state_;
  Linearization result_;
  std::vector<std::size_t> q_places_, u_places_;
  Matrix dz_;
};

}  // namespace

Linearization linearize(Mechanics& mechanics, const ImplicitEquations& equations,
                        const Replacements& op_point) {
  check_op_point(mechanics, equations, op_point);
  return Linearizer(mechanics, equations, op_point).linearize();
}

Linearization linearize(const KanesMethod& kane, const Replacements& op_point) {
  ImplicitEquations equations;
  equations.q = kane.q();
  equations.u = kane.u();
  equations.q_ind = kane.options().q_ind;
  equations.u_ind = kane.options().u_ind;
  equations.others = kane.options().u_auxiliary;
  equations.G = kane.calc_coordinate_rates();
  equations.W = kane.mass_matrix();
  equations.F = kane.forcing();
  equations.configuration = Matrix(kane.options().configuration_constraints);
  if (kane.u().size() > equations.u_ind.size()) {
    equations.velocity =
        kane.velocity_constraint_matrix() * Matrix(kane.u()) + kane.velocity_constraint_rest();
  }
  return linearize(kane.mechanics(), equations, op_point);
}

Linearization linearize(Mechanics& mechanics, const LagrangesMethod& lagrange,
                        const std::vector<Expression>& q_ind, const std::vector<Expression>& qd_ind,
                        const Replacements& op_point) {
  ImplicitEquations equations;
  equations.q = lagrange.q();
  for (const Expression& q : lagrange.q()) equations.u.push_back(mechanics.rate(q));
  equations.q_ind = q_ind;
  equations.u_ind = qd_ind;
  equations.others = lagrange.lam_vec();
  equations.G = Matrix(equations.u);
  equations.W = lagrange.augmented_mass_matrix();
  equations.F = lagrange.augmented_forcing();
  equations.configuration = Matrix(lagrange.configuration_constraints());
  equations.velocity = Matrix(lagrange.velocity_constraints());
  return linearize(mechanics, equations, op_point);
}

}  // namespace sestina::symbolic
