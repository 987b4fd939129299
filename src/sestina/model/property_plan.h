// The plan for computing the properties of a model from the numbers that the user gave.
//
// All numbers of a System are outputs of one tape, whose inputs are the free parameters. A plan holds the
// places of each property's numbers among these outputs; freeze() makes it and calc_properties() reads it for
// every scalar type.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sestina/base/index.h"
#include "sestina/contact/shape.h"
#include "sestina/contact/surface.h"
#include "sestina/joints/joint_info.h"
#include "sestina/model/system.h"

namespace sestina {

// Index of the first of consecutive numbers; -1 if there are none.
struct Slot {
  int first = -1;
  bool is_given() const { return first >= 0; }
};

struct PosePlan {
  Slot position;  // 3
  RotationSpec::Kind kind = RotationSpec::Kind::kRpy;
  Slot rotation;  // 4, 4, 3 or 9; not given: parallel axes
};

struct BodyPlan {
  Slot mass, center_of_mass, inertia;  // 1, 3, 6 (xx yy zz xy xz yz)
  PointIndex parent_point, child_point;
  PointIndex carried_at;  // where a joint would carry it, of a body that floats since all are cut
  JointType joint_type = JointType::kWeld;
  Slot axis, second_axis, armature;
  JointNumbers<Slot> numbers;
};

struct PointPlan {
  BodyIndex body;
  PosePlan pose;  // in the body's own frame
};

struct JointSpringPlan {
  ForceIndex index;
  int q, u;
  Slot stiffness, reference;
  ForceNumbers<Slot> numbers = {};
};
struct JointDamperPlan {
  ForceIndex index;
  int u;
  Slot damping;
  ForceNumbers<Slot> numbers = {};
};
struct JointForcePlan {
  ForceIndex index;
  int u, expression;
};
struct SpringDamperPlan {
  ForceIndex index;
  PointIndex from, to;
  Slot stiffness, damping;
  ForceNumbers<Slot> numbers = {};
};
struct PointForcePlan {
  ForceIndex index;
  PointIndex at;
  int expression;
  bool in_body_axes, is_torque;
};

// The stiffness and damping of a bushing: 6 diagonal elements or all 36, by rows; not given: zero.
struct BushingPlan {
  ForceIndex index;
  PointIndex from, to;
  Slot stiffness, rotational_stiffness, stiffness_matrix;  // 3, 3, 36
  Slot damping, rotational_damping, damping_matrix;
};
struct CartesianSpringPlan {
  ForceIndex index;
  PointIndex from, to;
  Slot stiffness, damping, reference;  // 3 each
};
struct TorsionalSpringDamperPlan {
  ForceIndex index;
  PointIndex from, to;
  Slot axis, stiffness, damping, reference;
};
struct CoordinateFrictionPlan {
  ForceIndex index;
  int q, u;
  bool has_stops;
  ForceNumbers<Slot> numbers = {};
  bool sticks() const { return numbers.friction.is_given() && !numbers.creep_speed.is_given(); }
};
struct LugreFrictionPlan {
  ForceIndex index;
  int u, bristle;
  ForceNumbers<Slot> numbers = {};
};
struct RopePlan {
  ForceIndex index;
  std::vector<PointIndex> points;
  Slot stiffness, damping;
  ForceNumbers<Slot> numbers = {};
};
struct GravityBetweenPlan {
  ForceIndex index;
  PointIndex from, to;
  ForceNumbers<Slot> numbers = {};
};
struct BeltPlan {
  ForceIndex index;
  int beam = 0;  // in Model::beams()
  PointIndex at;
  Slot axis, stiffness, damping;
  ForceNumbers<Slot> numbers = {};
  int segments = 1, first_bristle = -1;
};
struct SecondOrderPlan {
  ForceIndex index;
  std::vector<int> u;
  int expression;
};
// A beam's axis, section and material; values that are not given have no slot.
struct BeamPlan {
  enum class Axis { kLine, kPoints, kCurve };
  enum class Section { kRectangle, kCircle, kTube, kPerLength, kMatrix };
  ForceIndex index;
  int beam = 0;                  // in Model::beams()
  std::vector<double> stations;  // of the nodes, from 0 to 1
  Axis axis = Axis::kLine;
  Slot points, up;  // 3 for each point: two of a line; 3
  int point_count = 0;
  Slot length;     // of a curve
  int curve = -1;  // in Model::beam_curves()
  Section section = Section::kRectangle;
  // 2, 1, 2; or 10: EA GAy GAz GJ EIy EIz mass Ixx Iyy Izz; or 40: matrix by rows, mass Ixx Iyy Izz; or of a
  // cable, 3: EA EI mass
  Slot shape;
  int grading = -1;                 // in Model::beam_curves(), if `shape` is a slot there: depends on s
  int twist = -1;                   // in Model::beam_curves()
  bool has_rotary_inertia = false;  // the last three are given
  Slot material, damping;           // E, nu, density; 1
  Slot shear;                       // 2; not given: Cowper's
  bool is_cable = false, is_precurved = false, is_closed = false;
  Slot pretension;                  // of a cable, 1
  Slot velocity, angular_velocity;  // 3 each; not given: at rest

