// The description of a mechanical system that the user edits, by name. It checks nothing: freeze() checks
// everything at once and reports every fault with its place.
//
//   System system;
//   system.name = "pendulum";
//   system.set_parameter("l", 0.8);
//   system.gravity = {0, -9.81, 0};
//   auto& rod = system.add_body("rod", 1.0);
//   rod.center_of_mass = {0, "-l/2", 0};
//   rod.inertia = {.xx = "l^2/12", .zz = "l^2/12"};
//   JointSpec& hinge = system.add_joint("hinge", "revolute", "ground.origin", "rod.origin");
//   hinge.axis = {0, 0, 1};
//   hinge.q = 1.0;
//   system.add_joint_damper("friction", "hinge", 0.1);
//
// The names are those of a model file (docs/model_file.md). References stay valid when other things are
// added.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sestina/constraints/user_constraint.h"
#include "sestina/forces/force_numbers.h"
#include "sestina/forces/user_force.h"
#include "sestina/joints/joint_numbers.h"
#include "sestina/model/number.h"

namespace sestina {

struct ReducedModes;  // flexible/reduced_body.h

// A rotation transforms components in the point's axes to components in the body's.
struct RotationSpec {
  enum class Kind { kEulerParameters, kAxisAngle, kRpy, kMatrix };
  Kind kind = Kind::kRpy;
  // Euler parameters e0 e1 e2 e3; axis x y z and angle; roll pitch yaw; nine elements by rows.
  std::vector<Number> numbers{0, 0, 0};
  Mark mark;

  static RotationSpec euler_parameters(Number e0, Number e1, Number e2, Number e3);
  static RotationSpec axis_angle(Triple axis, Number angle);
  static RotationSpec rpy(Number roll, Number pitch, Number yaw);
  static RotationSpec matrix(const std::array<Triple, 3>& rows);
};

// A named frame fixed on a body.
struct PointSpec {
  Name name;
  Triple position{};                 // m, from the body's origin in its axes
  std::optional<RotationSpec> axes;  // otherwise those of the body
  std::optional<Number> at = {};     // of a beam, instead of both: arc length / length, from 0 to 1
};

// A shape is drawn. It makes contact if a contact names it or its body.
struct ShapeSpec {
  Name name;              // may be empty
  Name type;              // box | cylinder | sphere | capsule | ellipsoid | plane | mesh | height_field
  Number radius, length;  // m; a cylinder's and capsule's length is along z of the shape's axes
  Triple size{};          // m, of a box or ellipsoid, along its axes
  Name file;              // of a mesh or height field
  // Of a mesh; of a height field (m): the distances of columns and of rows, and the unit of heights.
  Triple scale{1, 1, 1};
  Triple position{};  // m, of the shape's centre in the body's frame
  std::optional<RotationSpec> axes;
  Mark mark;
};

struct InertiaSpec {
  // kg m^2: elements of the matrix, about the centre of mass, body axes
  Number xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
  Mark mark{};
};

// The unstressed axis of a beam, ground axes: a line, a smooth curve through points, or r(s) by expressions.
struct CenterlineSpec {
  std::optional<Triple> from, to;  // m
  std::vector<Triple> points;      // m
  Numbers curve;                   // m: three expressions of the arc length s (m) and parameters
  std::optional<Number> length;    // m, of `curve`
  Mark mark;
};

// A cross-section, given by its shape (m), by its properties per length, of which y and z are principal axes,
// or by its stiffness matrix. The numbers may be expressions of the arc length s (m) and parameters.
struct BeamSectionSpec {
  Numbers rectangle;                                 // width along y, height along z
  Numbers circle;                                    // radius
  Numbers tube;                                      // inner and outer radius
  std::optional<Number> EA, GAy, GAz, GJ, EIy, EIz;  // N, N, N, N m^2, N m^2, N m^2
  std::optional<Number> EI;                          // N m^2, of a cable, in all directions
  // 36 by rows, of [twist; bending about y, z; stretch; shear along y, z]: N m^2, N m, N
  Numbers stiffness;
  std::optional<Number> mass, Ixx, Iyy, Izz;  // kg/m, kg m; inertia not given: mass EI/EA
  Mark mark;
};

struct BeamMaterialSpec {
  std::optional<Number> E, nu, density;  // Pa, 1, kg/m^3: required if the section is a shape
  Number damping = 0;                    // s, of Kelvin and Voigt
  Numbers shear;                         // shear factors along y and z; empty: Cowper's
  Mark mark;
};

struct BeamSpec {
  Name formulation = "geometrically_exact";  // | ancf_cable
  CenterlineSpec centerline;
  Triple up{0, 0, 1};  // direction of the section's z axis, up to its component along the axis
  // rad, an expression of s (m) and parameters: turns the sections from `up`, about the tangent
  Number twist = 0;
  Number elements = 16;
  BeamSectionSpec section;
  BeamMaterialSpec material;
  // Only a cable has these.
  Number pretension = 0;   // N, where it begins
  bool precurved = false;  // its natural shape is bent as the centerline is; otherwise it is straight
  bool closed = false;     // its end is its start, such as that of a belt
  // Its motion at the start, as of a rigid body: m/s, of the point `start`; rad/s; ground axes.
  std::optional<Triple> velocity, angular_velocity;
};

// A body reduced to a few modes: see flexible/reduced_body.h.
struct ReducedSpec {
  std::shared_ptr<const ReducedModes> modes;
  Name file;  // file the modes came from, as given by the user
  // Initial pose of the mesh's frame in the ground. The body keeps it where its joints allow, if given.
  std::optional<Triple> position;  // m
  std::optional<RotationSpec> axes;
  Number damping = 0;  // damping ratio of every mode
};

struct BodySpec {
  Name name;
  Name type = "rigid";         // rigid | particle | beam | reduced
  std::optional<Number> mass;  // kg, required
  Triple center_of_mass{};     // m, from the body's origin in its axes
  InertiaSpec inertia;
  bool inertia_check = true;  // false accepts measured inertias that no rigid body can have
  std::vector<PointSpec> points;
  std::vector<ShapeSpec> shapes;
  std::optional<BeamSpec> beam;        // type `beam`, which has neither mass nor inertia
  std::optional<ReducedSpec> reduced;  // type `reduced`, which has neither mass nor inertia
  std::string original_name;           // in the imported file, if it was not a valid name
  Mark mark;

