#include "sestina/integrate/switch_stops.h"

namespace sestina {

void SwitchStops::start(TimeSwitches* switches, double t_start, double t, double t_end,
                        std::span<const double> d) {
  switches_ = switches;
  t_end_ = t_end;
  span_ = t_end - t_start;
  from_ = -kNever;
  set_stop({});
  if (switches_ == nullptr) return;
  switches_->start(t, t_end, d);
  const double near = shortest(t);
  const TimeSwitch here = switches_->find_next(t - near, std::min(t + near, t_end));
  if (here.is_jump && here.t <= t + near) from_ = here.t + near;
}

void SwitchStops::resume(TimeSwitches* switches, double t_start, double t, double t_end,
                         std::span<const double> d) {
  start(switches, t_start, t_start, t_end, d);
  if (switches_ == nullptr) return;
  // The steps that are repeated are between two jumps.
  for (TimeSwitch next = switches_->find_next(t_start, t_end); next.t <= t_end;
       next = switches_->find_next(next.t, t_end)) {
    if (!next.is_jump) continue;
    if (next.t > t + shortest(t)) {
      set_stop(next);
      break;
    }
    from_ = next.t + shortest(next.t);
  }
  switches_->start(t, t_end, d);
}

void SwitchStops::set_stop(const TimeSwitch& stop) {
  stop_ = stop;
  to_ = stop.is_jump ? stop.t - shortest(stop.t) : kNever;
}

bool SwitchStops::pass(double t) {
  if (!stop_.is_jump || t < to_) return false;
  from_ = stop_.t + shortest(stop_.t);
  set_stop({});
  return true;
}

double SwitchStops::find_stop(double t, double horizon) {
  if (switches_ == nullptr) return kNever;
  if (stop_.t <= t + shortest(t) || stop_.t > horizon) {
    set_stop(switches_->find_next(t + shortest(t), std::min(horizon, t_end_)));
  }
  return stop_.t;
}

}  // namespace sestina
