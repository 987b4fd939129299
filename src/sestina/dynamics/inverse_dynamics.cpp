#include "sestina/dynamics/inverse_dynamics.h"

#include <cmath>

#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
InverseDynamics<T>::InverseDynamics(const Model& model)
    : acceleration(static_cast<std::size_t>(model.bodies().size())),
      reaction(acceleration.size()),
      residual(static_cast<std::size_t>(model.nu())) {}

namespace {

template <class T>
void update_accelerations(const Model& model, const Kinematics<T>& kinematics, std::span<const T> udot,
                          std::vector<SpatialMotion<T>>& A) {
  const int n = model.bodies().size();
  for (BodyIndex b{1}; b.value() < n; ++b) {
    const BodyInfo& info = model.bodies()[b];
    const auto i = static_cast<std::size_t>(b.value());
    A[i] = shift(A[static_cast<std::size_t>(info.parent.value())], kinematics.s[i]) + kinematics.bias[i];
    for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
      A[i] += udot[static_cast<std::size_t>(k)] * kinematics.H[static_cast<std::size_t>(k)];  // (1)
    }
  }
}

}  // namespace

template <class T>
void update_inverse_dynamics(const Model& model, const Properties<T>& properties,
                             const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                             std::span<const T> udot, InverseDynamics<T>& result) {
  result.acceleration[0].v = -properties.gravity;
  update_accelerations(model, kinematics, udot, result.acceleration);
  const int n = model.bodies().size();
  for (int b = 1; b < n; ++b) {
    const auto i = static_cast<std::size_t>(b);
    const RigidInertia<T>& M = kinematics.inertia[i];
    SpatialMotion<T>& A = result.acceleration[i];
    result.reaction[i] = M * A + gyroscopic_force(M, kinematics.motion[i].V_WB.w) - forces.body[i];
    A.v += properties.gravity;
  }
  result.acceleration[0] = {};
  for (int b = n - 1; b > 0; --b) {
    const BodyInfo& info = model.bodies()[BodyIndex(b)];
    const auto i = static_cast<std::size_t>(b);
    const SpatialForce<T>& F = result.reaction[i];
    for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
      const auto j = static_cast<std::size_t>(k);
      result.residual[j] = dot(kinematics.H[j], F) + properties.bodies[BodyIndex(b)].armature * udot[j] -
                           forces.tau[j];  // (3)
    }
    if (info.parent != kGround) {
      result.reaction[static_cast<std::size_t>(info.parent.value())] +=
          shift_back(F, kinematics.s[i]);  // (2)
    }
  }
}

std::vector<double> calc_residual_scale(const Model& model, const Properties<double>& properties,
                                        const Kinematics<double>& kinematics,
                                        const AppliedForces<double>& forces, std::span<const double> udot,
                                        const InverseDynamics<double>& result) {
  std::vector<double> scale(static_cast<std::size_t>(model.nu()), 0.0);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const auto i = static_cast<std::size_t>(b.value());
    const RigidInertia<double>& M = kinematics.inertia[i];
    SpatialForce<double> terms[] = {M * result.acceleration[i],
                                    M * SpatialMotion<double>{{}, properties.gravity},
                                    gyroscopic_force(M, kinematics.motion[i].V_WB.w), forces.body[i]};
    for (BodyIndex a = b; a != kGround; a = model.bodies()[a].parent) {
      const BodyInfo& info = model.bodies()[a];
      for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
        const auto j = static_cast<std::size_t>(k);
        // By norms: a product that is zero because its factors are normal to each other still carries the
        // round-off of the factors.
        const SpatialMotion<double>& H = kinematics.H[j];
        for (const auto& term : terms)
          scale[j] += norm(H.w) * norm(term.torque) + norm(H.v) * norm(term.force);
      }
      for (auto& term : terms) term = shift_back(term, kinematics.s[static_cast<std::size_t>(a.value())]);
    }
    const BodyInfo& info = model.bodies()[b];
    for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
      const auto j = static_cast<std::size_t>(k);
      scale[j] += std::abs(forces.tau[j]) + std::abs(properties.bodies[b].armature * udot[j]);
    }
  }
  return scale;
}

#define SESTINA_INSTANTIATE(T)                                                                    \
  template struct InverseDynamics<T>;                                                             \
  template void update_inverse_dynamics(const Model&, const Properties<T>&, const Kinematics<T>&, \
                                        const AppliedForces<T>&, std::span<const T>, InverseDynamics<T>&);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
