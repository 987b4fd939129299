// The top level of a model file, the analysis and the output.
#include <algorithm>

#include "sestina/io/model_file_parts.h"

namespace sestina {
namespace {

void check_version(const YamlNode& root) {
  const auto fail = [](const Mark& mark, const char* path, std::string message) {
    throw InputError({Fault{{mark, path}, std::move(message)}});
  };
  if (root.is_null()) fail(root.mark, "", "the file holds no model; one begins with `sestina: 1`");
  if (!root.is_map()) fail(root.mark, "", "expected a map with the keys of a model, found " + describe(root));
  const YamlEntry* version = root.find("sestina");
  if (!version) fail(root.mark, "", "the key 'sestina' is missing; a model file begins with `sestina: 1`");
  const YamlNode& value = *version->value;
  if (!value.is_scalar() || value.text != "1") {
    fail(value.mark, "sestina", describe(value) + " is not a version that this program reads; it reads 1");
  }
}

// Models of particles are read elsewhere.
void refuse_particles(const YamlNode& root) {
  const YamlEntry* particles = root.find("particles");
  if (!particles) return;
  throw InputError(
      {Fault{{particles->mark, "particles"},
             "a model of particles can be run (`sestina run`; in Python run_particles, load_particles), and "
             "nothing else; this is for models of bodies"}});
}

void read_parameters(ReadContext& context, const YamlNode& node, const NodePath& path,
                     std::vector<ParameterSpec>& out) {
  if (!node.is_map()) {
    context.fault(node, path, "expected a map of names to numbers, found " + describe(node));
    context.lose_names();
    return;
  }
  for (const YamlEntry& entry : node.entries) {
    ParameterSpec& parameter = out.emplace_back();
    parameter.name = Name(entry.key);
    parameter.name.mark = entry.mark;
    const bool is_read = read_number(context, *entry.value, path / entry.key, parameter.value);
    if (!is_read) context.lose_names();  // expressions that use it would fail
  }
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, StepSpec& out) {
  const MapReader map(context, node, path, keys_of("step"));
  out.mark = node.mark;
  map.read("driver", out.driver);
  map.read("dt", out.dt);
  map.read("rtol", out.rtol);
  map.read("atol", out.atol);
  map.read("max_step", out.max_step);
  map.read("control", out.control);
  map.read("land_on_output", out.land_on_output);
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, RunLimitsSpec& out) {
  const MapReader map(context, node, path, keys_of("run_limits"));
  out.mark = node.mark;
  map.read("steps", out.steps);
  map.read("wall_time", out.wall_time);
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, FrequenciesSpec& out) {
  const MapReader map(context, node, path, keys_of("frequencies"));
  out.mark = node.mark;
  map.read("from", out.from);
  map.read("to", out.to);
  map.read("points", out.points);
}

// Elements in time instead of an integration rule: chosen by the coordinates, or by their keys without a
// name.
bool has_time_elements(const YamlNode& node, const Name& coordinates) {
  if (coordinates == "state_time") return true;
  if (node.find("name")) return false;
  const std::vector<std::string>& keys = keys_of("time_elements").allowed;
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return node.find(key); });
}

void read_time_elements(ReadContext& context, const YamlNode& node, const NodePath& path,
                        TimeElementsSpec& out) {
  const MapReader map(context, node, path, keys_of("time_elements"));
  out.mark = node.mark;
  map.read("elements", out.elements);
  map.read("pair", out.pair);
  map.read("tests", out.tests);
  map.read("scheme", out.scheme);
  map.read("windows", out.windows);
  map.read("tolerance", out.tolerance);
  map.read("stretches", out.stretches);
}

