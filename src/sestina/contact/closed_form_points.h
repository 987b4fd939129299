// Contact points of pairs of shapes that have closed forms, for any scalar.
//
//   plane and     sphere, ellipsoid, capsule (its caps), box (its corners), cylinder (three on each rim,
//                 of which the first is the lowest)
//   sphere and    sphere, capsule, box, cylinder
//
// If gap(q) is the distance between two surfaces at their closest points, or that of a point fixed on a body
// from a surface, its rate is the relative velocity of the bodies at the point, along the normal. That does
// not hold for a cylinder's rim against a plane, because its points move along the rim.
#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "sestina/contact/shape.h"

namespace sestina {

// A ContactPoint for any scalar.
template <class T>
struct ClosedFormPoint {
  Vec3<T> p, normal;
  T gap{};
};

// A shape with its pose in the ground.
template <class T>
struct ShapeInGround {
  ShapeType type;
  Vec3<T> size;
  Pose<T> X;
};

// The order of the types in the pairs: a plane, a sphere, others.
inline int rank_of_closed_form(ShapeType type) {
  if (type == ShapeType::kPlane) return 0;
  return type == ShapeType::kSphere ? 1 : 2;
}

// Whether visit_closed_form_points() takes the pair; `a` is a plane or a sphere.
inline bool has_closed_form(ShapeType a, ShapeType b) {
  const bool is_given_by_file = b == ShapeType::kConvexMesh || b == ShapeType::kMesh;
  if (a == ShapeType::kPlane) return b != ShapeType::kPlane && !is_given_by_file;
  return a == ShapeType::kSphere && (b == ShapeType::kSphere || b == ShapeType::kCapsule ||
                                     b == ShapeType::kBox || b == ShapeType::kCylinder);
}

namespace closed_form {

constexpr double kParallel = 1e-9;  // |a x b| of unit vectors below which it gives no direction

template <class T>
Vec3<T> unit_or(const Vec3<T>& v, const Vec3<T>& otherwise) {
  const T length = norm(v);
  return value_of(length) > kParallel ? (T(1) / length) * v : otherwise;
}

template <class T>
T clamp(const T& x, const T& low, const T& high) {
  if (value_of(x) < value_of(low)) return low;
  return value_of(x) > value_of(high) ? high : x;
}

template <class T>
T magnitude(const T& x) {
  return value_of(x) < 0.0 ? -x : x;
}

// A point of the surface of b, against the plane z = 0 of a.
template <class T>
ClosedFormPoint<T> against_plane(const Pose<T>& X_plane, const Vec3<T>& surface) {
  const Vec3<T> n = X_plane.R.column(2);
  const T gap = dot(n, surface - X_plane.p);
  return {surface - T(0.5) * gap * n, n, gap};
}

// Two balls, of radius zero for points. `apart`: the normal where their centres coincide.
template <class T>
ClosedFormPoint<T> between_balls(const Vec3<T>& a, const T& radius_a, const Vec3<T>& b, const T& radius_b,
                                 const Vec3<T>& apart) {
  const Vec3<T> n = unit_or(b - a, apart);
  const T gap = dot(n, b - a) - radius_a - radius_b;
  return {a + (radius_a + T(0.5) * gap) * n, n, gap};
}

// The end points of a capsule's axis.
template <class T>
std::pair<Vec3<T>, Vec3<T>> segment_of(const ShapeInGround<T>& capsule) {
  const Vec3<T> half = capsule.size.y * capsule.X.R.column(2);
  return {capsule.X.p - half, capsule.X.p + half};
}

template <class T>
Vec3<T> nearest_on_segment(const std::pair<Vec3<T>, Vec3<T>>& segment, const Vec3<T>& p) {
  const Vec3<T> d = segment.second - segment.first;
  const T square = dot(d, d);
  if (!(value_of(square) > 0.0)) return segment.first;
  return segment.first + clamp(dot(p - segment.first, d) / square, T(0), T(1)) * d;
}

// For a point given in a shape's axes: the outward normal at the nearest point of its surface.
template <class T>
struct SurfacePoint {
  Vec3<T> normal;
  T distance{};  // negative within
};

template <class T>
SurfacePoint<T> nearest_on_box(const Vec3<T>& half, const Vec3<T>& p) {
  const Vec3<T> nearest{clamp(p.x, -half.x, half.x), clamp(p.y, -half.y, half.y),
                        clamp(p.z, -half.z, half.z)};
  const Vec3<T> out = p - nearest;
  if (value_of(dot(out, out)) > 0.0) {
    const T distance = norm(out);
    return {(T(1) / distance) * out, distance};
  }
  int face = 0;
  T depth = half.x - magnitude(p.x);
  for (int k = 1; k < 3; ++k) {
    const T other = half[k] - magnitude(p[k]);
    if (value_of(other) < value_of(depth)) depth = other, face = k;
  }
  Vec3<T> normal{T(0), T(0), T(0)};
  normal[face] = T(value_of(p[face]) < 0.0 ? -1.0 : 1.0);
  return {normal, -depth};
}

template <class T>
SurfacePoint<T> nearest_on_cylinder(const Vec3<T>& size, const Vec3<T>& p) {
  const T &radius = size.x, &half = size.y;
  const T square = p.x * p.x + p.y * p.y;
  const bool is_on_axis = !(value_of(square) > 0.0);
  const T rho = is_on_axis ? T(0) : sqrt(square);
  const Vec3<T> radial = is_on_axis ? Vec3<T>{T(1), T(0), T(0)} : Vec3<T>{p.x / rho, p.y / rho, T(0)};
  const T side = rho - radius, end = magnitude(p.z) - half;
  if (!(value_of(side) > 0.0) && !(value_of(end) > 0.0)) {
    if (value_of(side) > value_of(end)) return {radial, side};
    return {{T(0), T(0), T(value_of(p.z) < 0.0 ? -1.0 : 1.0)}, end};
  }
  const T out = value_of(rho) < value_of(radius) ? rho : radius;
  const Vec3<T> nearest = out * radial + Vec3<T>{T(0), T(0), clamp(p.z, -half, half)};
  const T distance = norm(p - nearest);
  return {(T(1) / distance) * (p - nearest), distance};
}

// Adds the point of a ball and a shape whose surface is known; the normal points from the ball to the shape.
template <class T>
ClosedFormPoint<T> ball_against(const Vec3<T>& centre, const T& radius, const Pose<T>& X,
                                const SurfacePoint<T>& on) {
  const Vec3<T> n = X.R * on.normal;
  const T gap = on.distance - radius;
  return {centre - (radius + T(0.5) * gap) * n, -n, gap};
}

template <class T, class Visit>
void visit_rims(const Pose<T>& X_plane, const ShapeInGround<T>& b, const Visit& visit) {
  const Vec3<T> n = X_plane.R.column(2), z = b.X.R.column(2);
  const Vec3<T> lowest = unit_or(dot(n, z) * z - n, b.X.R.column(0)), beside = cross(z, lowest);
  const T kCos(-0.5), kSin(std::sqrt(3.0) / 2.0);  // of a third of a turn
  for (const T& end : {-b.size.y, b.size.y}) {
    for (const Vec3<T>& out : {lowest, kCos * lowest + kSin * beside, kCos * lowest - kSin * beside}) {
      visit(against_plane(X_plane, b.X.p + end * z + b.size.x * out));
    }
  }
}

template <class T, class Visit>
void visit_on_plane(const Pose<T>& X_plane, const ShapeInGround<T>& b, const Visit& visit) {
  const Vec3<T> n = X_plane.R.column(2);
  const Vec3<T>& size = b.size;
  const auto add = [&](const Vec3<T>& surface) { visit(against_plane(X_plane, surface)); };
  switch (b.type) {
    case ShapeType::kSphere:
      return add(b.X.p - size.x * n);
    case ShapeType::kEllipsoid: {
      const Vec3<T> m = b.X.R.transpose() * n;
      const Vec3<T> scaled{size.x * m.x, size.y * m.y, size.z * m.z};
      const T length = norm(scaled);
      if (value_of(length) == 0.0) return add(b.X.p);
      return add(b.X * ((T(-1) / length) * Vec3<T>{size.x * scaled.x, size.y * scaled.y, size.z * scaled.z}));
    }
    case ShapeType::kCapsule: {
      const auto [first, second] = segment_of(b);
      add(first - size.x * n);
      return add(second - size.x * n);
    }
    case ShapeType::kBox:
      for (unsigned i = 0; i < 8; ++i) {
        add(b.X * Vec3<T>{(i & 1U) != 0 ? size.x : -size.x, (i & 2U) != 0 ? size.y : -size.y,
                          (i & 4U) != 0 ? size.z : -size.z});
      }
      return;
    case ShapeType::kCylinder:
      return visit_rims(X_plane, b, visit);
    default:
      return;
  }
}

template <class T, class Visit>
void visit_on_sphere(const ShapeInGround<T>& a, const ShapeInGround<T>& b, const Visit& visit) {
  const T& radius = a.size.x;
  const Vec3<T>& centre = a.X.p;
  switch (b.type) {
    case ShapeType::kSphere:
      return visit(between_balls(centre, radius, b.X.p, b.size.x, Vec3<T>{T(0), T(0), T(1)}));
    case ShapeType::kCapsule:
      return visit(between_balls(centre, radius, nearest_on_segment(segment_of(b), centre), b.size.x,
                                 b.X.R.column(0)));
    case ShapeType::kBox:
      return visit(ball_against(centre, radius, b.X, nearest_on_box(b.size, inverse(b.X) * centre)));
    case ShapeType::kCylinder:
      return visit(ball_against(centre, radius, b.X, nearest_on_cylinder(b.size, inverse(b.X) * centre)));
    default:
      return;
  }
}

}  // namespace closed_form

// Calls visit(point) for each contact point of a pair, normals from a to b. has_closed_form() holds.
template <class T, class Visit>
void visit_closed_form_points(const ShapeInGround<T>& a, const ShapeInGround<T>& b, const Visit& visit) {
  if (a.type == ShapeType::kPlane) {
    closed_form::visit_on_plane(a.X, b, visit);
  } else {
    closed_form::visit_on_sphere(a, b, visit);
  }
}

}  // namespace sestina
