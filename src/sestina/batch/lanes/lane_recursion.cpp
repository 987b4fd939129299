#include "sestina/batch/lanes/lane_recursion.h"

#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T, class P>
LaneRecursion<T, P>::LaneRecursion(const Model& model, std::vector<JointAxesStructure> structure,
                                   ModelInAxes<P> numbers, std::vector<AnyJoint<T>> joints)
    : tree_(model),
      walk_(Walk::over_all(tree_)),
      inward_(walk_.steps.rbegin(), walk_.steps.rend()),
      structure_(std::move(structure)),
      numbers_(std::move(numbers)),
      joints_(std::move(joints)),
      passages_(structure_.size()),
      turns_(structure_.size()),
      next_turns_(structure_.size()),
      w_(structure_.size()),
      general_of_(structure_.size(), -1),
      H_(static_cast<std::size_t>(model.nu())),
      W_(H_.size()),
      free_udot_(H_.size()),
      sums_(static_cast<std::size_t>(walk_.num_sums)),
      A_(structure_.size()),
      F_(structure_.size()) {
  for (std::size_t i = 1; i < structure_.size(); ++i) {
    if (structure_[i].is_turn) {
      angles_.push_back({static_cast<int>(i), tree_.links[i].q_start});
      continue;
    }
    general_of_[i] = static_cast<int>(general_.size());
    general_.emplace_back();
    if (is_free(i)) set_free_columns(i);
  }
  find_runs();
}

// The columns of a free joint are constant.
template <class T, class P>
void LaneRecursion<T, P>::set_free_columns(std::size_t i) {
  const Rotation<T> R_PF = lift(numbers_.frames[i].R_PF);
  const Vec3<T> columns[] = {
      {R_PF.xx, R_PF.yx, R_PF.zx}, {R_PF.xy, R_PF.yy, R_PF.zy}, {R_PF.xz, R_PF.yz, R_PF.zz}};
  SpatialMotion<T>* H = H_.data() + tree_.links[i].u_start;
  for (int k = 0; k < 3; ++k) H[k].w = H[k + 3].v = columns[k];
}

template <class T, class P>
void LaneRecursion<T, P>::find_runs() {
  for (int at = 0; at < static_cast<int>(inward_.size()); ++at) {
    const auto body = static_cast<std::size_t>(inward_[static_cast<std::size_t>(at)].body);
    const JointAxesStructure& next = structure_[body];
    const auto is_same = [&](const Run& run) {
      const JointAxesStructure& s = run.structure;
      return next.is_turn == s.is_turn && next.twist == s.twist && next.has_armature == s.has_armature &&
             is_plain(next) == run.is_plain;
    };
    if (runs_.empty() || !is_same(runs_.back())) runs_.push_back({at, at, next, is_plain(next)});
    runs_.back().end = at + 1;
  }
}

template <class T, class P>
template <class F>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::with_twist(Twist twist, F&& f) {
  switch (twist) {
    case Twist::kNone:
      return f.template operator()<Twist::kNone>();
    case Twist::kQuarter:
      return f.template operator()<Twist::kQuarter>();
    default:
      return f.template operator()<Twist::kAny>();
  }
}

// Transforms to the axes N of joint_axes.h.
template <class T, class P>
template <Twist twist>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::from_parent_axes(std::size_t i, Vec3<T>& v) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  if (structure_[i].has_yaw) turn_back({T(body.cos_yaw), T(body.sin_yaw)}, v.x, v.y);
  if constexpr (twist == Twist::kQuarter) {
    v = {v.z, v.x, v.y};
  } else if constexpr (twist == Twist::kAny) {
    turn_back({T(body.cos_twist), T(body.sin_twist)}, v.y, v.z);
  }
}

template <class T, class P>
template <Twist twist>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::to_parent_axes(std::size_t i, Vec3<T>& v) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  if constexpr (twist == Twist::kQuarter) {
    v = {v.y, v.z, v.x};
  } else if constexpr (twist == Twist::kAny) {
    turn({T(body.cos_twist), T(body.sin_twist)}, v.y, v.z);
  }
  if (structure_[i].has_yaw) turn({T(body.cos_yaw), T(body.sin_yaw)}, v.x, v.y);
}

