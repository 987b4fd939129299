// The complete state of a system, as a value.
//
// Equal states lead to equal motions, whatever the bodies are. Multipliers and the memory of an integration
// rule are results; a checkpoint stores them in addition to the state.
#pragma once

#include <vector>

namespace sestina {

template <class T>
struct State {
  T t{};                  // s
  std::vector<T> q = {};  // (nq) generalised coordinates, joint after joint in the model's order
  std::vector<T> u = {};  // (nu) generalised speeds
  std::vector<T> x = {};  // (nx) first-order states, such as those of controllers; under error control
  std::vector<T> d = {};  // (nd) discrete variables, which change only at events
  std::vector<T> h = {};  // (nh) history, which changes when a step is accepted
  std::vector<T> z = {};  // (nz) quadratures: they never feed back and are not under error control
};

// The sizes of the parts of a state.
struct StateSizes {
  int nq = 0, nu = 0, nx = 0, nd = 0, nh = 0, nz = 0;

  int controlled() const { return nq + nu + nx; }       // under error control
  int integrated() const { return nq + nu + nx + nz; }  // functions of time, in the order [q, u, x, z]
  friend bool operator==(const StateSizes&, const StateSizes&) = default;
};

template <class T>
StateSizes sizes_of(const State<T>& state) {
  const auto size = [](const std::vector<T>& v) { return static_cast<int>(v.size()); };
  return {size(state.q), size(state.u), size(state.x), size(state.d), size(state.h), size(state.z)};
}

}  // namespace sestina
