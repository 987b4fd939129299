// Simulations that are stepped together against single ones: the same to round-off, controllers with memory
// and delay included.
#include "sestina/workspace/batch_simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/model/freeze.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

using testing_support::message_of;

// A proportional-integral law for each of `count` members with nu speeds, whose integrals are the memory.
ControlLaw integral_law(int count, int nu) {
  return [=](const State<double>& state, std::span<double> memory, std::span<double> tau) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count * nu); ++i) {
      memory[i] += 0.01 * state.u[i];
      tau[i] = -2.0 * state.u[i] - memory[i];
    }
  };
}
SamplingOptions sampling(int count, int nu, double delay) {
  return {
      .period = 0.01, .delay = delay, .memory = std::vector<double>(static_cast<std::size_t>(count * nu))};
}

void expect_same(const BatchSimulator& all, const std::vector<std::unique_ptr<Simulator>>& singles) {
  const auto nq = static_cast<std::size_t>(all.model().nq()), nu = static_cast<std::size_t>(all.model().nu());
  for (std::size_t k = 0; k < singles.size(); ++k) {
    const State<double>& state = singles[k]->state();
    EXPECT_EQ(all.t(), state.t);
    for (std::size_t i = 0; i < nq; ++i) EXPECT_NEAR(all.state().q[k * nq + i], state.q[i], 1e-12);
    for (std::size_t i = 0; i < nu; ++i) EXPECT_NEAR(all.state().u[k * nu + i], state.u[i], 1e-11);
  }
}

TEST(BatchSimulator, DoesForEachMemberWhatASimulatorDoes) {
  const auto model = freeze(make_hanging_chain(4));
  constexpr int kCount = 9;
  const int nu = model->nu();
  for (const double delay : {0.0, 0.02, 0.013}) {
    Executor executor(2);
    BatchSimulator all(model, kCount, {.substeps = 2}, &executor);
    std::vector<std::unique_ptr<Simulator>> singles;
    std::vector<double> q, u, tau;
    const State<double> initial = calc_initial_state(*model);
    for (int k = 0; k < kCount; ++k) {
      std::vector<double> own_q = initial.q, own_u = initial.u, own_tau(initial.u.size(), 0.1 * k);
      for (double& value : own_q) value += 0.05 * k;
      singles.push_back(std::make_unique<Simulator>(model, SimulatorOptions{.substeps = 2}));
      singles.back()->reset(0.5, own_q, own_u);
      singles.back()->set_tau(own_tau);
      singles.back()->set_controller(integral_law(1, nu), sampling(1, nu, delay));
      q.insert(q.end(), own_q.begin(), own_q.end());
      u.insert(u.end(), own_u.begin(), own_u.end());
      tau.insert(tau.end(), own_tau.begin(), own_tau.end());
    }
    all.reset(0.5, q, u);
    all.set_tau(tau);
    all.set_controller(integral_law(kCount, nu), sampling(kCount, nu, delay));
    for (const double dt : {0.004, 0.004, 0.03, 0.01, 0.025}) {
      all.step(dt);
      for (const auto& single : singles) single->step(dt);
      expect_same(all, singles);
    }
  }
}

TEST(BatchSimulator, GoesOnFromASnapshotBitForBit) {
  const auto model = freeze(make_hanging_chain(3));
  BatchSimulator simulator(model, 5);
  simulator.set_controller(integral_law(5, 3), sampling(5, 3, 0.015));
  for (int i = 0; i < 7; ++i) simulator.step(0.003);
  const BatchSimulator::Snapshot saved = simulator.save();
  const auto go_on = [&] {
    for (int i = 0; i < 20; ++i) simulator.step(0.003);
    return simulator.state();
  };
  const State<double> first = go_on();
  simulator.set_tau(std::vector<double>(3, 1.0));
  simulator.step(0.1);
  simulator.restore(saved);
  const State<double> again = go_on();
  EXPECT_EQ(first.t, again.t);
  EXPECT_EQ(first.q, again.q);
  EXPECT_EQ(first.u, again.u);
}

TEST(BatchSimulator, LeavesOutMembersThatFailOrTellsThem) {
  System slide = make_slide("1/(slide.q - 1)");
  slide.joints.front().q = {0.0};
  const auto model = freeze(slide);
  BatchSimulator simulator(model, 3);
  const std::vector<double> q = {0.0, 1.0, -1.0}, u(3);
  simulator.reset(0.0, q, u);
  try {
    simulator.step(0.01);
    ADD_FAILURE() << "nothing is told";
  } catch (const ComputationError& error) {
    EXPECT_TRUE(error.reason().starts_with("member 1: the value of force drive")) << error.what();
  }
  EXPECT_EQ(simulator.t(), 0.0);
  simulator.set_keeps_failed(true);
  simulator.reset(0.0, q, u);
  for (int i = 0; i < 10; ++i) simulator.step(0.01);
  EXPECT_EQ(std::vector<char>(simulator.failed().begin(), simulator.failed().end()),
            (std::vector<char>{0, 1, 0}));
  EXPECT_EQ(simulator.state().q[1], 1.0);
  EXPECT_LT(simulator.state().u[0], -0.05);
  simulator.set_state(std::vector<double>{0.5}, std::vector<double>{0.0});  // of all members
  EXPECT_EQ(std::ranges::count(simulator.failed(), 1), 0);
  EXPECT_EQ(simulator.state().q, std::vector<double>(3, 0.5));
}

TEST(BatchSimulator, RefusesWhatItCannotTake) {
  const auto model = freeze(make_slide("0"));
  EXPECT_EQ(message_of([&] { BatchSimulator(model, 0); }),
            "count: 0 is not a number of members: expected 1 or more");
  EXPECT_EQ(message_of([] { BatchSimulator(freeze(make_bouncing_chain()), 2); }),
            "no steps in lanes: the model has events");
  BatchSimulator simulator(model, 3);
  const std::vector<double> two(2), three(3), nan(3, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(message_of([&] { simulator.set_tau(two); }), "tau has 2 numbers; allowed are 3 or 1");
  EXPECT_EQ(message_of([&] { simulator.reset(0.0, three, nan); }), "u[0] is nan; allowed is a finite number");
  EXPECT_EQ(message_of([&] { simulator.step(-1.0); }), "dt is -1 s; allowed is a positive number");
  const BatchSimulator::Snapshot other = BatchSimulator(model, 2).save();
  EXPECT_EQ(message_of([&] { simulator.restore(other); }),
            "the saved state belongs to another model or to another number of members");
}

}  // namespace
}  // namespace sestina::test
