#include "sestina/expression/fingerprint.h"

#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

namespace sestina {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
// Angles and exponents are counted in this part of one, so that halves, thirds ... are whole numbers.
constexpr std::int64_t kParts = 5040;

std::uint64_t reduce(std::uint64_t a) { return a >= kPrime ? a - kPrime : a; }
std::uint64_t add(std::uint64_t a, std::uint64_t b) { return reduce(a + b); }
std::uint64_t subtract(std::uint64_t a, std::uint64_t b) { return reduce(a + (kPrime - b)); }

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide wide = static_cast<Wide>(a) * b;
  return reduce((static_cast<std::uint64_t>(wide) & kPrime) + static_cast<std::uint64_t>(wide >> 61));
}

FieldNumber add(FieldNumber a, FieldNumber b) { return {add(a.re, b.re), add(a.im, b.im)}; }
FieldNumber subtract(FieldNumber a, FieldNumber b) { return {subtract(a.re, b.re), subtract(a.im, b.im)}; }

FieldNumber multiply(FieldNumber a, FieldNumber b) {
  if (a.im == 0 && b.im == 0) return {multiply(a.re, b.re), 0};
  return {subtract(multiply(a.re, b.re), multiply(a.im, b.im)),
          add(multiply(a.re, b.im), multiply(a.im, b.re))};
}

FieldNumber power(FieldNumber base, std::uint64_t exponent) {
  FieldNumber result{1, 0};
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

std::uint64_t invert(std::uint64_t a) { return power(FieldNumber{a, 0}, kPrime - 2).re; }

// Of a number other than zero.
FieldNumber invert(FieldNumber a) {
  const std::uint64_t scale = invert(add(multiply(a.re, a.re), multiply(a.im, a.im)));
  return {multiply(a.re, scale), multiply(subtract(0, a.im), scale)};
}

FieldNumber power(FieldNumber base, std::int64_t exponent) {
  if (exponent < 0) return power(invert(base), static_cast<std::uint64_t>(-exponent));
  return power(base, static_cast<std::uint64_t>(exponent));
}

// 2^n; the order of 2 is 61.
std::uint64_t power_of_two(int n) { return std::uint64_t{1} << (((n % 61) + 61) % 61); }

std::uint64_t from_integer(std::int64_t n) {
  const auto magnitude = static_cast<std::uint64_t>(n < 0 ? -n : n) % kPrime;
  return n < 0 ? subtract(0, magnitude) : magnitude;
}

// splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t x) { return mix(seed ^ mix(x)); }
std::uint64_t mix(std::uint64_t seed, FieldNumber x) { return mix(mix(seed, x.re), x.im); }
// Never zero.
std::uint64_t to_field(std::uint64_t hash) { return 1 + hash % (kPrime - 1); }

// A random point z with |z| = 1, as a power of kParts: where the part of the angle itself stands.
FieldNumber unit_part(std::uint64_t hash) {
  const std::uint64_t t = to_field(hash), square = multiply(t, t);
  const std::uint64_t scale = invert(add(1, square));  // 1 + t^2 is not 0: -1 has no root in the field
  return {multiply(subtract(1, square), scale), multiply(add(t, t), scale)};
}

// exp(2 pi i / 2^61): the unit circle has 2^61 points, and unit_part(...) to a quarter of them gives i or -i.
FieldNumber circle_generator() {
  for (std::uint64_t hash = 1;; ++hash) {
    const FieldNumber z = unit_part(hash);
    if (power(z, std::uint64_t{1} << 59) == FieldNumber{0, 1}) return z;
  }
}

std::optional<std::int64_t> whole_parts(const Coefficient& c) {
  if (!c.is_exact() || kParts % c.denominator() != 0) return std::nullopt;
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (std::abs(c.numerator()) > kMost) return std::nullopt;
  return c.numerator() * (kParts / c.denominator());
}

enum Kind : std::uint64_t { kAngleKind = 100, kExponentKind, kSymbolKind, kPiKind, kRootKind };

// A term of a sum: its coefficient and the factors without it.
struct Split {
  Coefficient coefficient = Coefficient::fraction(1, 1);
  std::span<const Expr> rest;
};

Split split(const Graph& graph, const Expr& term) {
  if (graph.op(term) != Op::kProduct || !graph.is_number(graph.operands(term)[0])) {
    return {Coefficient::fraction(1, 1), std::span(&term, 1)};
  }
  return {graph.number_of(graph.operands(term)[0]), graph.operands(term).subspan(1)};
}

std::span<const Expr> terms_of(const Graph& graph, const Expr& expr) {
  return graph.op(expr) == Op::kSum ? graph.operands(expr) : std::span(&expr, 1);
}

// All terms of a sum, those of inner sums among them.
std::vector<Expr> all_terms(const Graph& graph, Expr expr) {
  std::vector<Expr> terms, pending = {expr};
  while (!pending.empty()) {
    const Expr next = pending.back();
    pending.pop_back();
    if (graph.op(next) != Op::kSum) {
      terms.push_back(next);
      continue;
    }
    const auto inner = terms_of(graph, next);
    pending.insert(pending.end(), inner.begin(), inner.end());
  }
  return terms;
}

}  // namespace

