// The times t_start + k every, at which a driver ends steps if rows are to be accepted states.
#pragma once

#include <cmath>

namespace sestina {

// The beginning and the end of an interval of the output.
struct LandingInterval {
  double begin = 0.0, end = 0.0;  // s
};

// The interval with begin <= t < end. Each time is a product, and so equal to the time of a row bit for bit.
inline LandingInterval find_landing_interval(double t_start, double every, double t) {
  double k = std::floor((t - t_start) / every);
  while (t_start + k * every > t) k -= 1.0;  // the quotient was rounded
  while (t_start + (k + 1.0) * every <= t) k += 1.0;
  return {t_start + k * every, t_start + (k + 1.0) * every};
}

// A remainder of the run after the last such time is round-off if it is less than this part of the interval.
inline constexpr double kNegligibleRest = 1e-6;

}  // namespace sestina
