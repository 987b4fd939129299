#include "sestina/symbolic/lagrange.h"

#include "sestina/base/error.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class LagrangeTest : public test::SymbolicTest {
 protected:
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O");
};

TEST_F(LagrangeTest, ThePendulumSwings) {
  const auto q = mechanics.dynamicsymbol("q");
  const auto [m, l, g, c] = mechanics.symbols<4>("m l g c");
  const ReferenceFrame A = N.orientnew("A", q, N.z());
  O.set_vel(N, Vector());
  const Point P = O.locatenew("P", l * A.x());
  const std::vector<Body> bodies = {Particle{"P", P, m, -m * g * l * cos(q)}};
  const LagrangesMethod lagrange(mechanics, Lagrangian(N, bodies), {q},
                                 {.forcelist = {Torque{A, -c * mechanics.rate(q) * N.z()}}, .frame = N});
  EXPECT_TRUE(same(lagrange.mass_matrix()(0, 0), m * l * l));
  EXPECT_TRUE(same(lagrange.forcing()[0], -m * g * l * sin(q) - c * mechanics.rate(q)));
  EXPECT_TRUE(same(lagrange.equations()[0],
                   m * l * l * mechanics.dynamicsymbol("q", 2) + m * g * l * sin(q) + c * mechanics.rate(q)));
}

// A uniform disc rolls down an incline: x'' = 2 g sin(alpha)/3, and friction is a third of the weight's part
// along the incline. The multiplier is the force along -(x - r q), up the incline as it acts on x with a
// minus.
TEST_F(LagrangeTest, MultipliersAreTheForcesOfConstraints) {
  const auto x = mechanics.dynamicsymbol("x"), q = mechanics.dynamicsymbol("q");
  const auto [m, r, g, alpha] = mechanics.symbols<4>("m r g alpha");
  const Point C = O.locatenew("C", x * N.x());
  O.set_vel(N, Vector());
  const ReferenceFrame A = N.orientnew("A", q, -N.z());
  const Expression I = m * r * r / 2;
  const RigidBody disc{"disc", C, A, m, inertia(A, I / 2, I / 2, I), C, -m * g * x * sin(alpha)};
  const std::vector<Body> bodies = {disc};
  const LagrangesMethod lagrange(mechanics, Lagrangian(N, bodies), {x, q}, {.hol_coneqs = {x - r * q}});
  const auto solution = lagrange.solve();
  EXPECT_TRUE(same(solution.rhs[2], 2 * g * sin(alpha) / 3));
  EXPECT_TRUE(same(solution.rhs[3], 2 * g * sin(alpha) / (3 * r)));
  EXPECT_TRUE(same(solution.multipliers[0], -m * g * sin(alpha) / 3));
  // The same by its rate, as a nonholonomic constraint.
  const LagrangesMethod rolling(mechanics, Lagrangian(N, bodies), {x, q},
                                {.nonhol_coneqs = {mechanics.rate(x - r * q)}});
  EXPECT_TRUE(same(rolling.solve().rhs[2], solution.rhs[2]));
  EXPECT_TRUE(same(rolling.solve().multipliers[0], solution.multipliers[0]));
}

// By Cartesian coordinates the multiplier is the tension m (g cos q + l q'^2) over twice the length.
TEST_F(LagrangeTest, TheStringOfAPendulumPulls) {
  const auto q = mechanics.dynamicsymbols<2>("x y");
  const auto [m, g, l] = mechanics.symbols<3>("m g l");
  const Expression T = m * (pow(mechanics.rate(q[0]), 2) + pow(mechanics.rate(q[1]), 2)) / 2;
  const LagrangesMethod lagrange(mechanics, T - m * g * q[1], {q[0], q[1]},
                                 {.hol_coneqs = {q[0] * q[0] + q[1] * q[1] - l * l}});
  const auto solution = lagrange.solve();
  const double angle = 0.4, rate = 1.1, length = 2.0, gravity = 9.81, mass = 1.5;
  const double s = std::sin(angle), c = std::cos(angle);
  const auto values = evaluate(Matrix({solution.rhs[2], solution.rhs[3], solution.multipliers[0]}),
                               {{"x", length * s},
                                {"y", -length * c},
                                {"x'", length * rate * c},
                                {"y'", length * rate * s},
                                {"m", mass},
                                {"g", gravity},
                                {"l", length}});
  const double acceleration = -gravity / length * s;
  EXPECT_NEAR(values[0], length * (acceleration * c - rate * rate * s), 1e-14);
  EXPECT_NEAR(values[1], length * (acceleration * s + rate * rate * c), 1e-14);
  EXPECT_NEAR(values[2], -mass * (gravity * c + length * rate * rate) / (2.0 * length), 1e-14);
}

TEST_F(LagrangeTest, LoadsNeedAFrame) {
  const auto q = mechanics.dynamicsymbol("q");
  EXPECT_THROW(LagrangesMethod(mechanics, mechanics.rate(q), {q}, {.forcelist = {Force{O, N.x()}}}),
               InputError);
}

}  // namespace
}  // namespace sestina::symbolic
