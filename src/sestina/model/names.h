// The rules for names in a model.
#pragma once

#include <string_view>

namespace sestina {

// True for [A-Za-z_][A-Za-z0-9_]*.
bool is_identifier(std::string_view name);

// True for words with a special meaning in a model or an expression: ground, origin, t, pi, q, u, energy,
// event, constraints and the names of functions.
bool is_reserved_name(std::string_view name);

}  // namespace sestina
