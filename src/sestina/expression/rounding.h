// The sensitivity of the value of an expression to rounding.
#pragma once

#include <unordered_map>

#include "sestina/expression/graph.h"

namespace sestina {

// The sum of the magnitudes of all parts of an expression, each times the derivative of the value with
// respect to it: |x| + |y| for x - y. Coefficients and exponents that are numbers are exact. If all other
// parts have relative errors up to epsilon, the error of the value is a small multiple of epsilon times this
// sum, to first order (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. 2002, section
// 3.3). It thus distinguishes a value that is small by cancellation from a small value. Angles count only up
// to kLargestAngle: beyond it, their sine and cosine are not accurate.
class RoundingSize {
 public:
  static constexpr double kLargestAngle = 1e3;  // rad

  explicit RoundingSize(Graph& graph) : graph_(graph) {}

  // Sets the symbol's magnitude to |value| + `least`, its uncertainty if it is zero.
  void set_least(Expr symbol, double least);
  Expr operator()(Expr expr);

 private:
  Expr calc(Expr node);
  Expr magnitude(Expr expr) { return graph_.unary(Op::kAbs, expr); }

  Graph& graph_;
  std::unordered_map<std::uint32_t, Expr> sizes_;
};

}  // namespace sestina
