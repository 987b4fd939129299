// Damaged and hostile URDF: every fault is an InputError that says where, and nothing is printed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "sestina/base/error.h"
#include "sestina/io/urdf.h"
#include "sestina/io/urdf_outline.h"

namespace sestina {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The message, or what was read if nothing was wrong.
std::string fault_of(const std::string& text) {
  testing::internal::CaptureStderr();
  std::string message;
  try {
    const System robot = read_urdf(text, "bad.urdf");
    message = fmt::format("no fault: {} bodies", robot.bodies.size());
  } catch (const InputError& error) {
    message = error.what();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "printed";
  return message;
}

std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "\n</robot>"; }
std::string link(const std::string& inside) { return robot("<link name='a'>" + inside + "</link>"); }
std::string joint(const std::string& attributes, const std::string& inside) {
  return robot("<link name='a'/>\n<link name='b'/>\n<joint " + attributes + ">" + inside + "</joint>");
}
const std::string kAToB = "<parent link='a'/><child link='b'/>";

struct Case {
  const char* name;
  std::string text;
  std::vector<std::string> expected;
};

void expect_faults(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const std::string message = fault_of(c.text);
    for (const std::string& part : c.expected) EXPECT_THAT(message, HasSubstr(part)) << c.name;
  }
}

TEST(UrdfFaults, TextThatIsNoXmlIsRefusedWithItsLine) {
  expect_faults({
      {"empty", "", {"bad.urdf:1:1: no XML element"}},
      {"blank", " \n \n", {"no XML element"}},
      {"yaml", "sestina: 1\nbodies: []\n", {"bad.urdf:1:1: text outside of the root element"}},
      {"truncated", "<robot name='r'>\n<link name='a'>", {"ends inside of <link>, which begins in line 2"}},
      {"truncated tag", "<robot name='r'", {"ends inside of the tag <robot"}},
      {"truncated attribute", "<robot name='r", {"ends inside of attribute 'name'"}},
      {"crossed tags", robot("<link name='a'></robot></link>"), {"bad.urdf:2:16: </robot> where </link>"}},
      {"no quotes", "<robot name=r/>", {"'name' needs quotes"}},
      {"missing quote",
       robot("<link name='a/>\n<link name='b'/>"),
       {"bad.urdf:3:1: '<' in attribute 'name'"}},
      {"attribute twice",
       robot("<link name='a' name='b'/>"),
       {"bad.urdf:2:24: attribute 'name' is given twice"}},
      {"glued attributes", robot("<link name='a'type='b'/>"), {"a blank is missing"}},
      {"two roots", "<robot name='r'/><robot name='s'/>", {"a second root element"}},
      {"end only", "</robot>", {"</robot> closes nothing"}},
      {"endless comment", robot("<!-- "), {"bad.urdf:2:1: a comment that never ends"}},
      {"entity", robot("<link name='&nbsp;'/>"), {"an '&' that begins none of"}},
      {"character reference", robot("<link name='&#37;s'/>"), {"character reference"}},
      {"document type",
       "<!DOCTYPE robot [<!ENTITY a 'b'>]><robot name='r'/>",
       {"bad.urdf:1:1: a document type"}},
      {"latin-1", robot("<link name='\xE4'/>"), {"bad.urdf:2:13: the byte 0xe4 is not UTF-8"}},
      {"NUL", std::string("<robot name='r'>\0</robot>", 25), {"the control character 0x00"}},
      {"NUL in a comment",
       std::string("<robot name='r'><!--\0--></robot>", 32),
       {"the control character 0x00"}},
      {"UTF-16", std::string("\xFF\xFE<\0r\0", 6), {"not UTF-8"}},
  });
}

TEST(UrdfFaults, FilesThatAreNoRobotAreRefused) {
  expect_faults({
      {"other root", "<sdf version='1.7'/>", {"bad.urdf:1:1: the root element is <sdf> instead of <robot>"}},
      {"robot without a name", "<robot><link name='a'/></robot>", {"<robot> has no name"}},
      {"no link", robot(""), {"the robot has no link"}},
      {"xacro", robot("<xacro:include filename='x'/>"), {"bad.urdf:2:1: <xacro:include> is a macro"}},
      {"version", "<robot name='r' version='two'><link name='a'/></robot>", {"bad.urdf: "}},
  });
}

