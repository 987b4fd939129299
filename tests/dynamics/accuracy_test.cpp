// Where round-off could grow: fast spins, masses of very different size, places far from the origin.
#include <gtest/gtest.h>

#include "dynamics/evaluation.h"
#include "dynamics/mechanisms.h"
#include "sestina/dynamics/comparison.h"

namespace sestina {
namespace {

using namespace testing_support;

double relative_residual(Evaluation<double>& at) {
  at.residual();
  const std::vector<double> scale =
      calc_residual_scale(*at.model, at.properties, at.kinematics, at.forces, at.udot, at.inverse);
  double worst = 0.0;
  for (std::size_t k = 0; k < scale.size(); ++k) {
    worst = std::max(worst, std::abs(at.inverse.residual[k]) / scale[k]);
  }
  return worst;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) worst = std::max(worst, std::abs(a[k] - b[k]));
  return worst / largest(a);
}

// Round-off of the terms: measured 2e-15 for the recursion and 2e-14 for Kane's method in all that follows.
constexpr double kRecursiveResidual = 1e-14, kKaneResidual = 1e-13;

TEST(Accuracy, IsKeptAtFastSpins) {
  const System system = revolute_chain(20);
  Evaluation<double> at(freeze(system));
  DrivenState driven = driven_state(system, *at.model, 100);
  for (const double faster : {1.0, 1e3, 1e3}) {  // up to 1e6 rad/s: terms of 1e14 N m
    for (double& u : driven.state.u) u *= faster;
    at.update(driven.state, driven.tau);
    const std::vector<double> recursive = at.solve<RecursiveSolver>();
    EXPECT_LE(relative_residual(at), kRecursiveResidual);
    const std::vector<double> kane = at.solve<KaneSolver>();
    EXPECT_LE(relative_residual(at), kKaneResidual);
    EXPECT_LE(relative_difference(recursive, kane), kUdotLimit);  // cond(M) is 4e4
  }
}

enum class Masses { kAlternating, kFallingOutward, kRisingOutward };

class UnevenMasses : public testing::TestWithParam<Masses> {};

TEST_P(UnevenMasses, CostWhatTheConditionSays) {
  constexpr double kRatio = 1e9;
  System system = revolute_chain(20);
  for (std::size_t i = 0; i < 20; ++i) {
    const double part = static_cast<double>(i) / 19.0;
    const double exponent = GetParam() == Masses::kAlternating      ? static_cast<double>(i % 2)
                            : GetParam() == Masses::kFallingOutward ? -part
                                                                    : part;
    const double m = std::pow(kRatio, exponent);
    system.bodies[i].mass = m;
    system.bodies[i].inertia = {.xx = 0.01 * m, .yy = 0.0833 * m, .zz = 0.0833 * m};
  }
  Evaluation<double> at(freeze(system));
  const DrivenState driven = driven_state(system, *at.model, 100);
  at.update(driven.state, driven.tau);
  const std::vector<double> recursive = at.solve<RecursiveSolver>();
  EXPECT_LE(relative_residual(at), kRecursiveResidual);
  EXPECT_FALSE(at.report.is_singular);
  const std::vector<double> kane = at.solve<KaneSolver>();
  EXPECT_LE(relative_residual(at), kKaneResidual);
  EXPECT_FALSE(at.report.is_singular);
  const double condition = compare_formulations(at.model, at.properties, {driven.state}).condition;
  // Measured: cond(M) 4e4, 1e10, 5e10; differences 3e-13, 4e-16, 7e-7. Only masses that rise outward spoil
  // the small rows of the mass matrix, by the round-off of the large ones.
  EXPECT_LE(relative_difference(recursive, kane), 1e-16 * std::max(condition, 1e5));
}

std::string masses_name(const testing::TestParamInfo<Masses>& test) {
  const char* names[] = {"Alternating", "FallingOutward", "RisingOutward"};
  return names[static_cast<int>(test.param)];
}
INSTANTIATE_TEST_SUITE_P(All, UnevenMasses,
                         testing::Values(Masses::kAlternating, Masses::kFallingOutward,
                                         Masses::kRisingOutward),
                         masses_name);

// A chain whose base is `far` m from the ground's origin.
std::vector<double> distant_udot(double far, double stiffness) {
  System system = revolute_chain(5);
  system.add_ground_point("far", {far, -far, 0});
  system.joints[0].parent = "ground.far";
  if (stiffness > 0.0) {
    system.body("link1").add_point("hook", {0.3, 0.2, 0.1});
    system.body("link4").add_point("hook", {0.3, 0.2, 0.1});
    ForceSpec& spring = system.add_force("spring", "spring_damper");
    spring.from = "link1.hook", spring.to = "link4.hook";
    spring.stiffness = {stiffness};
  }
  Evaluation<double> at(freeze(system));
  const DrivenState driven = driven_state(system, *at.model, 100);
  at.update(driven.state, driven.tau);
  at.solve<RecursiveSolver>();
  EXPECT_LE(relative_residual(at), kRecursiveResidual);
  return at.udot;
}

TEST(Accuracy, DoesNotDependOnThePlace) {
  EXPECT_EQ(distant_udot(1e9, 0.0), distant_udot(0.0, 0.0)) << "no quantity is about the ground's origin";
}

TEST(Accuracy, OfSpringsIsThatOfPositionsInTheGroundFrame) {
  const std::vector<double> near = distant_udot(0.0, 100.0), away = distant_udot(1e6, 100.0);
  const double difference = relative_difference(near, away) * largest(near);
  // The ends are known to 1e-16 of 1.4e6 m, the force to 100 N/m times that, and M^-1 is about 1e3 per kg m.
  EXPECT_LE(difference, 1e-16 * 1.4e6 * 100 * 1e3);
  EXPECT_GT(difference, 0.0);
}

TEST(Accuracy, DoesNotDependOnWhereABodysOriginIs) {
  const auto udot = [](double far) {
    System system = revolute_chain(5);
    for (std::size_t i = 0; i < 5; ++i) {
      BodySpec& body = system.bodies[i];
      body.add_point("base", {far, 0, 0});
      body.points[0].position = {far + 1, 0, 0};
      body.center_of_mass = {far + 0.5, 0, 0};
      system.joints[i].child = body.name.text + ".base";
    }
    Evaluation<double> at(freeze(system));
    const DrivenState driven = driven_state(system, *at.model, 100);
    at.update(driven.state, driven.tau);
    return at.solve<RecursiveSolver>();
  };
  // The recursion works about the joint; the differences of these numbers are exact in binary.
  EXPECT_EQ(udot(0.0), udot(1048576.0));
}

}  // namespace
}  // namespace sestina
