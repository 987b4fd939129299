#include "sestina/dynamics/kinematics.h"

#include <algorithm>
#include <array>

#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
Kinematics<T>::Kinematics(const Model& model)
    : motion(static_cast<std::size_t>(model.bodies().size())),
      s(motion.size()),
      bias(motion.size()),
      H(static_cast<std::size_t>(model.nu())),
      inertia(motion.size()) {}

namespace {

template <class T>
RigidInertia<T> turned(const RigidInertia<T>& M, const Rotation<T>& R_WM) {
  return {M.mass, R_WM * M.c, rotate(R_WM, M.J)};
}

// (1) to (4) for one body; what (5) needs stays in the step.
template <class T, int nu>
struct BodyStep {
  Rotation<T> R_WF;
  Vec3<T> s;
  std::array<SpatialMotion<T>, static_cast<std::size_t>(nu)> H;
  SpatialMotion<T> r;
  Vec3<T> w_P_x_s;
  BodyMotion<T> motion;
};

template <class T, class Joint>
[[gnu::always_inline]] inline BodyStep<T, Joint::kNu> calc_step(const BodyProperties<T>& body,
                                                                const Joint& joint,
                                                                const BodyMotion<T>& parent, const T* q,
                                                                const T* u) {
  BodyStep<T, Joint::kNu> step;
  step.R_WF = parent.X_WB.R * body.X_PF.R;
  const Pose<T> X_FM = joint.pose(q);
  step.motion.X_WB.R = step.R_WF * X_FM.R;                    // (1)
  step.s = parent.X_WB.R * body.X_PF.p + step.R_WF * X_FM.p;  // (2)
  step.motion.X_WB.p = parent.X_WB.p + step.s;
  const auto columns = joint.H(q);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    step.H[k] = rotate(step.R_WF, columns[k]);  // (3)
    step.r += u[k] * step.H[k];
  }
  step.w_P_x_s = cross(parent.V_WB.w, step.s);
  step.motion.V_WB = {parent.V_WB.w + step.r.w, parent.V_WB.v + step.w_P_x_s + step.r.v};  // (4)
  return step;
}

}  // namespace

template <class T>
void update_body_kinematics(BodyIndex b, const BodyInfo& info, const Properties<T>& properties,
                            const State<T>& state, const BodyMotion<T>& parent, Kinematics<T>& kinematics) {
  const auto i = static_cast<std::size_t>(b.value());
  const BodyProperties<T>& body = properties.bodies[b];
  const T* q = state.q.data() + info.q_start;
  const T* u = state.u.data() + info.u_start;
  visit_joint<T>(body.joint, [&](const auto& joint) {
    const auto step = calc_step(body, joint, parent, q, u);
    kinematics.motion[i] = step.motion;
    kinematics.s[i] = step.s;
    std::copy(step.H.begin(), step.H.end(), kinematics.H.begin() + info.u_start);
    SpatialMotion<T> bias = rotate(step.R_WF, joint.bias_acceleration(q, u));  // (5)
    bias.w += cross(parent.V_WB.w, step.r.w);
    bias.v += cross(parent.V_WB.w, step.w_P_x_s + T(2) * step.r.v);
    kinematics.bias[i] = bias;
  });
  kinematics.inertia[i] = turned(body.M, kinematics.motion[i].X_WB.R);
}

template <class T>
BodyMotion<T> calc_body_motion(BodyIndex b, const BodyInfo& info, const Properties<T>& properties,
                               const State<T>& state, const BodyMotion<T>& parent) {
  const BodyProperties<T>& body = properties.bodies[b];
  BodyMotion<T> motion;
  visit_joint<T>(body.joint, [&](const auto& joint) {
    motion =
        calc_step(body, joint, parent, state.q.data() + info.q_start, state.u.data() + info.u_start).motion;
  });
  return motion;
}

template <class T>
void update_kinematics(const Model& model, const Properties<T>& properties, const State<T>& state,
                       Kinematics<T>& kinematics) {
  const auto& bodies = model.bodies();
  for (BodyIndex b{1}; b.value() < bodies.size(); ++b) {
    const BodyMotion<T>& parent = kinematics.motion[static_cast<std::size_t>(bodies[b].parent.value())];
    update_body_kinematics(b, bodies[b], properties, state, parent, kinematics);
  }
}

template <class T>
Pose<T> calc_body_pose(const Properties<T>& properties, const Kinematics<T>& kinematics, BodyIndex body) {
  return kinematics.motion[static_cast<std::size_t>(body.value())].X_WB * properties.bodies[body].X_MB;
}

template <class T>
SpatialMotion<T> calc_body_velocity(const Properties<T>& properties, const Kinematics<T>& kinematics,
                                    BodyIndex body) {
  const BodyMotion<T>& motion = kinematics.motion[static_cast<std::size_t>(body.value())];
  return shift(motion.V_WB, motion.X_WB.R * properties.bodies[body].X_MB.p);
}

template <class T>
Vec3<T> calc_point_position(const Properties<T>& properties, const Kinematics<T>& kinematics,
                            PointIndex point) {
  const AttachedPoint<T>& attached = properties.points[point];
  return kinematics.motion[static_cast<std::size_t>(attached.body.value())].X_WB * attached.X_BP.p;
}

#define SESTINA_INSTANTIATE(T)                                                                               \
  template struct Kinematics<T>;                                                                             \
  template void update_kinematics(const Model&, const Properties<T>&, const State<T>&, Kinematics<T>&);      \
  template void update_body_kinematics(BodyIndex, const BodyInfo&, const Properties<T>&, const State<T>&,    \
                                       const BodyMotion<T>&, Kinematics<T>&);                                \
  template BodyMotion<T> calc_body_motion(BodyIndex, const BodyInfo&, const Properties<T>&, const State<T>&, \
                                          const BodyMotion<T>&);                                             \
  template Pose<T> calc_body_pose(const Properties<T>&, const Kinematics<T>&, BodyIndex);                    \
  template SpatialMotion<T> calc_body_velocity(const Properties<T>&, const Kinematics<T>&, BodyIndex);       \
  template Vec3<T> calc_point_position(const Properties<T>&, const Kinematics<T>&, PointIndex);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
