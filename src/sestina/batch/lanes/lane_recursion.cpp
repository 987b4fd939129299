#include "sestina/batch/lanes/lane_recursion.h"

#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T, class P>
LaneRecursion<T, P>::LaneRecursion(const Model& model, std::vector<JointAxesStructure> structure,
                                   ModelInAxes<P> numbers, std::vector<AnyJoint<T>> joints)
    : tree_(model),
      walk_(Walk::over_all(tree_)),
      structure_(std::move(structure)),
      numbers_(std::move(numbers)),
      joints_(std::move(joints)),
      passages_(structure_.size()),
      H_(static_cast<std::size_t>(model.nu())),
      W_(H_.size()),
      free_udot_(H_.size()),
      sums_(static_cast<std::size_t>(walk_.num_sums)),
      A_(structure_.size()),
      F_(structure_.size()) {
  for (std::size_t i = 1; i < structure_.size(); ++i) {
    if (structure_[i].is_turn) continue;
    passages_[i].general = static_cast<int>(general_.size());
    general_.emplace_back();
  }
}

template <class T, class P>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::to_child_axes(std::size_t i, Vec3<T>& v) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  const JointAxesStructure& structure = structure_[i];
  if (structure.has_yaw) turn_back({T(body.cos_yaw), T(body.sin_yaw)}, v.x, v.y);
  if (structure.twist == Twist::kQuarter) {
    v = {v.x, v.z, -v.y};
  } else if (structure.twist == Twist::kAny) {
    turn_back({T(body.cos_twist), T(body.sin_twist)}, v.y, v.z);
  }
  turn_back(passages_[i].turn, v.x, v.y);
}

template <class T, class P>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::to_parent_axes(std::size_t i, Vec3<T>& v) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  const JointAxesStructure& structure = structure_[i];
  turn(passages_[i].turn, v.x, v.y);
  if (structure.twist == Twist::kQuarter) {
    v = {v.x, -v.z, v.y};
  } else if (structure.twist == Twist::kAny) {
    turn({T(body.cos_twist), T(body.sin_twist)}, v.y, v.z);
  }
  if (structure.has_yaw) turn({T(body.cos_yaw), T(body.sin_yaw)}, v.x, v.y);
}

// w x (w x s)
template <class T>
[[gnu::always_inline]] inline Vec3<T> centripetal(const Vec3<T>& w, const Vec3<T>& s) {
  return dot(w, s) * w - dot(w, w) * s;
}

template <class T, class P>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::move_turning(std::size_t i, const T& q, const T& u) {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  Passage& passage = passages_[i];
  const auto [s, c] = sincos(q + T(body.offset));
  passage.turn = {c, s};
  Vec3<T> w = passages_[static_cast<std::size_t>(tree_.links[i].parent)].w;
  passage.a_c = centripetal(w, lift(body.s));
  to_child_axes(i, w);
  w.z += u;
  passage.w = w;
}

template <class T, class P>
template <class Joint>
void LaneRecursion<T, P>::move_general(std::size_t i, const Joint& joint, const T* q, const T* u) {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  Passage& passage = passages_[i];
  General& general = general_[static_cast<std::size_t>(passage.general)];
  const Rotation<T> R_PF = lift(body.R_PF);
  const Pose<T> X_FM = joint.pose(q);
  general.R = R_PF * X_FM.R * lift(body.R_MK);
  general.s = lift(body.s) + R_PF * X_FM.p;
  const auto columns = joint.H(q);
  const auto first = static_cast<std::size_t>(tree_.links[i].u_start);
  SpatialMotion<T> r;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    H_[first + k] = {R_PF * columns[k].w, R_PF * columns[k].v};
    r += u[k] * H_[first + k];
  }
  const SpatialMotion<T> bias = joint.bias_acceleration(q, u);
  const Vec3<T> w = passages_[static_cast<std::size_t>(tree_.links[i].parent)].w;
  general.c = {R_PF * bias.w + cross(w, r.w),
               R_PF * bias.v + centripetal(w, general.s) + T(2) * cross(w, r.v)};
  passage.w = transpose_times(general.R, w + r.w);
}

template <class T, class P>
void LaneRecursion<T, P>::move(const T* q, const T* u) {
  for (std::size_t i = 1; i < structure_.size(); ++i) {
    const BodyLink& link = tree_.links[i];
    if (structure_[i].is_turn) {
      move_turning(i, q[link.q_start], u[link.u_start]);
    } else {
      visit_joint<T>(joints_[i],
                     [&](const auto& joint) { move_general(i, joint, q + link.q_start, u + link.u_start); });
    }
  }
}

