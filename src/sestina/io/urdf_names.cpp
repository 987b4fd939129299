#include "sestina/io/urdf_names.h"

#include <fmt/format.h>

#include "sestina/model/names.h"

namespace sestina {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_allowed_name(std::string_view name) { return is_identifier(name) && !is_reserved_name(name); }

bool NameMap::claim(const std::string& name) { return is_allowed_name(name) && taken_.insert(name).second; }

std::string NameMap::make(std::string_view name, std::string_view suffix) {
  std::string base;
  if (name.empty() || is_digit(name[0])) base = '_';
  for (const char c : name) base += is_letter(c) || is_digit(c) ? c : '_';
  if (claim(base)) return base;
  base += suffix;
  if (claim(base)) return base;
  // Numbering continues where it stopped, so that many equal names do not take quadratic time.
  for (int& i = last_number_.try_emplace(base, 1).first->second;;) {
    std::string numbered = fmt::format("{}_{}", base, ++i);
    if (claim(numbered)) return numbered;
  }
}

}  // namespace sestina
