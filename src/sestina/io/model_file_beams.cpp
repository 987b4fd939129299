// Beams: centerline, section, material and points.
#include "sestina/io/model_file_parts.h"

namespace sestina {
namespace {

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, CenterlineSpec& out) {
  const MapReader map(context, node, path, keys_of("centerline"));
  out.mark = node.mark;
  map.read("from", out.from);
  map.read("to", out.to);
  if (const YamlNode* points = map.find("points")) {
    for_each_item(context, *points, map.path_of("points"),
                  [&](const YamlNode& item, const NodePath& item_path) {
                    sestina::read_value(context, item, item_path, out.points.emplace_back());
                  });
  }
  map.read("curve", out.curve);
  map.read("length", out.length);
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, BeamSectionSpec& out) {
  const MapReader map(context, node, path, keys_of("beam_section"));
  out.mark = node.mark;
  map.read("rectangle", out.rectangle);
  map.read("circle", out.circle);
  map.read("tube", out.tube);
  map.read("EA", out.EA);
  map.read("GAy", out.GAy);
  map.read("GAz", out.GAz);
  map.read("GJ", out.GJ);
  map.read("EIy", out.EIy);
  map.read("EIz", out.EIz);
  map.read("EI", out.EI);
  map.read("mass", out.mass);
  map.read("Ixx", out.Ixx);
  map.read("Iyy", out.Iyy);
  map.read("Izz", out.Izz);
  const YamlNode* const rows = map.find("stiffness");
  if (rows == nullptr) return;
  const NodePath rows_path = map.path_of("stiffness");
  bool complete = rows->is_list() && rows->items.size() == 6;
  if (!complete) context.fault(*rows, rows_path, "expected 6 rows of 6 numbers");
  for (int i = 0; complete && i < 6; ++i) {
    const YamlNode& row = *rows->items[static_cast<std::size_t>(i)];
    complete = read_numbers(context, row, rows_path / i, 6, out.stiffness);
  }
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, BeamMaterialSpec& out) {
  const MapReader map(context, node, path, keys_of("beam_material"));
  out.mark = node.mark;
  map.read("E", out.E);
  map.read("nu", out.nu);
  map.read("density", out.density);
  map.read("damping", out.damping);
  map.read("shear", out.shear);
}

void read_points(ReadContext& context, const YamlNode& node, const NodePath& path,
                 std::vector<PointSpec>& out) {
  if (!node.is_map()) {
    context.fault(node, path, "expected a map of names to {at: ...}, found " + describe(node));
    context.lose_names();
    return;
  }
  for (const YamlEntry& entry : node.entries) {
    const NodePath point_path = path / entry.key;
    PointSpec& point = out.emplace_back();
    point.name = Name(entry.key);
    point.name.mark = entry.mark;
    const MapReader map(context, *entry.value, point_path, keys_of("beam_point"));
    map.read("at", point.at);
    if (!point.at) point.at = 0.0;  // the fault is reported
  }
}

}  // namespace

void read_beam(ReadContext& context, const MapReader& map, BodySpec& out) {
  BeamSpec& beam = out.beam.emplace();
  map.read("formulation", beam.formulation);
  if (const YamlNode* line = map.find("centerline")) {
    read_value(context, *line, map.path_of("centerline"), beam.centerline);
  }
  map.read("up", beam.up);
  map.read("twist", beam.twist);
  map.read("elements", beam.elements);
  map.read("pretension", beam.pretension);
  map.read("precurved", beam.precurved);
  map.read("closed", beam.closed);
  map.read("velocity", beam.velocity);
  map.read("angular_velocity", beam.angular_velocity);
  if (const YamlNode* section = map.find("section")) {
    read_value(context, *section, map.path_of("section"), beam.section);
  }
  if (const YamlNode* material = map.find("material")) {
    read_value(context, *material, map.path_of("material"), beam.material);
  }
  if (const YamlNode* points = map.find("points")) {
    read_points(context, *points, map.path_of("points"), out.points);
  }
}

}  // namespace sestina