// w x (w x s)
template <class T>
[[gnu::always_inline]] inline Vec3<T> centripetal(const Vec3<T>& w, const Vec3<T>& s) {
  return dot(w, s) * w - dot(w, w) * s;
}

// Computes sines and cosines of all revolute joints separately from the walk, whose dependences from body to
// body would leave little room to overlap them.
template <class T, class P>
void LaneRecursion<T, P>::turn_joints(const T* q) {
  T largest(0.0);
  const auto angle = [&](const Angle& a) {
    return q[a.q] + T(numbers_.bodies[static_cast<std::size_t>(a.body)].offset);
  };
  for (const Angle& a : angles_) {
    const T x = angle(a), size = abs(x);
    const auto [s, c] = sincos_of_moderate(x);
    next_turns_[static_cast<std::size_t>(a.body)] = {c, s};
    largest = select(largest < size, size, largest);
  }
  if (!any(largest > T(kLargestReducedAngle))) [[likely]]
    return;
  for (const Angle& a : angles_) {
    PlaneTurn<T>& turn = next_turns_[static_cast<std::size_t>(a.body)];
    SinCos<T> result{turn.sin, turn.cos};
    replace_large(angle(a), result);
    turn = {result.cos, result.sin};
  }
}

// Returns the gyroscopic force of the body.
template <class T, class P>
[[gnu::always_inline]] inline SpatialForce<T> LaneRecursion<T, P>::calc_own_force(std::size_t i,
                                                                                  const Vec3<T>& w) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  if (structure_[i].has_simple_inertia) {
    const T h(body.h.x), h_wx = h * w.x, Jx(body.J.xx), Jy(body.J.yy), Jz(body.J.zz);
    return {{(Jz - Jy) * (w.y * w.z), (Jx - Jz) * (w.x * w.z), (Jy - Jx) * (w.x * w.y)},
            {-h * (w.y * w.y + w.z * w.z), h_wx * w.y, h_wx * w.z}};
  }
  const Vec3<T> h = lift(body.h);
  return {cross(w, lift(body.J) * w), centripetal(w, h)};
}

// `w` is that of the parent on entry and of the body on return.
template <class T, class P>
template <Twist twist>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::move_turning(std::size_t i, const T& u, Vec3<T>& w) {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  Passage& passage = passages_[i];
  from_parent_axes<twist>(i, w);
  // w x (w x s)
  const T s_x(body.s.x), s_y(body.s.y), zz = w.z * w.z;
  if (!structure_[i].is_shift_along_normal) {
    const T ws = s_x * w.x + s_y * w.y, ww = w.x * w.x + w.y * w.y + zz;
    passage.a_c = {ws * w.x - ww * s_x, ws * w.y - ww * s_y, ws * w.z};
  } else if constexpr (twist == Twist::kQuarter) {
    const T ws = s_y * w.y;
    passage.a_c = {ws * w.x, -s_y * (w.x * w.x + zz), ws * w.z};
  } else {
    const T ws = s_x * w.x;
    passage.a_c = {-s_x * (w.y * w.y + zz), ws * w.y, ws * w.z};
  }
  passage.c_x = w.y * u;
  passage.c_y = -w.x * u;
  turn_back(next_turns_[i], w.x, w.y);
  w.z += u;
}

template <class T, class P>
template <class Joint>
void LaneRecursion<T, P>::move_general(std::size_t i, const Joint& joint, const T* q, const T* u,
                                       Vec3<T>& w) {
  General& general = general_[static_cast<std::size_t>(general_of_[i])];
  const Rotation<T> R_PF = lift(numbers_.frames[i].R_PF);
  const Pose<T> X_FM = joint.pose(q);
  general.R = R_PF * X_FM.R * lift(numbers_.frames[i].R_MK);
  general.s = lift(numbers_.bodies[i].s) + R_PF * X_FM.p;
  SpatialMotion<T> r;
  if constexpr (std::is_same_v<Joint, Free<T>>) {
    r = {R_PF * Vec3<T>{u[0], u[1], u[2]}, R_PF * Vec3<T>{u[3], u[4], u[5]}};
  } else {
    const auto columns = joint.H(q);
    const auto first = static_cast<std::size_t>(tree_.links[i].u_start);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      H_[first + k] = {R_PF * columns[k].w, R_PF * columns[k].v};
      r += u[k] * H_[first + k];
    }
  }
  const SpatialMotion<T> bias = joint.bias_acceleration(q, u);
  general.c = {R_PF * bias.w + cross(w, r.w),
               R_PF * bias.v + centripetal(w, general.s) + T(2) * cross(w, r.v)};
  w = transpose_times(general.R, w + r.w);
}

