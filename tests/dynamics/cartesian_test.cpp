// Cartesian coordinates, in which every joint is cut, against the coordinates of joints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "dynamics/random_systems.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using namespace testing_support;

System in_cartesian(System system) {
  system.analysis.coordinates = "cartesian";
  return system;
}

// Relative to the largest reaction.
constexpr double kReactionLimitByCondition = 1e-9;

void expect_agreement(const System& system, int states, double spread, std::uint64_t seed,
                      const std::string& place) {
  const auto model = freeze(system);
  const auto cartesian = freeze(in_cartesian(system));
  const Comparison comparison = compare_formulations(model, calc_properties(*model),
                                                     scatter_states(*model, states, spread, seed), cartesian);
  const FormulationComparison& f = comparison.formulations.back();
  ASSERT_EQ(f.name, "cartesian");
  EXPECT_EQ(f.failure, "") << place;
  // Joint accelerations are differences of those of bodies: a chain of n bodies loses as many digits as its
  // mass matrix has condition.
  const double condition =
      std::max(1.0, 1e-5 * (std::isfinite(comparison.condition) ? comparison.condition : 1e5));
  EXPECT_LE(f.relative_residual, 10 * condition * kResidualLimit) << place << " at " << f.worst_residual;
  EXPECT_LE(f.udot_difference, condition * kUdotLimit) << place << " at " << f.worst_udot;
  EXPECT_LE(f.reaction_difference, condition * kReactionLimitByCondition) << place;
}

TEST(Cartesian, AgreesWithJointCoordinatesOnRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const System system = random_system(seed);
    expect_agreement(system, 1, 1.0, seed, fmt::format("seed {}, {} bodies", seed, system.bodies.size()));
  }
}

// Cut joints and distances between any two bodies; what cannot be closed is left out.
TEST(Cartesian, AgreesWithJointCoordinatesOnRandomTreesWithLoops) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 60 && compared < 25; ++seed) {
    System system = random_system(seed);
    if (system.bodies.size() > 20 || system.bodies.size() < 4) continue;
    SplitMix random(seed + 1000);
    const auto body = [&] {
      return system.bodies[static_cast<std::size_t>(random.below(static_cast<int>(system.bodies.size())))]
          .name.text;
    };
    for (int i = 0; i < 2; ++i) {
      const std::string from = body(), to = body();
      if (from == to) continue;
      if (random.chance(0.5)) {
        system.add_distance(fmt::format("rod{}", i), from + ".origin", to + ".origin", 1.0);
      } else {
        system.add_joint(fmt::format("ball{}", i), "spherical", to + ".origin", from + ".origin").cut = true;
      }
    }
    try {
      const auto model = freeze(system);
      calc_assembled_state(*model, calc_properties(*model));
    } catch (const InputError&) {
      continue;
    }
    expect_agreement(system, 2, 0.1, seed, fmt::format("seed {}", seed));
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

TEST(Cartesian, HasTheCoordinatesOfBodiesAndTheColumnsOfJoints) {
  System system;
  system.gravity = {0, -9.81, 0};
  BodySpec& upper = system.add_body("upper", 1.0);
  upper.inertia = {.xx = 0.1, .yy = 0.01, .zz = 0.1};
  upper.add_point("tip", {0, -1, 0});
  system.add_body("lower", 0.5).inertia = {.xx = 0.1, .yy = 0.01, .zz = 0.1};
  system.add_body("free", 0.5).inertia = {.xx = 0.1, .yy = 0.1, .zz = 0.1};
  JointSpec& hip = system.add_joint("hip", "revolute", "ground.origin", "upper.origin");
  hip.axis = {0, 0, 1}, hip.q = {7.0}, hip.u = {2.0};
  system.add_joint("knee", "prismatic", "upper.tip", "lower.origin").axis = {0, 1, 0};
  const auto relative = freeze(system);
  const auto model = freeze(in_cartesian(system));
  EXPECT_EQ(model->nu(), 18);
  EXPECT_EQ(model->constraint_rows(), 10);
  const auto names = [](const Model& of) {
    std::vector<std::string> all;
    for (const RowColumn& column : of.row_columns(true)) {
      if (!column.name.starts_with("constraints.")) all.push_back(column.name);
    }
    return all;
  };
  EXPECT_THAT(names(*model), testing::UnorderedElementsAreArray(names(*relative)));
  // An angle of more than one turn is kept as it is given.
  const State<double> state = calc_assembled_state(*model, calc_properties(*model));
  EXPECT_THAT(state.h, testing::ElementsAre(7.0, 0.0));
  EXPECT_NEAR(state.u[2], 2.0, 1e-14);                      // of upper, about z
  EXPECT_NEAR(state.q[7 + 0], std::sin(7.0), 1e-14);        // the lower body hangs at the tip
  EXPECT_NEAR(state.u[6 + 3], 2.0 * std::cos(7.0), 1e-14);  // and moves with it
}

TEST(Cartesian, CouplesSeveralCutJoints) {
  System system = random_system(5, {.bodies = 6, .shape = TreeShape::kChain, .has_forces = false});
  std::vector<std::string> simple;
  for (const JointSpec& joint : system.joints) {
    const JointInfo& info = joint_info(*joint_type_from_keyword(joint.type.text));
    if (info.nu == 1) simple.push_back(joint.name.text + ".q");
    if (info.nu == 2 && info.nq == 2) simple.push_back(joint.name.text + ".q[1]");
  }
  ASSERT_GE(simple.size(), 3U);
  system.add_condition(
      "law", fmt::format("{} + 0.5*{}^2 - 2*{}*{} + 0.1*t", simple[0], simple[1], simple[2], simple[0]));
  expect_agreement(system, 3, 0.2, 1, "a law of three joints");
}

// A body without inertia about its own axis, one without mass, and a gimbal of points.
TEST(Cartesian, TakesBodiesThatLackInertia) {
  System system;
  system.gravity = {0, -9.81, 1};
  BodySpec& rod = system.add_body("rod", 1.0);
  rod.inertia = {.xx = 0.1, .yy = 0.0, .zz = 0.1};
  rod.add_point("tip", {0, -1, 0});
  BodySpec& cross = system.add_body("cross", 0.0);
  cross.add_point("p", {0.1, 0, 0});
  BodySpec& bob = system.add_body("bob", 2.0);
  bob.center_of_mass = {0, -1, 0};
  bob.inertia = {.xx = 0.1, .yy = 0.2, .zz = 0.1};
  system.add_body("flag", 0.0);
  const auto hinge = [&](const char* name, const char* from, const char* to, Triple axis) {
    JointSpec& joint = system.add_joint(name, "revolute", from, to);
    joint.axis = std::move(axis), joint.q = {0.3}, joint.u = {0.7};
  };
  hinge("a", "ground.origin", "rod.origin", {0, 0, 1});
  hinge("b", "rod.tip", "cross.origin", {1, 0, 0});
  hinge("c", "cross.p", "bob.origin", {0, 0, 1});
  system.add_joint("d", "weld", "bob.origin", "flag.origin");
  expect_agreement(system, 5, 1.0, 1, "gimbal");
}

}  // namespace
}  // namespace sestina
