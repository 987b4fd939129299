// How far rounding can move the value of an expression.
#pragma once

#include <unordered_map>

#include "sestina/expression/graph.h"

namespace sestina {

// The sum of the magnitudes of all that an expression is made of, each times how strongly the value depends
// on it: x - y has |x| + |y|. Coefficients and exponents that are numbers are exact. Where everything else is
// off by up to a relative epsilon, the value is off by a small multiple of epsilon times that, to first order
// (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. 2002, section 3.3). So it tells a
// value that is small because its terms cancel from one that is not zero.
// An angle counts up to kLargestAngle alone: beyond, its sine and cosine say little.
class RoundingSize {
 public:
  static constexpr double kLargestAngle = 1e3;  // rad

  explicit RoundingSize(Graph& graph) : graph_(graph) {}

  // From now on the symbol counts as its magnitude and that much more: what it is known to when it is zero.
  void set_least(Expr symbol, double least);
  Expr operator()(Expr expr);

 private:
  Expr calc(Expr node);
  Expr magnitude(Expr expr) { return graph_.unary(Op::kAbs, expr); }

  Graph& graph_;
  std::unordered_map<std::uint32_t, Expr> sizes_;
};

}  // namespace sestina
