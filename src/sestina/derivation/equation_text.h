// The equations of motion of a model, or the linearised ones, as text for people, compilers or programs.
#pragma once

#include <string>
#include <string_view>

#include "sestina/derivation/model_linearization.h"

namespace sestina {

enum class EquationFormat {
  kText,    // one line for each element
  kLatex,   // M udot = f with matrices
  kPython,  // functions of t, q, u and the parameters that give qdot and udot
  kC,
  kCpp,
  kJson,  // for programs: docs/symbolic.md describes it
};

// Layout of LaTeX: for use in a document with amsmath, or as a complete document.
struct LatexPage {
  bool is_document = false;
  double width =
      0.0;  // of lines, in points where letters have 10; 0: 345 as in LaTeX's article, 430 for a document

  double line_width() const;
};
inline constexpr double kLeastLatexWidth = 150.0;

// Text and JSON give shared parts the names z0, z1 ... if the expressions without names would take more than
// this many operations.
inline constexpr double kMostWrittenOut = 600.0;
inline constexpr std::size_t kLeastShared = 4;  // number of operations from which a part gets a name

// The equations of a mechanism with loops or constraints have multipliers, M udot = f + C^T lambda with
// C udot = -b; `embedded`, where it is given, has those of the independent speeds instead. Source code with
// multipliers gives the rates of q, M, f, C and b; embedded, or without conditions, the rates of q and u.
//
// `name` is the name of the model. Text and LaTeX are simplified first (simplify.h) on request. `page` is for
// LaTeX, where parts have names if the lines would be too many or too wide otherwise (latex_parts.h), and
// numbers are rounded to six digits. Throws InputError for source code of a force that is a table, for a
// document in a format other than LaTeX, and for lines that are too short for any expression.
std::string write_equations(const Model& model, const ModelEquations& equations, std::string_view name,
                            EquationFormat format, bool is_simplified = false, const LatexPage& page = {},
                            const EmbeddedEquations* embedded = nullptr);

// Writes the linearised equations instead. Source code is a function of the parameters that returns A and B,
// row by row.
std::string write_linearization(const Model& model, const ModelEquations& equations,
                                const ModelLinearization& linearization, std::string_view name,
                                EquationFormat format, bool is_simplified = false,
                                const LatexPage& page = {});

}  // namespace sestina
