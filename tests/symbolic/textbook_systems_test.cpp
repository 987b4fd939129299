// Systems without constraints whose equations are in closed form, from textbooks and as the tests of
// sympy.physics.mechanics have them (test_kane4.py, test_jointsmethod.py, test_models.py, test_lagrange2.py,
// test_kane.py).
#include <array>
#include <cmath>

#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/lagrange.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class TextbookSystemTest : public test::SymbolicTest {
 protected:
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O");
};

// Kane and Levinson 1985, section 4.7: a double pendulum whose joint holds a spring and a damper, here one
// that is cubic in the rate, with the torque written in rates of coordinates whatever the speeds are.
TEST_F(TextbookSystemTest, AJointTorqueGivenByRatesFitsAnyChoiceOfSpeeds) {
  const auto q = mechanics.dynamicsymbols<2>("q1 q2"), u = mechanics.dynamicsymbols<2>("u1 u2");
  const auto [m, l, sigma, delta] = mechanics.symbols<4>("m l sigma delta");
  const Expression rate1 = mechanics.rate(q[0]), rate2 = mechanics.rate(q[1]);
  const ReferenceFrame A = N.orientnew("A", q[0], N.z()), B = A.orientnew("B", q[1], N.z());
  O.set_vel(N, Vector());
  const Point P = O.locatenew("P", l * A.x()), Q = P.locatenew("Q", l * B.x());
  P.v2pt_theory(O, N, A);
  Q.v2pt_theory(P, N, B);
  const Vector joint = (sigma * q[1] + delta * pow(rate2, 3)) * N.z();
  const std::vector<Body> bodies = {Particle{"P", P, m}, Particle{"Q", Q, m}};
  const auto derive = [&](const Expression& second) {
    return KanesMethod(
        N, {.q_ind = {q[0], q[1]}, .u_ind = {u[0], u[1]}, .kd_eqs = {u[0] - rate1, u[1] - second}}, bodies,
        {Torque{A, joint}, Torque{B, -joint}});
  };
  const Expression c = cos(q[1]), s = sin(q[1]), J = m * l * l;
  const auto expect = [&](const KanesMethod& kane, const std::array<Expression, 3>& M,
                          const std::array<Expression, 2>& f, const std::array<Expression, 2>& active) {
    EXPECT_TRUE(same(kane.mass_matrix()(0, 0), M[0]));
    EXPECT_TRUE(same(kane.mass_matrix()(0, 1), M[1]));
    EXPECT_TRUE(same(kane.mass_matrix()(1, 0), M[1]));
    EXPECT_TRUE(same(kane.mass_matrix()(1, 1), M[2]));
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(same(kane.fr()[i], active.at(i)));
      EXPECT_TRUE(same(kane.forcing()[i], f.at(i) + active.at(i)));
    }
  };
  // Speeds of the joints, then of the rods.
  const Expression between = sigma * q[1] + delta * pow(u[1], 3);
  expect(derive(rate2), {J * (3 + 2 * c), J * (1 + c), J},
         {J * s * u[1] * (2 * u[0] + u[1]), -J * s * u[0] * u[0]}, {0, -between});
  const Expression of_rods = sigma * q[1] + delta * pow(u[1] - u[0], 3);
  expect(derive(rate1 + rate2), {2 * J, J * c, J}, {J * s * u[1] * u[1], -J * s * u[0] * u[0]},
         {of_rods, -of_rods});
}

