#include "sestina/model/expand_hydraulics.h"

#include <algorithm>

namespace sestina {
namespace {

bool is_hydraulic(const ForceSpec& force) { return force.type == "hydraulic_actuator"; }

std::string body_of(const Name& reference) { return reference.text.substr(0, reference.text.find('.')); }

bool has_point(const std::vector<PointSpec>& points, const std::string& point) {
  return point == "origin" ||
         std::ranges::any_of(points, [&](const PointSpec& p) { return p.name == point; });
}

bool has_point(const ExpandedSystem& expanded, const Name& reference) {
  const System& system = expanded.system;
  const std::size_t dot = reference.text.find('.');
  if (dot == std::string::npos) return false;
  const std::string body = body_of(reference), point = reference.text.substr(dot + 1);
  if (body == "ground") return has_point(system.ground_points, point);
  for (const BeamLayout& beam : expanded.beams) {
    const auto is_it = [&](const auto& own) { return own.first == point; };
    if (beam.name == body) return std::ranges::any_of(beam.points, is_it);
  }
  const auto is_it = [&](const BodySpec& b) { return b.name.text == body && has_point(b.points, point); };
  return std::ranges::any_of(system.bodies, is_it);
}

void add_state(System& system, const ForceSpec& force, const char* pressure,
               const std::optional<Number>& start) {
  StateSpec& state = system.add_state(force.name.text + pressure, 0, start.value_or(Number(0)));
  state.unit = "Pa";
  state.mark = force.mark;
}

}  // namespace

bool has_hydraulics(const System& system) { return std::ranges::any_of(system.forces, is_hydraulic); }

void expand_hydraulics(ExpandedSystem& expanded) {
  System& system = expanded.system;
  for (std::size_t i = 0; i < system.forces.size(); ++i) {
    const ForceSpec& force = system.forces[i];
    if (!is_hydraulic(force) || !has_point(expanded, force.from) || !has_point(expanded, force.to)) continue;
    if (body_of(force.from) == body_of(force.to)) continue;
    expanded.hydraulics.push_back({static_cast<int>(i), static_cast<int>(system.states.size())});
    JointSpec& line = system.add_joint(name_of_line(force.name.text), "free", force.from, force.to);
    line.cut = true;
    line.mark = force.mark;
    add_state(system, force, ".p1", force.initial_p1);
    add_state(system, force, ".p2", force.initial_p2);
    // Its values are the valves' openings, three components, length and force.
    const std::size_t valves = force.table ? force.table->values.size() : force.value.size();
    const auto value = [&](std::size_t k) {
      return Number(force.name.text + ".value[" + std::to_string(valves + k) + "]");
    };
    system.add_column(force.name.text + ".length", value(3), "m");
    system.add_column(force.name.text + ".force", value(4), "N");
  }
}

std::string name_of_line(const std::string& actuator) { return actuator + "_line"; }

}  // namespace sestina
