// Finds the conditions by which expressions change their formula with time.
//
//   if(a < b, ...), sign(x), step(x), atan2(x, y)   where a - b, x passes zero               may jump
//   abs(x), min(a, b), max(a, b)                    where x, a - b passes zero               has a kink
//   a table                                         where its argument passes a point        has a kink
//
// An argument counts if it depends only on time and on constants of the motion (parameters, discrete
// variables). Arguments that depend on coordinates or speeds are left to events.
#pragma once

#include <span>
#include <vector>

#include "sestina/expression/graph.h"

namespace sestina {

struct TimeCondition {
  Expr argument;
  std::vector<double> thresholds;  // increasing
  bool is_jump = false;            // may jump where the argument passes a threshold
  std::vector<Expr> parts;         // sub-expressions of the argument and itself, operands first
};

// Independent of the graph in which it was found; any number of threads may read it.
struct TimeConditions {
  Graph graph;
  Expr time;
  std::vector<Expr> constants;
  std::vector<TimeCondition> conditions;
};

// Finds the conditions in `exprs`, and the zeros of those of `zeros` that depend only on time and constants.
// `constants` are symbols, in the order of their values.
TimeConditions find_time_conditions(const Graph& graph, Expr time, std::span<const Expr> constants,
                                    std::span<const Expr> exprs, std::span<const Expr> zeros);

}  // namespace sestina
