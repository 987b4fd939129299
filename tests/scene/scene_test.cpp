#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "model/example_system.h"
#include "sestina/io/model_file.h"
#include "sestina/model/properties.h"
#include "sestina/scene/scene.h"

namespace sestina {
namespace {

struct Drawn {
  explicit Drawn(const System& system)
      : model(freeze(system)),
        properties(calc_properties(*model)),
        scene(extract_scene(system, *model, properties, calc_initial_state(*model))) {}

  std::shared_ptr<const Model> model;
  Properties<double> properties;
  Scene scene;
};

// A rod from the ground's origin downwards, with a drawn cylinder, and a bare one below it.
System two_rods() {
  System system;
  system.name = "two rods";
  system.set_parameter("l", 0.8);
  system.gravity = {0, -9.81, 0};
  BodySpec& upper = system.add_body("upper", 1.0);
  upper.center_of_mass = {0, "-l/2", 0};
  upper.inertia = {.xx = 0.1, .zz = 0.1};
  upper.add_point("tip", {0, "-l", 0});
  ShapeSpec shape;
  shape.type = "cylinder", shape.radius = 0.02, shape.length = "l", shape.position = {0, "-l/2", 0};
  shape.axes = RotationSpec::rpy("pi/2", 0, 0);
  upper.shapes.push_back(shape);
  BodySpec& lower = system.add_body("lower", 0.5);
  lower.center_of_mass = {0, -0.5, 0};
  lower.inertia = {.xx = 0.1, .zz = 0.1};
  system.add_joint("hip", "revolute", "ground.origin", "upper.origin").axis = {0, 0, 3};
  system.add_joint("knee", "revolute", "upper.tip", "lower.origin").axis = {0, 0, 1};
  return system;
}

// The rotation of e1 e2 e3 e0.
Rotation<double> rotation_of(const std::array<double, 4>& e) {
  const double scalar_first[] = {e[3], e[0], e[1], e[2]};
  return euler_parameter_rotation(scalar_first);
}

double largest_difference(const Rotation<double>& A, const Rotation<double>& B) {
  double largest = 0.0;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) largest = std::max(largest, std::abs(A.column(j)[i] - B.column(j)[i]));
  }
  return largest;
}

TEST(Quaternion, GivesBackTheRotationAlsoNearHalfTurns) {
  const double pi = std::numbers::pi;
  for (const double angle : {0.0, 1e-9, 0.3, 1.0, 2.0, 3.0, pi - 1e-9, pi, 4.0, -2.5}) {
    for (const Vec3<double>& along : {Vec3<double>{1, 0, 0}, Vec3<double>{0, 1, 0}, Vec3<double>{0, 0, 1},
                                      Vec3<double>{0.6, 0, 0.8}, Vec3<double>{-0.48, 0.6, 0.64}}) {
      const Rotation<double> R = axis_rotation(along, angle);
      // A few units in the last place of numbers up to 1.
      EXPECT_LT(largest_difference(rotation_of(quaternion_of(R)), R), 1e-14) << angle;
    }
  }
}

TEST(Scene, DrawsShapesWithTheValuesOfParametersAndBareBodiesAsRods) {
  const Drawn drawn(two_rods());
  const Scene& scene = drawn.scene;
  ASSERT_EQ(scene.solids.size(), 3u);
  const SceneSolid& cylinder = scene.solids[0];
  EXPECT_EQ(cylinder.type, SolidType::kCylinder);
  EXPECT_EQ(cylinder.role, SolidRole::kShape);
  EXPECT_DOUBLE_EQ(cylinder.size.z, 0.8);
  EXPECT_DOUBLE_EQ(cylinder.X_BS.p.y, -0.4);
  // The cylinder's z is along the rod: -y of the body.
  EXPECT_NEAR(cylinder.X_BS.R.column(2).y, -1.0, 1e-15);

  const SceneSolid& rod = scene.solids[1];
  EXPECT_EQ(rod.role, SolidRole::kLink);
  EXPECT_EQ(scene.bodies[static_cast<std::size_t>(rod.body)].name, "lower");
  EXPECT_DOUBLE_EQ(rod.size.z, 0.5);  // from the knee to the mass centre
  EXPECT_DOUBLE_EQ(rod.X_BS.p.y, -0.25);
  EXPECT_EQ(scene.solids[2].role, SolidRole::kMassCentre);
}

TEST(Scene, TellsJointsWithUnitAxesAndUpAgainstGravity) {
  const Drawn drawn(two_rods());
  const Scene& scene = drawn.scene;
  ASSERT_EQ(scene.joints.size(), 2u);
  EXPECT_EQ(scene.joints[0].name, "hip");
  EXPECT_DOUBLE_EQ(scene.joints[0].axis.z, 1.0);
  EXPECT_DOUBLE_EQ(scene.joints[1].X_PF.p.y, -0.8);
  EXPECT_DOUBLE_EQ(scene.up.y, 1.0);
  EXPECT_NEAR(scene.extent, 1.3, 1e-12);
}

