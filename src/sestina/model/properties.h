// The numbers of a model for one set of parameter values, as the recursions want them.
//
// In the recursions a body is known by its joint frame M: the frame on the body at its inboard joint. All
// body-fixed quantities are stored in M, so that passing the joint needs one rotation and no more.
#pragma once

#include <vector>

#include "sestina/forces/joint_forces.h"
#include "sestina/forces/point_forces.h"
#include "sestina/forces/spring_damper.h"
#include "sestina/joints/joint_list.h"

namespace sestina {

template <class T>
struct BodyProperties {
  Pose<T> X_PF;       // the joint's frame F in the parent's joint frame
  AnyJoint<T> joint;  // with its axes and pitch
  T armature{};       // kg m^2 or kg, rotor inertia reflected to the joint (nu = 1)
  RigidInertia<T> M;  // about M's origin, axes of M
  SymMat3<T> J_com;   // kg m^2, about the centre of mass, axes of M
  Pose<T> X_MB;       // the body's own frame in M
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

  template <class F>
  void for_each(F&& f) const {
    const auto each = [&f](const auto& list) {
      for (const auto& element : list) f(element);
    };
    each(joint_springs), each(joint_dampers), each(joint_forces);
    each(spring_dampers), each(point_forces), each(point_torques);
  }
};

template <class T>
struct Properties {
  std::vector<T> parameters;  // the values of the free parameters, in the order of Model::parameters()
  Vec3<T> gravity;            // m/s^2, ground axes
  IndexedVector<BodyIndex, BodyProperties<T>> bodies;
  IndexedVector<PointIndex, AttachedPoint<T>> points;  // in the joint frame of their body
  ForceSet<T> forces;
};

}  // namespace sestina
