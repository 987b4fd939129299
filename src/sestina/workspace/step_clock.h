// The ends of steps that a caller requests one by one: steps of equal length end at t_first + k length, so
// that rounding errors do not accumulate.
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "sestina/base/error.h"

namespace sestina {

class StepClock {
 public:
  void start(double t) { *this = StepClock{t}; }
  // Returns the end of a step of the length dt (s) from t. Throws InputError for an invalid dt.
  double calc_end(double t, double dt) {
    if (!(dt > 0.0) || !std::isfinite(dt)) {
      throw InputError(fmt::format("dt is {} s; allowed is a positive number", dt));
    }
    if (dt != length_ || t != t_last_) {
      t_first_ = t;
      length_ = dt;
      steps_ = 0;
    }
    const double end = t_first_ + static_cast<double>(steps_ + 1) * length_;
    if (!(end > t) || !std::isfinite(end)) {
      throw InputError(fmt::format("dt is {} s, which does not advance the time from {} s", dt, t));
    }
    return end;
  }
  // The step has ended at t.
  void count(double t) {
    t_last_ = t;
    ++steps_;
  }
  // If a step was cut short at t, the next ones count from there.
  StepClock at(double t) const { return t == t_last_ ? *this : StepClock{t}; }

  StepClock() = default;

 private:
  explicit StepClock(double t) : t_first_(t), t_last_(t) {}

  double t_first_ = 0.0, length_ = 0.0, t_last_ = 0.0;  // s; t_last: the end of the last step
  long steps_ = 0;                                      // k
};

}  // namespace sestina
