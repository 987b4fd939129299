#include "sestina/expression/enclosure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sestina {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A real number between two bounds, or no value (is_none). With infinite bounds it may also have no value.
struct Interval {
  double low = -kInfinity;
  double high = kInfinity;
  bool is_none = false;

  bool is_known() const { return low > -kInfinity && high < kInfinity; }
};

constexpr Interval kOpen = {};
constexpr Interval kNone = {0.0, 0.0, true};

// Widens bounds by the rounding of an operation, including functions of the C library.
Interval widened(double low, double high) {
  constexpr double kUlps = 4.0 * std::numeric_limits<double>::epsilon();
  constexpr double kLeast = std::numeric_limits<double>::min();
  if (std::isnan(low) || std::isnan(high)) return kOpen;
  return {low - kUlps * std::abs(low) - kLeast, high + kUlps * std::abs(high) + kLeast};
}

Interval exactly(double value) { return {value, value}; }

Interval add(const Interval& a, const Interval& b) { return widened(a.low + b.low, a.high + b.high); }

Interval multiply(const Interval& a, const Interval& b) {
  if (!a.is_known() || !b.is_known()) return kOpen;
  const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return widened(low, high);
}

Interval invert(const Interval& a) {
  if (a.low == 0.0 && a.high == 0.0) return kNone;
  if (!a.is_known() || (a.low <= 0.0 && a.high >= 0.0)) return kOpen;
  return widened(1.0 / a.high, 1.0 / a.low);
}

// Bounds of a function that is monotonic between the bounds of its argument.
template <class Function>
Interval monotone(const Interval& a, Function function) {
  const double at_low = function(a.low), at_high = function(a.high);
  return widened(std::min(at_low, at_high), std::max(at_low, at_high));
}

// Bounds of a monotonic function that is defined between `least` and `most`.
template <class Function>
Interval monotone_within(const Interval& a, double least, double most, Function function) {
  if (a.high < least || a.low > most) return kNone;
  if (a.low < least || a.high > most) return kOpen;
  return monotone(a, function);
}

// Bounds of sine or cosine, whose slope is at most 1.
template <class Function>
Interval wave(const Interval& a, Function function) {
  if (!a.is_known()) return {-1.0, 1.0};
  const double middle = a.low + (a.high - a.low) / 2;
  const double radius =
      (a.high - a.low) / 2 + 4.0 * std::numeric_limits<double>::epsilon() * std::abs(middle);
  return widened(function(middle) - radius, function(middle) + radius);
}

Interval sine(const Interval& a) {
  return wave(a, [](double x) { return std::sin(x); });
}
Interval cosine(const Interval& a) {
  return wave(a, [](double x) { return std::cos(x); });
}

Interval exponential(const Interval& a) {
  return monotone(a, [](double x) { return std::exp(x); });
}

Interval logarithm(const Interval& a) {
  if (a.high <= 0.0) return kNone;
  return a.low <= 0.0 ? kOpen : monotone(a, [](double x) { return std::log(x); });
}

Interval magnitude(const Interval& a) {
  if (a.low >= 0.0) return a;
  if (a.high <= 0.0) return {-a.high, -a.low};
  return {0.0, std::max(-a.low, a.high)};
}

// Returns the value below, at or above zero; -1 and 1 as bounds if the sign is not known.
Interval by_sign(const Interval& a, double below, double at, double above) {
  if (a.low > 0.0) return exactly(above);
  if (a.high < 0.0) return exactly(below);
  return a.low == 0.0 && a.high == 0.0 ? exactly(at) : kOpen;
}

Interval calc_unary(Op op, const Interval& a) {
  switch (op) {
    case Op::kSin:
      return sine(a);
    case Op::kCos:
      return cosine(a);
    case Op::kTan:
      return multiply(sine(a), invert(cosine(a)));
    case Op::kAsin:
      return monotone_within(a, -1.0, 1.0, [](double x) { return std::asin(x); });
    case Op::kAcos:
      return monotone_within(a, -1.0, 1.0, [](double x) { return std::acos(x); });
    case Op::kAtan:
      return monotone(a, [](double x) { return std::atan(x); });
    case Op::kSinh:
      return monotone(a, [](double x) { return std::sinh(x); });
    case Op::kCosh:
      return monotone(magnitude(a), [](double x) { return std::cosh(x); });
    case Op::kTanh:
      return monotone(a, [](double x) { return std::tanh(x); });
    case Op::kExp:
      return exponential(a);
    case Op::kLog:
      return logarithm(a);
    case Op::kSqrt:
      return monotone_within(a, 0.0, kInfinity, [](double x) { return std::sqrt(x); });
    case Op::kAbs:
      return magnitude(a);
    case Op::kSign:
      return by_sign(a, -1.0, 0.0, 1.0);
    default:  // kStep
      return by_sign(a, 0.0, 1.0, 1.0);
  }
}

class Evaluator {
 public:
  Evaluator(const Graph& graph, std::vector<Expr> nodes) : graph_(graph), nodes_(std::move(nodes)) {}

  // Evaluates all nodes at the k-th point.
  void evaluate(std::size_t k) {
    for (const Expr node : nodes_) values_[node.id] = calc(node, k);
  }
  const Interval& at(Expr expr) const { return values_.at(expr.id); }

