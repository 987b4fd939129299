#include "sestina/integrate/variable_step_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/integrate/rule_list.h"

namespace sestina {
namespace {

constexpr double kSlightlyTooLarge = 1.5;

}  // namespace

VariableStepDriver::VariableStepDriver(const ErrorTolerances& tolerances, Control control, double land_every)
    : tolerances_(tolerances), length_(tolerances_, control, land_every) {
  FaultList faults;
  add_faults(tolerances_, faults);
  faults.throw_if_any();
  set_tolerances(tolerances_);
}

void VariableStepDriver::check_fit(const IntegrationRule& rule, double, double) const {
  if (rule.error_order() > 0 || rule.chooses_its_steps()) return;
  throw InputError(
      fmt::format("the rule {} does not estimate its error, which the variable step needs: take {}, "
                  "or a fixed step",
                  rule.name(), join_words(names_of_rules_with_error_estimate(), " or ")));
}

void VariableStepDriver::do_start() {
  length_.start(rule().error_order(), control().t_start, t_end());
  errors_.resize(rule().error().size());
  if (control().next_step > 0.0 || rule().chooses_its_steps()) return;  // resumed, or chosen by the rule
  control().next_step = calc_initial_step();
  control().last_error = length_.initial_error();
}

void VariableStepDriver::do_step() {
  if (rule().chooses_its_steps()) return take_own_step();
  VariableStepLength::Attempt attempt = length_.begin_step(state().t, control(), switch_stops());
  for (;;) {
    Outcome outcome = try_step(attempt.t_next);
    if (outcome.error > 1.0 && outcome.report.complete() && outcome.failure.empty()) project_errors(outcome);
    if (outcome.error <= 1.0) {
      length_.accept(attempt, outcome.error, control(), rule().keeps_step_up_to());
      accept_step();
      return;
    }
    if (!length_.shorten(attempt, outcome.error, control())) fail(attempt.h, outcome);
  }
}

void VariableStepDriver::take_own_step() {
  const double stop = length_.calc_next_stop(state().t, tolerances_.max_step, switch_stops());
  const StepReport report = rule().try_own_step(stop);
  if (!report.complete()) throw ComputationError(state().t, describe(report, equations()));
  accept_step();
}

VariableStepDriver::Outcome VariableStepDriver::try_step(double t_next) {
  Outcome outcome;
  try {
    outcome.report = rule().try_step(t_next);
  } catch (const ComputationError& error) {
    outcome.failure = error.reason();
    return outcome;
  }
  if (!outcome.report.complete()) return outcome;

  compare(rule().error(), outcome);
  return outcome;
}

// The largest of the errors (nq + nu + nx), each relative to its tolerance.
void VariableStepDriver::compare(std::span<const double> errors, Outcome& outcome) const {
  outcome.error = 0.0;
  int coordinate = 0;
  const auto compare = [&](const std::vector<double>& before, const std::vector<double>& after) {
    for (std::size_t i = 0; i < before.size(); ++i, ++coordinate) {
      const double error =
          std::abs(errors[static_cast<std::size_t>(coordinate)]) / tolerance(before[i], after[i]);
      if (error > outcome.error) {
        outcome.error = error;
        outcome.worst = coordinate;
      }
    }
  };
  compare(rule().state().q, rule().candidate().q);
  compare(rule().state().u, rule().candidate().u);
  compare(rule().state().x, rule().candidate().x);
}

// Near a singular position of the constraints the accelerations across them are round-off, divided by a small
// number: steps would shrink until they fail. So errors that the projection removes do not count there. The
// motion along the constraints feels the square of these errors: where it is more than the tolerance, a
// somewhat shorter step evaluates the accelerations at other positions.
void VariableStepDriver::project_errors(Outcome& outcome) {
  if (!equations().is_constrained() || !rule().leaves_constraints()) return;
  std::ranges::copy(rule().error(), errors_.begin());
  const State<double>& end = rule().candidate();
  const auto of_q = std::span(errors_).first(end.q.size()),
             of_u = std::span(errors_).subspan(end.q.size(), end.u.size());
  if (!equations().project_errors(end, of_q, of_u)) return;
  const double before = outcome.error;
  compare(errors_, outcome);
  const double removed = before - outcome.error;
  if (removed * removed * tolerances_.rtol > 1.0) outcome.error = std::max(outcome.error, kSlightlyTooLarge);
}

// Hairer, Norsett, Wanner I, section II.4, "Starting step size".
double VariableStepDriver::calc_initial_step() {
  const State<double>& y = state();
  const std::size_t nq = y.q.size(), nu = y.u.size(), nx = y.x.size();
  const double longest = std::min(t_end() - y.t, tolerances_.max_step);
  State<double> at = y;
  std::vector<double> rate(nq + nu + nx), rate_after(rate.size()), zdot(y.z.size());
  const auto calc_rate = [&](std::span<double> to) {
    equations().calc_q_dot(at.q, at.u, to.first(nq));
    equations().calc_derivatives(at, {to.subspan(nq, nu), to.subspan(nq + nu), zdot});
  };

  calc_rate(rate);
  const double d0 = scaled_norm(flatten(y));
  const double d1 = scaled_norm(rate);
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  h0 = std::max(std::min(h0, longest), length_.smallest_step(y.t));

  at.t += h0;
  const double* change = rate.data();
  for (std::vector<double>* part : {&at.q, &at.u, &at.x}) {
    for (double& value : *part) value += h0 * *change++;
  }
  try {
    calc_rate(rate_after);
  } catch (const ComputationError&) {
    return h0;  // the first step will show
  }
  for (std::size_t i = 0; i < rate.size(); ++i) rate_after[i] -= rate[i];
  const double d2 = scaled_norm(rate_after) / h0;
  if (!std::isfinite(d1 + d2)) return h0;
  const double largest = std::max(d1, d2);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h0)
                                     : std::pow(0.01 / largest, 1.0 / (rule().error_order() + 1));
  return std::max(std::min({100.0 * h0, h1, longest}), length_.smallest_step(y.t));
}

double VariableStepDriver::tolerance(double before, double after) const {
  return tolerances_.atol + tolerances_.rtol * std::max(std::abs(before), std::abs(after));
}

// The numbers whose error is controlled: q, u, x.
std::vector<double> VariableStepDriver::flatten(const State<double>& from) {
  std::vector<double> values(from.q);
  values.insert(values.end(), from.u.begin(), from.u.end());
  values.insert(values.end(), from.x.begin(), from.x.end());
  return values;
}

// The largest of values (nq + nu + nx), each relative to the tolerance at the initial state.
double VariableStepDriver::scaled_norm(std::span<const double> values) const {
  if (first_not_finite(values) >= 0) return std::numeric_limits<double>::infinity();
  double norm = 0.0;
  const std::vector<double> at = flatten(state());
  for (std::size_t i = 0; i < values.size(); ++i) {
    norm = std::max(norm, std::abs(values[i]) / tolerance(at[i], at[i]));
  }
  return norm;
}

void VariableStepDriver::fail(double h, const Outcome& outcome) const {
  std::string reason = outcome.failure;
  if (reason.empty() && !outcome.report.complete()) reason = describe(outcome.report, equations());
  if (reason.empty()) {
    reason = fmt::format("the largest error is in {}, {:.3g} times its tolerance",
                         name_of_integrated(equations(), outcome.worst), outcome.error);
  }
  throw ComputationError(
      state().t, fmt::format("the step fell to {:.3g} s, too short to advance the time: {}", h, reason));
}

}  // namespace sestina
