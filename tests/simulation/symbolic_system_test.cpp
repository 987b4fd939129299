#include "sestina/simulation/symbolic_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/io/model_file.h"
#include "sestina/workspace/workspace.h"
#include "simulation/systems.h"
#include "symbolic/bicycle.h"

namespace sestina::symbolic {
namespace {

using testing_support::message_of;

double spread(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

SimulationOptions options(double duration, double every, double tolerance = 1e-10) {
  SimulationOptions options;
  options.duration = duration;
  options.output_every = every;
  options.step.rtol = tolerance;
  options.step.atol = tolerance;
  return options;
}

// A cart at rest that a force pushes for 0.1 s of 100 s: with and without a constraint that holds the time.
TEST(SymbolicSystem, MeetsAPushThatSetsInLater) {
  for (const bool has_constraint : {false, true}) {
    Mechanics mechanics;
    const auto [m, on] = mechanics.symbols<2>("m on");
    const Expression t = mechanics.time();
    const auto [x, y, v, w] = mechanics.dynamicsymbols<4>("x y v w");
    const ReferenceFrame N = mechanics.frame("N");
    const Point O = mechanics.point("O"), P = mechanics.point("P");
    O.set_vel(N, Vector());
    P.set_pos(O, x * N.x() + y * N.y());
    P.set_vel(N, v * N.x() + w * N.y());
    const Expression force = if_less(t, on, 0, if_less(t, on + fraction(1, 10), 10, 0));
    KaneOptions setup{
        .q_ind = {x, y}, .u_ind = {v, w}, .kd_eqs = {mechanics.rate(x) - v, mechanics.rate(y) - w}};
    if (has_constraint) {
      setup.q_ind = {x}, setup.q_dependent = {y}, setup.u_ind = {v}, setup.u_dependent = {w};
      setup.configuration_constraints = {y - t};
      setup.velocity_constraints = {w - 1};
    }
    SymbolicSystem system(KanesMethod(N, setup, {Particle{"cart", P, m, 0}}, {Force{P, force * N.x()}}));
    system.set({{m, 2.0}, {on, 50.3}});
    const ResultTable rows = system.simulate({.duration = 100.0, .output_every = 10.0});
    EXPECT_NEAR(rows.column("v").back(), 0.5, 1e-7) << has_constraint;
  }
}

// The pendulum in one angle from a model file, and in two Cartesian coordinates with a constraint by both
// methods: the same motion over the top, through where either coordinate alone says nothing of the other.
TEST(SymbolicSystem, MovesAsTheModelFromAFileDoes) {
  Workspace workspace(read_model(R"(
sestina: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: bob, type: particle, mass: 1.5, points: {hook: [0, 2, 0]}}
joints:
  - {name: pivot, type: revolute, parent: ground.origin, child: bob.hook, axis: [0, 0, 1], q: 0.3, u: 4.6}
analysis: {duration: 5, integrator: dormand_prince_54, step: {driver: variable, rtol: 1e-12, atol: 1e-12}}
output: {every: 0.1}
)"));
  auto recorder = std::make_unique<MemoryRecorder>();
  const MemoryRecorder& rows = *recorder;
  workspace.add_recorder(std::move(recorder));
  ASSERT_EQ(workspace.run().status, RunStatus::kComplete);
  const std::vector<double> angle = rows.table().column("pivot.q"), rate = rows.table().column("pivot.u");
  EXPECT_GT(spread(angle), 2 * M_PI);  // it goes over the top

  test::StringPendulum pendulum;
  const KanesMethod kane = pendulum.by_kane();
  const LagrangesMethod lagrange = pendulum.by_lagrange();
  const double l = 2.0, start = 0.3, speed = 4.6;
  for (const bool by_kane : {true, false}) {
    SymbolicSystem system(by_kane ? motion_equations(kane) : motion_equations(pendulum.mechanics, lagrange));
    system.set({{pendulum.m, 1.5}, {pendulum.g, 9.81}, {pendulum.l, l}});
    system.set_initial(
        {{pendulum.x, l * std::sin(start)},
         {by_kane ? pendulum.mechanics.dynamicsymbol("vx") : pendulum.mechanics.rate(pendulum.x),
          l * speed * std::cos(start)}});
    // The lower one of the two heights is nearer.
    if (by_kane) {
      system.set_initial({{pendulum.y, -1.0}});
    } else {
      system.set_guess({{pendulum.y, -1.0}});
    }
    // Lagrange's multiplier counts against the constraint, Kane's along it.
    system.add_output("tension", (by_kane ? -2 : 2) * l * pendulum.mechanics.dynamicsymbol("lam1"), "N");
    MemoryRecorder memory;
    const SimulationReport report = system.run(options(5.0, 0.1, 1e-12), memory);
    ASSERT_TRUE(report.is_complete) << report.failure;
    const std::vector<double> x = memory.table().column("x"), y = memory.table().column("y"),
                              tension = memory.table().column("tension");
    ASSERT_EQ(x.size(), angle.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(x[i], l * std::sin(angle[i]), 1e-8) << i;
      EXPECT_NEAR(y[i], -l * std::cos(angle[i]), 1e-8) << i;
      // m (g cos q + l q'^2), by what the constraint's multiplier tells.
      EXPECT_NEAR(tension[i], 1.5 * (9.81 * std::cos(angle[i]) + l * rate[i] * rate[i]), 2e-7) << i;
    }
    EXPECT_LT(report.configuration_residual, 4e-15);
    EXPECT_LT(report.velocity_residual, 1e-13);
    EXPECT_GT(report.drift, 0.0);
    EXPECT_LT(report.drift, 1e-10);
  }
}

// In a steady turn lean and rates stay, and the contact point runs on a circle. With lean q2 and yaw rate w
// the spin rate s follows from the balance about the lean axis: (5/4) w^2 sin q2 cos q2 + (3/2) w s cos q2 +
// (g/r) sin q2 = 0.
TEST(SymbolicSystem, ADiscRollsOnItsCircle) {
  test::RollingDisc disc;
  const KanesMethod kane = disc.derive();
  SymbolicSystem system(kane);
  system.set(disc.numbers());
  system.add_energies(*disc.frame, disc.bodies);
  const double r = 0.3, g = 9.81, lean = 0.4, yaw_rate = 1.7;
  // Cross-checked with the accelerations at the start, which must vanish.
  const double spin_rate =
      -(1.25 * yaw_rate * yaw_rate * std::sin(lean) * std::cos(lean) + g / r * std::sin(lean)) /
      (1.5 * yaw_rate * std::cos(lean));
  system.set_initial({{disc.named("q2"), lean}, {disc.named("u1"), yaw_rate}, {disc.named("u3"), spin_rate}});
  const std::vector<double> accelerations =
      system.evaluate_at_start({disc.mechanics.dynamicsymbol("u1", 1), disc.mechanics.dynamicsymbol("u2", 1),
                                disc.mechanics.dynamicsymbol("u3", 1)});
  for (const double a : accelerations) EXPECT_NEAR(a, 0.0, 1e-11);
  MemoryRecorder memory;
  const double period = 2 * M_PI / yaw_rate;
  const SimulationReport report = system.run(options(period, period / 40), memory);
  ASSERT_TRUE(report.is_complete) << report.failure;
  const ResultTable& table = memory.table();
  EXPECT_LT(spread(table.column("q2")), 1e-8);
  EXPECT_LT(spread(table.column("energy.total")), 1e-7);
  const double radius = r * std::abs(spin_rate) / yaw_rate;
  EXPECT_NEAR(spread(table.column("x")), 2 * radius, 0.01 * radius);
  EXPECT_NEAR(table.column("x").back(), 0.0, 1e-7);
  EXPECT_NEAR(table.column("y").back(), 0.0, 1e-7);
  EXPECT_LT(report.velocity_residual, 1e-13);
}

TEST(SymbolicSystem, AWobblingDiscKeepsItsEnergy) {
  test::RollingDisc disc;
  const KanesMethod kane = disc.derive();
  SymbolicSystem system(kane);
  system.set(disc.numbers());
  system.add_energies(*disc.frame, disc.bodies);
  system.set_initial(
      {{disc.named("q2"), 0.3}, {disc.named("u1"), 0.5}, {disc.named("u2"), 1.0}, {disc.named("u3"), 9.0}});
  const ResultTable table = system.simulate(options(10.0, 0.05));
  EXPECT_LT(spread(table.column("energy.total")), 1e-7 * table.column("energy.total")[0]);
  EXPECT_GT(spread(table.column("energy.kinetic")), 0.1);
}

// A crank-rocker linkage that is let go: it turns right through, its loop stays closed and its energy the
// same.
TEST(SymbolicSystem, AFourBarLinkageStaysClosed) {
  test::FourBar linkage;
  const KanesMethod kane = linkage.derive();
  SymbolicSystem system(kane);
  system.set(linkage.numbers(0.2, 0.5, 0.4, 0.5));
  system.add_energies(*linkage.frame, linkage.bodies);
  system.set_initial({{linkage.q[0], 1.0},
                      {linkage.q[1], 0.3},
                      {linkage.q[2], -1.5},
                      {linkage.mechanics.dynamicsymbol("u1"), 12.0}});
  MemoryRecorder memory;
  const SimulationReport report = system.run(options(10.0, 0.05), memory);
  ASSERT_TRUE(report.is_complete) << report.failure;
  EXPECT_GT(spread(memory.table().column("q1")), 20.0);
  EXPECT_LT(report.configuration_residual, 1e-15);
  EXPECT_LT(report.velocity_residual, 1e-14);
  EXPECT_LT(report.drift, 1e-8);
  const std::vector<double> energy = memory.table().column("energy.total");
  EXPECT_LT(spread(energy), 1e-6 * energy[0]);
}

// The first coordinate's own dead points: the crank that is singled out stands still while the rocker goes
// on. A parallelogram, and a triple rocker that is driven through the position in which no choice of a
// dependent pair by the user holds throughout.
TEST(SymbolicSystem, PassesThePositionsInWhichTheIndependentSpeedIsNone) {
  test::FourBar linkage;
  const KanesMethod kane = linkage.derive();
  SymbolicSystem system(kane);
  // The first bar is the longest: it swings to and fro while the last one turns.
  system.set(linkage.numbers(0.4, 0.5, 0.2, 0.5));
  system.add_energies(*linkage.frame, linkage.bodies);
  system.set_initial({{linkage.q[0], 1.2},
                      {linkage.q[1], -0.4},
                      {linkage.q[2], -1.5},
                      {linkage.mechanics.dynamicsymbol("u1"), 4.0}});
  MemoryRecorder memory;
  const SimulationReport report = system.run(options(10.0, 0.05), memory);
  ASSERT_TRUE(report.is_complete) << report.failure;
  const std::vector<double> first = memory.table().column("q1"), last = memory.table().column("q3");
  EXPECT_LT(spread(first), M_PI);
  EXPECT_GT(spread(last), 4 * M_PI);
  const std::vector<double> energy = memory.table().column("energy.total");
  EXPECT_LT(spread(energy), 1e-6 * *std::max_element(energy.begin(), energy.end()));
  EXPECT_LT(report.configuration_residual, 1e-15);
}

// The bicycle of Meijaard et al. at 5 m/s, where it is stable: lean and steer die out, energy stays, the
// front wheel stays on the ground. Kane's equations with one dependent coordinate and three dependent speeds.
TEST(SymbolicSystem, ABicycleRightsItself) {
  Mechanics mechanics;
  test::Bicycle bicycle(mechanics);
  const KanesMethod kane = bicycle.derive();
  SymbolicSystem system(kane);
  ParameterValues numbers;
  for (const auto& [symbol, value] : bicycle.riding()) {
    if (!mechanics.variables().is_variable(symbol.in(mechanics.graph()))) {
      const double number = value.graph() ? M_PI / 10 : value.number().value();
      numbers.emplace_back(symbol, number);
    }
  }
  system.set(numbers);
  const double v = 5.0;
  const auto u = mechanics.dynamicsymbols<6>("u1 u2 u3 u4 u5 u6");
  system.set_initial({{bicycle.lean, 0.05}, {u[2], -v / 0.3}});
  MemoryRecorder memory;
  const SimulationReport report = system.run(options(12.0, 0.05), memory);
  ASSERT_TRUE(report.is_complete) << report.failure;
  const std::vector<double> lean = memory.table().column("phi");
  // Capsize is the slowest mode: exp(-0.322866 t).
  EXPECT_LT(std::abs(lean.back()), 0.05 * 4 * std::exp(-0.322866 * 12.0));
  EXPECT_GT(spread(lean), 0.05);
  EXPECT_LT(report.configuration_residual, 1e-15);
  EXPECT_LT(report.velocity_residual, 1e-14);
}

// x'' = -k x + F(t) by a given function of time, closed form; and cvode with Newton's method.
TEST(SymbolicSystem, TakesInputsAsFunctionsOfTime) {
  Mechanics mechanics;
  const auto [x, v, F] = mechanics.dynamicsymbols<3>("x v F");
  const auto [m, k, A] = mechanics.symbols<3>("m k A");
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O"), P = O.locatenew("P", x * N.x());
  P.set_vel(N, v * N.x());
  const KanesMethod kane(N, {.q_ind = {x}, .u_ind = {v}, .kd_eqs = {mechanics.rate(x) - v}},
                         {Particle{"P", P, m}}, {Force{P, (F - k * x) * N.x()}});
  SymbolicSystem system(kane);
  system.set({{m, 2.0}, {k, 8.0}, {A, 3.0}});
  EXPECT_THAT(message_of([&] { (void)system.simulate(options(1.0, 0.1)); }),
              testing::HasSubstr("F is not a coordinate, speed or given function of time"));
  system.set_input(F, A * sin(mechanics.time()));
  system.set_initial({{x, 1.0}});
  system.add_output("drive", F, "N");
  system.add_output("jerk of the drive", mechanics.rate(F));
  for (const char* rule : {"dormand_prince_54", "cvode_bdf", "adams_bashforth_moulton", "munthe_kaas_4"}) {
    SimulationOptions wanted = options(4.0, 0.5, 1e-9);
    wanted.rule.name = rule;
    if (wanted.rule.name != "dormand_prince_54" && wanted.rule.name != "cvode_bdf") {
      wanted.step.driver = "fixed";
      wanted.step.dt = 1e-3;
    }
    const ResultTable table = system.simulate(wanted);
    for (std::size_t i = 0; i < table.rows(); ++i) {
      // 2 x'' + 8 x = 3 sin t: the particular solution is sin(t)/2.
      const double t = table.at(i, 0);
      EXPECT_NEAR(table.at(i, 1), std::cos(2 * t) - 0.25 * std::sin(2 * t) + 0.5 * std::sin(t), 1e-6) << rule;
      EXPECT_NEAR(table.at(i, 3), 3.0 * std::sin(t), 1e-15);
      EXPECT_NEAR(table.at(i, 4), 3.0 * std::cos(t), 1e-15);
    }
  }
}

// A pendulum whose pivot is moved, given as r(t) or written into the positions at once: what it feels is r''.
TEST(SymbolicSystem, PositionsMayHoldInputs) {
  const auto swing = [](bool as_input) {
    Mechanics mechanics;
    const auto [q, u, r] = mechanics.dynamicsymbols<3>("q u r");
    const Expression given = Expression(3) / 10 * sin(4 * mechanics.time());
    const Expression height = as_input ? r : given;
    const ReferenceFrame N = mechanics.frame("N"), A = N.orientnew("A", q, N.z());
    A.set_ang_vel(N, u * N.z());
    const Point O = mechanics.point("O"), B = O.locatenew("B", height * N.y()), P = B.locatenew("P", A.x());
    O.set_vel(N, Vector());
    B.set_vel(N, mechanics.rate(height) * N.y());
    P.v2pt_theory(B, N, A);
    const KanesMethod kane(N, {.q_ind = {q}, .u_ind = {u}, .kd_eqs = {mechanics.rate(q) - u}},
                           {Particle{"P", P, 1}}, {Force{P, 10 * N.x()}});
    SymbolicSystem system(kane);
    if (as_input) {
      system.set_input(r, given);
      EXPECT_THROW(system.set_input(mechanics.rate(r), 1), InputError);
      EXPECT_THROW(system.set_input(mechanics.rate(u), 1), InputError);
    }
    system.set_initial({{q, 0.1}});
    const ResultTable table = system.simulate(options(2.0, 0.1, 1e-11));
    return table.column("q").back();
  };
  EXPECT_NEAR(swing(true), swing(false), 1e-12);
  EXPECT_GT(std::abs(swing(true) - 0.1), 0.05);
}

// x' = u + w(t), u' = -x: outputs of x' and events find the input in the kinematics. With w = 2 it is
// x = 2 sin t, and x = 1 at pi/6.
TEST(SymbolicSystem, KinematicsMayHoldInputs) {
  Mechanics mechanics;
  const auto [x, u, w] = mechanics.dynamicsymbols<3>("x u w");
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O"), P = O.locatenew("P", x * N.x());
  O.set_vel(N, Vector());
  P.set_vel(N, u * N.x());
  const KanesMethod kane(N, {.q_ind = {x}, .u_ind = {u}, .kd_eqs = {mechanics.rate(x) - u - w}},
                         {Particle{"P", P, 1}}, {Force{P, -x * N.x()}});
  SymbolicSystem system(kane);
  system.set_input(w, 2);
  system.add_output("rate", mechanics.rate(x));
  system.add_event({.name = "there", .function = x - 1});
  const ResultTable table = system.simulate(options(1.0, 0.1, 1e-12));
  const std::vector<double> t = table.column("t"), event = table.column("event"), rate = table.column("rate");
  double at = 0.0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_NEAR(rate[i], 2 * std::cos(t[i]), 1e-10);
    if (event[i] != 0.0) at = t[i];
  }
  EXPECT_NEAR(at, M_PI / 6, 1e-11);
}

// A bead on a rod that is turned at a given rate: x'' = w^2 x; the constraint q = w t is rheonomic, and time
// rides along.
TEST(SymbolicSystem, FollowsConstraintsThatMove) {
  Mechanics mechanics;
  const auto q = mechanics.dynamicsymbols<2>("q x"), u = mechanics.dynamicsymbols<2>("u v");
  const auto [m, w] = mechanics.symbols<2>("m w");
  const ReferenceFrame N = mechanics.frame("N"), A = N.orientnew("A", q[0], N.z());
  A.set_ang_vel(N, u[0] * N.z());
  const Point O = mechanics.point("O"), P = O.locatenew("P", q[1] * A.x());
  O.set_vel(N, Vector());
  P.set_vel(N, u[1] * A.x() + q[1] * u[0] * A.y());
  const KanesMethod kane(N,
                         {.q_ind = {q[1]},
                          .u_ind = {u[1]},
                          .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]},
                          .q_dependent = {q[0]},
                          .configuration_constraints = {q[0] - w * mechanics.time()},
                          .u_dependent = {u[0]},
                          .velocity_constraints = {u[0] - w}},
                         {Particle{"P", P, m}}, {});
  SymbolicSystem system(kane);
  system.set({{m, 2.0}, {w, 1.5}});
  system.set_initial({{q[1], 0.2}});
  // The torque that turns the rod: 2 m x x' w.
  system.add_output("torque", mechanics.dynamicsymbol("lam1"), "N m");
  const ResultTable table = system.simulate(options(1.5, 0.25, 1e-11));
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const double t = table.at(i, 0), x = 0.2 * std::cosh(1.5 * t), v = 0.3 * std::sinh(1.5 * t);
    EXPECT_NEAR(table.column("x")[i], x, 1e-9);
    EXPECT_NEAR(table.column("q")[i], 1.5 * t, 1e-14);
    EXPECT_NEAR(table.column("torque")[i], 2 * 2.0 * x * v * 1.5, 1e-7);
  }
  SimulationOptions verlet = options(1.0, 0.1);
  verlet.rule.name = "verlet";
  verlet.step.driver = "fixed";
  verlet.step.dt = 0.01;
  EXPECT_THAT(message_of([&] { (void)system.simulate(verlet); }), testing::HasSubstr("dormand_prince_54"));
}

