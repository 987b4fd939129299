// Sparse saddle-point factors against dense ones: random trees and loops of blocks, directions without
// inertia, redundant rows.
#include "sestina/numerics/block_ldlt.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace sestina {
namespace {

struct Mechanism {
  BlockPattern pattern;
  std::vector<Eigen::MatrixXd> masses;  // of primal nodes, which come first
  std::vector<Eigen::MatrixXd> blocks;  // by link
};

class Generator {
 public:
  explicit Generator(unsigned seed) : engine_(seed) {}
  double number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(engine_); }
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  Eigen::MatrixXd matrix(int rows, int columns) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [this] { return number(); });
  }

  void add_body(Mechanism& m, int size) {
    const Eigen::MatrixXd A = matrix(size, size);
    m.masses.emplace_back(A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(size, size));
    m.pattern.sizes.push_back(size), m.pattern.is_dual.push_back(false);
  }
  // Negative: the ground.
  void add_joint(Mechanism& m, int a, int b, int rows) {
    const int node = static_cast<int>(m.pattern.sizes.size());
    m.pattern.sizes.push_back(rows), m.pattern.is_dual.push_back(true);
    for (const int body : {a, b}) {
      if (body < 0) continue;
      m.pattern.links.push_back({node, body});
      m.blocks.push_back(matrix(rows, m.pattern.sizes[static_cast<std::size_t>(body)]));
    }
  }
  // A random tree, whose bodies are all jointed, with some conditions more.
  Mechanism tree(int bodies, int loops) {
    Mechanism m;
    for (int b = 0; b < bodies; ++b) add_body(m, b % 5 == 4 ? 3 : 6);
    for (int b = 0; b < bodies; ++b) {
      add_joint(m, b == 0 ? -1 : below(b), b, b % 5 == 4 ? 1 + below(2) : 1 + below(5));
    }
    for (int l = 0; l < loops && bodies > 4; ++l)
      add_joint(m, below(bodies / 2), bodies / 2 + below(bodies / 2), 1);
    return m;
  }

 private:
  std::mt19937 engine_;
};

struct Factors {
  explicit Factors(const Mechanism& m) : ldlt(m.pattern), K(Eigen::MatrixXd::Zero(ldlt.size(), ldlt.size())) {
    fill(m);
    is_regular = ldlt.factor();
  }
  void fill(const Mechanism& m) {
    ldlt.clear();
    K.setZero();
    for (std::size_t b = 0; b < m.masses.size(); ++b) {
      const Eigen::MatrixXd& M = m.masses[b];
      const int start = ldlt.start(static_cast<int>(b));
      K.block(start, start, M.rows(), M.cols()) = M;
      const BlockLdlt::Block block = ldlt.diagonal(static_cast<int>(b));
      for (int i = 0; i < M.rows(); ++i) {
        for (int j = 0; j < M.cols(); ++j) block(i, j) = M(i, j);
        ldlt.scales()[static_cast<std::size_t>(start + i)] = M.trace();
      }
    }
    for (std::size_t l = 0; l < m.blocks.size(); ++l) {
      const auto& [dual, primal] = m.pattern.links[l];
      const BlockLdlt::Block block = ldlt.link(l);
      for (int i = 0; i < m.blocks[l].rows(); ++i) {
        for (int j = 0; j < m.blocks[l].cols(); ++j) {
          block(i, j) = m.blocks[l](i, j);
          const int row = ldlt.start(dual) + i, column = ldlt.start(primal) + j;
          K(row, column) = K(column, row) = m.blocks[l](i, j);
        }
      }
    }
  }
  // Relative errors of the residual, and of the solution of least norm.
  void expect_solution(Generator& random, double tolerance) {
    const Eigen::VectorXd b = K * random.matrix(ldlt.size(), 1);
    Eigen::VectorXd x = b;
    ldlt.solve({x.data(), static_cast<std::size_t>(x.size())});
    ldlt.remove_idle_part({x.data(), static_cast<std::size_t>(x.size())});
    const Eigen::VectorXd expected = K.completeOrthogonalDecomposition().solve(b);
    EXPECT_LT((K * x - b).norm(), tolerance * b.norm());
    EXPECT_LT((x - expected).norm(), 1e4 * tolerance * expected.norm());
  }

  BlockLdlt ldlt;
  Eigen::MatrixXd K;
  bool is_regular = false;
};

