// Compiled dynamics against the numeric recursions: the same numbers to round-off.
#include "sestina/dynamics/compiled_dynamics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dynamics/evaluation.h"
#include "dynamics/mechanisms.h"
#include "repository.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/io/model_file.h"

namespace sestina {
namespace {

using namespace testing_support;

double largest_of(std::span<const double> values) {
  double result = 0.0;
  for (const double x : values) result = std::max(result, std::abs(x));
  return result;
}

// Relative to the largest of those expected.
double difference(std::span<const double> values, std::span<const double> expected) {
  double result = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double apart = std::abs(values[i] - expected[i]);
    result = std::isnan(apart) ? INFINITY : std::max(result, apart);
  }
  return result == 0.0 ? 0.0 : result / largest_of(expected);
}

std::vector<double> joined(const State<double>& state, const std::vector<double>& more) {
  std::vector<double> all = state.q;
  all.insert(all.end(), state.u.begin(), state.u.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<double> random_vector(SplitMix& random, int size) {
  std::vector<double> values(static_cast<std::size_t>(size));
  for (double& x : values) x = random.signed_unit();
  return values;
}

// Compiled forward dynamics, inverse dynamics and mass matrix at states of one model.
class Against {
 public:
  explicit Against(const System& system)
      : model_(freeze(system)),
        evaluation_(model_),
        forward_(compile_forward_dynamics(*model_, evaluation_.properties)),
        inverse_(compile_inverse_dynamics(*model_, evaluation_.properties)),
        mass_matrix_(compile_mass_matrix(*model_, evaluation_.properties)) {}

  struct Differences {
    double udot = 0.0, tau = 0.0, mass_matrix = 0.0, pivots = 0.0;
  };

  // With no forces but gravity and `tau`.
  Differences at(const State<double>& state, const std::vector<double>& tau) {
    const auto nu = static_cast<std::size_t>(model_->nu());
    update_kinematics(*model_, evaluation_.properties, state, evaluation_.kinematics);
    evaluation_.forces.tau = tau;
    Differences result;
    const std::vector<double>& udot = evaluation_.solve<RecursiveSolver>();
    std::vector<double> outputs(2 * nu);
    forward_.evaluate(joined(state, tau), outputs);
    result.udot = difference(outputs, udot);

    std::fill(evaluation_.forces.tau.begin(), evaluation_.forces.tau.end(), 0.0);
    evaluation_.udot = tau;  // any
    evaluation_.residual();
    std::vector<double> needed(nu);
    inverse_.evaluate(joined(state, tau), needed);
    result.tau = difference(needed, evaluation_.inverse.residual);

    MassMatrix<double> expected(*model_);
    expected.update(evaluation_.properties, evaluation_.kinematics);
    std::vector<double> rows, found(nu * (nu + 1) / 2);
    for (std::size_t i = 0; i < nu; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        rows.push_back(expected.matrix()(static_cast<int>(i), static_cast<int>(j)));
      }
    }
    mass_matrix_.evaluate(state.q, found);
    result.mass_matrix = difference(found, rows);
    return result;
  }

  const Model& model() const { return *model_; }
  CompiledDynamics& forward() { return forward_; }

 private:
  std::shared_ptr<const Model> model_;
  Evaluation<double> evaluation_;
  CompiledDynamics forward_, inverse_, mass_matrix_;
};

void expect_agreement(const System& system, int count, std::uint64_t seed, double tolerance) {
  Against against(system);
  SplitMix random(seed);
  Against::Differences worst;
  for (const State<double>& state : scatter_states(against.model(), count, 1.0, seed)) {
    const auto differences = against.at(state, random_vector(random, against.model().nu()));
    worst.udot = std::max(worst.udot, differences.udot);
    worst.tau = std::max(worst.tau, differences.tau);
    worst.mass_matrix = std::max(worst.mass_matrix, differences.mass_matrix);
  }
  EXPECT_LE(worst.udot, tolerance) << "seed " << seed;
  EXPECT_LE(worst.tau, tolerance) << "seed " << seed;
  EXPECT_LE(worst.mass_matrix, tolerance) << "seed " << seed;
}

TEST(CompiledDynamics, AgreesWithTheRecursionOnChains) {
  for (const int n : {1, 2, 7}) expect_agreement(revolute_chain(n), 20, 1, 1e-12);
  for (const int n : {1, 3}) expect_agreement(ball_chain(n), 20, 2, 1e-12);
  expect_agreement(binary_tree(7), 20, 3, 1e-12);
}

TEST(CompiledDynamics, AgreesWithTheRecursionOnRandomTrees) {
  RandomSystemOptions options;
  options.has_forces = false;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    options.bodies = 1 + static_cast<int>(seed % 12);
    expect_agreement(random_system(seed, options), 5, seed, 1e-12);
  }
}

// A tree with a joint of every type, axes and inertias of any direction.
System tree_of_all_joints() {
  System system;
  system.gravity = {0.4, -1.1, -9.7};
  SplitMix random(17);
  const auto triple = [&](const std::array<double, 3>& v) { return Triple{v[0], v[1], v[2]}; };
  std::vector<std::string> parents{"ground.origin", "ground.origin"};
  int count = 0;
  for (const std::string& keyword : joint_keywords()) {
    const std::string name = fmt::format("body{}", count++);
    BodySpec& body = system.add_body(name, 1.0 + 0.1 * count);
    body.center_of_mass = triple(random.vector(0.3));
    body.inertia = {.xx = 0.05, .yy = 0.06, .zz = 0.04, .xy = 0.004, .xz = -0.003, .yz = 0.002};
    PointSpec& tip = body.add_point("tip", triple(random.vector(0.5)));
    const std::array<double, 3> turn = random.direction();
    tip.axes = RotationSpec::axis_angle(triple(turn), random.signed_unit());
    const std::size_t at = parents.size() - 1 - static_cast<std::size_t>(count % 2);
    JointSpec& joint = system.add_joint("joint_" + keyword, keyword, parents[at], name + ".origin");
    const JointInfo& info = joint_info(*joint_type_from_keyword(keyword));
    if (info.has_axis) joint.axis = triple(random.direction());
    if (info.has_second_axis) joint.second_axis = triple(random.direction());
    if (info.numbers.pitch) joint.pitch = 0.3;
    if (info.nu == 1) joint.armature = 0.07;
    parents.push_back(name + ".tip");
  }
  return system;
}

TEST(CompiledDynamics, AgreesWithTheRecursionAtAThousandStatesOfATreeOfAllJoints) {
  const System system = tree_of_all_joints();
  EXPECT_EQ(freeze(system)->nu(), 1 + 1 + 1 + 2 + 2 + 3 + 3 + 3 + 6);
  expect_agreement(system, 1000, 4, 1e-12);
}

TEST(CompiledDynamics, GivesForManyStatesWhatItGivesForOne) {
  Against against(tree_of_all_joints());
  const CompiledFunction& function = against.forward().function();
  const std::size_t count = 71, inputs = function.variable_count(), outputs = function.output_count();
  SplitMix random(8);
  std::vector<double> side_by_side(count * inputs), found(count * outputs), one(inputs), expected(outputs);
  for (double& x : side_by_side) x = random.signed_unit();
  against.forward().evaluate_many(count, side_by_side, found);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < inputs; ++i) one[i] = side_by_side[i * count + k];
    against.forward().evaluate(one, expected);
    for (std::size_t j = 0; j < outputs; ++j) ASSERT_EQ(found[j * count + k], expected[j]) << k << " " << j;
  }
}

