// The gap of two convex shapes is proven by two bounds. No point of the first lies beyond the plane through
// its contact point at right angles to the normal, and none of the second before its own: so the gap is not
// smaller than told. Both contact points lie on the shapes: so it is not larger.
#include "sestina/contact/convex_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "sestina/contact/contact_points.h"
#include "sestina/contact/surface.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;

constexpr double kProven = 1e-12;  // m, for shapes of about 1 m

// An octahedron with half axes of 0.5, 0.4 and 0.3 m.
const Surface kOctahedron{
    make_polytope({{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
                   {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}},
                  {0.5, 0.4, 0.3})};

std::vector<Shape> shapes() {
  return {{ShapeType::kSphere, {0.5, 0, 0}},        {ShapeType::kBox, {0.5, 0.3, 0.2}},
          {ShapeType::kCylinder, {0.5, 0.8, 0}},    {ShapeType::kCapsule, {0.25, 0.6, 0}},
          {ShapeType::kEllipsoid, {0.5, 0.3, 0.2}}, {ShapeType::kConvexMesh, {}, &kOctahedron}};
}

// Distance beyond the surface in units of about a metre, by the implicit equation of the shape; negative
// within.
double excess(const Shape& shape, const Vec& p) {
  const Vec& s = shape.size;
  const double rho = std::hypot(p.x, p.y);
  switch (shape.type) {
    case ShapeType::kSphere:
      return norm(p) - s.x;
    case ShapeType::kBox:
      return std::max({std::abs(p.x) - s.x, std::abs(p.y) - s.y, std::abs(p.z) - s.z});
    case ShapeType::kCylinder:
      return std::max(rho - s.x, std::abs(p.z) - s.y);
    case ShapeType::kCapsule:
      return std::hypot(rho, std::max(std::abs(p.z) - s.y, 0.0)) - s.x;
    case ShapeType::kEllipsoid:
      return 0.3 * (std::hypot(p.x / s.x, p.y / s.y, p.z / s.z) - 1.0);
    default:
      return 0.3 * (std::abs(p.x) / 0.5 + std::abs(p.y) / 0.4 + std::abs(p.z) / 0.3 - 1.0);
  }
}

// Points of the surface, along random rays from the centre and those through corners and poles.
std::vector<Vec> make_surface_points(const Shape& shape) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<Vec> rays;
  for (int i = 0; i < 300; ++i) rays.push_back({normal(random), normal(random), normal(random)});
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      for (const double z : {-1.0, 1.0}) rays.push_back({0.5 * x, 0.3 * y, 0.2 * z});
    }
    rays.insert(rays.end(), {{x, 0, 0}, {0, x, 0}, {0, 0, x}});
  }
  std::vector<Vec> points;
  for (const Vec& ray : rays) {
    double low = 0.0, high = 2.0 / norm(ray);
    for (double middle = 0.5 * high; low < middle && middle < high; middle = 0.5 * (low + high)) {
      (excess(shape, middle * ray) > 0.0 ? high : low) = middle;
    }
    points.push_back(low * ray);
  }
  return points;
}

// The largest n . x over these points.
double reach(const Shape& shape, const Pose<double>& X, const Vec& n) {
  static std::map<ShapeType, std::vector<Vec>> known;
  std::vector<Vec>& points = known[shape.type];
  if (points.empty()) points = make_surface_points(shape);
  const Vec m = transpose_times(X.R, n);
  const Vec& farthest = *std::ranges::max_element(points, {}, [&](const Vec& p) { return dot(m, p); });
  return dot(m, farthest) + dot(n, X.p);
}

Rotation<double> random_rotation(std::mt19937& random) {
  std::uniform_real_distribution<double> angle(-3.0, 3.0);
  return rpy_rotation(angle(random), angle(random), angle(random));
}

ContactPoint nearest(const Shape& a, const Pose<double>& X_a, const Shape& b, const Pose<double>& X_b) {
  std::vector<ContactPoint> points;
  add_contact_points(a, X_a, b, X_b, points);
  EXPECT_FALSE(points.empty());
  return *std::ranges::min_element(points, {}, &ContactPoint::gap);
}

void expect_proven(const Shape& a, const Pose<double>& X_a, const Shape& b, const Pose<double>& X_b,
                   const ContactPoint& point, double tolerance = kProven) {
  const Vec p = point.p - 0.5 * point.gap * point.normal, q = point.p + 0.5 * point.gap * point.normal;
  EXPECT_NEAR(norm(point.normal), 1.0, 1e-14);
  EXPECT_NEAR(excess(a, inverse(X_a) * p), 0.0, tolerance);
  EXPECT_NEAR(excess(b, inverse(X_b) * q), 0.0, tolerance);
  EXPECT_LE(reach(a, X_a, point.normal), dot(point.normal, p) + tolerance);
  EXPECT_LE(reach(b, X_b, -point.normal), -dot(point.normal, q) + tolerance);
}

