// Properties: the numbers of a model in the joint frames that the recursions use, and their derivatives.
#include "sestina/model/properties.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/random_systems.h"
#include "model/example_system.h"
#include "model/flatten.h"
#include "sestina/base/error.h"
#include "sestina/joints/joint_list.h"

namespace sestina {
namespace {

using namespace testing_support;

constexpr double kRoundOff = 1e-14;  // of a few dozen operations on numbers of size one

void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance = kRoundOff) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}
void expect_near(const Mat3<double>& A, const Mat3<double>& B, double tolerance = kRoundOff) {
  for (int k = 0; k < 3; ++k) expect_near(A.column(k), B.column(k), tolerance);
}

// A body held at a point that lies at p in the body and whose axes are turned by a quarter about z: the
// point's x is the body's y.
System held_body(const std::string& type = "revolute") {
  System system;
  BodySpec& body = system.add_body("body", 2.0);
  body.center_of_mass = {1, 2, 3};
  body.inertia = {.xx = 4, .yy = 5, .zz = 6, .xy = 0.1, .xz = 0.2, .yz = 0.3};
  PointSpec& hub = body.add_point("hub", {1, 0, 1});
  hub.axes = RotationSpec::matrix({Triple{0, -1, 0}, Triple{1, 0, 0}, Triple{0, 0, 1}});
  body.add_point("tip", {1, 2, 1});
  body.points.back().axes = RotationSpec::rpy(0, 0, M_PI / 2);
  JointSpec& joint = system.add_joint("joint", type, "ground.origin", "body.hub");
  if (joint_info(*joint_type_from_keyword(type)).has_axis) joint.axis = {0, 3, 4};
  return system;
}

TEST(Properties, HoldTheMassCentreAndTheInertiaInTheJointFrame) {
  const auto model = freeze(held_body());
  const Properties<double> properties = calc_properties(*model);
  const BodyProperties<double>& body = properties.bodies[BodyIndex(1)];
  EXPECT_EQ(body.M.mass, 2.0);
  // From the hub the mass centre is at (0, 2, 2) in body axes; body (x, y, z) is hub (y, -x, z).
  expect_near(body.M.c, {2, 0, 2});
  const Mat3<double> J_com{5, -0.1, 0.3, -0.1, 4, -0.2, 0.3, -0.2, 6};
  expect_near(full(body.J_com), J_com);
  // Steiner: m (c.c 1 - c c^T)
  const Mat3<double> J{5 + 2 * 4, -0.1, 0.3 - 2 * 4, -0.1, 4 + 2 * 8, -0.2, 0.3 - 2 * 4, -0.2, 6 + 2 * 4};
  expect_near(full(body.M.J), J);
}

TEST(Properties, HoldPointsInTheJointFrame) {
  const auto model = freeze(held_body());
  const Properties<double> properties = calc_properties(*model);
  expect_near(properties.points[model->point("body.hub")].X_BK.p, {0, 0, 0});
  expect_near(properties.points[model->point("body.hub")].X_BK.R, Mat3<double>::identity());
  expect_near(properties.points[model->point("body.tip")].X_BK.p, {2, 0, 0});
  expect_near(properties.points[model->point("body.tip")].X_BK.R, Mat3<double>::identity());
  expect_near(properties.points[model->point("body.origin")].X_BK.p, {0, 1, -1});
  expect_near(properties.bodies[BodyIndex(1)].X_MB.p, {0, 1, -1});
  expect_near(properties.bodies[BodyIndex(1)].X_MB.R, {0, 1, 0, -1, 0, 0, 0, 0, 1});
}

TEST(Properties, HoldTheParentsPointInTheParentsJointFrame) {
  System system = held_body();
  system.add_body("next", 1.0).inertia = {.xx = 1, .yy = 1, .zz = 1};
  system.add_joint("link", "spherical", "body.tip", "next.origin");
  const auto model = freeze(system);
  const Properties<double> properties = calc_properties(*model);
  expect_near(properties.bodies[model->body("next")].X_PF.p, {2, 0, 0});
  expect_near(properties.bodies[model->body("next")].X_PF.R, Mat3<double>::identity());
}

