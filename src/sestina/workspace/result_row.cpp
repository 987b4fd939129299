#include "sestina/workspace/result_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "sestina/base/error.h"
#include "sestina/integrate/integration_rule.h"
#include "sestina/workspace/quadrature_rates.h"

namespace sestina {

std::vector<Column> result_columns(const Model& model, bool reactions) {
  std::vector<Column> columns;
  for (RowColumn& column : model.row_columns(reactions)) {
    columns.push_back({std::move(column.name), std::move(column.unit)});
  }
  return columns;
}

ResultRow::ResultRow(const Model& model, std::span<const double> parameters, bool reactions)
    : model_(model),
      defined_(output_columns(model)),
      needs_reactions_(reactions || defined_.use_reactions),
      has_events_(!model.events().empty()),
      columns_(result_columns(model, reactions)),
      inputs_(model, parameters, reactions),
      scratch_(defined_.value_tape.scratch_size()),
      udot_(static_cast<std::size_t>(model.nu())),
      reactions_(static_cast<std::size_t>(model.bodies().size())) {}

bool ResultRow::needs_dynamics() const {
  return needs_reactions_ || !defined_.points.empty() || model_.is_constrained() || model_.has_contacts() ||
         !model_.contacts().empty() || !model_.beams().empty() || !model_.reduced_bodies().empty();
}

std::span<const double> ResultRow::calc(const State<double>& state, ForwardDynamics& dynamics, int event) {
  if (needs_reactions_ || model_.is_constrained() || model_.has_contacts()) {
    dynamics.calc_udot(state, udot_, tau_);
    if (contacts_ != nullptr && model_.has_contacts()) {
      const RowLayout& layout = inputs_.layout();
      contacts_->add_contact_forces(state, udot_,
                                    {inputs_.at(layout.contacts), inputs_.at(layout.flexible_bodies)});
    }
  } else {
    dynamics.update(state);
  }
  return fill(state, dynamics, udot_, event);
}

std::span<const double> ResultRow::calc(const State<double>& state, ForwardDynamics& dynamics,
                                        std::span<const double> udot, std::span<const double> lambda) {
  dynamics.take_motion(state, lambda);
  return fill(state, dynamics, udot, 0);
}

std::span<const double> ResultRow::fill(const State<double>& state, ForwardDynamics& dynamics,
                                        std::span<const double> udot, int event) {
  inputs_.set_points(dynamics);
  inputs_.set_origins(dynamics);
  inputs_.set_momentum(calc_momentum(model_, dynamics.properties(), state, dynamics.kinematics()));
  inputs_.set_constraints(dynamics);
  inputs_.set_compliant_contacts(state, dynamics);
  inputs_.set_flexible_bodies(state, dynamics);
  set_state(state, dynamics.energy(state), event);
  if (needs_reactions_) {
    dynamics.calc_reactions(udot, reactions_);
    inputs_.set_reactions(reactions_);
    inputs_.set_reactions_of_loops(dynamics);
  }
  return calc_defined(state);
}

std::span<const double> ResultRow::calc(const State<double>& state, const Observables& observables,
                                        int event) {
  assert(!needs_dynamics());
  inputs_.set_origins(observables.origins);
  inputs_.set_momentum(observables.momentum);
  set_state(state, observables.energy, event);
  return calc_defined(state);
}

void ResultRow::set_state(const State<double>& state, const Energy<double>& energy, int event) {
  inputs_.set_state(state);
  if (has_events_) *inputs_.at(inputs_.layout().event) = event;
  energy_ = energy;
  const double supplied = state.z[kSuppliedWork], dissipated = state.z[kDissipatedWork];
  energy_balance_ = energy.kinetic + energy.potential - supplied + dissipated;
  inputs_.set_energies(energy, supplied, dissipated);
}

// The integrals are parts of the state; the other columns may use them.
std::span<const double> ResultRow::calc_defined(const State<double>& state) {
  if (!defined_.columns.empty()) {
    double* const values = inputs_.at(inputs_.layout().defined);
    for (std::size_t i = 0; i < defined_.integrals.size(); ++i)
      values[defined_.integrals[i]] = state.z[kNumWorks + i];
    defined_.value_tape.evaluate<double>(inputs_.values(), std::span(values, defined_.columns.size()),
                                         scratch_);
  }
  check_finite();
  return row();
}

void ResultRow::check_finite() const {
  const int bad = first_not_finite(row());
  if (bad < 0) return;
  const auto i = static_cast<std::size_t>(bad);
  const double t = row().front();
  const int defined = bad - inputs_.layout().defined;
  const bool is_defined = defined >= 0 && bad < inputs_.layout().reactions;
  if (is_defined) throw ComputationError(t, explain_column(model_, defined, inputs_.values()));
  throw ComputationError(
      t, fmt::format("{} is not finite ({}): its numbers are too large", columns_[i].name, row()[i]));
}

}  // namespace sestina
