#include "sestina/state_time/applied_loads.h"

#include <fmt/format.h>

#include <cmath>

#include "sestina/base/error.h"
#include "sestina/state_time/joint_coordinates.h"

namespace sestina {
namespace {

// A body's motion as 18 numbers: v, w, the columns of C, x.
template <class T>
struct Motion {
  Vec3<T> v, w, C[3], x;
};
constexpr BodyVector kVectors[] = {BodyVector::kV,  BodyVector::kW,  BodyVector::kC0,
                                   BodyVector::kC1, BodyVector::kC2, BodyVector::kX};

template <class T>
Vec3<T> convert(const Vec3<double>& a) {
  return {T(a.x), T(a.y), T(a.z)};
}
template <class T>
Motion<T> motion_of(const BodyInstant& body) {
  return {convert<T>(body.v),
          convert<T>(body.w),
          {convert<T>(body.C.column(0)), convert<T>(body.C.column(1)), convert<T>(body.C.column(2))},
          convert<T>(body.x)};
}
Vec3<Dual>& vector_of(Motion<Dual>& motion, int i) {
  return i == 0 ? motion.v : i == 1 ? motion.w : i == 5 ? motion.x : motion.C[i - 2];
}

// Of the joint frame M; c is the mass centre in it.
template <class T>
BodyMotion<T> frame_motion(const Motion<T>& at, const Vec3<T>& c) {
  const Rotation<T> C = Rotation<T>::from_columns(at.C[0], at.C[1], at.C[2]);
  return {{C, at.x - C * c}, {C * at.w, at.v - C * cross(at.w, c)}};
}

template <class T>
RelativeMotion<T> relative_motion(const Model& model, const Properties<T>& properties,
                                  const Kinematics<T>& kinematics, BodyIndex b) {
  const auto parent = static_cast<std::size_t>(model.bodies()[b].parent.value());
  const BodyMotion<T>& P = kinematics.motion[parent];
  const BodyMotion<T>& B = kinematics.motion[static_cast<std::size_t>(b.value())];
  return calc_relative_motion<T>(P.X_WB, P.V_WB, properties.bodies[b].X_PF, B.X_WB, B.V_WB);
}

template <class T>
struct Load {
  Vec3<T> force, torque;
};

// Load of body b from the forces about Mo, ground axes.
template <class T>
Load<T> load_of(const SpatialForce<T>& force, const Rotation<T>& C, const Vec3<T>& c) {
  return {force.force, transpose_times(C, force.torque - cross(C * c, force.force))};
}

// All forces on the bodies about Mo, generalised forces included.
template <class T>
void update_forces(const Model& model, const Properties<T>& properties, const State<T>& state,
                   const Kinematics<T>& kinematics, AppliedForces<T>& forces) {
  // Where only joints are driven nobody else clears what was added for them.
  std::fill(forces.body.begin(), forces.body.end(), SpatialForce<T>{});
  update_applied_forces<T>(model, properties, state, kinematics, forces);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    const BodyProperties<T>& body = properties.bodies[b];
    const auto P = static_cast<std::size_t>(info.parent.value()), B = static_cast<std::size_t>(b.value());
    const Rotation<T> R_WF = kinematics.motion[P].X_WB.R * body.X_PF.R;
    const SpatialForce<T> in_F = visit_joint(body.joint, [&](const auto& joint) {
      return calc_joint_force<T>(joint, state.q.data() + info.q_start, forces.tau.data() + info.u_start);
    });
    const SpatialForce<T> force{R_WF * in_F.torque, R_WF * in_F.force};
    forces.body[B] += force;
    forces.body[P] -= shift_back(force, kinematics.motion[B].X_WB.p - kinematics.motion[P].X_WB.p);
  }
}

}  // namespace

AppliedLoads::AppliedLoads(const Model& model, const Properties<double>& properties)
    : model_(model), properties_(properties), kinematics_(model), forces_(model) {
  if (!model.user_forces().empty()) {
    throw InputError(fmt::format("{}: a user force has no derivatives, which state-time equations need",
                                 model.forces()[model.user_forces().front().index].name));
  }
  state_.q.resize(static_cast<std::size_t>(model.nq())),
      state_.u.resize(static_cast<std::size_t>(model.nu()));
  state_.d = calc_initial_state(model).d;
  if (model.forces().empty()) return;
  dual_.emplace(model, properties);
  dual_->state.d.assign(state_.d.begin(), state_.d.end());
}

