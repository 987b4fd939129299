// Dual numbers: a value and its derivative along one direction, exact to round-off.
//
//   f(Dual{x, dx}) = {f(x), f'(x) dx}
//
// This is the forward mode of algorithmic differentiation (A. Griewank, A. Walther, Evaluating Derivatives,
// 2nd ed. 2008). Comparisons use the value only; select() carries the derivative of the selected branch.
#pragma once

#include "sestina/numerics/scalar.h"

namespace sestina {

struct Dual {
  double v = 0.0;  // value
  double d = 0.0;  // derivative

  constexpr Dual() = default;
  constexpr Dual(double value) : v(value) {}  // NOLINT: numbers convert silently, as for double
  constexpr Dual(double value, double derivative) : v(value), d(derivative) {}

  Dual& operator+=(Dual b) { return *this = {v + b.v, d + b.d}; }
  Dual& operator-=(Dual b) { return *this = {v - b.v, d - b.d}; }
  Dual& operator*=(Dual b) { return *this = {v * b.v, v * b.d + d * b.v}; }
  Dual& operator/=(Dual b) { return *this = {v / b.v, (d - v / b.v * b.d) / b.v}; }
};

inline Dual operator+(Dual a) { return a; }
inline Dual operator-(Dual a) { return {-a.v, -a.d}; }
inline Dual operator+(Dual a, Dual b) { return a += b; }
inline Dual operator-(Dual a, Dual b) { return a -= b; }
inline Dual operator*(Dual a, Dual b) { return a *= b; }
inline Dual operator/(Dual a, Dual b) { return a /= b; }

inline bool operator<(Dual a, Dual b) { return a.v < b.v; }
inline bool operator>(Dual a, Dual b) { return a.v > b.v; }
inline bool operator<=(Dual a, Dual b) { return a.v <= b.v; }
inline bool operator>=(Dual a, Dual b) { return a.v >= b.v; }
inline bool operator==(Dual a, Dual b) { return a.v == b.v; }
inline bool operator!=(Dual a, Dual b) { return a.v != b.v; }

// Returns slope d, but zero where d is zero: a constant has no derivative, even if the slope is infinite, as
// for sqrt at 0.
inline double chain(double slope, double d) { return d == 0.0 ? 0.0 : slope * d; }

inline Dual sqrt(Dual a) {
  const double r = std::sqrt(a.v);
  return {r, chain(0.5 / r, a.d)};
}
inline Dual sin(Dual a) { return {std::sin(a.v), std::cos(a.v) * a.d}; }
inline Dual cos(Dual a) { return {std::cos(a.v), -std::sin(a.v) * a.d}; }
inline Dual tan(Dual a) {
  const double t = std::tan(a.v);
  return {t, (1.0 + t * t) * a.d};
}
inline Dual asin(Dual a) { return {std::asin(a.v), chain(1.0 / std::sqrt(1.0 - a.v * a.v), a.d)}; }
inline Dual acos(Dual a) { return {std::acos(a.v), chain(-1.0 / std::sqrt(1.0 - a.v * a.v), a.d)}; }
inline Dual atan(Dual a) { return {std::atan(a.v), a.d / (1.0 + a.v * a.v)}; }
inline Dual atan2(Dual y, Dual x) {
  return {std::atan2(y.v, x.v), chain(1.0 / (x.v * x.v + y.v * y.v), x.v * y.d - y.v * x.d)};
}
inline Dual sinh(Dual a) { return {std::sinh(a.v), std::cosh(a.v) * a.d}; }
inline Dual cosh(Dual a) { return {std::cosh(a.v), std::sinh(a.v) * a.d}; }
inline Dual tanh(Dual a) {
  const double t = std::tanh(a.v);
  return {t, (1.0 - t * t) * a.d};
}
inline Dual exp(Dual a) {
  const double e = std::exp(a.v);
  return {e, e * a.d};
}
inline Dual log(Dual a) { return {std::log(a.v), chain(1.0 / a.v, a.d)}; }
inline Dual abs(Dual a) { return a.v < 0.0 ? -a : a; }
// The derivative with respect to the exponent is omitted where its factor is zero, so that x^2 works for x <
// 0, and 0^b for b > 0.
inline Dual pow(Dual a, Dual b) {
  const double p = std::pow(a.v, b.v);
  const double by_base = b.v == 0.0 ? 0.0 : chain(b.v * std::pow(a.v, b.v - 1.0), a.d);
  const double by_exponent = p == 0.0 ? 0.0 : chain(p * std::log(a.v), b.d);
  return {p, by_base + by_exponent};
}

template <>
struct ScalarTraits<Dual> {
  using Mask = bool;
};

inline Dual select(bool condition, Dual a, Dual b) { return condition ? a : b; }

inline SinCos<Dual> sincos(Dual angle) {
  const auto [s, c] = sincos(angle.v);
  return {{s, c * angle.d}, {c, -s * angle.d}};
}

inline void sincos(const Dual* angles, int count, SinCos<Dual>* results) {
  for (int i = 0; i < count; ++i) results[i] = sincos(angles[i]);
}

inline bool is_exactly(Dual x, double number) { return x.v == number && x.d == 0.0; }

inline double value_of(Dual x) { return x.v; }

}  // namespace sestina
