// A model linearised about a state, with its parameters as symbols.
//
//   d/dt x = A x + B r,   x = variations of [q; u],   r = further generalised forces along the speeds
//
// At rest, coordinates that follow from the parameters stay symbols in A and B, as the parameters do: with
// the coordinates of rest for other values of the parameters, A and B hold for these. Coordinates that are
// zero or quarters of a turn whatever the parameters are written so.
//
// Of the Euler parameters of a joint, one follows from their norm: the largest at the state, which is left
// out of x. Where the state is no equilibrium, A and B hold at that instant of the motion.
#pragma once

#include <complex>
#include <vector>

#include "sestina/derivation/model_equations.h"
#include "sestina/symbolic/compiled_expressions.h"
#include "sestina/symbolic/linearize.h"

namespace sestina {

enum class LinearizeAt {
  kInitialState,
  // At rest, sought from the initial coordinates at the values that parameters have in the model.
  kEquilibrium,
};

struct ModelLinearization {
  LinearizeAt at = LinearizeAt::kInitialState;
  symbolic::Linearization linear;  // inputs: tau_hip for speed u_hip
  State<double> state;
  // Values of all parameters, and of the coordinates at rest that stand in A or B.
  symbolic::ParameterValues values;
  double largest_acceleration = 0.0;              // |udot| at the state, zero for an equilibrium
  std::vector<std::complex<double>> eigenvalues;  // of A at `values`
};

// The symbols of a model's parameters and variables, with their values; variables at the beginning of a run.
symbolic::ParameterValues parameter_values(const Model& model, const ModelEquations& equations);

// InputError where no equilibrium is found, or the equations cannot be linearised at the state.
ModelLinearization linearize_model(const Model& model, const ModelEquations& equations, LinearizeAt at);

}  // namespace sestina
