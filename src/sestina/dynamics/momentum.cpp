#include "sestina/dynamics/momentum.h"

#include <algorithm>

#include "sestina/joints/joint_list.h"
#include "sestina/model/properties.h"
#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

template <class T>
void update_subtree_momenta(const Model& model, const Kinematics<T>& kinematics,
                            std::span<SpatialForce<T>> subtree) {
  const int n = model.bodies().size();
  for (std::size_t i = 1; i < subtree.size(); ++i) {
    subtree[i] = kinematics.inertia[i] * kinematics.motion[i].V_WB;
  }
  for (int b = n - 1; b > 0; --b) {
    const BodyIndex parent = model.bodies()[BodyIndex(b)].parent;
    const auto i = static_cast<std::size_t>(b);
    if (parent != kGround) {
      subtree[static_cast<std::size_t>(parent.value())] += shift_back(subtree[i], kinematics.s[i]);  // (1)
    }
  }
}

Properties<Dual> make_dual(const Model& model, const Properties<double>& properties) {
  const std::vector<Dual> parameters(properties.parameters.begin(), properties.parameters.end());
  return calc_properties<Dual>(model, parameters);
}

Properties<double> make_weightless(Properties<double> properties) {
  properties.gravity = {};
  return properties;
}

}  // namespace

template <class T>
void calc_generalized_momentum(const Model& model, const Properties<T>& properties,
                               const Kinematics<T>& kinematics, std::span<const T> u,
                               std::span<SpatialForce<T>> subtree, std::span<T> p) {
  update_subtree_momenta(model, kinematics, subtree);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
      const auto k = static_cast<std::size_t>(speed);
      p[k] = dot(kinematics.H[k], subtree[static_cast<std::size_t>(b.value())]) +
             properties.bodies[b].armature * u[k];  // (2)
    }
  }
}

MomentumEquations::MomentumEquations(const Model& model, const Properties<double>& properties)
    : model_(model),
      properties_(properties),
      weightless_(make_weightless(properties)),
      with_rates_(make_dual(model, properties)),
      kinematics_(model),
      forces_(model),
      solver_(model),
      at_rest_{0.0, std::vector<double>(static_cast<std::size_t>(model.nq())),
               std::vector<double>(static_cast<std::size_t>(model.nu()))},
      qdot_(at_rest_.q.size()),
      dual_q_(at_rest_.q.size()),
      H_rate_(at_rest_.u.size()),
      L_(static_cast<std::size_t>(model.bodies().size())),
      W_(L_.size()) {}

void MomentumEquations::calc_momentum(const State<double>& state, std::span<double> p) {
  update_kinematics(model_, properties_, state, kinematics_);
  calc_generalized_momentum<double>(model_, properties_, kinematics_, state.u, L_, p);
}

SolveReport<double> MomentumEquations::solve_speeds(const State<double>& state, std::span<const double> p,
                                                    std::span<double> u) {
  std::copy(state.q.begin(), state.q.end(), at_rest_.q.begin());
  update_kinematics(model_, weightless_, at_rest_, kinematics_);
  std::copy(p.begin(), p.end(), forces_.tau.begin());  // forces_.body stays zero
  return solver_.solve(weightless_, kinematics_, forces_, u);
}

void MomentumEquations::update_joint_column_rates(const State<double>& state,
                                                  const Kinematics<double>& kinematics) {
  calc_q_dot<double>(model_, state.q, state.u, qdot_);
  for (std::size_t i = 0; i < dual_q_.size(); ++i) dual_q_[i] = {state.q[i], qdot_[i]};
  for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
    const BodyInfo& info = model_.bodies()[b];
    const BodyMotion<double>& parent = kinematics.motion[static_cast<std::size_t>(info.parent.value())];
    const Rotation<double> R_WF = parent.X_WB.R * properties_.bodies[b].X_PF.R;
    visit_joint<Dual>(with_rates_.bodies[b].joint, [&](const auto& joint) {
      const auto columns = joint.H(dual_q_.data() + info.q_start);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const SpatialMotion<Dual>& H = columns[i];
        const SpatialMotion<double> rate_F{{H.w.x.d, H.w.y.d, H.w.z.d}, {H.v.x.d, H.v.y.d, H.v.z.d}};
        const std::size_t k = static_cast<std::size_t>(info.u_start) + i;
        const SpatialMotion<double>& H_W = kinematics.H[k];
        H_rate_[k] = rotate(R_WF, rate_F);
        H_rate_[k] += {cross(parent.V_WB.w, H_W.w), cross(parent.V_WB.w, H_W.v)};  // (5)
      }
    });
  }
}

void MomentumEquations::calc_momentum_rate(const State<double>& state, const Kinematics<double>& kinematics,
                                           const AppliedForces<double>& forces, std::span<double> rate) {
  update_joint_column_rates(state, kinematics);
  update_subtree_momenta<double>(model_, kinematics, L_);
  for (std::size_t i = 1; i < W_.size(); ++i) {
    W_[i] = kinematics.inertia[i] * SpatialMotion<double>{{}, properties_.gravity} + forces.body[i];
  }
  for (int b = model_.bodies().size() - 1; b > 0; --b) {
    const BodyInfo& info = model_.bodies()[BodyIndex(b)];
    const auto i = static_cast<std::size_t>(b);
    const Vec3<double> moving_point = cross(kinematics.motion[i].V_WB.v, L_[i].force);
    for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
      const auto k = static_cast<std::size_t>(speed);
      const SpatialMotion<double>& H = kinematics.H[k];
      rate[k] = forces.tau[k] + dot(H, W_[i]) - dot(H.w, moving_point) + dot(H_rate_[k], L_[i]);  // (4)
    }
    if (info.parent != kGround) {
      W_[static_cast<std::size_t>(info.parent.value())] += shift_back(W_[i], kinematics.s[i]);
    }
  }
}

#define SESTINA_INSTANTIATE(T)                                                                      \
  template void calc_generalized_momentum(const Model&, const Properties<T>&, const Kinematics<T>&, \
                                          std::span<const T>, std::span<SpatialForce<T>>, std::span<T>);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
