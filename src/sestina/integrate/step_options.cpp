#include "sestina/integrate/step_options.h"

#include <fmt/format.h>

#include <vector>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/integrate/fixed_step_driver.h"
#include "sestina/integrate/variable_step_driver.h"

namespace sestina {

std::span<const std::string> step_driver_names() {
  static const std::vector<std::string> names = {"fixed", "variable"};
  return names;
}

std::unique_ptr<StepDriver> make_step_driver(const StepOptions& options) {
  std::unique_ptr<StepDriver> driver;
  if (options.driver == "fixed") driver = std::make_unique<FixedStepDriver>(options.dt);
  if (options.driver == "variable") {
    driver = std::make_unique<VariableStepDriver>(options.rtol, options.atol, options.max_step);
  }
  if (driver) {
    driver->set_tolerances({options.rtol, options.atol, options.max_step});
    return driver;
  }
  throw InputError({{{{}, "step.driver"},
                     fmt::format("unknown step driver '{}'{}", options.driver,
                                 suggestion(options.driver, step_driver_names()))}});
}

}  // namespace sestina
