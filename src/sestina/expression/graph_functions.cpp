// Canonical function calls.
#include <array>
#include <cmath>

#include "sestina/expression/exact_angle.h"
#include "sestina/expression/graph.h"

namespace sestina {
namespace {

enum class Parity { kNone, kOdd, kEven };

Parity parity(Op op) {
  switch (op) {
    case Op::kSin:
    case Op::kTan:
    case Op::kAsin:
    case Op::kAtan:
    case Op::kSinh:
    case Op::kTanh:
    case Op::kSign:
      return Parity::kOdd;
    case Op::kCos:
    case Op::kCosh:
    case Op::kAbs:
      return Parity::kEven;
    default:
      return Parity::kNone;
  }
}

std::optional<Coefficient> exact_value(Op op, const Coefficient& a) {
  const Coefficient zero, one = Coefficient::fraction(1, 1);
  switch (op) {
    case Op::kCos:
    case Op::kCosh:
    case Op::kExp:
      return a.is_zero() ? std::optional(one) : std::nullopt;
    case Op::kLog:
    case Op::kAcos:
      return a.is_one() ? std::optional(zero) : std::nullopt;
    case Op::kSqrt:
      return a.exact_sqrt();
    case Op::kAbs:
      return a.is_negative() ? -a : a;
    case Op::kSign:
      return a.is_zero() ? zero : a.is_negative() ? -one : one;
    case Op::kStep:
      return a.is_negative() ? zero : one;
    default:  // the odd functions
      return a.is_zero() ? std::optional(zero) : std::nullopt;
  }
}

// Returns the largest number whose square was found to divide n, and the remaining factor.
std::pair<std::int64_t, std::int64_t> split_square(std::int64_t n) {
  constexpr std::int64_t kLargestFactor = 1000;
  std::int64_t root = 1;
  for (std::int64_t d = 2; d <= kLargestFactor && d * d <= n; d += d == 2 ? 1 : 2) {
    for (; n % (d * d) == 0; n /= d * d) root *= d;
  }
  return {root, n};
}

}  // namespace

bool Graph::is_root_of_number(Expr expr) const {
  return op(expr) == Op::kSqrt && is_number(operands(expr)[0]) && !number_of(operands(expr)[0]).is_negative();
}

// Folds sqrt(a^2 b/(c^2 d)) to a sqrt(b d)/(c d), but keeps sqrt(9.81). The value decides, independent of the
// form in which it was given: equal numbers are one node.
std::optional<Expr> Graph::fold_root(const Coefficient& square) {
  if (most_merged_ == 0 || !square.is_exact() || square.is_negative()) return std::nullopt;
  constexpr std::int64_t kMostOfDecimal = 99;
  if (square.reads_as_decimal() && square.numerator() > kMostOfDecimal) return std::nullopt;
  const auto [a, b] = split_square(square.numerator());
  const auto [c, d] = split_square(square.denominator());
  const Coefficient radicand = Coefficient::fraction(b, 1) * Coefficient::fraction(d, 1);
  if (radicand == square || !radicand.is_exact()) return std::nullopt;
  const Coefficient divisor = Coefficient::fraction(c, 1) * Coefficient::fraction(d, 1);
  const auto inverse = divisor.power(Coefficient::fraction(-1, 1));
  const Expr root = intern(Op::kSqrt, std::array{number(radicand)});
  return scale(Coefficient::fraction(a, 1) * inverse.value(), root);
}

std::optional<Expr> Graph::fold_unary(Op op, const Coefficient& argument) {
  if (const auto exact = exact_value(op, argument)) return number(*exact);
  if (argument.is_rational()) return std::nullopt;
  const double value = calc_unary(op, argument.value());
  if (!std::isfinite(value)) return std::nullopt;
  return number(value);
}

Expr Graph::unary(Op op, Expr argument) {
  if (is_number(argument)) {
    const Coefficient a = number_of(argument);
    if (const auto folded = fold_unary(op, a)) return *folded;
    if (const auto folded = op == Op::kSqrt ? fold_root(a) : std::nullopt) return *folded;
  }
  if (const auto folded = exact_circular(*this, op, argument, most_merged_ > 0)) return *folded;
  const Parity symmetry = parity(op);
  if (symmetry != Parity::kNone && has_negative_coefficient(argument)) {
    const Expr mirrored = unary(op, negate(argument));
    return symmetry == Parity::kOdd ? negate(mirrored) : mirrored;
  }
  if (most_merged_ > 0) {
    if (const auto folded = exact_arc(*this, op, argument)) return *folded;
  }
  return intern(op, std::array{argument});
}

Expr Graph::atan2(Expr y, Expr x) {
  if (is_number(y) && is_number(x)) {
    const Coefficient a = number_of(y), b = number_of(x);
    if (a.is_zero() && !b.is_zero() && !b.is_negative()) return zero_;
    if (!a.is_rational() && !b.is_rational()) return number(std::atan2(a.value(), b.value()));
  }
  if (most_merged_ > 0) {
    if (const auto folded = exact_arc_of_point(*this, y, x)) return *folded;
  }
  return intern(Op::kAtan2, std::array{y, x});
}

Expr Graph::min(Expr a, Expr b) {
  if (a == b) return a;
  if (is_number(a) && is_number(b)) return number_of(b) < number_of(a) ? b : a;
  return intern(Op::kMin, b < a ? std::array{b, a} : std::array{a, b});
}

Expr Graph::max(Expr a, Expr b) {
  if (a == b) return a;
  if (is_number(a) && is_number(b)) return number_of(a) < number_of(b) ? b : a;
  return intern(Op::kMax, b < a ? std::array{b, a} : std::array{a, b});
}

Expr Graph::if_less(Expr a, Expr b, Expr yes, Expr no) {
  if (is_number(a) && is_number(b)) return number_of(a) < number_of(b) ? yes : no;
  const bool may_fold = !has_constant_fault(a) && !has_constant_fault(b);
  if (may_fold && (a == b || yes == no)) return no;
  return intern(Op::kIfLess, std::array{a, b, yes, no});
}

Expr Graph::if_less_equal(Expr a, Expr b, Expr yes, Expr no) {
  if (is_number(a) && is_number(b)) return number_of(b) < number_of(a) ? no : yes;
  const bool may_fold = !has_constant_fault(a) && !has_constant_fault(b);
  if (may_fold && (a == b || yes == no)) return yes;
  return intern(Op::kIfLessEqual, std::array{a, b, yes, no});
}

Expr Graph::table(TableId id, Expr argument, int order) {
  const bool is_linear = tables_[id.value]->interpolation() == Interpolation::kLinear;
  const int highest = is_linear ? 1 : kHighestTableDerivative;
  if (order > highest && !has_constant_fault(argument)) return zero_;
  return intern(Op::kTable, std::array{argument}, id.value, static_cast<std::uint8_t>(order));
}

}  // namespace sestina
