// A thin disc that rolls, by more coordinates and speeds than it has freedoms: those of its centre depend on
// the others. What it should be is written by hand from Kane and Levinson 1985, section 8.1, whose
// accelerations kane_test.cpp asserts of the minimal set:
//
//   5 r u1' = 4 g sin q2 + 6 r u2 u3 - r u3^2 tan q2,   3 u2' = -2 u1 u3,   u3' = (u3 tan q2 - 2 u2) u1
//
// q1 yaw, q2 lean from the vertical, q3 spin; u1, u2, u3 along the axes of the lean: forwards, across, up.
#include <array>

#include "sestina/symbolic/linearize.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class RollingDiscTest : public test::SymbolicTest {
 protected:
  RollingDiscTest() {
    Y.orient_axis(N, N.z(), q[0]);
    L.orient_axis(Y, Y.x(), q[1]);
    R.orient_axis(L, L.y(), q[2]);
    const Vector by_angles = R.ang_vel_in(N), w = u[0] * L.x() + u[1] * L.y() + u[2] * L.z();
    R.set_ang_vel(N, w);
    for (const Vector& axis : {L.x(), L.y(), L.z()}) kinematics.push_back(dot(w - by_angles, axis));
    O.set_vel(N, Vector());
  }

  RigidBody disc(const Point& centre) const {
    const Expression I = m * r * r / 4;
    return {"disc", centre, R, m, inertia(L, I, 2 * I, I), centre};
  }

  // Six coordinates, of which the height is dependent; the point of the disc at the ground is at rest.
  KanesMethod derive_by_centre() {
    for (std::size_t i = 3; i < 6; ++i) kinematics.push_back(mechanics.rate(q.at(i)) - u.at(i));
    const Point C = O.locatenew("C", q[3] * N.x() + q[4] * N.y() + q[5] * N.z()),
                P = C.locatenew("P", -r * L.z());
    C.set_vel(N, u[3] * N.x() + u[4] * N.y() + u[5] * N.z());
    const Vector slip = P.v2pt_theory(C, N, R);
    const std::vector<Body> bodies = {disc(C)};
    return {N,
            {.q_ind = {q.begin(), q.begin() + 5},
             .u_ind = {u.begin(), u.begin() + 3},
             .kd_eqs = kinematics,
             .q_dependent = {q[5]},
             .configuration_constraints = {dot(P.pos_from(O), N.z())},
             .u_dependent = {u.begin() + 3, u.end()},
             .velocity_constraints = {dot(slip, N.x()), dot(slip, N.y()), dot(slip, N.z())}},
            bodies,
            gravity(-g * N.z(), bodies)};
  }

  // Rates of yaw, lean, spin, of the centre along the plane, and of u1, u2, u3.
  std::array<Expression, 8> rates_by_hand() {
    const Expression &u1 = u[0], &u2 = u[1], &u3 = u[2];
    const Expression s = sin(q[0]), c = cos(q[0]), t = tan(q[1]);
    const Expression across = u1 * cos(q[1]);
    return {u3 / cos(q[1]),
            u1,
            u2 - u3 * t,
            r * (u2 * c + across * s),
            r * (u2 * s - across * c),
            (4 * g * sin(q[1]) + 6 * u2 * u3 * r - u3 * u3 * r * t) / (5 * r),
            -2 * u1 * u3 / 3,
            (u3 * t - 2 * u2) * u1};
  }

  const std::array<Expression, 6> q = mechanics.dynamicsymbols<6>("q1 q2 q3 q4 q5 q6"),
                                  u = mechanics.dynamicsymbols<6>("u1 u2 u3 u4 u5 u6");
  const Expression r = mechanics.symbol("r"), m = mechanics.symbol("m"), g = mechanics.symbol("g");
  const ReferenceFrame N = mechanics.frame("N"), Y = mechanics.frame("Y"), L = mechanics.frame("L"),
                       R = mechanics.frame("R");
  const Point O = mechanics.point("O");
  std::vector<Expression> kinematics;
};

// About every state that meets the constraints, hence about every steady turn: all 64 elements, with lean,
// yaw and speeds as symbols, are the derivatives of the equations by hand.
TEST_F(RollingDiscTest, LinearisedAboutAnyTurnItHasTheDerivativesOfTheTextbook) {
  const KanesMethod kane = derive_by_centre();
  const std::array<Expression, 8> rates = rates_by_hand();
  const Linearization linear = linearize(
      kane, {{q[5], r * cos(q[1])}, {u[3], rates[3]}, {u[4], rates[4]}, {u[5], -r * u[0] * sin(q[1])}});
  ASSERT_EQ(linear.states.size(), 8u);
  const Matrix expected = jacobian(mechanics, Matrix({rates.begin(), rates.end()}), linear.states);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) EXPECT_TRUE(same(linear.A(i, j), expected(i, j))) << i << j;
  }
}

