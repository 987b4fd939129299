// Derivatives of forward and inverse dynamics with respect to the parameters of the model, all in one call.
//
// A parameter p may occur in any number of the model: masses, lengths, inertias, axes, force constants,
// gravity. Each number is evaluated on dual numbers, so that Properties<Dual> hold dnumber/dp, and the
// formulations propagate these:
//   dudot/dp       of RecursiveSolver, with the state held fixed                     (1)
//   dresidual/dp   of inverse dynamics, with the state and udot held fixed           (2)
// The two are related by M dudot/dp = -dresidual/dp where udot solves the equations of motion.
// Cost and memory O(n) for each parameter.
#pragma once

#include <string_view>
#include <vector>

#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/dynamics/recursive_solver.h"

namespace sestina {

// Returns the index of a parameter in Model::parameters(). Throws InputError, with the existing names, if
// there is none.
int find_parameter(const Model& model, std::string_view name);

class ParameterDerivatives {
 public:
  // Evaluates at the values properties.parameters. Keeps a reference: the model must outlive this object.
  // Refuses a model with a UserForce (InputError).
  ParameterDerivatives(const Model& model, const Properties<double>& properties);

  // Computes (1) for all parameters. No allocation. The results are not valid if the report says that M is
  // singular.
  SolveReport<Dual> update(const State<double>& state);
  // Computes (2) for all parameters, udot (nu). No allocation.
  void update_inverse(const State<double>& state, std::span<const double> udot);
  // The same for one parameter, by its index in Model::parameters(); results for other parameters do not
  // change.
  void update_inverse(const State<double>& state, std::span<const double> udot, int parameter);

  // Results (nu) of the last update() or update_inverse() for a parameter, by its name (InputError if there
  // is no such parameter) or its index in Model::parameters().
  std::span<const double> udot_by(std::string_view parameter) const;
  std::span<const double> udot_by(int parameter) const { return row(udot_, parameter); }
  std::span<const double> residual_by(std::string_view parameter) const;
  std::span<const double> residual_by(int parameter) const { return row(residual_, parameter); }

 private:
  std::span<const double> row(const std::vector<double>& rows, int parameter) const;
  void update_motion(const Properties<Dual>& properties);
  void set_residual_by(int parameter);

  const Model& model_;
  std::vector<Properties<Dual>> by_parameter_;  // each has the derivatives for one parameter
  State<Dual> state_;
  Kinematics<Dual> kinematics_;
  AppliedForces<Dual> forces_;
  RecursiveSolver<Dual> solver_;
  InverseDynamics<Dual> inverse_;
  std::vector<Dual> dual_udot_;          // (nu) scratch memory
  std::vector<double> udot_, residual_;  // (parameters x nu)
};

}  // namespace sestina
