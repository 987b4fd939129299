// Momenta of random trees with every joint type, against the accelerations of the recursive solver.
#include "sestina/dynamics/momentum.h"

#include <gtest/gtest.h>

#include "dynamics/evaluation.h"
#include "dynamics/random_systems.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/energy.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

using namespace testing_support;

constexpr std::uint64_t kMomentumTrees = 60;

struct Tree {
  explicit Tree(std::uint64_t seed)
      : evaluation(freeze(random_system(seed, {.bodies = 1 + static_cast<int>(seed % 15)}))),
        momentum(*evaluation.model, evaluation.properties),
        state(scatter_states(*evaluation.model, 1, 1.0, seed)[1]),
        p(state.u.size()) {
    state.t = 0.3;
    momentum.calc_momentum(state, p);
  }
  Evaluation<double> evaluation;
  MomentumEquations momentum;
  State<double> state;
  std::vector<double> p;
};

TEST(GeneralizedMomentum, TimesSpeedIsTwiceTheKineticEnergy) {
  for (std::uint64_t seed = 1; seed <= kMomentumTrees; ++seed) {
    Tree tree(seed);
    tree.evaluation.update(tree.state);
    double twice = 0.0;
    for (std::size_t k = 0; k < tree.p.size(); ++k) twice += tree.p[k] * tree.state.u[k];
    const double kinetic = calc_energy(*tree.evaluation.model, tree.evaluation.properties, tree.state,
                                       tree.evaluation.kinematics, tree.evaluation.forces)
                               .kinetic;
    EXPECT_NEAR(twice, 2.0 * kinetic, 1e-12 * kinetic) << seed;  // sums of some hundred positive terms
    EXPECT_GE(kinetic, 0.0);
  }
}

TEST(GeneralizedMomentum, GivesTheSpeedsBack) {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= kMomentumTrees; ++seed) {
    Tree tree(seed);
    const double condition =
        compare_formulations(tree.evaluation.model, tree.evaluation.properties, {tree.state}).condition;
    if (!(condition < 1e5)) continue;
    ++checked;
    std::vector<double> u(tree.p.size());
    EXPECT_FALSE(tree.momentum.solve_speeds(tree.state, tree.p, u).is_singular);
    // cond(M) <= 1e5 times round-off
    for (std::size_t k = 0; k < u.size(); ++k) {
      EXPECT_NEAR(u[k], tree.state.u[k], 1e-10 * largest(tree.state.u)) << seed;
    }
  }
  EXPECT_GT(checked, static_cast<int>(kMomentumTrees) / 2);
}

// d(M u)/dt along the motion: a dual number through the sweep for M(q) u.
TEST(GeneralizedMomentum, ChangesAlongTheMotionAsItsRateSays) {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= kMomentumTrees; ++seed) {
    Tree tree(seed);
    Evaluation<double>& at = tree.evaluation;
    const Model& model = *at.model;
    const std::vector<double> udot = at.solve<RecursiveSolver>(tree.state);
    if (compare_formulations(at.model, at.properties, {tree.state}).condition > 1e5) continue;
    ++checked;
    std::vector<double> rate(tree.p.size());
    tree.momentum.calc_momentum_rate(tree.state, at.kinematics, at.forces, rate);

    const State<Dual> moving = moving_state(model, tree.state, tree.state.u, udot, 1.0);
    const Properties<Dual> properties =
        calc_properties<Dual>(model, Evaluation<Dual>::default_parameters(model));
    Kinematics<Dual> kinematics(model);
    update_kinematics(model, properties, moving, kinematics);
    std::vector<SpatialForce<Dual>> subtree(kinematics.motion.size());
    std::vector<Dual> p(rate.size());
    calc_generalized_momentum<Dual>(model, properties, kinematics, moving.u, subtree, p);
    double scale = 1.0;
    for (const Dual& x : p) scale = std::max(scale, std::abs(x.d));
    // The accelerations are known to cond(M) times round-off, 1e-11; M times their error is less.
    for (std::size_t k = 0; k < rate.size(); ++k) {
      EXPECT_NEAR(rate[k], p[k].d, 1e-10 * scale) << seed << ": " << model.u_names()[k];
    }
  }
  EXPECT_GT(checked, static_cast<int>(kMomentumTrees) / 2);
}

}  // namespace
}  // namespace sestina
