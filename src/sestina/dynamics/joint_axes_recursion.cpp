#include "sestina/dynamics/joint_axes_recursion.h"

#include <algorithm>

#include "sestina/dynamics/composite_moments.h"
#include "sestina/dynamics/joint_axes_other_joints.h"

#ifdef SESTINA_BATCH_LANES
#include "sestina/spatial/scalars.h"
#else
#include "sestina/dynamics/expression_scalar.h"
#endif

namespace sestina {

template <class T, class P>
JointAxesRecursion<T, P>::JointAxesRecursion(TreeLayout tree, std::vector<JointAxesStructure> structure,
                                             ModelInAxes<P> numbers, std::vector<AnyJoint<T>> joints)
    : tree_(std::move(tree)),
      walk_(Walk::over_all(tree_)),
      inward_(walk_.steps.rbegin(), walk_.steps.rend()),
      structure_(std::move(structure)),
      numbers_(std::move(numbers)),
      joints_(std::move(joints)),
      passages_(structure_.size()),
      turns_(structure_.size()),
      next_turns_(structure_.size()),
      motions_(structure_.size()),
      general_of_(structure_.size(), -1),
      sums_(static_cast<std::size_t>(walk_.num_sums)),
      A_(structure_.size()),
      F_sums_(sums_.size()) {
  int nu = 0;
  for (const BodyLink& link : tree_.links) nu += link.nu;
  H_.resize(static_cast<std::size_t>(nu)), W_.resize(H_.size()), free_udot_.resize(H_.size());
  for (std::size_t i = 1; i < structure_.size(); ++i) {
    const BodyInAxes<P>& body = numbers_.bodies[i];
    if (joints_[i].type == JointType::kPrismatic) {
      turns_[i] = next_turns_[i] = {T(body.cos_offset), T(body.sin_offset)};
    } else if (structure_[i].has_axis) {
      angles_.push_back({static_cast<int>(i), tree_.links[i].q_start});
    }
    if (structure_[i].is_turn) continue;
    general_of_[i] = static_cast<int>(general_.size());
    general_.emplace_back();
    if (is_ball(i) || is_free(i)) set_constant_columns(i);
  }
  find_runs();
  motions_[0].A0.v = -lift(numbers_.gravity);
}

template <class T, class P>
void JointAxesRecursion<T, P>::find_runs() {
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
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::with_twist(Twist twist, F&& f) {
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
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::from_parent_axes(std::size_t i,
                                                                               Vec3<T>& v) const {
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
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::to_parent_axes(std::size_t i,
                                                                             Vec3<T>& v) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  if constexpr (twist == Twist::kQuarter) {
    v = {v.y, v.z, v.x};
  } else if constexpr (twist == Twist::kAny) {
    turn({T(body.cos_twist), T(body.sin_twist)}, v.y, v.z);
  }
  if (structure_[i].has_yaw) turn({T(body.cos_yaw), T(body.sin_yaw)}, v.x, v.y);
}

// Computes the sines and cosines of all revolute joints separately from the walk, whose dependences from body
// to body would leave little room for overlapping them.
template <class T, class P>
void JointAxesRecursion<T, P>::turn_joints(const T* q) {
  const auto angle = [&](const Angle& a) {
    return q[a.q] + T(numbers_.bodies[static_cast<std::size_t>(a.body)].offset);
  };
  const auto set = [&](const Angle& a, const SinCos<T>& result) {
    next_turns_[static_cast<std::size_t>(a.body)] = {result.cos, result.sin};
  };
  if constexpr (kIsFormula) {
    for (const Angle& a : angles_) set(a, sincos(angle(a)));
  } else {
    T largest(0.0);
    for (const Angle& a : angles_) {
      const T x = angle(a), size = abs(x);
      set(a, sincos_of_moderate(x));
      largest = select(largest < size, size, largest);
    }
    if (!any(largest > T(kLargestReducedAngle))) [[likely]]
      return;
    for (const Angle& a : angles_) {
      const PlaneTurn<T>& turn = next_turns_[static_cast<std::size_t>(a.body)];
      SinCos<T> result{turn.sin, turn.cos};
      replace_large(angle(a), result);
      set(a, result);
    }
  }
}

// Returns (b) without the forces on the body.
template <class T, class P>
SESTINA_INLINE_IN_LANES inline SpatialForce<T> JointAxesRecursion<T, P>::calc_own_force(
    std::size_t i, const BodyMotion& motion) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  const Vec3<T>&w = motion.w, &alpha = motion.A0.w, &a = motion.A0.v;
  const T m(body.mass), w_xy = w.x * w.y, w_xz = w.x * w.z, w_yz = w.y * w.z;
  const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  if (structure_[i].has_simple_inertia) {
    const T h(body.h.x), J_x(body.J.xx), J_y(body.J.yy), J_z(body.J.zz);
    return {{J_x * alpha.x + (J_z - J_y) * w_yz, J_y * alpha.y + (J_x - J_z) * w_xz - h * a.z,
             J_z * alpha.z + (J_y - J_x) * w_xy + h * a.y},
            {m * a.x - h * (yy + zz), m * a.y + h * (w_xy + alpha.z), m * a.z + h * (w_xz - alpha.y)}};
  }
  const T K_xy = w_xy - alpha.z, K_yx = w_xy + alpha.z, K_zx = w_xz - alpha.y, K_xz = w_xz + alpha.y,
          K_yz = w_yz - alpha.x, K_zy = w_yz + alpha.x;
  const T S_xx(body.S.xx), S_yy(body.S.yy), S_zz(body.S.zz);
  const Vec3<T> h = lift(body.h);
  const T S_xy(body.S.xy), S_xz(body.S.xz), S_yz(body.S.yz);
  return {plus_cross({S_yz * (zz - yy) + S_xy * K_zx - S_xz * K_yx + S_yy * K_zy - S_zz * K_yz,
                      S_xz * (xx - zz) + S_yz * K_xy - S_xy * K_zy + S_zz * K_xz - S_xx * K_zx,
                      S_xy * (yy - xx) + S_xz * K_yz - S_yz * K_xz + S_xx * K_yx - S_yy * K_xy},
                     h, a),
          {m * a.x - h.x * (yy + zz) + h.y * K_xy + h.z * K_xz,
           m * a.y - h.y * (xx + zz) + h.x * K_yx + h.z * K_yz,
           m * a.z - h.z * (xx + yy) + h.x * K_zx + h.y * K_zy}};
}

// (a); `motion` is that of the parent on entry and of the body on return.
template <class T, class P>
template <Twist twist>
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::move_turning(std::size_t i, const T& u,
                                                                           BodyMotion& motion) {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  Vec3<T>&w = motion.w, &alpha = motion.A0.w, &a = motion.A0.v;
  from_parent_axes<twist>(i, w);
  from_parent_axes<twist>(i, alpha);
  from_parent_axes<twist>(i, a);
  const T s_x(body.s.x), s_y(body.s.y), zz = w.z * w.z;
  if (!structure_[i].is_shift_along_normal) {
    const T xy = w.x * w.y;
    a.x += s_y * (xy - alpha.z) - s_x * (w.y * w.y + zz);
    a.y += s_x * (xy + alpha.z) - s_y * (w.x * w.x + zz);
    a.z += s_x * (w.x * w.z - alpha.y) + s_y * (w.y * w.z + alpha.x);
  } else if constexpr (twist == Twist::kQuarter) {
    a.x += s_y * (w.x * w.y - alpha.z);
    a.y -= s_y * (w.x * w.x + zz);
    a.z += s_y * (w.y * w.z + alpha.x);
  } else {
    a.x -= s_x * (w.y * w.y + zz);
    a.y += s_x * (w.x * w.y + alpha.z);
    a.z += s_x * (w.x * w.z - alpha.y);
  }
  turn_back(next_turns_[i], w.x, w.y);
  turn_back(next_turns_[i], alpha.x, alpha.y);
  turn_back(next_turns_[i], a.x, a.y);
  alpha.x += w.y * u, alpha.y -= w.x * u;
  w.z += u;
}

template <class T, class P>
template <bool is_plain>
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::add_own(std::size_t i,
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

// From N to the parent's axes and origin.
template <class T, class P>
template <Twist twist, bool has_z_row, bool is_plain>
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::shift_and_turn(std::size_t i,
                                                                             ArticulatedBody<T>& sum) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  sum.template shift_back<has_z_row, along(twist, is_plain)>(T(body.s.x), T(body.s.y));
  turn_to_parent<twist, is_plain>(i, sum);
}

template <class T, class P>
template <Twist twist, bool is_plain, class Quantity>
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::turn_to_parent(std::size_t i,
                                                                             Quantity& sum) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  if constexpr (twist == Twist::kQuarter) {
    sum.rename_axes();
  } else if constexpr (twist == Twist::kAny) {
    sum.turn_about_x({T(body.cos_twist), T(body.sin_twist)});
  }
  if constexpr (!is_plain) {
    if (structure_[i].has_yaw) sum.turn_about_z({T(body.cos_yaw), T(body.sin_yaw)});
  }
}

// `sum` is I, z of the body on entry and their part at the parent on return.
template <class T, class P>
template <Twist twist, bool has_armature, bool is_plain>
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::eliminate_turn(std::size_t i, const T& tau,
                                                                             ArticulatedBody<T>& sum,
                                                                             Pivots<T>& pivots) {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  Passage& passage = passages_[i];
  SymMat3<T>& J = sum.J;
  Mat3<T>& B = sum.B;
  Vec3<T>&torque = sum.z.torque, &force = sum.z.force;
  pivots.begin(tree_.links[i].u_start);
  const T D = has_armature ? J.zz + T(body.armature) : J.zz;
  const T D_inverse = reciprocal(D);
  pivots.check(D, J.xx + J.yy + J.zz);
  sum.turn_about_z(turns_[i]);
  const T e = tau - torque.z;  // (c) and (d), in an order that keeps few numbers alive
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
    torque.z = tau;
  }
  shift_and_turn<twist, has_armature, is_plain>(i, sum);
}

