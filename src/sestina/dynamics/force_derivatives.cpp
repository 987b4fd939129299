#include "sestina/dynamics/force_derivatives.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/joints/joint_list.h"

namespace sestina {
ForceDerivatives::ForceDerivatives(const Model& model, const Properties<double>& properties)
    : model_(model), springs_(properties.forces.joint_springs), dampers_(properties.forces.joint_dampers) {
  if (!model.user_forces().empty()) {
    throw InputError(fmt::format("{}: a user force has no derivatives",
                                 model.forces()[model.user_forces().front().index].name));
  }
  const ForceSet<double>& forces = properties.forces;
  acts_on_bodies_ =
      !(forces.spring_dampers.empty() && forces.point_forces.empty() && forces.point_torques.empty()) ||
      forces.connectors.act_on_bodies();
  if (!acts_on_bodies_ && forces.joint_forces.empty() && forces.connectors.empty()) return;
  dual_.emplace(model, properties);
  dual_->properties.forces.joint_springs.clear();
  dual_->properties.forces.joint_dampers.clear();
  qdot_.resize(dual_->state.q.size()), unit_.resize(dual_->state.u.size());
  subtree_.resize(static_cast<std::size_t>(model.bodies().size()));
  subtree_end_ = find_subtree_ends(model);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    body_of_speed_.insert(body_of_speed_.end(), static_cast<std::size_t>(model.bodies()[b].nu), b.value());
  }
}

void ForceDerivatives::set_values(const State<double>& state, const Kinematics<double>& kinematics) {
  dual_->set_state(state);
  for (std::size_t i = 0; i < kinematics.motion.size(); ++i) dual_->set_motion(i, kinematics.motion[i]);
}

void ForceDerivatives::move_by_q(std::size_t k, const State<double>& state,
                                 const Kinematics<double>& kinematics, const TangentMotion& tangent) {
  const auto j = static_cast<std::size_t>(body_of_speed_[k]);
  const BodyInfo& info = model_.bodies()[BodyIndex(static_cast<int>(j))];
  unit_[k] = 1.0;
  visit_joint<Dual>(dual_->properties.bodies[BodyIndex(static_cast<int>(j))].joint, [&](const auto& joint) {
    // The tangent of plus() at d = 0 is q_dot().
    const auto rate = [&]<template <class> class Joint>(const Joint<Dual>&) {
      Joint<double>::q_dot(state.q.data() + info.q_start, unit_.data() + info.u_start,
                           qdot_.data() + info.q_start);
    };
    rate(joint);
  });
  unit_[k] = 0.0;
  for (int c = info.q_start; c < info.q_start + info.nq; ++c) {
    const auto i = static_cast<std::size_t>(c);
    dual_->state.q[i].d = qdot_[i];
  }
  const SpatialMotion<double>& H = kinematics.H[k];
  const BodyMotion<double>& base = kinematics.motion[j];
  for (std::size_t i = j; i < subtree_end_[j]; ++i) {
    const BodyMotion<double>& at = kinematics.motion[i];
    const Vec3<double> p = at.X_WB.p - base.X_WB.p;
    dual_->set_motion(i, at,
                      {H.w, H.v + cross(H.w, p), cross(H.w, at.V_WB.w) + tangent.psi,
                       tangent.dv + cross(H.w, at.V_WB.v - base.V_WB.v) + cross(tangent.psi, p)});  // (1) (2)
  }
}

void ForceDerivatives::move_by_u(std::size_t k, const Kinematics<double>& kinematics) {
  const auto j = static_cast<std::size_t>(body_of_speed_[k]);
  dual_->state.u[k].d = 1.0;
  const SpatialMotion<double>& H = kinematics.H[k];
  for (std::size_t i = j; i < subtree_end_[j]; ++i) {
    const BodyMotion<double>& at = kinematics.motion[i];
    const Vec3<double> p = at.X_WB.p - kinematics.motion[j].X_WB.p;
    dual_->set_motion(i, at, {{}, {}, H.w, H.v + cross(H.w, p)});
  }
}

// Resets the tangents that move() has set.
void ForceDerivatives::stop(std::size_t k, const State<double>& state) {
  const auto j = static_cast<std::size_t>(body_of_speed_[k]);
  const BodyInfo& info = model_.bodies()[BodyIndex(static_cast<int>(j))];
  for (int c = info.q_start; c < info.q_start + info.nq; ++c) {
    const auto i = static_cast<std::size_t>(c);
    dual_->state.q[i] = state.q[i];
  }
  dual_->state.u[k] = state.u[k];
}

