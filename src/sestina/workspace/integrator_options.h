// A model's analysis in the words of the integrators, and what only they know to be wrong with it.
#pragma once

#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/step_options.h"
#include "sestina/model/analysis.h"
#include "sestina/model/model.h"
#include "sestina/model/system.h"

namespace sestina {

RuleOptions rule_options(const Analysis& analysis);
StepOptions step_options(const Analysis& analysis);

// What freeze cannot know, since it knows no integrators: whether rule, driver, their numbers and the output
// fit together, and whether state_time has equations of the model. Throws InputError with all faults, at the
// keys of the model.
void check_analysis(const System& system, const Model& model, const Analysis& analysis);

}  // namespace sestina
