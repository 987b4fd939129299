// The limits of a run, as given in Python.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/integrate/run_limits.h"

namespace sestina::python {

// None means no limit. Throws InputError for invalid numbers.
inline RunLimits limits_of(std::optional<long> max_steps, std::optional<double> max_wall) {
  if (max_steps && *max_steps < 1) {
    throw InputError(fmt::format("max_steps: {}; allowed is 1 or more, or None", *max_steps));
  }
  if (max_wall && !(*max_wall > 0.0 && std::isfinite(*max_wall))) {
    throw InputError(fmt::format("max_wall: {} s; allowed is a positive number, or None", *max_wall));
  }
  return {max_steps.value_or(0), max_wall.value_or(0.0)};
}

}  // namespace sestina::python
