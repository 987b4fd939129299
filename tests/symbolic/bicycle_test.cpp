// The bicycle of bicycle.h away from upright riding. Accelerations of a state in which everything moves are
// those of Basu-Mandal, Chatterjee and Papadopoulos 2007, "Hands-free circular motions of a benchmark
// bicycle", Proc. R. Soc. A 463, table 1. Their axes are turned by pi about the one across, their lean counts
// from the horizontal and their pitch backwards from pi.
#include "symbolic/bicycle.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sestina/symbolic/steady_motion.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

using State = std::map<std::string, double>;

// Rates of the speeds of yaw, lean, rear wheel, pitch, steer and front wheel: u1 ... u6.
using Accelerations = std::array<double, 6>;

class NonlinearBicycleTest : public test::SymbolicTest {
 protected:
  static State parameters() {
    State values = test::Bicycle::table_1();
    values["lambda"] = M_PI / 10;
    return values;
  }

  static State published_state() {
    State state = parameters();
    state.insert({{"psi", 0.0},
                  {"phi", M_PI / 2 - 0.9501292851472},
                  {"theta", M_PI - 3.1257073014894},
                  {"delta", -0.2311385135743},
                  {"u1", -0.7830033527065},
                  {"u2", -0.6068425835418},
                  {"u3", -8.9129896614890},
                  {"u4", 0.0119185528069},
                  {"u5", -0.4859824687093},
                  {"u6", -8.0133620584155}});
    return state;
  }
  static constexpr Accelerations kPublished = {-0.8353281706379, 7.8555281128244, -1.8472554144217,
                                               -0.1205543897884, 4.6198904039403, -2.4548072904550};

  Accelerations calc_accelerations(const KanesMethod& kane, const State& state) {
    const std::vector<double> found = solve_at(kane.mass_matrix(), kane.forcing(), state);
    Accelerations ordered{};
    for (std::size_t i = 0; i < 6; ++i) {
      ordered.at(static_cast<std::size_t>(to_text(kane.u()[i])[1] - '1')) = found[i];
    }
    return ordered;
  }

  test::Bicycle bicycle{mechanics};
};

TEST_F(NonlinearBicycleTest, KanesMethodGivesThePublishedAccelerations) {
  const KanesMethod kane = bicycle.derive();
  const State published = published_state();
  // Twelve to fourteen digits are given of the state.
  const State completed = complete(kane, published);
  for (const auto& [name, value] : published) EXPECT_NEAR(completed.at(name), value, 1e-12) << name;

  // An acceleration changes by up to some tens of the change of a lean or a speed.
  const Accelerations found = calc_accelerations(kane, completed);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found.at(i), kPublished.at(i), 2e-12) << "u" << i + 1;
  // The rear hub.
  State state = completed;
  for (const auto& [rate, value] : kane.kindiffdict()) state[to_text(rate)] = state.at(to_text(value));
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string u = "u" + std::to_string(i + 1);
    state[to_text(mechanics.rate(mechanics.dynamicsymbol(u)))] = found.at(i);
  }
  const Triple hub = bicycle.rear_hub_acceleration();
  const std::vector<double> values = evaluate(Matrix({hub[0], hub[1], hub[2]}), state);
  EXPECT_NEAR(values[0], 0.5041626315047, 1e-12);
  EXPECT_NEAR(values[1], -0.3449706619454, 1e-12);
  EXPECT_NEAR(values[2], 1.4604528332980, 1e-12);
}

