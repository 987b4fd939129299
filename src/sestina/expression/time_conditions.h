// Where expressions change their formula with the time: found among their parts.
//
//   if(a < b, ...), sign(x), step(x), atan2(x, y)   where a - b, x passes zero               may jump
//   abs(x), min(a, b), max(a, b)                    where x, a - b passes zero               has a kink
//   a table                                         where its argument passes a point        has a kink
//
// These arguments count as far as they depend on the time and on constants of the motion (parameters,
// discrete variables) alone: what depends on coordinates or speeds is a matter for events.
#pragma once

#include <span>
#include <vector>

#include "sestina/expression/graph.h"

namespace sestina {

struct TimeCondition {
  Expr argument;
  std::vector<double> thresholds;  // increasing
  bool is_jump = false;            // what happens where the argument passes a threshold
  std::vector<Expr> parts;         // all that the argument is made of, itself included, operands first
};

// Independent of the graph it was found in; any number of threads may read it.
struct TimeConditions {
  Graph graph;
  Expr time;
  std::vector<Expr> constants;
  std::vector<TimeCondition> conditions;
};

// The conditions in `exprs`, and the zeros of those of `zeros` that depend on the time and constants alone.
// `constants` are symbols, in the order in which their values will be given.
TimeConditions find_time_conditions(const Graph& graph, Expr time, std::span<const Expr> constants,
                                    std::span<const Expr> exprs, std::span<const Expr> zeros);

}  // namespace sestina
