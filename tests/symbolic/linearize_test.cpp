#include "sestina/symbolic/linearize.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <complex>

#include "message_of.h"
#include "sestina/base/error.h"
#include "symbolic/bicycle.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

using testing_support::message_of;

class LinearizeTest : public test::SymbolicTest {
 protected:
  const Point O = mechanics.point("O");
};

// The pendulum by Cartesian coordinates hangs at rest: x'' = -g/l x.
TEST_F(LinearizeTest, EliminatesTheDependentCoordinatesOfAPendulum) {
  const ReferenceFrame N = mechanics.frame("N");
  const auto q = mechanics.dynamicsymbols<2>("x y"), u = mechanics.dynamicsymbols<2>("vx vy");
  const auto [m, g, l] = mechanics.symbols<3>("m g l");
  const Expression distance = q[0] * q[0] + q[1] * q[1] - l * l;
  const Point P = O.locatenew("P", q[0] * N.x() + q[1] * N.y());
  P.set_vel(N, u[0] * N.x() + u[1] * N.y());
  const std::vector<Body> bodies = {Particle{"P", P, m}};
  const KanesMethod kane(N,
                         {.q_ind = {q[0]},
                          .u_ind = {u[0]},
                          .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]},
                          .q_dependent = {q[1]},
                          .configuration_constraints = {distance},
                          .u_dependent = {u[1]},
                          .velocity_constraints = {mechanics.rate(distance)}},
                         bodies, gravity(-g * N.y(), bodies));
  const Linearization by_kane = linearize(kane, {{q[0], 0}, {q[1], -l}, {u[0], 0}, {u[1], 0}});
  const Expression T = m * (pow(mechanics.rate(q[0]), 2) + pow(mechanics.rate(q[1]), 2)) / 2;
  LagrangeOptions options;
  options.hol_coneqs = {distance};
  const LagrangesMethod lagrange(mechanics, T - m * g * q[1], {q[0], q[1]}, options);
  const Linearization by_lagrange =
      linearize(mechanics, lagrange, {q[0]}, {mechanics.rate(q[0])},
                {{q[0], 0}, {q[1], -l}, {mechanics.rate(q[0]), 0}, {mechanics.rate(q[1]), 0}});
  for (const Linearization* linear : {&by_kane, &by_lagrange}) {
    EXPECT_TRUE(same(linear->A(0, 0), 0));
    EXPECT_TRUE(same(linear->A(0, 1), 1));
    EXPECT_TRUE(same(linear->A(1, 0), -g / l));
    EXPECT_TRUE(same(linear->A(1, 1), 0));
    EXPECT_TRUE(linear->inputs.empty());
  }
}

TEST_F(LinearizeTest, FindsTheInputs) {
  const ReferenceFrame N = mechanics.frame("N");
  const auto [x, v, F] = mechanics.dynamicsymbols<3>("x v F");
  const auto [m, k, c] = mechanics.symbols<3>("m k c");
  const Point P = O.locatenew("P", x * N.x());
  P.set_vel(N, v * N.x());
  const KanesMethod kane(N, {.q_ind = {x}, .u_ind = {v}, .kd_eqs = {mechanics.rate(x) - v}},
                         {Particle{"P", P, m}}, {Force{P, (F - k * pow(x, 3) - c * v) * N.x()}});
  const Expression at = mechanics.symbol("x0");
  const Linearization linear = linearize(kane, {{x, at}, {v, 0}});
  ASSERT_EQ(linear.inputs, std::vector{F});
  EXPECT_TRUE(same(linear.B(1, 0), 1 / m));
  EXPECT_TRUE(same(linear.A(1, 0), -3 * k * at * at / m));
  EXPECT_TRUE(same(linear.A(1, 1), -c / m));
}