TEST_F(NonlinearBicycleTest, LagrangesMethodGivesThePublishedAccelerations) {
  const LagrangesMethod lagrange = bicycle.derive_by_lagrange();
  State state = published_state();
  const std::pair<Expression, double> rates[] = {{bicycle.yaw, state["u1"]},
                                                 {bicycle.lean, state["u2"]},
                                                 {bicycle.rear_angle, state["u3"]},
                                                 {bicycle.pitch, state["u4"]},
                                                 {bicycle.steer, state["u5"]},
                                                 {bicycle.front_angle, state["u6"]},
                                                 {bicycle.y, 0.0},
                                                 {bicycle.x, -0.3 * (state["u3"] + state["u4"])}};
  for (const auto& [angle, rate] : rates) state[to_text(bicycle.rate(angle))] = rate;
  const std::vector<double> z =
      solve_at(lagrange.augmented_mass_matrix(), lagrange.augmented_forcing(), state);
  // z: those of x, y, yaw, lean, pitch, steer, rear and front wheel
  constexpr std::size_t kPlaces[] = {2, 3, 6, 4, 5, 7};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(z[kPlaces[i]], kPublished.at(i), 1e-11) << "u" << i + 1;
}

// Upright and straight on the equations are exact in the speeds: by symmetry between left and right lean and
// steer answer to products of the forward speed with their rates alone, the coefficients being those of the
// linearised benchmark (linearize_test.cpp).
TEST_F(NonlinearBicycleTest, SteerMayBeExactlyZero) {
  const KanesMethod kane = bicycle.derive();
  State state = parameters();
  const double v = 4.6, lean_rate = 0.5, steer_rate = -0.7;
  state.insert({{"psi", 0.3}, {"phi", 0.0}, {"theta", 0.0}, {"delta", 0.0}});
  state.insert({{"u2", lean_rate}, {"u3", -v / 0.3}, {"u5", steer_rate}});
  state = complete(kane, state);
  EXPECT_NEAR(state.at("theta"), 0.0, 1e-15);
  EXPECT_NEAR(state.at("u4"), 0.0, 1e-15);
  // The front wheel's contact follows the ground: w yaw' = -c cos(lambda) delta'.
  EXPECT_NEAR(state.at("u1"), 0.08 * std::cos(M_PI / 10) * steer_rate / 1.02, 1e-14);
  const Accelerations found = calc_accelerations(kane, state);
  EXPECT_NEAR(found[1], v * (-0.105522449805691 * lean_rate - 0.330515398992311 * steer_rate), 1e-12);
  EXPECT_NEAR(found[4], v * (3.67680523332152 * lean_rate - 3.08486552743311 * steer_rate), 1e-12);
}

// With the handlebars straight in a lean the accelerations are the limit of those beside: the even part in
// the steer by Richardson's extrapolation.
TEST_F(NonlinearBicycleTest, ZeroSteerInALeanIsTheLimitOfSmallSteer) {
  const KanesMethod kane = bicycle.derive();
  const auto at = [&](double steer) {
    State state = parameters();
    state.insert({{"psi", 0.0}, {"phi", 0.3}, {"theta", 0.0}, {"delta", steer}});
    state.insert({{"u2", 0.4}, {"u3", -15.0}, {"u5", 0.6}});
    return calc_accelerations(kane, complete(kane, state));
  };
  const double h = 1e-3;
  const Accelerations zero = at(0.0), a = at(h), b = at(-h), c = at(2 * h), d = at(-2 * h);
  for (std::size_t i = 0; i < 6; ++i) {
    const double limit = (4 * (a.at(i) + b.at(i)) - (c.at(i) + d.at(i))) / 6;
    EXPECT_NEAR(zero.at(i), limit, 1e-9) << "u" << i + 1;  // some hundreds of h^4
    EXPECT_GT(std::abs(a.at(i) - b.at(i)), 1e-5) << "u" << i + 1;
  }
}

// Hands off in a circle: a family that leaves straight riding at the capsize speed, where
// [lean''; steer''] = (A0 + v^2 A2) [lean; steer] of Meijaard et al. is singular.
class HandsFreeTest : public NonlinearBicycleTest {
 protected:
  static constexpr double kA = 9.48977444677355, kB0 = -0.571523173729245, kB2 = -0.891197738059089,
                          kC = 11.7194768719633, kD0 = 30.9087533932407, kD2 = -1.97171508499972;
  const double capsize = std::sqrt((kC * kB0 - kA * kD0) / (kA * kD2 - kC * kB2));
  const double steer_of_lean = -kA / (kB0 + kB2 * capsize * capsize);

