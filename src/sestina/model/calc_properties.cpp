// Computes properties from numbers, for every scalar type.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/constraints/cut_joint_motion.h"
#include "sestina/flexible/beam_inertia.h"
#include "sestina/flexible/reduced_body.h"
#include "sestina/model/beam_start.h"
#include "sestina/model/for_each_mesh.h"
#include "sestina/model/model.h"
#include "sestina/model/properties.h"
#include "sestina/model/read_compliant_contact.h"
#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

template <class T>
bool is_identity(const Rotation<T>& R);

// Returns a/|a| for any length but zero: squares of 1e200 and 1e-200 exceed the range of doubles. Scaling by
// a power of two changes no other bit.
template <class T>
Vec3<T> unit_vector(const Vec3<T>& a) {
  constexpr int kMostExponent = 1000;  // 2^-e is finite for the smallest subnormal a, too
  const double largest =
      std::max({std::abs(value_of(a.x)), std::abs(value_of(a.y)), std::abs(value_of(a.z))});
  const int exponent = largest > 0.0 && std::isfinite(largest) ? std::ilogb(largest) : 0;
  const Vec3<T> scaled = T(std::exp2(std::min(-exponent, kMostExponent))) * a;
  return (T(1) / norm(scaled)) * scaled;
}

template <class T>
class PropertyReader {
 public:
  PropertyReader(const Model& model, std::span<const T> numbers) : model_(model), numbers_(numbers) {}

  Properties<T> read(std::span<const T> parameters) const {
    const PropertyPlan& plan = model_.plan();
    Properties<T> properties;
    properties.parameters.assign(parameters.begin(), parameters.end());
    properties.gravity = vector(plan.gravity);
    read_bodies(properties);
    read_beams(properties);
    read_reduced_bodies(properties);
    for (const PointPlan& point : plan.points) {
      properties.points.push_back(
          {frame_of(point.body), properties.bodies[point.body].X_MB * pose(point.pose)});
    }
    for (const ReducedBodyInfo& body : model_.reduced_bodies()) {
      for (std::size_t i = 0; i < body.points.size(); ++i) {
        properties.points[body.points[i]] = {FrameIndex(body.first_frame.value() + static_cast<int>(i)), {}};
      }
    }
    for (BodyIndex b{1}; b.value() < plan.bodies.size(); ++b) {
      BodyProperties<T>& body = properties.bodies[b];
      body.X_PF = properties.points[plan.bodies[b].parent_point].X_BK;
      body.structure = find_structure(body);
    }
    read_joint_forces(properties);
    read_point_forces(properties);
    if (!model_.contacts().empty() || model_.has_contacts()) read_contacts(properties);
    read_connectors(properties);
    if (model_.is_constrained()) read_constraints(properties);
    return properties;
  }

  // Writes q of the reduced bodies, at the centre of mass.
  void place_reduced_bodies(std::span<T> q) const {
    for (std::size_t i = 0; i < model_.reduced_bodies().size(); ++i) {
      const ReducedBodyInfo& info = model_.reduced_bodies()[i];
      const Pose<T> X = pose(model_.plan().reduced_bodies[i].pose);
      const Vec3<T> p = X * reduced_body::to_scalar<T>(info.modes->center_of_mass);
      T* const own = q.data() + model_.bodies()[info.body].q_start;
      for (int k = 0; k < 3; ++k) own[k] = p[k];
      euler_parameters_of(X.R, own + 3);
    }
  }

 private:
  T number(Slot slot) const {
    return slot.is_given() ? numbers_[static_cast<std::size_t>(slot.first)] : T(0);
  }
  JointNumbers<T> joint_numbers(const JointNumbers<Slot>& slots) const {
    JointNumbers<T> values;
    copy_joint_numbers(slots, values, [this](Slot slot) { return number(slot); });
    return values;
  }
  template <class Element>
  void fill(const ForceNumbers<Slot>& slots, Element& element) const {
    copy_force_numbers(slots, element, [this](Slot slot) { return number(slot); });
  }
  const T* numbers(Slot slot) const { return numbers_.data() + slot.first; }
  Vec3<T> vector(Slot slot) const {
    if (!slot.is_given()) return {};
    const T* x = numbers(slot);
    return {x[0], x[1], x[2]};
  }
  Vec3<T> direction(Slot slot) const { return slot.is_given() ? unit_vector(vector(slot)) : Vec3<T>{}; }

