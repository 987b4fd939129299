#include "sestina/integrate/equal_step_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"
#include "sestina/integrate/step_length.h"

namespace sestina {

void EqualStepDriver::check_fit(const IntegrationRule&, double t_start, double t_end) const {
  if (t_start == t_end) return;
  // As in FixedStepDriver: no time is off by more than a thousandth of a step.
  const double spacing =
      std::numeric_limits<double>::epsilon() * std::max(std::abs(t_start), std::abs(t_end));
  const double h = (t_end - t_start) / steps_;
  if (1e-3 * h > spacing) return;
  throw InputError(fmt::format("a step of {} s is too short to distinguish the instants from {} s to {} s", h,
                               t_start, t_end));
}

void EqualStepDriver::do_start() { h_ = (t_end() - state().t) / steps_; }

void EqualStepDriver::do_step() {
  const double t = state().t;
  const double t_next = FixedStepLength(h_, 0.0).calc_step_end(control().t_start, t, t_end());
  const StepReport report = rule().try_step(t_next);
  if (!report.complete()) {
    throw ComputationError(t, fmt::format("{} in a step of {} s: take shorter steps",
                                          describe(report, equations()), t_next - t));
  }
  accept_step();
}

}  // namespace sestina
