// Sparse tangents of the implicit form, against the dense ones of motion_tangents.h, which take one direction
// at a time.
#include "sestina/dynamics/implicit_motion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dynamics/random_systems.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/motion_tangents.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using namespace testing_support;

// Floating bodies in a row, each tied to the next one by a ball joint that is cut and a spring.
System floating_chain(int bodies) {
  System system;
  system.gravity = {0, 0, -9.81};
  for (int i = 0; i < bodies; ++i) {
    const std::string name = fmt::format("b{}", i);
    BodySpec& body = system.add_body(name, 1.0 + 0.1 * i);
    body.center_of_mass = {0.1, 0.05, -0.02};
    body.inertia = {.xx = 0.1, .yy = 0.2, .zz = 0.25, .xy = 0.01};
    body.add_point("tip", {0.5, 0.1, 0});
    JointSpec& joint = system.add_joint("f" + name, "free", "ground.origin", name + ".origin");
    joint.q = {0.5 * i, 0.1 * i, 0, 1, 0, 0, 0};
    joint.u = {0.1, -0.2, 0.3, 0.4, 0, 0.1};
    if (i == 0) continue;
    const std::string before = fmt::format("b{}", i - 1);
    system.add_joint("ball" + name, "spherical", before + ".tip", name + ".origin");
    system.add_spring_damper("spring" + name, before + ".origin", name + ".tip", 30, 0.5, 0.8);
  }
  return system;
}

void expect_equal(const SparsePattern& pattern, std::span<const double> numbers, const Eigen::MatrixXd& dense,
                  const char* what) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(dense.rows(), dense.cols());
  pattern.for_each([&](int i, int j, int p) { sum(i, j) = numbers[static_cast<std::size_t>(p)]; });
  if (dense.size() == 0) return;
  // The same code in another order of directions.
  EXPECT_LE((sum - dense).cwiseAbs().maxCoeff(), 1e-12 * (1.0 + dense.cwiseAbs().maxCoeff())) << what;
}

void expect_dense_tangents(const System& system) {
  const auto model = freeze(system);
  const Properties<double> properties = calc_properties(*model);
  const State<double> state = calc_assembled_state(*model, properties);
  std::vector<double> udot(state.u.size());
  ForwardDynamics dynamics(model, properties, "recursive");
  dynamics.calc_udot(state, udot);
  std::vector<double> lambda;
  if (dynamics.constrained() != nullptr) {
    lambda.assign(dynamics.constrained()->lambda().begin(), dynamics.constrained()->lambda().end());
  }
  ImplicitMotion motion(*model, properties);
  motion.update(state, udot, lambda, {});
  motion.update_tangents(state, udot, lambda);
  MotionTangents dense(*model, properties);
  dense.update_tangents(
      state, udot, Eigen::Map<const Eigen::VectorXd>(lambda.data(), static_cast<long>(lambda.size())), true);
  for (std::size_t i = 0; i < udot.size(); ++i) {
    EXPECT_NEAR(motion.r(i), 0.0, 1e-11 * dense.scale.maxCoeff());
  }
  expect_equal(motion.pattern(), motion.M, dense.M, "M");
  expect_equal(motion.pattern(), motion.K, dense.r_q, "K");
  expect_equal(motion.pattern(), motion.D, dense.r_u, "D");
  expect_equal(motion.row_pattern(), motion.C, dense.C, "C");
  expect_equal(motion.row_pattern(), motion.v_q, dense.v_q, "v_q");
}

TEST(ImplicitMotion, HasTheTangentsOfTheDenseForm) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    expect_dense_tangents(random_system(seed, {.bodies = 6}));
    expect_dense_tangents(random_system(seed, {.bodies = 20}));
  }
  expect_dense_tangents(floating_chain(3));
  expect_dense_tangents(floating_chain(9));
}

