// The inward and outward sweeps (6) to (9) of recursive_solver.h, over a walk: the whole tree in the
// recursive solver, one piece of it in divide and conquer. The functions are defined in this header so that
// the compiler inlines them into the loops of both solvers.
#pragma once

#include <algorithm>

#include "sestina/dynamics/applied_forces.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/dynamics/wide_registers.h"
#include "sestina/spatial/turning_block.h"

namespace sestina {

// by_blocks: spherical joints, and free joints on the ground, are eliminated as 3x3 blocks and not column by
// column. Divide and conquer needs the columns, because it propagates its handles' motion through them.
template <class T, bool by_blocks = false>
struct ArticulatedSweep {
  explicit ArticulatedSweep(const Model& model)
      : A(static_cast<std::size_t>(model.bodies().size())),
        W(static_cast<std::size_t>(model.nu())),
        D_inverse(W.size()),
        free_udot(W.size()) {
    if (by_blocks) blocks.resize(static_cast<std::size_t>(TreeLayout(model).num_blocks));
  }

  // Applies (6) to (8), tips inward. `sums` has walk.num_sums elements. Calls receive(I) with the articulated
  // inertia and bias force of each body that hangs on the base, about the base's Mo; null: not needed.
  template <class Receive>
  void eliminate(const Walk& walk, const Properties<T>& properties, const Kinematics<T>& kinematics,
                 const AppliedForces<T>& forces, std::span<ArticulatedRows<T>> sums, SolveReport<T>& report,
                 Receive&& receive);
  // Applies (9), base outward, from the acceleration of the base (less g).
  void accelerate(const Walk& walk, const SpatialMotion<T>& A_base, const Kinematics<T>& kinematics,
                  std::span<T> udot);
  // Applies (9) to two independent walks, alternating step by step: one walk alone is a single chain of
  // dependent operations, so that the processor can overlap the two.
  void accelerate(const Walk& walk, const SpatialMotion<T>& A_base, const Walk& other,
                  const SpatialMotion<T>& other_A_base, const Kinematics<T>& kinematics, std::span<T> udot);
  // Computes the reaction F of each body, tips inward, once all accelerations are known.
  void calc_reactions(const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                      std::span<SpatialForce<T>> reactions) const;

  std::vector<SpatialMotion<T>> A;  // by BodyIndex, about Mo, ground axes, less g
  // The columns k of a joint are eliminated one after the other, which factors D of (7): U_k, D_k and e_k are
  // those of (7) for column k, with the I and z that (8) leaves after the columns before it.
  std::vector<SpatialForce<T>> W;       // (nu) U_k / D_k, about the parent's Mo
  std::vector<T> D_inverse;             // (nu)
  std::vector<T> free_udot;             // (nu) e_k / D_k: udot if the parent's acceleration were zero
  std::vector<TurningBlock<T>> blocks;  // by BodyLink::block, instead of W, D_inverse and free_udot

