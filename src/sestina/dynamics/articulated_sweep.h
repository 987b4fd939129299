// The two sweeps of the articulated-body recursion over a walk, which is the whole tree for the recursive
// solver and a piece of it for divide and conquer. Equations (6) to (9) of recursive_solver.h.
//
// The functions are in this header so that the loops of both solvers take them in.
#pragma once

#include <algorithm>

#include "sestina/dynamics/applied_forces.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/spatial/articulated_rows.h"

namespace sestina {

template <class T>
struct ArticulatedSweep {
  explicit ArticulatedSweep(const Model& model)
      : A(static_cast<std::size_t>(model.bodies().size())),
        W(static_cast<std::size_t>(model.nu())),
        D_inverse(W.size()),
        free_udot(W.size()) {}

  // (6) to (8) tips inward. `sums` has walk.num_sums places. Calls
  // take(outcome) with what each body that hangs on the base makes it feel; null when nobody asks.
  template <class Take>
  void eliminate(const Walk& walk, const Properties<T>& properties, const Kinematics<T>& kinematics,
                 const AppliedForces<T>& forces, std::span<ArticulatedRows<T>> sums, SolveReport<T>& report,
                 Take&& take);
  // (9) outward, from the acceleration of the base.
  void accelerate(const Walk& walk, const SpatialMotion<T>& A_base, const Kinematics<T>& kinematics,
                  std::span<T> udot);
  // The same for two walks that do not depend on each other, step by step in turn: one alone is a single
  // chain of operations, each of which waits for the one before.
  void accelerate(const Walk& walk, const SpatialMotion<T>& A_base, const Walk& other,
                  const SpatialMotion<T>& other_A_base, const Kinematics<T>& kinematics, std::span<T> udot);
  // After all accelerations are known: F of each body, tips inward.
  void calc_reactions(const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                      std::span<SpatialForce<T>> reactions) const;

  std::vector<SpatialMotion<T>> A;  // by BodyIndex, less g
  // Columns of one joint are eliminated one after the other, which factors D as it goes: after the columns
  // before k have been eliminated, U_k = I H_k about the parent's Mo, D_k = H_k . U_k + armature and
  // e_k = tau_k - H_k . z - U_k . c.
  std::vector<SpatialForce<T>> W;  // (nu) U_k / D_k
  std::vector<T> D_inverse;        // (nu)
  std::vector<T> free_udot;        // (nu) e_k / D_k: udot if the parent had no acceleration