// Parallel axes leave of a planar mechanism what a person would write: of a pendulum one product and one
// quotient, and nothing that grows with the inertia's other components.
TEST(CompiledDynamics, HasNoOperationForWhatIsZero) {
  const auto count = [](const System& system) {
    const auto model = freeze(system);
    return compile_forward_dynamics(*model, calc_properties(*model)).function().instruction_count();
  };
  EXPECT_LE(count(revolute_chain(1)), 12u);
  System planar = revolute_chain(2);
  for (JointSpec& joint : planar.joints) joint.axis = {0, 1, 0};
  System turned = revolute_chain(2);
  EXPECT_LT(count(planar), count(turned));
  System heavier = planar;  // about axes that do not matter in the plane
  for (BodySpec& body : heavier.bodies) body.inertia.xx = 0.05;
  EXPECT_EQ(count(heavier), count(planar));
}

// Chains whose regrouped masses end part of the way in.
TEST(CompiledDynamics, AgreesWithTheRecursionOnLongChains) {
  expect_agreement(revolute_chain(40), 3, 5, 1e-12);
}

// Three joints with axes, the second axis against the two others and from them by `tilt`.
System nearly_planar_chain(const std::string& outer, const std::string& inner, double tilt,
                           bool is_opposite) {
  System system = revolute_chain(3);
  const std::array<std::string, 3> types = {outer, inner, outer};
  for (std::size_t i = 0; i < 3; ++i) {
    const double angle = 0.3 + static_cast<double>(i), sign = i == 1 && is_opposite ? -1.0 : 1.0;
    system.bodies[i].points[0].position = {1.0, 0.3, 0.2};
    system.bodies[i].center_of_mass = {0.5, 0.2, 0.1};
    JointSpec& joint = system.joints[i];
    joint.type = types[i];
    joint.axis = {tilt * std::cos(angle), tilt * std::sin(angle), sign};
    if (joint_info(*joint_type_from_keyword(types[i])).numbers.pitch) joint.pitch = 0.3;
  }
  return system;
}

