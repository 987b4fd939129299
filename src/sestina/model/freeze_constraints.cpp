// Collects constraints, their points and coordinates, and the derivatives of their expressions.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sestina/base/suggest.h"
#include "sestina/model/freezer.h"

namespace sestina {
namespace {

const std::vector<std::string>& constraint_types() {
  static const std::vector<std::string> types{
      "distance",       "coupling",       "motion",        "expression", "point_on_line",
      "point_on_plane", "point_on_curve", "point_on_beam", "rolling",    "tangent"};
  return types;
}

}  // namespace

void Freezer::collect_constraints() {
  for (std::size_t i = 0; i < system_.constraints.size(); ++i) {
    const ConstraintSpec& spec = system_.constraints[i];
    const std::string path = fmt::format("constraints[{}]", i);
    ConstraintInfo info;
    info.name = spec.name.text, info.type = spec.type.text;
    info.position = static_cast<int>(i);
    info.mark = spec.mark;
    info.first_row = data_.constraint_rows;
    info.force_unit = "N", info.error_unit = "m";
    // An expression refers to its constraint by the index that the constraint will get, which is the next
    // one.
    if (spec.type == "distance") {
      collect_distance(spec, info, path);
    } else if (spec.type == "coupling") {
      collect_coupling(spec, info, path);
    } else if (spec.type == "motion") {
      collect_motion(spec, info, path);
    } else if (spec.type == "expression") {
      collect_condition(spec, info, path);
    } else if (spec.type == "point_on_line" || spec.type == "point_on_plane") {
      collect_point_on(spec, info, path);
    } else if (spec.type == "point_on_curve") {
      collect_point_on_curve(spec, info, path);
    } else if (spec.type == "point_on_beam") {
      collect_point_on_beam(spec, info, path);
    } else if (spec.type == "rolling") {
      collect_rolling(spec, info, path);
    } else if (spec.type == "tangent") {
      collect_tangent(spec, info, path);
    } else if (spec.type == "user" && spec.user) {
      collect_user_constraint(spec, info, path);
    } else {
      fail(spec.type.mark.line > 0 ? spec.type.mark : spec.mark, path + ".type",
           fmt::format("there is no constraint type '{}'{}", spec.type.text,
                       suggestion(spec.type.text, constraint_types())));
    }
    data_.constraint_rows += info.rows;
    data_.constraints.push_back(std::move(info));
  }
}

void Freezer::add_constraint_expression(Expr expr) {
  data_.constraint_expressions.add(expr);
  data_.constraint_of_expression.push_back(static_cast<int>(data_.constraints.size()));
}

Expr Freezer::collect_of_time(const Number& number, const std::string& path) {
  return numbers_.parse_text(number, path, [&](std::string_view name) -> std::variant<Expr, std::string> {
    if (name == "t") return graph_->symbol("t");
    if (name.find('.') != std::string_view::npos || is_variable(name)) {
      return fmt::format("'{}' is not known here: expected an expression of t and parameters", name);
    }
    return resolve_coordinate(std::string(name));
  });
}

// ---- coordinates ------------------------------------------------------------------------------------------

bool Freezer::take_level(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path) {
  check_word(spec.level, path + ".level", {"position", "velocity"});
  info.is_on_position = spec.level != "velocity";
  return info.is_on_position;
}

void Freezer::collect_coupling(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path) {
  const std::size_t faults = faults_.size();
  const bool is_on_position = take_level(spec, info, path);
  if (spec.coefficients.empty()) fail(spec.mark, path + ".coefficients", "is missing or empty");
  Expr sum = graph_->number(0.0);
  for (const CouplingTerm& term : spec.coefficients) {
    const std::string place = path + ".coefficients." + term.coordinate.text;
    const auto found = find_coordinate(term.coordinate.text);
    if (const auto* fault = std::get_if<std::string>(&found)) {
      fail(term.coordinate.mark, place, *fault);
      continue;
    }
    const auto& reference = std::get<CoordinateReference>(found);
    if (!reference.joint) continue;
    if (reference.is_q != is_on_position) {
      fail(term.coordinate.mark, place,
           is_on_position
               ? "is a speed: a coupling of speeds has `level: velocity`"
               : "is a coordinate: with `level: velocity` a coupling names speeds, such as hinge.u");
      continue;
    }
    const Expr symbol = graph_->symbol(reference.is_q ? q_name(reference.index) : u_name(reference.index));
    const Expr coefficient = numbers_.parse_text(term.coefficient, place, [&](std::string_view name) {
      return resolve_coordinate(std::string(name));
    });
    sum = graph_->add(sum, graph_->multiply(coefficient, symbol));
  }
  if (spec.value.size() > 1) fail(spec.value_mark, path + ".value", "expected one number");
  if (!spec.value.empty()) {
    sum = graph_->subtract(sum, collect_of_time(spec.value[0], path + ".value"));
  }
  info.force_unit = info.error_unit = "1";
  if (faults_.size() == faults) add_condition(sum, info, spec.mark, path);
}

void Freezer::collect_motion(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path) {
  const bool is_on_position = take_level(spec, info, path);
  const std::optional<FoundJoint> joint = find_joint(spec.joint, path + ".joint");
  if (!joint) return;
  if (joint->nu == 0) {
    fail(spec.joint.mark, path + ".joint",
         fmt::format("'{}' is a weld and does not move", joint->joint_name));
    return;
  }
  if (is_on_position && joint->nq != joint->nu) {
    fail(
        spec.joint.mark, path + ".joint",
        fmt::format("'{}' is {}: the motion of an orientation is given by its speeds, with `level: velocity`",
                    joint->joint_name, joint_info(joint->joint_type).keyword));
    return;
  }
  const auto wanted = static_cast<std::size_t>(joint->nu);
  if (spec.value.size() != wanted) {
    fail(spec.value_mark.line > 0 ? spec.value_mark : spec.mark, path + ".value",
         spec.value.empty()
             ? fmt::format("is missing: expected {}", wanted)
             : fmt::format("has {} values; joint '{}' has {}", spec.value.size(), joint->joint_name, wanted));
    return;
  }
  for (std::size_t k = 0; k < wanted; ++k) {
    const std::string place = wanted == 1 ? path + ".value" : fmt::format("{}.value[{}]", path, k);
    const std::size_t faults = faults_.size();
    const Expr value = collect_of_time(spec.value[k], place);
    if (faults_.size() > faults) continue;
    const int i = static_cast<int>(k);
    const Expr symbol =
        graph_->symbol(is_on_position ? q_name(joint->q_start + i) : u_name(joint->u_start + i));
    add_condition(graph_->subtract(symbol, value), info, spec.mark, path);
  }
  const JointInfo& type = joint_info(joint->joint_type);
  info.force_unit = type.u_units[0] == "rad/s" ? "N m" : "N";
  info.error_unit = is_on_position ? type.q_units[0] : type.u_units[0];
}

void Freezer::collect_condition(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path) {
  const std::size_t faults = faults_.size();
  take_level(spec, info, path);
  info.force_unit = info.error_unit = "1";
  if (!spec.zero) {
    fail(spec.mark, path + ".zero", "is missing: expected an expression that has to vanish");
    return;
  }
  const Expr zero = numbers_.parse_text(
      *spec.zero, path + ".zero", [&](std::string_view name) -> std::variant<Expr, std::string> {
        if (is_variable(name)) {
          return fmt::format("'{}' is {}", name,
                             variable_index_.contains(std::string(name))
                                 ? "a variable, which jumps at events"
                                 : "a state, whose rate is given: no force could make this vanish");
        }
        return resolve_coordinate(std::string(name));
      });
  if (faults_.size() == faults) add_condition(zero, info, spec.zero->mark, path + ".zero");
}

// Returns qdot of the i-th coordinate of a joint: a speed, or a row of e' = 1/2 (0, w) o e.
Expr Freezer::rate_of_coordinate(const FoundJoint& joint, int i) {
  const auto u = [&](int k) { return graph_->symbol(u_name(joint.u_start + k)); };
  if (joint.nq == joint.nu) return u(i);
  const int start = joint_info(joint.joint_type).euler_parameters_start;
  if (i < start) return u(3 + i);  // for a free joint, whose u has the angular velocity first
  const auto e = [&](int k) { return graph_->symbol(q_name(joint.q_start + start + k)); };
  // The Euler parameter that multiplies w.x, w.y, w.z in each row, and its sign (rotation.h).
  constexpr int kIndex[4][3] = {{1, 2, 3}, {0, 3, 2}, {3, 0, 1}, {2, 1, 0}};
  constexpr double kSign[4][3] = {{-1, -1, -1}, {1, 1, -1}, {-1, 1, 1}, {1, -1, 1}};
  Expr sum = graph_->number(0.0);
  for (int k = 0; k < 3; ++k) {
    const Expr product = graph_->multiply(u(k), e(kIndex[i - start][k]));
    sum = graph_->add(sum, graph_->multiply(graph_->number(0.5 * kSign[i - start][k]), product));
  }
  return sum;
}

// Returns d/dt along the motion with udot = 0.
Expr Freezer::rate_along_motion(Expr expr) {
  Expr rate = graph_->diff(expr, graph_->symbol("t"));
  const std::vector<Expr> exprs{expr};
  for (const Expr symbol : graph_->free_symbols(exprs)) {
    const auto found = find_coordinate(graph_->name_of(symbol));
    const auto* reference = std::get_if<CoordinateReference>(&found);
    if (reference == nullptr || !reference->joint || !reference->is_q) continue;
    const int i = reference->index - reference->joint->q_start;
    const Expr qdot = rate_of_coordinate(*reference->joint, i);
    rate = graph_->add(rate, graph_->multiply(graph_->diff(expr, symbol), qdot));
  }
  return rate;
}

// The derivatives of g' with respect to the speeds that take part: first the speeds of joints that carry
// bodies, then those of each cut joint.
bool Freezer::add_coefficients(CoordinateCondition& condition, Expr velocity, const Mark& mark,
                               const std::string& path) {
  std::map<int, std::vector<std::pair<int, Expr>>> of_cut_joints;
  const std::vector<Expr> exprs{velocity};
  for (const Expr symbol : graph_->free_symbols(exprs)) {
    const auto found = find_coordinate(graph_->name_of(symbol));
    const auto* reference = std::get_if<CoordinateReference>(&found);
    if (reference == nullptr || !reference->joint || reference->is_q) continue;
    const Expr coefficient = graph_->diff(velocity, symbol);
    const FoundJoint& joint = *reference->joint;
    if (joint.cut < 0) {
      condition.speeds.push_back(reference->index);
      add_constraint_expression(coefficient);
      continue;
    }
    of_cut_joints[joint.cut].emplace_back(reference->index - joint.u_start, coefficient);
  }
  for (const auto& [joint, coefficients] : of_cut_joints) {
    condition.cut_joints.push_back({joint, {}});
    for (const auto& [speed, coefficient] : coefficients) {
      condition.cut_joints.back().speeds.push_back(speed);
      add_constraint_expression(coefficient);
    }
  }
  if (!condition.speeds.empty() || !condition.cut_joints.empty()) return true;
  fail(mark, path, "no speed takes part in it: no force can keep it");
  return false;
}

void Freezer::collect_user_constraint(const ConstraintSpec& spec, ConstraintInfo& info,
                                      const std::string& path) {
  if (is_cartesian()) {
    fail(spec.mark, path,
         fmt::format("{} is a user constraint, which reads coordinates of joints: take relative coordinates",
                     spec.name.text));
    return;
  }
  const int count = spec.user->count();
  if (count < 1) {
    fail(spec.mark, path, fmt::format("{} has {} conditions; it needs one", spec.name.text, count));
    return;
  }
  info.is_on_position = spec.user->is_on_position();
  info.rows = count;
  info.force_unit = info.error_unit = "1";
  data_.user_constraints.push_back(
      {static_cast<int>(data_.constraints.size()), spec.user, data_.constraint_terms});
  data_.constraint_terms += count * data_.nu;
}

// One scalar condition: `zero` = 0.
void Freezer::add_condition(Expr zero, ConstraintInfo& info, const Mark& mark, const std::string& path) {
  const std::vector<Expr> exprs{zero};
  for (const Expr symbol : graph_->free_symbols(exprs)) {
    const std::string& name = graph_->name_of(symbol);
    const auto found = find_coordinate(name);
    const auto* reference = std::get_if<CoordinateReference>(&found);
    if (info.is_on_position && reference != nullptr && reference->joint && !reference->is_q) {
      fail(mark, path, fmt::format("'{}' is a speed: a condition on speeds has `level: velocity`", name));
      return;
    }
  }
  CoordinateCondition condition;
  condition.is_on_position = info.is_on_position;
  condition.first_expression = static_cast<int>(data_.constraint_expressions.exprs.size());
  condition.row = info.first_row + info.rows;
  condition.first_term = data_.constraint_terms;
  const Expr nothing = graph_->number(0.0);
  const Expr velocity = info.is_on_position ? rate_along_motion(zero) : zero;
  add_constraint_expression(info.is_on_position ? zero : nothing);
  add_constraint_expression(velocity);
  add_constraint_expression(rate_along_motion(velocity));
  if (!add_coefficients(condition, velocity, mark, path)) return;
  data_.constraint_terms += static_cast<int>(condition.speeds.size());
  condition.first_pair = data_.constraint_pairs;
  data_.constraint_pairs += std::max(0, static_cast<int>(condition.cut_joints.size()) - 1);
  data_.conditions.push_back(std::move(condition));
  ++info.rows;
}

}  // namespace sestina
