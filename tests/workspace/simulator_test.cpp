// Steps from outside: agreement with runs, sampled controllers, delays, snapshots, events, and what is
// refused.
#include "sestina/workspace/simulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "message_of.h"
#include "sestina/model/freeze.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

using testing_support::message_of;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

double largest_difference(const State<double>& a, const State<double>& b) {
  return std::max({std::abs(a.t - b.t), largest_difference(a.q, b.q), largest_difference(a.u, b.u),
                   largest_difference(a.d, b.d), largest_difference(a.z, b.z)});
}

bool are_equal(const State<double>& a, const State<double>& b) {
  return a.t == b.t && a.q == b.q && a.u == b.u && a.d == b.d && a.z == b.z;
}

System make_driven_robot() {
  System robot = make_robot();
  add_given_forces(robot);
  return robot;
}

class EachRule : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Rules, EachRule,
                         testing::ValuesIn(integration_rule_names().begin(), integration_rule_names().end()),
                         [](const auto& test) { return test.param; });

// One step with a hundred sub-steps is a run of a hundred steps: the same arithmetic, but for the instants.
TEST_P(EachRule, StepsAsARunDoes) {
  System robot = make_robot();  // without user forces, which the implicit rule refuses
  set_fixed_step(robot, GetParam(), 1e-3, 0.1);
  const RunReport run = run_system(robot).report;
  Simulator simulator(freeze(robot), {.rule = {.name = GetParam()}, .substeps = 100});
  simulator.step(0.1);
  // CVODE keeps its error below its tolerances, and its steps answer to the last bit of an instant.
  const double tolerance = GetParam().starts_with("cvode") ? 1e-6 : 1e-11;
  EXPECT_LT(largest_difference(simulator.state(), run.final_state), tolerance);
  EXPECT_EQ(simulator.t(), 0.1);
  EXPECT_EQ(simulator.statistics().steps, 100);
  EXPECT_GT(largest_difference(simulator.state().q, Simulator(freeze(robot)).state().q), 1e-3);
}

// tau is what a joint_force of the same constant numbers is, in every face of the equations.
TEST_P(EachRule, AddsTauAsAForceOfTheModelDoes) {
  System with_force = make_hanging_chain(3), without = with_force;
  const std::vector<double> tau = {3.0, -2.0, 0.5};
  for (int i = 0; i < 3; ++i) {
    auto& force = with_force.add_force(fmt::format("motor{}", i), "joint_force");
    force.joint = fmt::format("joint{}", i);
    force.value = {tau[static_cast<std::size_t>(i)]};
  }
  const SimulatorOptions options{.rule = {.name = GetParam()}, .substeps = 20};
  Simulator simulator(freeze(without), options), expected(freeze(with_force), options);
  simulator.set_tau(tau);
  simulator.step(0.1);
  expected.step(0.1);
  const double tolerance = GetParam().starts_with("cvode") ? 1e-7 : 1e-12;
  EXPECT_LT(largest_difference(simulator.state(), expected.state()), tolerance);
  EXPECT_GT(std::abs(simulator.state().z[0]), 0.01);  // work supplied, J
}

TEST(Simulator, ManyStepsAreARun) {
  System robot = make_driven_robot();
  set_fixed_step(robot, "rk4", 1e-3, 0.2);
  const RunReport run = run_system(robot).report;
  Simulator simulator(freeze(robot));
  for (int k = 0; k < 200; ++k) simulator.step(1e-3);
  EXPECT_LT(largest_difference(simulator.state(), run.final_state), 1e-12);
  EXPECT_EQ(simulator.t(), 0.2);  // 200 times 0.001 and not a sum
}

TEST(Simulator, StepsWithinTolerances) {
  System robot = make_driven_robot();
  set_accurate(robot, 0.5, 0.5);
  const RunReport run = run_system(robot).report;
  Simulator simulator(freeze(robot),
                      {.rule = {.name = "dormand_prince_54"}, .tolerances = ErrorTolerances{1e-10, 1e-11}});
  for (int k = 0; k < 5; ++k) simulator.step(0.1);
  EXPECT_LT(largest_difference(simulator.state().q, run.final_state.q), 1e-8);
  EXPECT_GT(simulator.statistics().steps, 10);
}

