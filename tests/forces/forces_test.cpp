// Checks of each force element by hand: sign, lever arm and axes.
#include <gtest/gtest.h>

#include <array>

#include "forces/force_rig.h"
#include "sestina/forces/joint_forces.h"
#include "sestina/forces/point_forces.h"
#include "sestina/forces/spring_damper.h"
#include "spatial/difference.h"

namespace sestina {
namespace {

using namespace testing_support;
using Force = SpatialForce<double>;

const BodyIndex kFirst{1}, kSecond{2};
constexpr double kRight = 1.57079632679489661923;  // rad
constexpr double kRoundOff = 1e-13;                // of some ten operations on numbers up to ten

Marker<double> point(BodyIndex body, const Vec3<double>& p) {
  return {frame_of(body), {Rotation<double>::identity(), p}};
}

// The first body rests at the origin, the second at (3, 0, 0).
ForceRig<double> two_bodies_at_rest() {
  ForceRig<double> rig;
  rig.bodies[2].X_WB.p = {3, 0, 0};
  return rig;
}

SpringDamper<double> spring_between_origins() {
  SpringDamper<double> spring;
  spring.from = point(kFirst, {0, 0, 0});
  spring.to = point(kSecond, {0, 0, 0});
  return spring;
}

TEST(SpringDamper, PullsTogetherWhenLongerThanFree) {
  SpringDamper<double> spring = spring_between_origins();
  spring.stiffness = 10;
  spring.free_length = 2;
  const auto forces = force_of(spring, two_bodies_at_rest()).frame_forces;
  EXPECT_LE(difference(forces[1], Force{{0, 0, 0}, {10, 0, 0}}), kRoundOff);
  EXPECT_LE(difference(forces[2], Force{{0, 0, 0}, {-10, 0, 0}}), kRoundOff);
}

TEST(SpringDamper, PushesApartWhenShorterThanFree) {
  SpringDamper<double> spring = spring_between_origins();
  spring.stiffness = 10;
  spring.free_length = 4;
  EXPECT_LE(difference(force_of(spring, two_bodies_at_rest()).frame_forces[1], Force{{0, 0, 0}, {-10, 0, 0}}),
            kRoundOff);
}

TEST(SpringDamper, HoldsBackPointsThatPart) {
  SpringDamper<double> spring = spring_between_origins();
  spring.damping = 5;
  ForceRig<double> rig = two_bodies_at_rest();
  rig.bodies[2].V_WB.v = {2, 7, 0};  // across the line it feels nothing
  const auto forces = force_of(spring, rig).frame_forces;
  EXPECT_LE(difference(forces[1], Force{{0, 0, 0}, {10, 0, 0}}), kRoundOff);
  EXPECT_NEAR(spring.dissipated_power(rig.input()), 20, kRoundOff);
}

TEST(SpringDamper, HasNoEnergyAtItsFreeLength) {
  SpringDamper<double> spring = spring_between_origins();
  spring.stiffness = 10;
  spring.free_length = 3;
  EXPECT_EQ(spring.potential_energy(two_bodies_at_rest().input()), 0.0);
  spring.free_length = 1;
  EXPECT_NEAR(spring.potential_energy(two_bodies_at_rest().input()), 20, kRoundOff);
}

TEST(SpringDamper, ActsAndReactsAlongOneLine) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const ForceRig<double> rig = random_rig(random);
    SpringDamper<double> spring;
    spring.from = point(i % 2 ? kGround : kFirst, random.vector());
    spring.to = point(kSecond, random.vector());
    spring.stiffness = random.uniform(0, 2);
    spring.damping = random.uniform(0, 2);
    const auto sums = force_of(spring, rig);
    Force about_ground_origin;
    double largest_force = 0.0;
    for (std::size_t b = 0; b < sums.frame_forces.size(); ++b) {
      about_ground_origin += shift_back(sums.frame_forces[b], rig.bodies[b].X_WB.p);
      largest_force = std::max(largest_force, norm(sums.frame_forces[b].force));
    }
    EXPECT_LE(difference(about_ground_origin, Force{}), kRoundOff);
    EXPECT_GT(largest_force, 1e-3);
  }
}

TEST(JointSpring, DrivesTheCoordinateBackToItsReference) {
  ForceRig<double> rig;
  rig.q = {0, 0.5, 0};
  JointSpring<double> spring;
  spring.q = 1, spring.u = 2;
  spring.stiffness = 10, spring.reference = 0.2;
  EXPECT_NEAR(force_of(spring, rig).tau[2], -3, kRoundOff);
  EXPECT_NEAR(spring.potential_energy(rig.input()), 0.45, kRoundOff);
}

TEST(JointDamper, OpposesTheSpeed) {
  ForceRig<double> rig;
  rig.u = {0, 0.5, 0};
  JointDamper<double> damper;
  damper.u = 1, damper.damping = 10;
  EXPECT_NEAR(force_of(damper, rig).tau[1], -5, kRoundOff);
}