SpatialForce<double> ForceDerivatives::force_rate(std::size_t body, const Turned& turned) const {
  const bool turns = body >= turned.begin && body < turned.end;
  return dual_->rate_of(body, turns ? turned.theta : Vec3<double>{});
}

void ForceDerivatives::subtract_column(const Kinematics<double>& kinematics, double* column,
                                       std::ptrdiff_t stride, const Turned& turned) {
  for (std::size_t l = 0; l < unit_.size(); ++l) {
    column[static_cast<std::ptrdiff_t>(l) * stride] -= dual_->forces.tau[l].d;
  }
  if (!acts_on_bodies_) return;
  for (std::size_t i = 0; i < subtree_.size(); ++i) subtree_[i] = force_rate(i, turned);
  for (std::size_t i = subtree_.size(); i-- > 1;) {
    const BodyLink& link = kinematics.tree.links[i];
    for (int l = link.u_start; l < link.u_start + link.nu; ++l) {
      column[l * stride] -= dot(kinematics.H[static_cast<std::size_t>(l)], subtree_[i]);
    }
    subtree_[static_cast<std::size_t>(link.parent)] += shift_back(subtree_[i], kinematics.s[i]);
  }
}

double ForceDerivatives::calc_product(const VirtualMotion& virtual_motion, const Turned& turned) {
  double product = 0.0;
  for (std::size_t l = 0; l < unit_.size(); ++l) product += virtual_motion.z[l] * dual_->forces.tau[l].d;
  for (std::size_t i = 1; acts_on_bodies_ && i < subtree_.size(); ++i) {
    product += dot(virtual_motion.V[i], force_rate(i, turned));
  }
  return product;
}

// Evaluates the forces with their derivatives with respect to each coordinate and each speed, and calls
// take(k, is_by_q, turned).
template <class Take>
void ForceDerivatives::visit_columns(const State<double>& state, const Kinematics<double>& kinematics,
                                     std::span<const TangentMotion> tangents, Take&& take) {
  set_values(state, kinematics);
  const auto update = [&] {
    update_applied_forces<Dual>(model_, dual_->properties, dual_->state, dual_->kinematics, dual_->forces);
  };
  for (std::size_t k = 0; k < tangents.size(); ++k) {
    const auto j = static_cast<std::size_t>(body_of_speed_[k]), end = subtree_end_[j];
    move_by_q(k, state, kinematics, tangents[k]);
    update();
    take(k, true, Turned{j, end, kinematics.H[k].w});
    stop(k, state);
    move_by_u(k, kinematics);
    update();
    take(k, false, Turned{});
    stop(k, state);
    for (std::size_t i = j; i < end; ++i) dual_->set_motion(i, kinematics.motion[i]);
  }
}

void ForceDerivatives::subtract(const State<double>& state, const Kinematics<double>& kinematics,
                                std::span<const TangentMotion> tangents, double* by_q, double* by_u,
                                std::ptrdiff_t stride) {
  for (const JointSpring<double>& spring : springs_) by_q[spring.u * (stride + 1)] += spring.stiffness;
  for (const JointDamper<double>& damper : dampers_) by_u[damper.u * (stride + 1)] += damper.damping;
  if (!dual_) return;
  visit_columns(state, kinematics, tangents, [&](std::size_t k, bool is_by_q, const Turned& turned) {
    subtract_column(kinematics, (is_by_q ? by_q : by_u) + k, stride, turned);
  });
}

void ForceDerivatives::subtract_products(const State<double>& state, const Kinematics<double>& kinematics,
                                         std::span<const TangentMotion> tangents,
                                         const VirtualMotion& virtual_motion, std::span<double> by_q,
                                         std::span<double> by_u) {
  const auto add = [&](std::span<double> by, int u, double factor) {
    by[static_cast<std::size_t>(u)] += factor * virtual_motion.z[static_cast<std::size_t>(u)];
  };
  for (const JointSpring<double>& spring : springs_) add(by_q, spring.u, spring.stiffness);
  for (const JointDamper<double>& damper : dampers_) add(by_u, damper.u, damper.damping);
  if (!dual_) return;
  visit_columns(state, kinematics, tangents, [&](std::size_t k, bool is_by_q, const Turned& turned) {
    (is_by_q ? by_q : by_u)[k] -= calc_product(virtual_motion, turned);
  });
}

}  // namespace sestina
