#include "sestina/integrate/rotation_chart.h"

#include <cmath>

namespace sestina {
namespace {

// b and c as functions of s = |x|^2, with their derivatives with respect to s.
struct Coefficients {
  double b, c, b_s, c_s;
};

// b = sum (-s)^k / (2k + 2)!,  c = sum (-s)^k / (2k + 3)!
Coefficients calc_by_series(double s) {
  constexpr int kTerms = 10;  // 1 / 20! of a term is far below rounding
  Coefficients sum{0.5, 1.0 / 6.0, 0.0, 0.0};
  double power = 1.0;      // (-1)^k s^(k - 1)
  double factorial = 6.0;  // (2k + 1)!
  for (int k = 1; k < kTerms; ++k) {
    power *= k == 1 ? -1.0 : -s;
    const double even = factorial * (2 * k + 2);
    const double odd = even * (2 * k + 3);
    sum.b += power * s / even;
    sum.c += power * s / odd;
    sum.b_s += k * power / even;
    sum.c_s += k * power / odd;
    factorial = odd;
  }
  return sum;
}

Coefficients calc_coefficients(double s) {
  if (s < 1.0) return calc_by_series(s);
  const double a = std::sqrt(s);
  const double sine = std::sin(a) / a;
  const double b = (1.0 - std::cos(a)) / s;
  const double c = (1.0 - sine) / s;
  return {b, c, 0.5 * (sine - 2.0 * b) / s, 0.5 * (b - 3.0 * c) / s};
}

}  // namespace

Vec3<double> dexp(const RotationVector& x, const Vec3<double>& v) {
  const Coefficients k = calc_coefficients(dot(x, x));
  const Vec3<double> xv = cross(x, v);
  return v + k.b * xv + k.c * cross(x, xv);
}

Vec3<double> dexp_inverse(const RotationVector& x, const Vec3<double>& v) {
  const Coefficients k = calc_coefficients(dot(x, x));
  const Vec3<double> xv = cross(x, v);
  return v - 0.5 * xv - (k.b_s / k.b) * cross(x, xv);
}

// D = b' [x] + b [xdot] + c' [x]^2 + c ([xdot][x] + [x][xdot]), with b' = 2 b_s x . xdot
Vec3<double> dexp_rate_transpose_times(const RotationVector& x, const Vec3<double>& xdot,
                                       const Vec3<double>& p) {
  const Coefficients k = calc_coefficients(dot(x, x));
  const double s_rate = 2.0 * dot(x, xdot);
  const Vec3<double> xp = cross(x, p), rp = cross(xdot, p);
  return (k.c_s * s_rate) * cross(x, xp) + k.c * (cross(x, rp) + cross(xdot, xp)) - (k.b_s * s_rate) * xp -
         k.b * rp;
}

// 1 + (sin a)/a [x] + b [x]^2, where (sin a)/a = 1 - c a^2
Vec3<double> turned(const RotationVector& x, const Vec3<double>& v) {
  const double s = dot(x, x);
  const Coefficients k = calc_coefficients(s);
  const Vec3<double> xv = cross(x, v);
  return v + (1.0 - k.c * s) * xv + k.b * cross(x, xv);
}

}  // namespace sestina
