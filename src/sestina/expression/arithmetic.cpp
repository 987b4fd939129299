// Canonical sums, products and powers; the rules stand at the top of graph.h.
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "sestina/expression/graph.h"

namespace sestina {
namespace {

struct Term {
  Expr rest;
  Coefficient coefficient;
};

struct Factor {
  Expr base;
  std::int64_t exponent;
};

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

Expr Graph::sum(std::span<const Expr> given) {
  Coefficient constant;
  std::vector<Term> terms;
  const auto collect = [&](Expr expr) {
    if (is_number(expr)) {
      constant = constant + number_of(expr);
    } else {
      const auto [coefficient, rest] = split_coefficient(expr);
      terms.push_back({rest, coefficient});
    }
  };
  for (const Expr expr : std::vector(given.begin(), given.end())) {
    if (op(expr) != Op::kSum) {
      collect(expr);
      continue;
    }
    for (const Expr inner : std::vector(operands(expr).begin(), operands(expr).end())) collect(inner);
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
    if (op(term) == Op::kSum || !coefficient.is_finite()) is_canonical = false;
    collected.push_back(term);
  }
  if (collected.empty()) return zero_;
  if (collected.size() == 1) return collected.front();
  return is_canonical ? intern(Op::kSum, collected) : sum(collected);
}

Expr Graph::product(std::span<const Expr> given) {
  Coefficient coefficient = Coefficient::fraction(1, 1);
  std::vector<Factor> factors;
  const auto collect = [&](Expr expr) {
    if (is_number(expr)) {
      coefficient = coefficient * number_of(expr);
    } else if (const auto exponent = integer_exponent(expr)) {
      factors.push_back({operands(expr)[0], *exponent});
    } else {
      factors.push_back({expr, 1});
    }
  };
  for (const Expr expr : given) {
    if (op(expr) != Op::kProduct) {
      collect(expr);
      continue;
    }
    for (const Expr inner : operands(expr)) collect(inner);
  }
  std::stable_sort(factors.begin(), factors.end(), [](const Factor& a, const Factor& b) {
    return std::tuple(a.base, a.exponent < 0) < std::tuple(b.base, b.exponent < 0);
  });

  std::vector<Expr> collected;
  bool is_canonical = coefficient.is_finite(), has_fault = false;
  for (std::size_t i = 0, next = 0; i < factors.size(); i = next) {
    const Expr base = factors[i].base;
    std::int64_t exponent = factors[i].exponent;
    const auto is_alike = [base, is_divisor = exponent < 0](const Factor& other) {
      return other.base == base && (other.exponent < 0) == is_divisor;
    };
    for (next = i + 1; next < factors.size() && is_alike(factors[next]); ++next) {
      exponent += factors[next].exponent;
    }
    const Expr factor = exponent == 1 ? base : power(base, fraction(exponent));
    if (is_number(factor) || op(factor) == Op::kProduct) is_canonical = false;
    has_fault = has_fault || has_constant_fault(factor);
    collected.push_back(factor);
  }
  if (coefficient.is_zero() && !has_fault) return zero_;
  if (!coefficient.is_one()) collected.insert(collected.begin(), number(coefficient));
  if (collected.empty()) return one_;
  if (!is_canonical) return product(collected);
  return collected.size() == 1 ? collected.front() : intern(Op::kProduct, collected);
}

// 1, unless that would hide a fault: then 1 + 0*expr, which is not finite either.
Expr Graph::one_unless_fault(Expr expr) { return add(one_, multiply(zero_, expr)); }

// (a b)^n = a^n b^n for whole n, where no divisor of the base would move to the numerator.
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
    if (*inner < 0 && n.is_negative()) {  // 1/(1/x) divides by x, so it stays
      if (exponent == minus_one_) return std::nullopt;
      return power(power(base, number(-n)), minus_one_);
    }
    const Expr innermost = operands(base)[0];
    return power(innermost, number(Coefficient::fraction(*inner, 1) * n));
  }
  if (op(base) == Op::kProduct) return fold_power_of_product(base, n.numerator());
  return std::nullopt;
}

Expr Graph::power(Expr base, Expr exponent) {
  if (const auto folded = fold_power(base, exponent)) return *folded;
  return intern(Op::kPower, std::array{base, exponent});
}

}  // namespace sestina
