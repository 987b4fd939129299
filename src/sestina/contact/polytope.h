// Convex bodies with flat faces, made from closed triangle meshes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sestina/spatial/spatial.h"

namespace sestina {

// Triangles of a surface, in axes of their own; corners anticlockwise as seen from outside.
struct TriangleMesh {
  std::vector<std::array<float, 3>> points;  // m
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

struct Polytope {
  struct Face {
    Vec3<double> normal;       // outward, of length one
    std::vector<int> corners;  // anticlockwise as seen from outside
  };
  std::vector<Vec3<double>> points;  // m
  std::vector<Face> faces;           // coplanar triangles are one face
  Vec3<double> centre;               // m, a point within
  double inner_radius = 0.0;         // m, of the largest ball about the centre
  double outer_radius = 0.0;         // m, of the smallest ball about the origin
};

// Coplanarity and convexity are decided with this tolerance, relative to the size of the body, since files
// hold single precision.
inline constexpr double kFlat = 1e-6;

// Convex meshes with more faces are treated as those that are not convex: the time that a pair of convex
// meshes takes grows with the square of this number.
inline constexpr std::size_t kMostConvexFaces = 500;

// Returns nothing where the surface is not convex, or has more than `most_faces`. Every edge must belong to
// two triangles. `scale` may mirror.
std::optional<Polytope> make_polytope(const TriangleMesh& mesh, const Vec3<double>& scale,
                                      std::size_t most_faces = kMostConvexFaces);

// Number of edges that do not belong to exactly two triangles of opposite sense; zero: closed.
// Triangles with two equal corners do not count.
int count_open_edges(const TriangleMesh& mesh);

}  // namespace sestina