  Rotation<T> rotation(const PosePlan& plan) const {
    const T* x = numbers(plan.rotation);
    switch (plan.kind) {
      case RotationSpec::Kind::kEulerParameters:
        return euler_parameter_rotation(x);
      case RotationSpec::Kind::kAxisAngle:
        return axis_rotation(direction(plan.rotation), x[3]);
      case RotationSpec::Kind::kRpy:
        return rpy_rotation(x[0], x[1], x[2]);
      case RotationSpec::Kind::kMatrix:
        return nearest_rotation(x);
    }
    __builtin_unreachable();
  }
  // freeze() has checked that the columns are orthonormal to 1e-6; this makes them orthonormal to round-off.
  static Rotation<T> nearest_rotation(const T* x) {
    const Vec3<T> a{x[0], x[3], x[6]}, b{x[1], x[4], x[7]};
    const Vec3<T> e1 = unit_vector(a);
    const Vec3<T> e2 = unit_vector(b - dot(b, e1) * e1);
    return Rotation<T>::from_columns(e1, e2, cross(e1, e2));
  }
  Pose<T> pose(const PosePlan& plan) const {
    Pose<T> X;
    X.p = vector(plan.position);
    if (plan.rotation.is_given()) X.R = rotation(plan);
    return X;
  }

  void read_bodies(Properties<T>& properties) const {
    for (const BodyPlan& plan : model_.plan().bodies) {
      BodyProperties<T> body;
      if (plan.child_point.is_valid()) body.X_MB = inverse(pose(model_.plan().points[plan.child_point].pose));
      const T mass = number(plan.mass);
      const Vec3<T> c = body.X_MB * vector(plan.center_of_mass);
      if (plan.inertia.is_given()) {
        const T* J = numbers(plan.inertia);
        body.J_com = rotate(body.X_MB.R, SymMat3<T>{J[0], J[1], J[2], J[3], J[4], J[5]});
      }
      body.M = {mass, c, body.J_com + point_inertia(mass, c)};
      body.joint = {plan.joint_type, direction(plan.axis), direction(plan.second_axis),
                    joint_numbers(plan.numbers)};
      body.armature = number(plan.armature);
      properties.bodies.push_back(body);
    }
  }

