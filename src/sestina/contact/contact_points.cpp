#include "sestina/contact/contact_points.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

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

// The closest points of two segments (Ericson, Real-Time Collision Detection, 2005, section 5.1.9).
std::pair<Vec, Vec> nearest_of_segments(const std::pair<Vec, Vec>& a, const std::pair<Vec, Vec>& b) {
  const Vec d1 = a.second - a.first, d2 = b.second - b.first, r = a.first - b.first;
  const double A = dot(d1, d1), E = dot(d2, d2), B = dot(d1, d2), C = dot(d1, r), F = dot(d2, r);
  const double denominator = A * E - B * B;
  double s = 0.5;
  if (denominator > kParallel * A * E) {
    s = std::clamp((B * F - C * E) / denominator, 0.0, 1.0);
  } else if (A <= 0.0) {
    s = 0.0;
  }
  const double t = E > 0.0 ? std::clamp((B * s + F) / E, 0.0, 1.0) : 0.0;
  const Vec on_b = b.first + t * d2;
  const Vec on_a = nearest_on_segment(a, on_b);
  return {on_a, nearest_on_segment(b, on_a)};
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

// ---- two boxes --------------------------------------------------------------------------------------------
// Along the axis on which they are farthest apart (or overlap least) one box has a face or an edge. A face is
// the reference on which the nearest face of the other is clipped; its corners that are left are the points.
// For two edges their nearest points give one point. (Gottschalk, Lin and Manocha, SIGGRAPH 1996; clipping by
// Sutherland and Hodgman 1974.)

constexpr double kPreferFace = 1e-6;  // of the boxes' size, by which an edge has to be farther apart
constexpr double kFlush = 1e-7;       // likewise: a corner that is no farther beyond a side lies on it

struct Separation {
  double gap = -std::numeric_limits<double>::infinity();
  Vec normal;                  // from a to b
  int face_of = -1, axis = 0;  // 0: of a, 1: of b; -1: edges
  int edge_a = 0, edge_b = 0;
};

double reach(const Shape& box, const Pose<double>& X, const Vec& direction) {
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) sum += box.size[k] * std::abs(dot(direction, axis_of(X, k)));
  return sum;
}

Separation find_separation(const Shape& a, const Pose<double>& X_a, const Shape& b, const Pose<double>& X_b) {
  const Vec between = X_b.p - X_a.p;
  const double size = norm(a.size) + norm(b.size);
  Separation best;
  const auto look = [&](Vec n, double advantage, const Separation& candidate) {
    if (dot(n, between) < 0.0) n = -1.0 * n;
    const double gap = dot(n, between) - reach(a, X_a, n) - reach(b, X_b, n);
    if (gap <= best.gap + advantage * size) return;
    best = candidate;
    best.gap = gap, best.normal = n;
  };
  for (int k = 0; k < 3; ++k) look(axis_of(X_a, k), 0.0, {.normal = {}, .face_of = 0, .axis = k});
  for (int k = 0; k < 3; ++k) look(axis_of(X_b, k), kPreferFace, {.normal = {}, .face_of = 1, .axis = k});
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      const Vec n = cross(axis_of(X_a, i), axis_of(X_b, k));
      const double length = norm(n);
      if (length > 1e-6) look((1.0 / length) * n, kPreferFace, {.normal = {}, .edge_a = i, .edge_b = k});
    }
  }
  return best;
}

// The edge along an axis that reaches farthest in a direction.
std::pair<Vec, Vec> farthest_edge(const Shape& box, const Pose<double>& X, int along, const Vec& direction) {
  Vec middle = X.p;
  for (int k = 0; k < 3; ++k) {
    if (k == along) continue;
    const Vec axis = axis_of(X, k);
    middle = middle + (dot(axis, direction) < 0.0 ? -box.size[k] : box.size[k]) * axis;
  }
  const Vec half = box.size[along] * axis_of(X, along);
  return {middle - half, middle + half};
}

