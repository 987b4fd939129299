#include "sestina/flexible/reduced_stress.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sestina {

ReducedStress calc_largest_stress(const ReducedModes& modes, const double* eta) {
  assert(!modes.stress_nodes.empty());
  constexpr int kParts = 6;
  double largest = -1.0;
  std::size_t where = 0;
  const double* by_mode = modes.stresses.data();
  for (std::size_t i = 0; i < modes.stress_nodes.size(); ++i) {
    double s[kParts] = {};
    for (std::size_t k = 0; k < modes.count; ++k, by_mode += kParts) {
      for (int part = 0; part < kParts; ++part) s[part] += eta[k] * by_mode[part];
    }
    const double xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];
    const double shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    const double square = 0.5 * (xy * xy + yz * yz + zx * zx) + 3.0 * shear;
    if (square > largest) largest = square, where = i;
  }
  return {std::sqrt(std::max(largest, 0.0)), modes.stress_nodes[where]};
}

}  // namespace sestina
