// The parts of freeze() and the data that they share.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "sestina/base/error.h"
#include "sestina/model/expand_beams.h"
#include "sestina/model/freeze.h"
#include "sestina/model/model.h"
#include "sestina/model/number_collector.h"
#include "sestina/model/system.h"

namespace sestina {

// The parameter s of a curve as a symbol of the graph, in which a variable may be named s.
inline constexpr const char* kCurveParameter = "curve.s";

class Freezer {
 public:
  // Both keep a reference.
  explicit Freezer(const System& system);
  explicit Freezer(const ExpandedSystem& expanded);
  FrozenSystem freeze();
  Analysis freeze_analysis(const Model& model);

 private:
  // freeze_names.cpp
  void check_names();
  void check_name(const Name& name, const std::string& path, std::map<std::string, std::string>& taken,
                  const std::string& owner = "");
  void check_point_names(const std::vector<PointSpec>& points, const std::string& path);

  // freeze_topology.cpp
  void build_topology();
  bool find_reference(const Name& reference, const std::string& path, int& body, std::string& point);
  struct Link {
    int parent = -1;  // position of the parent body; -1 is the ground
    int joint = -1;   // position of the joint; -1: none, the body floats
    std::string parent_point = "origin", child_point = "origin";
  };
  // A joint that closes a loop.
  struct CutLink {
    Link link;
    int child = -1;  // position of the child body; -1 is the ground
  };
  void link_joints();
  bool is_cartesian() const { return system_.analysis.coordinates == "cartesian"; }
  std::vector<CutLink> find_cut_links() const;
  void add_relative_model();
  void leave_out(int joint);
  bool find_bodies(const JointSpec& joint, Link& link, int& child);
  void order_bodies();
  void add_body(int position);
  void index_cut_joints();
  void index_points();
  PointIndex find_point(const Name& reference, const std::string& path);

  // freeze_bodies.cpp
  void collect_bodies();
  void collect_points();
  void collect_mass_properties(BodyPlan& plan, const BodySpec& spec, const std::string& path);
  void check_shapes(const BodySpec& spec, const std::string& path);
  void check_shape(const ShapeSpec& shape, const std::string& path);
  PosePlan collect_pose(const PointSpec& spec, const std::string& path);
  void check_rotation(RotationSpec::Kind kind, Slot slot, const Mark& mark, const std::string& path);
  void collect_joint(BodyPlan& plan, const JointSpec& spec, const std::string& path);
  Slot collect_axis(const std::optional<Triple>& axis, bool has_axis, const JointSpec& spec,
                    const std::string& path);
  void check_limits(const LimitsSpec& limits, const std::string& path);
  void check_left_out_joints();
  void collect_cut_joints();
  void collect_initial_state();
  void collect_initial_values(const std::vector<Number>& given, int wanted, int euler_start, const Mark& mark,
                              const std::string& path);

  // freeze_sections.cpp
  // A number of a section, for beams and cables: its name, its rule, and whether it has to be given.
  struct SectionEntry {
    const char* key;
    const std::optional<Number>& number;
    ValueRule::Kind kind;
    bool is_required;
  };
  // Parses an expression of the arc length s and parameters.
  Expr parse_along(const Number& number, const std::string& path);
  void collect_twist(const BeamSpec& spec, BeamPlan& plan, const std::string& beam_path);
  // Makes the beam's grading if a number of the section depends on s. The following functions then add to it,
  // otherwise to the numbers of the model.
  void begin_section(const BeamSectionSpec& section, BeamPlan& plan);
  BeamCurve* grading_of(const BeamPlan& plan);
  Slot next_of_section(const BeamPlan& plan);
  void hold_of_section(const BeamPlan& plan, ValueRule rule);
  void collect_of_section(const BeamPlan& plan, const Number& number, ValueRule::Kind kind,
                          const std::string& path);
  void add_constant_of_section(const BeamPlan& plan, double value);
  void collect_section(const BeamSpec& spec, BeamPlan& plan, const std::string& path);
  void collect_shape_of_section(const BeamSectionSpec& section, BeamPlan& plan, const std::string& path);
  void collect_stiffness(const BeamSectionSpec& section, BeamPlan& plan, const std::string& path);
  void collect_stiffness_matrix(const BeamSectionSpec& section, BeamPlan& plan, const std::string& path);
  // Shear stiffness that is not given is rigid, inertia zero.
  void collect_entries(BeamPlan& plan, const Mark& mark, const std::string& path,
                       std::initializer_list<SectionEntry> entries);
  void collect_cable_section(const BeamSpec& spec, BeamPlan& plan, const std::string& path);
  void collect_material(const BeamSpec& spec, BeamPlan& plan, const std::string& path);

