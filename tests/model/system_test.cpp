// Descriptions of a system by a program, and that they equal those of a model file.
#include "sestina/model/system.h"
#include "sestina/model/properties.h"

#include <gtest/gtest.h>

#include "sestina/base/error.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

std::vector<double> values(const Numbers& numbers) {
  std::vector<double> result;
  for (const Number& number : numbers) result.push_back(number.value());
  return result;
}

TEST(Numbers, TakeOneNumberWithoutBrackets) {
  const std::vector<double> one{2.0}, two{2.0, 3.0};
  Numbers numbers;
  EXPECT_TRUE(numbers.empty());
  EXPECT_EQ(values(numbers = 2), one);
  EXPECT_EQ(values(numbers = 2.0), one);
  EXPECT_EQ(values(numbers = {2}), one);
  EXPECT_EQ(values(numbers = {2, 3.0}), two);
  EXPECT_EQ(values(numbers = std::vector<Number>{2, 3}), two);
  numbers = "2*a";
  ASSERT_EQ(numbers.size(), 1u);
  EXPECT_EQ(numbers[0].expression(), "2*a");
  numbers = {"a", "b"};  // two expressions, not the ends of a range
  ASSERT_EQ(numbers.size(), 2u);
  EXPECT_EQ(numbers[1].expression(), "b");
  numbers = {};
  EXPECT_TRUE(numbers.empty());
}

System two_bodies() {
  System system;
  for (const char* name : {"first", "second"}) {
    BodySpec& body = system.add_body(name, 1.0);
    body.inertia = {.xx = 1, .yy = 1, .zz = 1};
    body.add_point("hook", {1, 0, 0});
  }
  system.add_joint("rail", "prismatic", "ground.origin", "first.origin").axis = {1, 0, 0};
  system.add_joint("bearing", "universal", "first.hook", "second.origin").axis = {1, 0, 0};
  system.joint("bearing").second_axis = {0, 1, 0};
  return system;
}

// The short forms, and the same by hand.
TEST(System, AddsEveryForceElementOfAModelFile) {
  System system = two_bodies();
  system.set_parameter("k", 7.0);
  system.add_joint_spring("spring", "rail", "k", 0.5);
  system.add_joint_damper("damper", "bearing", {1, 2});
  system.add_joint_force("drive", "rail", "3*t");
  system.add_spring_damper("strut", "ground.origin", "second.hook", "2*k", 0.25, 1.5);
  system.add_point_force("push", "first.hook", {1, 2, "t"});
  system.add_point_torque("twist", "second.origin", {4, 5, 6}).axes = "body";

  const auto model = freeze(system);
  const ForceSet<double> forces = calc_properties(*model).forces;
  ASSERT_EQ(forces.joint_springs.size(), 1u);
  EXPECT_EQ(forces.joint_springs[0].stiffness, 7.0);
  EXPECT_EQ(forces.joint_springs[0].reference, 0.5);
  ASSERT_EQ(forces.joint_dampers.size(), 2u);
  EXPECT_EQ(forces.joint_dampers[1].damping, 2.0);
  ASSERT_EQ(forces.joint_forces.size(), 1u);
  ASSERT_EQ(forces.spring_dampers.size(), 1u);
  EXPECT_EQ(forces.spring_dampers[0].stiffness, 14.0);
  EXPECT_EQ(forces.spring_dampers[0].damping, 0.25);
  EXPECT_EQ(forces.spring_dampers[0].free_length, 1.5);
  EXPECT_EQ(forces.spring_dampers[0].to.frame, frame_of(model->body("second")));
  ASSERT_EQ(forces.point_forces.size(), 1u);
  EXPECT_FALSE(forces.point_forces[0].value.in_body_axes);
  ASSERT_EQ(forces.point_torques.size(), 1u);
  EXPECT_TRUE(forces.point_torques[0].value.in_body_axes);
  EXPECT_EQ(system.force("twist").value[2].value(), 6.0);
}

TEST(System, KeepsReferencesWhileItGrows) {
  System system;
  BodySpec& first = system.add_body("first", 1.0);
  for (int i = 0; i < 1000; ++i) system.add_body("body" + std::to_string(i), 1.0);
  first.mass = 3.0;
  EXPECT_EQ(system.body("first").mass->value(), 3.0);
}

TEST(System, ChangesAParameterThatIsThere) {
  System system;
  system.set_parameter("l", 1.0);
  system.set_parameter("l", "2*pi");
  ASSERT_EQ(system.parameters.size(), 1u);
  EXPECT_EQ(system.parameters[0].value.expression(), "2*pi");
}

TEST(System, NamesTheNearestWhereThereIsNone) {
  System system = two_bodies();
  EXPECT_EQ(&system.joint("rail"), &system.joints[0]);
  try {
    system.joint("bering");
    FAIL() << "there is no such joint";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "no joint named 'bering' (did you mean 'bearing'?)");
  }
  EXPECT_THROW(system.body("rail"), InputError);
  EXPECT_THROW(system.force("rail"), InputError);
}

}  // namespace
}  // namespace sestina
