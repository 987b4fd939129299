#include "sestina/integrate/fixed_step_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"

namespace sestina {

FixedStepDriver::FixedStepDriver(double dt, double land_every) : dt_(dt), length_(dt, land_every) {
  if (!(dt > 0.0) || !std::isfinite(dt)) {
    throw InputError({{{{}, "step.dt"}, fmt::format("{} s is not a step: give a positive length", dt)}});
  }
}

void FixedStepDriver::check_fit(const IntegrationRule&, double t_start, double t_end) const {
  // No time is then off by more than a thousandth of a step.
  const double spacing =
      std::numeric_limits<double>::epsilon() * std::max(std::abs(t_start), std::abs(t_end));
  if (1e-3 * dt_ > spacing) return;
  throw InputError({{{{}, "step.dt"},
                     fmt::format("{} s is too short to distinguish the instants of a run from {} s to {} s",
                                 dt_, t_start, t_end)}});
}

void FixedStepDriver::do_step() {
  const double t = state().t;
  const double t_next = length_.calc_step_end(control().t_start, t, t_end());
  const StepReport report = rule().try_step(t_next);
  if (!report.complete()) {
    throw ComputationError(
        t, fmt::format("{} in a step of {} s: reduce step.dt", describe(report, equations()), t_next - t));
  }
  accept_step();
}

}  // namespace sestina
