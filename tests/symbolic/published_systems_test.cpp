// Systems with constraints whose equations are published: closed forms and numbers.
#include <cmath>

#include "sestina/symbolic/kane.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class PublishedSystemTest : public test::SymbolicTest {};

// Kane and Levinson 1985, exercises 8.12 and 8.17: a vehicle A with two wheels B and C rolls on a plane P
// that is inclined by theta against the frame F; its third contact Q slides. Along the auxiliary speed u3,
// about the line of travel, the forces Q1 and Q2 at Q hold the vehicle down. The generalised forces are those
// of the answers.
class WheeledVehicle {
 public:
  // Inertias about the mass centres, or all about the point D of A on the wheels' axle.
  WheeledVehicle(Mechanics& mechanics, bool about_D) {
    const auto [q1, q2, q3] = mechanics.dynamicsymbols<3>("q1 q2 q3");
    const auto [u1, u2, u3, u4, u5] = mechanics.dynamicsymbols<5>("u1 u2 u3 u4 u5");
    const auto [R, M, g, e, f, theta] = mechanics.symbols<6>("R M g e f theta");
    const auto [a, b, mA, mB, IA, J] = mechanics.symbols<6>("a b mA mB IA J");
    const auto [K, IA22, IA23, IA33] = mechanics.symbols<4>("K IA22 IA23 IA33");
    const auto [Q1, Q2, Q3] = mechanics.symbols<3>("Q1 Q2 Q3");
    const ReferenceFrame F = mechanics.frame("F"), P = F.orientnew("P", -theta, F.y()),
                         A = P.orientnew("A", q1, P.x()), B = A.orientnew("B", q2, A.z()),
                         C = A.orientnew("C", q3, A.z());
    A.set_ang_vel(F, u1 * A.x() + u3 * A.z());
    B.set_ang_vel(A, u4 * A.z());
    C.set_ang_vel(A, u5 * A.z());
    const Point D = mechanics.point("D");
    D.set_vel(F, u2 * A.y());
    const auto on_A = [&](const char* name, const Vector& at) {
      Point point = D.locatenew(name, at);
      point.v2pt_theory(D, F, A);
      return point;
    };
    const Point S = on_A("S*", e * A.y()), Q = on_A("Q", f * A.y() - R * A.x()), A_c = on_A("A*", a * A.y()),
                B_c = on_A("B*", b * A.z()), C_c = on_A("C*", -b * A.z());
    const Point B_hat = B_c.locatenew("B^", -R * A.x()), C_hat = C_c.locatenew("C^", -R * A.x());
    B_hat.v2pt_theory(B_c, F, B);
    C_hat.v2pt_theory(C_c, F, C);
    const auto body = [&](const char* name, const Point& centre, const ReferenceFrame& frame,
                          const Expression& mass, const Dyadic& central) {
      if (!about_D) return RigidBody{name, centre, frame, mass, central, centre};
      return RigidBody{
          name, centre, frame, mass, central + inertia_of_point_mass(mass, centre.pos_from(D), frame), D};
    };
    const std::vector<Body> bodies = {body("A", A_c, A, mA, inertia(A, IA, IA22, IA33, 0, IA23, 0)),
                                      body("B", B_c, B, mB, inertia(B, K, K, J)),
                                      body("C", C_c, C, mB, inertia(C, K, K, J))};
    const std::vector<Load> loads = {Force{S, -M * g * F.x()},
                                     Force{Q, Q1 * A.x() + Q2 * A.y() + Q3 * A.z()}};
    kane.emplace(
        F,
        KaneOptions{.q_ind = {q1, q2, q3},
                    .u_ind = {u1, u2},
                    .kd_eqs = {mechanics.rate(q1) - u1, mechanics.rate(q2) - u4, mechanics.rate(q3) - u5},
                    .u_dependent = {u4, u5},
                    .velocity_constraints = {dot(B_hat.vel(F), A.y()), dot(C_hat.vel(F), A.y())},
                    .u_auxiliary = {u3}},
        bodies, loads);
  }
  std::optional<KanesMethod> kane;
};