void AppliedLoads::find_state(std::span<const BodyInstant> bodies, State<double>& state) {
  for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
    const auto i = static_cast<std::size_t>(b.value());
    kinematics_.motion[i] = frame_motion(motion_of<double>(bodies[i - 1]), properties_.bodies[b].M.c);
  }
  for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
    const BodyInfo& info = model_.bodies()[b];
    const RelativeMotion<double> relative = relative_motion(model_, properties_, kinematics_, b);
    const AnyJoint<double>& joint = properties_.bodies[b].joint;
    double* const q = state.q.data() + info.q_start;
    if (!find_coordinates(joint, relative.X_FM, q)) {
      throw ComputationError(state.t, fmt::format("{} is so far from closed that its coordinates cannot be "
                                                  "found: shorter elements are needed",
                                                  info.joint_name));
    }
    visit_joint(joint, [&](const auto& j) {
      find_speeds<double>(j, relative.V_FM, q, state.u.data() + info.u_start);
    });
  }
}

void AppliedLoads::add_loads(double t, std::span<const BodyInstant> bodies, std::span<double> q,
                             std::span<BodyLoad> loads) {
  if (!any()) return;
  state_.t = t;
  std::copy(q.begin(), q.end(), state_.q.begin());
  find_state(bodies, state_);
  std::copy(state_.q.begin(), state_.q.end(), q.begin());
  update_forces(model_, properties_, state_, kinematics_, forces_);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const BodyIndex b(static_cast<int>(i) + 1);
    const Load<double> load = load_of(forces_.body[i + 1], bodies[i].C, properties_.bodies[b].M.c);
    if (!std::isfinite(dot(load.force, load.force) + dot(load.torque, load.torque))) {
      const std::string reason = explain_non_finite_force(model_, properties_, state_, kinematics_, forces_);
      throw ComputationError(t, reason.empty() ? "a force is not finite" : reason);
    }
    loads[i].force += load.force, loads[i].torque += load.torque;
  }
}

void AppliedLoads::add_derivatives(double t, std::span<const BodyInstant> bodies, DerivativeSink& sink) {
  if (!any()) return;
  DualForces& dual = *dual_;
  const int count = static_cast<int>(bodies.size());
  dual.state.t = Dual(t);
  std::vector<Motion<Dual>> motion;
  for (const BodyInstant& body : bodies) motion.push_back(motion_of<Dual>(body));
  const auto run = [&] {
    for (BodyIndex b{1}; b.value() <= count; ++b) {
      const auto i = static_cast<std::size_t>(b.value());
      dual.kinematics.motion[i] = frame_motion(motion[i - 1], dual.properties.bodies[b].M.c);
    }
    for (std::size_t i = 0; i < state_.q.size(); ++i) dual.state.q[i] = Dual(state_.q[i]);
    for (BodyIndex b{1}; b.value() <= count; ++b) {
      const BodyInfo& info = model_.bodies()[b];
      const RelativeMotion<Dual> relative = relative_motion(model_, dual.properties, dual.kinematics, b);
      visit_joint(dual.properties.bodies[b].joint, [&](const auto& joint) {
        Dual* const q = dual.state.q.data() + info.q_start;
        improve_coordinates<Dual>(joint, relative.X_FM, q);
        find_speeds<Dual>(joint, relative.V_FM, q, dual.state.u.data() + info.u_start);
      });
    }
    update_forces<Dual>(model_, dual.properties, dual.state, dual.kinematics, dual.forces);
  };
  const auto column_of = [](const Vec3<Dual>& a) { return Vec3<double>{-a.x.d, -a.y.d, -a.z.d}; };
  std::vector<std::array<Vec3<double>, 3>> force(static_cast<std::size_t>(count)), torque = force;
  for (int body = 0; body < count; ++body) {
    for (int vector = 0; vector < 6; ++vector) {
      for (int i = 0; i < 3; ++i) {
        Dual& moved = vector_of(motion[static_cast<std::size_t>(body)], vector)[i];
        moved.d = 1.0;
        run();
        moved.d = 0.0;
        for (int row = 0; row < count; ++row) {
          const auto r = static_cast<std::size_t>(row);
          const Load<Dual> load = load_of(dual.forces.body[r + 1], dual.kinematics.motion[r + 1].X_WB.R,
                                          dual.properties.bodies[BodyIndex(row + 1)].M.c);
          force[r][static_cast<std::size_t>(i)] = column_of(load.force);
          torque[r][static_cast<std::size_t>(i)] = column_of(load.torque);
        }
      }
      for (int row = 0; row < count; ++row) {
        const auto r = static_cast<std::size_t>(row);
        sink.add(row, BodyVector::kV, body, kVectors[vector],
                 Mat3<double>::from_columns(force[r][0], force[r][1], force[r][2]));
        sink.add(row, BodyVector::kW, body, kVectors[vector],
                 Mat3<double>::from_columns(torque[r][0], torque[r][1], torque[r][2]));
      }
    }
  }
}

}  // namespace sestina
