#include "sestina/flexible/cable_element.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sestina/numerics/dual.h"
#include "spatial/random.h"

namespace sestina {
namespace {

using namespace testing_support;

// An element with numbers of size one that is bent, stretched and curved by nature.
CableSegment<double> random_segment(Random& random) {
  CableSegment<double> segment;
  segment.length = 0.7, segment.EA = 3.0, segment.EI = 0.4, segment.mass = 2.0, segment.damping = 0.3;
  for (std::size_t p = 0; p < 3; ++p) {
    segment.eps0[p] = 1.0 + random.uniform(-0.05, 0.05);
    segment.k0[p] = random.vector(0.5);
  }
  return segment;
}
CableNodes<double> random_nodes(Random& random, double length) {
  const Vec3<double> r = random.vector(1.0), x{1.0, 0.0, 0.0};
  return {r, x + random.vector(0.4), r + length * x + random.vector(0.2), x + random.vector(0.4)};
}
CableNodes<double> random_rates(Random& random) {
  return {random.vector(1.0), random.vector(1.0), random.vector(1.0), random.vector(1.0)};
}

CableSegment<Dual> to_dual(const CableSegment<double>& s) {
  CableSegment<Dual> dual{s.length, s.EA, s.EI, s.mass, s.damping, {}, {}};
  for (std::size_t p = 0; p < 3; ++p) {
    dual.eps0[p] = s.eps0[p];
    dual.k0[p] = {s.k0[p].x, s.k0[p].y, s.k0[p].z};
  }
  return dual;
}
CableNodes<Dual> to_dual(const CableNodes<double>& e) {
  CableNodes<Dual> dual;
  for (std::size_t i = 0; i < 4; ++i) dual[i] = {e[i].x, e[i].y, e[i].z};
  return dual;
}

TEST(CableElement, ForcesWithoutDampingAreTheGradientOfTheEnergy) {
  Random random(1);
  for (int n = 0; n < 20; ++n) {
    const CableSegment<double> segment = random_segment(random);
    const CableNodes<double> e = random_nodes(random, segment.length);
    const CableNodes<double> f = calc_cable_forces(segment, e, CableNodes<double>{});
    for (std::size_t i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) {
        CableNodes<Dual> moved = to_dual(e);
        moved[i][k].d = 1.0;
        EXPECT_NEAR(f[i][k], calc_cable_energy(to_dual(segment), moved).d, 1e-12);
      }
    }
  }
}

TEST(CableElement, DampingTurnsThePowerOfItsForcesIntoHeat) {
  Random random(2);
  for (int n = 0; n < 20; ++n) {
    const CableSegment<double> segment = random_segment(random);
    const CableNodes<double> e = random_nodes(random, segment.length), edot = random_rates(random);
    const CableNodes<double> with = calc_cable_forces(segment, e, edot),
                             without = calc_cable_forces(segment, e, CableNodes<double>{});
    double power = 0.0;
    for (std::size_t i = 0; i < 4; ++i) power += dot(with[i] - without[i], edot[i]);
    EXPECT_NEAR(power, calc_cable_heat(segment, e, edot), 1e-12 * (1.0 + power));
    EXPECT_GT(power, 0.0);
  }
}

// By dual numbers; that by displacements at rest, where it is complete.
TEST(CableElement, TangentIsTheDerivativeOfTheForces) {
  Random random(3);
  for (int n = 0; n < 20; ++n) {
    const CableSegment<double> segment = random_segment(random);
    const CableNodes<double> e = random_nodes(random, segment.length), edot = random_rates(random);
    const CableTangent tangent = calc_cable_tangent(segment, e);
    for (std::size_t j = 0; j < 4; ++j) {
      for (int k = 0; k < 3; ++k) {
        CableNodes<Dual> moved = to_dual(e), faster = to_dual(edot);
        moved[j][k].d = faster[j][k].d = 1.0;
        const CableNodes<Dual> by_e = calc_cable_forces(to_dual(segment), moved, CableNodes<Dual>{}),
                               by_rate = calc_cable_forces(to_dual(segment), to_dual(e), faster);
        for (std::size_t i = 0; i < 4; ++i) {
          for (int l = 0; l < 3; ++l) {
            const auto row = static_cast<std::size_t>(l), column = static_cast<std::size_t>(k);
            EXPECT_NEAR(tangent.K[i][j][row][column], by_e[i][l].d, 1e-10);
            EXPECT_NEAR(tangent.D[i][j][row][column], by_rate[i][l].d, 1e-11);
          }
        }
      }
    }
  }
}

// No force and no torque about the origin, r x f_r + r' x f_r', on a body that is straight by nature.
TEST(CableElement, ForcesBalance) {
  Random random(4);
  for (int n = 0; n < 20; ++n) {
    CableSegment<double> segment = random_segment(random);
    segment.k0 = {};
    const CableNodes<double> e = random_nodes(random, segment.length);
    const CableNodes<double> f = calc_cable_forces(segment, e, random_rates(random));
    EXPECT_LE(norm(f[0] + f[2]), 1e-12);
    Vec3<double> torque;
    for (std::size_t i = 0; i < 4; ++i) torque += cross(e[i], f[i]);
    EXPECT_LE(norm(torque), 1e-11);
  }
}

TEST(CableElement, EnergyDoesNotChangeInRigidMotions) {
  Random random(5);
  CableSegment<double> segment = random_segment(random);
  segment.k0 = {};
  const CableNodes<double> e = random_nodes(random, segment.length);
  const Rotation<double> R = random.rotation();
  const Vec3<double> p = random.vector(10.0);
  const CableNodes<double> moved{R * e[0] + p, R * e[1], R * e[2] + p, R * e[3]};
  EXPECT_NEAR(calc_cable_energy(segment, moved), calc_cable_energy(segment, e), 1e-13);
}

// An arc of a circle that is stretched evenly: k and eps are those of the circle to the fourth order.
TEST(CableElement, SectionOfAnArcHasItsCurvatureAndStretch) {
  const double radius = 2.0, stretch = 1.1;
  double before = 0.0;
  for (const double angle : {0.4, 0.2}) {
    CableSegment<double> segment;
    segment.length = radius * angle / stretch, segment.EA = 50.0, segment.EI = 3.0;
    segment.eps0 = {1.0, 1.0, 1.0};
    const auto at = [&](double phi) { return Vec3<double>{std::sin(phi), 1.0 - std::cos(phi), 0.0}; };
    const auto along = [&](double phi) { return Vec3<double>{std::cos(phi), std::sin(phi), 0.0}; };
    const CableNodes<double> e{radius * at(0.0), stretch * along(0.0), radius * at(angle),
                               stretch * along(angle)};
    const CableSection<double> section = calc_cable_section(segment, e);
    EXPECT_NEAR(section.tension, 50.0 * 0.1, 5e-3);
    EXPECT_NEAR(section.moment.z, 3.0 * section.curvature.z, 1e-15);
    const double error = std::abs(section.curvature.z - stretch / radius);
    if (before > 0.0) {
      EXPECT_NEAR(std::log2(before / error), 2.0, 0.1);
    }
    before = error;
  }
}

// Lobatto's formula takes cubics exactly, Gauss' polynomials of degree five.
TEST(CableElement, QuadratureIsExactForItsDegree) {
  const auto expect_exact = [](const std::array<cable_element::Point, 3>& points, int degree) {
    for (int k = 0; k <= degree; ++k) {
      double sum = 0.0;
      for (const auto& [x, weight] : points) sum += weight * std::pow(x, k);
      EXPECT_NEAR(sum, 1.0 / (k + 1), 1e-15);
    }
  };
  expect_exact(cable_element::lobatto_points(), 3);
  expect_exact(cable_element::gauss_points(), 5);
}

// The integral of S_i S_j, which Gauss' formula of four points takes exactly.
TEST(CableElement, MassIsTheIntegralOfTheShapes) {
  const double x[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526};
  const double w[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538};
  const CableMass& mass = CableMass::get();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_GT(mass.diagonal[i], 1e-4);
    for (std::size_t j = 0; j < 4; ++j) {
      double exact = 0.0, sum = i == j ? mass.diagonal[i] : 0.0;
      for (std::size_t p = 0; p < 4; ++p) {
        const std::array<double, 4> S = cable_element::shapes(0.5 + 0.5 * x[p], 1.0);
        exact += 0.5 * w[p] * S[i] * S[j];
      }
      for (const auto& row : mass.rows) sum += row[i] * row[j];
      EXPECT_NEAR(sum, exact, 1e-15);
    }
  }
}

}  // namespace
}  // namespace sestina
