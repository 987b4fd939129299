// Every formulation on the same states, held against each other and against inverse dynamics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sestina/dynamics/forward_dynamics.h"

namespace sestina {

// The tolerances (docs/notation.md): see Comparison::agrees.
inline constexpr double kResidualLimit = 1e-12;
inline constexpr double kUdotLimit = 1e-10;
inline constexpr double kUdotLimitPerCondition = 1e-15;  // takes over where cond(M) > 1e5

// The worst of one formulation over all states.
struct FormulationComparison {
  std::string name;
  double residual = 0.0;           // of inverse dynamics, absolute: N m, N
  double relative_residual = 0.0;  // to the sum of the magnitudes of its terms
  // From the reference, relative to the largest |udot|, or to the sum of the magnitudes of the terms of the
  // speed's equation divided by its own inertia where this is larger, as near rest, where the terms cancel.
  double udot_difference = 0.0;
  // From inverse dynamics, relative to the largest reaction, or force that accelerates a body.
  double reaction_difference = 0.0;
  std::string worst_residual;  // the speed where the relative residual is largest, "hip.u"
  std::string worst_udot;      // likewise
  int failures = 0;            // states that it could not compute; they do not count
  std::string refusal;         // why the formulation does not apply to the model, or empty
  std::string failure;         // why, of the first of them
};

struct Comparison {
  std::vector<FormulationComparison> formulations;  // the first is the reference
  int states = 0;                                   // compared
  int skipped = 0;         // states where every formulation failed, such as outside a force's domain
  double condition = 0.0;  // the largest condition number of the mass matrix; NaN when it was not computed
  bool agrees() const;     // where each could be computed, and none failed where another did not
  bool agrees_where_computed() const;
};

// At each of the states. The reference is the recursive solver. For up to `kLargestCondition` speeds the
// condition number of the mass matrix is computed too. `cartesian`: the same mechanism in cartesian
// coordinates, Model::relative() of which has the coordinates of `model`; null: that formulation is left out.
inline constexpr int kLargestCondition = 300;
Comparison compare_formulations(const std::shared_ptr<const Model>& model,
                                const Properties<double>& properties,
                                const std::vector<State<double>>& states,
                                const std::shared_ptr<const Model>& cartesian = nullptr);

// The initial state, and `count` states scattered around it: coordinates by up to `spread`, speeds by up to
// `spread` per second, those of beams' nodes by less. Loops are closed; states where that cannot be are left
// out. The same seed gives the same states on every machine.
std::vector<State<double>> scatter_states(const Model& model, int count, double spread, std::uint64_t seed);

}  // namespace sestina
