#include "sestina/contact/contact_points.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "sestina/contact/convex_pair.h"
#include "sestina/contact/surface.h"
#include "sestina/contact/triangle_tree.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;

constexpr double kParallel = 1e-9;  // |a x b| of unit vectors below which it gives no direction

Vec axis_of(const Pose<double>& X, int k) {
  return X.R * Vec{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
}

Vec unit_or(const Vec& v, const Vec& otherwise) {
  const double length = norm(v);
  return length > kParallel ? (1.0 / length) * v : otherwise;
}

// A point of the surface of b, against the plane z = 0 of a.
ContactPoint against_plane(const Pose<double>& X_plane, const Vec& surface) {
  const Vec n = axis_of(X_plane, 2);
  const double gap = dot(n, surface - X_plane.p);
  return {surface - 0.5 * gap * n, n, gap};
}

// Two balls, of radius zero for points. `apart`: the normal where their centres coincide.
ContactPoint between_balls(const Vec& a, double radius_a, const Vec& b, double radius_b, const Vec& apart) {
  const Vec n = unit_or(b - a, apart);
  const double gap = dot(n, b - a) - radius_a - radius_b;
  return {a + (radius_a + 0.5 * gap) * n, n, gap};
}

// The end points of a capsule's axis.
std::pair<Vec, Vec> segment_of(const Shape& capsule, const Pose<double>& X) {
  const Vec half = capsule.size.y * axis_of(X, 2);
  return {X.p - half, X.p + half};
}

Vec nearest_on_segment(const std::pair<Vec, Vec>& segment, const Vec& p) {
  const Vec d = segment.second - segment.first;
  const double square = dot(d, d);
  const double s = square > 0.0 ? std::clamp(dot(p - segment.first, d) / square, 0.0, 1.0) : 0.0;
  return segment.first + s * d;
}

// For a point given in a box's axes: the nearest point of its surface and the outward normal there.
struct SurfacePoint {
  Vec p, normal;
  double distance = 0.0;  // negative within
};

SurfacePoint nearest_on_box(const Vec& half, const Vec& p) {
  Vec nearest{std::clamp(p.x, -half.x, half.x), std::clamp(p.y, -half.y, half.y),
              std::clamp(p.z, -half.z, half.z)};
  const Vec out = p - nearest;
  const double distance = norm(out);
  if (distance > 0.0) return {nearest, (1.0 / distance) * out, distance};
  int face = 0;
  double depth = half.x - std::abs(p.x);
  for (int k = 1; k < 3; ++k) {
    if (half[k] - std::abs(p[k]) < depth) depth = half[k] - std::abs(p[k]), face = k;
  }
  Vec normal;
  normal[face] = p[face] < 0.0 ? -1.0 : 1.0;
  nearest[face] = normal[face] * half[face];
  return {nearest, normal, -depth};
}

SurfacePoint nearest_on_cylinder(const Shape& cylinder, const Vec& p) {
  const double radius = cylinder.size.x, half = cylinder.size.y;
  const double rho = std::hypot(p.x, p.y);
  const Vec radial = rho > 0.0 ? Vec{p.x / rho, p.y / rho, 0.0} : Vec{1.0, 0.0, 0.0};
  const double side = rho - radius, end = std::abs(p.z) - half;
  const double up = p.z < 0.0 ? -1.0 : 1.0;
  if (side <= 0.0 && end <= 0.0) {
    if (side > end) return {radius * radial + Vec{0.0, 0.0, p.z}, radial, side};
    return {{p.x, p.y, up * half}, {0.0, 0.0, up}, end};
  }
  const Vec nearest = std::min(rho, radius) * radial + Vec{0.0, 0.0, std::clamp(p.z, -half, half)};
  const double distance = norm(p - nearest);
  return {nearest, (1.0 / distance) * (p - nearest), distance};
}

// A ball against a shape whose surface is known; normals from the ball to the shape.
ContactPoint ball_against(const Vec& centre, double radius, const Pose<double>& X, const SurfacePoint& on) {
  const Vec n = X.R * on.normal;
  const double gap = on.distance - radius;
  return {centre - (radius + 0.5 * gap) * n, -1.0 * n, gap};
}

std::array<Vec, 8> corners_of(const Shape& box, const Pose<double>& X) {
  std::array<Vec, 8> corners;
  for (unsigned i = 0; i < 8; ++i) {
    const Vec& h = box.size;
    corners[i] = X * Vec{(i & 1U) != 0 ? h.x : -h.x, (i & 2U) != 0 ? h.y : -h.y, (i & 4U) != 0 ? h.z : -h.z};
  }
  return corners;
}

// The corners that may touch within a step: those that are not much higher than the lowest.
void add_mesh_on_plane(const Pose<double>& X_plane, const TriangleTree& tree, const Pose<double>& X,
                       std::vector<ContactPoint>& points) {
  const std::size_t first = points.size();
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vec& corner : tree.corners()) {
    points.push_back(against_plane(X_plane, X * corner));
    lowest = std::min(lowest, points.back().gap);
  }
  const double highest = std::max(lowest, 0.0) + 2.0 * tree.inner_radius();
  const auto is_high = [&](const ContactPoint& point) { return point.gap > highest; };
  points.erase(std::remove_if(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(), is_high),
               points.end());
}