// A ball that is dropped from h and loses part of its speed: it lands after sqrt(2 h/g), and then after
// 2 e^k sqrt(2 h/g).
TEST(SymbolicSystem, EventsAreLocatedAndSetSpeeds) {
  Mechanics mechanics;
  const auto [y, v] = mechanics.dynamicsymbols<2>("y v");
  const auto [m, g, e] = mechanics.symbols<3>("m g e");
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O"), P = O.locatenew("P", y * N.y());
  P.set_vel(N, v * N.y());
  const std::vector<Body> bodies = {Particle{"P", P, m}};
  const KanesMethod kane(N, {.q_ind = {y}, .u_ind = {v}, .kd_eqs = {mechanics.rate(y) - v}}, bodies,
                         gravity(-g * N.y(), bodies));
  SymbolicSystem system(kane);
  system.set({{m, 1.0}, {g, 10.0}, {e, 0.5}});
  system.set_initial({{y, 5.0}});
  system.add_event(
      {.name = "bounce", .function = y, .direction = CrossingDirection::kFalling, .set = {{v, -e * v}}});
  system.add_event({.name = "slow",
                    .function = mechanics.rate(y) + Expression(3),
                    .direction = CrossingDirection::kFalling});
  system.add_event({.name = "third apex", .function = mechanics.time() - 2.0, .is_terminal = true});
  MemoryRecorder memory;
  const SimulationReport report = system.run(options(9.0, 0.25), memory);
  ASSERT_TRUE(report.is_complete) << report.failure;
  EXPECT_EQ(report.ended_by, "third apex");
  EXPECT_DOUBLE_EQ(report.t, 2.0);
  // At 1 s, and at 2 s; the run ends there.
  const std::vector<double> t = memory.table().column("t"), event = memory.table().column("event");
  std::vector<double> bounces;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (event[i] == 1.0) bounces.push_back(t[i]);
  }
  ASSERT_EQ(bounces.size(), 2u);
  EXPECT_NEAR(bounces[0], 1.0, 1e-12);
  EXPECT_NEAR(bounces[1], 2.0, 1e-12);
  EXPECT_EQ(report.event_counts[1], 2);
}

