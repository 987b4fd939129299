// The import of each element of URDF. Damaged and hostile files: urdf_faults_test.cpp. The dynamics of
// imported robots is compared with another engine by tests/peers/pin_accelerations.py.
#include "sestina/io/urdf.h"

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <locale>
#include <numbers>
#include <tuple>

#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/joints/joint_list.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"
#include "sestina/spatial/rotation.h"

namespace sestina {
namespace {

using testing::HasSubstr;

constexpr double kEps = 1e-15;  // values of order 1 that pass through a few products

System read_example(const std::string& name, const UrdfOptions& options = {}, ImportNotes* notes = nullptr) {
  return read_urdf_file(repository() + "/tests/io/urdf/" + name, options, notes);
}

std::string two_links(const std::string& inertial, const std::string& joint) {
  return "<robot name='r'><link name='a'/><link name='b'>" + inertial +
         "</link><joint name='j' type='fixed'><parent link='a'/><child link='b'/>" + joint +
         "</joint></robot>";
}

const PointSpec& point(const BodySpec& body, std::string_view name) {
  for (const PointSpec& p : body.points) {
    if (p.name == name) return p;
  }
  throw std::runtime_error("no point " + std::string(name));
}

Mat3<double> matrix_of(const std::optional<RotationSpec>& axes) {
  if (!axes) return Mat3<double>::identity();
  std::vector<double> n;
  for (const Number& number : axes->numbers) n.push_back(number.value());
  if (axes->kind == RotationSpec::Kind::kEulerParameters) return euler_parameter_rotation(n.data());
  EXPECT_EQ(axes->kind, RotationSpec::Kind::kMatrix);
  return {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8]};
}

void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance = kEps) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "component " << i;
}
void expect_near(const Mat3<double>& A, const Mat3<double>& B, double tolerance = kEps) {
  for (int j = 0; j < 3; ++j) expect_near(A.column(j), B.column(j), tolerance);
}
void expect_triple(const Triple& triple, const Vec3<double>& expected) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(triple[static_cast<std::size_t>(i)].value(), expected[i]);
}

std::string text_of(const ImportNotes& notes) {
  std::string text;
  for (const ImportNote& note : notes) text += to_string(note) + "\n";
  return text;
}

TEST(Urdf, EachJointTypeBecomesItsCounterpart) {
  System robot = read_example("every_joint.urdf");
  EXPECT_EQ(robot.name, "every joint");
  EXPECT_EQ(robot.bodies.size(), 7u);
  EXPECT_EQ(robot.joints.size(), 7u);  // one of them holds the root
  EXPECT_EQ(robot.joint("base_to_ground").type.text, "weld");
  EXPECT_EQ(robot.joint("anchor").type.text, "weld");
  EXPECT_EQ(robot.joint("shoulder").type.text, "revolute");
  EXPECT_EQ(robot.joint("axle").type.text, "revolute");
  EXPECT_EQ(robot.joint("rail").type.text, "prismatic");
  EXPECT_EQ(robot.joint("glide").type.text, "planar");
  EXPECT_EQ(robot.joint("flight").type.text, "free");
  EXPECT_FALSE(robot.joint("flight").axis.has_value());
  EXPECT_FALSE(robot.joint("glide").axis.has_value());
}

TEST(Urdf, JointOriginIsAPointOfTheParentAndTheChildHangsByItsOrigin) {
  System robot = read_example("every_joint.urdf");
  const JointSpec& shoulder = robot.joint("shoulder");
  EXPECT_EQ(shoulder.parent.text, "base.shoulder_mount");
  EXPECT_EQ(shoulder.child.text, "upper.origin");
  expect_triple(*shoulder.axis, {0, 2, 0});
  const PointSpec& mount = point(robot.body("base"), "shoulder_mount");
  expect_triple(mount.position, {1, 2, 3});
  expect_near(matrix_of(mount.axes), rpy_rotation(0.1, 0.2, 0.3));
  // URDF's default axis.
  expect_triple(*robot.joint("axle").axis, {1, 0, 0});
  EXPECT_FALSE(point(robot.body("upper"), "axle_mount").axes.has_value());
}

