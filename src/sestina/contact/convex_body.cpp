#include "sestina/contact/convex_body.h"

#include <algorithm>
#include <cmath>

#include "sestina/contact/surface.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;

constexpr int kRimPoints = 8;   // of a disc
constexpr double kSteep = 0.5;  // cosine of the angle from a cylinder's axis at which its end is what faces

double signed_as(double size, double x) { return x < 0.0 ? -size : size; }

// Returns one of the two other axes (k = 1, 2).
int after(int axis, int k) { return (axis + k) % 3; }

}  // namespace

ConvexBody::ConvexBody(const Shape& shape, const Pose<double>& X_WS)
    : shape_(shape), X_(X_WS), centre_(X_WS.p) {
  if (shape.type == ShapeType::kSphere || shape.type == ShapeType::kCapsule) radius_ = shape.size.x;
  if (shape.type == ShapeType::kConvexMesh) centre_ = X_ * shape.surface->polytope->centre;
}

bool ConvexBody::is_curved() const {
  return shape_.type == ShapeType::kCylinder || shape_.type == ShapeType::kEllipsoid;
}

Vec ConvexBody::support(const Vec& n) const {
  const Vec m = transpose_times(X_.R, n), &size = shape_.size;
  switch (shape_.type) {
    case ShapeType::kBox:
      return X_ * Vec{signed_as(size.x, m.x), signed_as(size.y, m.y), signed_as(size.z, m.z)};
    case ShapeType::kCylinder: {
      const double rho = std::hypot(m.x, m.y);
      const double s = rho > 0.0 ? size.x / rho : 0.0;
      return X_ * Vec{s * m.x, s * m.y, signed_as(size.y, m.z)};
    }
    case ShapeType::kCapsule:
      return X_ * Vec{0.0, 0.0, signed_as(size.y, m.z)};
    case ShapeType::kEllipsoid: {
      const Vec scaled{size.x * m.x, size.y * m.y, size.z * m.z};
      const double length = norm(scaled);
      if (length == 0.0) return X_.p;
      return X_ * ((1.0 / length) * Vec{size.x * scaled.x, size.y * scaled.y, size.z * scaled.z});
    }
    case ShapeType::kConvexMesh:
      return X_ * *std::ranges::max_element(shape_.surface->polytope->points, {},
                                            [&](const Vec& p) { return dot(m, p); });
    default:
      return X_.p;
  }
}

SymMat3<double> ConvexBody::curvature(const Vec& n) const {
  const Vec m = transpose_times(X_.R, n), &size = shape_.size;
  SymMat3<double> H;
  if (shape_.type == ShapeType::kCylinder) {  // (r / rho) t t^T, t along the rim
    const double rho = std::hypot(m.x, m.y);
    if (rho == 0.0) return H;
    const double x = m.x / rho, y = m.y / rho, s = size.x / rho;
    H.xx = s * y * y, H.yy = s * x * x, H.xy = -s * x * y;
  } else if (shape_.type == ShapeType::kEllipsoid) {  // D^2 / h - (D^2 m) (D^2 m)^T / h^3, h = |D m|
    const Vec square{size.x * size.x, size.y * size.y, size.z * size.z};
    const Vec v{square.x * m.x, square.y * m.y, square.z * m.z};
    const double h = std::sqrt(dot(m, v)), c = 1.0 / h, d = c * c * c;
    H = {c * square.x - d * v.x * v.x,
         c * square.y - d * v.y * v.y,
         c * square.z - d * v.z * v.z,
         -d * v.x * v.y,
         -d * v.x * v.z,
         -d * v.y * v.z};
  }
  return rotate(X_.R, H);
}

int ConvexBody::face_count() const {
  switch (shape_.type) {
    case ShapeType::kBox:
      return 6;
    case ShapeType::kCylinder:
      return 2;
    case ShapeType::kConvexMesh:
      return static_cast<int>(shape_.surface->polytope->faces.size());
    default:
      return 0;
  }
}

// Faces 2 k and 2 k + 1 of a box are those in the directions -k and +k.
Vec ConvexBody::face_normal(int face) const {
  if (shape_.type == ShapeType::kConvexMesh) {
    return X_.R * shape_.surface->polytope->faces[static_cast<std::size_t>(face)].normal;
  }
  const Vec n = axis(shape_.type == ShapeType::kCylinder ? 2 : face / 2);
  return face % 2 == 0 ? -n : n;
}

