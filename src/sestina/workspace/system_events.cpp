#include "sestina/workspace/system_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/model/tape_inputs.h"

namespace sestina {

SystemEvents::SystemEvents(ForwardDynamics& dynamics, SystemEquations& equations)
    : dynamics_(dynamics), equations_(equations), model_(dynamics.model()) {
  const auto inputs = static_cast<std::size_t>(model_.num_force_tape_inputs());
  const std::size_t scratch =
      std::max(model_.event_tape().scratch_size(), model_.assignment_tape().scratch_size());
  tapes_.resize(model_.events().size());
  inputs_.resize(inputs);
  dual_inputs_.resize(inputs);
  scratch_.resize(scratch);
  dual_scratch_.resize(scratch);
  assigned_.resize(model_.assignments().size());
  dual_values_.resize(model_.events().size());
  qdot_.resize(static_cast<std::size_t>(model_.nq()));
  udot_.resize(static_cast<std::size_t>(model_.nu()));
  xdot_.resize(static_cast<std::size_t>(model_.nx()));
  cut_qdot_.resize(static_cast<std::size_t>(model_.cut_nq()));
  cut_udot_.resize(static_cast<std::size_t>(model_.cut_nu()));
  zdot_.resize(static_cast<std::size_t>(num_quadratures(model_)));
}

std::vector<EventWatch> SystemEvents::watches() const {
  std::vector<EventWatch> watches;
  for (const EventInfo& event : model_.events())
    watches.push_back({event.direction, event.tolerance, event.is_discrete});
  return watches;
}

void SystemEvents::fill_inputs(const State<double>& state) {
  const CutCoordinates<double> cut =
      model_.events_use_cut_joints() ? dynamics_.find_cut_coordinates(state) : CutCoordinates<double>{};
  fill_tape_inputs<double>(state, dynamics_.properties().parameters, cut, inputs_);
}

void SystemEvents::calc(const State<double>& state, std::span<double> values) {
  fill_inputs(state);
  model_.event_tape().evaluate<double>(inputs_, values, scratch_);
}

double SystemEvents::calc_one(const State<double>& state, int event) {
  std::optional<Tape>& tape = tapes_[static_cast<std::size_t>(event)];
  if (!tape) tape = model_.event_tape().for_output(static_cast<std::size_t>(event));
  fill_inputs(state);
  double value = 0.0;
  tape->evaluate<double>(inputs_, std::span(&value, 1), scratch_);
  return value;
}

std::string SystemEvents::explain(const State<double>& state, int event) {
  return model_.explain_event(event, dynamics_.properties(), state);
}

void SystemEvents::calc_rates(const State<double>& state, std::span<double> rates) {
  equations_.calc_q_dot(state.q, state.u, qdot_);
  equations_.calc_derivatives(state, {udot_, xdot_, zdot_});
  fill_inputs(state);
  std::copy(inputs_.begin(), inputs_.end(), dual_inputs_.begin());
  dual_inputs_.front().d = 1.0;
  auto next = dual_inputs_.end() - static_cast<std::ptrdiff_t>(xdot_.size() + qdot_.size() + udot_.size() +
                                                               cut_qdot_.size() + cut_udot_.size());
  const auto put = [&](std::span<const double> values) {
    for (const double rate : values) (next++)->d = rate;
  };
  put(xdot_), put(qdot_), put(udot_);
  if (model_.events_use_cut_joints()) {
    calc_cut_joint_rates(model_, dynamics_.properties(), state, dynamics_.kinematics(),
                         dynamics_.constrained()->rows(), udot_, cut_qdot_, cut_udot_);
  }
  put(cut_qdot_), put(cut_udot_);
  model_.event_tape().evaluate<Dual>(dual_inputs_, dual_values_, dual_scratch_);
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = dual_values_[i].d;
}

double SystemEvents::calc_energy(const State<double>& state) {
  dynamics_.update(state);
  const Energy<double> energy = dynamics_.energy(state);
  return energy.kinetic + energy.potential;
}

void SystemEvents::assign(const Model& model, const EventInfo& info, State<double>& state) const {
  for (int i = info.first_assignment; i < info.first_assignment + info.assignments; ++i) {
    const AssignmentInfo& assignment = model.assignments()[static_cast<std::size_t>(i)];
    std::vector<double>& values = assignment.target == Target::kQ       ? state.q
                                  : assignment.target == Target::kU     ? state.u
                                  : assignment.target == Target::kState ? state.x
                                                                        : state.d;
    values[static_cast<std::size_t>(assignment.index)] = assigned_[static_cast<std::size_t>(i)];
  }
}

namespace {

// The speed, by its place in u, that is the rate of a coordinate; Euler parameters have none, and are not
// set.
std::size_t speed_of_coordinate(const Model& model, int q) {
  int u = q;
  for (const BodyInfo& body : model.bodies()) {
    if (q < body.q_start || q >= body.q_start + body.nq) continue;
    const bool turns_first = body.nq != body.nu;  // a free joint: [w; v], but position first
    u = body.u_start + (turns_first ? 3 : 0) + q - body.q_start;
  }
  return static_cast<std::size_t>(u);
}

}  // namespace

void SystemEvents::close_around_values(const Model& model, const Properties<double>& properties,
                                       const EventInfo& info, State<double>& state) const {
  std::vector<bool> is_q_set(state.u.size()), is_u_set(state.u.size());
  std::string values;
  for (int i = info.first_assignment; i < info.first_assignment + info.assignments; ++i) {
    const AssignmentInfo& assignment = model.assignments()[static_cast<std::size_t>(i)];
    const bool is_q = assignment.target == Target::kQ;
    if (!is_q && assignment.target != Target::kU) continue;
    if (is_q) is_q_set[speed_of_coordinate(model, assignment.index)] = true;
    if (!is_q) is_u_set[static_cast<std::size_t>(assignment.index)] = true;
    values += fmt::format("{}{} to {:.6g}", values.empty() ? "" : ", ", model.name_of(assignment),
                          assigned_[static_cast<std::size_t>(i)]);
  }
  const std::string left = close_around(model, properties, is_q_set, is_u_set, state);
  if (left.empty()) return;
  throw ComputationError(state.t, fmt::format("event {} sets {}, but then {}", info.name, values, left));
}

// The bodies outboard of a joint move with it, as in relative coordinates.
void SystemEvents::assign_to_joints(const EventInfo& info, State<double>& state) {
  if (!twin_) {
    CartesianCoordinates coordinates(model_, dynamics_.properties().parameters);
    twin_ = std::make_unique<Twin>(Twin{std::move(coordinates), {}});
  }
  dynamics_.find_cut_coordinates(state);
  twin_->coordinates.to_relative(state, dynamics_.constrained()->rows(), twin_->state);
  const Model& relative = *model_.relative();
  assign(relative, info, twin_->state);
  if (relative.is_constrained()) {
    close_around_values(relative, twin_->coordinates.relative_properties(), info, twin_->state);
  }
  twin_->coordinates.to_cartesian(twin_->state, state);
}

void SystemEvents::assign_and_close(const EventInfo& info, State<double>& state) {
  const auto first = model_.assignments().begin() + info.first_assignment;
  const bool moves = std::any_of(first, first + info.assignments, [](const AssignmentInfo& assignment) {
    return assignment.target == Target::kQ || assignment.target == Target::kU;
  });
  if (!moves || !model_.is_constrained()) {
    assign(model_, info, state);
  } else if (model_.is_cartesian()) {
    assign_to_joints(info, state);
  } else {
    assign(model_, info, state);
    close_around_values(model_, dynamics_.properties(), info, state);
  }
  if (model_.is_constrained()) dynamics_.project(state);
}

void SystemEvents::apply(int event, State<double>& state) {
  const EventInfo& info = model_.events()[static_cast<std::size_t>(event)];
  if (info.assignments == 0) return;
  const double energy_before = calc_energy(state);
  fill_inputs(state);
  model_.assignment_tape().evaluate<double>(inputs_, assigned_, scratch_);
  const int end = info.first_assignment + info.assignments;
  for (int i = info.first_assignment; i < end; ++i) {
    if (!std::isfinite(assigned_[static_cast<std::size_t>(i)])) {
      throw ComputationError(state.t, model_.explain_assignment(event, i, dynamics_.properties(), state));
    }
  }
  assign_and_close(info, state);
  const double gain = calc_energy(state) - energy_before;
  if (!std::isfinite(gain)) {
    throw ComputationError(state.t, "the energy after event " + info.name + " is not finite");
  }
  if (gain > 0.0) state.z[kSuppliedWork] += gain;
  if (gain < 0.0) state.z[kDissipatedWork] -= gain;
}

}  // namespace sestina
