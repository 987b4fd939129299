// A virtual motion z (nu) of a tree, and the forces of subtrees along it: the sums needed for products of z
// with derivatives of inverse dynamics (inverse_dynamics_transpose.h).
#pragma once

#include <span>
#include <vector>

#include "sestina/spatial/spatial.h"

namespace sestina {

struct VirtualMotion {
  std::span<const double> z;
  // By BodyIndex, about Mo, ground axes: V = sum of z_l H_l over the joints inboard of the body and its own;
  // U and W = sums of z_l U_l and z_l W_l of (10) in inverse_dynamics_derivatives.h over its joint and
  // outboard.
  std::vector<SpatialMotion<double>> V;
  std::vector<SpatialForce<double>> U;
  std::vector<Vec3<double>> W;
};

}  // namespace sestina