TEST(SymbolicSystem, OutputsHaveNamesOfTheirOwn) {
  test::StringPendulum pendulum;
  const KanesMethod kane = pendulum.by_kane();
  SymbolicSystem system(kane);
  for (const Expression& e : {kane.q()[0], kane.u()[1]}) {
    EXPECT_EQ(
        message_of([&] { system.add_output(to_text(e), 100 * pendulum.x); }),
        "'" + to_text(e) + "' cannot name an output: it is a coordinate or speed, which has its own column");
  }
  EXPECT_EQ(message_of([&] { system.add_output("100 x", 100 * pendulum.x); }),
            testing_support::kNothingThrown);
}

// A coordinate that passes zero, by which an output divides: the run fails and keeps what came before.
TEST(SymbolicSystem, FailsWhereAnOutputIsNotFinite) {
  Mechanics mechanics;
  const Expression m = mechanics.symbol("m");
  const auto [x, v] = mechanics.dynamicsymbols<2>("x v");
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O"), P = mechanics.point("P");
  O.set_vel(N, Vector());
  P.set_pos(O, x * N.x());
  P.set_vel(N, v * N.x());
  SymbolicSystem system(KanesMethod(N, {.q_ind = {x}, .u_ind = {v}, .kd_eqs = {mechanics.rate(x) - v}},
                                    {Particle{"bob", P, m, 0}}, {Force{P, Vector()}}));
  system.set({{m, 1.0}});
  system.set_initial({{x, -1.0}, {v, 1.0}});
  system.add_output("distance", log(-x), "1");
  MemoryRecorder rows;
  const SimulationReport report = system.run({.duration = 2.0, .output_every = 0.25}, rows);
  EXPECT_FALSE(report.is_complete);
  EXPECT_THAT(report.failure, testing::HasSubstr("distance is not finite"));
  ASSERT_GE(rows.table().rows(), 4U);
  for (const double value : rows.table().values()) EXPECT_TRUE(std::isfinite(value));
}

