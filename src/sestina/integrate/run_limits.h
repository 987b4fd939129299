// How much one run may take: a number of steps, and time of the wall clock. A run that meets a limit fails
// with a reason that names it; what was computed until then is kept.
#pragma once

#include <chrono>
#include <string>

namespace sestina {

struct RunLimits {
  long steps = 0;          // accepted steps, or elements in time; 0: any number
  double wall_time = 0.0;  // s; 0: any
};

// Throws InputError for what is negative or not finite.
void check_run_limits(const RunLimits& limits);

// What a user changes to let a run go on.
struct LimitNames {
  const char* steps = "analysis.limits.steps (--max-steps, max_steps)";
  const char* wall_time = "analysis.limits.wall_time (--max-wall, max_wall)";
};

class LimitWatch {
 public:
  explicit LimitWatch(const RunLimits& limits, LimitNames names = {}) : limits_(limits), names_(names) {}

  // The wall time counts from here, and so do the steps: those of a run that is resumed began before.
  void start(long steps_before);
  // Before each step, with the steps so far. Throws ComputationError with t (s) where a limit is met. Looks
  // at the clock about once in a millisecond.
  void check(double t, long steps) {
    if (limits_.steps > 0 && steps - steps_before_ >= limits_.steps) fail(t, steps, 0.0);
    if (limits_.wall_time > 0.0 && --steps_to_look_ <= 0) look_at_clock(t, steps);
  }
  // For loops with a clock of their own, whether a limit is met; `wall_time` in s.
  bool meets(long steps, double wall_time) const {
    return (limits_.steps > 0 && steps - steps_before_ >= limits_.steps) ||
           (limits_.wall_time > 0.0 && wall_time >= limits_.wall_time);
  }
  // Why the run ends where a limit is met: which one, and what raises it.
  std::string explain(long steps, double wall_time) const;

  // check() has thrown.
  bool is_met() const { return is_met_; }

 private:
  using Clock = std::chrono::steady_clock;

  void look_at_clock(double t, long steps);
  [[noreturn]] void fail(double t, long steps, double wall_time);

  RunLimits limits_;
  LimitNames names_;
  long steps_before_ = 0;
  Clock::time_point start_ = Clock::now(), last_look_ = start_;
  int between_looks_ = 1, steps_to_look_ = 1;
  bool is_met_ = false;
};

}  // namespace sestina
