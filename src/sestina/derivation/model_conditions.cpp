// Conditions of a model with symbols: joints that close loops, and constraints.
//
// With p the vector from F's origin to M's, a the joint's axis in both frames and b_1, b_2 directions normal
// to it:
//   the origins coincide                 p . f = 0   for the axes f of F
//   M's origin stays on the axis         p . b_k = 0
//   the axes stay parallel               b_k(F) . a(M) = 0
//   the axes of F and M stay parallel    F.y . M.z = F.z . M.x = F.x . M.y = 0
// Each of these expressions is zero in the assembled mechanism and varies to first order where it is
// violated.
#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/derivation/model_layout.h"
#include "sestina/symbolic/frame.h"

namespace sestina {

void ModelLayout::add_conditions() {
  const PropertyPlan& plan = model_.plan();
  for (std::size_t i = 0; i < plan.cut_joints.size(); ++i) {
    add_cut_joint(plan.cut_joints[i], model_.cut_joints()[i].name);
  }
  for (const ConstraintInfo& info : model_.constraints()) {
    const std::size_t before = conditions.size();
    for (const DistancePlan& distance : plan.distances) {
      if (distance.row == info.first_row) add_distance(distance, info.name);
    }
    for (const PointOnPlan& point : plan.points_on) {
      if (point.first_row == info.first_row) add_point_on(point, info.name);
    }
    for (const CoordinateCondition& condition : model_.conditions()) {
      const bool is_of_it = condition.row >= info.first_row && condition.row < info.first_row + info.rows;
      if (is_of_it) add_coordinate_condition(condition, info.name);
    }
    const bool is_known = conditions.size() > before || info.type == "distance" || info.type == "coupling" ||
                          info.type == "motion" || info.type == "expression" ||
                          info.type == "point_on_line" || info.type == "point_on_plane";
    if (is_known) continue;
    throw InputError(fmt::format("{}: the symbolic equations do not support constraints of type {}",
                                 info.name, info.type));
  }
}

void ModelLayout::add_condition(const std::string& name, const Expression& zero, bool is_on_position) {
  if (!zero.is_zero()) conditions.push_back({name, zero, is_on_position});
}

void ModelLayout::add_conditions_across(const std::string& name, const Frame& frame, const Components& axis,
                                        const Vector& vector) {
  // Returns a unit vector that is certainly not parallel to the axis: along a component that is identically
  // zero, otherwise x, whose cross product with the axis vanishes only if y and z do.
  const auto none = std::ranges::find_if(axis, [](const Expression& e) { return e.is_zero(); });
  const std::size_t k = none == axis.end() ? 0 : static_cast<std::size_t>(none - axis.begin());
  Components unit;
  unit[k] = 1;
  const Components first = symbolic::cross(axis, unit), second = symbolic::cross(axis, first);
  add_condition(name, Vector(frame, first).dot(vector));
  add_condition(name, Vector(frame, second).dot(vector));
}

void ModelLayout::add_orientation(const std::string& name, const Frame& F, const Frame& M) {
  add_condition(name, F.y().dot(M.z()));
  add_condition(name, F.z().dot(M.x()));
  add_condition(name, F.x().dot(M.y()));
}

void ModelLayout::add_cut_joint(const CutJointPlan& plan, const std::string& name) {
  if (plan.armature.is_given() && !number(plan.armature).is_zero()) {
    throw InputError(
        fmt::format("{}: the symbolic equations do not support the armature of a joint that closes "
                    "a loop: cut another joint of the loop (cut: true)",
                    name));
  }
  const Frame F = frame_of(plan.parent_point), M = frame_of(plan.child_point);
  const Vector p = place_of(plan.child_point).pos_from(place_of(plan.parent_point));
  const auto hold_origin = [&] {
    for (const Vector& axis : {F.x(), F.y(), F.z()}) add_condition(name, axis.dot(p));
  };
  const Components z = {0, 0, 1};
  const Components axis = plan.axis.is_given() ? triple(plan.axis) : z;
  switch (plan.type) {
    case JointType::kWeld:
      hold_origin();
      add_orientation(name, F, M);
      return;
    case JointType::kRevolute:
      hold_origin();
      add_conditions_across(name, F, axis, Vector(M, axis));
      return;
    case JointType::kPrismatic:
      add_conditions_across(name, F, axis, p);
      add_orientation(name, F, M);
      return;
    case JointType::kCylindrical:
      add_conditions_across(name, F, axis, p);
      add_conditions_across(name, F, axis, Vector(M, axis));
      return;
    case JointType::kUniversal: {
      hold_origin();
      const Components second = triple(plan.second_axis);
      const Expression angle = mechanics_.wrap(symbolic::dot(axis, second).in(mechanics_.graph()));
      add_condition(name, Vector(F, axis).dot(Vector(M, second)) - angle);
      return;
    }
    case JointType::kPlanar:
      add_condition(name, F.z().dot(p));
      add_conditions_across(name, F, z, M.z());
      return;
    case JointType::kXyz:
      add_orientation(name, F, M);
      return;
    case JointType::kSpherical:
      hold_origin();
      return;
    case JointType::kFree:
      return;
    default:
      throw InputError(fmt::format("{}: the symbolic equations do not support {} joints that close loops",
                                   name, joint_info(plan.type).keyword));
  }
}

// length - |p|, so that a positive multiplier is a tension.
void ModelLayout::add_distance(const DistancePlan& plan, const std::string& name) {
  const Vector p = place_of(plan.to).pos_from(place_of(plan.from));
  const Expr length = model_.constraint_expressions()[static_cast<std::size_t>(plan.expression)];
  add_condition(name, mechanics_.wrap(copy_(length)) - p.magnitude());
}

void ModelLayout::add_point_on(const PointOnPlan& plan, const std::string& name) {
  const Frame frame = frame_of(plan.surface);
  const Vector p = place_of(plan.point).pos_from(place_of(plan.surface));
  if (plan.is_line) {
    add_conditions_across(name, frame, triple(plan.direction), p);
  } else {
    add_condition(name, direction(frame, plan.direction, name).dot(p));
  }
}

// The condition's expressions are its error and its velocity; the error exists for a condition on positions.
void ModelLayout::add_coordinate_condition(const CoordinateCondition& condition, const std::string& name) {
  if (!condition.cut_joints.empty()) {
    throw InputError(
        fmt::format("{}: the symbolic equations do not support the coordinates of joints that "
                    "close loops: cut another joint of the loop (cut: true)",
                    name));
  }
  const std::size_t place =
      static_cast<std::size_t>(condition.first_expression) + (condition.is_on_position ? 0 : 1);
  add_condition(name, mechanics_.wrap(copy_(model_.constraint_expressions()[place])),
                condition.is_on_position);
}

}  // namespace sestina
