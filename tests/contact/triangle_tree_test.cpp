#include "sestina/contact/triangle_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sestina/base/error.h"
#include "sestina/contact/contact_points.h"
#include "sestina/contact/mesh_file.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;

// A prism over an L in x and y: 2 m by 2 m by 1 m, without the quarter above x = 1, y = 1.
TriangleMesh make_angle() {
  TriangleMesh mesh;
  const std::vector<std::array<float, 2>> outline{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (const float z : {0.0F, 1.0F}) {
    for (const auto& [x, y] : outline) mesh.points.push_back({x, y, z});
  }
  for (const auto& [a, b, c] : {std::array{0U, 1U, 2U}, {0U, 2U, 3U}, {0U, 3U, 4U}, {0U, 4U, 5U}}) {
    mesh.triangles.push_back({a, c, b});
    mesh.triangles.push_back({a + 6, b + 6, c + 6});
  }
  for (unsigned i = 0; i < 6; ++i) {
    const unsigned k = (i + 1) % 6;
    mesh.triangles.push_back({i, k, k + 6});
    mesh.triangles.push_back({i, k + 6, i + 6});
  }
  return mesh;
}

Shape shape_of(const Surface& surface) { return {ShapeType::kMesh, {}, &surface}; }

Surface make_surface(const TriangleMesh& mesh, const Vec& scale = {1, 1, 1}) {
  return {std::nullopt, std::make_shared<const TriangleTree>(mesh, scale)};
}

std::vector<ContactPoint> find_points(const Shape& a, const Pose<double>& X_a, const Shape& b,
                                      const Pose<double>& X_b) {
  std::vector<ContactPoint> points;
  add_contact_points(a, X_a, b, X_b, points);
  return points;
}

double least_gap(const std::vector<ContactPoint>& points) {
  return points.empty() ? 1e300 : std::ranges::min_element(points, {}, &ContactPoint::gap)->gap;
}

// The distance from a point to a triangle: to its plane above its inside, otherwise to its edges.
double distance_to(const Vec& p, const std::array<Vec, 3>& t) {
  const Vec n = cross(t[1] - t[0], t[2] - t[0]);
  bool is_above = true;
  double least = 1e300;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec &a = t[k], edge = t[(k + 1) % 3] - a;
    is_above = is_above && dot(cross(edge, p - a), n) >= 0.0;
    const double s = std::clamp(dot(p - a, edge) / dot(edge, edge), 0.0, 1.0);
    least = std::min(least, norm(p - a - s * edge));
  }
  return is_above ? std::abs(dot(n, p - t[0])) / norm(n) : least;
}

TEST(TriangleTree, GapsOfBallsAreDistances) {
  const TriangleMesh mesh = make_angle();
  EXPECT_EQ(count_open_edges(mesh), 0);
  EXPECT_FALSE(make_polytope(mesh, {1, 1, 1}));
  const Surface surface = make_surface(mesh);
  const Shape ball{ShapeType::kSphere, {0.1, 0, 0}};
  const Pose<double> X{rpy_rotation(0.3, -0.4, 2.0), {0.5, -1.0, 2.0}};
  std::mt19937 random(2);
  std::uniform_real_distribution<double> place(-1.0, 3.0);
  int count = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Vec p{place(random), place(random), place(random)};
    const bool is_inside =
        p.z > 0 && p.z < 1 && p.x > 0 && p.y > 0 && p.x < 2 && p.y < 2 && (p.x < 1 || p.y < 1);
    if (is_inside) continue;
    double expected = 1e300;
    for (const auto& c : mesh.triangles) {
      std::array<Vec, 3> corners;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto& q = mesh.points[c[k]];
        corners[k] = {q[0], q[1], q[2]};
      }
      expected = std::min(expected, distance_to(p, corners));
    }
    EXPECT_NEAR(least_gap(find_points(shape_of(surface), X, ball, {X.R, X * p})), expected - 0.1, 1e-13);
    ++count;
  }
  EXPECT_GT(count, 1000);
}

TEST(TriangleTree, ABallInACornerTouchesBothWalls) {
  const Surface surface = make_surface(make_angle());
  const Shape ball{ShapeType::kSphere, {0.1, 0, 0}};
  const Pose<double> X{};
  const auto points =
      find_points(ball, {X.R, {1.1, 1.1, 0.4}}, shape_of(surface), {Rotation<double>::identity(), {}});
  ASSERT_EQ(points.size(), 2U);
  for (const ContactPoint& point : points) EXPECT_NEAR(point.gap, 0.0, 1e-15);
  EXPECT_NEAR(dot(points[0].normal, points[1].normal), 0.0, 1e-15);
  EXPECT_NEAR(points[0].normal.x + points[0].normal.y, -1.0, 1e-15);  // from the ball to the wall
}

