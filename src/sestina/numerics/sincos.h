// Sine and cosine together: for one angle in the time of the C library for both, for many angles in a quarter
// to a half of it, by SIMD lanes.
//
// The nearest multiple n of pi/2 is subtracted from the angle in three parts, so that r and its rounding
// error t are known to about 100 bits:
//   x = n pi/2 + r + t,   |r| <= pi/4
// Then the polynomials of fdlibm's __kernel_sin and __kernel_cos (Sun Microsystems 1993) are evaluated, whose
// errors are below 2^-58; the quadrant n mod 4 selects sine or cosine and the sign. Both results are within 1
// ulp of the exact ones (tests/numerics/sincos_test.cpp) and the same on every machine, because only +, - and
// * are used. Beyond kLargestReducedAngle, for infinities and for NaN the C library computes them.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace sestina {

template <class T>
struct SinCos {
  T sin, cos;
};

// Below this angle (rad) n has at most 20 bits, so that its products with 33-bit parts of pi/2 are exact.
inline constexpr double kLargestReducedAngle = 1.0e6;

namespace sincos_parts {

inline std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline double from_bits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

struct Reduced {
  double r, t;
  std::uint64_t quadrant;  // n; only its last two bits are used
};

inline Reduced reduce(double x) {
  constexpr double kTwoOverPi = 6.36619772367581382433e-01;
  constexpr double kPi2A = 1.57079632673412561417e+00;  // the first 33 bits of pi/2
  constexpr double kPi2B = 6.07710050630396597660e-11;  // the next 33
  constexpr double kPi2C = 2.02226624879595063154e-21;  // the remainder, rounded
  constexpr double kRounder = 6755399441055744.0;       // 1.5 * 2^52: its last bits hold the integer added
  const double shifted = x * kTwoOverPi + kRounder;
  const double n = shifted - kRounder;
  const double a = x - n * kPi2A;  // exact
  const double b = n * kPi2B;      // exact
  const double ab = a - b;
  const double lost = (b - (a - ab)) + n * kPi2C;
  const double r = ab - lost;  // -0 for an angle of -0
  return {r, (ab - r) - lost, bits_of(shifted)};
}

// sin(r + t) for |r| <= pi/4
inline double reduced_sin(double r, double t, double z) {
  constexpr double kS1 = -1.66666666666666324348e-01, kS2 = 8.33333333332248946124e-03,
                   kS3 = -1.98412698298579493134e-04, kS4 = 2.75573137070700676789e-06,
                   kS5 = -2.50507602534068634195e-08, kS6 = 1.58969099521155010221e-10;
  const double z2 = z * z;
  const double p = (kS2 + z * kS3) + z2 * ((kS4 + z * kS5) + z2 * kS6);
  const double v = z * r;
  return r - ((z * (0.5 * t - v * p) - t) - v * kS1);
}

// cos(r + t) for |r| <= pi/4
inline double reduced_cos(double r, double t, double z) {
  constexpr double kC1 = 4.16666666666666019037e-02, kC2 = -1.38888888888741095749e-03,
                   kC3 = 2.48015872894767294178e-05, kC4 = -2.75573143513906633035e-07,
                   kC5 = 2.08757232129817482790e-09, kC6 = -1.13596475577881948265e-11;
  const double z2 = z * z;
  const double p = z * ((kC1 + z * kC2) + z2 * ((kC3 + z * kC4) + z2 * (kC5 + z * kC6)));
  const double half = 0.5 * z;
  const double w = 1.0 - half;
  return w + (((1.0 - w) - half) + (z * p - r * t));
}

// Branch-free, since the next quadrant cannot be predicted. For |angle| <= kLargestReducedAngle.
inline SinCos<double> sincos_of_moderate(double angle) {
  const auto [r, t, quadrant] = reduce(angle);
  const double z = r * r;
  const std::uint64_t s = bits_of(reduced_sin(r, t, z)), c = bits_of(reduced_cos(r, t, z));
  const std::uint64_t swapped = (s ^ c) & (std::uint64_t{0} - (quadrant & 1));
  return {from_bits((s ^ swapped) ^ ((quadrant & 2) << 62)),
          from_bits((c ^ swapped) ^ (((quadrant + 1) & 2) << 62))};
}

}  // namespace sincos_parts

// Returns sine and cosine of the angle (rad).
inline SinCos<double> sincos(double angle) {
  if (!(std::fabs(angle) <= kLargestReducedAngle)) return {std::sin(angle), std::cos(angle)};
  return sincos_parts::sincos_of_moderate(angle);
}

// Computes sines and cosines of `count` angles (rad) in SIMD lanes.
inline void sincos(const double* angles, int count, SinCos<double>* results) {
  bool all_moderate = true;
  for (int i = 0; i < count; ++i) all_moderate &= std::fabs(angles[i]) <= kLargestReducedAngle;
  if (all_moderate) {
    for (int i = 0; i < count; ++i) results[i] = sincos_parts::sincos_of_moderate(angles[i]);
  } else {
    for (int i = 0; i < count; ++i) results[i] = sincos(angles[i]);
  }
}

}  // namespace sestina
