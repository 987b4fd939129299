#include "sestina/symbolic/polynomial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <unordered_map>

#include "sestina/base/error.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {
namespace {

constexpr std::int64_t kMostPower = 1000;  // limit for powers that are written out or count as exponents

// A product of powers: whole exponents by base and sign, since x/x is kept.
using Monomial = std::map<std::pair<Expr, bool>, std::int64_t>;  // (base, whether below the line)

Monomial operator*(Monomial a, const Monomial& b) {
  for (const auto& [base, exponent] : b) a[base] += exponent;
  return a;
}

// Splits a term into coefficient and factors.
std::pair<Coefficient, Monomial> take_apart(Graph& graph, Expr expr) {
  const auto [coefficient, rest] = graph.split_coefficient(expr);
  Monomial monomial;
  std::vector<Expr> factors = {rest};
  if (graph.op(rest) == Op::kProduct) {
    factors.assign(graph.operands(rest).begin(), graph.operands(rest).end());
  }
  for (const Expr factor : factors) {
    if (factor == graph.fraction(1)) continue;
    const auto exponent = graph.integer_exponent(factor);
    const Expr base = exponent ? graph.operands(factor)[0] : factor;
    const std::int64_t power = exponent.value_or(1);
    monomial[{base, power < 0}] += std::abs(power);
  }
  return {coefficient, monomial};
}

Expr put_together(Graph& graph, const Coefficient& coefficient, const Monomial& monomial) {
  std::vector<Expr> factors = {graph.number(coefficient)};
  for (const auto& [base, exponent] : monomial) {
    if (exponent == 0) continue;
    factors.push_back(graph.power(base.first, graph.fraction(base.second ? -exponent : exponent)));
  }
  return graph.product(factors);
}

// Rewrites each sub-expression once, operands first, unless the result would be another function.
template <class Rewrite>
Expression rewrite_from_below(Mechanics& mechanics, const Expression& expression, Rewrite&& rewrite) {
  Graph& graph = mechanics.graph();
  const Expr root = expression.in(graph);
  std::unordered_map<std::uint32_t, Expr> image;
  for (const Expr expr : graph.reachable(std::span(&root, 1))) {
    std::vector<Expr> operands;
    for (const Expr operand : graph.operands(expr)) operands.push_back(image.at(operand.id));
    const Expr before = operands.empty() ? expr : graph.rebuild(expr, operands);
    const Expr after = rewrite(before);
    image[expr.id] = mechanics.identities().are_equal(before, after) ? after : before;
  }
  return mechanics.wrap(image.at(root.id));
}

// --- expand ---

class Expander {
 public:
  explicit Expander(Graph& graph) : graph_(graph) {}

  // Expands an expression whose operands are expanded.
  Expr operator()(Expr expr) {
    const Op op = graph_.op(expr);
    if (op != Op::kSum && op != Op::kProduct && op != Op::kPower) return expr;
    std::vector<Expr> terms;
    for (const auto& [monomial, coefficient] : terms_of(expr)) {
      terms.push_back(put_together(graph_, coefficient, monomial));
    }
    return graph_.sum(terms);
  }

 private:
  using Terms = std::map<Monomial, Coefficient>;

  Terms terms_of(Expr expr) {
    const std::vector<Expr> operands(graph_.operands(expr).begin(), graph_.operands(expr).end());
    Terms terms;
    if (graph_.op(expr) == Op::kSum) {
      for (const Expr operand : operands) {
        for (const auto& [monomial, coefficient] : terms_of(operand)) add(terms, monomial, coefficient);
      }
      return terms;
    }
    const auto exponent = graph_.integer_exponent(expr);
    if (exponent && *exponent > 1 && *exponent <= kMostPower && graph_.op(operands[0]) == Op::kSum) {
      const Terms base = terms_of(operands[0]);
      terms = base;
      for (std::int64_t i = 1; i < *exponent; ++i) terms = multiply(terms, base);
      return terms;
    }
    if (graph_.op(expr) == Op::kProduct) {
      terms[{}] = Coefficient::fraction(1, 1);
      for (const Expr operand : operands) terms = multiply(terms, terms_of(operand));
      return terms;
    }
    const auto [coefficient, monomial] = take_apart(graph_, expr);
    terms[monomial] = coefficient;
    return terms;
  }

  static void add(Terms& terms, const Monomial& monomial, const Coefficient& coefficient) {
    const auto [place, is_new] = terms.try_emplace(monomial, coefficient);
    if (!is_new) place->second = place->second + coefficient;
    if (place->second.is_zero()) terms.erase(place);
    if (terms.size() > kMostExpandedTerms) {
      throw InputError(fmt::format("an expression that expands to more than {} terms", kMostExpandedTerms));
    }
  }

  static Terms multiply(const Terms& a, const Terms& b) {
    Terms product;
    for (const auto& [of_a, coefficient_a] : a) {
      for (const auto& [of_b, coefficient_b] : b) add(product, of_a * of_b, coefficient_a * coefficient_b);
    }
    return product;
  }

