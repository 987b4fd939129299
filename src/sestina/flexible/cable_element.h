// An element of a thin cable in absolute nodal coordinates (ANCF): its forces, tangent, energy and mass.
//
// The axis r(s), 0 <= s <= h the arc length of the unstressed cable, is the cubic with the positions and the
// slopes r' = dr/ds of the two ends, e = [r_a, r'_a, r_b, r'_b]:
//   r(s) = sum of S_i(s) e_i                                                                              (1)
// Sections stay perpendicular to the axis, and nothing resists torsion. With a = r', b = r'':
//   eps = |a| - eps0,   k = a x b / (a.a),   W = 1/2 integral of EA eps^2 + EI |k - k0|^2                 (2)
// k is the change of the tangent's direction by unstressed arc length, a vector along the binormal (J.
// Gerstmayr, H. Irschik, On the correct representation of bending and axial deformation in the absolute nodal
// coordinate formulation with an elastic line approach, J. Sound Vib. 318 (2008) 461-487). eps0 and k0 belong
// to the unstressed cable; k0 is fixed in the ground, so a cable that is curved by nature has to stay in its
// plane. With damping the axial force and the bending moment are, tau the time of Kelvin and Voigt and dots
// for rates,
//   N = EA (eps + tau epsdot),   m = EI (k - k0 + tau P kdot)                                             (3)
// P keeps the part of kdot along k. The rest is a rotation of the element: sections that do not resist
// torsion turn about the tangent so that they dissipate least. Where the element is straight, P keeps all of
// kdot. The generalised forces on a and b are, with t = a/|a|,
//   N t + (b x m)/A - 2 a (k.m)/A,   (m x a)/A,   A = a.a                                                 (4)
//
// The energy of stretching is integrated by the Gauss-Lobatto rule with three points, that of bending by the
// Gauss rule with three. With exact integration slender elements lock: a cubic cannot bend without
// stretching, and the energy of this stretch makes it too stiff. Displacements converge with order four at
// any slenderness (docs/decisions/cable-element.md).
#pragma once

#include <array>
#include <cstddef>

#include "sestina/numerics/scalar.h"
#include "sestina/spatial/vec3.h"

namespace sestina {

// An element as described.
template <class T>
struct CableSegment {
  static constexpr std::size_t kPoints = 3;
  T length{};                         // h, m
  T EA{}, EI{};                       // N, N m^2
  T mass{};                           // kg/m
  T damping{};                        // tau, s
  std::array<T, kPoints> eps0{};      // at the Gauss-Lobatto points
  std::array<Vec3<T>, kPoints> k0{};  // 1/m, ground axes, at the Gauss points
};

// e, or forces on its parts, or velocities.
template <class T>
using CableNodes = std::array<Vec3<T>, 4>;

namespace cable_element {

struct Point {
  double x, weight;  // s/h, over h
};
// Functions, since code for SIMD lanes must not share data with other code.
constexpr std::array<Point, 3> lobatto_points() {
  return {{{0.0, 1.0 / 6.0}, {0.5, 2.0 / 3.0}, {1.0, 1.0 / 6.0}}};
}
constexpr std::array<Point, 3> gauss_points() {
  constexpr double kAway = 0.3872983346207417;  // sqrt(3/5)/2
  return {{{0.5 - kAway, 5.0 / 18.0}, {0.5, 4.0 / 9.0}, {0.5 + kAway, 5.0 / 18.0}}};
}

// S_i, S_i' and S_i'' at s = x h; x may be a plain number.
template <class X, class T>
std::array<T, 4> shapes(const X& x, const T& h) {
  const X y = 1.0 - x;
  return {T(y * y * (1.0 + 2.0 * x)), (x * y * y) * h, T(x * x * (3.0 - 2.0 * x)), (-x * x * y) * h};
}
template <class X, class T>
std::array<T, 4> first_derivatives(const X& x, const T& h) {
  const T steep = T(6.0 * x * (1.0 - x)) / h;
  return {-steep, T((1.0 - x) * (1.0 - 3.0 * x)), steep, T(x * (3.0 * x - 2.0))};
}
template <class X, class T>
std::array<T, 4> second_derivatives(const X& x, const T& h) {
  const T steep = T(12.0 * x - 6.0) / (h * h);
  return {steep, T(6.0 * x - 4.0) / h, -steep, T(6.0 * x - 2.0) / h};
}

template <class T>
Vec3<T> interpolate(const std::array<T, 4>& S, const CableNodes<T>& e) {
  return S[0] * e[0] + S[1] * e[1] + S[2] * e[2] + S[3] * e[3];
}

// The axis at a point of the bending energy.
template <class T>
struct Bend {
  std::array<T, 4> first, second;
  Vec3<T> a, b, k;
  T A{}, length{};

