// Discrete variables, states with a rate, and events.
#include "sestina/io/model_file_parts.h"

namespace sestina {
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path,
                std::vector<VariableSpec>& out) {
  read_numbers_by_name(context, node, path, [&](Name name) -> Number& {
    return out.emplace_back(VariableSpec{std::move(name), {}}).value;
  });
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, StateSpec& out) {
  const MapReader map(context, node, path, keys_of("state"));
  out.mark = node.mark;
  map.read("name", out.name);
  map.read("rate", out.rate);
  map.read("start", out.start);
  map.read("unit", out.unit);
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, EventSpec& out) {
  const MapReader map(context, node, path, keys_of("event"));
  out.mark = node.mark;
  map.read("name", out.name);
  map.read("when", out.when);
  map.read("direction", out.direction);
  map.read("terminal", out.terminal);
  if (const YamlNode* set = map.find("set")) {
    read_numbers_by_name(context, *set, map.path_of("set"), [&](Name target) -> Number& {
      return out.set.emplace_back(AssignmentSpec{std::move(target), {}}).value;
    });
  }
  map.read("tolerance", out.tolerance);
}

}  // namespace sestina
