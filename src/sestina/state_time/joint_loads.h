// Generalised forces of joints as loads on the two bodies: the part of load_motion.h that needs the joint
// types.
#pragma once

#include "sestina/dynamics/kinematics.h"
#include "sestina/model/properties.h"
#include "sestina/state_time/joint_coordinates.h"

namespace sestina {

// Adds the generalised forces of the joint of b as a force and a torque along the joint, on b and opposite on
// its parent.
template <class T>
void add_joint_force(const BodyInfo& info, const Properties<T>& properties, const State<T>& state,
                     const Kinematics<T>& kinematics, BodyIndex b, const T* tau,
                     SpatialForce<T>* body_forces) {
  const BodyProperties<T>& body = properties.bodies[b];
  const auto P = static_cast<std::size_t>(info.parent.value()), B = static_cast<std::size_t>(b.value());
  const Rotation<T> R_WF = kinematics.motion[P].X_WB.R * body.X_PF.R;
  const SpatialForce<T> in_F = visit_joint(body.joint, [&](const auto& joint) {
    return calc_joint_force<T>(joint, state.q.data() + info.q_start, tau);
  });
  const SpatialForce<T> force{R_WF * in_F.torque, R_WF * in_F.force};
  body_forces[B] += force;
  body_forces[P] -= shift_back(force, kinematics.motion[B].X_WB.p - kinematics.motion[P].X_WB.p);
}

}  // namespace sestina
