// Why the constant part of an expression is not finite, told with the numbers as they are written: the graph
// has folded them and knows no more than 1/0.
#pragma once

#include <string>
#include <string_view>

#include "sestina/expression/parse.h"

namespace sestina {

// "overflow in 1e308*10", "division by zero in 1/0", of a text that parses to an expression of `graph` with a
// constant fault (Graph::has_constant_fault). Names whose expressions are constant count as numbers. Empty
// where the text does not tell.
std::string explain_constant_fault(const Graph& graph, std::string_view text, const Resolver& resolve);

}  // namespace sestina