  // freeze_beams.cpp
  void index_beam_points();
  void collect_beams();
  void collect_beam(const BeamLayout& beam);
  void check_beam_points(const BeamLayout& beam, const std::string& path);
  void collect_cable(const BeamLayout& beam, BeamPlan& plan, const std::string& path);
  void check_joints_of_cable(const BeamLayout& cable);
  // Finds the slope at a point of a cable; reports a fault for other points.
  struct SlopePlace {
    int q = 0, u = 0;
  };
  std::optional<SlopePlace> find_slope(PointIndex point, const Mark& mark, const std::string& path);
  // Finds a point whose axes are needed; reports a fault for a point of a cable, which has no axes.
  PointIndex find_frame(const Name& reference, const std::string& path);
  void collect_centerline(const BeamSpec& spec, BeamPlan& plan, const std::string& path);
  // Returns the index of a beam or cable in data_.beams, or -1 after a fault.
  int find_beam(const Name& name, const Mark& mark, const std::string& path);
  void collect_beam_curve(const CenterlineSpec& line, BeamPlan& plan, const std::string& path);
  Slot collect_held(const Number& number, ValueRule::Kind kind, const std::string& path);
  void check_beam_mesh(const Model& model) const;
  // True if the body at a position in System::bodies is a node; false for a body of the description.
  bool is_node(int position) const { return beam_of_node_.contains(position); }
  // The position of a body in the description.
  int described_position(int position) const;

  // freeze_reduced.cpp
  void collect_reduced_bodies();
  void collect_reduced_body(const ReducedLayout& layout);
  bool is_mode(int position) const { return described_of_mode_.contains(position); }
  // True for a reduced body with an initial pose.
  bool has_given_pose(int position) const;

