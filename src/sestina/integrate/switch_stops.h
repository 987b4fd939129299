// Lets steps end where what drives a system switches (time_switches.h), and tells both sides apart.
//
// At an instant t* where a force jumps, the step before has to see the value before the jump, at its very end
// too, and the step after that behind it. So the time for which accelerations are calculated is kept within
// what lies between two jumps, except for the shortest time that tells two instants apart:
//
//   step that ends at t*:     t <= t* - shortest_time
//   step that begins at t*:   t >= t* + shortest_time                                            (1)
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "sestina/numerics/time_switches.h"

namespace sestina {

class SwitchStops {
 public:
  // A run begins at t and ends at t_end, or an event has taken place at t. Null: there are no switches.
  void start(TimeSwitches* switches, double t_start, double t, double t_end, std::span<const double> d);
  // Likewise of a run that began at t_start, where steps before t are to be taken again as they were.
  void resume(TimeSwitches* switches, double t_start, double t, double t_end, std::span<const double> d);

  // Before a step from t: whether there is a jump, so that what a rule knows of the rates before does not
  // hold any more.
  bool pass(double t);
  // Where a step from t has to end, unless it ends before the horizon (at most t_end): infinite beyond.
  double find_stop(double t, double horizon);
  // (1)
  double keep_within(double t) const { return std::clamp(t, from_, to_); }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  double shortest(double t) const { return shortest_time(t, span_); }
  void set_stop(const TimeSwitch& stop);

  TimeSwitches* switches_ = nullptr;
  double t_end_ = 0.0, span_ = 0.0;  // s
  double from_ = -kNever, to_ = kNever;
  TimeSwitch stop_;
};

}  // namespace sestina
