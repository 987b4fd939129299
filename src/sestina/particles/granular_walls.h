// The points of walls that are nearest to a grain.
#pragma once

#include "sestina/particles/granular_model.h"

namespace sestina {

// A wall whose axis has unit length.
GrainWall with_unit_axis(const GrainWall& wall);

struct WallPoint {
  Vector3d at{};          // m
  double distance = 0.0;  // m; negative behind a plane
};

// The point of a wall with a unit axis that is nearest to x (m).
WallPoint find_wall_point(const GrainWall& wall, const Vector3d& x);

}  // namespace sestina
