#include "sestina/spatial/vec3.h"

#include <gtest/gtest.h>

#include "spatial/difference.h"
#include "spatial/random.h"

namespace sestina {
namespace {

using testing_support::difference;
using testing_support::Random;
using V = Vec3<double>;
using M = Mat3<double>;

// Round-off of sums of a few products of numbers up to one.
constexpr double kVectorRoundOff = 1e-15;

TEST(Vec3, CrossProductIsRightHanded) {
  const V x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  EXPECT_EQ(difference(cross(x, y), z), 0.0);
  EXPECT_EQ(difference(cross(y, z), x), 0.0);
  EXPECT_EQ(difference(cross(z, x), y), 0.0);
}

TEST(Vec3, TripleProductIsCyclic) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    const V a = random.vector(), b = random.vector(), c = random.vector();
    EXPECT_NEAR(dot(a, cross(b, c)), dot(b, cross(c, a)), 3 * kVectorRoundOff);
    EXPECT_LE(difference(cross(a, cross(b, c)), dot(a, c) * b - dot(a, b) * c), 3 * kVectorRoundOff);
  }
}

TEST(Vec3, IsReachedByIndexLikeByName) {
  V a{1, 2, 3};
  a[1] = 5;
  EXPECT_EQ(difference(a, {1, 5, 3}), 0.0);
  const V b = a;
  EXPECT_EQ(b[0], 1);
  EXPECT_EQ(b[2], 3);
}

TEST(Mat3, ActsByRowsAndIsBuiltByColumns) {
  const M A{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(difference(A * V{1, 10, 100}, {321, 654, 987}), 0.0);
  EXPECT_EQ(difference(A.column(1), {2, 5, 8}), 0.0);
  EXPECT_EQ(difference(M::from_columns({1, 4, 7}, {2, 5, 8}, {3, 6, 9}), A), 0.0);
  EXPECT_EQ(difference(M::identity() * A, A), 0.0);
}

TEST(Mat3, ProductIsTheOneMapAfterTheOther) {
  Random random(2);
  const M A = M::from_columns(random.vector(), random.vector(), random.vector());
  const M B = M::from_columns(random.vector(), random.vector(), random.vector());
  const V v = random.vector();
  EXPECT_LE(difference((A * B) * v, A * (B * v)), 5 * kVectorRoundOff);
  EXPECT_LE(difference((A + B) * v, A * v + B * v), 5 * kVectorRoundOff);
  EXPECT_LE(difference((A * B).transpose(), B.transpose() * A.transpose()), kVectorRoundOff);
}

TEST(Mat3, TransposeTimesIsTheProductWithTheTranspose) {
  Random random(3);
  const M A = M::from_columns(random.vector(), random.vector(), random.vector());
  const V v = random.vector(), w = random.vector();
  EXPECT_LE(difference(transpose_times(A, v), A.transpose() * v), kVectorRoundOff);
  EXPECT_NEAR(dot(w, A * v), dot(transpose_times(A, w), v), 3 * kVectorRoundOff);
}

// Six different numbers, so that a swapped element shows.
const SymMat3<double> kA{1, 2, 3, 4, 5, 6};  // xx, yy, zz, xy, xz, yz

TEST(SymMat3, ActsLikeTheFullMatrix) {
  EXPECT_EQ(difference(full(kA), M{1, 4, 5, 4, 2, 6, 5, 6, 3}), 0.0);
  EXPECT_EQ(difference(kA * V{1, 10, 100}, full(kA) * V{1, 10, 100}), 0.0);
  EXPECT_EQ(kA.trace(), 6.0);
  SymMat3<double> B = kA + kA;
  B -= kA;
  EXPECT_EQ(difference(B, kA), 0.0);
}

TEST(SymMat3, RotatesAsATensor) {
  Random random(4);
  for (int i = 0; i < 10; ++i) {
    const M R = random.rotation();
    // 18 products of elements up to 6.
    EXPECT_LE(difference(full(rotate(R, kA)), R * full(kA) * R.transpose()), 20 * kVectorRoundOff);
  }
}

TEST(SymMat3, PointInertiaIsTheMomentOfMomentum) {
  Random random(5);
  for (int i = 0; i < 10; ++i) {
    const V c = random.vector(), w = random.vector();
    EXPECT_LE(difference(point_inertia(2.5, c) * w, 2.5 * cross(c, cross(w, c))), 10 * kVectorRoundOff);
  }
}

}  // namespace
}  // namespace sestina
