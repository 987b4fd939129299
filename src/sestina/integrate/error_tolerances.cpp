#include "sestina/integrate/error_tolerances.h"

#include <fmt/format.h>

#include <cmath>

namespace sestina {

void add_faults(const ErrorTolerances& tolerances, FaultList& faults) {
  const auto& [rtol, atol, max_step] = tolerances;
  if (!(rtol >= 0.0) || !std::isfinite(rtol)) {
    faults.add({{}, "step.rtol"}, fmt::format("{} is not a relative tolerance: give zero or more", rtol));
  }
  if (!(atol > 0.0) || !std::isfinite(atol)) {
    faults.add(
        {{}, "step.atol"},
        fmt::format("{} is not an absolute tolerance: give a positive number, because a value that passes "
                    "zero would have no tolerance",
                    atol));
  }
  if (!(max_step > 0.0)) {
    faults.add({{}, "step.max_step"}, fmt::format("{} s is not a step: give a positive length", max_step));
  }
}

}  // namespace sestina
