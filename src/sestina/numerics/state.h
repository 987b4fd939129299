// The state of a system: a value, and nothing hidden.
//
// What runs, whatever its bodies are, is described by this alone: equal states go on alike. Multipliers and
// what an integration rule remembers are results, which a checkpoint keeps beside the state.
#pragma once

#include <vector>

namespace sestina {

template <class T>
struct State {
  T t{};                  // s
  std::vector<T> q = {};  // (nq) generalised coordinates, joint after joint in the model's order
  std::vector<T> u = {};  // (nu) generalised speeds
  std::vector<T> x = {};  // (nx) first-order states, such as those of controllers; under error control
  std::vector<T> d = {};  // (nd) discrete variables, which events alone change
  std::vector<T> h = {};  // (nh) history, which changes where a step is accepted
  std::vector<T> z = {};  // (nz) quadratures: they never feed back and are not under error control
};

// How many numbers of each kind a state has.
struct StateSizes {
  int nq = 0, nu = 0, nx = 0, nd = 0, nh = 0, nz = 0;

  int controlled() const { return nq + nu + nx; }       // under error control
  int integrated() const { return nq + nu + nx + nz; }  // that change with time, in the order [q, u, x, z]
  friend bool operator==(const StateSizes&, const StateSizes&) = default;
};

template <class T>
StateSizes sizes_of(const State<T>& state) {
  const auto size = [](const std::vector<T>& v) { return static_cast<int>(v.size()); };
  return {size(state.q), size(state.u), size(state.x), size(state.d), size(state.h), size(state.z)};
}

}  // namespace sestina
