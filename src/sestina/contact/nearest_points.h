// The nearest points of two convex bodies, by the method of Gilbert, Johnson and Keerthi (IEEE Journal of
// Robotics and Automation 4, 1988).
#pragma once

#include "sestina/contact/convex_body.h"

namespace sestina {

struct NearestPoints {
  Vec3<double> on_a, on_b;  // m, of the cores
  double distance = 0.0;    // m, of the cores; zero where they overlap
  // Differences of the support points between which the nearest points lie: edges of a body where they are
  // not zero.
  Vec3<double> edge_a, edge_b;
};

// `kept`: each core is scaled about its centre by this factor, at most 1. b is moved by `shift`.
NearestPoints find_nearest_points(const ConvexBody& a, const ConvexBody& b, double kept = 1.0,
                                  const Vec3<double>& shift = {});

}  // namespace sestina
