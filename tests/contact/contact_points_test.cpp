#include "sestina/contact/contact_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sestina {
namespace {

constexpr double kRounding = 1e-14;
constexpr double kFlush = 1e-6;  // a corner that little beyond a side counts as lying on it

Pose<double> at(double x, double y, double z, const Rotation<double>& R = Rotation<double>::identity()) {
  return {R, {x, y, z}};
}

std::vector<ContactPoint> points_of(const Shape& a, const Pose<double>& X_a, const Shape& b,
                                    const Pose<double>& X_b) {
  std::vector<ContactPoint> points;
  add_contact_points(a, X_a, b, X_b, points);
  return points;
}

double smallest_gap(const std::vector<ContactPoint>& points) {
  double gap = 1e300;
  for (const ContactPoint& point : points) gap = std::min(gap, point.gap);
  return gap;
}

const Shape kPlane{ShapeType::kPlane, {}};
const Shape kBall{ShapeType::kSphere, {0.5, 0, 0}};
const Shape kBox{ShapeType::kBox, {0.5, 0.3, 0.2}};
const Shape kCan{ShapeType::kCylinder, {0.5, 0.8, 0}};
const Shape kPill{ShapeType::kCapsule, {0.25, 0.6, 0}};
const Shape kEgg{ShapeType::kEllipsoid, {0.5, 0.3, 0.2}};

TEST(ContactPoints, OfAPlaneAreTheLowestOnes) {
  const Rotation<double> R = rpy_rotation(0.3, -0.7, 1.1);
  EXPECT_NEAR(smallest_gap(points_of(kPlane, at(0, 0, 0), kBall, at(1, 2, 0.7))), 0.2, kRounding);
  // Against many points of each surface.
  const auto expect_lowest = [&](const Shape& shape, auto&& surface) {
    double lowest = 1e300;
    for (int i = 0; i <= 200; ++i) {
      for (int k = 0; k <= 200; ++k) lowest = std::min(lowest, (R * surface(i / 200.0, k / 200.0)).z);
    }
    const double gap = smallest_gap(points_of(kPlane, at(0, 0, 0), shape, at(0, 0, 2, R)));
    EXPECT_LE(gap, 2.0 + lowest + kRounding);
    EXPECT_GT(gap, 2.0 + lowest - 1e-3);  // the points are 0.03 rad apart
  };
  const double pi = std::acos(-1.0);
  expect_lowest(kEgg, [&](double s, double t) {
    const double a = 2 * pi * s, b = pi * t;
    return Vec3<double>{0.5 * std::cos(a) * std::sin(b), 0.3 * std::sin(a) * std::sin(b), 0.2 * std::cos(b)};
  });
  expect_lowest(kCan, [&](double s, double t) {
    return Vec3<double>{0.5 * std::cos(2 * pi * s), 0.5 * std::sin(2 * pi * s), 0.8 * (2 * t - 1)};
  });
  expect_lowest(kBox, [](double s, double t) {
    return Vec3<double>{s < 0.5 ? -0.5 : 0.5, t < 0.5 ? -0.3 : 0.3, std::fmod(4 * s, 2.0) < 1.0 ? -0.2 : 0.2};
  });
}

TEST(ContactPoints, NormalsPointFromTheFirstToTheSecond) {
  for (const Shape& other : {kBall, kBox, kCan, kPill}) {
    for (const ContactPoint& point : points_of(kBall, at(0, 0, 0), other, at(0, 0, 3))) {
      EXPECT_NEAR(norm(point.normal), 1.0, kRounding);
      EXPECT_GT(point.normal.z, 0.5);
    }
    for (const ContactPoint& point : points_of(other, at(0, 0, 3), kBall, at(0, 0, 0))) {
      EXPECT_LT(point.normal.z, -0.5);
    }
  }
  for (const ContactPoint& point : points_of(kBox, at(0, 0, 3), kPlane, at(0, 0, 0))) {
    EXPECT_EQ(point.normal.z, -1.0);
  }
}

TEST(ContactPoints, GapsAreDistancesAndDepths) {
  EXPECT_NEAR(smallest_gap(points_of(kBall, at(0, 0, 0), kBall, at(0, 1.2, 0))), 0.2, kRounding);
  EXPECT_NEAR(smallest_gap(points_of(kBall, at(0, 0, 0.6), kBox, at(0, 0, 0))), -0.1, kRounding);
  EXPECT_NEAR(smallest_gap(points_of(kBall, at(1.1, 0, 0.2), kCan, at(0, 0, 0))), 0.1, kRounding);
  EXPECT_NEAR(smallest_gap(points_of(kBall, at(0, 0, 1.4), kPill, at(0, 0, 0))), 0.05, kRounding);
  const Rotation<double> quarter = rpy_rotation(std::acos(0.0), 0.0, 0.0);
  EXPECT_NEAR(smallest_gap(points_of(kPill, at(0, 0, 0), kPill, at(0.6, 0, 0, quarter))), 0.1, kRounding);
}

TEST(ContactPoints, BoxesTouchByCornersAndByCrossedEdges) {
  const Shape cube{ShapeType::kBox, {0.5, 0.5, 0.5}};
  const std::vector<ContactPoint> stacked = points_of(cube, at(0, 0, 0), kBox, at(0, 0, 0.69));
  EXPECT_EQ(stacked.size(), 4U);
  for (const ContactPoint& point : stacked) {
    EXPECT_NEAR(point.gap, -0.01, kRounding);
    EXPECT_EQ(point.normal.z, 1.0);
  }
  // A box that lies across the edge of another: its face is clipped.
  for (const ContactPoint& point :
       points_of(cube, at(0, 0, 0), kBox, at(0.4, 0.6, 0.69, rpy_rotation(0.0, 0.0, 0.3)))) {
    EXPECT_LE(std::max(std::abs(point.p.x), std::abs(point.p.y)), 0.5 + kFlush);
    EXPECT_NEAR(point.gap, -0.01, kRounding);
  }
  // Two bars, each standing on an edge, across each other: only edges meet.
  const Shape bar{ShapeType::kBox, {2.0, 0.1, 0.1}};
  const double eighth = std::acos(0.0) / 2;
  const Rotation<double> on_edge = rpy_rotation(eighth, 0.0, 0.0);
  const Rotation<double> across = rpy_rotation(0.0, 0.0, 2 * eighth) * on_edge;
  const double height = 2 * 0.1 * std::sqrt(2.0);
  const auto points = points_of(bar, at(0, 0, 0, on_edge), bar, at(0, 0, height - 0.02, across));
  EXPECT_NEAR(smallest_gap(points), -0.02, 1e-13);
}

TEST(ContactPoints, TwoPlanesCannotTouch) {
  EXPECT_FALSE(can_touch(ShapeType::kPlane, ShapeType::kPlane));
  EXPECT_TRUE(can_touch(ShapeType::kCylinder, ShapeType::kBox));
  EXPECT_TRUE(can_touch(ShapeType::kCylinder, ShapeType::kPlane));
  EXPECT_TRUE(can_touch(ShapeType::kBox, ShapeType::kSphere));
}

}  // namespace
}  // namespace sestina