template <class T, class P>
template <bool is_plain>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::add_own(std::size_t i,
                                                                ArticulatedBody<T>& sum) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  const Vec3<P>& h = body.h;
  const SymMat3<P>& J = body.J;
  sum.m.xx += T(body.mass), sum.m.yy += T(body.mass), sum.m.zz += T(body.mass);
  sum.J.xx += T(J.xx), sum.J.yy += T(J.yy), sum.J.zz += T(J.zz);
  sum.B.yz -= T(h.x), sum.B.zy += T(h.x);
  if constexpr (!is_plain) {
    sum.J.xy += T(J.xy), sum.J.xz += T(J.xz), sum.J.yz += T(J.yz);
    sum.B.zx -= T(h.y), sum.B.xz += T(h.y), sum.B.xy -= T(h.z), sum.B.yx += T(h.z);
  }
  sum.z += passages_[i].z;
}

// `sum` is I, z of the body on entry and their part at the parent on return.
template <class T, class P>
template <Twist twist, bool has_armature, bool is_plain>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::eliminate_turn(std::size_t i, const T& tau,
                                                                       ArticulatedBody<T>& sum,
                                                                       T& smallest_pivot) {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  Passage& passage = passages_[i];
  SymMat3<T>& J = sum.J;
  Mat3<T>& B = sum.B;
  Vec3<T>&torque = sum.z.torque, &force = sum.z.force;
  const T D = has_armature ? J.zz + T(body.armature) : J.zz;
  const T D_inverse = T(1) / D;
  check_pivot(D, J.xx + J.yy + J.zz, smallest_pivot);
  sum.turn_about_z(turns_[i]);
  const T c_x = passage.c_x, c_y = passage.c_y;  // (a)
  torque = {torque.x + J.xx * c_x + J.xy * c_y, torque.y + J.xy * c_x + J.yy * c_y,
            torque.z + J.xz * c_x + J.yz * c_y};
  force = {force.x + B.xx * c_x + B.yx * c_y, force.y + B.xy * c_x + B.yy * c_y,
           force.z + B.xz * c_x + B.yz * c_y};
  const T e = tau - torque.z;  // (b), in an order that keeps few numbers alive
  passage.free_udot = D_inverse * e;
  const Vec3<T> W_force = D_inverse * Vec3<T>{B.zx, B.zy, B.zz};
  passage.z.force = W_force;
  force += e * W_force;
  sum.m -= {B.zx * W_force.x, B.zy * W_force.y, B.zz * W_force.z,
            B.zx * W_force.y, B.zx * W_force.z, B.zy * W_force.z};
  B.xx -= J.xz * W_force.x, B.xy -= J.xz * W_force.y, B.xz -= J.xz * W_force.z;
  B.yx -= J.yz * W_force.x, B.yy -= J.yz * W_force.y, B.yz -= J.yz * W_force.z;
  const T W_x = D_inverse * J.xz, W_y = D_inverse * J.yz;
  passage.z.torque.x = W_x, passage.z.torque.y = W_y;
  torque.x += e * W_x, torque.y += e * W_y;
  J.xx -= J.xz * W_x, J.yy -= J.yz * W_y, J.xy -= J.xz * W_y;
  if constexpr (has_armature) {
    const T left = T(body.armature), W_z = D_inverse * J.zz;  // the z row left of I is left W
    passage.z.torque.z = W_z;
    torque.z += e * W_z;
    J.xz = left * W_x, J.yz = left * W_y, J.zz = left * W_z;
    B.zx = left * W_force.x, B.zy = left * W_force.y, B.zz = left * W_force.z;
  } else {
    passage.z.torque.z = T(1.0);
    torque.z = tau;
  }
  sum.template add_force_of_acceleration<has_armature>(passage.a_c);  // (c)
  sum.template shift_back<has_armature, along(twist, is_plain)>(T(body.s.x), T(body.s.y));
  if constexpr (twist == Twist::kQuarter) {
    sum.rename_axes();
  } else if constexpr (twist == Twist::kAny) {
    sum.turn_about_x({T(body.cos_twist), T(body.sin_twist)});
  }
  if constexpr (!is_plain) {
    if (structure_[i].has_yaw) sum.turn_about_z({T(body.cos_yaw), T(body.sin_yaw)});
  }
}