FieldNumber Fingerprinter::calc_number(const Coefficient& number) const {
  if (number.is_exact()) {
    const std::uint64_t numerator = from_integer(number.numerator());
    if (number.is_integer()) return {numerator, 0};
    return {multiply(numerator, invert(from_integer(number.denominator()))), 0};
  }
  int exponent = 0;
  const double mantissa = std::frexp(number.value(), &exponent);
  const auto whole = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  return {multiply(from_integer(whole), power_of_two(exponent - 53)), 0};
}

// exp(i angle).
FieldNumber Fingerprinter::calc_circle(Expr angle) const {
  FieldNumber result{1, 0};
  for (const Expr& term : all_terms(graph_, angle)) {
    auto [coefficient, rest] = split(graph_, term);
    if (graph_.is_number(term)) {  // one radian is an angle like any other
      coefficient = graph_.number_of(term);
      rest = {};
    }
    const bool is_pi = rest.size() == 1 && graph_.op(rest[0]) == Op::kPi;
    if (is_pi && coefficient.is_exact() && std::abs(coefficient.numerator()) < (std::int64_t{1} << 20)) {
      const auto d = static_cast<std::uint64_t>(coefficient.denominator());
      if ((d & (d - 1)) == 0 && d < (std::uint64_t{1} << 40)) {
        static const FieldNumber kGenerator = circle_generator();
        const FieldNumber half_turn_part = power(kGenerator, (std::uint64_t{1} << 60) / d);
        result = multiply(result, power(half_turn_part, coefficient.numerator()));
        continue;
      }
    }
    FieldNumber product{1, 0};
    for (const Expr factor : rest) product = multiply(product, value(factor));
    const auto parts = whole_parts(coefficient);
    if (!parts) product = multiply(product, calc_number(coefficient));
    const FieldNumber unit = unit_part(mix(mix(seed_, kAngleKind), product));
    result = multiply(result, power(unit, parts.value_or(kParts)));
  }
  return result;
}

FieldNumber Fingerprinter::calc_exponential(Expr argument) const {
  FieldNumber result{1, 0};
  for (const Expr& term : all_terms(graph_, argument)) {
    auto [coefficient, rest] = split(graph_, term);
    if (graph_.is_number(term)) {
      coefficient = graph_.number_of(term);
      rest = {};
    }
    FieldNumber product{1, 0};
    for (const Expr factor : rest) product = multiply(product, value(factor));
    const auto parts = whole_parts(coefficient);
    if (!parts) product = multiply(product, calc_number(coefficient));
    const FieldNumber unit{to_field(mix(mix(seed_, kExponentKind), product)), 0};
    result = multiply(result, power(unit, parts.value_or(kParts)));
  }
  return result;
}

// A random number that belongs to the operation and the values of its arguments.
FieldNumber Fingerprinter::calc_opaque(std::uint64_t kind, Expr expr) const {
  std::uint64_t hash = mix(seed_, kind);
  for (const Expr operand : graph_.operands(expr)) hash = mix(hash, value(operand));
  return {to_field(hash), 0};
}

Fingerprinter::Value Fingerprinter::calc_power(Expr expr) const {
  const Expr base = graph_.operands(expr)[0], exponent = graph_.operands(expr)[1];
  if (const auto n = graph_.integer_exponent(expr)) {
    if (*n < 0 && value(base).is_zero()) return {{}, true, false};
    return {power(value(base), *n), true};
  }
  // b^(k/2) as a power of the root.
  if (graph_.is_number(exponent) && graph_.number_of(exponent).is_exact() &&
      graph_.number_of(exponent).denominator() == 2 && value(base).im == 0 && !value(base).is_zero()) {
    const std::uint64_t a = value(base).re;
    const bool has_root = power(FieldNumber{a, 0}, (kPrime - 1) / 2).re == 1;
    const std::uint64_t root = power(FieldNumber{has_root ? a : kPrime - a, 0}, (kPrime + 1) / 4).re;
    const FieldNumber both = has_root ? FieldNumber{root, 0} : FieldNumber{0, root};
    return {power(both, graph_.number_of(exponent).numerator()), true};
  }
  return {calc_opaque(static_cast<std::uint64_t>(Op::kPower), expr), true};
}

