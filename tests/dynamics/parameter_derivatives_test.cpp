// Derivatives by the parameters of a model, against closed forms, difference quotients and each other; and
// the Jacobians of points.
#include "sestina/dynamics/parameter_derivatives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamics/evaluation.h"
#include "dynamics/random_systems.h"
#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/base/memory.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/marker_jacobian.h"
#include "sestina/dynamics/mass_matrix.h"

namespace sestina {
namespace {

using namespace testing_support;

// A point mass on a string: udot = -g/l sin q - c/(m l^2) u.
TEST(ParameterDerivatives, OfAPendulumAreTheTextbooks) {
  const double g = 9.81, l = 0.7, m = 1.3, c = 0.2, q = 0.4, u = -0.9;
  System system;
  system.set_parameter("g", g);
  system.set_parameter("l", l);
  system.set_parameter("m", m);
  system.set_parameter("c", c);
  system.gravity = {0, "-g", 0};
  system.add_body("bob", "m").center_of_mass = {0, "-l", 0};
  system.add_joint("pivot", "revolute", "ground.origin", "bob.origin").axis = Triple{0, 0, 1};
  ForceSpec& friction = system.add_force("friction", "joint_damper");
  friction.joint = "pivot";
  friction.damping = {"c"};
  const auto model = freeze(system);
  ParameterDerivatives derivatives(*model, calc_properties(*model));
  EXPECT_FALSE(derivatives.update({0.0, {q}, {u}}).is_singular);
  EXPECT_NEAR(derivatives.udot_by("g")[0], -std::sin(q) / l, 1e-14);
  EXPECT_NEAR(derivatives.udot_by("l")[0], g * std::sin(q) / (l * l) + 2.0 * c * u / (m * l * l * l), 1e-13);
  EXPECT_NEAR(derivatives.udot_by("m")[0], c * u / (m * m * l * l), 1e-14);
  EXPECT_NEAR(derivatives.udot_by("c")[0], -u / (m * l * l), 1e-14);
  const double udot = 0.5;
  derivatives.update_inverse({0.0, {q}, {u}}, std::vector<double>{udot});
  EXPECT_NEAR(derivatives.residual_by("m")[0], l * l * udot + g * l * std::sin(q), 1e-13);
  EXPECT_NEAR(derivatives.residual_by("c")[0], u, 1e-15);
}

// An arm with a parameter in every kind of place.
System make_arm() {
  System system;
  system.set_parameter("g", 9.81);
  system.set_parameter("l", 0.6);
  system.set_parameter("density", 2.0);
  system.set_parameter("tilt", 0.3);
  system.set_parameter("k", 30.0);
  system.set_parameter("c", 0.4);
  system.set_parameter("gain", 1.5);
  system.set_parameter("rotor", 0.02);
  system.set_parameter("idle", 1.0);
  system.set_parameter("mass", "density*l");
  system.gravity = {0, 0, "-g"};
  for (const char* name : {"upper", "fore", "hand"}) {
    BodySpec& body = system.add_body(name, "mass");
    body.center_of_mass = {"l/2", 0, "0.1*tilt"};
    body.inertia = {.xx = "0.01*mass", .yy = "mass*l^2/12", .zz = "mass*l^2/12"};
    body.add_point("tip", {"l", 0, 0});
  }
  JointSpec& shoulder = system.add_joint("shoulder", "revolute", "ground.origin", "upper.origin");
  shoulder.axis = {0, "sin(tilt)", "cos(tilt)"};
  shoulder.armature = "rotor";
  system.add_joint("elbow", "spherical", "upper.tip", "fore.origin");
  system.add_joint("slide", "prismatic", "fore.tip", "hand.origin").axis = Triple{1, 0, 0};
  ForceSpec& spring = system.add_force("spring", "spring_damper");
  spring.from = "ground.origin", spring.to = "hand.tip";
  spring.stiffness = {"k"}, spring.damping = {"c"}, spring.free_length = "l";
  ForceSpec& drive = system.add_force("drive", "joint_force");
  drive.joint = "shoulder";
  drive.value = {"gain*sin(shoulder.q) - c*shoulder.u"};
  return system;
}

TEST(ParameterDerivatives, EqualDifferenceQuotientsForParametersInEveryPlace) {
  const auto model = freeze(make_arm());
  const Properties<double> properties = calc_properties(*model);
  const State<double> state = scatter_states(*model, 1, 1.0, 3)[1];
  Evaluation<double> at(model);
  const std::vector<double> udot = at.solve<RecursiveSolver>(state);
  ParameterDerivatives derivatives(*model, properties);
  derivatives.update(state);
  derivatives.update_inverse(state, udot);
  ASSERT_EQ(model->parameters().size(), 9U);
  for (std::size_t j = 0; j < model->parameters().size(); ++j) {
    const std::string& name = model->parameters()[j].name;
    const double h = 1e-6;
    std::vector<double> udots[2], residuals[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<double> parameters = properties.parameters;
      parameters[j] += side == 0 ? -h : h;
      Evaluation<double> moved(model, calc_properties<double>(*model, parameters));
      udots[side] = moved.solve<RecursiveSolver>(state);
      moved.udot = udot;
      moved.residual();
      residuals[side] = moved.inverse.residual;
    }
    double most = 0.0;
    for (std::size_t k = 0; k < udot.size(); ++k) {
      // The error of the quotient: h^2 times a third derivative, and round-off of udot by h.
      const double scale = 1e-7 * std::max(1.0, largest(udot));
      EXPECT_NEAR(derivatives.udot_by(name)[k], (udots[1][k] - udots[0][k]) / (2 * h), scale) << name;
      EXPECT_NEAR(derivatives.residual_by(name)[k], (residuals[1][k] - residuals[0][k]) / (2 * h), scale)
          << name;
      most = std::max(most, std::abs(derivatives.udot_by(name)[k]));
    }
    if (name == "idle") {
      EXPECT_EQ(most, 0.0);
    } else {
      EXPECT_GT(most, 1e-4) << name;
    }
  }
}

TEST(ParameterDerivatives, OfForwardAndInverseDynamicsBelongTogether) {
  const auto model = freeze(make_arm());
  const State<double> state = scatter_states(*model, 1, 1.0, 4)[1];
  Evaluation<double> at(model);
  at.solve<RecursiveSolver>(state);
  ParameterDerivatives derivatives(*model, at.properties);
  derivatives.update(state);
  derivatives.update_inverse(state, at.udot);
  MassMatrix<double> mass_matrix(*model);
  mass_matrix.update(at.properties, at.kinematics);
  for (std::size_t j = 0; j < model->parameters().size(); ++j) {
    const auto by_forward = derivatives.udot_by(static_cast<int>(j));
    const auto by_inverse = derivatives.residual_by(static_cast<int>(j));
    for (int i = 0; i < model->nu(); ++i) {
      double sum = by_inverse[static_cast<std::size_t>(i)], scale = std::abs(sum);
      for (int k = 0; k < model->nu(); ++k) {
        const double term =
            mass_matrix.matrix()(std::max(i, k), std::min(i, k)) * by_forward[static_cast<std::size_t>(k)];
        sum += term, scale += std::abs(term);
      }
      EXPECT_NEAR(sum, 0.0, 1e-12 * scale) << model->parameters()[j].name;
    }
  }
}

// A mass and a length for each of 20000 bodies: each of their derivatives is O(n).
TEST(ParameterDerivatives, BeyondTheMemoryAreRefusedWithTheirSize) {
  if (!available_memory()) return;
  System system;
  for (int i = 0; i < 20000; ++i) {
    const std::string n = std::to_string(i);
    system.parameters.push_back({"m" + n, 1.0});
    system.parameters.push_back({"l" + n, 0.5});
    system.add_particle("b" + n, "m" + n).add_point("end", {"l" + n, 0, 0});
    system.add_joint("j" + n, "revolute", "ground.origin", "b" + n + ".end").axis = {0, 0, 1};
  }
  const auto model = freeze(system);
  EXPECT_THAT(message_of([&] { const ParameterDerivatives all(*model, calc_properties(*model)); }),
              testing::HasSubstr("set of derivatives by 40000 parameters for 20000 speeds takes "));
}

TEST(ParameterDerivatives, NameTheParametersThatThereAre) {
  const auto model = freeze(make_arm());
  const ParameterDerivatives derivatives(*model, calc_properties(*model));
  try {
    derivatives.udot_by("mass");
    FAIL() << "a parameter that depends on others has no derivative of its own";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "there is no free parameter 'mass'; there are: g, l, density, tilt, k, c, gain, rotor, idle");
  }
}

TEST(MarkerJacobian, TimesTheSpeedsIsTheVelocityOfThePoint) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Evaluation<double> at(freeze(random_system(seed)));
    const State<double> state = scatter_states(*at.model, 1, 1.0, seed)[1];
    at.update(state);
    std::vector<SpatialMotion<double>> J(state.u.size());
    for (int p = 0; p < at.model->points().size(); ++p) {
      const PointIndex point(p);
      calc_marker_jacobian<double>(*at.model, at.kinematics, at.properties.points[point], J);
      SpatialMotion<double> V;
      for (std::size_t k = 0; k < J.size(); ++k) V += state.u[k] * J[k];
      const BodyMotion<double>& body =
          at.kinematics.motion[static_cast<std::size_t>(at.model->points()[point].body.value())];
      const SpatialMotion<double> expected =
          shift(body.V_WB, body.X_WB.R * at.properties.points[point].X_BK.p);
      const double scale = 1e-12 * (1.0 + norm(expected.w) + norm(expected.v));
      EXPECT_LE(norm(V.w - expected.w), scale) << at.model->points()[point].name;
      EXPECT_LE(norm(V.v - expected.v), scale) << at.model->points()[point].name;
    }
  }
}

