// From a System to the tree of its model file.
#pragma once

#include "sestina/io/yaml.h"
#include "sestina/model/system.h"

namespace sestina {

// Notes a fault for each thing that a file cannot hold. What has its default value is left out.
YamlPointer model_tree(const System& system, FaultList& faults);

}  // namespace sestina
