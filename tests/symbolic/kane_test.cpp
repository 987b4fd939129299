#include "sestina/symbolic/kane.h"

#include <gmock/gmock.h>

#include <cmath>

#include "message_of.h"
#include "sestina/base/error.h"
#include "symbolic/n_pendulum.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class KaneTest : public test::SymbolicTest {
 protected:
  // The equation of motion mass_matrix u' - forcing, in the order of u.
  Matrix residual(const KanesMethod& kane) {
    Matrix rates(kane.u().size(), 1);
    for (std::size_t i = 0; i < kane.u().size(); ++i) rates[i] = mechanics.rate(kane.u()[i]);
    return kane.mass_matrix() * rates - kane.forcing();
  }

  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O");
};

// M_ij = (m_k + ... + m_n) l_i l_j cos(q_i - q_j), k = max(i, j), and so on: the closed form of the planar
// chain of particles, by Lagrange.
TEST_F(KaneTest, DerivesThePlanarPendulumOfManyLinks) {
  constexpr std::size_t n = 5;
  const auto pendulum = test::derive_n_pendulum(mechanics, n);
  const Expression g = mechanics.symbol("g");
  for (std::size_t i = 0; i < n; ++i) {
    const Expression qi = pendulum.q()[i], li = mechanics.symbol("l" + std::to_string(i));
    Expression force = 0, mass_below = 0;
    for (std::size_t k = i; k < n; ++k) mass_below += mechanics.symbol("m" + std::to_string(k));
    EXPECT_TRUE(same(pendulum.fr()[i], -mass_below * g * li * sin(qi)));
    for (std::size_t j = 0; j < n; ++j) {
      const Expression qj = pendulum.q()[j], lj = mechanics.symbol("l" + std::to_string(j));
      Expression mass = 0;
      for (std::size_t k = std::max(i, j); k < n; ++k) mass += mechanics.symbol("m" + std::to_string(k));
      EXPECT_TRUE(same(pendulum.mass_matrix()(i, j), mass * li * lj * cos(qi - qj)));
      force -= mass * li * lj * sin(qi - qj) * pow(pendulum.u()[j], 2);
    }
    EXPECT_TRUE(same(pendulum.forcing()[i], force + pendulum.fr()[i]));
  }
  EXPECT_TRUE(same(pendulum.frstar()[0] + pendulum.fr()[0], -residual(pendulum)[0]));
}

TEST_F(KaneTest, CollectsTheMassesOfThePendulumInsteadOfExpanding) {
  const auto pendulum = test::derive_n_pendulum(mechanics, 4);
  // The ten terms of Gede et al. 2013, four of them here with their common factors taken out.
  Expression expected = 0;
  for (const char* m : {"m0", "m1", "m2", "m3"}) expected += mechanics.symbol(m);
  EXPECT_EQ(pendulum.fr()[0],
            -mechanics.symbol("g") * expected * mechanics.symbol("l0") * sin(pendulum.q()[0]));
  EXPECT_EQ(pendulum.fr()[3],
            -mechanics.symbol("g") * mechanics.symbol("l3") * mechanics.symbol("m3") * sin(pendulum.q()[3]));
}

