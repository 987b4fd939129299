// The closed forms themselves: that they solve the equations that they claim to solve.
#include <gtest/gtest.h>

#include "analytic/orbits.h"
#include "analytic/oscillators.h"
#include "analytic/rigid_body.h"

namespace sestina::analytic {
namespace {

// Central differences: the error is about h^2 / 6 times the third derivative plus round-off / h.
constexpr double kH = 1e-5;
template <class F>
double slope(const F& f, double t) {
  return (f(t + kH) - f(t - kH)) / (2.0 * kH);
}
constexpr double kSlopeTolerance = 1e-7;

TEST(Elliptic, IntegralAgreesWithTables) {
  // Abramowitz and Stegun, table 17.1, K(m): fifteen decimals.
  EXPECT_NEAR(complete_elliptic_integral(0.0), 1.570796326794897, 2e-15);
  EXPECT_NEAR(complete_elliptic_integral(0.5), 1.854074677301372, 2e-15);
  EXPECT_NEAR(complete_elliptic_integral(0.99), 3.695637362989875, 4e-15);
}

TEST(Elliptic, JacobiFunctionsHaveTheirDerivativesAndPeriod) {
  for (const double m : {0.0, 0.1, 0.5, 0.999}) {
    const double K = complete_elliptic_integral(m);
    for (const double u : {-3.0, 0.0, 0.7, 1.3, 9.0}) {
      const Jacobi j = jacobi(u, m);
      EXPECT_NEAR(j.sn * j.sn + j.cn * j.cn, 1.0, 1e-14);
      EXPECT_NEAR(slope([&](double x) { return jacobi(x, m).sn; }, u), j.cn * j.dn, kSlopeTolerance);
      EXPECT_NEAR(slope([&](double x) { return jacobi(x, m).cn; }, u), -j.sn * j.dn, kSlopeTolerance);
      EXPECT_NEAR(slope([&](double x) { return jacobi(x, m).dn; }, u), -m * j.sn * j.cn, kSlopeTolerance);
      EXPECT_NEAR(jacobi(u + 4.0 * K, m).sn, j.sn, 1e-13);
    }
    EXPECT_NEAR(jacobi(K, m).sn, 1.0, 1e-14);
  }
}

TEST(Pendulum, SolvesItsEquation) {
  const Pendulum pendulum{2.1, 2.5};
  EXPECT_NEAR(pendulum.angle(0.0), 2.5, 1e-14);
  for (const double t : {0.1, 0.9, 2.0, 7.3}) {
    EXPECT_NEAR(slope([&](double x) { return pendulum.angle(x); }, t), pendulum.rate(t), kSlopeTolerance);
    EXPECT_NEAR(slope([&](double x) { return pendulum.rate(x); }, t),
                -2.1 * 2.1 * std::sin(pendulum.angle(t)), kSlopeTolerance);
  }
}

TEST(Oscillators, SolveTheirEquations) {
  const DampedOscillator damped{1.5, 0.4, 30.0, 0.2, -1.0};
  const ForcedOscillator forced{1.5, 30.0, 2.0, 3.0};
  EXPECT_NEAR(damped.x(0.0), 0.2, 1e-15);
  EXPECT_NEAR(damped.v(0.0), -1.0, 1e-15);
  for (const double t : {0.0, 0.5, 3.0}) {
    EXPECT_NEAR(slope([&](double s) { return damped.x(s); }, t), damped.v(t), kSlopeTolerance);
    EXPECT_NEAR(1.5 * slope([&](double s) { return damped.v(s); }, t),
                -0.4 * damped.v(t) - 30.0 * damped.x(t), kSlopeTolerance);
    EXPECT_NEAR(slope([&](double s) { return forced.x(s); }, t), forced.v(t), kSlopeTolerance);
    EXPECT_NEAR(1.5 * slope([&](double s) { return forced.v(s); }, t),
                2.0 * std::sin(3.0 * t) - 30.0 * forced.x(t), kSlopeTolerance);
  }
}

TEST(Chain, ModesSolveTheEigenvalueProblem) {
  const Chain chain{7, 0.5, 40.0};
  for (int j = 1; j <= chain.n; ++j) {
    for (int i = 1; i <= chain.n; ++i) {
      const double stretch = 2.0 * chain.shape(j, i) - chain.shape(j, i - 1) - chain.shape(j, i + 1);
      EXPECT_NEAR(chain.k * stretch, chain.m * std::pow(chain.omega(j), 2) * chain.shape(j, i), 1e-12);
    }
  }
}

class AsymmetricBodyTest : public testing::TestWithParam<AsymmetricBody> {};

TEST_P(AsymmetricBodyTest, SolvesEulersEquations) {
  const AsymmetricBody& body = GetParam();
  for (const double t : {0.0, 0.3, 1.1, 4.0}) {
    const Vec3<double> w = body.angular_velocity(t);
    const auto rate = [&](int i) { return slope([&](double s) { return body.angular_velocity(s)[i]; }, t); };
    EXPECT_NEAR(body.I1 * rate(0), (body.I2 - body.I3) * w.y * w.z, kSlopeTolerance);
    EXPECT_NEAR(body.I2 * rate(1), (body.I3 - body.I1) * w.z * w.x, kSlopeTolerance);
    EXPECT_NEAR(body.I3 * rate(2), (body.I1 - body.I2) * w.x * w.y, kSlopeTolerance);
  }
  EXPECT_NEAR(body.angular_velocity(0.0).x, body.w1, 1e-14);
  EXPECT_NEAR(body.angular_velocity(body.period()).y, 0.0, 1e-13);
}

INSTANTIATE_TEST_SUITE_P(BothSidesOfTheSeparatrix, AsymmetricBodyTest,
                         testing::Values(AsymmetricBody{1.0, 2.0, 3.0, 0.5, 2.0},
                                         AsymmetricBody{1.0, 2.0, 3.0, 3.0, 0.4}));

TEST(FreeSymmetricBody, TurnsAtItsAngularVelocityAndKeepsItsAngularMomentum) {
  const double I = 2.0, I_axis = 0.7;
  const Rotation<double> R0 = rpy_rotation(0.3, -0.5, 1.0);
  const Vec3<double> w0{1.0, -2.0, 3.0};
  const auto R = [&](double t) { return free_symmetric_orientation(I, I_axis, R0, w0, t); };
  const auto axis = [&](double t) { return R(t) * Vec3<double>{0, 0, 1}; };
  const double spin = dot(w0, axis(0.0));
  const Vec3<double> h = I * w0 + ((I_axis - I) * spin) * axis(0.0);
  for (const double t : {0.0, 0.8, 2.0}) {
    // The momentum gives the angular velocity, and that must be how R turns.
    const Vec3<double> w = (1.0 / I) * h + (spin * (1.0 - I_axis / I)) * axis(t);
    for (const Vec3<double>& fixed : {Vec3<double>{1, 0, 0}, Vec3<double>{0, 0, 1}}) {
      const Vec3<double> velocity = cross(w, R(t) * fixed);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(slope([&](double s) { return (R(s) * fixed)[i]; }, t), velocity[i], kSlopeTolerance);
      }
    }
  }
}

TEST(KeplerOrbit, ObeysNewtonsLaw) {
  const KeplerOrbit orbit{3.0, 1.3, 0.6};
  EXPECT_NEAR(orbit.x(0.0), orbit.perihelion(), 1e-15);
  EXPECT_NEAR(slope([&](double s) { return orbit.y(s); }, 0.0), orbit.perihelion_speed(), kSlopeTolerance);
  constexpr double h = 1e-4;  // second differences: h^2 / 12 of the fourth derivative, round-off / h^2
  for (const double t : {0.4, 1.5, 6.0}) {
    const double x = orbit.x(t), y = orbit.y(t), r = std::hypot(x, y);
    EXPECT_NEAR((orbit.x(t + h) - 2.0 * x + orbit.x(t - h)) / (h * h), -3.0 * x / (r * r * r), 1e-5);
    EXPECT_NEAR((orbit.y(t + h) - 2.0 * y + orbit.y(t - h)) / (h * h), -3.0 * y / (r * r * r), 1e-5);
  }
}

TEST(ThrownWithDrag, SolvesItsEquation) {
  const ThrownWithDrag ball{0.2, 0.1, 9.81};
  const auto height = [&](double t) { return ball.height(t, 12.0); };
  const auto across = [&](double t) { return ball.across(t, 5.0); };
  constexpr double h = 1e-4;
  for (const double t : {0.0, 1.0}) {
    EXPECT_NEAR((height(t + h) - 2.0 * height(t) + height(t - h)) / (h * h), -9.81 - 0.5 * slope(height, t),
                1e-5);
    EXPECT_NEAR((across(t + h) - 2.0 * across(t) + across(t - h)) / (h * h), -0.5 * slope(across, t), 1e-5);
  }
  EXPECT_NEAR(slope(height, 0.0), 12.0, kSlopeTolerance);
  EXPECT_NEAR(slope(across, 0.0), 5.0, kSlopeTolerance);
}

}  // namespace
}  // namespace sestina::analytic