double ConvexBody::face_radius() const { return shape_.type == ShapeType::kCylinder ? shape_.size.x : 0.0; }

int ConvexBody::face_towards(const Vec& n) const {
  int best = -1;
  double most = -2.0;
  const Vec m = transpose_times(X_.R, n);
  if (shape_.type == ShapeType::kBox) {
    for (int k = 0; k < 3; ++k) {
      if (std::abs(m[k]) > most) most = std::abs(m[k]), best = 2 * k + (m[k] < 0.0 ? 0 : 1);
    }
  } else if (shape_.type == ShapeType::kCylinder) {
    return m.z < 0.0 ? 0 : 1;
  } else if (shape_.type == ShapeType::kConvexMesh) {
    for (int i = 0; i < face_count(); ++i) {
      const double cosine = dot(m, shape_.surface->polytope->faces[static_cast<std::size_t>(i)].normal);
      if (cosine > most) most = cosine, best = i;
    }
  }
  return best;
}

ConvexBody::Face ConvexBody::face(int index, const Vec& n) const {
  Face face;
  face.normal = face_normal(index);
  const Vec& size = shape_.size;
  if (shape_.type == ShapeType::kConvexMesh) {
    for (const int i : shape_.surface->polytope->faces[static_cast<std::size_t>(index)].corners) {
      face.corners.push_back(X_ * shape_.surface->polytope->points[static_cast<std::size_t>(i)]);
    }
  } else if (shape_.type == ShapeType::kBox) {
    const int k = index / 2, i = after(k, 1), j = after(k, 2);
    face.middle = X_.p + size[k] * face.normal;
    const Vec u = size[i] * axis(i), v = (index % 2 == 0 ? -size[j] : size[j]) * axis(j);
    const Vec& c = face.middle;
    face.corners = {c - u - v, c + u - v, c + u + v, c - u + v};
  } else {
    face.middle = X_.p + size.y * face.normal;
    face.radius = size.x;
    const Vec lean = n - dot(n, face.normal) * face.normal;
    const double length = norm(lean);
    const Vec out = length > 1e-9 ? (1.0 / length) * lean : axis(0), beside = cross(face.normal, out);
    for (int i = 0; i < kRimPoints; ++i) {
      const double angle = 2.0 * std::acos(-1.0) * i / kRimPoints;
      face.corners.push_back(face.middle + size.x * (std::cos(angle) * out + std::sin(angle) * beside));
    }
  }
  return face;
}

bool ConvexBody::has_line() const {
  return shape_.type == ShapeType::kCylinder || shape_.type == ShapeType::kBox ||
         shape_.type == ShapeType::kCapsule;
}

std::pair<Vec, Vec> ConvexBody::line(const Vec& n) const {
  const Vec m = transpose_times(X_.R, n), &size = shape_.size;
  if (shape_.type == ShapeType::kBox) {
    int along = 0;
    for (int k = 1; k < 3; ++k) {
      if (std::abs(m[k]) < std::abs(m[along])) along = k;
    }
    const int i = after(along, 1), j = after(along, 2);
    const Vec middle = X_.p + signed_as(size[i], m[i]) * axis(i) + signed_as(size[j], m[j]) * axis(j);
    return {middle - size[along] * axis(along), middle + size[along] * axis(along)};
  }
  Vec middle = X_.p;
  const double rho = std::hypot(m.x, m.y);
  if (shape_.type == ShapeType::kCylinder && rho > 0.0) {
    middle += (size.x / rho) * (m.x * axis(0) + m.y * axis(1));
  }
  return {middle - size.y * axis(2), middle + size.y * axis(2)};
}

std::vector<Vec> ConvexBody::facing(const Vec& n) const {
  const bool is_end = shape_.type == ShapeType::kCylinder && std::abs(dot(n, axis(2))) > kSteep;
  if (is_end || shape_.type == ShapeType::kBox || shape_.type == ShapeType::kConvexMesh) {
    return face(face_towards(n), n).corners;
  }
  if (!has_line()) return {support(n)};
  const auto [first, second] = line(n);
  return {first, second};
}

}  // namespace sestina
