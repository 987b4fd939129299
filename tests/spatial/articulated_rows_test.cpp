// The rows of the recursion against ArticulatedInertia, the same algebra written plainly.
#include "sestina/spatial/articulated_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sestina/spatial/mat6.h"
#include "sestina/spatial/scalars.h"
#include "sestina/spatial/turning_block.h"

namespace sestina {
namespace {

// Numbers below 1 in sums of at most a few dozen terms.
constexpr double kRowRoundOff = 1e-14;

template <class T>
class Rows : public testing::Test {
 protected:
  T number() {
    const double value = uniform_(random_);
    return T(value);
  }
  Vec3<T> vector() { return {number(), number(), number()}; }
  SpatialForce<T> force() { return {vector(), vector()}; }
  RigidInertia<T> rigid() {
    const Vec3<T> c = vector();
    return {T(1.5), c, SymMat3<T>{T(1), T(2), T(2.5), number(), number(), number()}};
  }
  // The same inertia, without further structure, in both layouts.
  void make(ArticulatedInertia<T>& plain, ArticulatedRows<T>& rows) {
    const RigidInertia<T> M = rigid();
    plain = ArticulatedInertia<T>(M);
    rows.start(M, Lanes3<T>(), nullptr);
    for (int i = 0; i < 3; ++i) {
      const SpatialForce<T> U = force();
      plain.subtract_outer(U, T(-0.5));
      rows.subtract_outer(U, T(-0.5) * lanes(U));
    }
  }
  static ForceLanes<T> lanes(const SpatialForce<T>& f) { return {Lanes3<T>(f.torque), Lanes3<T>(f.force)}; }

  static double difference(const SpatialForce<T>& a, const SpatialForce<T>& b) {
    const SpatialForce<T> d = a - b;
    return std::max(std::abs(value_of(norm(d.torque))), std::abs(value_of(norm(d.force))));
  }
  static double difference(const ArticulatedRows<T>& rows, const ArticulatedInertia<T>& plain) {
    const Mat6<T> a = to_mat6(rows), b = to_mat6(plain);
    double most = 0.0;
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) most = std::max(most, std::abs(value_of(a.m[i][j] - b.m[i][j])));
    }
    return most;
  }

