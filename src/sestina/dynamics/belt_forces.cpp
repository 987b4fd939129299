#include "sestina/dynamics/belt_forces.h"

#include <algorithm>

#include "sestina/base/index.h"
#include "sestina/joints/joint_list.h"
#include "sestina/numerics/copy_state.h"

namespace sestina {
namespace {

constexpr std::size_t kOfCable = 12;

Vec3<double> derivative_of(const Vec3<Dual>& a) { return {a.x.d, a.y.d, a.z.d}; }

// theta of dR = theta x R, from its columns.
Vec3<double> turning(const Rotation<Dual>& R) {
  Vec3<double> twice;
  for (int j = 0; j < 3; ++j) {
    const Vec3<Dual> c = R.column(j);
    twice += cross(Vec3<double>{c.x.v, c.y.v, c.z.v}, derivative_of(c));
  }
  return 0.5 * twice;
}

}  // namespace

BeltTotals calc_belt_totals(const BeltContact<double>& belt, const ForceInput<double>& in) {
  BeltTotals totals;
  const auto relax = [](std::size_t, int, double) {};
  belt.for_each_point(in, belt.pulley_of(in), relax, [&](std::size_t i, int, const auto& point) {
    // The slope of the nearer end gives the stretch.
    const double* const slope = in.q + (point.S[0] > point.S[2] ? belt.pieces[i].a.q : belt.pieces[i].b.q);
    totals.normal_force += point.N;
    totals.torque += point.rho * point.F;
    totals.angle += point.w * norm(Vec3<double>{slope[0], slope[1], slope[2]}) / point.rho;
  });
  return totals;
}

BeltForces::BeltForces(const Model& model, const Properties<double>& properties)
    : model_(model), contacts_(properties.forces.connectors.belts), kinematics_(model) {
  const auto add_three = [](std::vector<int>& to, int first) {
    for (int i = 0; i < 3; ++i) to.push_back(first + i);
  };
  for (const BeltContact<double>& contact : contacts_) {
    Belt& belt = belts_.emplace_back();
    belt.first_block = blocks_.size();
    for (BodyIndex b(contact.at.frame.value()); b.value() > 0; b = model.bodies()[b].parent) {
      const BodyInfo& body = model.bodies()[b];
      for (int k = 0; k < body.nu; ++k) belt.speeds.push_back(body.u_start + k);
    }
    belt.columns.resize(belt.speeds.size());
    all_speeds_.insert(all_speeds_.end(), belt.speeds.begin(), belt.speeds.end());
    for (std::size_t i = 0; i < contact.pieces.size(); ++i) {
      Block& block = blocks_.emplace_back();
      for (const auto* end : {&contact.pieces[i].a, &contact.pieces[i].b}) {
        add_three(block.numbers, model.bodies()[BodyIndex(end->frame.value())].u_start);
        add_three(block.numbers, end->u);
      }
      block.numbers.insert(block.numbers.end(), belt.speeds.begin(), belt.speeds.end());
      for (int k = 0; contact.first_bristle >= 0 && k < contact.segments; ++k) {
        block.numbers.push_back(model.nu() + contact.first_bristle + static_cast<int>(i) * contact.segments +
                                k);
      }
      const std::size_t n = block.numbers.size();
      block.K.resize(n * n), block.D.resize(n * n), block.r.resize(n);
    }
  }
  std::ranges::sort(all_speeds_);
  all_speeds_.erase(std::unique(all_speeds_.begin(), all_speeds_.end()), all_speeds_.end());
}

// The pulleys' motions, differentiated along one displacement at a time.
void BeltForces::find_columns(const State<double>& state, const Properties<Dual>& dual) {
  copy_state(state, state_);
  for (const int k : all_speeds_) {
    const BodyInfo& body = model_.bodies()[model_.body_of_speed(k)];
    std::array<double, 6> unit{};
    std::array<double, 7> q_dot{};
    unit[at(k - body.u_start)] = 1.0;
    visit_joint(dual.bodies[model_.body_of_speed(k)].joint, [&](const auto& joint) {
      std::array<Dual, 6> dual_unit{};
      std::array<Dual, 7> dual_q_dot{};
      dual_unit[at(k - body.u_start)] = 1.0;
      joint.q_dot(state_.q.data() + body.q_start, dual_unit.data(), dual_q_dot.data());
      for (int i = 0; i < body.nq; ++i) q_dot[at(i)] = dual_q_dot[at(i)].v;
    });
    for (int i = 0; i < body.nq; ++i) state_.q[at(body.q_start + i)].d = q_dot[at(i)];
    update_kinematics(model_, dual, state_, kinematics_);
    for (int i = 0; i < body.nq; ++i) state_.q[at(body.q_start + i)].d = 0.0;
    for (std::size_t b = 0; b < belts_.size(); ++b) {
      const auto own = std::ranges::find(belts_[b].speeds, k);
      if (own == belts_[b].speeds.end()) continue;
      const FrameMotion<Dual>& frame = kinematics_.motion[at(contacts_[b].at.frame.value())];
      const Vec3<double>& p = contacts_[b].at.X_BK.p;
      const Vec3<Dual> arm = frame.X_WB.R * Vec3<Dual>{p.x, p.y, p.z};
      belts_[b].columns[at(own - belts_[b].speeds.begin())] = {
          derivative_of(frame.X_WB.p + arm), turning(frame.X_WB.R),
          derivative_of(frame.V_WB.v + cross(frame.V_WB.w, arm)), derivative_of(frame.V_WB.w)};
    }
  }
}

void BeltForces::update(const State<double>& state, const Kinematics<double>& kinematics,
                        const Properties<Dual>& dual) {
  if (empty()) return;
  find_columns(state, dual);
  const ForceInput<double> in{state.t, state.q.data(), state.u.data(), kinematics.motion.data(),
                              nullptr, state.x.data()};
  for (Block& block : blocks_) {
    std::ranges::fill(block.r, 0.0);
    if (block.is_zero) continue;
    std::ranges::fill(block.K, 0.0), std::ranges::fill(block.D, 0.0);
    block.is_zero = true;
  }
  for (std::size_t b = 0; b < belts_.size(); ++b) {
    belts_[b].force = belts_[b].torque = {};
    const Pulley pulley = contacts_[b].pulley_of(in);
    const auto relax = [&](std::size_t piece, int bristle, double z) { add_free(b, piece, bristle, z); };
    contacts_[b].for_each_point(in, pulley, relax, [&](std::size_t piece, int bristle, const Point& point) {
      add_point(b, pulley, piece, bristle, point);
    });
  }
}

void BeltForces::hold(std::vector<HeldWrench<Dual>>& held) const {
  held.resize(belts_.size());
  for (std::size_t b = 0; b < belts_.size(); ++b) {
    HeldWrench<Dual>& wrench = held[b];
    const BeltContact<double>& contact = contacts_[b];
    const Vec3<double>&p = contact.at.X_BK.p, &f = belts_[b].force, &m = belts_[b].torque;
    wrench.index = contact.index;
    wrench.at.frame = contact.at.frame, wrench.at.X_BK.p = {p.x, p.y, p.z};
    wrench.force = {f.x, f.y, f.z}, wrench.torque = {m.x, m.y, m.z};
  }
}

// (1)
void BeltForces::find_changes(const Belt& belt, const Pulley& pulley, const Point& point) {
  changes_.assign(kOfCable + belt.columns.size(), {});
  for (std::size_t j = 0; j < kOfCable; ++j) {
    Change& change = changes_[j];
    change.xi[static_cast<int>(j % 3)] = point.S[j / 3];
    change.dr_less_dp = change.by_u = change.xi;
    change.by_q = -cross(pulley.w, change.xi);
  }
  for (std::size_t k = 0; k < belt.columns.size(); ++k) {
    const Column& column = belt.columns[k];
    Change& change = changes_[kOfCable + k];
    change.dr_less_dp = -column.v, change.theta = column.w;
    change.xi = change.by_u = -(column.v + cross(column.w, point.d));
    change.by_q =
        cross(pulley.w, column.v) - column.dv - cross(column.dw, point.d) - cross(column.w, point.v);
  }
}

// (2), and the change of the bristle's rate.
Vec3<double> BeltForces::change_of_force(const BeltContact<double>& belt, const Pulley& pulley,
                                         const Point& point, const Vec3<double>& xi,
                                         const Vec3<double>& theta, const Vec3<double>& eta,
                                         double& of_rate) {
  const double across = dot(point.t, xi) / point.rho;
  const Vec3<double> dm = across * point.t - (belt.groove() * dot(pulley.axis, xi)) * pulley.axis;
  const Vec3<double> dt = -across * point.e;
  const double slip = dot(point.t, eta) + dot(dt, point.v);
  const double N =
      point.by_rate * (-dot(point.m, eta) - dot(dm, point.v)) - point.by_delta * dot(point.m, xi);
  double F = 0.0;
  if (point.sticks) {
    F = point.w * belt.bristle_damping * slip;
    of_rate = slip;
  } else if (belt.first_bristle >= 0) {
    F = (point.F > 0.0 ? 1.0 : -1.0) * belt.friction_coefficient * N;
    of_rate = F / (point.w * belt.bristle_damping);
  }
  return cross(theta, BeltContact<double>::force_of(point)) + N * point.m + point.N * dm - F * point.t -
         point.F * dt;
}

std::size_t BeltForces::place_of_bristle(std::size_t b, int bristle) const {
  const BeltContact<double>& contact = contacts_[b];
  return kOfCable + belts_[b].columns.size() + at((bristle - contact.first_bristle) % contact.segments);
}

void BeltForces::add_free(std::size_t b, std::size_t piece, int bristle, double z) {
  const BeltContact<double>& contact = contacts_[b];
  Block& block = blocks_[belts_[b].first_block + piece];
  const std::size_t own = place_of_bristle(b, bristle);
  block.r[own] = contact.rate_of_free(z);
  block.D[own * block.numbers.size() + own] = contact.bristle_stiffness / contact.bristle_damping;
}

void BeltForces::add_point(std::size_t b, const Pulley& pulley, std::size_t piece, int bristle,
                           const Point& point) {
  const BeltContact<double>& contact = contacts_[b];
  Belt& belt = belts_[b];
  Block& block = blocks_[belt.first_block + piece];
  const std::size_t n = block.numbers.size(), moving = kOfCable + belt.columns.size();
  const std::size_t own = bristle < 0 ? n : place_of_bristle(b, bristle);
  if (bristle >= 0) {
    block.r[own] = point.z_rate;
    block.D[own * n + own] = point.sticks ? 0.0 : contact.bristle_stiffness / contact.bristle_damping;
  }
  block.is_zero = false;
  const Vec3<double> force = BeltContact<double>::force_of(point);
  belt.force -= force, belt.torque -= cross(point.d, force);
  for (std::size_t i = 0; i < kOfCable; ++i) block.r[i] -= point.S[i / 3] * force[static_cast<int>(i % 3)];
  find_changes(belt, pulley, point);
  const auto add_column = [&](std::size_t j, const Vec3<double>& change, std::vector<double>& to) {
    for (std::size_t i = 0; i < kOfCable; ++i) {
      to[i * n + j] -= point.S[i / 3] * change[static_cast<int>(i % 3)];
    }
    for (std::size_t i = kOfCable; i < moving; ++i) to[i * n + j] -= dot(changes_[i].xi, change);
  };
  for (std::size_t j = 0; j < moving; ++j) {
    const Change& change = changes_[j];
    double rate = 0.0;
    add_column(j, change_of_force(contact, pulley, point, change.xi, change.theta, change.by_q, rate),
               block.K);
    if (own < n) block.K[own * n + j] -= rate;
    rate = 0.0;
    add_column(j, change_of_force(contact, pulley, point, {}, {}, change.by_u, rate), block.D);
    if (own < n) block.D[own * n + j] -= rate;
    for (std::size_t i = kOfCable; i < moving; ++i) {  // (3)
      block.K[i * n + j] += dot(cross(changes_[i].theta, change.dr_less_dp), force);
    }
  }
  if (own < n && point.sticks) {
    add_column(own, (-point.w * contact.bristle_stiffness) * point.t, block.D);
  }
}

}  // namespace sestina
