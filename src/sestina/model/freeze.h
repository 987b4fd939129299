// From the description that a user edits to the model that the formulations read.
#pragma once

#include <memory>

#include "sestina/model/analysis.h"
#include "sestina/model/model.h"
#include "sestina/model/system.h"

namespace sestina {

// Checks everything and returns the model, or throws one InputError with every fault of the description,
// each with the place where it stands. The system is not changed and may be edited and frozen again.
std::shared_ptr<const Model> freeze(const System& system);

// The same with what is to be done with the model, which is no part of it.
struct FrozenSystem {
  std::shared_ptr<const Model> model;
  Analysis analysis;
};
FrozenSystem freeze_with_analysis(const System& system);

}  // namespace sestina
