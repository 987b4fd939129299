// The applied forces on dual numbers. Set the tangents (`d`) of state and motion to the derivatives with
// respect to some quantity; update_applied_forces then gives those of the forces.
#pragma once

#include "sestina/dynamics/applied_forces.h"
#include "sestina/model/properties.h"

namespace sestina {

// Derivatives of a body's motion: theta with dR = theta x R, and dp, dw, dv.
struct MotionRates {
  Vec3<double> theta, p, w, v;
};

// The motion with these derivatives as tangents.
BodyMotion<Dual> dual_motion(const BodyMotion<double>& at, const MotionRates& rates);

struct DualForces {
  // All tangents are zero, and the state has only its sizes.
  DualForces(const Model& model, const Properties<double>& numbers);

  // Sets values, with tangents of zero.
  void set_state(const State<double>& at);
  void set_motion(std::size_t body, const BodyMotion<double>& at, const MotionRates& rates = {});

  // The derivative of the force on a body that rotates by theta, without theta x force, in the last
  // update_applied_forces.
  SpatialForce<double> rate_of(std::size_t body, const Vec3<double>& theta) const;

  Properties<Dual> properties;
  State<Dual> state;
  Kinematics<Dual> kinematics;  // only the motion is used
  AppliedForces<Dual> forces;
};

}  // namespace sestina