  Bend(double x, const T& h, const CableNodes<T>& e)
      : first(first_derivatives(x, h)), second(second_derivatives(x, h)), length(h) {
    a = interpolate(first, e), b = interpolate(second, e);
    A = dot(a, a);
    k = (T(1) / A) * cross(a, b);
  }
  // kdot, for the rates of e.
  Vec3<T> full_rate(const CableNodes<T>& edot) const {
    const Vec3<T> adot = interpolate(first, edot), bdot = interpolate(second, edot);
    return (T(1) / A) * (cross(adot, b) + cross(a, bdot) - (T(2) * dot(a, adot)) * k);
  }
  // P kdot
  Vec3<T> rate(const CableNodes<T>& edot) const {
    const Vec3<T> rate = full_rate(edot), across = cross(a, k);
    return rate - (dot(a, rate) / A) * a - (dot(across, rate) / (A * square_of_curvature())) * across;
  }
  // |k|^2, beyond what is straight: a radius of a million elements.
  T square_of_curvature() const {
    constexpr double kStraight = 1e-6;
    return dot(k, k) + T(kStraight * kStraight) / (length * length);
  }
};

}  // namespace cable_element

// The natural shape of an element that begins at e: it is bent as it begins or straight, and stretched there
// by the strain of its pretension.
void set_natural_shape(CableSegment<double>& segment, const CableNodes<double>& e, bool is_precurved,
                       double strain);

// The mass matrix of an element is the same for each axis, rho h m_ij h^p with p = 1 for each slope. It is
// the sum of a diagonal part, of masses of the nodes, and of products c c^T of `rows`:
//   m = diag(d) + sum over k of c_k c_k^T                                                                 (5)
// d is the largest multiple of m's own diagonal that leaves a positive remainder, which then has rank three.
struct CableMass {
  double diagonal[4];
  double rows[3][4];
  static const CableMass& get();
};

// The load that the parts of e require; the cable exerts the opposite.
template <class T>
CableNodes<T> calc_cable_forces(const CableSegment<T>& segment, const CableNodes<T>& e,
                                const CableNodes<T>& edot) {
  const bool is_damped = !is_exactly(segment.damping, 0.0);
  CableNodes<T> f{};
  for (std::size_t p = 0; p < CableSegment<T>::kPoints; ++p) {
    const auto [x, weight] = cable_element::lobatto_points()[p];
    const std::array<T, 4> first = cable_element::first_derivatives(x, segment.length);
    const Vec3<T> a = cable_element::interpolate(first, e);
    const T stretch = norm(a);
    const Vec3<T> t = (T(1) / stretch) * a;
    T eps = stretch - segment.eps0[p];
    if (is_damped) eps += segment.damping * dot(t, cable_element::interpolate(first, edot));
    const T N = segment.EA * eps;
    for (std::size_t i = 0; i < 4; ++i) f[i] += (T(weight) * segment.length * N * first[i]) * t;
  }
  for (std::size_t p = 0; p < CableSegment<T>::kPoints; ++p) {
    const auto [x, weight] = cable_element::gauss_points()[p];
    const cable_element::Bend<T> at(x, segment.length, e);
    Vec3<T> bend = at.k - segment.k0[p];
    if (is_damped) bend += segment.damping * at.rate(edot);
    const Vec3<T> m = (T(weight) * segment.length * segment.EI) * bend;
    const T inverse = T(1) / at.A;
    const Vec3<T> on_a = inverse * (cross(at.b, m) - (T(2) * dot(at.k, m)) * at.a);  // (4)
    const Vec3<T> on_b = inverse * cross(m, at.a);
    for (std::size_t i = 0; i < 4; ++i) f[i] += at.first[i] * on_a + at.second[i] * on_b;
  }
  return f;
}

// W (J), and the power (W) that turns into heat.
template <class T>
T calc_cable_energy(const CableSegment<T>& segment, const CableNodes<T>& e) {
  T sum(0);
  for (std::size_t p = 0; p < CableSegment<T>::kPoints; ++p) {
    const auto [x, weight] = cable_element::lobatto_points()[p];
    const T eps = norm(cable_element::interpolate(cable_element::first_derivatives(x, segment.length), e)) -
                  segment.eps0[p];
    sum += T(weight) * segment.EA * eps * eps;
  }
  for (std::size_t p = 0; p < CableSegment<T>::kPoints; ++p) {
    const auto [x, weight] = cable_element::gauss_points()[p];
    const Vec3<T> k = cable_element::Bend<T>(x, segment.length, e).k - segment.k0[p];
    sum += T(weight) * segment.EI * dot(k, k);
  }
  return T(0.5) * segment.length * sum;
}
template <class T>
T calc_cable_heat(const CableSegment<T>& segment, const CableNodes<T>& e, const CableNodes<T>& edot) {
  T sum(0);
  for (const auto [x, weight] : cable_element::lobatto_points()) {
    const std::array<T, 4> first = cable_element::first_derivatives(x, segment.length);
    const Vec3<T> a = cable_element::interpolate(first, e);
    const T rate = dot(a, cable_element::interpolate(first, edot));
    sum += T(weight) * segment.EA * rate * rate / dot(a, a);
  }
  for (const auto [x, weight] : cable_element::gauss_points()) {
    const cable_element::Bend<T> at(x, segment.length, e);
    sum += T(weight) * segment.EI * dot(at.full_rate(edot), at.rate(edot));
  }
  return segment.damping * segment.length * sum;
}

// In the middle of an element.
template <class T>
struct CableSection {
  T strain{}, tension{};      // eps, with that of the pretension; N
  Vec3<T> curvature, moment;  // 1/m, N m, along the binormal, ground axes
};
template <class T>
CableSection<T> calc_cable_section(const CableSegment<T>& segment, const CableNodes<T>& e) {
  const cable_element::Bend<T> at(0.5, segment.length, e);
  const T eps = sqrt(at.A) - segment.eps0[1];
  return {eps, segment.EA * eps, at.k, segment.EI * (at.k - segment.k0[1])};
}

// Blocks of 3 x 3, by the parts of e and of its rate: K[i][j] = d f_i / d e_j without that of damping forces,
// D[i][j] = d f_i / d edot_j.
struct CableTangent {
  using Block = std::array<std::array<double, 3>, 3>;
  std::array<std::array<Block, 4>, 4> K{}, D{};
};
CableTangent calc_cable_tangent(const CableSegment<double>& segment, const CableNodes<double>& e);

}  // namespace sestina