// A rod that swings, and a plate that turns about the rod: theta, phi. Kane's "babyboot", whose plate turns
// over for some angles at the start and not for others; closed form in Mitiguy and Kane, "Motion variables
// leading to efficient equations of motion", Int. J. Robotics Research 15 (1996).
TEST_F(TextbookSystemTest, TheBabybootHasItsClosedForm) {
  const auto [theta, phi] = mechanics.dynamicsymbols<2>("theta phi");
  const auto [omega, alpha] = mechanics.dynamicsymbols<2>("omega alpha");
  const auto [g, mA, mB, lA, lB] = mechanics.symbols<5>("g mA mB lA lB");
  const auto [IA, Ix, Iy, Iz] = mechanics.symbols<4>("IA Ix Iy Iz");
  const ReferenceFrame A = N.orientnew("A", theta, N.y()), B = A.orientnew("B", phi, A.z());
  A.set_ang_vel(N, omega * N.y());
  B.set_ang_vel(A, alpha * A.z());
  O.set_vel(N, Vector());
  const Point C = O.locatenew("C", -lA * A.z()), D = O.locatenew("D", -lB * A.z());
  C.v2pt_theory(O, N, A);
  D.v2pt_theory(O, N, A);
  const std::vector<Body> bodies = {RigidBody{"rod", C, A, mA, inertia(A, IA, IA, 0), C},
                                    RigidBody{"plate", D, B, mB, inertia(B, Ix, Iy, Iz), D}};
  const KanesMethod kane(N,
                         {.q_ind = {theta, phi},
                          .u_ind = {omega, alpha},
                          .kd_eqs = {mechanics.rate(theta) - omega, mechanics.rate(phi) - alpha}},
                         bodies, gravity(-g * N.z(), bodies));
  const Matrix rhs = kane.rhs();
  const Expression s = sin(phi), c = cos(phi);
  const Expression swing = IA + mA * lA * lA + mB * lB * lB + Ix * s * s + Iy * c * c;
  EXPECT_TRUE(
      same(rhs[2], -(2 * omega * alpha * s * c * (Ix - Iy) + g * sin(theta) * (mA * lA + mB * lB)) / swing));
  EXPECT_TRUE(same(rhs[3], omega * omega * s * c * (Ix - Iy) / Iz));
}

// Pendulums of particles on a cart that is pushed: M and f of Kane's method are those of Lagrange's.
TEST_F(TextbookSystemTest, PendulumsOnACartAreTheSameByBothMethods) {
  constexpr std::size_t n = 4;
  const auto q = mechanics.dynamicsymbols("q", n + 1), u = mechanics.dynamicsymbols("u", n + 1);
  const auto m = mechanics.symbols("m", n + 1), l = mechanics.symbols("l", n + 1);
  const Expression g = mechanics.symbol("g"), F = mechanics.dynamicsymbol("F");
  O.set_vel(N, Vector());
  std::vector<Body> bodies;
  std::vector<Expression> kinematics;
  Expression potential = 0, kinetic = 0;
  Point end = O.locatenew("P0", q[0] * N.x());
  const Point cart = end;
  cart.set_vel(N, u[0] * N.x());
  for (std::size_t i = 0; i <= n; ++i) {
    if (i > 0) {
      const ReferenceFrame A = N.orientnew("A" + std::to_string(i), q[i], N.z());
      A.set_ang_vel(N, u[i] * N.z());
      const Point next = end.locatenew("P" + std::to_string(i), -l[i] * A.y());
      next.v2pt_theory(end, N, A);
      end = next;
    }
    bodies.emplace_back(Particle{"particle", end, m[i]});
    kinematics.push_back(mechanics.rate(q[i]) - u[i]);
    const Expression x = dot(end.pos_from(O), N.x()), y = dot(end.pos_from(O), N.y());
    potential += m[i] * g * y;
    kinetic += m[i] * (pow(mechanics.rate(x), 2) + pow(mechanics.rate(y), 2)) / 2;
  }
  std::vector<Load> loads = gravity(-g * N.y(), bodies);
  loads.emplace_back(Force{cart, F * N.x()});
  const KanesMethod kane(N, {.q_ind = q, .u_ind = u, .kd_eqs = kinematics}, bodies, loads);
  const LagrangesMethod lagrange(mechanics, kinetic - potential + F * q[0], q);
  Graph& graph = mechanics.graph();
  std::vector<std::pair<Expr, Expr>> rates;
  for (const auto& [rate, value] : kane.kindiffdict()) rates.emplace_back(rate.in(graph), value.in(graph));
  for (std::size_t i = 0; i <= n; ++i) {
    EXPECT_TRUE(same(kane.forcing()[i], {graph, graph.substitute(lagrange.forcing()[i].in(graph), rates)}));
    for (std::size_t j = 0; j <= n; ++j) {
      EXPECT_TRUE(same(kane.mass_matrix()(i, j), lagrange.mass_matrix()(i, j)));
    }
  }
  EXPECT_TRUE(same(kane.mass_matrix()(0, 2), (m[2] + m[3] + m[4]) * l[2] * cos(q[2])));
}

