#include "sestina/derivation/model_linearization.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "sestina/base/error.h"
#include "sestina/symbolic/eigenvalues.h"
#include "sestina/symbolic/steady_motion.h"

namespace sestina {

using symbolic::Matrix;

namespace {

// Error of a zero found by Newton's method.
constexpr double kRoundOff = 1e-13;

// Returns the decimal with 12 digits (relative to 1 or the value if that is larger) that equals the value up
// to round-off; otherwise the value.
double without_round_off(double value) {
  constexpr double kDecimal = 1e-14;
  if (std::abs(value) < kRoundOff) return 0.0;
  const double size = std::max(1.0, std::abs(value));
  const std::string digits = size > 1.0 ? fmt::format("{:.12g}", value) : fmt::format("{:.12f}", value);
  double decimal = value;
  std::from_chars(digits.data(), digits.data() + digits.size(), decimal);
  return std::abs(decimal - value) <= kDecimal * size ? decimal : value;
}

// Returns zero or a multiple of a quarter turn if the value equals it up to round-off.
std::optional<Expression> exact(symbolic::Mechanics& mechanics, double value) {
  constexpr double kQuarter = 1.57079632679489661923;
  const double quarters = std::round(value / kQuarter);
  if (std::abs(quarters) > 8.0 || std::abs(value - quarters * kQuarter) > kRoundOff) return std::nullopt;
  return static_cast<int>(quarters) * mechanics.wrap(mechanics.graph().pi()) / 2;
}

// Decides whether each equation can be assigned a coordinate of its own that occurs in it.
class Assignment {
 public:
  explicit Assignment(std::vector<std::vector<Expr>> coordinates_of) : of_(std::move(coordinates_of)) {}

  bool is_complete() {
    for (std::size_t equation = 0; equation < of_.size(); ++equation) {
      std::unordered_set<std::uint32_t> tried;
      if (!assign(equation, tried)) return false;
    }
    return true;
  }

 private:
  bool assign(std::size_t equation, std::unordered_set<std::uint32_t>& tried) {
    return std::ranges::any_of(of_[equation], [&](Expr coordinate) {
      if (!tried.insert(coordinate.id).second) return false;
      const auto owner = owner_.find(coordinate.id);
      if (owner != owner_.end() && !assign(owner->second, tried)) return false;
      owner_[coordinate.id] = equation;
      return true;
    });
  }

  std::vector<std::vector<Expr>> of_;
  std::unordered_map<std::uint32_t, std::size_t> owner_;
};

// True if these coordinates are at rest for all parameters: the remaining equations of rest must determine
// the other coordinates.
bool is_rest_of_all_parameters(const ModelEquations& equations, const symbolic::Replacements& at_rest) {
  symbolic::Mechanics& mechanics = equations.mechanics();
  Graph& graph = mechanics.graph();
  std::vector<std::vector<Expr>> coordinates_of;
  for (const Matrix& some : {equations.forcing(), Matrix(equations.norms())}) {
    const Matrix left_over = substitute(mechanics, some, at_rest);
    for (const Expression& e : left_over.elements()) {
      const Expr left = e.in(graph);
      if (mechanics.identities().is_zero(left)) continue;
      const std::vector<Expr> symbols = graph.free_symbols(left);
      coordinates_of.emplace_back();
      for (const Expression& q : equations.q()) {
        if (std::ranges::find(symbols, q.in(graph)) != symbols.end())
          coordinates_of.back().push_back(q.in(graph));
      }
    }
  }
  return Assignment(std::move(coordinates_of)).is_complete();
}

// Returns the state of rest, with symbols for coordinates that follow from the parameters.
symbolic::Replacements describe_rest(const ModelEquations& equations, const State<double>& state) {
  symbolic::Mechanics& mechanics = equations.mechanics();
  symbolic::Replacements speeds = {{mechanics.time(), state.t}};
  for (const Expression& u : equations.u()) speeds.emplace_back(u, 0);
  symbolic::Replacements rest = speeds;
  for (std::size_t i = 0; i < equations.q().size(); ++i) {
    if (const auto value = exact(mechanics, state.q[i])) rest.emplace_back(equations.q()[i], *value);
  }
  return is_rest_of_all_parameters(equations, rest) ? rest : speeds;
}

symbolic::Replacements describe_state(const ModelEquations& equations, const State<double>& state) {
  symbolic::Mechanics& mechanics = equations.mechanics();
  symbolic::Replacements all = {{mechanics.time(), state.t}};
  for (std::size_t i = 0; i < equations.q().size(); ++i) {
    all.emplace_back(equations.q()[i], exact(mechanics, state.q[i]).value_or(state.q[i]));
  }
  for (std::size_t i = 0; i < equations.u().size(); ++i) all.emplace_back(equations.u()[i], state.u[i]);
  return all;
}

// Returns the initial state, with symbols for coordinates and speeds that follow from parameters, such as
// `q: 2*q0`: a number would hold for one value of q0. Orientations remain numbers.
symbolic::Replacements describe_start(const Model& model, const ModelEquations& equations,
                                      const symbolic::Replacements& numbers) {
  std::vector<Dual> parameters;
  for (const ParameterInfo& parameter : model.parameters()) parameters.emplace_back(parameter.value);
  std::vector<bool> follows(numbers.size(), false);  // time, q, u
  const std::size_t nq = equations.q().size();
  for (Dual& parameter : parameters) {
    parameter.d = 1.0;
    const State<Dual> moved = calc_initial_state<Dual>(model, parameters);
    parameter.d = 0.0;
    for (std::size_t i = 0; i < nq; ++i) follows[1 + i] = follows[1 + i] || moved.q[i].d != 0.0;
    for (std::size_t i = 0; i < moved.u.size(); ++i) {
      follows[1 + nq + i] = follows[1 + nq + i] || moved.u[i].d != 0.0;
    }
  }
  for (const BodyInfo& body : model.bodies()) {
    if (body.nq == body.nu) continue;
    std::fill_n(follows.begin() + 1 + body.q_start, body.nq, false);
  }
  symbolic::Replacements start;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!follows[i]) start.push_back(numbers[i]);
  }
  return start;
}