 private:
  std::mt19937_64 random_{7};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

using Scalars = testing::Types<double, Dual>;
TYPED_TEST_SUITE(Rows, Scalars);

TYPED_TEST(Rows, StartFromARigidBodyThatTurns) {
  using T = TypeParam;
  const RigidInertia<T> M = this->rigid();
  const Vec3<T> w = this->vector();
  const SpatialForce<T> applied = this->force();
  ArticulatedRows<T> rows;
  rows.start(M, Lanes3<T>(w), &applied);
  EXPECT_LE(this->difference(rows, ArticulatedInertia<T>(M)), 0.0);
  EXPECT_LE(this->difference(rows.z.unpacked(), gyroscopic_force(M, w) - applied), kRowRoundOff);
}

TYPED_TEST(Rows, AddWhatChildrenMakeABodyFeel) {
  using T = TypeParam;
  ArticulatedInertia<T> plain;
  ArticulatedRows<T> rows;
  this->make(plain, rows);
  const SpatialForce<T> z = rows.z.unpacked(), applied = this->force();
  const RigidInertia<T> M = this->rigid();
  const Vec3<T> w = this->vector();
  rows.add(M, Lanes3<T>(w), &applied);
  plain += ArticulatedInertia<T>(M);
  EXPECT_LE(this->difference(rows, plain), kRowRoundOff);
  EXPECT_LE(this->difference(rows.z.unpacked(), z + gyroscopic_force(M, w) - applied), kRowRoundOff);
}

TYPED_TEST(Rows, MultiplyMotions) {
  using T = TypeParam;
  ArticulatedInertia<T> plain;
  ArticulatedRows<T> rows;
  this->make(plain, rows);
  const SpatialMotion<T> a{this->vector(), this->vector()};
  EXPECT_LE(this->difference(rows.times(a).unpacked(), plain * a), kRowRoundOff);
  const SpatialMotion<T> turn{a.w, {}};
  EXPECT_LE(this->difference(rows.times_turn(a.w).unpacked(), plain * turn), kRowRoundOff);
}

TYPED_TEST(Rows, ShiftBack) {
  using T = TypeParam;
  ArticulatedInertia<T> plain;
  ArticulatedRows<T> rows;
  this->make(plain, rows);
  const SpatialForce<T> z = this->force();
  rows.z = this->lanes(z);
  const Vec3<T> s = this->vector();
  rows.shift_back(s);
  EXPECT_LE(this->difference(rows, shift_back(plain, s)), kRowRoundOff);
  EXPECT_LE(this->difference(rows.z.unpacked(), shift_back(z, s)), kRowRoundOff);
}

// Against the three axes of ground taken out one after the other.
TYPED_TEST(Rows, EliminateAllTurningAtOnce) {
  using T = TypeParam;
  ArticulatedInertia<T> plain;
  ArticulatedRows<T> rows;
  this->make(plain, rows);
  SpatialForce<T> z = this->force();
  rows.z = this->lanes(z);
  const Vec3<T> tau = this->vector(), a = this->vector(), s = this->vector();
  const ArticulatedInertia<T> I = plain;
  const SpatialForce<T> bias = z;
  for (int k = 0; k < 3; ++k) {
    SpatialMotion<T> H;
    H.w[k] = T(1);
    const SpatialForce<T> U = plain * H;
    const T D_inverse = T(1) / dot(H, U), e = tau[k] - dot(H, z);
    z += (e * D_inverse) * U;
    plain.subtract_outer(U, D_inverse);
  }
  TurningBlock<T> block;
  eliminate_turning(SymmetricFactor3<T>(rows.J), Lanes3<T>(tau), rows, block.G);
  shift_back_without_turning(Lanes3<T>(s), rows);
  EXPECT_LE(this->difference(rows, shift_back(plain, s)), kRowRoundOff);
  EXPECT_LE(this->difference(rows.z.unpacked(), shift_back(z, s)), kRowRoundOff);
  // With the angular acceleration that the block gives, the torque is tau.
  const SpatialMotion<T> A{block.turning(a), a};
  EXPECT_LE(this->difference({(I * A + bias).torque, {}}, {tau, {}}), kRowRoundOff);
}

TEST(SymmetricFactor3, IsAsExactAsTheMatrixAllows) {
  // Condition number 1e12. Elimination leaves a residual of rounding whatever the condition; the closed form
  // of the inverse would leave 1e-4.
  const Vec3<double> x_axis = (1 / std::sqrt(3.0)) * Vec3<double>{1, 1, 1};
  const double small = 1e-12;
  double J_of[3][3];
  Lanes3<double> J[3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) J_of[i][j] = (i == j) - (1 - small) * x_axis[i] * x_axis[j];
    J[i] = {J_of[i][0], J_of[i][1], J_of[i][2]};
  }
  const SymmetricFactor3<double> factor(J);
  EXPECT_FALSE(factor.has_pivot_below(1e-13));
  EXPECT_TRUE(factor.has_pivot_below(1e-11));
  double x[3] = {1, -2, 0.5};
  const double b[3] = {1, -2, 0.5};
  factor.solve(x);
  const double size = std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]);
  EXPECT_GT(size, 1e10) << "the small eigenvalue counts";
  for (int i = 0; i < 3; ++i) {
    const double residual = J_of[i][0] * x[0] + J_of[i][1] * x[1] + J_of[i][2] * x[2] - b[i];
    EXPECT_LE(std::abs(residual), 1e-15 * size);
  }
}

TEST(Lanes3, CrossDotAndTranspose) {
  const Vec3<double> a{1, 2, 3}, b{-4, 5, 7};
  const Lanes3<double> la(a), lb(b);
  EXPECT_EQ(dot(la, lb), dot(a, b));
  EXPECT_EQ(norm(to_vec3(cross(la, lb)) - cross(a, b)), 0.0);
  Lanes3<double> rows[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  transpose(rows);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_EQ(rows[i][j], 1 + 3 * j + i);
  }
  double memory[4] = {0, 0, 0, 17};
  la.store(memory);
  EXPECT_EQ(memory[2], 3);
  EXPECT_EQ(memory[3], 17) << "no fourth number is written";
}

}  // namespace
}  // namespace sestina