template <class T, class P>
template <bool is_plain, class Eliminate>
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::eliminate_run(const Run& run,
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
[[gnu::noinline]] void JointAxesRecursion<T, P>::eliminate_turns(const Run& run, const T* tau,
                                                                 Pivots<T>& pivots) {
  Pivots<T> local = pivots;
  eliminate_run<is_plain>(run, [&](std::size_t i, ArticulatedBody<T>& sum) SESTINA_INLINE_IN_LANES {
    eliminate_turn<twist, has_armature, is_plain>(i, tau[tree_.links[i].u_start], sum, local);
  });
  pivots = local;
}

template <class T, class P>
Pivots<T> JointAxesRecursion<T, P>::eliminate(const T* tau) {
  Pivots<T> pivots;
  for (const Run& run : runs_) {
    if (!run.structure.is_turn) {
      eliminate_run<false>(run, [&](std::size_t i, ArticulatedBody<T>& sum) {
        structure_[i].has_axis ? eliminate_along_axis(i, tau, sum, pivots)
        : is_ball(i)           ? eliminate_ball(i, tau, sum, pivots)
        : is_free(i)           ? eliminate_free(i, tau, sum, pivots)
                               : eliminate_columns(i, tau, sum, pivots);
      });
      continue;
    }
    with_twist(run.structure.twist, [&]<Twist twist>() {
      if constexpr (twist != Twist::kAny) {
        if (run.is_plain) {
          return run.structure.has_armature ? eliminate_turns<twist, true, true>(run, tau, pivots)
                                            : eliminate_turns<twist, false, true>(run, tau, pivots);
        }
      }
      run.structure.has_armature ? eliminate_turns<twist, true, false>(run, tau, pivots)
                                 : eliminate_turns<twist, false, false>(run, tau, pivots);
    });
  }
  return pivots;
}

// Transforms the parent's `A` to the body's origin and axes.
template <class T, class P>
template <Twist twist>
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::pass_acceleration(std::size_t i,
                                                                                SpatialMotion<T>& A) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  Vec3<T>&w = A.w, &v = A.v;
  from_parent_axes<twist>(i, w);
  from_parent_axes<twist>(i, v);
  // w x s = -s x w
  const T s_x(-body.s.x), s_y(-body.s.y);
  if (structure_[i].is_shift_along_normal) {
    add_cross<along(twist, true)>(s_x, s_y, w, v);
  } else {
    add_cross<Along::kXY>(s_x, s_y, w, v);
  }
}