template <class T, class P>
void LaneRecursion<T, P>::eliminate_columns(std::size_t i, const T* tau, ArticulatedBody<T>& sum,
                                            T& smallest_pivot) {
  const General& general = general_[static_cast<std::size_t>(general_of_[i])];
  const BodyLink& link = tree_.links[i];
  sum.turn(general.R);
  sum.z += sum.times(general.c);
  const T J_trace = sum.J.trace(), m_trace = sum.m.trace();
  const auto first = static_cast<std::size_t>(link.u_start);
  for (std::size_t k = first; k < first + static_cast<std::size_t>(link.nu); ++k) {
    const SpatialMotion<T>& H = H_[k];
    const SpatialForce<T> U = sum.times(H);
    const T D = dot(H, U) + T(numbers_.bodies[i].armature);
    check_pivot(D, dot(H.w, H.w) * J_trace + dot(H.v, H.v) * m_trace, smallest_pivot);
    const T D_inverse = T(1) / D;
    const T e = tau[k] - dot(H, sum.z);
    W_[k] = D_inverse * U;
    free_udot_[k] = D_inverse * e;
    sum.subtract_outer(U, W_[k]);
    sum.z += e * W_[k];
  }
  sum.shift_back(general.s);
}

// Returns the solution of I a = f; displacements are eliminated before rotations.
template <class T>
[[gnu::noinline]] SpatialMotion<T> solve(const ArticulatedBody<T>& I, const SpatialForce<T>& f,
                                         T& smallest_pivot) {
  const Mat3<T>& B = I.B;
  const FactoredSymMat3<T> m(I.m, smallest_pivot);
  const Vec3<T> a = m.solve(f.force);
  const Vec3<T> X_x = m.solve({B.xx, B.xy, B.xz}), X_y = m.solve({B.yx, B.yy, B.yz}),
                X_z = m.solve({B.zx, B.zy, B.zz});  // columns of m^-1 B^T
  const SymMat3<T> J = {I.J.xx - B.xx * X_x.x - B.xy * X_x.y - B.xz * X_x.z,
                        I.J.yy - B.yx * X_y.x - B.yy * X_y.y - B.yz * X_y.z,
                        I.J.zz - B.zx * X_z.x - B.zy * X_z.y - B.zz * X_z.z,
                        I.J.xy - B.xx * X_y.x - B.xy * X_y.y - B.xz * X_y.z,
                        I.J.xz - B.xx * X_z.x - B.xy * X_z.y - B.xz * X_z.z,
                        I.J.yz - B.yx * X_z.x - B.yy * X_z.y - B.yz * X_z.z};
  const Vec3<T> w = FactoredSymMat3<T>(J, I.J.trace(), smallest_pivot).solve(f.torque - B * a);
  return {w, a - w.x * X_x - w.y * X_y - w.z * X_z};
}

template <class T, class P>
[[gnu::noinline]] void LaneRecursion<T, P>::eliminate_free(std::size_t i, const T* tau,
                                                           ArticulatedBody<T>& sum, T& smallest_pivot) {
  General& general = general_[static_cast<std::size_t>(general_of_[i])];
  const Rotation<T> R_PF = lift(numbers_.frames[i].R_PF);
  tau += tree_.links[i].u_start;
  const SpatialForce<T> F{R_PF * Vec3<T>{tau[0], tau[1], tau[2]}, R_PF * Vec3<T>{tau[3], tau[4], tau[5]}};
  const SpatialForce<T> own{transpose_times(general.R, F.torque), transpose_times(general.R, F.force)};
  general.A = solve(sum, own - sum.z, smallest_pivot);
  sum = {{}, {}, {}, {F.torque + cross(general.s, F.force), F.force}};
}