TEST_F(PublishedSystemTest, TheWheeledVehicleHasTheForcesOfTheExercise) {
  const WheeledVehicle vehicle(mechanics, false);
  const auto [q1, u1, u2] = mechanics.dynamicsymbols<3>("q1 u1 u2");
  const auto [R, M, g, e, f, theta] = mechanics.symbols<6>("R M g e f theta");
  const auto [a, b, mA, mB, IA, J] = mechanics.symbols<6>("a b mA mB IA J");
  const auto [K, Q1, Q2, Q3] = mechanics.symbols<4>("K Q1 Q2 Q3");
  const KanesMethod& kane = *vehicle.kane;
  EXPECT_TRUE(same(kane.fr()[0], f * Q3 + M * g * e * sin(theta) * cos(q1)));
  EXPECT_TRUE(same(kane.fr()[1], Q2 + M * g * sin(theta) * sin(q1)));
  // F_r* = -(M u' + h), with u4' and u5' by the constraints.
  const Matrix rates = kane.rhs();
  const Expression inertia_about_D = IA + 2 * J * b * b / (R * R) + 2 * K + mA * a * a + 2 * mB * b * b;
  const Expression inertia_along = mA + 2 * mB + 2 * J / (R * R);
  EXPECT_TRUE(same(rates[3], (kane.fr()[0] - mA * a * u1 * u2) / inertia_about_D));
  EXPECT_TRUE(same(rates[4], (kane.fr()[1] + mA * a * u1 * u1) / inertia_along));
  EXPECT_TRUE(same(rates[0], u1));
  // Along the auxiliary speed: e M g cos(theta) - Q1 f - Q2 R less what the turning wheels and masses need.
  Replacements at_rest = {{u1, 0}, {u2, 0}};
  for (const char* name : {"u1", "u2", "u4", "u5"}) at_rest.emplace_back(mechanics.dynamicsymbol(name, 1), 0);
  for (const char* name : {"u4", "u5"}) at_rest.emplace_back(mechanics.dynamicsymbol(name), 0);
  Graph& graph = mechanics.graph();
  std::vector<std::pair<Expr, Expr>> pairs;
  for (const auto& [from, to] : at_rest) pairs.emplace_back(from.in(graph), to.in(graph));
  const Expression still(graph, graph.substitute(kane.auxiliary_eqs()[0].in(graph), pairs));
  EXPECT_TRUE(same(still, e * M * g * cos(theta) - Q1 * f - Q2 * R));
}

TEST_F(PublishedSystemTest, InertiasMayBeGivenAboutAnyPoint) {
  const WheeledVehicle vehicle(mechanics, false);
  Mechanics other;
  const WheeledVehicle about_D(other, true);
  // The same at a state with numbers: the two derivations share no symbols.
  const auto numbers = [](Mechanics& from, const KanesMethod& kane) {
    Replacements values;
    int k = 0;
    for (const char* name : {"q1", "q2", "q3", "u1", "u2", "u4", "u5"}) {
      values.emplace_back(from.dynamicsymbol(name), Expression(0.3 + 0.1 * ++k));
    }
    for (const char* name : {"R", "M", "g", "e", "f", "theta", "a", "b", "mA", "mB", "IA", "J", "K", "IA22",
                             "IA23", "IA33", "Q1", "Q2", "Q3"}) {
      values.emplace_back(from.symbol(name), Expression(0.7 + 0.05 * ++k));
    }
    Graph& graph = from.graph();
    std::vector<std::pair<Expr, Expr>> pairs;
    for (const auto& [symbol, value] : values) pairs.emplace_back(symbol.in(graph), value.in(graph));
    std::vector<double> found;
    for (const Matrix* matrix : {&kane.mass_matrix(), &kane.forcing()}) {
      for (const Expression& element : matrix->elements()) {
        const Expr value = graph.substitute(element.in(graph), pairs);
        EXPECT_TRUE(graph.constant_value(value).has_value());
        found.push_back(graph.constant_value(value).value_or(NAN));
      }
    }
    return found;
  };
  const std::vector<double> a = numbers(mechanics, *vehicle.kane), b = numbers(other, *about_D.kane);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-13 * (1.0 + std::abs(a[i])));
}