TEST(ConvexPair, GapsOfAllPairsAreDistances) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-1.5, 1.5);
  for (const Shape& a : shapes()) {
    for (const Shape& b : shapes()) {
      SCOPED_TRACE(std::string(name_of(a.type)) + " and " + name_of(b.type));
      for (int trial = 0; trial < 30; ++trial) {
        const Pose<double> X_a{random_rotation(random), {}};
        Pose<double> X_b{random_rotation(random), {place(random), place(random), place(random)}};
        const ContactPoint far = nearest(a, X_a, b, X_b);
        if (far.gap < 1e-6) continue;
        expect_proven(a, X_a, b, X_b, far);
        // Moved along the normal, to a small gap, to touch and to overlap.
        const Vec p = X_b.p;
        for (const double gap : {1e-3, 1e-6, 1e-9, 0.0, -1e-9, -1e-6, -1e-4}) {
          X_b.p = p + (gap - far.gap) * far.normal;
          SCOPED_TRACE(gap);
          const ContactPoint near = nearest(a, X_a, b, X_b);
          // Corners that have passed each other are apart again. Edges that overlap by d, at small angles,
          // touch several d away from the point that is told. Between corners that are 1e-9 m apart, the
          // direction is known to a few per cent.
          const double overlap = std::max(-gap, 0.0), close = gap > 0.0 && gap < 1e-8 ? gap : 0.0;
          EXPECT_LE(near.gap, std::max(gap, 0.0) + overlap + kProven);
          EXPECT_GE(near.gap, gap - kProven - 0.02 * close);
          expect_proven(a, X_a, b, X_b, near, kProven + 10.0 * overlap + close);
        }
      }
    }
  }
}

// Number of points with this gap.
int count_at(const std::vector<ContactPoint>& points, double gap) {
  return static_cast<int>(
      std::ranges::count_if(points, [&](const ContactPoint& p) { return std::abs(p.gap - gap) < 1e-14; }));
}

std::vector<ContactPoint> touching_points(const Shape& a, const Pose<double>& X_a, const Shape& b,
                                          const Pose<double>& X_b) {
  std::vector<ContactPoint> points;
  add_contact_points(a, X_a, b, X_b, points);
  return points;
}

TEST(ConvexPair, FacesAndLinesTouchAtSeveralPoints) {
  const Shape plate{ShapeType::kBox, {1.0, 1.0, 0.1}}, can{ShapeType::kCylinder, {0.3, 0.5, 0}};
  const Shape pill{ShapeType::kCapsule, {0.2, 0.5, 0}}, stone{ShapeType::kConvexMesh, {}, &kOctahedron};
  const Rotation<double> upright = Rotation<double>::identity(),
                         lying = rpy_rotation(std::acos(0.0), 0.0, 0.0);
  const Pose<double> ground{upright, {}};
  for (const double gap : {0.01, 0.0, -1e-6}) {
    SCOPED_TRACE(gap);
    EXPECT_EQ(count_at(touching_points(plate, ground, can, {upright, {0, 0, 0.6 + gap}}), gap), 8);
    EXPECT_EQ(count_at(touching_points(can, {upright, {0, 0, 0.6 + gap}}, plate, ground), gap), 8);
    EXPECT_EQ(count_at(touching_points(plate, ground, can, {lying, {0, 0, 0.4 + gap}}), gap), 2);
    EXPECT_EQ(count_at(touching_points(plate, ground, pill, {lying, {0, 0, 0.3 + gap}}), gap), 2);
    EXPECT_GE(count_at(touching_points(can, ground, can, {upright, {0.1, 0, 1.0 + gap}}), gap), 5);
    const Shape coin{ShapeType::kCylinder, {0.1, 0.5, 0}};
    EXPECT_EQ(count_at(touching_points(can, ground, coin, {upright, {0.1, 0, 1.0 + gap}}), gap), 8);
    EXPECT_EQ(count_at(touching_points(coin, {upright, {0.1, 0, 1.0 + gap}}, can, ground), gap), 8);
    EXPECT_EQ(count_at(touching_points(can, {lying, {}}, can, {lying, {0.1, 0.3, std::sqrt(0.35) + gap}}),
                       std::hypot(0.1, std::sqrt(0.35) + gap) - 0.6),
              2);
    EXPECT_EQ(count_at(touching_points(plate, ground, plate, {upright, {0.5, 0.7, 0.2 + gap}}), gap), 4);
    // A plate that hangs over the end of a can: its outline within the disc.
    const auto over = touching_points(can, ground, plate, {upright, {1.1, 0, 0.6 + gap}});
    EXPECT_GE(count_at(over, gap), 2);
    for (const ContactPoint& point : over) EXPECT_LE(std::hypot(point.p.x, point.p.y), 0.3 + 1e-6);
  }
  // The octahedron stands on a face: the plate is turned to lie on it.
  const Polytope::Face& face = kOctahedron.polytope->faces[0];
  const Vec& p = kOctahedron.polytope->points[static_cast<std::size_t>(face.corners[0])];
  const Vec x = Vec{0.0, face.normal.z, -face.normal.y}, across = (1.0 / norm(x)) * x;
  const Rotation<double> R = Rotation<double>::from_columns(across, cross(face.normal, across), face.normal);
  const Pose<double> above{R, (dot(face.normal, p) + 0.1) * face.normal};
  EXPECT_EQ(count_at(touching_points(stone, ground, plate, above), 0.0), 3);
}

