#include "sestina/expression/rounding.h"

#include <vector>

#include "sestina/expression/partial.h"

namespace sestina {

void RoundingSize::set_least(Expr symbol, double least) {
  sizes_[symbol.id] = graph_.add(magnitude(symbol), graph_.number(least));
}

Expr RoundingSize::operator()(Expr expr) {
  for (const Expr node : graph_.reachable(std::span(&expr, 1))) {
    if (!sizes_.contains(node.id)) sizes_[node.id] = calc(node);
  }
  return sizes_.at(expr.id);
}

Expr RoundingSize::calc(Expr node) {
  const auto span = graph_.operands(node);
  const std::vector<Expr> operands(span.begin(), span.end());  // the graph grows
  if (operands.empty()) return magnitude(node);
  std::vector<Expr> terms;
  if (graph_.op(node) == Op::kSum) {
    for (const Expr operand : operands) terms.push_back(sizes_.at(operand.id));
    return graph_.sum(terms);
  }
  const bool is_product = graph_.op(node) == Op::kProduct;
  const bool is_circular = graph_.op(node) == Op::kSin || graph_.op(node) == Op::kCos;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (graph_.is_number(operands[i]) && (is_product || graph_.op(node) == Op::kPower)) continue;  // exact
    const Expr size = sizes_.at(operands[i].id);
    if (is_product) {
      std::vector<Expr> factors = {size};
      for (std::size_t j = 0; j < operands.size(); ++j) {
        if (j != i) factors.push_back(magnitude(operands[j]));
      }
      terms.push_back(graph_.product(factors));
    } else {
      const Expr change = graph_.multiply(magnitude(calc_partial(graph_, node, i)), size);
      terms.push_back(is_circular ? graph_.min(change, graph_.number(kLargestAngle)) : change);
    }
  }
  if (!is_product) terms.push_back(magnitude(node));
  return graph_.sum(terms);
}

}  // namespace sestina