// Corners of the face whose normal is nearest to a direction.
std::vector<Vec> facing(const Shape& box, const Pose<double>& X, const Vec& direction) {
  int axis = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(dot(axis_of(X, k), direction)) > std::abs(dot(axis_of(X, axis), direction))) axis = k;
  }
  const Vec n = axis_of(X, axis);
  const Vec middle = X.p + (dot(n, direction) < 0.0 ? -box.size[axis] : box.size[axis]) * n;
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  const Vec u = box.size[i] * axis_of(X, i), v = box.size[j] * axis_of(X, j);
  return {middle - u - v, middle + u - v, middle + u + v, middle - u + v};
}

// Returns the part of a polygon where n . (x - p) <= bound.
std::vector<Vec> clipped(const std::vector<Vec>& polygon, const Vec& n, const Vec& p, double bound) {
  std::vector<Vec> inside;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec &one = polygon[i], &next = polygon[(i + 1) % polygon.size()];
    const double here = dot(n, one - p) - bound, there = dot(n, next - p) - bound;
    if (here <= 0.0) inside.push_back(one);
    if ((here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0)) {
      inside.push_back(one + (here / (here - there)) * (next - one));
    }
  }
  return inside;
}

void add_boxes(const Shape& a, const Pose<double>& X_a, const Shape& b, const Pose<double>& X_b,
               std::vector<ContactPoint>& points) {
  const Separation best = find_separation(a, X_a, b, X_b);
  const Vec& n = best.normal;
  const std::size_t first = points.size();
  if (best.face_of >= 0) {
    const bool is_a = best.face_of == 0;
    const Shape &reference = is_a ? a : b, &other = is_a ? b : a;
    const Pose<double>&X_r = is_a ? X_a : X_b, &X_o = is_a ? X_b : X_a;
    const Vec out = is_a ? n : -1.0 * n;  // of the reference
    std::vector<Vec> polygon = facing(other, X_o, -1.0 * out);
    for (int k = 0; k < 3; ++k) {
      if (k == best.axis) continue;
      const Vec side = axis_of(X_r, k);
      const double bound = reference.size[k] + kFlush * norm(reference.size);
      polygon = clipped(polygon, side, X_r.p, bound);
      polygon = clipped(polygon, -1.0 * side, X_r.p, bound);
    }
    for (const Vec& corner : polygon) {
      const double gap = dot(out, corner - X_r.p) - reference.size[best.axis];
      points.push_back({corner - 0.5 * gap * out, n, gap});
    }
  } else {
    const auto [p, q] = nearest_of_segments(farthest_edge(a, X_a, best.edge_a, n),
                                            farthest_edge(b, X_b, best.edge_b, -1.0 * n));
    points.push_back({0.5 * (p + q), n, best.gap});
  }
  // Boxes may be separated along every axis without a face of one lying above the other: the point halfway
  // between them then represents their distance.
  if (points.size() == first) points.push_back({0.5 * (X_a.p + X_b.p), n, std::max(best.gap, 0.0)});
}

// The order of the types in the pairs that the functions above treat.
int rank(ShapeType type) {
  switch (type) {
    case ShapeType::kPlane:
      return 0;
    case ShapeType::kSphere:
      return 1;
    case ShapeType::kCapsule:
      return 2;
    default:
      return 3;
  }
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

bool can_touch(ShapeType a, ShapeType b) {
  if (rank(a) > rank(b)) std::swap(a, b);
  switch (a) {
    case ShapeType::kPlane:
      return b != ShapeType::kPlane;
    case ShapeType::kSphere:
      return b != ShapeType::kEllipsoid;
    case ShapeType::kCapsule:
      return b == ShapeType::kCapsule;
    default:
      return a == ShapeType::kBox && b == ShapeType::kBox;
  }
}

const char* name_of(ShapeType type) {
  constexpr std::array<const char*, 6> kNames{"sphere", "box", "cylinder", "capsule", "ellipsoid", "plane"};
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
  if (a.type == ShapeType::kSphere) return add_sphere(a, X_Wa, b, X_Wb, points);
  if (a.type == ShapeType::kBox) return add_boxes(a, X_Wa, b, X_Wb, points);
  const auto [p, q] = nearest_of_segments(segment_of(a, X_Wa), segment_of(b, X_Wb));
  points.push_back(between_balls(p, a.size.x, q, b.size.x,
                                 unit_or(cross(axis_of(X_Wa, 2), axis_of(X_Wb, 2)), axis_of(X_Wa, 0))));
}

}  // namespace sestina
