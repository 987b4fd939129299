#include "sestina/dynamics/kinematics.h"

#include <algorithm>
#include <array>

#include "sestina/dynamics/reduced_bodies.h"
#include "sestina/joints/joint_list.h"
#include "sestina/model/properties.h"
#include "sestina/spatial/lanes3.h"
#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
Kinematics<T>::Kinematics(const Model& model)
    : motion(model.num_frames()),
      s(static_cast<std::size_t>(model.bodies().size())),
      bias(s.size()),
      H(static_cast<std::size_t>(model.nu())),
      inertia(s.size()),
      tree(model),
      sin_cos(static_cast<std::size_t>(model.nq())) {}

namespace {

// Computes the columns of R_WF from those of R_WP.
template <class T>
[[gnu::always_inline]] inline void turn_columns(Lanes3<T> (&columns)[3], const Rotation<T>& R_PF) {
  const Lanes3<T> x = columns[0], y = columns[1], z = columns[2];
  columns[0] = R_PF.xx * x + R_PF.yx * y + R_PF.zx * z;
  columns[1] = R_PF.xy * x + R_PF.yy * y + R_PF.zy * z;
  columns[2] = R_PF.xz * x + R_PF.yz * y + R_PF.zz * z;
}

// The motion of the current body, kept in registers and passed on to the next body.
template <class T>
struct MovingFrame {
  Lanes3<T> columns[3];  // of R_WB
  Lanes3<T> p, w, v;

  [[gnu::always_inline]] void load(const BodyMotion<T>& motion) {
    const Rotation<T>& R = motion.X_WB.R;
    columns[0] = {R.xx, R.yx, R.zx}, columns[1] = {R.xy, R.yy, R.zy}, columns[2] = {R.xz, R.yz, R.zz};
    p = Lanes3<T>(motion.X_WB.p), w = Lanes3<T>(motion.V_WB.w), v = Lanes3<T>(motion.V_WB.v);
  }
  [[gnu::always_inline]] void store(BodyMotion<T>& motion) const {
    Lanes3<T> rows[3] = {columns[0], columns[1], columns[2]};
    transpose(rows);
    rows[0].store_before_more(&motion.X_WB.R.xx);
    rows[1].store_before_more(&motion.X_WB.R.yx);
    rows[2].store_before_more(&motion.X_WB.R.zx);
    p.store_before_more(&motion.X_WB.p.x);
    w.store_before_more(&motion.V_WB.w.x);
    v.store(&motion.V_WB.v.x);
  }
};

// The quantities that a joint with nu columns adds to the frame.
template <class T, int nu>
struct Passage {
  Lanes3<T> s, bias_w, bias_v;
  std::array<Lanes3<T>, static_cast<std::size_t>(nu)> H_w, H_v;
};

template <class T>
[[gnu::always_inline]] inline Lanes3<T> turned(const Lanes3<T> (&R)[3], const Vec3<T>& a) {
  return a.x * R[0] + a.y * R[1] + a.z * R[2];
}

// Moves `frame` across a joint of any type, from the parent to the body.
template <class T, class Joint>
[[gnu::always_inline]] inline Passage<T, Joint::kNu> pass_joint(const BodyProperties<T>& body,
                                                                const Joint& joint, const T* q, const T* u,
                                                                MovingFrame<T>& frame) {
  Passage<T, Joint::kNu> passage;
  const Pose<T> X_FM = joint.pose(q);
  passage.s = turned(frame.columns, body.X_PF.p);
  if (!body.structure.has_parallel_frames) turn_columns(frame.columns, body.X_PF.R);
  passage.s += turned(frame.columns, X_FM.p);  // (2)
  const auto columns = joint.H(q);
  Lanes3<T> r_w, r_v;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    passage.H_w[k] = turned(frame.columns, columns[k].w);  // (3)
    passage.H_v[k] = turned(frame.columns, columns[k].v);
    r_w += u[k] * passage.H_w[k];
    r_v += u[k] * passage.H_v[k];
  }
  const SpatialMotion<T> bias = joint.bias_acceleration(q, u);
  const Lanes3<T> w_P = frame.w, w_P_x_s = cross(w_P, passage.s);
  passage.bias_w = turned(frame.columns, bias.w) + cross(w_P, r_w);  // (5)
  passage.bias_v = turned(frame.columns, bias.v) + cross(w_P, w_P_x_s + T(2) * r_v);
  turn_columns(frame.columns, X_FM.R);  // (1)
  frame.p += passage.s;
  frame.w += r_w;  // (4)
  frame.v += w_P_x_s + r_v;
  return passage;
}