template <class Specs>
void read_list(ReadContext& context, const MapReader& map, const char* key, Specs& specs) {
  const YamlNode* node = map.find(key);
  if (!node) return;
  for_each_item(context, *node, map.path_of(key), [&](const YamlNode& item, const NodePath& path) {
    sestina::read_value(context, item, path, specs.emplace_back());
  });
}

}  // namespace

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, AnalysisSpec& out) {
  const MapReader map(context, node, path, keys_of("analysis"));
  map.read("type", out.type);
  map.read("coordinates", out.coordinates);
  map.read("solver", out.solver);
  if (const YamlNode* integrator = map.find("integrator")) {
    const NodePath integrator_path = map.path_of("integrator");
    if (integrator->is_map()) {
      if (has_time_elements(*integrator, out.coordinates)) {
        read_time_elements(context, *integrator, integrator_path, out.time_elements.emplace());
      } else {
        const MapReader options(context, *integrator, integrator_path, keys_of("integrator"));
        options.read("name", out.integrator.name);
        options.read("stages", out.integrator.stages);
        options.read("form", out.integrator.form);
        options.read("spectral_radius", out.integrator.spectral_radius);
      }
    } else {
      read_value(context, *integrator, integrator_path, out.integrator.name);
    }
  }
  if (const YamlNode* step = map.find("step")) read_value(context, *step, map.path_of("step"), out.step);
  if (const YamlNode* limits = map.find("limits")) {
    read_value(context, *limits, map.path_of("limits"), out.limits);
  }
  map.read("duration", out.duration);
  map.read("load_steps", out.load_steps);
  map.read("arc_length", out.arc_length);
  map.read("about", out.about);
  map.read("input", out.input);
  if (const YamlNode* frequencies = map.find("frequencies")) {
    read_value(context, *frequencies, map.path_of("frequencies"), out.frequencies);
  }
}

// Reads a map of names to expressions, or to maps that describe the column.
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path,
                std::vector<ColumnSpec>& out) {
  if (!node.is_map()) {
    context.fault(node, path, "expected a map of names to expressions, found " + describe(node));
    return;
  }
  for (const YamlEntry& entry : node.entries) {
    const NodePath column_path = path / entry.key;
    ColumnSpec& column = out.emplace_back();
    column.name = Name(entry.key);
    column.name.mark = entry.mark;
    column.mark = entry.value->mark;
    if (!entry.value->is_map()) {
      if (!read_number(context, *entry.value, column_path, column.value.emplace())) context.lose_names();
      continue;
    }
    const MapReader map(context, *entry.value, column_path, keys_of("column"));
    map.read("value", column.value);
    map.read("unit", column.unit);
    map.read("integrate", column.integrate);
  }
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, OutputSpec& out) {
  const MapReader map(context, node, path, keys_of("output"));
  map.read("every", out.every);
  map.read("max_rows", out.max_rows);
  map.read("columns", out.columns);
}

System read_system(ReadContext& context, const YamlNode& root) {
  check_version(root);
  refuse_particles(root);
  const NodePath path;
  const MapReader map(context, root, path, keys_of("model"));
  System system;
  map.read("name", system.name);
  if (const YamlNode* parameters = map.find("parameters")) {
    read_parameters(context, *parameters, map.path_of("parameters"), system.parameters);
  }
  map.read("gravity", system.gravity);
  if (const YamlNode* ground = map.find("ground")) {
    const NodePath ground_path = map.path_of("ground");
    const MapReader of_ground(context, *ground, ground_path, keys_of("ground"));
    of_ground.read("points", system.ground_points);
    read_shapes(context, of_ground, "shapes", system.ground_shapes);
  }
  if (!map.find("bodies")) {
    context.fault(root, path, "the key 'bodies' is missing");
    context.lose_names();
  }
  read_list(context, map, "bodies", system.bodies);
  if (const YamlNode* bodies = map.find("bodies"); bodies && bodies->is_list() && bodies->items.empty()) {
    context.fault(*bodies, map.path_of("bodies"), "is empty: a model needs at least one body");
  }
  read_list(context, map, "joints", system.joints);
  read_list(context, map, "forces", system.forces);
  read_list(context, map, "constraints", system.constraints);
  read_list(context, map, "contacts", system.contacts);
  map.read("variables", system.variables);
  read_list(context, map, "states", system.states);
  read_list(context, map, "events", system.events);
  map.read("analysis", system.analysis);
  map.read("output", system.output);
  return system;
}

}  // namespace sestina
