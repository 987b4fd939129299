// Derivatives of one operation with respect to its operands: the rules that every method of differentiation
// uses.
#pragma once

#include <span>

#include "sestina/expression/graph.h"

namespace sestina {

// Returns d node / d operands[i] for a node other than a sum or a product. For a condition: 1 for the branch
// that takes effect, else 0.
Expr calc_partial(Graph& graph, Expr node, std::size_t i);

// Returns the rate of `node` for the rates of its operands: the chain rule at one node.
Expr calc_rate(Graph& graph, Expr node, std::span<const Expr> rates);

}  // namespace sestina
