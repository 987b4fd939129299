#include "sestina/dynamics/inverse_dynamics_by_parameters.h"

#include <algorithm>

namespace sestina {
namespace {

using Lanes = Lanes3<double>;

Vec3<double> derivative(const Vec3<Dual>& x) { return {x.x.d, x.y.d, x.z.d}; }
Vec3<double> value(const Vec3<Dual>& x) { return {x.x.v, x.y.v, x.z.v}; }
bool is_zero(const Vec3<double>& x) { return x.x == 0.0 && x.y == 0.0 && x.z == 0.0; }
bool is_zero(const SymMat3<double>& A) {
  return A.xx == 0.0 && A.yy == 0.0 && A.zz == 0.0 && A.xy == 0.0 && A.xz == 0.0 && A.yz == 0.0;
}

// Returns theta of dR = theta x R.
Vec3<double> turn(const Rotation<Dual>& R) {
  Vec3<double> twice;
  for (int j = 0; j < 3; ++j) twice += cross(value(R.column(j)), derivative(R.column(j)));
  return 0.5 * twice;
}

bool changes(const AnyJoint<Dual>& joint) {
  bool found = !is_zero(derivative(joint.axis)) || !is_zero(derivative(joint.second_axis));
  for_each_joint_number([&](const NumberInfo&, auto of) { found = found || of(joint.numbers).d != 0.0; });
  return found;
}

// (6) of inverse_dynamics_derivatives.h.
SpatialForce<double> required_force(const SubtreeSums::Subtree& sum, const Lanes& psi, const Lanes& beta,
                                    const Lanes& gamma) {
  const auto times = [](const Lanes(&columns)[3], const Lanes& x) {
    return x[0] * columns[0] + x[1] * columns[1] + x[2] * columns[2];
  };
  const Lanes torque =
      sum.trace_E * beta - times(sum.E, beta) + cross(sum.h, gamma) + sum.trace_G * psi - times(sum.G, psi);
  const Lanes force = sum.m * gamma + cross(beta, sum.h) + cross(psi, sum.P);
  return {to_vec3(torque), to_vec3(force)};
}

}  // namespace

InverseDynamicsByParameters::InverseDynamicsByParameters(const Model& model,
                                                         const Properties<double>& properties)
    : model_(model),
      properties_(properties),
      changes_(properties.parameters.size()),
      subtree_end_(find_subtree_ends(model)),
      force_(model.bodies().size()),
      moved_(force_.size()) {
  const ForceSet<double>& forces = properties.forces;
  acts_on_bodies_ =
      !(forces.spring_dampers.empty() && forces.point_forces.empty() && forces.point_torques.empty()) ||
      forces.connectors.act_on_bodies();
  if (acts_on_bodies_ || !forces.joint_forces.empty() || !forces.connectors.empty()) {
    dual_.emplace(model, properties);
  }
}

const InverseDynamicsByParameters::Changes& InverseDynamicsByParameters::changes_by(int parameter) {
  std::optional<Changes>& changes = changes_[static_cast<std::size_t>(parameter)];
  if (!changes) {
    std::vector<Dual> parameters(properties_.parameters.begin(), properties_.parameters.end());
    parameters[static_cast<std::size_t>(parameter)].d = 1.0;
    changes = find_changes(calc_properties<Dual>(model_, parameters));
  }
  return *changes;
}

InverseDynamicsByParameters::Changes InverseDynamicsByParameters::find_changes(
    const Properties<Dual>& properties) const {
  Changes changed;
  changed.gravity = derivative(properties.gravity);
  changed.changes_gravity = !is_zero(changed.gravity);
  for (std::size_t i = 1; i < force_.size(); ++i) {
    const BodyProperties<Dual>& body = properties.bodies.values()[i];
    const Vec3<Dual> h = body.M.mass * body.M.c;
    const SymMat3<Dual>& J = body.M.J;
    const Mass mass{i, body.M.mass.d, derivative(h), {J.xx.d, J.yy.d, J.zz.d, J.xy.d, J.xz.d, J.yz.d}};
    if (mass.mass != 0.0 || !is_zero(mass.h) || !is_zero(mass.J)) changed.masses.push_back(mass);
    const Frame frame{i, turn(body.X_PF.R), derivative(body.X_PF.p), value(body.X_PF.p)};
    if (!is_zero(frame.theta) || !is_zero(frame.p)) changed.frames.push_back(frame);
    const BodyInfo& info = model_.bodies()[BodyIndex(static_cast<int>(i))];
    if (body.armature.d != 0.0) {
      const auto u = static_cast<std::size_t>(info.u_start);
      changed.diagonals.push_back({u, 0, body.armature.d, 0.0, 0.0, 0.0});
    }
    changed.changes_joint = changed.changes_joint || changes(body.joint);
  }
  for (const JointSpring<Dual>& spring : properties.forces.joint_springs) {
    const Dual constant = spring.stiffness * spring.reference;
    if (spring.stiffness.d == 0.0 && constant.d == 0.0) continue;
    changed.diagonals.push_back({static_cast<std::size_t>(spring.u), static_cast<std::size_t>(spring.q), 0.0,
                                 spring.stiffness.d, 0.0, -constant.d});
  }
  for (const JointDamper<Dual>& damper : properties.forces.joint_dampers) {
    if (damper.damping.d == 0.0) continue;
    changed.diagonals.push_back({static_cast<std::size_t>(damper.u), 0, 0.0, 0.0, damper.damping.d, 0.0});
  }
  for (const Mass& mass : changed.masses) changed.forces_end = std::max(changed.forces_end, mass.body + 1);
  for (const Frame& frame : changed.frames) {
    const BodyInfo& info = model_.bodies()[BodyIndex(static_cast<int>(frame.body))];
    changed.forces_end = std::max(changed.forces_end, static_cast<std::size_t>(info.parent.value()) + 1);
  }
  if (acts_on_bodies_) changed.forces_end = force_.size();
  if (dual_) {
    changed.properties = properties;
    changed.properties->forces.joint_springs.clear();
    changed.properties->forces.joint_dampers.clear();
  }
  return changed;
}

void InverseDynamicsByParameters::start(const State<double>& state, const Kinematics<double>& kinematics,
                                        std::span<const double> udot, const SubtreeSums& at) {
  state_ = &state, kinematics_ = &kinematics, udot_ = udot, at_ = &at;
  if (!dual_) return;
  dual_->set_state(state);
  for (std::size_t i = 0; acts_on_bodies_ && i < moved_.size(); ++i) {
    dual_->set_motion(i, kinematics.motion[i]);
  }
}

// (1)
SpatialForce<double> InverseDynamicsByParameters::force_of(const Mass& of) const {
  const BodyMotion<double>& motion = kinematics_->motion[of.body];
  const Rotation<double>& R = motion.X_WB.R;
  const SpatialMotion<double>& A = at_->acceleration(of.body);
  const Vec3<double>& w = motion.V_WB.w;
  const Vec3<double> h = R * of.h;
  const auto J_times = [&](const Vec3<double>& x) { return R * (of.J * transpose_times(R, x)); };
  return {J_times(A.w) + cross(h, A.v) + cross(w, J_times(w)),
          of.mass * A.v + cross(A.w, h) + cross(w, cross(w, h))};
}

double InverseDynamicsByParameters::force_of(const Diagonal& of) const {
  const double by_state = of.by_udot * udot_[of.u] + of.by_u * state_->u[of.u] + of.constant;
  return of.by_q == 0.0 ? by_state : by_state + of.by_q * state_->q[of.q];
}

InverseDynamicsByParameters::Displacement InverseDynamicsByParameters::displace(const Frame& frame) const {
  const auto parent = static_cast<std::size_t>(kinematics_->tree.links[frame.body].parent);
  const BodyMotion<double>& P = kinematics_->motion[parent];
  const SpatialMotion<double>& A = at_->acceleration(parent);
  const Vec3<double>& s = kinematics_->s[frame.body];
  const Vec3<double>& w = P.V_WB.w;
  Displacement d;
  d.body = frame.body;
  d.theta = P.X_WB.R * frame.theta;
  d.eta = P.X_WB.R * frame.p + cross(d.theta, s - P.X_WB.R * frame.p_PF);
  d.psi = cross(w, d.theta);
  d.beta = cross(A.w, d.theta) + cross(w, d.psi);
  const Vec3<double> w_x_s = cross(w, s), w_x_eta = cross(w, d.eta);
  const Vec3<double> r_v = kinematics_->motion[frame.body].V_WB.v - P.V_WB.v - w_x_s;
  d.gamma = cross(A.w, d.eta) + cross(w, w_x_eta) + 2.0 * cross(d.psi, r_v) +
            cross(A.v + cross(A.w, s) + cross(w, w_x_s), d.theta);  // (3)
  d.dv = w_x_eta + cross(d.theta, r_v);
  return d;
}

// Displaces the bodies for the applied forces.
void InverseDynamicsByParameters::move_subtree(const Displacement& d) {
  const BodyMotion<double>& base = kinematics_->motion[d.body];
  for (std::size_t i = d.body; i < subtree_end_[d.body]; ++i) {
    const BodyMotion<double>& body = kinematics_->motion[i];
    const Vec3<double> p = body.X_WB.p - base.X_WB.p, v = body.V_WB.v - base.V_WB.v;
    MotionRates& moved = moved_[i];
    moved.theta += d.theta;
    moved.p += d.eta + cross(d.theta, p);
    moved.w += cross(d.theta, body.V_WB.w) + d.psi;
    moved.v += d.dv + cross(d.theta, v) + cross(d.psi, p);
  }
}

// (8), about Mo of the parent.
SpatialForce<double> InverseDynamicsByParameters::force_on_parent(const Displacement& d) const {
  const SubtreeSums::Subtree& sum = at_->subtree(d.body);
  const Vec3<double> torque = to_vec3(sum.torque), force = to_vec3(sum.force);
  SpatialForce<double> own = required_force(sum, Lanes(d.psi), Lanes(d.beta), Lanes(d.gamma));
  own += {cross(d.theta, torque) + cross(d.eta, force), cross(d.theta, force)};
  return shift_back(own, kinematics_->s[d.body]);
}

void InverseDynamicsByParameters::add_displacement(const Displacement& d, std::span<double> by) {
  const BodyMotion<double>& base = kinematics_->motion[d.body];
  const bool is_translation = is_zero(d.theta);  // psi and beta vanish too
  for (std::size_t i = d.body; i < subtree_end_[d.body]; ++i) {
    const BodyMotion<double>& body = kinematics_->motion[i];
    const SubtreeSums::Subtree& sum = at_->subtree(i);
    SpatialForce<double> required;
    if (is_translation) {
      required = {cross(to_vec3(sum.h), d.gamma), sum.m * d.gamma};
    } else {
      const Vec3<double> p = body.X_WB.p - base.X_WB.p, v = body.V_WB.v - base.V_WB.v;
      const Vec3<double> gamma = d.gamma + cross(d.beta, p) + 2.0 * cross(d.psi, v);
      required = required_force(sum, Lanes(d.psi), Lanes(d.beta), Lanes(gamma));
    }
    const BodyLink& link = kinematics_->tree.links[i];
    for (int l = link.u_start; l < link.u_start + link.nu; ++l) {
      by[static_cast<std::size_t>(l)] += dot(kinematics_->H[static_cast<std::size_t>(l)], required);  // (4)
    }
  }
  if (acts_on_bodies_) move_subtree(d);
  force_[static_cast<std::size_t>(kinematics_->tree.links[d.body].parent)] += force_on_parent(d);
}

void InverseDynamicsByParameters::add_gravity(const Vec3<double>& gravity, std::span<double> by) const {
  for (std::size_t i = 1; i < force_.size(); ++i) {
    const BodyLink& link = kinematics_->tree.links[i];
    const SubtreeSums::Subtree& sum = at_->subtree(i);
    const SpatialForce<double> required{cross(to_vec3(sum.h), -gravity), -sum.m * gravity};  // (2)
    for (int l = link.u_start; l < link.u_start + link.nu; ++l) {
      by[static_cast<std::size_t>(l)] += dot(kinematics_->H[static_cast<std::size_t>(l)], required);
    }
  }
}

// The derivatives of the applied forces for the displaced motions of the bodies.
void InverseDynamicsByParameters::update_forces(const Changes& changes) {
  const bool has_moved = acts_on_bodies_ && !changes.frames.empty();
  for (std::size_t i = 0; has_moved && i < moved_.size(); ++i) {
    dual_->set_motion(i, kinematics_->motion[i], moved_[i]);
  }
  update_applied_forces<Dual>(model_, *changes.properties, dual_->state, dual_->kinematics, dual_->forces);
}

void InverseDynamicsByParameters::stop_moving(const Changes& changes) {
  if (!acts_on_bodies_ || changes.frames.empty()) return;
  std::ranges::fill(moved_, MotionRates{});
  for (std::size_t i = 0; i < moved_.size(); ++i) dual_->set_motion(i, kinematics_->motion[i]);
}

void InverseDynamicsByParameters::subtract_forces(const Changes& changes, std::span<double> by) {
  update_forces(changes);
  for (std::size_t l = 0; l < by.size(); ++l) by[l] -= dual_->forces.tau[l].d;
  for (std::size_t i = 1; acts_on_bodies_ && i < force_.size(); ++i)
    force_[i] -= dual_->rate_of(i, moved_[i].theta);
  stop_moving(changes);
}

void InverseDynamicsByParameters::calc(int parameter, std::span<double> by) {
  const Changes& changes = changes_by(parameter);
  if (changes.changes_joint) {
    if (!by_parameters_) by_parameters_ = std::make_unique<ParameterDerivatives>(model_, properties_);
    by_parameters_->update_inverse(*state_, udot_, parameter);
    std::ranges::copy(by_parameters_->residual_by(parameter), by.begin());
    return;
  }
  std::ranges::fill(by, 0.0);
  for (const Diagonal& of : changes.diagonals) by[of.u] += force_of(of);
  if (changes.changes_gravity) add_gravity(changes.gravity, by);
  if (changes.masses.empty() && changes.frames.empty() && !dual_) return;
  std::fill_n(force_.begin(), changes.forces_end, SpatialForce<double>{});
  for (const Mass& of : changes.masses) force_[of.body] += force_of(of);
  for (const Frame& frame : changes.frames) add_displacement(displace(frame), by);
  if (dual_) subtract_forces(changes, by);
  for (std::size_t i = changes.forces_end; i-- > 1;) {
    const BodyLink& link = kinematics_->tree.links[i];
    for (int l = link.u_start; l < link.u_start + link.nu; ++l) {
      by[static_cast<std::size_t>(l)] += dot(kinematics_->H[static_cast<std::size_t>(l)], force_[i]);
    }
    force_[static_cast<std::size_t>(link.parent)] += shift_back(force_[i], kinematics_->s[i]);
  }
}

double InverseDynamicsByParameters::calc_product(int parameter, const VirtualMotion& virtual_motion) {
  const Changes& changes = changes_by(parameter);
  const std::span<const double> z = virtual_motion.z;
  double product = 0.0;
  if (changes.changes_joint) {
    column_.resize(z.size());
    calc(parameter, column_);
    for (std::size_t l = 0; l < z.size(); ++l) product += z[l] * column_[l];
    return product;
  }
  for (const Diagonal& of : changes.diagonals) product += z[of.u] * force_of(of);
  if (changes.changes_gravity) product -= dot(virtual_motion.U[0].force, changes.gravity);  // (2)
  for (const Mass& of : changes.masses) product += dot(virtual_motion.V[of.body], force_of(of));
  for (const Frame& frame : changes.frames) {
    const Displacement d = displace(frame);
    const SpatialForce<double>& U = virtual_motion.U[d.body];
    product += dot(U.torque, d.beta) + dot(U.force, d.gamma) + dot(virtual_motion.W[d.body], d.psi);  // (4)
    const auto parent = static_cast<std::size_t>(kinematics_->tree.links[d.body].parent);
    product += dot(virtual_motion.V[parent], force_on_parent(d));
    if (acts_on_bodies_) move_subtree(d);
  }
  if (!dual_) return product;
  update_forces(changes);
  for (std::size_t l = 0; l < z.size(); ++l) product -= z[l] * dual_->forces.tau[l].d;
  for (std::size_t i = 1; acts_on_bodies_ && i < force_.size(); ++i) {
    product -= dot(virtual_motion.V[i], dual_->rate_of(i, moved_[i].theta));
  }
  stop_moving(changes);
  return product;
}

}  // namespace sestina
