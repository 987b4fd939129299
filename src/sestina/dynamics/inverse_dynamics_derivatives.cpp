#include "sestina/dynamics/inverse_dynamics_derivatives.h"

#include <algorithm>

#include "sestina/base/memory.h"
#include "sestina/dynamics/subtree_pass.h"
#include "sestina/dynamics/wide_registers.h"

namespace sestina {
namespace {

using Lanes = Lanes3<double>;

// Size of the derivatives by q and u; checks that there is memory for them and the mass matrix.
std::size_t size_with_room(int nu, int stride) {
  check_memory_of_matrix(nu, stride + nu, "the derivatives of inverse dynamics: a matrix");
  return static_cast<std::size_t>(nu) * static_cast<std::size_t>(stride);
}

// All pairs of an outboard and an inboard speed.
struct Pairs {
  const Properties<double>& properties;
  const Kinematics<double>& kinematics;
  const SubtreeSums& sums;
  DenseMatrix<double>& M;
  double* by_state;
  std::ptrdiff_t width, stride;

  double* q_row(std::size_t i) const { return by_state + static_cast<std::ptrdiff_t>(i) * stride; }
  double* u_row(std::size_t i) const { return q_row(i) + width; }

  [[gnu::always_inline]] void fill() const {
    for (std::size_t i = kinematics.tree.links.size(); i-- > 1;) {
      const BodyLink& link = kinematics.tree.links[i];
      for (int speed = link.u_start; speed < link.u_start + link.nu; ++speed) {
        const auto k = static_cast<std::size_t>(speed);
        SubtreePass pass;
        pass.start(sums.subtree(i), sums.column(k), link.is_revolute);
        fill_joint(i, k, pass);
        walk_inward(i, k, pass);
      }
    }
  }

  // Fills the entries of speed k with all speeds l of its own joint.
  [[gnu::always_inline]] void fill_joint(std::size_t i, std::size_t k, SubtreePass& pass) const {
    const BodyLink& link = kinematics.tree.links[i];
    if (link.is_revolute) {
      const Lanes& theta = sums.column(k).theta;
      const Lanes rows = row_sums(theta * pass.U_torque, theta * pass.Q_torque, theta * pass.C_torque);
      M.row(static_cast<int>(k))[k] = rows[0] + properties.bodies.values()[i].armature;
      q_row(k)[k] = rows[1];
      u_row(k)[k] = rows[2];
      return;
    }
    const auto first = static_cast<std::size_t>(link.u_start), nu = static_cast<std::size_t>(link.nu);
    const SubtreeSums::Subtree& sum = sums.subtree(i);
    for (std::size_t l = first; l < first + nu; ++l) {
      const SubtreeSums::Column& column = sums.column(l);
      const Lanes rows = row_sums(column.theta * pass.U_torque + column.eta * pass.U_force,
                                  column.theta * pass.Q_torque + column.eta * pass.Q_force,
                                  column.theta * pass.C_torque + column.eta * pass.C_force);
      M.row(static_cast<int>(l))[k] = rows[0];
      q_row(l)[k] = rows[1];
      u_row(l)[k] = rows[2];
      if (const SpatialMotion<double>* rates = sums.joint_rates(i); rates != nullptr) {
        const SpatialMotion<double>& dH = rates[(l - first) * nu + (k - first)];
        q_row(l)[k] += dot(Lanes(dH.w), sum.torque) + dot(Lanes(dH.v), sum.force);
      }
    }
    M.row(static_cast<int>(k))[k] += properties.bodies.values()[i].armature;
    pass.Q_torque += cross(sums.column(k).eta, sum.force);  // (8)
  }

  // Fills the entries of speed k with all speeds inboard of its joint: (9) and (10).
  [[gnu::always_inline]] void walk_inward(std::size_t i, std::size_t k, SubtreePass& pass) const {
    double *q_row_k = q_row(k), *u_row_k = u_row(k), *M_row_k = M.row(static_cast<int>(k));
    for (auto b = kinematics.tree.links[i].parent; b > 0;) {
      pass.step_inward(sums.subtree(i));
      i = static_cast<std::size_t>(b);
      const BodyLink& link = kinematics.tree.links[i];
      for (int speed = link.u_start; speed < link.u_start + link.nu; ++speed) {
        const auto l = static_cast<std::size_t>(speed);
        const SubtreeSums::Column& column = sums.column(l);
        Lanes by_M = column.theta * pass.U_torque;
        Lanes q_lk = column.theta * pass.Q_torque, u_lk = column.theta * pass.C_torque;
        Lanes u_kl = column.beta_u * pass.U_torque + column.theta * pass.W;
        const Lanes q_kl =
            column.beta_q * pass.U_torque + column.gamma_q * pass.U_force + column.psi * pass.W;
        if (!link.is_revolute) {
          by_M += column.eta * pass.U_force;
          q_lk += column.eta * pass.Q_force, u_lk += column.eta * pass.C_force;
          u_kl += column.gamma_u * pass.U_force;
        }
        const Lanes inboard = row_sums(by_M, q_lk, u_lk);
        const Lanes outboard = row_sums(q_kl, u_kl, {});
        M_row_k[l] = M.row(speed)[k] = inboard[0];
        q_row(l)[k] = inboard[1], u_row(l)[k] = inboard[2];
        q_row_k[l] = outboard[0], u_row_k[l] = outboard[1];
      }
      b = link.parent;
    }
  }
};

}  // namespace

InverseDynamicsDerivatives::InverseDynamicsDerivatives(const Model& model,
                                                       const Properties<double>& properties,
                                                       Conditions conditions)
    : properties_(properties),
      nu_(model.nu()),
      width_((nu_ + 7) / 8 * 8),
      stride_(2 * width_),
      by_state_(size_with_room(nu_, stride_)),
      M_(model.nu()),
      sums_(model, properties, conditions),
      tangents_(static_cast<std::size_t>(nu_)),
      force_derivatives_(model, properties) {}

void InverseDynamicsDerivatives::update(const State<double>& state, const Kinematics<double>& kinematics,
                                        const AppliedForces<double>& forces, std::span<const double> udot) {
  if (force_derivatives_.needs_tangents()) std::fill(by_state_.begin(), by_state_.end(), 0.0);
  sums_.update(state, kinematics, forces, udot);
  const Pairs pairs{properties_, kinematics, sums_, M_, by_state_.data(), width_, stride_};
  with_wide_registers<double>([&]() __attribute__((always_inline)) { pairs.fill(); });
  if (force_derivatives_.needs_tangents()) {
    for (std::size_t k = 0; k < tangents_.size(); ++k) {
      tangents_[k] = {to_vec3(sums_.column(k).psi), to_vec3(sums_.column(k).dv)};
    }
  }
  force_derivatives_.subtract(state, kinematics, tangents_, q_row(0), u_row(0), stride_);
}

}  // namespace sestina
