// A frozen description: indexed, checked and immutable, shared by any number of threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sestina/constraints/coordinate_condition.h"
#include "sestina/constraints/user_constraint.h"
#include "sestina/expression/graph.h"
#include "sestina/expression/tape.h"
#include "sestina/expression/time_conditions.h"
#include "sestina/model/property_plan.h"
#include "sestina/model/value_rules.h"
#include "sestina/numerics/state.h"
#include "sestina/numerics/zero_crossing.h"

namespace sestina {

template <class T>
struct Properties;    // properties.h
struct ReducedModes;  // flexible/reduced_body.h
template <class T>
struct CutCoordinates;  // tape_inputs.h
struct OutputColumns;   // output_columns.h

// A body and the joint that carries it. Index 0 is the ground; parents come before their children, and a
// whole subtree is consecutive.
struct BodyInfo {
  std::string name;
  bool is_particle = false;
  BodyIndex parent;  // invalid for the ground
  std::string joint_name;
  JointType joint_type = JointType::kWeld;
  PointIndex parent_point, child_point;
  int q_start = 0, nq = 0;  // place of the joint's coordinates in q
  int u_start = 0, nu = 0;
  int position = -1;  // in System::bodies
  Mark mark = {};     // of its description
  // True for a body that floats because the joint that would carry it is cut, as all joints are in cartesian
  // coordinates: its own coordinates are not columns.
  bool hangs_on_cut = false;
  // True for a body that only carries the coordinate of a reduced body's mode or of a cable's slope: it has
  // no mass, no columns and no picture.
  bool is_mode = false;
};

struct PointInfo {
  std::string name;  // "upper.tip"
  BodyIndex body;
};

struct ForceInfo {
  std::string name;
  std::string type;
};

// A joint that closes a loop, or any joint in cartesian coordinates. Its coordinates are not part of the
// state: they follow from the poses of bodies.
struct CutJointInfo {
  std::string name;
  JointType type = JointType::kWeld;
  BodyIndex parent, child;
  PointIndex parent_point, child_point;
  int q_start = 0, nq = 0;  // among the coordinates of all cut joints
  int u_start = 0, nu = 0;
  int first_row = 0, rows = 0;  // rows of its conditions
  int armature_row = -1;        // row for a rotor's inertia (constraint_row.h), or -1
  int position = -1;            // in System::joints
  // True if the description gives initial coordinates, or speeds; true if these may not change.
  bool is_q_given = false, is_u_given = false, is_held = false;
  Mark mark = {};
};

// A constraint of the description.
struct ConstraintInfo {
  std::string name;
  std::string type;
  bool is_on_position = true;
  int first_row = 0, rows = 0;
  int position = -1;  // in System::constraints
  std::string force_unit, error_unit;
  Mark mark = {};
  int rows_on_speeds = 0;  // number of its last rows that are conditions on speeds, for rolling
  std::string speed_unit;  // unit of their errors
  int curve = -1;          // in Model::curves(): point_on_curve
  int on_beam = -1;        // in the plan's points_on_beams: point_on_beam

  bool has_parameter() const { return curve >= 0 || on_beam >= 0; }

  const std::string& unit_of_error(int row) const {
    return row < rows - rows_on_speeds ? error_unit : speed_unit;
  }
};

// The curve of a point_on_curve: its tape takes s and the free parameters and gives c, c' and c'', three
// numbers each.
struct CurveInfo {
  static constexpr int kNumbers = 9;
  int constraint = -1;  // in Model::constraints()
  std::vector<Expr> exprs;
  Tape tape;
};

// A beam of the description: a chain of nodes, which are bodies (model/expand_beams.h).
struct BeamInfo {
  struct Point {
    std::string name;  // "boom.mid"
    BodyIndex node;
  };
  std::string name;
  std::vector<BodyIndex> nodes;  // one more than elements; of a closed cable the last one is the first
  std::vector<Point> points;
  int first_element = 0;  // index of the first element among those of all beams, or of all cables
  // For a cable: the first coordinate and speed of its slopes, three at each node, and the rows for its mass
  // (dynamics/cables.h).
  static constexpr int kRowsOfElement = 9, kTermsOfElement = 36;
  bool is_cable = false, is_closed = false;
  std::vector<int> slope_q, slope_u;
  int first_row = 0, first_term = 0;