// `A` is that of the parent on entry and of the body on return. Terms with the parent's udot come last.
template <class T, class P>
template <Twist twist>
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::accelerate_turn(std::size_t i, T& udot,
                                                                              SpatialMotion<T>& A) const {
  const Passage& passage = passages_[i];
  const SpatialForce<T>& W = passage.z;
  pass_acceleration<twist>(i, A);  // (e)
  const Vec3<T>&w = A.w, &v = A.v;
  T x = passage.free_udot;  // (f)
  if constexpr (twist == Twist::kQuarter) {
    x = x - W.force.x * v.x - W.force.y * v.y - W.force.z * v.z - W.torque.x * w.x - W.torque.y * w.y;
  } else {
    x = x - W.force.z * v.z - W.torque.x * w.x - W.torque.y * w.y - W.force.x * v.x - W.force.y * v.y;
  }
  if (structure_[i].has_armature) {
    udot = x - W.torque.z * w.z;
    A.w.z += udot;
  } else {  // W is 1 there
    udot = x - w.z;
    A.w.z = x;
  }
  turn_back(turns_[i], A.w.x, A.w.y);
  turn_back(turns_[i], A.v.x, A.v.y);
}

// Sets (b); the force on the body is moved from Mo to the origin of K.
template <class T, class P>
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::set_own_force(
    std::size_t i, const BodyMotion& motion, const SpatialForce<T>* body_forces) {
  SpatialForce<T>& z = passages_[i].z;
  z = calc_own_force(i, motion);
  if (body_forces == nullptr) return;
  const Mat3<T> R_MK = lift(numbers_.frames[i].R_MK);
  const T slide(numbers_.frames[i].slide);
  const Vec3<T> f = transpose_times(R_MK, body_forces[i].force);
  const Vec3<T> torque = transpose_times(R_MK, body_forces[i].torque);
  z -= {{torque.x + slide * f.y, torque.y - slide * f.x, torque.z}, f};
}