// Moves `frame` across a revolute joint about axis k of F: this column of R_WF is H, and the other two rotate
// in their plane.
template <int k, class T>
[[gnu::always_inline]] inline Passage<T, 1> pass_turn(const BodyProperties<T>& body, const SinCos<T>& angle,
                                                      const T& u, MovingFrame<T>& frame) {
  Passage<T, 1> turn;
  turn.s = turned(frame.columns, body.X_PF.p);  // (2)
  if (!body.structure.has_parallel_frames) turn_columns(frame.columns, body.X_PF.R);
  const Lanes3<T> a = frame.columns[(k + 1) % 3], b = frame.columns[(k + 2) % 3];
  frame.columns[(k + 1) % 3] = angle.cos * a + angle.sin * b;  // (1)
  frame.columns[(k + 2) % 3] = angle.cos * b - angle.sin * a;
  turn.H_w[0] = frame.columns[k];  // (3)
  frame.p += turn.s;
  const Lanes3<T> w_P = frame.w, r = u * turn.H_w[0], w_P_x_s = cross(w_P, turn.s);
  frame.w += r;  // (4)
  frame.v += w_P_x_s;
  turn.bias_w = cross(w_P, r);  // (5)
  turn.bias_v = cross(w_P, w_P_x_s);
  return turn;
}

// Moves `frame` across a prismatic joint: it translates along an axis.
template <class T>
[[gnu::always_inline]] inline Passage<T, 1> pass_slide(const BodyProperties<T>& body,
                                                       const Prismatic<T>& joint, const T& q, const T& u,
                                                       MovingFrame<T>& frame) {
  Passage<T, 1> slide;
  slide.s = turned(frame.columns, body.X_PF.p);
  if (!body.structure.has_parallel_frames) turn_columns(frame.columns, body.X_PF.R);
  slide.s += turned(frame.columns, q * joint.axis);  // (2)
  slide.H_v[0] = turned(frame.columns, joint.axis);  // (3)
  const Lanes3<T> w = frame.w, r = u * slide.H_v[0], w_x_s = cross(w, slide.s);
  slide.bias_v = cross(w, w_x_s + T(2) * r);  // (5)
  frame.p += slide.s;
  frame.v += w_x_s + r;  // (4)
  return slide;
}

template <class T>
[[gnu::always_inline]] inline void turn_inertia(const BodyProperties<T>& body, const Lanes3<T> (&R)[3],
                                                RigidInertia<T>& result) {
  const RigidInertia<T>& M = body.M;
  result.mass = M.mass;
  turned(R, M.c).store_before_more(&result.c.x);
  if (body.structure.has_diagonal_inertia) {
    // zz 1 + (xx - zz) x x^T + (yy - zz) y y^T with the columns x, y of R.
    const Lanes3<T>&x = R[0], &y = R[1];
    const Lanes3<T> ax = (M.J.xx - M.J.zz) * x, by = (M.J.yy - M.J.zz) * y;
    const Lanes3<T> diagonal = Lanes3<T>::all(M.J.zz) + (ax * x + by * y);
    const Lanes3<T> off_diagonal = ax * x.rotated() + by * y.rotated();  // xy yz zx
    Lanes3<T>::store_symmetric(diagonal, off_diagonal, result.J);
  } else {
    result.J = rotate(Rotation<T>::from_columns(to_vec3(R[0]), to_vec3(R[1]), to_vec3(R[2])), M.J);
  }
}

