// The applied forces on dual numbers, for their derivatives by anything: set the tangents (`d`) of state and
// motion, and those of the forces follow from update_applied_forces.
#pragma once

#include "sestina/dynamics/applied_forces.h"
#include "sestina/model/properties.h"

namespace sestina {

struct DualForces {
  // All tangents are zero, and of the state only the sizes are given.
  DualForces(const Model& model, const Properties<double>& numbers);

  Properties<Dual> properties;
  State<Dual> state;
  Kinematics<Dual> kinematics;  // the motion alone is in use
  AppliedForces<Dual> forces;
};

}  // namespace sestina
