// The analysis of a system, separate from its model.
#pragma once

#include "sestina/model/analysis.h"
#include "sestina/model/model.h"
#include "sestina/model/system.h"

namespace sestina {

// Returns the analysis of the system from which the model was frozen; `analysis` and `output.every` may have
// been edited since. Takes a small part of the time of freezing. Throws InputError with all their faults.
Analysis freeze_analysis(const System& system, const Model& model);

}  // namespace sestina
