// Collects force elements, their points and joints, their constants and their expressions.
#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/suggest.h"
#include "sestina/forces/joint_forces.h"
#include "sestina/forces/point_forces.h"
#include "sestina/forces/spring_damper.h"
#include "sestina/model/collect_numbers.h"

namespace sestina {
namespace {

const std::vector<std::string>& force_types() {
  static const std::vector<std::string> types{"joint_spring",
                                              "joint_damper",
                                              "joint_force",
                                              "spring_damper",
                                              "point_force",
                                              "point_torque",
                                              "bushing",
                                              "cartesian_spring",
                                              "torsional_spring_damper",
                                              "coordinate_friction",
                                              "rope",
                                              "gravity_between",
                                              "belt_contact",
                                              "hydraulic_actuator",
                                              "second_order",
                                              "lugre_friction",
                                              "line_force",
                                              "sliding_force"};
  return types;
}

}  // namespace

void Freezer::collect_forces() {
  for (std::size_t i = 0; i < system_.forces.size(); ++i) {
    const ForceSpec& spec = system_.forces[i];
    const std::string path = fmt::format("forces[{}]", i);
    const ForceIndex index = data_.forces.push_back({spec.name.text, spec.type.text});
    if (spec.type == "joint_spring") {
      collect_joint_spring(spec, index, path);
    } else if (spec.type == "joint_damper") {
      collect_joint_damper(spec, index, path);
    } else if (spec.type == "joint_force") {
      collect_joint_force(spec, index, path);
    } else if (spec.type == "spring_damper") {
      collect_spring_damper(spec, index, path);
    } else if (spec.type == "point_force" || spec.type == "point_torque") {
      collect_point_force(spec, index, path);
    } else if (spec.type == "user" && spec.user) {
      if (is_cartesian()) {
        fail(spec.mark, path,
             fmt::format("{} is a user force, which reads coordinates of joints: take relative coordinates",
                         spec.name.text));
      }
      data_.user_forces.push_back({index, spec.user});
    } else if (!collect_connector(spec, index, path)) {
      fail(spec.type.mark, path + ".type",
           fmt::format("there is no force type '{}'{}", spec.type.text,
                       suggestion(spec.type.text, force_types())));
    }
  }
}

std::vector<std::string> Freezer::joints_to_suggest() const {
  return names_to_suggest(
      std::span(data_.bodies.begin() + 1, data_.bodies.end()),
      [](const BodyInfo& body) { return body.joint_name; },
      names_to_suggest(data_.cut_joints, [](const CutJointInfo& cut) { return cut.name; }));
}

Freezer::FoundJoint Freezer::describe_joint(const BodyInfo& body) const {
  return {body.joint_name, body.joint_type, body.q_start, body.nq, body.u_start, body.nu, -1};
}

Freezer::FoundJoint Freezer::describe_cut_joint(std::size_t cut) const {
  const CutJointInfo& info = data_.cut_joints[cut];
  return {info.name,
          info.type,
          data_.nq + info.q_start,
          info.nq,
          data_.nu + info.u_start,
          info.nu,
          static_cast<int>(cut)};
}

std::optional<Freezer::FoundJoint> Freezer::find_joint(const std::string& name) const {
  const auto found = joint_index_.find(name);
  if (found != joint_index_.end()) return describe_joint(data_.bodies[found->second]);
  const auto cut = cut_index_.find(name);
  if (cut != cut_index_.end()) return describe_cut_joint(cut->second);
  return {};
}

const std::string& Freezer::q_name(int index) const {
  return index < data_.nq ? data_.q_names[static_cast<std::size_t>(index)]
                          : data_.cut_q_names[static_cast<std::size_t>(index - data_.nq)];
}

const std::string& Freezer::u_name(int index) const {
  return index < data_.nu ? data_.u_names[static_cast<std::size_t>(index)]
                          : data_.cut_u_names[static_cast<std::size_t>(index - data_.nu)];
}

std::optional<Freezer::FoundJoint> Freezer::find_joint(const Name& joint, const std::string& path) {
  if (is_left_out(joint.text)) return {};  // forces on such joints are no further fault
  std::optional<FoundJoint> found = find_joint(joint.text);
  if (!found) {
    fail(joint.mark, path,
         joint.empty() ? std::string("is missing")
                       : fmt::format("there is no joint '{}'{}", joint.text,
                                     suggestion(joint.text, joints_to_suggest())));
  }
  return found;
}

// Returns one slot for each of `wanted` components, from one number for all or a list.
std::vector<Slot> Freezer::collect_constants(const std::vector<Number>& given, int wanted, bool is_required,
                                             const Mark& mark, const std::string& path,
                                             const FoundJoint& joint) {
  std::vector<Slot> slots(static_cast<std::size_t>(wanted));
  if (given.empty()) {
    if (is_required) fail(mark, path, "is missing");
    return slots;
  }
  if (given.size() == 1) {
    const Slot slot = numbers_.next();
    numbers_.add(given[0], path);
    std::fill(slots.begin(), slots.end(), slot);
    return slots;
  }
  if (static_cast<int>(given.size()) != wanted) {
    fail(mark, path,
         fmt::format("has {} numbers; joint '{}' has {}", given.size(), joint.joint_name, wanted));
    return slots;
  }
  const Slot first = numbers_.add_list(given, path);
  for (int k = 0; k < wanted; ++k) slots[static_cast<std::size_t>(k)] = {first.first + k};
  return slots;
}

void Freezer::collect_joint_spring(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  const std::optional<FoundJoint> joint = find_joint(spec.joint, path + ".joint");
  if (!joint) return;
  if (joint->nq != joint->nu) {
    fail(spec.joint.mark, path + ".joint",
         fmt::format("'{}' is {}: its orientation has no single reference; use point_torque or joint_force",
                     joint->joint_name, joint_info(joint->joint_type).keyword));
    return;
  }
  const auto k =
      collect_constants(spec.stiffness, joint->nu, false, spec.stiffness_mark, path + ".stiffness", *joint);
  const auto reference =
      collect_constants(spec.reference, joint->nu, false, spec.reference_mark, path + ".reference", *joint);
  const ForceNumbers<Slot> numbers = collect_numbers<JointSpring>(spec, path);
  for (int i = 0; i < joint->nu; ++i) {
    const auto c = static_cast<std::size_t>(i);
    data_.plan.joint_springs.push_back(
        {index, joint->q_start + i, joint->u_start + i, k[c], reference[c], numbers});
  }
}

void Freezer::collect_joint_damper(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  const std::optional<FoundJoint> joint = find_joint(spec.joint, path + ".joint");
  if (!joint) return;
  if (joint->nq != joint->nu) {
    fail(spec.joint.mark, path + ".joint",
         fmt::format("'{}' is {}; joint_damper takes joints whose u is the rate of q; use joint_force",
                     joint->joint_name, joint_info(joint->joint_type).keyword));
    return;
  }
  const auto d =
      collect_constants(spec.damping, joint->nu, false, spec.damping_mark, path + ".damping", *joint);
  const ForceNumbers<Slot> numbers = collect_numbers<JointDamper>(spec, path);
  for (int i = 0; i < joint->nu; ++i) {
    data_.plan.joint_dampers.push_back({index, joint->u_start + i, d[static_cast<std::size_t>(i)], numbers});
  }
}

void Freezer::collect_joint_force(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  const std::optional<FoundJoint> joint = find_joint(spec.joint, path + ".joint");
  if (!joint) return;
  if (joint->nu == 0) {
    fail(spec.joint.mark, path + ".joint", fmt::format("'{}' is a weld and has no speed", joint->joint_name));
    return;
  }
  collect_numbers<JointForce>(spec, path);
  const int first = collect_values(spec, index, joint->nu, path);
  for (int i = 0; i < joint->nu; ++i)
    data_.plan.joint_forces.push_back({index, joint->u_start + i, first + i});
}

void Freezer::collect_spring_damper(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  SpringDamperPlan plan;
  plan.index = index;
  plan.from = find_point(spec.from, path + ".from");
  plan.to = find_point(spec.to, path + ".to");
  if (plan.from.is_valid() && plan.from == plan.to) {
    fail(spec.to.mark, path + ".to", "is the same point as 'from': the spring has no length");
  }
  plan.stiffness = collect_one(spec.stiffness, spec.stiffness_mark, path + ".stiffness");
  plan.damping = collect_one(spec.damping, spec.damping_mark, path + ".damping");
  plan.numbers = collect_numbers<SpringDamper>(spec, path);
  data_.plan.spring_dampers.push_back(plan);
}

void Freezer::collect_point_force(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  PointForcePlan plan{};
  plan.index = index;
  plan.is_torque = spec.type == "point_torque";
  plan.in_body_axes = spec.axes == "body";
  plan.at = plan.is_torque || plan.in_body_axes ? find_frame(spec.at, path + ".at")
                                                : find_point(spec.at, path + ".at");
  collect_numbers<PointForce>(spec, path);
  if (spec.axes.text != "body" && spec.axes.text != "ground") {
    fail(spec.axes.mark, path + ".axes",
         fmt::format("'{}' is unknown; allowed: ground or body", spec.axes.text));
  }
  plan.expression = collect_values(spec, index, 3, path);
  data_.plan.point_forces.push_back(plan);
}

int Freezer::collect_values(const ForceSpec& spec, ForceIndex index, int wanted, const std::string& path) {
  const int first = static_cast<int>(data_.force_expressions.exprs.size());
  if (spec.table) return collect_table(spec, index, wanted, path);
  if (static_cast<int>(spec.value.size()) != wanted) {
    fail(spec.value_mark.line > 0 ? spec.value_mark : spec.mark, path + ".value",
         spec.value.empty() ? fmt::format("is missing: expected {}", wanted)
                            : fmt::format("has {} values; expected {}", spec.value.size(), wanted));
  }
  for (std::size_t i = 0; i < spec.value.size(); ++i) {
    const std::string value_path = wanted == 1 ? path + ".value" : fmt::format("{}.value[{}]", path, i);
    collect_expression(spec.value[i], value_path, data_.force_expressions);
    data_.force_of_expression.push_back(index);
  }
  return first;
}

int Freezer::collect_table(const ForceSpec& spec, ForceIndex index, int wanted, const std::string& path) {
  const TableSpec& table = *spec.table;
  const int first = static_cast<int>(data_.force_expressions.exprs.size());
  if (table.interpolation.text != "linear" && table.interpolation.text != "cubic") {
    fail(table.interpolation.mark, path + ".value.interpolation",
         fmt::format("'{}' is unknown; allowed: linear or cubic", table.interpolation.text));
    return first;
  }
  if (static_cast<int>(table.values.size()) != wanted) {
    fail(table.mark, path + ".value.columns",
         fmt::format("names {} columns; expected {}", table.values.size(), wanted));
    return first;
  }
  const auto interpolation = table.interpolation == "cubic" ? Interpolation::kPchip : Interpolation::kLinear;
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    try {
      const TableId id = graph_->add_table(fmt::format("{}_table{}", spec.name.text, i),
                                           Table(table.time, table.values[i], interpolation));
      data_.force_expressions.add(graph_->table(id, graph_->symbol("t")));
      data_.force_of_expression.push_back(index);
    } catch (const InputError& error) {
      fail(table.mark, path + ".value", error.what());
    }
  }
  return first;
}

