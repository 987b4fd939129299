#include "sestina/dynamics/kinematics.h"

#include <algorithm>
#include <type_traits>

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

// Equations (1) to (5) for one body.
template <class T, class Joint>
void update_body(const BodyProperties<T>& body, const Joint& joint, const BodyMotion<T>& parent, const T* q,
                 const T* u, BodyMotion<T>& motion, Vec3<T>& s, SpatialMotion<T>& bias, SpatialMotion<T>* H) {
  const Rotation<T> R_WF = parent.X_WB.R * body.X_PF.R;
  const Pose<T> X_FM = joint.pose(q);
  motion.X_WB.R = R_WF * X_FM.R;                    // (1)
  s = parent.X_WB.R * body.X_PF.p + R_WF * X_FM.p;  // (2)
  motion.X_WB.p = parent.X_WB.p + s;

  const auto columns = joint.H(q);
  SpatialMotion<T> r{};
  for (int k = 0; k < Joint::kNu; ++k) {
    H[k] = rotate(R_WF, columns[static_cast<std::size_t>(k)]);  // (3)
    r += u[k] * H[k];
  }
  const Vec3<T>& w_P = parent.V_WB.w;
  const Vec3<T> w_P_x_s = cross(w_P, s);
  motion.V_WB = {w_P + r.w, parent.V_WB.v + w_P_x_s + r.v};  // (4)
  bias = rotate(R_WF, joint.bias_acceleration(q, u));        // (5)
  bias.w += cross(w_P, r.w);
  bias.v += cross(w_P, w_P_x_s + T(2) * r.v);
}

}  // namespace

template <class T>
void update_body_kinematics(BodyIndex b, const BodyInfo& info, const Properties<T>& properties,
                            const State<T>& state, const BodyMotion<T>& parent, Kinematics<T>& kinematics) {
  const auto i = static_cast<std::size_t>(b.value());
  const BodyProperties<T>& body = properties.bodies[b];
  visit_joint<T>(body.joint, [&](const auto& joint) {
    update_body(body, joint, parent, state.q.data() + info.q_start, state.u.data() + info.u_start,
                kinematics.motion[i], kinematics.s[i], kinematics.bias[i],
                kinematics.H.data() + info.u_start);
  });
  kinematics.inertia[i] = turned(body.M, kinematics.motion[i].X_WB.R);
}

template <class T>
BodyMotion<T> calc_body_motion(BodyIndex b, const BodyInfo& info, const Properties<T>& properties,
                               const State<T>& state, const BodyMotion<T>& parent) {
  const BodyProperties<T>& body = properties.bodies[b];
  BodyMotion<T> motion;
  visit_joint<T>(body.joint, [&](const auto& joint) {
    Vec3<T> s;
    SpatialMotion<T> bias, H[std::max(1, std::decay_t<decltype(joint)>::kNu)];
    update_body(body, joint, parent, state.q.data() + info.q_start, state.u.data() + info.u_start, motion, s,
                bias, H);
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
