// Kane's equations where loads hold accelerations, auxiliary speeds stand in constraints, and acceleration
// constraints are given.
#include <gmock/gmock.h>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/symbolic/motion_equations.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

using testing::HasSubstr;
using testing_support::message_of;

class KaneConstraintsTest : public test::SymbolicTest {
 protected:
  testing::AssertionResult same_elements(const Matrix& a, const Matrix& b) {
    for (std::size_t i = 0; i < a.elements().size(); ++i) {
      const auto result = same(a[i], b[i]);
      if (!result) return result;
    }
    return testing::AssertionResult(a.rows() == b.rows() && a.columns() == b.columns());
  }

  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O");
};

// A load -k a at a point is a mass k there that has no weight.
class AddedMassTest : public KaneConstraintsTest {
 protected:
  void SetUp() override {
    O.set_vel(N, Vector());
    A.set_ang_vel(N, u[0] * N.z());
    B.set_ang_vel(A, cos(q[0]) * u[1] * A.x());
    P.v2pt_theory(O, N, A);
    Q.v2pt_theory(P, N, B);
  }

  KanesMethod derive(const Expression& mass, const Vector& load) {
    const std::vector<Body> bodies = {Particle{"P", P, m}, Particle{"Q", Q, mass}};
    const Vector weight = -m * g * N.y();
    return {N,
            {.q_ind = {q.begin(), q.end()},
             .u_ind = {u.begin(), u.end()},
             .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - cos(q[0]) * u[1]}},
            bodies,
            {Force{P, weight}, Force{Q, weight + load}}};
  }

  const std::array<Expression, 2> q = mechanics.dynamicsymbols<2>("q1 q2"),
                                  u = mechanics.dynamicsymbols<2>("u1 u2");
  const Expression m = mechanics.symbol("m"), g = mechanics.symbol("g"), k = mechanics.symbol("k"),
                   l = mechanics.symbol("l");
  const ReferenceFrame A = N.orientnew("A", q[0], N.z()), B = A.orientnew("B", q[1], A.x());
  const Point P = O.locatenew("P", l*A.x()), Q = P.locatenew("Q", l*B.y() - 2 * l * B.z());
};

TEST_F(AddedMassTest, LoadsThatHoldAccelerationsGoIntoTheMassMatrix) {
  const Vector a = Q.acc(N);
  const KanesMethod heavier = derive(m + k, Vector()), loaded = derive(m, -k * a);
  EXPECT_TRUE(same_elements(loaded.rhs(), heavier.rhs()));
  EXPECT_TRUE(same_elements(loaded.mass_matrix(), heavier.mass_matrix()));
  EXPECT_TRUE(same_elements(loaded.forcing(), heavier.forcing()));
  EXPECT_TRUE(same_elements(loaded.unconstrained_mass_matrix(), heavier.unconstrained_mass_matrix()));
  // F_r holds the load and F*_r the bodies alone, as they do in sympy.physics.mechanics.
  EXPECT_TRUE(same_elements(loaded.fr() + loaded.frstar(), heavier.fr() + heavier.frstar()));
  EXPECT_TRUE(same_elements(loaded.frstar(), derive(m, Vector()).frstar()));
  EXPECT_FALSE(same_elements(loaded.fr(), heavier.fr()));
}

// The acceleration as the second rate of the place, by q' and q''.
TEST_F(AddedMassTest, SecondRatesOfCoordinatesAreBroughtToSpeeds) {
  Triple r = Q.pos_from(O).to_matrix(N);
  for (Expression& e : r) e = mechanics.rate(mechanics.rate(e));
  const KanesMethod heavier = derive(m + k, Vector()), loaded = derive(m, -k * Vector(N, r));
  EXPECT_TRUE(same_elements(loaded.rhs(), heavier.rhs()));
  EXPECT_TRUE(same_elements(loaded.forcing(), heavier.forcing()));
  EXPECT_FALSE(same_elements(loaded.rhs(), derive(m, Vector()).rhs()));
}

