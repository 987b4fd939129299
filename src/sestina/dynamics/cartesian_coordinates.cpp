#include "sestina/dynamics/cartesian_coordinates.h"

#include <algorithm>

#include "sestina/spatial/rotation_vector.h"

namespace sestina {

CartesianCoordinates::CartesianCoordinates(const Model& model, std::span<const double> parameters)
    : model_(&model),
      properties_(calc_properties<double>(*model.relative(), parameters)),
      kinematics_(*model.relative()) {}

void CartesianCoordinates::to_cartesian(const State<double>& relative, State<double>& state) {
  const Model& twin = *model_->relative();
  update_kinematics(twin, properties_, relative, kinematics_);
  state = relative;
  state.q.resize(static_cast<std::size_t>(model_->nq()));
  state.u.resize(static_cast<std::size_t>(model_->nu()));
  state.h.clear();
  for (BodyIndex b{1}; b.value() < twin.bodies().size(); ++b) {
    const BodyInfo& from = twin.bodies()[b];
    const BodyInfo& to = model_->bodies()[b];
    const auto of_joint = relative.q.begin() + from.q_start;
    double* const q = state.q.data() + to.q_start;
    double* const u = state.u.data() + to.u_start;
    if (!to.hangs_on_cut) {
      std::copy_n(of_joint, from.nq, q);
      std::copy_n(relative.u.begin() + from.u_start, from.nu, u);
      continue;
    }
    state.h.insert(state.h.end(), of_joint, of_joint + from.nq);
    const Pose<double> X_WB = calc_body_pose(properties_, kinematics_, b);
    const SpatialMotion<double> V_WB = calc_body_velocity(properties_, kinematics_, b);
    const bool turns = to.joint_type == JointType::kFree;
    for (int i = 0; i < 3; ++i) q[i] = X_WB.p[i], u[turns ? 3 + i : i] = V_WB.v[i];
    if (!turns) continue;
    for (int i = 0; i < 3; ++i) u[i] = V_WB.w[i];
    euler_parameters_of(X_WB.R, q + 3);
  }
  state.h.insert(state.h.end(), relative.h.begin(), relative.h.end());
}

void CartesianCoordinates::to_relative(const State<double>& state, const ConstraintRows<double>& rows,
                                       State<double>& relative) const {
  const Model& twin = *model_->relative();
  relative = state;
  relative.q.resize(static_cast<std::size_t>(twin.nq()));
  relative.u.resize(static_cast<std::size_t>(twin.nu()));
  auto cut_q = rows.cut_q.begin();
  auto cut_u = rows.cut_u.begin();
  for (BodyIndex b{1}; b.value() < twin.bodies().size(); ++b) {
    const BodyInfo& to = twin.bodies()[b];
    const BodyInfo& from = model_->bodies()[b];
    const auto q = relative.q.begin() + to.q_start, u = relative.u.begin() + to.u_start;
    if (from.hangs_on_cut) {
      std::copy_n(cut_q, to.nq, q), std::copy_n(cut_u, to.nu, u);
      cut_q += to.nq, cut_u += to.nu;
    } else {
      std::copy_n(state.q.begin() + from.q_start, to.nq, q);
      std::copy_n(state.u.begin() + from.u_start, to.nu, u);
    }
  }
  relative.h.assign(cut_q, rows.cut_q.end());
  relative.h.insert(relative.h.end(), rows.curve_s.begin(), rows.curve_s.end());
}

}  // namespace sestina