  // freeze_forces.cpp
  void collect_forces();
  void collect_joint_spring(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_joint_damper(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_joint_force(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_spring_damper(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_point_force(const ForceSpec& spec, ForceIndex index, const std::string& path);
  // freeze_connectors.cpp
  bool collect_connector(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_bushing(const ForceSpec& spec, ForceIndex index, const std::string& path);
  // rows^2 numbers by rows, or none; copies their present values to `values`.
  Slot collect_matrix(const Numbers& given, int rows, bool is_symmetric, const Mark& mark,
                      const std::string& path, std::vector<double>* values = nullptr);
  void collect_cartesian_spring(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_torsional_spring_damper(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_coordinate_friction(const ForceSpec& spec, ForceIndex index, const std::string& path);
  bool collect_stops(const ForceSpec& spec, const ForceNumbers<Slot>& numbers, const std::string& path);
  void collect_sliding_force(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_lugre_friction(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_rope(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_gravity_between(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_line_force(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void collect_belt_contact(const ForceSpec& spec, ForceIndex index, const std::string& path);
  // freeze_hydraulics.cpp
  void collect_hydraulic_actuator(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void add_hydraulic_equations(const ForceSpec& spec, ForceIndex index, const HydraulicLayout& layout,
                               int first);
  // freeze_second_order.cpp
  void collect_second_order(const ForceSpec& spec, ForceIndex index, const std::string& path);
  void check_second_order_names(const ForceSpec& spec, const std::string& path);
  // The speeds that are the rates of the coordinates it is coupled to, and the symbols of both.
  struct CoupledCoordinates {
    std::vector<int> u;
    std::vector<Expr> q, rates;
  };
  CoupledCoordinates find_coupled_coordinates(const ForceSpec& spec, const std::string& path);
  void add_second_order_equations(const ForceSpec& spec, const SecondOrderLayout& layout, ForceIndex index,
                                  const CoupledCoordinates& coupled, int first_value);
  // `from` and `to`, which must differ; for a force that rotates bodies, both must have axes.
  void find_ends(const ForceSpec& spec, const std::string& path, PointIndex& from, PointIndex& to);
  void find_frames(const ForceSpec& spec, const std::string& path, PointIndex& from, PointIndex& to);
  void check_ends(const ForceSpec& spec, const std::string& path, PointIndex from, PointIndex to);
  Slot collect_one(const Numbers& given, const Mark& mark, const std::string& path);
  // One number for three axes, or three.
  Slot collect_three(const Numbers& given, const Mark& mark, const std::string& path);
  bool is_left_out(const std::string& joint) const { return left_out_names_.contains(joint); }
  std::vector<std::string> joints_to_suggest() const;
  // A joint that carries a body or closes a loop. The coordinates and speeds of cut joints are numbered after
  // those of all other joints.
  struct FoundJoint {
    std::string joint_name;
    JointType joint_type = JointType::kWeld;
    int q_start = 0, nq = 0;
    int u_start = 0, nu = 0;
    int cut = -1;  // in data_.cut_joints; -1: it carries a body
  };
  FoundJoint describe_joint(const BodyInfo& body) const;
  FoundJoint describe_cut_joint(std::size_t cut) const;
  std::optional<FoundJoint> find_joint(const std::string& name) const;
  // Reports a fault if there is no such joint.
  std::optional<FoundJoint> find_joint(const Name& joint, const std::string& path);
  // The joint of a friction: none if its speeds are not the rates of its coordinates, which is reported.
  std::optional<FoundJoint> find_joint_of_friction(const ForceSpec& spec, const std::string& path);
  const std::string& q_name(int index) const;  // "hip.q"
  const std::string& u_name(int index) const;
  std::vector<Slot> collect_constants(const std::vector<Number>& given, int wanted, bool is_required,
                                      const Mark& mark, const std::string& path, const FoundJoint& joint);
  // Returns the first of `wanted` consecutive force expressions.
  int collect_values(const ForceSpec& spec, ForceIndex index, int wanted, const std::string& path);
  int collect_table(const ForceSpec& spec, ForceIndex index, int wanted, const std::string& path);
  // `JOINT.q`, `JOINT.u`, `JOINT.q[i]`, `JOINT.u[i]`
  struct CoordinateReference {
    std::optional<FoundJoint> joint;  // none: a joint that has been reported already
    bool is_q = false;
    int index = 0;  // numbered as in FoundJoint
  };
  std::variant<CoordinateReference, std::string> find_coordinate(const std::string& name) const;
  std::variant<Expr, std::string> resolve_coordinate(const std::string& name);
  std::optional<std::string> explain_unknown_state(const std::string& name) const;

  // freeze_constraints.cpp
  void collect_constraints();
  void collect_distance(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path);
  void collect_point_on(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path);
  void collect_point_on_curve(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path);
  void collect_point_on_beam(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path);
  std::vector<Expr> collect_curve(const ConstraintSpec& spec, const std::string& path);
  std::vector<Expr> collect_curve_table(const ConstraintSpec& spec, const std::string& path);
  Slot collect_curve_range(const ConstraintSpec& spec, const std::string& path);
  int find_up(const CurveInfo& curve, Slot range) const;
  void collect_tangent(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path);
  void collect_rolling(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path);
  void collect_user_constraint(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path);
  // The direction of a line, a plane or an axis, which is required; not zero.
  Slot collect_direction(const std::optional<Triple>& direction, const Mark& mark, const std::string& path);
  // Checks that two points are on different bodies; otherwise reports a fault at the second.
  bool are_on_different_bodies(PointIndex first, PointIndex second, const Mark& mark,
                               const std::string& path);
  void collect_coupling(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path);
  void collect_motion(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path);
  void collect_condition(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path);
  void add_condition(Expr zero, ConstraintInfo& info, const Mark& mark, const std::string& path);
  void add_constraint_expression(Expr expr);
  // Collects an expression of t and parameters.
  Expr collect_of_time(const Number& number, const std::string& path);
  bool take_level(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path);
  Expr rate_along_motion(Expr expr);
  Expr rate_of_coordinate(const FoundJoint& joint, int i);
  bool add_coefficients(CoordinateCondition& condition, Expr velocity, const Mark& mark,
                        const std::string& path);

  // freeze_contacts.cpp
  // Whether there are contacts, stops or friction that sticks.
  static bool needs_contact_rule(const System& system);
  static bool is_force_element(const ContactSpec& spec) {
    return spec.law == "linear" || spec.law == "hertz" || spec.law == "hunt_crossley";
  }
  void collect_contacts();
  void collect_contact(const ContactSpec& spec, const std::string& path);
  std::vector<std::pair<int, int>> find_pairs_of_two(const ContactSpec& spec, const std::string& path,
                                                     const std::vector<int>& first,
                                                     const std::vector<int>& second);
  std::vector<std::pair<int, int>> find_pairs_among(const ContactSpec& spec, const std::string& path,
                                                    const std::vector<std::vector<int>>& shapes);
  // Returns the shapes of a name, as indices in data_.plan.contact_shapes.
  std::vector<int> find_shapes(const Name& name, const std::string& path);
  int add_contact_shape(BodyIndex body, const ShapeSpec& shape, const std::string& name,
                        const std::string& path);
  bool read_contact_mesh(BodyIndex body, const ShapeSpec& shape, const std::string& path,
                         ContactShapePlan& plan);
  ContactLawPlan collect_law(const Number& friction, const Number& restitution, const Number& stiffness,
                             const Number& damping, const std::string& path, bool is_force = false);
  void collect_stops();
  void collect_stop(const JointSpec& spec, const BodyInfo& body, bool is_upper, const std::string& path);
  // freeze_compliant_contacts.cpp
  void refuse_keys_of_other_laws(const ContactSpec& spec, bool is_force, const std::string& path);
  CompliantContactPlan collect_compliant_law(const ContactSpec& spec, const std::string& path);
  void collect_moduli(const ContactSpec& spec, const std::string& path, CompliantContactPlan& plan);
  void collect_bristles(const ContactSpec& spec, const std::string& path, CompliantContactPlan& plan);
  void collect_compliant_pair(const ContactSpec& spec, const std::string& path, int a, int b,
                              CompliantContactPlan plan);

  // freeze_events.cpp
  void collect_variables();
  std::string path_of_start(int state) const;
  void collect_rates();
  bool is_variable(std::string_view variable) const;  // or a state
  void collect_events();
  bool collect_event(const EventSpec& spec, const std::string& path);
  struct WatchedExpression {
    std::size_t event;  // in data_.events
    const Number* when;
    std::string path;
  };
  void check_changes(const std::vector<WatchedExpression>& watched);
  void collect_assignment(const AssignmentSpec& spec, const std::string& path,
                          std::set<std::pair<Target, int>>& taken);
  bool find_target(const Name& target, const std::string& path, AssignmentInfo& info);

  // freeze_columns.cpp
  void collect_columns();
  // Resolves FORCE.value, FORCE.value[i]; nothing if there is no such force.
  std::optional<std::variant<Expr, std::string>> find_force_value(const std::string& name) const;

  // freeze.cpp
  void collect_analysis();
  void collect_frequencies(const AnalysisSpec& spec);
  void collect_limits(const RunLimitsSpec& limits);
  void collect_integrator();
  void collect_time_elements();
  void collect_stretches(const Number& number, const std::string& path);
  int collect_count(const Number& number, const std::string& path, int most, std::string_view meaning);
  void collect_tolerance(const Number& number, const std::string& path);
  void check_word(const Name& word, const std::string& path, const std::vector<std::string>& allowed);
  // Collects a number of the run, not a property of the mechanism: its parameters cannot change later.
  double collect_setting(const Number& number, const std::string& path);
  double positive(const Number& number, const std::string& path, bool zero_allowed);
  // Checks the rule with the values, and keeps it if these depend on parameters.
  void hold(ValueRule rule);
  void hold(ValueRule::Kind kind, Slot slot, const Number& number, const std::string& path);
  // Collects the numbers of one force; a number that the element does not have is a fault.
  template <template <class> class Element>
  ForceNumbers<Slot> collect_numbers(const ForceSpec& spec, const std::string& path);
  // Collects a number of one of the tables (joint_numbers.h, force_numbers.h).
  Slot collect_number(const Number& number, const NumberInfo& info, const std::string& path);
  // Checks a number that only the description needs.
  void check_unused(ValueRule::Kind kind, const Number& number, const std::string& path);
  Expr collect_expression(const Number& number, const std::string& path, StateExpressions& into);
  void prepare_user_parts();
  void find_parameters_of_settings();
  void compile_tapes();
  void find_uses_of_cut_joints();
  void find_conditions_in_time(std::span<const Expr> inputs);
  std::vector<Expr> driving_expressions() const;
  bool depends_on_time() const;
  void fail(const Mark& mark, const std::string& path, std::string message) {
    faults_.add({mark, path}, std::move(message));
  }

  const System& system_;
  std::span<const BeamLayout> beams_;
  std::unordered_map<int, const BeamLayout*> beam_of_node_;  // by position in system_.bodies
  std::unordered_map<std::string, const BeamLayout*> beam_of_name_;
  std::span<const ReducedLayout> reduced_bodies_;
  // By position in system_.bodies, for bodies that carry a mode or a slope: the position of the described
  // body.
  std::unordered_map<int, int> described_of_mode_;
  std::span<const HydraulicLayout> hydraulics_;
  std::span<const SecondOrderLayout> second_orders_;
  std::span<const BeltLayout> belts_;
  std::span<const LugreLayout> lugres_;
  std::span<const BristleLayout> bristles_;
  std::size_t described_states_, described_columns_;  // the first ones; force elements have added others
  FaultList faults_;
  std::shared_ptr<Graph> graph_;
  NumberCollector numbers_;
  ModelData data_;
  Analysis analysis_;

  // By position in system_.bodies; the order is not known yet.
  std::vector<Link> links_;
  std::vector<CutLink> cut_links_;
  std::set<int> left_out_joints_;  // positions of the joints whose place in the tree is faulty
  std::unordered_set<std::string> left_out_names_;
  std::unordered_map<std::string, int> body_positions_;
  std::unordered_set<std::string> point_names_;              // "upper.tip"
  std::vector<BodyIndex> index_of_position_;                 // BodyIndex of system_.bodies[i]
  std::vector<int> position_of_index_;                       // inverse; -1 for the ground
  std::unordered_map<std::string, PointIndex> point_index_;  // "upper.tip"
  std::unordered_map<std::string, BodyIndex> joint_index_;
  std::unordered_map<std::string, std::size_t> cut_index_;  // in data_.cut_joints
  std::unordered_map<std::string, int> variable_index_;     // in data_.variables
  std::unordered_map<std::string, int> state_index_;        // in data_.states
  std::map<int, Expr> element_rates_;                       // of states that force elements added
  std::map<const ShapeSpec*, int> shape_index_;             // in the plan's contact_shapes
  std::vector<Slot> settings_;
  std::shared_ptr<OutputColumns> columns_;  // null: the model defines none
};

}  // namespace sestina
