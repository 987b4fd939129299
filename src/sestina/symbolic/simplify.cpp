#include "sestina/symbolic/simplify.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "sestina/base/error.h"
#include "sestina/symbolic/mechanics.h"
#include "sestina/symbolic/polynomial.h"
#include "sestina/symbolic/shared_parts.h"

namespace sestina::symbolic {
namespace {

constexpr std::size_t kMostTerms = 64;   // of a sum that is searched for pairs
constexpr std::int64_t kMostPower = 4;   // of a factor that is split
constexpr double kMostExpanded = 40.0;   // operations of a sum that is tried in expanded form
constexpr double kMuchShorter = 0.75;    // ratio of operations below which a product replaces a sum
constexpr double kMostFactored = 600.0;  // operations of a fraction for which shorter forms are sought

Expression expand_if_short(Mechanics& mechanics, const Expression& expression) {
  try {
    return expand(mechanics, expression);
  } catch (const InputError&) {  // more terms than anyone would read
    return expression;
  }
}

// coefficient * factors, sorted; a small power of a sine or cosine is repeated factors.
struct Term {
  Coefficient coefficient;
  std::vector<Expr> factors;
};

class Simplifier {
 public:
  explicit Simplifier(Mechanics& mechanics) : mechanics_(mechanics), graph_(mechanics.graph()) {}

  Expr operator()(Expr root) {
    for (const Expr expr : graph_.reachable(std::span(&root, 1))) {
      if (image_.contains(expr.id)) continue;
      std::vector<Expr> operands;
      for (const Expr operand : graph_.operands(expr)) operands.push_back(image_.at(operand.id));
      Expr image = operands.empty() ? expr : graph_.rebuild(expr, operands);
      if (graph_.op(image) == Op::kSum) image = without_minus(image);
      const bool is_short = graph_.operands(image).size() <= kMostTerms;
      const Expr shorter = graph_.op(image) == Op::kSum && is_short       ? shorten(image)
                           : graph_.op(image) == Op::kProduct && is_short ? cancel(image)
                                                                          : image;
      if (mechanics_.identities().are_equal(image, shorter)) image = shorter;
      if (graph_.op(image) == Op::kSum) image = expand_if_shorter(image);
      image_[expr.id] = image;
    }
    return image_.at(root.id);
  }

 private:
  bool is_sine(Expr e) const { return graph_.op(e) == Op::kSin; }
  bool is_cosine(Expr e) const { return graph_.op(e) == Op::kCos; }
  Expr argument(Expr e) const { return graph_.operands(e)[0]; }

  // Writes a - (b + c) as a - b - c.
  Expr without_minus(Expr sum) {
    const std::vector<Expr> given(graph_.operands(sum).begin(), graph_.operands(sum).end());
    std::vector<Expr> terms;
    for (const Expr expr : given) {
      const auto [coefficient, rest] = graph_.split_coefficient(expr);
      if (coefficient == Coefficient::fraction(-1, 1) && graph_.op(rest) == Op::kSum) {
        const std::vector<Expr> inner(graph_.operands(rest).begin(), graph_.operands(rest).end());
        for (const Expr term : inner) terms.push_back(graph_.negate(term));
      } else {
        terms.push_back(expr);
      }
    }
    return terms.size() == given.size() ? sum : graph_.sum(terms);
  }

  // Writes a (b + c) - a c as a b.
  Expr expand_if_shorter(Expr sum) {
    const auto size = [&](Expr e) { return written_size(mechanics_, {Matrix({mechanics_.wrap(e)})}); };
    const auto terms = graph_.operands(sum);
    const bool has_product_of_sum = std::any_of(terms.begin(), terms.end(), [&](Expr term) {
      const auto factors = graph_.operands(term);
      return graph_.op(term) == Op::kProduct && std::any_of(factors.begin(), factors.end(), [&](Expr factor) {
               return graph_.op(factor) == Op::kSum;
             });
    });
    const double given = has_product_of_sum ? size(sum) : 0.0;
    if (!has_product_of_sum || given > kMostExpanded) return sum;
    const Expr expanded = expand_if_short(mechanics_, mechanics_.wrap(sum)).in(graph_);
    return size(expanded) < given ? expanded : sum;
  }

