// The elimination of one joint and the acceleration of one body in the articulated-body recursion: what the
// recursive and the divide-and-conquer solver share. Equations (6) to (9) of recursive_solver.h.
#pragma once

#include "sestina/dynamics/applied_forces.h"
#include "sestina/dynamics/solve_report.h"

namespace sestina {

template <class T>
struct ArticulatedSweep {
  explicit ArticulatedSweep(const Model& model);

  // What a parent feels of a child through the joint, about the parent's Mo.
  struct Outcome {
    ArticulatedInertia<T> I;
    SpatialForce<T> z;
  };

  // The own terms of body b in (6).
  void start_body(BodyIndex b, const Properties<T>& properties, const Kinematics<T>& kinematics,
                  const AppliedForces<T>& forces);
  // Adds what a child makes its parent feel.
  void add(BodyIndex parent, const Outcome& outcome);
  // (7) and (8): all children must have been added.
  Outcome eliminate_joint(BodyIndex b, const BodyInfo& info, const Properties<T>& properties,
                          const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                          SolveReport<T>& report);
  // (9), with the acceleration of the parent.
  void accelerate_body(BodyIndex b, const BodyInfo& info, const SpatialMotion<T>& A_P,
                       const Kinematics<T>& kinematics, std::span<T> udot);

  std::vector<ArticulatedInertia<T>> I;  // by BodyIndex
  std::vector<SpatialForce<T>> z;        // by BodyIndex
  std::vector<SpatialMotion<T>> A;       // by BodyIndex; the ground's stays zero
  // Columns of one joint are eliminated one after the other, which factors D as it goes: after the columns
  // before k have been eliminated, U_k = I H_k, D_k = H_k . U_k + armature and e_k = tau_k - H_k . z.
  std::vector<SpatialForce<T>> U;  // (nu)
  std::vector<T> D_inverse;        // (nu)
  std::vector<T> e;                // (nu)
};

}  // namespace sestina
