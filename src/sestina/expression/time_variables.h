// Symbols that are functions of time, and derivatives of expressions by time.
//
// A variable q has the derivatives q', q'', ...: symbols of their own, made when they are first asked for.
// Every other symbol is a constant, except t itself.
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
  // The variable of that name, or its derivative of that order. InputError when the name is empty, ends in
  // ' or is t.
  Expr variable(std::string_view name, int order = 0);

  bool is_variable(Expr expr) const { return known_.contains(expr.id); }  // or a derivative of one
  int order(Expr variable) const { return known_.at(variable.id).order; }
  Expr base(Expr variable) const { return known_.at(variable.id).base; }  // of order 0

  // d expr / dt: the partial derivative by t and what all variables contribute. Remembered.
  Expr rate(Expr expr);

 private:
  struct Known {
    Expr base;
    int order;
    Expr rate;  // invalid until asked for
  };
  Expr rate_of_symbol(Expr symbol);

  Graph& graph_;
  Expr time_;
  std::unordered_map<std::uint32_t, Known> known_;
  std::vector<Expr> rates_;  // by id; invalid where unknown
};

}  // namespace sestina
