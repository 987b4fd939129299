#include "sestina/contact/contact_points.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "sestina/contact/closed_form_points.h"
#include "sestina/contact/convex_pair.h"
#include "sestina/contact/surface.h"
#include "sestina/contact/triangle_tree.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;

void add_plane_point(const Pose<double>& X_plane, const Vec& surface, std::vector<ContactPoint>& points) {
  const ClosedFormPoint<double> point = closed_form::against_plane(X_plane, surface);
  points.push_back({point.p, point.normal, point.gap});
}

// The corners that may touch within a step: those that are not much higher than the lowest.
void add_mesh_on_plane(const Pose<double>& X_plane, const TriangleTree& tree, const Pose<double>& X,
                       std::vector<ContactPoint>& points) {
  const std::size_t first = points.size();
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vec& corner : tree.corners()) {
    add_plane_point(X_plane, X * corner, points);
    lowest = std::min(lowest, points.back().gap);
  }
  const double highest = std::max(lowest, 0.0) + 2.0 * tree.inner_radius();
  const auto is_high = [&](const ContactPoint& point) { return point.gap > highest; };
  points.erase(std::remove_if(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(), is_high),
               points.end());
}

// The order of the types in pairs.
int rank(ShapeType type) { return type == ShapeType::kMesh ? 1 : 2 * rank_of_closed_form(type); }

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
  if (a.type == ShapeType::kPlane && b.type == ShapeType::kMesh)
    return add_mesh_on_plane(X_Wa, *b.surface->tree, X_Wb, points);
  if (a.type == ShapeType::kPlane && b.type == ShapeType::kConvexMesh) {
    for (const Vec& corner : b.surface->polytope->points) add_plane_point(X_Wa, X_Wb * corner, points);
    return;
  }
  if (has_closed_form(a.type, b.type)) {
    return visit_closed_form_points<double>({a.type, a.size, X_Wa}, {b.type, b.size, X_Wb},
                                            [&](const ClosedFormPoint<double>& point) {
                                              points.push_back({point.p, point.normal, point.gap});
                                            });
  }
  // Points are computed relative to the centre of the first shape, so that round-off does not grow with the
  // distance from the origin.
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