  int element_count() const { return static_cast<int>(nodes.size()) - 1; }
  int row_count() const { return is_cable ? kRowsOfElement * element_count() : 0; }
};

// A contact of a cable with a pulley, in the order of the plan's belts.
struct BeltInfo {
  std::string name;
};

// A reduced body of the description: B and the joints of its modes (model/expand_reduced.h).
struct ReducedBodyInfo {
  std::string name;
  std::shared_ptr<const ReducedModes> modes;
  BodyIndex body;                  // B
  int q_start = 0, u_start = 0;    // of its first mode; those of the others follow
  FrameIndex first_frame;          // of its interfaces
  std::vector<PointIndex> points;  // of its interfaces
  int first_row = 0, first_term = 0;
};

// Functions of the arc length s along a beam: its axis r and r', three numbers each; its twist; or the
// numbers of its section. The tape takes s and the free parameters.
struct BeamCurve {
  std::vector<Expr> exprs;
  Tape tape;
  std::vector<ValueRule> rules;  // for twists and sections, at every s
};

struct UserConstraintInfo {
  int constraint = -1;  // in Model::constraints()
  std::shared_ptr<const UserConstraint> user;
  int first_term = 0;  // number of rows, each of which has a coefficient for every speed
};

struct UserForceInfo {
  ForceIndex index;
  std::shared_ptr<const UserForce> force;
};

// A free parameter, whose value is a plain number and can be varied. Parameters defined by expressions of
// others follow from these.
struct ParameterInfo {
  std::string name;
  double value;
};

// A discrete variable, at the same place as in State::d.
struct VariableInfo {
  std::string name;
};

// A variable with a rate, at the same place as in State::x.
struct StateInfo {
  std::string name, unit;
};

struct EventInfo {
  std::string name;
  CrossingDirection direction = CrossingDirection::kBoth;
  bool is_terminal = false;
  double tolerance = 0.0;    // s; zero: the resolution of time
  bool is_discrete = false;  // its expression contains only variables
  int first_assignment = 0, assignments = 0;
  std::string when;  // as written in the description
};

// A contact of the description.
struct ContactInfo {
  std::string name;
  std::string law;  // of restitution: newton | poisson | stronge; of a force element: linear | hertz | ...
  Mark mark;
  bool is_force = false;  // a force element, not impulses
};

// An assignment of an event: the kind of its target, and its index.
enum class Target { kQ, kU, kVariable, kState };
struct AssignmentInfo {
  Target target = Target::kU;
  int index = 0;  // index in q, u, d or x; for cut joints in cartesian coordinates, counted on behind q and u
};

// A column of a result.
struct RowColumn {
  std::string name, unit;
};

// Expressions of t, parameters, variables, q and u.
struct StateExpressions {
  std::vector<Expr> exprs;
  // Explains why a constant part, such as 1e308*10, is not finite, as written; empty if it is finite.
  std::vector<std::string> constant_faults;

