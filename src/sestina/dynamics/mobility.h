// Mobility of a mechanism with loops and constraints: its degrees of freedom, the redundant conditions and
// the distance from a singular position.
#pragma once

#include <string>
#include <vector>

#include "sestina/model/model.h"
#include "sestina/model/properties.h"

namespace sestina {

struct Mobility {
  int speeds = 0;      // number of speeds
  int conditions = 0;  // number of scalar conditions
  int rank = 0;        // number of independent ones among them
  int degrees_of_freedom() const { return speeds - rank; }
  int redundant() const { return conditions - rank; }
  // Joints and constraints whose forces are not determined because of the redundancy: those that close loops,
  // then the joints of the tree.
  std::vector<std::string> undetermined;
  // Smallest nonzero singular value relative to the largest: near zero, the position is close to one in which
  // the mechanism has more freedoms.
  double distance_from_singular = 1.0;
};

// Computes the mobility at a state from the singular values of C (constraint_row.h). O(nu^3); for messages.
Mobility calc_mobility(const Model& model, const Properties<double>& properties, const State<double>& state);

}  // namespace sestina
