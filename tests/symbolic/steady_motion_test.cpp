#include "sestina/symbolic/steady_motion.h"

#include <gmock/gmock.h>

#include <cmath>

#include "sestina/base/error.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class SteadyMotionTest : public test::SymbolicTest {
 protected:
  static double value_of(const SteadyMotion& steady, const Expression& symbol) {
    for (const auto& [e, value] : steady.values) {
      if (e == symbol) return value;
    }
    ADD_FAILURE() << to_text(symbol);
    return NAN;
  }

  KanesMethod derive_pendulum(const Expression& q, const Expression& u, const Expression& m,
                              const Expression& g, const Expression& l) {
    const ReferenceFrame A = N.orientnew("A", q, N.z());
    A.set_ang_vel(N, u * N.z());
    O.set_vel(N, Vector());
    const Point P = O.locatenew("P", -l * A.y());
    P.v2pt_theory(O, N, A);
    const std::vector<Body> bodies = {Particle{"P", P, m}};
    return {N,
            {.q_ind = {q}, .u_ind = {u}, .kd_eqs = {mechanics.rate(q) - u}},
            bodies,
            gravity(-g * N.y(), bodies)};
  }

  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O");
};

// A double pendulum whose end is pulled sideways: each link points along the force that it carries.
TEST_F(SteadyMotionTest, APulledDoublePendulumHangsAlongItsForces) {
  const auto q = mechanics.dynamicsymbols<2>("q1 q2"), u = mechanics.dynamicsymbols<2>("u1 u2");
  const auto [m, l, g, F] = mechanics.symbols<4>("m l g F");
  const ReferenceFrame A = N.orientnew("A", q[0], N.z()), B = N.orientnew("B", q[1], N.z());
  A.set_ang_vel(N, u[0] * N.z());
  B.set_ang_vel(N, u[1] * N.z());
  O.set_vel(N, Vector());
  const Point P = O.locatenew("P", -l * A.y()), Q = P.locatenew("Q", -2 * l * B.y());
  P.v2pt_theory(O, N, A);
  Q.v2pt_theory(P, N, B);
  const std::vector<Body> bodies = {Particle{"P", P, 2 * m}, Particle{"Q", Q, m}};
  std::vector<Load> loads = gravity(-g * N.y(), bodies);
  loads.emplace_back(Force{Q, F * N.x()});
  const KanesMethod kane(N,
                         {.q_ind = {q[0], q[1]},
                          .u_ind = {u[0], u[1]},
                          .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]}},
                         bodies, loads);
  const SteadyMotion rest =
      find_equilibrium(motion_equations(kane), {{m, 1.5}, {l, 0.7}, {g, 9.81}, {F, 6.0}});
  EXPECT_NEAR(value_of(rest, q[0]), std::atan(6.0 / (4.5 * 9.81)), 1e-14);
  EXPECT_NEAR(value_of(rest, q[1]), std::atan(6.0 / (1.5 * 9.81)), 1e-14);
  EXPECT_EQ(value_of(rest, u[0]), 0.0);
  EXPECT_TRUE(rest.is_isolated);
  // From near the top the one that stands is found.
  const SteadyMotion standing = find_equilibrium(
      motion_equations(kane), {{m, 1.5}, {l, 0.7}, {g, 9.81}, {F, 6.0}}, {{q[0], 3.0}, {q[1], 3.3}});
  EXPECT_NEAR(value_of(standing, q[0]), M_PI + std::atan(6.0 / (4.5 * 9.81)), 1e-13);
}

TEST_F(SteadyMotionTest, MultipliersCarryWhatHangs) {
  const auto q = mechanics.dynamicsymbols<2>("x y");
  const auto [m, g, l] = mechanics.symbols<3>("m g l");
  const Expression T = m * (pow(mechanics.rate(q[0]), 2) + pow(mechanics.rate(q[1]), 2)) / 2;
  LagrangeOptions options;
  options.hol_coneqs = {q[0] * q[0] + q[1] * q[1] - l * l};
  const LagrangesMethod lagrange(mechanics, T - m * g * q[1], {q[0], q[1]}, options);
  const SteadyMotion rest = find_equilibrium(motion_equations(mechanics, lagrange),
                                             {{m, 1.5}, {l, 2.0}, {g, 9.81}}, {{q[0], 0.4}, {q[1], -1.0}});
  EXPECT_NEAR(value_of(rest, q[0]), 0.0, 1e-12);
  EXPECT_NEAR(value_of(rest, q[1]), -2.0, 1e-12);
  EXPECT_NEAR(rest.multipliers.at(0), 1.5 * 9.81 / 4.0, 1e-12);  // against the constraint
}

