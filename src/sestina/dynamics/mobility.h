// How a mechanism with loops and constraints can move: its degrees of freedom, which conditions are redundant
// and how far the position is from a singular one.
#pragma once

#include <string>
#include <vector>

#include "sestina/model/model.h"
#include "sestina/model/properties.h"

namespace sestina {

struct Mobility {
  int speeds = 0;      // nu
  int conditions = 0;  // scalar ones
  int rank = 0;        // how many of them are independent
  int degrees_of_freedom() const { return speeds - rank; }
  int redundant() const { return conditions - rank; }
  // Cut joints and constraints whose forces the redundancy leaves undetermined.
  std::vector<std::string> undetermined;
  // The smallest of the singular values that are not zero, relative to the largest: near zero, the position
  // is nearly one where more motions are possible.
  double distance_from_singular = 1.0;
};

// At a state of the model, from the singular values of C (constraint_row.h). O(nu^3); for messages.
Mobility calc_mobility(const Model& model, const Properties<double>& properties, const State<double>& state);

}  // namespace sestina
