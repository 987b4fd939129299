// Canonical sums, products and powers; graph.h states the rules.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "sestina/expression/graph.h"

namespace sestina {
namespace {

// Doubles represent every whole number up to this one.
constexpr std::int64_t kLargestExponent = std::int64_t{1} << 53;

struct Term {
  Expr rest;
  Coefficient coefficient;
};

// Collects multiples of the same inner sum while its terms are separate from the others, so that a + b - (a +
// b) is 0. Returns nothing if there are no such sums.
std::optional<std::vector<Expr>> collect_multiples_of_sums(Graph& graph, std::span<const Expr> given) {
  const auto sum_within = [&](Expr e) {
    if (graph.op(e) == Op::kSum) return e;
    const auto of = graph.operands(e);
    const bool is_multiple = graph.op(e) == Op::kProduct && of.size() == 2 && graph.is_number(of[0]);
    return is_multiple && graph.op(of[1]) == Op::kSum ? of[1] : Expr{};
  };
  const auto coefficient = [&](Expr e) {
    return graph.op(e) == Op::kSum ? Coefficient::fraction(1, 1) : graph.number_of(graph.operands(e)[0]);
  };
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (graph.op(given[i]) != Op::kProduct) continue;
    const Expr within = sum_within(given[i]);
    if (!within.is_valid()) continue;
    for (std::size_t j = 0; j < given.size(); ++j) {
      if (j == i || sum_within(given[j]) != within) continue;
      std::vector<Expr> rest(given.begin(), given.end());
      const Coefficient both = coefficient(given[i]) + coefficient(given[j]);
      rest[std::min(i, j)] = graph.multiply(graph.number(both), within);
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
      return rest;
    }
  }
  return std::nullopt;
}

}  // namespace

Expr Graph::add(Expr a, Expr b) { return sum(std::array{a, b}); }
Expr Graph::subtract(Expr a, Expr b) { return sum(std::array{a, negate(b)}); }
Expr Graph::negate(Expr a) { return product(std::array{minus_one_, a}); }
Expr Graph::multiply(Expr a, Expr b) { return product(std::array{a, b}); }
Expr Graph::divide(Expr a, Expr b) { return product(std::array{a, power(b, minus_one_)}); }

bool Graph::has_negative_coefficient(Expr expr) const {
  if (op(expr) == Op::kProduct) expr = operands(expr)[0];
  return is_number(expr) && number_of(expr).is_negative();
}

Expr Graph::scale(const Coefficient& coefficient, Expr rest) {
  if (coefficient.is_one()) return rest;
  if (coefficient.is_zero() && !has_constant_fault(rest)) return zero_;
  if (!coefficient.is_finite()) return product(std::array{number(coefficient), rest});
  std::vector<Expr> factors = {number(coefficient)};
  if (op(rest) == Op::kProduct) {
    factors.insert(factors.end(), operands(rest).begin(), operands(rest).end());
  } else {
    factors.push_back(rest);
  }
  return intern(Op::kProduct, factors);
}

// True if inner sums among the terms of a sum (products among factors) may be merged into it.
bool Graph::may_merge(Op op, std::span<const Expr> operands) const {
  std::size_t width = 0, others = 0;
  for (const Expr operand : operands) {
    width += this->op(operand) == op ? this->operands(operand).size() : 1;
    others += is_number(operand) ? 0 : 1;
  }
  return width <= most_merged_ || others == 1;
}

bool Graph::is_nested(Op op, std::span<const Expr> operands) const {
  return std::any_of(operands.begin(), operands.end(), [&](Expr e) { return this->op(e) == op; });
}

// Returns the operands, with those of mergeable inner sums or products in their place.
std::vector<Expr> Graph::merged_operands(Op op, std::span<const Expr> operands) const {
  if (!may_merge(op, operands)) return {operands.begin(), operands.end()};
  std::vector<Expr> merged;
  for (const Expr operand : operands) {
    if (this->op(operand) == op) {
      const auto inner = this->operands(operand);
      merged.insert(merged.end(), inner.begin(), inner.end());
    } else {
      merged.push_back(operand);
    }
  }
  return merged;
}

