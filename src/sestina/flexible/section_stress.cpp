#include "sestina/flexible/section_stress.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace sestina {
namespace {

using std::numbers::pi;

// The series converge with exp(-n pi/2) at least.
constexpr int kLastTerm = 29;
constexpr double kCatalan = 0.915965594177219015;  // sum of (-1)^((n-1)/2)/n^2

// (2), tau c/J = tau_long/T times J/c, of sides whose ratio is d/c >= 1.
double torsion_of_long_sides(double ratio) {
  double sum = 0.0;
  for (int n = kLastTerm; n > 0; n -= 2) sum += 1.0 / (n * n * std::cosh(n * pi * ratio / 2.0));
  return 1.0 - 8.0 / (pi * pi) * sum;
}

// (3), likewise.
double torsion_of_short_sides(double ratio) {
  double sum = kCatalan;
  for (int n = kLastTerm; n > 0; n -= 2) {
    const double sign = n % 4 == 1 ? 1.0 : -1.0;
    sum -= sign * (1.0 - std::tanh(n * pi * ratio / 2.0)) / (n * n);
  }
  return 8.0 / (pi * pi) * sum;
}

double square(double x) { return x * x; }

SectionStress calc_rectangle_stress(const SectionShape& shape, const Vec3<double>& force,
                                    const Vec3<double>& moment) {
  const SectionArea& area = shape.area;
  const double axial = force.x / area.A;
  const double of_My = 0.5 * moment.y * shape.height / area.Iy,
               of_Mz = -0.5 * moment.z * shape.width / area.Iz;
  const double bending = std::abs(of_My) + std::abs(of_Mz);
  const double of_Vy = 1.5 * force.y / area.A, of_Vz = 1.5 * force.z / area.A;
  const double twist_y = moment.x * shape.torsion_y, twist_z = moment.x * shape.torsion_z;
  double largest = std::max(square(axial + bending), square(axial - bending));  // corners
  largest = std::max(largest, square(axial) + 3.0 * (square(of_Vy) + square(of_Vz)));
  for (const double side : {1.0, -1.0}) {
    const double at_y = square(axial + side * of_Mz) + 3.0 * square(of_Vz + side * twist_y);
    const double at_z = square(axial + side * of_My) + 3.0 * square(of_Vy - side * twist_z);
    largest = std::max({largest, at_y, at_z});
  }
  return {axial + bending, axial - bending, std::sqrt(largest)};
}

// sigma^2 + 3 tau^2 along the rim, sigma = s0 + s1 cos(phi) + s2 sin(phi) and tau likewise.
struct RimStress {
  double s0, s1, s2, t0, t1, t2;

  struct Value {
    double f, slope, curvature;
  };
  Value at(double phi) const {
    const double c = std::cos(phi), s = std::sin(phi);
    const double sigma = s0 + s1 * c + s2 * s, sigma1 = s2 * c - s1 * s;
    const double tau = t0 + t1 * c + t2 * s, tau1 = t2 * c - t1 * s;
    return {sigma * sigma + 3.0 * tau * tau, 2.0 * (sigma * sigma1 + 3.0 * tau * tau1),
            2.0 * (sigma1 * sigma1 - sigma * (sigma - s0) + 3.0 * (tau1 * tau1 - tau * (tau - t0)))};
  }
  // From the best of some places on by Newton's method: f has two maxima at most.
  double largest() const {
    constexpr int kPlaces = 24, kSteps = 6;
    double best = 0.0, phi = 0.0;
    for (int i = 0; i < kPlaces; ++i) {
      const double angle = 2.0 * pi * i / kPlaces, f = at(angle).f;
      if (f > best) best = f, phi = angle;
    }
    for (int i = 0; i < kSteps; ++i) {
      const Value value = at(phi);
      if (!(value.curvature < 0.0)) break;
      phi -= value.slope / value.curvature;
      best = std::max(best, at(phi).f);
    }
    return best;
  }
};

SectionStress calc_round_stress(const SectionShape& shape, const Vec3<double>& force,
                                const Vec3<double>& moment) {
  const SectionArea& area = shape.area;
  const double r = shape.inner, R = shape.outer;
  const double axial = force.x / area.A, bending = std::hypot(moment.y, moment.z) * R / area.Iy;
  const double k = 4.0 / 3.0 * (R * R + R * r + r * r) / (R * R + r * r);  // (4)
  const RimStress rim{.s0 = axial,
                      .s1 = -moment.z * R / area.Iz,
                      .s2 = moment.y * R / area.Iy,
                      .t0 = moment.x * R / area.J,
                      .t1 = k * force.z / area.A,
                      .t2 = -k * force.y / area.A};
  return {axial + bending, axial - bending, std::sqrt(rim.largest())};
}

}  // namespace

SectionShape SectionShape::rectangle(double width, double height) {
  SectionShape shape;
  shape.kind = Kind::kRectangle, shape.width = width, shape.height = height;
  shape.area = rectangle_area(width, height, 0.0);
  const double c = std::min(width, height), ratio = std::max(width, height) / c;
  const double of_long = torsion_of_long_sides(ratio) * c / shape.area.J;
  const double of_short = torsion_of_short_sides(ratio) * c / shape.area.J;
  shape.torsion_y = width <= height ? of_long : of_short;  // the sides y = +-b/2 have the length h
  shape.torsion_z = width <= height ? of_short : of_long;
  return shape;
}

SectionShape SectionShape::round(double inner, double outer) {
  SectionShape shape;
  shape.kind = Kind::kRound, shape.inner = inner, shape.outer = outer;
  shape.area = tube_area(inner, outer, 0.0);
  return shape;
}

SectionStress calc_section_stress(const SectionShape& shape, const Vec3<double>& force,
                                  const Vec3<double>& moment) {
  assert(shape.kind != SectionShape::Kind::kNone);
  return shape.kind == SectionShape::Kind::kRectangle ? calc_rectangle_stress(shape, force, moment)
                                                      : calc_round_stress(shape, force, moment);
}

}  // namespace sestina
