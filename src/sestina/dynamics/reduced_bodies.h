// The reduced bodies of a model (flexible/reduced_body.h) in its equations of motion.
//
// A reduced body consists of the rigid body B, which floats, and one further body for each mode, whose joint
// has the mode's amplitude as its coordinate and moves nothing else. These carry the part a of the inertia,
//   M_0 = diag(a J0, m, a m)                                                                          (1)
// and rows that stand for inertias (constraint_row.h) carry the rest, M - M_0 = sum of C^T C:
//   of mode i:      C = sqrt(b m) etadot_i + G_i.w / sqrt(b m),   b = 1 - a                           (2)
//   of rotation:    L^T w,   L L^T = J - a J0 - sum G_i G_i^T / (b m)                                 (3)
// Their biases d are such that C^T d are the inertial forces in addition to those of B. If the matrix of (3)
// is not positive definite, the deformation is far beyond the range of linear modes, and the rows are not
// finite.
//
// Interfaces are frames that carry markers, numbered after the bodies (forces/marker.h): their motions follow
// from B and the amplitudes, and forces on them act on B and on the modes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sestina/dynamics/constraint_rows.h"

namespace sestina {

// Computes the motions of interfaces from those of bodies.
template <class T>
void update_interfaces(const Model& model, const State<T>& state, Kinematics<T>& kinematics);

// Replaces forces on interfaces by forces on bodies, about Mo, and on modes, tau (nu).
template <class T>
void apply_interface_forces(const Model& model, const State<T>& state, const Kinematics<T>& kinematics,
                            std::span<SpatialForce<T>> frame_forces, std::span<T> tau);

// Appends the accelerations of interfaces to `frames`, which holds those of bodies about Mo.
void add_interface_accelerations(const Model& model, const State<double>& state,
                                 const Kinematics<double>& kinematics, std::span<const double> udot,
                                 std::vector<SpatialMotion<double>>& frames);

// The velocity of an interface per unit rate of each amplitude, ground axes, and the interface's position.
template <class T>
struct InterfaceColumns {
  BodyIndex body;
  Vec3<T> arm;      // m, from B's origin
  int u_start = 0;  // index of the first mode's speed
  std::vector<SpatialMotion<T>> modes;
};
template <class T>
InterfaceColumns<T> calc_interface_columns(const Model& model, const Kinematics<T>& kinematics,
                                           FrameIndex interface);

// start_reduced_rows() removes the terms of the last call. finish_reduced_rows(), called after all other rows
// are set, sets the rows (2) and (3) and converts rows between interfaces to rows between bodies, with terms
// for the modes. No allocation after the first call.
template <class T>
void start_reduced_rows(const Model& model, ConstraintRows<T>& constraints);
template <class T>
void finish_reduced_rows(const Model& model, const State<T>& state, const Kinematics<T>& kinematics,
                         ConstraintRows<T>& constraints);

// Kinetic energy (J) and angular momentum (kg m^2/s, ground axes) in addition to those of B and of the joints
// of modes.
template <class T>
T calc_reduced_kinetic_energy(const Model& model, const State<T>& state, const Kinematics<T>& kinematics);
template <class T>
Vec3<T> calc_reduced_angular_momentum(const Model& model, const State<T>& state,
                                      const Kinematics<T>& kinematics);

// Strain energy (J) of all modes.
double calc_reduced_strain_energy(const Model& model, std::span<const double> q);

}  // namespace sestina
