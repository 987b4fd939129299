// Steps transposed, against the derivatives that the same steps give forward.
#include "sestina/workspace/adjoint_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "sestina/base/error.h"
#include "sestina/integrate/explicit_runge_kutta.h"
#include "sestina/workspace/system_equations.h"
#include "sestina/workspace/tangent_equations.h"
#include "sestina/workspace/workspace.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

const ButcherTableau& tableau(const std::string& name) {
  for (const ButcherTableau& one : explicit_tableaus()) {
    if (one.name == name) return one;
  }
  throw InputError("no rule " + name);
}

struct Problem {
  Problem(System system, std::vector<std::string> names)
      : workspace(std::move(system)),
        dynamics(workspace.shared_model(), workspace.properties(), "recursive"),
        own(dynamics),
        parameters(std::move(names)),
        width(static_cast<std::size_t>(2 * own.sizes().nu + own.sizes().nx)) {}
  Workspace workspace;
  ForwardDynamics dynamics;
  SystemEquations own;
  std::vector<std::string> parameters;
  std::size_t width;  // of the derivatives of a state
};

struct Gradient {
  std::vector<double> by_state, by_parameters;
};

// The gradients of weights . [s_q; s_u; s_x] at the end, by each parameter and each number of the initial
// state.
struct Both {
  Gradient forward, adjoint;
};

Both calc_both(Problem& problem, const std::string& rule_name, std::span<const double> lengths) {
  std::vector<TangentEquations::Direction> directions;
  for (const std::string& name : problem.parameters) directions.push_back({.parameter = name});
  directions.resize(directions.size() + problem.width);
  TangentEquations tangents(problem.own, problem.dynamics, directions);
  State<double> state = problem.workspace.calc_initial_state();
  problem.own.normalize(state.q);
  const std::size_t width = problem.width, parameters = problem.parameters.size(), first = state.x.size();
  state.x.resize(first + width * directions.size());
  for (std::size_t i = 0; i < width; ++i) state.x[first + (parameters + i) * width + i] = 1.0;

  ExplicitRungeKutta rule(tableau(rule_name));
  rule.start(tangents, state);
  std::vector<State<double>> states{tangents.own_state(rule.state())};
  for (const double length : lengths) {
    EXPECT_TRUE(rule.try_step(rule.state().t + length).complete());
    rule.accept();
    states.push_back(tangents.own_state(rule.state()));
  }
  std::vector<double> weights(width);
  for (std::size_t i = 0; i < width; ++i) weights[i] = std::cos(1.0 + static_cast<double>(i));
  Both both;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < width; ++i) sum += weights[i] * rule.state().x[first + k * width + i];
    (k < parameters ? both.forward.by_parameters : both.forward.by_state).push_back(sum);
  }
  std::vector<int> places;
  for (const std::string& name : problem.parameters) {
    places.push_back(find_parameter(problem.workspace.model(), name));
  }
  AdjointSteps adjoint(problem.workspace.shared_model(), problem.workspace.properties(), "recursive",
                       tableau(rule_name), places);
  both.adjoint = {weights, std::vector<double>(parameters)};
  for (std::size_t step = lengths.size(); step-- > 0;) {
    const double t = states[step].t, t_end = states[step + 1].t;
    adjoint.step_back({.begin = states[step], .t_end = t_end, .first_time = t, .last_time = t_end},
                      both.adjoint.by_state, both.adjoint.by_parameters);
  }
  return both;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  double largest = 1.0;
  for (const double value : a) largest = std::max(largest, std::abs(value));
  // Round-off of some hundred operations for each entry and step.
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-11 * largest) << i;
}

void expect_agreement(const System& system, const std::vector<std::string>& parameters) {
  const std::vector<double> lengths{1e-3, 2e-3, 5e-4, 3e-3, 1e-3, 1e-3, 4e-3};
  for (const std::string rule : {"forward_euler", "rk4", "rkf45", "dormand_prince_54"}) {
    SCOPED_TRACE(rule);
    Problem problem(system, parameters);
    const Both both = calc_both(problem, rule, lengths);
    expect_same(both.forward.by_state, both.adjoint.by_state);
    expect_same(both.forward.by_parameters, both.adjoint.by_parameters);
    double changed = 0.0;
    for (const double value : both.adjoint.by_parameters) changed = std::max(changed, std::abs(value));
    EXPECT_GT(changed, 1e-6);
  }
}

TEST(AdjointSteps, OfAHeavyTopAreTheTransposeOfItsTangents) {
  expect_agreement(example("04_heavy_top.yaml"), {"m", "r", "l"});
}

TEST(AdjointSteps, OfEveryJointAndForceAreTheTransposeOfTheirTangents) {
  expect_agreement(example("07_every_joint_and_force.yaml"), {"g", "k", "c", "h"});
}

TEST(AdjointSteps, OfLoopsAreTheTransposeOfTheirTangents) {
  expect_agreement(example("16_four_bar.yaml"), {"a", "b", "c", "d"});
  System spatial = example("17_slider_crank.yaml");
  spatial.parameters.push_back({"m", 0.5});
  for (BodySpec& body : spatial.bodies) {
    if (body.name == "rod") body.mass = "m";
  }
  expect_agreement(spatial, {"m"});
}

TEST(AdjointSteps, OfEveryConstraintAreTheTransposeOfTheirTangents) {
  System system = example("19_every_constraint.yaml");
  system.parameters = {{"r", 0.3}, {"w", 2.0}, {"k", 1.0}};
  for (ConstraintSpec& constraint : system.constraints) {
    if (constraint.name == "ramp") constraint.radius = "r";
    if (constraint.name == "motor") constraint.value = "w*t + t^2";
    if (constraint.name == "parabola") constraint.zero = "wire.q[1] - k*wire.q[0]^2";
  }
  expect_agreement(system, {"r", "w", "k"});
}

TEST(AdjointSteps, OfStatesWithARateAreTheTransposeOfTheirTangents) {
  System system = make_oscillator();
  system.add_state("lag", "m*(rail.q - lag) + 0.1*rail.u^2", 0.2);
  system.add_joint_force("pull", "rail", {"-3*lag*rail.q - k*lag^3"});
  expect_agreement(system, {"m", "k"});
}

}  // namespace
}  // namespace sestina::test
