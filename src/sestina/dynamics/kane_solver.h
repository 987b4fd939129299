// Forward dynamics by Kane's method: partial velocities, mass matrix, Cholesky. O(n^3).
//
// For body B with mass centre C, w_k and v_k are the partial angular velocity of B and the partial velocity
// of C for speed k (zero unless k belongs to a joint between B and the ground); arm goes from Mo of k to C:
//   w_k = H_k.w,    v_k = H_k.v + H_k.w x arm                                            (1)
//   M_kl = sum over B of  m v_k . v_l + w_k . J_C w_l        (+ armature on the diagonal)   (2)
//   f_k  = tau_k + sum over B of  v_k . R + w_k . torque     = F_k + F*_k of Kane           (3)
//   R = applied force + m (g - a0),   torque = applied torque at C - (J_C alpha0 + w x J_C w)   (4)
//   M udot = f
// a0 (of C) and alpha0 are the accelerations for udot = 0. M is factored from the tips to the root, so that
// each pivot is the articulated inertia of its joint.
// Source: Kane and Levinson, Dynamics: Theory and Applications (1985), sections 4.11 and 6.1.
#pragma once

#include "sestina/dynamics/applied_forces.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/numerics/ldlt.h"

namespace sestina {

template <class T>
class KaneSolver {
 public:
  explicit KaneSolver(const Model& model);

  // Computes udot (nu) for the state to which `kinematics` and `forces` belong. No allocation.
  SolveReport<T> solve(const Properties<T>& properties, const Kinematics<T>& kinematics,
                       const AppliedForces<T>& forces, std::span<T> udot);

  // M of (2), lower triangle; can be used without solve().
  void update_mass_matrix(const Properties<T>& properties, const Kinematics<T>& kinematics);
  const DenseMatrix<T>& mass_matrix() const { return M_; }

 private:
  struct Partial {
    int speed;
    Vec3<T> w, v;                    // (1)
    Vec3<T> momentum_w, momentum_v;  // J_C w_k, m v_k
    T inertia_scale;                 // m (|H_k.v|^2 + |H_k.w|^2 |arm|^2)
  };
  void update_partials(BodyIndex b, const Properties<T>& properties, const Kinematics<T>& kinematics);
  void add_forces(BodyIndex b, const Properties<T>& properties, const Kinematics<T>& kinematics,
                  const AppliedForces<T>& forces, std::span<T> f);

  const Model* model_;
  DenseMatrix<T> M_;               // (nu x nu)
  std::vector<T> pivot_scale_;     // (nu) upper bound of the diagonal of M
  std::vector<Partial> partials_;  // of one body; the first count_ are in use
  std::size_t count_ = 0;
  std::vector<SpatialMotion<T>> A0_;  // by BodyIndex: about Mo
};

}  // namespace sestina
