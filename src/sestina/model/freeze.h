// From the description that a user edits to the model that the formulations read.
#pragma once

#include <memory>

#include "sestina/model/model.h"
#include "sestina/model/system.h"

namespace sestina {

// Checks everything and returns the model, or throws one InputError with every fault of the description,
// each with the place where it stands. The system is not changed and may be edited and frozen again.
std::shared_ptr<const Model> freeze(const System& system);

}  // namespace sestina