// A force F at the marker has the generalised forces J^T F.
TEST(MarkerJacobian, TransposedTakesAForceToGeneralisedForces) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Evaluation<double> at(freeze(random_system(seed)));
    const State<double> state = scatter_states(*at.model, 1, 1.0, seed)[1];
    at.update(state);
    std::vector<SpatialMotion<double>> J(state.u.size());
    const SpatialForce<double> F{{0.3, -1.2, 0.7}, {2.0, 0.4, -0.9}};
    for (const Marker<double>& marker : at.properties.points) {
      calc_marker_jacobian<double>(*at.model, at.kinematics, marker, J);
      std::vector<double> tau(J.size(), 1.0);
      add_generalized_force<double>(*at.model, at.kinematics, marker, F, tau);
      for (std::size_t k = 0; k < J.size(); ++k) {
        EXPECT_NEAR(tau[k], 1.0 + dot(J[k], F), 1e-12 * (1.0 + std::abs(tau[k])));
      }
    }
  }
}

// By Dual: the position of a point moves along a column as q does.
TEST(MarkerJacobian, IsTheDerivativeOfThePosition) {
  Evaluation<Dual> at(freeze(random_system(5)));
  const State<double> state = scatter_states(*at.model, 1, 1.0, 5)[1];
  const PointIndex point(at.model->points().size() - 1);
  std::vector<SpatialMotion<Dual>> J(state.u.size());
  for (std::size_t k = 0; k < J.size(); ++k) {
    std::vector<double> direction(J.size(), 0.0), still = direction;
    direction[k] = 1.0;
    at.update(moving_state(*at.model, state, direction, still, 0.0));
    const Vec3<Dual> p = calc_point_position(at.properties, at.kinematics, point);
    calc_marker_jacobian<Dual>(*at.model, at.kinematics, at.properties.points[point], J);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(p[c].d, J[k].v[c].v, 1e-12 * (1.0 + std::abs(p[c].v)));
  }
}

}  // namespace
}  // namespace sestina
