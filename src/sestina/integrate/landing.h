// The instants t_start + k every, at which a driver lets steps end when rows are to be accepted states.
#pragma once

#include <cmath>

namespace sestina {

// Where an interval of the output begins, and where it ends.
struct LandingInterval {
  double begin = 0.0, end = 0.0;  // s
};

// The one with begin <= t < end. Every instant is a product of its own: the rows' instants are the same.
inline LandingInterval find_landing_interval(double t_start, double every, double t) {
  double k = std::floor((t - t_start) / every);
  while (t_start + k * every > t) k -= 1.0;  // the quotient was rounded
  while (t_start + (k + 1.0) * every <= t) k += 1.0;
  return {t_start + k * every, t_start + (k + 1.0) * every};
}

// What is left of the run after the last instant, in parts of the interval, is rounding when it is less.
inline constexpr double kNegligibleRest = 1e-6;

}  // namespace sestina