// Kane and Levinson 1985, section 4.7 problems: a double pendulum with springs and dampers at the joints;
// equations by hand from Lagrange's.
TEST_F(KaneTest, JointSpringsAndDampersActOnBothBodies) {
  const auto q = mechanics.dynamicsymbols<2>("q1 q2"), u = mechanics.dynamicsymbols<2>("u1 u2");
  const auto [m, l, k, c] = mechanics.symbols<4>("m l k c");
  const ReferenceFrame A = N.orientnew("A", q[0], N.z()), B = A.orientnew("B", q[1], A.z());
  A.set_ang_vel(N, u[0] * N.z());
  B.set_ang_vel(A, u[1] * A.z());
  O.set_vel(N, Vector());
  const Point P = O.locatenew("P", l * A.x()), Q = P.locatenew("Q", l * B.x());
  P.v2pt_theory(O, N, A);
  Q.v2pt_theory(P, N, B);
  const Vector joint = (-k * q[1] - c * u[1]) * A.z();
  const KanesMethod kane(N,
                         {.q_ind = {q[0], q[1]},
                          .u_ind = {u[0], u[1]},
                          .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]}},
                         {Particle{"P", P, m}, Particle{"Q", Q, m}}, {Torque{B, joint}, Torque{A, -joint}});
  const Expression c2 = cos(q[1]), s2 = sin(q[1]), l2 = m * l * l;
  EXPECT_TRUE(same(kane.mass_matrix()(0, 0), l2 * (3 + 2 * c2)));
  EXPECT_TRUE(same(kane.mass_matrix()(0, 1), l2 * (1 + c2)));
  EXPECT_TRUE(same(kane.mass_matrix()(1, 0), l2 * (1 + c2)));
  EXPECT_TRUE(same(kane.mass_matrix()(1, 1), l2));
  EXPECT_TRUE(same(kane.forcing()[0], l2 * s2 * (2 * u[0] * u[1] + u[1] * u[1])));
  EXPECT_TRUE(same(kane.forcing()[1], -l2 * s2 * u[0] * u[0] - k * q[1] - c * u[1]));
}

// The thin disc that rolls without slipping, contact point at rest; accelerations as in Kane and Levinson
// 1985, section 8.1, with lean from the vertical: u1, u2, u3 about the lean axis, the spin axis and the axis
// normal to both.
class RollingDisc {
 public:
  explicit RollingDisc(Mechanics& mechanics, const ReferenceFrame& N)
      : q(mechanics.dynamicsymbols<3>("q1 q2 q3")), u(mechanics.dynamicsymbols<3>("u1 u2 u3")) {
    const auto [r, m, g] = mechanics.symbols<3>("r m g");
    const ReferenceFrame Y = N.orientnew("Y", q[0], N.z()), L = Y.orientnew("L", q[1], Y.x()),
                         R = L.orientnew("R", q[2], L.y());
    const Vector w_qd = R.ang_vel_in(N);
    R.set_ang_vel(N, u[0] * L.x() + u[1] * L.y() + u[2] * L.z());
    const Point C = mechanics.point("C");
    C.set_vel(N, Vector());
    const Point centre = C.locatenew("D", r * L.z());
    centre.v2pt_theory(C, N, R);
    const Expression i = m * r * r / 4;
    const RigidBody disc{"disc", centre, R, m, inertia(L, i, 2 * i, i), centre};
    const Vector w = R.ang_vel_in(N);
    const std::vector<Body> bodies = {disc};
    kane.emplace(N,
                 KaneOptions{.q_ind = {q[0], q[1], q[2]},
                             .u_ind = {u[0], u[1], u[2]},
                             .kd_eqs = {dot(w - w_qd, L.x()), dot(w - w_qd, L.y()), dot(w - w_qd, L.z())}},
                 bodies, gravity(-g * N.z(), bodies));
  }
  std::array<Expression, 3> q, u;
  std::optional<KanesMethod> kane;
};

TEST_F(KaneTest, TheRollingDiscHasItsTextbookAccelerations) {
  const RollingDisc disc(mechanics, N);
  const auto& [q, u, kane] = disc;
  const auto [r, g] = mechanics.symbols<2>("r g");
  const Matrix rhs = kane->rhs();
  EXPECT_TRUE(
      same(rhs[3], (4 * g * sin(q[1]) + 6 * u[1] * u[2] * r - pow(u[2], 2) * r * tan(q[1])) / (5 * r)));
  EXPECT_TRUE(same(rhs[4], -2 * u[0] * u[2] / 3));
  EXPECT_TRUE(same(rhs[5], (-2 * u[1] + u[2] * tan(q[1])) * u[0]));
  EXPECT_TRUE(same(rhs[0], u[2] / cos(q[1])));
  EXPECT_TRUE(same(rhs[1], u[0]));
  EXPECT_TRUE(same(rhs[2], u[1] - u[2] * tan(q[1])));
}

