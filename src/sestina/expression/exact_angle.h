// Exact values of circular functions at multiples of pi/12, and of their inverses if these are such
// multiples: sin(pi/12) is sqrt(6)/4 - sqrt(2)/4, atan(2 - sqrt(3)) is pi/12.
//
// All these values are a + b sqrt(2) + c sqrt(3) + d sqrt(6) with fractions a, b, c, d. The four numbers are
// unique, so that they identify constants independently of their notation.
#pragma once

#include <optional>

#include "sestina/expression/graph.h"

namespace sestina {

// op: sin, cos or tan of a multiple of pi/12 (`with_roots`) or of pi/2; nothing for other angles and for
// tan(pi/2).
std::optional<Expr> exact_circular(Graph& graph, Op op, Expr angle, bool with_roots);
// op: asin, acos or atan of a constant; nothing if the value is not a multiple of pi/12.
std::optional<Expr> exact_arc(Graph& graph, Op op, Expr argument);
// Returns the angle of the point (x, y) for two constants.
std::optional<Expr> exact_arc_of_point(Graph& graph, Expr y, Expr x);

}  // namespace sestina