  // The frames of nodes are joint frames.
  void read_beams(Properties<T>& properties) const {
    for_each_mesh<T>(
        model_, numbers_, properties.parameters,
        [&](const BeamPlan& plan, const BeamMesh& mesh) { read_beam(plan, mesh, properties); },
        [&](const BeamPlan& plan, const CableMesh& mesh) { read_cable(plan, mesh, properties); });
  }
  void read_beam(const BeamPlan& plan, const BeamMesh& mesh, Properties<T>& properties) const {
    const std::vector<BodyIndex>& nodes = model_.beams()[static_cast<std::size_t>(plan.beam)].nodes;
    const std::vector<NodeInertia> inertias = calc_node_inertias(mesh);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const SymMat3<double>& J = inertias[k].inertia;
      BodyProperties<T>& body = properties.bodies[nodes[k]];
      body.J_com = {T(J.xx), T(J.yy), T(J.zz), T(J.xy), T(J.xz), T(J.yz)};
      body.M = {T(inertias[k].mass), {}, body.J_com};
    }
    set_points_on_beam(plan, mesh.pieces, 2, properties);
    for (std::size_t k = 0; k < mesh.pieces.size(); ++k) {
      BeamForce<T>& force = properties.forces.connectors.beams.emplace_back();
      force.index = plan.index;
      force.a = frame_of(nodes[k]), force.b = frame_of(nodes[k + 1]);
      force.segment = converted<T>(mesh.pieces[k].segment);
      force.damping = number(plan.damping);
    }
  }
  // Rows that stand for inertias carry the rest of the mass (dynamics/cables.h).
  void read_cable(const BeamPlan& plan, const CableMesh& mesh, Properties<T>& properties) const {
    const BeamInfo& info = model_.beams()[static_cast<std::size_t>(plan.beam)];
    for (std::size_t k = 0; k < info.nodes.size(); ++k) {
      const CableNodeInertia node = calc_cable_node_inertia(mesh, k);
      properties.bodies[info.nodes[k]].M = {T(node.mass), {}, {}};
      for (int i = 0; i < 3; ++i) {
        properties.bodies[model_.body_of_speed(info.slope_u[k] + i)].armature = T(node.slope);
      }
    }
    const auto end = [&](std::size_t k) {
      return typename CableForce<T>::End{frame_of(info.nodes[k]), info.slope_q[k], info.slope_u[k]};
    };
    set_points_on_beam(plan, mesh.segments, find_up_axis(mesh), properties);
    for (std::size_t k = 0; k < mesh.segments.size(); ++k) {
      properties.cable_elements.push_back({{plan.index}, end(k), end(k + 1), converted<T>(mesh.segments[k])});
      properties.forces.connectors.cables.push_back(properties.cable_elements.back());
    }
  }
  // Reads the data of beams that point_on_beam constraints need; their points are read with the other
  // constraints.
  template <class Element>
  void set_points_on_beam(const BeamPlan& beam, const std::vector<Element>& elements, int up,
                          Properties<T>& properties) const {
    const std::vector<PointOnBeamPlan>& plans = model_.plan().points_on_beams;
    const BeamInfo& info = model_.beams()[at(beam.beam)];
    std::vector<PointOnBeam<T>>& points = properties.constraints.points_on_beams;
    points.resize(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (plans[i].beam != beam.beam) continue;
      PointOnBeam<T>& on = points[i];
      on.nodes.clear(), on.stations = {T(0)};
      for (const BodyIndex node : info.nodes) on.nodes.push_back(frame_of(node));
      on.slope_q = info.slope_q, on.slope_u = info.slope_u;
      on.is_closed = info.is_closed, on.up = up;
      if (on.is_closed) on.nodes.pop_back(), on.slope_q.pop_back(), on.slope_u.pop_back();
      for (const Element& element : elements) on.stations.push_back(on.stations.back() + length_of(element));
      on.place = static_cast<int>(model_.curves().size() + i);
      on.first_row = plans[i].first_row;
      on.first_pair = plans[i].first_pair, on.first_term = plans[i].first_term;
    }
  }
  static T length_of(const BeamPiece& piece) { return T(piece.segment.length); }
  static T length_of(const CableSegment<double>& segment) { return T(segment.length); }

  // Springs represent the stiffness of modes.
  void read_reduced_bodies(Properties<T>& properties) const {
    for (std::size_t i = 0; i < model_.reduced_bodies().size(); ++i) {
      const ReducedBodyInfo& info = model_.reduced_bodies()[i];
      const ReducedPlan& plan = model_.plan().reduced_bodies[i];
      const T damping = number(plan.damping);
      for (std::size_t k = 0; k < info.modes->count; ++k) {
        const double mass = info.modes->mass, rate = info.modes->frequencies[k];
        const int place = static_cast<int>(k);
        properties.forces.joint_springs.push_back(
            {{plan.index}, info.q_start + place, info.u_start + place, T(mass * rate * rate), T(0)});
        properties.forces.joint_dampers.push_back(
            {{plan.index}, info.u_start + place, damping * T(2.0 * mass * rate)});
      }
    }
  }

  ContactLaw<T> law(const ContactLawPlan& plan) const {
    return {number(plan.friction), number(plan.restitution), number(plan.stiffness), number(plan.damping)};
  }

  void read_contacts(Properties<T>& properties) const {
    const PropertyPlan& plan = model_.plan();
    for (const ContactShapePlan& p : plan.contact_shapes) {
      typename ContactSet<T>::PlacedShape shape{
          frame_of(p.body), p.type, {}, p.surface.get(), properties.bodies[p.body].X_MB * pose(p.pose)};
      if (p.size.is_given()) shape.size = size_of(p);
      properties.contacts.shapes.push_back(shape);
    }
    for (const ContactPlan& p : plan.contacts) properties.contacts.contacts.push_back(law(p.law));
    for (const StopPlan& p : plan.stops) {
      properties.contacts.stops.push_back(law(p.law));
      properties.contacts.bounds.push_back(number(p.bound));
    }
  }
  // Converts to the sizes of contact/shape.h, which are half lengths.
  Vec3<T> size_of(const ContactShapePlan& plan) const {
    const T* x = numbers(plan.size);
    const T half(0.5);
    switch (plan.type) {
      case ShapeType::kSphere:
        return {x[0], T(0), T(0)};
      case ShapeType::kCylinder:
      case ShapeType::kCapsule:
        return {x[0], half * x[1], T(0)};
      default:
        return {half * x[0], half * x[1], half * x[2]};
    }
  }

  void read_joint_forces(Properties<T>& properties) const {
    const PropertyPlan& plan = model_.plan();
    for (const JointSpringPlan& p : plan.joint_springs) {
      properties.forces.joint_springs.push_back(
          {{p.index}, p.q, p.u, number(p.stiffness), number(p.reference)});
      fill(p.numbers, properties.forces.joint_springs.back());
    }
    for (const JointDamperPlan& p : plan.joint_dampers) {
      properties.forces.joint_dampers.push_back({{p.index}, p.u, number(p.damping)});
      fill(p.numbers, properties.forces.joint_dampers.back());
    }
    for (const JointForcePlan& p : plan.joint_forces) {
      properties.forces.joint_forces.push_back({{p.index}, p.u, p.expression});
    }
  }

  void read_point_forces(Properties<T>& properties) const {
    const PropertyPlan& plan = model_.plan();
    const auto point = [&](PointIndex i) { return properties.points[i]; };
    for (const SpringDamperPlan& p : plan.spring_dampers) {
      properties.forces.spring_dampers.push_back(
          {{p.index}, point(p.from), point(p.to), number(p.stiffness), number(p.damping)});
      fill(p.numbers, properties.forces.spring_dampers.back());
    }
    for (const PointForcePlan& p : plan.point_forces) {
      const Rotation<T>& R_MB = properties.bodies[model_.plan().points[p.at].body].X_MB.R;
      const GivenVector<T> value{p.expression, p.in_body_axes, R_MB};
      if (p.is_torque) {
        properties.forces.point_torques.push_back({{p.index}, point(p.at), value});
      } else {
        properties.forces.point_forces.push_back({{p.index}, point(p.at), value});
      }
    }
  }

  // Three diagonal elements, starting at `at`.
  void fill_diagonal(Slot slot, std::size_t at, BushingMatrix<T>& matrix) const {
    if (!slot.is_given()) return;
    for (std::size_t i = 0; i < 3; ++i) matrix[7 * (at + i)] = numbers(slot)[i];
  }
  BushingMatrix<T> matrix(Slot displacement, Slot rotation, Slot all) const {
    BushingMatrix<T> matrix{};
    if (all.is_given()) {
      std::copy_n(numbers(all), 36, matrix.begin());
    } else {
      fill_diagonal(displacement, 0, matrix), fill_diagonal(rotation, 3, matrix);
    }
    return matrix;
  }
  void read_connectors(Properties<T>& properties) const {
    const ConnectorPlan& plan = model_.plan().connectors;
    ConnectorSet<T>& set = properties.forces.connectors;
    properties.forces.has_connectors = !plan.empty();
    const auto point = [&](PointIndex i) { return properties.points[i]; };
    for (const BushingPlan& p : plan.bushings) {
      set.bushings.push_back({{p.index},
                              point(p.from),
                              point(p.to),
                              matrix(p.stiffness, p.rotational_stiffness, p.stiffness_matrix),
                              matrix(p.damping, p.rotational_damping, p.damping_matrix)});
    }
    for (const CartesianSpringPlan& p : plan.cartesian_springs) {
      set.cartesian_springs.push_back({{p.index},
                                       point(p.from),
                                       point(p.to),
                                       vector(p.stiffness),
                                       vector(p.damping),
                                       vector(p.reference)});
    }
    for (const TorsionalSpringDamperPlan& p : plan.torsional_spring_dampers) {
      set.torsional_spring_dampers.push_back({{p.index},
                                              point(p.from),
                                              point(p.to),
                                              direction(p.axis),
                                              number(p.stiffness),
                                              number(p.damping),
                                              number(p.reference)});
    }
    for (const CoordinateFrictionPlan& p : plan.coordinate_frictions) {
      set.coordinate_frictions.push_back({{p.index}, p.q, p.u, p.has_stops, p.sticks()});
      fill(p.numbers, set.coordinate_frictions.back());
    }
    for (const LugreFrictionPlan& p : plan.lugre_frictions) {
      set.lugre_frictions.push_back({{p.index}, p.u, p.bristle});
      fill(p.numbers, set.lugre_frictions.back());
    }
    for (const RopePlan& p : plan.ropes) {
      Rope<T>& rope = set.ropes.emplace_back();
      rope.index = p.index;
      for (const PointIndex i : p.points) rope.points.push_back(point(i));
      rope.stiffness = number(p.stiffness), rope.damping = number(p.damping);
      fill(p.numbers, rope);
    }
    for (const GravityBetweenPlan& p : plan.gravities) {
      set.gravities.push_back({{p.index}, point(p.from), point(p.to)});
      fill(p.numbers, set.gravities.back());
    }
    for (const SecondOrderPlan& p : plan.second_orders) {
      set.second_orders.push_back({{p.index}, p.u, p.expression});
    }
    for (const BeltPlan& p : plan.belts) set.belts.push_back(belt_contact(p, properties));
    for (const CompliantContactPlan& p : plan.contacts)
      set.contacts.push_back(
          read_compliant_contact<T>(p, properties.contacts, [this](Slot slot) { return numbers(slot); }));
    for (const LineForcePlan& p : plan.line_forces) read_line_force(p, properties);
    for (const SlidingForcePlan& p : plan.sliding_forces) read_sliding_force(p, properties);
  }
  void read_sliding_force(const SlidingForcePlan& p, Properties<T>& properties) const {
    SlidingPointForce<T>& force = properties.forces.connectors.sliding_forces.emplace_back();
    force.index = p.index, force.expression = p.expression, force.has_stops = p.has_stops;
    force.damping = number(p.damping);
    fill(p.numbers, force);
    force.on = properties.constraints.points_on_beams[at(p.on_beam)];
    force.on.point = properties.points[model_.plan().points_on_beams[at(p.on_beam)].point];
    force.history = model_.cut_nq() + force.on.place;
  }
  void read_line_force(const LineForcePlan& plan, Properties<T>& properties) const {
    const BeamInfo& info = model_.beams()[at(plan.beam)];
    ConnectorSet<T>& set = properties.forces.connectors;
    for (int k = 0; k < info.element_count(); ++k) {
      LineForce<T> force{{plan.index}, {frame_of(info.nodes[at(k)])}, {frame_of(info.nodes[at(k + 1)])}};
      const std::size_t element = at(info.first_element + k);
      if (info.is_cable) {
        const CableForce<T>& cable = properties.cable_elements[element];
        force.a = {cable.a.frame, cable.a.q, cable.a.u}, force.b = {cable.b.frame, cable.b.q, cable.b.u};
        force.length = cable.segment.length;
      } else {
        force.length = set.beams[element].segment.length;
      }
      force.expression = plan.expression + 3 * LineForce<T>::kPoints * k;
      force.in_section_axes = plan.in_section_axes;
      set.line_forces.push_back(force);
    }
  }
  BeltContact<T> belt_contact(const BeltPlan& plan, const Properties<T>& properties) const {
    BeltContact<T> belt;
    belt.index = plan.index;
    belt.at = properties.points[plan.at];
    belt.axis = belt.at.X_BK.R * direction(plan.axis);
    belt.stiffness = number(plan.stiffness), belt.damping = number(plan.damping);
    fill(plan.numbers, belt);
    belt.segments = plan.segments, belt.first_bristle = plan.first_bristle;
    const BeamInfo& cable = model_.beams()[static_cast<std::size_t>(plan.beam)];
    for (int k = 0; k < cable.element_count(); ++k) {
      const CableForce<T>& element =
          properties.cable_elements[static_cast<std::size_t>(cable.first_element + k)];
      belt.pieces.push_back({element.a, element.b, element.segment.length});
    }
    return belt;
  }

  // The size of the mechanism: the largest distance from a joint to a point of the same body.
  double calc_length(const Properties<T>& properties) const {
    double longest = 0.0;
    for (const ReducedBodyInfo& body : model_.reduced_bodies()) {
      for (const ReducedModes::Interface& interface : body.modes->interfaces) {
        longest = std::max(longest, norm(interface.position - body.modes->center_of_mass));
      }
    }
    for (const Marker<T>& point : properties.points) {
      if (point.frame.value() >= model_.bodies().size()) continue;
      const PointIndex joint = model_.plan().bodies[BodyIndex(point.frame.value())].carried_at;
      const Vec3<T> p =
          joint.is_valid() ? (inverse(properties.points[joint].X_BK) * point.X_BK).p : point.X_BK.p;
      longest =
          std::max({longest, std::abs(value_of(p.x)), std::abs(value_of(p.y)), std::abs(value_of(p.z))});
    }
    return longest > 0.0 ? longest : 1.0;
  }
  void read_constraints(Properties<T>& properties) const {
    const PropertyPlan& plan = model_.plan();
    const auto point = [&](PointIndex i) { return properties.points[i]; };
    ConstraintSet<T>& set = properties.constraints;
    set.length = calc_length(properties);
    for (const CutJointPlan& p : plan.cut_joints) {
      set.cut_joints.push_back(
          {point(p.parent_point),
           point(p.child_point),
           {p.type, direction(p.axis), direction(p.second_axis), joint_numbers(p.numbers)},
           joint_info(p.type).nu,
           T(set.length),
           p.q_start,
           p.u_start,
           p.first_row,
           p.armature_row,
           number(p.armature),
           false,
           {}});
      find_constant_directions(set.cut_joints.back());
      if constexpr (std::is_same_v<T, double>) {
        CutJoint<double>& cut = set.cut_joints.back();
        find_zeros(cut);
        cut.turns_F = !is_identity(cut.F.X_BK.R), cut.turns_M = !is_identity(cut.M.X_BK.R);
      }
    }
    for (const DistancePlan& p : plan.distances) {
      set.distances.push_back({point(p.from), point(p.to), p.expression, p.row});
    }
    for (const PointOnPlan& p : plan.points_on) {
      set.points_on.push_back(
          {point(p.point), point(p.surface), direction(p.direction), p.is_line, p.first_row});
    }
    for (const TangentPlan& p : plan.tangents) {
      set.tangents.push_back({p.q, p.u, point(p.line), direction(p.direction), p.first_row, p.first_term});
    }
    for (const PointOnCurvePlan& p : plan.points_on_curves) {
      const T* range = p.range.is_given() ? numbers(p.range) : nullptr;
      set.points_on_curves.push_back({point(p.point), point(p.curve), p.is_open, range ? range[0] : T(0),
                                      range ? range[1] : T(0), p.up,
                                      static_cast<int>(set.points_on_curves.size()), p.first_row});
    }
    for (PointOnBeam<T>& on : set.points_on_beams) {
      on.point = point(plan.points_on_beams[at(on.place) - plan.points_on_curves.size()].point);
    }
    for (const RollingPlan& p : plan.rollings) {
      set.rollings.push_back({point(p.center), point(p.plane), direction(p.axis), direction(p.normal),
                              number(p.radius), p.first_row});
    }
  }

  const Model& model_;
  std::span<const T> numbers_;
};

