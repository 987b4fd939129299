// Expressions of one graph, built again in another.
#pragma once

#include <functional>
#include <vector>

#include "sestina/expression/graph.h"

namespace sestina {

class GraphCopy {
 public:
  // `symbol` says what each symbol becomes, whose name it is given. Both graphs outlive this.
  GraphCopy(const Graph& from, Graph& to, std::function<Expr(const std::string& name)> symbol)
      : from_(from), to_(to), symbol_(std::move(symbol)) {}

  // Every node is built once, however many expressions share it. Tables take their names along.
  Expr operator()(Expr expr);

 private:
  Expr copy(Expr expr);
  Expr copy_table(Expr expr, Expr argument);

  const Graph& from_;
  Graph& to_;
  std::function<Expr(const std::string&)> symbol_;
  std::vector<Expr> image_;  // by id in from_; invalid where unknown
};

}  // namespace sestina
