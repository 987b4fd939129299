// Forces that read or drive joints that close loops: the coordinates of these joints before the force
// elements are evaluated, and the effect of their generalised forces on bodies afterwards.
#pragma once

#include <type_traits>

#include "sestina/dynamics/applied_forces.h"

namespace sestina {

// SIMD lanes and formulas refuse models with constraints.
template <class T>
inline constexpr bool kTakesConstraints = std::is_same_v<T, double> || std::is_same_v<T, Dual>;

// Fills forces.cut: coordinates and speeds of all joints, the motions of cut joints, and generalised forces
// of zero.
template <class T>
void find_cut_joints(const Properties<T>& properties, const State<T>& state, const Kinematics<T>& kinematics,
                     AppliedForces<T>& forces);

// Adds the generalised forces in forces.cut.tau to those of the tree and to the forces on bodies.
template <class T>
void apply_cut_joint_forces(const Properties<T>& properties, AppliedForces<T>& forces);

}  // namespace sestina
