// Forward and inverse dynamics by recursion on lanes: (1)-(9) of kinematics.h and recursive_solver.h, in axes
// that rotate with the bodies (joint_axes.h).
//
// In ground axes, as in RecursiveSolver, passing from body to body is a shift without a rotation, but H and
// every inertia must be rotated to ground axes, and U has no zeros. In the joint's axes H is a unit vector,
// so that U is a column of I, the inertia of a body is constant, neither poses nor linear velocities are
// needed, and the elimination leaves I with a row and a column of zeros. This takes 220 operations for the
// usual revolute joint in lanes (320 for any) instead of 370 (docs/decisions/batch.md).
//
// Accelerations are classical and less g. The axes N of joint_axes.h belong to the joint of B and its parent
// P: B's origin, before the rotation of a revolute joint. In N are the results of a joint:
//   c = [w_P x e_z u; 0],  a_c = w_P x (w_P x s)
// and inward, after I and z of B have been rotated to N,
//   z' = z + I c,  U = I e_z,  D = U_z + armature,  e = tau - z'_z,  W = U / D         (a)
//   Ia = I - U W^T,  za = z' + W e                                                     (b)
//   za += Ia [0; a_c],  both shifted by s, rotated to P's axes, added to the parent's  (c)
// and outward
//   A' = [alpha_P; a_P] rotated to N, with alpha_P x s + a_c added to a_P              (d)
//   udot = e / D - W . A',   A = A' + c + e_z udot, rotated to B's axes                (e)
// Other joints take their columns H and other data from their own class, in P's axes. The acceleration of a
// body on a free joint depends only on the forces on it: I A + z = tau is solved for A at once, and its
// parent feels only tau.
#pragma once

#include <vector>

#include "sestina/batch/joint_axes.h"
#include "sestina/batch/lanes/articulated_body.h"
#include "sestina/dynamics/tree_layout.h"
#include "sestina/model/properties.h"

namespace sestina {

// T: the lanes. P: the type of the model's numbers, equal for all lanes (double) or different (T).
template <class T, class P>
class LaneRecursion {
 public:
  LaneRecursion(const Model& model, std::vector<JointAxesStructure> structure, ModelInAxes<P> numbers,
                std::vector<AnyJoint<T>> joints);

  // q, u: in lanes. `body_forces`: on each body about Mo, in M's axes, or null.
  struct Motion {
    const T *q, *u;
    const SpatialForce<T>* body_forces = nullptr;
  };

  // Computes udot (nu) from q, u, tau in three walks: outward, inward, outward. The last one may include the
  // first walk of the next lanes, which fills the waiting times of the dependences from body to body. No
  // allocation.
  void start(const Motion& motion) { finish_and_start(nullptr, &motion); }
  // Returns the lanes in which the mass matrix is singular.
  Mask<T> eliminate(const T* tau);
  // The only outward walk, with or without either of its two parts, so that every state passes the same
  // instructions wherever it is. `udot` and `next` may be null.
  void finish_and_start(T* udot, const Motion* next);

  // Computes tau (nu), the forces that produce udot in addition to the body forces.
  void calc_tau(const Motion& motion, const T* udot, T* tau);

 private:
  // Data of a body; all but z apply to revolute joints only. Small enough for a mechanism of some dozens of
  // bodies to stay in the cache. z is the gyroscopic force of the body less the forces on it, in its own
  // axes. The elimination of a revolute joint replaces it by W = U / D, in N.
  struct Passage {
    T c_x, c_y;   // w_P x e_z u, in N
    Vec3<T> a_c;  // w_P x (w_P x s), in N
    T free_udot;  // e / D
    SpatialForce<T> z;
  };
  struct Angle {
    int body, q;
  };
  // Data of a body on any other joint.
  struct General {
    Rotation<T> R;       // R_PK
    Vec3<T> s;           // P's axes
    SpatialMotion<T> c;  // the complete c, P's axes
    SpatialMotion<T> A;  // free joints: the body's acceleration, own axes
  };
  // Consecutive inward steps on joints of one kind: one loop of straight code with sums in registers.
  struct Run {
    int begin, end;  // in inward_
    JointAxesStructure structure;
    bool is_plain;
  };

