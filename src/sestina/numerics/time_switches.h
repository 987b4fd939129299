// Instants known ahead at which what drives a system changes its formula: a knot of a table, a condition in
// the time.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace sestina {

struct TimeSwitch {
  double t = std::numeric_limits<double>::infinity();  // s; infinite: there is none
  bool is_jump = false;  // what depends on the time may jump there; otherwise it has a kink at most
};

// Two instants that are no farther apart are one: sixteen spacings of t; near t = 0, of a millionth of the
// run.
inline double shortest_time(double t, double span) {
  return 16.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-6 * span);
}

// The longest step of a run, unless something else is asked for, so that what a drive or an event does for a
// part of the duration (s) is not stepped over: a tenth of it; a hundredth where the time occurs in the
// equations.
inline double calc_longest_step(double duration, bool depends_on_time) {
  return duration / (depends_on_time ? 100.0 : 10.0);
}

class TimeSwitches {
 public:
  virtual ~TimeSwitches() = default;

  // The run is at t (s), where it starts or where an event has changed the discrete variables d, and ends
  // before or at t_end.
  virtual void start(double t, double t_end, std::span<const double> d) = 0;
  // The first one in (after, horizon]. `after` lies nowhere before the t of start() by more than
  // shortest_time, and the horizon is not beyond t_end. No allocation.
  virtual TimeSwitch find_next(double after, double horizon) = 0;
};

}  // namespace sestina
