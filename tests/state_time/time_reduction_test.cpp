#include "sestina/state_time/time_reduction.h"

#include <gtest/gtest.h>

#include <mutex>

#include "parallel/thread_ranks.h"
#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/state_time/interface_solver.h"
#include "sestina/state_time/state_time_solver.h"
#include "state_time/state_time_systems.h"

namespace sestina::test {
namespace {

struct Case {
  const char* name;
  System system;
  double duration;
};
std::vector<Case> cases() {
  System coupled = branched_tree();
  coupled.add_force("far", "spring_damper").from = "outer0.a";
  coupled.forces.back().to = "outer2.a";
  coupled.forces.back().stiffness = {5.0};
  return {{"double pendulum", double_pendulum(), 1.0},
          {"branched tree", branched_tree(), 0.4},
          {"spherical chain", spherical_chain(3), 0.4},
          {"heavy top", heavy_top(), 0.5},
          {"coupled by a spring", coupled, 0.4}};
}

struct Solution {
  std::vector<double> numbers;  // of all bodies, at instants of all elements
  StateTimeStatistics statistics;
  std::size_t elements;
};

Solution solution_of(const System& system, double duration, const StateTimeOptions& options,
                     Executor* executor = nullptr, StateTimeRanks ranks = {}) {
  const auto model = freeze(system);
  StateTimeSolver solver(model, calc_properties(*model), options, executor, ranks);
  solver.start(calc_initial_state(*model), duration);
  while (!solver.is_complete()) solver.solve_window();
  Solution solution{{}, solver.statistics(), solver.elements().size()};
  std::vector<BodyInstant> bodies(static_cast<std::size_t>(model->bodies().size() - 1));
  for (int i = 0; i <= 4 * options.elements; ++i) {
    solver.calc_bodies(duration * i / (4 * options.elements), bodies);
    for (const BodyInstant& body : bodies) {
      for (int j = 0; j < 3; ++j) {
        solution.numbers.insert(solution.numbers.end(), {body.x[j], body.v[j], body.w[j]});
        for (int c = 0; c < 3; ++c) solution.numbers.push_back(body.C.column(c)[j]);
      }
    }
  }
  return solution;
}

// Relative to the largest number.
double distance(const Solution& a, const Solution& b) {
  EXPECT_EQ(a.numbers.size(), b.numbers.size());
  double largest = 0.0, size = 1.0;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    largest = std::max(largest, std::abs(a.numbers[i] - b.numbers[i]));
    size = std::max(size, std::abs(a.numbers[i]));
  }
  return largest / size;
}

// Newton's method ends where corrections are below 1e-12; a chaotic motion amplifies the remaining
// error.
constexpr double kSame = 1e-9;

TEST(TimeReductionTest, StretchesHaveTheSolutionOfOne) {
  for (const Case& c : cases()) {
    const Solution one = solution_of(c.system, c.duration, {.elements = 12, .windows = 2});
    for (const int stretches : {2, 3, 6}) {
      for (const ChainOrder order : {ChainOrder::kInTurn, ChainOrder::kTree}) {
        const Solution some = solution_of(
            c.system, c.duration, {.elements = 12, .windows = 2, .stretches = stretches, .order = order});
        EXPECT_LT(distance(one, some), kSame) << c.name << ", " << stretches;
        // Quadratic convergence is not lost.
        EXPECT_LE(some.statistics.iterations, one.statistics.iterations + 2) << c.name;
      }
    }
  }
}

TEST(TimeReductionTest, ThreadsDoNotChangeABit) {
  for (const ChainOrder order : {ChainOrder::kInTurn, ChainOrder::kTree}) {
    const StateTimeOptions options{.elements = 12, .stretches = 6, .order = order};
    const Solution alone = solution_of(branched_tree(), 0.4, options);
    for (const int threads : {2, 3, 4}) {
      Executor executor(threads);
      EXPECT_EQ(distance(alone, solution_of(branched_tree(), 0.4, options, &executor)), 0.0) << threads;
    }
  }
}

TEST(TimeReductionTest, StretchesConvergeFromAStateThatIsHeld) {
  const StateTimeOptions options{.elements = 12, .guess = FirstGuess::kHeld, .stretches = 4};
  const Solution some = solution_of(double_pendulum(), 1.0, options);
  EXPECT_LT(distance(solution_of(double_pendulum(), 1.0, {.elements = 12}), some), kSame);
}

TEST(TimeReductionTest, RanksHaveTheSolutionOfOneProcess) {
  for (const Case& c : cases()) {
    const Solution alone = solution_of(c.system, c.duration, {.elements = 13, .windows = 2});
    for (const int ranks : {1, 2, 5}) {
      for (const int stretches : {0, 6}) {
        ThreadRanks::run(ranks, [&](Communicator& communicator) {
          ScanInterface scan;
          const Solution own =
              solution_of(c.system, c.duration, {.elements = 13, .windows = 2, .stretches = stretches},
                          nullptr, {&communicator, &scan});
          EXPECT_LT(distance(alone, own), kSame) << c.name << ", " << communicator.rank() << " of " << ranks;
        });
      }
    }
  }
}

// Estimates differ by round-off, and with them where elements end.
TEST(TimeReductionTest, StretchesAndRanksReachATolerance) {
  for (const Case& c : cases()) {
    // A spin that is held leads through halves of windows, which round-off decides.
    if (std::string(c.name) == "heavy top") continue;
    StateTimeOptions options{.elements = 40, .windows = 4, .tolerance = 1e-8, .guess = FirstGuess::kHeld};
    const Solution alone = solution_of(c.system, c.duration, options);
    EXPECT_GT(alone.statistics.spreads, 0) << c.name;
    options.stretches = 5;
    const Solution some = solution_of(c.system, c.duration, options);
    EXPECT_EQ(some.elements, alone.elements) << c.name;
    EXPECT_LT(distance(alone, some), kSame) << c.name;
    ThreadRanks::run(3, [&](Communicator& communicator) {
      ScanInterface scan;
      const Solution own = solution_of(c.system, c.duration, options, nullptr, {&communicator, &scan});
      EXPECT_LT(distance(alone, own), kSame) << c.name << ", " << communicator.rank();
    });
  }
}

TEST(TimeReductionTest, WindowsOfFewerElementsThanStretchesAreSolvedByEachRank) {
  const StateTimeOptions options{
      .elements = 64, .windows = 2, .tolerance = 1e-3, .guess = FirstGuess::kHeld, .stretches = 32};
  const Solution alone = solution_of(double_pendulum(), 1.0, options);
  EXPECT_LT(alone.elements, 64u);  // of the second window there are fewer than 32
  EXPECT_GE(alone.elements, 32u);
  ThreadRanks::run(3, [&](Communicator& communicator) {
    ScanInterface scan;
    const Solution own = solution_of(double_pendulum(), 1.0, options, nullptr, {&communicator, &scan});
    EXPECT_EQ(own.elements, alone.elements);
    EXPECT_LT(distance(alone, own), kSame);
  });
}

TEST(TimeReductionTest, StretchesKeepATangentAsOneDoes) {
  const Solution one = solution_of(double_pendulum(), 1.0, {.elements = 12});
  const Solution some = solution_of(double_pendulum(), 1.0, {.elements = 12, .stretches = 4});
  EXPECT_LT(some.statistics.factors, some.statistics.iterations);
  EXPECT_EQ(some.statistics.factors, one.statistics.factors);
}

TEST(TimeReductionTest, AllRanksTellTheErrorOfOne) {
  // No solution: the step of a window is far too long for Newton's method.
  std::mutex mutex;
  std::vector<std::string> messages;
  ThreadRanks::run(3, [&](Communicator& communicator) {
    ScanInterface scan;
    try {
      solution_of(double_pendulum(), 60.0, {.elements = 6}, nullptr, {&communicator, &scan});
      ADD_FAILURE() << "has been solved";
    } catch (const ComputationError& error) {
      const std::lock_guard lock(mutex);
      messages.emplace_back(error.what());
    }
  });
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_EQ(messages[1], messages[2]);
}

TEST(TimeReductionTest, AllRanksStopWhenOneIsInterrupted) {
  ThreadRanks::run(3, [&](Communicator& communicator) {
    ScanInterface scan;
    const auto model = freeze(double_pendulum());
    StateTimeSolver solver(model, calc_properties(*model), {.elements = 12}, nullptr, {&communicator, &scan});
    const std::atomic<bool> interrupt{communicator.rank() == 1};
    solver.set_interrupt(&interrupt);
    solver.start(calc_initial_state(*model), 1.0);
    EXPECT_FALSE(solver.solve_window());
  });
}

void expect_refused(const StateTimeOptions& options, const std::string& option, const std::string& part,
                    StateTimeRanks ranks = {}) {
  const auto model = freeze(double_pendulum());
  try {
    const StateTimeSolver solver(model, calc_properties(*model), options, nullptr, ranks);
    ADD_FAILURE() << "not refused: " << part;
  } catch (const InputError& error) {
    EXPECT_EQ(error.faults().front().place.path, option);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(TimeReductionTest, RefusesStretchesThatHaveNoElement) {
  expect_refused({.elements = 13, .windows = 2, .stretches = 7}, "stretches", "at most its 6 elements");
  expect_refused({.elements = 12, .scheme = StateTimeScheme::kLinearQuadratic, .stretches = 2}, "stretches",
                 "linear_quadratic");
  expect_refused({.elements = 12, .matrix = TimeMatrixKind::kSparse, .stretches = 2}, "matrix", "sparse");
}

// At the option that leaves a rank without an element.
TEST(TimeReductionTest, RefusesRanksThatHaveNoElement) {
  ThreadRanks::run(3, [](Communicator& communicator) {
    ScanInterface scan;
    const StateTimeRanks ranks{&communicator, &scan};
    expect_refused({.elements = 12, .stretches = 2}, "stretches",
                   "2 stretches of time on 3 processes: a window can have at least one for each", ranks);
    expect_refused({.elements = 12, .windows = 5}, "windows",
                   "5 windows of 12 elements on 3 processes: expected at most 4", ranks);
    expect_refused({.elements = 2}, "elements", "2 elements on 3 processes", ranks);
    expect_refused({.elements = 12, .scheme = StateTimeScheme::kLinearQuadratic}, "scheme",
                   "linear_quadratic has one stretch of time, not 3: expected newton", ranks);
  });
}

}  // namespace
}  // namespace sestina::test
