// Values of expressions with bounds of their rounding: where the bounds of two are apart, the values are.
#pragma once

#include "sestina/expression/graph.h"

namespace sestina {

// Whether two expressions have different values at one of some points, or at one of them the one a real value
// and the other none, as sqrt(-1) has. Symbols take values of both signs and several magnitudes there, the
// same in every graph. False where values agree to rounding, and where rounding leaves them open.
bool have_different_values(const Graph& graph, Expr a, Expr b);

}  // namespace sestina
