// Surfaces of triangles that need not be convex: solids within closed meshes, and height fields.
//
// A triangle touches at its front only, and at an edge or a corner only along normals that the adjacent
// triangles allow too, so that the seam between two coplanar triangles has no effect. At the rim of a height
// field the surface continues in vertical sides, which do not touch anything.
//
// A binary tree of boxes along the coordinate axes finds the triangles near a body: the triangles of a node
// are divided at the median of their centres along the longest side of its box.
#pragma once

#include <vector>

#include "sestina/contact/surface.h"

namespace sestina {

class ConvexBody;
struct ContactPoint;

class TriangleTree {
 public:
  // Triangles with two equal corners are left out.
  TriangleTree(const TriangleMesh& mesh, const Vec3<double>& scale);

  double inner_radius() const { return inner_radius_; }  // m, a twentieth of the smallest extent
  double outer_radius() const { return outer_radius_; }  // m, about the origin
  // Points that may touch a plane: all but those in the interior of plane parts of the surface and of
  // straight edges.
  const std::vector<Vec3<double>>& corners() const { return corners_; }

  // Appends the points of the surface, placed at X, and of a body, normals towards the body, in the order of
  // the triangles. Gaps exceed the smallest one, or zero where that is negative, by at most `margin` (m).
  void add_points(const Pose<double>& X, const ConvexBody& body, double margin,
                  std::vector<ContactPoint>& points) const;

 private:
  struct Triangle {
    Surface body;                       // its face is the front
    std::array<int, 3> corners{};       // in points_
    std::array<Vec3<double>, 3> out{};  // unit vectors in its plane, across the edges from corner k to k + 1
    // The same of the triangle beyond that edge; at a rim, of a side that goes down along -z.
    std::array<Vec3<double>, 3> beyond{};
  };
  struct Node {
    Vec3<double> low, high;
    int first = 0, count = 0;  // triangles, by order_
    int left = -1, right = -1;
  };
  struct Box {
    Vec3<double> low, high;
  };

  void add_triangle(const std::array<std::uint32_t, 3>& corners);
  void find_neighbours();
  void find_corners();
  int build(int first, int count);
  bool is_felt(const Triangle& triangle, const Vec3<double>& p, const Vec3<double>& n) const;
  static double distance(const Node& node, const Box& box);

  std::vector<Vec3<double>> points_, corners_;
  std::vector<std::vector<Vec3<double>>> spokes_;  // by point: unit vectors along its edges
  std::vector<Triangle> triangles_;
  std::vector<int> order_;
  std::vector<Node> nodes_;  // the first is the root
  double inner_radius_ = 0.0, outer_radius_ = 0.0, size_ = 0.0;
};

// Reduces points with one normal in one plane to the corners of their convex hull, which can carry the same
// loads; considers the points from `first` on. Tolerances (m): `flat` for the plane, `beside` for the
// outline.
void keep_outlines(std::vector<ContactPoint>& points, std::size_t first, double flat, double beside);

}  // namespace sestina
