// Forward dynamics by the articulated-body recursion: O(n).
//
// Frames, points, c and (1)-(5) as in kinematics.h. Accelerations are relative to free fall (less g), so that
// weights need no terms: the acceleration of the ground is -g. Tips inward, with I the articulated inertia of
// B and everything outboard of it, and z its bias force (the force for zero acceleration of B), both about Mo
// of B:
//   I = M + sum over children of I_C,   z = gyroscopic - applied + sum over children of z_C       (6)
//   z += I c,   U = I H,   D = H^T U + armature,   e = tau - H^T z                               (7)
//   W = U D^-1,   I -= U W^T,   z += W e,   shifted by s to the parent's Mo                       (8)
// I and z of (8) enter (6) of the parent as I_C and z_C. Then outward:
//   udot = D^-1 e - W^T A_P,   A = shift(A_P, s) + c + H udot                                    (9)
// For a spherical joint, whose columns are perpendicular axes, (7) to (9) reduce to (all about Mo)
//   G = J^-1 [B  z.torque - tau],   [m  z.force] -= B^T G,   J = B = 0,   z.torque = tau          (8')
//   A.w = -G [A.v; 1],   udot = H^T (A.w - A_P.w - c.w)                                           (9')
// with tau in ground axes and I = [J B; B^T m]; z.force then also takes m c.v, and A.v is the v of shift(A_P,
// s) + c. The reaction is the sum of M A + gyroscopic - applied over all outboard bodies. A revolute joint
// shifts I and U before (8), not after, so that the division by D does not delay the shift
// (docs/decisions/recursion-layout.md).
//
// | here | Featherstone 2008 | meaning                         |
// |------|-------------------|---------------------------------|
// | I, I of (8) | I^A, I^a    | articulated inertia, seen through the joint |
// | z, z of (8) | p^A, p^a    | bias force                      |
// | H    | S                 | joint columns                   |
// | e    | u                 | generalised force less the bias force along H |
//
// Cost: about 300 multiplications per body with one speed. Source: Featherstone, Rigid Body Dynamics
// Algorithms (2008), section 7.3, in ground axes about each body's own point and classical accelerations.
#pragma once

#include "sestina/dynamics/articulated_sweep.h"

namespace sestina {

template <class T>
class RecursiveSolver {
 public:
  explicit RecursiveSolver(const Model& model);

  // udot (nu) for the state to which `kinematics` and `forces` belong. No allocation.
  SolveReport<T> solve(const Properties<T>& properties, const Kinematics<T>& kinematics,
                       const AppliedForces<T>& forces, std::span<T> udot);

  // Computes after solve(), for each BodyIndex, the [torque; force] that the parent exerts on the body
  // through its joint, actuation included, about Mo, ground axes.
  void calc_reactions(const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                      std::span<SpatialForce<T>> reactions) const;

 private:
  Walk walk_;
  ArticulatedSweep<T, true> sweep_;
  std::vector<ArticulatedRows<T>> sums_;
};

}  // namespace sestina