TEST(CompiledDynamics, AgreesWithTheRecursionWhereAxesAreOppositeOrNearlyParallel) {
  for (const std::string outer : {"revolute", "prismatic", "screw", "cylindrical"}) {
    for (const std::string inner : {"revolute", "prismatic", "screw", "cylindrical"}) {
      if (outer == "prismatic" && inner == "prismatic") continue;  // three along a line: singular
      expect_agreement(nearly_planar_chain(outer, inner, 0.0, true), 5, 7, 1e-12);
    }
  }
  for (const double tilt : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15}) {
    for (const bool is_opposite : {false, true}) {
      SCOPED_TRACE(tilt);
      expect_agreement(nearly_planar_chain("revolute", "revolute", tilt, is_opposite), 5, 8, 1e-12);
    }
  }
}

// The inertia of a body about its joint is kept, however far away the joint is.
TEST(CompiledDynamics, KeepsInertiasAtTheEndOfALongArm) {
  for (const double length : {1e3, 7e6, 1e9}) {
    System system = ball_chain(2);
    system.gravity = {0, 0, 0};
    system.joints[0].type = "revolute", system.joints[0].axis = {0, 0, 1};
    system.bodies[0].points[0].position = {length, 0, 0};
    system.bodies[1].center_of_mass = {0, 0, 0};
    system.bodies[1].inertia = {.xx = 1.1, .yy = 1.1, .zz = 2.0};
    const auto model = freeze(system);
    ForwardDynamics compiled(model, calc_properties(*model), "compiled");
    State<double> state = calc_initial_state(*model);
    state.u = {0.0, 1.0, 2.0, 3.0};
    std::vector<double> udot(4);
    compiled.calc_udot(state, udot);
    // Euler's equations of a body on its own: J w' = -w x J w.
    EXPECT_NEAR(udot[1], (1.1 - 2.0) * 2.0 * 3.0 / 1.1, 1e-12) << length;
    EXPECT_NEAR(udot[2], (2.0 - 1.1) * 3.0 * 1.0 / 1.1, 1e-12) << length;
    EXPECT_NEAR(udot[3], 0.0, 1e-12) << length;
  }
}

bool are_near(std::span<const double> values, std::span<const double> expected) {
  return values.size() == expected.size() && difference(values, expected) <= 1e-13;
}

