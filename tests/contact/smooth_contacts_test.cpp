#include "sestina/contact/smooth_contacts.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "sestina/contact/friction_solver.h"

namespace sestina {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Problem {
  MatrixXd G;
  VectorXd b;
  std::vector<double> mu, R;
  std::vector<SmoothContacts::Law> laws = {};
};

Problem random_problem(int contacts, int speeds, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const MatrixXd C = MatrixXd::NullaryExpr(3 * contacts, speeds, [&] { return normal(random); });
  Problem problem;
  problem.G = C * C.transpose();
  problem.b = C * VectorXd::NullaryExpr(speeds, [&] { return normal(random); });
  for (int i = 0; i < contacts; ++i) {
    problem.mu.push_back(0.2 * (i % 4));  // also without friction
    problem.R.push_back(i % 3 == 2 ? 0.5 : 0.0);
    problem.laws.push_back({problem.mu.back(), problem.R.back()});
  }
  return problem;
}

// (2) and (3) of the header, with the s that follows from the second.
TEST(SmoothContacts, SatisfyTheirConditions) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const int contacts = 1 + static_cast<int>(seed) % 6;
    const Problem problem = random_problem(contacts, 8, seed);
    const double kappa = std::pow(10.0, -1.0 - seed % 7);
    SmoothContacts smooth;
    ASSERT_TRUE(smooth.solve(problem.G, problem.b, problem.laws, kappa));
    const VectorXd v = problem.G * smooth.p() + problem.b;
    for (Eigen::Index i = 0; i < contacts; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double p_n = smooth.p()[3 * i], w = v[3 * i] + problem.R[at] * p_n, limit = problem.mu[at] * p_n;
      const Eigen::Vector2d p_t = smooth.p().segment<2>(3 * i + 1), v_t = v.segment<2>(3 * i + 1);
      EXPECT_GT(p_n, 0.0);
      EXPECT_GT(w, 0.0);
      EXPECT_NEAR(p_n * w, kappa, 1e-8 * kappa + 1e-12);
      if (problem.mu[at] == 0.0) {
        EXPECT_EQ(p_t.norm(), 0.0);
        continue;
      }
      const double s = (kappa - p_t.dot(v_t)) / limit;
      EXPECT_LT(p_t.norm(), limit);
      EXPECT_GT(s, v_t.norm() * (1.0 - 1e-9));
      EXPECT_LT((limit * v_t + s * p_t).norm(), 1e-8 * kappa + 1e-11);
    }
  }
}

TEST(SmoothContacts, TendToCoulombsLaw) {
  for (unsigned seed = 100; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = random_problem(2, 9, seed);  // as many speeds as unknowns: one solution
    VectorXd p = VectorXd::Zero(6);
    FrictionSolver exact;
    ASSERT_TRUE(exact.solve(problem.G, problem.b, problem.mu, problem.R, p).is_solved);
    double before = 0.0;
    for (const double kappa : {1e-4, 1e-6, 1e-8}) {
      SmoothContacts smooth;
      ASSERT_TRUE(smooth.solve(problem.G, problem.b, problem.laws, kappa));
      const double error = (smooth.p() - p).norm();
      EXPECT_LT(error, 100.0 * std::sqrt(kappa));
      if (before > 0.0) {
        EXPECT_LT(error, 0.2 * before);
      }
      before = error;
    }
  }
}

TEST(SmoothContacts, TakeGivenNormalImpulses) {
  for (unsigned seed = 300; seed < 310; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = random_problem(3, 9, seed);
    problem.laws[1] = {0.7, 0.0, 0.4};
    problem.laws[2] = {0.7, 0.0, 0.0};
    SmoothContacts smooth;
    ASSERT_TRUE(smooth.solve(problem.G, problem.b, problem.laws, 1e-6));
    EXPECT_EQ(smooth.p()[3], 0.4);
    const Eigen::Vector2d slip = (problem.G * smooth.p() + problem.b).segment<2>(4);
    if (slip.norm() > 0.1) {
      EXPECT_LT((smooth.p().segment<2>(4) + 0.28 * slip.normalized()).norm(), 1e-4);
    }
    EXPECT_EQ(smooth.p().tail<3>().norm(), 0.0);
    const std::vector<SmoothContacts::Law> change{{}, {0.5, 0.0, 2.0}, {0.0, 0.0, 0.0}};
    const auto at = [&](double t) -> VectorXd {
      std::vector<SmoothContacts::Law> laws = problem.laws;
      laws[1].friction += t * change[1].friction;
      *laws[1].impulse += t * *change[1].impulse;
      SmoothContacts other;
      EXPECT_TRUE(other.solve(problem.G, problem.b, laws, 1e-3));
      return other.p();
    };
    ASSERT_TRUE(smooth.solve(problem.G, problem.b, problem.laws, 1e-3));
    const VectorXd difference = (at(1e-5) - at(-1e-5)) / 2e-5;
    EXPECT_LT((smooth.p_by_law(change) - difference).norm(), 1e-5 * (1.0 + difference.norm()));
  }
}

TEST(SmoothContacts, DerivativesAreThoseOfTheSolution) {
  for (unsigned seed = 200; seed < 220; ++seed) {
    SCOPED_TRACE(seed);
    const int contacts = 1 + static_cast<int>(seed) % 4;
    const Problem problem = random_problem(contacts, 7, seed);
    SmoothContacts smooth;
    ASSERT_TRUE(smooth.solve(problem.G, problem.b, problem.laws, 1e-2));
    const MatrixXd by_v = smooth.p_by_v();
    for (Eigen::Index k = 0; k < 3 * contacts; ++k) {
      const auto at = [&](double change) -> VectorXd {
        VectorXd b = problem.b;
        b[k] += change;
        SmoothContacts other;
        EXPECT_TRUE(other.solve(problem.G, b, problem.laws, 1e-2));
        return other.p();
      };
      const VectorXd difference = (at(1e-5) - at(-1e-5)) / 2e-5;
      EXPECT_LT((by_v.col(k) - difference).norm(), 1e-6 * (1.0 + difference.norm())) << k;
    }
  }
}

}  // namespace
}  // namespace sestina
