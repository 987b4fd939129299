// The points at which two shapes touch or come closest, in a fixed order. Their number is fixed for a plane
// and for a sphere; otherwise it is that of the corners of a face or line, clipped by a face or line of the
// other.
//
//   plane and     sphere 1, ellipsoid 1, capsule 2 (its caps), box 8 (its corners), cylinder 6 (three on
//                 each rim, of which the first is the lowest)
//   sphere and    sphere 1, capsule 1, box 1, cylinder 1, ellipsoid 1
//   others        on a face: the corners of the facing feature, the ends of a line, or one point; 8 points of
//                 a disc; two parallel lines 2; otherwise 1 (convex_pair.h)
#pragma once

#include <vector>

#include "sestina/contact/shape.h"

namespace sestina {

// Appends the points of a pair, normals from a to b. X_W: poses of the shapes in the ground. `can_touch`
// holds.
void add_contact_points(const Shape& a, const Pose<double>& X_Wa, const Shape& b, const Pose<double>& X_Wb,
                        std::vector<ContactPoint>& points);

}  // namespace sestina
