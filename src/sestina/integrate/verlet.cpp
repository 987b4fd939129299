#include "sestina/integrate/verlet.h"

#include <cassert>
#include <utility>

namespace sestina {

const std::string& Verlet::name() const {
  static const std::string kName = "verlet";
  return kName;
}

void Verlet::do_start(std::span<const double> memory) {
  refuse_first_order_states();
  refuse_history();
  const std::size_t nu = state().u.size();
  const std::size_t nz = state().z.size();
  current_.assign(1 + 2 * nu + nz, 0.0);
  u_next_.assign(nu, 0.0);
  iteration_.resize(nu);
  if (memory.empty()) {  // h' = 0: no previous step
    const std::span<double> all(current_);
    equations().calc_derivatives(state(), {all.subspan(1 + nu, nu), {}, all.subspan(1 + 2 * nu)});
  } else {
    assert(memory.size() == current_.size());
    current_.assign(memory.begin(), memory.end());
  }
  previous_ = candidate_ = between_ = current_;
}

StepReport Verlet::do_step(double t_end, State<double>& candidate) {
  return calc_step(state(), current_, t_end, candidate, candidate_);
}

void Verlet::do_accept() {
  std::swap(previous_, current_);
  std::swap(current_, candidate_);
}

StepReport Verlet::do_interpolate(double t, State<double>& out) {
  return calc_step(previous(), previous_, t, out, between_);
}

StepReport Verlet::calc_step(const State<double>& from, std::span<const double> before, double t_end,
                             State<double>& to, std::span<double> after) {
  const std::size_t nu = from.u.size();
  const double h = t_end - from.t;
  const double h_before = before[0];
  const std::span<const double> d_before = before.subspan(1, nu);
  const std::span<const double> a_before = before.subspan(1 + nu, nu);
  const std::span<const double> zdot_before = before.subspan(1 + 2 * nu);
  const std::span<double> d = after.subspan(1, nu);
  const std::span<double> udot = after.subspan(1 + nu, nu);
  const std::span<double> zdot = after.subspan(1 + 2 * nu);
  after[0] = h;
  to.t = t_end;
  for (std::size_t i = 0; i < nu; ++i) {  // (4)
    d[i] = h_before == 0.0 ? h * (from.u[i] + 0.5 * h * a_before[i])
                           : h / h_before * d_before[i] + 0.5 * h * (h + h_before) * a_before[i];
  }
  equations().plus(from.q, d, to.q);  // (1)
  equations().normalize(to.q);        // prevents drift by rounding

  for (std::size_t i = 0; i < nu; ++i) to.u[i] = d[i] / h + 0.5 * h * a_before[i];
  const StepReport report = solve_speed(h, d, to, udot, zdot);  // (3)
  if (!report.complete()) return report;
  for (std::size_t i = 0; i < to.z.size(); ++i) to.z[i] = from.z[i] + 0.5 * h * (zdot_before[i] + zdot[i]);
  return {};
}

StepReport Verlet::solve_speed(double h, std::span<const double> displacement, State<double>& to,
                               std::span<double> udot, std::span<double> zdot) {
  const int nq = static_cast<int>(to.q.size()), nu = static_cast<int>(to.u.size());
  return iteration_.solve(to.u, u_next_, nq, nu, [&] {
    equations().calc_derivatives(to, {udot, {}, zdot});
    for (std::size_t i = 0; i < to.u.size(); ++i) u_next_[i] = displacement[i] / h + 0.5 * h * udot[i];
    const int bad = first_not_finite(udot);
    return bad < 0 ? -1 : nq + bad;
  });
}

}  // namespace sestina