// x' = u + w: w is an input of the kinematics alone.
TEST_F(LinearizeTest, InputsMayStandInKinematicEquations) {
  const ReferenceFrame N = mechanics.frame("N");
  const auto [x, u, w] = mechanics.dynamicsymbols<3>("x u w");
  const auto [m, k] = mechanics.symbols<2>("m k");
  const Point P = O.locatenew("P", x * N.x());
  P.set_vel(N, (u + w) * N.x());
  const KanesMethod kane(N, {.q_ind = {x}, .u_ind = {u}, .kd_eqs = {mechanics.rate(x) - u - w}},
                         {Particle{"P", P, m}}, {Force{P, -k * x * N.x()}});
  const Linearization linear = linearize(kane, {{x, 0}, {u, 0}});
  ASSERT_EQ(linear.inputs, (std::vector{w, mechanics.rate(w)}));  // m (u + w)' = -k x
  EXPECT_TRUE(same(linear.A(0, 1), 1));
  EXPECT_TRUE(same(linear.A(1, 0), -k / m));
  EXPECT_TRUE(same(linear.B(0, 0), 1));
  EXPECT_TRUE(same(linear.B(0, 1), 0));
  EXPECT_TRUE(same(linear.B(1, 0), 0));
  EXPECT_TRUE(same(linear.B(1, 1), -1));
}

// x = y + r with a drive r: 2 m y'' = -k (y + r) - m r''.
class DrivenTest : public LinearizeTest {
 protected:
  void expect_closed_form(const Linearization& linear) {
    const std::map<std::string, Expression> expected = {
        {"r", -k / (2 * m)}, {"r'", 0}, {"r''", fraction(-1, 2)}};
    ASSERT_EQ(linear.inputs.size(), 3u);
    EXPECT_TRUE(same(linear.A(1, 0), -k / (2 * m)));
    for (std::size_t j = 0; j < 3; ++j) {
      const std::string input = to_text(linear.inputs[j]);
      EXPECT_TRUE(same(linear.B(0, j), 0)) << input;
      EXPECT_TRUE(same(linear.B(1, j), expected.at(input))) << input;
      for (std::size_t i = 0; i < 2; ++i) {  // of x and x' alone
        EXPECT_TRUE(same(linear.D0(i, j), i == 0 && input == "r" ? 1 : 0)) << i << input;
        EXPECT_TRUE(same(linear.D1(i, j), i == 0 && input == "r'" ? 1 : 0)) << i << input;
      }
    }
  }

  const Expression x = mechanics.dynamicsymbol("x"), y = mechanics.dynamicsymbol("y"),
                   r = mechanics.dynamicsymbol("r");
  const Expression m = mechanics.symbol("m"), k = mechanics.symbol("k");
};

TEST_F(DrivenTest, InputsOfHolonomicConstraintsComeWithTheirRates) {
  const Expression dx = mechanics.rate(x), dy = mechanics.rate(y);
  const LagrangesMethod lagrange(mechanics, m * (dx * dx + dy * dy) / 2 - k * x * x / 2, {x, y},
                                 {.hol_coneqs = {x - y - r}});
  expect_closed_form(linearize(mechanics, lagrange, {y}, {dy}, {{x, 0}, {y, 0}}));
}

TEST_F(DrivenTest, InputsOfConfigurationConstraintsComeWithTheirRates) {
  const ReferenceFrame N = mechanics.frame("N");
  const auto [u, v] = mechanics.dynamicsymbols<2>("u v");
  const Point P = O.locatenew("P", x * N.x()), Q = O.locatenew("Q", y * N.x());
  P.set_vel(N, u * N.x());
  Q.set_vel(N, v * N.x());
  const KanesMethod kane(N,
                         {.q_ind = {y},
                          .u_ind = {v},
                          .kd_eqs = {mechanics.rate(y) - v, mechanics.rate(x) - u},
                          .q_dependent = {x},
                          .configuration_constraints = {x - y - r},
                          .u_dependent = {u},
                          .velocity_constraints = {mechanics.rate(x - y - r)}},
                         {Particle{"P", P, m}, Particle{"Q", Q, m}}, {Force{P, -k * x * N.x()}});
  Linearization linear = linearize(kane, {{x, 0}, {y, 0}});
  for (Matrix* D : {&linear.D0, &linear.D1}) {  // y comes first here
    for (std::size_t j = 0; j < D->columns(); ++j) std::swap((*D)(0, j), (*D)(1, j));
  }
  expect_closed_form(linear);
}

