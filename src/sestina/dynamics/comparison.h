// Compares all formulations on the same states with each other and with inverse dynamics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sestina/dynamics/forward_dynamics.h"

namespace sestina {

// The tolerances (docs/notation.md): see Comparison::agrees.
inline constexpr double kResidualLimit = 1e-12;
inline constexpr double kUdotLimit = 1e-10;
inline constexpr double kUdotLimitPerCondition = 1e-15;  // applies if cond(M) > 1e5

// The largest errors of one formulation over all states.
struct FormulationComparison {
  std::string name;
  double residual = 0.0;           // of inverse dynamics, N m or N
  double relative_residual = 0.0;  // relative to the sum of the magnitudes of its terms
  // Difference from the reference, relative to the largest |udot| or, if larger, to the sum of the magnitudes
  // of the terms of the speed's equation divided by its own inertia. The latter matters near rest, where
  // terms cancel.
  double udot_difference = 0.0;
  // Difference from inverse dynamics, relative to the largest reaction or force that accelerates a body.
  double reaction_difference = 0.0;
  std::string worst_residual;  // the speed with the largest relative residual, "hip.u"
  std::string worst_udot;      // the speed with the largest difference
  int failures = 0;            // states for which it failed; they are not compared
  std::string refusal;         // why the formulation does not apply to the model, or empty
  std::string failure;         // the reason of the first failure
};

struct Comparison {
  std::vector<FormulationComparison> formulations;  // the first is the reference
  int states = 0;                                   // states compared
  int skipped = 0;         // states where every formulation failed, such as outside a force's domain
  double condition = 0.0;  // the largest condition number of the mass matrix; NaN when it was not computed
  // True if all agree and none failed on a state that another could compute. Formulations that do not apply
  // to the model do not matter.
  bool agrees() const;
  bool agrees_where_computed() const;
};

// Compares at each of the states. The reference is the recursive solver. For up to `kLargestCondition` speeds
// the condition number of the mass matrix is computed too. `cartesian`: the same mechanism in cartesian
// coordinates, whose Model::relative() has the coordinates of `model`; if null, that formulation is omitted.
inline constexpr int kLargestCondition = 300;
Comparison compare_formulations(const std::shared_ptr<const Model>& model,
                                const Properties<double>& properties,
                                const std::vector<State<double>>& states,
                                const std::shared_ptr<const Model>& cartesian = nullptr);

// The initial state, and `count` states scattered around it: coordinates by up to `spread`, speeds by up to
// `spread` per second, those of beams' nodes by less. Loops are closed; states whose loops cannot be closed
// are omitted. The same seed gives the same states on every machine.
std::vector<State<double>> scatter_states(const Model& model, int count, double spread, std::uint64_t seed);

}  // namespace sestina