// Against differences of r, in a small model with full tangents and in a chain with a pattern.
TEST(ImplicitMotion, HasTheTangentsOfStatesWithARate) {
  for (const int bodies : {2, 9}) {
    System system = floating_chain(bodies);
    system.add_state("p", "-3*p + r^2*fb1.u[3] + sin(fb0.q[0])", 0.7);
    system.add_state("r", "p*r - fb0.u[0]", 0.4);
    system.add_point_force("push", "b1.tip", {"p^2", "r*fb1.q[1]", 0.0});
    const auto model = freeze(system);
    const Properties<double> properties = calc_properties(*model);
    State<double> state = calc_assembled_state(*model, properties);
    const std::size_t nu = state.u.size(), nw = nu + 2;
    std::vector<double> wdot(nw), lambda(static_cast<std::size_t>(model->constraint_rows()), 0.3);
    for (std::size_t i = 0; i < nw; ++i) wdot[i] = 0.1 * static_cast<double>(i % 7) - 0.2;
    ImplicitMotion motion(*model, properties);
    motion.update_tangents(state, wdot, lambda);
    const auto dense = [&](const std::vector<double>& numbers) {
      Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(static_cast<long>(nw), static_cast<long>(nw));
      motion.pattern().for_each(
          [&](int i, int j, int p) { matrix(i, j) = numbers[static_cast<std::size_t>(p)]; });
      return matrix;
    };
    const Eigen::MatrixXd M = dense(motion.M), D = dense(motion.D), K = dense(motion.K);
    const auto r = [&] {
      motion.update(state, wdot, lambda, {});
      Eigen::VectorXd all(static_cast<long>(nw));
      for (std::size_t i = 0; i < nw; ++i) all[static_cast<long>(i)] = motion.r(i);
      return all;
    };
    const auto expect_column = [&](double& number, const Eigen::VectorXd& column, const std::string& what) {
      const double at = number, h = 1e-5;
      number = at + h;
      const Eigen::VectorXd above = r();
      number = at - h;
      const Eigen::VectorXd below = r();
      number = at;
      EXPECT_LE(((above - below) / (2 * h) - column).cwiseAbs().maxCoeff(),
                1e-6 * (1 + column.cwiseAbs().maxCoeff()))
          << what << " with " << bodies << " bodies";
    };
    for (std::size_t k = 0; k < nw; ++k) {
      const auto column = static_cast<long>(k);
      expect_column(k < nu ? state.u[k] : state.x[k - nu], D.col(column), fmt::format("D, {}", k));
      expect_column(wdot[k], M.col(column), fmt::format("M, {}", k));
    }
    // Coordinates of translation, whose displacements are differences.
    for (const long k : {0L, 6L}) {
      expect_column(state.q[static_cast<std::size_t>(k == 0 ? 0 : 7)], K.col(k + 3), fmt::format("K, {}", k));
    }
    EXPECT_EQ(K.rightCols(2).cwiseAbs().maxCoeff(), 0.0);
    EXPECT_EQ(motion.pattern().rows, static_cast<int>(nw));
    EXPECT_LE(motion.pattern().size(), bodies > 2 ? nw * nw / 2 : nw * nw);
  }
}

Eigen::MatrixXd to_dense(const SparsePattern& pattern, std::span<const double> numbers) {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(pattern.rows, pattern.columns());
  pattern.for_each([&](int i, int j, int p) { dense(i, j) = numbers[static_cast<std::size_t>(p)]; });
  return dense;
}

