// A point of one body that stays on a line or a plane of another.
//
// With K the frame of the line or plane on body a, p the point on body b, and n a direction fixed in K,
// perpendicular to the line or normal to the plane:
//   g = n . p_KP,   and g', g'' by the motion of p in K (constraint_row.h)
// A line has two such directions, perpendicular to each other; a plane has one. The multipliers are forces on
// the point (N), along n.
#pragma once

#include "sestina/constraints/constraint_row.h"

namespace sestina {

template <class T>
struct PointOn {
  Marker<T> point, surface;  // p, K
  Vec3<T> direction;         // unit, axes of K: along the line, or the plane's normal
  bool is_line = false;
  int first_row = 0;
};

// Two unit vectors perpendicular to the unit vector n and to each other.
template <class T>
void find_perpendiculars(const Vec3<T>& n, Vec3<T>& first, Vec3<T>& second) {
  // Uses the cross product with the coordinate axis farthest from n.
  const double x = std::abs(value_of(n.x)), y = std::abs(value_of(n.y)), z = std::abs(value_of(n.z));
  Vec3<T> axis{T(0), T(0), T(1)};
  if (x <= y && x <= z) {
    axis = {T(1), T(0), T(0)};
  } else if (y <= z) {
    axis = {T(0), T(1), T(0)};
  }
  const Vec3<T> perpendicular = cross(n, axis);
  first = (T(1) / norm(perpendicular)) * perpendicular;
  second = cross(n, first);
}

// Fills one row for a plane, two for a line.
template <class T>
void update_point_on(const PointOn<T>& constraint, const FrameMotion<T>* frames, ConstraintRow<T>* rows) {
  const RelativeMarkerMotion<T> relative =
      calc_relative_marker_motion(frames, constraint.surface, constraint.point);
  Vec3<T> directions[2] = {constraint.direction, {}};
  if (constraint.is_line) find_perpendiculars(constraint.direction, directions[0], directions[1]);
  for (int i = 0; i < (constraint.is_line ? 2 : 1); ++i) {
    ConstraintRow<T>& row = rows[i];
    row.a = constraint.surface.frame, row.b = constraint.point.frame;
    row.force = {{}, relative.R_WF * directions[i]};
    row.arm_a = relative.arm_a, row.arm_b = relative.arm_b;
    row.error = dot(directions[i], relative.X_FM.p);
    row.velocity = dot(relative.velocity, row.force);
    row.bias = dot(relative.bias, row.force);
  }
}

}  // namespace sestina
