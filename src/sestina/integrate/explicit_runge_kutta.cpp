#include "sestina/integrate/explicit_runge_kutta.h"

#include <algorithm>
#include <cassert>
#include <type_traits>
#include <utility>

namespace sestina {

ExplicitRungeKutta::ExplicitRungeKutta(ButcherTableau tableau) : tableau_(std::move(tableau)) {
  assert(tableau_.dense.empty() || tableau_.first_same_as_last);
  error_weights_ = tableau_.b_embedded;
  for (std::size_t i = 0; i < error_weights_.size(); ++i) {
    error_weights_[i] = tableau_.b[i] - tableau_.b_embedded[i];
  }
}

void ExplicitRungeKutta::do_start(std::span<const double>) {
  const auto n = static_cast<std::size_t>(sizes_of(state()).integrated());
  k_.assign(n * static_cast<std::size_t>(tableau_.stages()), 0.0);
  sum_.assign(n, 0.0);
  stage_state_ = state();
  first_stage_is_current_ = false;
  last_stage_is_current_ = false;
}

StepReport ExplicitRungeKutta::do_step(double t_end, State<double>& candidate) {
  const int last = tableau_.stages() - 1;
  if (!first_stage_is_current_) {
    if (last_stage_is_current_) {
      std::ranges::copy(stage(last), stage(0).begin());
      last_stage_is_current_ = false;
    } else if (const StepReport report = update_stage(0, state()); !report.complete()) {
      return report;
    }
    first_stage_is_current_ = true;
  }
  StepReport report = calc_end(state(), t_end, candidate);
  if (report.complete() && tableau_.first_same_as_last) report = update_stage(last, candidate);
  if (report.complete() && error_order() > 0) update_error(t_end - state().t);
  return report;
}

void ExplicitRungeKutta::do_accept() {
  first_stage_is_current_ = false;
  last_stage_is_current_ = tableau_.first_same_as_last && state().h == previous().h;
}

StepReport ExplicitRungeKutta::do_interpolate(double t, State<double>& out) {
  // Until the next step begins, stage 0 belongs to previous(). A step from there does not change the last
  // stage, which a rule with first_same_as_last uses again.
  if (!has_dense_output()) return calc_end(previous(), t, out);
  calc_dense(t, out);
  return {};
}

std::span<double> ExplicitRungeKutta::stage(int i) {
  return std::span(k_).subspan(static_cast<std::size_t>(i) * sum_.size(), sum_.size());
}

void ExplicitRungeKutta::append_accelerations(std::vector<double>& udots) const {
  for (int i = 0; i < num_own_stages(); ++i) {
    const auto first = k_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * sum_.size() +
                                                                state().q.size());
    udots.insert(udots.end(), first, first + static_cast<std::ptrdiff_t>(state().u.size()));
  }
}

StepReport ExplicitRungeKutta::update_stage(int i, const State<double>& at) {
  const std::span<double> k = stage(i);
  calc_rates(at, k);
  const int bad = first_not_finite(k);
  return bad < 0 ? StepReport{} : StepReport{StepStatus::kNotFinite, bad};
}

// Computes the end of a step whose stage 0 is known: the stages that b needs, and the normalised sum.
StepReport ExplicitRungeKutta::calc_end(const State<double>& from, double t_end, State<double>& to) {
  const double h = t_end - from.t;
  stage_state_.h = from.h;
  const int count = num_own_stages();
  for (int i = 1; i < count; ++i) {
    const auto row = static_cast<std::size_t>(i);
    calc_weighted_sum(tableau_.a[row]);
    add_weighted_sum(from, h, stage_state_);
    stage_state_.t = tableau_.c[row] == 1.0 ? t_end : from.t + tableau_.c[row] * h;
    const StepReport report = update_stage(i, stage_state_);
    if (!report.complete()) return report;
  }
  calc_weighted_sum(std::span(tableau_.b).first(static_cast<std::size_t>(count)));
  add_weighted_sum(from, h, to);
  equations().project(to);
  return {};
}

void ExplicitRungeKutta::calc_weighted_sum(std::span<const double> weights) {
  constexpr std::size_t kAtOnce = 4;  // sums that stay in registers
  const std::size_t n = sum_.size();
  const auto add_up = [&](std::size_t i, auto count) {
    double sums[count()] = {};
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (weights[j] == 0.0) continue;
      const double* k = k_.data() + j * n + i;
      for (std::size_t s = 0; s < count(); ++s) sums[s] += weights[j] * k[s];
    }
    std::copy_n(sums, count(), sum_.data() + i);
  };
  std::size_t i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce) add_up(i, std::integral_constant<std::size_t, kAtOnce>());
  for (; i < n; ++i) add_up(i, std::integral_constant<std::size_t, 1>());
}

void ExplicitRungeKutta::add_weighted_sum(const State<double>& from, double h, State<double>& to) const {
  const double* sum = sum_.data();
  for (std::size_t i = 0; i < from.q.size(); ++i) to.q[i] = from.q[i] + h * *sum++;
  for (std::size_t i = 0; i < from.u.size(); ++i) to.u[i] = from.u[i] + h * *sum++;
  for (std::size_t i = 0; i < from.x.size(); ++i) to.x[i] = from.x[i] + h * *sum++;
  for (std::size_t i = 0; i < from.z.size(); ++i) to.z[i] = from.z[i] + h * *sum++;
}

void ExplicitRungeKutta::update_error(double h) {
  calc_weighted_sum(error_weights_);
  const std::span<double> error = mutable_error();
  for (std::size_t i = 0; i < error.size(); ++i) error[i] = h * sum_[i];
}

void ExplicitRungeKutta::calc_dense(double t, State<double>& out) {
  const double h = state().t - previous().t;
  const double theta = (t - previous().t) / h;
  const double rest = 1.0 - theta;
  calc_weighted_sum(tableau_.dense);
  const double* k_begin = stage(0).data();
  const double* k_end = stage(tableau_.stages() - 1).data();
  const double* bump = sum_.data();
  const auto interpolate_part = [&](const std::vector<double>& begin, const std::vector<double>& end,
                                    std::vector<double>& value) {
    for (std::size_t i = 0; i < begin.size(); ++i) {
      const double difference = end[i] - begin[i];
      const double at_begin = h * *k_begin++ - difference;
      const double at_end = difference - h * *k_end++ - at_begin;
      value[i] = begin[i] + theta * (difference + rest * (at_begin + theta * (at_end + rest * h * *bump++)));
    }
  };
  interpolate_part(previous().q, state().q, out.q);
  interpolate_part(previous().u, state().u, out.u);
  interpolate_part(previous().x, state().x, out.x);
  interpolate_part(previous().z, state().z, out.z);
  equations().project(out);
}

}  // namespace sestina