// A mass m = 1 kg on a rail. A sampled PD controller, held between samples, makes it the linear map
//   [q; v]_{k+1} = [q + v T + a T^2/2; v + a T],  a = -kp q_{k-d} - kd v_{k-d}
// which any rule of second order or more reproduces exactly.
struct Rail {
  double q = 1.0, v = 0.0;
  std::vector<double> forces = {};
  void step(double T, double kp, double kd, std::size_t delay) {
    forces.push_back(-kp * q - kd * v);
    const double a = forces.size() > delay ? forces[forces.size() - 1 - delay] : 0.0;
    q += v * T + 0.5 * a * T * T;
    v += a * T;
  }
};

ControlLaw pd(double kp, double kd) {
  return [=](const State<double>& state, std::span<double>, std::span<double> tau) {
    tau[0] = -kp * state.q[0] - kd * state.u[0];
  };
}

class Delays : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Samples, Delays, testing::Values(0, 1, 3));

TEST_P(Delays, OfASampledControllerFollowTheClosedForm) {
  const double T = 0.01, kp = 40.0, kd = 4.0;
  for (const double dt : {0.01, 0.1, 0.0025, 0.003}) {  // the length of steps does not matter
    for (const bool in_seconds : {false, true}) {
      Simulator simulator(freeze(make_slide("0", 1.0)));
      SamplingOptions options{.period = T};
      if (in_seconds) {
        options.delay = GetParam() * T;
      } else {
        options.delay_samples = GetParam();
      }
      simulator.set_controller(pd(kp, kd), options);
      Rail rail;
      for (int k = 0; k < 120; ++k) rail.step(T, kp, kd, static_cast<std::size_t>(GetParam()));
      while (simulator.t() < 1.2 - 1e-9) simulator.step(std::min(dt, 1.2 - simulator.t()));
      EXPECT_NEAR(simulator.state().q[0], rail.q, 1e-11) << dt;
      EXPECT_NEAR(simulator.state().u[0], rail.v, 1e-11) << dt;
      EXPECT_GT(std::abs(rail.q - 1.0), 0.1);
    }
  }
}

// A delay that is not a multiple of the period: the force of sample k acts from k T + delay on.
TEST(Simulator, DelaysByAnyTime) {
  const double T = 0.02, delay = 0.03;
  Simulator simulator(freeze(make_slide("0", 0.0)));
  int samples = 0;
  simulator.set_controller(
      [&](const State<double>&, std::span<double>, std::span<double> tau) { tau[0] = ++samples; },
      {.period = T, .delay = delay});
  // v(t) = sum over k of (k + 1) times the time for which that acts.
  simulator.step(0.03);
  EXPECT_EQ(simulator.state().u[0], 0.0);
  simulator.step(0.01);
  EXPECT_NEAR(simulator.state().u[0], 0.01 * 1, 1e-15);
  simulator.step(0.05);
  EXPECT_NEAR(simulator.state().u[0], 0.02 * 1 + 0.02 * 2 + 0.02 * 3, 1e-14);
  EXPECT_EQ(samples, 5);  // at 0, 0.02 ... 0.08
}

