// Enforced limits of joints: where they are refused, by joint, value and limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "message_of.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::message_of;

System make_pendulum(double q, const std::string& limits, const std::string& coordinates = "relative") {
  return read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, -9.81]
bodies: [{{name: b, mass: 1, center_of_mass: [0, 0, -1], inertia: {{xx: 0.004, yy: 0.004, zz: 0.004}}}}]
joints:
  - {{name: j, type: revolute, parent: ground.origin, child: b.origin, axis: [0, 1, 0], q: {}, limits: {{{}}}}}
analysis: {{coordinates: {}, duration: 0.1}}
)",
                                q, limits, coordinates));
}

std::string refusal_of(const System& system) {
  return message_of([&] { run_anyhow(system); });
}

TEST(Stops, RefuseAStartBeyondThem) {
  EXPECT_EQ(refusal_of(make_pendulum(0.6, "lower: -0.5, upper: 0.3, enforced: true")),
            "j.q = 0.6 rad at the start is above the enforced upper limit of j, 0.3 rad");
  EXPECT_EQ(refusal_of(make_pendulum(-0.6, "lower: -0.5, upper: 0.3, enforced: true")),
            "j.q = -0.6 rad at the start is below the enforced lower limit of j, -0.5 rad");
  Workspace workspace(make_pendulum(0.0, "lower: -0.5, upper: 0.3, enforced: true"));
  EXPECT_THAT(message_of([&] { workspace.set_initial_state({0.4}, {0.0}); }),
              HasSubstr("j.q = 0.4 rad at the start"));
}

TEST(Stops, TakeAStartOnThemOrPressedIn) {
  run_system(make_pendulum(0.3, "lower: -0.5, upper: 0.3, enforced: true"));
  run_system(make_pendulum(0.4, "lower: -0.5, upper: 0.3, enforced: true, stiffness: 1e3"));
  run_system(make_pendulum(0.6, "lower: -0.5, upper: 0.3"));
}

TEST(Stops, NeedALimitAndRelativeCoordinates) {
  EXPECT_THAT(refusal_of(make_pendulum(0.0, "velocity: 3, enforced: true")),
              HasSubstr("joints[0].limits.enforced: needs a limit that can be a stop: lower or upper"));
  EXPECT_THAT(refusal_of(make_pendulum(0.0, "lower: -0.5, enforced: true", "cartesian")),
              AllOf(HasSubstr("limits of j cannot be stops in cartesian coordinates: take relative ones"),
                    Not(HasSubstr("loop"))));
}

TEST(Stops, FaultsAreToldOnce) {
  const std::string message =
      refusal_of(make_pendulum(0.0, "lower: -0.5, upper: 0.5, enforced: true, stiffness: -1"));
  EXPECT_EQ(message.find("stiffness: -1 is negative"), message.rfind("stiffness: -1 is negative"));
  System shapes = make_pendulum(0.0, "lower: -0.5");
  shapes.ground_shapes.emplace_back().type = "plane";
  shapes.body("b").shapes.emplace_back().radius = -0.1;
  shapes.body("b").shapes.back().type = "sphere";
  shapes.add_contact("k", "b", "ground");
  EXPECT_EQ(refusal_of(shapes), "bodies[0].shape.radius: -0.1 is negative");
  shapes.body("b").shapes.back().radius = 0.1;
  shapes.add_contact("k2", "b", "sky");
  EXPECT_THAT(refusal_of(shapes), HasSubstr("no shape and no body 'sky'; allowed: ground or b"));
}

}  // namespace
}  // namespace sestina::test