TEST(ConvexPair, ThePointsOfARestingBodyDoNotJump) {
  // Round-off in the pose moves gaps and normals by round-off.
  const Shape plate{ShapeType::kBox, {1.0, 1.0, 0.1}}, can{ShapeType::kCylinder, {0.3, 0.5, 0}};
  const Rotation<double> upright = Rotation<double>::identity(),
                         lying = rpy_rotation(std::acos(0.0), 0.0, 0.0);
  for (const Pose<double>& X : {Pose<double>{upright, {0.2, 0.1, 0.6}}, {lying, {0.2, 0.1, 0.4}}}) {
    const auto before = touching_points(plate, {upright, {}}, can, X);
    for (const double tilt : {1e-16, -1e-16, 1e-14, -1e-14}) {
      const auto after =
          touching_points(plate, {upright, {}}, can, {rpy_rotation(tilt, 2.0 * tilt, 0.0) * X.R, X.p});
      ASSERT_EQ(after.size(), before.size());
      for (const ContactPoint& point : after) {
        EXPECT_EQ(point.normal.z, 1.0);
        EXPECT_NEAR(point.gap, 0.0, 2e-14);
      }
    }
  }
}

// One of two equal faces is clipped by the other. Which one, and so the order of the points, must not depend
// on round-off: friction is told by comparing a point's slip with that before.
TEST(ConvexPair, PointsOfEqualBoxesKeepTheirOrder) {
  const Shape box{ShapeType::kBox, {0.1, 0.1, 0.1}};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> round_off(-1e-16, 1e-16);
  std::vector<ContactPoint> before;
  for (int i = 1; i <= 200; ++i) {
    const Rotation<double> R = rpy_rotation(round_off(random), round_off(random), 1e-3 * i);
    const auto points = touching_points(box, {Rotation<double>::identity(), {}}, box,
                                        {R, {round_off(random), round_off(random), 0.2 + round_off(random)}});
    ASSERT_EQ(points.size(), 8U);
    for (std::size_t k = 0; k < before.size(); ++k) {
      EXPECT_LT(norm(points[k].p - before[k].p), 2e-4) << "point " << k << ", angle " << i << " mrad";
    }
    before = points;
  }
}

TEST(Polytope, IsMadeOfConvexSurfacesOnly) {
  EXPECT_EQ(kOctahedron.polytope->faces.size(), 8U);
  TriangleMesh cube;
  for (int i = 0; i < 8; ++i) {
    cube.points.push_back(
        {static_cast<float>(i & 1), static_cast<float>(i >> 1 & 1), static_cast<float>(i >> 2)});
  }
  cube.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  EXPECT_EQ(count_open_edges(cube), 0);
  const auto box = make_polytope(cube, {1, 1, -2});  // mirrored
  ASSERT_TRUE(box);
  EXPECT_EQ(box->faces.size(), 6U);
  for (const Polytope::Face& face : box->faces) EXPECT_EQ(face.corners.size(), 4U);
  EXPECT_EQ(box->inner_radius, 0.5);
  EXPECT_EQ(box->outer_radius, std::sqrt(6.0));
  TriangleMesh dented = cube;
  dented.points[7] = {0.4F, 0.4F, 0.4F};
  EXPECT_EQ(count_open_edges(dented), 0);
  EXPECT_FALSE(make_polytope(dented, {1, 1, 1}));
  TriangleMesh open = cube;
  open.triangles.pop_back();
  EXPECT_EQ(count_open_edges(open), 3);
}

}  // namespace
}  // namespace sestina
