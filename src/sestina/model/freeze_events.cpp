// Collects discrete variables, states with a rate and events, their expressions and their assignments.
#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/suggest.h"
#include "sestina/model/freezer.h"

namespace sestina {
namespace {

const std::vector<std::string>& directions() {
  static const std::vector<std::string> words{"rising", "falling", "both"};
  return words;
}

CrossingDirection direction_of(const Name& word) {
  if (word == "rising") return CrossingDirection::kRising;
  return word == "falling" ? CrossingDirection::kFalling : CrossingDirection::kBoth;
}

}  // namespace

void Freezer::collect_variables() {
  data_.initial_d = numbers_.next();
  for (const VariableSpec& spec : system_.variables) {
    numbers_.add(spec.value, "variables." + spec.name.text);
    variable_index_.emplace(spec.name.text, static_cast<int>(data_.variables.size()));
    data_.variables.push_back({spec.name.text});
  }
  data_.initial_x = numbers_.next();
  for (std::size_t i = 0; i < system_.states.size(); ++i) {
    const StateSpec& spec = system_.states[i];
    numbers_.add(spec.start, path_of_start(static_cast<int>(i)));
    state_index_.emplace(spec.name.text, static_cast<int>(data_.states.size()));
    data_.states.push_back({spec.name.text, spec.unit.text});
  }
}

// The place of a state's initial value in the description; force elements give it under keys of their own.
std::string Freezer::path_of_start(int state) const {
  for (const HydraulicLayout& layout : hydraulics_) {
    const int pressure = state - layout.state + 1;
    if (pressure == 1 || pressure == 2) return fmt::format("forces[{}].initial_p{}", layout.force, pressure);
  }
  for (const SecondOrderLayout& layout : second_orders_) {
    const int k = state - layout.state;
    if (k < 0 || k >= 2 * layout.n) continue;
    return fmt::format("forces[{}].{}[{}]", layout.force, k < layout.n ? "initial" : "initial_rates",
                       k % layout.n);
  }
  return fmt::format("states[{}].start", state);
}

bool Freezer::is_variable(std::string_view variable) const {
  const std::string name(variable);
  return variable_index_.contains(name) || state_index_.contains(name);
}

// Called after joints and forces, whose coordinates may occur in the rates.
void Freezer::collect_rates() {
  for (std::size_t i = 0; i < system_.states.size(); ++i) {
    const StateSpec& spec = system_.states[i];
    const std::string path = fmt::format("states[{}].rate", i);
    if (i >= described_states_) {
      const auto rate = element_rates_.find(static_cast<int>(i));
      data_.rate_expressions.add(rate == element_rates_.end() ? graph_->number(0.0) : rate->second);
    } else if (spec.rate) {
      collect_expression(*spec.rate, path, data_.rate_expressions);
    } else {
      fail(spec.mark, path, "is missing: expected an expression");
    }
  }
}

void Freezer::collect_events() {
  std::vector<WatchedExpression> watched;
  for (std::size_t i = 0; i < system_.events.size(); ++i) {
    const EventSpec& spec = system_.events[i];
    const std::string path = fmt::format("events[{}]", i);
    if (collect_event(spec, path)) watched.push_back({i, &*spec.when, path + ".when"});
  }
  check_changes(watched);
}

// Returns true if the expression could be read.
bool Freezer::collect_event(const EventSpec& spec, const std::string& path) {
  EventInfo event;
  event.name = spec.name.text;
  event.is_terminal = spec.terminal;
  check_word(spec.direction, path + ".direction", directions());
  event.direction = direction_of(spec.direction);
  if (spec.tolerance) event.tolerance = positive(*spec.tolerance, path + ".tolerance", true);
  const std::size_t faults = faults_.size();
  if (spec.when) {
    collect_expression(*spec.when, path + ".when", data_.event_expressions);
    event.when = spec.when->is_expression() ? spec.when->expression() : fmt::format("{}", spec.when->value());
  } else {
    fail(spec.mark, path + ".when", "is missing: expected an expression");
    data_.event_expressions.add(graph_->number(0.0));  // one for each event
  }
  const bool has_expression = faults_.size() == faults;
  event.first_assignment = static_cast<int>(data_.assignments.size());
  std::set<std::pair<Target, int>> taken;
  for (const AssignmentSpec& assignment : spec.set) {
    collect_assignment(assignment, path + ".set." + assignment.target.text, taken);
  }
  event.assignments = static_cast<int>(data_.assignments.size()) - event.first_assignment;
  data_.events.push_back(event);
  return has_expression;
}

// Rejects expressions of parameters only; expressions of variables and parameters only change by jumps.
void Freezer::check_changes(const std::vector<WatchedExpression>& watched) {
  struct Dependence {
    bool has_variables = false, has_motion = false;
  };
  // Indexed by id. Operands precede their users: one pass serves all events.
  std::vector<Dependence> nodes(graph_->size());
  for (std::uint32_t id = 0; id < nodes.size(); ++id) {
    const Expr node{id};
    if (graph_->op(node) == Op::kSymbol) {
      const std::string& name = graph_->name_of(node);
      nodes[id].has_variables = variable_index_.contains(name);
      nodes[id].has_motion = !nodes[id].has_variables && !numbers_.is_parameter(name);  // t, q or u
    }
    for (const Expr operand : graph_->operands(node)) {
      nodes[id].has_variables |= nodes[operand.id].has_variables;
      nodes[id].has_motion |= nodes[operand.id].has_motion;
    }
  }
  for (const auto& [event, when, path] : watched) {
    const auto [has_variables, has_motion] = nodes[data_.event_expressions.exprs[event].id];
    data_.events[event].is_discrete = has_variables && !has_motion;
    if (has_variables || has_motion) continue;
    fail(when->mark, path,
         (when->is_expression() ? "'" + when->expression() + "'" : fmt::format("{}", when->value())) +
             " never changes: expected an expression of t, JOINT.q, JOINT.u or variables");
  }
}

void Freezer::collect_assignment(const AssignmentSpec& spec, const std::string& path,
                                 std::set<std::pair<Target, int>>& taken) {
  AssignmentInfo info;
  if (find_target(spec.target, path, info) && !taken.emplace(info.target, info.index).second) {
    fail(spec.target.mark, path, "is set already by the same event");
  }
  data_.assignments.push_back(info);
  collect_expression(spec.value, path, data_.assignment_expressions);
}

bool Freezer::find_target(const Name& target, const std::string& path, AssignmentInfo& info) {
  if (target.text.find('.') == std::string::npos || state_index_.contains(target.text)) {
    const auto found = variable_index_.find(target.text);
    if (found != variable_index_.end()) {
      info = {Target::kVariable, found->second};
      return true;
    }
    if (const auto state = state_index_.find(target.text); state != state_index_.end()) {
      info = {Target::kState, state->second};
      return true;
    }
    const std::vector<std::string> known = names_to_suggest(
        data_.variables, [](const VariableInfo& variable) { return variable.name; },
        names_to_suggest(data_.states, [](const StateInfo& state) { return state.name; }));
    fail(target.mark, path,
         fmt::format("there is no variable '{}'{}: an event sets variables, states, JOINT.q and JOINT.u",
                     target.text, suggestion(target.text, known)));
    return false;
  }
  const auto found = find_coordinate(target.text);
  if (const auto* fault = std::get_if<std::string>(&found)) {
    fail(target.mark, path, *fault);
    return false;
  }
  const auto& reference = std::get<CoordinateReference>(found);
  if (!reference.joint) return false;
  // In cartesian coordinates an event sets the same variables as in relative ones.
  if (reference.joint->cut >= static_cast<int>(data_.carrying_joints)) {
    fail(target.mark, path,
         fmt::format("'{}' closes a loop: an event sets coordinates and speeds of joints that carry a body; "
                     "`cut: true` on another joint of the loop lets this one carry one",
                     reference.joint->joint_name));
    return false;
  }
  const JointInfo& joint = joint_info(reference.joint->joint_type);
  const int component = reference.index - reference.joint->q_start;
  if (reference.is_q && joint.euler_parameters_start >= 0 && component >= joint.euler_parameters_start) {
    fail(target.mark, path, "Euler parameters depend on one another and cannot be set");
    return false;
  }
  info = {reference.is_q ? Target::kQ : Target::kU, reference.index};
  return true;
}

}  // namespace sestina