// Four bars, the first of them fixed, by relative angles; the numbers are those that sympy.physics.mechanics
// asserts to 1e-10 (test_jointsmethod.py, "four bar linkage with manual constraints").
TEST_F(PublishedSystemTest, TheFourBarLinkageHasThePublishedNumbers) {
  const auto q = mechanics.dynamicsymbols<3>("q1 q2 q3"), u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const auto [l1, l2, l3, l4, rho] = mechanics.symbols<5>("l1 l2 l3 l4 rho");
  const Expression lengths[] = {l2, l3, l4};
  const ReferenceFrame N = mechanics.frame("N");
  const Point start = mechanics.point("centre of bar 1");
  start.set_vel(N, Vector());
  ReferenceFrame parent = N;
  Point joint = start.locatenew("J0", l1 / 2 * N.x());
  joint.set_vel(N, Vector());
  std::vector<Body> bodies;
  std::vector<Expression> kinematics;
  for (std::size_t k = 0; k < 3; ++k) {
    const Expression& l = lengths[k];
    const std::string number = std::to_string(k + 2);
    const ReferenceFrame A = parent.orientnew("A" + number, q[k], parent.z());
    A.set_ang_vel(parent, u[k] * parent.z());
    const Point C = joint.locatenew("C" + number, l / 2 * A.x()),
                end = joint.locatenew("J" + number, l * A.x());
    C.v2pt_theory(joint, N, A);
    end.v2pt_theory(joint, N, A);
    bodies.emplace_back(RigidBody{"bar " + number, C, A, rho * l, inertia(A, 0, 0, rho * pow(l, 3) / 12), C});
    kinematics.push_back(mechanics.rate(q[k]) - u[k]);
    parent = A;
    joint = end;
  }
  const Vector loop = joint.pos_from(start) + l1 / 2 * N.x();
  const KanesMethod kane(N,
                         {.q_ind = {q[0]},
                          .u_ind = {u[0]},
                          .kd_eqs = kinematics,
                          .q_dependent = {q[1], q[2]},
                          .configuration_constraints = {dot(loop, N.x()), dot(loop, N.y())},
                          .u_dependent = {u[1], u[2]},
                          .velocity_constraints = {dot(joint.vel(N), N.x()), dot(joint.vel(N), N.y())}},
                         bodies, {});
  EXPECT_TRUE(same(kane.fr()[0], 0));
  const std::map<std::string, double> state = {{"l1", 0.13},
                                               {"l2", 0.24},
                                               {"l3", 0.21},
                                               {"l4", 0.34},
                                               {"rho", 997},
                                               {"q1", 2.1},
                                               {"u1", 0.2},
                                               {"q2", 0.6655470375077588},
                                               {"q3", 2.527408138024188},
                                               {"u2", -0.17963733938852067},
                                               {"u3", 0.1309060540601612}};
  for (const double slip : evaluate(kane.velocity_constraint_matrix() * Matrix({u[0], u[1], u[2]}), state)) {
    EXPECT_NEAR(slip, 0.0, 1e-10);
  }
  const std::vector<double> M = evaluate(kane.mass_matrix(), state), f = evaluate(kane.forcing(), state);
  const double expected_M[] = {3.452709815256506e+01,  7.003948798374735e+00,  -4.939690970641498e+00,
                               -2.203792703880936e-14, 2.071702479957077e-01,  2.842917573033711e-01,
                               -1.300000000000123e-01, -8.836934896046506e-03, 1.864891330060847e-01};
  const double expected_f[] = {-0.031211821321648, -0.00066022608181, 0.001813559741243};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(M[i], expected_M[i], 1e-10) << i;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(f[i], expected_f[i], 1e-10) << i;
}

