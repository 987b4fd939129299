// Forward and inverse dynamics by recursion on lanes: (1)-(9) of kinematics.h and recursive_solver.h, in axes
// that turn with the bodies (joint_axes.h).
//
// In ground axes, as RecursiveSolver has it, passing from body to body is a shift without a rotation, but H
// and every inertia must be turned to them and U has no zeros. In the joint's axes H is a unit vector, so
// that U is a column of I, the inertia of a body is a constant, neither poses nor linear velocities are
// needed, and what is left of I after the elimination has a row and a column of zeros. That is 280 operations
// for a revolute joint in lanes instead of 370 (docs/decisions/batch.md).
//
// Accelerations are classical and less g. On the way from B to its parent P, for a revolute joint:
//   c = [w_P x e_z u; 0] in B's axes,  a_c = w_P x (w_P x s) in P's
//   z' = z + I c,  U = I e_z,  D = U_z + armature,  e = tau - z'_z                     (a)
//   Ia = I - U U^T / D,  za = z' + U e / D,  both turned to P's axes                   (b)
//   za += Ia [0; a_c],  shift by s, add to the parent's                                (c)
// and outward
//   A' = [alpha_P; a_P + alpha_P x s + a_c] turned to B's axes                         (d)
//   udot = (e - U . A') / D,   A = A' + c + e_z udot                                   (e)
// Other joints take their columns H, and what else they have, from their own class, in P's axes.
#pragma once

#include <vector>

#include "sestina/batch/joint_axes.h"
#include "sestina/batch/lanes/articulated_body.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/dynamics/tree_layout.h"

namespace sestina {

// T: the lanes. P: of the model's numbers, the same for all lanes (double) or each lane its own (T).
template <class T, class P>
class LaneRecursion {
 public:
  LaneRecursion(const Model& model, std::vector<JointAxesStructure> structure, ModelInAxes<P> numbers,
                std::vector<AnyJoint<T>> joints);

  // udot (nu) from q, u, tau. `body_forces`: on each body about Mo, in M's axes, or null. Returns the lanes
  // in which the mass matrix is singular. No allocation.
  Mask<T> calc_udot(const T* q, const T* u, const T* tau, const SpatialForce<T>* body_forces, T* udot);

  // What udot asks for beyond the body forces, (nu).
  void calc_tau(const T* q, const T* u, const T* udot, const SpatialForce<T>* body_forces, T* tau);

 private:
  // Of a body: how it got to where it is.
  struct Passage {
    PlaneTurn<T> turn;  // revolute joints
    Vec3<T> w;          // angular velocity, own axes
    Vec3<T> a_c;        // w_P x (w_P x s), P's axes
    int general = -1;   // the place in general_
  };
  // Of a body on any other joint.
  struct General {
    Rotation<T> R;       // R_PK
    Vec3<T> s;           // P's axes
    SpatialMotion<T> c;  // all of it, P's axes
  };

  void move(const T* q, const T* u);
  void move_turning(std::size_t i, const T& q, const T& u);
  template <class Joint>
  void move_general(std::size_t i, const Joint& joint, const T* q, const T* u);
  void add_own(std::size_t i, bool is_first, const SpatialForce<T>* body_forces,
               ArticulatedBody<T>& sum) const;
  void add_own_force(std::size_t i, const SpatialForce<T>* body_forces, SpatialForce<T>& z) const;
  // As SolveReport::check_pivot; a pivot that is not a number shows in udot.
  void check_pivot(const T& pivot, const T& scale) {
    const T above = pivot - T(kSingularPivot) * scale;
    smallest_pivot_ = select(above < smallest_pivot_, above, smallest_pivot_);
  }
  void eliminate(const T* u, const T* tau, const SpatialForce<T>* body_forces);
  template <bool has_armature>
  void eliminate_turn(std::size_t i, const T& u, const T& tau, ArticulatedBody<T>& sum);
  void pass_twist(std::size_t i, ArticulatedBody<T>& sum) const;
  void eliminate_columns(std::size_t i, const T* tau, ArticulatedBody<T>& sum);
  void accelerate(const T* u, T* udot);
  void accelerate_turn(std::size_t i, const T* u, T* udot, SpatialMotion<T>& A) const;
  void accelerate_columns(std::size_t i, T* udot, SpatialMotion<T>& A) const;
  void follow_motion(const T* u, const T* udot, const SpatialForce<T>* body_forces);
  void to_child_axes(std::size_t i, Vec3<T>& v) const;
  void to_parent_axes(std::size_t i, Vec3<T>& v) const;

  static Vec3<T> lift(const Vec3<P>& v) { return {T(v.x), T(v.y), T(v.z)}; }
  static Mat3<T> lift(const Mat3<P>& A) {
    return {T(A.xx), T(A.xy), T(A.xz), T(A.yx), T(A.yy), T(A.yz), T(A.zx), T(A.zy), T(A.zz)};
  }
  static SymMat3<T> lift(const SymMat3<P>& A) {
    return {T(A.xx), T(A.yy), T(A.zz), T(A.xy), T(A.xz), T(A.yz)};
  }

  TreeLayout tree_;
  Walk walk_;
  std::vector<JointAxesStructure> structure_;
  ModelInAxes<P> numbers_;
  std::vector<AnyJoint<T>> joints_;

  std::vector<Passage> passages_;  // by BodyIndex
  std::vector<General> general_;
  std::vector<SpatialMotion<T>> H_;       // (nu) P's axes; not of revolute joints
  std::vector<SpatialForce<T>> W_;        // (nu) U / D: revolute joints K's axes, others P's
  std::vector<T> free_udot_;              // (nu) e / D
  std::vector<ArticulatedBody<T>> sums_;  // where further children meet
  std::vector<SpatialMotion<T>> A_;       // by BodyIndex, own axes; where somebody reads it
  std::vector<SpatialForce<T>> F_;        // by BodyIndex, own axes: inverse dynamics
  T smallest_pivot_{};                    // above what counts as zero
};

}  // namespace sestina
