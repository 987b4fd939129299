#include "sestina/integrate/step_options.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/integrate/fixed_step_driver.h"
#include "sestina/integrate/variable_step_driver.h"

namespace sestina {
namespace {

std::unique_ptr<StepDriver> make_variable_driver(const StepOptions& options) {
  using Control = VariableStepDriver::Control;
  const auto make = [&](Control control) {
    return std::make_unique<VariableStepDriver>(tolerances_of(options), control, options.land_every);
  };
  if (options.control == "pi") return make(Control::kPI);
  if (options.control == "pid") return make(Control::kPID);
  throw InputError({{{{}, "step.control"},
                     fmt::format("unknown control of the step '{}'{}", options.control,
                                 suggestion(options.control, step_control_names()))}});
}

}  // namespace

ErrorTolerances tolerances_of(const StepOptions& options) {
  return {options.rtol, options.atol, options.max_step.value_or(std::numeric_limits<double>::infinity())};
}

std::span<const std::string> step_driver_names() {
  static const std::vector<std::string> names = {"fixed", "variable"};
  return names;
}

std::span<const std::string> step_control_names() {
  static const std::vector<std::string> names = {"pi", "pid"};
  return names;
}

std::unique_ptr<StepDriver> make_step_driver(const StepOptions& options) {
  std::unique_ptr<StepDriver> driver;
  if (options.driver == "fixed") driver = std::make_unique<FixedStepDriver>(options.dt, options.land_every);
  if (options.driver == "variable") driver = make_variable_driver(options);
  if (driver) {
    driver->set_tolerances(tolerances_of(options));
    return driver;
  }
  throw InputError({{{{}, "step.driver"},
                     fmt::format("unknown step driver '{}'{}", options.driver,
                                 suggestion(options.driver, step_driver_names()))}});
}

}  // namespace sestina
