#include "sestina/workspace/result_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "sestina/base/error.h"
#include "sestina/integrate/integration_rule.h"
#include "sestina/workspace/system_equations.h"

namespace sestina {
namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

std::vector<double>::iterator put(const Vec3<double>& v, std::vector<double>::iterator next) {
  *next++ = v.x, *next++ = v.y, *next++ = v.z;
  return next;
}

}  // namespace

ResultRow::ResultRow(const Model& model, bool reactions)
    : reactions_wanted_(reactions),
      has_events_(!model.events().empty()),
      is_constrained_(model.is_constrained()) {
  add_columns(model);
  row_.resize(columns_.size());
  observables_.origins.resize(3 * static_cast<std::size_t>(model.bodies().size() - 1));
  udot_.resize(static_cast<std::size_t>(model.nu()));
  reactions_.resize(static_cast<std::size_t>(model.bodies().size()));
}

void ResultRow::add_columns(const Model& model) {
  columns_.push_back({"t", "s"});
  for (std::size_t i = 0; i < model.q_names().size(); ++i)
    columns_.push_back({model.q_names()[i], model.q_units()[i]});
  for (std::size_t i = 0; i < model.u_names().size(); ++i)
    columns_.push_back({model.u_names()[i], model.u_units()[i]});
  for (std::size_t i = 0; i < model.cut_q_names().size(); ++i)
    columns_.push_back({model.cut_q_names()[i], model.cut_q_units()[i]});
  for (std::size_t i = 0; i < model.cut_u_names().size(); ++i)
    columns_.push_back({model.cut_u_names()[i], model.cut_u_units()[i]});
  for (const VariableInfo& variable : model.variables()) columns_.push_back({variable.name, "1"});
  if (!model.events().empty()) columns_.push_back({"event", "1"});
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    for (const char* axis : kAxes) columns_.push_back({model.bodies()[b].name + ".origin." + axis, "m"});
  }
  for (const char* kind : {"kinetic", "potential", "total", "supplied", "dissipated"}) {
    columns_.push_back({std::string("energy.") + kind, "J"});
  }
  for (const char* axis : kAxes) columns_.push_back({std::string("momentum.") + axis, "kg m/s"});
  for (const char* axis : kAxes) columns_.push_back({std::string("angular_momentum.") + axis, "kg m^2/s"});
  if (is_constrained_) add_constraint_columns(model);
  if (!reactions_wanted_) return;
  const auto add_reaction = [this](const std::string& joint) {
    for (const char* axis : kAxes) columns_.push_back({joint + ".reaction.torque." + axis, "N m"});
    for (const char* axis : kAxes) columns_.push_back({joint + ".reaction.force." + axis, "N"});
  };
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) add_reaction(model.bodies()[b].joint_name);
  for (const CutJointInfo& joint : model.cut_joints()) add_reaction(joint.name);
}

void ResultRow::add_constraint_columns(const Model& model) {
  for (const ConstraintInfo& constraint : model.constraints()) {
    for (const auto& [quantity, unit] :
         {std::pair(".force", constraint.force_unit), std::pair(".error", constraint.error_unit)}) {
      for (int i = 0; i < constraint.rows; ++i) {
        columns_.push_back(
            {constraint.name + quantity + (constraint.rows == 1 ? "" : fmt::format("[{}]", i)), unit});
      }
    }
  }
  columns_.push_back({"constraints.position_error", "m"});
  columns_.push_back({"constraints.velocity_error", "m/s"});
}