// The disc of Kane and Levinson 1985, section 8.1: of 5 r u1' = 4 g sin q2 + 6 r u2 u3 - r u3^2 tan q2 any
// one is found that is unknown. Where the plane is, the disc rolls in a circle.
TEST_F(SteadyMotionTest, ADiscTurnsSteadily) {
  const auto q = mechanics.dynamicsymbols<3>("q1 q2 q3"), u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const auto [r, m, g] = mechanics.symbols<3>("r m g");
  const ReferenceFrame Y = N.orientnew("Y", q[0], N.z()), L = Y.orientnew("L", q[1], Y.x()),
                       R = L.orientnew("R", q[2], L.y());
  const Vector by_angles = R.ang_vel_in(N);
  R.set_ang_vel(N, u[0] * L.x() + u[1] * L.y() + u[2] * L.z());
  O.set_vel(N, Vector());
  const Point C = O.locatenew("C", r * L.z());
  C.v2pt_theory(O, N, R);
  const Expression I = m * r * r / 4;
  const std::vector<Body> bodies = {RigidBody{"disc", C, R, m, inertia(L, I, 2 * I, I), C}};
  const Vector difference = R.ang_vel_in(N) - by_angles;
  const KanesMethod kane(N,
                         {.q_ind = {q[0], q[1], q[2]},
                          .u_ind = {u[0], u[1], u[2]},
                          .kd_eqs = {dot(difference, L.x()), dot(difference, L.y()), dot(difference, L.z())}},
                         bodies, gravity(-g * N.z(), bodies));
  const MotionEquations motion = motion_equations(kane);
  const ParameterValues numbers = {{r, 0.3}, {m, 2.0}, {g, 9.81}};
  const double lean = 0.3, turn = 1.1;
  const double spin = (turn * turn * 0.3 * std::tan(lean) - 4 * 9.81 * std::sin(lean)) / (6 * turn * 0.3);
  const SteadyMotion found =
      find_steady_motion(motion, numbers, {.values = {{q[1], lean}, {u[2], turn}}, .unknowns = {u[1]}});
  EXPECT_NEAR(value_of(found, u[1]), spin, 1e-12);
  // The same with the gravity as the unknown, and with the lean.
  const SteadyMotion planet = find_steady_motion(
      motion, numbers, {.values = {{q[1], lean}, {u[1], spin / 2}, {u[2], turn}}, .unknowns = {g}});
  EXPECT_NEAR(value_of(planet, g),
              (turn * turn * 0.3 * std::tan(lean) - 6 * spin / 2 * turn * 0.3) / (4 * std::sin(lean)), 1e-11);
  const SteadyMotion leaning = find_steady_motion(
      motion, numbers, {.values = {{q[1], 0.2}, {u[1], spin}, {u[2], turn}}, .unknowns = {q[1]}});
  EXPECT_NEAR(value_of(leaning, q[1]), lean, 1e-12);
  // With lean and spin both unknown there is a whole family.
  const SteadyMotion one_of_many = find_steady_motion(
      motion, numbers, {.values = {{q[1], 0.2}, {u[1], spin}, {u[2], turn}}, .unknowns = {q[1], u[1]}});
  EXPECT_FALSE(one_of_many.is_isolated);
  EXPECT_LT(one_of_many.residual, 1e-12);
}

