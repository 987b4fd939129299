// Converts a System to the tree of its model file.
#pragma once

#include "sestina/io/yaml.h"
#include "sestina/model/system.h"

namespace sestina {

// Adds a fault for each part that a file cannot represent. Defaults are omitted.
YamlPointer model_tree(const System& system, FaultList& faults);

}  // namespace sestina