// Fault for ELEMENT.NAME if the force element has states, but none of this name.
std::optional<std::string> Freezer::explain_unknown_state(const std::string& name) const {
  const std::string element = name.substr(0, name.find('.') + 1);
  std::vector<std::string> known;
  for (const StateInfo& state : data_.states) {
    if (state.name.starts_with(element)) known.push_back(state.name);
  }
  if (known.empty()) return {};
  return fmt::format("there is no state '{}'{}", name, suggestion(name, known));
}

// Returns the symbol of `t`, a variable, `JOINT.q`, `JOINT.u`, `JOINT.q[i]`, or the text of a fault.
std::variant<Expr, std::string> Freezer::resolve_coordinate(const std::string& name) {
  if (name == "t" || is_variable(name)) return graph_->symbol(name);
  if (name.find('.') == std::string::npos) {
    const std::vector<std::string> known = names_to_suggest(
        data_.variables, [](const VariableInfo& variable) { return variable.name; },
        names_to_suggest(
            data_.states, [](const StateInfo& state) { return state.name; },
            names_to_suggest(numbers_.parameter_names(),
                             [](const std::string& parameter) { return parameter; })));
    return fmt::format("there is no parameter '{}'{}", name, suggestion(name, known));
  }
  const auto found = find_coordinate(name);
  if (const auto* fault = std::get_if<std::string>(&found))
    return explain_unknown_state(name).value_or(*fault);
  const auto& reference = std::get<CoordinateReference>(found);
  if (!reference.joint) return graph_->number(1.0);
  return graph_->symbol(reference.is_q ? q_name(reference.index) : u_name(reference.index));
}