// A pendulum on a string that is hauled in, by Cartesian coordinates: x'' = (R'' - g) x/R near the vertical.
TEST_F(LinearizeTest, TheStringOfAPendulumMayBeHauledIn) {
  const auto [x, y, R] = mechanics.dynamicsymbols<3>("x y R");
  const auto [m, g] = mechanics.symbols<2>("m g");
  const Expression dx = mechanics.rate(x), dy = mechanics.rate(y), dR = mechanics.rate(R);
  const LagrangesMethod lagrange(mechanics, m * (dx * dx + dy * dy) / 2 - m * g * y, {x, y},
                                 {.hol_coneqs = {x * x + y * y - R * R}});
  const Linearization linear =
      linearize(mechanics, lagrange, {x}, {dx}, {{x, 0}, {y, -R}, {dx, 0}, {dy, -dR}});
  EXPECT_TRUE(same(linear.A(0, 1), 1));
  EXPECT_TRUE(same(linear.A(1, 0), (mechanics.rate(dR) - g) / R));
  EXPECT_TRUE(same(linear.A(1, 1), 0));
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_TRUE(same(linear.B(1, j), 0)) << to_text(linear.inputs[j]);
    EXPECT_TRUE(same(linear.D0(1, j), linear.inputs[j] == R ? -1 : 0)) << to_text(linear.inputs[j]);
  }
}

TEST_F(LinearizeTest, AuxiliarySpeedsAreZero) {
  const ReferenceFrame N = mechanics.frame("N");
  const auto [q, u, ua] = mechanics.dynamicsymbols<3>("q u ua");
  const Point P = O.locatenew("P", q * N.x());
  P.set_vel(N, mechanics.rate(q) * N.x());
  const KanesMethod kane(
      N, {.q_ind = {q}, .u_ind = {u}, .kd_eqs = {mechanics.rate(q) - u - q * ua}, .u_auxiliary = {ua}},
      {Particle{"P", P, mechanics.symbol("m")}}, {});
  const Linearization linear = linearize(kane, {{q, 0}, {u, 0}});
  EXPECT_TRUE(linear.inputs.empty());
  EXPECT_TRUE(linear.A(0, 0).is_zero());
}

TEST_F(LinearizeTest, NumbersThatViolateTheConstraintsAreNoState) {
  const auto q = mechanics.dynamicsymbols<2>("x y");
  const auto [m, g] = mechanics.symbols<2>("m g");
  const Expression dx = mechanics.rate(q[0]), dy = mechanics.rate(q[1]);
  const LagrangesMethod lagrange(mechanics, m * (dx * dx + dy * dy) / 2 - m * g * q[1], {q[0], q[1]},
                                 {.hol_coneqs = {q[0] * q[0] + q[1] * q[1] - 1}});
  const auto refused = [&](double y, const Expression& v, const std::vector<Expression>& q_ind,
                           const std::vector<Expression>& u_ind) {
    return message_of([&] {
      linearize(mechanics, lagrange, q_ind, u_ind, {{q[0], 0.6}, {q[1], y}, {dx, 1}, {dy, v}});
    });
  };
  using testing::HasSubstr;
  EXPECT_EQ(refused(-0.8, 0.75, {q[0]}, {dx}), testing_support::kNothingThrown);
  EXPECT_EQ(refused(-0.80003, 0.75, {q[0]}, {dx}), testing_support::kNothingThrown);  // four digits
  EXPECT_THAT(refused(-0.9, 0.75, {q[0]}, {dx}),
              HasSubstr("the state violates the configuration constraint"));
  EXPECT_THAT(refused(-0.9, 0.75, {q[0]}, {dx}), HasSubstr("it is 0.17 there, not 0"));
  EXPECT_THAT(refused(-0.8, 0.7, {q[0]}, {dx}), HasSubstr("the state violates the velocity constraint"));
  EXPECT_EQ(refused(-0.8, mechanics.symbol("v"), {q[0]}, {dx}), testing_support::kNothingThrown);
  EXPECT_THAT(refused(-0.8, 0.75, {q[0], q[1]}, {dx, dy}),
              HasSubstr("the number of independent coordinates is 2, but must be 1"));
  EXPECT_THAT(refused(-0.8, 0.75, {q[0]}, {dx, dy}), HasSubstr("the number of independent speeds is 2"));
}

