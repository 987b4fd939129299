// Joints of URDF files that follow others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "message_of.h"
#include "repository.h"
#include "sestina/io/model_file.h"
#include "sestina/io/urdf.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using testing::HasSubstr;
using testing::Not;

System read_gripper(const UrdfOptions& options, ImportNotes* notes = nullptr) {
  return read_urdf_file(repository() + "/tests/io/urdf/gripper.urdf", options, notes);
}

std::string mimic_notes(const ImportNotes& notes) {
  std::string text;
  for (const ImportNote& note : notes) {
    if (note.is_about_mimic) text += to_string(note) + '\n';
  }
  return text;
}

double value_of(const System& system, std::string_view parameter) {
  for (const ParameterSpec& spec : system.parameters) {
    if (spec.name == parameter) return spec.value.value();
  }
  ADD_FAILURE() << "no parameter " << parameter;
  return 0.0;
}

TEST(UrdfMimic, JointsMoveByThemselvesUnlessSomethingElseIsWanted) {
  ImportNotes notes;
  System gripper = read_gripper({}, &notes);
  EXPECT_EQ(freeze(gripper)->nu(), 4);
  EXPECT_TRUE(gripper.forces.empty());
  EXPECT_THAT(
      mimic_notes(notes),
      HasSubstr("joints that mimic others move by themselves (the option mimic: couple makes them follow, "
                "weld holds them, force pulls them by springs): slide_right, bend and bend_tip"));
  // They begin at their places.
  EXPECT_TRUE(gripper.joint("slide_right").q.empty());
  EXPECT_EQ(gripper.joint("bend").q.front().value(), 0.25);
  EXPECT_DOUBLE_EQ(gripper.joint("bend_tip").q.front().value(), 0.5 * 0.25 + 0.1);
}

TEST(UrdfMimic, FixedJointsDoNotFollow) {
  ImportNotes notes;
  System gripper = read_gripper({}, &notes);
  EXPECT_EQ(gripper.joint("mount").type.text, "weld");
  std::string all;
  for (const ImportNote& note : notes) all += to_string(note) + '\n';
  EXPECT_THAT(all, HasSubstr("joints without an axis cannot mimic others: mount"));
  EXPECT_THAT(mimic_notes(notes), Not(HasSubstr("mount")));
}

// Where the welded joint has the same pose as the free one at its place.
TEST(UrdfMimic, WeldedJointsStandAtTheirPlaces) {
  ImportNotes notes;
  System welded = read_gripper({.mimic = UrdfMimic::kWeld}, &notes);
  EXPECT_THAT(mimic_notes(notes), HasSubstr("welded at their offsets: slide_right, bend and bend_tip"));
  EXPECT_EQ(freeze(welded)->nu(), 1);
  for (const char* joint : {"slide_right", "bend", "bend_tip"}) {
    EXPECT_EQ(welded.joint(joint).type.text, "weld");
    EXPECT_FALSE(welded.joint(joint).limits);
  }
  const auto axes = [](const BodySpec& body, std::string_view name) {
    for (const PointSpec& point : body.points) {
      if (point.name == name) return *point.axes;
    }
    throw std::runtime_error("no such point");
  };
  // R = Rx(pi/2) Rot(-z, 0.25): its first column is (cos, 0, -sin).
  const RotationSpec bend = axes(welded.body("hand"), "bend_mount");
  ASSERT_EQ(bend.kind, RotationSpec::Kind::kMatrix);
  EXPECT_NEAR(bend.numbers[0].value(), std::cos(0.25), 1e-15);
  EXPECT_NEAR(bend.numbers[3].value(), 0.0, 1e-15);
  EXPECT_NEAR(bend.numbers[6].value(), -std::sin(0.25), 1e-15);
  const RotationSpec tip = axes(welded.body("thumb"), "bend_tip_mount");
  EXPECT_NEAR(tip.numbers[3].value(), std::sin(0.225), 1e-15);
}

TEST(UrdfMimic, SlidesAreWeldedWhereTheirOffsetIs) {
  const std::string text =
      "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' "
      "ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='prismatic'><parent link='a'/><child "
      "link='b'/><origin xyz='1 2 3'/><axis xyz='0 0 4'/><limit lower='0' upper='1' effort='1' velocity='1'/>"
      "<mimic joint='other' multiplier='3' offset='0.5'/></joint></robot>";
  for (const UrdfMimic mimic : {UrdfMimic::kWeld, UrdfMimic::kForce}) {
    ImportNotes notes;
    System system = read_urdf(text, "r.urdf", {.mimic = mimic}, &notes);
    EXPECT_EQ(system.joint("j").type.text, "weld");
    EXPECT_EQ(system.body("a").points[0].position[2].value(), 3.5);
    EXPECT_THAT(mimic_notes(notes), HasSubstr("r.urdf:1:"));
    EXPECT_THAT(mimic_notes(notes), HasSubstr("joint 'j': mimics 'other', which is not in the file"));
  }
}

