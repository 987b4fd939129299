#include "sestina/expression/expression.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <cmath>
#include <initializer_list>

#include "sestina/base/error.h"
#include "sestina/expression/print.h"

namespace sestina {
namespace {

// Returns the graph of the operands that have symbols; functions of numbers fold there by its rules.
Graph* common_graph(std::initializer_list<const Expression*> expressions) {
  Graph* graph = nullptr;
  for (const Expression* e : expressions) {
    assert(!graph || !e->graph() || graph == e->graph());
    if (e->graph()) graph = e->graph();
  }
  return graph;
}

// Checks a power or function of a number. A graph keeps the operation itself if its value is not a number;
// without a graph nothing can represent it. Sums, products, differences and quotients follow the rules of
// doubles: formulations for any scalar rely on that.
template <class Describe>
Expression checked(const Coefficient& value, bool may_be_zero, Describe operation) {
  if (std::isnan(value.value())) throw InputError(fmt::format("{} is not a real number", operation()));
  if (!value.is_finite()) throw InputError(fmt::format("{} is beyond the range of numbers", operation()));
  if (value.value() == 0.0 && !may_be_zero) {
    throw InputError(fmt::format("{} is too small for a number other than zero", operation()));
  }
  return Expression(value);
}

// Checks a result of finite numbers and symbols: (1e308*x)*10 would otherwise appear as x/0.
Expression checked(Graph& graph, Expr result, const Expression& a, const char* operation,
                   const Expression& b) {
  const auto is_faulty = [&](const Expression& e) { return graph.has_constant_fault(e.in(graph)); };
  if (!graph.has_constant_fault(result) || is_faulty(a) || is_faulty(b)) return {graph, result};
  constexpr std::size_t kLongest = 40;
  throw InputError(fmt::format("({}) {} ({}) has a number that is beyond the range of numbers",
                               to_text(graph, a.in(graph), kLongest), operation,
                               to_text(graph, b.in(graph), kLongest)));
}

bool is_nan(const Expression& number) { return std::isnan(number.number().value()); }

Expression unary(Op op, const Expression& a) {
  if (Graph* graph = a.graph()) {
    const Expr argument = a.in(*graph), result = graph->unary(op, argument);
    if (graph->has_constant_fault(result) && !graph->has_constant_fault(argument)) {
      throw InputError(fmt::format("{}({}) has no value", function_name(op), to_text(a)));
    }
    return {*graph, result};
  }
  Graph scratch;  // exact if the function is, such as cos(0)
  const Expr result = scratch.unary(op, a.in(scratch));
  if (scratch.is_number(result)) return Expression(scratch.number_of(result));
  if (!a.number().is_finite()) return calc_unary(op, a.number().value());
  return checked(Coefficient(calc_unary(op, a.number().value())), true,
                 [&] { return fmt::format("{}({})", function_name(op), to_text(a)); });
}

}  // namespace

Expr Expression::in(Graph& graph) const {
  assert(!graph_ || graph_ == &graph);
  return graph_ ? expr_ : graph.number(number_);
}

bool Expression::is_zero() const {
  if (!graph_) return number_.is_zero();
  return graph_->is_number(expr_) && graph_->number_of(expr_).is_zero();
}

bool Expression::is_one() const {
  if (!graph_) return number_.is_one();
  return graph_->is_number(expr_) && graph_->number_of(expr_).is_one();
}

bool operator==(const Expression& a, const Expression& b) {
  Graph* const graph = common_graph({&a, &b});
  return graph ? a.in(*graph) == b.in(*graph) : a.number_ == b.number_;
}

Expression Expression::operator-() const { return Expression(0) - *this; }

Expression operator+(const Expression& a, const Expression& b) {
  if (Graph* const graph = common_graph({&a, &b})) {
    return checked(*graph, graph->add(a.in(*graph), b.in(*graph)), a, "+", b);
  }
  return Expression(a.number_ + b.number_);
}

Expression operator-(const Expression& a, const Expression& b) {
  if (Graph* const graph = common_graph({&a, &b})) {
    return checked(*graph, graph->subtract(a.in(*graph), b.in(*graph)), a, "-", b);
  }
  return Expression(a.number_ + -b.number_);
}

Expression operator*(const Expression& a, const Expression& b) {
  if (Graph* const graph = common_graph({&a, &b})) {
    return checked(*graph, graph->multiply(a.in(*graph), b.in(*graph)), a, "*", b);
  }
  return Expression(a.number_ * b.number_);
}

Expression operator/(const Expression& a, const Expression& b) {
  if (Graph* const graph = common_graph({&a, &b})) {
    const Expr quotient = graph->divide(a.in(*graph), b.in(*graph));
    const bool is_by_zero = graph->constant_value(b.in(*graph)) == 0.0;  // a visible division by zero
    return is_by_zero ? Expression(*graph, quotient) : checked(*graph, quotient, a, "/", b);
  }
  const auto inverse = b.number_.power(Coefficient::fraction(-1, 1));
  if (inverse) return Expression(a.number_ * *inverse);
  return a.number_.value() / b.number_.value();
}

Expression symbol(Graph& graph, std::string_view name) { return {graph, graph.symbol(name)}; }
Expression fraction(int numerator, int denominator) {
  return Expression(numerator) / Expression(denominator);
}

Expression pow(const Expression& base, const Expression& exponent) {
  if (Graph* const graph = common_graph({&base, &exponent})) {
    return {*graph, graph->power(base.in(*graph), exponent.in(*graph))};
  }
  if (const auto power = base.number().power(exponent.number())) return Expression(*power);
  if (!base.number().is_finite() || !exponent.number().is_finite()) {
    return std::pow(base.number().value(), exponent.number().value());
  }
  const auto operation = [&] {
    const auto text = [](const Expression& e) {
      const std::string plain = to_text(e);
      return plain.find_first_of("-/") == std::string::npos ? plain : "(" + plain + ")";
    };
    return text(base) + "^" + text(exponent);
  };
  if (base.is_zero()) throw InputError(operation() + " divides by zero");
  const bool is_exact = base.number().is_rational() && !base.number().is_decimal();
  const double value = std::pow(base.number().value(), exponent.number().value());
  if (is_exact && exponent.number().is_integer() && std::isfinite(value) && value != 0.0) {
    throw InputError(operation() + " has more digits than an exact number may have");
  }
  return checked(Coefficient(value), false, operation);
}

Expression sqrt(const Expression& a) { return unary(Op::kSqrt, a); }
Expression sin(const Expression& a) { return unary(Op::kSin, a); }
Expression cos(const Expression& a) { return unary(Op::kCos, a); }
Expression tan(const Expression& a) { return unary(Op::kTan, a); }
Expression asin(const Expression& a) { return unary(Op::kAsin, a); }
Expression acos(const Expression& a) { return unary(Op::kAcos, a); }
Expression atan(const Expression& a) { return unary(Op::kAtan, a); }
Expression sinh(const Expression& a) { return unary(Op::kSinh, a); }
Expression cosh(const Expression& a) { return unary(Op::kCosh, a); }
Expression tanh(const Expression& a) { return unary(Op::kTanh, a); }
Expression exp(const Expression& a) { return unary(Op::kExp, a); }
Expression log(const Expression& a) { return unary(Op::kLog, a); }
Expression abs(const Expression& a) { return unary(Op::kAbs, a); }
Expression sign(const Expression& a) { return unary(Op::kSign, a); }

Expression atan2(const Expression& y, const Expression& x) {
  if (Graph* const graph = common_graph({&y, &x})) return {*graph, graph->atan2(y.in(*graph), x.in(*graph))};
  return std::atan2(y.number().value(), x.number().value());
}

Expression min(const Expression& a, const Expression& b) {
  if (Graph* const graph = common_graph({&a, &b})) return {*graph, graph->min(a.in(*graph), b.in(*graph))};
  if (is_nan(a) || is_nan(b)) return std::nan("");
  return b.number() < a.number() ? b : a;
}

Expression max(const Expression& a, const Expression& b) {
  if (Graph* const graph = common_graph({&a, &b})) return {*graph, graph->max(a.in(*graph), b.in(*graph))};
  if (is_nan(a) || is_nan(b)) return std::nan("");
  return a.number() < b.number() ? b : a;
}

Expression if_less(const Expression& a, const Expression& b, const Expression& yes, const Expression& no) {
  if (Graph* const graph = common_graph({&a, &b, &yes, &no})) {
    return {*graph, graph->if_less(a.in(*graph), b.in(*graph), yes.in(*graph), no.in(*graph))};
  }
  if (is_nan(a) || is_nan(b)) return std::nan("");
  return a.number() < b.number() ? yes : no;
}

Expression diff(const Expression& of, const Expression& symbol) {
  assert(symbol.graph());
  Graph& graph = *symbol.graph();
  return {graph, graph.diff(of.in(graph), symbol.in(graph))};
}

std::string to_text(const Expression& expression) {
  if (expression.graph()) return to_text(*expression.graph(), expression.in(*expression.graph()));
  Graph scratch;
  return to_text(scratch, expression.in(scratch));
}

}  // namespace sestina
