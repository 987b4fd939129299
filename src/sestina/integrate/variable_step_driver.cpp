#include "sestina/integrate/variable_step_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/integrate/landing.h"
#include "sestina/integrate/rule_list.h"

namespace sestina {
namespace {

// The constants of dopri5.f (E. Hairer, G. Wanner).
constexpr double kSafety = 0.9;
constexpr double kShrinkAtMost = 0.2;
constexpr double kGrowAtMost = 10.0;
constexpr double kSmallestLastError = 1e-4;

constexpr double kPid[] = {0.58, 0.21, 0.1};

struct Exponents {
  double alpha, beta;
};

// Of the PI controller; a rejected step shrinks with the same alpha.
Exponents pi_exponents(const IntegrationRule& rule) {
  const double k = rule.error_order() + 1;
  const double beta = 0.2 / k;
  return {1.0 / k - 0.75 * beta, beta};
}

}  // namespace

VariableStepDriver::VariableStepDriver(double rtol, double atol, double max_step, Control control,
                                       double land_every)
    : rtol_(rtol), atol_(atol), max_step_(max_step), kind_(control), land_every_(land_every) {
  FaultList faults;
  add_faults({rtol, atol, max_step}, faults);
  faults.throw_if_any();
}

void VariableStepDriver::check_fit(const IntegrationRule& rule, double, double) const {
  if (rule.error_order() > 0 || rule.chooses_its_steps()) return;
  throw InputError(
      fmt::format("the rule {} does not estimate its error, which the variable step needs: take {}, "
                  "or a fixed step",
                  rule.name(), join_words(names_of_rules_with_error_estimate(), " or ")));
}

void VariableStepDriver::do_start() {
  if (control().next_step > 0.0 || rule().chooses_its_steps()) return;  // resumed, or the rule's affair
  control().next_step = calc_initial_step();
  control().last_error = kind_ == Control::kPI ? kSmallestLastError : 0.0;
}

void VariableStepDriver::do_step() {
  if (rule().chooses_its_steps()) return take_own_step();
  const double t = state().t;
  const double alpha = pi_exponents(rule()).alpha;
  const double wanted = std::min(control().next_step, max_step_);
  double h = wanted;
  for (double grow_at_most = kGrowAtMost;; grow_at_most = 1.0) {
    const double t_next = calc_step_end(t, h);
    h = t_next - t;
    const Attempt attempt = try_step(t_next);
    if (attempt.error <= 1.0) {
      const double factor = std::clamp(calc_factor(attempt.error), kShrinkAtMost, grow_at_most);
      control().next_step = std::max(h * factor, smallest_step(t_next));
      const bool is_cut_to_land = land_every_ > 0.0 && h < wanted && grow_at_most > 1.0;
      if (is_cut_to_land) control().next_step = std::max(control().next_step, wanted);
      remember(attempt.error);
      accept_step();
      return;
    }
    ++control().statistics.rejected;
    if (kind_ == Control::kPID) control().last_error = control().error_before = 0.0;
    h *= std::max(kSafety / std::pow(attempt.error, alpha), kShrinkAtMost);
    if (h < smallest_step(t)) fail(h, attempt);
  }
}

void VariableStepDriver::take_own_step() {
  const StepReport report = rule().try_own_step(calc_next_stop(state().t));
  if (!report.complete()) throw ComputationError(state().t, describe(report, equations()));
  accept_step();
}

double VariableStepDriver::calc_factor(double error) const {
  if (kind_ == Control::kPI) {
    const auto [alpha, beta] = pi_exponents(rule());
    return kSafety * std::pow(control().last_error, beta) / std::pow(error, alpha);
  }
  const double k = rule().error_order() + 1;
  const double current = std::max(error, kSmallestLastError);
  if (control().error_before == 0.0) return kSafety / std::pow(current, 1.0 / k);
  return kSafety * std::pow(current, -kPid[0] / k) * std::pow(control().last_error, kPid[1] / k) *
         std::pow(control().error_before, -kPid[2] / k);
}

void VariableStepDriver::remember(double error) {
  if (kind_ == Control::kPID) control().error_before = control().last_error;
  control().last_error = std::max(error, kSmallestLastError);
}

// The end of the run, or the instant before it where a step has to land.
double VariableStepDriver::calc_next_stop(double t) const {
  if (land_every_ == 0.0) return t_end();
  const double landing = find_landing_interval(control().t_start, land_every_, t).end;
  return landing < t_end() - kNegligibleRest * land_every_ ? landing : t_end();
}

// The last two steps share what is left, so that the last one is not a mere rest.
double VariableStepDriver::calc_step_end(double t, double h) const {
  const double end = calc_next_stop(t);
  const double rest = end - t;
  if (rest <= h) return end;
  return t + (rest < 2.0 * h ? 0.5 * rest : h);
}

VariableStepDriver::Attempt VariableStepDriver::try_step(double t_next) {
  Attempt attempt;
  try {
    attempt.report = rule().try_step(t_next);
  } catch (const ComputationError& error) {
    attempt.failure = error.reason();
    return attempt;
  }
  if (!attempt.report.complete()) return attempt;

  attempt.error = 0.0;
  int coordinate = 0;
  const auto compare = [&](const std::vector<double>& before, const std::vector<double>& after) {
    for (std::size_t i = 0; i < before.size(); ++i, ++coordinate) {
      const double error =
          std::abs(rule().error()[static_cast<std::size_t>(coordinate)]) / tolerance(before[i], after[i]);
      if (error > attempt.error) {
        attempt.error = error;
        attempt.worst = coordinate;
      }
    }
  };
  compare(rule().state().q, rule().candidate().q);
  compare(rule().state().u, rule().candidate().u);
  return attempt;
}

// Hairer, Norsett, Wanner I, section II.4, "Starting step size".
double VariableStepDriver::calc_initial_step() {
  const IntegrationState& y = state();
  const std::size_t nq = y.q.size();
  const std::size_t nu = y.u.size();
  const double longest = std::min(t_end() - y.t, max_step_);
  std::vector<double> value(y.q);
  value.insert(value.end(), y.u.begin(), y.u.end());
  std::vector<double> rate(nq + nu), rate_after(nq + nu), zdot(y.z.size());
  const auto calc_rate = [&](double t, std::span<const double> x, std::span<double> xdot) {
    equations().calc_q_dot(x.first(nq), x.subspan(nq), xdot.first(nq));
    equations().calc_derivatives(t, x.first(nq), x.subspan(nq), xdot.subspan(nq), zdot);
  };

  calc_rate(y.t, value, rate);
  const double d0 = scaled_norm(value);
  const double d1 = scaled_norm(rate);
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  h0 = std::max(std::min(h0, longest), smallest_step(y.t));

  for (std::size_t i = 0; i < value.size(); ++i) value[i] += h0 * rate[i];
  try {
    calc_rate(y.t + h0, value, rate_after);
  } catch (const ComputationError&) {
    return h0;  // the first step will tell
  }
  for (std::size_t i = 0; i < rate.size(); ++i) rate_after[i] -= rate[i];
  const double d2 = scaled_norm(rate_after) / h0;
  if (!std::isfinite(d1 + d2)) return h0;
  const double largest = std::max(d1, d2);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h0)
                                     : std::pow(0.01 / largest, 1.0 / (rule().error_order() + 1));
  return std::max(std::min({100.0 * h0, h1, longest}), smallest_step(y.t));
}

