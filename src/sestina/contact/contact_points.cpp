#include "sestina/contact/contact_points.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "sestina/contact/closed_form_points.h"
#include "sestina/contact/convex_pair.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;

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
    case ShapeType::kPlane:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

bool can_touch(ShapeType a, ShapeType b) { return a != ShapeType::kPlane || b != ShapeType::kPlane; }

const char* name_of(ShapeType type) {
  constexpr std::array<const char*, 6> kNames{"sphere", "box", "cylinder", "capsule", "ellipsoid", "plane"};
  return kNames[static_cast<std::size_t>(type)];
}

void add_contact_points(const Shape& a, const Pose<double>& X_Wa, const Shape& b, const Pose<double>& X_Wb,
                        std::vector<ContactPoint>& points) {
  assert(can_touch(a.type, b.type));
  if (rank_of_closed_form(a.type) > rank_of_closed_form(b.type)) {
    const std::size_t first = points.size();
    add_contact_points(b, X_Wb, a, X_Wa, points);
    for (std::size_t i = first; i < points.size(); ++i) points[i].normal = -1.0 * points[i].normal;
    return;
  }
  if (has_closed_form(a.type, b.type)) {
    return visit_closed_form_points<double>({a.type, a.size, X_Wa}, {b.type, b.size, X_Wb},
                                            [&](const ClosedFormPoint<double>& point) {
                                              points.push_back({point.p, point.normal, point.gap});
                                            });
  }
  // About the centre of the first, so that round-off does not grow with the distance from the origin.
  const Vec origin = X_Wa.p;
  const ConvexBody other(b, {X_Wb.R, X_Wb.p - origin});
  const std::size_t first = points.size();
  add_convex_points(ConvexBody(a, {X_Wa.R, {}}), other, points);
  for (std::size_t i = first; i < points.size(); ++i) points[i].p += origin;
}

}  // namespace sestina
