#include "sestina/contact/contact_sweeps.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <random>
#include <vector>

namespace sestina {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Rows = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;

std::span<const double> numbers_of(const Rows& rows) {
  return {rows.data(), static_cast<std::size_t>(rows.size())};
}

// Conditions (1) and (2) of the header, at v.
void expect_solved(const Vector3d& p, Vector3d v, const ContactSweeps::Law& law, double size) {
  v[0] += law.bias + law.compliance * p[0];
  EXPECT_GE(p[0], 0.0);
  EXPECT_GE(v[0], -1e-9 * size);
  EXPECT_LE(std::min(p[0], v[0]), 1e-9 * size);
  const double limit = law.friction * p[0], slip = v.tail<2>().norm();
  EXPECT_LE(p.tail<2>().norm(), limit + 1e-9 * size);
  if (slip > 1e-7 * size) {
    EXPECT_LT((p.tail<2>() + limit / slip * v.tail<2>()).norm(), 1e-6 * size);
  }
}

// Bodies of six speeds with a mass matrix each, that touch the ground or each other.
TEST(ContactSweeps, SolvesRandomContactsOfFreeBodies) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto matrix = [&](int rows, int columns) {
    return MatrixXd(MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); }));
  };
  int carrying = 0, open = 0, solved = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const int bodies = 4, contacts = 6;
    std::vector<MatrixXd> inverse;
    for (int i = 0; i < bodies; ++i) {
      const MatrixXd X = matrix(6, 6);
      inverse.emplace_back((X * X.transpose() + 3.0 * MatrixXd::Identity(6, 6)).inverse());
    }
    const VectorXd free = matrix(6 * bodies, 1);
    ContactSweeps sweeps;
    std::vector<ContactSweeps::Law> laws;
    std::vector<Rows> responses;
    for (int k = 0; k < contacts; ++k) {
      const int a = k % bodies, b = k < 2 ? -1 : (a + 1) % bodies;
      const Rows rows = matrix(3, b < 0 ? 6 : 12);
      Rows jumps = rows;
      jumps.leftCols(6) = rows.leftCols(6) * inverse[static_cast<std::size_t>(a)];
      if (b >= 0) jumps.rightCols(6) = rows.rightCols(6) * inverse[static_cast<std::size_t>(b)];
      responses.push_back(jumps);
      laws.push_back({.friction = 0.1 * k, .compliance = k == 3 ? 0.2 : 0.0, .bias = k == 4 ? 0.3 : 0.0});
      sweeps.add({{{6 * a, 6}, {b < 0 ? 0 : 6 * b, b < 0 ? 0 : 6}}}, numbers_of(rows), numbers_of(jumps),
                 laws.back(), Vector3d::Zero());
    }
    VectorXd u = free;
    if (!sweeps.solve({u.data(), static_cast<std::size_t>(u.size())}, 1e-13, 2000)) continue;
    ++solved;
    for (int k = 0; k < contacts; ++k) {
      const Vector3d& p = sweeps.impulse(k);
      const Vector3d v = sweeps.velocity(k, {u.data(), static_cast<std::size_t>(u.size())});
      expect_solved(p, v, laws[static_cast<std::size_t>(k)], free.cwiseAbs().maxCoeff());
      ++(p[0] > 0.0 ? carrying : open);
    }
    // The speeds are those of the impulses.
    VectorXd sum = free;
    for (int k = 0; k < contacts; ++k) {
      const int a = k % bodies, b = k < 2 ? -1 : (a + 1) % bodies;
      const Rows& response = responses[static_cast<std::size_t>(k)];
      sum.segment<6>(6 * a) += response.leftCols(6).transpose() * sweeps.impulse(k);
      if (b >= 0) sum.segment<6>(6 * b) += response.rightCols(6).transpose() * sweeps.impulse(k);
    }
    EXPECT_LT((sum - u).cwiseAbs().maxCoeff(), 1e-10);
  }
  EXPECT_GT(solved, 55);
  EXPECT_GT(carrying, 100);
  EXPECT_GT(open, 30);
}

// A block with four corners, pushed sideways by less than friction holds: every corner can carry a part of
// the load.
TEST(ContactSweeps, RedundantContactsHoldABlock) {
  const MatrixXd inverse =
      Eigen::Vector<double, 6>(0.5, 0.5, 0.5, 4.0, 4.0, 4.0).asDiagonal();  // linear, angular
  for (const double push : {0.49, 0.51}) {
    SCOPED_TRACE(push);
    ContactSweeps sweeps;
    for (int k = 0; k < 4; ++k) {
      const double x = k % 2 == 0 ? 1.0 : -1.0, y = k < 2 ? 1.0 : -1.0;
      Rows rows(3, 6);  // normal z, then x and y, at (x, y, -0.5)
      rows << 0, 0, 1, y, -x, 0, 1, 0, 0, 0, -0.5, -y, 0, 1, 0, 0.5, 0, x;
      const Rows jumps = rows * inverse;
      sweeps.add({{{0, 6}, {0, 0}}}, numbers_of(rows), numbers_of(jumps), {.friction = 0.5},
                 Vector3d::Zero());
    }
    VectorXd u = VectorXd::Zero(6);
    u[2] = -1.0, u[0] = push;
    const std::span<double> speeds(u.data(), 6);
    if (!sweeps.solve(speeds, 1e-13, 30)) sweeps.solve_by_cones(speeds, 1e-13);
    EXPECT_NEAR(u[2], 0.0, 1e-10);
    EXPECT_NEAR(u[0], push < 0.5 ? 0.0 : push - 0.5, 1e-10);
    double load = 0.0;
    for (int k = 0; k < 4; ++k) load += sweeps.impulse(k)[0];
    EXPECT_NEAR(load, 2.0, 1e-10);
  }
}

}  // namespace
}  // namespace sestina