// A particle in a plane on a string, by Cartesian coordinates: of the two accelerations one is found by the
// constraint. It is that of the pendulum, l q'' = -g sin q.
TEST_F(KaneTest, DependentSpeedsFollowTheirConstraints) {
  const auto q = mechanics.dynamicsymbols<2>("x y"), u = mechanics.dynamicsymbols<2>("vx vy");
  const auto [m, g, l] = mechanics.symbols<3>("m g l");
  const Point P = O.locatenew("P", q[0] * N.x() + q[1] * N.y());
  P.set_vel(N, u[0] * N.x() + u[1] * N.y());
  const std::vector<Body> bodies = {Particle{"P", P, m}};
  const Expression distance = q[0] * q[0] + q[1] * q[1] - l * l;
  const KanesMethod kane(N,
                         {.q_ind = {q[0]},
                          .u_ind = {u[0]},
                          .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]},
                          .q_dependent = {q[1]},
                          .configuration_constraints = {distance},
                          .u_dependent = {u[1]},
                          .velocity_constraints = {mechanics.rate(distance)}},
                         bodies, gravity(-g * N.y(), bodies));
  // At an angle of 0.3 from the vertical, 0.7 rad/s, l = 2: x'' = l q'' cos q - l q'^2 sin q ...
  const double angle = 0.3, rate = 0.7, length = 2.0, gravity = 9.81;
  const double acceleration = -gravity / length * std::sin(angle);
  const auto values = evaluate(kane.rhs(), {{"x", length * std::sin(angle)},
                                            {"y", -length * std::cos(angle)},
                                            {"vx", length * rate * std::cos(angle)},
                                            {"vy", length * rate * std::sin(angle)},
                                            {"m", 1.7},
                                            {"g", gravity},
                                            {"l", length}});
  EXPECT_NEAR(values[2], length * (acceleration * std::cos(angle) - rate * rate * std::sin(angle)), 1e-14);
  EXPECT_NEAR(values[3], length * (acceleration * std::sin(angle) + rate * rate * std::cos(angle)), 1e-14);
}

// A speed along the string, which is zero, brings the tension m (g cos q + l q'^2) into the equations.
TEST_F(KaneTest, AuxiliarySpeedsGiveTheForcesThatDoNoWork) {
  const auto q = mechanics.dynamicsymbol("q"), u = mechanics.dynamicsymbol("u"),
             aux = mechanics.dynamicsymbol("ua");
  const auto tension = mechanics.dynamicsymbol("T");
  const auto [m, g, l] = mechanics.symbols<3>("m g l");
  const ReferenceFrame A = N.orientnew("A", q, N.z());
  A.set_ang_vel(N, u * N.z());
  O.set_vel(N, Vector());
  const Point P = O.locatenew("P", -l * A.y());
  P.set_vel(N, P.v2pt_theory(O, N, A) + aux * A.y());
  const std::vector<Body> bodies = {Particle{"P", P, m}};
  std::vector<Load> loads = gravity(-g * N.y(), bodies);
  loads.emplace_back(Force{P, tension * A.y()});
  const KanesMethod kane(
      N, {.q_ind = {q}, .u_ind = {u}, .kd_eqs = {mechanics.rate(q) - u}, .u_auxiliary = {aux}}, bodies,
      loads);
  EXPECT_TRUE(same(kane.auxiliary_eqs()[0], tension - m * g * cos(q) - m * l * u * u));
  EXPECT_TRUE(same(kane.rhs()[1], -g / l * sin(q)));
}