  void add(Expr expr, std::string constant_fault = "") {
    exprs.push_back(expr);
    constant_faults.push_back(std::move(constant_fault));
  }
};

class Model;

// The result of freeze(); see the accessors of Model.
struct ModelData {
  std::string name;
  IndexedVector<BodyIndex, BodyInfo> bodies;
  IndexedVector<PointIndex, PointInfo> points;
  IndexedVector<ForceIndex, ForceInfo> forces;
  std::vector<CutJointInfo> cut_joints;
  std::vector<ConstraintInfo> constraints;
  std::vector<ContactInfo> contacts;
  std::vector<std::string> contact_shape_names;  // of the plan's shapes: as given, or "block.shapes[1]"
  std::vector<std::string> stop_names;           // joints of the plan's stops
  std::vector<CoordinateCondition> conditions;   // of coupling, motion and expression
  std::vector<CurveInfo> curves;
  std::vector<BeamInfo> beams;
  std::vector<BeltInfo> belts;
  std::vector<BeamCurve> beam_curves;
  std::vector<ReducedBodyInfo> reduced_bodies;
  std::vector<UserConstraintInfo> user_constraints;
  int constraint_rows = 0, constraint_terms = 0, constraint_pairs = 0;
  int cut_nq = 0, cut_nu = 0;
  // In cartesian coordinates: the same mechanism in relative ones, the number of cut joints that carry a body
  // there (they come first), and the q and u that are columns. Otherwise null and empty.
  std::shared_ptr<const Model> relative;
  std::size_t carrying_joints = 0;
  std::vector<int> shown_q, shown_u;
  std::vector<std::string> cut_q_names, cut_u_names, cut_q_units, cut_u_units;
  // True if force elements, their expressions or rates of states read coordinates of cut joints or act on
  // these; true if expressions of events read them.
  bool forces_use_cut_joints = false, events_use_cut_joints = false;
  // Joints with initial coordinates or speeds in the description, and those that may not change.
  std::vector<bool> is_q_given, is_u_given;  // (nu): of the joint of each speed
  std::vector<bool> is_held;                 // (nu)
  std::vector<UserForceInfo> user_forces;
  UserForceLayout user_layout;  // empty where there are neither user forces nor user constraints
  std::vector<VariableInfo> variables;
  std::vector<StateInfo> states;
  std::vector<EventInfo> events;
  std::vector<AssignmentInfo> assignments;
  std::vector<ParameterInfo> parameters;
  std::vector<std::string> q_names, u_names, q_units, u_units;
  int nq = 0, nu = 0;
  bool depends_on_time = false;

