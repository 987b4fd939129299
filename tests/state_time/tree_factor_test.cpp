#include "sestina/state_time/tree_factor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sestina/state_time/time_matrix.h"
#include "state_time/loop_systems.h"
#include "state_time/moved_element.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

// Forces that act between neighbours of the tree and on single bodies.
System with_local_forces(System system) {
  system.add_joint_spring("stiff", "inner0_joint", 30.0, 0.2);
  system.add_joint_damper("lossy", "outer1_joint", 0.4);
  system.add_joint_force("driven", "outer0_joint", "sin(t) - 0.3*outer0_joint.u");
  system.add_point_force("pushed", "outer2.a", {"0.3", "t", "-1"});
  return system;
}

// The largest row of A x + B start - b, relative to the largest term of it, over the rows wanted.
template <class Wanted>
double residual_of(MovedElement& element, const std::vector<double>& x, const std::vector<double>& start,
                   const std::vector<double>& b, Wanted&& is_wanted) {
  const auto tangent = element.tangent();
  double largest = 0.0;
  for (std::size_t row = 0; row < b.size(); ++row) {
    if (!is_wanted(static_cast<int>(row))) continue;
    double sum = -b[row], size = std::abs(b[row]);
    for (std::size_t column = 0; column < tangent[row].size(); ++column) {
      const double value = column < x.size() ? x[column] : start[column - x.size()];
      sum += tangent[row][column] * value;
      size = std::max(size, std::abs(tangent[row][column] * value));
    }
    largest = std::max(largest, std::abs(sum) / size);
  }
  return largest;
}

std::vector<System> trees() {
  std::vector<System> systems{branched_tree(), with_local_forces(branched_tree()), spherical_chain(5)};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    systems.push_back(random_state_time_system(seed, 6));
    systems.back().forces.clear();
  }
  return systems;
}

// Solves the tangent for random right sides.
void expect_solution(MovedElement& element, TreeFactor& factor, std::uint64_t seed, double tolerance) {
  const ElementLayout& layout = element.equations().layout();
  std::vector<TangentEntry> tangent;
  element.residual(&tangent);
  ASSERT_EQ(factor.factor(MovedElement::kLength, tangent), TreeFactor::Status::kRegular) << seed;
  const std::vector<double> b = random_numbers(at(layout.size()), seed);
  const std::vector<double> start = random_numbers(at(layout.start_size()), seed + 100);
  std::vector<double> x = b;
  factor.subtract_start(start, x);
  factor.solve(x);
  EXPECT_LT(residual_of(element, x, start, b, [](int) { return true; }), tolerance) << seed;
}

TEST(TreeFactorTest, SolvesTheTangentOfAnElement) {
  std::uint64_t seed = 0;
  for (const System& system : trees()) {
    ++seed;
    MovedElement element(system, seed, seed % 2 == 0 ? TestFunctions::kNatural : TestFunctions::kUpwind);
    const ElementEquations& equations = element.equations();
    const ElementLayout& layout = equations.layout();
    TreeFactor factor(
        TreeFactor::make_plan(layout, equations.pair(), equations.carrying_joints(), TangentPart::kWhole));
    // Pivots are sought within a body alone; measured up to 5e-13.
    expect_solution(element, factor, seed, 1e-10);
  }
}

TEST(TreeFactorTest, SolvesTheTangentOfLoops) {
  std::uint64_t seed = 0;
  for (const System& system : {example("16_four_bar.yaml"), example("18_squeezer.yaml"),
                               example("26_leg_pair.yaml"), constrained_body(), bricard_linkage()}) {
    MovedElement element(system, ++seed, TestFunctions::kNatural);
    const ElementEquations& equations = element.equations();
    const ElementLayout& layout = equations.layout();
    TreeFactor factor(TreeFactor::make_plan(layout, equations.pair(), equations.carrying_joints(),
                                            TangentPart::kWhole, equations.closures()));
    expect_solution(element, factor, seed, 1e-9);
  }
}