 private:
  void accelerate_step(const WalkStep& step, const SpatialMotion<T>& A_base, const Kinematics<T>& kinematics,
                       std::span<T> udot, SpatialMotion<T>& A_b);
  void eliminate_revolute(std::size_t i, const T& armature, const Kinematics<T>& kinematics,
                          const AppliedForces<T>& forces, bool is_needed_by_parent, ArticulatedRows<T>& sum,
                          SolveReport<T>& report);
  void eliminate_columns(std::size_t i, const T& armature, const Kinematics<T>& kinematics,
                         const AppliedForces<T>& forces, ArticulatedRows<T>& sum, SolveReport<T>& report);
  void eliminate_block(std::size_t i, const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                       ArticulatedRows<T>& sum, SolveReport<T>& report);
  void name_singular_speed(std::size_t i, const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                           const ArticulatedRows<T>& sum, SolveReport<T>& report);
  void accelerate_block(std::size_t i, const Kinematics<T>& kinematics, std::span<T> udot,
                        SpatialMotion<T>& A_b) const;
};

// Shifts the spatial motion `a` from the body's Mo to its parent's Mo; `s` is the vector between the two (m).
template <class T>
[[gnu::always_inline]] inline SpatialMotion<T> at_parent(const SpatialMotion<T>& a, const Vec3<T>& s) {
  return {a.w, a.v - cross(a.w, s)};
}

// Eliminates a joint with one column h = H.w and H.v = 0. `sum` is I, z of (6) and becomes that of (8).
template <class T, bool by_blocks>
[[gnu::always_inline]] inline void ArticulatedSweep<T, by_blocks>::eliminate_revolute(
    std::size_t i, const T& armature, const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
    bool is_needed_by_parent, ArticulatedRows<T>& sum, SolveReport<T>& report) {
  const auto k = static_cast<std::size_t>(kinematics.tree.links[i].u_start);
  const Vec3<T>& h = kinematics.H[k].w;
  const Vec3<T>& s = kinematics.s[i];
  if (is_needed_by_parent) sum.z += sum.times(kinematics.bias[i]);
  ForceLanes<T> U_k = sum.times_turn(h);  // (7)
  const Lanes3<T> h_lanes(h);
  const T D = dot(h_lanes, U_k.torque) + armature;
  report.check_pivot(D, sum.J[0][0] + sum.J[1][1] + sum.J[2][2], static_cast<int>(k));
  const T Dinv = T(1) / D;
  T e_k = forces.tau[k] - dot(h_lanes, sum.z.torque);
  if (!is_needed_by_parent) e_k -= dot(kinematics.bias[i], U_k);
  U_k.shift_back(Lanes3<T>(s));
  const ForceLanes<T> W_k = Dinv * U_k;
  W[k] = W_k.unpacked();
  D_inverse[k] = Dinv;
  free_udot[k] = Dinv * e_k;
  if (!is_needed_by_parent) return;
  sum.shift_back(s);
  sum.subtract_outer(U_k.unpacked(), W_k);  // (8)
  sum.z += e_k * W_k;
}

template <class T, bool by_blocks>
void ArticulatedSweep<T, by_blocks>::eliminate_columns(std::size_t i, const T& armature,
                                                       const Kinematics<T>& kinematics,
                                                       const AppliedForces<T>& forces,
                                                       ArticulatedRows<T>& sum, SolveReport<T>& report) {
  const BodyLink& link = kinematics.tree.links[i];
  const auto first = static_cast<std::size_t>(link.u_start), end = first + static_cast<std::size_t>(link.nu);
  const Vec3<T>& s = kinematics.s[i];
  sum.z += sum.times(kinematics.bias[i]);
  const T J_trace = sum.J[0][0] + sum.J[1][1] + sum.J[2][2];
  const T m_trace = sum.m[0][0] + sum.m[1][1] + sum.m[2][2];
  for (std::size_t k = first; k < end; ++k) {
    const SpatialMotion<T>& H = kinematics.H[k];
    ForceLanes<T> U_k = sum.times(H);  // (7)
    const T D = dot(H, U_k) + armature;
    report.check_pivot(D, dot(H.w, H.w) * J_trace + dot(H.v, H.v) * m_trace, static_cast<int>(k));
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

// Eliminates a spherical joint by (8'). The three columns are perpendicular axes, so that J^-1 replaces H
// D^-1 H^T. For a free joint on the ground the translations follow; nothing is left for the ground to feel.
template <class T, bool by_blocks>
[[gnu::noinline]] void ArticulatedSweep<T, by_blocks>::eliminate_block(std::size_t i,
                                                                       const Kinematics<T>& kinematics,
                                                                       const AppliedForces<T>& forces,
                                                                       ArticulatedRows<T>& sum,
                                                                       SolveReport<T>& report) {
  with_wide_registers<T>([&]() __attribute__((always_inline)) {
    const BodyLink& link = kinematics.tree.links[i];
    const auto k = static_cast<std::size_t>(link.u_start);
    const auto in_ground = [&](std::size_t first, Vec3<T> SpatialMotion<T>::*axis)
        __attribute__((always_inline)) {
      const T* tau = &forces.tau[first];
      const SpatialMotion<T>* H = &kinematics.H[first];
      return tau[0] * Lanes3<T>(H[0].*axis) + tau[1] * Lanes3<T>(H[1].*axis) + tau[2] * Lanes3<T>(H[2].*axis);
    };
    TurningBlock<T>& block = blocks[static_cast<std::size_t>(link.block)];
    const SymmetricFactor3<T> factor(sum.J);
    bool is_doubtful =
        any(factor.has_pivot_below(T(kSingularPivot) * (sum.J[0][0] + sum.J[1][1] + sum.J[2][2])));
    if (is_doubtful) name_singular_speed(i, kinematics, forces, sum, report);
    const Lanes3<T> torque = in_ground(k, &SpatialMotion<T>::w);
    if (link.is_spherical) {
      eliminate_turning(factor, torque, sum, block.G);
      const Vec3<T>& c = kinematics.bias[i].v;
      sum.z.force += c.x * sum.m[0] + c.y * sum.m[1] + c.z * sum.m[2];
      shift_back_without_turning(Lanes3<T>(kinematics.s[i]), sum);
      return;
    }
    const ArticulatedRows<T> whole = sum;
    eliminate_turning(factor, torque, sum, block.G);
    const SymmetricFactor3<T> mass(sum.m);
    const T m_trace = whole.m[0][0] + whole.m[1][1] + whole.m[2][2];
    is_doubtful = !is_doubtful && any(mass.has_pivot_below(T(kSingularPivot) * m_trace));
    if (is_doubtful) name_singular_speed(i, kinematics, forces, whole, report);
    const Lanes3<T> left = in_ground(k + 3, &SpatialMotion<T>::v) - sum.z.force;
    T a[3] = {left[0], left[1], left[2]};
    mass.solve(a);
    block.a = {a[0], a[1], a[2]};
  });
}

// Repeats the elimination column by column to find the speed whose pivot vanishes, if one does.
template <class T, bool by_blocks>
[[gnu::cold, gnu::noinline]] void ArticulatedSweep<T, by_blocks>::name_singular_speed(
    std::size_t i, const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
    const ArticulatedRows<T>& sum, SolveReport<T>& report) {
  ArticulatedRows<T> copy = sum;
  eliminate_columns(i, T(0), kinematics, forces, copy, report);
}

template <class T, bool by_blocks>
template <class Receive>
[[gnu::always_inline]] inline void ArticulatedSweep<T, by_blocks>::eliminate(
    const Walk& walk, const Properties<T>& properties, const Kinematics<T>& kinematics,
    const AppliedForces<T>& forces, std::span<ArticulatedRows<T>> sums, SolveReport<T>& report,
    Receive&& receive) {
  constexpr bool kIsNeededByBase = !std::is_null_pointer_v<std::decay_t<Receive>>;
  ArticulatedRows<T> sum;  // I and z of (6) for the current body, then of (8)
  for (auto step = walk.steps.rbegin(); step != walk.steps.rend(); ++step) {
    const auto i = static_cast<std::size_t>(step->body);
    const Lanes3<T> w(kinematics.motion[i].V_WB.w);
    const SpatialForce<T>* applied = forces.has_body_forces ? &forces.body[i] : nullptr;
    if (step->takes_carry) {
      sum.add(kinematics.inertia[i], w, applied);  // (6)
    } else {
      sum.start(kinematics.inertia[i], w, applied);
    }
    if (step->own_sum >= 0) sum += sums[static_cast<std::size_t>(step->own_sum)];
    const T& armature = properties.bodies.values()[i].armature;
    if (kinematics.tree.links[i].is_revolute) {
      eliminate_revolute(i, armature, kinematics, forces, kIsNeededByBase || !step->hangs_on_base, sum,
                         report);
    } else if (by_blocks && kinematics.tree.links[i].block >= 0) {
      ArticulatedRows<T> in_memory = sum;
      eliminate_block(i, kinematics, forces, in_memory, report);
      sum = in_memory;
    } else {
      ArticulatedRows<T> in_memory = sum;  // a copy, so that `sum` may stay in registers
      eliminate_columns(i, armature, kinematics, forces, in_memory, report);
      sum = in_memory;
    }
    if (step->gives_carry) continue;
    if (step->hangs_on_base) {
      if constexpr (kIsNeededByBase) receive(sum);
    } else if (step->begins_sum) {
      sums[static_cast<std::size_t>(step->parent_sum)] = sum;
    } else {
      sums[static_cast<std::size_t>(step->parent_sum)] += sum;
    }
  }
}

// Returns a - A . W. The sum of pairs has a latency of three additions instead of six.
template <class T>
[[gnu::always_inline]] inline T less_product(const T& a, const SpatialMotion<T>& A,
                                             const SpatialForce<T>& W) {
  return (a - (A.w.x * W.torque.x + A.w.y * W.torque.y)) -
         ((A.w.z * W.torque.z + A.v.x * W.force.x) + (A.v.y * W.force.y + A.v.z * W.force.z));
}

// (9') for a spherical or free joint. `A_b` is A of the parent on entry, A of the body on return.
template <class T, bool by_blocks>
[[gnu::always_inline]] inline void ArticulatedSweep<T, by_blocks>::accelerate_block(
    std::size_t i, const Kinematics<T>& kinematics, std::span<T> udot, SpatialMotion<T>& A_b) const {
  const BodyLink& link = kinematics.tree.links[i];
  const TurningBlock<T>& block = blocks[static_cast<std::size_t>(link.block)];
  const SpatialMotion<T>* H = &kinematics.H[static_cast<std::size_t>(link.u_start)];
  T* out = &udot[static_cast<std::size_t>(link.u_start)];
  const SpatialMotion<T> without_joint = shift(A_b, kinematics.s[i]) + kinematics.bias[i];
  const Vec3<T> a = link.is_spherical ? without_joint.v : block.a;
  A_b = {block.turning(a), a};
  const Vec3<T> turning = A_b.w - without_joint.w;
  for (std::size_t k = 0; k < 3; ++k) out[k] = dot(H[k].w, turning);
  if (link.is_spherical) return;
  const Vec3<T> moving = a - without_joint.v;
  for (std::size_t k = 3; k < 6; ++k) out[k] = dot(H[k].v, moving);
}

// (9) for one body. `A_b` is A of the previous body in the walk on entry, A of this body on return.
template <class T, bool by_blocks>
[[gnu::always_inline]] inline void ArticulatedSweep<T, by_blocks>::accelerate_step(
    const WalkStep& step, const SpatialMotion<T>& A_base, const Kinematics<T>& kinematics, std::span<T> udot,
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
  } else if (by_blocks && link.block >= 0) {
    accelerate_block(i, kinematics, udot, A_b);
  } else {
    SpatialMotion<T> G = A_b;  // A_P plus the accelerations of this joint so far, about the parent's Mo
    A_b = shift(A_b, s) + kinematics.bias[i];
    for (std::size_t k = first + static_cast<std::size_t>(link.nu); k-- > first;) {
      udot[k] = less_product(free_udot[k], G, W[k]);
      G += udot[k] * at_parent(kinematics.H[k], s);
      A_b += udot[k] * kinematics.H[k];
    }
  }
  A[i] = A_b;
}

template <class T, bool by_blocks>
[[gnu::always_inline]] inline void ArticulatedSweep<T, by_blocks>::accelerate(const Walk& walk,
                                                                              const SpatialMotion<T>& A_base,
                                                                              const Kinematics<T>& kinematics,
                                                                              std::span<T> udot) {
  SpatialMotion<T> A_b;
  for (const WalkStep& step : walk.steps) accelerate_step(step, A_base, kinematics, udot, A_b);
}

template <class T, bool by_blocks>
[[gnu::always_inline]] inline void ArticulatedSweep<T, by_blocks>::accelerate(
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

template <class T, bool by_blocks>
void ArticulatedSweep<T, by_blocks>::calc_reactions(const Kinematics<T>& kinematics,
                                                    const AppliedForces<T>& forces,
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
