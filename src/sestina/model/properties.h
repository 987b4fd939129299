// The numbers of a model for one set of parameter values, in the form for the recursions.
//
// The recursions represent a body by its joint frame M, the frame on the body at its inboard joint. All
// body-fixed quantities are stored in M, so that passing the joint needs a single rotation.
#pragma once

#include <type_traits>
#include <vector>

#include "sestina/constraints/cut_joint.h"
#include "sestina/constraints/distance.h"
#include "sestina/constraints/point_on.h"
#include "sestina/constraints/point_on_beam.h"
#include "sestina/constraints/point_on_curve.h"
#include "sestina/constraints/rolling.h"
#include "sestina/constraints/sliding_point_force.h"
#include "sestina/constraints/tangent.h"
#include "sestina/contact/compliant_contact.h"
#include "sestina/contact/shape.h"
#include "sestina/forces/beam_force.h"
#include "sestina/forces/belt_contact.h"
#include "sestina/forces/bushing.h"
#include "sestina/forces/cable_force.h"
#include "sestina/forces/coordinate_friction.h"
#include "sestina/forces/gravity_between.h"
#include "sestina/forces/joint_forces.h"
#include "sestina/forces/line_force.h"
#include "sestina/forces/lugre_friction.h"
#include "sestina/forces/point_forces.h"
#include "sestina/forces/rope.h"
#include "sestina/forces/second_order.h"
#include "sestina/forces/spring_damper.h"
#include "sestina/forces/torsional_spring_damper.h"
#include "sestina/joints/any_joint.h"
#include "sestina/numerics/dual.h"

namespace sestina {

// Constant zeros and ones of a body, whose products the recursions may omit. For dual numbers the derivatives
// must vanish too.
struct BodyStructure {
  int turns_about = -1;               // 0, 1, 2: revolute joint about that axis of F; otherwise -1
  bool has_parallel_frames = false;   // the rotation of X_PF is the identity
  bool has_diagonal_inertia = false;  // J in M
};

// Members are in the order of access of the recursions; those after M are for other purposes.
template <class T>
struct BodyProperties {
  BodyStructure structure;  // of the following members: see find_structure()
  Pose<T> X_PF;             // the joint's frame F in the parent's joint frame
  T armature{};             // kg m^2 or kg, rotor inertia reflected to the joint (nu = 1)
  RigidInertia<T> M;        // about M's origin, axes of M
  AnyJoint<T> joint;        // with its axes and pitch
  SymMat3<T> J_com;         // kg m^2, about the centre of mass, axes of M
  Pose<T> X_MB;             // the body's own frame in M
};

// Returns the structure of a body for its numbers; whoever changes these must update `structure`.
template <class T>
BodyStructure find_structure(const BodyProperties<T>& body);

// The force elements that SIMD lanes and elements in time do not take, one list for each type.
template <class T>
struct ConnectorSet {
  std::vector<Bushing<T>> bushings;
  std::vector<CartesianSpring<T>> cartesian_springs;
  std::vector<TorsionalSpringDamper<T>> torsional_spring_dampers;
  std::vector<CoordinateFriction<T>> coordinate_frictions;
  std::vector<LugreFriction<T>> lugre_frictions;
  std::vector<Rope<T>> ropes;
  std::vector<GravityBetween<T>> gravities;
  std::vector<SecondOrderForce<T>> second_orders;
  std::vector<BeamForce<T>> beams;    // one for each element of each beam
  std::vector<CableForce<T>> cables;  // likewise
  std::vector<BeltContact<T>> belts;
  std::vector<CompliantContact<T>> contacts;  // one for each pair of shapes
  std::vector<LineForce<T>> line_forces;      // one for each element of their beams
  std::vector<SlidingPointForce<T>> sliding_forces;
  std::vector<HeldWrench<T>> held;  // see dynamics/belt_forces.h

  template <class F>
  void for_each(F&& f) const {
    const auto each = [&f](const auto& list) {
      for (const auto& element : list) f(element);
    };
    each(bushings), each(cartesian_springs), each(torsional_spring_dampers);
    each(coordinate_frictions), each(lugre_frictions), each(ropes), each(gravities), each(second_orders);
    each(beams), each(cables), each(belts), each(contacts), each(held);
    each(line_forces), each(sliding_forces);
  }
  void clear_beams() { beams.clear(), cables.clear(), belts.clear(); }
  bool act_on_bodies() const {
    return !(bushings.empty() && cartesian_springs.empty() && torsional_spring_dampers.empty() &&
             ropes.empty() && gravities.empty() && beams.empty() && cables.empty() && belts.empty() &&
             contacts.empty() && held.empty() && line_forces.empty() && sliding_forces.empty());
  }
  bool empty() const {
    return !act_on_bodies() && coordinate_frictions.empty() && lugre_frictions.empty() &&
           second_orders.empty();
  }
};

// All force elements, one list for each type.
template <class T>
struct ForceSet {
  std::vector<JointSpring<T>> joint_springs;
  std::vector<JointDamper<T>> joint_dampers;
  std::vector<JointForce<T>> joint_forces;
  std::vector<SpringDamper<T>> spring_dampers;
  std::vector<PointForce<T>> point_forces;
  std::vector<PointTorque<T>> point_torques;
  ConnectorSet<T> connectors;
  bool has_connectors = true;  // so that evaluations of models without them look at none of their lists

  template <class F>
  void for_each(F&& f) const {
    const auto each = [&f](const auto& list) {
      for (const auto& element : list) f(element);
    };
    each(joint_springs), each(joint_dampers), each(joint_forces);
    each(spring_dampers), each(point_forces), each(point_torques);
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Dual>) {
      if (has_connectors) connectors.for_each(f);
    }
  }
};

// Cut joints, distances and points on lines or planes; conditions on coordinates have no properties.
template <class T>
struct ConstraintSet {
  double length = 1.0;  // m, the size of the mechanism, to compare rotations with displacements
  std::vector<CutJoint<T>> cut_joints;
  std::vector<Distance<T>> distances;
  std::vector<PointOn<T>> points_on;
  std::vector<Tangent<T>> tangents;
  std::vector<PointOnCurve<T>> points_on_curves;
  std::vector<PointOnBeam<T>> points_on_beams;
  std::vector<Rolling<T>> rollings;
};

// Shapes that touch, and the numbers of contacts and stops.
template <class T>
struct ContactLaw {
  T friction{}, restitution{}, stiffness{}, damping{};
};
template <class T>
struct ContactSet {
  struct PlacedShape {
    FrameIndex frame;
    ShapeType type = ShapeType::kSphere;
    Vec3<T> size;                      // m, of contact/shape.h
    const Surface* surface = nullptr;  // of the model's plan
    Pose<T> X_BS;                      // in the frame that carries it, the joint frame M of a body
  };
  std::vector<PlacedShape> shapes;
  std::vector<ContactLaw<T>> contacts, stops;
  std::vector<T> bounds;  // of the stops
};

template <class T>
struct Properties {
  std::vector<T> parameters;  // the values of the free parameters, in the order of Model::parameters()
  Vec3<T> gravity;            // m/s^2, ground axes
  IndexedVector<BodyIndex, BodyProperties<T>> bodies;
  IndexedVector<PointIndex, Marker<T>> points;  // in the joint frames of bodies
  ForceSet<T> forces;
  std::vector<CableForce<T>> cable_elements;  // of all cables, for their mass (dynamics/cables.h)
  ConstraintSet<T> constraints;
  ContactSet<T> contacts;
};

}  // namespace sestina
