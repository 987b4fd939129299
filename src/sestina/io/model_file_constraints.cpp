// Constraints.
#include "sestina/io/model_file_parts.h"

namespace sestina {

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, ConstraintSpec& out) {
  const MapReader map(context, node, path, keys_of("constraint", type_of(node)));
  out.mark = node.mark;
  map.read("name", out.name);
  map.read("type", out.type);
  map.read("level", out.level);
  map.read("from", out.from);
  map.read("to", out.to);
  map.read("length", out.length);
  if (const YamlNode* coefficients = map.find("coefficients")) {
    read_numbers_by_name(
        context, *coefficients, map.path_of("coefficients"), [&](Name coordinate) -> Number& {
          return out.coefficients.emplace_back(CouplingTerm{std::move(coordinate), {}}).coefficient;
        });
  }
  map.read("joint", out.joint);
  map.read("value", out.value);
  out.value_mark = map.mark_of("value");
  map.read("zero", out.zero);
  map.read("point", out.point);
  map.read("line", out.line);
  map.read("plane", out.plane);
  map.read("axis", out.axis);
  map.read("normal", out.normal);
}

}  // namespace sestina
