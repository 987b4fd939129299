// No heap memory inside a time step: every form of operator new of this program is counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "dynamics/random_systems.h"
#include "repository.h"
#include "sanitizers.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/step_options.h"
#include "sestina/io/model_file.h"
#include "sestina/workspace/ensemble.h"
#include "sestina/workspace/result_row.h"
#include "sestina/workspace/simulator.h"
#include "sestina/workspace/system_equations.h"
#include "sestina/workspace/workspace.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace {
std::atomic<long> allocations{0};

void* allocate(std::size_t size) {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void* allocate_aligned(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto a = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(a, (size + a - 1) / a * a);
}
void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

// The array forms of the library end in these.
void* operator new(std::size_t size) { return or_throw(allocate(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_throw(allocate_aligned(size, alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace sestina::test {
namespace {

// Sanitizers, which slow these tests down by a factor of twenty, look for other faults than allocations.
#if defined(SESTINA_HAS_SANITIZER)
constexpr std::uint64_t kRandomModels = 1;
#else
constexpr std::uint64_t kRandomModels = 5;
#endif

State<double> initial_state(const Model& model) {
  State<double> state = calc_initial_state(model);
  state.z.assign(static_cast<std::size_t>(num_quadratures(model)), 0.0);
  return state;
}

std::vector<std::shared_ptr<const Model>> models() {
  System robot = make_robot();
  add_given_forces(robot);
  robot.add_column("load", "sqrt(elbow.reaction.force.x^2) + hand.tip.z");
  robot.add_integral("cost", "elbow.u^2 + energy.kinetic + momentum.x + hand.tip.x + hand.origin.y");
  std::vector<std::shared_ptr<const Model>> list{freeze(robot)};
  for (std::uint64_t seed = 1; seed <= kRandomModels; ++seed)
    list.push_back(freeze(testing_support::random_system(seed)));
  return list;
}

TEST(Allocation, IsCounted) {
  const long before = allocations;
  ::operator delete(::operator new(100));
  EXPECT_EQ(allocations, before + 1);
}

class Stepping : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Stepping, DoesNotAllocate) {
  const auto& [rule_name, solver] = GetParam();
  for (const auto& model : models()) {
    auto rule = make_integration_rule(rule_name);
    std::vector<StepOptions> options = {{.driver = "fixed", .dt = 1e-4}};
    if (rule->error_order() > 0) options.push_back({.driver = "variable", .rtol = 1e-6, .atol = 1e-6});
    for (const StepOptions& option : options) {
      ForwardDynamics dynamics(model, calc_properties(*model), solver);
      SystemEquations equations(dynamics);
      auto driver = make_step_driver(option);
      driver->start(*rule, equations, initial_state(*model), 1.0);
      const long before = allocations;
      for (int k = 0; k < 20 && !driver->done(); ++k) driver->step();
      driver->advance_to(0.5 * (rule->previous().t + driver->state().t));  // an instant in between
      EXPECT_EQ(allocations, before) << model->name() << ", " << option.driver;
    }
  }
}

// The first steps find out how many conditions stand open at each body.
TEST(SteppingWithLoops, DoesNotAllocateAfterTheFirstSteps) {
  for (const char* name :
       {"16_four_bar", "17_slider_crank", "18_squeezer", "19_every_constraint", "20_bicycle"}) {
    const auto model = freeze(read_model_file(repository() + "/examples/" + name + ".yaml"));
    const Properties<double> properties = calc_properties(*model);
    for (const char* solver : {"recursive", "kane"}) {
      ForwardDynamics dynamics(model, properties, solver);
      SystemEquations equations(dynamics);
      auto rule = make_integration_rule("dormand_prince_54");
      auto driver = make_step_driver({.driver = "fixed", .dt = 1e-5});
      State<double> state = calc_assembled_state(*model, properties);
      state.z.assign(static_cast<std::size_t>(num_quadratures(*model)), 0.0);
      driver->start(*rule, equations, state, 1.0);
      for (int k = 0; k < 3; ++k) driver->step();
      const long before = allocations;
      for (int k = 0; k < 20; ++k) driver->step();
      driver->advance_to(0.5 * (rule->previous().t + driver->state().t));
      EXPECT_EQ(allocations, before) << name << ' ' << solver;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Stepping,
    testing::Combine(testing::ValuesIn(integration_rule_names().begin(), integration_rule_names().end()),
                     testing::ValuesIn(solver_names())),
    [](const auto& test) { return std::get<0>(test.param) + "_" + std::get<1>(test.param); });

class Rows : public testing::TestWithParam<std::string> {};

TEST_P(Rows, AreEvaluatedWithoutAllocating) {
  for (const auto& model : models()) {
    for (const bool reactions : {false, true}) {
      ForwardDynamics dynamics(model, calc_properties(*model), GetParam());
      ResultRow row(*model, dynamics.properties().parameters, reactions);
      const State<double> state = initial_state(*model);
      row.calc(state, dynamics);
      const long before = allocations;
      row.calc(state, dynamics);
      EXPECT_EQ(allocations, before) << model->name() << (reactions ? " with reactions" : "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, Rows, testing::ValuesIn(solver_names()),
                         [](const auto& test) { return test.param; });

// Steps of a whole run cost memory only for its beginning: twice the steps, the same number of allocations.
TEST(Allocation, OfARunDoesNotGrowWithItsSteps) {
  const auto count = [](double duration) {
    System robot = make_robot();
    robot.analysis.step.driver = "fixed";
    robot.analysis.step.dt = 1e-3;
    robot.analysis.duration = duration;
    robot.output.every = 1e-2;
    Workspace workspace(robot);
    const long before = allocations;
    workspace.run();
    return allocations - before;
  };
  count(0.1);
  EXPECT_EQ(count(0.1), count(0.4));
}

// Nor does that of runs in lanes.
TEST(Allocation, OfAnEnsembleDoesNotGrowWithItsSteps) {
  const auto count = [](const char* driver, double duration) {
    System robot = make_robot();
    robot.analysis.step.driver = driver;
    robot.analysis.step.dt = 1e-3;
    robot.analysis.duration = duration;
    robot.output.every = 3.3e-3;
    const Workspace workspace(robot);
    const std::vector<EnsembleMember> members(17);
    const long before = allocations;
    const std::vector<RunReport> reports = workspace.run_ensemble(members, {.threads = 1});
    EXPECT_GT(reports.front().lanes, 1);
    return allocations - before;
  };
  for (const char* driver : {"fixed", "variable"}) {
    count(driver, 0.1);
    EXPECT_EQ(count(driver, 0.1), count(driver, 0.4)) << driver;
  }
}

// The rule and the solver do their part as in the tests above: each rule with one solver is enough.
class FromOutside : public testing::TestWithParam<std::string> {};

// Steps from outside, with samples of a controller and effects between them, and from a saved state.
TEST_P(FromOutside, StepsDoNotAllocate) {
  const std::string rule_name = GetParam();
  const std::string solver = "recursive";
  // CVODE allocates where it starts, which it does in each step.
  if (rule_name.starts_with("cvode")) return;
  const auto rule = make_integration_rule(rule_name);
  for (const auto& model : models()) {
    std::vector<SimulatorOptions> options = {{.solver = solver, .rule = {.name = rule_name}, .substeps = 2}};
    if (rule->error_order() > 0) {
      options.push_back(
          {.solver = solver, .rule = {.name = rule_name}, .tolerances = ErrorTolerances{1e-6, 1e-6}});
    }
    for (const SimulatorOptions& option : options) {
      Simulator simulator(model, option);
      const auto law = [](const State<double>& state, std::span<double> memory, std::span<double> tau) {
        memory[0] += state.u[0];
        tau[0] = -0.01 * state.u[0];
      };
      simulator.set_controller(law, {.period = 3e-4, .delay = 5e-4, .memory = {0.0}});
      const std::vector<double> tau(static_cast<std::size_t>(model->nu()), 0.001);
      simulator.step(1e-4);
      const State<double> state = simulator.state();
      const long before = allocations;
      for (int k = 0; k < 20; ++k) {
        simulator.set_tau(tau);
        simulator.step(1e-4);
      }
      simulator.set_state(state.q, state.u);
      simulator.step(2e-3);
      EXPECT_EQ(allocations, before) << model->name() << (option.tolerances ? ", variable" : ", fixed");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, FromOutside,
                         testing::ValuesIn(integration_rule_names().begin(), integration_rule_names().end()),
                         [](const auto& test) { return test.param; });

TEST(Allocation, StepsFromOutsideWithEventsDoNotAllocate) {
  Simulator simulator(freeze(make_bouncing_chain()));
  const auto count = [&] {
    const long before = allocations;
    for (int k = 0; k < 1000; ++k) simulator.step(1e-3);
    return allocations - before;
  };
  for (int k = 0; k < 4; ++k) count();  // an event takes its memory when it is located for the first time
  for (const double event_count : simulator.event_counts()) EXPECT_GT(event_count, 0.0);
  const double ticks = simulator.event_counts().back();
  EXPECT_EQ(count(), 0);
  EXPECT_GT(simulator.event_counts().back(), ticks + 3.0);
}

// Events do not allocate either: steps that are cut, rules that restart, two rows for each.
TEST(Allocation, OfARunDoesNotGrowWithItsEvents) {
  const auto count = [](const std::string& rule, double duration, std::size_t& events) {
    System system = make_bouncing_chain();
    set_fixed_step(system, rule, 1e-2, duration);
    Workspace workspace(system);
    const long before = allocations;
    const RunReport report = workspace.run();
    const long after = allocations;
    EXPECT_EQ(report.status, RunStatus::kComplete) << report.failure;
    events = 0;
    for (const long n : report.event_counts) events += static_cast<std::size_t>(n);
    return after - before;
  };
  for (const std::string& rule : integration_rule_names()) {
    if (rule == "forward_euler") continue;  // whose energy grows beyond bounds
    std::size_t few = 0, many = 0;
    count(rule, 1.5, few);
    const long of_few = count(rule, 1.5, few);
    EXPECT_EQ(count(rule, 4.5, many), of_few) << rule;
    EXPECT_GT(few, 3u);
    EXPECT_GT(many, 2 * few);
  }
}

}  // namespace
}  // namespace sestina::test
