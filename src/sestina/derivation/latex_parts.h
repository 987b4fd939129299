// Names for parts that make LaTeX too long or too wide for a page, by their width on paper.
#pragma once

#include <vector>

#include "sestina/symbolic/shared_parts.h"

namespace sestina {

inline constexpr int kLatexDigits = 6;  // to which numbers are rounded on pages

// Names parts that occur so often that their repetitions would fill a line; if everything written out would
// fill more than a page, all parts that occur more than once and are not short. Also names parts that cannot
// be broken into lines of `width` points, such as wide fractions, and sums within parentheses that extend
// over several lines.
symbolic::SharedParts name_latex_parts(symbolic::Mechanics& mechanics,
                                       const std::vector<symbolic::Matrix>& matrices, double width);

}  // namespace sestina
