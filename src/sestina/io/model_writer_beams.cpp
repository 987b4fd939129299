#include <algorithm>

#include "sestina/io/map_writer.h"

namespace sestina {
namespace {

// Rows of a matrix, in brackets each.
YamlPointer rows_node(const Numbers& numbers, std::size_t columns) {
  Node rows = make_node(YamlNode::Kind::kList);
  for (std::size_t i = 0; i < numbers.size(); i += columns) {
    Node row = make_node(YamlNode::Kind::kList);
    for (std::size_t j = i; j < std::min(i + columns, numbers.size()); ++j) {
      row->items.push_back(to_node(numbers[j]));
    }
    rows->items.push_back(row);
  }
  return rows;
}

YamlPointer centerline_node(const CenterlineSpec& line) {
  MapWriter map;
  map.write("from", line.from);
  map.write("to", line.to);
  if (!line.points.empty()) {
    Node points = make_node(YamlNode::Kind::kList);
    for (const Triple& point : line.points) points->items.push_back(to_node(point));
    map.add("points", points);
  }
  map.write_unless_empty("curve", line.curve);
  map.write("length", line.length);
  return map.node();
}

}  // namespace

void write_beam(const BeamSpec& beam, MapWriter& map) {
  map.write_unless("geometrically_exact", "formulation", beam.formulation);
  map.add("centerline", centerline_node(beam.centerline));
  if (!is(beam.up[0], 0.0) || !is(beam.up[1], 0.0) || !is(beam.up[2], 1.0)) map.write("up", beam.up);
  map.write_unless(0.0, "twist", beam.twist);
  map.write_unless(16.0, "elements", beam.elements);
  map.write_unless(0.0, "pretension", beam.pretension);
  if (beam.precurved) map.add("precurved", yes_node());
  if (beam.closed) map.add("closed", yes_node());
  map.write("velocity", beam.velocity);
  map.write("angular_velocity", beam.angular_velocity);
  MapWriter section;
  section.write_unless_empty("rectangle", beam.section.rectangle);
  section.write_unless_empty("circle", beam.section.circle);
  section.write_unless_empty("tube", beam.section.tube);
  const std::pair<const char*, const std::optional<Number>&> of_section[] = {
      {"EA", beam.section.EA},   {"GAy", beam.section.GAy},   {"GAz", beam.section.GAz},
      {"GJ", beam.section.GJ},   {"EIy", beam.section.EIy},   {"EIz", beam.section.EIz},
      {"EI", beam.section.EI},   {"mass", beam.section.mass}, {"Ixx", beam.section.Ixx},
      {"Iyy", beam.section.Iyy}, {"Izz", beam.section.Izz}};
  for (const auto& [key, number] : of_section) section.write(key, number);
  if (!beam.section.stiffness.empty()) section.add("stiffness", rows_node(beam.section.stiffness, 6));
  map.add("section", section.node());
  MapWriter material;
  material.write("E", beam.material.E);
  material.write("nu", beam.material.nu);
  material.write("density", beam.material.density);
  material.write_unless(0.0, "damping", beam.material.damping);
  material.write_unless_empty("shear", beam.material.shear);
  map.add_unless_empty("material", material);
}

}  // namespace sestina