TEST(Scene, LeavesOutAMeshThatIsMissingAndSaysSo) {
  System system = two_rods();
  ShapeSpec mesh;
  mesh.type = "mesh", mesh.file = "no_such_file.stl";
  system.bodies[1].shapes.push_back(mesh);
  const Drawn drawn(system);
  ASSERT_EQ(drawn.scene.notes.size(), 1u);
  EXPECT_NE(drawn.scene.notes[0].find("no_such_file.stl"), std::string::npos);
  EXPECT_EQ(drawn.scene.solids.size(), 3u);  // the body is bare again
}

TEST(Scene, DrawsShapesOfTheGroundAndEllipsoidsByTheirAxes) {
  System system = two_rods();
  ShapeSpec floor, ball;
  floor.type = "plane", floor.name = "floor";
  ball.type = "ellipsoid", ball.size = {"l", 0.2, 0.1};
  system.ground_shapes.push_back(floor);
  system.bodies[1].shapes.push_back(ball);
  const Drawn drawn(system);
  ASSERT_EQ(drawn.scene.solids.size(), 3u);
  EXPECT_EQ(drawn.scene.solids[0].type, SolidType::kPlane);
  EXPECT_EQ(drawn.scene.solids[0].body, 0);
  EXPECT_EQ(drawn.scene.solids[2].type, SolidType::kEllipsoid);
  EXPECT_DOUBLE_EQ(drawn.scene.solids[2].size.x, 0.8);
  EXPECT_NEAR(drawn.scene.extent, 1.2, 0.2);  // the plane has none
}

TEST(Scene, DrawsHeightFieldsAsMeshes) {
  const auto path = std::filesystem::temp_directory_path() / ("sestina_heights_" + std::to_string(getpid()));
  std::ofstream(path) << "0 1 2\n0 1 2\n";
  System system = two_rods();
  ShapeSpec field;
  field.type = "height_field", field.file = path.string(), field.scale = {0.5, "l", 0.25};
  system.ground_shapes.push_back(field);
  const Drawn drawn(system);
  std::filesystem::remove(path);
  ASSERT_EQ(drawn.scene.meshes.size(), 1u);
  EXPECT_EQ(drawn.scene.meshes[0].points[5], (std::array{2.0F, 1.0F, 2.0F}));
  EXPECT_EQ(drawn.scene.meshes[0].triangles.size(), 4u);
  EXPECT_EQ(drawn.scene.solids[0].type, SolidType::kMesh);
  EXPECT_EQ(drawn.scene.solids[0].mesh, 0);
  EXPECT_DOUBLE_EQ(drawn.scene.solids[0].size.y, 0.8);
}

TEST(Scene, KnowsEveryJointOfTheExample) {
  const System system = testing_support::example_system();
  const Drawn drawn(system);
  EXPECT_EQ(drawn.scene.bodies.size(), system.bodies.size() + 1);
  EXPECT_EQ(drawn.scene.joints.size(), system.joints.size() + 1);  // the box floats
  EXPECT_EQ(drawn.scene.links.size(), 1u);
  EXPECT_TRUE(drawn.scene.links[0].is_spring);
}

TEST(Scene, DrawsSpringsAndActuatorsBetweenTheirPointsAndRopesFromPointToPoint) {
  System system = two_rods();
  system.add_ground_point("pulley", {1, 0, 0});
  system.add_cartesian_spring("spring", "ground.origin", "lower.origin", {10.0});
  system.add_rope("rope", {"ground.origin", "ground.pulley", "upper.tip"}, 100.0);
  const Scene scene = Drawn(system).scene;
  ASSERT_EQ(scene.links.size(), 3u);
  EXPECT_TRUE(scene.links[0].is_spring);
  EXPECT_FALSE(scene.links[1].is_spring);
  EXPECT_EQ(scene.links[1].to.x, 1.0);
  EXPECT_EQ(scene.bodies[static_cast<std::size_t>(scene.links[2].to_body)].name, "upper");
  EXPECT_EQ(scene.links[2].from.x, 1.0);
  EXPECT_EQ(scene.links[2].to.y, -0.8);
}

TEST(Scene, DrawsADiscForAWheelThatHasNoShape) {
  System system;
  system.name = "coin";
  system.add_body("coin", 1.0).inertia = {.xx = 1, .yy = 1, .zz = 1};
  system.add_joint("fly", "free", "ground.origin", "coin.origin").q = {0, 0, 0.3, 1, 0, 0, 0};
  system.add_rolling("roll", "coin.origin", {0, 2, 0}, 0.3, "ground.origin", {0, 0, 1});
  const Scene scene = Drawn(system).scene;
  ASSERT_EQ(scene.solids.size(), 1u);
  const SceneSolid& disc = scene.solids.front();
  EXPECT_EQ(disc.type, SolidType::kCylinder);
  EXPECT_EQ(disc.role, SolidRole::kLink);
  EXPECT_EQ(disc.size.x, 0.3);
  EXPECT_NEAR(std::abs(disc.X_BS.R.column(2).y), 1.0, 1e-12);  // its axis
}

