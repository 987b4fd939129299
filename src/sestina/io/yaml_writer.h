// A tree as YAML text for people: short lists and maps on one line, longer ones with an item on each line.
#pragma once

#include <string>
#include <string_view>

#include "sestina/io/yaml.h"

namespace sestina {

// A block map at the top; scalars in quotes only where they would otherwise read as something else. The text
// parses to the same tree.
std::string write_yaml(const YamlNode& root);

}  // namespace sestina
