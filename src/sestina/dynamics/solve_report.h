// The report of a formulation about a solve, and the limit below which a mass matrix counts as singular.
#pragma once

#include "sestina/numerics/scalar.h"

namespace sestina {

// A pivot of the mass matrix (the inertia that a joint feels with its outboard bodies free to move) counts as
// zero below this fraction of the largest inertia that its bodies have in any direction. Round-off leaves
// about 1e-15 of it; a wire a micrometre thick and a metre long still has 6e-12.
inline constexpr double kSingularPivot = 1e-13;

inline bool any(bool mask) { return mask; }

template <class T>
struct SolveReport {
  Mask<T> is_singular{};    // udot is not valid
  int singular_speed = -1;  // index in u of the first vanishing pivot

  void check_pivot(const T& pivot, const T& scale, int speed) {
    const Mask<T> vanishes = pivot <= T(kSingularPivot) * scale;
    is_singular = is_singular || vanishes;
    if (any(vanishes) && singular_speed < 0) singular_speed = speed;
  }
};

}  // namespace sestina
