#include "sestina/integrate/munthe_kaas.h"

#include "sestina/integrate/displacement.h"

namespace sestina {

MuntheKaas::MuntheKaas() : name_("munthe_kaas_4"), tableau_(*find_tableau("rk4")) {}

void MuntheKaas::do_start(std::span<const double>) {
  const std::size_t n = 2 * state().u.size() + state().x.size() + state().z.size();
  k_.assign(n * static_cast<std::size_t>(tableau_.stages()), 0.0);
  sum_.assign(n, 0.0);
  displacement_.assign(state().u.size(), 0.0);
  stage_state_ = state();
}

StepReport MuntheKaas::do_step(double t_end, State<double>& candidate) {
  return calc_step(state(), t_end, candidate);
}

StepReport MuntheKaas::do_interpolate(double t, State<double>& out) { return calc_step(previous(), t, out); }

StepReport MuntheKaas::calc_step(const State<double>& from, double t_end, State<double>& to) {
  const double h = t_end - from.t;
  const std::size_t nu = from.u.size(), nx = from.x.size();
  stage_state_.h = from.h;
  for (std::size_t i = 0; i < tableau_.b.size(); ++i) {
    move(from, h, tableau_.a[i], stage_state_);
    stage_state_.t = tableau_.c[i] == 1.0 ? t_end : from.t + tableau_.c[i] * h;
    const std::span<double> k = std::span(k_).subspan(i * sum_.size(), sum_.size());
    calc_displacement_rate(equations().rotations(), displacement_, stage_state_.u, k.first(nu));
    equations().calc_derivatives(stage_state_,
                                 {k.subspan(nu, nu), k.subspan(2 * nu, nx), k.subspan(2 * nu + nx)});
    if (const int bad = first_not_finite(k.subspan(nu)); bad >= 0) {
      return {StepStatus::kNotFinite, static_cast<int>(from.q.size()) + bad};
    }
  }
  move(from, h, tableau_.b, to);
  equations().project(to);
  return {};
}

void MuntheKaas::move(const State<double>& from, double h, std::span<const double> weights,
                      State<double>& to) {
  std::ranges::fill(sum_, 0.0);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0.0) continue;
    const double* k = k_.data() + j * sum_.size();
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += weights[j] * k[i];
  }
  const std::size_t nu = from.u.size();
  for (std::size_t i = 0; i < nu; ++i) displacement_[i] = h * sum_[i];
  equations().plus(from.q, displacement_, to.q);
  for (std::size_t i = 0; i < nu; ++i) to.u[i] = from.u[i] + h * sum_[nu + i];
  const std::size_t nx = from.x.size();
  for (std::size_t i = 0; i < nx; ++i) to.x[i] = from.x[i] + h * sum_[2 * nu + i];
  for (std::size_t i = 0; i < from.z.size(); ++i) to.z[i] = from.z[i] + h * sum_[2 * nu + nx + i];
}

}  // namespace sestina