std::string flat_heights(int rows, int columns) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < columns; ++k) text += "0 ";
    text += '\n';
  }
  return text;
}

TEST(TriangleTree, SeamsOfAFlatFloorAreNotFelt) {
  const Surface floor = make_surface(parse_heights(flat_heights(11, 11)), {0.3, 0.2, 1.0});
  const Pose<double> X{Rotation<double>::identity(), {}};
  const Shape ball{ShapeType::kSphere, {0.1, 0, 0}}, box{ShapeType::kBox, {0.5, 0.4, 0.1}};
  for (int i = 0; i <= 100; ++i) {
    const double x = 0.3 + 0.02 * i, y = 0.2 + 0.01 * i;
    for (const double gap : {1e-3, 0.0, -1e-9}) {
      const auto under_ball = find_points(shape_of(floor), X, ball, {X.R, {x, y, 0.1 + gap}});
      ASSERT_EQ(under_ball.size(), 1U) << i;
      EXPECT_NEAR(under_ball[0].gap, gap, 1e-15);
      EXPECT_NEAR(under_ball[0].normal.z, 1.0, 1e-15);
    }
    auto under_box =
        find_points(shape_of(floor), X, box, {rpy_rotation(0.0, 0.0, 0.02 * i), {1.4, 1.0, 0.1}});
    // Without the sides of the field, which are mm away.
    std::erase_if(under_box, [](const ContactPoint& point) { return point.gap > 1e-6; });
    ASSERT_EQ(under_box.size(), 4U) << i;
    for (const ContactPoint& point : under_box) {
      EXPECT_NEAR(point.gap, 0.0, 1e-15);
      EXPECT_NEAR(point.normal.z, 1.0, 1e-15);
    }
  }
}

TEST(TriangleTree, CornersOfABoxTouchASlope) {
  // z = x / 2: a plane, from a table of heights.
  const Surface slope = make_surface(parse_heights("0,1,2,3\n0,1,2,3\n0,1,2,3\n0,1,2,3\n"), {1.0, 1.0, 0.5});
  const Shape box{ShapeType::kBox, {0.3, 0.2, 0.1}};
  const Vec n = (1.0 / std::sqrt(1.25)) * Vec{-0.5, 0.0, 1.0};
  std::mt19937 random(4);
  std::uniform_real_distribution<double> angle(-3.0, 3.0), height(0.5, 1.0);
  for (int trial = 0; trial < 100; ++trial) {
    const Pose<double> X{rpy_rotation(angle(random), angle(random), angle(random)),
                         {1.4, 1.5, 0.7 + height(random)}};
    double expected = 1e300;
    for (const double x : {-0.3, 0.3}) {
      for (const double y : {-0.2, 0.2}) {
        for (const double z : {-0.1, 0.1}) expected = std::min(expected, dot(n, X * Vec{x, y, z}));
      }
    }
    EXPECT_NEAR(least_gap(find_points(box, X, shape_of(slope), {Rotation<double>::identity(), {}})), expected,
                1e-13);
  }
}

TEST(TriangleTree, AMeshStandsOnAPlaneOnItsCorners) {
  const Surface surface = make_surface(make_angle());
  const Pose<double> X{Rotation<double>::identity(), {0, 0, 0.25}};
  const auto points = find_points({ShapeType::kPlane, {}}, {X.R, {}}, shape_of(surface), X);
  EXPECT_EQ(points.size(), 6U);
  for (const ContactPoint& point : points) EXPECT_EQ(point.gap, 0.25);
}

TEST(Heights, FaultsAreTold) {
  const auto message_of_heights = [](const std::string& text) -> std::string {
    try {
      parse_heights(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message_of_heights("1 2\n3\n"), "line 2 has 1 heights, the first one has 2");
  EXPECT_EQ(message_of_heights("1 2\n3 x\n"), "line 2: 'x' is no height");
  EXPECT_EQ(message_of_heights("1 2\n3 inf\n"), "line 2: 'inf' is no height");
  EXPECT_EQ(message_of_heights("1 2\n"), "1 rows of 2 heights: expected at least two of two");
  EXPECT_EQ(message_of_heights("1, 2\n\n3, 4\n"), "");
}

}  // namespace
}  // namespace sestina