TEST(JointForce, IsAddedToTheGeneralisedForce) {
  ForceRig<double> rig;
  rig.expressions = {0, 7, 0, 0, 0, 0};
  JointForce<double> force;
  force.u = 2, force.expression = 1;
  EXPECT_EQ(force_of(force, rig).tau[2], 7);
  EXPECT_EQ(force_of(force, rig).tau[1], 0);
}

// A body turned by a right angle about z, so that its x axis is the ground's y.
ForceRig<double> turned_body() {
  ForceRig<double> rig;
  rig.bodies[1].X_WB = {axis_rotation(Vec3<double>{0, 0, 1}, kRight), {5, 0, 0}};
  rig.expressions = {1, 0, 0, 0, 0, 0};
  return rig;
}

TEST(PointForce, HasAnArmFromTheOriginOfTheBody) {
  PointForce<double> force;
  force.at = point(kFirst, {2, 0, 0});  // 2 m along the ground's y from the body's origin
  EXPECT_LE(difference(force_of(force, turned_body()).frame_forces[1], Force{{0, 0, -2}, {1, 0, 0}}),
            kRoundOff);
}

TEST(PointForce, TurnsWithTheBodyWhereItIsGivenInBodyAxes) {
  PointForce<double> force;
  force.at = point(kFirst, {2, 0, 0});
  force.value.in_body_axes = true;
  EXPECT_LE(difference(force_of(force, turned_body()).frame_forces[1], Force{{0, 0, 0}, {0, 1, 0}}),
            kRoundOff);
  // Components in axes A that are themselves turned against the body's: A's x is B's -z, which is the
  // ground's.
  force.value.R_BA = axis_rotation(Vec3<double>{0, 1, 0}, kRight);
  EXPECT_LE(difference(force_of(force, turned_body()).frame_forces[1], Force{{-2, 0, 0}, {0, 0, -1}}),
            kRoundOff);
}

TEST(PointTorque, DoesNotDependOnThePoint) {
  PointTorque<double> torque;
  torque.at = point(kFirst, {2, 3, 4});
  EXPECT_LE(difference(force_of(torque, turned_body()).frame_forces[1], Force{{1, 0, 0}, {0, 0, 0}}),
            kRoundOff);
  torque.value.in_body_axes = true;
  EXPECT_LE(difference(force_of(torque, turned_body()).frame_forces[1], Force{{0, 1, 0}, {0, 0, 0}}),
            kRoundOff);
}

// A frame that is not a body: the tip of a beam with one coordinate a, which bends up and turns by its slope.
// The force element is the same; the tip's own J takes what it feels to the generalised force of a.
TEST(Markers, RideOnWhateverMoves) {
  constexpr double kSlope = 1.5;  // turn per deflection, rad/m
  const double a = 0.2, a_rate = -0.7;
  std::array<FrameMotion<double>, 3> frames{};
  frames[1] = {{Rotation<double>::identity(), {0.3, 2.0, 0.4}}, {{0.1, 0.2, -0.3}, {0.5, -0.1, 0.2}}};
  const auto tip = [&](double deflection, double rate) {
    const Vec3<double> y{0, -1, 0};
    return FrameMotion<double>{{axis_rotation(y, kSlope * deflection), {1.0, 0.0, deflection}},
                               {kSlope * rate * y, {0, 0, rate}}};
  };
  frames[2] = tip(a, a_rate);
  const SpatialMotion<double> J = tip(a, 1.0).V_WB;

  SpringDamper<double> spring;
  spring.from = {FrameIndex(1), {Rotation<double>::identity(), {0.1, 0, 0}}};
  spring.to = {FrameIndex(2), {Rotation<double>::identity(), {0.0, 0.05, 0.1}}};
  spring.stiffness = 30.0, spring.damping = 2.0, spring.free_length = 1.0;
  const ForceInput<double> in{0.0, nullptr, nullptr, frames.data(), nullptr};
  std::array<SpatialForce<double>, 3> felt{};
  ForceOutput<double> out{nullptr, felt.data()};
  spring.add_force(in, out);
  const double generalized = dot(J, felt[2]);

  // With the body at rest, work done on the beam is energy taken from the spring.
  constexpr double kStep = 1e-6;
  const auto energy = [&](double deflection) {
    std::array<FrameMotion<double>, 3> moved = frames;
    moved[2] = tip(deflection, 0.0);
    return spring.potential_energy({0.0, nullptr, nullptr, moved.data(), nullptr});
  };
  SpringDamper<double> undamped = spring;
  undamped.damping = 0.0;
  std::array<SpatialForce<double>, 3> elastic{};
  ForceOutput<double> elastic_out{nullptr, elastic.data()};
  undamped.add_force(in, elastic_out);
  EXPECT_NEAR(dot(J, elastic[2]), -(energy(a + kStep) - energy(a - kStep)) / (2 * kStep), 1e-7);
  // The power of both ends is what the spring gives less what the damper takes.
  const double power = generalized * a_rate + dot(frames[1].V_WB, felt[1]);
  const double elastic_power = dot(J, elastic[2]) * a_rate + dot(frames[1].V_WB, elastic[1]);
  EXPECT_NEAR(power, elastic_power - spring.dissipated_power(in), 1e-12);
}

}  // namespace
}  // namespace sestina