// At an assembled state in motion, with arbitrary accelerations and multipliers.
void expect_closed_forms_agree(const System& system, int most_evaluations) {
  const auto model = freeze(system);
  const Properties<double> properties = calc_properties(*model);
  const State<double> state = calc_assembled_state(*model, properties);
  std::vector<double> wdot(state.u.size() + state.x.size());
  std::vector<double> lambda(static_cast<std::size_t>(model->constraint_rows()));
  for (std::size_t i = 0; i < wdot.size(); ++i) wdot[i] = 0.3 * std::sin(1.0 + 2.0 * static_cast<double>(i));
  for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] = 2.0 * std::cos(1.5 * static_cast<double>(i));
  ImplicitMotion closed(*model, properties), dual(*model, properties, false);
  closed.update_tangents(state, wdot, lambda);
  dual.update_tangents(state, wdot, lambda);
  EXPECT_LE(static_cast<int>(closed.evaluations()), most_evaluations);
  const auto expect_same = [](const SparsePattern& a, std::span<const double> of_a, const SparsePattern& b,
                              std::span<const double> of_b, const char* what) {
    const Eigen::MatrixXd A = to_dense(a, of_a), B = to_dense(b, of_b);
    if (A.size() == 0) return;
    EXPECT_LE((A - B).cwiseAbs().maxCoeff(), 1e-11 * (1.0 + B.cwiseAbs().maxCoeff())) << what;
  };
  expect_same(closed.pattern(), closed.M, dual.pattern(), dual.M, "M");
  expect_same(closed.pattern(), closed.D, dual.pattern(), dual.D, "D");
  expect_same(closed.pattern(), closed.K, dual.pattern(), dual.K, "K");
  expect_same(closed.row_pattern(), closed.C, dual.row_pattern(), dual.C, "C");
  expect_same(closed.row_pattern(), closed.v_q, dual.row_pattern(), dual.v_q, "v_q");
}

// A tree of all types of joints, each of which becomes a cut joint.
System cartesian_system(std::uint64_t seed, int bodies) {
  System system = random_system(seed, {.bodies = bodies});
  system.analysis.coordinates = "cartesian";
  for (JointSpec& joint : system.joints) joint.armature.reset();  // rotors are left to dual numbers
  return system;
}

// Hinges with a spring, a damper and a motor that reads its own angle alone.
System driven_hinges(int bodies, const std::string& motor) {
  System system = floating_chain(bodies);
  system.forces.clear();
  for (int i = 0; i + 1 < bodies; ++i) {
    const std::string hinge = fmt::format("hinge{}", i);
    JointSpec& joint =
        system.add_joint(hinge, "revolute", fmt::format("b{}.tip", i), fmt::format("b{}.origin", i + 1));
    joint.axis = {0.3, 0.1, 1.0};
    joint.cut = true;
    system.add_joint_spring("spring_" + hinge, hinge, 20.0, 0.3);
    system.add_joint_damper("damper_" + hinge, hinge, 0.7);
    system.add_joint_force("motor_" + hinge, hinge,
                           fmt::format(fmt::runtime(motor), fmt::arg("hinge", hinge)));
  }
  std::erase_if(system.joints, [](const auto& joint) { return joint.type == "spherical"; });
  return system;
}

// Universal joints, whose directions turn, with springs and dampers.
System driven_universals(int bodies) {
  System system;
  system.analysis.coordinates = "cartesian";
  for (int i = 0; i < bodies; ++i) {
    const std::string name = fmt::format("b{}", i), joint_name = fmt::format("cross{}", i);
    BodySpec& body = system.add_body(name, 1.0 + 0.1 * i);
    body.inertia = {.xx = 0.1, .yy = 0.2, .zz = 0.25, .xy = 0.01};
    body.add_point("tip", {0.5, 0.1, 0});
    const std::string parent = i == 0 ? "ground.origin" : fmt::format("b{}.tip", i - 1);
    JointSpec& joint = system.add_joint(joint_name, "universal", parent, name + ".origin");
    joint.axis = {1, 0.2, 0.1}, joint.second_axis = {0.3, 1, 0.2};
    joint.q = {0.4 - 0.1 * i, 0.3}, joint.u = {0.8, -0.6 + 0.2 * i};
    system.add_joint_spring("spring_" + joint_name, joint_name, 20.0, 0.3);
    system.add_joint_damper("damper_" + joint_name, joint_name, 0.7);
  }
  return system;
}

TEST(ImplicitMotion, ClosedFormsAgreeWithDualNumbers) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(seed);
    expect_closed_forms_agree(cartesian_system(seed, 7), 42);
  }
  expect_closed_forms_agree(floating_chain(2), 12);
  expect_closed_forms_agree(floating_chain(9), 18);
}

