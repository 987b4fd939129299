#include "sestina/dynamics/subtree_sums.h"

#include <array>

#include "sestina/dynamics/wide_registers.h"
#include "sestina/joints/joint_list.h"

namespace sestina {
namespace {

using Lanes = Lanes3<double>;

// True if H is the same in F at every q. For other joints dual numbers give the derivatives, which is correct
// for every joint.
bool has_constant_columns(JointType type) {
  switch (type) {
    case JointType::kWeld:
    case JointType::kRevolute:
    case JointType::kPrismatic:
    case JointType::kScrew:
    case JointType::kCylindrical:
    case JointType::kPlanar:
    case JointType::kXyz:
    case JointType::kSpherical:
    case JointType::kFree:
      return true;
    default:
      return false;
  }
}

SpatialMotion<double> derivative(const SpatialMotion<Dual>& a) {
  return {{a.w.x.d, a.w.y.d, a.w.z.d}, {a.v.x.d, a.v.y.d, a.v.z.d}};
}

[[gnu::always_inline]] inline Lanes times(const Lanes (&columns)[3], const Lanes& x) {
  return x[0] * columns[0] + x[1] * columns[1] + x[2] * columns[2];
}
template <int nu>
struct JointRates {
  JointColumns<double, nu> H_by_q;  // derivative of each column, axes of F
  SpatialMotion<double> bias_by_q, bias_by_u;
};

// Computes the derivatives by coordinate and speed k of a joint on dual numbers.
template <template <class> class Joint>
JointRates<Joint<double>::kNu> calc_joint_rates(const Joint<double>& joint, const double* q, const double* u,
                                                std::size_t k) {
  constexpr auto nq = static_cast<std::size_t>(Joint<double>::kNq);
  constexpr auto nu = static_cast<std::size_t>(Joint<double>::kNu);
  Joint<Dual> dual;
  const auto to_dual = [](const Vec3<double>& a) { return Vec3<Dual>{a.x, a.y, a.z}; };
  if constexpr (requires { dual.axis; }) dual.axis = to_dual(joint.axis);
  if constexpr (requires { dual.second_axis; }) dual.second_axis = to_dual(joint.second_axis);
  copy_joint_numbers(joint, dual, [](double number) { return Dual(number); });
  std::array<Dual, nq + 1> q_dual;  // one more than needed, for joints that have none
  std::array<Dual, nu + 1> u_dual;
  std::array<double, nq + 1> qdot{};
  std::array<double, nu + 1> unit{};
  unit[k] = 1.0;
  Joint<double>::q_dot(q, unit.data(), qdot.data());  // the tangent of plus()
  for (std::size_t c = 0; c < nq; ++c) q_dual[c] = {q[c], qdot[c]};
  for (std::size_t c = 0; c < nu; ++c) u_dual[c] = u[c];
  JointRates<Joint<double>::kNu> rates;
  const auto H = dual.H(q_dual.data());
  for (std::size_t c = 0; c < nu; ++c) rates.H_by_q[c] = derivative(H[c]);
  rates.bias_by_q = derivative(dual.bias_acceleration(q_dual.data(), u_dual.data()));
  for (std::size_t c = 0; c < nq; ++c) q_dual[c].d = 0.0;
  u_dual[k].d = 1.0;
  rates.bias_by_u = derivative(dual.bias_acceleration(q_dual.data(), u_dual.data()));
  return rates;
}

}  // namespace

SubtreeSums::SubtreeSums(const Model& model, const Properties<double>& properties, Conditions conditions)
    : model_(model),
      properties_(properties),
      A_(static_cast<std::size_t>(model.bodies().size())),
      subtree_(A_.size()),
      columns_(static_cast<std::size_t>(model.nu())),
      varying_start_(A_.size(), -1) {
  if (conditions == Conditions::kRefused) {
    model.refuse_constraints("the derivatives of the equations of motion");
  }
  int count = 0;
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    if (has_constant_columns(info.joint_type)) continue;
    varying_start_[static_cast<std::size_t>(b.value())] = count;
    count += info.nu * info.nu;
  }
  dH_.resize(static_cast<std::size_t>(count));
  (void)chosen_instruction_set();  // its first call allocates, and throws if the environment names none
}

