// The functions in expressions: their names, their numbers of arguments and their values.
//
// Kernels work for every scalar type: they never branch on a value, and a nan among the arguments remains a
// nan, even in comparisons, so that no condition hides a failed sub-expression.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sestina/numerics/scalar.h"

namespace sestina {

// The operations of the nodes of a graph.
enum class Op : std::uint8_t {
  kNumber,
  kPi,
  kSymbol,
  kSum,      // operands in order of creation, a number first
  kProduct,  // the same
  kPower,    // base, exponent
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kExp,
  kLog,
  kSqrt,
  kAbs,
  kSign,  // -1, 0 or 1
  kStep,  // 0 below zero, 1 from zero on
  kAtan2,
  kMin,
  kMax,
  kIfLess,       // a < b ? x : y, with operands a, b, x, y
  kIfLessEqual,  // a <= b ? x : y
  kTable,
};

constexpr bool is_unary(Op op) { return op >= Op::kSin && op <= Op::kStep; }

struct Function {
  std::string_view name;
  Op op;
  int arguments;
};

// All functions by the names under which they are called, including pow, ln (the same as log) and if.
std::span<const Function> functions();
// Returns null if there is no such function.
const Function* find_function(std::string_view name);
// The name under which an operation other than if is printed.
std::string_view function_name(Op op);
// Function names and pi, which are not allowed as names of parameters, bodies, joints and forces.
std::span<const std::string> reserved_words();

// Selects x if a < b, y if not, and nan if a or b is nan.
template <class T>
T calc_if_less(const T& a, const T& b, const T& x, const T& y) {
  return select(a < b, x, select(b <= a, y, a + b));
}

template <class T>
T calc_if_less_equal(const T& a, const T& b, const T& x, const T& y) {
  return select(a <= b, x, select(b < a, y, a + b));
}

template <class T>
T calc_unary(Op op, const T& a) {
  switch (op) {
    case Op::kSin:
      return sin(a);
    case Op::kCos:
      return cos(a);
    case Op::kTan:
      return tan(a);
    case Op::kAsin:
      return asin(a);
    case Op::kAcos:
      return acos(a);
    case Op::kAtan:
      return atan(a);
    case Op::kSinh:
      return sinh(a);
    case Op::kCosh:
      return cosh(a);
    case Op::kTanh:
      return tanh(a);
    case Op::kExp:
      return exp(a);
    case Op::kLog:
      return log(a);
    case Op::kSqrt:
      return sqrt(a);
    case Op::kAbs:
      return abs(a);
    case Op::kSign:
      return select(a < T(0.0), T(-1.0), select(a > T(0.0), T(1.0), a * T(0.0)));
    default:  // kStep
      return select(a < T(0.0), T(0.0), select(a >= T(0.0), T(1.0), a * T(0.0)));
  }
}

}  // namespace sestina
