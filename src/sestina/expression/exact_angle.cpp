#include "sestina/expression/exact_angle.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace sestina {
namespace {

constexpr std::int64_t kTurn = 24;  // a full turn in twelfths of pi
constexpr std::array<std::int64_t, 4> kRadicands = {1, 2, 3, 6};

// The coefficients of a + b sqrt(2) + c sqrt(3) + d sqrt(6).
using RootSum = std::array<Coefficient, 4>;
using WholeRootSum = std::array<int, 4>;

// Four times the sine at 0, pi/12 ... pi/2; three times the tangent at 0 ... 5 pi/12.
constexpr std::array<WholeRootSum, 7> kSines = {
    {{0, 0, 0, 0}, {0, -1, 0, 1}, {2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 1, 0, 1}, {4, 0, 0, 0}}};
constexpr std::array<WholeRootSum, 6> kTangents = {
    {{0, 0, 0, 0}, {6, 0, -3, 0}, {0, 0, 1, 0}, {3, 0, 0, 0}, {0, 0, 3, 0}, {6, 0, 3, 0}}};

RootSum scaled(const WholeRootSum& whole, int numerator, int denominator) {
  RootSum sum;
  for (std::size_t i = 0; i < 4; ++i) sum[i] = Coefficient::fraction(numerator * whole[i], denominator);
  return sum;
}

RootSum sine(std::int64_t twelfths) {
  const std::int64_t k = (twelfths % kTurn + kTurn) % kTurn, half = k % 12;
  return scaled(kSines[static_cast<std::size_t>(half <= 6 ? half : 12 - half)], k < 12 ? 1 : -1, 4);
}

std::optional<RootSum> tangent(std::int64_t twelfths) {
  const std::int64_t k = (twelfths % 12 + 12) % 12;
  if (k == 6) return std::nullopt;
  return scaled(kTangents[static_cast<std::size_t>(k < 6 ? k : 12 - k)], k < 6 ? 1 : -1, 3);
}

Expr write(Graph& graph, const RootSum& sum) {
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < 4; ++i) {
    if (sum[i].is_zero()) continue;
    const Expr root = graph.unary(Op::kSqrt, graph.fraction(kRadicands[i]));
    terms.push_back(graph.multiply(graph.number(sum[i]), root));
  }
  return graph.sum(terms);
}

RootSum multiply(const RootSum& a, const RootSum& b) {
  RootSum product;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      // Bits of the index stand for sqrt(2) and sqrt(3): sqrt(6) sqrt(2) is 2 sqrt(3).
      const std::int64_t common = kRadicands[i & j];
      product[i ^ j] = product[i ^ j] + Coefficient::fraction(common, 1) * (a[i] * b[j]);
    }
  }
  return product;
}

// Inverts by conjugates: first the sign of sqrt(3) changes, then that of sqrt(2). Nothing for zero.
std::optional<RootSum> invert(const RootSum& a) {
  const RootSum without_3 = {a[0], a[1], -a[2], -a[3]};
  const RootSum p = multiply(a, without_3);  // contains only 1 and sqrt(2)
  const RootSum without_2 = {p[0], -p[1], {}, {}};
  const auto norm = multiply(p, without_2)[0].power(Coefficient::fraction(-1, 1));
  if (!norm) return std::nullopt;
  return multiply(multiply(without_3, without_2), {*norm, {}, {}, {}});
}