// Computes A and the moments of mass and momentum of the body itself.
[[gnu::always_inline]] inline void SubtreeSums::start_body(std::size_t i,
                                                           const Kinematics<double>& kinematics,
                                                           const AppliedForces<double>& forces,
                                                           std::span<const double> u,
                                                           std::span<const double> udot) {
  const BodyLink& link = kinematics.tree.links[i];
  const auto parent = static_cast<std::size_t>(link.parent);
  const Vec3<double>& s = kinematics.s[i];
  Subtree& sum = subtree_[i];
  A_[i] = shift(A_[parent], s) + kinematics.bias[i];
  Vec3<double> dv = cross(kinematics.motion[parent].V_WB.w, s);
  for (int speed = link.u_start; speed < link.u_start + link.nu; ++speed) {
    const auto k = static_cast<std::size_t>(speed);
    A_[i] += udot[k] * kinematics.H[k];
    if (!link.is_revolute) dv += u[k] * kinematics.H[k].v;
  }
  sum.s = Lanes(s), sum.dv = 2.0 * Lanes(dv);
  const RigidInertia<double>& M = kinematics.inertia[i];
  const SymMat3<double>& J = M.J;
  const Lanes w(kinematics.motion[i].V_WB.w), alpha(A_[i].w), a(A_[i].v);
  sum.m = M.mass;
  sum.h = M.mass * Lanes(M.c);
  sum.trace_E = 0.5 * J.trace();
  sum.E[0] = {sum.trace_E - J.xx, -J.xy, -J.xz};
  sum.E[1] = {-J.xy, sum.trace_E - J.yy, -J.yz};
  sum.E[2] = {-J.xz, -J.yz, sum.trace_E - J.zz};
  const Lanes two_w = w + w;
  for (int c = 0; c < 3; ++c) sum.G[c] = cross(two_w, sum.E[c]);
  sum.trace_G = 0.0;  // G is [w]x times a symmetric matrix
  sum.P = cross(two_w, sum.h);
  const Lanes Jw = sum.trace_E * w - times(sum.E, w);
  const SpatialForce<double>& f = forces.body[i];
  sum.torque = sum.trace_E * alpha - times(sum.E, alpha) + cross(sum.h, a) + cross(w, Jw) - Lanes(f.torque);
  sum.force = sum.m * a + cross(alpha, sum.h) + 0.5 * cross(w, sum.P) - Lanes(f.force);
}

// Computes (3) to (5) for a joint whose H is constant in F.
[[gnu::always_inline]] inline void SubtreeSums::start_column(std::size_t i, std::size_t k,
                                                             const Kinematics<double>& kinematics) {
  const BodyLink& link = kinematics.tree.links[i];
  const auto parent = static_cast<std::size_t>(link.parent);
  Column& column = columns_[k];
  const Lanes w_P(kinematics.motion[parent].V_WB.w), w(kinematics.motion[i].V_WB.w);
  const Lanes theta(kinematics.H[k].w);
  column.theta = theta;
  column.psi = cross(theta, -1.0 * w);
  column.beta_q = cross(Lanes(A_[i].w), theta) + cross(w, column.psi);
  column.gamma_q = cross(Lanes(A_[i].v), theta);
  column.beta_u = cross(w_P + w, theta);
  column.gamma_u = {};
  column.eta = {};
  if (!link.is_revolute) {
    const Lanes eta(kinematics.H[k].v), w_P_x_eta = cross(w_P, eta);
    column.eta = eta;
    column.gamma_q += cross(Lanes(A_[parent].w), eta) + cross(w_P, w_P_x_eta);
    column.gamma_u = w_P_x_eta + w_P_x_eta;
    column.dv = w_P_x_eta;
  } else {
    column.dv = {};
  }
}

