// Checks other values of a frozen model's parameters without freezing it again.
//
//   std::vector<double> values = ...;                               // in the order of model.parameters()
//   const auto properties = calc_properties<double>(model, values);
//   check(model, properties);                                       // throws what freeze() would
//
// freeze() checks structure and values together. The structure of a model never changes, and it keeps those
// rules for values that parameters can break. Parameters on which the analysis depends determine more than
// properties (Model::is_free_of_settings).
#pragma once

#include "sestina/model/model.h"

namespace sestina {

// Throws InputError with every fault that freeze() would find in the description with these values of the
// parameters, at the same places: numbers that are not finite, and those that break a rule, including the
// initial state.
void check(const Model& model, const Properties<double>& properties);

// The last part of check(), shared with freeze(): throws InputError if finite numbers lead to properties that
// are not finite, such as a mass of 1e308 kg far from its joint.
void check_range(const Model& model, const Properties<double>& properties);

}  // namespace sestina
