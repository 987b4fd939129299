// How the symbols of a graph are called in LaTeX, no two of them alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sestina/expression/graph.h"

namespace sestina::symbolic {

// What a name stands for, whatever other names there are.
std::string latex_name(std::string_view name);

// The unit vector of a frame along an axis: \hat{n}_{x} of a frame n.
std::string latex_unit(std::string_view frame, char axis);

// Each symbol as latex_name has it. Where an earlier symbol of the graph is written like that, as a1 and a_1
// are, it stands upright and as it was given: \mathrm{a\_1}. Symbols with primes count as those without.
class LatexNames {
 public:
  explicit LatexNames(const Graph& graph);
  const std::string& of(const std::string& name);

 private:
  void add_new();

  const Graph& graph_;
  std::uint32_t next_ = 0;  // of the symbols that have no name yet
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::pair<std::string, std::string>> known_;  // base and subscript
  std::unordered_map<std::string, std::string> names_;
};

}  // namespace sestina::symbolic
