// A model as symbolic frames, points, bodies and loads.
//
// For body B with the joint's frames F on the parent's point and M on its own:
//   N ... parent --(axes of the parent's point)--> F --(joint)--> M --(axes of the child's point)--> B
// F is the parent's own frame, and M the body's, if those points have no axes of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sestina/expression/graph_copy.h"
#include "sestina/model/model.h"
#include "sestina/symbolic/body.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina {

// An expression that vanishes where a loop is closed or a constraint holds, in t, q, parameters and, for a
// condition on speeds, u.
struct SymbolicCondition {
  std::string name;  // of the joint that is cut, or the constraint
  Expression zero;
  bool is_on_position = true;
};

class ModelLayout {
 public:
  ModelLayout(const Model& model, symbolic::Mechanics& mechanics);

  // The arguments of Kane's method.
  const symbolic::ReferenceFrame& inertial() const { return frames_.front(); }
  std::vector<Expression> q, u, parameters;
  std::vector<Expression> kinematic_equations;
  std::vector<symbolic::Body> bodies;
  std::vector<symbolic::Load> loads;
  // Additional generalised forces of joints, and rotor inertias.
  std::vector<Expression> joint_forces, armatures;  // (nu)
  // Conditions that vanish at any coordinates, such as those normal to the plane of a planar mechanism, are
  // omitted.
  std::vector<SymbolicCondition> conditions;

 private:
  using Frame = symbolic::ReferenceFrame;
  using Place = symbolic::Point;
  using Vector = symbolic::Vector;
  using Components = symbolic::Triple;

  void name_symbols();
  Expr symbol_of(const std::string& name);
  Expression number(Slot slot, int i = 0);
  symbolic::Triple triple(Slot slot);
  Vector vector(const Frame& frame, Slot slot) { return {frame, triple(slot)}; }
  // Returns the unit vector of a direction.
  Vector direction(const Frame& frame, Slot slot, const std::string& of);

  void refuse_unknown(const ForceNumbers<Slot>& numbers, ForceIndex force, std::string_view known) const;
  void add_body(BodyIndex b);
  // Orients a point's axes relative to its body.
  void turn(const Frame& frame, const Frame& body, const PosePlan& pose, const std::string& of);
  // Returns the body's frame, unless the point has axes of its own.
  Frame frame_of(PointIndex p);
  Place place_of(PointIndex p);
  // Returns the place at a position in the axes of the body, from its origin.
  Place place_at(BodyIndex b, const std::string& name, const symbolic::Triple& position);

  // Returns M, rotated relative to F by the joint.
  Frame turn_joint(BodyIndex b, const Frame& F, const std::string& name);
  Frame turn_freely(const Frame& F, const std::string& name, int q_start, int u_start);
  // Returns M's origin, displaced relative to that of F by the joint.
  Place slide_joint(BodyIndex b, const Frame& F, const Place& origin);

  void add_mass(BodyIndex b);
  void add_joint_forces();
  void add_spring_dampers();
  void add_given_forces();

  // model_conditions.cpp
  void add_conditions();
  void add_cut_joint(const CutJointPlan& plan, const std::string& name);
  void add_distance(const DistancePlan& plan, const std::string& name);
  void add_point_on(const PointOnPlan& plan, const std::string& name);
  void add_coordinate_condition(const CoordinateCondition& condition, const std::string& name);
  void add_condition(const std::string& name, const Expression& zero, bool is_on_position = true);
  // The components of a vector normal to an axis, which has components (x, y, z) in a frame.
  void add_conditions_across(const std::string& name, const Frame& frame, const Components& axis,
                             const Vector& vector);
  void add_orientation(const std::string& name, const Frame& F, const Frame& M);

  const Expression& q_of(BodyIndex b, int i) const;
  const Expression& u_of(BodyIndex b, int i) const;

  const Model& model_;
  symbolic::Mechanics& mechanics_;
  GraphCopy copy_;
  std::vector<Frame> frames_;  // by body
  std::vector<Place> joints_;  // by body: M's origin
};

}  // namespace sestina