TEST(SymbolicSystem, SaysWhatInitialValuesLack) {
  test::StringPendulum pendulum;
  const KanesMethod kane = pendulum.by_kane();
  SymbolicSystem system(kane);
  EXPECT_THAT(message_of([&] { (void)system.calc_initial_state(); }),
              testing::HasSubstr("no value is given for"));
  system.set({{pendulum.m, 1.5}, {pendulum.g, 9.81}, {pendulum.l, 2.0}});
  system.set_initial({{pendulum.x, 2.5}, {pendulum.y, -1.0}});
  EXPECT_THAT(message_of([&] { (void)system.calc_initial_state(); }),
              testing::HasSubstr("configuration constraint 1 stays at 2.25; free to change are y"));
  EXPECT_THAT(message_of([&] {
                system.set_initial({{pendulum.m, 1.0}});
              }),
              testing::HasSubstr("m is not a coordinate or speed"));
  EXPECT_THAT(message_of([&] {
                system.set({{pendulum.x, 1.0}});
              }),
              testing::HasSubstr("x is not a constant"));

  const LagrangesMethod lagrange = pendulum.by_lagrange();
  SymbolicSystem other(pendulum.mechanics, lagrange);
  other.set({{pendulum.m, 1.5}, {pendulum.g, 9.81}, {pendulum.l, 2.0}});
  other.set_guess({{pendulum.x, 1.0}});
  EXPECT_THAT(message_of([&] { (void)other.calc_initial_state(); }),
              testing::HasSubstr(
                  "the configuration constraints determine 1 of x and y: give initial values of 1 more"));
  other.set_initial({{pendulum.x, 1.2},
                     {pendulum.y, 1.6},
                     {pendulum.mechanics.rate(pendulum.x), 0.8},
                     {pendulum.mechanics.rate(pendulum.y), 0.6}});
  EXPECT_THAT(message_of([&] { (void)other.calc_initial_state(); }),
              testing::HasSubstr("contradict velocity constraint 1"));
  other.set_initial({{pendulum.mechanics.rate(pendulum.y), -0.6}});
  EXPECT_NO_THROW((void)other.calc_initial_state());
}

