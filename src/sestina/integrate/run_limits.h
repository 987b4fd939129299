// Limits of one run: a number of steps, and wall time. A run that reaches a limit fails with a reason that
// names it; the rows until then are kept.
#pragma once

#include <chrono>
#include <string>

namespace sestina {

struct RunLimits {
  long steps = 0;          // accepted steps, or elements in time; 0: unlimited
  double wall_time = 0.0;  // s; 0: unlimited
};

// Throws InputError for a limit that is negative or not finite.
void check_run_limits(const RunLimits& limits);

// The names of the limits, for the message that explains how to continue a run.
struct LimitNames {
  const char* steps = "analysis.limits.steps (--max-steps, max_steps)";
  const char* wall_time = "analysis.limits.wall_time (--max-wall, max_wall)";
};

class LimitWatch {
 public:
  explicit LimitWatch(const RunLimits& limits, LimitNames names = {}) : limits_(limits), names_(names) {}

  // The wall time counts from this call, and so do the steps: a resumed run began with `steps_before`.
  void start(long steps_before);
  // Call before each step, with the steps so far. Throws ComputationError with t (s) if a limit is reached.
  // Reads the clock about once in a millisecond.
  void check(double t, long steps) {
    if (limits_.steps > 0 && steps - steps_before_ >= limits_.steps) fail(t, steps, 0.0);
    if (limits_.wall_time > 0.0 && --steps_to_look_ <= 0) look_at_clock(t, steps);
  }
  // Whether a limit is reached, for loops with a clock of their own; `wall_time` in s.
  bool meets(long steps, double wall_time) const {
    return (limits_.steps > 0 && steps - steps_before_ >= limits_.steps) ||
           (limits_.wall_time > 0.0 && wall_time >= limits_.wall_time);
  }
  // The message when a limit is reached: which one, and how to raise it.
  std::string explain(long steps, double wall_time) const;

  // Whether check() has thrown.
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
