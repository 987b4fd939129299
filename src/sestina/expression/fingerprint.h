// Whether two expressions are the same function, decided in microseconds.
//
// Every symbol takes a random value in a finite field (integers modulo a prime, extended by i, i^2 = -1),
// and expressions are evaluated there, without rounding (Schwartz 1980). Expressions that agree for all
// values of their symbols always have equal fingerprints; two that differ have equal ones with a probability
// of about degree/2^57 at each point that is tried. There are at least two, one modulo 2^61 - 1 and one
// modulo 3 2^55 - 1: to be taken for 1, a number that is not has to be 1 modulo their product, 2.5e35.
//
//   numbers        of any size, exactly; a double is a fraction of a power of two
//   sin, cos       exp(i a) for every angle a is a random point on the unit circle of the field, for a sum
//                  of whole (or 1/2, 1/3, ...) multiples of angles the product of their powers: addition
//                  theorems, double and half angles hold exactly, also with multiples of pi/2^k and pi/(3
//                  2^k)
//   exp, sinh ...  likewise over the multiplicative group
//   sign           1 for numbers that are squares in the field, as positive numbers are, -1 for the others
//   abs            the number times its sign
//   sqrt           the root that is a square itself, of others than squares that of -a, times i: sqrt(x^2) is
//                  abs(x) and not x, and sqrt(x) sqrt(y) is not sqrt(x y), which has a value for negative x
//                  and y as well. Positive numbers come out before: sqrt(12 x) is 2 sqrt(3) sqrt(x). Where
//                  there are roots and signs, expressions have to agree at 64 points, and these are such that
//                  what is positive by its form, as x^2 + 1 is, is a square there.
//   the rest       log, atan2, conditions, tables ...: random values that belong to their arguments. They are
//                  equal where their arguments are, but no other identity between them is seen.
//
// So "equal" is certain to that probability. That fingerprints differ is certain to mean that the expressions
// do for polynomials, fractions, roots of positive numbers, and sines, cosines and exponentials of
// polynomials in symbols whose products of sums are written out. Elsewhere it is a value at some point, with
// bounds of its rounding, that tells them apart; where values agree at all points that are tried, it is not
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

  // Nothing where the expression divides by zero at the random point: then it does so (almost surely) always.
  std::optional<FieldNumber> calc(Expr expr);
  // Of what has been calculated: whether a denominator is a multiple of the prime, which tells nothing.
  bool is_undefined(Expr expr) const { return values_[expr.id].is_undefined; }
  // Whether there is a square root, a magnitude or a sign in it.
  bool has_root(Expr expr) const { return values_[expr.id].has_root; }
  // Whether all that is positive by its form has a value that is a square.
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
  FieldNumber calc_exponential(Expr argument) const;
  FieldNumber calc_root(Expr square) const;
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

  // Whether they are known to be.
  bool is_zero(Expr expr);
  bool are_equal(Expr a, Expr b);
  // Whether they are the same function. It fails where one of them has a real value and the other none, and
  // is unknown where neither has one.
  Identity compare(Expr a, Expr b);
  // Whether it is known that they are not.
  bool differ(Expr a, Expr b) { return compare(a, b) == Identity::kFails; }

 private:
  template <class Holds>
  bool holds_at_all_points(std::initializer_list<Expr> exprs, Holds holds);
  template <class Holds>
  bool holds_for_signs(std::initializer_list<Expr> exprs, Holds holds);
  Fingerprinter& point(std::size_t i);

  const Graph& graph_;
  std::vector<Fingerprinter> points_;  // those beyond two when they are needed first
};

}  // namespace sestina
