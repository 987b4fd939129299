#include "sestina/derivation/model_linearization.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sestina/symbolic/eigenvalues.h"
#include "sestina/symbolic/steady_motion.h"

namespace sestina {

using symbolic::Matrix;

namespace {

// What Newton's method leaves of a zero.
constexpr double kRoundOff = 1e-13;

// The decimal of 12 digits, beside 1 or the value if that is larger, that Newton's method has found but for
// round-off; else the value.
double without_round_off(double value) {
  constexpr double kDecimal = 1e-14;
  if (std::abs(value) < kRoundOff) return 0.0;
  const double size = std::max(1.0, std::abs(value));
  const std::string digits = size > 1.0 ? fmt::format("{:.12g}", value) : fmt::format("{:.12f}", value);
  double decimal = value;
  std::from_chars(digits.data(), digits.data() + digits.size(), decimal);
  return std::abs(decimal - value) <= kDecimal * size ? decimal : value;
}

// A coordinate, exact where it is zero or a quarter of a turn and so forth to round-off.
Expression exact(symbolic::Mechanics& mechanics, double value) {
  constexpr double kQuarter = 1.57079632679489661923;
  const double quarters = std::round(value / kQuarter);
  if (std::abs(quarters) > 8.0 || std::abs(value - quarters * kQuarter) > kRoundOff) return value;
  return static_cast<int>(quarters) * mechanics.wrap(mechanics.graph().pi()) / 2;
}

State<double> find_state(const Model& model, const ModelEquations& equations,
                         const symbolic::ParameterValues& parameters, LinearizeAt at) {
  State<double> state = calc_initial_state(model);
  if (at == LinearizeAt::kInitialState || equations.q().empty()) return state;
  symbolic::ParameterValues guess;
  for (std::size_t i = 0; i < state.q.size(); ++i) guess.emplace_back(equations.q()[i], state.q[i]);
  // Forces that depend on the time act as they do at the beginning.
  symbolic::ParameterValues numbers = parameters;
  numbers.emplace_back(equations.mechanics().time(), state.t);
  const symbolic::SteadyMotion rest = find_equilibrium(equations.motion(), numbers, guess);
  for (std::size_t i = 0; i < state.q.size(); ++i) {
    state.q[i] = without_round_off(rest.values[i].second);
  }
  std::ranges::fill(state.u, 0.0);
  return state;
}

// All coordinates but, of each joint's Euler parameters, the largest.
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
  symbolic::Mechanics& mechanics = equations.mechanics();
  const symbolic::ParameterValues parameters = parameter_values(model, equations);
  ModelLinearization result;
  result.at = at;
  result.state = find_state(model, equations, parameters, at);

  symbolic::Replacements op_point = {{mechanics.time(), result.state.t}};
  for (std::size_t i = 0; i < equations.q().size(); ++i) {
    op_point.emplace_back(equations.q()[i], exact(mechanics, result.state.q[i]));
  }
  symbolic::ImplicitEquations implicit;
  implicit.q = equations.q();
  implicit.u = implicit.u_ind = equations.u();
  implicit.q_ind = independent_coordinates(model, equations, result.state);
  implicit.G = equations.coordinate_rates();
  implicit.W = equations.mass_matrix();
  implicit.F = equations.forcing();
  implicit.configuration = Matrix(equations.norms());
  for (std::size_t i = 0; i < implicit.u.size(); ++i) {
    op_point.emplace_back(implicit.u[i], result.state.u[i]);
  }
  result.largest_acceleration = calc_largest_acceleration(equations, op_point, parameters);
  for (std::size_t i = 0; i < implicit.u.size(); ++i) {
    std::string name = "tau" + to_text(implicit.u[i]).substr(1);
    while (mechanics.graph().find_symbol(name).is_valid()) name += '_';
    const Expression force = mechanics.dynamicsymbol(name);
    implicit.F[i] += force;
    op_point.emplace_back(force, 0);
  }
  result.linear = linearize(mechanics, implicit, op_point);
  if (result.linear.A.rows() > 0) {
    result.eigenvalues = calc_eigenvalues(mechanics, result.linear.A, parameters);
  }
  return result;
}

}  // namespace sestina
