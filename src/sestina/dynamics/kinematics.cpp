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
      inertia(motion.size()),
      tree(model),
      sin_cos(static_cast<std::size_t>(model.nq())) {}

namespace {

// (1) to (5) for one body.
template <class T, int nu>
struct BodyStep {
  Vec3<T> s;
  std::array<SpatialMotion<T>, static_cast<std::size_t>(nu)> H;
  SpatialMotion<T> bias;
  BodyMotion<T> motion;
};

template <class T>
[[gnu::always_inline]] inline Rotation<T> calc_R_WF(const BodyProperties<T>& body,
                                                    const BodyMotion<T>& parent) {
  return body.structure.has_parallel_frames ? parent.X_WB.R : parent.X_WB.R * body.X_PF.R;
}

// A joint of any type.
template <class T, class Joint>
[[gnu::always_inline]] inline BodyStep<T, Joint::kNu> calc_step(const BodyProperties<T>& body,
                                                                const Joint& joint,
                                                                const BodyMotion<T>& parent, const T* q,
                                                                const T* u) {
  BodyStep<T, Joint::kNu> step;
  const Rotation<T> R_WF = calc_R_WF(body, parent);
  const Pose<T> X_FM = joint.pose(q);
  step.motion.X_WB.R = R_WF * X_FM.R;                    // (1)
  step.s = parent.X_WB.R * body.X_PF.p + R_WF * X_FM.p;  // (2)
  step.motion.X_WB.p = parent.X_WB.p + step.s;
  const auto columns = joint.H(q);
  SpatialMotion<T> r;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    step.H[k] = rotate(R_WF, columns[k]);  // (3)
    r += u[k] * step.H[k];
  }
  const Vec3<T>& w_P = parent.V_WB.w;
  const Vec3<T> w_P_x_s = cross(w_P, step.s);
  step.motion.V_WB = {w_P + r.w, parent.V_WB.v + w_P_x_s + r.v};  // (4)
  step.bias = rotate(R_WF, joint.bias_acceleration(q, u));        // (5)
  step.bias += {cross(w_P, r.w), cross(w_P, w_P_x_s + T(2) * r.v)};
  return step;
}

// A revolute joint about axis k of F: that column of R_WF is H, and the other two turn in their plane.
template <int k, class T>
[[gnu::always_inline]] inline BodyStep<T, 1> calc_turn(const BodyProperties<T>& body,
                                                       const BodyMotion<T>& parent, const SinCos<T>& angle,
                                                       const T& u) {
  BodyStep<T, 1> step;
  const Rotation<T> R_WF = calc_R_WF(body, parent);
  const Vec3<T> a = R_WF.column((k + 1) % 3), b = R_WF.column((k + 2) % 3), h = R_WF.column(k);
  const Vec3<T> a_turned = angle.cos * a + angle.sin * b, b_turned = angle.cos * b - angle.sin * a;
  Rotation<T>& R_WM = step.motion.X_WB.R;
  if constexpr (k == 0) R_WM = Rotation<T>::from_columns(h, a_turned, b_turned);  // (1)
  if constexpr (k == 1) R_WM = Rotation<T>::from_columns(b_turned, h, a_turned);
  if constexpr (k == 2) R_WM = Rotation<T>::from_columns(a_turned, b_turned, h);
  step.s = parent.X_WB.R * body.X_PF.p;  // (2)
  step.motion.X_WB.p = parent.X_WB.p + step.s;
  step.H[0] = {h, {}};  // (3)
  const Vec3<T>& w_P = parent.V_WB.w;
  const Vec3<T> r = u * h, w_P_x_s = cross(w_P, step.s);
  step.motion.V_WB = {w_P + r, parent.V_WB.v + w_P_x_s};  // (4)
  step.bias = {cross(w_P, r), cross(w_P, w_P_x_s)};       // (5)
  return step;
}

