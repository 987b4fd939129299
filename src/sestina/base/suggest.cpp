#include "sestina/base/suggest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace sestina {
namespace {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
      const int substitute = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view word, std::span<const std::string> known) {
  if (word.size() > 64) return {};
  std::string_view best;
  int best_distance = std::max<int>(2, static_cast<int>(word.size()) / 3) + 1;
  constexpr std::size_t kMostCandidates = 1000;  // beyond, a file with many faults would take minutes
  for (const std::string& candidate : known.first(std::min(known.size(), kMostCandidates))) {
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < static_cast<int>(std::max(word.size(), candidate.size()))) {
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
