// Constraints.
#include "sestina/io/model_file_parts.h"
#include "sestina/io/table_file.h"

namespace sestina {
namespace {

// Points of a curve by its parameter s, from a file.
void read_curve_table(ReadContext& context, const YamlNode& node, const NodePath& path, TableSpec& out) {
  const MapReader map(context, node, path, keys_of("curve_table"));
  out.mark = node.mark;
  out.interpolation = "spline";
  map.read("table", out.file);
  if (const YamlNode* columns = map.find("columns")) {
    for_each_item(context, *columns, map.path_of("columns"),
                  [&](const YamlNode& item, const NodePath& item_path) {
                    sestina::read_value(context, item, item_path, out.columns.emplace_back());
                  });
  }
  if (!out.file.empty()) {
    load_table(context, map.path_of("table"), map.path_of("columns"), out, kCurveKey);
  }
}

}  // namespace

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
  map.read("curve", out.curve);
  out.position_mark = map.mark_of("position");
  if (const YamlNode* position = map.find("position")) {
    if (position->is_map()) {
      read_curve_table(context, *position, map.path_of("position"), out.table.emplace());
    } else {
      sestina::read_value(context, *position, map.path_of("position"), out.position);
    }
  }
  map.read("range", out.range);
  out.range_mark = map.mark_of("range");
  map.read("periodic", out.periodic);
  map.read("start", out.start);
  map.read("beam", out.beam);
  map.read("body", out.body);
  map.read("radius", out.radius);
}

}  // namespace sestina