TEST_F(SteadyMotionTest, SaysWhatDoesNotBalance) {
  const auto x = mechanics.dynamicsymbol("x"), v = mechanics.dynamicsymbol("v");
  const Expression m = mechanics.symbol("m"), F = mechanics.symbol("F");
  const Point P = O.locatenew("P", x * N.x());
  P.set_vel(N, v * N.x());
  const KanesMethod kane(N, {.q_ind = {x}, .u_ind = {v}, .kd_eqs = {mechanics.rate(x) - v}},
                         {Particle{"P", P, m}}, {Force{P, F * N.x()}});
  const MotionEquations motion = motion_equations(kane);
  const auto message = [&](const auto& search) -> std::string {
    try {
      search();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message([&] {
                find_equilibrium(motion, {{m, 1.0}, {F, 3.0}});
              }),
              testing::HasSubstr("the equation of motion of v stays at 3"));
  EXPECT_THAT(message([&] {
                find_equilibrium(motion, {{m, 1.0}});
              }),
              testing::HasSubstr("no value is given for F"));
  EXPECT_THAT(message([&] {
                find_equilibrium(motion, {{m, 1.0}, {F, 3.0}}, {{F, 1.0}});
              }),
              testing::HasSubstr("F is not a coordinate"));
}

// A stiff part must not hide an imbalance in another equation.
TEST_F(SteadyMotionTest, EachEquationCountsByItsOwnTerms) {
  const auto q = mechanics.dynamicsymbols<2>("x y"), u = mechanics.dynamicsymbols<2>("u v");
  const Expression m = mechanics.symbol("m"), k = mechanics.symbol("k"), F = mechanics.symbol("F"),
                   H = mechanics.symbol("H");
  int count = 0;
  const auto balance = [&](const Expression& first, const Expression& second) {
    const std::string name = "P" + std::to_string(++count);
    const Point P = O.locatenew(name, q[0] * N.x() + q[1] * N.y());
    P.set_vel(N, u[0] * N.x() + u[1] * N.y());
    const KanesMethod kane(N,
                           {.q_ind = {q[0], q[1]},
                            .u_ind = {u[0], u[1]},
                            .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]}},
                           {Particle{name, P, m}}, {Force{P, first * N.x() + second * N.y()}});
    return find_equilibrium(motion_equations(kane), {{m, 1.0}, {k, 1e11}, {F, 100.0}, {H, 1e3}},
                            {{q[0], 0.5}, {q[1], 0.5}});
  };
  EXPECT_THAT(
      [&] { (void)balance(H - k * q[0], F); },
      testing::ThrowsMessage<InputError>(testing::HasSubstr("the equation of motion of v stays at 100")));
  // The same spring cannot carry both.
  EXPECT_THAT([&] { (void)balance(H - k * (q[0] + q[1]), F - k * (q[0] + q[1])); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("no state of rest")));
  const SteadyMotion soft = balance(H - k * q[0], F - H * pow(q[1], 3));
  EXPECT_NEAR(value_of(soft, q[0]), 1e-8, 1e-22);
  EXPECT_NEAR(value_of(soft, q[1]), std::cbrt(0.1), 1e-15);
  // A force that vanishes with its first derivatives is balanced where it vanishes.
  EXPECT_NEAR(value_of(balance(H - k * q[0], H * pow(q[1], 3)), q[1]), 0.0, 1e-9);
  EXPECT_NEAR(value_of(balance(H - k * q[0], H * (q[1] - sin(q[1]))), q[1]), 0.0, 1e-3);
  // Near zero there is nothing but rounding.
  const SteadyMotion none = balance(k * (q[0] - q[1]) - H * sin(q[0]), k * (q[1] - q[0]) - H * sin(q[1]));
  EXPECT_NEAR(value_of(none, q[0]), 0.0, 1e-15);
}

