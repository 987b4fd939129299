#include "sestina/expression/expanded_terms.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace sestina {
namespace {

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

ExpandedTerm term_of(const Graph& graph, const Expr& expr) {
  if (graph.is_number(expr)) return {graph.number_of(expr), {}};
  const auto [coefficient, rest] = split(graph, expr);
  const bool is_product = rest.size() == 1 && graph.op(rest[0]) == Op::kProduct;
  const std::span<const Expr> factors = is_product ? graph.operands(rest[0]) : rest;
  return {coefficient, {factors.begin(), factors.end()}};
}

}  // namespace

std::vector<ExpandedTerm> expanded_terms(const Graph& graph, Expr expr) {
  constexpr std::size_t kMost = 1000;
  std::vector<ExpandedTerm> terms, pending = {term_of(graph, expr)};
  while (!pending.empty()) {
    ExpandedTerm next = std::move(pending.back());
    pending.pop_back();
    const auto sum = std::find_if(next.rest.begin(), next.rest.end(),
                                  [&](Expr factor) { return graph.op(factor) == Op::kSum; });
    const bool is_sum_alone = next.rest.size() == 1 && next.coefficient.is_one();
    if (sum == next.rest.end() || (!is_sum_alone && terms.size() + pending.size() > kMost)) {
      terms.push_back(std::move(next));
      continue;
    }
    const Expr opened = *sum;
    next.rest.erase(sum);
    for (const Expr inner : graph.operands(opened)) {
      ExpandedTerm term = term_of(graph, inner);
      term.coefficient = term.coefficient * next.coefficient;
      term.rest.insert(term.rest.end(), next.rest.begin(), next.rest.end());
      pending.push_back(std::move(term));
    }
  }
  return terms;
}

std::optional<std::int64_t> whole_parts(const Coefficient& c) {
  if (!c.is_exact() || kParts % c.denominator() != 0) return std::nullopt;
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (std::abs(c.numerator()) > kMost) return std::nullopt;
  return c.numerator() * (kParts / c.denominator());
}

bool is_positive_number(const Graph& graph, Expr expr) {
  return graph.is_number(expr) && !graph.number_of(expr).is_negative() && !graph.number_of(expr).is_zero();
}

}  // namespace sestina