FieldNumber Fingerprinter::calc_call(Expr expr) const {
  const Op op = graph_.op(expr);
  const auto of = graph_.operands(expr);
  const auto half = [](FieldNumber a) {
    return multiply(a, FieldNumber{std::uint64_t{1} << 60, 0});  // 1/2
  };
  switch (op) {
    case Op::kSin:
    case Op::kCos:
    case Op::kTan: {
      const FieldNumber z = calc_circle(of[0]);
      const FieldNumber c{z.re, 0}, s{z.im, 0};
      if (op == Op::kTan) return multiply(s, c.is_zero() ? c : invert(c));
      return op == Op::kSin ? s : c;
    }
    case Op::kExp:
      return calc_exponential(of[0]);
    case Op::kSinh:
    case Op::kCosh:
    case Op::kTanh: {
      const FieldNumber z = calc_exponential(of[0]), inverse = invert(z);
      const FieldNumber c = half(add(z, inverse)), s = half(subtract(z, inverse));
      if (op == Op::kTanh) return multiply(s, c.is_zero() ? c : invert(c));
      return op == Op::kSinh ? s : c;
    }
    case Op::kSqrt: {
      const FieldNumber a = value(of[0]);
      if (a.im != 0) return calc_opaque(kRootKind, expr);
      const bool has_root = a.re == 0 || power(a, (kPrime - 1) / 2).re == 1;
      const std::uint64_t square = has_root ? a.re : kPrime - a.re;
      const std::uint64_t root = power(FieldNumber{square, 0}, (kPrime + 1) / 4).re;  // p = 3 modulo 4
      return has_root ? FieldNumber{root, 0} : FieldNumber{0, root};
    }
    case Op::kIfLess:
    case Op::kIfLessEqual: {  // no + (yes - no) side: linear in the branches
      const std::uint64_t hash =
          mix(mix(mix(seed_, static_cast<std::uint64_t>(op)), value(of[0])), value(of[1]));
      return add(value(of[3]),
                 multiply(subtract(value(of[2]), value(of[3])), FieldNumber{to_field(hash), 0}));
    }
    case Op::kTable: {
      std::uint64_t hash = mix(seed_, static_cast<std::uint64_t>(op));
      hash = mix(hash, std::hash<std::string_view>()(graph_.table_name_of(expr)));
      hash = mix(hash, static_cast<std::uint64_t>(graph_.table_order_of(expr)));
      return {to_field(mix(hash, value(of[0]))), 0};
    }
    default:
      return calc_opaque(static_cast<std::uint64_t>(op), expr);
  }
}

Fingerprinter::Value Fingerprinter::calc_node(Expr expr) const {
  for (const Expr operand : graph_.operands(expr)) {
    if (!values_[operand.id].is_finite) return {{}, true, false};
  }
  switch (graph_.op(expr)) {
    case Op::kNumber:
      return {calc_number(graph_.number_of(expr)), true};
    case Op::kPi:
      return {{to_field(mix(seed_, kPiKind)), 0}, true};
    case Op::kSymbol: {
      const std::uint64_t name = std::hash<std::string_view>()(graph_.name_of(expr));
      return {{to_field(mix(mix(seed_, kSymbolKind), name)), 0}, true};
    }
    case Op::kSum: {
      FieldNumber sum;
      for (const Expr term : graph_.operands(expr)) sum = add(sum, value(term));
      return {sum, true};
    }
    case Op::kProduct: {
      FieldNumber product{1, 0};
      for (const Expr factor : graph_.operands(expr)) product = multiply(product, value(factor));
      return {product, true};
    }
    case Op::kPower:
      return calc_power(expr);
    default:
      return {calc_call(expr), true};
  }
}

std::optional<FieldNumber> Fingerprinter::calc(Expr root) {
  if (values_.size() < graph_.size()) values_.resize(graph_.size());
  std::vector<Expr> pending = {root};
  while (!pending.empty()) {
    const Expr next = pending.back();
    const std::size_t before = pending.size();
    if (!values_[next.id].is_known) {
      for (const Expr operand : graph_.operands(next)) {
        if (!values_[operand.id].is_known) pending.push_back(operand);
      }
    }
    if (pending.size() > before) continue;
    pending.pop_back();
    if (!values_[next.id].is_known) values_[next.id] = calc_node(next);
  }
  const Value& found = values_[root.id];
  if (!found.is_finite) return std::nullopt;
  return found.number;
}

IdentityTest::IdentityTest(const Graph& graph) : first_(graph, 0x5e571a), second_(graph, 0x0a11ce) {}

bool IdentityTest::is_zero(Expr expr) {
  const auto a = first_.calc(expr);
  if (!a || !a->is_zero()) return false;
  const auto b = second_.calc(expr);
  return b && b->is_zero();
}

bool IdentityTest::are_equal(Expr a, Expr b) {
  if (a == b) return true;
  const auto a1 = first_.calc(a), b1 = first_.calc(b);
  if (!a1 || !b1 || *a1 != *b1) return false;
  const auto a2 = second_.calc(a), b2 = second_.calc(b);
  return a2 && b2 && *a2 == *b2;
}

}  // namespace sestina
