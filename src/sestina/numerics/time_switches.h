// Instants, known in advance, at which the inputs of a system change their formula: a knot of a table, a
// condition on the time.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace sestina {

struct TimeSwitch {
  double t = std::numeric_limits<double>::infinity();  // s; infinite: no further instant
  bool is_jump = false;  // inputs may jump there; otherwise they have at most a kink
  bool is_knot = false;  // of a table, and nothing else is at that instant
};

// Two instants that are no farther apart than this count as one: sixteen spacings of t; near t = 0 those of a
// millionth of the run.
inline double shortest_time(double t, double span) {
  return 16.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-6 * span);
}

// Default of the longest step of a run of this duration (s), chosen so that a step does not skip an input or
// an event that lasts for part of the run: a tenth of the duration; a hundredth if time occurs in the
// equations.
inline double calc_longest_step(double duration, bool depends_on_time) {
  return duration / (depends_on_time ? 100.0 : 10.0);
}

class TimeSwitches {
 public:
  virtual ~TimeSwitches() = default;

  // Starts at t (s), where the run starts or an event has changed the discrete variables d. The run ends at
  // or before t_end.
  virtual void start(double t, double t_end, std::span<const double> d) = 0;
  // Returns the first instant in (after, horizon]. `after` precedes the t of start() by at most
  // shortest_time, and the horizon is not beyond t_end. No allocation.
  virtual TimeSwitch find_next(double after, double horizon) = 0;
};

}  // namespace sestina
