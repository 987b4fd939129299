#include "sestina/io/urdf_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sestina/expression/function.h"

namespace sestina {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reserved in the model file, beside the words of expressions.
constexpr std::array<std::string_view, 6> kReserved{"ground", "origin", "t", "q", "u", "energy"};

bool is_reserved(std::string_view name) {
  const auto words = reserved_words();
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end() ||
         std::find(words.begin(), words.end(), name) != words.end();
}

}  // namespace

bool is_allowed_name(std::string_view name) {
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); }) &&
         !is_reserved(name);
}

bool NameMap::claim(const std::string& name) { return is_allowed_name(name) && taken_.insert(name).second; }

std::string NameMap::make(std::string_view name, std::string_view suffix) {
  std::string base(name);
  for (char& c : base) {
    if (!is_letter(c) && !is_digit(c)) c = '_';
  }
  if (base.empty() || is_digit(base[0])) base.insert(0, "_");
  if (claim(base)) return base;
  base += suffix;
  if (claim(base)) return base;
  // Numbering goes on where it stopped, so that many equal names do not cost the square of their number.
  for (int& i = last_number_.try_emplace(base, 1).first->second;;) {
    std::string numbered = fmt::format("{}_{}", base, ++i);
    if (claim(numbered)) return numbered;
  }
}

}  // namespace sestina
