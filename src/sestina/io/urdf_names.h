// Maps the names of a foreign file to names that Sestina allows.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace sestina {

// True for [A-Za-z_][A-Za-z0-9_]* that is not reserved.
bool is_allowed_name(std::string_view name);

// Names are unique over bodies, joints, forces and parameters. Names that need no change must be claimed
// first, so that a changed name never replaces a given one.
class NameMap {
 public:
  // Returns true if the name is allowed and free; it is taken from then on.
  bool claim(const std::string& name);
  // Returns a free allowed name: with characters replaced, then `suffix` and then a number appended.
  std::string make(std::string_view name, std::string_view suffix);

 private:
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, int, std::less<>> last_number_;
};

}  // namespace sestina
