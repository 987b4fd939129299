// The parts of joint_axes_recursion.h for joints other than revolute ones. Only joint_axes_recursion.cpp
// includes this.
#pragma once

#include "sestina/dynamics/joint_axes_recursion.h"
#include "sestina/joints/joint_list.h"

namespace sestina {

// w x (w x s)
template <class T>
SESTINA_INLINE_IN_LANES inline Vec3<T> centripetal(const Vec3<T>& w, const Vec3<T>& s) {
  return dot(w, s) * w - dot(w, w) * s;
}

// The columns of a spherical or a free joint.
template <class T, class P>
void JointAxesRecursion<T, P>::set_constant_columns(std::size_t i) {
  const Rotation<T> R_PF = lift(numbers_.frames[i].R_PF);
  const Vec3<T> columns[] = {
      {R_PF.xx, R_PF.yx, R_PF.zx}, {R_PF.xy, R_PF.yy, R_PF.zy}, {R_PF.xz, R_PF.yz, R_PF.zz}};
  SpatialMotion<T>* H = H_.data() + tree_.links[i].u_start;
  for (int k = 0; k < 3; ++k) H[k].w = columns[k];
  if (!is_free(i)) return;
  for (int k = 0; k < 3; ++k) H[k + 3].v = columns[k];
}

// (a) for a joint with an axis, s after the displacement q.
template <class T, class P>
void JointAxesRecursion<T, P>::move_along_axis(std::size_t i, const Motion& given, BodyMotion& motion) {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  const BodyLink& link = tree_.links[i];
  const T &q = given.q[link.q_start], &u = given.u[link.u_start];
  Vec3<T>&w = motion.w, &alpha = motion.A0.w, &a = motion.A0.v;
  with_twist(structure_[i].twist, [&]<Twist twist>() {
    for (Vec3<T>* x : {&w, &alpha, &a}) from_parent_axes<twist>(i, *x);
  });
  Vec3<T>& s = general_[static_cast<std::size_t>(general_of_[i])].s;
  s = lift(body.s);
  s.z += T(body.slide) * q;
  const T xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z, xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  a.x += s.y * (xy - alpha.z) + s.z * (xz + alpha.y) - s.x * (yy + zz);
  a.y += s.x * (xy + alpha.z) + s.z * (yz - alpha.x) - s.y * (xx + zz);
  a.z += s.x * (xz - alpha.y) + s.y * (yz + alpha.x) - s.z * (xx + yy);
  const T twice = T(2) * (T(body.slide) * u), turning = T(body.turn) * u;
  a.x += w.y * twice, a.y -= w.x * twice;
  alpha.x += w.y * turning, alpha.y -= w.x * turning;
  w.z += turning;
  if (given.udot != nullptr) {
    alpha.z += T(body.turn) * given.udot[link.u_start], a.z += T(body.slide) * given.udot[link.u_start];
  }
  for (Vec3<T>* x : {&w, &alpha, &a}) turn_back(next_turns_[i], x->x, x->y);
}

template <class T, class P>
template <class Joint>
void JointAxesRecursion<T, P>::move_general(std::size_t i, const Joint& joint, const Motion& given,
                                            BodyMotion& motion) {
  General& general = general_[static_cast<std::size_t>(general_of_[i])];
  const BodyLink& link = tree_.links[i];
  const T *q = given.q + link.q_start, *u = given.u + link.u_start;
  const Rotation<T> R_PF = lift(numbers_.frames[i].R_PF);
  const Pose<T> X_FM = joint.pose(q);
  general.R = R_PF * X_FM.R * lift(numbers_.frames[i].R_MK);
  general.s = lift(numbers_.bodies[i].s) + R_PF * X_FM.p;
  SpatialMotion<T> relative, driven;  // H u, H udot
  const auto sum_of = [&](const T* x) -> SpatialMotion<T> {
    if constexpr (std::is_same_v<Joint, Free<T>>) {
      return {R_PF * Vec3<T>{x[0], x[1], x[2]}, R_PF * Vec3<T>{x[3], x[4], x[5]}};
    } else if constexpr (std::is_same_v<Joint, Spherical<T>>) {
      return {R_PF * Vec3<T>{x[0], x[1], x[2]}, {}};
    } else {
      SpatialMotion<T> sum;
      for (int k = 0; k < Joint::kNu; ++k) sum += x[k] * H_[static_cast<std::size_t>(link.u_start + k)];
      return sum;
    }
  };
  if constexpr (!std::is_same_v<Joint, Free<T>> && !std::is_same_v<Joint, Spherical<T>>) {
    const auto columns = joint.H(q);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      H_[static_cast<std::size_t>(link.u_start) + k] = {R_PF * columns[k].w, R_PF * columns[k].v};
    }
  }
  relative = sum_of(u);
  if (given.udot != nullptr) driven = sum_of(given.udot + link.u_start);
  const SpatialMotion<T> bias = joint.bias_acceleration(q, u);
  Vec3<T>& w = motion.w;
  SpatialMotion<T>& A0 = motion.A0;
  A0.v += cross(A0.w, general.s) + centripetal(w, general.s) + T(2) * cross(w, relative.v) + R_PF * bias.v;
  A0.w += cross(w, relative.w) + R_PF * bias.w;
  if (given.udot != nullptr) A0 += driven;
  A0 = {transpose_times(general.R, A0.w), transpose_times(general.R, A0.v)};
  w = transpose_times(general.R, w + relative.w);
}