void add_plane(const Pose<double>& X_plane, const Shape& b, const Pose<double>& X,
               std::vector<ContactPoint>& points) {
  const Vec n = axis_of(X_plane, 2);
  const auto add = [&](const Vec& surface) { points.push_back(against_plane(X_plane, surface)); };
  switch (b.type) {
    case ShapeType::kSphere:
      add(X.p - b.size.x * n);
      return;
    case ShapeType::kEllipsoid: {
      const Vec m = X.R.transpose() * n;
      const Vec scaled{b.size.x * m.x, b.size.y * m.y, b.size.z * m.z};
      const double length = norm(scaled);
      if (length == 0.0) return add(X.p);
      return add(X * ((-1.0 / length) * Vec{b.size.x * scaled.x, b.size.y * scaled.y, b.size.z * scaled.z}));
    }
    case ShapeType::kCapsule: {
      const auto [first, second] = segment_of(b, X);
      add(first - b.size.x * n);
      add(second - b.size.x * n);
      return;
    }
    case ShapeType::kBox:
      for (const Vec& corner : corners_of(b, X)) add(corner);
      return;
    case ShapeType::kCylinder: {
      const Vec z = axis_of(X, 2);
      const Vec lowest = unit_or(dot(n, z) * z - n, axis_of(X, 0)), beside = cross(z, lowest);
      const double kCos = -0.5, kSin = std::sqrt(3.0) / 2.0;  // of a third of a turn
      for (const double end : {-b.size.y, b.size.y}) {
        for (const Vec& out : {lowest, kCos * lowest + kSin * beside, kCos * lowest - kSin * beside}) {
          add(X.p + end * z + b.size.x * out);
        }
      }
      return;
    }
    case ShapeType::kConvexMesh:
      for (const Vec& corner : b.surface->polytope->points) add(X * corner);
      return;
    case ShapeType::kMesh:
      return add_mesh_on_plane(X_plane, *b.surface->tree, X, points);
    case ShapeType::kPlane:
      return;
  }
}

void add_sphere(const Shape& a, const Pose<double>& X_a, const Shape& b, const Pose<double>& X_b,
                std::vector<ContactPoint>& points) {
  const double radius = a.size.x;
  switch (b.type) {
    case ShapeType::kSphere:
      points.push_back(between_balls(X_a.p, radius, X_b.p, b.size.x, {0.0, 0.0, 1.0}));
      return;
    case ShapeType::kCapsule:
      points.push_back(between_balls(X_a.p, radius, nearest_on_segment(segment_of(b, X_b), X_a.p), b.size.x,
                                     axis_of(X_b, 0)));
      return;
    case ShapeType::kBox:
      points.push_back(ball_against(X_a.p, radius, X_b, nearest_on_box(b.size, inverse(X_b) * X_a.p)));
      return;
    case ShapeType::kCylinder:
      points.push_back(ball_against(X_a.p, radius, X_b, nearest_on_cylinder(b, inverse(X_b) * X_a.p)));
      return;
    default:
      return;
  }
}

