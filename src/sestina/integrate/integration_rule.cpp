#include "sestina/integrate/integration_rule.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <utility>

#include "sestina/base/error.h"

namespace sestina {
namespace {

constexpr double kMostOverlapAtStart = 1e-6;  // m or rad

}  // namespace

std::string name_of_integrated(const EquationsOfMotion& equations, int i) {
  const StateSizes sizes = equations.sizes();
  if (i < sizes.nq) return equations.name_of_q(i);
  i -= sizes.nq;
  if (i < sizes.nu) return equations.name_of_u(i);
  i -= sizes.nu;
  if (i < sizes.nx) return equations.name_of_x(i);
  return equations.name_of_z(i - sizes.nx);
}

std::string describe(const StepReport& report, const EquationsOfMotion& equations) {
  switch (report.status) {
    case StepStatus::kComplete:
      return "the step is complete";
    case StepStatus::kNotFinite:
      return fmt::format("{} does not stay finite", name_of_integrated(equations, report.coordinate));
    case StepStatus::kNotConverged:
      break;
  }
  return fmt::format("the equations of the step do not converge (worst in {})",
                     name_of_integrated(equations, report.coordinate));
}

bool IntegrationRule::can_remember(std::span<const double> memory) const {
  return can_have_size(memory.size()) && first_not_finite(memory) < 0 && do_can_remember(memory);
}

bool is_count(double number, double most) {
  return number >= 0.0 && number <= most && number == std::floor(number);
}

void IntegrationRule::start(EquationsOfMotion& equations, const State<double>& initial,
                            std::span<const double> memory) {
  assert(sizes_of(initial) == equations.sizes());
  if (equations.is_constrained() && !projects()) {
    throw InputError(name() + std::string(kDoesNotProject));
  }
  equations_ = &equations;
  previous_ = state_ = candidate_ = initial;
  error_.assign(static_cast<std::size_t>(sizes_of(initial).controlled()), 0.0);
  do_start(memory);
}

StepReport IntegrationRule::try_step(double t_end) {
  candidate_.t = t_end;
  candidate_.h = state_.h;
  const StepReport report = do_step(t_end, candidate_);
  return check_candidate(report);
}

StepReport IntegrationRule::try_own_step(double t_limit) {
  assert(chooses_its_steps());
  candidate_.h = state_.h;
  return check_candidate(do_own_step(t_limit, candidate_));
}

StepReport IntegrationRule::check_candidate(const StepReport& report) const {
  if (!report.complete()) return report;
  int offset = 0;
  for (const std::vector<double>* values : {&candidate_.q, &candidate_.u, &candidate_.x, &candidate_.z}) {
    if (const int bad = first_not_finite(*values); bad >= 0) return {StepStatus::kNotFinite, offset + bad};
    offset += static_cast<int>(values->size());
  }
  const int bad = first_not_finite(error_);
  return bad < 0 ? report : StepReport{StepStatus::kNotFinite, bad};
}

void IntegrationRule::accept() {
  std::swap(previous_, state_);
  std::swap(state_, candidate_);
  equations_->update_history(previous_, state_);
  do_accept();
}

void IntegrationRule::calc_rates(const State<double>& at, std::span<double> rates) const {
  const std::size_t nq = at.q.size(), nu = at.u.size(), nx = at.x.size();
  equations_->calc_q_dot(at.q, at.u, rates.first(nq));
  rates = rates.subspan(nq);
  equations_->calc_derivatives(at, {rates.first(nu), rates.subspan(nu, nx), rates.subspan(nu + nx)});
}

void IntegrationRule::refuse_first_order_states() const {
  if (state_.x.empty()) return;
  throw InputError(
      fmt::format("{} moves coordinates by their speeds and integrates no first-order states ({}): take "
                  "dormand_prince_54",
                  name(), equations_->name_of_x(0)));
}

void IntegrationRule::refuse_history() const {
  if (state_.h.empty() || !equations_->history_changes_rates()) return;
  throw InputError(
      fmt::format("{} stores rates of earlier steps, but the history of this system changes them: take "
                  "dormand_prince_54",
                  name()));
}

void IntegrationRule::refuse_overlap() const {
  ContactFace* const face = equations_->contact_face();
  if (face == nullptr) return;
  face->update_contacts(state_);
  for (std::size_t i = 0; i < face->contacts().size(); ++i) {
    const ContactFace::Contact& contact = face->contacts()[i];
    if (contact.stiffness > 0.0 || contact.gap >= -kMostOverlapAtStart) continue;
    throw ComputationError(
        state_.t, fmt::format("{}: the start overlaps by {:.4g}, allowed is at most {}",
                              face->name_of_contact(static_cast<int>(i)), -contact.gap, kMostOverlapAtStart));
  }
}

StepReport IntegrationRule::interpolate(double t, State<double>& out) {
  if (t == previous_.t || t == state_.t) {
    out = t == state_.t ? state_ : previous_;
    return {};
  }
  out.t = t;
  out.h = previous_.h;
  return do_interpolate(t, out);
}

void IntegrationRule::cut_step(double t) {
  assert(chooses_its_steps());
  if (t == state_.t) return;
  interpolate(t, candidate_);
  std::swap(state_, candidate_);
  do_cut_step();
}

void throw_driven_contact(const ContactFace& face, int contact, double t) {
  throw ComputationError(
      t,
      fmt::format(
          "the contact or stop {} is closed, and prescribed motions drive it on, which no force can prevent",
          face.name_of_contact(contact)));
}

int first_not_finite(std::span<const double> values) {
  // Zero times a value is zero unless the value is infinite or NaN: one pass without branches.
  double zero = 0.0;
  for (const double value : values) zero += 0.0 * value;
  if (zero == 0.0) return -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace sestina
