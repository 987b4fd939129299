// Newton's iteration takes no memory. Eigen's matrices do not come from operator new, so that
// malloc itself is counted, unless a sanitizer replaces it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "sanitizers.h"
#include "sestina/state_time/initial_guess.h"
#include "sestina/state_time/window_equations.h"
#include "state_time/state_time_systems.h"

namespace {
std::atomic<long> allocations{0};
}

#if !defined(SESTINA_HAS_SANITIZER) && defined(__GLIBC__)
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif

namespace sestina::test {
namespace {

TEST(StateTimeAllocationTest, CountsMatrices) {
  const long before = allocations;
  void* volatile memory = std::malloc(100);
  std::free(memory);
  if (allocations == before) GTEST_SKIP() << "malloc is not ours to count";
  EXPECT_EQ(allocations, before + 1);
}

// The number of allocations in a second solution that uses the memory of the first.
long allocations_of(const System& system, const std::string& pair, StateTimeScheme scheme) {
  const auto model = freeze(system);
  const Properties<double> properties = calc_properties(*model);
  ForwardDynamics dynamics(model, properties, "recursive");
  WindowEquations equations(*model, properties, pair, TestFunctions::kNatural, scheme, TimeMatrixKind::kTree,
                            nullptr);
  InitialGuess guess(dynamics);
  State<double> initial = calc_initial_state(*model);
  dynamics.update(initial);
  const ElementLayout& layout = equations.form()->layout;
  std::vector<double> start(static_cast<std::size_t>(layout.start_size()));
  put_instants(dynamics.kinematics(), properties, start, 0, ElementLayout::kEndNumbers, true);
  TimeTrajectory trajectory;
  trajectory.begin(0.0, start, initial.q);
  trajectory.append(equations.form(), std::vector<double>(4, 0.02));
  long count = 0;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const std::span<double> y = trajectory.unknowns_from(0);
    std::fill(y.begin(), y.end(), 0.0);
    State<double> state = initial;
    guess.hold(state, trajectory, 0);
    const long before = allocations;
    const WindowEquations::Outcome outcome = equations.solve(trajectory, 0, nullptr);
    count = allocations - before;
    EXPECT_TRUE(outcome.is_solved) << outcome.failure;
    EXPECT_GT(outcome.iterations, 2);
  }
  return count;
}

TEST(StateTimeAllocationTest, NewtonsMethodTakesNoMemory) {
  System driven = sprung_chain(4);
  driven.add_joint_force("drive", "joint0", "0.3*sin(3*t) - 0.1*joint0.u");
  for (const System& system : {double_pendulum(), spherical_chain(6), branched_tree(), driven}) {
    for (const char* pair : {"LQ", "QC", "P5P6"}) {
      for (const auto scheme : {StateTimeScheme::kNewton, StateTimeScheme::kLinearQuadratic}) {
        EXPECT_EQ(allocations_of(system, pair, scheme), 0)
            << system.name << ' ' << system.bodies.size() << " bodies, " << pair;
      }
    }
  }
}

}  // namespace
}  // namespace sestina::test
