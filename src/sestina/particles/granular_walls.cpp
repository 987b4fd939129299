#include "sestina/particles/granular_walls.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sestina {
namespace {

Vector3d plus(const Vector3d& a, double s, const Vector3d& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}

// Returns a unit vector perpendicular to a unit vector.
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

constexpr double kOnTriangle = 1e-9;  // of the size of a triangle

double square_of(const Vector3d& a) { return dot(a, a); }

}  // namespace

GrainWall with_unit_axis(const GrainWall& wall) {
  GrainWall made = wall;
  if (wall.shape == GrainWall::Shape::kMesh) return made;
  made.axis = plus({}, 1.0 / std::sqrt(dot(wall.axis, wall.axis)), wall.axis);
  return made;
}

WallPoint find_wall_point(const GrainWall& wall, const Vector3d& x) {
  if (wall.shape == GrainWall::Shape::kCone) return find_cone_point(wall, x);
  const double distance = dot(plus(x, -1.0, wall.at), wall.axis);
  return {plus(x, -distance, wall.axis), distance};
}

// Distinguishes the regions of the triangle's corners, edges and face (Ericson, Real-Time Collision
// Detection, 2005, section 5.1.5).
WallPoint find_triangle_point(const Triangle& triangle, const Vector3d& x) {
  const Vector3d &a = triangle[0], &b = triangle[1], &c = triangle[2];
  const Vector3d ab = plus(b, -1.0, a), ac = plus(c, -1.0, a);
  const auto point = [&](double v, double w) {
    WallPoint found;
    found.at = plus(plus(a, v, ab), w, ac);
    found.distance = std::sqrt(square_of(plus(x, -1.0, found.at)));
    return found;
  };
  const Vector3d from_a = plus(x, -1.0, a), from_b = plus(x, -1.0, b), from_c = plus(x, -1.0, c);
  const double a1 = dot(ab, from_a), a2 = dot(ac, from_a);
  if (a1 <= 0.0 && a2 <= 0.0) return point(0.0, 0.0);
  const double b1 = dot(ab, from_b), b2 = dot(ac, from_b);
  if (b1 >= 0.0 && b2 <= b1) return point(1.0, 0.0);
  const double of_c = a1 * b2 - b1 * a2;
  if (of_c <= 0.0 && a1 >= 0.0 && b1 <= 0.0) return point(a1 / (a1 - b1), 0.0);
  const double c1 = dot(ab, from_c), c2 = dot(ac, from_c);
  if (c2 >= 0.0 && c1 <= c2) return point(0.0, 1.0);
  const double of_b = c1 * a2 - a1 * c2;
  if (of_b <= 0.0 && a2 >= 0.0 && c2 <= 0.0) return point(0.0, a2 / (a2 - c2));
  const double of_a = b1 * c2 - c1 * b2, to_c = b2 - b1, to_b = c1 - c2;
  if (of_a <= 0.0 && to_c >= 0.0 && to_b >= 0.0) {
    const double w = to_c / (to_c + to_b);
    return point(1.0 - w, w);
  }
  const double sum = of_a + of_b + of_c;
  return point(of_b / sum, of_c / sum);
}

TriangleGrid::TriangleGrid(const std::vector<Triangle>& triangles, double reach) {
  if (triangles.empty()) return;
  Vector3d high{};
  for (std::size_t a = 0; a < 3; ++a) {
    low_[a] = std::numeric_limits<double>::infinity(), high[a] = -low_[a];
    for (const Triangle& triangle : triangles) {
      for (const Vector3d& corner : triangle) {
        low_[a] = std::min(low_[a], corner[a] - reach), high[a] = std::max(high[a], corner[a] + reach);
      }
    }
  }
  constexpr double kMostCells = 40.0;  // along an axis
  const double cells = std::clamp(std::cbrt(4.0 * static_cast<double>(triangles.size())), 1.0, kMostCells);
  for (std::size_t a = 0; a < 3; ++a) {
    count_[a] = static_cast<int>(cells);
    cell_[a] = (high[a] - low_[a]) / count_[a];
  }
  const auto for_each_cell = [&](const Triangle& triangle, const auto& f) {
    std::array<int, 3> first{}, last{};
    for (std::size_t a = 0; a < 3; ++a) {
      const auto [least, most] = std::minmax({triangle[0][a], triangle[1][a], triangle[2][a]});
      first[a] = std::clamp(static_cast<int>((least - reach - low_[a]) / cell_[a]), 0, count_[a] - 1);
      last[a] = std::clamp(static_cast<int>((most + reach - low_[a]) / cell_[a]), 0, count_[a] - 1);
    }
    for (int i = first[0]; i <= last[0]; ++i) {
      for (int j = first[1]; j <= last[1]; ++j) {
        for (int k = first[2]; k <= last[2]; ++k)
          f(static_cast<std::size_t>((i * count_[1] + j) * count_[2] + k));
      }
    }
  };
  begins_.assign(static_cast<std::size_t>(count_[0] * count_[1] * count_[2]) + 1, 0);
  for (const Triangle& triangle : triangles)
    for_each_cell(triangle, [&](std::size_t c) { ++begins_[c + 1]; });
  for (std::size_t c = 1; c < begins_.size(); ++c) begins_[c] += begins_[c - 1];
  list_.resize(static_cast<std::size_t>(begins_.back()));
  std::vector<std::int32_t> next(begins_.begin(), begins_.end() - 1);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for_each_cell(triangles[t], [&](std::size_t c) {
      list_[static_cast<std::size_t>(next[c]++)] = static_cast<std::int32_t>(t);
    });
  }
}

std::span<const std::int32_t> TriangleGrid::near(const Vector3d& x) const {
  if (begins_.empty()) return {};
  int cell = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double place = (x[a] - low_[a]) / cell_[a];
    if (!(place >= 0.0 && place <= count_[a])) return {};
    cell = cell * count_[a] + std::min(static_cast<int>(place), count_[a] - 1);
  }
  const auto c = static_cast<std::size_t>(cell);
  return std::span(list_).subspan(static_cast<std::size_t>(begins_[c]),
                                  static_cast<std::size_t>(begins_[c + 1] - begins_[c]));
}

void find_felt_points(std::span<const Triangle* const> triangles, std::span<const WallPoint> points,
                      std::span<char> is_felt) {
  const auto lies_on = [&](std::size_t point, std::size_t triangle) {
    const Triangle& own = *triangles[triangle];
    const double size =
        std::sqrt(square_of(plus(own[1], -1.0, own[0])) + square_of(plus(own[2], -1.0, own[0])));
    return find_triangle_point(own, points[point].at).distance <= kOnTriangle * size;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    is_felt[i] = 1;
    // A point that also lies on another triangle acts only if it is the nearest point of that one too, and
    // then only for the first of the two.
    for (std::size_t k = 0; k < points.size() && is_felt[i]; ++k) {
      if (k != i && lies_on(i, k) && !(k > i && lies_on(k, i))) is_felt[i] = 0;
    }
  }
}

}  // namespace sestina
