// Displacements (nu) as coordinates of q near a centre, for rules that must stay on the manifold: q =
// plus(centre, x). The rate of x is u, except for the three components of each rotation, where it is
// dexp(x)^-1 u (rotation_chart.h).
#pragma once

#include <algorithm>
#include <span>

#include "sestina/integrate/rotation_chart.h"

namespace sestina {

inline Vec3<double> three_of(std::span<const double> values, int start) {
  const auto i = static_cast<std::size_t>(start);
  return {values[i], values[i + 1], values[i + 2]};
}
inline void set_three_of(std::span<double> values, int start, const Vec3<double>& v) {
  const auto i = static_cast<std::size_t>(start);
  values[i] = v.x, values[i + 1] = v.y, values[i + 2] = v.z;
}

// xdot from u; `rotations` as defined by EquationsOfMotion. xdot may be u.
inline void calc_displacement_rate(std::span<const int> rotations, std::span<const double> x,
                                   std::span<const double> u, std::span<double> xdot) {
  if (xdot.data() != u.data()) std::copy(u.begin(), u.end(), xdot.begin());
  for (const int k : rotations) set_three_of(xdot, k, dexp_inverse(three_of(x, k), three_of(u, k)));
}
// u from xdot. u may be xdot.
inline void calc_speeds_of_displacement(std::span<const int> rotations, std::span<const double> x,
                                        std::span<const double> xdot, std::span<double> u) {
  if (xdot.data() != u.data()) std::copy(xdot.begin(), xdot.end(), u.begin());
  for (const int k : rotations) set_three_of(u, k, dexp(three_of(x, k), three_of(xdot, k)));
}

}  // namespace sestina
