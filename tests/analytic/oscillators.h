// Motions along one coordinate, and small oscillations of several.
#pragma once

#include <cmath>
#include <numbers>

#include "analytic/elliptic.h"

namespace sestina::analytic {

// theta'' = -omega0^2 sin(theta), released at rest at theta0 (rad, below pi). For a physical pendulum
// omega0^2 = m g l / I, I about the pivot.
struct Pendulum {
  double omega0;  // rad/s
  double theta0;  // rad

  double modulus() const { return std::sin(0.5 * theta0); }
  double period() const { return 4.0 * complete_elliptic_integral(modulus() * modulus()) / omega0; }
  double angle(double t) const {
    const Jacobi j = jacobi(omega0 * t, modulus() * modulus());
    return 2.0 * std::asin(modulus() * j.cn / j.dn);
  }
  double rate(double t) const {
    const double k = modulus();
    const Jacobi j = jacobi(omega0 * t, k * k);
    // d(cd)/du = -(1 - m) sn / dn^2, and cos(theta / 2) = sqrt(1 - m) / dn
    return -2.0 * k * omega0 * std::sqrt(1.0 - k * k) * j.sn / j.dn;
  }
};

// m x'' + c x' + k x = 0, x(0) = x0, x'(0) = v0, with c^2 < 4 k m.
struct DampedOscillator {
  double m, c, k;
  double x0, v0;

  double decay() const { return c / (2.0 * m); }                         // 1/s
  double omega() const { return std::sqrt(k / m - decay() * decay()); }  // rad/s
  double x(double t) const {
    const double a = (v0 + decay() * x0) / omega();
    return std::exp(-decay() * t) * (x0 * std::cos(omega() * t) + a * std::sin(omega() * t));
  }
  double v(double t) const {
    const double a = (v0 + decay() * x0) / omega();
    const double cosine = std::cos(omega() * t), sine = std::sin(omega() * t);
    return std::exp(-decay() * t) *
           ((a * omega() - decay() * x0) * cosine - (x0 * omega() + decay() * a) * sine);
  }
};

// m x'' + k x = F sin(w t), from rest at zero, w^2 != k / m.
struct ForcedOscillator {
  double m, k;
  double F, w;

  double omega() const { return std::sqrt(k / m); }
  double x(double t) const {
    const double amplitude = F / (k - m * w * w);
    return amplitude * (std::sin(w * t) - w / omega() * std::sin(omega() * t));
  }
  double v(double t) const {
    const double amplitude = F / (k - m * w * w);
    return amplitude * w * (std::cos(w * t) - std::cos(omega() * t));
  }
};

// n masses m in a line between two walls, n + 1 springs k: mode j = 1 ... n.
struct Chain {
  int n;
  double m, k;

  double omega(int j) const {
    return 2.0 * std::sqrt(k / m) * std::sin(0.5 * std::numbers::pi * j / (n + 1));
  }
  double shape(int j, int mass) const {  // mass = 1 ... n
    return std::sin(std::numbers::pi * j * mass / (n + 1));
  }
};

// Circular frequencies of small oscillations of two equal point masses on two equal strings.
inline double double_pendulum_omega(double g, double l, bool in_phase) {
  return std::sqrt(g / l * (in_phase ? 2.0 - std::numbers::sqrt2 : 2.0 + std::numbers::sqrt2));
}

// A mass thrown with v0 at height z = 0 against gravity g and a drag c v.
struct ThrownWithDrag {
  double m, c, g;

  double rate() const { return c / m; }
  double across(double t, double v0) const { return v0 / rate() * (1.0 - std::exp(-rate() * t)); }
  double height(double t, double v0) const {
    const double terminal = g / rate();
    return (v0 + terminal) / rate() * (1.0 - std::exp(-rate() * t)) - terminal * t;
  }
};

}  // namespace sestina::analytic
