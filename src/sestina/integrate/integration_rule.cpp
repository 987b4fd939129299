#include "sestina/integrate/integration_rule.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <utility>

namespace sestina {
namespace {

std::string name_of_coordinate(int i, const EquationsOfMotion& equations) {
  if (i < equations.nq()) return equations.name_of_q(i);
  i -= equations.nq();
  if (i < equations.nu()) return equations.name_of_u(i);
  return equations.name_of_z(i - equations.nu());
}

}  // namespace

std::string describe(const StepReport& report, const EquationsOfMotion& equations) {
  switch (report.status) {
    case StepStatus::kComplete:
      return "the step is complete";
    case StepStatus::kNotFinite:
      return fmt::format("{} does not stay finite", name_of_coordinate(report.coordinate, equations));
    case StepStatus::kNotConverged:
      break;
  }
  return fmt::format("the implicit equations of the rule do not converge (worst in {})",
                     name_of_coordinate(report.coordinate, equations));
}

bool IntegrationRule::can_remember(std::span<const double> memory) const {
  return memory.size() == previous_memory().size() && first_not_finite(memory) < 0 && do_can_remember(memory);
}

bool is_count(double number, double most) {
  return number >= 0.0 && number <= most && number == std::floor(number);
}

void IntegrationRule::start(EquationsOfMotion& equations, const IntegrationState& initial,
                            std::span<const double> memory) {
  assert(static_cast<int>(initial.q.size()) == equations.nq());
  assert(static_cast<int>(initial.u.size()) == equations.nu());
  assert(static_cast<int>(initial.z.size()) == equations.nz());
  equations_ = &equations;
  previous_ = state_ = candidate_ = initial;
  error_.assign(initial.q.size() + initial.u.size(), 0.0);
  do_start(memory);
}

StepReport IntegrationRule::try_step(double t_end) {
  const StepReport report = do_step(t_end, candidate_);
  candidate_.t = t_end;
  return check_candidate(report);
}

StepReport IntegrationRule::try_own_step(double t_limit) {
  assert(chooses_its_steps());
  return check_candidate(do_own_step(t_limit, candidate_));
}

StepReport IntegrationRule::check_candidate(const StepReport& report) const {
  if (!report.complete()) return report;
  int offset = 0;
  for (const std::vector<double>* values : {&candidate_.q, &candidate_.u, &candidate_.z}) {
    if (const int bad = first_not_finite(*values); bad >= 0) return {StepStatus::kNotFinite, offset + bad};
    offset += static_cast<int>(values->size());
  }
  const int bad = first_not_finite(error_);
  return bad < 0 ? report : StepReport{StepStatus::kNotFinite, bad};
}

void IntegrationRule::accept() {
  std::swap(previous_, state_);
  std::swap(state_, candidate_);
  do_accept();
}

StepReport IntegrationRule::interpolate(double t, IntegrationState& out) {
  if (t == previous_.t || t == state_.t) {
    out = t == state_.t ? state_ : previous_;
    return {};
  }
  const StepReport report = do_interpolate(t, out);
  out.t = t;
  return report;
}

void IntegrationRule::cut_step(double t) {
  assert(chooses_its_steps());
  if (t == state_.t) return;
  interpolate(t, candidate_);
  std::swap(state_, candidate_);
  do_cut_step();
}

int first_not_finite(std::span<const double> values) {
  // Zero times a value is zero unless the value is infinite or not a number: one pass without branches.
  double zero = 0.0;
  for (const double value : values) zero += 0.0 * value;
  if (zero == 0.0) return -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace sestina
