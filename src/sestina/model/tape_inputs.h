// The inputs of the tapes of a model's expressions, in the order that freeze uses.
#pragma once

#include <algorithm>
#include <span>

namespace sestina {

// Coordinates and speeds of cut joints; empty if no expression reads them.
template <class T>
struct CutCoordinates {
  std::span<const T> q, u;
};

// Writes t, free parameters, variables d, states x, q, u, coordinates and speeds of cut joints to `inputs`,
// which has this size (Model::num_force_tape_inputs).
template <class T, class State>
void fill_tape_inputs(const State& state, std::span<const T> parameters, const CutCoordinates<T>& cut,
                      std::span<T> inputs) {
  auto next = inputs.begin();
  *next++ = state.t;
  next = std::copy(parameters.begin(), parameters.end(), next);
  next = std::copy(state.d.begin(), state.d.end(), next);
  next = std::copy(state.x.begin(), state.x.end(), next);
  next = std::copy(state.q.begin(), state.q.end(), next);
  next = std::copy(state.u.begin(), state.u.end(), next);
  next = std::copy(cut.q.begin(), cut.q.end(), next);
  std::copy(cut.u.begin(), cut.u.end(), next);
}

}  // namespace sestina