// The contact force of the rolling disc by auxiliary speeds of its contact point, and by m a = F + weight.
TEST_F(KaneTest, ContactForcesOfTheRollingDiscAreNewtons) {
  const auto q = mechanics.dynamicsymbols<3>("q1 q2 q3"), u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const auto aux = mechanics.dynamicsymbols<3>("ua1 ua2 ua3"), f = mechanics.dynamicsymbols<3>("f1 f2 f3");
  const auto [r, m, g] = mechanics.symbols<3>("r m g");
  const ReferenceFrame Y = N.orientnew("Y", q[0], N.z()), L = Y.orientnew("L", q[1], Y.x()),
                       R = L.orientnew("R", q[2], L.y());
  const Vector difference = u[0] * L.x() + u[1] * L.y() + u[2] * L.z() - R.ang_vel_in(N);
  R.set_ang_vel(N, u[0] * L.x() + u[1] * L.y() + u[2] * L.z());
  const Point C = O.locatenew("C", r * L.z());
  O.set_vel(N, aux[0] * N.x() + aux[1] * N.y() + aux[2] * N.z());
  C.v2pt_theory(O, N, R);
  const Expression i = m * r * r / 4;
  const std::vector<Body> bodies = {RigidBody{"disc", C, R, m, inertia(L, i, 2 * i, i), C}};
  std::vector<Load> loads = gravity(-g * N.z(), bodies);
  loads.emplace_back(Force{O, f[0] * N.x() + f[1] * N.y() + f[2] * N.z()});
  const KanesMethod kane(N,
                         {.q_ind = {q[0], q[1], q[2]},
                          .u_ind = {u[0], u[1], u[2]},
                          .kd_eqs = {dot(difference, L.x()), dot(difference, L.y()), dot(difference, L.z())},
                          .u_auxiliary = {aux[0], aux[1], aux[2]}},
                         bodies, loads);
  Replacements rules = kane.kindiffdict();
  for (const Expression& e : aux) {
    rules.emplace_back(e, 0);
    rules.emplace_back(mechanics.rate(e), 0);
  }
  const Triple acceleration = C.acc(N).subs(rules).to_matrix(N);
  for (std::size_t k = 0; k < 3; ++k) {
    const Expression weight = k == 2 ? -m * g : Expression(0);
    EXPECT_TRUE(same(kane.auxiliary_eqs()[k], f[k] + weight - m * acceleration[k]));
  }
  EXPECT_TRUE(same(kane.rhs()[4], -2 * u[0] * u[2] / 3));  // the contact does no work
}

// This holds for every system without friction whose constraints do not depend on time, here for a chain of
// five bodies in space: T = u M u/2, and the power of the inertia forces and weights is the rate of T + V.
TEST_F(KaneTest, ASpatialChainConservesItsEnergy) {
  constexpr std::size_t n = 5;
  const auto q = mechanics.dynamicsymbols("q", n), u = mechanics.dynamicsymbols("u", n);
  const auto m = mechanics.symbols("m", n);
  const auto [g, l, I, J, K, P] = mechanics.symbols<6>("g l I J K P");
  O.set_vel(N, Vector());
  ReferenceFrame parent = N;
  Point joint = O;
  std::vector<Body> bodies;
  KaneOptions options{.q_ind = q, .u_ind = u};
  Expression potential = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vector axis = i % 3 == 0 ? parent.z() : i % 3 == 1 ? parent.y() : parent.x();
    const ReferenceFrame B = parent.orientnew("B" + std::to_string(i), q[i], axis);
    B.set_ang_vel(parent, u[i] * axis);
    const Point C = joint.locatenew("C" + std::to_string(i), l * B.x() + l / 3 * B.y());
    bodies.emplace_back(RigidBody{"body", C, B, m[i], inertia(B, I, J, K, P), C});
    options.kd_eqs.push_back(mechanics.rate(q[i]) - u[i]);
    potential += m[i] * g * dot(C.pos_from(O), N.y());
    joint = joint.locatenew("J" + std::to_string(i), 2 * l * B.x());
    parent = B;
  }
  const KanesMethod kane(N, options, bodies, gravity(-g * N.y(), bodies));
  const Matrix speeds(u);
  const Matrix& M = kane.mass_matrix();
  EXPECT_TRUE(same((speeds.transpose() * M * speeds)[0], 2 * kinetic_energy(N, bodies)));
  Matrix M_rate(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) M_rate(i, j) = mechanics.rate(M(i, j));
  }
  const Expression power = (speeds.transpose() * kane.forcing())[0] +
                           (speeds.transpose() * M_rate * speeds)[0] / 2 + mechanics.rate(potential);
  Graph& graph = mechanics.graph();
  std::vector<std::pair<Expr, Expr>> rates;
  for (const auto& [rate, value] : kane.kindiffdict()) rates.emplace_back(rate.in(graph), value.in(graph));
  EXPECT_TRUE(same({graph, graph.substitute(power.in(graph), rates)}, 0));
  EXPECT_FALSE(same(kane.forcing()[0], 0));
}

