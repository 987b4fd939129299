#include "sestina/state_time/applied_loads.h"

#include <fmt/format.h>

#include <cmath>

#include "sestina/base/error.h"
#include "sestina/state_time/joint_loads.h"

namespace sestina {
namespace {

// Computes all forces on the bodies about Mo, including those of the joints' generalised forces.
void update_forces(const Model& model, const Properties<double>& properties, const State<double>& state,
                   const Kinematics<double>& kinematics, AppliedForces<double>& forces) {
  // update_applied_forces() does not clear this array if all forces act on joints.
  std::fill(forces.body.begin(), forces.body.end(), SpatialForce<double>{});
  update_applied_forces(model, properties, state, kinematics, forces);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    add_joint_force(info, properties, state, kinematics, b, forces.tau.data() + info.u_start,
                    forces.body.data());
  }
}

}  // namespace

AppliedLoads::AppliedLoads(const Model& model, const Properties<double>& properties, bool finds_states)
    : model_(model),
      properties_(properties),
      finds_states_(finds_states),
      kinematics_(model),
      forces_(model) {
  if (!model.user_forces().empty()) {
    throw InputError(fmt::format("{}: a user force has no derivatives, which state-time equations need",
                                 model.forces()[model.user_forces().front().index].name));
  }
  state_.q.resize(static_cast<std::size_t>(model.nq())),
      state_.u.resize(static_cast<std::size_t>(model.nu()));
  state_.d = calc_initial_state<double>(model, properties.parameters).d;
  if (model.forces().empty()) return;
  derivatives_.emplace(model, properties);
}

void AppliedLoads::find_state(std::span<const BodyInstant> bodies, State<double>& state) {
  for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
    const auto i = static_cast<std::size_t>(b.value());
    kinematics_.motion[i] = frame_motion(BodyNumbers<double>(bodies[i - 1]), properties_.bodies[b].M.c);
  }
  for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
    const BodyInfo& info = model_.bodies()[b];
    const RelativeMotion<double> relative = relative_motion(properties_, kinematics_, info.parent, b);
    const AnyJoint<double>& joint = properties_.bodies[b].joint;
    double* const q = state.q.data() + info.q_start;
    if (!find_coordinates(joint, relative.X_FM, q)) {
      throw ComputationError(state.t,
                             fmt::format("{} is too far open for its coordinates to be found: shorter "
                                         "elements are needed",
                                         info.joint_name));
    }
    visit_joint(joint, [&](const auto& j) {
      find_speeds<double>(j, relative.V_FM, q, state.u.data() + info.u_start);
    });
  }
}

void AppliedLoads::update_state(double t, std::span<const BodyInstant> bodies, std::span<const double> q) {
  state_.t = t;
  std::copy(q.begin(), q.end(), state_.q.begin());
  find_state(bodies, state_);
}

void AppliedLoads::add_loads(double t, std::span<const BodyInstant> bodies, std::span<double> q,
                             std::span<BodyLoad> loads) {
  if (!any() && !finds_states_) return;
  update_state(t, bodies, q);
  std::copy(state_.q.begin(), state_.q.end(), q.begin());
  if (!any()) return;
  update_forces(model_, properties_, state_, kinematics_, forces_);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const BodyIndex b(static_cast<int>(i) + 1);
    const CenterLoad<double> load = load_of(forces_.body[i + 1], bodies[i].C, properties_.bodies[b].M.c);
    if (!std::isfinite(dot(load.force, load.force) + dot(load.torque, load.torque))) {
      const std::string reason = explain_non_finite_force(model_, properties_, state_, kinematics_, forces_);
      throw ComputationError(t, reason.empty() ? "a force is not finite" : reason);
    }
    loads[i].force += load.force, loads[i].torque += load.torque;
  }
}

void AppliedLoads::add_derivatives(std::span<const BodyInstant> bodies, DerivativeSink& sink) {
  if (any()) derivatives_->add(bodies, state_, forces_.expressions, sink);
}

}  // namespace sestina
