// "unknown key 'masss' (did you mean 'mass'?)"
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sestina {

// Only the first words of longer lists are compared: a file with many faults would take minutes.
inline constexpr std::size_t kMostCandidates = 1000;

// The known word nearest to `word` by edit distance (case ignored), or an empty view when none is near.
std::string_view nearest_word(std::string_view word, std::span<const std::string> known);

// " (did you mean 'mass'?)", or "; allowed: a, b or c" when nothing is near
// and the list is short.
std::string suggestion(std::string_view word, std::span<const std::string> known);

// Names for the above: name_of(thing), in order and no more than are looked at.
template <class Things, class NameOf>
std::vector<std::string> names_to_suggest(const Things& things, NameOf name_of,
                                          std::vector<std::string> names = {}) {
  for (const auto& thing : things) {
    if (names.size() > kMostCandidates) break;
    names.push_back(name_of(thing));
  }
  return names;
}

// "a, b and c"
std::string join_words(std::span<const std::string> words, std::string_view last_separator = " and ");

}  // namespace sestina
