// The value of expressions for given values of their symbols, node by node.
//
// The order of operations is part of the meaning, since it determines the rounding; a tape keeps it too:
//   sum      its terms from left to right, the number last
//   product  (factors from left to right) / (divisors from left to right), then the coefficient: divided
//            by q when it is 1/q, multiplied otherwise
//   x^n      by repeated squaring for 2 <= |n| <= 16, by pow() otherwise
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sestina/expression/graph.h"

namespace sestina {

inline constexpr std::int64_t kMostFactors = 16;  // of a power that is evaluated by multiplication

// Returns base^exponent for 1 <= exponent <= kMostFactors.
template <class T, class Multiply>
T calc_small_power(const T& base, std::int64_t exponent, Multiply multiply) {
  if (exponent == 1) return base;
  const T half = calc_small_power(base, exponent / 2, multiply);
  const T square = multiply(half, half);
  return exponent % 2 == 0 ? square : multiply(square, base);
}

// Returns n > 0 if the factor is x^-n and is evaluated as a divisor x^n, otherwise 0.
inline std::int64_t divisor_exponent(const Graph& graph, Expr factor) {
  const auto exponent = graph.integer_exponent(factor);
  return exponent && *exponent < 0 && -*exponent <= kMostFactors ? -*exponent : 0;
}

template <class ValueOf>
double calc_sum(const Graph& graph, std::span<const Expr> terms, ValueOf value_of) {
  const bool has_number = graph.is_number(terms.front());
  double sum = value_of(terms[has_number ? 1 : 0]);
  for (const Expr term : terms.subspan(has_number ? 2 : 1)) sum += value_of(term);
  return has_number ? sum + value_of(terms.front()) : sum;
}

template <class ValueOf>
double calc_product(const Graph& graph, std::span<const Expr> factors, ValueOf value_of) {
  const bool has_number = graph.is_number(factors.front());
  double numerator = 1.0, denominator = 1.0;
  bool has_numerator = false;
  for (const Expr factor : factors.subspan(has_number ? 1 : 0)) {
    if (const std::int64_t n = divisor_exponent(graph, factor)) {
      denominator *=
          calc_small_power(value_of(graph.operands(factor)[0]), n, [](double a, double b) { return a * b; });
    } else {
      numerator *= value_of(factor);
      has_numerator = true;
    }
  }
  if (!has_number) return numerator / denominator;
  const Coefficient& coefficient = graph.number_of(factors.front());
  if (!has_numerator) return coefficient.value() / denominator;
  const double rest = numerator / denominator;
  if (!coefficient.is_exact() || std::abs(coefficient.numerator()) != 1) return rest * coefficient.value();
  return rest / static_cast<double>(coefficient.numerator() * coefficient.denominator());
}

template <class ValueOf>
double calc_power(const Graph& graph, Expr expr, ValueOf value_of) {
  const auto operands = graph.operands(expr);
  const double base = value_of(operands[0]);
  const auto exponent = graph.integer_exponent(expr);
  if (!exponent || std::abs(*exponent) > kMostFactors) return std::pow(base, value_of(operands[1]));
  const double power = calc_small_power(base, std::abs(*exponent), [](double a, double b) { return a * b; });
  return *exponent > 0 ? power : 1.0 / power;
}

// Evaluates a node that is not a symbol. `value_of(Expr) -> double` returns the values of its operands.
template <class ValueOf>
double calc_node(const Graph& graph, Expr expr, ValueOf value_of) {
  const auto operands = graph.operands(expr);
  const auto value = [&](std::size_t i) { return value_of(operands[i]); };
  const Op op = graph.op(expr);
  if (is_unary(op)) return calc_unary(op, value(0));
  switch (op) {
    case Op::kNumber:
      return graph.number_of(expr).value();
    case Op::kPi:
      return 3.14159265358979323846;
    case Op::kSum:
      return calc_sum(graph, operands, value_of);
    case Op::kProduct:
      return calc_product(graph, operands, value_of);
    case Op::kPower:
      return calc_power(graph, expr, value_of);
    case Op::kAtan2:
      return std::atan2(value(0), value(1));
    case Op::kMin:
      return calc_if_less_equal(value(0), value(1), value(0), value(1));
    case Op::kMax:
      return calc_if_less_equal(value(1), value(0), value(0), value(1));
    case Op::kIfLess:
      return calc_if_less(value(0), value(1), value(2), value(3));
    case Op::kIfLessEqual:
      return calc_if_less_equal(value(0), value(1), value(2), value(3));
    case Op::kTable:
      return graph.table_of(expr).calc(value(0), graph.table_order_of(expr));
    default:
      return std::nan("");
  }
}

// A symbol and its value.
using Binding = std::pair<Expr, double>;

// The cause of a value that is not finite.
struct NonFinite {
  Expr where;           // the innermost sub-expression at fault, together with the product around a divisor
  double value;         // inf, -inf or nan
  std::string message;  // "division by zero in 1/(l1 - l2)"
};

// Evaluates many expressions of one graph for the same values of its symbols. Each node is evaluated once,
// however many expressions share it. For repeated evaluation a Tape is much faster.
class Evaluator {
 public:
  explicit Evaluator(const Graph& graph) : graph_(graph) {}
  Evaluator(const Graph& graph, std::span<const Binding> bindings) : graph_(graph) {
    for (const auto& [symbol, value] : bindings) bind(symbol, value);
  }

  // Call this before the first expression that uses the symbol. A symbol without binding is nan.
  void bind(Expr symbol, double value) { values_[symbol.id] = value; }

  double operator()(Expr expr);
  // Returns the first sub-expression that is not finite although its operands are, on a branch that takes
  // effect; nothing if `expr` is finite.
  std::optional<NonFinite> find_non_finite(Expr expr);
  // Number of nodes in all evaluations so far, without the bound symbols.
  std::size_t evaluated_nodes() const { return evaluated_nodes_; }

 private:
  const Graph& graph_;
  std::unordered_map<std::uint32_t, double> values_;  // by id
  std::vector<Expr> pending_;                         // scratch
  std::size_t evaluated_nodes_ = 0;
};

// The same for one expression.
double evaluate(const Graph& graph, Expr expr, std::span<const Binding> bindings);
std::optional<NonFinite> find_non_finite(const Graph& graph, Expr expr, std::span<const Binding> bindings);

}  // namespace sestina