// On a belt that runs at V, q' = u + V.
TEST_F(SteadyMotionTest, AtRestCoordinatesDoNotMove) {
  const auto x = mechanics.dynamicsymbol("x"), u = mechanics.dynamicsymbol("u");
  const Expression m = mechanics.symbol("m"), k = mechanics.symbol("k"), c = mechanics.symbol("c"),
                   V = mechanics.symbol("V");
  const Point P = O.locatenew("P", x * N.x());
  P.set_vel(N, (u + V) * N.x());
  const KanesMethod kane(N, {.q_ind = {x}, .u_ind = {u}, .kd_eqs = {mechanics.rate(x) - u - V}},
                         {Particle{"P", P, m}}, {Force{P, (-k * x - c * u) * N.x()}});
  const SteadyMotion rest =
      find_equilibrium(motion_equations(kane), {{m, 1.0}, {k, 8.0}, {c, 2.0}, {V, 0.5}});
  EXPECT_NEAR(value_of(rest, u), -0.5, 1e-15);
  EXPECT_NEAR(value_of(rest, x), 0.125, 1e-15);
  // With u = 0 the body moves, and its spring with it.
  EXPECT_THAT(
      [&] {
        (void)find_steady_motion(motion_equations(kane), {{m, 1.0}, {k, 8.0}, {c, 2.0}, {V, 0.5}},
                                 {.unknowns = {x}});
      },
      testing::ThrowsMessage<InputError>(testing::HasSubstr("while x changes at 0.5")));
}

TEST_F(SteadyMotionTest, WhatIsBalancedAtAnInstantIsNotSteady) {
  const auto q = mechanics.dynamicsymbol("q"), u = mechanics.dynamicsymbol("u");
  const Expression m = mechanics.symbol("m"), g = mechanics.symbol("g"), l = mechanics.symbol("l");
  const KanesMethod kane = derive_pendulum(q, u, m, g, l);
  const MotionEquations motion = motion_equations(kane);
  // A pendulum that swings through the lowest point.
  EXPECT_THAT(
      [&] {
        (void)find_steady_motion(motion, {{m, 1.0}, {g, 9.81}, {l, 1.0}},
                                 {.values = {{u, 2.0}}, .unknowns = {q}});
      },
      testing::ThrowsMessage<InputError>(testing::AllOf(testing::HasSubstr("the equation of motion of u"),
                                                        testing::HasSubstr("while q changes at 2"))));
  // Without weight it goes round at any speed.
  const SteadyMotion round =
      find_steady_motion(motion, {{m, 1.0}, {g, 0.0}, {l, 1.0}}, {.values = {{u, 2.0}}, .unknowns = {q}});
  EXPECT_FALSE(round.is_isolated);
}

// From where Newton's method leaps away, and where a sine says nothing.
TEST_F(SteadyMotionTest, IsFoundFromWhereTheForceIsLargest) {
  const auto q = mechanics.dynamicsymbol("q"), u = mechanics.dynamicsymbol("u");
  const Expression m = mechanics.symbol("m"), g = mechanics.symbol("g"), l = mechanics.symbol("l");
  const KanesMethod kane = derive_pendulum(q, u, m, g, l);
  const SteadyMotion rest =
      find_equilibrium(motion_equations(kane), {{m, 1.0}, {g, 9.81}, {l, 0.5}}, {{q, M_PI / 2}});
  EXPECT_NEAR(std::sin(value_of(rest, q)), 0.0, 1e-12);
  EXPECT_LT(std::abs(value_of(rest, q)), 10.0);
  // However often it has gone round, it swings.
  for (const double turns : {1.0, 80.0, 320.0, 10000.0}) {
    EXPECT_THROW((void)find_steady_motion(motion_equations(kane), {{m, 1.0}, {g, 9.81}, {l, 0.5}},
                                          {.values = {{q, 2 * M_PI * turns}, {u, 1.0}}, .unknowns = {q}}),
                 InputError)
        << turns;
  }
}

