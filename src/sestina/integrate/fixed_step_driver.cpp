#include "sestina/integrate/fixed_step_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"

namespace sestina {
namespace {

// A last step shorter than this part of dt is rounding, not a step: the one before ends at t_end instead.
constexpr double kNegligible = 1e-6;

}  // namespace

FixedStepDriver::FixedStepDriver(double dt) : dt_(dt) {
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

void FixedStepDriver::do_step() {
  const double t = state().t;
  const auto k = static_cast<double>(statistics().steps + 1);
  double t_next = control().t_start + k * dt_;
  if (t_next >= t_end() - kNegligible * dt_) t_next = t_end();
  const StepReport report = rule().try_step(t_next);
  if (!report.complete()) {
    throw ComputationError(
        t, fmt::format("{} in a step of {} s: reduce step.dt", describe(report, equations()), t_next - t));
  }
  accept_step();
}

}  // namespace sestina
