// The velocity of a point by the speeds: V_P = J u, with J (6 x nu) by columns,
//   J_k = [H_k.w; H_k.v + H_k.w x p]      for speeds k inboard of the point, p from Mo of k to it       (1)
// and zero for all others. Its transpose takes a force at the point to generalised forces.
#pragma once

#include <span>

#include "sestina/dynamics/kinematics.h"

namespace sestina {

// columns (nu): [angular; linear] velocity of the point's frame by each speed, ground axes, for the
// coordinates to which `kinematics` belongs. O(nu), no allocation.
template <class T>
void calc_point_jacobian(const Model& model, const Properties<T>& properties, const Kinematics<T>& kinematics,
                         PointIndex point, std::span<SpatialMotion<T>> columns);

}  // namespace sestina
