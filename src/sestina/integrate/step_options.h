// The choice of a step driver and its options, as in a model file.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sestina/integrate/step_driver.h"

namespace sestina {

struct StepOptions {
  std::string driver = "variable";  // "fixed" or "variable"
  double dt = 0.0;                  // s, fixed: step k ends at t_start + k dt, the last one at t_end
  // variable: the estimated error of a step stays below atol + rtol |x| in every coordinate and speed x
  double rtol = 1e-8;
  double atol = 1e-10;                  // in the unit of x
  std::optional<double> max_step = {};  // s, variable: no step is longer
  std::string control = "pi";           // variable: "pi" or "pid"
  double land_every = 0.0;              // s: steps end at its multiples; 0: anywhere
};

std::span<const std::string> step_driver_names();
std::span<const std::string> step_control_names();
ErrorTolerances tolerances_of(const StepOptions& options);
// Throws InputError with all faults of the options of the chosen driver; the options of the other driver are
// ignored.
std::unique_ptr<StepDriver> make_step_driver(const StepOptions& options);

}  // namespace sestina