// p = m v: what leaves the body takes its momentum along only if a force says so.
TEST_F(KaneTest, AccountsForMassesThatChange) {
  const auto x = mechanics.dynamicsymbol("x"), v = mechanics.dynamicsymbol("v"),
             m = mechanics.dynamicsymbol("m");
  const Point P = O.locatenew("P", x * N.x());
  P.set_vel(N, v * N.x());
  const Expression F = mechanics.symbol("F");
  const KanesMethod kane(N, {.q_ind = {x}, .u_ind = {v}, .kd_eqs = {mechanics.rate(x) - v}},
                         {Particle{"P", P, m}}, {Force{P, F * N.x()}});
  EXPECT_TRUE(same(kane.forcing()[0], F - mechanics.rate(m) * v));
  EXPECT_TRUE(same(kane.mass_matrix()(0, 0), m));
}

// Euler's equations, and the kinematics as they were given.
TEST_F(KaneTest, LeavesTheKinematicsOfEulerParametersImplicit) {
  const auto e = mechanics.dynamicsymbols<4>("e0 e1 e2 e3");
  const auto u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const auto [I, J, K, m] = mechanics.symbols<4>("I J K m");
  const ReferenceFrame B = mechanics.frame("B");
  B.orient_quaternion(N, e);
  B.set_ang_vel(N, u[0] * B.x() + u[1] * B.y() + u[2] * B.z());
  O.set_vel(N, Vector());
  const auto kinematics = kinematic_equations_quaternion(mechanics, {u[0], u[1], u[2]}, e);
  KaneOptions options{.q_ind = {e.begin(), e.end()},
                      .u_ind = {u.begin(), u.end()},
                      .kd_eqs = {kinematics.begin(), kinematics.end()}};
  options.explicit_kinematics = false;
  KanesMethod kane(N, options, {RigidBody{"B", O, B, m, inertia(B, I, J, K), O}}, {});
  EXPECT_TRUE(same(kane.forcing()[0], (J - K) * u[1] * u[2]));
  EXPECT_TRUE(same(kane.forcing()[1], (K - I) * u[2] * u[0]));
  EXPECT_TRUE(same(kane.forcing()[2], (I - J) * u[0] * u[1]));
  EXPECT_TRUE(same(kane.forcing_full()[0], -(e[1] * u[0] + e[2] * u[1] + e[3] * u[2]) / 2));
  EXPECT_TRUE(same(kane.mass_matrix_full()(4, 4), I));
  EXPECT_TRUE(kane.mass_matrix_full()(0, 0).is_one());
}

