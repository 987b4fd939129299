// The equations of motion of a model as text that people read, or that compilers do.
#pragma once

#include <string>
#include <string_view>

#include "sestina/derivation/model_equations.h"

namespace sestina {

enum class EquationFormat {
  kText,    // one line for each element
  kLatex,   // M udot = f with matrices
  kPython,  // functions of t, q, u and the parameters that give qdot and udot
  kC,
  kCpp,
};

// Text and LaTeX name what is shared as z0, z1 ... where writing it out would take more than this many
// operations.
inline constexpr double kMostWrittenOut = 600.0;

// `name` is what the model is called. Text and LaTeX are simplified first (simplify.h) if asked for.
std::string write_equations(const Model& model, const ModelEquations& equations, std::string_view name,
                            EquationFormat format, bool is_simplified = false);

}  // namespace sestina