  bool has_outline() const { return section < Section::kPerLength; }
  int section_number_count() const {
    if (section == Section::kMatrix) return 40;
    if (section == Section::kPerLength) return is_cable ? 3 : 10;
    return section == Section::kCircle ? 1 : 2;
  }
};

// A force along a beam: 9 expressions for each element, x, y and z at the points of forces/line_force.h.
struct LineForcePlan {
  ForceIndex index;
  int beam = 0;  // in Model::beams()
  int expression = 0;
  bool in_section_axes = false;
};

// A force along a beam on a point that slides on it.
struct SlidingForcePlan {
  ForceIndex index;
  int on_beam = 0;      // in `points_on_beams`
  int expression = -1;  // negative: no value
  bool has_stops = false;
  Slot damping;  // 1
  ForceNumbers<Slot> numbers = {};
};

// A reduced body, in the order of Model::reduced_bodies().
struct ReducedPlan {
  ForceIndex index;
  PosePlan pose;  // of the mesh's frame
  Slot damping;   // 1
};

// See ConnectorSet.
// A pair of shapes of a contact that is a force element; the numbers that all have are those of the contact.
struct CompliantContactPlan {
  ForceIndex index;
  int contact = 0, first = 0, second = 0;                  // in `contacts` and `contact_shapes`
  Slot exponent = {}, dissipation = {}, creep_speed = {};  // 1 each; not given: 3/2, 0, none
  Slot impact_speed = {};                                  // 1, instead of dissipation
  Slot young = {}, poisson = {};                           // 2 each, instead of a stiffness
  int bristle = -1;                                        // of its state; -1: it has none
  Slot bristle_stiffness = {}, bristle_damping = {};       // 1 each
  Slot static_friction = {}, stribeck_speed = {};          // 1 each; not given: that of sliding, any
};

struct ConnectorPlan {
  std::vector<BushingPlan> bushings;
  std::vector<CartesianSpringPlan> cartesian_springs;
  std::vector<TorsionalSpringDamperPlan> torsional_spring_dampers;
  std::vector<CoordinateFrictionPlan> coordinate_frictions;
  std::vector<LugreFrictionPlan> lugre_frictions;
  std::vector<RopePlan> ropes;
  std::vector<GravityBetweenPlan> gravities;
  std::vector<SecondOrderPlan> second_orders;
  std::vector<BeamPlan> beams;
  std::vector<BeltPlan> belts;
  std::vector<CompliantContactPlan> contacts;
  std::vector<LineForcePlan> line_forces;
  std::vector<SlidingForcePlan> sliding_forces;

  bool act_on_bodies() const {
    return !(bushings.empty() && cartesian_springs.empty() && torsional_spring_dampers.empty() &&
             ropes.empty() && gravities.empty() && beams.empty() && contacts.empty());
  }
  bool empty() const {
    return !act_on_bodies() && coordinate_frictions.empty() && lugre_frictions.empty() &&
           second_orders.empty();
  }
  // The index of the first; there must be one.
  ForceIndex first() const;
};

// A joint that closes a loop.
struct CutJointPlan {
  PointIndex parent_point, child_point;
  JointType type = JointType::kWeld;
  Slot axis, second_axis, armature;
  JointNumbers<Slot> numbers = {};
  int q_start = 0, u_start = 0, first_row = 0, armature_row = -1;
};
// The slope of a cable keeps a direction; `line` and `direction` are as of a point on a line.
struct TangentPlan {
  int q = 0, u = 0;  // of the slope
  PointIndex line;
  Slot direction;
  int first_row = 0, first_term = 0;
};
struct DistancePlan {
  PointIndex from, to;
  int expression, row;
};
struct PointOnPlan {
  PointIndex point, surface;
  Slot direction;
  bool is_line;
  int first_row;
};

// A shape that a contact names, on a body or the ground.
struct ContactShapePlan {
  BodyIndex body;
  ShapeType type = ShapeType::kSphere;
  Slot size;  // 1 (sphere), 2 (cylinder, capsule: radius, length) or 3; none of a plane and of meshes
  std::shared_ptr<const Surface> surface;  // of meshes
  PosePlan pose;
};
// The numbers common to all points of a contact, or of a stop of a joint: 1 number each.
struct ContactLawPlan {
  Slot friction, restitution, stiffness, damping;
};
struct ContactPlan {
  ContactLawPlan law;
  std::vector<std::pair<int, int>> pairs;  // of shapes
  bool is_force = false;                   // a force element
};
struct StopPlan {
  ContactLawPlan law;
  Slot bound;
  int q = 0, u = 0;
  bool is_upper = false;
};
struct PointOnCurvePlan {
  PointIndex point, curve;
  Slot range;  // 2: s of the ends, or of a period; not given: neither
  Slot start;  // not given: found
  bool is_open;
  int up;
  int first_row;
};
struct PointOnBeamPlan {
  PointIndex point;
  int beam = 0;  // in Model::beams()
  Slot start;    // m; not given: found
  int first_row = 0, first_pair = 0, first_term = 0;
};
struct RollingPlan {
  PointIndex center, plane;
  Slot axis, normal, radius;
  int first_row;
};

struct PropertyPlan {
  Slot gravity;
  IndexedVector<BodyIndex, BodyPlan> bodies;
  IndexedVector<PointIndex, PointPlan> points;
  std::vector<JointSpringPlan> joint_springs;
  std::vector<JointDamperPlan> joint_dampers;
  std::vector<JointForcePlan> joint_forces;
  std::vector<SpringDamperPlan> spring_dampers;
  std::vector<PointForcePlan> point_forces;
  ConnectorPlan connectors;
  std::vector<ReducedPlan> reduced_bodies;
  std::vector<CutJointPlan> cut_joints;
  std::vector<DistancePlan> distances;
  std::vector<PointOnPlan> points_on;
  std::vector<TangentPlan> tangents;
  std::vector<ContactShapePlan> contact_shapes;
  std::vector<ContactPlan> contacts;  // in the order of Model::contacts()
  std::vector<StopPlan> stops;
  std::vector<PointOnCurvePlan> points_on_curves;  // in the order of Model::curves()
  std::vector<PointOnBeamPlan> points_on_beams;
  std::vector<RollingPlan> rollings;
};

}  // namespace sestina
