// The parts of a model file, each read into its part of a System.
#pragma once

#include "sestina/io/model_file_reader.h"

namespace sestina {

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, BodySpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, JointSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, ForceSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, EventSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path,
                std::vector<VariableSpec>& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, AnalysisSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path,
                std::vector<ColumnSpec>& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, OutputSpec& out);

// The whole file. Throws InputError at once when it is of another version.
System read_system(ReadContext& context, const YamlNode& root);

}  // namespace sestina