TEST(Urdf, RpyAtTheGimbalLockKeepsItsPrecision) {
  const double half_pi = std::numbers::pi / 2;
  for (const double pitch : {half_pi, -half_pi, half_pi - 1e-3, half_pi - 1e-8}) {
    const System robot =
        read_urdf(two_links("", fmt::format("<origin rpy='0.4 {} -0.3'/>", pitch)), "gimbal.urdf");
    expect_near(matrix_of(robot.bodies[0].points[0].axes), rpy_rotation(0.4, pitch, -0.3));
  }
}

TEST(Urdf, LimitsAreKeptAndAContinuousJointHasNoRange) {
  System robot = read_example("every_joint.urdf");
  const LimitsSpec& shoulder = *robot.joint("shoulder").limits;
  EXPECT_EQ(shoulder.lower->value(), -1.5);
  EXPECT_EQ(shoulder.upper->value(), 2.5);
  EXPECT_EQ(shoulder.effort->value(), 30);
  EXPECT_EQ(shoulder.velocity->value(), 4);
  const LimitsSpec& axle = *robot.joint("axle").limits;
  EXPECT_FALSE(axle.lower.has_value());
  EXPECT_FALSE(axle.upper.has_value());
  EXPECT_EQ(axle.effort->value(), 5);
}

TEST(Urdf, DampingBecomesADamperWhereItIsNotZero) {
  System robot = read_example("every_joint.urdf");
  ASSERT_EQ(robot.forces.size(), 1u);
  const ForceSpec& damper = robot.force("shoulder_damping");
  EXPECT_EQ(damper.type.text, "joint_damper");
  EXPECT_EQ(damper.joint.text, "shoulder");
  ASSERT_EQ(damper.damping.size(), 1u);
  EXPECT_EQ(damper.damping[0].value(), 0.7);
}

TEST(Urdf, LinkWithoutInertialIsMassless) {
  System robot = read_example("every_joint.urdf");
  EXPECT_EQ(robot.body("world").mass->value(), 0.0);
  EXPECT_EQ(robot.body("world").inertia.xx.value(), 0.0);
  EXPECT_TRUE(robot.body("world").inertia_check);
}

TEST(Urdf, InertiaIsTakenElementByElement) {
  System robot = read_example("every_joint.urdf");
  const BodySpec& base = robot.body("base");
  EXPECT_EQ(base.mass->value(), 2.5);
  expect_triple(base.center_of_mass, {0.1, 0.2, 0.3});
  EXPECT_EQ(base.inertia.xx.value(), 0.03);
  EXPECT_EQ(base.inertia.yy.value(), 0.04);
  EXPECT_EQ(base.inertia.zz.value(), 0.05);
  EXPECT_EQ(base.inertia.xy.value(), 0.001);
  EXPECT_EQ(base.inertia.xz.value(), 0.002);
  EXPECT_EQ(base.inertia.yz.value(), 0.003);
}

TEST(Urdf, InertiaIsTurnedIntoTheAxesOfTheLink) {
  // A quarter turn about z: the inertial frame's x is the link's y, its y is the link's -x.
  System robot =
      read_urdf(two_links("<inertial><origin rpy='0 0 1.5707963267948966'/><mass value='1'/><inertia "
                          "ixx='3' iyy='4' izz='5' ixy='0.1' ixz='0.2' iyz='0.3'/></inertial>",
                          ""),
                "turned.urdf");
  const InertiaSpec& I = robot.body("b").inertia;
  EXPECT_NEAR(I.xx.value(), 4, 4 * kEps);
  EXPECT_NEAR(I.yy.value(), 3, 4 * kEps);
  EXPECT_NEAR(I.zz.value(), 5, 4 * kEps);
  EXPECT_NEAR(I.xy.value(), -0.1, 4 * kEps);
  EXPECT_NEAR(I.xz.value(), -0.3, 4 * kEps);
  EXPECT_NEAR(I.yz.value(), 0.2, 4 * kEps);
}