TEST(Scene, ListsWhatHasNoSolidOfItsOwn) {
  const System system = read_model(R"(
sestina: 1
ground: {points: {wall: [0, 0, 2]}, shapes: [{name: floor, type: plane}]}
bodies:
  - {name: rod, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, points: {tip: [1, 0, 0]}, shapes: [{name: skin, type: sphere, radius: 0.1}]}
  - {name: disc, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: hip, type: revolute, axis: [0, 0, 1], parent: ground.origin, child: rod.origin}
  - {name: hub, type: revolute, axis: [0, 0, 1], parent: rod.tip, child: disc.origin}
  - {name: pin, type: spherical, parent: ground.wall, child: disc.origin, cut: true}
constraints: [{name: gear, type: coupling, coefficients: {hip.q: 1, hub.q: -2}}]
forces:
  - {name: drive, type: joint_force, joint: hip, value: 1}
  - {name: line, type: rope, points: [ground.origin, ground.wall, rod.tip], stiffness: 1}
contacts: [{name: feet, between: [skin, floor]}]
events: [{name: low, when: hip.q - 1}]
)",
                                   "model");
  std::vector<std::string> lines;
  for (const SceneItem& item : Drawn(system).scene.items) {
    lines.push_back(item.list + " " + item.name + " " + item.type);
    for (const std::string& one : item.between) lines.back() += " " + one;
  }
  EXPECT_EQ(lines,
            (std::vector<std::string>{"joints pin spherical ground.wall disc.origin",
                                      "constraints gear coupling hip.q hub.q", "forces drive joint_force hip",
                                      "forces line rope ground.origin ground.wall rod.tip",
                                      "contacts feet contact skin floor", "events low event hip.q - 1"}));
}

// A cable has nodes, which are bodies of the picture, and slopes, which are nowhere.
TEST(Scene, TellsTheNodesOfBeamsAndWhatCarriesADeformation) {
  const System system = read_model(R"(
sestina: 1
bodies:
  - name: rope
    type: beam
    formulation: ancf_cable
    centerline: {from: [5, 0, 0], to: [6, 0, 0]}
    elements: 4
    section: {EA: 4.0e5, EI: 0.3, mass: 0.02}
joints: [{name: grip, type: spherical, parent: ground.origin, child: rope.start}]
)",
                                   "model");
  const Scene scene = Drawn(system).scene;
  int nodes = 0, modes = 0;
  for (const SceneBody& body : scene.bodies) nodes += body.beam == "rope", modes += body.is_mode;
  EXPECT_EQ(nodes, 5);
  EXPECT_EQ(modes, 15);
}

// The mean height of the elements that meet at a node.
TEST(Scene, GradedBeamIsDrawnWithItsSizeThere) {
  const System system = read_model(R"(
sestina: 1
bodies:
  - name: blade
    type: beam
    centerline: {from: [0, 0, 0], to: [2, 0, 0]}
    elements: 4
    section: {rectangle: [0.05, "0.2 - 0.06*s"]}
    material: {E: 2.0e8, nu: 0.25, density: 1000}
)",
                                   "model");
  std::vector<double> heights;
  for (const SceneSolid& solid : Drawn(system).scene.solids) heights.push_back(solid.size.z);
  ASSERT_EQ(heights.size(), 5u);
  EXPECT_NEAR(heights[0], 0.2 - 0.06 * 0.25, 1e-12);
  EXPECT_NEAR(heights[2], 0.2 - 0.06 * 1.0, 1e-12);
  EXPECT_NEAR(heights[4], 0.2 - 0.06 * 1.75, 1e-12);
}

TEST(FrameMaker, PlacesBodiesWhereTheClosedFormDoes) {
  const Drawn drawn(two_rods());
  FrameMaker frames(*drawn.model, drawn.properties);
  ASSERT_EQ(frames.numbers(), 14);
  std::vector<float> poses(14);
  const double hip = 0.7, knee = -0.3;
  frames.fill(std::vector<double>{hip, knee}, poses);
  // float has 24 bits: 6e-8 of numbers up to 1
  EXPECT_NEAR(poses[7], 0.8 * std::sin(hip), 1e-7);
  EXPECT_NEAR(poses[8], -0.8 * std::cos(hip), 1e-7);
  EXPECT_NEAR(poses[5], std::sin(hip / 2), 1e-7);            // e3 of the upper rod
  EXPECT_NEAR(poses[12], std::sin((hip + knee) / 2), 1e-7);  // and of the lower one
  EXPECT_NEAR(poses[13], std::cos((hip + knee) / 2), 1e-7);
}

}  // namespace
}  // namespace sestina