template <class T, class P>
void JointAxesRecursion<T, P>::finish_and_start(T* udot, const Motion* next) {
  if (next != nullptr) turn_joints(next->q);
  SpatialMotion<T> A;
  BodyMotion motion;
  for (const WalkStep& step : walk_.steps) {
    const auto i = static_cast<std::size_t>(step.body);
    const BodyLink& link = tree_.links[i];
    if (!step.gives_carry) {
      A = A_[static_cast<std::size_t>(link.parent)];
      motion = motions_[static_cast<std::size_t>(link.parent)];
    }
    if (structure_[i].is_turn) {
      with_twist(structure_[i].twist, [&]<Twist twist>() SESTINA_INLINE_IN_LANES {
        if (udot != nullptr) accelerate_turn<twist>(i, udot[link.u_start], A);
        if (next == nullptr) return;
        move_turning<twist>(i, next->u[link.u_start], motion);
        if (next->udot != nullptr) motion.A0.w.z += next->udot[link.u_start];
      });
    } else {
      SpatialMotion<T> A_in_memory = A;  // so that otherwise A may stay in registers
      BodyMotion motion_in_memory = motion;
      pass_general(i, udot, next, A_in_memory, motion_in_memory);
      A = A_in_memory, motion = motion_in_memory;
    }
    if (next != nullptr) set_own_force(i, motion, next->body_forces);
    if (step.own_sum < 0) continue;
    A_[i] = A, motions_[i] = motion;  // for further children
  }
  if (next != nullptr) std::swap(turns_, next_turns_);
}

// Calls enter(k, F's generalised force on speed k) and moves F from the body to its parent.
template <class T, class P>
template <class Enter>
SESTINA_INLINE_IN_LANES inline void JointAxesRecursion<T, P>::pass_force(std::size_t i, SpatialForce<T>& F,
                                                                         const Enter& enter) const {
  const BodyInAxes<P>& body = numbers_.bodies[i];
  if (structure_[i].has_axis) {
    const auto u = static_cast<std::size_t>(tree_.links[i].u_start);
    if (structure_[i].is_turn) {
      enter(u, F.torque.z);
    } else {
      enter(u, T(body.turn) * F.torque.z + T(body.slide) * F.force.z);
    }
    turn(turns_[i], F.torque.x, F.torque.y);
    turn(turns_[i], F.force.x, F.force.y);
    if (structure_[i].is_turn) {
      add_cross<Along::kXY>(T(body.s.x), T(body.s.y), F.force, F.torque);
    } else {
      F.torque += cross(general_[static_cast<std::size_t>(general_of_[i])].s, F.force);
    }
    with_twist(structure_[i].twist, [&]<Twist twist>() SESTINA_INLINE_IN_LANES {
      to_parent_axes<twist>(i, F.torque);
      to_parent_axes<twist>(i, F.force);
    });
    return;
  }
  const Rotation<T>& R = general_[static_cast<std::size_t>(general_of_[i])].R;
  SpatialForce<T> F_in_memory{R * F.torque, R * F.force};  // a copy; F may stay in registers otherwise
  enter_force(i, F_in_memory, enter);
  F = F_in_memory;
}

