// Stepping does not allocate memory: every form of operator new of this program is counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "integrate/articulated_systems.h"
#include "integrate/event_watcher.h"
#include "integrate/test_rules.h"
#include "integrate/test_systems.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/step_options.h"

namespace {
long allocations = 0;

void* allocate(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

// The array forms of the library end in these.
void* operator new(std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace sestina::test {
namespace {

TEST(Allocation, IsCounted) {
  const long before = allocations;
  ::operator delete(::operator new(100));
  EXPECT_EQ(allocations, before + 1);
}

class Stepping : public testing::TestWithParam<std::string> {};

TEST_P(Stepping, DoesNotAllocate) {
  FreeRigidBody body;
  auto rule = make_rule(GetParam());
  std::vector<StepOptions> options = {{.driver = "fixed", .dt = 0.01}};
  if (rule->error_order() > 0) options.push_back({.driver = "variable", .rtol = 1e-6});
  for (const StepOptions& option : options) {
    auto driver = make_step_driver(option);
    driver->start(*rule, body, FreeRigidBody::start(), 10.0);
    const long before = allocations;
    for (int k = 0; k <= 1000; ++k) driver->advance_to(0.01 * k);
    EXPECT_EQ(allocations, before) << option.driver;
    EXPECT_GT(driver->statistics().steps, 10);
  }
}

TEST_P(Stepping, LinkedBodiesDoesNotAllocate) {
  ArticulatedSystem bodies(driven_top());
  auto rule = make_rule(GetParam());
  rule->start(bodies.equations, bodies.start());
  const long before = allocations;
  for (int k = 1; k <= 100; ++k) {
    ASSERT_TRUE(rule->try_step(0.005 * k).complete());
    rule->accept();
  }
  EXPECT_EQ(allocations, before);
}

// Locating events, cutting steps and restarting are included.
TEST_P(Stepping, OntoEventsDoesNotAllocate) {
  auto rule = make_rule(GetParam());
  std::vector<StepOptions> options = {{.driver = "fixed", .dt = 0.03}};
  if (rule->error_order() > 0) options.push_back({.driver = "variable", .rtol = 1e-6, .land_every = 0.1});
  for (const StepOptions& option : options) {
    PlainSystem system(1, 0, [](double, auto, auto, auto udot, auto) { udot[0] = -1.0; });
    WatchedFunctions functions({of_height(0.0), of_height(0.2, CrossingDirection::kBoth)});
    EventLocator locator(functions, functions.watches());
    auto driver = make_step_driver(option);
    State<double> state{0.0, {0.5}, {0.0}};
    driver->start(*rule, system, state, 10.0);
    locator.start(*driver);
    long events = 0;
    const long before = allocations;
    while (!driver->done()) {
      driver->step();
      for (std::span<const int> due = locator.look(*driver); !due.empty(); due = locator.restart(*driver)) {
        state = driver->state();
        if (due.front() == 0) state.u[0] = -state.u[0];
        driver->restart(state);
        ++events;
      }
    }
    EXPECT_EQ(allocations, before) << option.driver;
    EXPECT_GT(events, 10);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Stepping, testing::ValuesIn(rule_labels()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace sestina::test
