// What is to be done with a model, apart from the model.
#pragma once

#include "sestina/model/analysis.h"
#include "sestina/model/model.h"
#include "sestina/model/system.h"

namespace sestina {

// The analysis of the system from which the model was frozen, whose `analysis` and `output.every` may have
// been edited since. Costs a small part of freezing anew. Throws InputError with all faults of these.
Analysis freeze_analysis(const System& system, const Model& model);

}  // namespace sestina
