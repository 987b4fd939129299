// Makes steps end where forces switch (time_switches.h), and separates both sides of a jump.
//
// At a time t* where a force jumps, the step before must use the value before the jump, also at its very end,
// and the step after must use the value after it. So the time at which accelerations are evaluated is kept
// between two jumps, at a distance of the shortest time that distinguishes two times:
//
//   step that ends at t*:     t <= t* - shortest_time
//   step that begins at t*:   t >= t* + shortest_time                                            (1)
//
// A force may set in at one switch and end at the next, zero at both. A rule that evaluates forces only at
// the ends of steps would miss it in a step from switch to switch. So a step also ends between two switches,
// except between two knots of tables, which have a value at each knot.
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "sestina/numerics/time_switches.h"

namespace sestina {

class SwitchStops {
 public:
  // The run begins at t and ends at t_end, or an event took place at t. `switches` may be null: there are
  // none.
  void start(TimeSwitches* switches, double t_start, double t, double t_end, std::span<const double> d);
  // The same for a run that began at t_start, if the steps before t are to be repeated identically.
  void resume(TimeSwitches* switches, double t_start, double t, double t_end, std::span<const double> d);

  // Call before a step from t: returns whether there is a jump, so that rates before t which the rule has
  // stored are no longer valid.
  bool pass(double t);
  // The time at which a step from t must end if it reaches it before `horizon` (<= t_end), or infinity.
  double find_stop(double t, double horizon);
  // Applies (1).
  double keep_within(double t) const { return std::clamp(t, from_, to_); }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  // Where a step ends between two switches, as a part of the time between them: a value for which few
  // functions of a user are zero.
  static constexpr double kBetween = 0.38;

  double shortest(double t) const { return shortest_time(t, span_); }
  void set_stop(const TimeSwitch& stop);
  double calc_stop(double t) const;

  TimeSwitches* switches_ = nullptr;
  double t_end_ = 0.0, span_ = 0.0;  // s
  double from_ = -kNever, to_ = kNever;
  TimeSwitch last_;  // the last switch passed, or the start of the run
  TimeSwitch stop_;
};

}  // namespace sestina
