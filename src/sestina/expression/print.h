// Expressions as plain infix text that parses back to the same expression.
#pragma once

#include <string>

#include "sestina/expression/graph.h"

namespace sestina {

// Returns text such as `m*l^2/12 - 0.1*sin(3*t)`. Shared parts are written out wherever they occur, which may
// be long: text beyond `most_characters` is cut and ends in "...".
std::string to_text(const Graph& graph, Expr expr, std::size_t most_characters = std::string::npos);

}  // namespace sestina
