// The elimination of one joint and the acceleration of one body in the articulated-body recursion: what the
// recursive and the divide-and-conquer solver share. Equations (6) to (9) of recursive_solver.h.
//
// The functions are in this header so that the loops of both solvers take them in.
#pragma once

#include "sestina/dynamics/applied_forces.h"
#include "sestina/dynamics/solve_report.h"

namespace sestina {

template <class T>
struct ArticulatedSweep {
  explicit ArticulatedSweep(const Model& model)
      : I(static_cast<std::size_t>(model.bodies().size())),
        z(I.size()),
        A(I.size()),
        U(static_cast<std::size_t>(model.nu())),
        D_inverse(U.size()),
        e(U.size()) {}

  // What a parent feels of a child through the joint, about the parent's Mo.
  struct Outcome {
    ArticulatedInertia<T> I;
    SpatialForce<T> z;
  };

  // The sum (6) of body i. `is_leaf`: there are no contributions of children.
  void sum_up(std::size_t i, bool is_leaf, const Kinematics<T>& kinematics, const AppliedForces<T>& forces);
  // Gives the parent what a child makes it feel; `begins_sum`: the first one.
  void pass_on(std::size_t parent, bool begins_sum, const Outcome& outcome);
  // (7) and (8), after sum_up().
  Outcome eliminate_joint(std::size_t i, const Properties<T>& properties, const Kinematics<T>& kinematics,
                          const AppliedForces<T>& forces, SolveReport<T>& report);
  // (9), with the acceleration of the parent.
  void accelerate_body(std::size_t i, const SpatialMotion<T>& A_P, const Kinematics<T>& kinematics,
                       std::span<T> udot);

  std::vector<ArticulatedInertia<T>> I;  // by BodyIndex
  std::vector<SpatialForce<T>> z;        // by BodyIndex
  std::vector<SpatialMotion<T>> A;       // by BodyIndex, less g
  // Columns of one joint are eliminated one after the other, which factors D as it goes: after the columns
  // before k have been eliminated, U_k = I H_k about the parent's Mo, D_k = H_k . U_k + armature and
  // e_k = tau_k - H_k . z - U_k . c.
  std::vector<SpatialForce<T>> U;  // (nu)
  std::vector<T> D_inverse;        // (nu)
  std::vector<T> e;                // (nu)