// As sympy's, it gives either form of the kinematics afterwards.
TEST_F(KaneTest, KinematicsAreExplicitOrImplicitAfterwards) {
  const auto q = mechanics.dynamicsymbol("q"), u = mechanics.dynamicsymbol("u");
  const Expression m = mechanics.symbol("m");
  const Point P = O.locatenew("P", q * N.x());
  O.set_vel(N, Vector());
  P.set_vel(N, u * N.x());
  KanesMethod kane(N, {.q_ind = {q}, .u_ind = {u}, .kd_eqs = {cos(q) * mechanics.rate(q) - u}},
                   {Particle{"P", P, m}}, {});
  EXPECT_TRUE(kane.mass_matrix_full()(0, 0).is_one());
  EXPECT_EQ(kane.forcing_full()[0], u / cos(q));
  kane.set_explicit_kinematics(false);
  EXPECT_EQ(kane.mass_matrix_full()(0, 0), cos(q));
  EXPECT_EQ(kane.mass_matrix_kin()(0, 0), cos(q));
  EXPECT_EQ(kane.forcing_full()[0], u);
  EXPECT_EQ(kane.forcing_kin()[0], u);
  EXPECT_EQ(kane.mass_matrix()(0, 0), m);
}

TEST_F(KaneTest, NumbersOfEquationsMustMatch) {
  const auto q = mechanics.dynamicsymbol("q"), u = mechanics.dynamicsymbol("u");
  const Expression m = mechanics.symbol("m");
  O.set_vel(N, u * N.x());
  const std::vector<Body> bodies = {Particle{"P", O, m}};
  EXPECT_THROW(KanesMethod(N, {.q_ind = {q}, .u_ind = {u}}, bodies, {}), InputError);
  EXPECT_THROW(KanesMethod(N, {.q_ind = {q}, .u_ind = {u}, .kd_eqs = {q - u}}, bodies, {}), InputError);
  EXPECT_THROW(KanesMethod(N, {.q_ind = {m}, .u_ind = {u}, .kd_eqs = {mechanics.rate(q) - u}}, bodies, {}),
               InputError);
  EXPECT_THROW(
      KanesMethod(N, {.q_ind = {q}, .kd_eqs = {mechanics.rate(q) - u}, .u_dependent = {u}}, bodies, {}),
      InputError);
}

// Masses may depend on coordinates: checked by the rates of the momenta, d/dt (m v) and d/dt (I w), with v
// and w as functions of time.
TEST_F(KaneTest, MassesAndInertiasDependOnCoordinatesButNotOnSpeeds) {
  const auto [x, q, u, w, ua] = mechanics.dynamicsymbols<5>("x q u w ua");
  const auto [m0, I0, k] = mechanics.symbols<3>("m0 I0 k");
  const Expression x_rate = mechanics.rate(x), q_rate = mechanics.rate(q);
  const Expression m = m0 + k * x * x + mechanics.time(), I = I0 * (2 + sin(q));
  const ReferenceFrame A = N.orientnew("A", q, N.z());
  A.set_ang_vel(N, w * N.z());
  const Point P = O.locatenew("P", x * N.x());
  P.set_vel(N, u * N.x());
  const auto derive = [&, x = x, q = q, u = u, w = w, ua = ua](const Expression& mass,
                                                               const Expression& moment) {
    return KanesMethod(
        N, {.q_ind = {x, q}, .u_ind = {u, w}, .kd_eqs = {x_rate - u, q_rate - w}, .u_auxiliary = {ua}},
        {RigidBody{"disc", P, A, mass, inertia(A, 0, 0, moment), P}}, {});
  };
  const KanesMethod kane = derive(m, I);
  const Matrix momenta({m * u, I * w});
  for (std::size_t i = 0; i < 2; ++i) {
    // d/dt of the momentum, with the kinematics in it
    const Expression along_coordinates = diff(momenta[i], x) * u + diff(momenta[i], q) * w;
    const Expression at_rest = along_coordinates + diff(momenta[i], mechanics.time());
    EXPECT_TRUE(same(kane.forcing()[i], -at_rest));
    EXPECT_TRUE(same(kane.mass_matrix()(i, 0), diff(momenta[i], u)));
    EXPECT_TRUE(same(kane.mass_matrix()(i, 1), diff(momenta[i], w)));
  }
  const auto refused = [&](const Expression& mass, const Expression& moment) {
    return testing_support::message_of([&] { derive(mass, moment); });
  };
  EXPECT_EQ(
      refused(m0 + k * u * u, I),
      "the mass of body disc depends on u; allowed are coordinates, the time and other given functions of "
      "it, neither speeds nor rates of coordinates");
  EXPECT_THAT(refused(m, I0 + w), testing::StartsWith("the inertia of body disc depends on w"));
  EXPECT_THAT(refused(m0 + x_rate, I), testing::StartsWith("the mass of body disc depends on x'"));
  EXPECT_THAT(refused(m, I0 + q_rate), testing::StartsWith("the inertia of body disc depends on q'"));
  EXPECT_THAT(refused(m0 + ua, I), testing::StartsWith("the mass of body disc depends on ua"));
}

