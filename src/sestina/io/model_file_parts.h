// The reading functions of the parts of a model file, each of which fills its part of a System.
#pragma once

#include "sestina/io/model_file_reader.h"

namespace sestina {

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, BodySpec& out);
// Reads the keys of a body of type `beam` other than its name.
void read_beam(ReadContext& context, const MapReader& map, BodySpec& out);
// Reads the keys of a body of type `reduced` other than its name, and its file.
void read_reduced(ReadContext& context, const MapReader& map, BodySpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, JointSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, ForceSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, ConstraintSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, ContactSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, StateSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, EventSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path,
                std::vector<VariableSpec>& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, AnalysisSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path,
                std::vector<ColumnSpec>& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, OutputSpec& out);

// Calls add(name) for each entry of a map of names to numbers, and reads the number into the result.
template <class F>
void read_numbers_by_name(ReadContext& context, const YamlNode& node, const NodePath& path, F&& add) {
  if (!node.is_map()) {
    context.fault(node, path, "expected a map of names to numbers, found " + describe(node));
    context.lose_names();
    return;
  }
  for (const YamlEntry& entry : node.entries) {
    Name name(entry.key);
    name.mark = entry.mark;
    Number& value = add(std::move(name));
    if (!read_number(context, *entry.value, path / entry.key, value)) context.lose_names();
  }
}

// The shapes under a key: a map, or a list of maps.
void read_shapes(ReadContext& context, const MapReader& map, const char* key, std::vector<ShapeSpec>& shapes);

// Reads the whole file. Throws InputError at once if it has another version.
System read_system(ReadContext& context, const YamlNode& root);

}  // namespace sestina