// Upright, with r = g = m = 1: the matrix that sympy.physics.mechanics asserts (test_linearize.py). At the
// spin sqrt(g/(3 r)) its eigenvalues are all zero: it is nilpotent.
TEST_F(RollingDiscTest, UprightItHasThePublishedMatrixAndEightZeroEigenvaluesAtItsCriticalSpeed) {
  const KanesMethod kane = derive_by_centre();
  const Expression yaw = mechanics.symbol("psi"), spin = mechanics.symbol("omega");
  const auto upright = [&](const Expression& gravity, const Expression& speed) {
    return linearize(kane, {{r, 1},
                            {g, gravity},
                            {m, 1},
                            {q[0], yaw},
                            {q[1], 0},
                            {q[2], 0},
                            {q[3], 0},
                            {q[4], 0},
                            {q[5], 1},
                            {u[0], 0},
                            {u[1], speed},
                            {u[2], 0},
                            {u[3], speed * cos(yaw)},
                            {u[4], speed * sin(yaw)},
                            {u[5], 0}})
        .A;
  };
  Matrix expected(8, 8);
  expected(0, 7) = 1;
  expected(1, 5) = 1;
  expected(2, 6) = 1;
  expected(3, 0) = -spin * sin(yaw);
  expected(3, 5) = sin(yaw);
  expected(3, 6) = cos(yaw);
  expected(4, 0) = spin * cos(yaw);
  expected(4, 5) = -cos(yaw);
  expected(4, 6) = sin(yaw);
  expected(5, 1) = Expression(4) / 5;
  expected(5, 7) = 6 * spin / 5;
  expected(7, 5) = -2 * spin;
  const Matrix A = upright(1, spin);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) EXPECT_TRUE(same(A(i, j), expected(i, j))) << i << j;
  }
  const auto power_of = [](const Matrix& matrix, int exponent) {
    Matrix product = matrix;
    for (int k = 1; k < exponent; ++k) product = product * matrix;
    return product;
  };
  const Matrix critical = power_of(upright(3, 1), 8);
  for (const Expression& element : critical.elements()) EXPECT_TRUE(same(element, 0));
  // Slower, it falls: u1'' = (4 g - 12 omega^2)/5 u1.
  EXPECT_TRUE(same(power_of(upright(8, 1), 8)(5, 5), pow(Expression(4), 4)));
}

// The contact's forces along auxiliary speeds of the contact, while place and height of the disc are
// dependent: they are those that the mass centre's acceleration requires, and the motion is that of
// the textbook.
TEST_F(RollingDiscTest, AuxiliarySpeedsGiveTheContactForcesBesideDependentCoordinates) {
  const auto aux = mechanics.dynamicsymbols<3>("ua1 ua2 ua3"), f = mechanics.dynamicsymbols<3>("f1 f2 f3");
  for (std::size_t i = 3; i < 6; ++i) kinematics.push_back(mechanics.rate(q.at(i)) - u.at(i));
  const Point P = O.locatenew("P", q[3] * N.x() + q[4] * N.y()), C = P.locatenew("C", r * L.z());
  P.set_vel(N, aux[0] * Y.x() + aux[1] * Y.y() + aux[2] * Y.z());
  C.v2pt_theory(P, N, R);
  const std::vector<Body> bodies = {disc(C)};
  std::vector<Load> loads = gravity(-g * N.z(), bodies);
  loads.emplace_back(Force{P, f[0] * Y.x() + f[1] * Y.y() + f[2] * Y.z()});
  // The contact moves on by the spin against the lean.
  const Expression advance = r * (u[1] - u[2] * tan(q[1]));
  const KanesMethod kane(N,
                         {.q_ind = {q.begin(), q.begin() + 5},
                          .u_ind = {u.begin(), u.begin() + 3},
                          .kd_eqs = kinematics,
                          .q_dependent = {q[5]},
                          .configuration_constraints = {q[5] - r * cos(q[1])},
                          .u_dependent = {u.begin() + 3, u.end()},
                          .velocity_constraints = {u[3] - advance * cos(q[0]), u[4] - advance * sin(q[0]),
                                                   u[5] + r * sin(q[1]) * u[0]},
                          .u_auxiliary = {aux[0], aux[1], aux[2]}},
                         bodies, loads);
  const std::array<Expression, 8> rates = rates_by_hand();
  const Matrix found = kane.rhs();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(same(found[6 + i], rates.at(5 + i))) << i;
  // Steady: u1 = 0, u2' = u3' = 0. The centre circles at r u2 u3/cos q2 across, and its height stays.
  const auto steady = [&](const Expression& e) {
    Graph& graph = mechanics.graph();
    std::vector<std::pair<Expr, Expr>> rest = {{u[0].in(graph), Expression(0).in(graph)}};
    for (const Expression& speed : u) {
      rest.emplace_back(mechanics.rate(speed).in(graph), Expression(0).in(graph));
    }
    return Expression(graph, graph.substitute(e.in(graph), rest));
  };
  EXPECT_TRUE(same(steady(kane.auxiliary_eqs()[0]), f[0]));
  EXPECT_TRUE(same(steady(kane.auxiliary_eqs()[1]), f[1] - m * r * u[1] * u[2] / cos(q[1])));
  EXPECT_TRUE(same(steady(kane.auxiliary_eqs()[2]), f[2] - m * g));
}

}  // namespace
}  // namespace sestina::symbolic
