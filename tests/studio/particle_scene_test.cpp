#include "studio/particle_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <thread>

#include "studio/document.h"
#include "studio/particle_stage.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;

// Two grains in a hopper, and a drum that a motor turns, whose wall has its axis along y.
constexpr const char* kGrains = R"(sestina: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: drum, mass: 0.5, inertia: {xx: 2e-3, yy: 3e-3, zz: 2e-3}}
joints:
  - {name: hinge, type: revolute, axis: [0, 1, 0], parent: ground.origin, child: drum.origin}
constraints:
  - {name: motor, type: motion, joint: hinge, value: 3*t}
particles:
  species: [{name: grain, mass: 1e-3, radius: 0.005}]
  box: {lengths: [0.4, 0.4, 0.5], lower: [-0.2, -0.2, 0], periodic: [false, false, false]}
  positions: {list: [[grain, 0.1, 0.1, 0.3], [grain, -0.1, 0.1, 0.3]]}
  pairs: [{type: hooke, species: [grain, grain], stiffness: 1000}]
  walls:
    - {type: plane, at: [5, 5, 0], normal: [0, 0, 1]}
    - {type: cone, at: [0, 0, 0.1], axis: [0, 0, 2], radii: [0.025, 0.07], length: 0.06}
    - {type: cylinder, body: drum, at: [0, -0.03, 0], axis: [0, 1, 0], radius: 0.08, length: 0.06}
    - {type: mesh, file: slide.obj, at: [0, 0, 0.2], scale: 2}
analysis: {step: {dt: 1e-4}, duration: 0.02}
output: {every: 0.005}
)";

class ParticleSceneTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sestina_particle_scene_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    file_ = folder_ / "grains.yaml";
    std::ofstream(file_) << kGrains;
    std::ofstream(folder_ / "slide.obj") << "v 0 0 0\nv 0.01 0 0\nv 0 0.02 0.01\nf 1 2 3\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_, file_;
};

TEST_F(ParticleSceneTest, HasAWallForEachOfTheModelWhereItIs) {
  const Scene scene = make_particle_scene(read_particle_run(read_model_tree(file_)));
  std::vector<const SceneSolid*> walls;
  for (const SceneSolid& solid : scene.solids) {
    if (solid.role == SolidRole::kWall) walls.push_back(&solid);
  }
  ASSERT_EQ(walls.size(), 4u);
  const auto mesh = [&](std::size_t wall) -> const TriangleMesh& {
    return scene.meshes[static_cast<std::size_t>(walls[wall]->mesh)];
  };
  EXPECT_THAT(mesh(0).points,
              testing::SizeIs(4));  // the bottom of the box, although the plane's point is far
  for (const auto& [x, y, z] : mesh(0).points) {
    EXPECT_NEAR(std::abs(x), 0.2, 1e-3);  // a little beyond the box
    EXPECT_NEAR(std::abs(y), 0.2, 1e-3);
    EXPECT_FLOAT_EQ(z, 0.0f);
  }
  float lowest = 1.0f, highest = 0.0f;
  for (const auto& [x, y, z] : mesh(1).points) {
    EXPECT_NEAR(std::hypot(x, y), 0.025 + (z - 0.1) / 0.06 * 0.045, 1e-7);
    lowest = std::min(lowest, z), highest = std::max(highest, z);
  }
  EXPECT_FLOAT_EQ(lowest, 0.1f);
  EXPECT_FLOAT_EQ(highest, 0.16f);
  EXPECT_EQ(scene.bodies[static_cast<std::size_t>(walls[2]->body)].name, "drum");
  for (const auto& [x, y, z] : mesh(2).points) EXPECT_NEAR(std::hypot(x, z), 0.08, 1e-7);
  ASSERT_EQ(mesh(3).points.size(), 3u);
  EXPECT_FLOAT_EQ(mesh(3).points[2][1], 0.04f);
  EXPECT_FLOAT_EQ(mesh(3).points[2][2], 0.22f);
  EXPECT_EQ(scene.particles.species_of.size(), 2u);
  EXPECT_EQ(scene.solids.size(), walls.size());  // the drum needs no mark
  EXPECT_EQ(scene.extent, 0.5);
}

// The drum turns by 3 t about y; no field acts on the grains.
TEST_F(ParticleSceneTest, MovesBodiesAndParticlesInARun) {
  const Document document(file_);
  ParticleStage stage(document, 1u << 20);
  EXPECT_EQ(stage.motion().poses.size(), 7u + 6u);  // of the start: one body, two particles
  stage.start(false, 1.0);
  for (int i = 0; i < 4000 && stage.motion().rows < 5; ++i) {
    stage.take_rows();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const Motion& motion = stage.motion();
  ASSERT_EQ(motion.rows, 5u);
  ASSERT_EQ(motion.poses.size(), 5u * 13u);
  for (std::size_t i = 0; i < motion.rows; ++i) {
    const double t = motion.values[i * motion.columns.size()];
    const std::array<double, 7> drum = {0, 0, 0, 0, std::sin(1.5 * t), 0, std::cos(1.5 * t)};
    for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(motion.poses[13 * i + k], drum[k], 1e-6) << t;
    EXPECT_FLOAT_EQ(motion.poses[13 * i + 7], 0.1f);
    EXPECT_FLOAT_EQ(motion.poses[13 * i + 12], 0.3f);
  }
}

}  // namespace
}  // namespace sestina::studio
