#include "sestina/integrate/run_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"

namespace sestina {

void check_run_limits(const RunLimits& limits) {
  if (limits.steps < 0) {
    throw InputError(fmt::format("{} is not a limit on the steps of a run: give 1 or more", limits.steps));
  }
  if (!(limits.wall_time >= 0.0) || !std::isfinite(limits.wall_time)) {
    throw InputError(fmt::format("{} s is not a limit on the wall time of a run: give a positive number",
                                 limits.wall_time));
  }
}

void LimitWatch::start(long steps_before) {
  steps_before_ = steps_before;
  start_ = last_look_ = Clock::now();
  between_looks_ = steps_to_look_ = 1;
}

std::string LimitWatch::explain(long steps, double wall_time) const {
  const bool is_of_steps = limits_.steps > 0 && steps - steps_before_ >= limits_.steps;
  if (is_of_steps) {
    return fmt::format("the run has reached its limit of {} steps; {} raises it", limits_.steps,
                       names_.steps);
  }
  return fmt::format(
      "the run has reached its limit of {} s of wall time, after {} steps in {:.3g} s; {} raises it",
      limits_.wall_time, steps - steps_before_, wall_time, names_.wall_time);
}

void LimitWatch::look_at_clock(double t, long steps) {
  // Steps of one run may differ in cost by orders of magnitude.
  constexpr int kMostBetween = 1024;
  constexpr std::chrono::milliseconds kPeriod{1};
  const Clock::time_point now = Clock::now();
  between_looks_ = now - last_look_ < kPeriod ? std::min(2 * between_looks_, kMostBetween) : 1;
  steps_to_look_ = between_looks_;
  last_look_ = now;
  const double wall_time = std::chrono::duration<double>(now - start_).count();
  if (wall_time >= limits_.wall_time) fail(t, steps, wall_time);
}

void LimitWatch::fail(double t, long steps, double wall_time) {
  is_met_ = true;
  throw ComputationError(t, explain(steps, wall_time));
}

}  // namespace sestina
