// Divide and conquer for mechanisms with closed loops, against the recursion and the embedding.
#include "repository.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "dynamics/four_bars.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/constrained_assembly.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using namespace testing_support;

struct Solution {
  std::vector<double> udot, lambda;
};

Solution solve(const std::shared_ptr<const Model>& model, const State<double>& state, const char* solver,
               Executor* executor = nullptr) {
  ForwardDynamics dynamics(model, calc_properties(*model), solver, executor);
  Solution solution;
  solution.udot.resize(state.u.size());
  dynamics.calc_udot(state, solution.udot);
  const auto lambda = dynamics.constrained()->lambda();
  solution.lambda.assign(lambda.begin(), lambda.end());
  return solution;
}

// The largest difference relative to the largest number of b.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    // A difference that is not a number counts as infinite.
    const double distance = std::abs(a[i] - b[i]);
    largest = distance <= largest ? largest : (std::isnan(distance) ? INFINITY : distance);
    scale = std::max(scale, std::abs(b[i]));
  }
  return largest / scale;
}

State<double> assembled(const Model& model) { return calc_assembled_state(model, calc_properties(model)); }

// All multipliers are compared: where they are not unique, those of least norm are.
void expect_agreement(const System& system, double tolerance) {
  const auto model = freeze(system);
  const State<double> state = assembled(*model);
  const Solution expected = solve(model, state, "recursive");
  for (const char* solver : {"divide_and_conquer", "hybrid"}) {
    const Solution found = solve(model, state, solver);
    EXPECT_LE(difference(found.udot, expected.udot), tolerance) << solver;
    EXPECT_LE(difference(found.lambda, expected.lambda), 1e3 * tolerance) << solver;
  }
}

// The recursion and these assemblies round differently in about 300 steps, and joints of the outer bars turn
// what the inner ones move.
TEST(ConstrainedAssembly, AgreesOnFourBarsInSeries) { expect_agreement(four_bars_in_series(100), 3e-13); }

TEST(ConstrainedAssembly, AgreesOnFourBarsSideBySide) {
  expect_agreement(four_bars_side_by_side(100), 1e-13);
}

// The recursion too treats mechanisms that share the ground alone each by itself, with cost in proportion.
TEST(ConstrainedRecursion, MechanismsOnTheGroundDoNotChangeEachOther) {
  const auto alone = freeze(four_bars_side_by_side(1)), together = freeze(four_bars_side_by_side(5));
  const Solution of_one = solve(alone, assembled(*alone), "recursive");
  const Solution of_five = solve(together, assembled(*together), "recursive");
  const std::vector<std::string> names = together->u_names();
  for (std::size_t k = 0; k < of_one.udot.size(); ++k) {
    const auto same = std::find(names.begin(), names.end(), alone->u_names()[k]);
    ASSERT_NE(same, names.end());
    EXPECT_EQ(of_one.udot[k], of_five.udot[static_cast<std::size_t>(same - names.begin())]) << *same;
  }
}

std::size_t count_factors(int four_bars) {
  const auto model = freeze(four_bars_side_by_side(four_bars));
  const Properties<double> properties = calc_properties(*model);
  const State<double> state = assembled(*model);
  Kinematics<double> kinematics(*model);
  update_kinematics(*model, properties, state, kinematics);
  ConstraintRows<double> rows(*model);
  update_constraint_rows(*model, properties, state, kinematics, rows);
  ConstrainedRecursion recursion(*model);
  recursion.factor(properties, kinematics, rows);
  return recursion.pivots().used_values();
}

TEST(ConstrainedRecursion, FactorsOfMechanismsOnTheGroundGrowInProportion) {
  EXPECT_EQ(count_factors(40), 4 * count_factors(10));
}

TEST(ConstrainedAssembly, AgreesOnARing) { expect_agreement(ring_of_bars(100), 1e-11); }

TEST(ConstrainedAssembly, AgreesOnTwoChainsOnTheGroundThatMeet) {
  System system;
  system.gravity = {0, -9.81, 0};
  system.add_ground_point("right", {12, 0, 0});
  for (const char* side : {"left", "right"}) {
    const bool is_left = side[0] == 'l';
    for (int i = 0; i < 10; ++i) {
      const std::string bar = numbered(side, i);
      add_bar(system, bar, {1, 0, 0});
      const std::string from = i > 0     ? numbered(side, i - 1) + ".tip"
                               : is_left ? "ground.origin"
                                         : "ground.right";
      const double angle = i > 0 ? (is_left ? -0.15 : 0.15) : is_left ? 1.2 : std::acos(-1.0) - 1.2;
      add_hinge(system, bar + "_hinge", from, bar + ".origin", angle);
    }
  }
  add_hinge(system, "pin", "left9.tip", "right9.tip", 0.0);
  expect_agreement(system, 1e-12);
}

struct Example {
  const char* name;
  double spread;  // of the states around the initial one
};

class LoopExample : public testing::TestWithParam<Example> {};

