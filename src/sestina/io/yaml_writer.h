// A tree as readable YAML: short lists and maps on one line, longer ones with an item on each line.
#pragma once

#include <string>
#include <string_view>

#include "sestina/io/yaml.h"

namespace sestina {

// Writes a block map at the top; quotes scalars only if they would read as something else. The text parses to
// the same tree.
std::string write_yaml(const YamlNode& root);

// Writes any node on one line, in flow style: `[1, 2]`, `{driver: fixed, dt: 1e-3}`.
std::string write_yaml_line(const YamlNode& node);

}  // namespace sestina
