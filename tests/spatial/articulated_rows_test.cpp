// The rows of the recursion against ArticulatedInertia, the same algebra written plainly.
#include "sestina/spatial/articulated_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sestina/spatial/mat6.h"
#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

// Numbers below 1 in sums of at most a few dozen terms.
constexpr double kRoundOff = 1e-14;

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
    rows.start(M, Lanes3<T>(), {});
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
  rows.start(M, Lanes3<T>(w), applied);
  EXPECT_LE(this->difference(rows, ArticulatedInertia<T>(M)), 0.0);
  EXPECT_LE(this->difference(rows.z.unpacked(), gyroscopic_force(M, w) - applied), kRoundOff);
}

TYPED_TEST(Rows, AddWhatChildrenMakeABodyFeel) {
  using T = TypeParam;
  ArticulatedInertia<T> plain;
  ArticulatedRows<T> rows;
  this->make(plain, rows);
  const SpatialForce<T> z = rows.z.unpacked(), applied = this->force();
  const RigidInertia<T> M = this->rigid();
  const Vec3<T> w = this->vector();
  rows.add(M, Lanes3<T>(w), applied);
  plain += ArticulatedInertia<T>(M);
  EXPECT_LE(this->difference(rows, plain), kRoundOff);
  EXPECT_LE(this->difference(rows.z.unpacked(), z + gyroscopic_force(M, w) - applied), kRoundOff);
}

TYPED_TEST(Rows, MultiplyMotions) {
  using T = TypeParam;
  ArticulatedInertia<T> plain;
  ArticulatedRows<T> rows;
  this->make(plain, rows);
  const SpatialMotion<T> a{this->vector(), this->vector()};
  EXPECT_LE(this->difference(rows.times(a).unpacked(), plain * a), kRoundOff);
  const SpatialMotion<T> turn{a.w, {}};
  EXPECT_LE(this->difference(rows.times_turn(a.w).unpacked(), plain * turn), kRoundOff);
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
  EXPECT_LE(this->difference(rows, shift_back(plain, s)), kRoundOff);
  EXPECT_LE(this->difference(rows.z.unpacked(), shift_back(z, s)), kRoundOff);
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
