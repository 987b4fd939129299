#include "sestina/base/suggest.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sestina {
namespace {

constexpr std::size_t kLongestWord = 64;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

int most_changes(std::size_t length) { return std::max<int>(2, static_cast<int>(length) / 3); }

// Computes the edit distance; `row` has b.size() + 1 elements.
int edit_distance(std::string_view a, std::string_view b, std::span<int> row) {
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substitute = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view word, std::span<const std::string> known) {
  if (word.size() > kLongestWord) return {};
  std::array<int, 2 * kLongestWord + 1> row{};
  std::string_view best;
  int best_distance = most_changes(word.size()) + 1;
  for (const std::string& candidate : known.first(std::min(known.size(), kMostCandidates))) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    if (longer - shorter >= static_cast<std::size_t>(best_distance)) continue;  // so many added letters
    const int distance = edit_distance(word, candidate, row);
    if (distance < best_distance && distance < static_cast<int>(longer)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  const std::string_view nearest = nearest_word(word, known);
  if (!nearest.empty()) return " (did you mean '" + std::string(nearest) + "'?)";
  constexpr std::size_t kMost = 16;
  if (known.empty()) return "";
  if (known.size() > kMost) return "";
  return "; allowed: " + join_words(known, " or ");
}

std::string join_words(std::span<const std::string> words, std::string_view last_separator) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last_separator : std::string_view(", ");
    text += words[i];
  }
  return text;
}

}  // namespace sestina
