// Expression as the scalar of the recursion in joint axes: the results are formulas for compiled functions.
#pragma once

#include <cmath>
#include <vector>

#include "sestina/dynamics/articulated_body.h"
#include "sestina/expression/expression.h"

namespace sestina {

inline SinCos<Expression> sincos(const Expression& x) { return {sin(x), cos(x)}; }
inline bool is_exactly(const Expression& x, double number) { return x == Expression(number); }

// A symbol of each function with the value 0. Written as a sum with it, 1/x is one division; otherwise each
// product with 1/x would become a division.
inline constexpr const char* kNothing = "nothing";
inline Expression reciprocal(const Expression& x) {
  const Expression inverse = Expression(1) / x;
  return x.graph() == nullptr ? inverse : inverse + symbol(*x.graph(), kNothing);
}

// Finds the number of quarter turns if it is known while the formulas are made, otherwise returns -1.
inline int find_quarter_turns(const PlaneTurn<Expression>& turn) {
  if (turn.sin.is_zero()) return turn.cos.is_one() ? 0 : (-turn.cos).is_one() ? 2 : -1;
  if (turn.cos.is_zero()) return turn.sin.is_one() ? 1 : (-turn.sin).is_one() ? 3 : -1;
  return -1;
}

// Keeps the pivots, which are outputs of the function.
template <>
class Pivots<Expression> {
 public:
  void begin(int u) { next_ = static_cast<std::size_t>(u); }
  void check(const Expression& pivot, const Expression&) {
    if (by_speed_.size() <= next_) by_speed_.resize(next_ + 1);
    by_speed_[next_++] = pivot;
  }
  const std::vector<Expression>& by_speed() const { return by_speed_; }

 private:
  std::size_t next_ = 0;
  std::vector<Expression> by_speed_;
};

}  // namespace sestina