// Numbers of size one; what is lost of 1e-16 is the condition of a few blocks.
constexpr double kTolerance = 1e-12;

TEST(BlockLdlt, SolvesRandomTreesAndLoops) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Generator random(seed);
    Factors factors(random.tree(1 + static_cast<int>(seed % 12), static_cast<int>(seed % 4)));
    SCOPED_TRACE(seed);
    EXPECT_TRUE(factors.is_regular);
    EXPECT_TRUE(factors.ldlt.redundant().empty());
    factors.expect_solution(random, kTolerance);
  }
}

TEST(BlockLdlt, DelaysDirectionsWithoutInertia) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Generator random(seed);
    Mechanism m;
    const int bodies = 2 + static_cast<int>(seed % 7);
    for (int b = 0; b < bodies; ++b) random.add_body(m, 6);
    for (int b = 0; b < bodies; ++b) random.add_joint(m, b - 1, b, 5);
    // Rods without inertia about an axis, and bodies without any between others.
    for (std::size_t b = 0; b + 1 < m.masses.size(); ++b) {
      if (b % 3 == 0) m.masses[b].row(1).setZero(), m.masses[b].col(1).setZero();
      if (b % 3 == 1) m.masses[b].setZero();
    }
    Factors factors(m);
    SCOPED_TRACE(seed);
    EXPECT_TRUE(factors.is_regular);
    factors.expect_solution(random, 100 * kTolerance);
  }
}

// Welded links without mass, as in descriptions of robots.
TEST(BlockLdlt, HoldsBodiesWithoutMassByTheirWelds) {
  Generator random(7);
  Mechanism m;
  for (int b = 0; b < 6; ++b) random.add_body(m, 6);
  for (int b = 0; b < 6; ++b) random.add_joint(m, b - 1, b, b % 2 == 1 ? 6 : 5);
  for (const std::size_t b : {1, 3, 5}) m.masses[b].setZero();
  Factors factors(m);
  EXPECT_TRUE(factors.is_regular);
  factors.expect_solution(random, 100 * kTolerance);
}

TEST(BlockLdlt, TellsADirectionThatNothingHolds) {
  Generator random(3);
  Mechanism m;
  random.add_body(m, 6);
  random.add_joint(m, -1, 0, 3);
  m.masses[0].setZero();
  const Factors factors(m);
  EXPECT_FALSE(factors.is_regular);
  EXPECT_GE(factors.ldlt.singular(), 0);
}

// A row is given again, or as a sum of rows of other joints: loops that share joints.
TEST(BlockLdlt, FindsRedundantRowsAndTheSolutionOfLeastNorm) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Generator random(seed);
    Mechanism m = random.tree(6 + static_cast<int>(seed % 9), 0);
    const std::size_t links = m.blocks.size();
    std::size_t copies = 0;
    for (std::size_t l = 1; l < links && copies < 3; l += 3) {
      const int dual = m.pattern.links[l][0];
      const int node = static_cast<int>(m.pattern.sizes.size());
      m.pattern.sizes.push_back(1), m.pattern.is_dual.push_back(true);
      for (std::size_t k = 0; k < links; ++k) {
        if (m.pattern.links[k][0] != dual) continue;
        m.pattern.links.push_back({node, m.pattern.links[k][1]});
        m.blocks.emplace_back(2.0 * m.blocks[k].row(0));
      }
      ++copies;
    }
    Factors factors(m);
    SCOPED_TRACE(seed);
    EXPECT_TRUE(factors.is_regular);
    EXPECT_EQ(factors.ldlt.redundant().size(), copies);
    factors.expect_solution(random, kTolerance);
  }
}

TEST(BlockLdlt, FactorsOfAChainAreLinearInItsLength) {
  std::size_t memory[2] = {};
  for (int i = 0; i < 2; ++i) {
    Generator random(1);
    Mechanism m;
    const int bodies = i == 0 ? 100 : 1000;
    for (int b = 0; b < bodies; ++b) random.add_body(m, 6);
    for (int b = 0; b < bodies; ++b) random.add_joint(m, b - 1, b, 5);
    memory[i] = BlockLdlt(m.pattern).memory();
  }
  EXPECT_NEAR(static_cast<double>(memory[1]) / static_cast<double>(memory[0]), 10.0, 0.1);
}

}  // namespace
}  // namespace sestina
