// Results do not depend on the number of threads.
#include <gtest/gtest.h>

#include <cstdlib>

#include "sestina/base/error.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

class Threads : public EachSolver {
 protected:
  // Long enough for several pieces in either parallel solver.
  RunResult run(int threads) const {
    System system = make_hanging_chain(300);
    system.analysis.solver = GetParam();
    set_fixed_step(system, "rk4", 1e-3, 0.02);
    Workspace workspace(system);
    workspace.set_threads(threads);
    return run_anyhow(workspace);
  }
};

TEST_P(Threads, ChangeNoBit) {
  const RunResult alone = run(1);
  ASSERT_EQ(alone.report.status, RunStatus::kComplete) << alone.report.failure;
  EXPECT_NE(alone.end("joint0.q"), alone.at(0, "joint0.q"));
  for (int threads = 2; threads <= 4; ++threads) {
    EXPECT_TRUE(std::ranges::equal(alone.table.values(), run(threads).table.values())) << threads;
  }
}

SESTINA_FOR_EACH_SOLVER(Threads);

TEST(ThreadCount, OfAnImpossibleNumberAreRefused) {
  Workspace workspace(make_slide("0"));
  for (const int threads : {0, -1, 100000})
    EXPECT_THROW(workspace.set_threads(threads), InputError) << threads;
}

// A solver that uses one thread ignores the number.
TEST(ThreadCount, AreOfNoInterestToASolverThatWorksAlone) {
  setenv("SESTINA_THREADS", "many", 1);
  System system = make_slide("0");
  system.analysis.duration = 0.01;
  EXPECT_EQ(Workspace(system).run().status, RunStatus::kComplete);
  system.analysis.solver = "hybrid";
  EXPECT_THROW(Workspace(system).run(), InputError);
  unsetenv("SESTINA_THREADS");
}

}  // namespace
}  // namespace sestina::test