  // Writes a b/(a c) as b/c, and sin a/cos a as tan a.
  Expr cancel(Expr product) {
    std::map<Expr, std::int64_t> exponents;
    bool has_changed = false;
    const std::vector<Expr> given(graph_.operands(product).begin(), graph_.operands(product).end());
    for (const Expr factor : given) {
      const auto exponent = graph_.integer_exponent(factor);
      const Expr base = exponent ? graph_.operands(factor)[0] : factor;
      const auto [place, is_new] = exponents.try_emplace(base, 0);
      place->second += exponent.value_or(1);
      has_changed = has_changed || !is_new;
    }
    const std::map<Expr, std::int64_t> found = exponents;
    for (const auto& [base, exponent] : found) {
      if (!is_sine(base) || exponent <= 0) continue;
      const auto cosine = exponents.find(graph_.unary(Op::kCos, argument(base)));
      if (cosine == exponents.end() || cosine->second >= 0) continue;
      const std::int64_t both = std::min(exponent, -cosine->second);
      exponents[base] -= both;
      cosine->second += both;
      exponents[graph_.unary(Op::kTan, argument(base))] += both;
      has_changed = true;
    }
    if (!has_changed) return product;
    std::vector<Expr> factors;
    for (const auto& [base, exponent] : exponents) {
      factors.push_back(graph_.power(base, graph_.fraction(exponent)));
    }
    return graph_.product(factors);
  }

  Term take_apart(Expr expr) {
    const auto [coefficient, rest] = graph_.split_coefficient(expr);
    Term term{coefficient, {}};
    std::vector<Expr> factors = {rest};
    if (graph_.op(rest) == Op::kProduct)
      factors.assign(graph_.operands(rest).begin(), graph_.operands(rest).end());
    for (const Expr factor : factors) {
      const auto exponent = graph_.integer_exponent(factor);
      const bool is_power = exponent && *exponent > 1 && *exponent <= kMostPower;
      if (is_power && (is_sine(graph_.operands(factor)[0]) || is_cosine(graph_.operands(factor)[0]))) {
        term.factors.insert(term.factors.end(), static_cast<std::size_t>(*exponent),
                            graph_.operands(factor)[0]);
      } else if (factor != graph_.fraction(1)) {
        term.factors.push_back(factor);
      }
    }
    std::sort(term.factors.begin(), term.factors.end());
    return term;
  }

  Expr put_together(const Term& term) {
    std::vector<Expr> factors = term.factors;
    factors.push_back(graph_.number(term.coefficient));
    return graph_.product(factors);
  }

  Expr shorten(Expr sum) {
    std::vector<Term> terms;
    for (const Expr expr : graph_.operands(sum)) terms.push_back({{}, {expr}});
    for (Term& term : terms) term = take_apart(term.factors[0]);
    bool has_changed = false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (std::size_t j = 0; j < terms.size(); ++j) {
        if (i == j) continue;
        if (const auto joined = join(terms[i], terms[j])) {
          terms[i] = take_apart(put_together(*joined));
          terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
          has_changed = true;
          i = 0;
          j = static_cast<std::size_t>(-1);  // restart
        }
      }
    }
    if (!has_changed) return sum;
    std::vector<Expr> exprs;
    for (const Term& term : terms) exprs.push_back(put_together(term));
    return graph_.sum(exprs);
  }

  // Combines two terms into one.
  std::optional<Term> join(const Term& a, const Term& b) {
    const bool are_alike = a.coefficient == b.coefficient, are_opposite = a.coefficient == -b.coefficient;
    if (!are_alike && !are_opposite) return std::nullopt;
    Term common{a.coefficient, {}};
    std::vector<Expr> of_a, of_b;
    std::set_intersection(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
                          std::back_inserter(common.factors));
    std::set_difference(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
                        std::back_inserter(of_a));
    std::set_difference(b.factors.begin(), b.factors.end(), a.factors.begin(), a.factors.end(),
                        std::back_inserter(of_b));
    if (of_a.empty() && of_b.size() == 2 && of_b[0] == of_b[1] && are_opposite) {
      if (!is_sine(of_b[0]) && !is_cosine(of_b[0])) return std::nullopt;
      const Expr other = graph_.unary(is_sine(of_b[0]) ? Op::kCos : Op::kSin, argument(of_b[0]));
      common.factors.insert(common.factors.end(), {other, other});
      return common;
    }
    if (of_a.size() != 2 || of_b.size() != 2) return std::nullopt;
    if (const auto angle = add_angles(of_a, of_b, are_alike)) {
      common.factors.push_back(*angle);
      return common;
    }
    return std::nullopt;
  }

