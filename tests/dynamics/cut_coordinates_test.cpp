// Coordinates of joints that close loops: those of a known pose, what is left of an open joint, turns.
#include "sestina/constraints/cut_coordinates.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace sestina {
namespace {

const Vec3<double> kAxis{2.0 / 7, -3.0 / 7, 6.0 / 7};

Revolute<double> hinge() {
  Revolute<double> joint;
  joint.axis = kAxis;
  return joint;
}

TEST(CutCoordinates, AreThoseOfAClosedJointAndCountTurns) {
  for (const double angle : {-9.0, -3.2, -0.4, 0.0, 1.3, 3.1, 8.0}) {
    double q = angle + 0.2;
    const SpatialMotion<double> left = find_coordinates(hinge(), hinge().pose(&angle), &q);
    EXPECT_NEAR(q, angle, 1e-14 * (1 + std::abs(angle)));
    EXPECT_LE(norm(left.w) + norm(left.v), 1e-15) << angle;
  }
}

// The rest is a rotation about an axis normal to the hinge, after which the pose is that of the frames.
TEST(CutCoordinates, LeaveASwingNormalToTheAxis) {
  const Vec3<double> normal{3.0 / std::sqrt(13.0), 2.0 / std::sqrt(13.0), 0.0};
  for (const double swing : {1e-9, 1e-3, 0.7, 2.0, 3.0}) {
    const double angle = 0.8;
    const Rotation<double> R = axis_rotation(normal, swing) * hinge().pose(&angle).R;
    double q = 0.7;
    const SpatialMotion<double> left = find_coordinates(hinge(), Pose<double>{R, {}}, &q);
    EXPECT_NEAR(q, angle, 1e-13) << swing;
    EXPECT_NEAR(norm(left.w - swing * normal), 0.0, 1e-13) << swing;
  }
}

// A hinge that stands upside down is not closed.
TEST(CutCoordinates, OfAReversedHingeLeaveHalfATurn) {
  Revolute<double> joint;  // about z
  const Rotation<double> reversed{1, 0, 0, 0, -1, 0, 0, 0, -1};
  double q = 0.0;
  EXPECT_NEAR(norm(find_coordinates(joint, Pose<double>{reversed, {}}, &q).w), std::numbers::pi, 1e-12);
}

TEST(CutCoordinates, OfABallAreTheNearerOfTwoSigns) {
  std::array<double, 4> e{-0.5, 0.5, -0.5, 0.5}, q{-0.6, 0.4, -0.5, 0.5};
  find_coordinates(Spherical<double>{}, Spherical<double>{}.pose(e.data()), q.data());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(q[i], e[i], 1e-15);
}

}  // namespace
}  // namespace sestina