// Adds what the body takes to turn as it does, less what acts on it.
template <class T, class P>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::add_own_force(std::size_t i,
                                                                      const SpatialForce<T>* body_forces,
                                                                      SpatialForce<T>& z) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  const Vec3<T>& w = passages_[i].w;
  const Vec3<T> h = lift(body.h);
  const T wh = dot(w, h), ww = dot(w, w);  // w x (w x h) = (w . h) w - (w . w) h
  z.torque = plus_cross(z.torque, w, lift(body.J) * w);
  z.force = {z.force.x + wh * w.x - ww * h.x, z.force.y + wh * w.y - ww * h.y,
             z.force.z + wh * w.z - ww * h.z};
  if (body_forces != nullptr) {
    const Mat3<T> R_MK = lift(body.R_MK);
    z -= {transpose_times(R_MK, body_forces[i].torque), transpose_times(R_MK, body_forces[i].force)};
  }
}

template <class T, class P>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::add_own(std::size_t i, bool is_first,
                                                                const SpatialForce<T>* body_forces,
                                                                ArticulatedBody<T>& sum) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  const SymMat3<T> J = lift(body.J);
  const Vec3<T> h = lift(body.h);
  const T m(body.mass), o(0.0);
  if (is_first) {
    sum = {J, {o, -h.z, h.y, h.z, o, -h.x, -h.y, h.x, o}, {m, m, m, o, o, o}, {}};
  } else {
    sum.J += J;
    Mat3<T>& B = sum.B;
    B = {B.xx, B.xy - h.z, B.xz + h.y, B.yx + h.z, B.yy, B.yz - h.x, B.zx - h.y, B.zy + h.x, B.zz};
    sum.m.xx += m, sum.m.yy += m, sum.m.zz += m;
  }
  add_own_force(i, body_forces, sum.z);
}

template <class T, class P>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::pass_twist(std::size_t i,
                                                                   ArticulatedBody<T>& sum) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  if (structure_[i].twist == Twist::kQuarter) {
    sum.turn_quarter_about_x();
  } else if (structure_[i].twist == Twist::kAny) {
    sum.turn_about_x({T(body.cos_twist), T(body.sin_twist)});
  }
  if (structure_[i].has_yaw) sum.template turn_about_z<true>({T(body.cos_yaw), T(body.sin_yaw)});
}

// `sum`: the body's I and z, and then what it makes its parent feel.
template <class T, class P>
template <bool has_armature>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::eliminate_turn(std::size_t i, const T& u,
                                                                       const T& tau,
                                                                       ArticulatedBody<T>& sum) {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  const Passage& passage = passages_[i];
  const auto k = static_cast<std::size_t>(tree_.links[i].u_start);
  SymMat3<T>& J = sum.J;
  Mat3<T>& B = sum.B;
  const T c_x = passage.w.y * u, c_y = -passage.w.x * u;  // (a)
  Vec3<T>&torque = sum.z.torque, &force = sum.z.force;
  torque = {torque.x + J.xx * c_x + J.xy * c_y, torque.y + J.xy * c_x + J.yy * c_y,
            torque.z + J.xz * c_x + J.yz * c_y};
  force = {force.x + B.xx * c_x + B.yx * c_y, force.y + B.xy * c_x + B.yy * c_y,
           force.z + B.xz * c_x + B.yz * c_y};
  const SpatialForce<T> U{{J.xz, J.yz, J.zz}, {B.zx, B.zy, B.zz}};
  const T D = has_armature ? J.zz + T(body.armature) : J.zz;
  check_pivot(D, J.xx + J.yy + J.zz);
  const T D_inverse = T(1) / D;
  const SpatialForce<T> W = D_inverse * U;
  const T e = tau - torque.z;
  W_[k] = W;
  free_udot_[k] = D_inverse * e;
  sum.m -= {U.force.x * W.force.x, U.force.y * W.force.y, U.force.z * W.force.z,
            U.force.x * W.force.y, U.force.x * W.force.z, U.force.y * W.force.z};  // (b)
  J.xx -= U.torque.x * W.torque.x, J.yy -= U.torque.y * W.torque.y, J.xy -= U.torque.x * W.torque.y;
  B.xx -= U.torque.x * W.force.x, B.xy -= U.torque.x * W.force.y, B.xz -= U.torque.x * W.force.z;
  B.yx -= U.torque.y * W.force.x, B.yy -= U.torque.y * W.force.y, B.yz -= U.torque.y * W.force.z;
  if constexpr (has_armature) {
    const T left = T(body.armature);  // of U, times D
    J.xz = left * W.torque.x, J.yz = left * W.torque.y, J.zz = left * W.torque.z;
    B.zx = left * W.force.x, B.zy = left * W.force.y, B.zz = left * W.force.z;
    sum.z += e * W;
  } else {
    J.xz = J.yz = J.zz = B.zx = B.zy = B.zz = T(0.0);
    torque = {torque.x + e * W.torque.x, torque.y + e * W.torque.y, tau};
    force += e * W.force;
  }
  sum.template turn_about_z<has_armature>(passage.turn);
  pass_twist(i, sum);
  sum.add_force_of_acceleration(passage.a_c);  // (c)
  sum.shift_back(lift(body.s));
}