template <int k, class T>
[[gnu::always_inline]] inline void turn_body(std::size_t i, const BodyProperties<T>& body,
                                             const State<T>& state, MovingFrame<T>& frame,
                                             Kinematics<T>& kinematics) {
  const BodyLink& link = kinematics.tree.links[i];
  const auto column = static_cast<std::size_t>(link.u_start);
  const SinCos<T>& angle = kinematics.sin_cos[static_cast<std::size_t>(link.q_start)];
  const Passage<T, 1> turn = pass_turn<k>(body, angle, state.u[column], frame);
  frame.store(kinematics.motion[i]);
  turn.s.store(&kinematics.s[i].x);
  turn.H_w[0].store(&kinematics.H[column].w.x);  // H.v stays zero
  turn.bias_w.store_before_more(&kinematics.bias[i].w.x);
  turn.bias_v.store(&kinematics.bias[i].v.x);
}

// A body that floats relative to the ground, along the ground's axes: its coordinates are its pose, its
// speeds its velocity.
template <class T>
[[gnu::always_inline]] inline Passage<T, 6> pass_free(const BodyProperties<T>& body, const Free<T>& joint,
                                                      const T* q, const T* u, MovingFrame<T>& frame) {
  Passage<T, 6> passage;
  const Pose<T> X_FM = joint.pose(q);
  const Rotation<T>& R = X_FM.R;
  frame.columns[0] = {R.xx, R.yx, R.zx}, frame.columns[1] = {R.xy, R.yy, R.zy};
  frame.columns[2] = {R.xz, R.yz, R.zz};
  frame.p = passage.s = Lanes3<T>(body.X_PF.p + X_FM.p);
  frame.w = {u[0], u[1], u[2]}, frame.v = {u[3], u[4], u[5]};
  const auto columns = joint.H(q);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    passage.H_w[k] = Lanes3<T>(columns[k].w), passage.H_v[k] = Lanes3<T>(columns[k].v);
  }
  return passage;
}

template <class T>
void move_body_of_any_joint(std::size_t i, const BodyProperties<T>& body, const State<T>& state,
                            MovingFrame<T>& frame, Kinematics<T>& kinematics) {
  const BodyLink& link = kinematics.tree.links[i];
  visit_joint<T>(body.joint, [&](const auto& joint) {
    const T *q = state.q.data() + link.q_start, *u = state.u.data() + link.u_start;
    const auto passage = [&] {
      if constexpr (std::is_same_v<std::decay_t<decltype(joint)>, Free<T>>) {
        if (link.parent == 0 && body.structure.has_parallel_frames)
          return pass_free(body, joint, q, u, frame);
      } else if constexpr (std::is_same_v<std::decay_t<decltype(joint)>, Prismatic<T>>) {
        return pass_slide(body, joint, *q, *u, frame);
      }
      return pass_joint(body, joint, q, u, frame);
    }();
    frame.store(kinematics.motion[i]);
    passage.s.store(&kinematics.s[i].x);
    for (std::size_t k = 0; k < passage.H_w.size(); ++k) {
      SpatialMotion<T>& H = kinematics.H[static_cast<std::size_t>(link.u_start) + k];
      passage.H_w[k].store(&H.w.x);
      passage.H_v[k].store(&H.v.x);
    }
    passage.bias_w.store_before_more(&kinematics.bias[i].w.x);
    passage.bias_v.store(&kinematics.bias[i].v.x);
  });
}

// Moves `frame` from the parent to body i, and stores the kinematics of the body.
template <class T>
[[gnu::always_inline]] inline void move_body(std::size_t i, const Properties<T>& properties,
                                             const State<T>& state, MovingFrame<T>& frame,
                                             Kinematics<T>& kinematics) {
  const BodyProperties<T>& body = properties.bodies.values()[i];
  switch (body.structure.turns_about) {
    case 0:
      turn_body<0>(i, body, state, frame, kinematics);
      break;
    case 1:
      turn_body<1>(i, body, state, frame, kinematics);
      break;
    case 2:
      turn_body<2>(i, body, state, frame, kinematics);
      break;
    default:
      move_body_of_any_joint(i, body, state, frame, kinematics);
  }
  turn_inertia(body, frame.columns, kinematics.inertia[i]);
}

}  // namespace

