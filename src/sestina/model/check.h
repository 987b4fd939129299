// Other values of a frozen model's parameters, checked without freezing anew.
//
//   std::vector<double> values = ...;                               // in the order of model.parameters()
//   const auto properties = calc_properties<double>(model, values);
//   check(model, properties);                                       // throws what freeze() would
//
// freeze() checks structure and values together. The structure of a model stays what it is, and of the rules
// for values it has kept those that parameters can break. Some parameters decide about more than properties:
// those of the analysis (Model::is_free_of_settings).
#pragma once

#include "sestina/model/model.h"

namespace sestina {

// Throws InputError with every fault that freeze() finds in the description with these values of the
// parameters, at the same places: numbers that are not finite, and those that break a rule, of the initial
// state as well.
void check(const Model& model, const Properties<double>& properties);

// The last part of it, which freeze() shares: throws InputError where numbers that are finite by themselves
// make properties that are not, such as a mass of 1e308 kg far from its joint.
void check_range(const Model& model, const Properties<double>& properties);

}  // namespace sestina