template <class T, class P>
void LaneRecursion<T, P>::eliminate_columns(std::size_t i, const T* tau, ArticulatedBody<T>& sum) {
  const General& general = general_[static_cast<std::size_t>(passages_[i].general)];
  const BodyLink& link = tree_.links[i];
  sum.turn(general.R);
  sum.z += sum.times(general.c);
  const T inertia_any_way = sum.J.trace(), mass_any_way = sum.m.trace();
  const auto first = static_cast<std::size_t>(link.u_start);
  for (std::size_t k = first; k < first + static_cast<std::size_t>(link.nu); ++k) {
    const SpatialMotion<T>& H = H_[k];
    const SpatialForce<T> U = sum.times(H);
    const T D = dot(H, U) + T(numbers_.bodies[i].armature);
    check_pivot(D, dot(H.w, H.w) * inertia_any_way + dot(H.v, H.v) * mass_any_way);
    const T D_inverse = T(1) / D;
    const T e = tau[k] - dot(H, sum.z);
    W_[k] = D_inverse * U;
    free_udot_[k] = D_inverse * e;
    sum.subtract_outer(U, W_[k]);
    sum.z += e * W_[k];
  }
  sum.shift_back(general.s);
}

template <class T, class P>
void LaneRecursion<T, P>::eliminate(const T* u, const T* tau, const SpatialForce<T>* body_forces) {
  smallest_pivot_ = T(1.0);
  ArticulatedBody<T> sum;
  for (auto step = walk_.steps.rbegin(); step != walk_.steps.rend(); ++step) {
    const auto i = static_cast<std::size_t>(step->body);
    const auto k = static_cast<std::size_t>(tree_.links[i].u_start);
    add_own(i, !step->takes_carry, body_forces, sum);
    if (step->own_sum >= 0) sum += sums_[static_cast<std::size_t>(step->own_sum)];
    if (!structure_[i].is_turn) {
      eliminate_columns(i, tau, sum);
    } else if (structure_[i].has_armature) {
      eliminate_turn<true>(i, u[k], tau[k], sum);
    } else {
      eliminate_turn<false>(i, u[k], tau[k], sum);
    }
    if (step->gives_carry || step->hangs_on_base) continue;
    ArticulatedBody<T>& place = sums_[static_cast<std::size_t>(step->parent_sum)];
    if (step->begins_sum) {
      place = sum;
    } else {
      place += sum;
    }
  }
}

// `A`: the parent's, and then the body's.
template <class T, class P>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::accelerate_turn(std::size_t i, const T* u, T* udot,
                                                                        SpatialMotion<T>& A) const {
  const Passage& passage = passages_[i];
  const auto k = static_cast<std::size_t>(tree_.links[i].u_start);
  A.v = plus_cross(A.v + passage.a_c, A.w, lift(numbers_.bodies[i].s));  // (d)
  to_child_axes(i, A.w);
  to_child_axes(i, A.v);
  const SpatialForce<T>& W = W_[k];
  udot[k] = (free_udot_[k] - (A.w.x * W.torque.x + A.w.y * W.torque.y)) -
            ((A.w.z * W.torque.z + A.v.x * W.force.x) + (A.v.y * W.force.y + A.v.z * W.force.z));  // (e)
  A.w += {passage.w.y * u[k], -passage.w.x * u[k], udot[k]};
}