TEST(Urdf, OnlyAnInertiaThatNoBodyCanHaveGoesUnchecked) {
  const auto is_checked = [](const std::string& values) {
    System robot =
        read_urdf(two_links("<inertial><mass value='1'/><inertia " + values + "/></inertial>", ""), "i.urdf");
    return robot.body("b").inertia_check;
  };
  EXPECT_TRUE(is_checked("ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'"));
  EXPECT_TRUE(is_checked("ixx='1' iyy='1' izz='2' ixy='0' ixz='0' iyz='0'"));  // a disc
  EXPECT_TRUE(is_checked("ixx='1' iyy='1' izz='0' ixy='0' ixz='0' iyz='0'"));  // a rod
  EXPECT_TRUE(is_checked("ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'"));
  EXPECT_FALSE(is_checked("ixx='1' iyy='1' izz='2.001' ixy='0' ixz='0' iyz='0'"));
  EXPECT_FALSE(is_checked("ixx='1' iyy='1' izz='-0.001' ixy='0' ixz='0' iyz='0'"));
  EXPECT_FALSE(is_checked("ixx='1' iyy='1' izz='1' ixy='1.5' ixz='0' iyz='0'"));  // moments -0.5, 1, 2.5
  EXPECT_FALSE(is_checked("ixx='0' iyy='0' izz='0' ixy='0.1' ixz='0' iyz='0'"));
  EXPECT_FALSE(is_checked("ixx='-1' iyy='-1' izz='-1' ixy='0' ixz='0' iyz='0'"));
}

TEST(Urdf, PlaneIsNormalToTheAxisAndItsFramesCoincideAtRest) {
  const Mat3<double> R_origin = rpy_rotation(0.3, -0.4, 0.5);
  for (const Vec3<double> axis :
       {Vec3<double>{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {0, 3, 0}, {1, 2, 3}, {-0.2, 0.1, 0.1}}) {
    System robot = read_urdf(
        fmt::format("<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='planar'>"
                    "<origin rpy='0.3 -0.4 0.5'/><parent link='a'/><child link='b'/><axis xyz='{} {} {}'/>"
                    "</joint></robot>",
                    axis.x, axis.y, axis.z),
        "planar.urdf");
    EXPECT_EQ(robot.joint("j").parent.text, "a.j_mount");
    EXPECT_EQ(robot.joint("j").child.text, "b.j_plane");
    const Mat3<double> R = matrix_of(point(robot.body("b"), "j_plane").axes);
    expect_near(R * R.transpose(), Mat3<double>::identity());
    expect_near(cross(R.column(0), R.column(1)), R.column(2));
    expect_near(R.column(2), (1.0 / norm(axis)) * axis);
    expect_near(matrix_of(point(robot.body("a"), "j_mount").axes), R_origin * R);
  }
}

TEST(Urdf, PlaneOfTheAxisZHasTheAxesOfTheJoint) {
  System robot = read_urdf(
      "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='planar'><parent link='a'/>"
      "<child link='b'/><axis xyz='0 0 5'/></joint></robot>",
      "planar.urdf");
  expect_near(matrix_of(point(robot.body("b"), "j_plane").axes), Mat3<double>::identity());
}

// Pose of a body of the frozen model in the ground frame for given coordinates of its joint, all others at
// rest.
Pose<double> pose_of(const Model& model, std::string_view body_name,
                     const std::vector<double>& joint_q = {}) {
  const Properties<double> properties = calc_properties(model);
  const State<double> rest = calc_initial_state(model);
  const BodyIndex body = model.body(body_name);
  Pose<double> X_BM;  // of the last joint frame, in the one before
  for (BodyIndex b = body; b != kGround; b = model.bodies()[b].parent) {
    const BodyProperties<double>& p = properties.bodies[b];
    const double* q =
        b == body && !joint_q.empty() ? joint_q.data() : rest.q.data() + model.bodies()[b].q_start;
    X_BM = p.X_PF * visit_joint(p.joint, [&](const auto& joint) { return joint.pose(q); }) * X_BM;
  }
  return X_BM * properties.bodies[body].X_MB;
}

TEST(Urdf, AtRestEveryLinkStandsWhereTheOriginsPutIt) {
  const auto model = freeze(read_example("every_joint.urdf"));
  const Mat3<double> tilted = rpy_rotation(0.1, 0.2, 0.3);
  const std::vector<std::tuple<const char*, Mat3<double>, Vec3<double>>> expected{
      {"world", Mat3<double>::identity(), {0, 0, 0}},
      {"base", Mat3<double>::identity(), {0, 0, 1}},
      {"upper", tilted, {1, 2, 4}},
      {"wheel", tilted, {1, 2, 4}},
      {"slide", Mat3<double>::identity(), {0, 0, 1}},
      {"table", rpy_rotation(0.0, 1.5707963267948966, 0.0), {0, 0, 1}},
      {"drone", Mat3<double>::identity(), {0, 0, 0}}};
  for (const auto& [name, R, p] : expected) {
    SCOPED_TRACE(name);
    const Pose<double> X = pose_of(*model, name);
    expect_near(X.R, R);
    expect_near(X.p, p, 4 * kEps);
  }
}

TEST(Urdf, PlanarLinkMovesNormalToItsAxisAndTurnsAboutIt) {
  // The axis is the joint's x, which a pitch of a quarter turn makes the ground's -z.
  const auto model = freeze(read_example("every_joint.urdf"));
  const Pose<double> at_rest = pose_of(*model, "table");
  const Pose<double> moved = pose_of(*model, "table", {3, 4, 0.5});
  EXPECT_NEAR(norm(moved.p - at_rest.p), 5, 10 * kEps);
  EXPECT_NEAR(moved.p.z, at_rest.p.z, 10 * kEps);
  expect_near(moved.R, axis_rotation<double>({0, 0, -1}, 0.5) * at_rest.R);
}

TEST(Urdf, VisualGeometryBecomesShapes) {
  System robot = read_example("every_joint.urdf");
  const auto& shapes = robot.body("base").shapes;
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes[0].type.text, "box");
  expect_triple(shapes[0].size, {1, 2, 3});
  expect_triple(shapes[0].position, {0, 0, 0.5});
  expect_near(matrix_of(shapes[0].axes).column(0), {0, 1, 0});
  EXPECT_EQ(shapes[1].type.text, "cylinder");
  EXPECT_EQ(shapes[1].radius.value(), 0.1);
  EXPECT_EQ(shapes[1].length.value(), 0.4);
  EXPECT_EQ(shapes[2].type.text, "sphere");
  EXPECT_EQ(shapes[2].radius.value(), 0.2);
  EXPECT_EQ(shapes[3].type.text, "mesh");
  EXPECT_EQ(shapes[3].file.text, "package://some%20robot/base.stl");
  expect_triple(shapes[3].scale, {0.001, 0.001, 0.002});
}

