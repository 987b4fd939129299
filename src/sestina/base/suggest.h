// "unknown key 'masss' (did you mean 'mass'?)"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sestina {

// The known word nearest to `word` by edit distance (case ignored), or an empty view when none is near.
std::string_view nearest_word(std::string_view word, std::span<const std::string> known);

// " (did you mean 'mass'?)", or "; allowed: a, b or c" when nothing is near
// and the list is short.
std::string suggestion(std::string_view word, std::span<const std::string> known);

// "a, b and c"
std::string join_words(std::span<const std::string> words, std::string_view last_separator = " and ");

}  // namespace sestina
