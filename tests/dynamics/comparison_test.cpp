// Formulations against each other on random trees of every joint and force.
#include "sestina/dynamics/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dynamics/random_systems.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using namespace testing_support;

constexpr std::uint64_t kTrees = 200;

TEST(RandomSystem, HasEveryJointForceRotationAndShape) {
  std::set<std::string> joints, forces;
  std::set<RotationSpec::Kind> rotations;
  std::size_t most_bodies = 0, particles = 0, floating = 0, largest_star = 0;
  int deepest = 0;
  for (std::uint64_t seed = 1; seed <= kTrees; ++seed) {
    const System system = random_system(seed);
    const auto model = freeze(system);
    for (const JointSpec& joint : system.joints) joints.insert(joint.type.text);
    for (const ForceSpec& force : system.forces) forces.insert(force.type.text);
    std::vector<std::size_t> children(static_cast<std::size_t>(model->bodies().size()), 0);
    std::vector<int> depth(children.size(), 0);
    for (BodyIndex b{1}; b.value() < model->bodies().size(); ++b) {
      const BodyInfo& body = model->bodies()[b];
      particles += body.is_particle ? 1 : 0;
      floating += body.joint_name == body.name ? 1 : 0;
      ++children[static_cast<std::size_t>(body.parent.value())];
      const int d = depth[static_cast<std::size_t>(body.parent.value())] + 1;
      depth[static_cast<std::size_t>(b.value())] = d;
      deepest = std::max(deepest, d);
    }
    largest_star = std::max(largest_star, *std::max_element(children.begin() + 1, children.end()));
    most_bodies = std::max(most_bodies, system.bodies.size());
    for (const BodySpec& body : system.bodies) {
      for (const PointSpec& point : body.points) {
        if (point.axes) rotations.insert(point.axes->kind);
      }
    }
  }
  EXPECT_EQ(joints.size(), joint_keywords().size());
  EXPECT_EQ(forces.size(), 6U);
  EXPECT_EQ(rotations.size(), 4U);
  EXPECT_EQ(most_bodies, 60U);
  EXPECT_GT(particles, 100U);
  EXPECT_GT(floating, 50U);
  EXPECT_GT(largest_star, 40U);
  EXPECT_GT(deepest, 40);
}

TEST(RandomSystem, IsTheSameOnEveryMachine) {
  std::uint64_t hash = 1469598103934665603ULL;  // FNV-1a of what the first ten say
  const auto add = [&](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const System system = random_system(seed);
    for (const BodySpec& body : system.bodies) add(body.name.text);
    for (const JointSpec& joint : system.joints) {
      add(joint.type.text), add(joint.parent.text), add(joint.child.text);
      for (const Number& q : joint.q) add(q.expression());
    }
    for (const ForceSpec& force : system.forces) add(force.name.text);
  }
  EXPECT_EQ(hash, 4868419822264839284ULL)
      << "the same with g++ 12 and clang 14; other seeds mean other outliers elsewhere";
}

struct Worst {
  double value = 0.0;
  std::string where;
  void add(double x, const std::string& place) {
    if (x > value) value = x, where = place;
  }
};

// Relative to the largest reaction. Measured: 1e-12; the residual, for which kResidualLimit holds, 2e-14.
constexpr double kReactionLimit = 1e-11;