  PointSpec& add_point(Name point_name, Triple position);
};

// Kept as data, unless `enforced`: then lower and upper are stops.
struct LimitsSpec {
  bool enforced = false;
  Number restitution = 0, stiffness = 0, damping = 0;  // of stops; stiffness 0: rigid
  std::optional<Number> lower, upper;                  // rad or m
  std::optional<Number> velocity;                      // rad/s or m/s
  std::optional<Number> effort;                        // N m or N
  Mark mark;
};

struct JointSpec {
  Name name;
  Name type;                          // a keyword of joint_list.h
  Name parent, child;                 // BODY.POINT
  std::optional<Triple> axis;         // in the parent's point axes; any length but zero
  std::optional<Triple> second_axis;  // universal only: in the child's point axes
  // Numbers of some types: the table of joint_numbers.h.
#define SESTINA_MEMBER(name, ...) std::optional<Number> name;
  SESTINA_JOINT_NUMBERS(SESTINA_MEMBER)
#undef SESTINA_MEMBER
  std::optional<Number> armature;  // nu = 1 only: kg m^2 or kg, rotor inertia reflected to the joint
  Numbers q;                       // initial coordinates; empty: the identity, or from the loops
  Numbers u;                       // initial speeds; empty: zero, or from the loops
  bool cut = false;                // closes a loop even if its child has no joint yet
  bool hold = false;               // initial q and u do not change when loops are closed
  std::optional<LimitsSpec> limits;
  std::string original_name;
  Mark mark, q_mark, u_mark;
};

// Values tabulated over time: a file whose header line names its columns, one of them `t` (s).
struct TableSpec {
  Name file;                                // as given by the user, relative to the model file
  std::vector<Name> columns;                // one for each component
  Name interpolation = "linear";            // linear | cubic (shape-preserving, continuous slope)
  std::vector<double> time;                 // s, strictly increasing
  std::vector<std::vector<double>> values;  // one vector for each column; constant outside `time`
  Mark mark;
};

struct ForceSpec {
  Name name;
  Name type;      // joint_spring | joint_damper | joint_force | spring_damper | point_force | point_torque |
                  // bushing | cartesian_spring | torsional_spring_damper | coordinate_friction |
                  // lugre_friction | rope | gravity_between | belt_contact | hydraulic_actuator |
                  // second_order | line_force | sliding_force | user
  Name joint;     // joint_*, coordinate_friction, lugre_friction
  Name from, to;  // between two points: BODY.POINT
  std::vector<Name> points;  // rope: BODY.POINT
  Name at;                   // point_*, belt_contact: BODY.POINT
  Name cable;                // belt_contact: a beam of formulation ancf_cable
  Number segments = 1;       // belt_contact: of each element
  Name axes = "ground";      // point_*: ground | body; line_force: ground | section
  Name beam;                 // line_force: a beam or cable
  Name constraint;           // sliding_force: a point_on_beam
  // joint_*: one for all coordinates, or one for each; bushing and cartesian_spring: one for all axes, or one
  // for each; otherwise one
  Numbers stiffness, damping, reference;
  Numbers rotational_stiffness, rotational_damping;  // bushing: the same, about the axes
  // bushing: 36, by rows, of [displacement; rotation], instead of these
  Numbers stiffness_matrix, damping_matrix;
  std::optional<Triple> axis;  // torsional_spring_damper: in the axes of `from`; belt_contact: of `at`
  // second_order: n coordinates of its own, coupled to b coordinates of joints, JOINT.q or JOINT.q[i];
  // stiffness_matrix and damping_matrix have (b + n)^2 numbers by rows, those of joints first.
  std::vector<Name> coupled_to, coordinates;
  Numbers mass_matrix;             // n^2 by rows
  Numbers initial, initial_rates;  // n
  Name unit = "1";                 // of its coordinates
  // Numbers that some types have: the table of force_numbers.h
#define SESTINA_MEMBER(name, ...) std::optional<Number> name;
  SESTINA_FORCE_NUMBERS(SESTINA_MEMBER)
#undef SESTINA_MEMBER
  // joint_force: 1 or nu; sliding_force: 1; point_*, line_force (N/m, also of `at`): 3; hydraulic_actuator:
  // valve openings, 1 or 2; second_order: b + n, or none. Expressions of t, q, u, parameters
  Numbers value;
  std::optional<TableSpec> table;   // instead of `value`
  std::shared_ptr<UserForce> user;  // type `user`
  Mark mark, stiffness_mark, damping_mark, reference_mark, value_mark;
  Mark rotational_stiffness_mark, rotational_damping_mark, stiffness_matrix_mark, damping_matrix_mark;
  Mark mass_matrix_mark, initial_mark, initial_rates_mark;
};

// A term of a coupling. `coordinate` is JOINT.q, JOINT.q[i], or for level velocity JOINT.u, JOINT.u[i].
struct CouplingTerm {
  Name coordinate;
  Number coefficient;
};

// A condition on the motion, in addition to those of joints that close loops.
struct ConstraintSpec {
  Name name;
  Name type;  // distance | coupling | motion | expression | point_on_line | point_on_plane | point_on_curve |
              // point_on_beam | rolling | tangent | user
  Name level = "position";                 // position | velocity: coupling, motion, expression
  Name from, to;                           // distance: BODY.POINT
  std::optional<Number> length;            // distance: m, an expression of t
  std::vector<CouplingTerm> coefficients;  // coupling: their sum is `value`
  Name joint;                              // motion
  Numbers value;                           // coupling: 1, or 0; motion: 1 or one for each coordinate; of t
  std::optional<Number> zero;  // expression: of t, coordinates, speeds where the level is velocity
  Name point;                  // point_on_*, tangent: BODY.POINT
  Name line, plane, curve;     // point_on_line and tangent, point_on_plane and rolling, point_on_curve
  std::optional<Triple> axis, normal;    // the same, in the axes of that point; any length but zero
  Numbers position;                      // point_on_curve: three expressions of s in the axes of `curve`
  std::optional<TableSpec> table;        // instead of `position`: `time` are the values of s
  Numbers range;                         // point_on_curve by expressions: s at its two ends; empty: none
  bool periodic = false;                 // point_on_curve by a table: closed
  std::optional<Number> start;           // point_on_curve, point_on_beam (m): where the search for s begins
  Name beam;                             // point_on_beam: a beam or cable
  Name body;                             // rolling: BODY.POINT, the disc's centre; `axis` is in its axes
  std::optional<Number> radius;          // rolling: m
  std::shared_ptr<UserConstraint> user;  // type `user`
  Mark mark, value_mark, position_mark, range_mark;
};

// The contact law of shapes that touch: impulses that keep them apart, or for `law` linear, hertz and
// hunt_crossley a force element (contact/compliant_contact.h).
struct ContactSpec {
  Name name;
  std::vector<Name> between;             // two: a shape, a body (all its shapes) or `ground`
  Number friction = 0, restitution = 0;  // restitution of rigid contacts: from 0 to 1
  Number stiffness = 0, damping = 0;     // N/m (a force element: N/m^exponent), N s/m; stiffness 0: rigid
  // Of restitution: newton | poisson | stronge; of a force element: linear | hertz | hunt_crossley
  Name law = "stronge";
  std::optional<Number> exponent;      // hunt_crossley; otherwise 1.5
  std::optional<Number> dissipation;   // hunt_crossley: s/m; or instead of it
  std::optional<Number> impact_speed;  // hunt_crossley: m/s, at which `restitution` is reached
  std::optional<Number> creep_speed;   // of a force element with friction: m/s; or instead of it
  std::optional<Number> bristle_stiffness, bristle_damping;  // 1/m, s/m: for each newton of normal force
  std::optional<Number> static_friction;                     // with bristles: coefficient at rest
  std::optional<Number> stribeck_speed;  // m/s, at which it has fallen to 1/e above `friction`
  Numbers young, poisson;                // hertz, instead of stiffness: Pa, 1; one for both shapes, or two
  Mark mark;
};

// A number that events change and expressions read: the position of a switch, a count.
struct VariableSpec {
  Name name;
  Number value;  // at the start
};

// A number with a rate, integrated with the motion: the pressure in a cylinder, the bristles of a brake, the
// memory of a controller.
struct StateSpec {
  Name name;
  Number start = 0;
  std::optional<Number> rate;  // required: an expression of t, q, u, states, variables and parameters, per s
  Name unit = "1";
  Mark mark;
};

// `target` gets `value`, an expression of t, q, u, variables and parameters just before the event.
struct AssignmentSpec {
  Name target;  // VARIABLE, STATE, JOINT.q, JOINT.u, JOINT.q[i], JOINT.u[i]
  Number value;
};

// An event occurs where an expression of t, q, u, variables and parameters crosses zero.
struct EventSpec {
  Name name;
  std::optional<Number> when;       // required
  Name direction = "both";          // rising | falling | both
  bool terminal = false;            // ends the run
  std::vector<AssignmentSpec> set;  // all at once
  std::optional<Number> tolerance;  // s; otherwise the resolution of time
  Mark mark;
};

struct ParameterSpec {
  Name name;
  Number value;
};

struct IntegratorSpec {
  // Empty: radau_iia where there are flexible bodies, moreau where there are contacts, else
  // dormand_prince_54.
  Name name;
  std::optional<Number> stages;  // lobatto_iiia_iiib: 2 or 3
  std::optional<Name> form;      // lobatto_iiia_iiib: velocity | momentum
  // generalized_alpha: spectral radius at infinite frequency, from 0 to 1; otherwise 0.9
  std::optional<Number> spectral_radius;
};

// For coordinates: state_time, instead of an integrator and a step driver.
struct TimeElementsSpec {
  Number elements = 64;
  Name pair = "QC";        // one of pair_names()
  Name tests = "natural";  // natural | upwind
  Name scheme = "newton";  // newton | linear_quadratic
  Number windows = 1;      // at most as many as elements
  // Relative error that an element may add; `elements` are then the initial ones.
  std::optional<Number> tolerance;
  std::optional<Number> stretches;  // of a window, solved in parallel; otherwise as many as processes
  Mark mark;
};

struct StepSpec {
  Name driver = "variable";  // variable | fixed
  std::optional<Number> dt;  // s, required by `fixed`
  Number rtol = 1e-8, atol = 1e-10;
  // s, for the variable driver; otherwise a tenth of the duration, a hundredth if forces or events depend on
  // time.
  std::optional<Number> max_step;
  Name control = "pi";          // pi | pid
  bool land_on_output = false;  // steps end at the instants of the output
  Mark mark;
};

// Limits of one run; empty: no limit.
struct RunLimitsSpec {
  std::optional<Number> steps;      // or elements in time
  std::optional<Number> wall_time;  // s
  Mark mark;
};

// Frequencies of a response, equally spaced on a logarithmic scale.
struct FrequenciesSpec {
  std::optional<Number> from, to;  // Hz; otherwise a decade beyond the natural frequencies
  Number points = 200;
  Mark mark;
};

struct AnalysisSpec {
  Name type = "dynamics";  // one of analysis_types()
  Name coordinates = "relative";
  Name solver = "recursive";  // one of solver_names()
  IntegratorSpec integrator;
  std::optional<TimeElementsSpec> time_elements;  // instead of an integrator
  StepSpec step;
  RunLimitsSpec limits;
  Number duration = 1.0;  // s
  // For statics: the number of equal load steps. With arc_length, the number of steps that a straight path of
  // equilibria would take; the path continues past points of maximum load.
  Number load_steps = 1;
  bool arc_length = false;
  Name about = "equilibrium";  // for modes and frequency_response: equilibrium | initial
  Name input;                  // for frequency_response: the oscillating parameter
  FrequenciesSpec frequencies;
};

// A column of the results in addition to those of every model.
struct ColumnSpec {
  Name name;                    // `power`, or with dots between names: `motor.power`
  std::optional<Number> value;  // required: an expression of columns, positions of points and parameters
  Name unit;                    // `W`; empty if unknown
  bool integrate = false;       // over time, from zero at the start
  Mark mark;
};

struct OutputSpec {
  std::optional<Number> every;  // s; otherwise a hundredth of the duration
  Number max_rows = 1e7;        // a run with more rows is rejected
  std::vector<ColumnSpec> columns;
};

class System {
 public:
  std::string name;
  std::vector<ParameterSpec> parameters;
  Triple gravity{};  // m/s^2, ground axes
  std::vector<PointSpec> ground_points;
  std::vector<ShapeSpec> ground_shapes;
  std::deque<BodySpec> bodies;
  std::deque<JointSpec> joints;
  std::deque<ForceSpec> forces;
  std::deque<ConstraintSpec> constraints;
  std::deque<ContactSpec> contacts;
  std::vector<VariableSpec> variables;
  std::deque<StateSpec> states;
  std::deque<EventSpec> events;
  AnalysisSpec analysis;
  OutputSpec output;