// The same constraint twice, once scaled: one of them is left out, and the motion is the same.
TEST(SymbolicSystem, ConstraintsMayFollowFromEachOther) {
  test::StringPendulum pendulum;
  const auto& [mechanics, x, y, m, g, l, N, O, bodies] = pendulum;
  const Expression T = m * (pow(pendulum.mechanics.rate(x), 2) + pow(pendulum.mechanics.rate(y), 2)) / 2;
  const Expression distance = x * x + y * y - l * l;
  LagrangeOptions twice;
  twice.hol_coneqs = {distance, 3 * distance};
  const LagrangesMethod one = pendulum.by_lagrange();
  const LagrangesMethod two(pendulum.mechanics, T - m * g * y, {x, y}, twice);
  std::vector<double> ends;
  for (const LagrangesMethod* lagrange : {&one, &two}) {
    SymbolicSystem system(pendulum.mechanics, *lagrange);
    system.set({{m, 1.5}, {g, 9.81}, {l, 2.0}});
    system.set_initial({{x, 1.2}});
    system.set_guess({{y, -1.0}});
    system.set_initial({{pendulum.mechanics.rate(x), 1.0}});
    MemoryRecorder memory;
    const SimulationReport report = system.run(options(2.0, 0.0), memory);
    ASSERT_TRUE(report.is_complete) << report.failure;
    EXPECT_EQ(report.redundant.size(), lagrange == &one ? 0u : 1u);
    EXPECT_LT(report.velocity_residual, 1e-13);
    ends.push_back(memory.table().column("x").back());
  }
  EXPECT_NEAR(ends[0], ends[1], 1e-9);
}

