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
  for (Eigen::Index i = 0; i < 4; ++i) EXPECT_NEAR(p[3 * i], 0.25, 1e-10);
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

// A stack of boxes, each with four corners on the next: 12 rows for each pair act on 12 speeds, so that G is
// singular. `push`: the speed along x of each box, times its number.
struct Stack {
  MatrixXd C, G;
  VectorXd inverse, u, b;

  Stack(int boxes, double push) {
    C.setZero(12 * boxes, 6 * boxes);  // speeds of a box: w, then v of its centre
    for (int box = 0; box < boxes; ++box) {
      for (int corner = 0; corner < 4; ++corner) {
        const double x = (corner & 1) != 0 ? 0.1 : -0.1, y = (corner & 2) != 0 ? 0.1 : -0.1;
        const auto add = [&](int of, double z, double sign) {
          MatrixXd J(3, 6);  // normal z, then x and y
          J << y, -x, 0, 0, 0, 1, 0, z, -y, 1, 0, 0, -z, 0, x, 0, 1, 0;
          C.block<3, 6>(12 * box + 3 * corner, 6 * of) += sign * J;
        };
        add(box, -0.1, 1.0);
        if (box > 0) add(box - 1, 0.1, -1.0);
      }
    }
    inverse.setOnes(6 * boxes), u.setZero(6 * boxes);
    for (int box = 0; box < boxes; ++box) {
      inverse.segment<3>(6 * box).setConstant(150.0);
      u[6 * box + 5] = -0.01;
      u[6 * box + 3] = push * box;
    }
    G = C * inverse.asDiagonal() * C.transpose();
    b = C * u;
  }
};

TEST(FrictionSolver, StacksOfBoxesRest) {
  for (const int boxes : {1, 2, 5, 10}) {
    SCOPED_TRACE(boxes);
    const Stack stack(boxes, 1e-5);  // friction holds it
    const std::vector<double> mu(static_cast<std::size_t>(4 * boxes), 0.8), rigid(mu.size(), 0.0);
    VectorXd p = VectorXd::Zero(stack.b.size());
    FrictionSolver solver;
    ASSERT_TRUE(solver.solve(stack.G, stack.b, mu, rigid, p).is_solved);
    expect_solved(stack.G, stack.b, mu, p);
    EXPECT_LT((stack.u + stack.inverse.asDiagonal() * stack.C.transpose() * p).cwiseAbs().maxCoeff(), 1e-13);
  }
}

// Stacks that tip and slide: sweeps alone pass loads on too slowly to tell the states.
TEST(FrictionSolver, StacksThatTipTakeFewSweeps) {
  for (const int boxes : {5, 10}) {
    SCOPED_TRACE(boxes);
    const Stack stack(boxes, 1e-3);
    const std::vector<double> mu(static_cast<std::size_t>(4 * boxes), 0.3), rigid(mu.size(), 0.0);
    VectorXd p = VectorXd::Zero(stack.b.size());
    FrictionSolver solver;
    const FrictionSolver::Report report = solver.solve(stack.G, stack.b, mu, rigid, p);
    ASSERT_TRUE(report.is_solved);
    EXPECT_EQ(report.sweeps, 0);
    expect_solved(stack.G, stack.b, mu, p);
  }
}

TEST(ConeProgram, SolvesRandomSingularProblems) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE(round);
    const Eigen::Index cones = 1 + round % 8;
    const MatrixXd C = MatrixXd::NullaryExpr(3 * cones, 6, [&] { return normal(random); });
    const MatrixXd M = C * C.transpose();
    const VectorXd q = C * VectorXd::NullaryExpr(6, [&] { return normal(random); });
    std::vector<bool> is_ray(static_cast<std::size_t>(cones));
    for (std::size_t i = 0; i < is_ray.size(); ++i) is_ray[i] = i % 3 == 2;
    ConeProgram program;
    ASSERT_TRUE(program.solve(M, q, is_ray));
    const VectorXd &x = program.x(), y = M * x + q;
    const double size = q.norm() * std::max(1.0, x.norm());
    for (Eigen::Index i = 0; i < cones; ++i) {
      const Eigen::Index k = 3 * i;
      if (is_ray[static_cast<std::size_t>(i)]) {
        EXPECT_GE(std::min(x[k], y[k]), -1e-9 * size);
        EXPECT_NEAR(x[k] * y[k], 0.0, 1e-9 * size);
      } else {
        EXPECT_GE(x[k] - x.segment<2>(k + 1).norm(), -1e-9 * size);
        EXPECT_GE(y[k] - y.segment<2>(k + 1).norm(), -1e-9 * size);
        EXPECT_NEAR(x.segment<3>(k).dot(y.segment<3>(k)), 0.0, 1e-9 * size);
      }
    }
  }
}

// In the plane: the second tangential direction cannot move.
TEST(FrictionSolver, TakesDirectionsWithoutMobility) {
  MatrixXd G = MatrixXd::Zero(3, 3);
  G(0, 0) = 1.0, G(1, 1) = 2.0, G(0, 1) = G(1, 0) = 0.3;
  for (const double along : {0.0, 0.5, 5.0, -5.0}) {
    SCOPED_TRACE(along);
    VectorXd b(3), p = VectorXd::Zero(3);
    b << -1.0, along, 0.0;
    FrictionSolver solver;
    ASSERT_TRUE(solver.solve(G, b, std::vector{0.5}, std::vector{0.0}, p).is_solved);
    expect_solved(G, b, {0.5}, p);
    if (std::abs(along) <= 0.5) {
      EXPECT_NEAR((G * p + b)[1], 0.0, 1e-14);
    } else {
      EXPECT_GT(std::abs(p[1]), 0.1);
    }
  }
}

// A block on a slope whose friction is short of what it needs by a part of 1e-4 to 1e-10.
TEST(FrictionSolver, SlidesAtTheEndOfFriction) {
  const MatrixXd C = MatrixXd::Identity(3, 3).replicate(4, 1);
  const MatrixXd G = C * C.transpose();
  for (const double excess : {1e-4, 1e-6, 1e-8, 1e-10}) {
    SCOPED_TRACE(excess);
    const VectorXd b = C * Eigen::Vector3d(-1.0, 0.5 * (1.0 + excess), 0.0);
    VectorXd p = VectorXd::Zero(12);
    FrictionSolver solver;
    ASSERT_TRUE(solver.solve(G, b, std::vector(4, 0.5), std::vector(4, 0.0), p).is_solved);
    const VectorXd v = G * p + b;
    EXPECT_NEAR(v[0], 0.0, 1e-14);
    EXPECT_NEAR(v[1], 0.5 * excess, 1e-14);
  }
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
