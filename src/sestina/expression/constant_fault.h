// Explains why the constant part of an expression is not finite, with the numbers as they were written: the
// graph has folded them to 1/0.
#pragma once

#include <string>
#include <string_view>

#include "sestina/expression/parse.h"

namespace sestina {

// Returns "overflow in 1e308*10" or "division by zero in 1/0" for a text that parses to an expression of
// `graph` with a constant fault (Graph::has_constant_fault). Names whose expressions are constant count as
// numbers. Empty if the text does not show the cause.
std::string explain_constant_fault(const Graph& graph, std::string_view text, const Resolver& resolve);

}  // namespace sestina