// The order of the types in the pairs that the functions above treat.
int rank(ShapeType type) {
  if (type == ShapeType::kPlane) return 0;
  if (type == ShapeType::kMesh) return 1;
  if (type == ShapeType::kSphere) return 2;
  return type == ShapeType::kCapsule ? 3 : 4;
}

bool is_analytic_with_sphere(ShapeType type) {
  return type != ShapeType::kEllipsoid && type != ShapeType::kConvexMesh;
}

}  // namespace

double inner_radius(const Shape& shape) {
  const Vec& size = shape.size;
  switch (shape.type) {
    case ShapeType::kSphere:
    case ShapeType::kCapsule:
      return size.x;
    case ShapeType::kCylinder:
      return std::min(size.x, size.y);
    case ShapeType::kBox:
    case ShapeType::kEllipsoid:
      return std::min({size.x, size.y, size.z});
    case ShapeType::kConvexMesh:
      return shape.surface->polytope->inner_radius;
    case ShapeType::kMesh:
      return shape.surface->tree->inner_radius();
    case ShapeType::kPlane:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

double outer_radius(const Shape& shape) {
  const Vec& size = shape.size;
  switch (shape.type) {
    case ShapeType::kSphere:
      return size.x;
    case ShapeType::kCapsule:
      return size.x + size.y;
    case ShapeType::kCylinder:
      return std::hypot(size.x, size.y);
    case ShapeType::kBox:
      return norm(size);
    case ShapeType::kEllipsoid:
      return std::max({size.x, size.y, size.z});
    case ShapeType::kConvexMesh:
      return shape.surface->polytope->outer_radius;
    case ShapeType::kMesh:
      return shape.surface->tree->outer_radius();
    case ShapeType::kPlane:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

bool can_touch(ShapeType a, ShapeType b) {
  const auto is_convex_solid = [](ShapeType type) {
    return type != ShapeType::kPlane && type != ShapeType::kMesh;
  };
  return is_convex_solid(a) || is_convex_solid(b) || (a != b);
}

const char* name_of(ShapeType type) {
  constexpr std::array<const char*, 8> kNames{"sphere",    "box",   "cylinder",    "capsule",
                                              "ellipsoid", "plane", "convex mesh", "mesh"};
  return kNames[static_cast<std::size_t>(type)];
}

void add_contact_points(const Shape& a, const Pose<double>& X_Wa, const Shape& b, const Pose<double>& X_Wb,
                        std::vector<ContactPoint>& points) {
  assert(can_touch(a.type, b.type));
  if (rank(a.type) > rank(b.type)) {
    const std::size_t first = points.size();
    add_contact_points(b, X_Wb, a, X_Wa, points);
    for (std::size_t i = first; i < points.size(); ++i) points[i].normal = -1.0 * points[i].normal;
    return;
  }
  if (a.type == ShapeType::kPlane) return add_plane(X_Wa, b, X_Wb, points);
  if (a.type == ShapeType::kSphere && is_analytic_with_sphere(b.type))
    return add_sphere(a, X_Wa, b, X_Wb, points);
  // About the centre of the first, so that round-off does not grow with the distance from the origin.
  const Vec origin = X_Wa.p;
  const ConvexBody other(b, {X_Wb.R, X_Wb.p - origin});
  const std::size_t first = points.size();
  if (a.type == ShapeType::kMesh) {
    a.surface->tree->add_points({X_Wa.R, {}}, other, 2.0 * inner_radius(b), points);
  } else {
    add_convex_points(ConvexBody(a, {X_Wa.R, {}}), other, points);
  }
  for (std::size_t i = first; i < points.size(); ++i) points[i].p += origin;
}

}  // namespace sestina