// The message of the InputError that KanesMethod throws.
std::string why_refused(const ReferenceFrame& N, const KaneOptions& options,
                        const std::vector<Body>& bodies) {
  return testing_support::message_of([&] { KanesMethod(N, options, bodies, {}); });
}

// A bead on the curve y = x^2, z = x^3.
TEST_F(KaneTest, ConstraintsMustBeIndependent) {
  const auto q = mechanics.dynamicsymbols<3>("x y z"), u = mechanics.dynamicsymbols<3>("vx vy vz");
  const Expression m = mechanics.symbol("m");
  const Point P = O.locatenew("P", q[0] * N.x() + q[1] * N.y() + q[2] * N.z());
  P.set_vel(N, u[0] * N.x() + u[1] * N.y() + u[2] * N.z());
  const std::vector<Body> bodies = {Particle{"P", P, m}};
  const Expression parabola = q[1] - q[0] * q[0], cubic = q[2] - pow(q[0], 3);
  KaneOptions options{.q_ind = {q[0]},
                      .u_ind = {u[0]},
                      .q_dependent = {q[1], q[2]},
                      .configuration_constraints = {parabola, cubic},
                      .u_dependent = {u[1], u[2]},
                      .velocity_constraints = {mechanics.rate(parabola), mechanics.rate(cubic)}};
  for (std::size_t i = 0; i < 3; ++i) options.kd_eqs.push_back(mechanics.rate(q[i]) - u[i]);
  const KanesMethod kane(N, options, bodies, {});
  EXPECT_EQ(why_refused(N, options, bodies), testing_support::kNothingThrown);
  // Second rates of the coordinates, and in another order.
  options.acceleration_constraints = {mechanics.rate(options.velocity_constraints[1]),
                                      mechanics.rate(options.velocity_constraints[0])};
  const KanesMethod other(N, options, bodies, {});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(same(other.rhs()[i], kane.rhs()[i]));
  EXPECT_TRUE(same(other.forcing()[1], kane.forcing()[2]));  // they stay in their order
  options.acceleration_constraints[1] = options.acceleration_constraints[0];
  EXPECT_THAT(
      why_refused(N, options, bodies),
      testing::AllOf(testing::HasSubstr("acceleration constraint 2, "),
                     testing::HasSubstr("follows from those before it, as far as the rates of the speeds")));
  options.acceleration_constraints[1] = mechanics.rate(u[0]) + mechanics.rate(u[1]);
  EXPECT_THAT(why_refused(N, options, bodies),
              testing::HasSubstr("acceleration constraint 2, vx' + vy' = 0, is not the rate of a velocity"));
  options.acceleration_constraints.clear();
  // Another form of the first.
  options.velocity_constraints[1] = (mechanics.rate(parabola) - u[1]) * q[2] + u[1] * q[2] + 0 * u[2];
  EXPECT_NE(why_refused(N, options, bodies).find("velocity constraint 2, "), std::string::npos);
  EXPECT_NE(why_refused(N, options, bodies).find("follows from those before it"), std::string::npos);
  options.velocity_constraints[0] = q[0];
  EXPECT_EQ(why_refused(N, options, bodies), "velocity constraint 1, x = 0, holds none of the speeds");
}

