#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "simulation/systems.h"

namespace sestina::symbolic {
namespace {

using testing_support::allocations;

TEST(SymbolicEquations, StepsWithConstraintsDoNotAllocate) {
  test::FourBar linkage;
  const KanesMethod kane = linkage.derive();
  SymbolicSystem system(kane);
  system.set(linkage.numbers(0.2, 0.5, 0.4, 0.5));
  system.set_initial({{linkage.q[0], 1.0}, {linkage.q[1], 0.3}, {linkage.q[2], -1.5}});
  const State<double> start = system.calc_initial_state();
  for (const char* name : {"dormand_prince_54", "adams_bashforth_moulton"}) {
    const auto equations = system.make_equations();
    const auto rule = make_integration_rule(name);
    StepOptions options;
    options.driver = "fixed";
    options.dt = 1e-3;
    const auto driver = make_step_driver(options);
    driver->start(*rule, *equations, start, 1.0);
    const long before = allocations;
    for (int k = 1; k <= 100; ++k) driver->advance_to(0.0055 * k);
    EXPECT_EQ(allocations, before) << name;
    EXPECT_GT(before, 0);
    EXPECT_LT(equations->configuration_residual(0.55, driver->state().q), 1e-15);
    EXPECT_LT(equations->velocity_residual(0.55, driver->state().q, driver->state().u), 1e-14);
  }
}

}  // namespace
}  // namespace sestina::symbolic
