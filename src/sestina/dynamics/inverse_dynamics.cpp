#include "sestina/dynamics/inverse_dynamics.h"

#include <cmath>

#include "sestina/model/properties.h"
#include "sestina/spatial/composite_inertia.h"
#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
InverseDynamics<T>::InverseDynamics(const Model& model)
    : acceleration(static_cast<std::size_t>(model.bodies().size())),
      reaction(acceleration.size()),
      residual(static_cast<std::size_t>(model.nu())) {}

namespace {

template <class T>
struct MotionLanes {
  Lanes3<T> w, v;
};

// The force that the body itself requires, without its children: M A + gyroscopic_force() - applied.
template <class T>
[[gnu::always_inline]] inline ForceLanes<T> calc_own_force(const RigidInertia<T>& M, const MotionLanes<T>& A,
                                                           const Lanes3<T>& w,
                                                           const SpatialForce<T>& applied) {
  const Lanes3<T> h = M.mass * Lanes3<T>(M.c);
  const SymLanes<T> J(M.J);
  return {J * A.w + cross(w, J * w) + cross(h, A.v) - Lanes3<T>(applied.torque),
          M.mass * A.v + cross(A.w, h) + cross(w, cross(w, h)) - Lanes3<T>(applied.force)};
}

// Computes the accelerations, less g so far, and stores the bodies' own forces in `reaction`.
template <class T>
[[gnu::always_inline]] inline void accelerate(const Properties<T>& properties,
                                              const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                                              std::span<const T> udot, InverseDynamics<T>& result) {
  MotionLanes<T> A;
  for (std::size_t i = 1; i < result.acceleration.size(); ++i) {
    const BodyLink& link = kinematics.tree.links[i];
    if (link.parent == 0) {
      A = {{}, Lanes3<T>(-properties.gravity)};
    } else if (const auto parent = static_cast<std::size_t>(link.parent); parent + 1 != i) {
      const SpatialMotion<T>& A_P = result.acceleration[parent];
      A = {Lanes3<T>(A_P.w), Lanes3<T>(A_P.v)};
    }
    // Rounded as in the recursion, so that the residual of a thousand links is hardly larger than the
    // rounding of A.
    A.v += cross(A.w, Lanes3<T>(kinematics.s[i]));
    A.v += Lanes3<T>(kinematics.bias[i].v);
    A.w += Lanes3<T>(kinematics.bias[i].w);
    const auto first = static_cast<std::size_t>(link.u_start);
    if (link.is_revolute) {
      A.w += udot[first] * Lanes3<T>(kinematics.H[first].w);  // (1)
    } else {
      for (std::size_t k = first; k < first + static_cast<std::size_t>(link.nu); ++k) {
        A.w += udot[k] * Lanes3<T>(kinematics.H[k].w);
        A.v += udot[k] * Lanes3<T>(kinematics.H[k].v);
      }
    }
    A.w.store(&result.acceleration[i].w.x);
    A.v.store(&result.acceleration[i].v.x);
    const ForceLanes<T> own =
        calc_own_force(kinematics.inertia[i], A, Lanes3<T>(kinematics.motion[i].V_WB.w), forces.body[i]);
    own.torque.store(&result.reaction[i].torque.x);
    own.force.store(&result.reaction[i].force.x);
  }
}

// Accumulates (2) inward, computes (3) and adds g to the accelerations.
template <class T>
[[gnu::always_inline]] inline void sum_inward(const Properties<T>& properties,
                                              const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                                              std::span<const T> udot, InverseDynamics<T>& result) {
  const Lanes3<T> g(properties.gravity);
  ForceLanes<T> carry;  // force of body i + 1 if its parent is i
  for (std::size_t i = result.reaction.size(); i-- > 1;) {
    const BodyLink& link = kinematics.tree.links[i];
    Vec3<T>& a = result.acceleration[i].v;
    (Lanes3<T>(a) + g).store(&a.x);
    SpatialForce<T>& reaction = result.reaction[i];
    ForceLanes<T> F{Lanes3<T>(reaction.torque), Lanes3<T>(reaction.force)};
    F += carry;
    F.torque.store(&reaction.torque.x);
    F.force.store(&reaction.force.x);
    const auto first = static_cast<std::size_t>(link.u_start);
    if (link.is_revolute) {
      result.residual[first] = dot(Lanes3<T>(kinematics.H[first].w), F.torque) +
                               properties.bodies.values()[i].armature * udot[first] - forces.tau[first];
    } else {
      for (std::size_t k = first; k < first + static_cast<std::size_t>(link.nu); ++k) {
        result.residual[k] = dot(kinematics.H[k], F) + properties.bodies.values()[i].armature * udot[k] -
                             forces.tau[k];  // (3)
      }
    }
    F.shift_back(Lanes3<T>(kinematics.s[i]));
    carry = {};
    const auto parent = static_cast<std::size_t>(link.parent);
    if (parent + 1 == i) {
      carry = F;
    } else if (parent != 0) {
      SpatialForce<T>& sum = result.reaction[parent];
      (Lanes3<T>(sum.torque) + F.torque).store(&sum.torque.x);
      (Lanes3<T>(sum.force) + F.force).store(&sum.force.x);
    }
  }
}

}  // namespace