TEST_F(KaneTest, AConstantIsNoFunctionOfTime) {
  mechanics.symbol("m");
  mechanics.dynamicsymbol("q");
  EXPECT_THROW(mechanics.dynamicsymbol("m"), InputError);
  EXPECT_THROW(mechanics.symbol("q"), InputError);
  EXPECT_EQ(mechanics.symbol("m"), mechanics.symbol("m"));
  EXPECT_EQ(mechanics.dynamicsymbol("q", 1), mechanics.rate(mechanics.dynamicsymbol("q")));
}

TEST_F(KaneTest, EquationsMustBeLinear) {
  const Expression x = mechanics.dynamicsymbol("x"), y = mechanics.dynamicsymbol("y");
  const Expression u = mechanics.dynamicsymbol("u"), v = mechanics.dynamicsymbol("v");
  const Expression x_rate = mechanics.rate(x), y_rate = mechanics.rate(y);
  O.set_vel(N, u * N.x() + v * N.y());
  const std::vector<Body> bodies = {Particle{"P", O, mechanics.symbol("m")}};
  const auto refused = [&](const Expression& kinematic) {
    return why_refused(N, {.q_ind = {x, y}, .u_ind = {u, v}, .kd_eqs = {kinematic, y_rate - v}}, bodies);
  };
  using testing::HasSubstr;
  EXPECT_THAT(refused(x_rate * x_rate - u), HasSubstr("= 0 is not linear in x'"));
  EXPECT_THAT(refused(x_rate * x_rate - u),
              HasSubstr("the kinematic equation " + to_text(x_rate * x_rate - u)));
  EXPECT_THAT(refused(x_rate - u * u), HasSubstr("is not linear in u"));
  EXPECT_THAT(refused(x_rate * v - u), HasSubstr("is not linear in"));
  EXPECT_EQ(refused(x_rate + (u + 1) * (u + 1) - u * u), testing_support::kNothingThrown);
  EXPECT_EQ(refused(sin(y) * x_rate - x * x * u), testing_support::kNothingThrown);
  const auto constrained = [&](const Expression& constraint) {
    return why_refused(N,
                       {.q_ind = {x, y},
                        .u_ind = {u},
                        .kd_eqs = {x_rate - u, y_rate - v},
                        .u_dependent = {v},
                        .velocity_constraints = {constraint}},
                       bodies);
  };
  EXPECT_THAT(constrained(v * v - u), HasSubstr("the velocity constraint"));
  EXPECT_THAT(constrained(v * v - u), HasSubstr("is not linear in v"));
  EXPECT_THAT(constrained(y_rate * u - u), HasSubstr("is not linear in"));
  EXPECT_EQ(constrained(v - x * x * u), testing_support::kNothingThrown);
}

TEST_F(KaneTest, ASymbolStandsOnce) {
  const auto [x, y] = mechanics.dynamicsymbols<2>("x y");
  const auto [u, v] = mechanics.dynamicsymbols<2>("u v");
  const std::vector<Expression> kinematics = {mechanics.rate(x) - u, mechanics.rate(y) - v};
  O.set_vel(N, u * N.x() + v * N.y());
  const std::vector<Body> bodies = {Particle{"P", O, mechanics.symbol("m")}};
  const auto refused = [&](const std::vector<Expression>& q, const std::vector<Expression>& speeds) {
    return why_refused(N, {.q_ind = q, .u_ind = speeds, .kd_eqs = kinematics}, bodies);
  };
  EXPECT_EQ(refused({x, y}, {u, v}), testing_support::kNothingThrown);
  EXPECT_EQ(refused({x, x}, {u, v}), "x occurs more than once among the coordinates and speeds");
  EXPECT_EQ(refused({x, y}, {u, u}), "u occurs more than once among the coordinates and speeds");
  EXPECT_EQ(refused({x, y}, {x, v}), "x occurs more than once among the coordinates and speeds");
}

}  // namespace
}  // namespace sestina::symbolic