TEST(Properties, HoldAxesOfUnitLength) {
  for (const char* type : {"revolute", "prismatic", "screw", "cylindrical", "universal"}) {
    System system = held_body(type);
    if (std::string(type) == "universal") system.joints[0].second_axis = {5, 0, 0};
    const auto model = freeze(system);
    const Properties<double> properties = calc_properties(*model);
    visit_joint<double>(properties.bodies[BodyIndex(1)].joint, [](const auto& joint) {
      if constexpr (requires { joint.axis; }) expect_near(joint.axis, {0, 0.6, 0.8});
      if constexpr (requires { joint.second_axis; }) expect_near(joint.second_axis, {1, 0, 0});
    });
  }
}

TEST(Properties, GiveTheSameRotationHoweverItIsWritten) {
  // A third of a turn about (1, 1, 1), and yaw, pitch, roll of a quarter each: x -> y -> z -> x, and others.
  const auto axes_of = [](const RotationSpec& rotation) {
    System system = held_body();
    system.bodies[0].points[1].axes = rotation;
    system.joints[0].child = "body.origin";
    const auto model = freeze(system);
    return calc_properties(*model).points[model->point("body.tip")].X_BK.R;
  };
  const Mat3<double> cyclic{0, 0, 1, 1, 0, 0, 0, 1, 0};  // columns y, z, x
  expect_near(axes_of(RotationSpec::axis_angle({7, 7, 7}, 2 * M_PI / 3)), cyclic);
  expect_near(axes_of(RotationSpec::euler_parameters(0.5, 0.5, 0.5, 0.5)), cyclic);
  expect_near(axes_of(RotationSpec::matrix({Triple{0, 0, 1}, {1, 0, 0}, {0, 1, 0}})), cyclic);
  expect_near(axes_of(RotationSpec::rpy(M_PI / 2, 0, M_PI / 2)), cyclic);  // Rz Ry Rx
}

TEST(Properties, HaveRotationsThatAreOrthonormalToRoundOffThoughGivenToSixDigits) {
  System system = held_body();
  system.bodies[0].points[1].axes =
      RotationSpec::matrix({Triple{0.7071068, -0.7071067, 0}, {0.7071068, 0.7071069, 0}, {0, 0, 1}});
  const auto model = freeze(system);
  const Mat3<double> R = calc_properties(*model).points[model->point("body.tip")].X_BK.R;
  expect_near(R * R.transpose(), Mat3<double>::identity(), 1e-15);
}

TEST(Properties, OfEveryNumberHaveTheDerivativeByAParameterThatDifferencesHave) {
  std::size_t compared = 0, moving = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto model = freeze(random_system(seed));
    std::vector<double> values;
    for (const ParameterInfo& parameter : model->parameters()) values.push_back(parameter.value);
    for (std::size_t p = 0; p < values.size(); ++p) {
      std::vector<Dual> dual_values(values.begin(), values.end());
      dual_values[p].d = 1.0;
      const auto dual = flatten(calc_properties<Dual>(*model, dual_values));
      constexpr double h = 1e-5;
      const auto at = [&](double step) {
        std::vector<double> moved = values;
        moved[p] += step;
        return flatten(calc_properties<double>(*model, moved));
      };
      const auto here = at(0), ahead = at(h), behind = at(-h);
      for (std::size_t i = 0; i < dual.size(); ++i) {
        const double size = 1.0 + std::abs(here[i].second) + std::abs(dual[i].second.d);
        // The value: the same operations. The derivative: h^2/6 f''' = 2e-11 f''' and round-off/h = 1e-11,
        // both of numbers whose derivatives grow by up to thirty an order.
        EXPECT_NEAR(dual[i].second.v, here[i].second, 1e-14 * size) << dual[i].first;
        EXPECT_NEAR(dual[i].second.d, (ahead[i].second - behind[i].second) / (2 * h), 1e-7 * size)
            << dual[i].first << ", seed " << seed;
        ++compared;
        if (std::abs(dual[i].second.d) > 1e-3) ++moving;
      }
    }
  }
  EXPECT_GT(moving, compared / 3) << "most numbers depend on the parameters";
}

