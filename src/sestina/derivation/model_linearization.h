// Linearisation of a model about a state, with its parameters as symbols.
//
//   d/dt x = A x + B r,   x = variations of [q; u],   r = additional generalised forces along the speeds
//
// At rest, coordinates that follow from the parameters are symbols in A and B like the parameters: with the
// coordinates of rest for other values of the parameters, A and B hold for these. Coordinates that are zero
// or quarter turns for all parameters are written as such.
//
// One Euler parameter of each joint follows from the norm: the largest at the state, which x does not
// contain. If the state is not an equilibrium, A and B hold at that instant of the motion.
#pragma once

#include <complex>
#include <vector>

#include "sestina/derivation/model_equations.h"
#include "sestina/symbolic/compiled_expressions.h"
#include "sestina/symbolic/linearize.h"

namespace sestina {

enum class LinearizeAt {
  kInitialState,
  // At rest, found from the initial coordinates at the model's values of the parameters.
  kEquilibrium,
};

struct ModelLinearization {
  LinearizeAt at = LinearizeAt::kInitialState;
  symbolic::Linearization linear;  // inputs: tau_hip for speed u_hip
  State<double> state;
  // Values of all parameters, and of the coordinates and speeds that occur in A or B.
  symbolic::ParameterValues values;
  double largest_acceleration = 0.0;              // |udot| at the state, zero for an equilibrium
  std::vector<std::complex<double>> eigenvalues;  // of A at `values`
};

// Returns the symbols of the parameters and variables with their values; variables at the start of a run.
symbolic::ParameterValues parameter_values(const Model& model, const ModelEquations& equations);

// Throws InputError if no equilibrium is found or the equations cannot be linearised at the state.
ModelLinearization linearize_model(const Model& model, const ModelEquations& equations, LinearizeAt at);

}  // namespace sestina