// Torque-free rotation by Euler parameters: energy and angular momentum stay, and so does the norm.
TEST(SymbolicSystem, EulerParametersKeepTheirNorm) {
  Mechanics mechanics;
  const auto e = mechanics.dynamicsymbols<4>("e0 e1 e2 e3");
  const auto u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const auto [I, J, K, m] = mechanics.symbols<4>("I J K m");
  const ReferenceFrame N = mechanics.frame("N"), B = mechanics.frame("B");
  B.orient_quaternion(N, e);
  B.set_ang_vel(N, u[0] * B.x() + u[1] * B.y() + u[2] * B.z());
  const Point O = mechanics.point("O");
  O.set_vel(N, Vector());
  const auto kinematics = kinematic_equations_quaternion(mechanics, {u[0], u[1], u[2]}, e);
  const std::vector<Body> bodies = {RigidBody{"B", O, B, m, inertia(B, I, J, K), O}};
  const KanesMethod kane(N,
                         {.q_ind = {e.begin(), e.end()},
                          .u_ind = {u.begin(), u.end()},
                          .kd_eqs = {kinematics.begin(), kinematics.end()}},
                         bodies, {});
  SymbolicSystem system(kane);
  system.set({{I, 1.0}, {J, 2.0}, {K, 3.0}, {m, 1.0}});
  system.set_initial({{e[0], 1}, {u[0], 0.01}, {u[1], 3.0}});
  system.add_invariant(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - Expression(1));
  system.add_energies(N, bodies);
  const Triple H = angular_momentum(O, N, bodies).to_matrix(N);
  for (std::size_t i = 0; i < 3; ++i) system.add_output("H" + std::to_string(i), H[i]);
  MemoryRecorder memory;
  const SimulationReport report = system.run(options(20.0, 0.1), memory);
  ASSERT_TRUE(report.is_complete) << report.failure;
  EXPECT_LT(report.configuration_residual, 1e-15);
  EXPECT_LT(spread(memory.table().column("energy.total")), 1e-7);
  for (const char* name : {"H0", "H1", "H2"}) EXPECT_LT(spread(memory.table().column(name)), 1e-7);
  EXPECT_GT(spread(memory.table().column("u2")), 5.0);  // it tumbles
}

