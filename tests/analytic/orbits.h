// Motion of a point under a central force.
#pragma once

#include <cmath>
#include <numbers>

namespace sestina::analytic {

// A planet around a fixed sun, from the perihelion: x towards it.
struct KeplerOrbit {
  double mu;  // m^3/s^2
  double a;   // m, semi-major axis
  double e;   // eccentricity, below 1

  double mean_motion() const { return std::sqrt(mu / (a * a * a)); }
  double period() const { return 2.0 * std::numbers::pi / mean_motion(); }
  double perihelion() const { return a * (1.0 - e); }
  double perihelion_speed() const { return std::sqrt(mu / a * (1.0 + e) / (1.0 - e)); }

  // Kepler's equation E - e sin(E) = M by Newton's method, which converges from E = pi for every M.
  double eccentric_anomaly(double t) const {
    const double M = std::remainder(mean_motion() * t, 2.0 * std::numbers::pi);
    double E = std::copysign(std::numbers::pi, M);
    for (int i = 0; i < 50; ++i) E -= (E - e * std::sin(E) - M) / (1.0 - e * std::cos(E));
    return E;
  }
  double x(double t) const { return a * (std::cos(eccentric_anomaly(t)) - e); }
  double y(double t) const { return a * std::sqrt(1.0 - e * e) * std::sin(eccentric_anomaly(t)); }
};

}  // namespace sestina::analytic
