// The velocity of a marker as a function of the speeds: V_K = J u, with J (6 x nu) by columns,
//   J_k = [H_k.w; H_k.v + H_k.w x p]      for speeds k inboard of the marker, p from Mo of k to it      (1)
// and zero for all others. Its transpose takes a force at the marker to generalised forces: tau = J^T F.
#pragma once

#include <span>

#include "sestina/dynamics/kinematics.h"

namespace sestina {

// columns (nu): [angular; linear] velocity of the marker for each speed, ground axes, for the coordinates to
// which `kinematics` belongs. O(nu), no allocation if the marker is on a body.
template <class T>
void calc_marker_jacobian(const Model& model, const Kinematics<T>& kinematics, const Marker<T>& marker,
                          std::span<SpatialMotion<T>> columns);

// tau (nu) += J^T F for a force F = [torque; force] at the marker, ground axes. O(depth), no allocation.
template <class T>
void add_generalized_force(const Model& model, const Kinematics<T>& kinematics, const Marker<T>& marker,
                           const SpatialForce<T>& force, std::span<T> tau);

}  // namespace sestina