TEST(InitialState, HasTheDerivativeByAParameterThatDifferencesHave) {
  double most = 0.0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto model = freeze(random_system(seed));
    std::vector<double> values;
    for (const ParameterInfo& parameter : model->parameters()) values.push_back(parameter.value);
    std::vector<Dual> dual_values(values.begin(), values.end());
    dual_values[0].d = 1.0;
    const State<Dual> dual = calc_initial_state<Dual>(*model, dual_values);
    constexpr double h = 1e-5;
    const auto at = [&](double step) {
      std::vector<double> moved = values;
      moved[0] += step;
      const State<double> state = calc_initial_state<double>(*model, moved);
      std::vector<double> all = state.q;
      all.insert(all.end(), state.u.begin(), state.u.end());
      return all;
    };
    const std::vector<double> ahead = at(h), behind = at(-h);
    for (std::size_t i = 0; i < ahead.size(); ++i) {
      const double d = i < dual.q.size() ? dual.q[i].d : dual.u[i - dual.q.size()].d;
      EXPECT_NEAR(d, (ahead[i] - behind[i]) / (2 * h), 1e-8) << seed;  // as above
      most = std::max(most, std::abs(d));
    }
  }
  EXPECT_GT(most, 0.1);
}

// The largest and smallest lengths that have a direction: squares of them leave the range of doubles.
TEST(Properties, HoldDirectionsOfVectorsOfAnyLength) {
  const Properties<double> expected = calc_properties(*freeze(held_body()));
  const auto axis_of = [](const Properties<double>& properties) {
    return properties.bodies[BodyIndex(1)].joint.axis;
  };
  for (const double length : {1e300, 1e200, 1e-160, 1e-200, 1e-300, 5e-324 * 8}) {
    System system = held_body();
    system.joint("joint").axis = {0, 3 * length, 4 * length};
    system.add_ground_point("turned", {0, 0, 0}).axes =
        RotationSpec::axis_angle({3 * length, 4 * length, 0}, 0.7);
    const auto model = freeze(system);
    const Properties<double> properties = calc_properties(*model);
    expect_near(axis_of(properties), axis_of(expected));
    expect_near(properties.points[model->point("ground.turned")].X_BK.R,
                axis_rotation(Vec3<double>{0.6, 0.8, 0}, 0.7));
  }
}

TEST(Properties, HaveDerivativesOfDirectionsOfAnyLength) {
  for (const double length : {1.0, 1e200, 1e-200}) {
    System system = held_body();
    system.set_parameter("a", 3 * length);
    system.set_parameter("b", 4 * length);
    system.joint("joint").axis = {0, "a", "b"};
    const auto model = freeze(system);
    const std::vector<Dual> parameters{{3 * length, length}, {4 * length, 0.0}};
    const Properties<Dual> properties = calc_properties<Dual>(*model, parameters);
    const Vec3<Dual> axis = properties.bodies[BodyIndex(1)].joint.axis;
    // of (3 + x, 4)/|(3 + x, 4)| by x: (16, -12)/125
    EXPECT_NEAR(axis.y.d, 16.0 / 125.0, kRoundOff);
    EXPECT_NEAR(axis.z.d, -12.0 / 125.0, kRoundOff);
  }
}

TEST(Properties, OfUniversalJointsTakeAxesOfAnyLength) {
  System system = held_body("universal");
  system.joint("joint").axis = {1e200, 1e200, 0};
  system.joint("joint").second_axis = {1e-200, -1e-200, 0};
  EXPECT_NO_THROW(freeze(system));
  system.joint("joint").second_axis = {1e-200, 1e-200, 0};
  EXPECT_THROW(freeze(system), InputError);
}

}  // namespace
}  // namespace sestina
