#include "studio/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "sestina/io/model_file.h"
#include "sestina/io/result_recorder.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTriangle =
    "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
    "0\nendloop\nendfacet\nendsolid t\n";

// A model in one folder, its result in another.
class ReplayOfMeshes : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sestina_replay_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "model/meshes");
    fs::create_directories(folder_ / "results");
    std::ofstream(folder_ / "model/meshes/t.stl") << kTriangle;
    std::ofstream(folder_ / "model/plate.yaml")
        << "sestina: 1\nbodies: [{name: plate, mass: 1, inertia: {xx: 1, yy: 1, zz: 1},\n"
           "  shape: {type: mesh, file: meshes/t.stl}}]\nanalysis: {duration: 0.1}\n";
    result_ = (folder_ / "results/plate.h5").string();
    Workspace workspace(read_model_file(folder_ / "model/plate.yaml"));
    workspace.add_recorder(make_recorder(result_));
    ASSERT_EQ(workspace.run().status, RunStatus::kComplete);
  }
  void TearDown() override { fs::remove_all(folder_); }
  Scene scene() const { return make_scene(read_replay(result_, std::nullopt)); }

  fs::path folder_;
  std::string result_;
};

TEST_F(ReplayOfMeshes, FindsThemInTheFolderOfTheModel) {
  EXPECT_EQ(scene().meshes.size(), 1u);
  EXPECT_TRUE(scene().notes.empty());
}

TEST_F(ReplayOfMeshes, FindsThoseThatMovedWithTheResult) {
  fs::rename(folder_ / "model/meshes", folder_ / "results/meshes");
  EXPECT_EQ(scene().meshes.size(), 1u);
}

TEST_F(ReplayOfMeshes, NamesTheOneThatIsMissing) {
  fs::remove(folder_ / "model/meshes/t.stl");
  EXPECT_TRUE(scene().meshes.empty());
  EXPECT_THAT(scene().notes, testing::ElementsAre(testing::HasSubstr("meshes/t.stl")));
}

}  // namespace
}  // namespace sestina::studio