std::variant<Freezer::CoordinateReference, std::string> Freezer::find_coordinate(
    const std::string& name) const {
  const std::size_t dot = name.find('.');
  const std::string joint_name = name.substr(0, dot);
  if (is_left_out(joint_name)) return CoordinateReference{};
  const std::optional<FoundJoint> found = find_joint(joint_name);
  if (!found) {
    return fmt::format("there is no joint '{}'{}", joint_name, suggestion(joint_name, joints_to_suggest()));
  }
  const FoundJoint& joint = *found;
  const std::string rest = name.substr(dot + 1);
  const bool is_q = rest.substr(0, 1) == "q", is_u = rest.substr(0, 1) == "u";
  const int count = is_q ? joint.nq : joint.nu;
  int component = 0;
  const bool has_component = rest.size() >= 4 && rest[1] == '[' && rest.back() == ']' && rest.size() < 8;
  if (has_component) component = std::atoi(rest.c_str() + 2);
  if ((!is_q && !is_u) || (rest.size() > 1 && !has_component)) {
    return fmt::format("'{}' is unknown: a joint has .q and .u", name);
  }
  if (!has_component && count != 1) {
    return fmt::format("joint '{}' has {} {}: say {}.{}[i]", joint_name, count,
                       is_q ? "coordinates" : "speeds", joint_name, is_q ? 'q' : 'u');
  }
  if (component < 0 || component >= count) {
    return fmt::format("'{}' is out of range: joint '{}' has {} {}", name, joint_name, count,
                       is_q ? "coordinates" : "speeds");
  }
  return CoordinateReference{joint, is_q, (is_q ? joint.q_start : joint.u_start) + component};
}

}  // namespace sestina
