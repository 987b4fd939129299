// Checks of each joint by hand: signs, directions, and the order of coordinates.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sestina/joints/joint_list.h"
#include "spatial/difference.h"

namespace sestina {
namespace {

using testing_support::difference;
using V = Vec3<double>;

constexpr double kRight = 1.57079632679489661923;  // rad
constexpr double kRoundOff = 1e-15;                // of a sine and a few products
const V kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1}, kNone{0, 0, 0};

TEST(Weld, HoldsTheFramesTogether) {
  EXPECT_EQ(difference(Weld<double>{}.pose(nullptr), Pose<double>{}), 0.0);
  EXPECT_EQ(Weld<double>{}.H(nullptr).size(), 0u);
}

TEST(Revolute, SendsXToYAtPlusNinetyDegreesAboutZ) {
  Revolute<double> joint;
  joint.axis = kZ;
  const Pose<double> X = joint.pose(&kRight);
  EXPECT_LE(difference(X.R * kX, kY), kRoundOff);
  EXPECT_EQ(difference(X.p, kNone), 0.0);
}

TEST(Prismatic, MovesAlongItsAxisWithoutTurning) {
  Prismatic<double> joint;
  joint.axis = kY;
  const double q = -0.4;
  EXPECT_EQ(difference(joint.pose(&q), Pose<double>{Rotation<double>::identity(), {0, -0.4, 0}}), 0.0);
}

TEST(Screw, AdvancesByPitchTimesAngleLikeARightHandedThread) {
  Screw<double> joint;
  joint.axis = kX;
  joint.pitch = 0.002;  // m/rad
  const Pose<double> X = joint.pose(&kRight);
  EXPECT_LE(difference(X.p, {0.002 * kRight, 0, 0}), kRoundOff);
  EXPECT_LE(difference(X.R * kY, kZ), kRoundOff);
}

TEST(Cylindrical, TurnsByTheFirstAndSlidesByTheSecondCoordinate) {
  Cylindrical<double> joint;
  joint.axis = kZ;
  const std::array<double, 2> q{kRight, 0.3};
  const Pose<double> X = joint.pose(q.data());
  EXPECT_LE(difference(X.R * kX, kY), kRoundOff);
  EXPECT_LE(difference(X.p, {0, 0, 0.3}), kRoundOff);
}

TEST(Universal, TurnsAboutTheAxisInFFirstAndAboutTheOneInMSecond) {
  Universal<double> joint;
  joint.axis = kZ;
  joint.second_axis = kX;
  const std::array<double, 2> q{kRight, kRight};
  const Pose<double> X = joint.pose(q.data());
  // After the first turn M's x points along F's y, about which the second one brings z to x.
  EXPECT_LE(difference(X.R * kX, kY), kRoundOff);
  EXPECT_LE(difference(X.R * kZ, kX), kRoundOff);
  EXPECT_LE(difference(X.R * kY, kZ), kRoundOff);
}

TEST(Universal, KeepsTheFirstAxisInFAndTheSecondInM) {
  Universal<double> joint;
  joint.axis = kZ;
  joint.second_axis = kX;
  const std::array<double, 2> q{0.4, 1.1};
  const auto H = joint.H(q.data());
  EXPECT_LE(difference(H[0].w, kZ), kRoundOff);
  EXPECT_LE(difference(transpose_times(joint.pose(q.data()).R, H[1].w), kX), kRoundOff);
}

TEST(Planar, MovesInTheXYPlaneAndTurnsAboutZ) {
  const std::array<double, 3> q{0.1, 0.2, kRight};
  const Pose<double> X = Planar<double>{}.pose(q.data());
  EXPECT_LE(difference(X.p, {0.1, 0.2, 0}), kRoundOff);
  EXPECT_LE(difference(X.R * kX, kY), kRoundOff);
  EXPECT_LE(difference(X.R * kZ, kZ), kRoundOff);
}

TEST(Xyz, MovesAlongTheAxesOfFWithoutTurning) {
  const std::array<double, 3> q{0.1, 0.2, 0.3};
  EXPECT_EQ(
      difference(Xyz<double>{}.pose(q.data()), Pose<double>{Rotation<double>::identity(), {0.1, 0.2, 0.3}}),
      0.0);
}

TEST(Spherical, HasTheScalarFirst) {
  const double h = std::sqrt(0.5);
  const std::array<double, 4> q{h, 0, 0, h};
  EXPECT_LE(difference(Spherical<double>{}.pose(q.data()).R * kX, kY), kRoundOff);
}

TEST(Spherical, HasItsSpeedsInTheAxesOfF) {
  const double h = std::sqrt(0.5);
  std::array<double, 4> q{h, h, 0, 0};  // M's y along F's z
  const std::array<double, 3> about_F_z{0, 0, kRight};
  Spherical<double>::plus(q.data(), about_F_z.data(), q.data());
  const Rotation<double> R = Spherical<double>{}.pose(q.data()).R;
  EXPECT_LE(difference(R * kY, kZ), kRoundOff) << "F's z, hence M's y, stands still";
  EXPECT_LE(difference(R * kX, kY), kRoundOff);
}

TEST(Free, HasPositionFirstInQAndAngularVelocityFirstInU) {
  const double h = std::sqrt(0.5);
  const std::array<double, 7> q{1, 2, 3, h, 0, 0, h};
  const Pose<double> X = Free<double>{}.pose(q.data());
  EXPECT_EQ(difference(X.p, {1, 2, 3}), 0.0);
  EXPECT_LE(difference(X.R * kX, kY), kRoundOff);

  const std::array<double, 6> u{0, 0, 2, 5, 6, 7};
  std::array<double, 7> rate{};
  const std::array<double, 7> identity{0, 0, 0, 1, 0, 0, 0};
  Free<double>::q_dot(identity.data(), u.data(), rate.data());
  EXPECT_EQ(rate, (std::array<double, 7>{5, 6, 7, 0, 0, 0, 1}));
}

TEST(Free, MovesInTheAxesOfFHoweverMIsTurned) {
  const double h = std::sqrt(0.5);
  const std::array<double, 7> q{0, 0, 0, h, 0, 0, h};
  const auto H = Free<double>{}.H(q.data());
  EXPECT_EQ(difference(H[0], {kX, kNone}), 0.0);
  EXPECT_EQ(difference(H[3], {kNone, kX}), 0.0);
}

}  // namespace
}  // namespace sestina
