#include "sestina/io/model_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "sestina/io/file_uses.h"
#include "sestina/io/map_writer.h"
#include "sestina/io/model_file.h"
#include "sestina/io/model_file_keys.h"
#include "sestina/io/output_file.h"
#include "sestina/io/text_file.h"

namespace sestina {
namespace {

YamlPointer points_node(const std::vector<PointSpec>& points) {
  MapWriter map;
  for (const PointSpec& point : points) {
    if (point.at) {
      MapWriter place;
      place.write("at", point.at);
      map.add(point.name.text, place.node());
      continue;
    }
    if (!point.axes) {
      map.add(point.name.text, to_node(point.position));
      continue;
    }
    MapWriter frame;
    frame.write_unless(0.0, "position", point.position);
    frame.write("axes", point.axes);
    map.add(point.name.text, frame.node());
  }
  return map.node();
}

YamlPointer shape_node(const ShapeSpec& shape);

YamlPointer shapes_node(const std::vector<ShapeSpec>& shapes) {
  Node list = make_node(YamlNode::Kind::kList);
  for (const ShapeSpec& shape : shapes) list->items.push_back(shape_node(shape));
  return list;
}

YamlPointer shape_node(const ShapeSpec& shape) {
  MapWriter map;
  map.write_unless("", "name", shape.name);
  map.write("type", shape.type);
  for (const std::string& key : keys_of("shape", shape.type.text).allowed) {
    if (key == "radius") map.write("radius", shape.radius);
    if (key == "length") map.write("length", shape.length);
    if (key == "size") map.write("size", shape.size);
    if (key == "file") map.write("file", shape.file);
    if (key == "scale") map.write_unless(1.0, "scale", shape.scale);
  }
  map.write_unless(0.0, "position", shape.position);
  map.write("axes", shape.axes);
  return map.node();
}

YamlPointer body_node(const BodySpec& body) {
  MapWriter map;
  map.write("name", body.name);
  map.write_unless("rigid", "type", body.type);
  if (body.beam) {
    write_beam(*body.beam, map);
    if (!body.points.empty()) map.add("points", points_node(body.points));
    if (!body.original_name.empty()) map.write("original_name", body.original_name);
    return map.node();
  }
  if (body.reduced) {
    map.write("file", body.reduced->file);
    map.write("position", body.reduced->position);
    map.write("axes", body.reduced->axes);
    map.write_unless(0.0, "damping", body.reduced->damping);
    if (!body.original_name.empty()) map.write("original_name", body.original_name);
    return map.node();
  }
  map.write("mass", body.mass);
  map.write_unless(0.0, "center_of_mass", body.center_of_mass);
  MapWriter inertia;
  inertia.write_unless(0.0, "xx", body.inertia.xx);
  inertia.write_unless(0.0, "yy", body.inertia.yy);
  inertia.write_unless(0.0, "zz", body.inertia.zz);
  inertia.write_unless(0.0, "xy", body.inertia.xy);
  inertia.write_unless(0.0, "xz", body.inertia.xz);
  inertia.write_unless(0.0, "yz", body.inertia.yz);
  map.add_unless_empty("inertia", inertia);
  if (!body.inertia_check) map.write("inertia_check", Name("none"));
  if (!body.points.empty()) map.add("points", points_node(body.points));
  if (body.shapes.size() == 1) map.add("shape", shape_node(body.shapes.front()));
  if (body.shapes.size() > 1) map.add("shapes", shapes_node(body.shapes));
  if (!body.original_name.empty()) map.write("original_name", body.original_name);
  return map.node();
}

YamlPointer joint_node(const JointSpec& joint) {
  MapWriter map;
  map.write("name", joint.name);
  map.write("type", joint.type);
  map.write("parent", joint.parent);
  map.write("child", joint.child);
  map.write("axis", joint.axis);
  map.write("second_axis", joint.second_axis);
  for_each_joint_number([&](const NumberInfo& number, auto of) { map.write(number.name, of(joint)); });
  map.write_unless_empty("q", joint.q);
  map.write_unless_empty("u", joint.u);
  map.write("armature", joint.armature);
  if (joint.limits) {
    MapWriter limits;
    limits.write("lower", joint.limits->lower);
    limits.write("upper", joint.limits->upper);
    limits.write("velocity", joint.limits->velocity);
    limits.write("effort", joint.limits->effort);
    if (joint.limits->enforced) limits.add("enforced", yes_node());
    limits.write_unless(0.0, "restitution", joint.limits->restitution);
    limits.write_unless(0.0, "stiffness", joint.limits->stiffness);
    limits.write_unless(0.0, "damping", joint.limits->damping);
    map.add("limits", limits.node());
  }
  if (joint.cut) map.add("cut", yes_node());
  if (joint.hold) map.add("hold", yes_node());
  if (!joint.original_name.empty()) map.write("original_name", joint.original_name);
  return map.node();
}

YamlPointer constraint_node(const ConstraintSpec& constraint, FaultList& faults, const std::string& path) {
  MapWriter map;
  map.write("name", constraint.name);
  map.write("type", constraint.type);
  const auto write_name = [&](const char* key, const Name& name) {
    if (!name.empty()) map.write(key, name);
  };
  write_name("from", constraint.from);
  write_name("to", constraint.to);
  map.write("length", constraint.length);
  MapWriter coefficients;
  for (const CouplingTerm& term : constraint.coefficients) {
    coefficients.add(term.coordinate.text, to_node(term.coefficient));
  }
  map.add_unless_empty("coefficients", coefficients);
  write_name("joint", constraint.joint);
  map.write_unless_empty("value", constraint.value);
  map.write("zero", constraint.zero);
  write_name("point", constraint.point);
  write_name("line", constraint.line);
  write_name("plane", constraint.plane);
  map.write("axis", constraint.axis);
  map.write("normal", constraint.normal);
  write_name("body", constraint.body);
  map.write("radius", constraint.radius);
  write_name("curve", constraint.curve);
  map.write_unless_empty("position", constraint.position);
  if (constraint.table) {
    MapWriter table;
    table.write("table", constraint.table->file);
    table.add("columns", to_list(constraint.table->columns));
    map.add("position", table.node());
    if (constraint.table->file.empty()) {
      faults.add({constraint.mark, path + ".position"},
                 "a table that has no file cannot be written to a model file");
    }
  }
  map.write_unless_empty("range", constraint.range);
  if (constraint.periodic) map.add("periodic", yes_node());
  map.write("start", constraint.start);
  write_name("beam", constraint.beam);
  map.write_unless("position", "level", constraint.level);
  if (constraint.user || constraint.type == "user") {
    faults.add({constraint.mark, path}, "a user constraint cannot be written to a model file");
  }
  return map.node();
}

YamlPointer force_node(const ForceSpec& force, FaultList& faults, const std::string& path) {
  MapWriter map;
  map.write("name", force.name);
  map.write("type", force.type);
  if (!force.joint.empty()) map.write("joint", force.joint);
  if (!force.from.empty()) map.write("from", force.from);
  if (!force.to.empty()) map.write("to", force.to);
  if (!force.points.empty()) map.add("points", to_list(force.points));
  if (!force.at.empty()) map.write("at", force.at);
  if (!force.cable.empty()) map.write("cable", force.cable);
  if (!force.beam.empty()) map.write("beam", force.beam);
  if (!force.constraint.empty()) map.write("constraint", force.constraint);
  map.write_unless(1.0, "segments", force.segments);
  map.write_unless("ground", "axes", force.axes);
  map.write_unless_empty("stiffness", force.stiffness);
  map.write_unless_empty("damping", force.damping);
  map.write_unless_empty("reference", force.reference);
  map.write_unless_empty("rotational_stiffness", force.rotational_stiffness);
  map.write_unless_empty("rotational_damping", force.rotational_damping);
  if (!force.coupled_to.empty()) map.add("coupled_to", to_list(force.coupled_to));
  if (!force.coordinates.empty()) map.add("coordinates", to_list(force.coordinates));
  map.write_unless_empty("mass_matrix", force.mass_matrix);
  map.write_unless_empty("stiffness_matrix", force.stiffness_matrix);
  map.write_unless_empty("damping_matrix", force.damping_matrix);
  map.write("axis", force.axis);
  for_each_force_number([&](const NumberInfo& number, auto of) { map.write(number.name, of(force)); });
  map.write_unless_empty("value", force.value);
  if (force.table) {
    MapWriter table;
    table.write("table", force.table->file);
    table.add("columns", to_list(force.table->columns));
    table.write_unless("linear", "interpolation", force.table->interpolation);
    map.add("value", table.node());
    if (force.table->file.empty()) {
      faults.add({force.mark, path + ".value"}, "a table that has no file cannot be written to a model file");
    }
  }
  map.write_unless_empty("initial", force.initial);
  map.write_unless_empty("initial_rates", force.initial_rates);
  map.write_unless("1", "unit", force.unit);
  if (force.user || force.type == "user") {
    faults.add({force.mark, path}, "a user force cannot be written to a model file");
  }
  return map.node();
}

YamlPointer state_node(const StateSpec& state) {
  MapWriter map;
  map.write("name", state.name);
  map.write("rate", state.rate);
  map.write_unless(0, "start", state.start);
  map.write_unless("1", "unit", state.unit);
  return map.node();
}

YamlPointer event_node(const EventSpec& event) {
  MapWriter map;
  map.write("name", event.name);
  map.write("when", event.when);
  map.write_unless("both", "direction", event.direction);
  if (event.terminal) map.add("terminal", yes_node());
  MapWriter set;
  for (const AssignmentSpec& assignment : event.set) {
    set.add(assignment.target.text, to_node(assignment.value));
  }
  map.add_unless_empty("set", set);
  map.write("tolerance", event.tolerance);
  return map.node();
}

YamlPointer analysis_node(const AnalysisSpec& analysis) {
  const AnalysisSpec standard;
  MapWriter map;
  map.write_unless(standard.type.text, "type", analysis.type);
  map.write_unless(standard.coordinates.text, "coordinates", analysis.coordinates);
  map.write_unless(standard.solver.text, "solver", analysis.solver);
  if (analysis.time_elements) {
    const TimeElementsSpec& elements = *analysis.time_elements;
    MapWriter map_of_elements;
    map_of_elements.write("elements", elements.elements);
    map_of_elements.write("pair", elements.pair);
    map_of_elements.write_unless("natural", "tests", elements.tests);
    map_of_elements.write_unless("newton", "scheme", elements.scheme);
    map_of_elements.write_unless(1.0, "windows", elements.windows);
    map_of_elements.write("tolerance", elements.tolerance);
    map_of_elements.write("stretches", elements.stretches);
    map.add("integrator", map_of_elements.node());
  } else if (const IntegratorSpec& rule = analysis.integrator;
             rule.stages || rule.form || rule.spectral_radius) {
    MapWriter integrator;
    integrator.write("name", rule.name.empty() ? Name("dormand_prince_54") : rule.name);
    integrator.write("stages", analysis.integrator.stages);
    integrator.write("form", analysis.integrator.form);
    integrator.write("spectral_radius", analysis.integrator.spectral_radius);
    map.add("integrator", integrator.node());
  } else {
    map.write_unless(standard.integrator.name.text, "integrator", analysis.integrator.name);
  }
  MapWriter step;
  step.write_unless(standard.step.driver.text, "driver", analysis.step.driver);
  step.write("dt", analysis.step.dt);
  step.write_unless(standard.step.rtol.value(), "rtol", analysis.step.rtol);
  step.write_unless(standard.step.atol.value(), "atol", analysis.step.atol);
  step.write("max_step", analysis.step.max_step);
  step.write_unless(standard.step.control.text, "control", analysis.step.control);
  if (analysis.step.land_on_output) step.add("land_on_output", yes_node());
  map.add_unless_empty("step", step);
  MapWriter limits;
  limits.write("steps", analysis.limits.steps);
  limits.write("wall_time", analysis.limits.wall_time);
  map.add_unless_empty("limits", limits);
  map.write_unless(standard.duration.value(), "duration", analysis.duration);
  map.write_unless(standard.load_steps.value(), "load_steps", analysis.load_steps);
  if (analysis.arc_length) map.add("arc_length", yes_node());
  map.write_unless(standard.about.text, "about", analysis.about);
  map.write_unless("", "input", analysis.input);
  MapWriter frequencies;
  frequencies.write("from", analysis.frequencies.from);
  frequencies.write("to", analysis.frequencies.to);
  frequencies.write_unless(standard.frequencies.points.value(), "points", analysis.frequencies.points);
  map.add_unless_empty("frequencies", frequencies);
  return map.node();
}

// Writes only the expression if nothing else is specified for the column.
MapWriter columns_of(const System& system) {
  MapWriter columns;
  for (const ColumnSpec& column : system.output.columns) {
    if (column.value && column.unit.empty() && !column.integrate) {
      columns.write(column.name.text, column.value);
      continue;
    }
    MapWriter map;
    map.write("value", column.value);
    if (!column.unit.empty()) map.write("unit", column.unit);
    if (column.integrate) map.add("integrate", yes_node());
    columns.add(column.name.text, map.node());
  }
  return columns;
}

// Finds numbers that YAML can write but a model cannot contain. Texts are marked as quoted.
void check_finite(const YamlNode& node, const NodePath& path, FaultList& faults) {
  if (node.is_scalar() && !node.quoted &&
      (node.text == "nan" || node.text == "-nan" || node.text == "inf" || node.text == "-inf")) {
    faults.add({{}, path.text()}, node.text + " is not finite");
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    check_finite(*node.items[i], path / static_cast<int>(i), faults);
  }
  for (const YamlEntry& entry : node.entries) check_finite(*entry.value, path / entry.key, faults);
}

// Converts a file name in a model file of one folder for a model file in another folder.
void relocate(Name& file, const std::filesystem::path& folder) {
  const std::filesystem::path path = file.text;
  if (file.mark.line == 0 || path.is_absolute() || file.text.find("://") != std::string::npos) return;
  const auto from = std::filesystem::absolute(*file.mark.file).parent_path().lexically_normal();
  if (from != folder) file.text = (from / path).lexically_relative(folder).string();
}

YamlPointer contact_node(const ContactSpec& contact) {
  MapWriter map;
  map.write("name", contact.name);
  map.add("between", to_list(contact.between));
  map.write_unless(0.0, "friction", contact.friction);
  map.write_unless(0.0, "restitution", contact.restitution);
  map.write_unless(0.0, "stiffness", contact.stiffness);
  map.write_unless(0.0, "damping", contact.damping);
  map.write_unless(ContactSpec().law.text, "law", contact.law);
  map.write("exponent", contact.exponent);
  map.write("dissipation", contact.dissipation);
  map.write("impact_speed", contact.impact_speed);
  map.write("creep_speed", contact.creep_speed);
  map.write("bristle_stiffness", contact.bristle_stiffness);
  map.write("bristle_damping", contact.bristle_damping);
  map.write("static_friction", contact.static_friction);
  map.write("stribeck_speed", contact.stribeck_speed);
  map.write_unless_empty("young", contact.young);
  map.write_unless_empty("poisson", contact.poisson);
  return map.node();
}

}  // namespace

YamlPointer model_tree(const System& system, FaultList& faults) {
  MapWriter map;
  map.write("sestina", Number(1));
  if (!system.name.empty()) map.write("name", system.name);
  MapWriter parameters;
  for (const ParameterSpec& parameter : system.parameters) {
    parameters.add(parameter.name.text, to_node(parameter.value));
  }
  map.add_unless_empty("parameters", parameters);
  map.write_unless(0.0, "gravity", system.gravity);
  MapWriter ground;
  if (!system.ground_points.empty()) ground.add("points", points_node(system.ground_points));
  if (!system.ground_shapes.empty()) ground.add("shapes", shapes_node(system.ground_shapes));
  map.add_unless_empty("ground", ground);
  Node bodies = make_node(YamlNode::Kind::kList);
  Node joints = make_node(YamlNode::Kind::kList);
  Node forces = make_node(YamlNode::Kind::kList);
  for (const BodySpec& body : system.bodies) bodies->items.push_back(body_node(body));
  for (const JointSpec& joint : system.joints) joints->items.push_back(joint_node(joint));
  for (const ForceSpec& force : system.forces) {
    const std::string path = "forces[" + std::to_string(forces->items.size()) + "]";
    forces->items.push_back(force_node(force, faults, path));
  }
  map.add("bodies", bodies);
  if (!joints->items.empty()) map.add("joints", joints);
  if (!forces->items.empty()) map.add("forces", forces);
  Node constraints = make_node(YamlNode::Kind::kList);
  for (const ConstraintSpec& constraint : system.constraints) {
    const std::string path = "constraints[" + std::to_string(constraints->items.size()) + "]";
    constraints->items.push_back(constraint_node(constraint, faults, path));
  }
  if (!constraints->items.empty()) map.add("constraints", constraints);
  Node contacts = make_node(YamlNode::Kind::kList);
  for (const ContactSpec& contact : system.contacts) contacts->items.push_back(contact_node(contact));
  if (!contacts->items.empty()) map.add("contacts", contacts);
  MapWriter variables;
  for (const VariableSpec& variable : system.variables) {
    variables.add(variable.name.text, to_node(variable.value));
  }
  map.add_unless_empty("variables", variables);
  Node states = make_node(YamlNode::Kind::kList);
  for (const StateSpec& state : system.states) states->items.push_back(state_node(state));
  if (!states->items.empty()) map.add("states", states);
  Node events = make_node(YamlNode::Kind::kList);
  for (const EventSpec& event : system.events) events->items.push_back(event_node(event));
  if (!events->items.empty()) map.add("events", events);
  const YamlPointer analysis = analysis_node(system.analysis);
  if (!analysis->entries.empty()) map.add("analysis", analysis);
  MapWriter output;
  output.write("every", system.output.every);
  output.write_unless(OutputSpec{}.max_rows.value(), "max_rows", system.output.max_rows);
  output.add_unless_empty("columns", columns_of(system));
  map.add_unless_empty("output", output);
  check_finite(*map.node(), NodePath{}, faults);
  return map.node();
}

std::string write_model(const System& system) {
  FaultList faults;
  const YamlPointer tree = model_tree(system, faults);
  faults.throw_if_any();
  std::string text = write_yaml(*tree);
  check_utf8_text(text, "the model's text");
  return text;
}

void write_model_file(const System& system, const std::filesystem::path& path) {
  FileUses files;
  files.add_tables_of(system);
  files.add_output("the model", path);
  files.check();
  System copy = system;
  const auto folder = std::filesystem::absolute(path).parent_path().lexically_normal();
  for (ForceSpec& force : copy.forces) {
    if (force.table) relocate(force.table->file, folder);
  }
  for (ConstraintSpec& constraint : copy.constraints) {
    if (constraint.table) relocate(constraint.table->file, folder);
  }
  const auto relocate_meshes = [&](std::vector<ShapeSpec>& shapes) {
    for (ShapeSpec& shape : shapes) {
      if (!shape.file.empty()) relocate(shape.file, folder);
    }
  };
  relocate_meshes(copy.ground_shapes);
  for (BodySpec& body : copy.bodies) relocate_meshes(body.shapes);
  write_whole_file(path, write_model(copy));
}

}  // namespace sestina