// Calls f with the step of the body: one switch, which the compiler inlines through.
template <class T, class F>
[[gnu::always_inline]] inline void visit_step(const BodyLink& link, const BodyProperties<T>& body,
                                              const State<T>& state, const SinCos<T>* sin_cos,
                                              const BodyMotion<T>& parent, F&& f) {
  const T* q = state.q.data() + link.q_start;
  const T* u = state.u.data() + link.u_start;
  switch (body.structure.turns_about) {
    case 0:
      return f(calc_turn<0>(body, parent, sin_cos[link.q_start], u[0]));
    case 1:
      return f(calc_turn<1>(body, parent, sin_cos[link.q_start], u[0]));
    case 2:
      return f(calc_turn<2>(body, parent, sin_cos[link.q_start], u[0]));
    default:
      visit_joint<T>(body.joint, [&](const auto& joint) { f(calc_step(body, joint, parent, q, u)); });
  }
}

template <class T>
[[gnu::always_inline]] inline RigidInertia<T> turned(const BodyProperties<T>& body, const Rotation<T>& R) {
  const RigidInertia<T>& M = body.M;
  const SymMat3<T> J =
      body.structure.has_diagonal_inertia ? rotate_diagonal(R, M.J.xx, M.J.yy, M.J.zz) : rotate(R, M.J);
  return {M.mass, R * M.c, J};
}

template <class T>
[[gnu::always_inline]] inline void move_body(std::size_t i, const Properties<T>& properties,
                                             const State<T>& state, const BodyMotion<T>& parent,
                                             Kinematics<T>& kinematics) {
  const BodyProperties<T>& body = properties.bodies.values()[i];
  const BodyLink& link = kinematics.tree.links[i];
  visit_step(link, body, state, kinematics.sin_cos.data(), parent, [&](const auto& step) {
    kinematics.motion[i] = step.motion;
    kinematics.s[i] = step.s;
    std::copy(step.H.begin(), step.H.end(), kinematics.H.begin() + link.u_start);
    kinematics.bias[i] = step.bias;
  });
  kinematics.inertia[i] = turned(body, kinematics.motion[i].X_WB.R);
}

}  // namespace

template <class T>
void update_sin_cos(const State<T>& state, Kinematics<T>& kinematics) {
  for (const TreeLayout::Angles& run : kinematics.tree.angles) {
    sincos(state.q.data() + run.q_start, run.count, kinematics.sin_cos.data() + run.q_start);
  }
}

template <class T>
void update_body_kinematics(std::size_t i, const Properties<T>& properties, const State<T>& state,
                            const BodyMotion<T>& parent, Kinematics<T>& kinematics) {
  move_body(i, properties, state, parent, kinematics);
}

template <class T>
BodyMotion<T> calc_body_motion(std::size_t i, const Properties<T>& properties, const State<T>& state,
                               const Kinematics<T>& kinematics, const BodyMotion<T>& parent) {
  BodyMotion<T> motion;
  visit_step(kinematics.tree.links[i], properties.bodies.values()[i], state, kinematics.sin_cos.data(),
             parent, [&](const auto& step) { motion = step.motion; });
  return motion;
}

template <class T>
void update_kinematics(const Model&, const Properties<T>& properties, const State<T>& state,
                       Kinematics<T>& kinematics) {
  update_sin_cos(state, kinematics);
  for (std::size_t i = 1; i < kinematics.motion.size(); ++i) {
    const auto parent = static_cast<std::size_t>(kinematics.tree.links[i].parent);
    move_body(i, properties, state, kinematics.motion[parent], kinematics);
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

#define SESTINA_INSTANTIATE(T)                                                                          \
  template struct Kinematics<T>;                                                                        \
  template void update_kinematics(const Model&, const Properties<T>&, const State<T>&, Kinematics<T>&); \
  template void update_sin_cos(const State<T>&, Kinematics<T>&);                                        \
  template void update_body_kinematics(std::size_t, const Properties<T>&, const State<T>&,              \
                                       const BodyMotion<T>&, Kinematics<T>&);                           \
  template BodyMotion<T> calc_body_motion(std::size_t, const Properties<T>&, const State<T>&,           \
                                          const Kinematics<T>&, const BodyMotion<T>&);                  \
  template Pose<T> calc_body_pose(const Properties<T>&, const Kinematics<T>&, BodyIndex);               \
  template SpatialMotion<T> calc_body_velocity(const Properties<T>&, const Kinematics<T>&, BodyIndex);  \
  template Vec3<T> calc_point_position(const Properties<T>&, const Kinematics<T>&, PointIndex);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
