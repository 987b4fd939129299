#include <algorithm>
#include <array>

#include "sestina/expression/enclosure.h"
#include "sestina/expression/expanded_terms.h"
#include "sestina/expression/fingerprint.h"

namespace sestina {
namespace {

// Number of points at which expressions with square roots must agree. Half of all numbers give a root either
// sign, so that |x| and x, or sqrt(x) sqrt(y) and sqrt(x y), agree at up to three of four points.
constexpr std::size_t kMostPoints = 64;
// Limit on the points that are tried to find those at which positive sums are squares.
constexpr std::size_t kMostTried = 2048;
constexpr std::size_t kMostRemembered = 4'000'000;  // values of expressions at all points

// True if exponentials (real or on the circle) of different arguments of this form are independent of
// each other: its terms contain symbols and their powers, and multiples of pi that have a value in the
// field.
bool has_plain_terms(const Graph& graph, Expr argument) {
  const auto is_plain = [&](Expr factor) {
    const bool is_power = graph.integer_exponent(factor).has_value();
    const Op op = graph.op(is_power ? graph.operands(factor)[0] : factor);
    return op == Op::kSymbol || op == Op::kPi;
  };
  return std::ranges::all_of(expanded_terms(graph, argument), [&](const ExpandedTerm& term) {
    const bool is_pi = term.rest.size() == 1 && graph.op(term.rest[0]) == Op::kPi;
    if (!whole_parts(term.coefficient) || !std::ranges::all_of(term.rest, is_plain)) return false;
    return !is_pi || PrimeField::has_turn(static_cast<std::uint64_t>(term.coefficient.denominator()));
  });
}

// True if the root of the number is a product of roots of primes in the field: see root_of_integer.
bool has_known_factors(const Coefficient& square) {
  const auto is_known = [](std::int64_t n) { return n <= kLargestFactor * kLargestFactor; };
  return square.is_exact() && is_known(square.numerator()) && is_known(square.denominator());
}

// True if the operation maps functions with different fingerprints to functions with different fingerprints.
bool keeps_apart(const Graph& graph, Expr expr) {
  switch (graph.op(expr)) {
    case Op::kNumber:
    case Op::kPi:
    case Op::kSymbol:
    case Op::kSum:
    case Op::kProduct:
      return true;
    case Op::kPower:
      return graph.integer_exponent(expr).has_value();
    case Op::kSqrt: {
      const Expr square = graph.operands(expr)[0];
      return is_positive_number(graph, square) && has_known_factors(graph.number_of(square));
    }
    case Op::kSin:
    case Op::kCos:
    case Op::kTan:
    case Op::kExp:
    case Op::kSinh:
    case Op::kCosh:
    case Op::kTanh:
      return has_plain_terms(graph, graph.operands(expr)[0]);
    default:
      return false;
  }
}

}  // namespace

IdentityTest::IdentityTest(const Graph& graph) : graph_(graph) {}

Fingerprinter& IdentityTest::point(std::size_t i) {
  while (points_.size() <= i) {
    points_.emplace_back(graph_, Fingerprinter::seed_of_point(points_.size()), kFields[points_.size() % 2]);
  }
  return points_[i];
}

// The first two points decide, unless there are roots.
template <class Holds>
bool IdentityTest::holds_at_all_points(std::initializer_list<Expr> exprs, Holds holds) {
  bool is_known = false;
  for (std::size_t i = 0; i < 2; ++i) {
    Fingerprinter& at = point(i);
    for (const Expr expr : exprs) at.calc(expr);
    const auto any = [&](auto of) { return std::ranges::any_of(exprs, of); };
    if (any([&](Expr e) { return at.is_undefined(e); })) continue;
    if (any([&](Expr e) { return at.has_root(e); })) return holds_for_signs(exprs, holds);
    if (!holds(at)) return false;
    is_known = true;
  }
  return is_known;
}

template <class Holds>
bool IdentityTest::holds_for_signs(std::initializer_list<Expr> exprs, Holds holds) {
  const std::size_t tried = std::clamp(kMostRemembered / graph_.size(), kMostPoints, kMostTried);
  std::size_t count = 0;
  for (const bool for_all_signs : {false, true}) {
    for (std::size_t i = 0; i < (for_all_signs ? kMostPoints : tried) && count < kMostPoints; ++i) {
      Fingerprinter& at = point(i);
      for (const Expr expr : exprs) at.calc(expr);
      const auto is_useless = [&](Expr e) {
        return at.is_undefined(e) || (!for_all_signs && !at.takes_signs(e));
      };
      if (std::ranges::any_of(exprs, is_useless)) continue;
      if (!holds(at)) return false;
      ++count;
    }
  }
  return count > 0;
}

bool IdentityTest::is_zero(Expr expr) {
  return holds_at_all_points({expr}, [&](Fingerprinter& point) {
    const auto value = point.calc(expr);
    return value && value->is_zero();
  });
}

bool IdentityTest::are_equal(Expr a, Expr b) {
  if (a == b) return true;
  return holds_at_all_points({a, b}, [&](Fingerprinter& point) {
    const auto of_a = point.calc(a), of_b = point.calc(b);
    return of_a && of_b && *of_a == *of_b;
  });
}

Identity IdentityTest::compare(Expr a, Expr b) {
  if (are_equal(a, b)) return Identity::kHolds;
  const std::vector<Expr> nodes = graph_.reachable(std::array{a, b});
  const bool has_values = point(0).calc(a).has_value() && point(0).calc(b).has_value();
  if (has_values && std::ranges::all_of(nodes, [&](Expr e) { return keeps_apart(graph_, e); })) {
    return Identity::kFails;
  }
  return have_different_values(graph_, a, b) ? Identity::kFails : Identity::kUnknown;
}

}  // namespace sestina
