// Forward and inverse dynamics and the mass matrix by recursion in axes that rotate with the bodies
// (joint_axes.h): (1)-(9) of kinematics.h and recursive_solver.h for many states in lanes, and on
// expressions, which gives the formulas of compiled functions (docs/decisions/joint-axes-recursions.md).
//
// In ground axes, as in RecursiveSolver, passing from body to body is a shift without a rotation, but H and
// every inertia must be rotated to ground axes, and U has no zeros. In the joint's axes H is a unit vector,
// so that U is a column of I, the inertia of a body is constant, neither poses nor linear velocities are
// needed, and the elimination leaves I with a row and a column of zeros. So there are fewer operations
// (docs/decisions/batch.md).
//
// Accelerations are classical. They are split: A0 is the acceleration less gravity that a body has for
// udot = 0, and A the part due to udot, so that no inertia is multiplied by a bias acceleration. The axes N
// of joint_axes.h belong to the joint of B and its parent P: B's origin, before the rotation of a revolute
// joint. With w and A0 = [alpha0; a0] of P rotated to N, outward for a revolute joint
//   a0 += alpha0 x s + w x (w x s),  alpha0 += w x e_z u,  w += e_z u,  all rotated to B's axes          (a)
//   K = [alpha0 x] + [w x][w x]
//   z = [h x a0 + sum of e_i x (K S e_i) over the axes i;  m a0 + K h] - the forces on B                (b)
// inward, after I and z of B have been rotated to N,
//   U = I e_z,  D = U_z + armature,  e = tau - z_z,  W = U / D                                          (c)
//   Ia = I - U W^T,  za = z + W e,  both shifted by s, rotated to P's axes, added to the parent's       (d)
// and outward
//   A' = A of P rotated to N, with alpha x s added to a                                                 (e)
//   udot = e / D - W . A',   A = A' + e_z udot, rotated to B's axes                                     (f)
// Prismatic joints and screws have H = [turn e_z; slide e_z] instead of e_z and a shift s that
// depends on q. A spherical joint is eliminated in B's axes, in which its columns are unit vectors:
// the rows of torques of I one after the other. The acceleration of a body on a free joint depends
// only on the forces on it: I A + z = tau is solved for A at once, and its parent feels only tau.
// Other joints take their columns H and other data from their own class, in P's axes. Inverse
// dynamics is (a) and (b) with udot in A0.
#pragma once

#include <type_traits>
#include <vector>

#include "sestina/dynamics/articulated_body.h"
#include "sestina/dynamics/joint_axes.h"
#include "sestina/dynamics/tree_layout.h"
#include "sestina/model/properties.h"

namespace sestina {

class Expression;

// T: lanes or Expression. P: the type of the model's numbers; double if they are equal for all lanes, or T.
template <class T, class P>
class JointAxesRecursion {
 public:
  JointAxesRecursion(TreeLayout tree, std::vector<JointAxesStructure> structure, ModelInAxes<P> numbers,
                     std::vector<AnyJoint<T>> joints);

  // `body_forces`: on each body about Mo, in M's axes, or null. `udot`: (nu) for inverse
  // dynamics, or null.
  struct Motion {
    const T *q, *u;
    const SpatialForce<T>* body_forces = nullptr;
    const T* udot = nullptr;
  };

  // Computes udot (nu) from q, u, tau in three walks: outward, inward, outward. The last one may include the
  // first walk of the next lanes, which fills the waiting times of the dependences from body to body. No
  // allocation.
  void start(const Motion& motion) { finish_and_start(nullptr, &motion); }
  Pivots<T> eliminate(const T* tau);
  // The only outward walk, with or without either of its two parts, so that every state passes the same
  // instructions wherever it is. `udot` and `next` may be null.
  void finish_and_start(T* udot, const Motion* next);

  // Computes tau (nu), the forces that produce udot in addition to the body forces.
  void calc_tau(const Motion& motion, T* tau);
  // Rows of the lower triangle, nu (nu + 1)/2, which begin as zeros.
  void calc_mass_matrix(const T* q, T* M);

 private:
  // Formulas are made over elementary joints only (compiled_links.h): all have an axis or are spherical.
  static constexpr bool kIsFormula = std::is_same_v<T, Expression>;

