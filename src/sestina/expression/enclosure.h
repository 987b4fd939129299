// Values of expressions with bounds of their rounding: if the bounds of two are disjoint, the values differ.
#pragma once

#include "sestina/expression/graph.h"

namespace sestina {

// True if two expressions have different values at one of several points, or if at one of them only one has a
// real value (sqrt(-1) has none; in expressions with log, asin or acos that does not count, since identities
// between them hold where they have values). Symbols take values of both signs and several magnitudes there,
// the same in every graph. False if values agree to rounding or rounding leaves them undecided.
bool have_different_values(const Graph& graph, Expr a, Expr b);

}  // namespace sestina
