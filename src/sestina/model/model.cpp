#include "sestina/model/model.h"

#include <fmt/format.h>

#include <cassert>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/expression/evaluate.h"
#include "sestina/flexible/reduced_body.h"
#include "sestina/model/properties.h"
#include "sestina/model/tape_inputs.h"
#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

template <class Index, class Infos, class NameOf>
Index find_by_name(const Infos& infos, Index first, std::string_view kind, std::string_view name,
                   NameOf name_of) {
  std::vector<std::string> known;
  for (Index i = first; i.value() < infos.size(); ++i) {
    if (name_of(infos[i]) == name) return i;
    known.push_back(name_of(infos[i]));
  }
  throw InputError(fmt::format("there is no {} '{}'{}", kind, name, suggestion(name, known)));
}

}  // namespace

BodyIndex Model::body(std::string_view name) const {
  return find_by_name(data_.bodies, kGround, "body", name, [](const BodyInfo& info) { return info.name; });
}

PointIndex Model::point(std::string_view name) const {
  return find_by_name(data_.points, PointIndex(0), "point", name,
                      [](const PointInfo& info) { return info.name; });
}

BodyIndex Model::body_of_joint(std::string_view joint_name) const {
  return find_by_name(data_.bodies, BodyIndex(1), "joint", joint_name,
                      [](const BodyInfo& info) { return info.joint_name; });
}

BodyIndex Model::body_of_speed(int speed) const {
  for (BodyIndex b{1}; b.value() < data_.bodies.size(); ++b) {
    const BodyInfo& info = data_.bodies[b];
    if (speed >= info.u_start && speed < info.u_start + info.nu) return b;
  }
  throw InputError(fmt::format("there is no speed {}: the model has {}", speed, data_.nu));
}

template <class T>
void Model::calc_force_expressions(const Properties<T>& properties, const State<T>& state,
                                   const CutCoordinates<T>& cut, std::span<T> inputs, std::span<T> scratch,
                                   std::span<T> values) const {
  assert(state.d.size() == data_.variables.size() && state.x.size() == data_.states.size());
  fill_tape_inputs<T>(state, properties.parameters, cut, inputs);
  data_.force_tape.evaluate<T>(inputs, values, scratch);
}

template <class T>
void Model::calc_state_rates(const Properties<T>& properties, const State<T>& state,
                             const CutCoordinates<T>& cut, std::span<T> inputs, std::span<T> scratch,
                             std::span<T> rates) const {
  fill_tape_inputs<T>(state, properties.parameters, cut, inputs);
  data_.rate_tape.evaluate<T>(inputs, rates, scratch);
}

std::string Model::explain_non_finite(const StateExpressions& expressions, std::size_t i,
                                      const Properties<double>& properties,
                                      const State<double>& state) const {
  std::vector<Binding> bindings;
  const auto bind = [&](const std::string& name, double value) {
    // A symbol that no expression uses is not in the graph and needs no value.
    const Expr symbol = data_.graph->find_symbol(name);
    if (symbol.is_valid()) bindings.emplace_back(symbol, value);
  };
  bind("t", state.t);
  for (std::size_t k = 0; k < data_.parameters.size(); ++k)
    bind(data_.parameters[k].name, properties.parameters[k]);
  for (std::size_t k = 0; k < state.d.size(); ++k) bind(data_.variables[k].name, state.d[k]);
  for (std::size_t k = 0; k < state.x.size(); ++k) bind(data_.states[k].name, state.x[k]);
  for (std::size_t k = 0; k < state.q.size(); ++k) bind(data_.q_names[k], state.q[k]);
  for (std::size_t k = 0; k < state.u.size(); ++k) bind(data_.u_names[k], state.u[k]);
  // The state contains the coordinates of cut joints at the last step only.
  for (std::size_t k = 0; k < data_.cut_q_names.size(); ++k) bind(data_.cut_q_names[k], state.h[k]);
  for (const std::string& name : data_.cut_u_names) bind(name, 0.0);
  const auto reason = find_non_finite(*data_.graph, expressions.exprs[i], bindings);
  if (!reason) return "it overflows";
  const std::string& as_written = expressions.constant_faults[i];
  const bool is_constant = data_.graph->has_constant_fault(reason->where);
  return is_constant && !as_written.empty() ? as_written : reason->message;
}

std::string Model::explain_force_expression(int expression, const Properties<double>& properties,
                                            const State<double>& state) const {
  const auto i = static_cast<std::size_t>(expression);
  return fmt::format("the value of force {} is not finite: {}",
                     data_.forces[data_.force_of_expression[i]].name,
                     explain_non_finite(data_.force_expressions, i, properties, state));
}

bool Model::has_contacts() const {
  return !data_.stop_names.empty() || !std::ranges::all_of(data_.contacts, &ContactInfo::is_force) ||
         std::ranges::any_of(data_.plan.connectors.coordinate_frictions, &CoordinateFrictionPlan::sticks);
}

void Model::refuse_contacts(std::string_view who) const {
  if (!has_contacts()) return;
  const auto contact = std::ranges::find(data_.contacts, false, &ContactInfo::is_force);
  if (contact == data_.contacts.end() && data_.stop_names.empty()) {
    const auto sticking =
        std::ranges::find_if(data_.plan.connectors.coordinate_frictions, &CoordinateFrictionPlan::sticks);
    throw InputError(
        fmt::format("{} does not handle friction that sticks: the model has {}, which needs a creep_speed",
                    who, data_.forces[sticking->index].name));
  }
  const std::string& name = contact == data_.contacts.end() ? data_.stop_names.front() : contact->name;
  throw InputError(
      fmt::format("{} does not handle contacts or enforced limits: the model has {}", who, name));
}

