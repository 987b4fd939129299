#include "sestina/integrate/newton_matrix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "integrate/test_systems.h"

namespace sestina::test {
namespace {

std::vector<double> calc_rate(EquationsOfMotion& equations, double t, std::vector<double> y) {
  const auto nq = static_cast<std::size_t>(equations.nq()), nu = static_cast<std::size_t>(equations.nu());
  std::vector<double> rate(y.size());
  const std::span<const double> q(y.data(), nq), u(y.data() + nq, nu);
  equations.calc_q_dot(q, u, std::span(rate).first(nq));
  equations.calc_derivatives(t, q, u, std::span(rate).subspan(nq, nu), std::span(rate).subspan(nq + nu));
  return rate;
}

// b = (I - gamma J) x, with J by central differences of the whole rate.
std::vector<double> multiply(EquationsOfMotion& equations, double t, const std::vector<double>& y,
                             double gamma, const std::vector<double>& x) {
  constexpr double kStep = 1e-5;  // the differences err by about 1e-10
  std::vector<double> b = x;
  for (std::size_t j = 0; j < y.size(); ++j) {
    std::vector<double> above = y, below = y;
    above[j] += kStep;
    below[j] -= kStep;
    const std::vector<double> f = calc_rate(equations, t, above), g = calc_rate(equations, t, below);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] -= gamma * (f[i] - g[i]) / (2.0 * kStep) * x[j];
  }
  return b;
}

double calc_error(EquationsOfMotion& equations, const std::vector<double>& y, double gamma) {
  std::vector<double> x;
  for (std::size_t i = 0; i < y.size(); ++i) x.push_back(std::cos(3.0 * static_cast<double>(i)));
  const std::vector<double> b = multiply(equations, 0.3, y, gamma, x);
  NewtonMatrix matrix;
  matrix.resize(equations);
  const std::vector<double> increments(static_cast<std::size_t>(equations.nq() + equations.nu()), 1e-7);
  EXPECT_EQ(matrix.update_derivatives(equations, 0.3, y, calc_rate(equations, 0.3, y), increments), -1);
  EXPECT_TRUE(matrix.factorize(equations, gamma));
  std::vector<double> solution(y.size());
  matrix.solve(equations, b, solution);
  double error = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(solution[i] - x[i]));
  return error;
}

PlainSystem make_pair() {
  return {2, 1, [](double t, auto q, auto u, auto udot, auto zdot) {
            udot[0] = -5.0 * std::sin(q[0]) - 40.0 * (u[0] - u[1]) + t;
            udot[1] = 40.0 * (u[0] - u[1]) - q[0] * q[1];
            zdot[0] = u[0] * u[0] + q[1];
          }};
}

TEST(NewtonMatrix, SolvesForCoordinatesSpeedsAndQuadratures) {
  PlainSystem pair = make_pair();
  // One-sided differences with increments of 1e-7 err by 1e-6 of the second derivatives.
  for (const double gamma : {0.01, 1.0, -0.5})
    EXPECT_LT(calc_error(pair, {0.4, 0.7, 1.1, -0.3, 2.0}, gamma), 1e-5);
}

// P leaves out (gamma w / 2)^3, here with w = 1.36 rad/s.
TEST(NewtonMatrix, SolvesForEulerParametersUpToTheCubeOfTheAngleOfTheStep) {
  FreeRigidBody body;
  const std::vector<double> y = {0.8, 0.0, 0.6, 0.0, 0.6, -0.7, 1.0};
  const double coarse = calc_error(body, y, 0.2), fine = calc_error(body, y, 0.1);
  EXPECT_LT(coarse, 0.01);
  EXPECT_NEAR(std::log2(coarse / fine), 3.0, 0.25);
}

TEST(NewtonMatrix, TellsThatItIsSingular) {
  PlainSystem system(1, 0, [](double, auto, auto u, auto udot, auto) { udot[0] = 4.0 * u[0]; });
  NewtonMatrix matrix;
  matrix.resize(system);
  const std::vector<double> y = {0.0, 1.0}, increments = {0.5, 0.5};  // no rounding at all
  matrix.update_derivatives(system, 0.0, y, calc_rate(system, 0.0, y), increments);
  EXPECT_FALSE(matrix.factorize(system, 0.25));
  EXPECT_TRUE(matrix.factorize(system, 0.125));
}

TEST(NewtonMatrix, TellsWhichCoordinateLeadsToAValueThatIsNotFinite) {
  PlainSystem system(1, 0, [](double, auto, auto u, auto udot, auto) { udot[0] = std::log(1.0 - u[0]); });
  NewtonMatrix matrix;
  matrix.resize(system);
  const std::vector<double> y = {0.0, 0.9}, increments = {0.5, 0.5};
  EXPECT_EQ(matrix.update_derivatives(system, 0.0, y, calc_rate(system, 0.0, y), increments), 1);
}

}  // namespace
}  // namespace sestina::test