TEST(Urdf, CollisionGeometryBecomesShapesOnRequest) {
  ImportNotes notes;
  System robot = read_example("every_joint.urdf", {.shapes = UrdfShapes::kCollision}, &notes);
  const auto& shapes = robot.body("base").shapes;
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[0].type.text, "box");
  expect_triple(shapes[0].size, {1, 2, 3});
  EXPECT_TRUE(shapes[0].name.empty());
  EXPECT_EQ(shapes[1].type.text, "sphere");
  EXPECT_EQ(shapes[1].name.text, "bumper");
  expect_triple(shapes[1].position, {0.5, 0, 0});
  for (const ImportNote& note : notes) EXPECT_EQ(note.message.find("collision"), std::string::npos);
  ShapeSpec floor;
  floor.type = "plane", floor.name = "floor";
  robot.ground_shapes.push_back(floor);
  ContactSpec contact;
  contact.name = "touch", contact.between = {"base", "floor"};
  robot.contacts.push_back(contact);
  EXPECT_EQ(freeze(robot)->plan().contacts[0].pairs.size(), 2u);
}

TEST(Urdf, RootIsWeldedToTheGroundOrFloats) {
  System fixed = read_example("every_joint.urdf");
  EXPECT_EQ(fixed.joint("base_to_ground").parent.text, "ground.origin");
  EXPECT_EQ(fixed.joint("base_to_ground").child.text, "world.origin");
  const System floating = read_example("every_joint.urdf", {.floating_base = true});
  EXPECT_EQ(floating.joints.size(), fixed.joints.size() - 1);
  for (const JointSpec& joint : floating.joints) EXPECT_NE(joint.child.text, "world.origin");
}

