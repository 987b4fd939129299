// Names for what makes LaTeX too long or too wide for a page, by how wide it is on paper.
#pragma once

#include <vector>

#include "sestina/symbolic/shared_parts.h"

namespace sestina {

inline constexpr int kLatexDigits = 6;  // to which numbers are rounded on pages

// What occurs so often that its repetitions would fill a line is named; where everything written out would
// fill more than a page, whatever occurs more than once and is not short. Named is as well what cannot be
// broken into lines of `width` points: a wide fraction, say; and a sum within parentheses that goes over
// several lines.
symbolic::SharedParts name_latex_parts(symbolic::Mechanics& mechanics,
                                       const std::vector<symbolic::Matrix>& matrices, double width);

}  // namespace sestina
