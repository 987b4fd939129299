// The faces of the equations of motion of a tree, each against another one.
#include "sestina/workspace/system_equations.h"

#include <gtest/gtest.h>

#include <cmath>

#include "integrate/articulated_systems.h"
#include "sestina/base/error.h"

namespace sestina::test {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

struct Point {
  explicit Point(const System& description) : system(description), state(system.start()) {
    state.t = 0.3;
    udot.resize(state.u.size());
    residual.resize(state.u.size());
    system.equations.calc_derivatives(state, {udot, {}, state.z});
  }
  std::vector<double> residual_at(const State<double>& at, const std::vector<double>& accelerations) {
    face().calc_residual(at, accelerations, residual);
    return residual;
  }
  std::vector<double> udot_at(const State<double>& at) {
    std::vector<double> rates(udot.size()), works(2);
    system.equations.calc_derivatives(at, {rates, {}, works});
    return rates;
  }
  ResidualFace& face() { return *system.equations.residual_face(); }
  // The state whose coordinate (by displacement) or speed j is moved.
  State<double> moved(int j, double by, bool is_speed) {
    State<double> at = state;
    if (is_speed) {
      at.u[index(j)] += by;
      return at;
    }
    std::vector<double> displacement(udot.size());
    displacement[index(j)] = by;
    system.equations.plus(state.q, displacement, at.q);
    return at;
  }

  ArticulatedSystem system;
  State<double> state;
  std::vector<double> udot, residual;
};

class Faces : public testing::TestWithParam<System (*)()> {};

TEST_P(Faces, ResidualVanishesForTheAccelerationsOfTheExplicitForm) {
  Point at(GetParam()());
  for (const double r : at.residual_at(at.state, at.udot)) EXPECT_NEAR(r, 0.0, 1e-12 * 50.0);
}

TEST_P(Faces, TangentIsTheDerivativeOfBothForms) {
  constexpr double kStep = 1e-5;  // central differences err by about 1e-9 here
  Point at(GetParam()());
  at.face().update_tangent(at.state);
  const int nu = static_cast<int>(at.udot.size());
  const ResidualFace& face = at.face();
  for (int j = 0; j < nu; ++j) {
    for (const bool is_speed : {false, true}) {
      const State<double> above = at.moved(j, kStep, is_speed), below = at.moved(j, -kStep, is_speed);
      const std::vector<double> r_above = at.residual_at(above, at.udot),
                                r_below = at.residual_at(below, at.udot);
      const std::vector<double> a_above = at.udot_at(above), a_below = at.udot_at(below);
      at.face().update_tangent(at.state);
      const MatrixBlock by = is_speed ? face.residual_by_u() : face.residual_by_q();
      const MatrixBlock a_by = is_speed ? face.udot_by_u() : face.udot_by_q();
      for (int i = 0; i < nu; ++i) {
        EXPECT_NEAR(by(i, j), (r_above[index(i)] - r_below[index(i)]) / (2 * kStep), 1e-6);
        EXPECT_NEAR(a_by(i, j), (a_above[index(i)] - a_below[index(i)]) / (2 * kStep), 1e-5);
      }
    }
    std::vector<double> udot = at.udot;
    udot[index(j)] += 1.0;
    const std::vector<double> with = at.residual_at(at.state, udot);
    for (int i = 0; i < nu; ++i) EXPECT_NEAR(face.residual_by_udot()(i, j), with[index(i)], 1e-11);
  }
}

TEST_P(Faces, ImpulseChangesTheMomentumByItself) {
  Point at(GetParam()());
  std::vector<double> impulse(at.udot.size()), du(impulse.size()), before(impulse.size()),
      after(impulse.size());
  for (std::size_t i = 0; i < impulse.size(); ++i) impulse[i] = std::cos(1.0 + static_cast<double>(i));
  at.system.equations.impulse_face()->calc_velocity_jump(at.state, impulse, du);
  at.system.equations.momentum_face()->calc_momentum(at.state, before);
  for (std::size_t i = 0; i < du.size(); ++i) at.state.u[i] += du[i];
  at.system.equations.momentum_face()->calc_momentum(at.state, after);
  for (std::size_t i = 0; i < du.size(); ++i) EXPECT_NEAR(after[i] - before[i], impulse[i], 1e-11);
}

TEST_P(Faces, MinusUndoesPlus) {
  Point at(GetParam()());
  std::vector<double> displacement(at.udot.size()), back(at.udot.size()), q(at.state.q.size());
  for (std::size_t i = 0; i < displacement.size(); ++i)
    displacement[i] = 0.3 * std::sin(2.0 * static_cast<double>(i));
  at.system.equations.plus(at.state.q, displacement, q);
  at.system.equations.minus(q, at.state.q, back);
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(back[i], displacement[i], 1e-14);
}

TEST_P(Faces, QuadratureRatesAreThoseOfTheExplicitForm) {
  Point at(GetParam()());
  std::vector<double> rates(at.udot.size()), works(2), alone(2);
  at.system.equations.calc_derivatives(at.state, {rates, {}, works});
  at.face().calc_quadrature_rates(at.state, alone);
  EXPECT_EQ(alone, works);
}

INSTANTIATE_TEST_SUITE_P(Trees, Faces, testing::Values(hinged_rods, top_with_rod, free_bodies, driven_top));

TEST(Faces, ResidualByAParameterIsItsDerivative) {
  const auto residual = [](double mass, std::vector<double>* by_mass) {
    System description = hinged_rods();
    description.set_parameter("m", mass);
    description.bodies.back().mass = "m";
    Point at(description);
    const std::vector<double> udot = {0.7, -1.1};
    if (by_mass != nullptr) {
      by_mass->resize(2);
      std::vector<double> solution(2), works(2);
      at.system.equations.calc_derivatives(at.state, {solution, {}, works});
      at.face().update_residual_tangent(at.state, udot);
      at.face().calc_residual_by_parameter(at.face().parameter_number("m"), *by_mass);
      EXPECT_THROW(at.face().parameter_number("mm"), InputError);
    }
    return at.residual_at(at.state, udot);
  };
  std::vector<double> by_mass;
  residual(1.3, &by_mass);
  const std::vector<double> above = residual(1.8, nullptr), below = residual(0.8, nullptr);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(by_mass[i], above[i] - below[i], 1e-12);  // linear in m
}

}  // namespace
}  // namespace sestina::test