TEST(TreeFactorTest, TheLinearPartSolvesNewtonsLawAndTheConditionsOnPlaces) {
  std::uint64_t seed = 0;
  for (System system : trees()) {
    system.forces.clear();
    MovedElement element(system, ++seed, TestFunctions::kNatural);
    const ElementEquations& equations = element.equations();
    const ElementLayout& layout = equations.layout();
    TreeFactor factor(
        TreeFactor::make_plan(layout, equations.pair(), equations.joints(), TangentPart::kLinear));
    std::vector<TangentEntry> tangent;
    element.residual(&tangent);
    ASSERT_EQ(factor.factor(MovedElement::kLength, tangent), TreeFactor::Status::kRegular) << seed;
    const std::vector<double> b = random_numbers(at(layout.size()), seed);
    // Only the start's v and x move: w and C are held there as well.
    std::vector<double> start = random_numbers(at(layout.start_size()), seed + 100);
    for (int i = 0; i < layout.start_size(); ++i) {
      const int number = i % ElementLayout::kEndNumbers;
      if (number >= 3 && number < 15) start[at(i)] = 0.0;
    }
    std::vector<double> x = b;
    factor.subtract_start(start, x);
    factor.solve(x);
    std::vector<bool> wanted(at(layout.size()), false);
    for (int body = 0; body < layout.bodies; ++body) {
      for (int i = 0; i < 3; ++i) {
        for (int g = 0; g < layout.degree; ++g) wanted[at(layout.point(g, body) + i)] = true;
        wanted[at(layout.end(body) + i)] = wanted[at(layout.end(body) + 15 + i)] = true;
      }
      for (int i = 3; i < 15; ++i) EXPECT_EQ(x[at(layout.end(body) + i)], 0.0);
    }
    for (const JointConditions& joint : equations.joints()) {
      for (const JointCondition& condition : joint.conditions) {
        if (condition.kind == JointCondition::Kind::kTurn) continue;
        const int rows = condition.kind == JointCondition::Kind::kPoint ? 3 : 1;
        for (int i = 0; i < rows; ++i) {
          wanted[at(layout.end_multiplier() + condition.first + i)] = true;
          for (int g = 0; g < layout.degree; ++g) {
            wanted[at(layout.point_multiplier(g) + condition.first + i)] = true;
          }
        }
      }
    }
    EXPECT_LT(residual_of(element, x, start, b, [&](int row) { return wanted[at(row)]; }), 1e-10) << seed;
  }
}

TEST(TimeMatrixTest, LeavesTheTreeWhereAForceCouplesBodiesThatNoJointConnects) {
  System system = branched_tree();
  system.add_force("far", "spring_damper").from = "outer0.a";
  system.forces.back().to = "outer2.a";
  system.forces.back().stiffness = {5.0};
  MovedElement element(system, 3, TestFunctions::kNatural);
  std::vector<std::vector<TangentEntry>> tangents(1);
  const std::vector<double> residual = element.residual(tangents.data());
  std::vector<double> by_elements(residual.size()), sparse(residual.size());
  TimeMatrix matrix(element.equations(), 1, TimeMatrixKind::kTree, TangentPart::kWhole, nullptr);
  EXPECT_EQ(matrix.factor({&MovedElement::kLength, 1}, tangents), -1);
  EXPECT_EQ(matrix.kind(), TimeMatrixKind::kByElements);
  matrix.solve(residual, by_elements);
  TimeMatrix baseline(element.equations(), 1, TimeMatrixKind::kSparse, TangentPart::kWhole, nullptr);
  EXPECT_EQ(baseline.factor({&MovedElement::kLength, 1}, tangents), -1);
  baseline.solve(residual, sparse);
  for (std::size_t i = 0; i < sparse.size(); ++i) EXPECT_NEAR(by_elements[i], sparse[i], 1e-8) << i;
}

}  // namespace
}  // namespace sestina::test
