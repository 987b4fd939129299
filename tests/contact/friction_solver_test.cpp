#include "sestina/contact/friction_solver.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

namespace sestina {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Conditions (2) and (3) of the header.
void expect_solved(const MatrixXd& G, const VectorXd& b, const std::vector<double>& mu, const VectorXd& p) {
  const double size = b.cwiseAbs().maxCoeff();
  const VectorXd v = G * p + b;
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(mu.size()); ++i) {
    const double p_n = p[3 * i], v_n = v[3 * i], impedance = G(3 * i, 3 * i);
    const Eigen::Vector2d p_t = p.segment<2>(3 * i + 1), v_t = v.segment<2>(3 * i + 1);
    const double limit = mu[static_cast<std::size_t>(i)] * p_n;
    EXPECT_GE(p_n * impedance, -1e-10 * size);
    EXPECT_GE(v_n, -1e-10 * size);
    EXPECT_LE(std::min(p_n * impedance, v_n), 1e-10 * size);
    EXPECT_LE(p_t.norm() * impedance, limit * impedance + 1e-10 * size);
    if (v_t.norm() > 1e-9 * size) {
      EXPECT_LT((p_t + limit * v_t.normalized()).norm() * impedance, 1e-7 * size);
    }
  }
}

TEST(FrictionSolver, BlockOnTheGroundSticksOrSlides) {
  // A point of mass 2: speeds after a step without contact are (down, along).
  const MatrixXd G = 0.5 * MatrixXd::Identity(3, 3);
  for (const double along : {0.0, 0.3, 0.59, 0.61, 2.0}) {
    SCOPED_TRACE(along);
    VectorXd b(3), p = VectorXd::Zero(3);
    b << -1.0, 0.8 * along, 0.6 * along;
    FrictionSolver solver;
    ASSERT_TRUE(solver.solve(G, b, std::vector{0.6}, std::vector{0.0}, p).is_solved);
    EXPECT_NEAR(p[0], 2.0, 1e-12);
    const VectorXd v = G * p + b;
    EXPECT_NEAR(v.tail<2>().norm(), std::max(0.0, along - 0.6), 1e-12);
    EXPECT_EQ(solver.states()[0],
              along > 0.6 ? FrictionSolver::State::kSlide : FrictionSolver::State::kStick);
  }
}

TEST(FrictionSolver, RedundantContactsShareTheLoad) {
  // Four contacts that act on the same three speeds.
  const MatrixXd C = MatrixXd::Identity(3, 3).replicate(4, 1);
  const MatrixXd G = C * C.transpose();
  VectorXd b = C * Eigen::Vector3d(-1.0, 0.1, 0.0), p = VectorXd::Zero(12);
  FrictionSolver solver;
  const std::vector<double> mu(4, 0.5), rigid(4, 0.0);
  ASSERT_TRUE(solver.solve(G, b, mu, rigid, p).is_solved);
  EXPECT_LT((G * p + b).cwiseAbs().maxCoeff(), 1e-13);
  for (Eigen::Index i = 0; i < 4; ++i) EXPECT_NEAR(p[3 * i], 0.25, 1e-12);
}

TEST(FrictionSolver, SolvesRandomContacts) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int sliding = 0, sticking = 0, open = 0;
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const int contacts = 1 + round % 5, speeds = 6 + round % 7;
    const MatrixXd C = MatrixXd::NullaryExpr(3 * contacts, speeds, [&] { return normal(random); });
    const MatrixXd G = C * C.transpose();
    const VectorXd b = C * VectorXd::NullaryExpr(speeds, [&] { return normal(random); });
    const std::vector<double> mu(static_cast<std::size_t>(contacts), 0.1 + 0.1 * (round % 4));
    const std::vector<double> rigid(mu.size(), 0.0);
    VectorXd p = VectorXd::Zero(3 * contacts);
    FrictionSolver solver;
    ASSERT_TRUE(solver.solve(G, b, mu, rigid, p).is_solved);
    expect_solved(G, b, mu, p);
    for (const FrictionSolver::State state : solver.states()) {
      sliding += state == FrictionSolver::State::kSlide;
      sticking += state == FrictionSolver::State::kStick;
      open += state == FrictionSolver::State::kOpen;
    }
  }
  EXPECT_GT(std::min({sliding, sticking, open}), 5);
}

TEST(FrictionSolver, CompliancePushesBackLess) {
  const MatrixXd G = MatrixXd::Identity(3, 3);
  VectorXd b(3), p = VectorXd::Zero(3);
  b << -1.0, 0.0, 0.0;
  FrictionSolver solver;
  ASSERT_TRUE(solver.solve(G, b, std::vector{0.0}, std::vector{3.0}, p).is_solved);
  EXPECT_NEAR(p[0], 0.25, 1e-14);
}

}  // namespace
}  // namespace sestina
