// Zero crossings of a function of one variable: their direction, and the narrowing of a bracket around one.
#pragma once

#include <algorithm>
#include <cmath>

namespace sestina {

// The sign of a function after a zero crossing.
enum class CrossingDirection { kFalling = -1, kBoth = 0, kRising = 1 };

inline int sign_of(double x) { return (x > 0.0) - (x < 0.0); }

// `towards` is the sign after the crossing.
inline bool is_wanted(CrossingDirection direction, int towards) {
  return direction == CrossingDirection::kBoth || static_cast<int>(direction) == towards;
}

// A function that is not zero at a and has the other sign, or is zero, at b.
struct Bracket {
  double a = 0.0, b = 0.0;
  double ga = 0.0, gb = 0.0;  // the function's values there
};

// Narrows the bracket to b - a <= tolerance or gb = 0 by the ITP method; a jump counts as a crossing too. As
// fast as the secant method for smooth functions, at most one evaluation more than bisection otherwise.
//
// Source: I. F. D. Oliveira, R. H. C. Takahashi, An enhancement of the bisection method average performance
// preserving minmax optimality, ACM Trans. Math. Softw. 47 (2021) 5, with kappa_1 = 0.2 / (b - a),
// kappa_2 = 2 and n_0 = 1.
template <class G>
void narrow(Bracket& x, double tolerance, G&& g) {
  const double width = x.b - x.a;
  if (!(width > tolerance)) return;
  const double most = std::ceil(std::log2(width / tolerance)) + 1.0;
  for (double n = 0.0; x.b - x.a > tolerance && x.gb != 0.0; n += 1.0) {
    const double middle = x.a + 0.5 * (x.b - x.a);
    const double secant = (x.gb * x.a - x.ga * x.b) / (x.gb - x.ga);
    const double truncation = 0.2 * (x.b - x.a) * (x.b - x.a) / width;
    const double towards_middle = std::copysign(1.0, middle - secant);
    const double truncated =
        truncation <= std::abs(middle - secant) ? secant + towards_middle * truncation : middle;
    const double radius = std::max(0.0, 0.5 * tolerance * std::exp2(most - n) - 0.5 * (x.b - x.a));
    double next = std::abs(truncated - middle) <= radius ? truncated : middle - towards_middle * radius;
    if (!(next > x.a && next < x.b)) next = middle;
    if (!(next > x.a && next < x.b)) return;  // neighbouring numbers: no number between them
    const double value = g(next);
    if (sign_of(value) == sign_of(x.ga)) {
      x.a = next, x.ga = value;
    } else {
      x.b = next, x.gb = value;
    }
  }
}

}  // namespace sestina
