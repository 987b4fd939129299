// Contact points of two convex bodies.
//
// For a unit vector n from a to b, the bodies are apart along n by
//
//   g(n) = -h_a(n) - h_b(-n)                                                                           (1)
//
// and their gap is the largest g(n): the distance where they are apart, minus the depth where they overlap.
// The vector between the nearest points loses its direction to round-off where the bodies touch; the maximum
// of g is well conditioned. It is found in three steps.
//
//   1. nearest points of the bodies, and of bodies shrunk about their centres until they are apart, give
//      directions to start from (nearest_points.h);
//   2. candidates: the normals of the faces that point there; for curved bodies Newton's method for
//
//        (H_a(n) + H_b(-n) + g) dn = s_b(-n) - s_a(n)   in the directions along which n may turn          (2)
//
//      n may turn about the edges at which the bodies are nearest, and freely at points;
//   3. the candidate with the largest g(n) is the normal; of those equal to round-off, a face comes first.
//
// On a face, the facing part of the other body is clipped (Sutherland and Hodgman 1974). Parallel lines touch
// at two points, everything else at one.
#pragma once

#include <vector>

#include "sestina/contact/convex_body.h"

namespace sestina {

// Appends the points, normals from a to b, of which at least one has the gap of the bodies.
void add_convex_points(const ConvexBody& a, const ConvexBody& b, std::vector<ContactPoint>& points);

}  // namespace sestina
