// Elliptic integrals and Jacobi's elliptic functions by the arithmetic-geometric mean, for the parameter
// m = k^2 in [0, 1). Source: Abramowitz and Stegun (1964), 16.4 and 17.6.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

namespace sestina::analytic {

// K(m)
inline double complete_elliptic_integral(double m) {
  double a = 1.0, b = std::sqrt(1.0 - m);
  for (int i = 0; i < 20 && std::abs(a - b) > 1e-16 * a; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::numbers::pi / (2.0 * a);
}

struct Jacobi {
  double sn, cn, dn;
};

inline Jacobi jacobi(double u, double m) {
  constexpr int kMost = 20;
  std::array<double, kMost + 1> ratio{};  // c_n / a_n
  double a = 1.0, b = std::sqrt(1.0 - m), c = std::sqrt(m), power = 1.0;
  int n = 0;
  while (n < kMost && std::abs(c) > 1e-17) {
    ++n;
    c = 0.5 * (a - b);
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
    power *= 2.0;
    ratio[static_cast<std::size_t>(n)] = c / a;
  }
  double phi = power * a * u;
  for (; n > 0; --n) phi = 0.5 * (phi + std::asin(ratio[static_cast<std::size_t>(n)] * std::sin(phi)));
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1.0 - m * sn * sn)};
}

}  // namespace sestina::analytic
