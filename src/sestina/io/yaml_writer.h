// A tree as YAML text for people: short lists and maps on one line, longer ones with an item on each line.
#pragma once

#include <string>
#include <string_view>

#include "sestina/io/yaml.h"

namespace sestina {

// A block map at the top; scalars in quotes only where they would otherwise read as something else. The text
// parses to the same tree.
std::string write_yaml(const YamlNode& root);

// Any node on one line, in the flow style: `[1, 2]`, `{driver: fixed, dt: 1e-3}`.
std::string write_yaml_line(const YamlNode& node);

}  // namespace sestina
