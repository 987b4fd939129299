// A convex shape in the ground, described by its support function (ground axes, m). It consists of a core (a
// point, a segment or a solid) and everything within a radius of the core; the functions below describe the
// core.
//
//   h(n) = max of n . x over the core    the support function, convex and of degree one
//   s(n) = its gradient                  the farthest point in the direction n
//   H(n) = its Hessian                   radii of curvature of the surface there, in m; zero at corners
#pragma once

#include <utility>
#include <vector>

#include "sestina/contact/shape.h"

namespace sestina {

class ConvexBody {
 public:
  // `shape` must outlive this object; it is neither a plane nor a mesh that is not convex.
  ConvexBody(const Shape& shape, const Pose<double>& X_WS);

  double radius() const { return radius_; }  // m
  const Vec3<double>& centre() const { return centre_; }
  bool is_curved() const;                             // a cylinder or an ellipsoid: H is not zero everywhere
  Vec3<double> support(const Vec3<double>& n) const;  // s(n)
  SymMat3<double> curvature(const Vec3<double>& n) const;  // H(n), of a unit vector

  // Flat faces, by index. A disc, the end of a cylinder, has a radius.
  struct Face {
    Vec3<double> normal;
    Vec3<double> middle;  // of a disc
    double radius = 0.0;  // of a disc, otherwise 0
    std::vector<Vec3<double>>
        corners;  // anticlockwise; of a disc: points of its rim, the first farthest along n
  };
  int face_count() const;
  Vec3<double> face_normal(int face) const;
  double face_radius() const;                     // m, of discs, otherwise 0
  int face_towards(const Vec3<double>& n) const;  // the one whose normal is nearest to n; -1: none
  Face face(int index, const Vec3<double>& n) const;

  // line() returns the end points of the line farthest along n: on the side of a cylinder, an edge of a box,
  // the core of a capsule. has_line(): whether there is one.
  bool has_line() const;
  std::pair<Vec3<double>, Vec3<double>> line(const Vec3<double>& n) const;

  // Returns the corners of the feature that faces n most: a face, the ends of a line, or a point.
  std::vector<Vec3<double>> facing(const Vec3<double>& n) const;

 private:
  Vec3<double> axis(int k) const { return X_.R.column(k); }

  const Shape& shape_;
  Pose<double> X_;
  Vec3<double> centre_;
  double radius_ = 0.0;
};

}  // namespace sestina