// A pendulum of one particle whose weight is a load, from 1 rad; what the energies are made of is given.
class WeightAsLoad : public testing::Test {
 protected:
  WeightAsLoad() {
    A.set_ang_vel(N, u * N.z());
    O.set_vel(N, Vector());
    P.v2pt_theory(O, N, A);
  }

  ResultTable run(const Expression& potential, const Expression& weight) {
    Particle ball{"ball", P, m};
    ball.potential_energy = potential;
    SymbolicSystem system(KanesMethod(N, {.q_ind = {q}, .u_ind = {u}, .kd_eqs = {mechanics.rate(q) - u}},
                                      {ball}, {Force{P, weight * N.x()}, Torque{A, -k * q * N.z()}}));
    system.set({{m, 1.5}, {l, 0.7}, {g, 9.81}, {k, 2.0}});
    system.set_initial({{q, 1.0}});
    system.add_energies(N, {ball});
    system.add_output("spring", k * q * q / 2, "J");
    return system.simulate(options(1.0, 0.05, 1e-11));
  }

  Mechanics mechanics;
  Expression q = mechanics.dynamicsymbol("q"), u = mechanics.dynamicsymbol("u");
  Expression m = mechanics.symbol("m"), l = mechanics.symbol("l"), g = mechanics.symbol("g"),
             k = mechanics.symbol("k");
  ReferenceFrame N = mechanics.frame("N"), A = N.orientnew("A", q, N.z());
  Point O = mechanics.point("O"), P = O.locatenew("P", l*A.x());
};