State<double> find_state(const Model& model, const ModelEquations& equations,
                         const symbolic::ParameterValues& parameters, LinearizeAt at) {
  State<double> state = calc_initial_state(model);
  if (at == LinearizeAt::kInitialState || equations.q().empty()) return state;
  symbolic::ParameterValues guess;
  for (std::size_t i = 0; i < state.q.size(); ++i) guess.emplace_back(equations.q()[i], state.q[i]);
  // Forces that depend on time act as at the beginning.
  symbolic::ParameterValues numbers = parameters;
  numbers.emplace_back(equations.mechanics().time(), state.t);
  const symbolic::SteadyMotion rest = find_equilibrium(equations.motion(), numbers, guess);
  for (std::size_t i = 0; i < state.q.size(); ++i) {
    state.q[i] = without_round_off(rest.values[i].second);
  }
  std::ranges::fill(state.u, 0.0);
  return state;
}

// Returns all coordinates except the largest Euler parameter of each joint.
std::vector<Expression> independent_coordinates(const Model& model, const ModelEquations& equations,
                                                const State<double>& state) {
  std::vector<bool> is_left_out(state.q.size(), false);
  for (const BodyInfo& body : model.bodies()) {
    if (body.nq == body.nu) continue;
    const auto begin = state.q.begin() + body.q_start + body.nq - 4;
    const auto largest =
        std::max_element(begin, begin + 4, [](double a, double b) { return std::abs(a) < std::abs(b); });
    is_left_out[static_cast<std::size_t>(largest - state.q.begin())] = true;
  }
  std::vector<Expression> independent;
  for (std::size_t i = 0; i < state.q.size(); ++i) {
    if (!is_left_out[i]) independent.push_back(equations.q()[i]);
  }
  return independent;
}

double calc_largest_acceleration(const ModelEquations& equations, const symbolic::Replacements& at,
                                 const symbolic::ParameterValues& parameters) {
  symbolic::Mechanics& mechanics = equations.mechanics();
  const Matrix M = substitute(mechanics, equations.mass_matrix(), at),
               f = substitute(mechanics, equations.forcing(), at);
  symbolic::Replacements numbers;
  for (const auto& [symbol, value] : parameters) numbers.emplace_back(symbol, value);
  const Matrix udot = solve_linear(mechanics, substitute(mechanics, M, numbers),
                                   substitute(mechanics, f, numbers), "the equations of motion");
  symbolic::CompiledExpressions values(mechanics, udot.elements(), {}, {}, "the accelerations");
  double largest = 0.0;
  for (const double value : values({})) largest = std::max(largest, std::abs(value));
  return largest;
}

