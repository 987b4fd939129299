// Steps with contacts and their derivatives.
#include "sestina/workspace/contact_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"
#include "sestina/numerics/eigen_vectors.h"

namespace sestina {
namespace {

using Eigen::VectorXd;
using testing::HasSubstr;
using testing_support::message_of;

std::shared_ptr<const Model> model_of(const std::string& text) { return freeze(read_model(text)); }

// A box, a ball and an arm with a stop and friction in its joint, which touch each other and a floor.
constexpr const char* kScene = R"(
sestina: 1
gravity: [0, 0, -9.81]
parameters: {mu: 0.4, m: 2, mb: 0.5, hold: 0.3}
ground: {shapes: [{name: floor, type: plane}], points: {pivot: [0.5, 0, 0.3]}}
bodies:
  - {name: box, mass: m, inertia: {xx: 0.02, yy: 0.03, zz: 0.04}, shapes: [{name: cube, type: box, size: [0.3, 0.2, 0.1]}]}
  - {name: ball, mass: mb, inertia: {xx: 0.002, yy: 0.002, zz: 0.002}, shapes: [{name: skin, type: sphere, radius: 0.1}]}
  - {name: arm, mass: 1, inertia: {xx: 0.05, yy: 0.05, zz: 0.05}, points: {root: [0.2, 0, 0]}, shapes: [{name: rod, type: capsule, radius: 0.03, length: 0.3, axes: {axis: [0, 1, 0], angle: 1.5707963267948966}}]}
joints:
  - {name: a, type: free, parent: ground.origin, child: box.origin, q: [0.01, 0.02, 0.0501, 0.99998, 0.002, 0.006, 0], u: [0.1, 0.05, 0.02, 0.5, 0.1, -0.05]}
  - {name: b, type: free, parent: ground.origin, child: ball.origin, q: [0.05, 0.03, 0.201, 0.8, 0, 0.6, 0], u: [0.3, 0.1, -0.2, 0.2, 0, -0.1]}
  - {name: c, type: revolute, parent: ground.pivot, child: arm.root, axis: [0, 1, 0], q: -0.601, u: -0.5, limits: {lower: -0.6, enforced: true}}
forces: [{name: brake, type: coordinate_friction, joint: c, friction: hold}]
contacts:
  - {name: feet, between: [floor, cube], friction: mu}
  - {name: top, between: [cube, skin], friction: 0.3}
  - {name: pad, between: [skin, rod], friction: 0.2, stiffness: 1.0e4, damping: 10}
)";

double largest_error(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected) {
  return (found - expected).cwiseAbs().maxCoeff() / (1.0 + expected.cwiseAbs().maxCoeff());
}

// The displacement between two ends and the change of their speeds.
VectorXd between(const Model& model, const State<double>& from, const State<double>& to) {
  std::vector<double> displacement(from.u.size());
  minus_q<double>(model, to.q, from.q, displacement);
  VectorXd both(2 * static_cast<Eigen::Index>(from.u.size()));
  both << as_vector(displacement), as_vector(to.u) - as_vector(from.u);
  return both;
}

TEST(ContactStep, DerivativesAreThoseOfTheStep) {
  const auto model = model_of(kScene);
  const Properties<double> properties = calc_properties(*model);
  const State<double> start = calc_initial_state(*model);
  ContactStepOptions options{.dt = 0.01, .smoothing = 1e-3, .parameters = {"mu", "m", "mb", "hold"}};
  options.tau.assign(start.u.size(), 0.1);
  const ContactStep step = calc_contact_step(model, properties, start, options);
  const double d = 1e-5;
  const auto end = [&](const State<double>& from, const ContactStepOptions& with) {
    return calc_contact_step(model, properties, from, with).end;
  };
  Eigen::MatrixXd by_q(step.by_q.rows(), step.by_q.cols()), by_u = by_q, by_tau = by_q;
  for (Eigen::Index j = 0; j < by_q.cols(); ++j) {
    std::array<State<double>, 2> q, u, tau;
    for (std::size_t i = 0; i < 2; ++i) {
      const double change = i == 0 ? -d : d;
      std::vector<double> displacement(start.u.size());
      displacement[static_cast<std::size_t>(j)] = change;
      State<double> from = start;
      plus_q<double>(*model, start.q, displacement, from.q);
      q[i] = end(from, options);
      from = start;
      from.u[static_cast<std::size_t>(j)] += change;
      u[i] = end(from, options);
      ContactStepOptions other = options;
      other.tau[static_cast<std::size_t>(j)] += change;
      tau[i] = end(start, other);
    }
    by_q.col(j) = between(*model, q[0], q[1]) / (2 * d);
    by_u.col(j) = between(*model, u[0], u[1]) / (2 * d);
    by_tau.col(j) = between(*model, tau[0], tau[1]) / (2 * d);
  }
  EXPECT_LT(largest_error(step.by_q, by_q), 2e-5);
  EXPECT_LT(largest_error(step.by_u, by_u), 2e-5);
  EXPECT_LT(largest_error(step.by_tau, by_tau), 2e-5);
  EXPECT_GT((by_u - Eigen::MatrixXd::Identity(by_u.rows(), by_u.cols())).norm(), 1.0);  // contacts act
  for (Eigen::Index k = 0; k < 4; ++k) {
    const auto at = [&](double factor) {
      std::vector<double> values = properties.parameters;
      values[static_cast<std::size_t>(k)] *= factor;
      return calc_contact_step(model, calc_properties<double>(*model, values), start, options).end;
    };
    const VectorXd expected =
        between(*model, at(1 - d), at(1 + d)) / (2 * d * properties.parameters[static_cast<std::size_t>(k)]);
    EXPECT_LT(largest_error(step.by_parameters.col(k), expected), 2e-5) << k;
    EXPECT_GT(expected.norm(), 1e-6) << k;
  }
}

// A ball above the floor, one speed: p (v + g/h) = kappa with v = u - h G + p/m.
TEST(ContactStep, FallingBallHasTheClosedForm) {
  const auto model = model_of(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies: [{name: ball, mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, shapes: [{name: skin, type: sphere, radius: 0.1}]}]
joints: [{name: z, type: prismatic, axis: [0, 0, 1], parent: ground.origin, child: ball.origin, q: 0.103, u: -0.5}]
contacts: [{name: touch, between: [floor, skin]}]
)");
  const Properties<double> properties = calc_properties(*model);
  const State<double> start = calc_initial_state(*model);
  const double h = 0.01, m = 2.0, kappa = 1e-3, gap = 0.003;
  const ContactStep step = calc_contact_step(model, properties, start, {.dt = h, .smoothing = kappa});
  const double a = -0.5 - 9.81 * h + gap / h;  // w without an impulse
  const double p = 0.5 * m * (std::sqrt(a * a + 4 * kappa / m) - a);
  EXPECT_NEAR(step.end.u[0], -0.5 - 9.81 * h + p / m, 1e-12);
  EXPECT_NEAR(step.end.q[0], 0.103 + h * step.end.u[0], 1e-14);
  const double by_a = -p / (a + 2 * p / m);  // of p
  EXPECT_NEAR(step.by_u(1, 0), 1 + by_a / m, 1e-8);
  EXPECT_NEAR(step.by_q(1, 0), by_a / (m * h), 1e-6);
  EXPECT_NEAR(step.by_q(0, 0), 1 + by_a / m, 1e-8);
  EXPECT_NEAR(step.by_tau(1, 0), h / m * (1 + by_a / m), 1e-10);
}

TEST(ContactStep, TendsToTheStepWithoutSmoothing) {
  // A block that slides along the floor loses h mu g in a step.
  const auto model = model_of(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies: [{name: block, mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, shapes: [{name: cube, type: box, size: [0.2, 0.2, 0.1]}]}]
joints: [{name: fly, type: xyz, parent: ground.origin, child: block.origin, q: [0, 0, 0.05], u: [1, 0, 0]}]
contacts: [{name: feet, between: [floor, cube], friction: 0.3}]
)");
  const Properties<double> properties = calc_properties(*model);
  const State<double> start = calc_initial_state(*model);
  for (const double smoothing : {1e-5, 1e-7, 1e-9}) {
    const ContactStep step =
        calc_contact_step(model, properties, start, {.dt = 0.01, .smoothing = smoothing});
    EXPECT_NEAR(step.end.u[0], 1 - 0.01 * 0.3 * 9.81, 30 * std::sqrt(smoothing) * 0.1) << smoothing;
    EXPECT_NEAR(step.by_u(3, 0), 1.0, 30 * std::sqrt(smoothing)) << smoothing;
  }
}

TEST(ContactStep, RefusesWhatHasNoDerivatives) {
  const auto message = [](const std::string& contact, ContactStepOptions options) {
    const auto model = model_of(fmt::format(R"(
sestina: 1
ground: {{shapes: [{{name: floor, type: box, size: [1, 1, 0.2]}}]}}
bodies: [{{name: block, mass: 2, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, shapes: [{{name: cube, type: box, size: [0.2, 0.2, 0.1]}}]}}]
joints: [{{name: fly, type: free, parent: ground.origin, child: block.origin, q: [0.4, 0, 0.15, 1, 0, 0, 0]}}]
contacts: [{{name: feet, between: [floor, cube], {}}}]
)",
                                            contact));
    const Properties<double> properties = calc_properties(*model);
    const State<double> start = calc_initial_state(*model);
    try {
      return message_of([&] { calc_contact_step(model, properties, start, options); });
    } catch (const ComputationError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(message("restitution: 0.5", {.dt = 0.01}),
              HasSubstr("the restitution of feet is 0.5, and a rebound has no derivative: allowed is 0"));
  EXPECT_THAT(message("friction: 0.5", {.dt = -0.01}), HasSubstr("dt: -0.01 is not a positive number"));
  EXPECT_THAT(message("friction: 0.5", {.dt = 0.01, .smoothing = 0.0}),
              HasSubstr("smoothing: 0 is not a positive number of joules"));
  EXPECT_THAT(message("friction: 0.5", {.dt = 0.01, .tau = {1.0}}),
              HasSubstr("tau: 1 numbers; allowed are 6"));
  EXPECT_THAT(message("friction: 0.5", {.dt = 0.01, .parameters = {"k"}}),
              HasSubstr("there is no free parameter 'k'"));
  // The overlap of two faces with a common edge has more corners when one of them is turned.
  EXPECT_THAT(message("friction: 0.5", {.dt = 0.01}),
              HasSubstr("the points at which shapes touch change at this state (contact feet)"));
}

}  // namespace
}  // namespace sestina