  Graph& graph_;
};

// --- collect ---

// The coefficients of a polynomial in one expression x, by exponents.
class Collector {
 public:
  using Polynomial = std::map<std::int64_t, std::vector<Expr>>;  // the terms of each coefficient

  Collector(Graph& graph, Expr x) : graph_(graph), x_(x) {}

  Polynomial operator()(Expr expr) {
    if (expr == x_) return {{1, {graph_.fraction(1)}}};
    const Op op = graph_.op(expr);
    const std::vector<Expr> operands(graph_.operands(expr).begin(), graph_.operands(expr).end());
    if (op == Op::kSum && holds_x(expr)) {
      Polynomial sum;
      for (const Expr operand : operands) {
        for (auto& [exponent, terms] : (*this)(operand)) add(sum, exponent, terms);
      }
      return sum;
    }
    if (op == Op::kProduct && holds_x(expr)) {
      Polynomial product = {{0, {graph_.fraction(1)}}};
      for (const Expr operand : operands) product = multiply(product, (*this)(operand));
      return product;
    }
    if (const auto exponent = graph_.integer_exponent(expr);
        exponent && std::abs(*exponent) <= kMostPower && holds_x(expr)) {
      if (operands[0] == x_) return {{*exponent, {graph_.fraction(1)}}};
      if (*exponent > 1) {
        const Polynomial base = (*this)(operands[0]);
        Polynomial power = base;
        for (std::int64_t i = 1; i < *exponent; ++i) power = multiply(power, base);
        return power;
      }
    }
    return {{0, {expr}}};
  }

 private:
  bool holds_x(Expr expr) {
    const auto [place, is_new] = holds_.try_emplace(expr.id, false);
    if (!is_new) return place->second;
    for (const Expr part : graph_.reachable(std::span(&expr, 1))) {
      bool holds = part == x_;
      for (const Expr operand : graph_.operands(part)) holds = holds || holds_[operand.id];
      holds_[part.id] = holds;
    }
    return holds_[expr.id];
  }

  void add(Polynomial& sum, std::int64_t exponent, const std::vector<Expr>& terms) {
    std::vector<Expr>& all = sum[exponent];
    all.insert(all.end(), terms.begin(), terms.end());
    if (all.size() > kMostExpandedTerms) {
      throw InputError(fmt::format("an expression that expands to more than {} terms", kMostExpandedTerms));
    }
  }

  Polynomial multiply(const Polynomial& a, const Polynomial& b) {
    Polynomial product;
    for (const auto& [exponent_a, terms_a] : a) {
      for (const auto& [exponent_b, terms_b] : b) {
        add(product, exponent_a + exponent_b, {graph_.multiply(graph_.sum(terms_a), graph_.sum(terms_b))});
      }
    }
    return product;
  }

  Graph& graph_;
  Expr x_;
  std::unordered_map<std::uint32_t, bool> holds_;
};

// --- factor ---

struct Term {
  Coefficient coefficient;
  Monomial monomial;
};

class Factorizer {
 public:
  explicit Factorizer(Graph& graph) : graph_(graph) {}

  Expr operator()(Expr sum) {
    if (graph_.op(sum) != Op::kSum) return sum;
    std::vector<Term> terms;
    const std::vector<Expr> operands(graph_.operands(sum).begin(), graph_.operands(sum).end());
    for (const Expr operand : operands) {
      const auto [coefficient, monomial] = take_apart(graph_, operand);
      terms.push_back({coefficient, monomial});
    }
    const Term common = take_out_common(terms, common_sign(terms));
    const std::vector<Term> groups = group(terms);
    const std::vector<Term>& inner = groups.size() == 1 ? groups : terms;
    std::vector<Expr> rest;
    for (const Term& term : inner) rest.push_back(put_together(graph_, term.coefficient, term.monomial));
    return graph_.multiply(put_together(graph_, common.coefficient, common.monomial), graph_.sum(rest));
  }

 private:
  // Divides all terms by their common factors and returns these, with the given sign.
  static Term take_out_common(std::vector<Term>& terms, int sign) {
    const Coefficient size = common_size(terms);
    Term common{sign < 0 ? -size : size, terms[0].monomial};
    for (const Term& term : terms) {
      for (auto& [base, exponent] : common.monomial) {
        const auto found = term.monomial.find(base);
        exponent = std::min(exponent, found == term.monomial.end() ? 0 : found->second);
      }
    }
    std::erase_if(common.monomial, [](const auto& power) { return power.second == 0; });
    const auto inverse = common.coefficient.power(Coefficient::fraction(-1, 1));
    for (Term& term : terms) {
      term.coefficient = term.coefficient * inverse.value();
      divide(term.monomial, common.monomial);
    }
    return common;
  }

  static void divide(Monomial& monomial, const Monomial& by) {
    for (const auto& [base, exponent] : by) {
      const auto place = monomial.find(base);
      place->second -= exponent;
      if (place->second == 0) monomial.erase(place);
    }
  }

  static int common_sign(const std::vector<Term>& terms) {
    return std::ranges::all_of(terms, [](const Term& term) { return term.coefficient.is_negative(); }) ? -1
                                                                                                       : 1;
  }

