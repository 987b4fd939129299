#include "sestina/integrate/step_length.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/integrate/landing.h"

namespace sestina {
namespace {

// A remaining time shorter than this part of dt is round-off, not a step: the step before it ends at t_end
// instead, or the step after it at the next time of the grid.
constexpr double kNegligible = 1e-6;

// The constants of dopri5.f (E. Hairer, G. Wanner).
constexpr double kSafety = 0.9;
constexpr double kShrinkAtMost = 0.2;
constexpr double kGrowAtMost = 10.0;
constexpr double kSmallestLastError = 1e-4;

constexpr double kPid[] = {0.58, 0.21, 0.1};

}  // namespace

// The next time of the grid after t.
double FixedStepLength::calc_step_end(double t_start, double t, double t_end) const {
  const auto next = [t](double begin, double h) {
    double k = std::floor((t - begin) / h) + 1.0;
    if (begin + k * h <= t + kNegligible * h) k += 1.0;
    return k;
  };
  if (land_every_ == 0.0) {
    const double t_next = t_start + next(t_start, dt_) * dt_;
    return t_next >= t_end - kNegligible * dt_ ? t_end : t_next;
  }
  const LandingInterval interval = find_landing_interval(t_start, land_every_, t);
  const double steps = std::max(1.0, std::ceil(land_every_ / dt_ - kNegligible));
  const double h = land_every_ / steps;
  const double k = next(interval.begin, h);
  const double t_next = k < steps ? interval.begin + k * h : interval.end;
  return t_next >= t_end - kNegligibleRest * land_every_ ? t_end : t_next;
}

void VariableStepLength::start(int error_order, double t_start, double t_end) {
  error_order_ = error_order;
  t_start_ = t_start;
  t_end_ = t_end;
}

VariableStepLength::Attempt VariableStepLength::begin_step(double t, const StepControl& control,
                                                           SwitchStops& switches) const {
  Attempt attempt;
  attempt.t = t;
  attempt.wanted = attempt.h = std::min(control.next_step, tolerances_.max_step);
  attempt.stop = calc_next_stop(t, 2.0 * attempt.h, switches);
  set_end(attempt);
  return attempt;
}

// The last two steps before a stop share the remaining time, so that the last one is not very short.
void VariableStepLength::set_end(Attempt& attempt) const {
  const double t = attempt.t;
  const double rest = attempt.stop - t;
  attempt.t_next = rest <= attempt.h ? attempt.stop : t + (rest < 2.0 * attempt.h ? 0.5 * rest : attempt.h);
  attempt.h = attempt.t_next - t;
}

void VariableStepLength::accept(const Attempt& attempt, double error, StepControl& control,
                                double keep_up_to) const {
  const double grow_at_most = attempt.is_first ? kGrowAtMost : 1.0;
  double factor = std::clamp(calc_factor(error, control), kShrinkAtMost, grow_at_most);
  if (factor >= 1.0 && factor <= keep_up_to) factor = 1.0;
  control.next_step = std::max(attempt.h * factor, smallest_step(attempt.t_next));
  const bool goes_on = land_every_ > 0.0 || attempt.stop < t_end_;
  if (goes_on && attempt.h < attempt.wanted && attempt.is_first)
    control.next_step = std::max(control.next_step, attempt.wanted);
  if (kind_ == Control::kPID) control.error_before = control.last_error;
  control.last_error = std::max(error, kSmallestLastError);
}

bool VariableStepLength::shorten(Attempt& attempt, double error, StepControl& control) const {
  ++control.statistics.rejected;
  if (kind_ == Control::kPID) control.last_error = control.error_before = 0.0;
  attempt.h *= std::max(kSafety / std::pow(error, alpha()), kShrinkAtMost);
  attempt.is_first = false;
  if (attempt.h < smallest_step(attempt.t)) return false;
  set_end(attempt);
  return true;
}

double VariableStepLength::calc_factor(double error, const StepControl& control) const {
  if (kind_ == Control::kPI) {
    return kSafety * std::pow(control.last_error, beta()) / std::pow(error, alpha());
  }
  const double k = error_order_ + 1;
  const double current = std::max(error, kSmallestLastError);
  if (control.error_before == 0.0) return kSafety / std::pow(current, 1.0 / k);
  return kSafety * std::pow(current, -kPid[0] / k) * std::pow(control.last_error, kPid[1] / k) *
         std::pow(control.error_before, -kPid[2] / k);
}

double VariableStepLength::beta() const { return 0.2 / (error_order_ + 1); }
double VariableStepLength::alpha() const { return 1.0 / (error_order_ + 1) - 0.75 * beta(); }

double VariableStepLength::initial_error() const { return kind_ == Control::kPI ? kSmallestLastError : 0.0; }

double VariableStepLength::calc_next_stop(double t, double longest, SwitchStops& switches) const {
  const double landing = calc_landing(t);
  return std::min(landing, switches.find_stop(t, std::min(t + longest, landing)));
}

double VariableStepLength::calc_landing(double t) const {
  if (land_every_ == 0.0) return t_end_;
  const double landing = find_landing_interval(t_start_, land_every_, t).end;
  return landing < t_end_ - kNegligibleRest * land_every_ ? landing : t_end_;
}

double VariableStepLength::smallest_step(double t) const {
  const double span = t_end_ - t_start_;
  return 16.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-6 * span);
}

}  // namespace sestina
