// Tangents of the equations of motion with multipliers, against differences of their residual and against the
// derivatives of trees, which share nothing with them; and the linear equations that follow from them.
#include <gtest/gtest.h>

#include <Eigen/QR>

#include "dynamics/random_systems.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/forward_dynamics_derivatives.h"
#include "sestina/dynamics/linearized_motion.h"
#include "sestina/model/freeze.h"
#include "slider_crank.h"

namespace sestina {
namespace {

using namespace testing_support;

struct Evaluated {
  std::shared_ptr<const Model> model;
  Properties<double> properties;
  State<double> state;
  std::vector<double> udot;
  Eigen::VectorXd lambda;
};

Evaluated evaluate(const System& system) {
  Evaluated at{freeze(system), {}, {}, {}, {}};
  at.properties = calc_properties(*at.model);
  at.state = calc_assembled_state(*at.model, at.properties);
  at.udot.resize(at.state.u.size());
  ForwardDynamics dynamics(at.model, at.properties, "recursive");
  dynamics.calc_udot(at.state, at.udot);
  at.lambda.setZero(at.model->constraint_rows());
  if (dynamics.constrained() != nullptr) {
    const auto lambda = dynamics.constrained()->lambda();
    at.lambda = Eigen::Map<const Eigen::VectorXd>(lambda.data(), at.lambda.size());
  }
  return at;
}

// A free body, a hinged one and two on spherical joints, tied by a hinge with a rotor that closes a loop, a
// distance that depends on time, and springs.
System mechanism() {
  System system;
  system.gravity = {0.4, -9.81, 1.0};
  const auto add_body = [&](const char* name) {
    BodySpec& body = system.add_body(name, 1.3);
    body.center_of_mass = {0.2, 0.1, -0.1};
    body.inertia = {.xx = 0.2, .yy = 0.3, .zz = 0.25, .xy = 0.02};
    body.add_point("tip", {0.7, 0.1, 0.2});
  };
  for (const char* name : {"a", "b", "c", "d"}) add_body(name);
  const auto hinge = [&](const char* name, const char* parent, const char* child, Triple axis) -> JointSpec& {
    JointSpec& joint = system.add_joint(name, "revolute", parent, child);
    joint.axis = std::move(axis);
    return joint;
  };
  system.add_joint("j1", "free", "ground.origin", "a.origin").u = {0.3, -0.2, 0.5, 0.1, 0.2, -0.4};
  hinge("j2", "a.tip", "b.origin", {0.3, 1, 0}).u = {0.7};
  JointSpec& ball = system.add_joint("ball", "spherical", "b.tip", "c.origin");
  ball.u = {0.5, -0.3, 0.8};
  system.add_ground_point("near", {0.6, 0.2, -0.3});
  system.add_ground_point("far", {1.2, 0.8, 0.4});
  ConstraintSpec& rod = system.constraints.emplace_back();
  rod.name = "rod", rod.type = "distance", rod.from = "ground.near", rod.to = "c.tip",
  rod.length = "0.9+0.1*t";
  JointSpec& shoulder = system.add_joint("shoulder", "spherical", "c.tip", "d.origin");
  shoulder.u = {-0.4, 0.2, 0.6};
  JointSpec& pin = hinge("pin", "ground.far", "b.tip", {0.3, 0.2, 1});
  pin.armature = 0.4;
  system.add_joint_spring("spring", "j2", {30.0}, {0.3});
  system.add_spring_damper("strut", "ground.far", "a.tip", 50, 2, 0.3);
  return system;
}

// By central differences of a step that balances round-off: about 1e-9 of the size.
void expect_tangents(const Evaluated& at) {
  constexpr double kStep = 1e-5;
  MotionTangents tangents(*at.model, at.properties), other(*at.model, at.properties);
  tangents.update_tangents(at.state, at.udot, at.lambda, true);
  EXPECT_LE(tangents.r.cwiseAbs().maxCoeff(), 1e-11 * tangents.scale.maxCoeff());
  const auto n = static_cast<std::size_t>(at.model->nu());
  const double size = 1.0 + tangents.r_q.cwiseAbs().maxCoeff() + tangents.r_u.cwiseAbs().maxCoeff();
  for (std::size_t k = 0; k < n; ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    Eigen::VectorXd r_q, r_u, g_q, v_q, v_u, a_q, a_u;
    for (const double sign : {-1.0, 1.0}) {
      const double step = sign * kStep, part = sign / (2.0 * kStep);
      const auto add = [&](Eigen::VectorXd& sum, const Eigen::VectorXd& value) {
        if (sum.size() == 0) sum.setZero(value.size());
        sum += part * value;
      };
      State<double> moved = at.state;
      std::vector<double> d(n);
      d[k] = step;
      plus_q<double>(*at.model, at.state.q, d, moved.q);
      other.update(moved, at.udot, at.lambda);
      add(r_q, other.r), add(g_q, other.g), add(v_q, other.v), add(a_q, other.a);
      moved = at.state;
      moved.u[k] += step;
      other.update(moved, at.udot, at.lambda);
      add(r_u, other.r), add(v_u, other.v), add(a_u, other.a);
    }
    EXPECT_LE((tangents.r_q.col(column) - r_q).cwiseAbs().maxCoeff(), 1e-7 * size) << k;
    EXPECT_LE((tangents.r_u.col(column) - r_u).cwiseAbs().maxCoeff(), 1e-7 * size) << k;
    if (tangents.rows() == 0) continue;
    EXPECT_LE((tangents.v_q.col(column) - v_q).cwiseAbs().maxCoeff(), 1e-7 * size) << k;
    EXPECT_LE((tangents.C.col(column) - v_u).cwiseAbs().maxCoeff(), 1e-7 * size) << k;
    EXPECT_LE((tangents.a_q.col(column) - a_q).cwiseAbs().maxCoeff(), 1e-7 * size) << k;
    EXPECT_LE((tangents.a_u.col(column) - a_u).cwiseAbs().maxCoeff(), 1e-7 * size) << k;
    for (Eigen::Index i = 0; i < tangents.rows(); ++i) {
      if (!tangents.is_on_position(i)) continue;
      EXPECT_NEAR(tangents.C(i, column), g_q[i], 1e-7 * size) << i;
    }
  }
}

TEST(MotionTangents, AreThoseOfTheResidual) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(seed);
    expect_tangents(evaluate(random_system(seed, {.bodies = 6})));
  }
  expect_tangents(evaluate(mechanism()));
}