TEST(UrdfFaults, LinksThatAreDamagedAreRefused) {
  const std::string inertia = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>";
  expect_faults({
      {"no name", robot("<link/>"), {"bad.urdf:2:1: a link without a name"}},
      {"name twice",
       robot("<link name='a'/>\n<link name='a'/>"),
       {"bad.urdf:3:1: link 'a': the name is taken by the link in line 2"}},
      {"no mass",
       link("<inertial>" + inertia + "</inertial>"),
       {"bad.urdf:2:1: ", "must have a mass", "[a]"}},
      {"no inertia", link("<inertial><mass value='1'/></inertial>"), {"must have inertia"}},
      {"word as mass",
       link("<inertial><mass value='heavy'/>" + inertia + "</inertial>"),
       {"bad.urdf:2:1: ", "heavy"}},
      {"negative mass",
       link("<inertial><mass value='-2'/>" + inertia + "</inertial>"),
       {"bad.urdf:2:1: link 'a': mass: -2 is negative"}},
      {"NaN", link("<inertial><mass value='nan'/>" + inertia + "</inertial>"), {"nan"}},
      {"infinite", link("<inertial><mass value='1e999'/>" + inertia + "</inertial>"), {"1e999"}},
      {"comma", link("<inertial><mass value='1,5'/>" + inertia + "</inertial>"), {"1,5"}},
      {"two numbers in a vector",
       link("<inertial><origin xyz='1 2'/><mass value='1'/>" + inertia + "</inertial>"),
       {"2 elements but 3 expected"}},
      {"unknown shape", link("<visual><geometry><torus/></geometry></visual>"), {"torus"}},
  });
}

TEST(UrdfFaults, JointsThatAreDamagedAreRefused) {
  expect_faults({
      {"no name", joint("type='fixed'", kAToB), {"bad.urdf:4:1: a joint without a name"}},
      {"no type", joint("name='j'", kAToB), {"bad.urdf:4:1: joint 'j': the type is missing"}},
      {"unknown type",
       joint("name='j' type='revolut'", kAToB),
       {"bad.urdf:4:23: joint 'j': unknown type 'revolut' (did you mean 'revolute'?)"}},
      {"no parent",
       joint("name='j' type='fixed'", "<child link='b'/>"),
       {"joint 'j': the parent link is missing"}},
      {"unknown child",
       joint("name='j' type='fixed'", "<parent link='a'/><child link='bb'/>"),
       {"joint 'j': the child link 'bb' is not in the file (did you mean 'b'?)"}},
      {"no limits", joint("name='j' type='revolute'", kAToB), {"bad.urdf:4:1: ", "does not specify limits"}},
      {"zero axis",
       joint("name='j' type='continuous'", kAToB + "<axis xyz='0 0 0'/>"),
       {"bad.urdf:4:1: joint 'j': the axis is zero"}},
      {"axis without xyz",
       joint("name='j' type='continuous'", kAToB + "<axis/>"),
       {"the axis is zero or missing"}},
      {"word in the axis",
       joint("name='j' type='continuous'", kAToB + "<axis xyz='0 0 up'/>"),
       {"bad.urdf:4:1: ", "up"}},
      {"negative damping",
       joint("name='j' type='continuous'", kAToB + "<dynamics damping='-1'/>"),
       {"joint 'j': damping: -1 is negative"}},
  });
}

TEST(UrdfFaults, WhatIsNoTreeIsRefused) {
  const auto fixed = [](const char* name, const char* parent, const char* child) {
    return fmt::format("<joint name='{}' type='fixed'><parent link='{}'/><child link='{}'/></joint>\n", name,
                       parent, child);
  };
  const std::string links = "<link name='a'/>\n<link name='b'/>\n<link name='c'/>\n";
  expect_faults({
      {"two roots", robot(links + fixed("j", "a", "b")), {"bad.urdf:4:1: link 'c': a second root"}},
      {"own parent",
       robot(links + fixed("j", "a", "b") + fixed("k", "c", "c")),
       {"bad.urdf:6:1: joint 'k': is part of a circle"}},
      {"circle beside the tree",
       robot("<link name='r'/>" + links + fixed("j", "a", "b") + fixed("k", "b", "c") + fixed("l", "c", "a")),
       {"joint 'j': is part of a circle", "joint 'k': is", "joint 'l': is"}},
      {"circle only",
       robot(links + fixed("j", "a", "b") + fixed("k", "b", "c") + fixed("l", "c", "a")),
       {"is part of a circle"}},
      {"two parents",
       robot(links + fixed("j", "a", "b") + fixed("k", "a", "c") + fixed("l", "c", "b")),
       {"joint 'l': link 'b' is already the child of joint 'j'"}},
      {"joint twice",
       robot(links + fixed("j", "a", "b") + fixed("j", "a", "c")),
       {"bad.urdf:6:1: joint 'j': the name is taken by the joint in line 5"}},
  });
}