TEST_P(LoopExample, AgreesWithTheRecursionAndTheEmbedding) {
  const auto model =
      freeze(read_model_file(fmt::format("{}/examples/{}.yaml", repository(), GetParam().name)));
  const Properties<double> properties = calc_properties(*model);
  const std::vector<State<double>> states = scatter_states(*model, 5, GetParam().spread, 1);
  const Comparison comparison = compare_formulations(model, properties, states);
  EXPECT_EQ(comparison.states, static_cast<int>(states.size()));
  int compared = 0;
  for (const FormulationComparison& f : comparison.formulations) {
    if (f.name == "compiled") continue;
    SCOPED_TRACE(f.name);
    ++compared;
    EXPECT_EQ(f.refusal + f.failure, "");
    EXPECT_LE(f.relative_residual, kResidualLimit);
    EXPECT_LE(f.udot_difference, kUdotLimit);
    EXPECT_LE(f.reaction_difference, 1e-9);  // relative to the largest
  }
  EXPECT_EQ(compared, 4);
}

// The rod of the flexible slider-crank bears small deformations only.
INSTANTIATE_TEST_SUITE_P(Examples, LoopExample,
                         testing::Values(Example{"16_four_bar", 0.05}, Example{"17_slider_crank", 0.05},
                                         Example{"18_squeezer", 0.05}, Example{"19_every_constraint", 0.05},
                                         Example{"20_bicycle", 0.05}, Example{"21_bowling_ball", 0.05},
                                         Example{"24_hydraulic_boom", 0.05}, Example{"26_leg_pair", 0.05},
                                         Example{"27_flexible_slider_crank", 1e-4}, Example{"28_whip", 0.05}),
                         [](const auto& test) { return std::string(test.param.name); });

// Light rods carry the legs. Round-off of 1e-10 in the accelerations makes the steps of a rule with a small
// tolerance hundreds of times shorter.
TEST(ConstrainedAssembly, LeavesNoMoreThanRoundOffWhereLightBodiesCarryHeavyOnes) {
  const auto model = freeze(read_model_file(repository() + "/examples/26_leg_pair.yaml"));
  const State<double> closed = assembled(*model);
  for (const double size : {1e-8, 1e-5, 1e-3}) {
    State<double> state = closed;
    std::vector<double> displacement(state.u.size());
    for (std::size_t k = 0; k < displacement.size(); ++k) {
      displacement[k] = size * std::sin(3.0 * static_cast<double>(k));
      state.u[k] += size * std::cos(2.0 * static_cast<double>(k));
    }
    plus_q<double>(*model, closed.q, displacement, state.q);
    const Solution expected = solve(model, state, "recursive");
    EXPECT_LE(difference(solve(model, state, "divide_and_conquer").udot, expected.udot), 3e-13);
  }
}

TEST(ConstrainedAssembly, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const System& system : {four_bars_in_series(60), four_bars_side_by_side(40), ring_of_bars(150)}) {
    const auto model = freeze(system);
    const State<double> state = assembled(*model);
    for (const char* solver : {"divide_and_conquer", "hybrid"}) {
      const Solution alone = solve(model, state, solver);
      for (const int threads : {1, 2, 3}) {
        Executor executor(threads);
        for (int repetition = 0; repetition < 3; ++repetition) {
          const Solution again = solve(model, state, solver, &executor);
          EXPECT_EQ(again.udot, alone.udot) << solver;
          EXPECT_EQ(again.lambda, alone.lambda) << solver;
        }
      }
    }
  }
}

TEST(ConstrainedAssembly, ProjectsAsTheRecursionDoes) {
  const auto model = freeze(four_bars_in_series(12));
  State<double> open = assembled(*model);
  for (std::size_t i = 0; i < open.q.size(); ++i) open.q[i] += 0.01 * std::sin(static_cast<double>(i));
  std::vector<double> closed[3];
  const char* solvers[] = {"recursive", "divide_and_conquer", "hybrid"};
  for (std::size_t i = 0; i < 3; ++i) {
    ForwardDynamics dynamics(model, calc_properties(*model), solvers[i]);
    State<double> state = open;
    dynamics.project(state);
    const ConstraintErrors errors = dynamics.constrained()->errors();
    EXPECT_LE(errors.position, ConstrainedDynamics::tolerance(dynamics.properties())) << solvers[i];
    closed[i] = state.q;
    closed[i].insert(closed[i].end(), state.u.begin(), state.u.end());
    std::vector<double> impulse(state.u.size(), 0.0), du(state.u.size());
    impulse[0] = 1.0;
    dynamics.calc_velocity_jump(state, impulse, du);
    EXPECT_GT(std::abs(du[0]), 0.01);
    closed[i].insert(closed[i].end(), du.begin(), du.end());
  }
  EXPECT_GT(difference(closed[0], open.q), 1e-3);  // something moved
  // Newton's method ends at errors of 1e-13 of the size.
  for (std::size_t i = 1; i < 3; ++i) EXPECT_LE(difference(closed[i], closed[0]), 1e-10) << solvers[i];
}

// A rod without mass carries a heavy body: a piece of its own would be singular.
TEST(ConstrainedAssembly, TakesMasslessBodiesInsideALoop) {
  System system = four_bars_in_series(3);
  system.bodies[3].mass = 0.0;
  system.bodies[3].inertia = {};
  expect_agreement(system, 1e-11);
}

}  // namespace
}  // namespace sestina
