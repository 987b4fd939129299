#include "sestina/particles/granular_walls.h"

#include <algorithm>
#include <cmath>

namespace sestina {
namespace {

Vector3d plus(const Vector3d& a, double s, const Vector3d& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}

// At right angles to a unit vector.
Vector3d any_normal(const Vector3d& axis) {
  std::size_t least = 0;
  for (std::size_t a = 1; a < 3; ++a) {
    if (std::abs(axis[a]) < std::abs(axis[least])) least = a;
  }
  Vector3d across{};
  across[least] = 1.0;
  across = plus(across, -axis[least], axis);
  return plus({}, 1.0 / std::sqrt(dot(across, across)), across);
}

// In the plane of x and the axis the surface is a straight line from (0, begin_radius) to (length,
// end_radius).
WallPoint find_cone_point(const GrainWall& wall, const Vector3d& x) {
  const Vector3d d = plus(x, -1.0, wall.at);
  const double along = dot(d, wall.axis);
  Vector3d outward = plus(d, -along, wall.axis);
  const double radius = std::sqrt(dot(outward, outward));
  outward = radius > 0.0 ? plus({}, 1.0 / radius, outward) : any_normal(wall.axis);
  const double rise = wall.end_radius - wall.begin_radius;
  const double part =
      (along * wall.length + (radius - wall.begin_radius) * rise) / (wall.length * wall.length + rise * rise);
  const double t = std::clamp(part, 0.0, 1.0);
  WallPoint found;
  found.at = plus(plus(wall.at, t * wall.length, wall.axis), wall.begin_radius + t * rise, outward);
  const Vector3d gap = plus(x, -1.0, found.at);
  found.distance = std::sqrt(dot(gap, gap));
  return found;
}

}  // namespace

GrainWall with_unit_axis(const GrainWall& wall) {
  GrainWall made = wall;
  made.axis = plus({}, 1.0 / std::sqrt(dot(wall.axis, wall.axis)), wall.axis);
  return made;
}

WallPoint find_wall_point(const GrainWall& wall, const Vector3d& x) {
  if (wall.shape == GrainWall::Shape::kCone) return find_cone_point(wall, x);
  const double distance = dot(plus(x, -1.0, wall.at), wall.axis);
  return {plus(x, -distance, wall.axis), distance};
}

}  // namespace sestina
