#include "sestina/integrate/fixed_step_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"
#include "sestina/integrate/landing.h"

namespace sestina {
namespace {

// What is shorter than this part of dt is rounding, not a step: the one before ends at t_end instead, and the
// one after at the next instant.
constexpr double kNegligible = 1e-6;

}  // namespace

FixedStepDriver::FixedStepDriver(double dt, double land_every) : dt_(dt), land_every_(land_every) {
  if (!(dt > 0.0) || !std::isfinite(dt)) {
    throw InputError({{{{}, "step.dt"}, fmt::format("{} s is not a step: give a positive length", dt)}});
  }
}

void FixedStepDriver::check_fit(const IntegrationRule&, double t_start, double t_end) const {
  // Then no instant is off by more than a thousandth of a step.
  const double spacing =
      std::numeric_limits<double>::epsilon() * std::max(std::abs(t_start), std::abs(t_end));
  if (1e-3 * dt_ > spacing) return;
  throw InputError({{{{}, "step.dt"},
                     fmt::format("{} s is too short to tell the instants of a run from {} s to {} s apart",
                                 dt_, t_start, t_end)}});
}

// The instant after t.
double FixedStepDriver::calc_step_end(double t) const {
  const auto next = [t](double begin, double h) {
    double k = std::floor((t - begin) / h) + 1.0;
    if (begin + k * h <= t + kNegligible * h) k += 1.0;
    return k;
  };
  const double begin = control().t_start;
  if (land_every_ == 0.0) {
    const double t_next = begin + next(begin, dt_) * dt_;
    return t_next >= t_end() - kNegligible * dt_ ? t_end() : t_next;
  }
  const LandingInterval interval = find_landing_interval(begin, land_every_, t);
  const double steps = std::max(1.0, std::ceil(land_every_ / dt_ - kNegligible));
  const double h = land_every_ / steps;
  const double k = next(interval.begin, h);
  const double t_next = k < steps ? interval.begin + k * h : interval.end;
  return t_next >= t_end() - kNegligibleRest * land_every_ ? t_end() : t_next;
}

void FixedStepDriver::do_step() {
  const double t = state().t;
  const double t_next = calc_step_end(t);
  const StepReport report = rule().try_step(t_next);
  if (!report.complete()) {
    throw ComputationError(
        t, fmt::format("{} in a step of {} s: reduce step.dt", describe(report, equations()), t_next - t));
  }
  accept_step();
}

}  // namespace sestina