// Adds the terms of (3) to (5) that appear where H depends on q.
void SubtreeSums::add_joint_rates(std::size_t i, const State<double>& state,
                                  const Kinematics<double>& kinematics, std::span<const double> udot) {
  const BodyInfo& info = model_.bodies()[BodyIndex(static_cast<int>(i))];
  const BodyProperties<double>& body = properties_.bodies[BodyIndex(static_cast<int>(i))];
  const BodyMotion<double>& parent = kinematics.motion[static_cast<std::size_t>(info.parent.value())];
  const Lanes w_P(parent.V_WB.w), w(kinematics.motion[i].V_WB.w);
  const Rotation<double> R_WF = parent.X_WB.R * body.X_PF.R;
  const auto first = static_cast<std::size_t>(info.u_start);
  SpatialMotion<double>* dH = dH_.data() + varying_start_[i];
  visit_joint<double>(body.joint, [&](const auto& joint) {
    constexpr int kNu = std::decay_t<decltype(joint)>::kNu;
    constexpr auto nu = static_cast<std::size_t>(kNu);
    if constexpr (nu == 0) return;
    for (std::size_t k = 0; k < nu; ++k) {
      const JointRates<kNu> rates =
          calc_joint_rates(joint, state.q.data() + info.q_start, state.u.data() + first, k);
      Column& column = columns_[first + k];
      SpatialMotion<double> dr, dA = rotate(R_WF, rates.bias_by_q);
      for (std::size_t l = 0; l < nu; ++l) {
        const SpatialMotion<double> dH_l = rotate(R_WF, rates.H_by_q[l]);
        dH[l * nu + k] = dH_l;
        dr += state.u[first + l] * dH_l;
        dA += udot[first + l] * dH_l;
      }
      const Lanes dpsi(dr.w);
      column.psi += dpsi;
      column.beta_q += Lanes(dA.w) + cross(w_P, dpsi) + cross(w, dpsi);
      column.gamma_q += Lanes(dA.v) + 2.0 * cross(w_P, Lanes(dr.v));
      column.dv += Lanes(dr.v);
      const SpatialMotion<double> by_u = rotate(R_WF, rates.bias_by_u);
      column.beta_u += Lanes(by_u.w);
      column.gamma_u += Lanes(by_u.v);
    }
  });
}

// Adds (7) and F to the parent.
[[gnu::always_inline]] inline void SubtreeSums::give_to_parent(std::size_t i, std::size_t parent) {
  const Subtree& own = subtree_[i];
  Subtree& sum = subtree_[parent];
  const Lanes &s = own.s, &dv = own.dv;
  const Lanes P = own.P + own.m * dv, h = own.h + own.m * s;
  sum.m += own.m;
  sum.h += h, sum.P += P;
  sum.trace_E += own.trace_E + dot(s, h + own.h);
  sum.trace_G += own.trace_G + dot(P, s) + dot(dv, own.h);
  for (int c = 0; c < 3; ++c) {
    sum.E[c] += own.E[c] + (h[c] * s + s[c] * own.h);
    sum.G[c] += own.G[c] + (s[c] * P + own.h[c] * dv);
  }
  sum.torque += own.torque + cross(s, own.force);
  sum.force += own.force;
}

void SubtreeSums::update(const State<double>& state, const Kinematics<double>& kinematics,
                         const AppliedForces<double>& forces, std::span<const double> udot) {
  with_wide_registers<double>([&]() __attribute__((always_inline)) {
    A_[0] = {{}, -properties_.gravity};
    for (std::size_t i = 1; i < A_.size(); ++i) {
      const BodyLink& link = kinematics.tree.links[i];
      start_body(i, kinematics, forces, state.u, udot);
      for (int k = link.u_start; k < link.u_start + link.nu; ++k) {
        start_column(i, static_cast<std::size_t>(k), kinematics);
      }
      if (varying_start_[i] >= 0) add_joint_rates(i, state, kinematics, udot);
    }
    for (std::size_t i = A_.size(); i-- > 1;) {
      const BodyLink& link = kinematics.tree.links[i];
      if (link.parent > 0) give_to_parent(i, static_cast<std::size_t>(link.parent));
    }
  });
}

}  // namespace sestina