  // Returns the largest number of which all coefficients are whole multiples; the common magnitude of equal
  // coefficients, and one for others that are not fractions.
  static Coefficient common_size(const std::vector<Term>& terms) {
    Coefficient first = terms[0].coefficient.is_negative() ? -terms[0].coefficient : terms[0].coefficient;
    constexpr std::int64_t kLargest = std::int64_t{1} << 31;
    std::int64_t divisor = 0, denominator = 1;
    bool are_equal = true, are_small = true;
    for (const auto& [coefficient, monomial] : terms) {
      are_equal = are_equal && (coefficient == first || coefficient == -first);
      are_small = are_small && coefficient.is_exact() && coefficient.denominator() < kLargest / denominator;
      if (!are_small) continue;
      divisor = std::gcd(divisor, coefficient.numerator());
      denominator = std::lcm(denominator, coefficient.denominator());
    }
    if (are_equal) return first;
    return are_small ? Coefficient::fraction(divisor, denominator) : Coefficient::fraction(1, 1);
  }

  // While several terms share a factor, combines those with the most frequent one into one term. The
  // resulting sums begin with a positive term, so that x - y and y - x differ only in sign.
  std::vector<Term> group(std::vector<Term> terms) {
    while (terms.size() > 1) {
      std::map<std::pair<Expr, bool>, int> counts;
      for (const Term& term : terms) {
        for (const auto& [base, exponent] : term.monomial) ++counts[base];
      }
      const auto most = std::max_element(counts.begin(), counts.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      if (most == counts.end() || most->second < 2) break;
      std::vector<Term> with, without;
      for (Term& term : terms) {
        (term.monomial.contains(most->first) ? with : without).push_back(std::move(term));
      }
      std::ranges::sort(with, {}, &Term::monomial);
      Term joined = take_out_common(with, with[0].coefficient.is_negative() ? -1 : 1);
      std::vector<Expr> rest;
      for (const Term& term : group(with)) {
        rest.push_back(put_together(graph_, term.coefficient, term.monomial));
      }
      const auto [coefficient, monomial] = take_apart(graph_, graph_.sum(rest));
      joined.coefficient = joined.coefficient * coefficient;
      joined.monomial = joined.monomial * monomial;
      without.push_back(std::move(joined));
      terms = std::move(without);
    }
    return terms;
  }

  Graph& graph_;
};

template <class Rewrite>
Matrix each(const Matrix& matrix, Rewrite&& rewrite) {
  Matrix result = matrix;
  for (std::size_t i = 0; i < matrix.elements().size(); ++i) result[i] = rewrite(matrix[i]);
  return result;
}

}  // namespace

Expression expand(Mechanics& mechanics, const Expression& expression) {
  return rewrite_from_below(mechanics, expression, Expander(mechanics.graph()));
}

std::vector<std::pair<int, Expression>> coefficients_of(Mechanics& mechanics, const Expression& expression,
                                                        const Expression& of) {
  Graph& graph = mechanics.graph();
  const Expr x = of.in(graph);
  if (graph.is_number(x)) throw InputError("coefficients of a number: it is not an unknown of a polynomial");
  std::vector<std::pair<int, Expression>> coefficients;
  for (const auto& [exponent, terms] : Collector(graph, x)(expression.in(graph))) {
    const Expr sum = graph.sum(terms);
    if (mechanics.identities().is_zero(sum)) continue;
    coefficients.emplace_back(static_cast<int>(exponent), mechanics.wrap(sum));
  }
  return coefficients;
}

Expression collect(Mechanics& mechanics, const Expression& expression, const std::vector<Expression>& of) {
  if (of.empty()) return expression;
  Graph& graph = mechanics.graph();
  const std::vector<Expression> others(of.begin() + 1, of.end());
  std::vector<Expr> terms;
  for (const auto& [exponent, coefficient] : coefficients_of(mechanics, expression, of[0])) {
    const Expr inner = collect(mechanics, coefficient, others).in(graph);
    terms.push_back(graph.multiply(inner, graph.power(of[0].in(graph), graph.fraction(exponent))));
  }
  const Expr before = expression.in(graph), after = graph.sum(terms);
  return mechanics.identities().are_equal(before, after) ? mechanics.wrap(after) : expression;
}

Expression factor(Mechanics& mechanics, const Expression& expression) {
  return rewrite_from_below(mechanics, expression, Factorizer(mechanics.graph()));
}

Matrix expand(Mechanics& mechanics, const Matrix& matrix) {
  return each(matrix, [&](const Expression& e) { return expand(mechanics, e); });
}

Matrix collect(Mechanics& mechanics, const Matrix& matrix, const std::vector<Expression>& of) {
  return each(matrix, [&](const Expression& e) { return collect(mechanics, e, of); });
}

Matrix factor(Mechanics& mechanics, const Matrix& matrix) {
  return each(matrix, [&](const Expression& e) { return factor(mechanics, e); });
}

}  // namespace sestina::symbolic
