#include "sestina/symbolic/lagrange.h"

#include <gmock/gmock.h>

#include "message_of.h"
#include "sestina/base/error.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

using testing_support::message_of;

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
// along the incline. The multiplier is the force against x - r q, up the incline as it acts on x.
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
  EXPECT_TRUE(same(solution.multipliers[0], m * g * sin(alpha) / 3));
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
  EXPECT_NEAR(values[2], mass * (gravity * c + length * rate * rate) / (2.0 * length), 1e-14);
}

// Signs and shapes are those of sympy.physics.mechanics 1.14 for the same pendulum, whose unknowns there are
// x', y', x'', y'' and minus the multiplier.
TEST_F(LagrangeTest, FullMatricesAreThoseOfSympy) {
  const auto q = mechanics.dynamicsymbols<2>("x y");
  const auto [m, g, l] = mechanics.symbols<3>("m g l");
  const auto& [x, y] = q;
  const Expression vx = mechanics.rate(x), vy = mechanics.rate(y);
  const LagrangesMethod lagrange(mechanics, m * (vx * vx + vy * vy) / 2 + m * g * x, {x, y},
                                 {.hol_coneqs = {x * x + y * y - l * l}});
  const Expression lambda = lagrange.lam_vec()[0], ax = mechanics.rate(vx);
  EXPECT_TRUE(same(lagrange.equations()[0], -g * m + m * ax + 2 * lambda * x));
  EXPECT_EQ(lagrange.lam_coeffs().elements(), (std::vector<Expression>{-2 * x, -2 * y}));
  EXPECT_EQ(lagrange.mass_matrix_full().elements(), (std::vector<Expression>{1, 0, 0,     0,     0,       //
                                                                             0, 1, 0,     0,     0,       //
                                                                             0, 0, m,     0,     -2 * x,  //
                                                                             0, 0, 0,     m,     -2 * y,  //
                                                                             0, 0, 2 * x, 2 * y, 0}));
  const Matrix forcing = lagrange.forcing_full();
  ASSERT_EQ(forcing.rows(), 5u);
  EXPECT_EQ(forcing[0], vx);
  EXPECT_TRUE(same(forcing[2], g * m));
  EXPECT_TRUE(same(forcing[4], -2 * vx * vx - 2 * vy * vy));
  EXPECT_TRUE(same(lagrange.solve().multipliers[0], m * (g * x + vx * vx + vy * vy) / (2 * (x * x + y * y))));
  const LagrangesMethod free(mechanics, m * (vx * vx + vy * vy) / 2, {x, y});
  EXPECT_EQ(free.mass_matrix_full().rows(), 4u);
  EXPECT_EQ(free.forcing_full()[1], vy);
}

TEST_F(LagrangeTest, LoadsNeedAFrame) {
  const auto q = mechanics.dynamicsymbol("q");
  EXPECT_THROW(LagrangesMethod(mechanics, mechanics.rate(q), {q}, {.forcelist = {Force{O, N.x()}}}),
               InputError);
}

// A force along a constraint is defined only where the constraint is linear in the rates: of the sphere of
// velocities x'^2 + y'^2 = v^2 (Appell's constraint) no such force follows.
TEST_F(LagrangeTest, ConstraintsThatGiveNoForceAreNamed) {
  const auto [x, y] = mechanics.dynamicsymbols<2>("x y");
  const auto [m, v] = mechanics.symbols<2>("m v");
  const Expression dx = mechanics.rate(x), dy = mechanics.rate(y);
  const Expression dx2 = dx * dx, dy2 = dy * dy;  // in this order, which that of terms follows
  const Expression L = m * (dx2 + dy2) / 2;
  const auto message = [&, x = x, y = y](const LagrangeOptions& options) {
    return message_of([&] { LagrangesMethod(mechanics, L, {x, y}, options); });
  };
  EXPECT_EQ(message({.nonhol_coneqs = {dx - dy, dx2 + dy2 - v * v}}),
            "the nonholonomic constraint x'^2 + y'^2 - v^2 = 0 is not linear in x'");
  EXPECT_EQ(message({.nonhol_coneqs = {mechanics.rate(dx) - v}}),
            "the nonholonomic constraint -v + x'' = 0 depends on x''");
  EXPECT_EQ(message({.hol_coneqs = {dx - v}}), "the holonomic constraint -v + x' = 0 depends on x'");
  EXPECT_EQ(message({.nonhol_coneqs = {sin(x) * dx + x * x * dy - v}}), testing_support::kNothingThrown);
  EXPECT_EQ(message({.nonhol_coneqs = {pow(dx + 1, 2) - dx * dx - y}}),
            testing_support::kNothingThrown);  // linear, though not as written
}