template <class T, class P>
template <bool is_plain, class Eliminate>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::eliminate_run(const Run& run,
                                                                      const Eliminate& eliminate) {
  ArticulatedBody<T> sum;  // in registers, since no other function has its address
  if (inward_[static_cast<std::size_t>(run.begin)].takes_carry) sum = carried_;
  for (int at = run.begin; at < run.end; ++at) {
    const WalkStep& step = inward_[static_cast<std::size_t>(at)];
    const auto i = static_cast<std::size_t>(step.body);
    if (!step.takes_carry) sum = {};
    add_own<is_plain>(i, sum);
    if (step.own_sum >= 0) sum += sums_[static_cast<std::size_t>(step.own_sum)];
    eliminate(i, sum);
    if (step.gives_carry || step.hangs_on_base) continue;
    ArticulatedBody<T>& place = sums_[static_cast<std::size_t>(step.parent_sum)];
    if (step.begins_sum) {
      place = sum;
    } else {
      place += sum;
    }
  }
  if (inward_[static_cast<std::size_t>(run.end - 1)].gives_carry) carried_ = sum;
}

template <class T, class P>
template <Twist twist, bool has_armature, bool is_plain>
[[gnu::noinline]] void LaneRecursion<T, P>::eliminate_turns(const Run& run, const T* tau, T& smallest_pivot) {
  T smallest = smallest_pivot;
  eliminate_run<is_plain>(
      run, [&](std::size_t i, ArticulatedBody<T> & sum) __attribute__((always_inline)) {
        eliminate_turn<twist, has_armature, is_plain>(i, tau[tree_.links[i].u_start], sum, smallest);
      });
  smallest_pivot = smallest;
}

template <class T, class P>
Mask<T> LaneRecursion<T, P>::eliminate(const T* tau) {
  T smallest_pivot(1.0);
  for (const Run& run : runs_) {
    if (!run.structure.is_turn) {
      eliminate_run<false>(run, [&](std::size_t i, ArticulatedBody<T>& sum) {
        is_free(i) ? eliminate_free(i, tau, sum, smallest_pivot)
                   : eliminate_columns(i, tau, sum, smallest_pivot);
      });
      continue;
    }
    with_twist(run.structure.twist, [&]<Twist twist>() {
      if constexpr (twist != Twist::kAny) {
        if (run.is_plain) {
          return run.structure.has_armature ? eliminate_turns<twist, true, true>(run, tau, smallest_pivot)
                                            : eliminate_turns<twist, false, true>(run, tau, smallest_pivot);
        }
      }
      run.structure.has_armature ? eliminate_turns<twist, true, false>(run, tau, smallest_pivot)
                                 : eliminate_turns<twist, false, false>(run, tau, smallest_pivot);
    });
  }
  return smallest_pivot <= T(0.0);
}

// Transforms the parent's `A` to the body's origin and axes.
template <class T, class P>
template <Twist twist>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::pass_acceleration(std::size_t i,
                                                                          SpatialMotion<T>& A) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  const Passage& passage = passages_[i];
  Vec3<T>&w = A.w, &v = A.v;
  from_parent_axes<twist>(i, w);
  from_parent_axes<twist>(i, v);
  v += passage.a_c;
  // w x s = -s x w
  const T s_x(-body.s.x), s_y(-body.s.y);
  if (structure_[i].is_shift_along_normal) {
    add_cross<along(twist, true)>(s_x, s_y, w, v);
  } else {
    add_cross<Along::kXY>(s_x, s_y, w, v);
  }
}

template <class T, class P>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::finish_acceleration(std::size_t i, const T& udot,
                                                                            SpatialMotion<T>& A) const {
  const Passage& passage = passages_[i];
  const PlaneTurn<T>& turn = turns_[i];
  A.w += {passage.c_x, passage.c_y, udot};
  turn_back(turn, A.w.x, A.w.y);
  turn_back(turn, A.v.x, A.v.y);
}

