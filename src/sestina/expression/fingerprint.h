// Decides in microseconds whether two expressions are the same function.
//
// Every symbol takes a random value in a finite field (integers modulo a prime, extended by i, i^2 = -1), and
// expressions are evaluated there without rounding (Schwartz 1980). Expressions that agree for all values of
// their symbols always have equal fingerprints; different ones have equal ones with a probability of about
// degree/2^57 at each point. There are at least two points, one modulo 2^61 - 1 and one modulo 3 2^55 - 1: a
// number other than 1 is taken for 1 only if it is 1 modulo their product, 2.5e35.
//
//   numbers        of any size, exactly; a double is a fraction of a power of two
//   sin, cos       exp(i a) for every angle a is a random point on the unit circle of the field, for a sum
//                  of whole (or 1/2, 1/3, ...) multiples of angles the product of their powers: addition
//                  theorems, double and half angles hold exactly, also with multiples of pi/2^k and
//                  pi/(3 2^k)
//   exp, sinh ...  the same in the multiplicative group
//   sign           1 for numbers that are squares in the field, as positive numbers are, -1 for the others
//   abs            the number times its sign
//   sqrt           the root that is a square itself; if a is not a square, the root of -a, times i:
//                  sqrt(x^2) is abs(x) and not x, and sqrt(x) sqrt(y) is not sqrt(x y), which has a value for
//                  negative x and y as well. Positive numbers are extracted: sqrt(12 x) is 2 sqrt(3) sqrt(x).
//                  If there are roots and signs, expressions must agree at 64 points, which are chosen so
//                  that an expression that is positive by its form, such as x^2 + 1, is a square there.
//   asin, atan     random values; odd. acos(u) is pi/2 - asin(u). Circular functions of whole multiples of
//                  them are what they are in u: cos(asin(u)) is sqrt(1 - u^2)
//   log            the sum of the logarithms of the factors that are positive by their form, and of a random
//                  value for what is left: log(12 x) is 2 log(2) + log(3) + log(x). exp(n log(u)) is u^n
//   the rest       atan2, conditions, tables ...: random values that depend on their arguments. They are
//                  equal if their arguments are; no other identity between them is found.
//
// "Equal" is therefore certain to that probability. Different fingerprints prove that the expressions
// differ for polynomials, fractions, roots of positive numbers, and for sines, cosines and exponentials
// of polynomials in symbols whose products of sums are expanded. For other expressions values at some
// points, with bounds of their rounding, prove it; if these values agree at all points, the result is not
// known.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "sestina/expression/graph.h"
#include "sestina/expression/prime_field.h"

namespace sestina {

// The values of the expressions of one graph at one random point.
class Fingerprinter {
 public:
  Fingerprinter(const Graph& graph, std::uint64_t seed, const PrimeField& field = kFields[0])
      : graph_(graph), seed_(seed), field_(field) {}

  static std::uint64_t seed_of_point(std::size_t i);

  // Returns nothing for a division by zero at the random point, which then (almost surely) occurs always.
  std::optional<FieldNumber> calc(Expr expr);
  // For a calculated expression: true if a denominator is a multiple of the prime; its value has no meaning.
  bool is_undefined(Expr expr) const { return values_[expr.id].is_undefined; }
  // True if the expression contains a square root, a magnitude or a sign.
  bool has_root(Expr expr) const { return values_[expr.id].has_root; }
  // True if every sub-expression that is positive by its form has a value that is a square.
  bool takes_signs(Expr expr) const { return values_[expr.id].takes_signs; }

 private:
  struct Value {
    FieldNumber number;
    bool is_known = false;
    bool is_finite = true;
    bool is_undefined = false;
    bool has_root = false;
    bool is_nonnegative = false;  // by its form
    bool takes_signs = true;
  };
  Value calc_node(Expr expr) const;
  void add_signs(Expr expr, Value& value) const;
  bool is_nonnegative(Expr expr) const;
  std::optional<FieldNumber> calc_power(Expr expr) const;
  FieldNumber calc_circle(Expr angle) const;
  std::optional<FieldNumber> calc_circle_of_arc(Expr arc) const;
  FieldNumber calc_exponential(Expr argument) const;
  FieldNumber calc_odd(Op op, Expr argument) const;
  FieldNumber calc_logarithm(Expr argument) const;
  FieldNumber log_of_integer(std::int64_t n) const;
  FieldNumber log_of_number(const Coefficient& positive) const;
  FieldNumber calc_root(Expr square) const;
  FieldNumber pi() const;
  std::optional<FieldNumber> calc_sign(Expr expr) const;
  FieldNumber calc_opaque(std::uint64_t kind, Expr expr) const;
  FieldNumber calc_call(Expr expr) const;
  FieldNumber root_of_integer(std::int64_t n) const;
  FieldNumber root_of_number(const Coefficient& positive) const;
  FieldNumber value(Expr expr) const { return values_[expr.id].number; }

  const Graph& graph_;
  std::uint64_t seed_;
  PrimeField field_;
  std::vector<Value> values_;  // by id
};

enum class Identity { kHolds, kFails, kUnknown };

// Remembers the fingerprints of a graph that may grow.
class IdentityTest {
 public:
  explicit IdentityTest(const Graph& graph);

  // True if they are known to be zero, or equal.
  bool is_zero(Expr expr);
  bool are_equal(Expr a, Expr b);
  // Compares the functions. They differ if only one of them has a real value, except where that is for the
  // range of a logarithm or an arc; unknown if neither has one.
  Identity compare(Expr a, Expr b);
  // True if they are known to differ.
  bool differ(Expr a, Expr b) { return compare(a, b) == Identity::kFails; }

 private:
  template <class Holds>
  bool holds_at_all_points(std::initializer_list<Expr> exprs, Holds holds);
  template <class Holds>
  bool holds_for_signs(std::initializer_list<Expr> exprs, Holds holds);
  Fingerprinter& point(std::size_t i);

  const Graph& graph_;
  std::vector<Fingerprinter> points_;  // those beyond two are made when first needed
};

}  // namespace sestina