TEST_F(AddedMassTest, LoadsThatAreNotLinearInAccelerationsAreNamed) {
  const Expression du = mechanics.rate(u[1]);
  const auto refused = [&](const Expression& force) { return message_of([&] { derive(m, force * N.x()); }); };
  EXPECT_THAT(refused(du * du), HasSubstr("the force at point Q"));
  EXPECT_THAT(refused(du * du), HasSubstr("is not linear in the rates of speeds"));
  EXPECT_THAT(refused(mechanics.rate(du)), HasSubstr("the force at point Q holds u2''; allowed are"));
  EXPECT_EQ(refused(pow(du + 1, 2) - du * du), testing_support::kNothingThrown);
}

// A cart on a rail carries a bob on a rod, whose place is given by Cartesian coordinates. ua lifts the cart
// off the rail; the rail's force is the weight of both and what accelerates the bob, R = (M + m) g + m uy'.
class CartTest : public KaneConstraintsTest {
 protected:
  KanesMethod derive(const Expression& y_rate, const Expression& constraint) {
    O.set_vel(N, Vector());
    C.set_vel(N, u[0] * N.x() + ua * N.y());
    bob.set_vel(N, u[1] * N.x() + u[2] * N.y());
    const Vector down = -g * N.y();
    return {
        N,
        {.q_ind = {q[0], q[1]},
         .u_ind = {u[0], u[1]},
         .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1], mechanics.rate(q[2]) - y_rate},
         .q_dependent = {q[2]},
         .configuration_constraints = {rod},
         .u_dependent = {u[2]},
         .velocity_constraints = {constraint},
         .u_auxiliary = {ua}},
        {Particle{"cart", C, M}, Particle{"bob", bob, m}},
        {Force{C, R * N.y() + M * down}, Force{bob, m * down}}};
  }

  const std::array<Expression, 3> q = mechanics.dynamicsymbols<3>("xc x y"),
                                  u = mechanics.dynamicsymbols<3>("uc ux uy");
  const Expression ua = mechanics.dynamicsymbol("ua");
  const Expression M = mechanics.symbol("M"), m = mechanics.symbol("m"), g = mechanics.symbol("g"),
                   l = mechanics.symbol("l"), R = mechanics.symbol("R");
  const Expression rod = pow(q[1] - q[0], 2) + q[2] * q[2] - l * l;
  const Point C = O.locatenew("C", q[0] * N.x()), bob = O.locatenew("bob", q[1] * N.x() + q[2] * N.y());
};

TEST_F(CartTest, TheRailCarriesWhatHangsOnTheCart) {
  const KanesMethod kane = derive(u[2], (u[1] - u[0]) * (q[1] - q[0]) + (u[2] - ua) * q[2]);
  ASSERT_EQ(kane.auxiliary_eqs().rows(), 1u);
  EXPECT_TRUE(same(kane.auxiliary_eqs()[0], R - (M + m) * g - m * mechanics.rate(u[2])));
}

// The bob's height counted from the cart, so that ua enters by the kinematic equations.
TEST_F(CartTest, AuxiliarySpeedsInKinematicEquationsReachTheConstraints) {
  const KanesMethod kane = derive(u[2] - ua, mechanics.rate(rod) / 2);
  EXPECT_TRUE(same(kane.auxiliary_eqs()[0], R - (M + m) * g - m * mechanics.rate(u[2])));
  for (const Matrix& matrix : {kane.rhs(), kane.forcing_full(), kane.calc_coordinate_rates()}) {
    EXPECT_FALSE(find_above(mechanics, matrix.elements(), {ua}, -1));
  }
  const KanesMethod other = derive(u[2], (u[1] - u[0]) * (q[1] - q[0]) + (u[2] - ua) * q[2]);
  EXPECT_TRUE(same_elements(kane.rhs(), other.rhs()));
}

class BobTest : public KaneConstraintsTest {
 protected:
  KanesMethod derive(const std::vector<Expression>& accelerations) {
    KaneOptions changed = options;
    changed.acceleration_constraints = accelerations;
    return derive(changed);
  }
  KanesMethod derive(const KaneOptions& by) {
    P.set_vel(N, u[0] * N.x() + u[1] * N.y());
    return {N, by, {Particle{"P", P, m}}, {Force{P, -m * g * N.y()}}};
  }