template <class T>
std::vector<T> calc_numbers(const Model& model, std::span<const T> parameters) {
  const Tape& tape = model.number_tape();
  std::vector<T> numbers(tape.output_count()), scratch(tape.scratch_size());
  tape.evaluate<T>(parameters, numbers, scratch);
  return numbers;
}

std::vector<double> default_parameters(const Model& model) {
  std::vector<double> values;
  for (const ParameterInfo& parameter : model.parameters()) values.push_back(parameter.value);
  return values;
}

}  // namespace

namespace {

// Returns 0, 1, 2 if the vector is the unit vector along x, y or z; otherwise -1.
template <class T>
int coordinate_axis(const Vec3<T>& axis) {
  for (int k = 0; k < 3; ++k) {
    if (is_exactly(axis[k], 1.0) && is_exactly(axis[(k + 1) % 3], 0.0) &&
        is_exactly(axis[(k + 2) % 3], 0.0)) {
      return k;
    }
  }
  return -1;
}

template <class T>
bool is_identity(const Rotation<T>& R) {
  return coordinate_axis(R.column(0)) == 0 && coordinate_axis(R.column(1)) == 1 &&
         coordinate_axis(R.column(2)) == 2;
}

}  // namespace

template <class T>
BodyStructure find_structure(const BodyProperties<T>& body) {
  BodyStructure structure;
  if (body.joint.type == JointType::kRevolute) structure.turns_about = coordinate_axis(body.joint.axis);
  structure.has_parallel_frames = is_identity(body.X_PF.R);
  const SymMat3<T>& J = body.M.J;
  structure.has_diagonal_inertia = is_exactly(J.xy, 0.0) && is_exactly(J.xz, 0.0) && is_exactly(J.yz, 0.0);
  return structure;
}