template <class T>
void update_inverse_dynamics(const Model&, const Properties<T>& properties, const Kinematics<T>& kinematics,
                             const AppliedForces<T>& forces, std::span<const T> udot,
                             InverseDynamics<T>& result) {
  accelerate(properties, kinematics, forces, udot, result);
  sum_inward(properties, kinematics, forces, udot, result);
}

std::vector<double> calc_residual_scale(const Model& model, const Properties<double>& properties,
                                        const Kinematics<double>& kinematics,
                                        const AppliedForces<double>& forces, std::span<const double> udot,
                                        const InverseDynamics<double>& result) {
  std::vector<double> scale(static_cast<std::size_t>(model.nu()), 0.0);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const auto i = static_cast<std::size_t>(b.value());
    const RigidInertia<double>& M = kinematics.inertia[i];
    const SpatialForce<double> terms[] = {M * result.acceleration[i],
                                          M * SpatialMotion<double>{{}, properties.gravity},
                                          gyroscopic_force(M, kinematics.motion[i].V_WB.w), forces.body[i]};
    double torque = 0.0, force = 0.0;
    for (const auto& term : terms) torque += norm(term.torque), force += norm(term.force);
    // Norms and lever arms are used, since a product that vanishes because its factors are parallel or
    // perpendicular, such as the moment of a weight that hangs straight down, still has the round-off of its
    // factors.
    torque += M.mass * norm(M.c) * (norm(result.acceleration[i].v) + norm(properties.gravity));
    for (BodyIndex a = b; a != kGround; a = model.bodies()[a].parent) {
      const BodyInfo& info = model.bodies()[a];
      for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
        const auto j = static_cast<std::size_t>(k);
        const SpatialMotion<double>& H = kinematics.H[j];
        scale[j] += norm(H.w) * torque + norm(H.v) * force;
      }
      torque += norm(kinematics.s[static_cast<std::size_t>(a.value())]) * force;
    }
    const BodyInfo& info = model.bodies()[b];
    for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
      const auto j = static_cast<std::size_t>(k);
      scale[j] += std::abs(forces.tau[j]) + std::abs(properties.bodies[b].armature * udot[j]);
    }
  }
  return scale;
}

std::vector<double> calc_inertia_diagonal(const Model& model, const Properties<double>& properties,
                                          const Kinematics<double>& kinematics) {
  std::vector<double> diagonal(static_cast<std::size_t>(model.nu()), 0.0);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const RigidInertia<double>& M = kinematics.inertia[static_cast<std::size_t>(b.value())];
    Vec3<double> r{};  // from the origin of a to that of b (m)
    for (BodyIndex a = b; a != kGround; a = model.bodies()[a].parent) {
      const BodyInfo& info = model.bodies()[a];
      for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
        const auto j = static_cast<std::size_t>(k);
        const SpatialMotion<double>& H = kinematics.H[j];
        const SpatialMotion<double> moved{H.w, H.v + cross(H.w, r)};
        const SpatialForce<double> momentum = M * moved;
        diagonal[j] += dot(moved.w, momentum.torque) + dot(moved.v, momentum.force);
      }
      r = r + kinematics.s[static_cast<std::size_t>(a.value())];
    }
    const BodyInfo& info = model.bodies()[b];
    for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
      diagonal[static_cast<std::size_t>(k)] += properties.bodies[b].armature;
    }
  }
  return diagonal;
}

#define SESTINA_INSTANTIATE(T)                                                                    \
  template struct InverseDynamics<T>;                                                             \
  template void update_inverse_dynamics(const Model&, const Properties<T>&, const Kinematics<T>&, \
                                        const AppliedForces<T>&, std::span<const T>, InverseDynamics<T>&);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
