// `--set PATH=VALUE` replaces one key of a model file's tree before the model is read.
#pragma once

#include <string>

#include "sestina/io/yaml.h"

namespace sestina {

// Returns the tree with the value at PATH replaced by VALUE, which is YAML. PATH consists of keys and `[i]`
// with dots between; bodies, joints and forces may be given by name. Absent keys are created, absent names
// (of parameters and points) are not. Throws InputError at the place `--set PATH=VALUE`, or the name in
// `flag`. The given tree is not changed.
YamlPointer apply_set_option(const YamlPointer& root, const std::string& option,
                             const std::string& flag = "--set");

// Returns the common form of all paths to the same key, such as `bodies.rod.mass` and `bodies[0].mass`; that
// of a part of the key begins with it. Throws InputError if the tree has no item of that name or index.
std::string canonical_set_path(const YamlPointer& root, const std::string& path, const std::string& flag);

}  // namespace sestina