template <class T>
Properties<T> calc_properties(const Model& model, std::span<const T> parameters) {
  const std::vector<T> numbers = calc_numbers(model, parameters);
  return PropertyReader<T>(model, numbers).read(parameters);
}

Properties<double> calc_properties(const Model& model) {
  return calc_properties<double>(model, default_parameters(model));
}

template <class T>
State<T> calc_initial_state(const Model& model, std::span<const T> parameters) {
  const std::vector<T> numbers = calc_numbers(model, parameters);
  State<T> state;
  const auto take = [&](Slot slot, int n) {
    const auto first = numbers.begin() + slot.first;
    return std::vector<T>(first, first + n);
  };
  state.q = take(model.initial_q(), model.nq());
  place_nodes<T>(model, numbers, parameters, state.q);
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Dual>) {
    PropertyReader<T>(model, numbers).place_reduced_bodies(state.q);
  }
  state.u = take(model.initial_u(), model.nu());
  set_speeds_of_beams<T>(model, numbers, state);
  if (model.nd() > 0) state.d = take(model.initial_d(), model.nd());
  if (model.nx() > 0) state.x = take(model.initial_x(), model.nx());
  if (model.cut_nq() > 0) state.h = take(model.initial_cut_q(), model.cut_nq());
  for (const PointOnCurvePlan& curve : model.plan().points_on_curves) {
    const Slot start = curve.start.is_given() ? curve.start : curve.range;
    state.h.push_back(start.is_given() ? numbers[static_cast<std::size_t>(start.first)] : T(0));
  }
  for (const PointOnBeamPlan& beam : model.plan().points_on_beams) {
    state.h.push_back(beam.start.is_given() ? numbers[static_cast<std::size_t>(beam.start.first)] : T(0));
  }
  normalize_q<T>(model, state.q);
  return state;
}

std::vector<double> calc_initial_cut_speeds(const Model& model, std::span<const double> parameters) {
  if (model.cut_nu() == 0) return {};
  const std::vector<double> numbers = calc_numbers(model, parameters);
  const auto first = numbers.begin() + model.initial_cut_u().first;
  return {first, first + model.cut_nu()};
}

State<double> calc_initial_state(const Model& model) {
  return calc_initial_state<double>(model, default_parameters(model));
}

#define SESTINA_INSTANTIATE(T)                                              \
  template BodyStructure find_structure(const BodyProperties<T>&);          \
  template Properties<T> calc_properties(const Model&, std::span<const T>); \
  template State<T> calc_initial_state(const Model&, std::span<const T>);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