// Reads the coefficients; nothing for other roots, functions or numbers that are not exact.
std::optional<RootSum> read(const Graph& graph, Expr expr, int deepest = 4) {
  const auto of = graph.operands(expr);
  const Op op = graph.op(expr);
  if (op == Op::kNumber) {
    if (!graph.number_of(expr).is_exact()) return std::nullopt;
    return RootSum{graph.number_of(expr), {}, {}, {}};
  }
  if (op == Op::kSqrt) {
    for (std::size_t i = 1; i < 4; ++i) {
      const bool is_it =
          graph.is_number(of[0]) && graph.number_of(of[0]) == Coefficient::fraction(kRadicands[i], 1);
      if (!is_it) continue;
      RootSum root;
      root[i] = Coefficient::fraction(1, 1);
      return root;
    }
    return std::nullopt;
  }
  if (deepest == 0) return std::nullopt;
  if (op == Op::kPower) {
    const auto base = graph.integer_exponent(expr) == -1 ? read(graph, of[0], deepest - 1) : std::nullopt;
    return base ? invert(*base) : std::nullopt;
  }
  if (op != Op::kSum && op != Op::kProduct) return std::nullopt;
  RootSum total = op == Op::kSum ? RootSum{} : RootSum{Coefficient::fraction(1, 1), {}, {}, {}};
  for (const Expr operand : of) {
    const auto one = read(graph, operand, deepest - 1);
    if (!one) return std::nullopt;
    if (op == Op::kProduct) total = multiply(total, *one);
    for (std::size_t i = 0; op == Op::kSum && i < 4; ++i) total[i] = total[i] + (*one)[i];
  }
  return total;
}

Expr angle_of(Graph& graph, std::int64_t twelfths) {
  return graph.multiply(graph.fraction(twelfths, 12), graph.pi());
}

// Returns the multiple of pi/12 that equals the angle up to round-off.
std::optional<std::int64_t> near_twelfths(double angle) {
  constexpr double kNear = 1e-9;
  const double twelfths = angle * 12.0 / std::numbers::pi;
  const double nearest = std::round(twelfths);
  if (!(std::abs(twelfths - nearest) < kNear)) return std::nullopt;
  return static_cast<std::int64_t>(nearest);
}

}  // namespace

std::optional<Expr> exact_circular(Graph& graph, Op op, Expr angle, bool with_roots) {
  if (op != Op::kSin && op != Op::kCos && op != Op::kTan) return std::nullopt;
  if (!graph.constant_value(angle)) return std::nullopt;
  const auto [coefficient, rest] = graph.split_coefficient(angle);
  const std::int64_t parts = with_roots ? 12 : 2;
  if (rest != graph.pi() || !coefficient.is_exact() || parts % coefficient.denominator() != 0) {
    return std::nullopt;
  }
  const std::int64_t twelfths = coefficient.numerator() % kTurn * (12 / coefficient.denominator());
  if (op != Op::kTan) return write(graph, sine(op == Op::kSin ? twelfths : twelfths + 6));
  const auto value = tangent(twelfths);
  return value ? write(graph, *value) : graph.power(graph.number(0.0), graph.number(-1.0));  // a pole
}

std::optional<Expr> exact_arc(Graph& graph, Op op, Expr argument) {
  if (op != Op::kAsin && op != Op::kAcos && op != Op::kAtan) return std::nullopt;
  const auto value = graph.constant_value(argument);
  if (!value) return std::nullopt;
  const auto twelfths = near_twelfths(op == Op::kAtan ? std::atan(*value) : std::asin(*value));
  if (!twelfths) return std::nullopt;
  const auto expected = op == Op::kAtan ? tangent(*twelfths) : sine(*twelfths);
  if (!expected || read(graph, argument) != expected) return std::nullopt;
  return angle_of(graph, op == Op::kAcos ? 6 - *twelfths : *twelfths);
}

std::optional<Expr> exact_arc_of_point(Graph& graph, Expr y, Expr x) {
  const auto up = graph.constant_value(y), right = graph.constant_value(x);
  if (!up || !right) return std::nullopt;
  auto twelfths = near_twelfths(std::atan2(*up, *right));
  if (!twelfths) return std::nullopt;
  if (*twelfths == -12) twelfths = 12;  // round-off below the axis
  const auto above = read(graph, y), beside = read(graph, x);
  if (!above || !beside) return std::nullopt;
  // sin(angle) x - cos(angle) y vanishes on the line through the origin with this angle.
  const RootSum left = multiply(sine(*twelfths), *beside), other = multiply(sine(*twelfths + 6), *above);
  if (left != other || (*above == RootSum{} && *beside == RootSum{})) return std::nullopt;
  return angle_of(graph, *twelfths);
}

}  // namespace sestina