TEST(UrdfFaults, MimicsDoNotGoInACircle) {
  const auto finger = [](const char* name, const char* child, const char* leader) {
    return fmt::format(
        "<joint name='{}' type='continuous'><parent link='a'/><child link='{}'/><mimic "
        "joint='{}'/></joint>\n",
        name, child, leader);
  };
  const std::string links = "<link name='a'/><link name='b'/><link name='c'/><link name='d'/>\n";
  const std::string message = fault_of(robot(links + finger("thumb", "b", "index") +
                                             finger("index", "c", "ring") + finger("ring", "d", "index")));
  EXPECT_THAT(message, HasSubstr("bad.urdf:4:1: joint 'index': mimics itself, in a circle of joints"));
  EXPECT_THAT(message, testing::Not(HasSubstr("'thumb'")));
  EXPECT_THAT(
      fault_of(robot(links + finger("thumb", "b", "thumb") + finger("i", "c", "x") + finger("j", "d", "x"))),
      HasSubstr("joint 'thumb': mimics itself"));
}

TEST(UrdfFaults, MimicNamesAJoint) {
  EXPECT_THAT(fault_of(robot("<link name='a'/><link name='b'/>\n<joint name='j' type='continuous'>" + kAToB +
                             "<mimic multiplier='2'/></joint>")),
              HasSubstr("mimic"));
}

TEST(UrdfFaults, EveryDamagedLinkIsReported) {
  const std::string inertia = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>";
  const std::string message =
      fault_of(robot("<link name='a'><inertial><mass value='x'/>" + inertia + "</inertial></link>\n" +
                     "<link name='b'><inertial>" + inertia + "</inertial></link>\n" +
                     "<joint name='j' type='fixed'>" + kAToB + "</joint>"));
  EXPECT_THAT(message, AllOf(HasSubstr("bad.urdf:2:1: "), HasSubstr("bad.urdf:3:1: ")));
}

// urdfdom prints parts of the file as format strings.
TEST(UrdfFaults, PercentSignsAreQuotedAndNotObeyed) {
  const std::string attack = "%s%s%s%s%n%n";
  EXPECT_THAT(fault_of(link("<inertial><mass value='" + attack + "'/></inertial>")), HasSubstr(attack));
  EXPECT_THAT(fault_of(link("<visual><geometry><sphere radius='" + attack + "'/></geometry></visual>")),
              HasSubstr(attack));
  EXPECT_THAT(fault_of(robot("<material name='" + attack + "'><color rgba='" + attack + "'/></material>")),
              HasSubstr("no link"));
  EXPECT_THAT(
      fault_of(robot("<link name='a'/><material name='" + attack + "'><color rgba='%n 1 1 1'/></material>")),
      HasSubstr(attack));
}

TEST(UrdfFaults, DeepNestingIsRefusedBeforeItOverflowsTheStack) {
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  EXPECT_THAT(fault_of(deep), HasSubstr("nested more than 200 deep"));
}

TEST(UrdfFaults, SizeIsBounded) {
  EXPECT_THAT(fault_of(std::string(XmlLimits::kBytes + 1, ' ')), HasSubstr("larger than 16 MiB"));
  std::string many = "<robot name='r'>";
  for (int i = 0; i <= XmlLimits::kElements; ++i) many += "<a/>";
  EXPECT_THAT(fault_of(many + "</robot>"), HasSubstr("more than 500000 elements"));
  std::string wide = "<robot ";
  for (int i = 0; i <= XmlLimits::kAttributes; ++i) wide += fmt::format("a{}='' ", i);
  EXPECT_THAT(fault_of(wide + "/>"), HasSubstr("more than 64 attributes"));
}

// Destroying urdfdom's links recursively would need some 10 MB of stack here.
TEST(UrdfFaults, LongChainIsReadAndReleased) {
  constexpr int kLinks = 50'000;
  std::string chain = "<robot name='r'><link name='l0'/>";
  for (int i = 1; i < kLinks; ++i) {
    chain += fmt::format(
        "<link name='l{}'/><joint name='j{}' type='fixed'><parent link='l{}'/><child link='l{}'/></joint>", i,
        i, i - 1, i);
  }
  EXPECT_EQ(fault_of(chain + "</robot>"), fmt::format("no fault: {} bodies", kLinks));
}

TEST(UrdfFaults, FilesThatCannotBeReadAreNamed) {
  const auto fault = [](const std::string& path) -> std::string {
    try {
      read_urdf_file(path);
      return "no fault";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(fault("no/such.urdf"), HasSubstr("no/such.urdf: cannot be opened"));
  EXPECT_THAT(fault("/"), HasSubstr("/: is a folder"));
  EXPECT_THAT(fault("/dev/zero"), HasSubstr("is a device"));
}

}  // namespace
}  // namespace sestina