void Model::refuse_constraints(std::string_view who) const {
  if (!is_constrained()) return;
  if (is_cartesian()) {
    throw InputError(
        fmt::format("{} does not support cartesian coordinates, in which every joint is cut", who));
  }
  const auto cable = std::ranges::find_if(data_.beams, &BeamInfo::is_cable);
  const bool has_cable = cable != data_.beams.end();
  if (has_cable || !data_.reduced_bodies.empty()) {
    throw InputError(fmt::format("{} does not support flexible bodies: the model has {}", who,
                                 has_cable ? cable->name : data_.reduced_bodies.front().name));
  }
  const bool has_loop = !data_.cut_joints.empty();
  throw InputError(fmt::format("{} does not support closed loops or constraints: the model has {} {}", who,
                               has_loop ? "the cut joint" : "the constraint",
                               has_loop ? data_.cut_joints.front().name : data_.constraints.front().name));
}

std::string Model::explain_constraint(int expression, const Properties<double>& properties,
                                      const State<double>& state) const {
  const auto i = static_cast<std::size_t>(expression);
  const auto constraint = static_cast<std::size_t>(data_.constraint_of_expression[i]);
  return fmt::format("the expression of constraint {} is not finite: {}", data_.constraints[constraint].name,
                     explain_non_finite(data_.constraint_expressions, i, properties, state));
}

std::size_t Model::num_frames() const {
  auto frames = static_cast<std::size_t>(data_.bodies.size());
  for (const ReducedBodyInfo& body : data_.reduced_bodies) frames += body.modes->interfaces.size();
  return frames;
}

const std::string& Model::name_of_row(int row) const {
  const std::string* reduced = nullptr;
  for (const BeamInfo& beam : data_.beams) {
    if (row >= beam.first_row && row < beam.first_row + beam.row_count()) return beam.name;
  }
  for (const CutJointInfo& joint : data_.cut_joints) {
    if (row >= joint.first_row && row < joint.first_row + joint.rows) return joint.name;
  }
  for (const ConstraintInfo& constraint : data_.constraints) {
    if (row >= constraint.first_row && row < constraint.first_row + constraint.rows) return constraint.name;
  }
  for (const ReducedBodyInfo& body : data_.reduced_bodies) {
    if (row >= body.first_row) reduced = &body.name;
  }
  if (reduced != nullptr) return *reduced;
  throw InputError(fmt::format("there is no condition {}: the model has {}", row, data_.constraint_rows));
}

bool Model::has_inertia_rows() const {
  return !data_.reduced_bodies.empty() || std::ranges::any_of(data_.beams, &BeamInfo::is_cable);
}

std::string Model::explain_rate(int state, const Properties<double>& properties,
                                const State<double>& at) const {
  const auto i = static_cast<std::size_t>(state);
  return fmt::format("the rate of the state {} is not finite: {}", data_.states[i].name,
                     explain_non_finite(data_.rate_expressions, i, properties, at));
}

void Model::refuse_states(std::string_view who) const {
  if (data_.states.empty()) return;
  throw InputError(fmt::format("{} does not support states with a rate: the model has {}", who,
                               data_.states.front().name));
}

std::string Model::explain_event(int event, const Properties<double>& properties,
                                 const State<double>& state) const {
  const auto i = static_cast<std::size_t>(event);
  return fmt::format("the expression of event {} is not finite: {}", data_.events[i].name,
                     explain_non_finite(data_.event_expressions, i, properties, state));
}

const std::string& Model::name_of(const AssignmentInfo& assignment) const {
  const auto i = static_cast<std::size_t>(assignment.index);
  const auto name = [&](const std::vector<std::string>& own,
                        const std::vector<std::string>& of_cut) -> auto& {
    return i < own.size() ? own[i] : of_cut[i - own.size()];
  };
  if (assignment.target == Target::kQ) return name(data_.q_names, data_.cut_q_names);
  if (assignment.target == Target::kU) return name(data_.u_names, data_.cut_u_names);
  return assignment.target == Target::kState ? data_.states[i].name : data_.variables[i].name;
}

std::string Model::explain_assignment(int event, int assignment, const Properties<double>& properties,
                                      const State<double>& state) const {
  const auto i = static_cast<std::size_t>(assignment);
  const AssignmentInfo& info = data_.assignments[i];
  const std::string& target = name_of(info);
  return fmt::format("what event {} sets {} to is not finite: {}",
                     data_.events[static_cast<std::size_t>(event)].name, target,
                     explain_non_finite(data_.assignment_expressions, i, properties, state));
}

#define SESTINA_INSTANTIATE(T)                                                                           \
  template void Model::calc_force_expressions(const Properties<T>&, const State<T>&,                     \
                                              const CutCoordinates<T>&, std::span<T>, std::span<T>,      \
                                              std::span<T>) const;                                       \
  template void Model::calc_state_rates(const Properties<T>&, const State<T>&, const CutCoordinates<T>&, \
                                        std::span<T>, std::span<T>, std::span<T>) const;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
