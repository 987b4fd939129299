// Maps the names of a foreign file to names that Sestina allows.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace sestina {

// [A-Za-z_][A-Za-z0-9_]* and not reserved.
bool is_allowed_name(std::string_view name);

// Names are unique over bodies, joints, forces and parameters. Those that can stay as they are must be
// claimed first, so that a changed name never takes the place of a given one.
class NameMap {
 public:
  // True when the name is allowed and was free; it is taken from then on.
  bool claim(const std::string& name);
  // The nearest allowed name that is free: characters replaced, then `suffix`, then a number appended.
  std::string make(std::string_view name, std::string_view suffix);

 private:
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, int, std::less<>> last_number_;
};

}  // namespace sestina
