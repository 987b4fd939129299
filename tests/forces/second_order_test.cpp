// The balance of SecondOrder, whose expressions tests/workspace/second_order_test.cpp runs.
#include "sestina/forces/second_order.h"

#include <gtest/gtest.h>

#include <random>

namespace sestina {
namespace {

std::vector<double> random_values(std::mt19937& engine, std::size_t count) {
  std::uniform_real_distribution<double> numbers(-1, 1);
  std::vector<double> values(count);
  for (double& value : values) value = numbers(engine);
  return values;
}

// B B^T + I
std::vector<double> random_definite(std::mt19937& engine, std::size_t rows) {
  const std::vector<double> B = random_values(engine, rows * rows);
  std::vector<double> A(rows * rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      for (std::size_t k = 0; k < rows; ++k) A[i * rows + j] += B[i * rows + k] * B[j * rows + k];
    }
    A[i * rows + i] += 1.0;
  }
  return A;
}

// d/dt (kinetic + potential) + tau.q' = supplied - dissipated, and (1) of second_order.h.
TEST(SecondOrderLaw, KeepsTheBalanceOfEnergy) {
  std::mt19937 engine(3);
  for (const auto& [b, n] : {std::pair{0, 1}, std::pair{2, 3}, std::pair{1, 6}}) {
    const auto joints = static_cast<std::size_t>(b), own = static_cast<std::size_t>(n), rows = joints + own;
    SecondOrder<double> law;
    law.b = b, law.n = n;
    law.M = random_definite(engine, own), law.K = random_definite(engine, rows);
    law.D = random_values(engine, rows * rows);
    const SecondOrder<double>::Input in{random_values(engine, rows), random_values(engine, rows),
                                        random_values(engine, rows)};
    const auto out = law.evaluate(in);
    double change = 0.0, on_joints = 0.0;
    for (std::size_t i = 0; i < own; ++i) {
      double Ma = 0.0, r = in.f[joints + i];
      for (std::size_t j = 0; j < own; ++j) Ma += law.M[i * own + j] * out.acceleration[j];
      for (std::size_t j = 0; j < rows; ++j) {
        r -= law.D[(joints + i) * rows + j] * in.v[j] + law.K[(joints + i) * rows + j] * in.x[j];
      }
      EXPECT_NEAR(Ma, r, 1e-13);
      change += in.v[joints + i] * Ma;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < rows; ++j) change += in.v[i] * law.K[i * rows + j] * in.x[j];
    }
    for (std::size_t i = 0; i < joints; ++i) on_joints += out.tau[i] * in.v[i];
    EXPECT_NEAR(change + on_joints, out.supplied - out.dissipated, 1e-13);
    EXPECT_GT(out.kinetic, 0.0);
    EXPECT_GT(out.potential, 0.0);
  }
}

TEST(SecondOrderLaw, PivotsTellWhetherTheMassIsPositiveDefinite) {
  SecondOrder<double> law;
  law.n = 2;
  law.M = {2, 1, 1, 3};
  EXPECT_EQ(law.pivots(), (std::vector<double>{2.0, 2.5}));
  law.M = {1, 2, 2, 1};
  EXPECT_LT(law.pivots()[1], 0.0);
}

}  // namespace
}  // namespace sestina
