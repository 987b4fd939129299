// Converts a model's analysis to options of the state-time solver, and checks what the solver supports.
#pragma once

#include <string>

#include "sestina/base/error.h"
#include "sestina/model/analysis.h"
#include "sestina/model/model.h"
#include "sestina/model/system.h"

namespace sestina {

struct StateTimeOptions;

bool is_state_time(const Analysis& analysis);
StateTimeOptions state_time_options(const Analysis& analysis);
// "64 elements QC in 8 windows, natural tests"; with a tolerance "elements QC for a tolerance of 1e-06 in
// ..."
std::string elements_in_words(const Analysis& analysis);

// "elements of 0.125 s"
std::string step_of_elements(const Analysis& analysis);

// Adds faults for joints, forces and events without state-time equations, and for more elements than fit into
// memory, at the keys of the model.
void add_state_time_faults(const System& system, const Model& model, const Analysis& analysis,
                           FaultList& faults);

// Moves the faults that a StateTimeSolver reports of its options to the keys of the model.
InputError at_keys_of_elements(const InputError& error, const System& system);

}  // namespace sestina
