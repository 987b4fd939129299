// Replacements whose results are kept from one expression to the next.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "sestina/expression/graph.h"

namespace sestina {

// Like Graph::substitute, for many expressions that share parts: every node is rebuilt once.
class Substitution {
 public:
  // The keys may be any expressions. All replacements take place at once: inserted expressions are not
  // replaced again. If a key occurs twice, the first counts.
  Substitution(Graph& graph, std::span<const std::pair<Expr, Expr>> replacements);

  // Adds a replacement; call it before the first expression that contains `from`.
  void replace(Expr from, Expr to);

  Expr operator()(Expr expr);
  std::vector<Expr> operator()(std::span<const Expr> exprs);

 private:
  Graph& graph_;
  std::vector<Expr> image_;  // by id; invalid where unknown
};

}  // namespace sestina
