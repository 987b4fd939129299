// Letters of names in any script as LaTeX that pdflatex can set.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sestina::symbolic {

// Decodes UTF-8; an invalid byte stands for itself.
std::vector<char32_t> code_points(std::string_view text);

// Returns the LaTeX name of a Greek letter without the backslash, such as theta, or nothing. Greek letters
// that look like Latin ones become these.
std::string_view greek_command(char32_t letter);

// Escapes a name within mathematics. Characters with a meaning in LaTeX become themselves or similar ones;
// accented Latin letters stay, which requires `is_in_text`, that is, \text{...}; characters that LaTeX does
// not have become their number, U+4E2D.
std::string escaped(std::string_view text, bool is_in_text = false);
bool needs_text(std::string_view text);
// Escapes Greek letters by number too.
std::string escaped_as_spelled(std::string_view text);

}  // namespace sestina::symbolic