// The second half of pass_force() for a joint without an axis: F in the parent's axes.
template <class T, class P>
template <class Enter>
void JointAxesRecursion<T, P>::enter_force(std::size_t i, SpatialForce<T>& F, const Enter& enter) const {
  const BodyLink& link = tree_.links[i];
  for (int k = link.u_start; k < link.u_start + link.nu; ++k) {
    enter(static_cast<std::size_t>(k), dot(H_[static_cast<std::size_t>(k)], F));
  }
  F.torque += cross(general_[static_cast<std::size_t>(general_of_[i])].s, F.force);
}

template <class T, class P>
void JointAxesRecursion<T, P>::calc_tau(const Motion& motion, T* tau) {
  start(motion);
  SpatialForce<T> F;
  for (const WalkStep& step : inward_) {
    const auto i = static_cast<std::size_t>(step.body);
    const SpatialForce<T>& own = passages_[i].z;
    F = step.takes_carry ? own + F : own;
    if (step.own_sum >= 0) F += F_sums_[static_cast<std::size_t>(step.own_sum)];
    const T armature(numbers_.bodies[i].armature);
    pass_force(i, F, [&](std::size_t k, const T& force) { tau[k] = force + armature * motion.udot[k]; });
    if (step.gives_carry || step.hangs_on_base) continue;
    SpatialForce<T>& place = F_sums_[static_cast<std::size_t>(step.parent_sum)];
    place = step.begins_sum ? F : place + F;
  }
}

// By composite inertias (Walker and Orin 1982).
template <class T, class P>
void JointAxesRecursion<T, P>::calc_mass_matrix(const T* q, T* M) {
  const std::vector<T> u(H_.size());
  start({q, u.data()});
  std::vector<CompositeMoments<T>> composite;
  for (const BodyInAxes<P>& body : numbers_.bodies) composite.push_back({body.mass, body.h, body.S});
  for (std::size_t i = structure_.size() - 1; i > 0; --i) {
    const BodyInAxes<P>& body = numbers_.bodies[i];
    const BodyLink& link = tree_.links[i];
    const bool has_axis = structure_[i].has_axis;
    CompositeMoments<T> own = composite[i];
    if (!has_axis) own.turn(general_[static_cast<std::size_t>(general_of_[i])].R);
    for (int column = link.u_start; column < link.u_start + link.nu; ++column) {
      const auto enter = [&](std::size_t k, const T& force) {
        const auto c = static_cast<std::size_t>(column);
        const std::size_t high = std::max(k, c), low = std::min(k, c);
        M[high * (high + 1) / 2 + low] = k == c ? force + T(body.armature) : force;
      };
      SpatialForce<T> F =
          own.times(has_axis ? SpatialMotion<T>{{T(0), T(0), T(body.turn)}, {T(0), T(0), T(body.slide)}}
                             : H_[static_cast<std::size_t>(column)]);
      has_axis ? pass_force(i, F, enter) : enter_force(i, F, enter);
      for (int j = link.parent; j > 0; j = tree_.links[static_cast<std::size_t>(j)].parent) {
        pass_force(static_cast<std::size_t>(j), F, enter);
      }
    }
    if (has_axis) own.turn_about_z(turns_[i]);
    own.shift_back(structure_[i].is_turn ? lift(body.s)
                                         : general_[static_cast<std::size_t>(general_of_[i])].s);
    if (has_axis)
      with_twist(structure_[i].twist, [&]<Twist twist>() { turn_to_parent<twist, false>(i, own); });
    composite[static_cast<std::size_t>(link.parent)] += own;
  }
}

#define SESTINA_INSTANTIATE(T, P)                                                                    \
  template JointAxesRecursion<T, P>::JointAxesRecursion(TreeLayout, std::vector<JointAxesStructure>, \
                                                        ModelInAxes<P>, std::vector<AnyJoint<T>>);   \
  template Pivots<T> JointAxesRecursion<T, P>::eliminate(const T*);                                  \
  template void JointAxesRecursion<T, P>::finish_and_start(T*, const Motion*);                       \
  template void JointAxesRecursion<T, P>::calc_tau(const Motion&, T*);
#ifdef SESTINA_BATCH_LANES
SESTINA_INSTANTIATE(Batch<SESTINA_BATCH_LANES>, double)
SESTINA_INSTANTIATE(Batch<SESTINA_BATCH_LANES>, Batch<SESTINA_BATCH_LANES>)
#else
SESTINA_INSTANTIATE(Expression, Expression)
template void JointAxesRecursion<Expression, Expression>::calc_mass_matrix(const Expression*, Expression*);
#endif
#undef SESTINA_INSTANTIATE

}  // namespace sestina