// udot of the solver with all forces of the model, against the recursive one.
double solver_difference(const std::shared_ptr<const Model>& model, std::uint64_t seed) {
  ForwardDynamics compiled(model, calc_properties(*model), "compiled");
  ForwardDynamics recursive(model, calc_properties(*model), "recursive");
  const auto nu = static_cast<std::size_t>(model->nu());
  std::vector<double> udot(nu), expected(nu);
  std::vector<SpatialForce<double>> reactions(static_cast<std::size_t>(model->bodies().size()));
  std::vector<SpatialForce<double>> expected_reactions(reactions.size());
  double worst = 0.0;
  for (const State<double>& state : scatter_states(*model, 10, 0.3, seed)) {
    compiled.calc_udot(state, udot);
    recursive.calc_udot(state, expected);
    worst = std::max(worst, difference(udot, expected));
    // The kinematics are available afterwards, on request.
    EXPECT_EQ(compiled.energy(state).kinetic, recursive.energy(state).kinetic);
    const double supplied = recursive.power(state).supplied;
    EXPECT_NEAR(compiled.power(state).supplied, supplied, 1e-12 * (1.0 + std::abs(supplied)));
    EXPECT_TRUE(are_near(compiled.forces().expressions, recursive.forces().expressions));
    EXPECT_EQ(compiled.kinematics().motion.back().X_WB.p.x, recursive.kinematics().motion.back().X_WB.p.x);
    compiled.calc_reactions(udot, reactions);
    recursive.calc_reactions(expected, expected_reactions);
    double apart = 0.0, magnitude = 1.0;
    for (std::size_t b = 1; b < reactions.size(); ++b) {
      apart = std::max(apart, norm(reactions[b].force - expected_reactions[b].force));
      magnitude = std::max(magnitude, norm(expected_reactions[b].force));
    }
    EXPECT_LE(apart, 1e-11 * magnitude);
  }
  return worst;
}

TEST(CompiledSolver, TakesAllForcesOfRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto model = freeze(random_system(seed, {.bodies = 1 + static_cast<int>(seed % 9)}));
    EXPECT_LE(solver_difference(model, seed), 1e-12) << seed;
  }
}

// The force expressions are compiled too, with the numbers of the parameters.
TEST(CompiledSolver, ComputesForceExpressionsOfTimeParametersAndState) {
  const auto model = freeze(read_model(R"(
sestina: 1
parameters: {k: 3, c: 0.5}
bodies: [{name: slider, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: rail, type: prismatic, axis: [1, 0, 0], parent: ground.origin, child: slider.origin, q: 0.3, u: -0.4}]
forces:
- {name: drive, type: joint_force, joint: rail, value: "c*sin(k*t)^2 - k*rail.q^3 + min(rail.u, c)/rail.q"}
)"));
  ForwardDynamics compiled(model, calc_properties(*model), "compiled");
  EXPECT_TRUE(compiled.forces().compiled_expressions.has_value());
  State<double> state = calc_initial_state(*model);
  std::vector<double> udot(1);
  for (const auto& [t, q, u] : {std::array{0.0, 0.3, -0.4}, std::array{0.7, -1.2, 2.0}}) {
    state.t = t, state.q = {q}, state.u = {u};
    compiled.calc_udot(state, udot);
    const double drive = 0.5 * std::pow(std::sin(3 * t), 2) - 3 * q * q * q + std::min(u, 0.5) / q;
    EXPECT_NEAR(udot[0], drive / 2, 1e-14 * std::abs(drive));
  }
  state.q = {0.0};
  EXPECT_THROW(compiled.calc_udot(state, udot), ComputationError);
}

class CompiledExample : public testing::TestWithParam<std::string> {};

TEST_P(CompiledExample, AgreesWithTheRecursion) {
  const auto model = freeze(read_model_file(repository() + "/examples/" + GetParam() + ".yaml"));
  EXPECT_LE(solver_difference(model, 9), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, CompiledExample,
                         testing::Values("01_double_pendulum", "02_n_pendulum", "03_puma_560", "04_heavy_top",
                                         "05_tennis_racket", "06_spherical_chain", "07_every_joint_and_force",
                                         "08_cart_pole", "09_springs_and_masses", "10_robot_arm", "11_gust",
                                         "12_bouncing_pendulum", "13_latch", "14_geneva", "15_state_time"));

}  // namespace
}  // namespace sestina
