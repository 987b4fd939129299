#include "sestina/integrate/newton_matrix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "integrate/articulated_systems.h"
#include "integrate/test_systems.h"

namespace sestina::test {
namespace {

// From [q, u, x, z].
State<double> make_state(EquationsOfMotion& equations, double t, const std::vector<double>& y) {
  const StateSizes sizes = equations.sizes();
  State<double> state{.t = t};
  auto from = y.begin();
  for (const auto& [part, n] :
       {std::pair(&state.q, sizes.nq), {&state.u, sizes.nu}, {&state.x, sizes.nx}, {&state.z, sizes.nz}}) {
    part->assign(from, from + n);
    from += n;
  }
  return state;
}

std::vector<double> calc_rate(EquationsOfMotion& equations, double t, const std::vector<double>& y) {
  const State<double> state = make_state(equations, t, y);
  std::vector<double> rate(y.size());
  const std::size_t nq = state.q.size(), nu = state.u.size(), nx = state.x.size();
  const std::span<double> all(rate);
  equations.calc_q_dot(state.q, state.u, all.first(nq));
  equations.calc_derivatives(state,
                             {all.subspan(nq, nu), all.subspan(nq + nu, nx), all.subspan(nq + nu + nx)});
  return rate;
}

std::vector<double> make_increments(const EquationsOfMotion& equations, double increment) {
  return std::vector<double>(static_cast<std::size_t>(equations.sizes().controlled()), increment);
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
  const State<double> state = make_state(equations, 0.3, y);
  const std::vector<double> rate = calc_rate(equations, 0.3, y);
  EXPECT_EQ(matrix.update_derivatives(equations, state, rate, make_increments(equations, 1e-7)), -1);
  EXPECT_TRUE(matrix.factorize(equations, gamma));
  std::vector<double> solution(y.size());
  const auto nz = static_cast<std::size_t>(equations.sizes().nz);
  matrix.solve(equations, state, std::span(rate).last(nz), gamma, b, solution);
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

std::vector<double> flatten(const State<double>& state) {
  std::vector<double> y = state.q;
  for (const std::vector<double>* part : {&state.u, &state.x, &state.z}) {
    y.insert(y.end(), part->begin(), part->end());
  }
  return y;
}

// With the tangent of the equations nothing is left of the differences' error. The quadratures are not
// linear: with the work of a quadratic damper they differ from J by the second derivatives.
TEST(NewtonMatrix, TakesTheTangentOfTheEquationsWhereThereIsOne) {
  ArticulatedSystem pendulum(hinged_rods());
  ASSERT_NE(pendulum.equations.residual_face(), nullptr);
  for (const double gamma : {0.01, 1.0, -0.5}) {
    EXPECT_LT(calc_error(pendulum.equations, flatten(pendulum.start()), gamma), 1e-8) << gamma;
  }
}

TEST(NewtonMatrix, TakesTheTangentOfJointsWithEulerParameters) {
  System system = free_bodies();
  for (JointSpec& joint : system.joints) {
    for (auto& u : joint.u) u = 0.0;  // P = 1
  }
  ArticulatedSystem bodies(system);
  const State<double> start = bodies.start();
  // Euler parameters change at right angles to themselves: s within the tangent space.
  const StateSizes sizes = bodies.equations.sizes();
  std::vector<double> s(static_cast<std::size_t>(sizes.integrated())), speeds(start.u.size());
  for (std::size_t i = 0; i < speeds.size(); ++i) speeds[i] = std::cos(3.0 * static_cast<double>(i));
  bodies.equations.calc_q_dot(start.q, speeds, std::span(s).first(start.q.size()));
  for (std::size_t i = 0; i < speeds.size(); ++i)
    s[start.q.size() + i] = std::sin(2.0 + static_cast<double>(i));
  const std::vector<double> y = flatten(start);
  const double gamma = 0.3;
  const std::vector<double> b = multiply(bodies.equations, 0.0, y, gamma, s);
  NewtonMatrix matrix;
  matrix.resize(bodies.equations);
  const std::vector<double> rate = calc_rate(bodies.equations, 0.0, y);
  EXPECT_EQ(matrix.update_derivatives(bodies.equations, start, rate, {}), -1);
  ASSERT_TRUE(matrix.factorize(bodies.equations, gamma));
  std::vector<double> solution(s.size());
  matrix.solve(bodies.equations, start, std::span(rate).last(2), gamma, b, solution);
  for (std::size_t i = 0; i < static_cast<std::size_t>(sizes.controlled()); ++i) {
    EXPECT_NEAR(solution[i], s[i], 1e-8) << i;
  }
}

TEST(NewtonMatrix, TellsThatItIsSingular) {
  PlainSystem system(1, 0, [](double, auto, auto u, auto udot, auto) { udot[0] = 4.0 * u[0]; });
  NewtonMatrix matrix;
  matrix.resize(system);
  const std::vector<double> y = {0.0, 1.0};
  matrix.update_derivatives(system, make_state(system, 0.0, y), calc_rate(system, 0.0, y),
                            make_increments(system, 0.5));  // no rounding at all
  EXPECT_FALSE(matrix.factorize(system, 0.25));
  EXPECT_TRUE(matrix.factorize(system, 0.125));
}

TEST(NewtonMatrix, TellsWhichCoordinateLeadsToAValueThatIsNotFinite) {
  PlainSystem system(1, 0, [](double, auto, auto u, auto udot, auto) { udot[0] = std::log(1.0 - u[0]); });
  NewtonMatrix matrix;
  matrix.resize(system);
  const std::vector<double> y = {0.0, 0.9};
  EXPECT_EQ(matrix.update_derivatives(system, make_state(system, 0.0, y), calc_rate(system, 0.0, y),
                                      make_increments(system, 0.5)),
            1);
}

}  // namespace
}  // namespace sestina::test
