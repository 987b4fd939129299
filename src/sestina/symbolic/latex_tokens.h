// LaTeX as a list of commands and characters.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace sestina::symbolic {

// A command such as \sin, or a single character.
inline std::string_view token_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '\\') return text.substr(std::min(at, text.size()), 1);
  std::size_t end = at + 1;
  while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
  return text.substr(at, std::max(end, std::min(at + 2, text.size())) - at);
}

// Returns the change in the number of open brackets, fences and tables by one token.
inline int nesting_of(std::string_view token) {
  if (token == "{" || token == "\\left" || token == "\\begin") return 1;
  if (token == "}" || token == "\\right" || token == "\\end") return -1;
  return 0;
}

// Calls see(place, token) for each token outside brackets, fences and tables.
template <class See>
void for_each_outer_token(std::string_view text, See&& see) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view token = token_at(text, at);
    const int nesting = nesting_of(token);
    if (depth == 0 && nesting == 0) see(at, token);
    depth += nesting;
    at += token.size();
  }
}

// Returns the place of the token that closes the group opened just before `at`.
inline std::size_t closing_place(std::string_view text, std::size_t at) {
  int depth = 1;
  while (at < text.size()) {
    const std::string_view token = token_at(text, at);
    depth += nesting_of(token);
    if (depth == 0) return at;
    at += token.size();
  }
  return text.size();
}

// Returns the text of the group opened just before `at`, and moves `at` behind it.
inline std::string_view group_at(std::string_view text, std::size_t& at) {
  const std::size_t end = closing_place(text, at);
  const std::string_view group = text.substr(at, end - at);
  at = std::min(end + 1, text.size());
  return group;
}

}  // namespace sestina::symbolic