 private:
  static double symbol_value(std::string_view name, std::size_t k) {
    constexpr std::array kScales = {1.0, 3.0, 0.2, 12.0};
    std::uint64_t hash = 0xcbf29ce484222325ull + k * 0x9e3779b97f4a7c15ull;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9ull;
    hash ^= hash >> 32;
    const double part = 0.05 + static_cast<double>(hash >> 12) / 4503599627370496.0;  // of 2^52
    const bool is_negative = k % 3 != 0 && (hash & 1) != 0;  // all are positive at every third point
    return (is_negative ? -part : part) * kScales[k % kScales.size()];
  }

  Interval calc(Expr expr, std::size_t k) const {
    const auto of = graph_.operands(expr);
    const Op op = graph_.op(expr);
    if (op == Op::kIfLess || op == Op::kIfLessEqual) return choose(op, of);
    for (const Expr operand : of) {
      if (at(operand).is_none) return kNone;
    }
    if (is_unary(op)) return calc_unary(op, at(of[0]));
    switch (op) {
      case Op::kNumber: {
        const Coefficient& number = graph_.number_of(expr);
        return number.is_integer() ? exactly(number.value()) : widened(number.value(), number.value());
      }
      case Op::kPi:
        return widened(3.14159265358979323846, 3.14159265358979323846);
      case Op::kSymbol:
        return exactly(symbol_value(graph_.name_of(expr), k));
      case Op::kSum:
        return fold(of, exactly(0.0), add);
      case Op::kProduct:
        return fold(of, exactly(1.0), multiply);
      case Op::kPower:
        return power(expr);
      case Op::kMin:
        return {std::min(at(of[0]).low, at(of[1]).low), std::min(at(of[0]).high, at(of[1]).high)};
      case Op::kMax:
        return {std::max(at(of[0]).low, at(of[1]).low), std::max(at(of[0]).high, at(of[1]).high)};
      case Op::kAtan2:
        return angle(at(of[0]), at(of[1]));
      default:
        return look_up(expr, at(of[0]));
    }
  }

  Interval fold(std::span<const Expr> of, Interval start,
                Interval (*join)(const Interval&, const Interval&)) const {
    for (const Expr operand : of) start = join(start, at(operand));
    return start;
  }

  Interval power(Expr expr) const {
    constexpr std::int64_t kMostMultiplied = 64;
    const Interval &base = at(graph_.operands(expr)[0]), exponent = at(graph_.operands(expr)[1]);
    const auto n = graph_.integer_exponent(expr);
    if (n && std::abs(*n) <= kMostMultiplied) {
      Interval product = base;
      for (std::int64_t i = 1; i < std::abs(*n); ++i) product = multiply(product, base);
      return *n < 0 ? invert(product) : product;
    }
    if (base.low > 0.0) return exponential(multiply(exponent, logarithm(base)));
    return kOpen;
  }

  // Away from the origin and the jump of the angle, the bounds are at corners.
  static Interval angle(const Interval& y, const Interval& x) {
    if (!y.is_known() || !x.is_known() || (x.low <= 0.0 && y.low <= 0.0 && y.high >= 0.0)) return kOpen;
    const auto [low, high] = std::minmax({std::atan2(y.low, x.low), std::atan2(y.low, x.high),
                                          std::atan2(y.high, x.low), std::atan2(y.high, x.high)});
    return widened(low, high);
  }

  Interval choose(Op op, std::span<const Expr> of) const {
    const Interval &a = at(of[0]), &b = at(of[1]);
    if (a.is_none || b.is_none) return kNone;
    const bool is_equal = a.low == b.high && a.high == b.low;
    if (a.high < b.low || (is_equal && op == Op::kIfLessEqual)) return at(of[2]);
    if (b.high < a.low || is_equal) return at(of[3]);
    return kOpen;
  }

  Interval look_up(Expr expr, const Interval& x) const {
    if (x.low != x.high) return kOpen;
    const double value = graph_.table_of(expr).calc(x.low, graph_.table_order_of(expr));
    constexpr double kRounding = 1e-12;
    return {value - kRounding * std::abs(value), value + kRounding * std::abs(value)};
  }

  const Graph& graph_;
  std::vector<Expr> nodes_;
  std::unordered_map<std::uint32_t, Interval> values_;
};

}  // namespace

bool have_different_values(const Graph& graph, Expr a, Expr b) {
  constexpr std::size_t kPoints = 24;
  const std::vector<Expr> nodes = graph.reachable(std::array{a, b});
  const bool counts_missing_values = std::ranges::none_of(nodes, [&](Expr e) {
    const Op op = graph.op(e);
    return op == Op::kLog || op == Op::kAsin || op == Op::kAcos;
  });
  Evaluator evaluator(graph, nodes);
  for (std::size_t k = 0; k < kPoints; ++k) {
    evaluator.evaluate(k);
    const Interval &of_a = evaluator.at(a), &of_b = evaluator.at(b);
    if (of_a.is_none != of_b.is_none) {
      if (counts_missing_values && (of_a.is_none ? of_b : of_a).is_known()) return true;
    } else if (!of_a.is_none && (of_a.high < of_b.low || of_b.high < of_a.low)) {
      return true;
    }
  }
  return false;
}

}  // namespace sestina
