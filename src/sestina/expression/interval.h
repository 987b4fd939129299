// Ranges of functions of time: for t in an interval, bounds of the value and of its rate.
//
// The bounds hold up to round-off. They are not always tight, but become tight as the interval of t shrinks.
// Where nothing is known, they are infinite.
#pragma once

#include <limits>
#include <span>

#include "sestina/expression/graph.h"

namespace sestina {

struct Interval {
  double lo = 0.0, hi = 0.0;

  bool contains(double x) const { return lo <= x && x <= hi; }
};

inline constexpr Interval kWholeInterval{-std::numeric_limits<double>::infinity(),
                                         std::numeric_limits<double>::infinity()};

// The rate is unbounded if the function may jump. If 0 is not in it, the function is continuous and
// monotonic.
struct TimeRange {
  Interval value, rate;
};

// Computes the range of a node that is not a symbol; `ranges` holds those of its operands, by id.
TimeRange calc_range(const Graph& graph, Expr expr, std::span<const TimeRange> ranges);

}  // namespace sestina
