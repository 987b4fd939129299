// First-order states and history in every rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/step_options.h"

namespace sestina::test {
namespace {

// A mass on a spring whose force follows the deflection with a lag: q'' = -x, x' = (q - x) / kLag. History
// counts the accepted steps; the force of it is zero.
class LaggedSpring final : public EquationsOfMotion {
 public:
  static constexpr double kLag = 0.5;  // s

  StateSizes sizes() const override { return {.nq = 1, .nu = 1, .nx = 1, .nh = has_history_ ? 1 : 0}; }
  explicit LaggedSpring(bool has_history = false) : has_history_(has_history) {}
  void calc_derivatives(const State<double>& state, const StateRates& rates) override {
    rates.udot[0] = -state.x[0];
    rates.xdot[0] = (state.q[0] - state.x[0]) / kLag;
    if (!has_history_) return;
    last_history_ = state.h[0];
    earliest_ = std::min(earliest_, state.h[0]);
  }
  void calc_q_dot(std::span<const double>, std::span<const double> u, std::span<double> qdot) override {
    qdot[0] = u[0];
  }
  void plus(std::span<const double> q, std::span<const double> d, std::span<double> out) override {
    out[0] = q[0] + d[0];
  }
  void minus(std::span<const double> to, std::span<const double> from, std::span<double> out) override {
    out[0] = to[0] - from[0];
  }
  void normalize(std::span<double>) override {}
  void update_history(const State<double>& before, State<double>& after) override {
    if (!has_history_) return;
    after.h[0] = before.h[0] + 1.0;
    earliest_of_last_ = earliest_;
    earliest_ = after.h[0];
  }
  std::string name_of_q(int) const override { return "slider.q"; }
  std::string name_of_u(int) const override { return "slider.u"; }
  std::string name_of_x(int) const override { return "lag.x"; }

  State<double> start() const {
    State<double> state{.q = {1.0}, .u = {0.0}, .x = {0.2}};
    if (has_history_) state.h = {0.0};
    return state;
  }
  double last_history() const { return last_history_; }
  double earliest_history_of_last_step() const { return earliest_of_last_; }

 private:
  bool has_history_;
  double last_history_ = -1.0, earliest_ = 0.0, earliest_of_last_ = -1.0;
};

// y' = A y by Taylor's series in 64 steps: far below the tolerances here.
std::array<double, 3> exact(double t) {
  std::array<double, 3> y{1.0, 0.0, 0.2};
  const double h = t / 64.0;
  for (int step = 0; step < 64; ++step) {
    std::array<double, 3> term = y;
    for (int k = 1; k < 20; ++k) {
      term = {h / k * term[1], -h / k * term[2], h / k * (term[0] - term[2]) / LaggedSpring::kLag};
      for (std::size_t i = 0; i < 3; ++i) y[i] += term[i];
    }
  }
  return y;
}

class FirstOrderStates : public testing::TestWithParam<std::string> {};

TEST_P(FirstOrderStates, FollowTheExactMotionToTheTolerance) {
  LaggedSpring spring;
  StepOptions options;
  options.rtol = 1e-9, options.atol = 1e-11;
  const auto rule = make_integration_rule(GetParam());
  if (rule->error_order() == 0 && !rule->chooses_its_steps()) options.driver = "fixed", options.dt = 1e-3;
  const auto driver = make_step_driver(options);
  driver->start(*rule, spring, spring.start(), 3.0);
  const std::vector<double> between = driver->advance_to(1.7).x;
  const State<double>& end = driver->advance_to(3.0);
  EXPECT_NEAR(between[0], exact(1.7)[2], 1e-6);
  EXPECT_NEAR(end.q[0], exact(3.0)[0], 1e-6);
  EXPECT_NEAR(end.u[0], exact(3.0)[1], 1e-6);
  EXPECT_NEAR(end.x[0], exact(3.0)[2], 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Rules, FirstOrderStates,
                         testing::Values("rk4", "munthe_kaas_4", "dormand_prince_54",
                                         "adams_bashforth_moulton", "cvode_bdf", "cvode_adams"),
                         [](const auto& rule) { return rule.param; });

// A stiff lag is under the control of the error although neither q nor u shows it.
TEST(FirstOrderStates, AreUnderControlOfTheError) {
  LaggedSpring spring;
  StepOptions options;
  options.driver = "variable";
  const auto rule = make_integration_rule("dormand_prince_54");
  const auto driver = make_step_driver(options);
  State<double> start = spring.start();
  start.q = {0.0}, start.x = {0.0};
  driver->start(*rule, spring, start, 1.0);
  while (!driver->done()) driver->step();
  const long at_rest = driver->statistics().steps;
  start.x = {100.0};
  driver->start(*rule, spring, start, 1.0);
  while (!driver->done()) driver->step();
  EXPECT_GT(driver->statistics().steps, 3 * at_rest);
}

TEST(FirstOrderStates, AreRefusedByRulesForPositionsAndSpeedsAlone) {
  LaggedSpring spring;
  for (const char* name : {"verlet", "velocity_verlet", "lobatto_iiia_iiib"}) {
    const auto rule = make_integration_rule(name);
    try {
      rule->start(spring, spring.start());
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("lag.x"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

// Every accepted step changes it once, whatever was tried; the step sees what the one before left, and so do
// instants within it.
TEST(History, ChangesWhereAStepIsAccepted) {
  for (const char* name : {"rk4", "munthe_kaas_4", "dormand_prince_54"}) {
    SCOPED_TRACE(name);
    LaggedSpring spring(true);
    const auto rule = make_integration_rule(name);
    StepOptions options;
    options.driver = "fixed", options.dt = 0.1;
    const auto driver = make_step_driver(options);
    driver->start(*rule, spring, spring.start(), 1.0);
    for (int k = 1; k <= 4; ++k) {
      driver->step();
      EXPECT_EQ(driver->state().h[0], k);
      EXPECT_EQ(spring.last_history(), k - 1);
    }
    EXPECT_EQ(driver->advance_to(0.35).h[0], 3.0);
    driver->advance_to(1.0);
    // Stages of a step, its first one too, see what the step before left.
    EXPECT_EQ(spring.earliest_history_of_last_step(), 9.0);
  }
}

TEST(History, IsRefusedByRulesThatRememberRates) {
  LaggedSpring spring(true);
  for (const char* name : {"cvode_bdf", "adams_bashforth_moulton"}) {
    EXPECT_THROW(make_integration_rule(name)->start(spring, spring.start()), InputError) << name;
  }
}

}  // namespace
}  // namespace sestina::test
