#include "sestina/dynamics/motion_gradient.h"

namespace sestina {

void MotionGradient::pass_inward(const Kinematics<double>& kinematics, const SubtreeSums& at,
                                 std::span<double> by_q, std::span<double> by_u) {
  for (std::size_t i = sums_.size(); i-- > 1;) {
    Of& sum = sums_[i];
    if (!sum.is_used) continue;
    const BodyLink& link = kinematics.tree.links[i];
    for (int speed = link.u_start; speed < link.u_start + link.nu; ++speed) {
      const auto k = static_cast<std::size_t>(speed);
      const SubtreeSums::Column& column = at.column(k);
      const Vec3<double> theta = to_vec3(column.theta), eta = to_vec3(column.eta);
      by_q[k] += dot(theta, sum.T) + dot(eta, sum.P) + dot(to_vec3(column.psi), sum.S) +
                 dot(to_vec3(column.dv), sum.H) + dot(to_vec3(column.beta_q), sum.t) +
                 dot(to_vec3(column.gamma_q), sum.f);  // (6)
      by_u[k] += dot(theta, sum.S) + dot(eta, sum.H) + dot(to_vec3(column.beta_u), sum.t) +
                 dot(to_vec3(column.gamma_u), sum.f);  // (7)
    }
    if (link.parent == 0) continue;
    const auto parent = static_cast<std::size_t>(link.parent);
    const Vec3<double>& s = kinematics.s[i];
    const Vec3<double> v = kinematics.motion[i].V_WB.v - kinematics.motion[parent].V_WB.v;
    Of& to = of(parent);
    to.T += sum.T + cross(s, sum.P) + cross(v, sum.H);  // (5)
    to.P += sum.P;
    to.S += sum.S + cross(s, sum.H) + 2.0 * cross(v, sum.f);
    to.H += sum.H;
    to.t += sum.t + cross(s, sum.f);
    to.f += sum.f;
  }
}

double MotionGradient::calc_product(const InverseDynamicsByParameters::Displacement& d) const {
  const Of& sum = sums_[d.body];
  return dot(d.theta, sum.T) + dot(d.eta, sum.P) + dot(d.psi, sum.S) + dot(d.dv, sum.H) + dot(d.beta, sum.t) +
         dot(d.gamma, sum.f);
}

}  // namespace sestina