Expr Graph::sum(std::span<const Expr> given) {
  if (const auto collected = collect_multiples_of_sums(*this, given)) return sum(*collected);
  Coefficient constant;
  std::vector<Term> terms;
  for (const Expr expr : merged_operands(Op::kSum, given)) {
    const auto [coefficient, rest] = split_coefficient(expr);
    if (rest == one_) {
      constant = constant + coefficient;
    } else {
      terms.push_back({rest, coefficient});
    }
  }
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.rest < b.rest; });

  std::vector<Expr> collected;
  bool is_canonical = constant.is_finite();
  if (!constant.is_zero()) collected.push_back(number(constant));
  for (std::size_t i = 0, next = 0; i < terms.size(); i = next) {
    Coefficient coefficient = terms[i].coefficient;
    for (next = i + 1; next < terms.size() && terms[next].rest == terms[i].rest; ++next) {
      coefficient = coefficient + terms[next].coefficient;
    }
    const Expr term = scale(coefficient, terms[i].rest);
    if (term == zero_) continue;
    if (!coefficient.is_finite()) is_canonical = false;
    collected.push_back(term);
  }
  if (collected.empty()) return zero_;
  if (collected.size() == 1) return collected.front();
  if (is_nested(Op::kSum, collected) && may_merge(Op::kSum, collected)) is_canonical = false;
  return is_canonical ? intern(Op::kSum, collected) : sum(collected);
}

// Returns the factors sorted by base and sign of the exponent; the exponents of equal bases are added.
std::vector<Graph::Factor> Graph::collect_factors(std::span<const Expr> operands) const {
  std::vector<Factor> factors;
  for (const Expr operand : operands) {
    const auto exponent = integer_exponent(operand);
    factors.push_back(exponent ? Factor{this->operands(operand)[0], *exponent} : Factor{operand, 1});
  }
  std::sort(factors.begin(), factors.end(), [](const Factor& a, const Factor& b) {
    return std::tuple(a.base, a.exponent < 0) < std::tuple(b.base, b.exponent < 0);
  });
  std::size_t count = 0;
  for (const Factor& factor : factors) {
    Factor* last = count > 0 ? &factors[count - 1] : nullptr;
    const bool is_alike = last && last->base == factor.base && (last->exponent < 0) == (factor.exponent < 0);
    if (is_alike && std::abs(last->exponent + factor.exponent) <= kLargestExponent) {
      last->exponent += factor.exponent;
    } else {
      factors[count++] = factor;
    }
  }
  factors.resize(count);
  return factors;
}

Expr Graph::product(std::span<const Expr> given) {
  Coefficient coefficient = Coefficient::fraction(1, 1);
  std::vector<Expr> rests;
  for (const Expr expr : std::vector(given.begin(), given.end())) {
    const auto [number, rest] = split_coefficient(expr);
    coefficient = coefficient * number;
    if (rest != one_) rests.push_back(rest);
  }
  std::vector<Expr> collected;
  bool is_canonical = coefficient.is_finite(), has_fault = false;
  for (const auto& [base, exponent] : collect_factors(merged_operands(Op::kProduct, rests))) {
    const Expr factor = exponent == 1 ? base : power(base, fraction(exponent));
    if (split_coefficient(factor).second != factor) is_canonical = false;  // a number was split off
    // The power may have another base, (x^-3)^-2 = 1/x^-6, and then another place in the order.
    if (exponent != 1 && integer_exponent(factor) && operands(factor)[0] != base) is_canonical = false;
    has_fault = has_fault || has_constant_fault(factor);
    collected.push_back(factor);
  }
  if (coefficient.is_zero() && !has_fault) return zero_;
  if (auto merged = merge_roots(collected)) {
    collected = std::move(*merged);
    is_canonical = false;
  }
  if (is_nested(Op::kProduct, collected) && may_merge(Op::kProduct, collected)) is_canonical = false;
  if (!coefficient.is_one()) collected.insert(collected.begin(), number(coefficient));
  if (collected.empty()) return one_;
  if (!is_canonical) return product(collected);
  return collected.size() == 1 ? collected.front() : intern(Op::kProduct, collected);
}