TEST_F(LagrangeTest, CoordinatesAreDistinctFunctionsOfTime) {
  const auto q = mechanics.dynamicsymbol("q");
  const Expression m = mechanics.symbol("m"), L = m * mechanics.rate(q) * mechanics.rate(q) / 2;
  EXPECT_NO_THROW(LagrangesMethod(mechanics, L, {q}));
  EXPECT_THROW(LagrangesMethod(mechanics, L, {m}), InputError);
  EXPECT_THROW(LagrangesMethod(mechanics, L, {2 * q}), InputError);
  EXPECT_THROW(LagrangesMethod(mechanics, L, {q, q}), InputError);
}

// The water that a body drags along: (m + k) x'' = -c x.
TEST_F(LagrangeTest, LoadsThatHoldAccelerationsGoIntoTheMassMatrix) {
  const auto x = mechanics.dynamicsymbol("x");
  const auto [m, k, c] = mechanics.symbols<3>("m k c");
  const Expression dx = mechanics.rate(x), ddx = mechanics.rate(dx), L = m * dx * dx / 2;
  O.set_vel(N, Vector());
  const Point P = O.locatenew("P", x * N.x());
  const auto derive = [&](const Expression& force) {
    return LagrangesMethod(mechanics, L, {x}, {.forcelist = {Force{P, force * N.x()}}, .frame = N});
  };
  const LagrangesMethod lagrange = derive(-k * ddx - c * x);
  EXPECT_TRUE(same(lagrange.mass_matrix()(0, 0), m + k));
  EXPECT_TRUE(same(lagrange.forcing()[0], -c * x));
  EXPECT_TRUE(same(lagrange.solve().rhs[1], -c * x / (m + k)));
  EXPECT_TRUE(same(lagrange.equations()[0], (m + k) * ddx + c * x));
  EXPECT_THAT(message_of([&] { derive(ddx * ddx); }),
              testing::HasSubstr("is not linear in the second rates of coordinates"));
  EXPECT_THAT(message_of([&] { derive(mechanics.rate(ddx)); }),
              testing::HasSubstr("the force at point P holds x'''"));
}

TEST_F(LagrangeTest, TheLagrangianHoldsNoAccelerations) {
  const auto x = mechanics.dynamicsymbol("x");
  const Expression ddx = mechanics.rate(mechanics.rate(x));
  EXPECT_EQ(message_of([&] { LagrangesMethod(mechanics, x * ddx, {x}); }),
            "the Lagrangian holds x''; allowed are coordinates and their rates");
}

// A speed u = x' tells nothing of x' to a method that has no kinematic equations. What is driven may have any
// speed.
TEST_F(LagrangeTest, VelocitiesAtLoadsAreWrittenWithRatesOfCoordinates) {
  const auto x = mechanics.dynamicsymbol("x"), q = mechanics.dynamicsymbol("q"),
             u = mechanics.dynamicsymbol("u"), drive = mechanics.dynamicsymbol("d");
  const Expression l = mechanics.symbol("l"), F = mechanics.symbol("F");
  const Expression L = mechanics.symbol("m") * (pow(mechanics.rate(x), 2) + pow(mechanics.rate(q), 2)) / 2;
  O.set_vel(N, Vector());
  const ReferenceFrame A = N.orientnew("A", q, N.z()), B = N.orientnew("B", q, N.x());
  const Point S = O.locatenew("S", drive * N.x()), P = S.locatenew("P", l * A.y()),
              Q = O.locatenew("Q", x * N.x());
  S.set_vel(N, mechanics.rate(drive) * N.x());
  P.v2pt_theory(S, N, A);
  Q.set_vel(N, u * N.x());
  B.set_ang_vel(N, u * N.x());
  const auto derive = [&](const Load& load) {
    return LagrangesMethod(mechanics, L, {x, q}, {.forcelist = {load}, .frame = N});
  };
  EXPECT_TRUE(same(derive(Force{P, F * N.x()}).forcing()[1], -l * F * cos(q)));
  EXPECT_TRUE(derive(Force{S, F * N.x()}).forcing()[1].is_zero());
  EXPECT_TRUE(same(derive(Torque{A, F * N.z()}).forcing()[1], F));
  const std::string force = message_of([&] { derive(Force{Q, F * N.x()}); });
  EXPECT_THAT(force, testing::HasSubstr("the force at point Q: the velocity there in N, "));
  EXPECT_THAT(force, testing::HasSubstr(" is written with u, while the place changes with x"));
  EXPECT_THAT(force, testing::HasSubstr("allowed are the rates of coordinates, x'"));
  EXPECT_THAT(message_of([&] { derive(Torque{B, F * N.x()}); }), testing::HasSubstr("the torque on frame B"));
}