  void set_parameter(std::string_view parameter, Number value);  // adds it or changes its value
  PointSpec& add_ground_point(Name point_name, Triple position);
  BodySpec& add_body(Name body_name, Number mass);      // rigid
  BodySpec& add_particle(Name body_name, Number mass);  // a point mass at its origin
  BodySpec& add_beam(Name body_name, BeamSpec beam);
  BodySpec& add_reduced_body(Name body_name, std::shared_ptr<const ReducedModes> modes);
  JointSpec& add_joint(Name joint_name, Name type, Name parent_point, Name child_point);
  ForceSpec& add_force(Name force_name, Name type);
  // Add the force elements of a model file; the returned reference takes further data.
  ForceSpec& add_joint_spring(Name force_name, Name joint_name, Numbers stiffness, Numbers reference = {});
  ForceSpec& add_joint_damper(Name force_name, Name joint_name, Numbers damping);
  ForceSpec& add_joint_force(Name force_name, Name joint_name, Numbers value);
  ForceSpec& add_spring_damper(Name force_name, Name from_point, Name to_point, Number stiffness,
                               Number damping = 0, Number free_length = 0);
  ForceSpec& add_point_force(Name force_name, Name point, Triple value);   // N, ground axes
  ForceSpec& add_point_torque(Name force_name, Name point, Triple value);  // N m, ground axes
  // Stiffness, damping and other numbers of these forces are set in the returned reference.
  ForceSpec& add_bushing(Name force_name, Name from_point, Name to_point);
  ForceSpec& add_cartesian_spring(Name force_name, Name from_point, Name to_point, Numbers stiffness);
  ForceSpec& add_torsional_spring_damper(Name force_name, Name from_point, Name to_point, Triple axis,
                                         Number stiffness);
  // Without a creep_speed the joint sticks (true Coulomb friction).
  ForceSpec& add_coordinate_friction(Name force_name, Name joint_name, Number friction,
                                     std::optional<Number> creep_speed = {});
  // sigma1 and sigma2 are set in the returned reference.
  ForceSpec& add_lugre_friction(Name force_name, Name joint_name, Number coulomb_friction,
                                Number static_friction, Number stribeck_speed, Number sigma0);
  ForceSpec& add_rope(Name force_name, std::vector<Name> points, Number stiffness);
  ForceSpec& add_gravity_between(Name force_name, Name from_point, Name to_point, Number strength);
  ForceSpec& add_line_force(Name force_name, Name beam_name, Triple value);  // N/m, ground axes
  ForceSpec& add_belt_contact(Name force_name, Name cable, Name pulley, Triple axis, Number radius,
                              Number stiffness);
  // `valve`: opening, of which the rod side's valve has the opposite; or two.
  ForceSpec& add_hydraulic_actuator(Name force_name, Name from_point, Name to_point, Numbers valve);
  // `coupled_to`: JOINT.q or JOINT.q[i]; `coordinates`: names of the element's own coordinates, to which the
  // mass belongs.
  ForceSpec& add_second_order(Name force_name, std::vector<Name> coupled_to, std::vector<Name> coordinates,
                              Numbers mass_matrix);
  ForceSpec& add_user_force(Name force_name, std::shared_ptr<UserForce> force);