TEST(Urdf, GravityPointsDown) {
  const System robot = read_example("every_joint.urdf");
  expect_triple(robot.gravity, {0, 0, -9.81});
}

TEST(Urdf, NamesThatDoNotFitAreChangedAndTheGivenOnesKept) {
  System robot = read_example("difficult_names.urdf");
  std::vector<std::pair<std::string, std::string>> bodies, joints;
  for (const BodySpec& body : robot.bodies) bodies.emplace_back(body.name.text, body.original_name);
  for (const JointSpec& joint : robot.joints) joints.emplace_back(joint.name.text, joint.original_name);
  // A changed name never takes one that the file gives to another thing.
  EXPECT_THAT(bodies,
              testing::ElementsAre(std::pair{"origin_link", "origin"}, std::pair{"arm", ""},
                                   std::pair{"link_8_0_link", "link_8.0"}, std::pair{"link_8_0", ""},
                                   std::pair{"_1st___last", "1st & last"}, std::pair{"sin_link", "sin"}));
  EXPECT_THAT(joints, testing::UnorderedElementsAre(
                          std::pair{"base_to_ground_joint", ""}, std::pair{"arm_joint_2", "arm"},
                          std::pair{"arm_joint", ""}, std::pair{"_50_", "50%"},
                          std::pair{"base_to_ground", ""}, std::pair{"q_joint", "q"}));
  EXPECT_EQ(robot.joint("arm_joint").parent.text, "arm.arm_joint_mount");
  EXPECT_EQ(robot.joint("arm_joint").child.text, "link_8_0_link.origin");
}

TEST(Urdf, NotesTellWhatWasAssumedAndLeftOut) {
  ImportNotes notes;
  read_example("every_joint.urdf", {}, &notes);
  const std::string text = text_of(notes);
  EXPECT_THAT(text, HasSubstr("gravity"));
  EXPECT_THAT(text, HasSubstr("every_joint.urdf:32:3: joint 'shoulder': dry friction of 0.2 is ignored"));
  EXPECT_THAT(text, HasSubstr("link 'world': is welded to the ground by joint 'base_to_ground'"));
  EXPECT_THAT(text, HasSubstr("collision geometry of 1 links is ignored"));
  EXPECT_THAT(text, HasSubstr("safety controllers of 1 joints are ignored"));
  EXPECT_THAT(text, HasSubstr("2 <gazebo> and 1 <transmission>"));
}

TEST(Urdf, BodiesAndJointsKeepTheOrderAndTheLinesOfTheFile) {
  const System robot = read_example("every_joint.urdf");
  EXPECT_EQ(robot.bodies[1].name.text, "base");
  EXPECT_EQ(robot.bodies[1].mark.line, 6);
  EXPECT_THAT(*robot.bodies[1].mark.file, HasSubstr("every_joint.urdf"));
  EXPECT_EQ(robot.bodies[6].name.text, "drone");
  EXPECT_EQ(robot.joints[2].name.text, "shoulder");
  EXPECT_EQ(robot.joints[2].mark.line, 32);
}

TEST(Urdf, NumbersDoNotDependOnTheLocale) {
  struct CommaNumbers : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale former = std::locale::global(std::locale(std::locale::classic(), new CommaNumbers));
  System robot = read_example("every_joint.urdf");
  std::locale::global(former);
  EXPECT_EQ(robot.body("base").mass->value(), 2.5);
  EXPECT_EQ(robot.body("base").inertia.xx.value(), 0.03);
}

TEST(Urdf, MessageHandlerOfTheProcessIsGivenBack) {
  console_bridge::OutputHandler* const handler = console_bridge::getOutputHandler();
  const console_bridge::LogLevel level = console_bridge::getLogLevel();
  read_example("every_joint.urdf");
  EXPECT_THROW(read_urdf("<robot/>", "r.urdf"), InputError);
  EXPECT_EQ(console_bridge::getOutputHandler(), handler);
  EXPECT_EQ(console_bridge::getLogLevel(), level);
}

}  // namespace
}  // namespace sestina
