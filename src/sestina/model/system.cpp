#include "sestina/model/system.h"

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"

namespace sestina {
namespace {

template <class Specs>
auto& find_by_name(Specs& specs, std::string_view kind, std::string_view name) {
  for (auto& spec : specs) {
    if (spec.name == name) return spec;
  }
  std::vector<std::string> known;
  for (const auto& spec : specs) known.push_back(spec.name.text);
  throw InputError("no " + std::string(kind) + " named '" + std::string(name) + "'" +
                   suggestion(name, known));
}

template <class Specs>
void set_by_name(Specs& specs, std::string_view name, Number value) {
  for (auto& spec : specs) {
    if (spec.name == name) {
      spec.value = std::move(value);
      return;
    }
  }
  specs.push_back({std::string(name), std::move(value)});
}

}  // namespace

RotationSpec RotationSpec::euler_parameters(Number e0, Number e1, Number e2, Number e3) {
  return {Kind::kEulerParameters, {e0, e1, e2, e3}, {}};
}
RotationSpec RotationSpec::axis_angle(Triple axis, Number angle) {
  return {Kind::kAxisAngle, {axis[0], axis[1], axis[2], angle}, {}};
}
RotationSpec RotationSpec::rpy(Number roll, Number pitch, Number yaw) {
  return {Kind::kRpy, {roll, pitch, yaw}, {}};
}
RotationSpec RotationSpec::matrix(const std::array<Triple, 3>& rows) {
  RotationSpec spec{Kind::kMatrix, {}, {}};
  for (const Triple& row : rows) spec.numbers.insert(spec.numbers.end(), row.begin(), row.end());
  return spec;
}

PointSpec& BodySpec::add_point(Name point_name, Triple position) {
  points.push_back({std::move(point_name), std::move(position), {}});
  return points.back();
}

void System::set_parameter(std::string_view parameter, Number value) {
  set_by_name(parameters, parameter, std::move(value));
}

void System::set_variable(std::string_view variable, Number value) {
  set_by_name(variables, variable, std::move(value));
}

StateSpec& System::add_state(Name state_name, Number rate, Number start) {
  StateSpec& spec = states.emplace_back();
  spec.name = std::move(state_name);
  spec.rate = std::move(rate);
  spec.start = std::move(start);
  return spec;
}

EventSpec& System::add_event(Name event_name, Number when, Name direction) {
  EventSpec& spec = events.emplace_back();
  spec.name = std::move(event_name);
  spec.when = std::move(when);
  spec.direction = std::move(direction);
  return spec;
}

ColumnSpec& System::add_column(Name column_name, Number value, Name unit) {
  ColumnSpec& spec = output.columns.emplace_back();
  spec.name = std::move(column_name);
  spec.value = std::move(value);
  spec.unit = std::move(unit);
  return spec;
}

ColumnSpec& System::add_integral(Name column_name, Number rate, Name unit) {
  ColumnSpec& spec = add_column(std::move(column_name), std::move(rate), std::move(unit));
  spec.integrate = true;
  return spec;
}

PointSpec& System::add_ground_point(Name point_name, Triple position) {
  ground_points.push_back({std::move(point_name), std::move(position), {}});
  return ground_points.back();
}

BodySpec& System::add_body(Name body_name, Number mass) {
  BodySpec& spec = bodies.emplace_back();
  spec.name = std::move(body_name);
  spec.mass = std::move(mass);
  return spec;
}

BodySpec& System::add_particle(Name body_name, Number mass) {
  BodySpec& spec = add_body(std::move(body_name), std::move(mass));
  spec.type = "particle";
  return spec;
}

BodySpec& System::add_beam(Name body_name, BeamSpec beam) {
  BodySpec& body = bodies.emplace_back();
  body.name = std::move(body_name);
  body.type = "beam";
  body.beam = std::move(beam);
  return body;
}

BodySpec& System::add_reduced_body(Name body_name, std::shared_ptr<const ReducedModes> modes) {
  BodySpec& body = bodies.emplace_back();
  body.name = std::move(body_name);
  body.type = "reduced";
  body.reduced.emplace().modes = std::move(modes);
  return body;
}

JointSpec& System::add_joint(Name joint_name, Name type, Name parent_point, Name child_point) {
  JointSpec& spec = joints.emplace_back();
  spec.name = std::move(joint_name);
  spec.type = std::move(type);
  spec.parent = std::move(parent_point);
  spec.child = std::move(child_point);
  return spec;
}

ForceSpec& System::add_force(Name force_name, Name type) {
  ForceSpec& spec = forces.emplace_back();
  spec.name = std::move(force_name);
  spec.type = std::move(type);
  return spec;
}

ForceSpec& System::add_joint_spring(Name force_name, Name joint_name, Numbers stiffness, Numbers reference) {
  ForceSpec& spec = add_force(std::move(force_name), "joint_spring");
  spec.joint = std::move(joint_name);
  spec.stiffness = std::move(stiffness);
  spec.reference = std::move(reference);
  return spec;
}

ForceSpec& System::add_joint_damper(Name force_name, Name joint_name, Numbers damping) {
  ForceSpec& spec = add_force(std::move(force_name), "joint_damper");
  spec.joint = std::move(joint_name);
  spec.damping = std::move(damping);
  return spec;
}

ForceSpec& System::add_joint_force(Name force_name, Name joint_name, Numbers value) {
  ForceSpec& spec = add_force(std::move(force_name), "joint_force");
  spec.joint = std::move(joint_name);
  spec.value = std::move(value);
  return spec;
}

ForceSpec& System::add_spring_damper(Name force_name, Name from_point, Name to_point, Number stiffness,
                                     Number damping, Number free_length) {
  ForceSpec& spec = add_force(std::move(force_name), "spring_damper");
  spec.from = std::move(from_point);
  spec.to = std::move(to_point);
  spec.stiffness = std::move(stiffness);
  spec.damping = std::move(damping);
  spec.free_length = std::move(free_length);
  return spec;
}

ForceSpec& System::add_point_force(Name force_name, Name point, Triple value) {
  ForceSpec& spec = add_force(std::move(force_name), "point_force");
  spec.at = std::move(point);
  spec.value = Numbers(std::vector<Number>(value.begin(), value.end()));
  return spec;
}

ForceSpec& System::add_point_torque(Name force_name, Name point, Triple value) {
  ForceSpec& spec = add_point_force(std::move(force_name), std::move(point), std::move(value));
  spec.type = "point_torque";
  return spec;
}

ForceSpec& System::add_bushing(Name force_name, Name from_point, Name to_point) {
  ForceSpec& spec = add_force(std::move(force_name), "bushing");
  spec.from = std::move(from_point), spec.to = std::move(to_point);
  return spec;
}

ForceSpec& System::add_cartesian_spring(Name force_name, Name from_point, Name to_point, Numbers stiffness) {
  ForceSpec& spec = add_force(std::move(force_name), "cartesian_spring");
  spec.from = std::move(from_point), spec.to = std::move(to_point);
  spec.stiffness = std::move(stiffness);
  return spec;
}

ForceSpec& System::add_torsional_spring_damper(Name force_name, Name from_point, Name to_point, Triple axis,
                                               Number stiffness) {
  ForceSpec& spec = add_force(std::move(force_name), "torsional_spring_damper");
  spec.from = std::move(from_point), spec.to = std::move(to_point);
  spec.axis = std::move(axis);
  spec.stiffness = std::move(stiffness);
  return spec;
}

ForceSpec& System::add_coordinate_friction(Name force_name, Name joint_name, Number friction,
                                           std::optional<Number> creep_speed) {
  ForceSpec& spec = add_force(std::move(force_name), "coordinate_friction");
  spec.joint = std::move(joint_name);
  spec.friction = std::move(friction), spec.creep_speed = std::move(creep_speed);
  return spec;
}

ForceSpec& System::add_lugre_friction(Name force_name, Name joint_name, Number coulomb_friction,
                                      Number static_friction, Number stribeck_speed, Number sigma0) {
  ForceSpec& spec = add_force(std::move(force_name), "lugre_friction");
  spec.joint = std::move(joint_name);
  spec.coulomb_friction = std::move(coulomb_friction), spec.static_friction = std::move(static_friction);
  spec.stribeck_speed = std::move(stribeck_speed), spec.sigma0 = std::move(sigma0);
  return spec;
}

ForceSpec& System::add_rope(Name force_name, std::vector<Name> points, Number stiffness) {
  ForceSpec& spec = add_force(std::move(force_name), "rope");
  spec.points = std::move(points);
  spec.stiffness = std::move(stiffness);
  return spec;
}

ForceSpec& System::add_gravity_between(Name force_name, Name from_point, Name to_point, Number strength) {
  ForceSpec& spec = add_force(std::move(force_name), "gravity_between");
  spec.from = std::move(from_point), spec.to = std::move(to_point);
  spec.strength = std::move(strength);
  return spec;
}

ForceSpec& System::add_line_force(Name force_name, Name beam_name, Triple value) {
  ForceSpec& spec = add_force(std::move(force_name), "line_force");
  spec.beam = std::move(beam_name);
  spec.value = Numbers(std::vector<Number>(value.begin(), value.end()));
  return spec;
}

ForceSpec& System::add_belt_contact(Name force_name, Name cable, Name pulley, Triple axis, Number radius,
                                    Number stiffness) {
  ForceSpec& spec = add_force(std::move(force_name), "belt_contact");
  spec.cable = std::move(cable), spec.at = std::move(pulley), spec.axis = std::move(axis);
  spec.radius = std::move(radius), spec.stiffness = std::move(stiffness);
  return spec;
}

ForceSpec& System::add_hydraulic_actuator(Name force_name, Name from_point, Name to_point, Numbers valve) {
  ForceSpec& spec = add_force(std::move(force_name), "hydraulic_actuator");
  spec.from = std::move(from_point), spec.to = std::move(to_point);
  spec.value = std::move(valve);
  return spec;
}

ForceSpec& System::add_second_order(Name force_name, std::vector<Name> coupled_to,
                                    std::vector<Name> coordinates, Numbers mass_matrix) {
  ForceSpec& spec = add_force(std::move(force_name), "second_order");
  spec.coupled_to = std::move(coupled_to), spec.coordinates = std::move(coordinates);
  spec.mass_matrix = std::move(mass_matrix);
  return spec;
}

ForceSpec& System::add_user_force(Name force_name, std::shared_ptr<UserForce> force) {
  ForceSpec& spec = add_force(std::move(force_name), "user");
  spec.user = std::move(force);
  return spec;
}

ConstraintSpec& System::add_constraint(Name constraint_name, Name type) {
  ConstraintSpec& spec = constraints.emplace_back();
  spec.name = std::move(constraint_name);
  spec.type = std::move(type);
  return spec;
}

ConstraintSpec& System::add_distance(Name constraint_name, Name from_point, Name to_point, Number length) {
  ConstraintSpec& spec = add_constraint(std::move(constraint_name), "distance");
  spec.from = std::move(from_point);
  spec.to = std::move(to_point);
  spec.length = std::move(length);
  return spec;
}

ConstraintSpec& System::add_coupling(Name constraint_name, std::vector<CouplingTerm> coefficients,
                                     Number value) {
  ConstraintSpec& spec = add_constraint(std::move(constraint_name), "coupling");
  spec.coefficients = std::move(coefficients);
  spec.value = Numbers(std::vector<Number>{std::move(value)});
  return spec;
}

ConstraintSpec& System::add_motion(Name constraint_name, Name joint_name, Numbers value) {
  ConstraintSpec& spec = add_constraint(std::move(constraint_name), "motion");
  spec.joint = std::move(joint_name);
  spec.value = std::move(value);
  return spec;
}

ConstraintSpec& System::add_condition(Name constraint_name, Number zero) {
  ConstraintSpec& spec = add_constraint(std::move(constraint_name), "expression");
  spec.zero = std::move(zero);
  return spec;
}

ConstraintSpec& System::add_point_on_line(Name constraint_name, Name point, Name line_point, Triple axis) {
  ConstraintSpec& spec = add_constraint(std::move(constraint_name), "point_on_line");
  spec.point = std::move(point);
  spec.line = std::move(line_point);
  spec.axis = std::move(axis);
  return spec;
}

ConstraintSpec& System::add_point_on_plane(Name constraint_name, Name point, Name plane_point,
                                           Triple normal) {
  ConstraintSpec& spec = add_constraint(std::move(constraint_name), "point_on_plane");
  spec.point = std::move(point);
  spec.plane = std::move(plane_point);
  spec.normal = std::move(normal);
  return spec;
}

ContactSpec& System::add_contact(Name contact_name, Name one, Name other) {
  ContactSpec& spec = contacts.emplace_back();
  spec.name = std::move(contact_name);
  spec.between = {std::move(one), std::move(other)};
  return spec;
}

ConstraintSpec& System::add_point_on_curve(Name constraint_name, Name point, Name curve_point,
                                           Triple position) {
  ConstraintSpec& spec = add_constraint(std::move(constraint_name), "point_on_curve");
  spec.point = std::move(point);
  spec.curve = std::move(curve_point);
  spec.position = Numbers(std::vector<Number>(position.begin(), position.end()));
  return spec;
}

ConstraintSpec& System::add_point_on_beam(Name constraint_name, Name point, Name beam_name) {
  ConstraintSpec& spec = add_constraint(std::move(constraint_name), "point_on_beam");
  spec.point = std::move(point);
  spec.beam = std::move(beam_name);
  return spec;
}

ConstraintSpec& System::add_rolling(Name constraint_name, Name center, Triple axis, Number radius,
                                    Name plane_point, Triple normal) {
  ConstraintSpec& spec = add_constraint(std::move(constraint_name), "rolling");
  spec.body = std::move(center);
  spec.axis = std::move(axis);
  spec.radius = std::move(radius);
  spec.plane = std::move(plane_point);
  spec.normal = std::move(normal);
  return spec;
}

ConstraintSpec& System::add_user_constraint(Name constraint_name,
                                            std::shared_ptr<UserConstraint> constraint) {
  ConstraintSpec& spec = add_constraint(std::move(constraint_name), "user");
  spec.user = std::move(constraint);
  return spec;
}

BodySpec& System::body(std::string_view body_name) { return find_by_name(bodies, "body", body_name); }
JointSpec& System::joint(std::string_view joint_name) { return find_by_name(joints, "joint", joint_name); }
ForceSpec& System::force(std::string_view force_name) { return find_by_name(forces, "force", force_name); }
ConstraintSpec& System::constraint(std::string_view constraint_name) {
  return find_by_name(constraints, "constraint", constraint_name);
}
ContactSpec& System::contact(std::string_view contact_name) {
  return find_by_name(contacts, "contact", contact_name);
}
StateSpec& System::state(std::string_view state_name) { return find_by_name(states, "state", state_name); }
EventSpec& System::event(std::string_view event_name) { return find_by_name(events, "event", event_name); }

}  // namespace sestina
