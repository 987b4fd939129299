#include "sestina/dynamics/dual_forces.h"

#include <algorithm>
#include <vector>

namespace sestina {
namespace {

Vec3<Dual> dual(const Vec3<double>& x, const Vec3<double>& d) { return {{x.x, d.x}, {x.y, d.y}, {x.z, d.z}}; }

}  // namespace

BodyMotion<Dual> dual_motion(const BodyMotion<double>& at, const MotionRates& rates) {
  const auto column = [&](int j) {
    const Vec3<double> c = at.X_WB.R.column(j);
    return dual(c, cross(rates.theta, c));
  };
  return {{Rotation<Dual>::from_columns(column(0), column(1), column(2)), dual(at.X_WB.p, rates.p)},
          {dual(at.V_WB.w, rates.w), dual(at.V_WB.v, rates.v)}};
}

DualForces::DualForces(const Model& model, const Properties<double>& numbers)
    : properties(calc_properties<Dual>(
          model, std::vector<Dual>(numbers.parameters.begin(), numbers.parameters.end()))),
      kinematics(model),
      forces(model) {
  state.q.resize(static_cast<std::size_t>(model.nq()));
  state.u.resize(static_cast<std::size_t>(model.nu()));
  state.x.resize(static_cast<std::size_t>(model.nx()));
  state.d.resize(static_cast<std::size_t>(model.nd()));
}

void DualForces::set_state(const State<double>& at) {
  state.t = at.t;
  std::copy(at.q.begin(), at.q.end(), state.q.begin());
  std::copy(at.u.begin(), at.u.end(), state.u.begin());
  std::copy(at.x.begin(), at.x.end(), state.x.begin());
  std::copy(at.d.begin(), at.d.end(), state.d.begin());
}

void DualForces::set_motion(std::size_t body, const BodyMotion<double>& at, const MotionRates& rates) {
  kinematics.motion[body] = dual_motion(at, rates);
}

SpatialForce<double> DualForces::rate_of(std::size_t body, const Vec3<double>& theta) const {
  const auto less_turn = [&](const Vec3<Dual>& x) {
    return Vec3<double>{x.x.d, x.y.d, x.z.d} - cross(theta, Vec3<double>{x.x.v, x.y.v, x.z.v});
  };
  return {less_turn(forces.body[body].torque), less_turn(forces.body[body].force)};
}

}  // namespace sestina
