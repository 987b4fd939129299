// The points of walls that are nearest to a grain.
#pragma once

#include <cstdint>
#include <span>

#include "sestina/particles/granular_model.h"

namespace sestina {

// A wall whose axis has unit length.
GrainWall with_unit_axis(const GrainWall& wall);

struct WallPoint {
  Vector3d at{};          // m
  double distance = 0.0;  // m; negative behind a plane
};

// The point of a wall with a unit axis, but no mesh, that is nearest to x (m).
WallPoint find_wall_point(const GrainWall& wall, const Vector3d& x);
WallPoint find_triangle_point(const Triangle& triangle, const Vector3d& x);

// The triangles of a mesh sorted into cells, to find those near a point.
class TriangleGrid {
 public:
  // `reach` (m): the distance from a point within which triangles are found.
  TriangleGrid(const std::vector<Triangle>& triangles, double reach);
  // Returns numbers of triangles, ascending, which include all that are nearer to x than the reach.
  std::span<const std::int32_t> near(const Vector3d& x) const;

 private:
  Vector3d low_{}, cell_{};                  // m
  std::array<int, 3> count_{};               // cells
  std::vector<std::int32_t> begins_, list_;  // by cell
};

// Finds which of the triangles' points nearest to x act on a sphere there: those that are also nearest on the
// surface around them, so that seams and distant parts of a flat or hollow surface have no effect.
// `triangles` and `points` belong together.
void find_felt_points(std::span<const Triangle* const> triangles, std::span<const WallPoint> points,
                      std::span<char> is_felt);

}  // namespace sestina
