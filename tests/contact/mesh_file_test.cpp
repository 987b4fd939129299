#include "sestina/contact/mesh_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "message_of.h"

namespace sestina {
namespace {

using testing_support::message_of;

namespace fs = std::filesystem;

class MeshFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sestina_mesh_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  fs::path folder_;
};

std::string binary_stl(std::uint32_t told, int triangles) {
  std::string bytes(84, ' ');
  std::memcpy(bytes.data(), "solid of a program that writes binary files", 43);
  std::memcpy(bytes.data() + 80, &told, sizeof told);
  for (int i = 0; i < triangles; ++i) {
    const float numbers[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, static_cast<float>(i)};
    bytes.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
    bytes.append(2, '\0');
  }
  return bytes;
}

TEST_F(MeshFile, ReadsBinaryAndTextStlAlike) {
  const TriangleMesh binary = read_mesh(write("a.stl", binary_stl(2, 2)));
  const TriangleMesh text =
      read_mesh(write("b.STL",
                      "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                      "vertex 0 1 0\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\n"
                      "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 1\nendloop\nendfacet\nendsolid\n"));
  EXPECT_EQ(binary.points.size(), 4u);  // two corners are shared
  EXPECT_EQ(binary.points, text.points);
  EXPECT_EQ(binary.triangles, text.triangles);
}

TEST_F(MeshFile, CutsThePolygonsOfObjIntoTriangles) {
  const TriangleMesh mesh =
      read_mesh(write("a.obj", "# a square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3 -1\n"));
  ASSERT_EQ(mesh.triangles.size(), 2u);
  EXPECT_EQ(mesh.points.size(), 4u);
}

TEST_F(MeshFile, RefusesWhatIsDamagedAndNamesTheFile) {
  const auto message = [&](const std::string& name, const std::string& bytes) {
    const fs::path path = write(name, bytes);
    return message_of([&] { read_mesh(path); }).substr(folder_.string().size() + 1);
  };
  std::string text = binary_stl(3, 2);
  text[0] = 'S';  // neither binary nor text
  EXPECT_EQ(message("a.stl", text), "a.stl: no STL: 184 bytes do not hold 3 triangles");
  EXPECT_EQ(message("b.obj", "v 0 0 0\nf 1 2 3\n"), "b.obj: line 2: '2' is none of the 1 points before it");
  EXPECT_EQ(message("c.obj", "v 0 0\n"), "c.obj: line 1: no point");
  EXPECT_EQ(message("d.obj", "v 0 0 0\n"), "d.obj: there are no triangles");
  EXPECT_EQ(message("e.ply", "ply\n"), "e.ply: a mesh is read from .stl and .obj");
}

TEST_F(MeshFile, LooksForPackagesInTheFoldersAbove) {
  fs::create_directories(folder_ / "robot" / "meshes");
  fs::create_directories(folder_ / "robot" / "urdf");
  write("robot/meshes/arm.stl", "");
  EXPECT_EQ(find_mesh("package://robot/meshes/arm.stl", folder_ / "robot" / "urdf").filename(), "arm.stl");
  EXPECT_EQ(find_mesh("../meshes/arm.stl", folder_ / "robot" / "urdf").filename(), "arm.stl");
  EXPECT_NE(message_of([&] { find_mesh("leg.stl", folder_); }).find("looked for: "), std::string::npos);
}

}  // namespace
}  // namespace sestina
