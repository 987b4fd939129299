// Converts a model's analysis to options of the integrators, and checks what only they can check.
#pragma once

#include "sestina/base/error.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/step_options.h"
#include "sestina/model/analysis.h"
#include "sestina/model/model.h"
#include "sestina/model/system.h"

namespace sestina {

RuleOptions rule_options(const Analysis& analysis);
StepOptions step_options(const Analysis& analysis);

// Checks what freeze cannot, since it does not depend on integrators: whether rule, driver, their
// numbers and the output fit together, and whether state_time supports the model. Throws InputError
// with all faults, at the keys of the model.
void check_analysis(const System& system, const Model& model, const Analysis& analysis);

// Where the first state with a rate is described: under `states`, or as a force element that has states.
Place place_of_states(const System& system, const Model& model);

}  // namespace sestina
