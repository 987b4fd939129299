// The largest stress of a reduced body.
#pragma once

#include "sestina/flexible/reduced_body.h"

namespace sestina {

struct ReducedStress {
  double mises = 0.0;  // Pa
  int node = 0;        // of the mesh, from 0
};

// The largest equivalent stress of von Mises of the nodes with stresses, for amplitudes eta (k) in m. There
// must be such nodes. O(nodes k), no allocation.
ReducedStress calc_largest_stress(const ReducedModes& modes, const double* eta);

}  // namespace sestina
