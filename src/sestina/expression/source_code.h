// Expressions as source code of a function that evaluates them.
//
// An expression that several outputs or terms share becomes a local variable, so that the length of the code
// is proportional to the size of the graph.
//
//   C        void NAME(const double in[N], double out[M])
//   C++      the same, with std:: functions
//   Python   def NAME(inputs): ... return [out0, ...]
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sestina/expression/graph.h"

namespace sestina {

enum class Language { kC, kCpp, kPython };

// `inputs` are different symbols. Their names become identifiers: q0' is q0_d, hip.q[1] is hip_q_1_. Words
// that C, C++ or Python reserve get another name: lambda_, x_Bool for _Bool, _x for __x. Throws InputError if
// an output depends on another symbol or on a table, or if `name` is not an identifier or is reserved.
std::string to_source(const Graph& graph, std::string_view name, std::span<const Expr> outputs,
                      std::span<const Expr> inputs, Language language);

}  // namespace sestina