// An integral part is memory. A state saved in mid-run continues to the same bits.
TEST(Simulator, GoesOnFromASnapshotBitForBit) {
  System robot = make_driven_robot();
  const auto model = freeze(robot);
  const auto nu = static_cast<std::size_t>(model->nu());
  for (const bool is_variable : {false, true}) {
    SimulatorOptions options{.rule = {.name = "dormand_prince_54"}};
    if (is_variable) options.tolerances = ErrorTolerances{1e-7, 1e-8};
    const auto make = [&] {
      auto simulator = std::make_unique<Simulator>(model, options);
      simulator->set_controller(
          [](const State<double>& state, std::span<double> memory, std::span<double> tau) {
            for (std::size_t i = 0; i < tau.size(); ++i) {
              memory[i] += 0.004 * state.u[i];
              tau[i] = -0.2 * state.u[i] - 0.5 * memory[i];
            }
          },
          {.period = 0.004, .delay = 0.006, .memory = std::vector<double>(nu, 0.01)});
      simulator->set_tau(std::vector<double>(nu, 0.01));
      return simulator;
    };
    const auto one = make(), other = make();
    for (int k = 0; k < 37; ++k) one->step(1e-3);
    const Simulator::Snapshot snapshot = one->save();
    for (int k = 0; k < 50; ++k) one->step(1e-3);
    other->restore(snapshot);
    for (int k = 0; k < 50; ++k) other->step(1e-3);
    EXPECT_TRUE(are_equal(one->state(), other->state())) << is_variable;
    EXPECT_EQ(one->controller()->memory(), other->controller()->memory());
    EXPECT_NE(one->state().q, snapshot.state.q);
    one->restore(snapshot);  // and back, in the same one
    for (int k = 0; k < 50; ++k) one->step(1e-3);
    EXPECT_TRUE(are_equal(one->state(), other->state()));
  }
}

TEST(Simulator, ResetsToTheBeginning) {
  const auto model = freeze(make_driven_robot());
  Simulator simulator(model), fresh(model);
  for (int k = 0; k < 10; ++k) simulator.step(2e-3);
  const State<double> reached = simulator.state();
  simulator.reset();
  EXPECT_TRUE(are_equal(simulator.state(), fresh.state()));
  EXPECT_EQ(simulator.statistics().steps, 0);
  for (int k = 0; k < 10; ++k) simulator.step(2e-3);
  EXPECT_TRUE(are_equal(simulator.state(), reached));
  simulator.reset(1.5, reached.q, reached.u);
  EXPECT_EQ(simulator.t(), 1.5);
  EXPECT_EQ(simulator.state().u, reached.u);
}

// ---- events ---------------------------------------------------------------------------------------------

TEST(Simulator, LetsEventsTakePlaceWithinSteps) {
  System chain = make_bouncing_chain();
  set_fixed_step(chain, "rk4", 1e-3, 2.0);
  const RunReport run = run_system(chain).report;
  Simulator simulator(freeze(chain));
  for (int k = 0; k < 2000; ++k) simulator.step(1e-3);
  ASSERT_EQ(simulator.event_counts().size(), run.event_counts.size());
  for (std::size_t i = 0; i < run.event_counts.size(); ++i) {
    EXPECT_EQ(simulator.event_counts()[i], static_cast<double>(run.event_counts[i])) << i;
    EXPECT_GT(run.event_counts[i], 0);
  }
  EXPECT_EQ(simulator.state().d, run.final_state.d);
  // Events are located to some spacings of the time, and each bounce magnifies what differs.
  EXPECT_LT(largest_difference(simulator.state().q, run.final_state.q), 1e-8);
}

TEST(Simulator, GoesOnBitForBitWithEvents) {
  const auto model = freeze(make_bouncing_chain());
  Simulator one(model), other(model);
  for (int k = 0; k < 700; ++k) one.step(1e-3);
  const Simulator::Snapshot snapshot = one.save();
  other.restore(snapshot);
  for (int k = 0; k < 700; ++k) one.step(1e-3), other.step(1e-3);
  EXPECT_TRUE(are_equal(one.state(), other.state()));
  EXPECT_EQ(one.event_counts(), other.event_counts());
  EXPECT_NE(one.event_counts(), snapshot.events.counts);
}

// 0.5 s of fall to the stop at x = 1.25 m with 10 m/s^2.
TEST(Simulator, StopsAtATerminalEvent) {
  System system = make_slide("10");
  system.add_event("there", "slide.q - 1.25", "rising").terminal = true;
  Simulator simulator(freeze(system));
  simulator.step(0.3);
  EXPECT_EQ(simulator.ended_by(), "");
  simulator.step(0.3);
  EXPECT_EQ(simulator.ended_by(), "there");
  EXPECT_NEAR(simulator.t(), 0.5, 1e-12);
  EXPECT_NE(message_of([&] { simulator.step(0.3); }).find("event there has ended the motion at 0.5"),
            std::string::npos)
      << message_of([&] { simulator.step(0.3); });
  simulator.reset();
  simulator.step(0.3);
  EXPECT_EQ(simulator.t(), 0.3);
}