template <class T, class P>
void LaneRecursion<T, P>::accelerate_columns(std::size_t i, T* udot, SpatialMotion<T>& A) const {
  const General& general = general_[static_cast<std::size_t>(passages_[i].general)];
  const BodyLink& link = tree_.links[i];
  A.v += cross(A.w, general.s);
  const auto first = static_cast<std::size_t>(link.u_start);
  for (std::size_t k = first + static_cast<std::size_t>(link.nu); k-- > first;) {
    udot[k] = free_udot_[k] - dot(A, W_[k]);
    A += udot[k] * H_[k];
  }
  A += general.c;
  A = {transpose_times(general.R, A.w), transpose_times(general.R, A.v)};
}

template <class T, class P>
void LaneRecursion<T, P>::accelerate(const T* u, T* udot) {
  A_[0] = {{}, -lift(numbers_.gravity)};
  SpatialMotion<T> A = A_[0];
  for (const WalkStep& step : walk_.steps) {
    const auto i = static_cast<std::size_t>(step.body);
    if (!step.gives_carry) A = A_[static_cast<std::size_t>(tree_.links[i].parent)];
    if (structure_[i].is_turn) {
      accelerate_turn(i, u, udot, A);
    } else {
      accelerate_columns(i, udot, A);
    }
    if (step.own_sum >= 0) A_[i] = A;  // for further children
  }
}

template <class T, class P>
Mask<T> LaneRecursion<T, P>::calc_udot(const T* q, const T* u, const T* tau,
                                       const SpatialForce<T>* body_forces, T* udot) {
  move(q, u);
  eliminate(u, tau, body_forces);
  accelerate(u, udot);
  return smallest_pivot_ <= T(0.0);
}

template <class T, class P>
void LaneRecursion<T, P>::follow_motion(const T* u, const T* udot, const SpatialForce<T>* body_forces) {
  A_[0] = {{}, -lift(numbers_.gravity)};
  F_[0] = {};
  for (std::size_t i = 1; i < structure_.size(); ++i) {
    const BodyInAxes<P>& body = numbers_.bodies[i];
    const BodyLink& link = tree_.links[i];
    const auto first = static_cast<std::size_t>(link.u_start);
    SpatialMotion<T> A = A_[static_cast<std::size_t>(link.parent)];
    if (structure_[i].is_turn) {
      const Passage& passage = passages_[i];
      A.v = plus_cross(A.v + passage.a_c, A.w, lift(body.s));
      to_child_axes(i, A.w);
      to_child_axes(i, A.v);
      A.w += {passage.w.y * u[first], -passage.w.x * u[first], udot[first]};
    } else {
      const General& general = general_[static_cast<std::size_t>(passages_[i].general)];
      A.v += cross(A.w, general.s);
      const auto end = first + static_cast<std::size_t>(link.nu);
      for (std::size_t k = first; k < end; ++k) A += udot[k] * H_[k];
      A += general.c;
      A = {transpose_times(general.R, A.w), transpose_times(general.R, A.v)};
    }
    A_[i] = A;
    const Vec3<T> h = lift(body.h);
    SpatialForce<T> F{lift(body.J) * A.w, T(body.mass) * A.v};
    F = {plus_cross(F.torque, h, A.v), plus_cross(F.force, A.w, h)};
    add_own_force(i, body_forces, F);
    F_[i] = F;
  }
}

template <class T, class P>
void LaneRecursion<T, P>::calc_tau(const T* q, const T* u, const T* udot, const SpatialForce<T>* body_forces,
                                   T* tau) {
  move(q, u);
  follow_motion(u, udot, body_forces);
  for (std::size_t i = structure_.size() - 1; i > 0; --i) {
    const BodyInAxes<P>& body = numbers_.bodies[i];
    const BodyLink& link = tree_.links[i];
    const auto first = static_cast<std::size_t>(link.u_start);
    SpatialForce<T> F = F_[i];
    Vec3<T> s = lift(body.s);
    if (structure_[i].is_turn) {
      tau[first] = F.torque.z + T(body.armature) * udot[first];
      to_parent_axes(i, F.torque);
      to_parent_axes(i, F.force);
    } else {
      const General& general = general_[static_cast<std::size_t>(passages_[i].general)];
      F = {general.R * F.torque, general.R * F.force};
      s = general.s;
      const auto end = first + static_cast<std::size_t>(link.nu);
      for (std::size_t k = first; k < end; ++k) tau[k] = dot(H_[k], F) + T(body.armature) * udot[k];
    }
    F.torque += cross(s, F.force);
    F_[static_cast<std::size_t>(link.parent)] += F;
  }
}

#define SESTINA_INSTANTIATE(T)             \
  template class LaneRecursion<T, double>; \
  template class LaneRecursion<T, T>;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
