// Measures the conserved quantities of flexible bodies in free motion, and compares all
// formulations.
#pragma once

#include <memory>

#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/energy.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"

namespace sestina::test {

struct Kept {
  double energy;  // J
  Momentum<double> momentum;
};
inline Kept measure(const Model& model, const State<double>& state) {
  const Properties<double> properties = calc_properties(model);
  Kinematics<double> kinematics(model);
  AppliedForces<double> forces(model);
  update_kinematics(model, properties, state, kinematics);
  update_applied_forces(model, properties, state, kinematics, forces);
  const Energy<double> energy = calc_energy(model, properties, state, kinematics, forces);
  return {energy.kinetic + energy.potential, calc_momentum(model, properties, state, kinematics)};
}

// In eleven states, cartesian coordinates among the formulations.
inline Comparison compare_in_every_formulation(const System& system) {
  System cartesian = system;
  cartesian.analysis.coordinates = "cartesian";
  const std::shared_ptr<const Model> model = freeze(system);
  return compare_formulations(model, calc_properties(*model), scatter_states(*model, 10, 1.0, 1),
                              freeze(cartesian));
}

}  // namespace sestina::test
