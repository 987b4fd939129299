// Products and solutions of many vectors at once: against Eigen, with the same bits for every width of
// registers.
#include "sestina/dynamics/column_block.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <random>

namespace sestina {
namespace {

using Eigen::MatrixXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class ColumnBlockTest : public testing::Test {
 protected:
  MatrixXd random_matrix(int rows, int columns) {
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    return MatrixXd::NullaryExpr(rows, columns, [&] { return number(random_); });
  }
  static ColumnBlock block_of(const MatrixXd& columns, InstructionSet set) {
    ColumnBlock block(static_cast<int>(columns.rows()), static_cast<int>(columns.cols()), set);
    block.load(columns.data(), columns.outerStride());
    return block;
  }
  static MatrixXd matrix_of(const ColumnBlock& block) {
    MatrixXd columns(block.rows(), block.count());
    block.store(columns.data(), columns.outerStride());
    return columns;
  }

  std::mt19937 random_{7};
};

constexpr int kCounts[] = {1, 7, 8, 9, 16, 17, 24, 25, 41};  // vectors: all parts of eight, and padding

TEST_F(ColumnBlockTest, AddsProducts) {
  for (const int count : kCounts) {
    const RowMatrix A = random_matrix(5, 11);
    const MatrixXd B = random_matrix(11, count), C = random_matrix(5, count);
    MatrixXd first;
    for (const InstructionSet set : available_instruction_sets()) {
      ColumnBlock sum = block_of(C, set);
      sum.add_product(-0.5, {A.data(), A.outerStride()}, block_of(B, set));
      const MatrixXd result = matrix_of(sum);
      EXPECT_NEAR((result - (C - 0.5 * A * B)).cwiseAbs().maxCoeff(), 0.0, 1e-14) << count;
      if (first.size() == 0) first = result;
      EXPECT_EQ(result, first) << count << " " << to_string(set);
    }
  }
}

TEST_F(ColumnBlockTest, SolvesWithTheFactorsOfAPositiveMatrix) {
  for (const int n : {1, 2, 8, 9, 23}) {
    const MatrixXd R = random_matrix(n, n), M = R * R.transpose() + 0.1 * MatrixXd::Identity(n, n);
    for (const int count : kCounts) {
      const MatrixXd b = random_matrix(n, count), expected = M.llt().solve(b);
      MatrixXd first;
      for (const InstructionSet set : available_instruction_sets()) {
        MatrixXd lower = M;
        lower.triangularView<Eigen::StrictlyUpper>().setConstant(1e3);  // not read
        ColumnBlock factors = block_of(lower, set), x = block_of(b, set);
        factors.factor();
        x.solve(factors);
        const MatrixXd result = matrix_of(x);
        EXPECT_NEAR((result - expected).cwiseAbs().maxCoeff(), 0.0, 1e-12 * expected.cwiseAbs().maxCoeff())
            << n << " " << count;
        if (first.size() == 0) first = result;
        EXPECT_EQ(result, first) << n << " " << count << " " << to_string(set);
      }
    }
  }
}

}  // namespace
}  // namespace sestina
