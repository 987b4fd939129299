#include "studio/particle_replay.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "sestina/parallel/executor.h"
#include "sestina/particle_run/particle_run.h"
#include "sestina/scene/scene_message.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;

class ParticleReplayTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sestina_particles_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    file_ = folder_ / "gas.yaml";
  }
  void TearDown() override { fs::remove_all(folder_); }
  ParticleRunSpec write(const std::string& trajectory) const {
    std::ofstream(file_) << fmt::format(R"(sestina: 1
particles:
  species: [{{name: a, mass: 1}}, {{name: b, mass: 2}}]
  box: {{lengths: [4, 4, 4], lower: [-1, 0, 0]}}
  positions: {{list: [[b, 2.5, 1, 1], [a, 0, 3, 2]]}}
  velocities: [[1, 0, 0], [0, 0, -3]]
{}analysis: {{step: {{dt: 0.125}}, duration: 1}}
)",
                                        trajectory);
    return read_particle_run(read_model_tree(file_));
  }

  fs::path folder_, file_;
};

// Particles without forces move at constant velocities; the box folds their paths.
TEST_P(ParticleReplayTest, ShowsEachFrameInTheBox) {
  const ParticleRunSpec spec = write(fmt::format("  trajectory: {{file: gas.{}, every: 0.5}}\n", GetParam()));
  std::ifstream stream(file_);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  Executor executor(1);
  ASSERT_EQ(run_particles(text, file_.string(), {}, {}, executor).status, ParticleReport::Status::kComplete);
  const ParticleReplay replay = read_particle_replay(file_, spec, 1u << 20);
  EXPECT_THAT(replay.scene.particles.species_of, testing::ElementsAre(1, 0));
  EXPECT_THAT(replay.motion.values, testing::ElementsAre(0.0, 0.5, 1.0));
  const std::vector<float> expected = {2.5f, 1, 1,    0,          3, 2, /**/ -1, 1, 1,
                                       0,    3, 0.5f, /**/ -0.5f, 1, 1, 0,       3, 3};
  EXPECT_THAT(replay.motion.poses, testing::Pointwise(testing::FloatNear(1e-6f), expected));
  EXPECT_EQ(read_particle_replay(file_, spec, 1).motion.rows, 2u);  // the least
  EXPECT_EQ(make_block(replay.motion).size(), sizeof(float) * 18 + 3 * sizeof(double));
  EXPECT_NE(to_json(replay.scene).find(R"("particles":{"species":["a","b"])"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Formats, ParticleReplayTest, testing::Values("h5md", "lammpstrj"));

TEST_F(ParticleReplayTest, ShowsTheInitialPositionsAndSaysWhyThereAreNoOthers) {
  const ParticleReplay without = read_particle_replay(file_, write(""), 1u << 20);
  EXPECT_EQ(without.motion.rows, 1u);
  EXPECT_THAT(without.scene.notes, testing::ElementsAre(testing::HasSubstr("no `particles.trajectory`")));
  const ParticleReplay before =
      read_particle_replay(file_, write("  trajectory: {file: x.h5, every: 1}\n"), 1u << 20);
  EXPECT_THAT(before.scene.notes, testing::ElementsAre(testing::HasSubstr("there is no x.h5 yet")));
}

TEST_F(ParticleReplayTest, RefusesADumpOfOtherParticles) {
  const ParticleRunSpec spec = write("  trajectory: {file: x.dump, every: 1}\n");
  std::ofstream(folder_ / "x.dump")
      << "ITEM: TIMESTEP\n0\nITEM: ATOMS id type xu yu zu\n1 1 0 0 0\n3 1 0 0 0\n";
  EXPECT_THROW(read_particle_replay(file_, spec, 1u << 20), InputError);
}

}  // namespace
}  // namespace sestina::studio
