// Divide and conquer with pieces of several sizes, blocks of pieces and levels above them, on several
// threads.
#include "sestina/dynamics/divide_and_conquer_solver.h"
#include "sestina/model/properties.h"

#include <gtest/gtest.h>

#include "dynamics/evaluation.h"
#include "dynamics/mechanisms.h"

namespace sestina {
namespace {

using namespace testing_support;

struct Case {
  const char* name;
  System (*make)(int links);
  int links, grain;
};

class Division : public testing::TestWithParam<Case> {
 protected:
  static std::vector<double> solve(Evaluation<double>& at, const DrivenState& driven, Executor* executor) {
    DivideAndConquerSolver<double> solver(*at.model, GetParam().grain, executor);
    solver.update_kinematics(at.properties, driven.state, at.kinematics);
    update_applied_forces(*at.model, at.properties, driven.state, at.kinematics, at.forces);
    for (std::size_t k = 0; k < driven.tau.size(); ++k) at.forces.tau[k] += driven.tau[k];
    EXPECT_FALSE(solver.solve(at.properties, at.kinematics, at.forces, at.udot).is_singular);
    return at.udot;
  }
};

TEST_P(Division, SolvesTheEquationsOfMotion) {
  const System system = GetParam().make(GetParam().links);
  Evaluation<double> at(freeze(system));
  solve(at, driven_state(system, *at.model, 100), nullptr);
  at.residual();
  const std::vector<double> scale =
      calc_residual_scale(*at.model, at.properties, at.kinematics, at.forces, at.udot, at.inverse);
  EXPECT_GT(largest(at.udot), 1.0);
  for (std::size_t k = 0; k < scale.size(); ++k) {
    // All formulations must satisfy this; a term missing in an assembly is of the order of the terms.
    EXPECT_LE(std::abs(at.inverse.residual[k]), 1e-12 * scale[k]) << at.model->u_names()[k];
  }
}

TEST_P(Division, GivesTheSameBitsOnAnyNumberOfThreads) {
  const System system = GetParam().make(GetParam().links);
  Evaluation<double> at(freeze(system));
  const DrivenState driven = driven_state(system, *at.model, 101);
  const std::vector<double> alone = solve(at, driven, nullptr);
  for (const int threads : {2, 3}) {
    Executor executor(threads);
    for (int repetition = 0; repetition < 5; ++repetition) EXPECT_EQ(solve(at, driven, &executor), alone);
  }
}

TEST_P(Division, GivesTheSameBitsWithItsKinematicsAtOnce) {
  const System system = GetParam().make(GetParam().links);
  Evaluation<double> at(freeze(system));
  const DrivenState driven = driven_state(system, *at.model, 102);
  const std::vector<double> one_by_one = solve(at, driven, nullptr);
  const Kinematics<double> kinematics = at.kinematics;
  Executor executor(2);
  for (Executor* threads : {static_cast<Executor*>(nullptr), &executor}) {
    DivideAndConquerSolver<double> solver(*at.model, GetParam().grain, threads);
    at.kinematics = Kinematics<double>(*at.model);
    std::fill(at.udot.begin(), at.udot.end(), 0.0);
    EXPECT_FALSE(
        solver.move_and_solve(at.properties, driven.state, at.kinematics, at.forces, at.udot).is_singular);
    EXPECT_EQ(at.udot, one_by_one);
    const Vec3<double> tip = at.kinematics.motion.back().X_WB.p, expected = kinematics.motion.back().X_WB.p;
    EXPECT_TRUE(tip.x == expected.x && tip.y == expected.y && tip.z == expected.z);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Division,
                         testing::Values(Case{"chain_of_bodies", revolute_chain, 200, 1},
                                         Case{"chain_of_short_pieces", revolute_chain, 300, 5},
                                         Case{"chain_of_the_hybrids_pieces", revolute_chain, 600, 128},
                                         Case{"balls", ball_chain, 100, 4},
                                         Case{"tree_of_bodies", binary_tree, 255, 1},
                                         Case{"tree_of_pieces", binary_tree, 511, 16}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace sestina