 private:
  Outcome eliminate_revolute(std::size_t i, std::size_t k, const T& armature, const Kinematics<T>& kinematics,
                             const T& tau, SolveReport<T>& report);
  Outcome eliminate_columns(std::size_t i, const T& armature, const Kinematics<T>& kinematics,
                            const AppliedForces<T>& forces, SolveReport<T>& report);
};

// The motion as the parent's Mo has it where the body's has `a`, for a body that reaches so far.
template <class T>
SpatialMotion<T> at_parent(const SpatialMotion<T>& a, const Vec3<T>& s) {
  return {a.w, a.v - cross(a.w, s)};
}

template <class T>
[[gnu::always_inline]] inline void ArticulatedSweep<T>::sum_up(std::size_t i, bool is_leaf,
                                                               const Kinematics<T>& kinematics,
                                                               const AppliedForces<T>& forces) {
  const RigidInertia<T>& M = kinematics.inertia[i];
  const SpatialForce<T> own = gyroscopic_force(M, kinematics.motion[i].V_WB.w) - forces.body[i];
  if (is_leaf) {
    I[i] = ArticulatedInertia<T>(M);
    z[i] = own;
  } else {
    I[i] += M;
    z[i] += own;
  }
}

template <class T>
[[gnu::always_inline]] inline void ArticulatedSweep<T>::pass_on(std::size_t parent, bool begins_sum,
                                                                const Outcome& outcome) {
  if (begins_sum) {
    I[parent] = outcome.I;
    z[parent] = outcome.z;
  } else {
    I[parent] += outcome.I;
    z[parent] += outcome.z;
  }
}

// The only column turns and has no linear part.
template <class T>
[[gnu::always_inline]] inline typename ArticulatedSweep<T>::Outcome ArticulatedSweep<T>::eliminate_revolute(
    std::size_t i, std::size_t k, const T& armature, const Kinematics<T>& kinematics, const T& tau,
    SolveReport<T>& report) {
  const ArticulatedInertia<T>& Ib = I[i];
  const Vec3<T>& h = kinematics.H[k].w;
  const Vec3<T>& s = kinematics.s[i];
  const SpatialForce<T> U_b{Ib.J * h, transpose_times(Ib.B, h)};  // (7)
  const T D = dot(h, U_b.torque) + armature;
  report.check_pivot(D, Ib.J.trace(), static_cast<int>(k));
  const SpatialMotion<T> c = at_parent(kinematics.bias[i], s);
  const SpatialForce<T> U_k = shift_back(U_b, s);
  const T e_k = tau - dot(h, z[i].torque) - dot(c, U_k);
  const T Dinv = T(1) / D;
  Outcome outcome{shift_back(Ib, s), shift_back(z[i], s)};
  outcome.z += outcome.I * c;
  outcome.I.subtract_outer(U_k, Dinv);  // (8)
  outcome.z += (Dinv * e_k) * U_k;
  U[k] = U_k;
  D_inverse[k] = Dinv;
  e[k] = e_k;
  return outcome;
}

template <class T>
typename ArticulatedSweep<T>::Outcome ArticulatedSweep<T>::eliminate_columns(std::size_t i, const T& armature,
                                                                             const Kinematics<T>& kinematics,
                                                                             const AppliedForces<T>& forces,
                                                                             SolveReport<T>& report) {
  const BodyLink& link = kinematics.tree.links[i];
  const auto first = static_cast<std::size_t>(link.u_start), end = first + static_cast<std::size_t>(link.nu);
  const Vec3<T>& s = kinematics.s[i];
  ArticulatedInertia<T> Ia = I[i];
  SpatialForce<T> za = z[i] + Ia * kinematics.bias[i];
  const T inertia_any_way = Ia.J.trace(), mass_any_way = Ia.m.trace();
  for (std::size_t k = first; k < end; ++k) {
    const SpatialMotion<T>& H = kinematics.H[k];
    const SpatialForce<T> U_b = Ia * H;  // (7)
    const T D = dot(H, U_b) + armature;
    report.check_pivot(D, dot(H.w, H.w) * inertia_any_way + dot(H.v, H.v) * mass_any_way,
                       static_cast<int>(k));
    D_inverse[k] = T(1) / D;
    e[k] = forces.tau[k] - dot(H, za);
    Ia.subtract_outer(U_b, D_inverse[k]);  // (8)
    za += (D_inverse[k] * e[k]) * U_b;
    U[k] = shift_back(U_b, s);
  }
  return {shift_back(Ia, s), shift_back(za, s)};
}

template <class T>
[[gnu::always_inline]] inline typename ArticulatedSweep<T>::Outcome ArticulatedSweep<T>::eliminate_joint(
    std::size_t i, const Properties<T>& properties, const Kinematics<T>& kinematics,
    const AppliedForces<T>& forces, SolveReport<T>& report) {
  const BodyLink& link = kinematics.tree.links[i];
  const T& armature = properties.bodies.values()[i].armature;
  if (link.is_revolute) {
    const auto k = static_cast<std::size_t>(link.u_start);
    return eliminate_revolute(i, k, armature, kinematics, forces.tau[k], report);
  }
  return eliminate_columns(i, armature, kinematics, forces, report);
}

template <class T>
[[gnu::always_inline]] inline void ArticulatedSweep<T>::accelerate_body(std::size_t i,
                                                                        const SpatialMotion<T>& A_P,
                                                                        const Kinematics<T>& kinematics,
                                                                        std::span<T> udot) {
  const BodyLink& link = kinematics.tree.links[i];
  const Vec3<T>& s = kinematics.s[i];
  SpatialMotion<T> A_b = shift(A_P, s) + kinematics.bias[i];
  const auto first = static_cast<std::size_t>(link.u_start);
  if (link.is_revolute) {
    udot[first] = D_inverse[first] * (e[first] - dot(A_P, U[first]));
    A_b.w += udot[first] * kinematics.H[first].w;
  } else {
    SpatialMotion<T> G = A_P;  // with the joint's own acceleration, about the parent's Mo
    for (std::size_t k = first + static_cast<std::size_t>(link.nu); k-- > first;) {
      udot[k] = D_inverse[k] * (e[k] - dot(G, U[k]));
      G += udot[k] * at_parent(kinematics.H[k], s);
      A_b += udot[k] * kinematics.H[k];
    }
  }
  A[i] = A_b;
}

}  // namespace sestina
