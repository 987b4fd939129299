// Copies expressions from one graph to another.
#pragma once

#include <functional>
#include <vector>

#include "sestina/expression/graph.h"

namespace sestina {

class GraphCopy {
 public:
  // `symbol` returns the expression for each symbol name. Both graphs must outlive this object.
  GraphCopy(const Graph& from, Graph& to, std::function<Expr(const std::string& name)> symbol)
      : from_(from), to_(to), symbol_(std::move(symbol)) {}

  // Builds every node once, however many expressions share it. Tables keep their names.
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
