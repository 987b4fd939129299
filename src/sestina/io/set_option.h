// `--set PATH=VALUE`: one key of a model file's tree is replaced before the model is read.
#pragma once

#include <string>

#include "sestina/io/yaml.h"

namespace sestina {

// The tree with the value at PATH replaced by VALUE, which is YAML. PATH is keys and `[i]` with dots between;
// bodies, joints and forces may be given by their name. Keys that are absent are made, names (of parameters
// and points) are not. Throws InputError placed at `--set PATH=VALUE`, or what else the `flag` is. The tree
// given is not changed.
YamlPointer apply_set_option(const YamlPointer& root, const std::string& option,
                             const std::string& flag = "--set");

// The one form of all paths that lead to the same key, such as `bodies.rod.mass` and `bodies[0].mass`: that
// of a part of it begins with it. Throws InputError where the tree has no item of that name or index.
std::string canonical_set_path(const YamlPointer& root, const std::string& path, const std::string& flag);

}  // namespace sestina