// (c) and (d) for a joint with an axis.
template <class T, class P>
void JointAxesRecursion<T, P>::eliminate_along_axis(std::size_t i, const T* tau, ArticulatedBody<T>& sum,
                                                    Pivots<T>& pivots) {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  Passage& passage = passages_[i];
  const T &own_tau = tau[tree_.links[i].u_start], turn(body.turn), slide(body.slide);
  sum.turn_about_z(turns_[i]);
  SymMat3<T>&J = sum.J, &m = sum.m;
  Mat3<T>& B = sum.B;
  const SpatialForce<T> U = sum.along_z(turn, slide);
  const T D = turn * U.torque.z + slide * U.force.z + T(body.armature), D_inverse = reciprocal(D);
  pivots.begin(tree_.links[i].u_start);
  pivots.check(D, turn * turn * J.trace() + slide * slide * m.trace());
  const T e = own_tau - turn * sum.z.torque.z - slide * sum.z.force.z;
  passage.free_udot = D_inverse * e;
  SpatialForce<T>& W = passage.z;
  W = D_inverse * U;
  sum.subtract_outer(U, W);
  sum.z += e * W;
  if (joints_[i].type == JointType::kPrismatic && !structure_[i].has_armature) {
    W.force.z = T(1);
    m.xz = m.yz = m.zz = B.xz = B.yz = B.zz = T(0);
    sum.z.force.z = own_tau;
  }
  sum.shift_back(general_[static_cast<std::size_t>(general_of_[i])].s);
  with_twist(structure_[i].twist, [&]<Twist twist>() { turn_to_parent<twist, false>(i, sum); });
}

template <class T, class P>
void JointAxesRecursion<T, P>::eliminate_columns(std::size_t i, const T* tau, ArticulatedBody<T>& sum,
                                                 Pivots<T>& pivots) {
  const General& general = general_[static_cast<std::size_t>(general_of_[i])];
  const BodyLink& link = tree_.links[i];
  sum.turn(general.R);
  pivots.begin(link.u_start);
  const T J_trace = sum.J.trace(), m_trace = sum.m.trace();
  const auto first = static_cast<std::size_t>(link.u_start);
  for (std::size_t k = first; k < first + static_cast<std::size_t>(link.nu); ++k) {
    const SpatialMotion<T>& H = H_[k];
    const SpatialForce<T> U = sum.times(H);
    const T D = dot(H, U) + T(numbers_.bodies[i].armature);
    pivots.check(D, dot(H.w, H.w) * J_trace + dot(H.v, H.v) * m_trace);
    const T D_inverse = reciprocal(D);
    const T e = tau[k] - dot(H, sum.z);
    W_[k] = D_inverse * U;
    free_udot_[k] = D_inverse * e;
    sum.subtract_outer(U, W_[k]);
    sum.z += e * W_[k];
  }
  sum.shift_back(general.s);
}

template <class T, class P>
[[gnu::noinline]] void JointAxesRecursion<T, P>::eliminate_ball(std::size_t i, const T* tau,
                                                                ArticulatedBody<T>& sum, Pivots<T>& pivots) {
  General& general = general_[static_cast<std::size_t>(general_of_[i])];
  tau += tree_.links[i].u_start;
  const Vec3<T> torque = lift(numbers_.frames[i].R_PF) * Vec3<T>{tau[0], tau[1], tau[2]};
  pivots.begin(tree_.links[i].u_start);
  general.W.eliminate(transpose_times(general.R, torque), sum, pivots);
  const Vec3<T> force = general.R * sum.z.force;
  sum = {{}, {}, rotate(general.R, sum.m), {torque, force}};
  sum.shift_back(general.s);
}