// Its directions change with the coordinates, which are exact at the start.
TEST(MotionTangents, OfAUniversalJointThatClosesALoopAreThoseOfTheResidual) {
  expect_tangents(evaluate(test::make_slider_crank()));
}

TEST(MotionTangents, GiveTheDerivativesOfTrees) {
  for (const std::uint64_t seed : {7, 8, 9}) {
    SCOPED_TRACE(seed);
    const Evaluated at = evaluate(random_system(seed, {.bodies = 8}));
    MotionTangents tangents(*at.model, at.properties);
    tangents.update_tangents(at.state, at.udot, at.lambda, true);
    const LinearizedMotion motion = linearize_motion(*at.model, tangents, at.state);
    Kinematics<double> kinematics(*at.model);
    AppliedForces<double> forces(*at.model);
    update_kinematics(*at.model, at.properties, at.state, kinematics);
    update_applied_forces(*at.model, at.properties, at.state, kinematics, forces);
    ForwardDynamicsDerivatives derivatives(*at.model, at.properties);
    derivatives.update(at.state, kinematics, forces, at.udot);
    const int n = at.model->nu();
    double size = motion.A.cwiseAbs().maxCoeff() + motion.B.cwiseAbs().maxCoeff(), error = 0.0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        error = std::max(error, std::abs(motion.A(n + i, j) - derivatives.by_q()(i, j)));
        error = std::max(error, std::abs(motion.A(n + i, n + j) - derivatives.by_u()(i, j)));
        error = std::max(error, std::abs(motion.B(n + i, j) - derivatives.by_tau()(i, j)));
      }
    }
    EXPECT_LE(error, 1e-10 * size);
    EXPECT_EQ(motion.basis.cols(), 2 * n);
  }
}

// A displaces variations that conditions allow into such: (4) of linearized_motion.h stays satisfied.
TEST(LinearizedMotion, StaysWithinTheConditions) {
  const Evaluated at = evaluate(mechanism());
  MotionTangents tangents(*at.model, at.properties);
  tangents.update_tangents(at.state, at.udot, at.lambda, true);
  const LinearizedMotion motion = linearize_motion(*at.model, tangents, at.state);
  const Eigen::Index n = tangents.nu();
  ASSERT_LT(motion.basis.cols(), 2 * n);
  ASSERT_GT(motion.basis.cols(), 0);
  // d/dt (C dq) = dC/dt dq + C d(dq)/dt = 0, which is the second of (4), for each of the basis.
  const Eigen::MatrixXd residual =
      tangents.v_q * motion.basis.topRows(n) + tangents.C * motion.basis.bottomRows(n);
  EXPECT_LE(residual.cwiseAbs().maxCoeff(), 1e-12 * (1.0 + tangents.v_q.cwiseAbs().maxCoeff()));
  // The rate of change of the accelerations' condition.
  const Eigen::MatrixXd rates = motion.A * motion.basis;
  const Eigen::MatrixXd of_accelerations = tangents.a_q * motion.basis.topRows(n) +
                                           tangents.a_u * motion.basis.bottomRows(n) +
                                           tangents.C * rates.bottomRows(n);
  EXPECT_LE(of_accelerations.cwiseAbs().maxCoeff(), 1e-10 * (1.0 + tangents.a_q.cwiseAbs().maxCoeff()));
}

// A force along the speeds changes accelerations as it does in forward dynamics.
TEST(LinearizedMotion, HasTheInputsOfForwardDynamics) {
  const Evaluated at = evaluate(mechanism());
  MotionTangents tangents(*at.model, at.properties);
  tangents.update_tangents(at.state, at.udot, at.lambda, true);
  const LinearizedMotion motion = linearize_motion(*at.model, tangents, at.state);
  ForwardDynamics dynamics(at.model, at.properties, "kane");
  const auto n = static_cast<std::size_t>(at.model->nu());
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> tau(n), udot(n);
    tau[k] = 1.0;
    dynamics.calc_udot(at.state, udot, tau);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(motion.B(static_cast<Eigen::Index>(n + i), static_cast<Eigen::Index>(k)),
                  udot[i] - at.udot[i], 1e-9);
    }
  }
}

}  // namespace
}  // namespace sestina
