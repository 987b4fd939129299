// Symbols that are functions of time, and derivatives of expressions with respect to time.
//
// A variable q has the derivatives q', q'', ...: separate symbols, made when they are first needed. Every
// other symbol except t is a constant.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sestina/expression/graph.h"

namespace sestina {

class TimeVariables {
 public:
  explicit TimeVariables(Graph& graph);

  Graph& graph() const { return graph_; }
  Expr time() const { return time_; }
  // Returns the variable of that name or its derivative of that order. Throws InputError if the name is
  // empty, ends in ' or is t.
  Expr variable(std::string_view name, int order = 0);

  bool is_variable(Expr expr) const { return known_.contains(expr.id); }  // or a derivative of one
  int order(Expr variable) const { return known_.at(variable.id).order; }
  Expr base(Expr variable) const { return known_.at(variable.id).base; }  // of order 0

  // Returns d expr / dt: the partial derivative with respect to t plus the terms of all variables. Results
  // are stored.
  Expr rate(Expr expr);

 private:
  struct Known {
    Expr base;
    int order;
    Expr rate;  // invalid until requested
  };
  Expr rate_of_symbol(Expr symbol);

  Graph& graph_;
  Expr time_;
  std::unordered_map<std::uint32_t, Known> known_;
  std::vector<Expr> rates_;  // by id; invalid where unknown
};

}  // namespace sestina