// As velocities are written for Kane's method; such a kinetic energy would be that of a drive.
TEST_F(LagrangeTest, SpeedsInThePlaceOfRatesAreRefused) {
  const auto [x, y, u, v, r] = mechanics.dynamicsymbols<5>("x y u v r");
  const auto [m, k, l, g] = mechanics.symbols<4>("m k l g");
  const Expression dx = mechanics.rate(x), dy = mechanics.rate(y), dr = mechanics.rate(r), lift = m * g * x;
  const auto message = [&](const Expression& L, const std::vector<Expression>& q) {
    return message_of([&] { LagrangesMethod(mechanics, L, q); });
  };
  EXPECT_EQ(
      message(m * u * u / 2 - lift, {x}),
      "the Lagrangian is quadratic in u and holds no x': it is to be written with the rates of coordinates "
      "in the place of speeds, as are the velocities that it comes from (set_vel, set_ang_vel)");
  using testing::HasSubstr;
  EXPECT_THAT(message(m * (1 + 4 * x * x) * u * u / 2 - lift, {x}),
              HasSubstr("quadratic in u and holds no x'"));
  EXPECT_THAT(message(m * (dx * dx + v * v) / 2 - lift, {x, y}), HasSubstr("quadratic in v and holds no y'"));
  EXPECT_THAT(message(m * (u * u + x * x * v * v) / 2, {x, y}), HasSubstr("quadratic in u and holds no x'"));
  EXPECT_THAT(message(m * (u * u + v * v + 2 * u * v * cos(x - y)) / 2, {x, y}), HasSubstr("quadratic in"));
  // Drives: of a support, of its speed, of the length of a string with its multiplier as a coordinate, and of
  // a spring's end with a point without mass.
  for (const Expression& L :
       {m * (dx + dr) * (dx + dr) / 2 - k * (x - r) * (x - r), m * (dx + v) * (dx + v) / 2 + v * v * m}) {
    EXPECT_EQ(message(L, {x}), testing_support::kNothingThrown) << to_text(L);
  }
  EXPECT_EQ(message(m * dx * dx / 2 + y * (r * r - x * x), {x, y}), testing_support::kNothingThrown);
  EXPECT_EQ(message(m * dx * dx / 2 - k * (x - y) * (x - y) / 2 - k * (y - r) * (y - r) / 2, {x, y}),
            testing_support::kNothingThrown);
  EXPECT_EQ(message(m * dx * dx / 2 - k * (x - y) * (x - y) / 2 - m * g * l * cos(r), {x, y}),
            testing_support::kNothingThrown);
}

TEST_F(LagrangeTest, NothingElseIsCalledLikeAMultiplier) {
  const auto x = mechanics.dynamicsymbol("x"), lam1 = mechanics.dynamicsymbol("lam1");
  const Expression lam2 = mechanics.symbol("lam2");
  const Expression dx = mechanics.rate(x), dy = mechanics.rate(lam1);
  const Expression L = dx * dx + dy * dy, stiff = dx * dx - lam2 * x * x;
  using testing::HasSubstr;
  EXPECT_THAT(message_of([&] {
                LagrangesMethod(mechanics, L, {x, lam1}, {.hol_coneqs = {x - 2 * lam1}});
              }),
              HasSubstr("lam1 is the multiplier of constraint 1"));
  EXPECT_EQ(message_of([&] { LagrangesMethod(mechanics, L, {x, lam1}); }), testing_support::kNothingThrown);
  EXPECT_EQ(message_of([&] { LagrangesMethod(mechanics, stiff, {x}, {.hol_coneqs = {sin(x)}}); }),
            testing_support::kNothingThrown);
  EXPECT_THAT(message_of([&] {
                LagrangesMethod(mechanics, stiff, {x}, {.hol_coneqs = {sin(x), x}});
              }),
              HasSubstr("lam2 is the multiplier of constraint 2"));
}

}  // namespace
}  // namespace sestina::symbolic