 private:
  void accelerate_step(const WalkStep& step, const SpatialMotion<T>& A_base, const Kinematics<T>& kinematics,
                       std::span<T> udot, SpatialMotion<T>& A_b);
  void eliminate_revolute(std::size_t i, const T& armature, const Kinematics<T>& kinematics,
                          const AppliedForces<T>& forces, bool has_taker, ArticulatedRows<T>& sum,
                          SolveReport<T>& report);
  void eliminate_columns(std::size_t i, const T& armature, const Kinematics<T>& kinematics,
                         const AppliedForces<T>& forces, ArticulatedRows<T>& sum, SolveReport<T>& report);
};

// The motion as the parent's Mo has it where the body's has `a`, for a body that reaches so far.
template <class T>
[[gnu::always_inline]] inline SpatialMotion<T> at_parent(const SpatialMotion<T>& a, const Vec3<T>& s) {
  return {a.w, a.v - cross(a.w, s)};
}

// The only column turns and has no linear part. `sum` of (6) becomes that of (8), if somebody takes it.
template <class T>
[[gnu::always_inline]] inline void ArticulatedSweep<T>::eliminate_revolute(
    std::size_t i, const T& armature, const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
    bool has_taker, ArticulatedRows<T>& sum, SolveReport<T>& report) {
  const auto k = static_cast<std::size_t>(kinematics.tree.links[i].u_start);
  const Vec3<T>& h = kinematics.H[k].w;
  const Vec3<T>& s = kinematics.s[i];
  ForceLanes<T> U_k = sum.times_turn(h);  // (7)
  const Lanes3<T> h_lanes(h);
  const T D = dot(h_lanes, U_k.torque) + armature;
  report.check_pivot(D, sum.J[0][0] + sum.J[1][1] + sum.J[2][2], static_cast<int>(k));
  const T Dinv = T(1) / D;
  const SpatialMotion<T> c = at_parent(kinematics.bias[i], s);
  U_k.shift_back(Lanes3<T>(s));
  const T e_k = forces.tau[k] - dot(h_lanes, sum.z.torque) - dot(c, U_k);
  const ForceLanes<T> W_k = Dinv * U_k;
  W[k] = W_k.unpacked();
  D_inverse[k] = Dinv;
  free_udot[k] = Dinv * e_k;
  if (!has_taker) return;
  sum.shift_back(s);
  sum.z += sum.times(c);
  sum.subtract_outer(U_k.unpacked(), W_k);  // (8)
  sum.z += e_k * W_k;
}

template <class T>
void ArticulatedSweep<T>::eliminate_columns(std::size_t i, const T& armature, const Kinematics<T>& kinematics,
                                            const AppliedForces<T>& forces, ArticulatedRows<T>& sum,
                                            SolveReport<T>& report) {
  const BodyLink& link = kinematics.tree.links[i];
  const auto first = static_cast<std::size_t>(link.u_start), end = first + static_cast<std::size_t>(link.nu);
  const Vec3<T>& s = kinematics.s[i];
  sum.z += sum.times(kinematics.bias[i]);
  const T inertia_any_way = sum.J[0][0] + sum.J[1][1] + sum.J[2][2];
  const T mass_any_way = sum.m[0][0] + sum.m[1][1] + sum.m[2][2];
  for (std::size_t k = first; k < end; ++k) {
    const SpatialMotion<T>& H = kinematics.H[k];
    ForceLanes<T> U_k = sum.times(H);  // (7)
    const T D = dot(H, U_k) + armature;
    report.check_pivot(D, dot(H.w, H.w) * inertia_any_way + dot(H.v, H.v) * mass_any_way,
                       static_cast<int>(k));
    D_inverse[k] = T(1) / D;
    const T e_k = forces.tau[k] - dot(H, sum.z);
    free_udot[k] = D_inverse[k] * e_k;
    ForceLanes<T> W_k = D_inverse[k] * U_k;
    sum.subtract_outer(U_k.unpacked(), W_k);  // (8)
    sum.z += e_k * W_k;
    W_k.shift_back(Lanes3<T>(s));
    W[k] = W_k.unpacked();
  }
  sum.shift_back(s);
}

template <class T>
template <class Take>
[[gnu::always_inline]] inline void ArticulatedSweep<T>::eliminate(
    const Walk& walk, const Properties<T>& properties, const Kinematics<T>& kinematics,
    const AppliedForces<T>& forces, std::span<ArticulatedRows<T>> sums, SolveReport<T>& report, Take&& take) {
  constexpr bool kHasTaker = !std::is_null_pointer_v<std::decay_t<Take>>;
  ArticulatedRows<T> sum;  // of the body in hand, and then its outcome
  for (auto step = walk.steps.rbegin(); step != walk.steps.rend(); ++step) {
    const auto i = static_cast<std::size_t>(step->body);
    const Lanes3<T> w(kinematics.motion[i].V_WB.w);
    if (step->takes_carry) {
      sum.add(kinematics.inertia[i], w, forces.body[i]);  // (6)
    } else {
      sum.start(kinematics.inertia[i], w, forces.body[i]);
    }
    if (step->own_sum >= 0) sum += sums[static_cast<std::size_t>(step->own_sum)];
    const T& armature = properties.bodies.values()[i].armature;
    if (kinematics.tree.links[i].is_revolute) {
      eliminate_revolute(i, armature, kinematics, forces, kHasTaker || !step->hangs_on_base, sum, report);
    } else {
      ArticulatedRows<T> in_memory = sum;  // so that `sum` may stay in registers
      eliminate_columns(i, armature, kinematics, forces, in_memory, report);
      sum = in_memory;
    }
    if (step->gives_carry) continue;
    if (step->hangs_on_base) {
      if constexpr (kHasTaker) take(sum);
    } else if (step->begins_sum) {
      sums[static_cast<std::size_t>(step->parent_sum)] = sum;
    } else {
      sums[static_cast<std::size_t>(step->parent_sum)] += sum;
    }
  }
}

// a - A . W by pairs: what the next body waits for is three additions long instead of six.
template <class T>
[[gnu::always_inline]] inline T less_product(const T& a, const SpatialMotion<T>& A,
                                             const SpatialForce<T>& W) {
  return (a - (A.w.x * W.torque.x + A.w.y * W.torque.y)) -
         ((A.w.z * W.torque.z + A.v.x * W.force.x) + (A.v.y * W.force.y + A.v.z * W.force.z));
}

// `A_b`: of the body before in the walk, and then of this one.
template <class T>
[[gnu::always_inline]] inline void ArticulatedSweep<T>::accelerate_step(const WalkStep& step,
                                                                        const SpatialMotion<T>& A_base,
                                                                        const Kinematics<T>& kinematics,
                                                                        std::span<T> udot,
                                                                        SpatialMotion<T>& A_b) {
  const auto i = static_cast<std::size_t>(step.body);
  const BodyLink& link = kinematics.tree.links[i];
  if (!step.gives_carry) A_b = step.hangs_on_base ? A_base : A[static_cast<std::size_t>(link.parent)];
  const Vec3<T>& s = kinematics.s[i];
  const auto first = static_cast<std::size_t>(link.u_start);
  if (link.is_revolute) {
    udot[first] = less_product(free_udot[first], A_b, W[first]);
    A_b = shift(A_b, s) + kinematics.bias[i];
    A_b.w += udot[first] * kinematics.H[first].w;
  } else {
    SpatialMotion<T> G = A_b;  // with the joint's own acceleration, about the parent's Mo
    A_b = shift(A_b, s) + kinematics.bias[i];
    for (std::size_t k = first + static_cast<std::size_t>(link.nu); k-- > first;) {
      udot[k] = less_product(free_udot[k], G, W[k]);
      G += udot[k] * at_parent(kinematics.H[k], s);
      A_b += udot[k] * kinematics.H[k];
    }
  }
  A[i] = A_b;
}

template <class T>
[[gnu::always_inline]] inline void ArticulatedSweep<T>::accelerate(const Walk& walk,
                                                                   const SpatialMotion<T>& A_base,
                                                                   const Kinematics<T>& kinematics,
                                                                   std::span<T> udot) {
  SpatialMotion<T> A_b;
  for (const WalkStep& step : walk.steps) accelerate_step(step, A_base, kinematics, udot, A_b);
}

template <class T>
[[gnu::always_inline]] inline void ArticulatedSweep<T>::accelerate(
    const Walk& walk, const SpatialMotion<T>& A_base, const Walk& other, const SpatialMotion<T>& other_A_base,
    const Kinematics<T>& kinematics, std::span<T> udot) {
  SpatialMotion<T> A_b, other_A_b;
  const std::size_t both = std::min(walk.steps.size(), other.steps.size());
  for (std::size_t k = 0; k < both; ++k) {
    accelerate_step(walk.steps[k], A_base, kinematics, udot, A_b);
    accelerate_step(other.steps[k], other_A_base, kinematics, udot, other_A_b);
  }
  for (std::size_t k = both; k < walk.steps.size(); ++k) {
    accelerate_step(walk.steps[k], A_base, kinematics, udot, A_b);
  }
  for (std::size_t k = both; k < other.steps.size(); ++k) {
    accelerate_step(other.steps[k], other_A_base, kinematics, udot, other_A_b);
  }
}

template <class T>
void ArticulatedSweep<T>::calc_reactions(const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                                         std::span<SpatialForce<T>> reactions) const {
  for (std::size_t i = 0; i < reactions.size(); ++i) {
    const RigidInertia<T>& M = kinematics.inertia[i];
    reactions[i] = M * A[i] + gyroscopic_force(M, kinematics.motion[i].V_WB.w) - forces.body[i];
  }
  for (std::size_t i = reactions.size() - 1; i > 0; --i) {
    const auto parent = static_cast<std::size_t>(kinematics.tree.links[i].parent);
    reactions[parent] += shift_back(reactions[i], kinematics.s[i]);
  }
  reactions[0] = {};
}

}  // namespace sestina
