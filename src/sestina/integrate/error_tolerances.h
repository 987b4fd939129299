// The accuracy of a solution whose step length is controlled by the error.
#pragma once

#include <limits>

#include "sestina/base/error.h"

namespace sestina {

// The estimated error of a step stays below atol + rtol |x| in every coordinate and speed x.
struct ErrorTolerances {
  double rtol = 1e-8;
  double atol = 1e-10;                                        // in the unit of x
  double max_step = std::numeric_limits<double>::infinity();  // s

  double of(double x) const { return atol + rtol * (x < 0.0 ? -x : x); }
  friend bool operator==(const ErrorTolerances&, const ErrorTolerances&) = default;
};

// The tolerance for implicit equations if no error of steps is controlled.
inline constexpr ErrorTolerances kToRoundOff = {.rtol = 1e-13, .atol = 1e-15};

// Adds faults of the tolerances, located at step.rtol, step.atol and step.max_step.
void add_faults(const ErrorTolerances& tolerances, FaultList& faults);

}  // namespace sestina