TEST_F(WeightAsLoad, CountsAmongTheEnergiesOnce) {
  const Expression height = -m * g * l * cos(q), spring = k * q * q / 2;
  for (const Expression& potential : {Expression(0), spring, height, height + spring, height + 3 * m * g}) {
    const ResultTable table = run(potential, m * g);
    const bool has_spring = potential == spring || potential == height + spring;
    std::vector<double> total = table.column("energy.total");
    if (!has_spring) {
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += table.column("spring")[i];
    }
    EXPECT_LT(spread(total), 1e-9) << to_text(potential);
    EXPECT_GT(spread(table.column("energy.potential")), 1.0);
  }
  EXPECT_LT(spread(run(0, 14.715).column("energy.total")), 1.1);  // of numbers alone, but for the spring
}

// A spring that is pulled at rest keeps its constant part, which is not a weight.
TEST_F(WeightAsLoad, CountsInAForceThatHoldsMore) {
  const Expression c = mechanics.symbol("c"), x = l * cos(q);
  Particle ball{"ball", P, m};
  ball.potential_energy = c * pow(x - 1, 2) / 2;
  SymbolicSystem system(KanesMethod(N, {.q_ind = {q}, .u_ind = {u}, .kd_eqs = {mechanics.rate(q) - u}},
                                    {ball}, {Force{P, (m * g + c * (1 - x)) * N.x()}}));
  system.set({{m, 1.5}, {l, 0.7}, {g, 9.81}, {c, 3.0}});
  system.set_initial({{q, 1.0}});
  system.add_energies(N, {ball});
  const ResultTable table = system.simulate(options(1.0, 0.05, 1e-11));
  EXPECT_LT(spread(table.column("energy.total")), 1e-9);
  EXPECT_GT(spread(table.column("energy.potential")), 1.0);
}

TEST_F(WeightAsLoad, IsRefusedWhereTheBodiesMayHoldItAlready) {
  EXPECT_THAT(message_of([&] { run(k * q * q / 2, 14.715); }),
              testing::HasSubstr("may or may not hold that of the weight"));
}

// Instead of checkpoints: from the last row of one run to another.
TEST(SymbolicSystem, GoesOnFromTheLastRow) {
  Mechanics mechanics;
  const auto [q, u] = mechanics.dynamicsymbols<2>("q u");
  const auto [k, c] = mechanics.symbols<2>("k c");
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O"), P = O.locatenew("P", q * N.x());
  O.set_vel(N, Vector());
  P.set_vel(N, u * N.x());
  const KanesMethod kane(N, {.q_ind = {q}, .u_ind = {u}, .kd_eqs = {mechanics.rate(q) - u}},
                         {Particle{"P", P, 2}},
                         {Force{P, (c * cos(3 * mechanics.time()) - k * pow(q, 3)) * N.x()}});
  const auto run = [&, q = q, u = u, k = k, c = c](double start, double duration, double q0, double u0) {
    SymbolicSystem system(kane);
    system.set({{k, 30.0}, {c, 4.0}});
    system.set_initial({{q, q0}, {u, u0}});
    SimulationOptions options{.start = start, .duration = duration, .output_every = 0.5};
    options.rule.name = "rk4";
    options.step.driver = "fixed";
    options.step.dt = 1.0 / 128.0;
    const ResultTable table = system.simulate(options);
    return std::pair(table.column("q"), table.column("u"));
  };
  const auto whole = run(0.0, 6.0, 0.7, -0.2), first = run(0.0, 2.0, 0.7, -0.2);
  const auto second = run(2.0, 4.0, first.first.back(), first.second.back());
  EXPECT_GT(std::abs(whole.first.back() - first.first.back()), 1e-3);
  EXPECT_NEAR(second.first.back(), whole.first.back(), 1e-12);
  EXPECT_NEAR(second.second.back(), whole.second.back(), 1e-12);
}

}  // namespace
}  // namespace sestina::symbolic
