#include "sestina/expression/interval.h"

#include <algorithm>
#include <cmath>

namespace sestina {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr TimeRange kUnknown{kWholeInterval, kWholeInterval};
// Limit on the points of a table in the interval that are examined.
constexpr std::ptrdiff_t kMostPoints = 64;

Interval bounds(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return kWholeInterval;
  return {std::min(a, b), std::max(a, b)};
}

Interval hull(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Interval operator+(Interval a, Interval b) {
  const double lo = a.lo + b.lo, hi = a.hi + b.hi;
  return std::isnan(lo) || std::isnan(hi) ? kWholeInterval : Interval{lo, hi};
}
Interval operator-(Interval a) { return {-a.hi, -a.lo}; }

Interval operator*(Interval a, Interval b) {
  const auto times = [](double x, double y) { return x == 0.0 || y == 0.0 ? 0.0 : x * y; };
  const double p = times(a.lo, b.lo), q = times(a.lo, b.hi), r = times(a.hi, b.lo), s = times(a.hi, b.hi);
  return {std::min({p, q, r, s}), std::max({p, q, r, s})};
}

Interval inverse(Interval a) { return a.contains(0.0) ? kWholeInterval : bounds(1.0 / a.lo, 1.0 / a.hi); }
Interval square(Interval a) {
  const Interval ends = bounds(a.lo * a.lo, a.hi * a.hi);
  return a.contains(0.0) ? Interval{0.0, ends.hi} : ends;
}

// True if offset + k period is in a for a whole k.
bool contains_one_of(Interval a, double offset, double period) {
  return offset + std::ceil((a.lo - offset) / period) * period <= a.hi;
}

Interval sine(Interval a) {
  if (!(a.hi - a.lo < 2.0 * kPi)) return {-1.0, 1.0};
  Interval range = bounds(std::sin(a.lo), std::sin(a.hi));
  if (contains_one_of(a, 0.5 * kPi, 2.0 * kPi)) range.hi = 1.0;
  if (contains_one_of(a, -0.5 * kPi, 2.0 * kPi)) range.lo = -1.0;
  return range;
}
Interval cosine(Interval a) { return sine(a + Interval{0.5 * kPi, 0.5 * kPi}); }

TimeRange operator+(const TimeRange& a, const TimeRange& b) { return {a.value + b.value, a.rate + b.rate}; }
TimeRange operator*(const TimeRange& a, const TimeRange& b) {
  return {a.value * b.value, a.value * b.rate + a.rate * b.value};
}

// Bounds of a function f that rises or falls throughout.
template <class F>
Interval monotonic(Interval a, F&& f) {
  return bounds(f(a.lo), f(a.hi));
}

TimeRange tangent(const TimeRange& a) {
  const bool has_pole = !(a.value.hi - a.value.lo < kPi) || contains_one_of(a.value, 0.5 * kPi, kPi);
  if (has_pole) return kUnknown;
  const Interval value = monotonic(a.value, [](double x) { return std::tan(x); });
  return {value, a.rate * (Interval{1.0, 1.0} + square(value))};
}

TimeRange arc_sine(const TimeRange& a) {
  if (a.value.lo < -1.0 || a.value.hi > 1.0) return kUnknown;
  const Interval rest = Interval{1.0, 1.0} + -square(a.value);
  const Interval root{std::sqrt(std::max(rest.lo, 0.0)), std::sqrt(std::max(rest.hi, 0.0))};
  return {monotonic(a.value, [](double x) { return std::asin(x); }), a.rate * inverse(root)};
}

TimeRange arc_tangent(const TimeRange& a) {
  return {monotonic(a.value, [](double x) { return std::atan(x); }),
          a.rate * inverse(Interval{1.0, 1.0} + square(a.value))};
}

TimeRange absolute(const TimeRange& a) {
  if (a.value.lo >= 0.0) return a;
  if (a.value.hi <= 0.0) return {-a.value, -a.rate};
  return {{0.0, std::max(-a.value.lo, a.value.hi)}, hull(a.rate, -a.rate)};
}

TimeRange exponential(const TimeRange& a) {
  const Interval value = monotonic(a.value, [](double x) { return std::exp(x); });
  return {value, a.rate * value};
}

TimeRange logarithm(const TimeRange& a) {
  if (!(a.value.lo > 0.0)) return kUnknown;
  return {monotonic(a.value, [](double x) { return std::log(x); }), a.rate * inverse(a.value)};
}

TimeRange square_root(const TimeRange& a) {
  if (!(a.value.lo >= 0.0)) return kUnknown;
  const Interval value = monotonic(a.value, [](double x) { return std::sqrt(x); });
  return {value, a.rate * inverse(value) * Interval{0.5, 0.5}};
}

TimeRange hyperbolic(Op op, const TimeRange& a) {
  const Interval sinh = monotonic(a.value, [](double x) { return std::sinh(x); });
  Interval cosh = monotonic(a.value, [](double x) { return std::cosh(x); });
  if (a.value.contains(0.0)) cosh.lo = 1.0;
  if (op == Op::kSinh) return {sinh, a.rate * cosh};
  if (op == Op::kCosh) return {cosh, a.rate * sinh};
  const Interval tanh = monotonic(a.value, [](double x) { return std::tanh(x); });
  return {tanh, a.rate * (Interval{1.0, 1.0} + -square(tanh))};
}

TimeRange constant(double x) { return {{x, x}, {}}; }

TimeRange calc_unary_range(Op op, const TimeRange& a) {
  switch (op) {
    case Op::kSin:
      return {sine(a.value), a.rate * cosine(a.value)};
    case Op::kCos:
      return {cosine(a.value), a.rate * -sine(a.value)};
    case Op::kTan:
      return tangent(a);
    case Op::kAsin:
      return arc_sine(a);
    case Op::kAcos: {
      const TimeRange rest = arc_sine(a);
      return {Interval{0.5 * kPi, 0.5 * kPi} + -rest.value, -rest.rate};
    }
    case Op::kAtan:
      return arc_tangent(a);
    case Op::kExp:
      return exponential(a);
    case Op::kLog:
      return logarithm(a);
    case Op::kSqrt:
      return square_root(a);
    case Op::kAbs:
      return absolute(a);
    case Op::kSign:
      if (a.value.lo > 0.0) return constant(1.0);
      if (a.value.hi < 0.0) return constant(-1.0);
      return {{-1.0, 1.0}, kWholeInterval};
    case Op::kStep:
      if (a.value.lo >= 0.0) return constant(1.0);
      if (a.value.hi < 0.0) return constant(0.0);
      return {{0.0, 1.0}, kWholeInterval};
    default:
      return hyperbolic(op, a);
  }
}

// Bounds of x^n for a whole n > 0.
Interval whole_power(Interval a, std::int64_t n) {
  const auto power = [n](double x) { return std::pow(x, static_cast<double>(n)); };
  const Interval ends = monotonic(a, power);
  return n % 2 == 0 && a.contains(0.0) ? Interval{0.0, ends.hi} : ends;
}

TimeRange calc_power_range(const Graph& graph, Expr expr, const TimeRange& base, const TimeRange& exponent) {
  if (const auto n = graph.integer_exponent(expr)) {
    const std::int64_t m = std::abs(*n);
    const auto degree = static_cast<double>(m);
    const Interval below = m == 1 ? Interval{1.0, 1.0} : whole_power(base.value, m - 1);
    const TimeRange power{whole_power(base.value, m), base.rate * below * Interval{degree, degree}};
    if (*n > 0) return power;
    const Interval value = inverse(power.value);
    return {value, -(power.rate * square(value))};
  }
  if (!(base.value.lo > 0.0)) return kUnknown;
  return exponential(exponent * logarithm(base));
}

TimeRange calc_atan2_range(const TimeRange& y, const TimeRange& x) {
  const auto quotient = [](const TimeRange& a, const TimeRange& b) {
    const Interval over = inverse(b.value);
    return arc_tangent(a * TimeRange{over, -(b.rate * square(over))});
  };
  const auto turned = [](double by, const TimeRange& a) {
    return TimeRange{Interval{by, by} + -a.value, -a.rate};
  };
  if (x.value.lo > 0.0) return quotient(y, x);
  if (y.value.lo > 0.0) return turned(0.5 * kPi, quotient(x, y));
  if (y.value.hi < 0.0) return turned(-0.5 * kPi, quotient(x, y));
  return {{-kPi, kPi}, kWholeInterval};
}

TimeRange calc_smaller_range(const TimeRange& a, const TimeRange& b) {
  if (a.value.hi <= b.value.lo) return a;
  if (b.value.hi <= a.value.lo) return b;
  return {{std::min(a.value.lo, b.value.lo), std::min(a.value.hi, b.value.hi)}, hull(a.rate, b.rate)};
}

TimeRange negated(const TimeRange& a) { return {-a.value, -a.rate}; }

TimeRange either(const TimeRange& a, const TimeRange& b) { return {hull(a.value, b.value), kWholeInterval}; }

TimeRange calc_table_range(const Table& table, int order, const TimeRange& at) {
  const std::vector<double>& x = table.x();
  const auto first = std::upper_bound(x.begin(), x.end(), at.value.lo);
  const auto last = std::lower_bound(first, x.end(), at.value.hi);
  if (order > 0 || !std::isfinite(at.value.hi - at.value.lo) || last - first > kMostPoints) return kUnknown;
  const bool is_linear = table.interpolation() == Interpolation::kLinear;
  if (!is_linear && table.interpolation() != Interpolation::kPchip) return kUnknown;  // not monotone
  Interval value = bounds(table.calc(at.value.lo), table.calc(at.value.hi));
  double slope = table.calc(at.value.lo, 1);
  Interval slopes{slope, slope};
  for (auto point = first; point != last; ++point) {
    value = hull(value, constant(table.calc(*point)).value);
    slope = table.calc(*point, 1);
    slopes = hull(slopes, {slope, slope});
  }
  return {value, at.rate * (is_linear ? slopes : kWholeInterval)};
}

}  // namespace

TimeRange calc_range(const Graph& graph, Expr expr, std::span<const TimeRange> ranges) {
  const std::span<const Expr> operands = graph.operands(expr);
  const auto range = [&](std::size_t i) -> const TimeRange& { return ranges[operands[i].id]; };
  const Op op = graph.op(expr);
  if (is_unary(op)) return calc_unary_range(op, range(0));
  switch (op) {
    case Op::kNumber:
      return constant(graph.number_of(expr).value());
    case Op::kPi:
      return constant(kPi);
    case Op::kSum:
    case Op::kProduct: {
      TimeRange all = range(0);
      for (std::size_t i = 1; i < operands.size(); ++i) {
        all = op == Op::kSum ? all + range(i) : all * range(i);
      }
      return all;
    }
    case Op::kPower:
      return calc_power_range(graph, expr, range(0), range(1));
    case Op::kAtan2:
      return calc_atan2_range(range(0), range(1));
    case Op::kMin:
      return calc_smaller_range(range(0), range(1));
    case Op::kMax:
      return negated(calc_smaller_range(negated(range(0)), negated(range(1))));
    case Op::kIfLess:
      if (range(0).value.hi < range(1).value.lo) return range(2);
      if (range(0).value.lo >= range(1).value.hi) return range(3);
      return either(range(2), range(3));
    case Op::kIfLessEqual:
      if (range(0).value.hi <= range(1).value.lo) return range(2);
      if (range(0).value.lo > range(1).value.hi) return range(3);
      return either(range(2), range(3));
    case Op::kTable:
      return calc_table_range(graph.table_of(expr), graph.table_order_of(expr), range(0));
    default:
      return kUnknown;
  }
}

}  // namespace sestina
