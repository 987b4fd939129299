// Letters of names as LaTeX that pdflatex sets, whatever script they are of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sestina::symbolic {

// Of UTF-8; a byte that is none stands for itself.
std::vector<char32_t> code_points(std::string_view text);

// What a Greek letter is called in LaTeX, without the backslash, as theta; or nothing. Letters that look like
// Latin ones are those.
std::string_view greek_command(char32_t letter);

// Of a name within mathematics. What means something to LaTeX becomes the character that it is, or nearly;
// accented Latin letters stand as they are, which needs `is_in_text`, that is, \text{...}; what LaTeX has no
// letters for is written as its number, U+4E2D.
std::string escaped(std::string_view text, bool is_in_text = false);
bool needs_text(std::string_view text);
// Greek letters by number as well.
std::string escaped_as_spelled(std::string_view text);

}  // namespace sestina::symbolic
