// Converts the description that a user edits to the model that the formulations read.
#pragma once

#include <memory>

#include "sestina/model/analysis.h"
#include "sestina/model/model.h"
#include "sestina/model/system.h"

namespace sestina {

// Checks everything and returns the model, or throws one InputError with every fault of the description and
// its place. The system is not changed and may be edited and frozen again.
std::shared_ptr<const Model> freeze(const System& system);

// A model and its analysis, which is not part of the model.
struct FrozenSystem {
  std::shared_ptr<const Model> model;
  Analysis analysis;
};
FrozenSystem freeze_with_analysis(const System& system);

}  // namespace sestina