template <class T>
void update_sin_cos(std::span<const TreeLayout::Angles> angles, const State<T>& state,
                    Kinematics<T>& kinematics) {
  for (const TreeLayout::Angles& run : angles) {
    if (run.count == 1) {  // the same bits, without starting a SIMD loop
      const auto q = static_cast<std::size_t>(run.q_start);
      kinematics.sin_cos[q] = sincos(state.q[q]);
      continue;
    }
    sincos(state.q.data() + run.q_start, run.count, kinematics.sin_cos.data() + run.q_start);
  }
}

template <class T>
void update_kinematics_of(const Walk& walk, const BodyMotion<T>& base, const Properties<T>& properties,
                          const State<T>& state, Kinematics<T>& kinematics) {
  MovingFrame<T> frame;
  for (const WalkStep& step : walk.steps) {
    const auto i = static_cast<std::size_t>(step.body);
    if (step.hangs_on_base) {
      frame.load(base);
    } else if (!step.gives_carry) {
      frame.load(kinematics.motion[static_cast<std::size_t>(kinematics.tree.links[i].parent)]);
    }
    move_body(i, properties, state, frame, kinematics);
  }
}

template <class T>
BodyMotion<T> calc_motion_along(std::span<const BodyIndex> path, const Properties<T>& properties,
                                const State<T>& state, const Kinematics<T>& kinematics) {
  BodyMotion<T> motion;
  MovingFrame<T> frame;
  frame.load(motion);
  for (const BodyIndex b : path) {
    const BodyProperties<T>& body = properties.bodies[b];
    const BodyLink& link = kinematics.tree.links[static_cast<std::size_t>(b.value())];
    const T *q = state.q.data() + link.q_start, *u = state.u.data() + link.u_start;
    const SinCos<T>* angle = kinematics.sin_cos.data() + link.q_start;
    if (body.structure.turns_about == 0) {
      pass_turn<0>(body, *angle, *u, frame);
    } else if (body.structure.turns_about == 1) {
      pass_turn<1>(body, *angle, *u, frame);
    } else if (body.structure.turns_about == 2) {
      pass_turn<2>(body, *angle, *u, frame);
    } else {
      visit_joint<T>(body.joint, [&](const auto& joint) { pass_joint(body, joint, q, u, frame); });
    }
  }
  frame.store(motion);
  return motion;
}

template <class T>
void update_kinematics(const Model& model, const Properties<T>& properties, const State<T>& state,
                       Kinematics<T>& kinematics) {
  update_sin_cos<T>(kinematics.tree.angles, state, kinematics);
  MovingFrame<T> frame;
  frame.load(kinematics.motion[0]);
  for (std::size_t i = 1; i < kinematics.s.size(); ++i) {
    const auto parent = static_cast<std::size_t>(kinematics.tree.links[i].parent);
    if (parent + 1 != i) frame.load(kinematics.motion[parent]);
    move_body(i, properties, state, frame, kinematics);
  }
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Dual>) {
    update_interfaces(model, state, kinematics);
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
  return marker_motion(kinematics.motion.data(), properties.points[point]).position;
}

#define SESTINA_INSTANTIATE(T)                                                                          \
  template struct Kinematics<T>;                                                                        \
  template void update_kinematics(const Model&, const Properties<T>&, const State<T>&, Kinematics<T>&); \
  template void update_sin_cos(std::span<const TreeLayout::Angles>, const State<T>&, Kinematics<T>&);   \
  template void update_kinematics_of(const Walk&, const BodyMotion<T>&, const Properties<T>&,           \
                                     const State<T>&, Kinematics<T>&);                                  \
  template BodyMotion<T> calc_motion_along(std::span<const BodyIndex>, const Properties<T>&,            \
                                           const State<T>&, const Kinematics<T>&);                      \
  template Pose<T> calc_body_pose(const Properties<T>&, const Kinematics<T>&, BodyIndex);               \
  template SpatialMotion<T> calc_body_velocity(const Properties<T>&, const Kinematics<T>&, BodyIndex);  \
  template Vec3<T> calc_point_position(const Properties<T>&, const Kinematics<T>&, PointIndex);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