std::span<const double> ResultRow::calc(const State<double>& state, ForwardDynamics& dynamics, int event) {
  if (reactions_wanted_ || is_constrained_) {
    dynamics.calc_udot(state, udot_);
  } else {
    dynamics.update(state);
  }
  auto origin = observables_.origins.begin();
  for (BodyIndex b{1}; b.value() < dynamics.model().bodies().size(); ++b) {
    const Marker<double> marker{frame_of(b), dynamics.properties().bodies[b].X_MB};
    origin = put(marker_motion(dynamics.kinematics().motion.data(), marker).position, origin);
  }
  observables_.energy = dynamics.energy(state);
  observables_.momentum = calc_momentum(dynamics.kinematics());
  if (is_constrained_) {
    const ConstraintRows<double>& rows = dynamics.constrained()->rows();
    cut_coordinates_ = rows.cut_q;
    cut_coordinates_.insert(cut_coordinates_.end(), rows.cut_u.begin(), rows.cut_u.end());
  }
  auto next = put_together(state, observables_, event);
  if (is_constrained_) next = put_constraints(dynamics, next);
  if (reactions_wanted_) calc_reactions(dynamics, next);
  check_finite();
  return row_;
}

std::span<const double> ResultRow::calc(const State<double>& state, const Observables& observables,
                                        int event) {
  assert(!reactions_wanted_);
  put_together(state, observables, event);
  check_finite();
  return row_;
}

std::vector<double>::iterator ResultRow::put_together(const State<double>& state,
                                                      const Observables& observables, int event) {
  auto next = row_.begin();
  *next++ = state.t;
  next = std::copy(state.q.begin(), state.q.end(), next);
  next = std::copy(state.u.begin(), state.u.end(), next);
  next = std::copy(cut_coordinates_.begin(), cut_coordinates_.end(), next);
  next = std::copy(state.d.begin(), state.d.end(), next);
  if (has_events_) *next++ = event;
  next = std::copy(observables.origins.begin(), observables.origins.end(), next);
  energy_ = observables.energy;
  const double total = energy_.kinetic + energy_.potential;
  const double supplied = state.z[SystemEquations::kSupplied];
  const double dissipated = state.z[SystemEquations::kDissipated];
  energy_balance_ = total - supplied + dissipated;
  for (const double energy : {energy_.kinetic, energy_.potential, total, supplied, dissipated})
    *next++ = energy;
  next = put(observables.momentum.linear, next);
  return put(observables.momentum.angular, next);
}

std::vector<double>::iterator ResultRow::put_constraints(const ForwardDynamics& dynamics,
                                                         std::vector<double>::iterator next) {
  const ConstrainedDynamics& constrained = *dynamics.constrained();
  for (const ConstraintInfo& constraint : dynamics.model().constraints()) {
    // A point's multipliers act on the point, which is named first.
    const double sign = constraint.type.starts_with("point_on") ? -1.0 : 1.0;
    const int end = constraint.first_row + constraint.rows;
    for (int r = constraint.first_row; r < end; ++r) {
      *next++ = sign * constrained.lambda()[static_cast<std::size_t>(r)];
    }
    for (int r = constraint.first_row; r < end; ++r) {
      const ConstraintRow<double>& row = constrained.rows().rows[static_cast<std::size_t>(r)];
      *next++ = constraint.is_on_position ? row.error : row.velocity;
    }
  }
  const ConstraintErrors errors = constrained.errors();
  *next++ = errors.position, *next++ = errors.velocity;
  return next;
}

void ResultRow::check_finite() const {
  const int bad = first_not_finite(row_);
  if (bad < 0) return;
  const auto i = static_cast<std::size_t>(bad);
  throw ComputationError(row_.front(), fmt::format("{} is not finite ({}): its numbers are too large",
                                                   columns_[i].name, row_[i]));
}

void ResultRow::calc_reactions(ForwardDynamics& dynamics, std::vector<double>::iterator next) {
  dynamics.calc_reactions(udot_, reactions_);
  for (std::size_t i = 1; i < reactions_.size(); ++i) {
    next = put(reactions_[i].torque, next);
    next = put(reactions_[i].force, next);
  }
  for (const CutJointInfo& joint : dynamics.model().cut_joints()) {
    const SpatialForce<double> reaction = dynamics.constrained()->reaction(joint);
    next = put(reaction.force, put(reaction.torque, next));
  }
}

}  // namespace sestina