// A key that is nowhere in the system would change nothing, without a word.
TEST_F(LinearizeTest, AStateNamesWhatIsOfTheSystem) {
  const ReferenceFrame N = mechanics.frame("N");
  const auto [x, v, F, stray] = mechanics.dynamicsymbols<4>("x v F v1");
  const auto [m, k, unused] = mechanics.symbols<3>("m k unused");
  const Point P = O.locatenew("P", x * N.x());
  P.set_vel(N, v * N.x());
  const KanesMethod kane(N, {.q_ind = {x}, .u_ind = {v}, .kd_eqs = {mechanics.rate(x) - v}},
                         {Particle{"P", P, m}}, {Force{P, (F - k * sin(x)) * N.x()}});
  const auto refused = [&](const Replacements& state) { return message_of([&] { linearize(kane, state); }); };
  using testing::HasSubstr;
  EXPECT_EQ(refused({{x, 0}, {stray, 0}}),
            "op_point: v1 is a function of time that is not of this system; allowed are the coordinates x, "
            "the speeds v, their rates, constants, and expressions in the equations");
  EXPECT_THAT(refused({{mechanics.rate(stray), 0}}), HasSubstr("op_point: v1' is a function of time"));
  EXPECT_THAT(refused({{k * x, 0}}), HasSubstr("is an expression that does not occur in the equations"));
  EXPECT_THAT(refused({{3, 0}}), HasSubstr("op_point: 3 is a number"));
  Mechanics other;
  EXPECT_EQ(refused({{other.dynamicsymbol("v"), 0}}), "op_point: v belongs to another Mechanics");
  EXPECT_EQ(refused({{x, other.symbol("a")}}), "op_point: a belongs to another Mechanics");
  // Allowed: symbols of the equations, rates of the state, and any constant (it may have dropped out).
  for (const Expression& key : {x, v, mechanics.rate(x), mechanics.rate(v), F, m, k, unused, sin(x)}) {
    EXPECT_EQ(refused({{key, 1}}), testing_support::kNothingThrown) << to_text(key);
  }
  const LagrangesMethod lagrange(mechanics, m * mechanics.rate(x) * mechanics.rate(x) / 2, {x});
  EXPECT_THAT(message_of([&, x = x, v = v] {
                linearize(mechanics, lagrange, {x}, {mechanics.rate(x)}, {{v, 0}});
              }),
              HasSubstr("op_point: v is a function of time that is not of this system"));
}

// A disc that rolls straight on falls over when it is slower than u2^2 = g/(3 r).
TEST_F(LinearizeTest, TheRollingDiscHasItsCriticalSpeed) {
  const ReferenceFrame N = mechanics.frame("N");
  const auto q = mechanics.dynamicsymbols<3>("q1 q2 q3"), u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const auto [r, m, g, omega] = mechanics.symbols<4>("r m g omega");
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
  const Linearization linear =
      linearize(kane, {{q[0], 0}, {q[1], 0}, {q[2], 0}, {u[0], 0}, {u[1], omega}, {u[2], 0}});
  const Matrix& A = linear.A;
  EXPECT_TRUE(same(A(3, 1), 4 * g / (5 * r)));
  EXPECT_TRUE(same(A(3, 5), 6 * omega / 5));
  EXPECT_TRUE(same(A(5, 3), -2 * omega));
  EXPECT_TRUE(same(A(0, 5), 1));
  // Lean'' = (4 g/(5 r) - 12 omega^2/5) lean.
  const Expression stiffness = A(3, 1) + A(3, 5) * A(5, 3);
  EXPECT_TRUE(same(stiffness, 4 * g / (5 * r) - 12 * omega * omega / 5));
}

class BicycleTest : public test::SymbolicTest {
 protected:
  // Rows and columns of lean, steer and their rates.
  static Matrix pick(const Matrix& A, const std::array<std::size_t, 4>& places) {
    Matrix picked(4, 4);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) picked(i, j) = A(places[i], places[j]);
    }
    return picked;
  }

  Matrix derive() {
    test::Bicycle bicycle(mechanics);
    return pick(linearize(bicycle.derive(), bicycle.riding()).A, {1, 2, 3, 5});
  }

  // The matrix that sympy.physics.mechanics asserts for this bicycle (test_kane3.py), to 1e-12 as there.
  // Entry by entry it is -M^-1 (g K0 + v^2 K2) and -M^-1 v C1 with the matrices of section 5 of Meijaard et
  // al.
  void expect_published(const Matrix& A) {
    for (int speed = 0; speed <= 10; ++speed) {
      const double v = speed;
      const double expected[4][4] = {{0, 0, 1, 0},
                                     {0, 0, 0, 1},
                                     {9.48977444677355, -0.891197738059089 * v * v - 0.571523173729245,
                                      -0.105522449805691 * v, -0.330515398992311 * v},
                                     {11.7194768719633, -1.97171508499972 * v * v + 30.9087533932407,
                                      3.67680523332152 * v, -3.08486552743311 * v}};
      const std::vector<double> values = evaluate(A, {{"v", v}});
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
          // Fifteen digits are given of each coefficient; at 10 m/s they are multiplied by 100.
          const double tolerance = 1e-12 * std::max(1.0, std::abs(expected[i][j]));
          EXPECT_NEAR(values[4 * i + j], expected[i][j], tolerance) << "v = " << v << ", " << i << ", " << j;
        }
      }
    }
  }
};

