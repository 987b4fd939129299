#include "sestina/integrate/velocity_verlet.h"

#include <cassert>
#include <utility>

namespace sestina {
const std::string& VelocityVerlet::name() const {
  static const std::string kName = "velocity_verlet";
  return kName;
}

void VelocityVerlet::do_start(std::span<const double> memory) {
  refuse_first_order_states();
  const std::size_t nu = state().u.size();
  const std::size_t nz = state().z.size();
  for (auto* vector : {&acceleration_, &udot_end_, &udot_, &u_next_, &displacement_}) vector->assign(nu, 0.0);
  half_ = state();
  iteration_.resize(nu);
  for (auto* vector : {&zdot_begin_, &zdot_end_}) vector->assign(nz, 0.0);
  if (memory.empty()) {
    equations().calc_derivatives(state(), {acceleration_, {}, zdot_begin_});
  } else {
    assert(memory.size() == nu);
    acceleration_.assign(memory.begin(), memory.end());
  }
  previous_acceleration_ = acceleration_;
}

StepReport VelocityVerlet::do_step(double t_end, State<double>& candidate) {
  return calc_step(state(), acceleration_, t_end, candidate);
}

void VelocityVerlet::do_accept() {
  std::swap(previous_acceleration_, acceleration_);
  std::swap(acceleration_, udot_end_);
}

StepReport VelocityVerlet::do_interpolate(double t, State<double>& out) {
  return calc_step(previous(), previous_acceleration_, t, out);
}

StepReport VelocityVerlet::calc_step(const State<double>& from, std::span<const double> guess, double t_end,
                                     State<double>& to) {
  const double h = t_end - from.t;
  const double half = 0.5 * h;
  const StepReport report = solve_half_kick(from, guess, half);  // (1)
  if (!report.complete()) return report;

  const std::vector<double>& u_half = half_.u;
  for (std::size_t i = 0; i < u_half.size(); ++i) displacement_[i] = h * u_half[i];
  equations().plus(from.q, displacement_, to.q);  // (2)
  equations().normalize(to.q);                    // prevents drift by rounding

  to.t = t_end;
  to.u = u_half;
  equations().calc_derivatives(to, {udot_end_, {}, zdot_end_});
  for (std::size_t i = 0; i < u_half.size(); ++i) to.u[i] = u_half[i] + half * udot_end_[i];  // (3)
  for (std::size_t i = 0; i < to.z.size(); ++i)
    to.z[i] = from.z[i] + half * (zdot_begin_[i] + zdot_end_[i]);  // (4)
  return {};
}

StepReport VelocityVerlet::solve_half_kick(const State<double>& from, std::span<const double> guess,
                                           double half) {
  const int nq = static_cast<int>(from.q.size()), nu = static_cast<int>(from.u.size());
  half_.t = from.t;
  half_.q = from.q;
  half_.h = from.h;
  for (std::size_t i = 0; i < half_.u.size(); ++i) half_.u[i] = from.u[i] + half * guess[i];
  return iteration_.solve(half_.u, u_next_, nq, nu, [&] {
    equations().calc_derivatives(half_, {udot_, {}, zdot_begin_});
    for (std::size_t i = 0; i < udot_.size(); ++i) u_next_[i] = from.u[i] + half * udot_[i];
    const int bad = first_not_finite(udot_);
    return bad < 0 ? -1 : nq + bad;
  });
}

}  // namespace sestina
