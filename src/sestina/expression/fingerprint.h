// Whether two expressions are the same function, decided in microseconds.
//
// Every symbol takes a random value in the finite field of p = 2^61 - 1 elements (extended by i, i^2 = -1),
// and expressions are evaluated there, without rounding (Schwartz 1980). Expressions that agree for all
// values of their symbols always have equal fingerprints; two that differ have equal ones with a probability
// of about degree/2^61 for each of the two points that are tried.
//
//   numbers        fractions by modular inversion; a double is a fraction of a power of two
//   sin, cos       exp(i a) for every angle a is a random point on the unit circle of the field, and for a
//   sum
//                  of whole (or 1/2, 1/3, ...) multiples of angles the product of their powers: addition
//                  theorems, double and half angles hold exactly, also with multiples of pi/2^k
//   exp, sinh ...  likewise over the multiplicative group
//   sqrt           a root in the field, so that its square is right
//   the rest       log, atan2, conditions, tables ...: random values that belong to their arguments. They are
//                  equal where their arguments are, but no other identity between them is seen.
//
// So "equal" is certain to that probability, and "different" is certain for polynomials, fractions, sines and
// cosines of sums of symbols, and square roots that stand alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sestina/expression/graph.h"

namespace sestina {

// re + i im, both below p.
struct FieldNumber {
  std::uint64_t re = 0;
  std::uint64_t im = 0;
  bool is_zero() const { return re == 0 && im == 0; }
  friend bool operator==(const FieldNumber&, const FieldNumber&) = default;
};

// The values of the expressions of one graph at one random point.
class Fingerprinter {
 public:
  Fingerprinter(const Graph& graph, std::uint64_t seed) : graph_(graph), seed_(seed) {}

  // Nothing where the expression divides by zero at the random point: then it does so (almost surely) always.
  std::optional<FieldNumber> calc(Expr expr);

 private:
  struct Value {
    FieldNumber number;
    bool is_known = false;
    bool is_finite = true;
  };
  Value calc_node(Expr expr) const;
  FieldNumber calc_number(const Coefficient& number) const;
  Value calc_power(Expr expr) const;
  FieldNumber calc_circle(Expr angle) const;
  FieldNumber calc_exponential(Expr argument) const;
  FieldNumber calc_opaque(std::uint64_t kind, Expr expr) const;
  FieldNumber calc_call(Expr expr) const;
  FieldNumber value(Expr expr) const { return values_[expr.id].number; }

  const Graph& graph_;
  std::uint64_t seed_;
  std::vector<Value> values_;  // by id
};

// Remembers the fingerprints of a graph that may grow.
class IdentityTest {
 public:
  explicit IdentityTest(const Graph& graph);

  bool is_zero(Expr expr);
  bool are_equal(Expr a, Expr b);

 private:
  Fingerprinter first_, second_;
};

}  // namespace sestina
