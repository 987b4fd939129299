#include "sestina/expression/expression.h"

#include <array>
#include <cassert>
#include <initializer_list>

#include "sestina/expression/print.h"

namespace sestina {
namespace {

// A graph for what only numbers take part in: functions of numbers fold there by the same rules.
Graph* common_graph(std::initializer_list<const Expression*> expressions) {
  Graph* graph = nullptr;
  for (const Expression* e : expressions) {
    assert(!graph || !e->graph() || graph == e->graph());
    if (e->graph()) graph = e->graph();
  }
  return graph;
}

Expression unary(Op op, const Expression& a) {
  if (a.graph()) return {*a.graph(), a.graph()->unary(op, a.in(*a.graph()))};
  Graph scratch;  // exact where the function is, such as cos(0)
  const Expr result = scratch.unary(op, a.in(scratch));
  if (scratch.is_number(result)) return Expression(scratch.number_of(result));
  return calc_unary(op, a.number().value());
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
  if (Graph* const graph = common_graph({&a, &b})) return {*graph, graph->add(a.in(*graph), b.in(*graph))};
  return Expression(a.number_ + b.number_);
}

Expression operator-(const Expression& a, const Expression& b) {
  if (Graph* const graph = common_graph({&a, &b})) {
    return {*graph, graph->subtract(a.in(*graph), b.in(*graph))};
  }
  return Expression(a.number_ + -b.number_);
}

Expression operator*(const Expression& a, const Expression& b) {
  if (Graph* const graph = common_graph({&a, &b})) {
    return {*graph, graph->multiply(a.in(*graph), b.in(*graph))};
  }
  return Expression(a.number_ * b.number_);
}

Expression operator/(const Expression& a, const Expression& b) {
  if (Graph* const graph = common_graph({&a, &b})) return {*graph, graph->divide(a.in(*graph), b.in(*graph))};
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
  return std::pow(base.number().value(), exponent.number().value());
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
  return b.number() < a.number() ? b : a;
}

Expression max(const Expression& a, const Expression& b) {
  if (Graph* const graph = common_graph({&a, &b})) return {*graph, graph->max(a.in(*graph), b.in(*graph))};
  return a.number() < b.number() ? b : a;
}

Expression if_less(const Expression& a, const Expression& b, const Expression& yes, const Expression& no) {
  if (Graph* const graph = common_graph({&a, &b, &yes, &no})) {
    return {*graph, graph->if_less(a.in(*graph), b.in(*graph), yes.in(*graph), no.in(*graph))};
  }
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
