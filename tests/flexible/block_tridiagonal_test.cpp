#include "sestina/flexible/block_tridiagonal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "spatial/random.h"

namespace sestina {
namespace {

using testing_support::Random;

Mat6<double> random_block(Random& random, double diagonal) {
  Mat6<double> A;
  for (auto& row : A.m) {
    for (double& x : row) x = random.uniform(-1.0, 1.0);
  }
  for (int i = 0; i < 6; ++i) A.m[i][5 - i] += diagonal;  // needs exchanges of rows
  return A;
}

TEST(BlockTridiagonal, SolvesUnsymmetricEquationsOfAChain) {
  constexpr int kNodes = 20;
  Random random(1);
  BlockTridiagonal A(kNodes);
  A.set_zero();
  std::vector<Vec6<double>> x(kNodes), b(kNodes);
  for (int k = 0; k < kNodes; ++k) {
    A.diagonal(k) = random_block(random, 10.0);
    if (k > 0) A.before(k) = random_block(random, 0.0);
    if (k + 1 < kNodes) A.after(k) = random_block(random, 0.0);
    for (int i = 0; i < 6; ++i) x[static_cast<std::size_t>(k)][i] = random.uniform(-1.0, 1.0);
  }
  for (std::size_t k = 0; k < kNodes; ++k) {
    const int i = static_cast<int>(k);
    b[k] = A.diagonal(i) * x[k];
    if (k > 0) b[k] = b[k] + A.before(i) * x[k - 1];
    if (k + 1 < kNodes) b[k] = b[k] + A.after(i) * x[k + 1];
  }
  ASSERT_TRUE(A.factor());
  A.solve(b);
  for (std::size_t k = 0; k < kNodes; ++k) {
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(b[k][i], x[k][i], 1e-13);
  }
}

// The determinant of a block diagonal matrix of scaled permutations is known.
TEST(BlockTridiagonal, KnowsTheDeterminant) {
  BlockTridiagonal A(2);
  A.set_zero();
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 6; ++i) A.diagonal(k).m[i][i] = 2.0;
  }
  std::swap(A.diagonal(1).m[0], A.diagonal(1).m[3]);  // one exchange
  ASSERT_TRUE(A.factor());
  EXPECT_EQ(A.sign(), -1);
  EXPECT_NEAR(A.log_determinant(), 12.0 * std::log(2.0), 1e-14);
}

TEST(BlockTridiagonal, SaysThatAMatrixIsSingular) {
  BlockTridiagonal A(2);
  A.set_zero();
  for (int i = 0; i < 6; ++i) A.diagonal(0).m[i][i] = 1.0;
  EXPECT_FALSE(A.factor());
}

}  // namespace
}  // namespace sestina