// A wheel of any speed on a pendulum that a torque holds at 0.5 rad.
TEST_F(SteadyMotionTest, WhatIsFastDoesNotHideWhatIsSlow) {
  const auto q = mechanics.dynamicsymbols<2>("q s"), u = mechanics.dynamicsymbols<2>("u w");
  const Expression m = mechanics.symbol("m"), g = mechanics.symbol("g"), T = mechanics.symbol("T");
  const ReferenceFrame A = N.orientnew("A", q[0], N.z()), B = A.orientnew("B", q[1], A.z());
  A.set_ang_vel(N, u[0] * N.z());
  B.set_ang_vel(A, u[1] * A.z());
  O.set_vel(N, Vector());
  const Point P = O.locatenew("P", -A.y());
  P.v2pt_theory(O, N, A);
  const std::vector<Body> bodies = {RigidBody{"wheel", P, B, m, inertia(B, m, m, m), P}};
  std::vector<Load> loads = gravity(-g * N.y(), bodies);
  loads.emplace_back(Torque{A, T * N.z()});
  const KanesMethod kane(N,
                         {.q_ind = {q[0], q[1]},
                          .u_ind = {u[0], u[1]},
                          .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]}},
                         bodies, loads);
  const MotionEquations motion = motion_equations(kane);
  const ParameterValues numbers = {{m, 1.0}, {g, 9.81}, {T, 0.0}};
  for (const double spin : {0.0, 0.3, 5000.0}) {
    const auto search = [&](double slow) {
      return find_steady_motion(motion, numbers,
                                {.values = {{q[0], 0.5}, {u[0], slow}, {u[1], spin}}, .unknowns = {T}});
    };
    EXPECT_NEAR(value_of(search(0.0), T), 9.81 * std::sin(0.5), 1e-14) << spin;
    EXPECT_THROW((void)search(0.01), InputError) << spin;
  }
}

// A point that whirls about an axis at the rate of its springs: steady in a circle of any size.
TEST_F(SteadyMotionTest, CirclesOfAnySizeAreSteady) {
  const auto q = mechanics.dynamicsymbols<2>("x y"), u = mechanics.dynamicsymbols<2>("u v");
  const Expression m = mechanics.symbol("m"), k = mechanics.symbol("k"), w = mechanics.symbol("w");
  const Point P = O.locatenew("P", q[0] * N.x() + q[1] * N.y());
  P.set_vel(N, (u[0] - w * q[1]) * N.x() + (u[1] + w * q[0]) * N.y());
  const KanesMethod kane(
      N,
      {.q_ind = {q[0], q[1]},
       .u_ind = {u[0], u[1]},
       .kd_eqs = {mechanics.rate(q[0]) - u[0] + w * q[1], mechanics.rate(q[1]) - u[1] - w * q[0]}},
      {Particle{"P", P, m}}, {Force{P, -k * (q[0] * N.x() + q[1] * N.y())}});
  for (const double radius : {10.0, 0.1, 1e-3, 1e-6}) {
    const SteadyMotion found = find_steady_motion(motion_equations(kane), {{m, 2.0}, {k, 50.0}, {w, 4.0}},
                                                  {.values = {{q[0], radius}}, .unknowns = {w}});
    EXPECT_NEAR(value_of(found, w), 5.0, 1e-12) << radius;
  }
}