  static ParameterValues numbers(Mechanics& of) {
    ParameterValues values;
    for (const auto& [name, value] : parameters()) values.emplace_back(of.symbol(name), value);
    return values;
  }

  // Steer, pitch and the speeds of yaw and of the wheels.
  using Circle = std::array<double, 5>;
  static Circle pick(const SteadyMotion& steady, const std::array<Expression, 5>& symbols) {
    Circle circle{};
    for (std::size_t i = 0; i < 5; ++i) {
      const auto is_it = [&](const auto& value) { return value.first == symbols.at(i); };
      circle.at(i) = std::find_if(steady.values.begin(), steady.values.end(), is_it)->second;
    }
    return circle;
  }

  Circle by_kane(const MotionEquations& motion, double lean) {
    const auto speeds = mechanics.dynamicsymbols<3>("u1 u3 u6");
    const std::array symbols = {bicycle.steer, bicycle.pitch, speeds[0], speeds[1], speeds[2]};
    const double steer = steer_of_lean * lean;
    const SteadyMotion found = find_steady_motion(motion, numbers(mechanics),
                                                  {.values = {{bicycle.lean, lean},
                                                              {bicycle.steer, steer},
                                                              {speeds[0], 6.0 * steer / 1.1},
                                                              {speeds[1], -6.0 / 0.3},
                                                              {speeds[2], -6.0 / 0.35}},
                                                   .unknowns = {symbols.begin(), symbols.end()}});
    EXPECT_TRUE(found.is_isolated);
    return pick(found, symbols);
  }

  static Circle by_lagrange(Mechanics& others, double lean, double steer) {
    test::Bicycle other(others);
    const LagrangesMethod lagrange = other.derive_by_lagrange();
    const Expression yaw = other.rate(other.yaw), rear = other.rate(other.rear_angle),
                     front = other.rate(other.front_angle), x = other.rate(other.x), y = other.rate(other.y);
    const SteadyMotion found =
        find_steady_motion(motion_equations(others, lagrange), numbers(others),
                           {.values = {{other.lean, lean},
                                       {other.steer, steer},
                                       {x, 6.0},
                                       {yaw, 6.0 * steer / 1.1},
                                       {rear, -6.0 / 0.3},
                                       {front, -6.0 / 0.35}},
                            .unknowns = {other.steer, other.pitch, x, y, yaw, rear, front},
                            .unsteady = {x, y}});
    return pick(found, {other.steer, other.pitch, yaw, rear, front});
  }
};

TEST_F(HandsFreeTest, CirclesBeginAtTheCapsizeSpeed) {
  EXPECT_NEAR(capsize, 6.02426201538837, 1e-12);
  const MotionEquations motion = motion_equations(bicycle.derive());
  const double lean = 0.005;
  const Circle small = by_kane(motion, lean), large = by_kane(motion, 2 * lean);
  const auto speed = [](const Circle& circle) { return -0.3 * circle[3]; };
  EXPECT_NEAR((4 * speed(small) - speed(large)) / 3, capsize, 1e-7);  // some tens of lean^4
  EXPECT_NEAR((8 * small[0] - large[0]) / 6 / lean, steer_of_lean, 1e-7);
  EXPECT_GT(std::abs(speed(small) - capsize), 1e-5);
}

TEST_F(HandsFreeTest, BothMethodsFindTheSameCircleFarFromUpright) {
  const Circle kane = by_kane(motion_equations(bicycle.derive()), 0.3);
  Mechanics others;
  const Circle lagrange = by_lagrange(others, 0.3, steer_of_lean * 0.3);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(kane.at(i), lagrange.at(i), 1e-11 * std::abs(kane.at(i))) << i;
  }
  EXPECT_GT(std::abs(kane[2]), 0.1);
}

}  // namespace
}  // namespace sestina::symbolic