  void find_runs();
  void set_free_columns(std::size_t i);
  // One component of s and of h, a diagonal inertia, no yaw: the form of most mechanisms.
  static bool is_plain(const JointAxesStructure& s) {
    return s.is_turn && s.twist != Twist::kAny && !s.has_yaw && s.is_shift_along_normal &&
           s.has_simple_inertia;
  }

  // Returns the components of the shift s.
  static constexpr Along along(Twist twist, bool is_normal) {
    return !is_normal ? Along::kXY : twist == Twist::kQuarter ? Along::kY : Along::kX;
  }

  void turn_joints(const T* q);
  template <Twist twist>
  void move_turning(std::size_t i, const T& u, Vec3<T>& w);
  template <class Joint>
  void move_general(std::size_t i, const Joint& joint, const T* q, const T* u, Vec3<T>& w);
  SpatialForce<T> calc_own_force(std::size_t i, const Vec3<T>& w) const;
  void set_own_force(std::size_t i, const Vec3<T>& w, const SpatialForce<T>* body_forces);
  void pass_general(std::size_t i, T* udot, const Motion* next, SpatialMotion<T>& A, Vec3<T>& w);

  template <bool is_plain>
  void add_own(std::size_t i, ArticulatedBody<T>& sum) const;
  template <bool is_plain, class Eliminate>
  void eliminate_run(const Run& run, const Eliminate& eliminate);
  template <Twist twist, bool has_armature, bool is_plain>
  void eliminate_turns(const Run& run, const T* tau, T& smallest_pivot);
  template <Twist twist, bool has_armature, bool is_plain>
  void eliminate_turn(std::size_t i, const T& tau, ArticulatedBody<T>& sum, T& smallest_pivot);
  void eliminate_columns(std::size_t i, const T* tau, ArticulatedBody<T>& sum, T& smallest_pivot);
  void eliminate_free(std::size_t i, const T* tau, ArticulatedBody<T>& sum, T& smallest_pivot);

  template <Twist twist>
  void pass_acceleration(std::size_t i, SpatialMotion<T>& A) const;
  void finish_acceleration(std::size_t i, const T& udot, SpatialMotion<T>& A) const;
  template <Twist twist>
  void accelerate_turn(std::size_t i, T& udot, SpatialMotion<T>& A) const;
  void accelerate_columns(std::size_t i, T* udot, SpatialMotion<T>& A) const;
  void accelerate_free(std::size_t i, T* udot, SpatialMotion<T>& A) const;
  bool is_free(std::size_t i) const { return std::holds_alternative<Free<T>>(joints_[i]); }
  void follow_motion(const T* udot);

  // Calls f with the twist as a compile-time constant.
  template <class F>
  static void with_twist(Twist twist, F&& f);
  template <Twist twist>
  void from_parent_axes(std::size_t i, Vec3<T>& v) const;
  template <Twist twist>
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
  std::vector<WalkStep> inward_;  // the walk backwards
  std::vector<Run> runs_;
  std::vector<JointAxesStructure> structure_;
  ModelInAxes<P> numbers_;
  std::vector<AnyJoint<T>> joints_;

  std::vector<Passage> passages_;                 // by BodyIndex
  std::vector<Angle> angles_;                     // of the revolute joints
  std::vector<PlaneTurn<T>> turns_, next_turns_;  // by BodyIndex: of these lanes and of the next ones
  std::vector<Vec3<T>> w_;  // by BodyIndex: angular velocity, own axes; unless only the next body reads it
  std::vector<int> general_of_;  // by BodyIndex: index in general_
  std::vector<General> general_;
  std::vector<SpatialMotion<T>> H_;       // (nu) P's axes; not for revolute joints, like the next two
  std::vector<SpatialForce<T>> W_;        // (nu) U / D, P's axes
  std::vector<T> free_udot_;              // (nu) e / D
  ArticulatedBody<T> carried_;            // from the last step of a run to the first of the next
  std::vector<ArticulatedBody<T>> sums_;  // of further children
  std::vector<SpatialMotion<T>> A_;       // by BodyIndex, own axes; unless only the next body reads it
  std::vector<SpatialForce<T>> F_;        // by BodyIndex, own axes: inverse dynamics
};

}  // namespace sestina
