// The points at which two shapes touch or come closest. Their order is fixed, and so is their number, except
// for two boxes: a point keeps its place from step to step.
//
//   plane and     sphere 1, ellipsoid 1, capsule 2 (its caps), box 8 (its corners), cylinder 6 (three on
//                 each rim, of which the first is the lowest)
//   sphere and    sphere 1, capsule 1, box 1, cylinder 1
//   capsule and   capsule 1
//   box and       box: one point of two edges, or up to eight corners of a face clipped on one of the other
#pragma once

#include <vector>

#include "sestina/contact/shape.h"

namespace sestina {

// Appends the points of a pair, normals from a to b. X_W: poses of the shapes in the ground. `can_touch`
// holds.
void add_contact_points(const Shape& a, const Pose<double>& X_Wa, const Shape& b, const Pose<double>& X_Wb,
                        std::vector<ContactPoint>& points);

}  // namespace sestina
