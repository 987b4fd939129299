// Evaluating the equations of motion does not allocate memory.
#include "allocation_counter.h"

#include <gtest/gtest.h>

#include "dynamics/evaluation.h"
#include "dynamics/four_bars.h"
#include "dynamics/random_systems.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/forward_dynamics_derivatives.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/dynamics/parameter_derivatives.h"
#include "sestina/model/analysis.h"

namespace sestina {
namespace {

using namespace testing_support;

TEST(Allocation, IsCounted) {
  const long before = allocations;
  ::operator delete(::operator new(100));
  EXPECT_EQ(allocations, before + 1);
}

class Wind : public UserForce {
  void add_force(double, std::span<const BodyMotion<double>> bodies,
                 std::span<SpatialForce<double>> forces) const override {
    for (std::size_t b = 1; b < bodies.size(); ++b) forces[b] += {{}, -0.1 * bodies[b].V_WB.v};
  }
};

template <class T>
void expect_no_allocation(Evaluation<T>& at, const State<T>& state) {
  const Model& model = *at.model;
  RecursiveSolver<T> recursive(model);
  KaneSolver<T> kane(model);
  std::vector<SpatialForce<T>> reactions(static_cast<std::size_t>(model.bodies().size()));
  Energy<T> energy;
  Power<T> power;
  Momentum<T> momentum;
  const long before = allocations;
  update_kinematics<T>(model, at.properties, state, at.kinematics);
  EXPECT_EQ(allocations, before) << "update_kinematics";
  update_applied_forces<T>(model, at.properties, state, at.kinematics, at.forces);
  EXPECT_EQ(allocations, before) << "update_applied_forces";
  recursive.solve(at.properties, at.kinematics, at.forces, at.udot);
  recursive.calc_reactions(at.kinematics, at.forces, reactions);
  EXPECT_EQ(allocations, before) << "RecursiveSolver";
  kane.solve(at.properties, at.kinematics, at.forces, at.udot);
  EXPECT_EQ(allocations, before) << "KaneSolver";
  update_inverse_dynamics<T>(model, at.properties, at.kinematics, at.forces, at.udot, at.inverse);
  EXPECT_EQ(allocations, before) << "update_inverse_dynamics";
  energy = calc_energy<T>(model, at.properties, state, at.kinematics, at.forces);
  power = calc_power<T>(model, at.properties, state, at.kinematics, at.forces);
  momentum = calc_momentum<T>(model, at.properties, state, at.kinematics);
  EXPECT_EQ(allocations, before) << "calc_energy, calc_power, calc_momentum";
  EXPECT_NE(value_of(energy.kinetic) + value_of(power.supplied) + value_of(norm(momentum.linear)), 0.0);
}

TEST(Allocation, DoesNotHappenInTheEquationsOfMotion) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    System system = random_system(seed);
    Evaluation<Dual> dual(freeze(system));
    const State<double> state = calc_initial_state(*dual.model);
    const std::vector<double> direction(state.u.size(), 1.0);
    expect_no_allocation(dual, moving_state(*dual.model, state, direction, direction, 1.0));
    system.add_user_force("wind", std::make_shared<Wind>());
    Evaluation<double> at(freeze(system));
    expect_no_allocation(at, state);
  }
}

TEST(Allocation, DoesNotHappenInDerivatives) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Evaluation<double> at(freeze(random_system(seed)));
    const State<double> state = calc_initial_state(*at.model);
    at.solve<RecursiveSolver>(state);
    using Columns = ForwardDynamicsDerivatives::Columns;
    ForwardDynamicsDerivatives derivatives(*at.model, at.properties, Columns::kFactors);
    ForwardDynamicsDerivatives by_recursion(*at.model, at.properties, Columns::kRecursion);
    ParameterDerivatives by_parameters(*at.model, at.properties);
    MassMatrix<double> mass_matrix(*at.model);
    const long before = allocations;
    derivatives.update(state, at.kinematics, at.forces, at.udot);
    by_recursion.update(state, at.kinematics, at.forces, at.udot);
    by_parameters.update(state);
    by_parameters.update_inverse(state, at.udot);
    mass_matrix.update(at.properties, at.kinematics);
    EXPECT_EQ(allocations, before) << seed;
  }
}

class Solver : public testing::TestWithParam<std::string> {};

TEST_P(Solver, DoesNotAllocateInForwardDynamics) {
  const auto model = freeze(random_system(7));
  ForwardDynamics dynamics(model, calc_properties(*model), GetParam());
  State<double> state = calc_initial_state(*model);
  std::vector<double> udot(state.u.size()), qdot(state.q.size());
  std::vector<SpatialForce<double>> reactions(static_cast<std::size_t>(model->bodies().size()));
  const long before = allocations;
  for (int k = 0; k < 10; ++k) {
    state.t += 0.01;
    dynamics.calc_udot(state, udot);
    calc_q_dot<double>(*model, state.q, state.u, qdot);
    for (std::size_t i = 0; i < qdot.size(); ++i) state.q[i] += 0.01 * qdot[i];
    normalize_q<double>(*model, state.q);
    dynamics.calc_reactions(udot, reactions);
    dynamics.energy(state);
    dynamics.power(state);
  }
  EXPECT_EQ(allocations, before);
}

INSTANTIATE_TEST_SUITE_P(All, Solver, testing::ValuesIn(solver_names()),
                         [](const auto& test) { return test.param; });

// Trees of bodies of which some lack inertia, so that pivots are delayed; and redundant conditions.
TEST(Allocation, DoesNotHappenInCartesianCoordinatesAfterTheFirstCall) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    System system = random_system(seed, {.bodies = 12});
    system.add_body("rod", 1.0).inertia = {.xx = 1.0, .yy = 0.0, .zz = 1.0};
    system.add_joint("hinge", "revolute", "ground.origin", "rod.origin").axis = {0, 0, 1};
    system.add_joint("again", "revolute", "ground.origin", "rod.origin").axis = {0, 0, 1};
    system.analysis.coordinates = "cartesian";
    const auto model = freeze(system);
    const Properties<double> properties = calc_properties(*model);
    State<double> state = calc_assembled_state(*model, properties);
    ForwardDynamics dynamics(model, properties, "recursive");
    std::vector<double> udot(state.u.size());
    dynamics.calc_udot(state, udot);
    dynamics.project(state);
    const long before = allocations;
    dynamics.calc_udot(state, udot);
    dynamics.project(state);
    EXPECT_EQ(allocations, before) << seed;
  }
}

TEST(Allocation, DoesNotHappenInStepsOfClosedLoops) {
  for (const System& system : {four_bars_in_series(20), four_bars_side_by_side(10), ring_of_bars(30)}) {
    const auto model = freeze(system);
    const State<double> assembled = calc_assembled_state(*model, calc_properties(*model));
    for (const char* solver : {"recursive", "divide_and_conquer", "hybrid"}) {
      SCOPED_TRACE(solver);
      State<double> state = assembled;
      ForwardDynamics dynamics(model, calc_properties(*model), solver);
      std::vector<double> udot(state.u.size());
      dynamics.calc_udot(state, udot);
      dynamics.project(state);
      const long before = allocations;
      for (int step = 0; step < 5; ++step) {
        for (std::size_t i = 0; i < udot.size(); ++i) {
          state.u[i] += 1e-3 * udot[i], state.q[i] += 1e-3 * state.u[i];
        }
        dynamics.project(state);
        dynamics.calc_udot(state, udot);
      }
      EXPECT_EQ(allocations, before);
    }
  }
}

}  // namespace
}  // namespace sestina
