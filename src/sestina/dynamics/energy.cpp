#include "sestina/dynamics/energy.h"

#include <cmath>

#include "sestina/dynamics/cables.h"
#include "sestina/dynamics/reduced_bodies.h"
#include "sestina/model/properties.h"
#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
Energy<T> calc_energy(const Model& model, const Properties<T>& properties, const State<T>& state,
                      const Kinematics<T>& kinematics, const AppliedForces<T>& forces) {
  Energy<T> energy;
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const auto i = static_cast<std::size_t>(b.value());
    const BodyMotion<T>& motion = kinematics.motion[i];
    const RigidInertia<T>& M = kinematics.inertia[i];
    energy.kinetic += T(0.5) * dot(motion.V_WB, M * motion.V_WB);
    energy.potential -= M.mass * dot(properties.gravity, motion.X_WB.p + M.c);
    const BodyInfo& info = model.bodies()[b];
    if (info.nu == 1) {
      const T& u = state.u[static_cast<std::size_t>(info.u_start)];
      energy.kinetic += T(0.5) * properties.bodies[b].armature * u * u;
    }
  }
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Dual>) {
    energy.kinetic += calc_reduced_kinetic_energy(model, state, kinematics);
    const CableEnergy<T> of_cables = calc_cable_mass_energy(properties, state, kinematics);
    energy.kinetic += of_cables.kinetic, energy.potential += of_cables.potential;
  }
  const ForceInput<T> in = force_input(state, kinematics, forces);
  for (const CutJoint<T>& cut : properties.constraints.cut_joints) {
    if (cut.armature_row < 0) continue;
    const T& u = in.u[model.nu() + cut.u_start];
    energy.kinetic += T(0.5) * cut.armature * u * u;
  }
  properties.forces.for_each([&](const auto& element) {
    energy.kinetic += element.kinetic_energy(in);
    energy.potential += element.potential_energy(in);
  });
  if constexpr (std::is_same_v<T, double>) {
    for (const UserForceInfo& info : model.user_forces()) {
      energy.potential += info.force->potential_energy(state.t, forces.user_motion);
    }
  }
  return energy;
}

template <class T>
Momentum<T> calc_momentum(const Model& model, const Properties<T>& properties, const State<T>& state,
                          const Kinematics<T>& kinematics) {
  SpatialForce<T> sum;
  for (std::size_t i = 1; i < kinematics.inertia.size(); ++i) {
    const BodyMotion<T>& motion = kinematics.motion[i];
    sum += shift_back(kinematics.inertia[i] * motion.V_WB, motion.X_WB.p);
  }
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Dual>) {
    sum.torque += calc_reduced_angular_momentum(model, state, kinematics);
    sum += calc_cable_momentum(properties, state, kinematics);
  }
  return {sum.force, sum.torque};
}

template <class T>
Power<T> calc_power(const Model& model, const Properties<T>& properties, const State<T>& state,
                    const Kinematics<T>& kinematics, const AppliedForces<T>& forces) {
  Power<T> power;
  const ForceInput<T> in = force_input(state, kinematics, forces);
  properties.forces.for_each([&](const auto& element) {
    power.supplied += element.supplied_power(in);
    power.dissipated += element.dissipated_power(in);
  });
  if constexpr (std::is_same_v<T, double>) {
    if (model.user_forces().empty()) return power;
    for (std::size_t i = 1; i < forces.user_forces.size(); ++i) {
      power.supplied += dot(forces.user_motion[i].V_WB, forces.user_forces[i]);
    }
    for (std::size_t i = 0; i < forces.user_tau.size(); ++i) {
      power.supplied += forces.user_tau[i] * state.u[i];
    }
    for (const UserForceInfo& info : model.user_forces()) {
      power.supplied -= info.force->conservative_power(state.t, forces.user_motion);
    }
  }
  return power;
}

std::string explain_non_finite_power(const Model& model, const Properties<double>& properties,
                                     const State<double>& state, const Kinematics<double>& kinematics,
                                     const AppliedForces<double>& forces) {
  const ForceInput<double> in = force_input(state, kinematics, forces);
  std::string name;
  properties.forces.for_each([&](const auto& element) {
    const double power = element.supplied_power(in) + element.dissipated_power(in);
    if (name.empty() && !std::isfinite(power)) name = model.forces()[element.index].name;
  });
  return name.empty() ? "the power of the forces is not finite"
                      : "the power of the force " + name + " is not finite";
}

#define SESTINA_INSTANTIATE(T)                                                                              \
  template Energy<T> calc_energy(const Model&, const Properties<T>&, const State<T>&, const Kinematics<T>&, \
                                 const AppliedForces<T>&);                                                  \
  template Momentum<T> calc_momentum(const Model&, const Properties<T>&, const State<T>&,                   \
                                     const Kinematics<T>&);                                                 \
  template Power<T> calc_power(const Model&, const Properties<T>&, const State<T>&, const Kinematics<T>&,   \
                               const AppliedForces<T>&);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
