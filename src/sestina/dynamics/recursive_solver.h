// Forward dynamics by the articulated-body recursion: O(n).
//
// Frames, points and (1)-(5) of kinematics.h. Accelerations are less g, so that weights need no terms: the
// ground's is -g. Tips inward, with I the articulated inertia of B and all that hangs on it, z its bias force
// (what it takes with zero acceleration of Mo), about Mo:
//   I = M + sum over children of Ia_C,    z = gyroscopic - applied + sum over children of za_C    (6)
// From here on about the parent's Mo, where a dash marks what is shifted there by s:
//   U = I' H',   D = H'^T U + armature,   e = tau - H'^T z' - U^T c'                              (7)
//   Ia = I' - U D^-1 U^T,   za = z' + I' c' + U D^-1 e                                            (8)
// (8) is what the parent feels through the joint. Then outward:
//   udot = D^-1 (e - U^T A_P),   A = shift(A_P, s) + c + H udot                                   (9)
// A joint that turns every way, whose columns are perpendicular axes, leaves of (8) and (9), about Mo,
//   Ia = [0 0; 0 m - B^T G],   za = [tau; z.force + B^T g],   g = J^-1 (tau - z.torque),  G = J^-1 B  (8')
//   A.w = g - G A.v,   udot = H^T (A.w - A_P.w - c.w)                                               (9')
// and the reaction is the sum of M A + gyroscopic - applied over what hangs on the joint. To shift I before
// the joint is eliminated, not after, keeps the division by D out of the way of the shift
// (docs/decisions/recursion-layout.md).
//
// | here | Featherstone 2008 | meaning                         |
// |------|-------------------|---------------------------------|
// | I, Ia| I^A, I^a          | articulated inertia, seen through the joint |
// | z, za| p^A, p^a          | bias force                      |
// | H    | S                 | joint columns                   |
// | e    | u                 | generalised force left over     |
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

  // After solve(): for each BodyIndex the [torque; force] that the parent exerts on the body through its
  // joint, actuation included, about Mo, ground axes.
  void calc_reactions(const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                      std::span<SpatialForce<T>> reactions) const;

 private:
  Walk walk_;
  ArticulatedSweep<T, true> sweep_;
  std::vector<ArticulatedRows<T>> sums_;
};

}  // namespace sestina
