// The mass of the cables of a model (flexible/cable_element.h) in its equations of motion.
//
// The nodes' bodies and the joints of the slopes carry the diagonal part of the elements' mass matrices; rows
// that stand for inertias (constraint_row.h) carry the rest, three for each axis x, y, z of an element:
//   C u = sqrt(rho h) sum of c_i h^(0 or 1) edot_i                                                       (1)
// with c of CableMass; the factor h^1 is for slopes. Gravity acts on positions: a row's bias is that of an
// acceleration -g of the positions.
#pragma once

#include "sestina/dynamics/constraint_rows.h"

namespace sestina {

// Fills the rows (1). No allocation.
template <class T>
void set_cable_rows(const Model& model, const Properties<T>& properties, ConstraintRows<T>& constraints);

// Returns kinetic and potential energy (J) in addition to those of bodies and joints.
template <class T>
struct CableEnergy {
  T kinetic{}, potential{};
};
template <class T>
CableEnergy<T> calc_cable_mass_energy(const Properties<T>& properties, const State<T>& state,
                                      const Kinematics<T>& kinematics);

// Returns momenta (kg m/s, kg m^2/s; about the ground's origin, ground axes) in addition to those of bodies.
template <class T>
SpatialForce<T> calc_cable_momentum(const Properties<T>& properties, const State<T>& state,
                                    const Kinematics<T>& kinematics);

}  // namespace sestina
