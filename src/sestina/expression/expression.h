// Expressions as values: arithmetic in the notation of formulas.
//
//   Graph graph;
//   const Expression m = symbol(graph, "m"), q = symbol(graph, "q");
//   const Expression energy = m * pow(q, 2) / 2 - cos(q);
//
// A number belongs to no graph until it meets a symbol. A power or function of such numbers that has no
// value, such as sqrt(-1) or 2^10000, is an InputError; 1/0 is infinity. Sums, products and quotients with
// symbols whose numbers combine to a result beyond the range, such as (1e308*x)*10, are errors too; x/0 is
// kept. Two expressions with symbols must belong to the same graph. Every operator adds to the graph, so that
// only one thread at a time may work on a graph.
#pragma once

#include <string>
#include <string_view>

#include "sestina/expression/graph.h"

namespace sestina {

class Expression {
 public:
  Expression() = default;                                    // 0
  Expression(double value) : number_(Coefficient(value)) {}  // 0.1 is 1/10: see Coefficient
  Expression(int value) : number_(Coefficient::fraction(value, 1)) {}
  explicit Expression(const Coefficient& value) : number_(value) {}
  Expression(Graph& graph, Expr expr) : graph_(&graph), expr_(expr) {}

  Graph* graph() const { return graph_; }                // null for a number
  Expr in(Graph& graph) const;                           // the node; `graph` is its own, if it has one
  const Coefficient& number() const { return number_; }  // without a graph

  bool is_zero() const;  // the number 0; IdentityTest finds other expressions that vanish
  bool is_one() const;
  // True for the same node.
  friend bool operator==(const Expression& a, const Expression& b);

  Expression operator-() const;
  Expression operator+() const { return *this; }
  Expression& operator+=(const Expression& b) { return *this = *this + b; }
  Expression& operator-=(const Expression& b) { return *this = *this - b; }
  Expression& operator*=(const Expression& b) { return *this = *this * b; }
  Expression& operator/=(const Expression& b) { return *this = *this / b; }
  friend Expression operator+(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a, const Expression& b);
  friend Expression operator*(const Expression& a, const Expression& b);
  friend Expression operator/(const Expression& a, const Expression& b);

 private:
  Graph* graph_ = nullptr;
  Expr expr_;
  Coefficient number_;
};

Expression symbol(Graph& graph, std::string_view name);
Expression fraction(int numerator, int denominator);

Expression pow(const Expression& base, const Expression& exponent);
Expression sqrt(const Expression& a);
Expression sin(const Expression& a);
Expression cos(const Expression& a);
Expression tan(const Expression& a);
Expression asin(const Expression& a);
Expression acos(const Expression& a);
Expression atan(const Expression& a);
Expression sinh(const Expression& a);
Expression cosh(const Expression& a);
Expression tanh(const Expression& a);
Expression exp(const Expression& a);
Expression log(const Expression& a);
Expression abs(const Expression& a);
Expression sign(const Expression& a);
Expression atan2(const Expression& y, const Expression& x);
Expression min(const Expression& a, const Expression& b);
Expression max(const Expression& a, const Expression& b);
// Returns a < b ? yes : no.
Expression if_less(const Expression& a, const Expression& b, const Expression& yes, const Expression& no);

Expression diff(const Expression& of, const Expression& symbol);
std::string to_text(const Expression& expression);

}  // namespace sestina