  const std::array<Expression, 2> q = mechanics.dynamicsymbols<2>("x y"),
                                  u = mechanics.dynamicsymbols<2>("vx vy");
  const Expression m = mechanics.symbol("m"), g = mechanics.symbol("g"), l = mechanics.symbol("l");
  const Expression distance = q[0] * q[0] + q[1] * q[1] - l * l;
  const Point P = O.locatenew("P", q[0] * N.x() + q[1] * N.y());
  const KaneOptions options = {.q_ind = {q[0]},
                               .u_ind = {u[0]},
                               .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]},
                               .q_dependent = {q[1]},
                               .configuration_constraints = {distance},
                               .u_dependent = {u[1]},
                               .velocity_constraints = {q[0] * u[0] + q[1] * u[1]}};
};

TEST_F(BobTest, AccelerationConstraintsCountWithTheirOwnFactors) {
  const Expression squares = u[0] * u[0] + u[1] * u[1];
  const Expression rate = q[0] * mechanics.rate(u[0]) + q[1] * mechanics.rate(u[1]) + squares;
  const KanesMethod plain = derive(options);
  for (const Expression& factor : {Expression(1), Expression(-1), Expression(2), 1 / l, 2 + sin(q[0])}) {
    const KanesMethod kane = derive(std::vector{factor * rate});
    EXPECT_TRUE(same_elements(kane.rhs(), plain.rhs())) << to_text(factor);
    EXPECT_TRUE(same(kane.mass_matrix()(1, 0), factor * q[0])) << to_text(factor);
    EXPECT_TRUE(same(kane.forcing()[1], -factor * squares)) << to_text(factor);
    // For runs, where forces act along the velocity constraints.
    EXPECT_TRUE(same(motion_equations(kane).d[0], squares)) << to_text(factor);
  }
  const KanesMethod twice = derive(std::vector{mechanics.rate(mechanics.rate(distance))});
  EXPECT_TRUE(same_elements(twice.rhs(), plain.rhs()));
}

TEST_F(BobTest, DerivativesOfTooHighAnOrderAreNamed) {
  const auto refused = [&](auto change) {
    KaneOptions changed = options;
    change(changed);
    return message_of([&] { derive(changed); });
  };
  EXPECT_EQ(refused([](KaneOptions&) {}), testing_support::kNothingThrown);
  EXPECT_THAT(refused([&](KaneOptions& o) { o.kd_eqs[0] = mechanics.rate(q[0]) - mechanics.rate(u[0]); }),
              HasSubstr("= 0 holds vx'; allowed are coordinates, their rates and speeds"));
  EXPECT_THAT(refused([&](KaneOptions& o) { o.kd_eqs[1] = mechanics.rate(mechanics.rate(q[1])) - u[1]; }),
              HasSubstr("holds y''"));
  EXPECT_THAT(refused([&](KaneOptions& o) { o.velocity_constraints[0] += mechanics.rate(u[1]); }),
              HasSubstr("the velocity constraint"));
  EXPECT_THAT(refused([&](KaneOptions& o) { o.configuration_constraints[0] += u[1]; }),
              HasSubstr("the configuration constraint"));
  EXPECT_THAT(
      refused([&](KaneOptions& o) { o.acceleration_constraints = {mechanics.rate(mechanics.rate(u[0]))}; }),
      HasSubstr("holds vx''"));
}

TEST_F(BobTest, NothingElseIsCalledLikeAMultiplier) {
  const KanesMethod kane = derive(options);
  EXPECT_EQ(to_text(motion_equations(kane).multipliers[0]), "lam1");
  KaneOptions stiff = options;
  stiff.velocity_constraints[0] = mechanics.dynamicsymbol("lam1") * options.velocity_constraints[0];
  const KanesMethod other = derive(stiff);
  EXPECT_THAT(message_of([&] { motion_equations(other); }),
              HasSubstr("lam1 is the multiplier of constraint 1, but the system has another symbol"));
}

}  // namespace
}  // namespace sestina::symbolic