  // Angular velocity and A0, in the body's own axes.
  struct BodyMotion {
    Vec3<T> w;
    SpatialMotion<T> A0;
  };
  // Data of a body; the first applies to revolute joints only. Small enough for a mechanism of some dozens of
  // bodies to stay in the cache. z: (b), in the body's own axes. The elimination of a revolute joint replaces
  // it by W, in N.
  struct Passage {
    T free_udot;  // e / D
    SpatialForce<T> z;
  };
  struct Angle {
    int body, q;
  };
  // Data of a body on any other joint.
  struct General {
    Rotation<T> R;           // R_PK
    Vec3<T> s;               // P's axes
    SpatialMotion<T> A;      // free joints: A of the body, own axes
    EliminatedTorques<T> W;  // spherical joints, own axes
  };
  // Consecutive inward steps on joints of one kind: one loop of straight code with sums in registers.
  struct Run {
    int begin, end;  // in inward_
    JointAxesStructure structure;
    bool is_plain;
  };

  void find_runs();
  void set_constant_columns(std::size_t i);
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
  void move_turning(std::size_t i, const T& u, BodyMotion& motion);
  void move_along_axis(std::size_t i, const Motion& given, BodyMotion& motion);
  template <class Joint>
  void move_general(std::size_t i, const Joint& joint, const Motion& given, BodyMotion& motion);
  SpatialForce<T> calc_own_force(std::size_t i, const BodyMotion& motion) const;
  void set_own_force(std::size_t i, const BodyMotion& motion, const SpatialForce<T>* body_forces);
  void pass_general(std::size_t i, T* udot, const Motion* next, SpatialMotion<T>& A, BodyMotion& motion);

  template <Twist twist, bool has_z_row, bool is_plain>
  void shift_and_turn(std::size_t i, ArticulatedBody<T>& sum) const;
  template <Twist twist, bool is_plain, class Quantity>
  void turn_to_parent(std::size_t i, Quantity& sum) const;
  template <class Enter>
  void pass_force(std::size_t i, SpatialForce<T>& F, const Enter& enter) const;
  template <class Enter>
  void enter_force(std::size_t i, SpatialForce<T>& F, const Enter& enter) const;
  template <bool is_plain>
  void add_own(std::size_t i, ArticulatedBody<T>& sum) const;
  template <bool is_plain, class Eliminate>
  void eliminate_run(const Run& run, const Eliminate& eliminate);
  template <Twist twist, bool has_armature, bool is_plain>
  void eliminate_turns(const Run& run, const T* tau, Pivots<T>& pivots);
  template <Twist twist, bool has_armature, bool is_plain>
  void eliminate_turn(std::size_t i, const T& tau, ArticulatedBody<T>& sum, Pivots<T>& pivots);
  void eliminate_along_axis(std::size_t i, const T* tau, ArticulatedBody<T>& sum, Pivots<T>& pivots);
  void eliminate_columns(std::size_t i, const T* tau, ArticulatedBody<T>& sum, Pivots<T>& pivots);
  void eliminate_ball(std::size_t i, const T* tau, ArticulatedBody<T>& sum, Pivots<T>& pivots);
  void eliminate_free(std::size_t i, const T* tau, ArticulatedBody<T>& sum, Pivots<T>& pivots);

  template <Twist twist>
  void pass_acceleration(std::size_t i, SpatialMotion<T>& A) const;
  template <Twist twist>
  void accelerate_turn(std::size_t i, T& udot, SpatialMotion<T>& A) const;
  void accelerate_along_axis(std::size_t i, T* udot, SpatialMotion<T>& A) const;
  void accelerate_columns(std::size_t i, T* udot, SpatialMotion<T>& A) const;
  void accelerate_ball(std::size_t i, T* udot, SpatialMotion<T>& A) const;
  void accelerate_free(std::size_t i, T* udot, SpatialMotion<T>& A) const;
  void accelerate_general(std::size_t i, T* udot, SpatialMotion<T>& A) const;
  bool is_ball(std::size_t i) const { return joints_[i].type == JointType::kSpherical; }
  bool is_free(std::size_t i) const { return joints_[i].type == JointType::kFree; }

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
  std::vector<BodyMotion> motions_;               // by BodyIndex; unless only the next body reads it
  std::vector<int> general_of_;                   // by BodyIndex: index in general_
  std::vector<General> general_;
  std::vector<SpatialMotion<T>> H_;       // (nu) P's axes; of joints with columns, like the next two
  std::vector<SpatialForce<T>> W_;        // (nu) U / D, P's axes
  std::vector<T> free_udot_;              // (nu) e / D
  ArticulatedBody<T> carried_;            // from the last step of a run to the first of the next
  std::vector<ArticulatedBody<T>> sums_;  // of further children
  std::vector<SpatialMotion<T>> A_;       // by BodyIndex, own axes; unless only the next body reads it
  std::vector<SpatialForce<T>> F_sums_;   // of further children: inverse dynamics
};

}  // namespace sestina
