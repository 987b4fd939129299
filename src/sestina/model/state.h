// The state of a mechanical system: a value, and nothing hidden.
#pragma once

#include <vector>

namespace sestina {

template <class T>
struct State {
  T t{};             // s
  std::vector<T> q;  // (nq) generalised coordinates, joint after joint in the model's order
  std::vector<T> u;  // (nu) generalised speeds
  // (nd) discrete variables, which events alone change; a model without variables has none
  std::vector<T> d = {};
};

}  // namespace sestina
