// Suggestions such as "unknown key 'masss' (did you mean 'mass'?)".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sestina {

// Limit on the words that are compared: a file with many faults would take minutes otherwise.
inline constexpr std::size_t kMostCandidates = 1000;

// Returns the known word nearest to `word` by edit distance (case ignored); empty if none is near.
std::string_view nearest_word(std::string_view word, std::span<const std::string> known);

// Returns " (did you mean 'mass'?)", or "; allowed: a, b or c" if no word is near and the list is
// short.
std::string suggestion(std::string_view word, std::span<const std::string> known);

// Returns names for the functions above, by name_of(thing), up to kMostCandidates.
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
