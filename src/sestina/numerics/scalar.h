// The functions that every scalar type T of the recursions offers, and their meaning for double.
//
// Kernels never branch on a value of type T: they use select(), and a pivot test yields a mask.
#pragma once

#include <cmath>

#include "sestina/numerics/sincos.h"

namespace sestina {

using std::abs;
using std::acos;
using std::asin;
using std::atan;
using std::atan2;
using std::cos;
using std::cosh;
using std::exp;
using std::log;
using std::pow;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;

// The comparison result of two T: bool for double and Dual, one flag for each lane for a SIMD type.
template <class T>
struct ScalarTraits;

template <>
struct ScalarTraits<double> {
  using Mask = bool;
};

template <class T>
using Mask = typename ScalarTraits<T>::Mask;

// Returns 1/x, for use where several numbers are divided by x.
template <class T>
[[gnu::always_inline]] inline T reciprocal(const T& x) {
  return T(1) / x;
}

inline double select(bool condition, double a, double b) { return condition ? a : b; }

// True if x equals this number and, if x is a dual number, has no derivative. For decisions about structure
// (an axis that is a coordinate axis), which are made once.
inline bool is_exactly(double x, double number) { return x == number; }

// Returns the plain number inside: for messages and tests, never inside a kernel.
inline double value_of(double x) { return x; }

}  // namespace sestina