  std::shared_ptr<const Graph> graph;  // every expression of the model
  std::vector<Expr> numbers;           // outputs of the number tape: the plan's slots
  StateExpressions force_expressions;
  std::vector<ForceIndex> force_of_expression;
  Tape number_tape;  // free parameters -> numbers
  Tape force_tape;   // t, free parameters, variables, q, u -> force expressions
  StateExpressions constraint_expressions;
  std::vector<int> constraint_of_expression;    // in `constraints`
  Tape constraint_tape;                         // inputs as for the force tape
  StateExpressions event_expressions;           // `when` of each event
  StateExpressions rate_expressions;            // (nx)
  StateExpressions assignment_expressions;      // event by event
  Tape event_tape, assignment_tape, rate_tape;  // inputs as for the force tape
  std::shared_ptr<const TimeConditions> time_conditions;
  std::shared_ptr<const OutputColumns> output_columns;  // null: the model defines no columns
  PropertyPlan plan;
  Slot initial_q, initial_u, initial_d, initial_x;  // nq, nu, nd, nx
  Slot initial_cut_q, initial_cut_u;                // cut_nq: start of the search; cut_nu
  // Data for check(): numbers that depend only on parameters.
  std::vector<NumberSource> number_sources;  // first parameters that are expressions of others
  std::vector<ValueRule> value_rules;
  std::vector<bool>
      is_of_settings;  // (parameters) on which the analysis or the tolerance of an event depends
};

class Model {
 public:
  explicit Model(ModelData data) : data_(std::move(data)) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const std::string& name() const { return data_.name; }
  const IndexedVector<BodyIndex, BodyInfo>& bodies() const { return data_.bodies; }  // including the ground
  const IndexedVector<PointIndex, PointInfo>& points() const { return data_.points; }
  const IndexedVector<ForceIndex, ForceInfo>& forces() const { return data_.forces; }
  // Joints that close loops, and constraints; constraint_rows() is the number of their scalar conditions.
  const std::vector<CutJointInfo>& cut_joints() const { return data_.cut_joints; }
  const std::vector<ConstraintInfo>& constraints() const { return data_.constraints; }
  const std::vector<ContactInfo>& contacts() const { return data_.contacts; }
  const std::vector<std::string>& contact_shape_names() const { return data_.contact_shape_names; }
  // For each stop (a limit that is enforced): the name of its joint.
  const std::vector<std::string>& stop_names() const { return data_.stop_names; }
  // Whether there are stops, or contacts that are not force elements: integration rules must take them.
  bool has_contacts() const;
  // Throws InputError if there are contacts or stops, with the name of the first; `who` begins the
  // message.
  void refuse_contacts(std::string_view who) const;
  // Throws InputError with the name of a state, if there are any.
  void refuse_states(std::string_view who) const;
  const std::vector<CoordinateCondition>& conditions() const { return data_.conditions; }
  const std::vector<CurveInfo>& curves() const { return data_.curves; }
  const std::vector<BeamInfo>& beams() const { return data_.beams; }
  const std::vector<BeltInfo>& belts() const { return data_.belts; }
  const std::vector<BeamCurve>& beam_curves() const { return data_.beam_curves; }
  const std::vector<ReducedBodyInfo>& reduced_bodies() const { return data_.reduced_bodies; }
  // Frames that carry markers: the bodies, then the interfaces of reduced bodies.
  std::size_t num_frames() const;
  const std::vector<UserConstraintInfo>& user_constraints() const { return data_.user_constraints; }
  int constraint_rows() const { return data_.constraint_rows; }
  int constraint_terms() const { return data_.constraint_terms; }
  int constraint_pairs() const { return data_.constraint_pairs; }
  // Whether rows stand for masses of flexible bodies (constraint_row.h).
  bool has_inertia_rows() const;
  bool is_constrained() const { return data_.constraint_rows > 0 || !data_.cut_joints.empty(); }
  // In cartesian coordinates every joint is cut and every body floats. relative() is then the same mechanism
  // in relative coordinates, with the bodies in the same order; otherwise null.
  const std::shared_ptr<const Model>& relative() const { return data_.relative; }
  bool is_cartesian() const { return data_.relative != nullptr; }
  // In cartesian coordinates: the number of cut joints that carry a body in relative coordinates, which come
  // first, in the order of the bodies; and the q and u of bodies without a joint, which are columns.
  std::size_t carrying_joints() const { return data_.carrying_joints; }
  const std::vector<int>& shown_q() const { return data_.shown_q; }
  const std::vector<int>& shown_u() const { return data_.shown_u; }
  // Throws InputError if there are cut joints or constraints: "divide_and_conquer does not support closed
  // loops or constraints: the model has pin".
  void refuse_constraints(std::string_view who) const;
  int cut_nq() const { return data_.cut_nq; }
  int cut_nu() const { return data_.cut_nu; }
  bool forces_use_cut_joints() const { return data_.forces_use_cut_joints; }
  bool events_use_cut_joints() const { return data_.events_use_cut_joints; }
  const std::vector<std::string>& cut_q_names() const { return data_.cut_q_names; }
  const std::vector<std::string>& cut_u_names() const { return data_.cut_u_names; }
  const std::vector<std::string>& cut_q_units() const { return data_.cut_q_units; }
  const std::vector<std::string>& cut_u_units() const { return data_.cut_u_units; }
  // (nu) true if the description gives initial coordinates or speeds of the joint with this speed; true if
  // they may not change.
  const std::vector<bool>& is_q_given() const { return data_.is_q_given; }
  const std::vector<bool>& is_u_given() const { return data_.is_u_given; }
  const std::vector<bool>& is_held() const { return data_.is_held; }
  const std::vector<UserForceInfo>& user_forces() const { return data_.user_forces; }
  const UserForceLayout& user_layout() const { return data_.user_layout; }
  const std::vector<ParameterInfo>& parameters() const { return data_.parameters; }
  // True if time occurs in forces, events or rates of integrals, or may occur.
  bool depends_on_time() const { return data_.depends_on_time; }
  const std::vector<VariableInfo>& variables() const { return data_.variables; }
  const std::vector<EventInfo>& events() const { return data_.events; }
  const std::vector<AssignmentInfo>& assignments() const { return data_.assignments; }
  const std::string& name_of(const AssignmentInfo& assignment) const;  // the variable that it sets: "hip.u"
  int nq() const { return data_.nq; }
  int nu() const { return data_.nu; }
  const std::vector<StateInfo>& states() const { return data_.states; }
  int nd() const { return static_cast<int>(data_.variables.size()); }
  int nx() const { return static_cast<int>(data_.states.size()); }
  // History: coordinates of cut joints, then the parameters s of points on curves and of points on beams.
  int nh() const { return data_.cut_nq + num_curve_parameters(); }
  int num_curve_parameters() const {
    return static_cast<int>(data_.curves.size() + data_.plan.points_on_beams.size());
  }
  // The place among these parameters of that of a constraint which has one.
  int curve_parameter_of(const ConstraintInfo& constraint) const {
    return constraint.curve >= 0 ? constraint.curve
                                 : static_cast<int>(data_.curves.size()) + constraint.on_beam;
  }
  const std::vector<std::string>& q_names() const { return data_.q_names; }  // "hip.q", "base.q[3]"
  const std::vector<std::string>& u_names() const { return data_.u_names; }
  const std::vector<std::string>& q_units() const { return data_.q_units; }
  const std::vector<std::string>& u_units() const { return data_.u_units; }

