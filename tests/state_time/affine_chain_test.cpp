#include "sestina/state_time/affine_chain.h"

#include <gtest/gtest.h>

#include "parallel/thread_ranks.h"
#include "sestina/parallel/executor.h"
#include "sestina/state_time/interface_solver.h"

namespace sestina::test {
namespace {

constexpr int kSize = 5;

std::vector<AffineMap> random_chain(int n) {
  std::srand(7);  // of Eigen's random numbers
  std::vector<AffineMap> chain;
  for (int i = 0; i < n; ++i) {
    chain.push_back({0.5 * Eigen::MatrixXd::Random(kSize, kSize), Eigen::VectorXd::Random(kSize)});
  }
  if (n > 0) chain.front().P.resize(0, 0);
  return chain;
}

double distance(const std::vector<AffineMap>& a, const std::vector<AffineMap>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i].g - b[i].g).norm());
  return largest;
}

TEST(AffineChainTest, SolvesEveryMapFromTheOneBefore) {
  const std::vector<AffineMap> chain = random_chain(9);
  std::vector<AffineMap> solved = chain;
  solve_chain_in_turn(solved);
  EXPECT_EQ(solved[0].g, chain[0].g);
  for (std::size_t i = 1; i < chain.size(); ++i) {
    EXPECT_LT((solved[i].g - chain[i].P * solved[i - 1].g - chain[i].g).norm(), 1e-15) << i;
  }
}

TEST(AffineChainTest, ATreeSolvesWhatTheChainDoes) {
  for (const int n : {0, 1, 2, 3, 4, 7, 8, 9, 31, 64, 65}) {
    std::vector<AffineMap> in_turn = random_chain(n), as_tree = in_turn;
    solve_chain_in_turn(in_turn);
    solve_chain_as_tree(as_tree, nullptr);
    // Sums of products below one, in another order.
    EXPECT_LT(distance(in_turn, as_tree), 1e-14) << n;
  }
}

TEST(AffineChainTest, TheTreeDoesNotDependOnTheThreads) {
  std::vector<AffineMap> reference = random_chain(37);
  solve_chain_as_tree(reference, nullptr);
  for (const int threads : {1, 2, 3, 4}) {
    Executor executor(threads);
    std::vector<AffineMap> chain = random_chain(37);
    solve_chain_as_tree(chain, &executor);
    EXPECT_EQ(distance(reference, chain), 0.0) << threads;
  }
}

TEST(AffineChainTest, ACompositionIsOneMapAfterTheOther) {
  const std::vector<AffineMap> chain = random_chain(3);
  const Eigen::VectorXd s = Eigen::VectorXd::Random(kSize);
  const AffineMap both = compose(chain[2], chain[1]);
  const Eigen::VectorXd by_one = both.P * s + both.g,
                        by_two = chain[2].P * (chain[1].P * s + chain[1].g) + chain[2].g;
  EXPECT_LT((by_one - by_two).norm(), 1e-15);
  EXPECT_EQ(compose(chain[1], chain[0]).P.size(), 0);  // begins with what does not depend on anything
}

TEST(InterfaceSolverTest, AScanGivesEveryRankWhatItsStretchBeginsWith) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    const std::vector<AffineMap> chain = random_chain(ranks);
    std::vector<AffineMap> solved = chain;
    solve_chain_in_turn(solved);
    ThreadRanks::run(ranks, [&](Communicator& communicator) {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      std::vector<double> before(kSize, 7.0);
      EXPECT_EQ(ScanInterface().solve(communicator, chain[rank], before), "");
      for (std::size_t i = 0; i < before.size(); ++i) {
        const double expected = rank == 0 ? 7.0 : solved[rank - 1].g[static_cast<Eigen::Index>(i)];
        EXPECT_NEAR(before[i], expected, 1e-14) << rank << " of " << ranks;
      }
    });
  }
}

}  // namespace
}  // namespace sestina::test