TEST(UrdfMimic, ForcesHaveTheGainsOfAnOscillation) {
  ImportNotes notes;
  System gripper = read_gripper({.mimic = UrdfMimic::kForce, .mimic_frequency = 100.0}, &notes);
  EXPECT_THAT(mimic_notes(notes), HasSubstr("pulled to their places by springs and dampers of 100 rad/s: "
                                            "slide_right, bend and bend_tip"));
  EXPECT_DOUBLE_EQ(value_of(gripper, "slide_right_mimic_stiffness"), 1e4 * 0.03);
  EXPECT_DOUBLE_EQ(value_of(gripper, "slide_right_mimic_damping"), 2.0 * 100.0 * 0.03);
  // About the thumb's hinge: it and its tip, at 0.1 m and 0.2 m.
  const double inertia = 2e-5 + 0.05 * 0.01 + 1e-6 + 0.01 * 0.04;
  EXPECT_NEAR(value_of(gripper, "bend_mimic_stiffness"), 1e4 * inertia, 1e-12);
  EXPECT_NEAR(value_of(gripper, "bend_tip_mimic_stiffness"), 1e4 * 1e-6, 1e-12);
  EXPECT_EQ(gripper.force("bend_mimic").joint.text, "bend");
  EXPECT_EQ(gripper.force("bend_mimic").value.front().expression(),
            "bend_mimic_stiffness*((-5)*slide_left.q + 0.25 - bend.q) + "
            "bend_mimic_damping*((-5)*slide_left.u - bend.u)");
  EXPECT_EQ(gripper.force("bend_mimic_leader").joint.text, "slide_left");
  EXPECT_THAT(gripper.force("bend_mimic_leader").value.front().expression(),
              testing::StartsWith("5*(bend_mimic_"));
  EXPECT_EQ(gripper.force("slide_right_mimic").value.front().expression(),
            "slide_right_mimic_stiffness*(slide_left.q - slide_right.q) + "
            "slide_right_mimic_damping*(slide_left.u - slide_right.u)");
  freeze(read_model(write_model(gripper)));
}

TEST(UrdfMimic, WhatCarriesNothingIsWeldedInsteadOfPulled) {
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child,
                        const std::string& rest) {
    return "<joint name='" + name + "' type='continuous'><parent link='" + parent + "'/><child link='" +
           child + "'/><axis xyz='0 0 1'/>" + rest + "</joint>";
  };
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
  ImportNotes notes;
  System system =
      read_urdf("<robot name='r'><link name='a'/><link name='b'>" + inertial + "</link><link name='c'/>" +
                    "<link name='d'>" + inertial + "</link>" + joint("lead", "a", "b", "") +
                    joint("empty", "a", "c", "<mimic joint='lead'/>") +
                    joint("after", "a", "d", "<mimic joint='empty'/>") + "</robot>",
                "r.urdf", {.mimic = UrdfMimic::kForce}, &notes);
  EXPECT_EQ(system.joint("lead").type.text, "revolute");
  EXPECT_EQ(system.joint("empty").type.text, "weld");
  EXPECT_EQ(system.joint("after").type.text, "weld");
  EXPECT_THAT(mimic_notes(notes), HasSubstr("joint 'empty': mimics another, but carries nothing"));
  EXPECT_THAT(mimic_notes(notes), HasSubstr("joint 'after': mimics a joint that is welded here"));
}

TEST(UrdfMimic, CoupledJointsFollowByConstraints) {
  ImportNotes notes;
  System gripper = read_gripper({.mimic = UrdfMimic::kCouple}, &notes);
  EXPECT_EQ(mimic_notes(notes), "");  // they follow the file
  std::string all;
  for (const ImportNote& note : notes) all += to_string(note) + '\n';
  EXPECT_THAT(all, HasSubstr("joints that mimic others are coupled to them: slide_right, bend and bend_tip"));
  EXPECT_TRUE(gripper.forces.empty());
  const auto model = freeze(gripper);
  EXPECT_EQ(model->nu(), 4);
  ASSERT_EQ(gripper.constraints.size(), 3U);
  const ConstraintSpec& bend = gripper.constraint("bend_mimic");
  EXPECT_EQ(bend.type.text, "coupling");
  ASSERT_EQ(bend.coefficients.size(), 2U);
  EXPECT_EQ(bend.coefficients[0].coordinate.text, "bend.q");
  EXPECT_EQ(bend.coefficients[0].coefficient.value(), 1.0);
  EXPECT_EQ(bend.coefficients[1].coordinate.text, "slide_left.q");
  EXPECT_EQ(bend.coefficients[1].coefficient.value(), 5.0);
  EXPECT_EQ(bend.value.front().value(), 0.25);
  freeze(read_model(write_model(gripper)));
}

TEST(UrdfMimic, WhatCannotFollowIsWeldedInsteadOfCoupled) {
  const auto joint = [](const std::string& name, const std::string& child, const std::string& rest) {
    return "<link name='" + child + "'/><joint name='" + name + "' type='continuous'><parent link='a'/>" +
           "<child link='" + child + "'/><axis xyz='0 0 1'/>" + rest + "</joint>";
  };
  ImportNotes notes;
  System system = read_urdf("<robot name='r'><link name='a'/>" +
                                joint("lost", "b", "<mimic joint='nobody' offset='0.5'/>") +
                                joint("after", "c", "<mimic joint='lost' multiplier='2'/>") + "</robot>",
                            "r.urdf", {.mimic = UrdfMimic::kCouple}, &notes);
  EXPECT_EQ(system.joint("lost").type.text, "weld");
  EXPECT_EQ(system.joint("after").type.text, "weld");
  EXPECT_TRUE(system.constraints.empty());
  EXPECT_THAT(mimic_notes(notes), HasSubstr("joint 'lost': mimics 'nobody', which is not in the file"));
  EXPECT_THAT(mimic_notes(notes), HasSubstr("joint 'after': mimics a joint that is welded here"));
}

TEST(UrdfMimic, RefusesAFrequencyThatIsNone) {
  for (const double frequency : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(testing_support::message_of([&] { read_gripper({.mimic_frequency = frequency}); }),
                HasSubstr("is not positive"));
  }
}

}  // namespace
}  // namespace sestina