TEST(Formulations, AgreeOnRandomTrees) {
  Worst residual, udot, scaled_udot, reaction;
  int well_conditioned = 0;
  for (std::uint64_t seed = 1; seed <= kTrees; ++seed) {
    const auto model = freeze(random_system(seed));
    const std::string place = fmt::format("seed {}, {} speeds", seed, model->nu());
    const Comparison comparison =
        compare_formulations(model, calc_properties(*model), scatter_states(*model, 1, 1.0, seed));
    EXPECT_EQ(comparison.skipped, 0) << place;
    const bool is_well = comparison.condition < 1e5;
    well_conditioned += is_well ? 1 : 0;
    const double udot_limit = is_well ? kUdotLimit : kUdotLimitPerCondition * comparison.condition;
    for (const FormulationComparison& f : comparison.formulations) {
      const std::string here = f.name + ", " + place;
      EXPECT_EQ(f.failure, "") << here;
      EXPECT_LE(f.relative_residual, kResidualLimit) << here << " at " << f.worst_residual;
      EXPECT_LE(f.udot_difference, udot_limit) << here << " at " << f.worst_udot;
      EXPECT_LE(f.reaction_difference, kReactionLimit) << here;
      residual.add(f.relative_residual, here);
      (is_well ? udot : scaled_udot).add(f.udot_difference / (is_well ? 1.0 : comparison.condition), here);
      reaction.add(f.reaction_difference, here);
    }
  }
  EXPECT_GT(well_conditioned, 30);
  RecordProperty("residual", fmt::format("{:.1e} at {}", residual.value, residual.where));
  RecordProperty("udot", fmt::format("{:.1e} at {}", udot.value, udot.where));
  RecordProperty("udot_per_condition", fmt::format("{:.1e} at {}", scaled_udot.value, scaled_udot.where));
  RecordProperty("reaction", fmt::format("{:.1e} at {}", reaction.value, reaction.where));
}

// A body that hangs, or stands, straight above a massless gimbal: the moments of its weight are round-off.
TEST(Formulations, AgreeAtEquilibrium) {
  const auto model = freeze(read_model(R"(
sestina: 1
name: gimbal
gravity: [0, 0, -9.81]
bodies:
  - {name: g, mass: 0, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: r, mass: 1, center_of_mass: [0, 0, 1]}
joints:
  - {name: ball, type: spherical, parent: ground.origin, child: g.origin}
  - {name: roll, type: revolute, parent: g.origin, child: r.origin, axis: [0.1, 0, 1]}
)"));
  const Comparison comparison =
      compare_formulations(model, calc_properties(*model), {calc_initial_state(*model)});
  EXPECT_EQ(comparison.states, 1);
  EXPECT_TRUE(comparison.agrees());
  for (const FormulationComparison& f : comparison.formulations) {
    EXPECT_LE(f.relative_residual, 1e-15) << f.name;
    EXPECT_LE(f.udot_difference, 1e-15) << f.name;
  }
}

TEST(Formulations, ThatDoNotApplyDoNotPreventAgreementWhereAStateIsSkipped) {
  const auto model = freeze(read_model(R"(
sestina: 1
bodies:
  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, points: {p: [1, 0, 0]}}
joints:
  - {name: h, type: revolute, parent: ground.origin, child: a.origin, axis: [0, 0, 1], q: 0.2}
  - {name: loop, type: planar, parent: ground.origin, child: a.p}
forces:
  - {name: f, type: joint_force, joint: h, value: sqrt(h.q)}
)"));
  std::vector<State<double>> states(2, calc_initial_state(*model));
  states[1].q[0] = -0.2;  // outside the force's domain
  const Comparison comparison = compare_formulations(model, calc_properties(*model), states);
  EXPECT_EQ(comparison.states, 1);
  EXPECT_EQ(comparison.skipped, 1);
  EXPECT_TRUE(std::any_of(comparison.formulations.begin(), comparison.formulations.end(),
                          [](const FormulationComparison& f) { return !f.refusal.empty(); }));
  EXPECT_TRUE(comparison.agrees());
}

TEST(Formulations, InertiaDiagonalIsThatOfTheMassMatrix) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto model = freeze(random_system(seed));
    const Properties<double> properties = calc_properties(*model);
    Kinematics<double> kinematics(*model);
    update_kinematics<double>(*model, properties, calc_initial_state(*model), kinematics);
    MassMatrix<double> mass_matrix(*model);
    mass_matrix.update(properties, kinematics);
    const std::vector<double> diagonal = calc_inertia_diagonal(*model, properties, kinematics);
    for (int k = 0; k < model->nu(); ++k) {
      const double expected = mass_matrix.matrix()(k, k);
      EXPECT_NEAR(diagonal[static_cast<std::size_t>(k)], expected, 1e-12 * expected) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace sestina