// ---- what is refused ------------------------------------------------------------------------------------

TEST(Simulator, RefusesWhatItCannotTake) {
  const auto model = freeze(make_slide("0", 1.0));
  Simulator simulator(model);
  const std::vector<double> two(2), one(1), nan{kNaN};
  EXPECT_EQ(message_of([&] { simulator.set_tau(two); }), "tau has 2 numbers; allowed are 1");
  EXPECT_EQ(message_of([&] { simulator.set_tau(nan); }), "tau[0] is nan; allowed is a finite number");
  EXPECT_EQ(message_of([&] { simulator.set_state(two, one); }), "q has 2 numbers; allowed are 1");
  EXPECT_EQ(message_of([&] { simulator.reset(0.0, one, nan); }), "u[0] is nan; allowed is a finite number");
  EXPECT_EQ(message_of([&] { simulator.reset(kNaN, one, one); }), "t[0] is nan; allowed is a finite number");
  for (const double dt : {0.0, -1.0, kNaN}) {
    EXPECT_EQ(message_of([&] { simulator.step(dt); }),
              fmt::format("dt is {} s; allowed is a positive number", dt));
  }
  EXPECT_EQ(simulator.state().q[0], 1.0);
  EXPECT_EQ(message_of([&] { Simulator(model, {.solver = "recursiv"}); }),
            "solver: there is no 'recursiv' (did you mean 'recursive'?)");
  EXPECT_EQ(message_of([&] { Simulator(model, {.substeps = 0}); }),
            "substeps: 0 is not a number of steps: expected 1 or more");
  EXPECT_NE(message_of([&] {
              Simulator(model, {.rule = {.name = "rk4"}, .tolerances = ErrorTolerances{}});
            }).find("the rule rk4 does not estimate its error"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { simulator.set_controller(pd(1, 1), {.period = 0.0}); }),
            "period: 0 s is not a period: allowed is a positive number");
  EXPECT_EQ(message_of([&] {
              simulator.set_controller(pd(1, 1), {.period = 0.1, .delay_samples = 2, .delay = 0.1});
            }),
            "delay: 0.1 s is given together with delay_samples = 2: only one of the two is allowed");
}

TEST(Simulator, RefusesASnapshotOfSomethingElse) {
  Simulator slide(freeze(make_slide("0"))), chain(freeze(make_hanging_chain(3)));
  EXPECT_EQ(message_of([&] { slide.restore(chain.save()); }), "the saved state belongs to another model");
  const Simulator::Snapshot without = slide.save();
  slide.set_controller(pd(1, 1), {.period = 0.1});
  EXPECT_EQ(message_of([&] { slide.restore(without); }),
            "the saved state has no controller, but there is one here");
  const Simulator::Snapshot with = slide.save();
  slide.set_controller(pd(1, 1), {.period = 0.1, .delay_samples = 4});
  EXPECT_NE(message_of([&] { slide.restore(with); }).find("another controller"), std::string::npos);
}

TEST(Simulator, TellsWhereAStepFails) {
  Simulator simulator(freeze(make_slide("1/(0.25 - t)")), {.substeps = 10});
  simulator.step(0.2);
  try {
    simulator.step(0.1);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_NE(std::string(error.what()).find("drive"), std::string::npos) << error.what();
  }
  EXPECT_NEAR(simulator.t(), 0.24, 1e-12);  // the last state that could be calculated
  simulator.reset();
  simulator.set_controller(
      [](const State<double>&, std::span<double>, std::span<double> tau) { tau[0] = kNaN; }, {.period = 0.1});
  EXPECT_EQ(message_of<ComputationError>([&] { simulator.step(0.1); }),
            "t = 0 s: tau[0] of the controller is nan");
}

}  // namespace
}  // namespace sestina::test