TEST_F(BicycleTest, LinearisedItIsThatOfThePublishedBenchmark) { expect_published(derive()); }

// With multipliers instead of dependent speeds, and eight coordinates of which one is dependent.
TEST_F(BicycleTest, LagrangesMethodLinearisesToTheSameMatrix) {
  test::Bicycle bicycle(mechanics);
  const LagrangesMethod lagrange = bicycle.derive_by_lagrange();
  const Linearization linear =
      linearize(mechanics, lagrange,
                {bicycle.x, bicycle.y, bicycle.yaw, bicycle.lean, bicycle.steer, bicycle.rear_angle,
                 bicycle.front_angle},
                {bicycle.rate(bicycle.lean), bicycle.rate(bicycle.rear_angle), bicycle.rate(bicycle.steer)},
                bicycle.riding_by_rates());
  expect_published(pick(linear.A, {3, 4, 7, 9}));
}

// Table 2 of Meijaard et al.: weave pair, capsize and castering at 0 ... 10 m/s; the weave pair is two real
// roots where its second column is not an imaginary part (v = 0). One step of Newton's from the published
// value to the root of det(A - lambda) must be below its last digits.
TEST_F(BicycleTest, HasThePublishedEigenvalues) {
  using Complex = std::complex<double>;
  const Matrix A = derive();
  const auto pair = [](double re, double im) { return std::array{Complex(re, im), Complex(re, -im)}; };
  const std::array<std::array<Complex, 2>, 11> weave = {{{5.53094371765393, 3.13164324790656},
                                                         pair(3.52696170990070, 0.807740275199300),
                                                         pair(2.68234517512745, 1.68066296590675),
                                                         pair(1.70675605663975, 2.31582447384325),
                                                         pair(0.413253315211250, 3.07910818603206),
                                                         pair(-0.775341882195850, 4.46486771378823),
                                                         pair(-1.52644486584142, 5.87673060598709),
                                                         pair(-2.13875644258362, 7.19525913329805),
                                                         pair(-2.69348683581097, 8.46037971396931),
                                                         pair(-3.21675402252485, 9.69377351531791),
                                                         pair(-3.72016840437287, 10.9068113947629)}};
  const std::array<std::array<double, 2>, 11> capsize_and_castering = {
      {{-3.13164324790656, -5.53094371765393},
       {-3.13423125066578, -7.11008014637442},
       {-3.07158645641514, -8.67387984831735},
       {-2.63366137253667, -10.3510146724592},
       {-1.42944427361326, -12.1586142657645},
       {-0.322866429004090, -14.0783896927982},
       {-0.00406690076970000, -16.0853712309803},
       {0.102681705747660, -18.1578846612526},
       {0.143278797657130, -20.2794089439457},
       {0.157901840309170, -22.4378855904086},
       {0.161053386531720, -24.6245963501740}}};
  for (std::size_t row = 0; row < weave.size(); ++row) {
    const std::vector<double> a = evaluate(A, {{"v", static_cast<double>(row)}});
    const auto [capsize, castering] = capsize_and_castering[row];
    const std::array<Complex, 4> published = {weave[row][0], weave[row][1], capsize, castering};
    for (const Complex lambda : published) {
      // det of lambda^2 - D lambda - K, with the two second-order rows [K D].
      const auto p = [&](int i, int j) {
        const Complex diagonal = i == j ? lambda * lambda : 0.0;
        return diagonal - a[static_cast<std::size_t>(8 + 4 * i + 2 + j)] * lambda -
               a[static_cast<std::size_t>(8 + 4 * i + j)];
      };
      const Complex determinant = p(0, 0) * p(1, 1) - p(0, 1) * p(1, 0);
      Complex slope = 1.0;
      for (const Complex other : published) {
        if (other != lambda) slope *= lambda - other;
      }
      EXPECT_LT(std::abs(determinant / slope), 1e-12 * std::max(1.0, std::abs(lambda)))
          << "v = " << row << ", " << lambda;
    }
  }
}

}  // namespace
}  // namespace sestina::symbolic