  ConstraintSpec& add_constraint(Name constraint_name, Name type);
  // Adds a contact of two shapes; friction, stiffness and the like are set in the returned reference.
  ContactSpec& add_contact(Name contact_name, Name one, Name other);
  // Add the constraints of a model file; other keys are set in the returned reference.
  ConstraintSpec& add_distance(Name constraint_name, Name from_point, Name to_point, Number length);
  ConstraintSpec& add_coupling(Name constraint_name, std::vector<CouplingTerm> coefficients,
                               Number value = 0);
  ConstraintSpec& add_motion(Name constraint_name, Name joint_name, Numbers value);
  ConstraintSpec& add_condition(Name constraint_name, Number zero);
  ConstraintSpec& add_point_on_line(Name constraint_name, Name point, Name line_point, Triple axis);
  ConstraintSpec& add_point_on_plane(Name constraint_name, Name point, Name plane_point, Triple normal);
  ConstraintSpec& add_point_on_curve(Name constraint_name, Name point, Name curve_point, Triple position);
  ConstraintSpec& add_point_on_beam(Name constraint_name, Name point, Name beam_name);
  // A disc about `axis` of the point `center` that rolls on a plane with this normal.
  ConstraintSpec& add_rolling(Name constraint_name, Name center, Triple axis, Number radius, Name plane_point,
                              Triple normal);
  ConstraintSpec& add_user_constraint(Name constraint_name, std::shared_ptr<UserConstraint> constraint);

  void set_variable(std::string_view variable, Number value);  // adds it or changes its value
  StateSpec& add_state(Name state_name, Number rate, Number start = 0);
  EventSpec& add_event(Name event_name, Number when, Name direction = "both");

  // Adds a column to the results; the reference is valid until the next one is added.
  ColumnSpec& add_column(Name column_name, Number value, Name unit = {});
  ColumnSpec& add_integral(Name column_name, Number rate, Name unit = {});  // over time

  // Find by name; throw InputError with the nearest name if there is none.
  BodySpec& body(std::string_view body_name);
  JointSpec& joint(std::string_view joint_name);
  ForceSpec& force(std::string_view force_name);
  ConstraintSpec& constraint(std::string_view constraint_name);
  ContactSpec& contact(std::string_view contact_name);
  StateSpec& state(std::string_view state_name);
  EventSpec& event(std::string_view event_name);
};

}  // namespace sestina
