// Hydraulic actuators: their constants, and their equations with symbols.
#include <fmt/format.h>

#include <algorithm>

#include "sestina/expression/expression.h"
#include "sestina/forces/hydraulic_actuator.h"
#include "sestina/model/collect_numbers.h"
#include "sestina/model/expand_hydraulics.h"

namespace sestina {
namespace {

constexpr double kLaminarPressure = 1000.0;  // Pa, if none is given

}  // namespace

void Freezer::collect_hydraulic_actuator(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  const std::size_t faults = faults_.size();
  PointIndex from, to;
  find_ends(spec, path, from, to);
  ForceSpec constants = spec;  // without the numbers that belong to the states
  constants.initial_p1.reset(), constants.initial_p2.reset();
  collect_numbers<HydraulicActuator>(constants, path);
  const auto require = [&](const std::optional<Number>& number, const char* key) {
    if (!number) fail(spec.mark, fmt::format("{}.{}", path, key), "is missing: expected a positive number");
  };
  require(spec.head_area, "head_area"), require(spec.stroke, "stroke");
  require(spec.head_volume, "head_volume"), require(spec.rod_volume, "rod_volume");
  require(spec.bulk_modulus, "bulk_modulus");
  const Slot damping = collect_one(spec.damping, spec.damping_mark, path + ".damping");
  const std::size_t valves = spec.table ? spec.table->values.size() : spec.value.size();
  if (valves > 2) {
    fail(spec.value_mark.line > 0 ? spec.value_mark : spec.mark, path + ".value",
         fmt::format("has {} values; expected the opening of one valve, or of the valves of both chambers",
                     valves));
    return;
  }
  const int first = collect_values(spec, index, valves == 2 ? 2 : 1, path);
  const auto layout = std::ranges::find(hydraulics_, index.value(), &HydraulicLayout::force);
  if (faults_.size() > faults || layout == hydraulics_.end()) return;
  if (damping.is_given()) data_.plan.spring_dampers.push_back({index, from, to, {}, damping, {}});
  add_hydraulic_equations(spec, index, *layout, first);
}

// Adds the rates of the pressures, and as force expressions the force on the line, its length and the thrust.
void Freezer::add_hydraulic_equations(const ForceSpec& spec, ForceIndex index, const HydraulicLayout& layout,
                                      int first) {
  const std::optional<FoundJoint> line = find_joint(name_of_line(spec.name.text));
  if (!line) return;
  const auto constant = [&](const Number& number) {
    return Expression(*graph_, numbers_.parse_text(number, "", [](std::string_view) { return Expr(); }));
  };
  HydraulicActuator<Expression> law;
  copy_force_numbers(spec, law, [&](const std::optional<Number>& number) {
    return number ? constant(*number) : Expression(0);
  });
  if (!spec.laminar_pressure) law.laminar_pressure = kLaminarPressure;

  Expression squared = 0, product = 0;
  std::array<Expression, 3> position;
  for (int i = 0; i < 3; ++i) {
    const Expression p = symbol(*graph_, q_name(line->q_start + i));
    position[static_cast<std::size_t>(i)] = p;
    squared += p * p, product += p * symbol(*graph_, u_name(line->u_start + 3 + i));
  }
  HydraulicActuator<Expression>::Input in;
  in.length = sqrt(squared), in.rate = product / in.length;
  const auto valve = [&](int i) {
    return Expression(*graph_, data_.force_expressions.exprs[static_cast<std::size_t>(first + i)]);
  };
  const bool has_two_valves = (spec.table ? spec.table->values.size() : spec.value.size()) == 2;
  in.v1 = valve(0), in.v2 = has_two_valves ? valve(1) : -valve(0);
  in.now.p1 = symbol(*graph_, spec.name.text + ".p1"), in.now.p2 = symbol(*graph_, spec.name.text + ".p2");
  const auto rates = law.rates(in);
  element_rates_.emplace(layout.state, rates.p1.in(*graph_));
  element_rates_.emplace(layout.state + 1, rates.p2.in(*graph_));

  const Expression thrust = law.thrust(in.now);
  const auto add = [&](const Expression& value) {
    data_.force_expressions.add(value.in(*graph_));
    data_.force_of_expression.push_back(index);
    return static_cast<int>(data_.force_expressions.exprs.size()) - 1;
  };
  for (int i = 0; i < 3; ++i) {
    const Expression component = thrust * position[static_cast<std::size_t>(i)] / in.length;
    data_.plan.joint_forces.push_back({index, line->u_start + 3 + i, add(component)});
  }
  add(in.length);
  Expression resistance = 0;
  if (!spec.damping.empty()) resistance = constant(spec.damping[0]) * in.rate;
  add(thrust - resistance);  // (7)
}

}  // namespace sestina
