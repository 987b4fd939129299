// The LaTeX names of the symbols of a graph, which are all different.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sestina/expression/graph.h"

namespace sestina::symbolic {

// Returns the LaTeX of a name, without regard to other names.
std::string latex_name(std::string_view name);

// Returns the unit vector of a frame along an axis: \hat{n}_{x} for a frame n.
std::string latex_unit(std::string_view frame, char axis);

// Names each symbol by latex_name. If an earlier symbol of the graph has the same LaTeX, as for a1 and a_1,
// the name is written upright as given: \mathrm{a\_1}. Symbols with primes count as those without.
class LatexNames {
 public:
  explicit LatexNames(const Graph& graph);
  const std::string& of(const std::string& name);

 private:
  void add_new();

  const Graph& graph_;
  std::uint32_t next_ = 0;  // first symbol that has no name yet
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::pair<std::string, std::string>> known_;  // base and subscript
  std::unordered_map<std::string, std::string> names_;
};

}  // namespace sestina::symbolic
