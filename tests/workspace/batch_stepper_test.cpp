// Steps in lanes against those of simulators: the same to round-off, for any number of states and threads.
#include "sestina/workspace/batch_stepper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "message_of.h"
#include "sestina/model/freeze.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

using testing_support::message_of;

struct States {
  std::vector<double> t, q, u, tau;
  StateArrays arrays(int count) const { return {.count = count, .t = t, .q = q, .u = u, .tau = tau}; }
};

// Around the initial state.
States scatter(const Model& model, int count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> spread(-0.3, 0.3);
  const State<double> initial = calc_initial_state(model);
  States states;
  for (int k = 0; k < count; ++k) {
    std::vector<double> q = initial.q;
    for (double& value : q) value += spread(random);
    normalize_q<double>(model, q);
    states.t.push_back(0.1 * k);
    states.q.insert(states.q.end(), q.begin(), q.end());
    for (const double value : initial.u) states.u.push_back(value + spread(random));
    for (int i = 0; i < model.nu(); ++i) states.tau.push_back(spread(random));
  }
  return states;
}

std::span<const double> row(const std::vector<double>& numbers, int k, int width) {
  return std::span(numbers).subspan(static_cast<std::size_t>(k * width), static_cast<std::size_t>(width));
}

class EachExplicitRule : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Rules, EachExplicitRule,
                         testing::Values("forward_euler", "rk4", "rkf45", "dormand_prince_54"));

TEST_P(EachExplicitRule, StepsAsSimulatorsDo) {
  System robot = make_robot();  // with Euler parameters, and a force of the time
  robot.set_parameter("w", 3);
  auto& drive = robot.add_force("drive", "joint_force");
  drive.joint = "elbow";
  drive.value = {"sin(w*t)"};
  const auto model = freeze(robot);
  const SimulatorOptions options{.rule = {.name = GetParam()}, .substeps = 3};
  constexpr int kCount = 21;
  const States states = scatter(*model, kCount);
  std::vector<double> q(states.q.size()), u(states.u.size());
  BatchStepper stepper(model, calc_properties(*model), options);
  EXPECT_TRUE(stepper.step(states.arrays(kCount), 6e-3, q, u).empty());
  Simulator simulator(model, options);
  for (int k = 0; k < kCount; ++k) {
    simulator.reset(states.t[static_cast<std::size_t>(k)], row(states.q, k, model->nq()),
                    row(states.u, k, model->nu()));
    simulator.set_tau(row(states.tau, k, model->nu()));
    simulator.step(6e-3);
    for (int i = 0; i < model->nq(); ++i)
      EXPECT_NEAR(row(q, k, model->nq())[static_cast<std::size_t>(i)],
                  simulator.state().q[static_cast<std::size_t>(i)], 1e-13);
    for (int i = 0; i < model->nu(); ++i)
      EXPECT_NEAR(row(u, k, model->nu())[static_cast<std::size_t>(i)],
                  simulator.state().u[static_cast<std::size_t>(i)], 1e-10);
  }
}

TEST(BatchStepper, DoesNotDependOnThreadsNorOnTheOtherStates) {
  const auto model = freeze(make_hanging_chain(7));
  constexpr int kCount = 1000;
  const States states = scatter(*model, kCount);
  std::vector<double> q(states.q.size()), u(states.u.size());
  BatchStepper(model, calc_properties(*model), {}).step(states.arrays(kCount), 1e-3, q, u);
  for (const int threads : {2, 3}) {
    Executor executor(threads);
    std::vector<double> q_other(q.size()), u_other(u.size());
    BatchStepper stepper(model, calc_properties(*model), {}, &executor);
    stepper.step(states.arrays(kCount), 1e-3, q_other, u_other);
    EXPECT_EQ(q_other, q);
    EXPECT_EQ(u_other, u);
  }
  const States few = scatter(*model, 3);
  std::vector<double> q_few(few.q.size()), u_few(few.u.size());
  BatchStepper(model, calc_properties(*model), {}).step(few.arrays(3), 1e-3, q_few, u_few);
  EXPECT_TRUE(std::equal(u_few.begin(), u_few.end(), u.begin()));
}

TEST(BatchStepper, TellsWhichStatesFail) {
  const auto model = freeze(make_slide("1/(0.25 - t)"));
  const std::vector<double> t = {0.0, 0.25, 0.1}, q(3), u(3);
  std::vector<double> q_next(3), u_next(3);
  BatchStepper stepper(model, calc_properties(*model), {});
  const auto failures = stepper.step({.count = 3, .t = t, .q = q, .u = u}, 0.01, q_next, u_next);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].state, 1);
  EXPECT_NE(failures[0].reason.find("drive"), std::string::npos) << failures[0].reason;
  EXPECT_TRUE(std::isnan(q_next[1]) && std::isnan(u_next[1]));
  EXPECT_TRUE(std::isfinite(u_next[0]) && std::isfinite(u_next[2]));
  EXPECT_GT(u_next[2], 0.01);
}

TEST(BatchStepper, RefusesWhatLanesCannotDo) {
  const auto model = freeze(make_slide("0"));
  const auto with_events = freeze(make_bouncing_chain());
  const auto refuse = [](const std::shared_ptr<const Model>& of, const SimulatorOptions& options) {
    return message_of([&] { BatchStepper(of, calc_properties(*of), options); });
  };
  EXPECT_EQ(refuse(model, {.rule = {.name = "verlet"}}),
            "no steps in lanes: the rule verlet is not an explicit Runge-Kutta rule");
  EXPECT_EQ(refuse(model, {.solver = "kane"}), "no steps in lanes: the solver kane works by itself");
  EXPECT_EQ(refuse(with_events, {}), "no steps in lanes: the model has events");
  BatchStepper stepper(model, calc_properties(*model), {});
  std::vector<double> one(1), two(2);
  EXPECT_NE(
      message_of([&] { stepper.step({.count = 2, .q = one, .u = two}, 0.1, two, two); }).find("q has 1"),
      std::string::npos);
  EXPECT_EQ(message_of([&] { stepper.step({.count = 1, .q = one, .u = one}, -1.0, one, one); }),
            "dt is -1 s; allowed is a positive number");
}

}  // namespace
}  // namespace sestina::test
