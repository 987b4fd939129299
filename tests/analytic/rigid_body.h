// Rotations of rigid bodies about their centre of mass or a fixed point.
#pragma once

#include <cmath>

#include "analytic/elliptic.h"
#include "sestina/spatial/rotation.h"

namespace sestina::analytic {

// Euler's equations without torque for I1 < I2 < I3: body components of the angular velocity, at t = 0
// (w1, 0, w3) with w1, w3 > 0. Source: Landau and Lifshitz, Mechanics, section 37.
struct AsymmetricBody {
  double I1, I2, I3;  // kg m^2
  double w1, w3;      // rad/s

  double twice_energy() const { return I1 * w1 * w1 + I3 * w3 * w3; }
  double momentum_squared() const { return I1 * I1 * w1 * w1 + I3 * I3 * w3 * w3; }
  // True if the body keeps rotating about its axis of largest inertia, false for the smallest.
  bool about_largest() const { return momentum_squared() > twice_energy() * I2; }

  double rate() const {
    const double E = twice_energy(), M = momentum_squared();
    return about_largest() ? std::sqrt((I3 - I2) * (M - E * I1) / (I1 * I2 * I3))
                           : std::sqrt((I2 - I1) * (E * I3 - M) / (I1 * I2 * I3));
  }
  double parameter() const {
    const double E = twice_energy(), M = momentum_squared();
    const double m = (I2 - I1) * (E * I3 - M) / ((I3 - I2) * (M - E * I1));
    return about_largest() ? m : 1.0 / m;
  }
  // The common period of w1, w2, w3 (s); the middle component changes sign every half period.
  double period() const { return 4.0 * complete_elliptic_integral(parameter()) / rate(); }

  Vec3<double> angular_velocity(double t) const {
    const double E = twice_energy(), M = momentum_squared();
    const Jacobi j = jacobi(rate() * t, parameter());
    const double small = about_largest() ? j.cn : j.dn, large = about_largest() ? j.dn : j.cn;
    const double middle = about_largest() ? std::sqrt((E * I3 - M) / (I2 * (I3 - I2)))
                                          : std::sqrt((M - E * I1) / (I2 * (I2 - I1)));
    return {w1 * small, middle * j.sn, w3 * large};
  }
};

inline Rotation<double> turn(const Vec3<double>& unit_axis, double angle) {
  return axis_rotation(unit_axis, angle);
}

// A free body with the inertias I, I, I_axis; its third axis is the axis of symmetry. Orientation after t
// from R0 and the angular velocity w0 (ground axes): a turn about the angular momentum h at |h| / I, after a
// turn about the body's own axis.
inline Rotation<double> free_symmetric_orientation(double I, double I_axis, const Rotation<double>& R0,
                                                   const Vec3<double>& w0, double t) {
  const Vec3<double> axis = R0 * Vec3<double>{0, 0, 1};
  const double spin = dot(w0, axis);
  const Vec3<double> h = I * w0 + ((I_axis - I) * spin) * axis;
  const double magnitude = norm(h);
  return turn((1.0 / magnitude) * h, magnitude / I * t) * R0 * turn({0, 0, 1}, spin * (I - I_axis) / I * t);
}

// A heavy symmetric top (I about the fixed point across the axis, I_axis about it, mass moment m g l in N m)
// precesses steadily at `precession`, its axis at `tilt` from the vertical, when the component of the angular
// velocity along its axis is this (rad/s). Source: Goldstein, Classical Mechanics, section 5.7.
inline double steady_top_spin(double I, double I_axis, double mgl, double tilt, double precession) {
  return (I * std::cos(tilt) * precession * precession + mgl) / (I_axis * precession);
}

}  // namespace sestina::analytic