// A weight on two levers whose ends a link joins, in metres and kilograms or in units far from these.
TEST_F(SteadyMotionTest, UnitsDoNotMatter) {
  const auto q = mechanics.dynamicsymbols<2>("x y"), u = mechanics.dynamicsymbols<2>("u v");
  const Expression m = mechanics.symbol("m"), g = mechanics.symbol("g"), l = mechanics.symbol("l"),
                   k = mechanics.symbol("k");
  const ReferenceFrame A = N.orientnew("A", q[0], N.z()), B = A.orientnew("B", q[1], A.z());
  A.set_ang_vel(N, u[0] * N.z());
  B.set_ang_vel(A, u[1] * A.z());
  O.set_vel(N, Vector());
  const Point P = O.locatenew("P", l * A.x()), Q = P.locatenew("Q", 2 * l * B.x());
  P.v2pt_theory(O, N, A);
  Q.v2pt_theory(P, N, B);
  const std::vector<Body> bodies = {Particle{"P", P, m}, Particle{"Q", Q, m}};
  std::vector<Load> loads = gravity(-g * N.y(), bodies);
  loads.emplace_back(Torque{A, -k * m * g * l * (q[0] - 1) * N.z()});
  const Expression height = dot(Q.pos_from(O), N.y());
  const KanesMethod kane(N,
                         {.q_ind = {q[0]},
                          .u_ind = {u[0]},
                          .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]},
                          .q_dependent = {q[1]},
                          .configuration_constraints = {height},
                          .u_dependent = {u[1]},
                          .velocity_constraints = {dot(Q.vel(N), N.y())}},
                         bodies, loads);
  // The slider moves without weight at its height: l m g cos q1 = k m g l (1 - q1).
  for (const auto& [length, mass] :
       {std::pair(1.0, 1.0), {1e-3, 1e-9}, {1e-6, 1e-12}, {1e-9, 1e-18}, {1e4, 1e6}}) {
    const SteadyMotion rest = find_equilibrium(
        motion_equations(kane), {{m, mass}, {g, 9.81}, {l, length}, {k, 0.7}}, {{q[0], 0.3}, {q[1], -0.5}});
    const double angle = value_of(rest, q[0]);
    EXPECT_NEAR(std::cos(angle), 0.7 * (1.0 - angle), 1e-12) << length;
    EXPECT_TRUE(rest.is_isolated) << length;
  }
  // On a slope without friction there is no rest, however small the weight.
  const auto s = mechanics.dynamicsymbols<2>("a b"), v = mechanics.dynamicsymbols<2>("c d");
  const Point R = O.locatenew("R", s[0] * N.x() + s[1] * N.y());
  R.set_vel(N, v[0] * N.x() + v[1] * N.y());
  const KanesMethod slope(N,
                          {.q_ind = {s[0]},
                           .u_ind = {v[0]},
                           .kd_eqs = {mechanics.rate(s[0]) - v[0], mechanics.rate(s[1]) - v[1]},
                           .q_dependent = {s[1]},
                           .configuration_constraints = {s[0] - s[1]},
                           .u_dependent = {v[1]},
                           .velocity_constraints = {v[0] - v[1]}},
                          {Particle{"R", R, m}}, {Force{R, -g * N.y()}});
  for (const double weight : {1.0, 1e-8, 1e-16, 1e-24}) {
    EXPECT_THROW((void)find_equilibrium(motion_equations(slope), {{m, 1.0}, {g, weight}}), InputError)
        << weight;
  }
}

TEST_F(SteadyMotionTest, IsolatedIsWhatIsIsolatedFromAnyGuess) {
  const auto q = mechanics.dynamicsymbols<2>("x y"), u = mechanics.dynamicsymbols<2>("u v");
  const Expression m = mechanics.symbol("m"), k = mechanics.symbol("k");
  const Point P = O.locatenew("P", q[0] * N.x() + q[1] * N.y());
  P.set_vel(N, u[0] * N.x() + u[1] * N.y());
  const KanesMethod kane(N,
                         {.q_ind = {q[0], q[1]},
                          .u_ind = {u[0], u[1]},
                          .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]}},
                         {Particle{"P", P, m}}, {Force{P, -k * q[0] * N.x() - q[1] * N.y()}});
  for (const double guess : {0.0, 1.0}) {
    EXPECT_TRUE(
        find_equilibrium(motion_equations(kane), {{m, 1.0}, {k, 1e12}}, {{q[0], guess}, {q[1], guess}})
            .is_isolated);
  }
}

TEST_F(SteadyMotionTest, WhatDependsOnTheTimeStaysOnlyAtAnInstant) {
  const auto x = mechanics.dynamicsymbol("x"), v = mechanics.dynamicsymbol("v");
  const Expression m = mechanics.symbol("m"), k = mechanics.symbol("k"), t = mechanics.time();
  const Point P = O.locatenew("P", x * N.x());
  P.set_vel(N, v * N.x());
  const KanesMethod kane(N, {.q_ind = {x}, .u_ind = {v}, .kd_eqs = {mechanics.rate(x) - v}},
                         {Particle{"P", P, m}}, {Force{P, (3 * cos(t) - k * x) * N.x()}});
  const MotionEquations motion = motion_equations(kane);
  EXPECT_THAT(
      [&] {
        (void)find_equilibrium(motion, {{m, 1.0}, {k, 2.0}});
      },
      testing::ThrowsMessage<InputError>(testing::HasSubstr("depend on the time t")));
  const SteadyMotion rest = find_equilibrium(motion, {{m, 1.0}, {k, 2.0}, {t, 0.5}});
  EXPECT_NEAR(value_of(rest, x), 1.5 * std::cos(0.5), 1e-15);
}

}  // namespace
}  // namespace sestina::symbolic
