// Checks the form of names, their uniqueness, and reserved words.
#include <fmt/format.h>

#include <cctype>
#include <set>

#include "sestina/expression/function.h"
#include "sestina/model/column_collector.h"
#include "sestina/model/freezer.h"
#include "sestina/model/names.h"

namespace sestina {

bool is_identifier(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 128 || (std::isalnum(byte) == 0 && c != '_')) return false;
  }
  return true;
}

bool is_reserved_name(std::string_view name) {
  static const std::set<std::string, std::less<>> words = [] {
    std::set<std::string, std::less<>> all{"ground", "origin", "t",     "pi",         "q",
                                           "u",      "energy", "event", "constraints"};
    for (const std::string& word : reserved_words()) all.insert(word);
    return all;
  }();
  return words.find(name) != words.end();
}

namespace {

std::string fault_of_name(const std::string& name) {
  if (name.empty()) return "a name is missing";
  if (!is_identifier(name)) {
    return fmt::format("'{}' is not a name: letters, digits and _ are allowed, and no digit at the start",
                       name);
  }
  if (is_reserved_name(name)) return fmt::format("'{}' is reserved", name);
  return {};
}

}  // namespace

void Freezer::check_name(const Name& name, const std::string& path, std::map<std::string, std::string>& taken,
                         const std::string& owner) {
  const std::string fault = fault_of_name(name.text);
  if (!fault.empty()) {
    fail(name.mark, path, fault);
    return;
  }
  const auto [other, is_new] = taken.emplace(name.text, path);
  if (!is_new) {
    fail(name.mark, path, fmt::format("the name '{}'{} is taken by {}", name.text, owner, other->second));
  }
}

void Freezer::check_point_names(const std::vector<PointSpec>& points, const std::string& path) {
  std::set<std::string> taken;
  for (const PointSpec& point : points) {
    const std::string point_path = path + ".points." + point.name.text;
    if (point.name == "origin") {
      fail(point.name.mark, point_path, "every body has the point 'origin' already");
    } else if (!is_identifier(point.name.text)) {
      fail(point.name.mark, point_path, fault_of_name(point.name.text));
    } else if (!taken.insert(point.name.text).second) {
      fail(point.name.mark, point_path, fmt::format("the point '{}' already exists", point.name.text));
    }
  }
}

void Freezer::check_names() {
  std::map<std::string, std::string> taken;
  for (const ParameterSpec& parameter : system_.parameters) {
    check_name(parameter.name, "parameters." + parameter.name.text, taken);
  }
  for (const VariableSpec& variable : system_.variables) {
    check_name(variable.name, "variables." + variable.name.text, taken);
  }
  const auto check_first = [&](const auto& specs, std::size_t count, const char* kind) {
    for (std::size_t i = 0; i < count; ++i) {
      Name name = specs[i].name;
      if (name.mark.line == 0) name.mark = specs[i].mark;
      check_name(name, fmt::format("{}[{}].name", kind, i), taken);
    }
  };
  const auto check_all = [&](const auto& specs, const char* kind) { check_first(specs, specs.size(), kind); };
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    Name name = system_.bodies[i].name;
    if (name.mark.line == 0) name.mark = system_.bodies[i].mark;
    const auto position = static_cast<int>(i);
    const bool is_made = beam_of_node_.contains(position) || is_mode(position);
    check_name(name, fmt::format("bodies[{}].name", described_position(position)), taken,
               is_made ? ", made for a node or a mode of this body," : "");
  }
  for (const BeamLayout& beam : beams_) {
    check_name(beam.body.name, fmt::format("bodies[{}].name", beam.position), taken);
  }
  check_all(system_.joints, "joints");
  check_all(system_.forces, "forces");
  check_all(system_.constraints, "constraints");
  check_all(system_.contacts, "contacts");
  const auto check_shapes = [&](const std::vector<ShapeSpec>& shapes, const std::string& path) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (!shapes[i].name.empty()) check_name(shapes[i].name, fmt::format("{}[{}].name", path, i), taken);
    }
  };
  check_shapes(system_.ground_shapes, "ground.shapes");
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    check_shapes(system_.bodies[i].shapes, fmt::format("bodies[{}].shapes", i));
  }
  check_first(system_.states, described_states_, "states");
  check_all(system_.events, "events");
  for (const ColumnSpec& column : system_.output.columns) {
    const std::string path = "output.columns." + column.name.text;
    if (const std::string fault = find_fault_of_column_name(column.name.text); !fault.empty()) {
      fail(column.name.mark, path, fault);
    } else if (const auto [other, is_new] = taken.emplace(column.name.text, path); !is_new) {
      fail(column.name.mark, path, fmt::format("the name '{}' is taken by {}", other->first, other->second));
    }
  }
  check_point_names(system_.ground_points, "ground");
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    if (is_node(static_cast<int>(i))) continue;
    check_point_names(system_.bodies[i].points, fmt::format("bodies[{}]", i));
  }
}

}  // namespace sestina
