// Joints and force elements.
#include "sestina/io/model_file_parts.h"
#include "sestina/io/table_file.h"

namespace sestina {
namespace {

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, LimitsSpec& out) {
  const MapReader map(context, node, path, keys_of("limits"));
  out.mark = node.mark;
  map.read("lower", out.lower);
  map.read("upper", out.upper);
  map.read("velocity", out.velocity);
  map.read("effort", out.effort);
  map.read("enforced", out.enforced);
  map.read("restitution", out.restitution);
  map.read("stiffness", out.stiffness);
  map.read("damping", out.damping);
}

void read_names(ReadContext& context, const YamlNode& node, const NodePath& path, std::vector<Name>& out) {
  if (node.is_scalar()) {
    sestina::read_value(context, node, path, out.emplace_back());
    return;
  }
  for_each_item(context, node, path, [&](const YamlNode& item, const NodePath& item_path) {
    sestina::read_value(context, item, item_path, out.emplace_back());
  });
}

// Reads values over time from a file: the columns are stored, so that a System contains all data of a run.
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, TableSpec& out) {
  const MapReader map(context, node, path, keys_of("table"));
  out.mark = node.mark;
  map.read("table", out.file);
  if (const YamlNode* columns = map.find("columns")) {
    read_names(context, *columns, map.path_of("columns"), out.columns);
  }
  map.read("interpolation", out.interpolation);
  check_word(context, out.interpolation, map.path_of("interpolation"), "interpolation", {"linear", "cubic"});
  if (!out.file.empty()) {
    load_table(context, map.path_of("table"), map.path_of("columns"), out);
  }
}

}  // namespace

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, JointSpec& out) {
  const MapReader map(context, node, path, keys_of("joint", type_of(node)));
  out.mark = node.mark;
  map.read("name", out.name);
  map.read("type", out.type);
  map.read("parent", out.parent);
  map.read("child", out.child);
  map.read("axis", out.axis);
  map.read("second_axis", out.second_axis);
  for_each_joint_number([&](const NumberInfo& number, auto of) { map.read(number.name, of(out)); });
  map.read("armature", out.armature);
  map.read("q", out.q);
  map.read("u", out.u);
  out.q_mark = map.mark_of("q");
  out.u_mark = map.mark_of("u");
  map.read("cut", out.cut);
  map.read("hold", out.hold);
  if (const YamlNode* limits = map.find("limits")) {
    read_value(context, *limits, map.path_of("limits"), out.limits.emplace());
  }
  map.read("original_name", out.original_name);
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, ForceSpec& out) {
  const MapReader map(context, node, path, keys_of("force", type_of(node)));
  out.mark = node.mark;
  map.read("name", out.name);
  map.read("type", out.type);
  map.read("joint", out.joint);
  map.read("from", out.from);
  map.read("to", out.to);
  map.read("at", out.at);
  map.read("cable", out.cable);
  map.read("beam", out.beam);
  map.read("constraint", out.constraint);
  map.read("segments", out.segments);
  if (const YamlNode* points = map.find("points"))
    read_names(context, *points, map.path_of("points"), out.points);
  if (const YamlNode* names = map.find("coupled_to")) {
    read_names(context, *names, map.path_of("coupled_to"), out.coupled_to);
  }
  if (const YamlNode* names = map.find("coordinates")) {
    read_names(context, *names, map.path_of("coordinates"), out.coordinates);
  }
  map.read("mass_matrix", out.mass_matrix);
  map.read("initial", out.initial);
  map.read("initial_rates", out.initial_rates);
  map.read("unit", out.unit);
  out.mass_matrix_mark = map.mark_of("mass_matrix");
  out.initial_mark = map.mark_of("initial");
  out.initial_rates_mark = map.mark_of("initial_rates");
  map.read("axes", out.axes);
  map.read("stiffness", out.stiffness);
  map.read("damping", out.damping);
  map.read("reference", out.reference);
  map.read("rotational_stiffness", out.rotational_stiffness);
  map.read("rotational_damping", out.rotational_damping);
  map.read("stiffness_matrix", out.stiffness_matrix);
  map.read("damping_matrix", out.damping_matrix);
  out.rotational_stiffness_mark = map.mark_of("rotational_stiffness");
  out.rotational_damping_mark = map.mark_of("rotational_damping");
  out.stiffness_matrix_mark = map.mark_of("stiffness_matrix");
  out.damping_matrix_mark = map.mark_of("damping_matrix");
  map.read("axis", out.axis);
  for_each_force_number([&](const NumberInfo& number, auto of) { map.read(number.name, of(out)); });
  out.stiffness_mark = map.mark_of("stiffness");
  out.damping_mark = map.mark_of("damping");
  out.reference_mark = map.mark_of("reference");
  out.value_mark = map.mark_of("value");
  if (const YamlNode* value = map.find("value")) {
    if (value->is_map()) {
      read_value(context, *value, map.path_of("value"), out.table.emplace());
    } else {
      sestina::read_value(context, *value, map.path_of("value"), out.value);
    }
  }
}

}  // namespace sestina