// A disc that rolls, by five coordinates of which two are those of the contact, and by speeds along axes that
// turn with it; the accelerations are those that sympy.physics.mechanics asserts to 1e-10 (test_kane5.py).
TEST_F(PublishedSystemTest, TheRollingDiscByFiveSpeedsHasThePublishedNumbers) {
  const auto q = mechanics.dynamicsymbols<5>("q1 q2 q3 q4 q5"),
             u = mechanics.dynamicsymbols<5>("u1 u2 u3 u4 u5");
  const auto [g, r, m] = mechanics.symbols<3>("g r m");
  const ReferenceFrame N = mechanics.frame("N"), Y = N.orientnew("Y", q[0], N.z()),
                       L = Y.orientnew("L", q[1], Y.x()), R = L.orientnew("R", q[2], L.y());
  const Vector by_angles = R.ang_vel_in(N), spin = R.ang_vel_in(L);
  R.set_ang_vel(N, u[0] * R.x() + u[1] * R.y() + u[2] * R.z());
  const Vector difference = by_angles - R.ang_vel_in(N);
  const Point O = mechanics.point("O"), C = O.locatenew("C", q[3] * N.x() + q[4] * N.y()),
              D = C.locatenew("D", r * L.z());
  O.set_vel(N, Vector());
  C.set_vel(N, u[3] * N.x() + u[4] * N.y());
  D.set_vel(N, cross(R.ang_vel_in(N), r * L.z()));
  const Vector slip = C.vel(N) - cross(spin, r * L.z());
  const Expression I = m * r * r / 4;
  const std::vector<Body> bodies = {RigidBody{"disc", D, R, m, inertia(R, I, 2 * I, I), D}};
  const KanesMethod kane(N,
                         {.q_ind = {q.begin(), q.end()},
                          .u_ind = {u[0], u[1], u[2]},
                          .kd_eqs = {dot(difference, R.x()), dot(difference, R.y()), dot(difference, R.z()),
                                     mechanics.rate(q[3]) - u[3], mechanics.rate(q[4]) - u[4]},
                          .u_dependent = {u[3], u[4]},
                          .velocity_constraints = {dot(slip, N.x()), dot(slip, N.y())}},
                         bodies, gravity(-g * N.z(), bodies));
  const auto expect_rates = [&](std::map<std::string, double> state, const std::array<double, 10>& expected) {
    state.insert({{"g", 9.81}, {"r", 0.26}, {"m", 3.43}});
    const Matrix dependent = solve_linear(
        mechanics, kane.velocity_constraint_matrix().block(0, 3, 2, 2),
        -(kane.velocity_constraint_matrix().block(0, 0, 2, 3) * Matrix({u[0], u[1], u[2]})), "the speeds");
    const std::vector<double> speeds = evaluate(dependent, state);
    state["u4"] = speeds[0];
    state["u5"] = speeds[1];
    const std::vector<double> rates = evaluate(kane.rhs(), state);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(rates[i], expected[i], 1e-10) << i;
  };
  expect_rates(
      {{"q1", 0.3},
       {"q2", 0.1},
       {"q3", 1.97},
       {"q4", -0.35},
       {"q5", 2.27},
       {"u1", -0.2},
       {"u2", 1.3},
       {"u3", 0.15}},
      {0.126603940595934, 0.215942571601660, 1.28736069604936, 0.319764288376543, 0.0989146857254898,
       -0.925848952664489, -0.0181350656532944, 2.91695398184589, -0.00992793421754526, 0.0412861634829171});
  expect_rates(
      {{"q1", 3.97},
       {"q2", -0.28},
       {"q3", 8.2},
       {"q4", -0.35},
       {"q5", 2.27},
       {"u1", -0.25},
       {"u2", -2.2},
       {"u3", 0.62}},
      {0.0259159090798597, 0.668041660387416, -2.19283799213811, 0.385441810852219, 0.420109283790573,
       1.45030568179066, -0.0110924422400793, -8.35617840186040, -0.154098542632173, -0.146102664410010});
}

// Speeds along axes that turn with the string, while the velocity of the bob is found from the rates of the
// angles; M and f as in test_kane.py of sympy.physics.mechanics.
TEST_F(PublishedSystemTest, TheSphericalPendulumByRatesOfAngles) {
  const auto q = mechanics.dynamicsymbols<3>("q1 q2 q3"), u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const auto [g, l, m] = mechanics.symbols<3>("g l m");
  const ReferenceFrame N = mechanics.frame("N"), Z = N.orientnew("Z", q[0], N.z()),
                       X = Z.orientnew("X", q[1], Z.x()), A = X.orientnew("A", q[2], X.y());
  const Vector w = A.ang_vel_in(N);
  const Point O = mechanics.point("O"), P = O.locatenew("P", -l * A.y());
  O.set_vel(N, Vector());
  P.set_vel(A, Vector());
  const std::vector<Body> bodies = {Particle{"P", P, m}};
  const KanesMethod kane(N,
                         {.q_ind = {q.begin(), q.end()},
                          .u_ind = {u.begin(), u.end()},
                          .kd_eqs = {dot(w, A.x()) - u[0], dot(w, A.y()) - u[1], dot(w, A.z()) - u[2]}},
                         bodies, {Force{P, -m * g * N.y()}});
  const Expression s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), s3 = sin(q[2]), c3 = cos(q[2]);
  const Expression expected[] = {l * m * (g * (s1 * s3 - s2 * c1 * c3) - l * u[1] * u[2]), 0,
                                 l * m * (-g * (s1 * c3 + s2 * s3 * c1) + l * u[0] * u[1])};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(same(kane.forcing()[i], expected[i])) << i;
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_TRUE(same(kane.mass_matrix()(i, j), i == j && i != 1 ? m * l * l : Expression(0))) << i << j;
    }
  }
}

}  // namespace
}  // namespace sestina::symbolic
