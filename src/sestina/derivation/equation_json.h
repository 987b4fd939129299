// The equations of motion of a model in JSON, for programs. docs/symbolic.md describes the keys.
#pragma once

#include <string>

#include "sestina/derivation/model_linearization.h"
#include "sestina/symbolic/shared_parts.h"

namespace sestina {

// Shared parts have names of their own. The matrices are M and f; with conditions, C and b; embedded, A and s
// as well; for a linearisation A and B.
std::string write_json(const Model& model, const ModelEquations& equations, const std::string& name,
                       const symbolic::SharedParts& parts, const EmbeddedEquations* embedded);
std::string write_json(const Model& model, const ModelEquations& equations,
                       const ModelLinearization& linearization, const std::string& name,
                       const symbolic::SharedParts& parts);

// Removes line breaks: a name may be any text, and a comment ends with its line.
std::string on_one_line(std::string text);

}  // namespace sestina