// `A` is that of the parent on entry and of the body on return. Terms with the parent's udot come last.
template <class T, class P>
template <Twist twist>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::accelerate_turn(std::size_t i, T& udot,
                                                                        SpatialMotion<T>& A) const {
  const Passage& passage = passages_[i];
  const SpatialForce<T>& W = passage.z;
  pass_acceleration<twist>(i, A);  // (d)
  const Vec3<T>&w = A.w, &v = A.v;
  T x = passage.free_udot;  // (e)
  if constexpr (twist == Twist::kQuarter) {
    x = x - W.torque.z * w.z - W.force.x * v.x - W.force.y * v.y - W.force.z * v.z - W.torque.x * w.x -
        W.torque.y * w.y;
  } else {
    x = x - W.force.z * v.z - W.torque.x * w.x - W.torque.y * w.y - W.torque.z * w.z - W.force.x * v.x -
        W.force.y * v.y;
  }
  udot = x;
  finish_acceleration(i, x, A);
}

template <class T, class P>
void LaneRecursion<T, P>::accelerate_columns(std::size_t i, T* udot, SpatialMotion<T>& A) const {
  const General& general = general_[static_cast<std::size_t>(general_of_[i])];
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
void LaneRecursion<T, P>::accelerate_free(std::size_t i, T* udot, SpatialMotion<T>& A) const {
  const General& general = general_[static_cast<std::size_t>(general_of_[i])];
  const Mat3<T> R_PF = lift(numbers_.frames[i].R_PF);
  const Vec3<T> w = general.R * general.A.w - general.c.w - A.w;
  const Vec3<T> v = general.R * general.A.v - general.c.v - A.v - cross(A.w, general.s);
  const Vec3<T> turned_w = transpose_times(R_PF, w), turned_v = transpose_times(R_PF, v);
  udot += tree_.links[i].u_start;
  udot[0] = turned_w.x, udot[1] = turned_w.y, udot[2] = turned_w.z;
  udot[3] = turned_v.x, udot[4] = turned_v.y, udot[5] = turned_v.z;
  A = general.A;
}

// Sets the force on the body, moved from Mo to the origin of K, and its gyroscopic force.
template <class T, class P>
[[gnu::always_inline]] inline void LaneRecursion<T, P>::set_own_force(std::size_t i, const Vec3<T>& w,
                                                                      const SpatialForce<T>* body_forces) {
  SpatialForce<T>& z = passages_[i].z;
  z = calc_own_force(i, w);
  if (body_forces == nullptr) return;
  const Mat3<T> R_MK = lift(numbers_.frames[i].R_MK);
  const T slide(numbers_.frames[i].slide);
  const Vec3<T> f = transpose_times(R_MK, body_forces[i].force);
  const Vec3<T> torque = transpose_times(R_MK, body_forces[i].torque);
  z -= {{torque.x + slide * f.y, torque.y - slide * f.x, torque.z}, f};
}

template <class T, class P>
void LaneRecursion<T, P>::pass_general(std::size_t i, T* udot, const Motion* next, SpatialMotion<T>& A,
                                       Vec3<T>& w) {
  if (udot != nullptr) is_free(i) ? accelerate_free(i, udot, A) : accelerate_columns(i, udot, A);
  if (next == nullptr) return;
  const BodyLink& link = tree_.links[i];
  visit_joint<T>(joints_[i], [&](const auto& joint) {
    move_general(i, joint, next->q + link.q_start, next->u + link.u_start, w);
  });
}

template <class T, class P>
void LaneRecursion<T, P>::finish_and_start(T* udot, const Motion* next) {
  if (next != nullptr) turn_joints(next->q);
  A_[0] = {{}, -lift(numbers_.gravity)};
  SpatialMotion<T> A;
  Vec3<T> w;
  for (const WalkStep& step : walk_.steps) {
    const auto i = static_cast<std::size_t>(step.body);
    const BodyLink& link = tree_.links[i];
    if (!step.gives_carry) {
      A = A_[static_cast<std::size_t>(link.parent)];
      w = w_[static_cast<std::size_t>(link.parent)];
    }
    if (structure_[i].is_turn) {
      with_twist(
          structure_[i].twist, [&]<Twist twist>() __attribute__((always_inline)) {
            if (udot != nullptr) accelerate_turn<twist>(i, udot[link.u_start], A);
            if (next == nullptr) return;
            move_turning<twist>(i, next->u[link.u_start], w);
          });
    } else {
      SpatialMotion<T> A_in_memory = A;  // so that A may stay in registers otherwise
      Vec3<T> w_in_memory = w;
      pass_general(i, udot, next, A_in_memory, w_in_memory);
      A = A_in_memory, w = w_in_memory;
    }
    if (next != nullptr) set_own_force(i, w, next->body_forces);
    if (step.own_sum < 0) continue;
    A_[i] = A, w_[i] = w;  // for further children
  }
  if (next != nullptr) std::swap(turns_, next_turns_);
}

template <class T, class P>
void LaneRecursion<T, P>::follow_motion(const T* udot) {
  A_[0] = {{}, -lift(numbers_.gravity)};
  F_[0] = {};
  SpatialMotion<T> A = A_[0];
  for (const WalkStep& step : walk_.steps) {
    const auto i = static_cast<std::size_t>(step.body);
    const BodyInAxes<P>& body = numbers_.bodies[i];
    const BodyLink& link = tree_.links[i];
    const auto first = static_cast<std::size_t>(link.u_start);
    const Passage& passage = passages_[i];
    if (!step.gives_carry) A = A_[static_cast<std::size_t>(link.parent)];
    if (structure_[i].is_turn) {
      with_twist(
          structure_[i].twist, [&]<Twist twist>()
                                   __attribute__((always_inline)) { pass_acceleration<twist>(i, A); });
      finish_acceleration(i, udot[first], A);
    } else {
      const General& general = general_[static_cast<std::size_t>(general_of_[i])];
      A.v += cross(A.w, general.s);
      const auto end = first + static_cast<std::size_t>(link.nu);
      for (std::size_t k = first; k < end; ++k) A += udot[k] * H_[k];
      A += general.c;
      A = {transpose_times(general.R, A.w), transpose_times(general.R, A.v)};
    }
    if (step.own_sum >= 0) A_[i] = A;
    const Vec3<T> h = lift(body.h), Jw = lift(body.J) * A.w;
    const SpatialForce<T>& z = passage.z;
    const T m(body.mass);
    F_[i] = {plus_cross(z.torque + Jw, h, A.v),
             plus_cross({z.force.x + m * A.v.x, z.force.y + m * A.v.y, z.force.z + m * A.v.z}, A.w, h)};
  }
}

template <class T, class P>
void LaneRecursion<T, P>::calc_tau(const Motion& motion, const T* udot, T* tau) {
  start(motion);
  follow_motion(udot);
  for (std::size_t i = structure_.size() - 1; i > 0; --i) {
    const BodyInAxes<P>& body = numbers_.bodies[i];
    const BodyLink& link = tree_.links[i];
    const auto first = static_cast<std::size_t>(link.u_start);
    SpatialForce<T> F = F_[i];
    if (structure_[i].is_turn) {
      tau[first] = F.torque.z + T(body.armature) * udot[first];
      turn(turns_[i], F.torque.x, F.torque.y);
      turn(turns_[i], F.force.x, F.force.y);
      add_cross<Along::kXY>(T(body.s.x), T(body.s.y), F.force, F.torque);
      with_twist(
          structure_[i].twist, [&]<Twist twist>() __attribute__((always_inline)) {
            to_parent_axes<twist>(i, F.torque);
            to_parent_axes<twist>(i, F.force);
          });
    } else {
      const General& general = general_[static_cast<std::size_t>(general_of_[i])];
      F = {general.R * F.torque, general.R * F.force};
      const auto end = first + static_cast<std::size_t>(link.nu);
      for (std::size_t k = first; k < end; ++k) tau[k] = dot(H_[k], F) + T(body.armature) * udot[k];
      F.torque += cross(general.s, F.force);
    }
    F_[static_cast<std::size_t>(link.parent)] += F;
  }
}

#define SESTINA_INSTANTIATE(T)             \
  template class LaneRecursion<T, double>; \
  template class LaneRecursion<T, T>;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
