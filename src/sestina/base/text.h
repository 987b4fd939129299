// Safe display of text from files and users.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sestina {

// Returns the length of the UTF-8 sequence at the front, 0 for an invalid one (overlong, surrogate).
std::size_t utf8_length(std::string_view text);

// Writes control characters, marks of direction, and bytes that are not UTF-8, as `\x1b` or `\u009b`, so that
// no control sequence reaches a terminal. Tabs and line breaks are kept or escaped too.
enum class LineBreaks { kKeep, kEscape };
std::string escape_controls(std::string_view text, LineBreaks line_breaks = LineBreaks::kKeep);

// Returns the first letters of the text, about `bytes` long, for a message of one line: escaped, with "..."
// if the text is longer.
std::string shortened_text(std::string_view text, std::size_t bytes);

}  // namespace sestina
