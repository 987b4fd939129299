#include "sestina/expression/fingerprint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "sestina/expression/expanded_terms.h"

namespace sestina {
namespace {

// splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t x) { return mix(seed ^ mix(x)); }
std::uint64_t mix(std::uint64_t seed, FieldNumber x) { return mix(mix(seed, x.re), x.im); }
bool is_whole(const Coefficient& c) { return c.is_exact() && c.is_integer(); }

enum Kind : std::uint64_t {
  kAngleKind = 100,
  kExponentKind,
  kSymbolKind,
  kPiKind,
  kRootKind,
  kLogKind,
};

// True for b^(k/2).
bool is_half_power(const Graph& graph, Expr expr) {
  if (graph.op(expr) != Op::kPower || !graph.is_number(graph.operands(expr)[1])) return false;
  const Coefficient& exponent = graph.number_of(graph.operands(expr)[1]);
  return exponent.is_exact() && exponent.denominator() == 2;
}

Coefficient magnitude(const Coefficient& c) { return c.is_negative() ? -c : c; }

// Returns a fraction > 0 that can be factored out: for a sum the largest one of which every term is a whole
// multiple, 1 if a term is not an exact multiple.
Coefficient positive_factor(const Graph& graph, Expr expr, int deepest = 3) {
  Coefficient one = Coefficient::fraction(1, 1);
  if (graph.is_number(expr)) return graph.number_of(expr).is_zero() ? one : magnitude(graph.number_of(expr));
  if (deepest == 0) return one;
  const auto of = graph.operands(expr);
  if (graph.op(expr) == Op::kProduct) {
    Coefficient product = one;
    for (const Expr factor : of) product = product * positive_factor(graph, factor, deepest - 1);
    return product;
  }
  if (const auto n = graph.integer_exponent(expr)) {
    return positive_factor(graph, of[0], deepest - 1).power(Coefficient::fraction(*n, 1)).value_or(one);
  }
  if (graph.op(expr) != Op::kSum) return one;
  std::int64_t numerator = 0, denominator = 1;
  for (const Expr term : of) {
    const Coefficient c = positive_factor(graph, term, deepest - 1);
    constexpr std::int64_t kLargest = std::int64_t{1} << 53;
    if (!c.is_exact() || c.denominator() > kLargest / denominator) return one;
    numerator = std::gcd(numerator, c.numerator());
    denominator = std::lcm(denominator, c.denominator());
  }
  return Coefficient::fraction(numerator, denominator);
}

}  // namespace

// Root of a positive whole number as product of the roots of its prime factors: sqrt(2) sqrt(3) = sqrt(6).
// The remainder without small factors counts as a prime.
FieldNumber Fingerprinter::root_of_integer(std::int64_t n) const {
  FieldNumber root{1, 0};
  for (std::int64_t d = 2; d <= kLargestFactor && d * d <= n; ++d) {
    for (; n % (d * d) == 0; n /= d * d) root = field_.multiply(root, FieldNumber{field_.from_integer(d), 0});
    if (n % d != 0) continue;
    root = field_.multiply(root, field_.root(field_.from_integer(d)));
    n /= d;
  }
  const auto whole = Coefficient::fraction(n, 1).exact_sqrt();
  const std::uint64_t rest = field_.from_integer(whole ? whole->numerator() : n);
  return field_.multiply(root, whole ? FieldNumber{rest, 0} : field_.root(rest));
}

std::uint64_t Fingerprinter::seed_of_point(std::size_t i) { return mix(0x5e571au + i); }

FieldNumber Fingerprinter::pi() const { return {field_.from_hash(mix(seed_, kPiKind)), 0}; }

FieldNumber Fingerprinter::root_of_number(const Coefficient& positive) const {
  if (!positive.is_exact()) return field_.root(field_.from_number(positive).re);
  return field_.multiply(root_of_integer(positive.numerator()),
                         field_.invert(root_of_integer(positive.denominator())));
}

// Returns log(n) of a positive whole number, the sum over its prime factors. The remainder without small
// factors counts as a prime.
FieldNumber Fingerprinter::log_of_integer(std::int64_t n) const {
  const auto of_prime = [&](std::int64_t prime) {
    return FieldNumber{field_.from_hash(mix(mix(seed_, kLogKind), field_.from_integer(prime))), 0};
  };
  FieldNumber sum;
  for (std::int64_t d = 2; d <= kLargestFactor && d * d <= n; ++d) {
    for (; n % d == 0; n /= d) sum = field_.add(sum, of_prime(d));
  }
  return n > 1 ? field_.add(sum, of_prime(n)) : sum;
}

FieldNumber Fingerprinter::log_of_number(const Coefficient& positive) const {
  if (!positive.is_exact()) {
    return {field_.from_hash(mix(mix(seed_, kLogKind), field_.from_number(positive))), 0};
  }
  return field_.subtract(log_of_integer(positive.numerator()), log_of_integer(positive.denominator()));
}

// Returns exp(i a) for a = asin(u), acos(u) or atan(u); nothing for other expressions.
std::optional<FieldNumber> Fingerprinter::calc_circle_of_arc(Expr arc) const {
  const Op op = graph_.op(arc);
  if (op != Op::kAsin && op != Op::kAcos && op != Op::kAtan) return std::nullopt;
  const Expr argument = graph_.operands(arc)[0];
  const FieldNumber u = value(argument), i{0, 1};
  if (u.im != 0) return std::nullopt;
  // With u = c v, sqrt(1 - u^2) is written (1/q) sqrt(q^2 - p^2 v^2) for c = p/q, as calc_root does.
  const Coefficient factor = positive_factor(graph_, argument);
  const FieldNumber q{field_.from_integer(factor.is_exact() ? factor.denominator() : 1), 0};
  const FieldNumber scaled = field_.multiply(q, u), one = field_.multiply(q, q);
  const FieldNumber square = field_.multiply(scaled, scaled);
  const bool is_atan = op == Op::kAtan;
  const FieldNumber sum = is_atan ? field_.add(one, square) : field_.subtract(one, square);
  const FieldNumber root = field_.root(sum.re);
  if (root.is_zero()) return std::nullopt;
  if (is_atan) {
    return field_.multiply(field_.add(q, field_.multiply(i, scaled)), field_.invert(root));
  }
  const FieldNumber other = field_.multiply(root, field_.invert(q));
  return op == Op::kAsin ? field_.add(other, field_.multiply(i, u))
                         : field_.add(u, field_.multiply(i, other));
}

// Returns exp(i angle).
FieldNumber Fingerprinter::calc_circle(Expr angle) const {
  FieldNumber result{1, 0};
  for (const auto& [coefficient, rest] :
       expanded_terms(graph_, angle)) {  // one radian is an angle like any other
    const bool is_pi = rest.size() == 1 && graph_.op(rest[0]) == Op::kPi;
    if (is_pi && coefficient.is_exact() && std::abs(coefficient.numerator()) < (std::int64_t{1} << 20)) {
      const auto d = static_cast<std::uint64_t>(coefficient.denominator());
      if (PrimeField::has_turn(d)) {
        result = field_.multiply(result, field_.turn(coefficient.numerator(), d));
        continue;
      }
    }
    if (rest.size() == 1 && is_whole(coefficient)) {
      if (const auto of_arc = calc_circle_of_arc(rest[0])) {
        result = field_.multiply(result, field_.power(*of_arc, coefficient.numerator()));
        continue;
      }
    }
    FieldNumber product{1, 0};
    for (const Expr factor : rest) product = field_.multiply(product, value(factor));
    const auto parts = whole_parts(coefficient);
    if (!parts) product = field_.multiply(product, field_.from_number(coefficient));
    const FieldNumber unit = field_.circle_point(field_.from_hash(mix(mix(seed_, kAngleKind), product)));
    result = field_.multiply(result, field_.power(unit, parts.value_or(kParts)));
  }
  return result;
}

FieldNumber Fingerprinter::calc_exponential(Expr argument) const {
  FieldNumber result{1, 0};
  for (const auto& [coefficient, rest] : expanded_terms(graph_, argument)) {
    if (rest.size() == 1 && is_whole(coefficient) && graph_.op(rest[0]) == Op::kLog) {
      const FieldNumber u = value(graph_.operands(rest[0])[0]);
      if (!u.is_zero()) {
        result = field_.multiply(result, field_.power(u, coefficient.numerator()));
        continue;
      }
    }
    FieldNumber product{1, 0};
    for (const Expr factor : rest) product = field_.multiply(product, value(factor));
    const auto parts = whole_parts(coefficient);
    if (!parts) product = field_.multiply(product, field_.from_number(coefficient));
    const FieldNumber unit{field_.from_hash(mix(mix(seed_, kExponentKind), product)), 0};
    result = field_.multiply(result, field_.power(unit, parts.value_or(kParts)));
  }
  return result;
}

// Returns a random number that changes its sign with its argument.
FieldNumber Fingerprinter::calc_odd(Op op, Expr argument) const {
  const FieldNumber u = value(argument), mirrored = field_.subtract(FieldNumber{}, u);
  if (u.is_zero()) return {};
  const bool is_mirrored = std::pair(mirrored.re, mirrored.im) < std::pair(u.re, u.im);
  const std::uint64_t hash = mix(mix(seed_, static_cast<std::uint64_t>(op)), is_mirrored ? mirrored : u);
  const FieldNumber result{field_.from_hash(hash), 0};
  return is_mirrored ? field_.subtract(FieldNumber{}, result) : result;
}

FieldNumber Fingerprinter::calc_logarithm(Expr argument) const {
  FieldNumber sum;
  std::vector<std::pair<Expr, Coefficient>> pending = {{argument, Coefficient::fraction(1, 1)}};
  const auto take = [&](Expr e, const Coefficient& exponent) -> bool {  // whether it is taken to pieces
    const auto of = graph_.operands(e);
    switch (graph_.op(e)) {
      case Op::kExp:
        sum = field_.add(sum, field_.multiply(field_.from_number(exponent), value(of[0])));
        return true;
      case Op::kSqrt:
        pending.emplace_back(of[0], exponent * Coefficient::fraction(1, 2));
        return true;
      case Op::kPower: {
        const auto n = graph_.integer_exponent(e);
        const bool keeps_sign = n && (*n % 2 != 0 || values_[of[0].id].is_nonnegative);
        if (keeps_sign) pending.emplace_back(of[0], exponent * Coefficient::fraction(*n, 1));
        return keeps_sign;
      }
      case Op::kProduct: {  // apart from at most one factor, all have to be positive
        const auto may_be_negative = [&](Expr factor) { return !is_nonnegative(factor); };
        if (std::ranges::count_if(of, may_be_negative) > 1) return false;
        for (const Expr factor : of) pending.emplace_back(factor, exponent);
        return true;
      }
      default:
        return false;
    }
  };
  while (!pending.empty()) {
    const auto [e, exponent] = pending.back();
    pending.pop_back();
    if (take(e, exponent)) continue;
    const Coefficient factor = positive_factor(graph_, e);
    const FieldNumber scale = field_.from_number(factor);
    const FieldNumber left = field_.multiply(value(e), field_.invert(scale));
    FieldNumber one = log_of_number(factor);
    if (!(left == FieldNumber{1, 0})) {
      const std::uint64_t hash = mix(mix(seed_, static_cast<std::uint64_t>(Op::kLog)), left);
      one = field_.add(one, FieldNumber{field_.from_hash(hash), 0});
    }
    sum = field_.add(sum, field_.multiply(field_.from_number(exponent), one));
  }
  return sum;
}

// Returns a random number that depends on the operation and the values of its arguments.
FieldNumber Fingerprinter::calc_opaque(std::uint64_t kind, Expr expr) const {
  std::uint64_t hash = mix(seed_, kind);
  for (const Expr operand : graph_.operands(expr)) hash = mix(hash, value(operand));
  return {field_.from_hash(hash), 0};
}

// Returns nothing for a division by zero.
std::optional<FieldNumber> Fingerprinter::calc_power(Expr expr) const {
  const Expr base = graph_.operands(expr)[0], exponent = graph_.operands(expr)[1];
  if (const auto n = graph_.integer_exponent(expr)) {
    if (*n < 0 && value(base).is_zero()) return std::nullopt;
    return field_.power(value(base), *n);
  }
  // b^(k/2) is a power of the root.
  if (is_half_power(graph_, expr) && value(base).im == 0 && !value(base).is_zero()) {
    return field_.power(calc_root(base), graph_.number_of(exponent).numerator());
  }
  return calc_opaque(static_cast<std::uint64_t>(Op::kPower), expr);
}

// Root of a number in the field without i. A common positive factor is moved in front of the root, so that
// sqrt(12 x) is 2 sqrt(3) sqrt(x) at every point.
FieldNumber Fingerprinter::calc_root(Expr square) const {
  const Coefficient factor = positive_factor(graph_, square);
  const FieldNumber scale = field_.from_number(factor);
  const FieldNumber rest = field_.multiply(value(square), field_.invert(scale));
  return field_.multiply(root_of_number(factor), field_.root(rest.re));
}

// Multiplies the signs of the factors; nothing if one of them is not a real number.
std::optional<FieldNumber> Fingerprinter::calc_sign(Expr expr) const {
  const FieldNumber one{1, 0}, minus_one = field_.subtract(FieldNumber{}, one);
  if (value(expr).is_zero()) return FieldNumber{};
  if (graph_.is_number(expr)) return graph_.number_of(expr).is_negative() ? minus_one : one;
  if (is_nonnegative(expr)) return one;
  const auto of = graph_.operands(expr);
  if (graph_.integer_exponent(expr)) return calc_sign(of[0]);  // odd, or it would not be negative
  if (graph_.op(expr) == Op::kProduct) {
    FieldNumber sign = one;
    for (const Expr factor : of) {
      const auto of_factor = calc_sign(factor);
      if (!of_factor) return std::nullopt;
      sign = field_.multiply(sign, *of_factor);
    }
    return sign;
  }
  if (value(expr).im != 0) return std::nullopt;
  const FieldNumber scale = field_.from_number(positive_factor(graph_, expr));
  return field_.is_square(field_.multiply(value(expr), field_.invert(scale)).re) ? one : minus_one;
}

FieldNumber Fingerprinter::calc_call(Expr expr) const {
  const Op op = graph_.op(expr);
  const auto of = graph_.operands(expr);
  switch (op) {
    case Op::kSin:
    case Op::kCos: {
      const FieldNumber z = calc_circle(of[0]);
      return op == Op::kSin ? field_.sine_of(z) : field_.cosine_of(z);
    }
    case Op::kExp:
      return calc_exponential(of[0]);
    case Op::kSinh:
    case Op::kCosh:
    case Op::kTanh: {
      const FieldNumber z = calc_exponential(of[0]), inverse = field_.invert(z);
      const FieldNumber c = field_.half(field_.add(z, inverse)), s = field_.half(field_.subtract(z, inverse));
      if (op == Op::kTanh) return field_.multiply(s, c.is_zero() ? c : field_.invert(c));
      return op == Op::kSinh ? s : c;
    }
    case Op::kAsin:
    case Op::kAtan:
      return calc_odd(op, of[0]);
    case Op::kAcos: {
      const FieldNumber quarter = field_.half(pi());
      return field_.subtract(quarter, calc_odd(Op::kAsin, of[0]));
    }
    case Op::kLog:
      return calc_logarithm(of[0]);
    case Op::kSqrt:
      return value(of[0]).im != 0 ? calc_opaque(kRootKind, expr) : calc_root(of[0]);
    case Op::kAbs:
    case Op::kSign: {
      const auto sign = calc_sign(of[0]);
      if (!sign) return calc_opaque(static_cast<std::uint64_t>(op), expr);
      return op == Op::kSign ? *sign : field_.multiply(*sign, value(of[0]));
    }
    case Op::kIfLess:
    case Op::kIfLessEqual: {  // no + (yes - no) side: linear in the branches
      const std::uint64_t hash =
          mix(mix(mix(seed_, static_cast<std::uint64_t>(op)), value(of[0])), value(of[1]));
      const FieldNumber difference = field_.subtract(value(of[2]), value(of[3]));
      return field_.add(value(of[3]), field_.multiply(difference, FieldNumber{field_.from_hash(hash), 0}));
    }
    case Op::kTable: {
      std::uint64_t hash = mix(seed_, static_cast<std::uint64_t>(op));
      hash = mix(hash, std::hash<std::string_view>()(graph_.table_name_of(expr)));
      hash = mix(hash, static_cast<std::uint64_t>(graph_.table_order_of(expr)));
      return {field_.from_hash(mix(hash, value(of[0]))), 0};
    }
    default:
      return calc_opaque(static_cast<std::uint64_t>(op), expr);
  }
}

Fingerprinter::Value Fingerprinter::calc_node(Expr expr) const {
  Value result;
  for (const Expr operand : graph_.operands(expr)) {
    result.is_finite = result.is_finite && values_[operand.id].is_finite;
    result.is_undefined = result.is_undefined || values_[operand.id].is_undefined;
  }
  if (!result.is_finite) return result;
  switch (graph_.op(expr)) {
    case Op::kNumber:
      result.is_undefined = field_.divides_denominator(graph_.number_of(expr));
      result.is_finite = !result.is_undefined;
      if (result.is_finite) result.number = field_.from_number(graph_.number_of(expr));
      break;
    case Op::kPi:
      result.number = pi();
      break;
    case Op::kSymbol: {
      const std::uint64_t name = std::hash<std::string_view>()(graph_.name_of(expr));
      result.number = {field_.from_hash(mix(mix(seed_, kSymbolKind), name)), 0};
      break;
    }
    case Op::kSum:
      for (const Expr term : graph_.operands(expr)) result.number = field_.add(result.number, value(term));
      break;
    case Op::kProduct:
      result.number = {1, 0};
      for (const Expr factor : graph_.operands(expr)) {
        result.number = field_.multiply(result.number, value(factor));
      }
      break;
    case Op::kPower: {
      const auto power = calc_power(expr);
      result.is_finite = power.has_value();
      result.number = power.value_or(FieldNumber{});
      break;
    }
    case Op::kTan: {  // no value at a pole
      const FieldNumber z = calc_circle(graph_.operands(expr)[0]), c = field_.cosine_of(z);
      result.is_finite = !c.is_zero();
      if (result.is_finite) result.number = field_.multiply(field_.sine_of(z), field_.invert(c));
      break;
    }
    default:
      result.number = calc_call(expr);
  }
  return result;
}

// True if the form shows that the expression is negative for no values of its symbols.
bool Fingerprinter::is_nonnegative(Expr expr) const {
  const auto of = graph_.operands(expr);
  const auto are_all = [&] {
    return std::ranges::all_of(of, [this](Expr e) { return values_[e.id].is_nonnegative; });
  };
  switch (graph_.op(expr)) {
    case Op::kNumber:
      return !graph_.number_of(expr).is_negative();
    case Op::kPi:
    case Op::kExp:
    case Op::kCosh:
    case Op::kSqrt:
    case Op::kAbs:
    case Op::kStep:
      return true;
    case Op::kSum:
    case Op::kProduct:
      return are_all();
    case Op::kPower:
      return values_[of[0].id].is_nonnegative || graph_.integer_exponent(expr).value_or(1) % 2 == 0;
    default:
      return false;
  }
}

void Fingerprinter::add_signs(Expr expr, Value& value) const {
  const Op op = graph_.op(expr);
  const bool is_root = (op == Op::kSqrt && !is_positive_number(graph_, graph_.operands(expr)[0])) ||
                       is_half_power(graph_, expr);
  const bool is_arc = op == Op::kAsin || op == Op::kAcos || op == Op::kAtan;
  value.has_root = is_root || is_arc || op == Op::kAbs || op == Op::kSign;
  for (const Expr operand : graph_.operands(expr)) {
    value.has_root = value.has_root || values_[operand.id].has_root;
    value.takes_signs = value.takes_signs && values_[operand.id].takes_signs;
  }
  value.is_nonnegative = is_nonnegative(expr);
  const bool may_be_none = op == Op::kSum || op == Op::kCosh;
  if (!value.is_nonnegative || !may_be_none || !value.is_finite || value.number.im != 0) return;
  const FieldNumber scale = field_.from_number(positive_factor(graph_, expr));
  if (!field_.is_square(field_.multiply(value.number, field_.invert(scale)).re)) value.takes_signs = false;
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
    if (values_[next.id].is_known) continue;
    Value found = calc_node(next);
    add_signs(next, found);
    found.is_known = true;
    values_[next.id] = found;
  }
  const Value& found = values_[root.id];
  if (!found.is_finite) return std::nullopt;
  return found.number;
}

}  // namespace sestina