  // Combines two products of two factors, the second of which is added or subtracted, into a single factor.
  std::optional<Expr> add_angles(const std::vector<Expr>& a, const std::vector<Expr>& b, bool is_added) {
    const auto are = [&](const std::vector<Expr>& pair, Op op) {
      return graph_.op(pair[0]) == op && graph_.op(pair[1]) == op;
    };
    const auto same_angles = [&] {
      return (argument(a[0]) == argument(b[0]) && argument(a[1]) == argument(b[1])) ||
             (argument(a[0]) == argument(b[1]) && argument(a[1]) == argument(b[0]));
    };
    if (are(a, Op::kCos) && are(b, Op::kSin)) {
      if (!same_angles()) return std::nullopt;
      const Expr x = argument(a[0]), y = argument(a[1]);
      return graph_.unary(Op::kCos, is_added ? graph_.subtract(x, y) : graph_.add(x, y));
    }
    // sin x cos y and cos x sin y
    const auto split = [&](const std::vector<Expr>& pair) -> std::optional<std::pair<Expr, Expr>> {
      if (is_sine(pair[0]) && is_cosine(pair[1])) return std::pair(argument(pair[0]), argument(pair[1]));
      if (is_cosine(pair[0]) && is_sine(pair[1])) return std::pair(argument(pair[1]), argument(pair[0]));
      return std::nullopt;
    };
    const auto in_a = split(a), in_b = split(b);
    if (!in_a || !in_b || in_a->first != in_b->second || in_a->second != in_b->first) return std::nullopt;
    const auto [x, y] = *in_a;
    return graph_.unary(Op::kSin, is_added ? graph_.add(x, y) : graph_.subtract(x, y));
  }

  Mechanics& mechanics_;
  Graph& graph_;
  std::unordered_map<std::uint32_t, Expr> image_;
};

}  // namespace

namespace {

// True if the expression has a divisor other than a number, outside functions.
bool has_divisor(const Graph& graph, Expr root) {
  std::vector<Expr> pending = {root};
  std::unordered_set<std::uint32_t> seen;  // visit shared parts once
  while (!pending.empty()) {
    const Expr next = pending.back();
    pending.pop_back();
    if (!seen.insert(next.id).second) continue;
    if (graph.integer_exponent(next).value_or(1) < 0) return true;
    const Op op = graph.op(next);
    if (op != Op::kSum && op != Op::kProduct && op != Op::kPower) continue;
    pending.insert(pending.end(), graph.operands(next).begin(), graph.operands(next).end());
  }
  return false;
}

Expression simplify_by(Simplifier& simplifier, Mechanics& mechanics, const Expression& expression);

// Simplifies term by term, so that a sum of a few fractions stays a sum.
Expression simplify_terms(Simplifier& simplifier, Mechanics& mechanics, const Expression& sum) {
  Graph& graph = mechanics.graph();
  const Expr root = sum.in(graph);
  if (graph.op(root) != Op::kSum) return sum;
  std::vector<Expr> terms(graph.operands(root).begin(), graph.operands(root).end());
  for (Expr& term : terms) term = simplify_by(simplifier, mechanics, mechanics.wrap(term)).in(graph);
  return mechanics.wrap(graph.sum(terms));
}

// Returns the known form with the fewest operations.
Expression simplify_by(Simplifier& simplifier, Mechanics& mechanics, const Expression& expression) {
  Graph& graph = mechanics.graph();
  const auto size = [&](const Expression& e) { return written_size(mechanics, {Matrix({e})}); };
  const auto again = [&](const Expression& e) { return mechanics.wrap(simplifier(e.in(graph))); };
  Expression best = again(expression);
  if (!has_divisor(graph, best.in(graph)) || size(best) > kMostFactored) return best;
  const Expression factored = factor(mechanics, best), expanded = expand_if_short(mechanics, best);
  best = simplify_terms(simplifier, mechanics, best);
  const double least = graph.op(best.in(graph)) == Op::kSum ? kMuchShorter * size(best) : size(best);
  for (const Expression& other : {again(factored), again(factor(mechanics, again(expanded)))}) {
    if (size(other) < std::min(least, size(best))) best = other;
  }
  return best;
}

}  // namespace

Expression simplify(Mechanics& mechanics, const Expression& expression) {
  Simplifier simplifier(mechanics);
  return simplify_by(simplifier, mechanics, expression);
}

Matrix simplify(Mechanics& mechanics, const Matrix& matrix) {
  Simplifier simplifier(mechanics);
  Matrix result = matrix;
  for (std::size_t i = 0; i < matrix.elements().size(); ++i) {
    result[i] = simplify_by(simplifier, mechanics, matrix[i]);
  }
  return result;
}

}  // namespace sestina::symbolic