  // Find by name; throw InputError with the nearest name if there is none.
  BodyIndex body(std::string_view name) const;
  PointIndex point(std::string_view name) const;
  BodyIndex body_of_joint(std::string_view joint_name) const;
  // Returns the body whose joint has this speed.
  BodyIndex body_of_speed(int speed) const;

  // The expressions of the numbers.
  const Graph& graph() const { return *data_.graph; }
  const std::vector<Expr>& numbers() const { return data_.numbers; }  // the plan's slots, by free parameters
  const std::vector<Expr>& force_expressions() const { return data_.force_expressions.exprs; }
  const std::vector<Expr>& rate_expressions() const { return data_.rate_expressions.exprs; }  // (nx)
  const PropertyPlan& plan() const { return data_.plan; }
  const Tape& number_tape() const { return data_.number_tape; }
  const std::vector<NumberSource>& number_sources() const { return data_.number_sources; }
  const std::vector<ValueRule>& value_rules() const { return data_.value_rules; }
  // True if the numbers of the analysis, the output and events() do not depend on this free parameter.
  // Otherwise another value requires freeze().
  bool is_free_of_settings(std::size_t parameter) const { return !data_.is_of_settings[parameter]; }
  Slot initial_q() const { return data_.initial_q; }
  Slot initial_u() const { return data_.initial_u; }
  Slot initial_d() const { return data_.initial_d; }
  Slot initial_x() const { return data_.initial_x; }
  Slot initial_cut_q() const { return data_.initial_cut_q; }
  Slot initial_cut_u() const { return data_.initial_cut_u; }

