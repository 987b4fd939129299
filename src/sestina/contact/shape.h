// Shapes that touch each other, in axes of their own: convex bodies, and the half-space below a plane.
#pragma once

#include <cstdint>

#include "sestina/spatial/spatial.h"

namespace sestina {

enum class ShapeType : std::uint8_t {
  kSphere,      // size.x: radius
  kBox,         // size: halves of the edges
  kCylinder,    // about z; size.x: radius, size.y: half of the length
  kCapsule,     // about z; size.x: radius, size.y: half of the distance between the centres of its caps
  kEllipsoid,   // size: half axes
  kPlane,       // solid where z < 0; no size
  kConvexMesh,  // Shape::surface; no size
  kMesh,        // likewise, of triangles
};

struct Surface;

struct Shape {
  ShapeType type = ShapeType::kSphere;
  Vec3<double> size;                 // m
  const Surface* surface = nullptr;  // of meshes
};

// A point at which two shapes touch or come closest. Ground axes.
struct ContactPoint {
  Vec3<double> p;       // m, half way between the two surfaces
  Vec3<double> normal;  // from the first shape to the second, of length one
  double gap = 0.0;     // m, negative where the shapes overlap
};

// Radii (m) of the largest ball in a shape and of the smallest ball about its origin that holds it; a plane
// has neither.
double inner_radius(const Shape& shape);
double outer_radius(const Shape& shape);

// Whether contact points between shapes of these two types can be found.
bool can_touch(ShapeType a, ShapeType b);
const char* name_of(ShapeType type);  // "sphere"

}  // namespace sestina
