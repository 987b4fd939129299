// Derivatives of one operation by its operands: the table of rules that every way of differentiating reads.
#pragma once

#include <span>

#include "sestina/expression/graph.h"

namespace sestina {

// d node / d operands[i] where node is neither a sum nor a product (whose partial derivatives depend on the
// place of the operand alone). Of a condition: 1 on the side that counts, else 0.
Expr calc_partial(Graph& graph, Expr node, std::size_t i);

// The rate of `node` where its operands change at `rates`, one for each: the chain rule at one node.
Expr calc_rate(Graph& graph, Expr node, std::span<const Expr> rates);

}  // namespace sestina