// Sixteen spacings of t; near t = 0, of a millionth of the run.
double VariableStepDriver::smallest_step(double t) const {
  const double span = t_end() - control().t_start;
  return 16.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-6 * span);
}

double VariableStepDriver::tolerance(double before, double after) const {
  return atol_ + rtol_ * std::max(std::abs(before), std::abs(after));
}

// The largest of values (nq + nu), each relative to the tolerance at the initial state.
double VariableStepDriver::scaled_norm(std::span<const double> values) const {
  if (first_not_finite(values) >= 0) return std::numeric_limits<double>::infinity();
  double norm = 0.0;
  const std::size_t nq = state().q.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = i < nq ? state().q[i] : state().u[i - nq];
    norm = std::max(norm, std::abs(values[i]) / tolerance(x, x));
  }
  return norm;
}

void VariableStepDriver::fail(double h, const Attempt& attempt) const {
  std::string reason = attempt.failure;
  if (reason.empty() && !attempt.report.complete()) reason = describe(attempt.report, equations());
  if (reason.empty()) {
    const int nq = equations().nq();
    const std::string name =
        attempt.worst < nq ? equations().name_of_q(attempt.worst) : equations().name_of_u(attempt.worst - nq);
    reason = fmt::format("the largest error is in {}, {:.3g} times its tolerance", name, attempt.error);
  }
  throw ComputationError(
      state().t, fmt::format("the step fell to {:.3g} s, too short to advance the time: {}", h, reason));
}

}  // namespace sestina
