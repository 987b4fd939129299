// Energies and momenta of a state, and the powers that change the energy.
#pragma once

#include "sestina/dynamics/applied_forces.h"

namespace sestina {

template <class T>
struct Energy {
  T kinetic{};    // J, including rotor inertias (armature) and moving parts of force elements
  T potential{};  // J, zero for all mass at the ground origin and all springs at rest
};

// Momentum of all bodies about the ground origin, ground axes. Rotor inertias contribute nothing.
template <class T>
struct Momentum {
  Vec3<T> linear;   // kg m/s
  Vec3<T> angular;  // kg m^2/s
};

// d(kinetic + potential)/dt = supplied - dissipated
template <class T>
struct Power {
  T supplied{};    // W, by joint_force, point_force, point_torque and user forces
  T dissipated{};  // W, in dampers
};

template <class T>
Energy<T> calc_energy(const Model& model, const Properties<T>& properties, const State<T>& state,
                      const Kinematics<T>& kinematics, const AppliedForces<T>& forces);

template <class T>
Momentum<T> calc_momentum(const Model& model, const Properties<T>& properties, const State<T>& state,
                          const Kinematics<T>& kinematics);

template <class T>
Power<T> calc_power(const Model& model, const Properties<T>& properties, const State<T>& state,
                    const Kinematics<T>& kinematics, const AppliedForces<T>& forces);

// Names the force whose power is not finite: "the power of the force drive is not finite".
std::string explain_non_finite_power(const Model& model, const Properties<double>& properties,
                                     const State<double>& state, const Kinematics<double>& kinematics,
                                     const AppliedForces<double>& forces);

}  // namespace sestina
