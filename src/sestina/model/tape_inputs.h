// What the tapes of a model's expressions take, in the one order that freeze gives them.
#pragma once

#include <algorithm>
#include <span>

namespace sestina {

// Coordinates and speeds of the joints that close loops; empty where no expression reads them.
template <class T>
struct CutCoordinates {
  std::span<const T> q, u;
};

// t, free parameters, variables d, q, u, coordinates and speeds of cut joints: into `inputs`, whose size is
// theirs (Model::num_force_tape_inputs).
template <class T, class State>
void fill_tape_inputs(const State& state, std::span<const T> parameters, const CutCoordinates<T>& cut,
                      std::span<T> inputs) {
  auto next = inputs.begin();
  *next++ = state.t;
  next = std::copy(parameters.begin(), parameters.end(), next);
  next = std::copy(state.d.begin(), state.d.end(), next);
  next = std::copy(state.q.begin(), state.q.end(), next);
  next = std::copy(state.u.begin(), state.u.end(), next);
  next = std::copy(cut.q.begin(), cut.q.end(), next);
  std::copy(cut.u.begin(), cut.u.end(), next);
}

}  // namespace sestina
