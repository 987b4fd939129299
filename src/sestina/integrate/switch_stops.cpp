#include "sestina/integrate/switch_stops.h"

namespace sestina {

void SwitchStops::start(TimeSwitches* switches, double t_start, double t, double t_end,
                        std::span<const double> d) {
  switches_ = switches;
  t_end_ = t_end;
  span_ = t_end - t_start;
  from_ = -kNever;
  if (t == t_start) last_ = {.t = t};
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
    if (next.t <= t + shortest(t)) last_ = next;
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
  last_ = stop_;
  set_stop({});
  return true;
}

double SwitchStops::find_stop(double t, double horizon) {
  if (switches_ == nullptr) return kNever;
  if (stop_.t <= t + shortest(t)) last_ = stop_;
  if (stop_.t <= t + shortest(t) || stop_.t > horizon) {
    set_stop(switches_->find_next(t + shortest(t), std::min(horizon, t_end_)));
  }
  return calc_stop(t);
}

double SwitchStops::calc_stop(double t) const {
  if (stop_.t == kNever || (last_.is_knot && stop_.is_knot)) return stop_.t;
  const double between = last_.t + kBetween * (stop_.t - last_.t);
  return between > t + shortest(t) ? std::min(between, stop_.t) : stop_.t;
}

}  // namespace sestina