  const Tape& force_tape() const { return data_.force_tape; }
  int num_force_expressions() const { return static_cast<int>(data_.force_expressions.exprs.size()); }
  int num_force_tape_inputs() const {
    return 1 + static_cast<int>(data_.parameters.size()) + nd() + nx() + data_.nq + data_.nu + data_.cut_nq +
           data_.cut_nu;
  }
  int force_tape_scratch_size() const {
    return static_cast<int>(std::max(data_.force_tape.scratch_size(), data_.rate_tape.scratch_size()));
  }
  // Computes the force expressions at a state. `inputs` and `scratch` have the sizes above.
  template <class T>
  void calc_force_expressions(const Properties<T>& properties, const State<T>& state,
                              const CutCoordinates<T>& cut, std::span<T> inputs, std::span<T> scratch,
                              std::span<T> values) const;
  // Computes the rates of the states (nx) in the same way.
  template <class T>
  void calc_state_rates(const Properties<T>& properties, const State<T>& state, const CutCoordinates<T>& cut,
                        std::span<T> inputs, std::span<T> scratch, std::span<T> rates) const;
  // Tapes with the inputs of the force tape (t, free parameters, variables, states, q, u, and those of cut
  // joints): the `when` of each event, and all assignments of events. With Dual they give rates.
  const Tape& rate_tape() const { return data_.rate_tape; }  // of the states
  const Tape& constraint_tape() const { return data_.constraint_tape; }
  const std::vector<Expr>& constraint_expressions() const { return data_.constraint_expressions.exprs; }
  const Tape& event_tape() const { return data_.event_tape; }
  const Tape& assignment_tape() const { return data_.assignment_tape; }

  // Conditions on time in force and event expressions and in the rates of integrals; their constants are the
  // free parameters and the variables. Null if there are none.
  const std::shared_ptr<const TimeConditions>& time_conditions() const { return data_.time_conditions; }
  // Null if the model defines no columns; see output_columns.h.
  const std::shared_ptr<const OutputColumns>& output_columns() const { return data_.output_columns; }
  // Returns the columns of a result in order; the reactions of the joints if requested.
  std::vector<RowColumn> row_columns(bool reactions) const;

  // Returns text such as "the value of drive is not finite: division by zero in 1/hip.q".
  std::string explain_force_expression(int expression, const Properties<double>& properties,
                                       const State<double>& state) const;
  // Return "the expression of event floor is not finite: ..." and the like; "the expression of constraint law
  // is not finite: ..." for an output of the constraint tape.
  std::string explain_constraint(int expression, const Properties<double>& properties,
                                 const State<double>& state) const;
  // Returns the name of the cut joint or constraint that a row of the conditions belongs to.
  const std::string& name_of_row(int row) const;
  std::string explain_rate(int state, const Properties<double>& properties, const State<double>& at) const;
  std::string explain_event(int event, const Properties<double>& properties,
                            const State<double>& state) const;
  std::string explain_assignment(int event, int assignment, const Properties<double>& properties,
                                 const State<double>& state) const;

 private:
  std::string explain_non_finite(const StateExpressions& expressions, std::size_t i,
                                 const Properties<double>& properties, const State<double>& state) const;

  ModelData data_;
};

// Computes the properties for values of the free parameters, in the order of model.parameters().
template <class T>
Properties<T> calc_properties(const Model& model, std::span<const T> parameters);

// Computes them for the values in the description.
Properties<double> calc_properties(const Model& model);

// Returns the initial state of the description, with Euler parameters normalised, t = 0.
template <class T>
State<T> calc_initial_state(const Model& model, std::span<const T> parameters);
State<double> calc_initial_state(const Model& model);
// Returns (cut_nu) the initial speeds of cut joints in the description; zero if not given.
std::vector<double> calc_initial_cut_speeds(const Model& model, std::span<const double> parameters);

// Normalises all Euler parameters in q (nq).
template <class T>
void normalize_q(const Model& model, std::span<T> q);
// qdot (nq) = N(q) u
template <class T>
void calc_q_dot(const Model& model, std::span<const T> q, std::span<const T> u, std::span<T> qdot);
// Moves q by the displacement (nu) of generalised speeds, and the inverse; see joint.h. q_out may be q.
template <class T>
void plus_q(const Model& model, std::span<const T> q, std::span<const T> displacement, std::span<T> q_out);
template <class T>
void minus_q(const Model& model, std::span<const T> q_b, std::span<const T> q_a, std::span<T> displacement);

}  // namespace sestina