// Combines sqrt(2) sqrt(3) to sqrt(6); returns nothing if there are no two such factors.
std::optional<std::vector<Expr>> Graph::merge_roots(std::span<const Expr> factors) {
  const auto is_root = [this](Expr e) { return is_root_of_number(e); };
  if (most_merged_ == 0 || std::ranges::count_if(factors, is_root) < 2) return std::nullopt;
  std::vector<Expr> others;
  Coefficient square = Coefficient::fraction(1, 1);
  for (const Expr factor : factors) {
    if (is_root(factor)) {
      square = square * number_of(operands(factor)[0]);
    } else {
      others.push_back(factor);
    }
  }
  if (!square.is_exact()) return std::nullopt;
  others.push_back(unary(Op::kSqrt, number(square)));
  return others;
}

// Folds whole powers of roots of numbers, and even powers of magnitudes.
std::optional<Expr> Graph::fold_power_of_function(Expr base, std::int64_t exponent) {
  if (most_merged_ == 0) return std::nullopt;
  if (op(base) == Op::kAbs && exponent % 2 == 0) return power(operands(base)[0], fraction(exponent));
  if (!is_root_of_number(base)) return std::nullopt;
  const bool is_odd = exponent % 2 != 0;
  const std::int64_t half = (exponent - (is_odd ? 1 : 0)) / 2;
  const auto whole = number_of(operands(base)[0]).power(Coefficient::fraction(half, 1));
  if (!whole) return std::nullopt;
  return is_odd ? multiply(number(*whole), base) : number(*whole);
}

// Returns 1, or 1 + 0*expr if 1 would hide a fault: that is not finite either.
Expr Graph::one_unless_fault(Expr expr) { return add(one_, multiply(zero_, expr)); }

// Folds (a b)^n to a^n b^n for whole n, unless a divisor of the base would move to the numerator.
std::optional<Expr> Graph::fold_power_of_product(Expr base, std::int64_t exponent) {
  const std::vector<Expr> factors(operands(base).begin(), operands(base).end());
  const auto may_be_inverted = [this](Expr factor) {
    if (is_number(factor)) return !number_of(factor).is_zero();
    const auto inner = integer_exponent(factor);
    return !inner || *inner > 0;
  };
  if (exponent > 0 || std::all_of(factors.begin(), factors.end(), may_be_inverted)) {
    std::vector<Expr> powers;
    for (const Expr factor : factors) powers.push_back(power(factor, fraction(exponent)));
    return product(powers);
  }
  if (!is_number(factors[0]) || number_of(factors[0]).is_zero()) {
    if (exponent == -1) return std::nullopt;
    return power(power(base, fraction(-exponent)), minus_one_);
  }
  const Expr rest = split_coefficient(base).second;
  return product(std::array{power(factors[0], fraction(exponent)), power(rest, fraction(exponent))});
}

std::optional<Expr> Graph::fold_power(Expr base, Expr exponent) {
  if (base == one_) return one_unless_fault(exponent);
  if (!is_number(exponent)) return std::nullopt;
  const Coefficient n = number_of(exponent);
  if (n.is_zero()) return one_unless_fault(base);
  if (n.is_one()) return base;
  if (is_number(base)) {
    if (const auto value = number_of(base).power(n)) return number(*value);
  }
  if (base == zero_) {  // 0^-2 is the same fault as 0^-1
    if (exponent == minus_one_) return std::nullopt;
    return n.is_negative() ? power(zero_, minus_one_) : zero_;
  }
  if (exponent == half_) return unary(Op::kSqrt, base);
  if (n == Coefficient::fraction(-1, 2)) return power(unary(Op::kSqrt, base), minus_one_);
  if (!n.is_integer()) return std::nullopt;
  if (const auto inner = integer_exponent(base)) {
    if (*inner < 0 && n.is_negative()) {  // 1/(1/x) divides by x and must stay
      if (exponent == minus_one_) return std::nullopt;
      return power(power(base, number(-n)), minus_one_);
    }
    const Expr innermost = operands(base)[0];
    return power(innermost, number(Coefficient::fraction(*inner, 1) * n));
  }
  if (op(base) == Op::kProduct) return fold_power_of_product(base, n.numerator());
  return fold_power_of_function(base, n.numerator());
}

Expr Graph::power(Expr base, Expr exponent) {
  if (const auto folded = fold_power(base, exponent)) return *folded;
  return intern(Op::kPower, std::array{base, exponent});
}

}  // namespace sestina