// Inserts numbers for coordinates in elements that do not depend on them, such as (q2 - q1)^2/sqrt((q2 -
// q1)^2)^2.
Matrix without_needless_symbols(symbolic::Mechanics& mechanics, const Matrix& matrix,
                                const symbolic::Replacements& numbers) {
  Matrix result = substitute(mechanics, matrix, numbers);
  for (std::size_t i = 0; i < result.elements().size(); ++i) {
    const Expr as_symbols = matrix[i].in(mechanics.graph()), as_numbers = result[i].in(mechanics.graph());
    if (!mechanics.identities().are_equal(as_symbols, as_numbers)) result[i] = matrix[i];
  }
  return result;
}

// Appends the values of the coordinates and speeds in A and B.
void append_values(const ModelEquations& equations, ModelLinearization& linearization) {
  Graph& graph = equations.mechanics().graph();
  std::vector<Expr> elements;
  for (const Matrix* matrix : {&linearization.linear.A, &linearization.linear.B}) {
    for (const Expression& e : matrix->elements()) elements.push_back(e.in(graph));
  }
  const std::vector<Expr> symbols = graph.free_symbols(elements);
  const auto append = [&](const std::vector<Expression>& of, const std::vector<double>& numbers) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (std::ranges::find(symbols, of[i].in(graph)) == symbols.end()) continue;
      linearization.values.emplace_back(of[i], numbers[i]);
    }
  };
  append(equations.q(), linearization.state.q);
  append(equations.u(), linearization.state.u);
}

}  // namespace

symbolic::ParameterValues parameter_values(const Model& model, const ModelEquations& equations) {
  symbolic::ParameterValues values;
  const std::vector<double> variables = calc_initial_state(model).d;
  for (std::size_t i = 0; i < equations.parameters().size(); ++i) {
    const std::size_t n = model.parameters().size();
    values.emplace_back(equations.parameters()[i], i < n ? model.parameters()[i].value : variables[i - n]);
  }
  return values;
}

ModelLinearization linearize_model(const Model& model, const ModelEquations& equations, LinearizeAt at) {
  if (!equations.conditions().empty()) {
    throw InputError(
        fmt::format("{}: equations of mechanisms with loops or constraints are not linearised with "
                    "symbols; analysis.type: modes and Model.linearize in Python do it with numbers",
                    equations.conditions().front().name));
  }
  symbolic::Mechanics& mechanics = equations.mechanics();
  const symbolic::ParameterValues parameters = parameter_values(model, equations);
  ModelLinearization result;
  result.at = at;
  result.state = find_state(model, equations, parameters, at);

  const symbolic::Replacements numbers = describe_state(equations, result.state);
  symbolic::Replacements op_point = at == LinearizeAt::kEquilibrium
                                        ? describe_rest(equations, result.state)
                                        : describe_start(model, equations, numbers);
  symbolic::ImplicitEquations implicit;
  implicit.q = equations.q();
  implicit.u = implicit.u_ind = equations.u();
  implicit.q_ind = independent_coordinates(model, equations, result.state);
  implicit.G = equations.coordinate_rates();
  implicit.W = equations.mass_matrix();
  implicit.F = equations.forcing();
  implicit.configuration = Matrix(equations.norms());
  implicit.is_rest = at == LinearizeAt::kEquilibrium;
  result.largest_acceleration = calc_largest_acceleration(equations, numbers, parameters);
  for (std::size_t i = 0; i < implicit.u.size(); ++i) {
    std::string name = "tau" + to_text(implicit.u[i]).substr(1);
    while (mechanics.graph().find_symbol(name).is_valid()) name += '_';
    const Expression force = mechanics.dynamicsymbol(name);
    implicit.F[i] += force;
    op_point.emplace_back(force, 0);
  }
  result.linear = linearize(mechanics, implicit, op_point);
  for (Matrix* matrix : {&result.linear.A, &result.linear.B}) {
    *matrix = without_needless_symbols(mechanics, *matrix, numbers);
  }
  result.values = parameters;
  append_values(equations, result);
  if (result.linear.A.rows() > 0) {
    result.eigenvalues = calc_eigenvalues(mechanics, result.linear.A, result.values);
  }
  return result;
}

}  // namespace sestina
