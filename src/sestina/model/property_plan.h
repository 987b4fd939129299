// How the properties of a model follow from the numbers that the user gave.
//
// All numbers that stand in a System are outputs of one tape, whose inputs are the free parameters. A plan
// says where among these outputs each property finds its numbers; it is made by freeze() and read by
// calc_properties() for every scalar type.
#pragma once

#include <vector>

#include "sestina/base/index.h"
#include "sestina/joints/joint_info.h"
#include "sestina/model/system.h"

namespace sestina {

// Index of the first of consecutive numbers; -1 where there are none.
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

// A joint that closes a loop.
struct CutJointPlan {
  PointIndex parent_point, child_point;
  JointType type = JointType::kWeld;
  Slot axis, second_axis, armature;
  JointNumbers<Slot> numbers = {};
  int q_start = 0, u_start = 0, first_row = 0, armature_row = -1;
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

struct PropertyPlan {
  Slot gravity;
  IndexedVector<BodyIndex, BodyPlan> bodies;
  IndexedVector<PointIndex, PointPlan> points;
  std::vector<JointSpringPlan> joint_springs;
  std::vector<JointDamperPlan> joint_dampers;
  std::vector<JointForcePlan> joint_forces;
  std::vector<SpringDamperPlan> spring_dampers;
  std::vector<PointForcePlan> point_forces;
  std::vector<CutJointPlan> cut_joints;
  std::vector<DistancePlan> distances;
  std::vector<PointOnPlan> points_on;
};

}  // namespace sestina