template <class T, class P>
[[gnu::noinline]] void JointAxesRecursion<T, P>::eliminate_free(std::size_t i, const T* tau,
                                                                ArticulatedBody<T>& sum, Pivots<T>& pivots) {
  General& general = general_[static_cast<std::size_t>(general_of_[i])];
  const Rotation<T> R_PF = lift(numbers_.frames[i].R_PF);
  tau += tree_.links[i].u_start;
  const SpatialForce<T> F{R_PF * Vec3<T>{tau[0], tau[1], tau[2]}, R_PF * Vec3<T>{tau[3], tau[4], tau[5]}};
  const SpatialForce<T> own{transpose_times(general.R, F.torque), transpose_times(general.R, F.force)};
  general.A = solve(sum, own - sum.z, pivots);
  sum = {{}, {}, {}, {F.torque + cross(general.s, F.force), F.force}};
}

template <class T, class P>
void JointAxesRecursion<T, P>::accelerate_along_axis(std::size_t i, T* udot, SpatialMotion<T>& A) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  with_twist(structure_[i].twist, [&]<Twist twist>() {
    from_parent_axes<twist>(i, A.w);
    from_parent_axes<twist>(i, A.v);
  });
  A.v += cross(A.w, general_[static_cast<std::size_t>(general_of_[i])].s);
  const T x = passages_[i].free_udot - dot(A, passages_[i].z);
  udot[tree_.links[i].u_start] = x;
  A.w.z += T(body.turn) * x, A.v.z += T(body.slide) * x;
  turn_back(turns_[i], A.w.x, A.w.y);
  turn_back(turns_[i], A.v.x, A.v.y);
}

template <class T, class P>
void JointAxesRecursion<T, P>::accelerate_columns(std::size_t i, T* udot, SpatialMotion<T>& A) const {
  const General& general = general_[static_cast<std::size_t>(general_of_[i])];
  const BodyLink& link = tree_.links[i];
  A.v += cross(A.w, general.s);
  const auto first = static_cast<std::size_t>(link.u_start);
  for (std::size_t k = first + static_cast<std::size_t>(link.nu); k-- > first;) {
    udot[k] = free_udot_[k] - dot(A, W_[k]);
    A += udot[k] * H_[k];
  }
  A = {transpose_times(general.R, A.w), transpose_times(general.R, A.v)};
}

template <class T, class P>
void JointAxesRecursion<T, P>::accelerate_ball(std::size_t i, T* udot, SpatialMotion<T>& A) const {
  const General& general = general_[static_cast<std::size_t>(general_of_[i])];
  A.v += cross(A.w, general.s);
  A.v = transpose_times(general.R, A.v);
  const Vec3<T> w = general.W.solve(A.v);
  const Vec3<T> x = transpose_times(lift(numbers_.frames[i].R_PF), general.R * w - A.w);
  A.w = w;
  udot += tree_.links[i].u_start;
  udot[0] = x.x, udot[1] = x.y, udot[2] = x.z;
}

template <class T, class P>
void JointAxesRecursion<T, P>::accelerate_free(std::size_t i, T* udot, SpatialMotion<T>& A) const {
  const General& general = general_[static_cast<std::size_t>(general_of_[i])];
  const Mat3<T> R_PF = lift(numbers_.frames[i].R_PF);
  const Vec3<T> w = general.R * general.A.w - A.w;
  const Vec3<T> v = general.R * general.A.v - A.v - cross(A.w, general.s);
  const Vec3<T> turned_w = transpose_times(R_PF, w), turned_v = transpose_times(R_PF, v);
  udot += tree_.links[i].u_start;
  udot[0] = turned_w.x, udot[1] = turned_w.y, udot[2] = turned_w.z;
  udot[3] = turned_v.x, udot[4] = turned_v.y, udot[5] = turned_v.z;
  A = general.A;
}

template <class T, class P>
void JointAxesRecursion<T, P>::accelerate_general(std::size_t i, T* udot, SpatialMotion<T>& A) const {
  structure_[i].has_axis ? accelerate_along_axis(i, udot, A)
  : is_ball(i)           ? accelerate_ball(i, udot, A)
  : is_free(i)           ? accelerate_free(i, udot, A)
                         : accelerate_columns(i, udot, A);
}

template <class T, class P>
void JointAxesRecursion<T, P>::pass_general(std::size_t i, T* udot, const Motion* next, SpatialMotion<T>& A,
                                            BodyMotion& motion) {
  if (udot != nullptr) accelerate_general(i, udot, A);
  if (next == nullptr) return;
  if (structure_[i].has_axis) return move_along_axis(i, *next, motion);
  if constexpr (kIsFormula) {
    move_general(i, Spherical<T>{}, *next, motion);
  } else {
    visit_joint<T>(joints_[i], [&](const auto& joint) { move_general(i, joint, *next, motion); });
  }
}

}  // namespace sestina
