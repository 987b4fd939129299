// Ranges of functions of the time: for t in an interval, bounds of the value and of its rate.
//
// The bounds hold but for rounding. They are not always tight, but become so as the interval of t shrinks.
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

// The rate is unbounded where the function may jump: where 0 is no part of it, the function is continuous and
// monotonic.
struct TimeRange {
  Interval value, rate;
};

// Of a node that is no symbol; `ranges` by id of what stands below it.
TimeRange calc_range(const Graph& graph, Expr expr, std::span<const TimeRange> ranges);

}  // namespace sestina