TEST(ImplicitMotion, DrivenJointsHaveClosedForms) {
  expect_closed_forms_agree(driven_hinges(4, "3*sin(t + {hinge}.q) - {hinge}.u^3"), 0);
  expect_closed_forms_agree(driven_universals(4), 0);
  // A motor that reads another joint, or a state, is left to dual numbers.
  expect_closed_forms_agree(driven_hinges(4, "3*sin(hinge0.q) - {hinge}.u"), 24);
  System with_state = driven_hinges(4, "p*{hinge}.q");
  with_state.add_state("p", "-p + hinge1.u", 0.4);
  expect_closed_forms_agree(with_state, 25);
}

// Between bodies that turn, to a particle, to the ground, and within a body.
TEST(ImplicitMotion, SpringsBetweenPointsHaveClosedForms) {
  System system;
  system.ground_points.push_back({.name = "hook", .position = {0.1, -0.4, 0.3}});
  for (const char* name : {"one", "two"}) {
    BodySpec& body = system.add_body(name, 1.3);
    body.inertia = {.xx = 0.1, .yy = 0.2, .zz = 0.25, .xy = 0.01};
    body.add_point("tip", {0.5, 0.1, -0.2});
    JointSpec& joint =
        system.add_joint(std::string(name) + "_free", "free", "ground.origin", std::string(name) + ".origin");
    const bool is_one = joint.name == "one_free";
    joint.q = {is_one ? 0.0 : 1.2, 0.3, -0.2, 0.8, 0.6, 0, 0};
    joint.u = {0.4, is_one ? -0.7 : 1.1, 0.3, 0.2, -0.5, 0.6};
  }
  system.add_particle("bead", 0.4);
  JointSpec& joint = system.add_joint("bead_xyz", "xyz", "ground.origin", "bead.origin");
  joint.q = {0.3, 0.9, -0.6}, joint.u = {1.0, -0.4, 0.2};
  system.add_spring_damper("between", "one.tip", "two.tip", 30.0, 2.0, 0.7);
  system.add_spring_damper("bead_spring", "bead.origin", "two.tip", 50.0, 1.5, 0.2);
  system.add_spring_damper("held", "ground.hook", "one.tip", 20.0, 3.0, 1.4);
  system.add_spring_damper("bead_held", "bead.origin", "ground.hook", 25.0, 0.5, 0.1);
  system.add_spring_damper("within", "one.origin", "one.tip", 40.0, 1.0, 0.1);
  expect_closed_forms_agree(system, 0);
}

// All floating bodies begin at the origin, where the ends of these rods coincide: 6 + 6 speeds for each rod.
TEST(ImplicitMotion, RowsOfRodsHaveTheSpeedsOfTheirBodies) {
  System system;
  for (const char* name : {"a", "b", "c", "d"}) {
    BodySpec& body = system.add_body(name, 1.0);
    body.inertia = {.xx = 0.1, .yy = 0.2, .zz = 0.25};
    body.add_point("tip", {0.5, 0.1, 0});
  }
  system.add_distance("one", "a.tip", "b.tip", 1.0);
  system.add_distance("other", "c.tip", "d.tip", 1.0);
  system.analysis.coordinates = "cartesian";
  const auto model = freeze(system);
  const ImplicitMotion motion(*model, calc_properties(*model));
  EXPECT_EQ(motion.row_pattern().size(), 24u);
  EXPECT_EQ(motion.pattern().size(), 2u * 12u * 12u);
}

TEST(ImplicitMotion, TakesNoMoreEvaluationsForMoreBodies) {
  const auto count = [](int bodies) {
    const auto model = freeze(floating_chain(bodies));
    const ImplicitMotion motion(*model, calc_properties(*model));
    EXPECT_LT(motion.pattern().size(), static_cast<std::size_t>(bodies * 6 * 18 + 1));
    return motion.evaluations();
  };
  EXPECT_LE(count(8), 18);  // a body and its two neighbours, six directions each
  EXPECT_EQ(count(30), count(8));
}

}  // namespace
}  // namespace sestina