// Two masses in a row on springs, each in a bath of its own: both loads count.
TEST_F(TextbookSystemTest, EachOfSeveralLoadsCountsInLagrangesEquations) {
  const auto q = mechanics.dynamicsymbols<2>("q1 q2");
  const auto [m, k, nu] = mechanics.symbols<3>("m k nu");
  O.set_vel(N, Vector());
  std::vector<Body> bodies;
  std::vector<Load> drag;
  const std::array<Expression, 2> stretch = {q[0], q[1] - q[0]};
  for (std::size_t i = 0; i < 2; ++i) {
    const Point P = O.locatenew("P" + std::to_string(i), q.at(i) * N.x());
    P.set_vel(N, mechanics.rate(q.at(i)) * N.x());
    bodies.emplace_back(Particle{"particle", P, m, k * pow(stretch.at(i), 2) / 2});
    drag.emplace_back(Force{P, -nu * mechanics.rate(q.at(i)) * N.x()});
  }
  const LagrangesMethod lagrange(mechanics, Lagrangian(N, bodies), {q[0], q[1]},
                                 {.forcelist = drag, .frame = N});
  const Matrix rhs = lagrange.solve().rhs;
  EXPECT_TRUE(same(m * rhs[2], k * (stretch[1] - stretch[0]) - nu * mechanics.rate(q[0])));
  EXPECT_TRUE(same(m * rhs[3], -k * stretch[1] - nu * mechanics.rate(q[1])));
}

// The kinematics as the angular velocity's measures and the norm: implicit they cost nothing to form, while
// q' solved for is e' = e (0, u)/2 where the norm is one.
TEST_F(TextbookSystemTest, QuaternionsAreCheaperWithImplicitKinematics) {
  const auto e = mechanics.dynamicsymbols<4>("e0 e1 e2 e3");
  const auto u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const auto p = mechanics.symbols<4>("I J K m");
  const ReferenceFrame B = mechanics.frame("B");
  B.orient_quaternion(N, e);
  const Vector by_rates = B.ang_vel_in(N), w = u[0] * B.x() + u[1] * B.y() + u[2] * B.z();
  B.set_ang_vel(N, w);
  O.set_vel(N, Vector());
  KaneOptions options{.q_ind = {e.begin(), e.end()}, .u_ind = {u.begin(), u.end()}};
  for (const Vector& axis : {B.x(), B.y(), B.z()}) options.kd_eqs.push_back(dot(by_rates - w, axis));
  Expression norm = 0;
  for (const Expression& part : e) norm += part * mechanics.rate(part);
  options.kd_eqs.push_back(norm);
  const std::vector<Body> bodies = {RigidBody{"B", O, B, p[3], inertia(B, p[0], p[1], p[2]), O}};
  const auto derive = [&](bool is_explicit) {
    options.explicit_kinematics = is_explicit;
    return KanesMethod(N, options, bodies, {});
  };
  const KanesMethod solved = derive(true), implicit = derive(false);
  const auto count = [&](const KanesMethod& kane) {
    Graph& graph = mechanics.graph();
    std::vector<Expr> outputs, inputs;
    const Matrix mass = kane.mass_matrix_full(), force = kane.forcing_full();
    for (const Matrix* matrix : {&mass, &force}) {
      for (const Expression& element : matrix->elements()) outputs.push_back(element.in(graph));
    }
    for (const Expression& part : e) inputs.push_back(part.in(graph));
    for (const Expression& speed : u) inputs.push_back(speed.in(graph));
    for (const Expression& parameter : p) inputs.push_back(parameter.in(graph));
    return Tape(graph, outputs, inputs).instruction_count() - outputs.size();
  };
  EXPECT_LT(4 * count(implicit), count(solved));  // 22 and 169 operations
  const std::map<std::string, double> state = {{"e0", 0.1}, {"e1", -0.5}, {"e2", 0.5}, {"e3", 0.7},
                                               {"u1", 1.3}, {"u2", -0.4}, {"u3", 0.9}};
  const std::vector<double> found = evaluate(solved.calc_coordinate_rates(), state);
  const double expected[] = {
      -0.5 * (-0.5 * 1.3 + 0.5 * -0.4 + 0.7 * 0.9), 0.5 * (0.1 * 1.3 + 0.5 * 0.9 - 0.7 * -0.4),
      0.5 * (0.1 * -0.4 + 0.7 * 1.3 - -0.5 * 0.9), 0.5 * (0.1 * 0.9 + -0.5 * -0.4 - 0.5 * 1.3)};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 1e-15) << i;
}

}  // namespace
}  // namespace sestina::symbolic
