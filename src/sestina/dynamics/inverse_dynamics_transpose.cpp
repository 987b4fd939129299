#include "sestina/dynamics/inverse_dynamics_transpose.h"

#include <algorithm>

#include "sestina/dynamics/subtree_pass.h"
#include "sestina/dynamics/wide_registers.h"

namespace sestina {

InverseDynamicsTranspose::InverseDynamicsTranspose(const Model& model, const Properties<double>& properties,
                                                   Conditions conditions)
    : sums_(model, properties, conditions),
      tangents_(static_cast<std::size_t>(model.nu())),
      force_derivatives_(model, properties),
      by_parameters_(model, properties) {
  const auto bodies = static_cast<std::size_t>(model.bodies().size());
  virtual_motion_.V.resize(bodies);
  virtual_motion_.U.resize(bodies);
  virtual_motion_.W.resize(bodies);
}

// (1)
void InverseDynamicsTranspose::move(const Kinematics<double>& kinematics) {
  std::vector<SpatialMotion<double>>& V = virtual_motion_.V;
  for (std::size_t i = 1; i < V.size(); ++i) {
    const BodyLink& link = kinematics.tree.links[i];
    V[i] = shift(V[static_cast<std::size_t>(link.parent)], kinematics.s[i]);
    for (int speed = link.u_start; speed < link.u_start + link.nu; ++speed) {
      const auto l = static_cast<std::size_t>(speed);
      V[i] += virtual_motion_.z[l] * kinematics.H[l];
    }
  }
}

// (2) for the speeds of the joint of body i, whose U and W contain those of its children; then adds U and W
// to the parent's.
[[gnu::always_inline]] inline void InverseDynamicsTranspose::sum_body(std::size_t i,
                                                                      const Kinematics<double>& kinematics,
                                                                      std::span<double> by_q,
                                                                      std::span<double> by_u) {
  using Lanes = SubtreeSums::Lanes;
  const BodyLink& link = kinematics.tree.links[i];
  const auto parent = static_cast<std::size_t>(link.parent);
  const SubtreeSums::Subtree& sum = sums_.subtree(i);
  const std::span<const double> z = virtual_motion_.z;
  const SpatialMotion<double> V_P = shift(virtual_motion_.V[parent], kinematics.s[i]);
  const Lanes inboard_w(V_P.w), inboard_v(V_P.v);
  const Lanes V_w(virtual_motion_.V[i].w), V_v(virtual_motion_.V[i].v);
  const Lanes U_torque(virtual_motion_.U[i].torque), U_force(virtual_motion_.U[i].force),
      W(virtual_motion_.W[i]);
  Lanes all_torque = U_torque, all_force = U_force, all_W = W;
  const auto first = static_cast<std::size_t>(link.u_start), nu = static_cast<std::size_t>(link.nu);
  for (std::size_t k = first; k < first + nu; ++k) {
    const SubtreeSums::Column& column = sums_.column(k);
    SubtreePass pass;
    pass.start(sum, column, link.is_revolute);
    Lanes q = V_w * pass.Q_torque + V_v * pass.Q_force + U_torque * column.beta_q + U_force * column.gamma_q +
              W * column.psi;
    Lanes u = V_w * pass.C_torque + V_v * pass.C_force + U_torque * column.beta_u + W * column.theta;
    if (!link.is_revolute) {
      q += inboard_w * cross(column.eta, sum.force);
      u += U_force * column.gamma_u;
    }
    if (const SpatialMotion<double>* rates = sums_.joint_rates(i); rates != nullptr) {
      for (std::size_t l = 0; l < nu; ++l) {
        const SpatialMotion<double>& dH = rates[l * nu + (k - first)];
        q += z[first + l] * (Lanes(dH.w) * sum.torque + Lanes(dH.v) * sum.force);
      }
    }
    const Lanes both = row_sums(q, u, {});
    by_q[k] = both[0], by_u[k] = both[1];
    all_torque += z[k] * pass.U_torque, all_force += z[k] * pass.U_force, all_W += z[k] * pass.W;
  }
  virtual_motion_.U[i] = {to_vec3(all_torque), to_vec3(all_force)};
  virtual_motion_.W[i] = to_vec3(all_W);
  virtual_motion_.U[parent] += {to_vec3(all_torque + cross(sum.s, all_force)), to_vec3(all_force)};
  virtual_motion_.W[parent] += to_vec3(all_W + cross(sum.dv, all_force));
}

void InverseDynamicsTranspose::calc(const State<double>& state, const Kinematics<double>& kinematics,
                                    const AppliedForces<double>& forces, std::span<const double> udot,
                                    std::span<const double> z, std::span<double> by_q,
                                    std::span<double> by_u) {
  sums_.update(state, kinematics, forces, udot);
  virtual_motion_.z = z;
  move(kinematics);
  std::ranges::fill(virtual_motion_.U, SpatialForce<double>{});
  std::ranges::fill(virtual_motion_.W, Vec3<double>{});
  with_wide_registers<double>([&]() __attribute__((always_inline)) {
    for (std::size_t i = virtual_motion_.V.size(); i-- > 1;) sum_body(i, kinematics, by_q, by_u);
  });
  if (force_derivatives_.needs_tangents()) {
    for (std::size_t k = 0; k < tangents_.size(); ++k) {
      tangents_[k] = {to_vec3(sums_.column(k).psi), to_vec3(sums_.column(k).dv)};
    }
  }
  force_derivatives_.subtract_products(state, kinematics, tangents_, virtual_motion_, by_q, by_u);
  by_parameters_.start(state, kinematics, udot, sums_);
}

}  // namespace sestina
