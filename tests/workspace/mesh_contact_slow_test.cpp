// Runs with contacts of meshes and height fields against closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/io/model_file.h"
#include "sestina/workspace/checkpoint.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing::HasSubstr;
using testing_support::message_of;

namespace fs = std::filesystem;

constexpr double kG = 9.81;

// A box with a corner at `low`, m.
std::string box_obj(const std::array<double, 3>& low, const std::array<double, 3>& high) {
  std::string text;
  for (unsigned i = 0; i < 8; ++i) {
    text += fmt::format("v {} {} {}\n", (i & 1u) != 0 ? high[0] : low[0], (i & 2u) != 0 ? high[1] : low[1],
                        (i & 4u) != 0 ? high[2] : low[2]);
  }
  return text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
}

// A torus about z: radius of its circle, radius of its section, m; n by m quadrilaterals.
std::string torus_obj(double circle, double section, int n, int m) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < m; ++k) {
      const double a = 2 * std::numbers::pi * i / n, b = 2 * std::numbers::pi * k / m;
      const double rho = circle + section * std::cos(b);
      text += fmt::format("v {} {} {}\n", rho * std::cos(a), rho * std::sin(a), section * std::sin(b));
    }
  }
  const auto at = [&](int i, int k) { return 1 + (i % n) * m + k % m; };
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < m; ++k) {
      text += fmt::format("f {} {} {}\n", at(i, k), at(i + 1, k), at(i + 1, k + 1));
      text += fmt::format("f {} {} {}\n", at(i, k), at(i + 1, k + 1), at(i, k + 1));
    }
  }
  return text;
}

std::string heights(int rows, int columns, const std::function<double(int column, int row)>& z) {
  std::string text;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) text += fmt::format("{} ", z(column, row));
    text += '\n';
  }
  return text;
}

class MeshContact : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("sestina_mesh_contact_{}", getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  // A body that flies above a shape of the ground, gravity along -z.
  System make_system(const std::string& ground, const std::string& shape, const std::string& start,
                     const std::string& contact, double duration) const {
    return read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, -9.81]
ground: {{shapes: [{{name: floor, {}}}]}}
bodies:
  - {{name: body, mass: 2, inertia: {{xx: 0.008, yy: 0.008, zz: 0.008}}, shapes: [{{name: skin, {}}}]}}
joints: [{{name: fly, type: free, parent: ground.origin, child: body.origin, {}}}]
contacts: [{{name: touch, between: [floor, skin], {}}}]
analysis: {{duration: {}, step: {{rtol: 1.0e-8, atol: 1.0e-9}}}}
)",
                                  ground, shape, start, contact, duration),
                      (folder_ / "model.yaml").string());
  }
  fs::path folder_;
};

TEST_F(MeshContact, BoxesRestOnMeshesAndFieldsWithoutCreep) {
  write("slab.obj", box_obj({-1, -1, -0.5}, {1, 1, 0}));
  write("field.txt", heights(9, 9, [](int, int) { return 0.0; }));
  // Half an edge is a number of single precision, as files have them.
  write("cube.obj", box_obj({-0.125, -0.125, -0.125}, {0.125, 0.125, 0.125}));
  std::string table = box_obj({-1, -1, -0.5}, {1, 1, 0});
  table +=
      "v -3 -1 -1\nv -2 -1 -1\nv -3 1 -1\nv -2 1 -1\nv -3 -1 1\nv -2 -1 1\nv -3 1 1\nv -2 1 1\n"
      "f 9 11 12 10\nf 13 14 16 15\nf 9 10 14 13\nf 11 15 16 12\nf 9 13 15 11\nf 10 12 16 14\n";
  write("table.obj", table);  // two boxes: not convex
  const std::string box = "type: box, size: [0.25, 0.25, 0.25]", cube = "type: mesh, file: cube.obj";
  for (const std::string& ground :
       {std::string("type: mesh, file: slab.obj"), std::string("type: mesh, file: table.obj"),
        std::string("type: height_field, file: field.txt, scale: [0.25, 0.25, 1], position: [-1, -1, 0]")}) {
    for (const std::string& shape : {box, cube}) {
      SCOPED_TRACE(ground + " and " + shape);
      // Turned about the vertical, so that no edge is along a seam.
      const RunResult run = run_system(
          make_system(ground, shape, "q: [0.13, 0.07, 0.125, 0.98006657784124163, 0, 0, 0.19866933079506122]",
                      "friction: 0.5", 10.0));
      ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
      for (std::size_t i = 0; i < run.table.column("t").size(); ++i) {
        EXPECT_NEAR(run.table.column("fly.q[0]")[i], 0.13, 1e-12);
        EXPECT_NEAR(run.table.column("fly.q[1]")[i], 0.07, 1e-12);
        EXPECT_NEAR(run.table.column("fly.q[2]")[i], 0.125, 1e-12);
        EXPECT_NEAR(run.table.column("fly.q[6]")[i], 0.19866933079506122, 1e-12);
        EXPECT_NEAR(run.table.column("touch.normal_force")[i], 2 * kG, 1e-6);
      }
    }
  }
}

// A mesh of a box does what a box does.
TEST_F(MeshContact, MeshOfABoxTumblesAsTheBox) {
  write("brick.obj", box_obj({-0.1, -0.08, -0.05}, {0.1, 0.08, 0.05}));
  const std::string start = "q: [0, 0, 0.4, 0.9, 0.3, 0.3, 0.1], u: [1, 2, 3, 0.5, 0, 0]";
  const auto run_of = [&](const std::string& shape) {
    System system = make_system("type: plane", shape, start, "friction: 0.4, restitution: 0.3", 0.6);
    return run_system(std::move(system));
  };
  const RunResult box = run_of("type: box, size: [0.2, 0.16, 0.1]");
  const RunResult mesh = run_of("type: mesh, file: brick.obj");
  ASSERT_EQ(box.report.status, RunStatus::kComplete) << box.report.failure;
  ASSERT_EQ(mesh.report.status, RunStatus::kComplete) << mesh.report.failure;
  EXPECT_GT(box.end("energy.dissipated"), 1.0);
  // Corners of the file are in single precision, so that the first impact is 1e-9 s away.
  for (const char* column : {"fly.q[0]", "fly.q[1]", "fly.q[2]", "fly.q[3]", "energy.dissipated"}) {
    EXPECT_NEAR(mesh.end(column), box.end(column), 1e-5) << column;
  }
}

// 5/7 g sin a for a solid ball, on a slope of 1 in 4.
TEST_F(MeshContact, BallRollsDownAField) {
  write("slope.txt", heights(5, 21, [](int column, int) { return -0.125 * column; }));
  const double a = std::atan(0.25), r = 0.1;
  const RunResult run = run_system(make_system(
      "type: height_field, file: slope.txt, scale: [0.5, 0.5, 1]", "type: sphere, radius: 0.1",
      fmt::format("q: [{}, 1.1, {}, 1, 0, 0, 0]", 0.7 + r * std::sin(a), -0.25 * 0.7 + r * std::cos(a)),
      "friction: 0.5", 2.0));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  const std::vector<double>& t = run.table.column("t");
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double way = 0.5 * (5.0 / 7.0) * kG * std::sin(a) * t[i] * t[i];
    EXPECT_NEAR(run.table.column("fly.q[0]")[i], 0.7 + r * std::sin(a) + way * std::cos(a), 1e-9) << t[i];
    EXPECT_NEAR(run.table.column("fly.q[1]")[i], 1.1, 1e-12);
    EXPECT_NEAR(run.table.column("touch.normal_force")[i], 2 * kG * std::cos(a), 1e-6) << t[i];
  }
  EXPECT_GT(run.end("fly.q[0]"), 3.0);
  EXPECT_LT(run.report.energy_drift, 1e-9);
}

// Where a slope ends on level ground, the ball rolls on about its new contact: of v remains (5 cos a + 2)/7.
TEST_F(MeshContact, BallRollsThroughASeam) {
  write("foot.txt", heights(5, 21, [](int column, int) { return column < 4 ? 0.125 * (4 - column) : 0.0; }));
  const double a = std::atan(0.25), r = 0.1, start = 0.7;
  const RunResult run = run_system(
      make_system("type: height_field, file: foot.txt, scale: [0.5, 0.5, 1]", "type: sphere, radius: 0.1",
                  fmt::format("q: [{}, 1.1, {}, 1, 0, 0, 0]", start + r * std::sin(a),
                              0.25 * (2.0 - start) + r * std::cos(a)),
                  "friction: 0.9", 2.0));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  // The centre turns where it is as far from both planes: r tan(a/2) before the seam.
  const double way = (2.0 - start) / std::cos(a) - r * std::tan(0.5 * a);
  const double before = std::sqrt(2 * (5.0 / 7.0) * kG * std::sin(a) * way);
  EXPECT_NEAR(run.end("fly.u[3]"), before * (5 * std::cos(a) + 2) / 7, 1e-7);
  EXPECT_NEAR(run.end("fly.u[1]"), run.end("fly.u[3]") / r, 1e-7);
  EXPECT_NEAR(run.end("fly.q[2]"), r, 1e-9);
  EXPECT_LT(run.report.energy_drift, 1e-6);
}

// A solid ball swings in a bowl of radius R as a pendulum of length 7/5 (R - r); half a period from rest to
// rest.
TEST_F(MeshContact, BallSwingsInABowl) {
  const double R = 1.0, r = 0.1, h = 0.02;
  write("bowl.txt", heights(41, 41, [&](int column, int row) {
          const double x = h * (column - 20), y = h * (row - 20);
          return R - std::sqrt(R * R - x * x - y * y);
        }));
  // Started between lines of the grid.
  const double x = 0.1 * (R - r), z = R - std::sqrt((R - r) * (R - r) - x * x) + 1e-3;
  const double half = std::numbers::pi * std::sqrt(1.4 * (R - r) / kG);
  System system = make_system(
      fmt::format("type: height_field, file: bowl.txt, scale: [{}, {}, 1], position: [-0.4, -0.4, 0]", h, h),
      "type: sphere, radius: 0.1", fmt::format("q: [{}, 0.003, {}, 1, 0, 0, 0]", x, z), "friction: 0.9",
      half);
  const RunResult run = run_system(std::move(system));
  ASSERT_EQ(run.report.status, RunStatus::kComplete) << run.report.failure;
  const std::vector<double>& t = run.table.column("t");
  const std::vector<double>& q = run.table.column("fly.q[0]");
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_NEAR(q[i], x * std::cos(std::numbers::pi * t[i] / half), 0.15 * x) << t[i];
  }
  EXPECT_LT(run.end("fly.q[0]"), -0.8 * x);
}

TEST_F(MeshContact, BallsFallThroughARing) {
  const double circle = 0.3, section = 0.1;
  write("ring.obj", torus_obj(circle, section, 48, 24));
  const std::string ring = "type: mesh, file: ring.obj";
  const RunResult small = run_system(
      make_system(ring, "type: sphere, radius: 0.19", "q: [0, 0, 1, 1, 0, 0, 0]", "friction: 0.3", 1.0));
  ASSERT_EQ(small.report.status, RunStatus::kComplete) << small.report.failure;
  EXPECT_NEAR(small.end("fly.q[2]"), 1.0 - 0.5 * kG, 1e-9);
  double least = 1.0;
  for (const double gap : small.table.column("touch.gap")) least = std::min(least, gap);
  EXPECT_NEAR(least, circle - section - 0.19, 2e-3);  // in the middle of the hole, of a polyhedron
}

TEST_F(MeshContact, TheFileIsPartOfTheChecksum) {
  write("slab.obj", box_obj({-1, -1, -0.5}, {1, 1, 0}));
  const auto checksum = [&](const std::string& ground, const std::string& between) {
    System system =
        make_system(ground, "type: sphere, radius: 0.1", "q: [0, 0, 1, 1, 0, 0, 0]", "friction: 0", 1.0);
    system.contacts[0].between[0] = between;
    return checksum_of_model("", system);
  };
  const std::string mesh = "type: mesh, file: slab.obj";
  const std::uint64_t of_shape = checksum(mesh, "floor"), of_ground = checksum(mesh, "ground");
  const std::uint64_t of_others = checksum(mesh, "body"), of_field = checksum("type: plane", "floor");
  EXPECT_EQ(of_shape, of_ground);
  EXPECT_NE(of_shape, of_others);
  EXPECT_EQ(of_others, of_field);
  write("slab.obj", box_obj({-1, -1, -0.5}, {1, 1, 0.01}));
  EXPECT_NE(checksum(mesh, "floor"), of_shape);
  EXPECT_EQ(checksum(mesh, "body"), of_others);  // drawn only
}

TEST_F(MeshContact, RefusesWhatCannotTouch) {
  const auto message = [&](const std::string& ground, const std::string& shape) {
    return message_of<InputError>([&] {
      Workspace workspace(make_system(ground, shape, "q: [0, 0, 9, 1, 0, 0, 0]", "friction: 0", 1.0));
    });
  };
  const std::string cube = box_obj({0, 0, 0}, {1, 1, 1}), ball = "type: sphere, radius: 0.1";
  write("cube.obj", cube);
  write("open.obj", cube.substr(0, cube.rfind("f ")));
  write("ring.obj", torus_obj(0.3, 0.1, 12, 8));
  write("inward.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
  write("needle.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.5 0 0\n"
        "f 1 3 5\nf 5 3 2\nf 1 2 4\nf 1 4 3\nf 1 5 2\nf 2 3 4\n");
  write("field.txt", heights(3, 3, [](int, int) { return 0.0; }));
  const auto mesh = [](const std::string& file) { return "type: mesh, file: " + file; };
  EXPECT_THAT(message(mesh("none.obj"), ball), HasSubstr("the mesh 'none.obj' is not found; looked for: "));
  EXPECT_THAT(message(mesh("open.obj"), ball),
              HasSubstr("the mesh is open: 4 of its edges do not belong to two"));
  EXPECT_THAT(message(mesh("inward.obj"), ball), HasSubstr("the triangles face inwards"));
  EXPECT_THAT(message(mesh("needle.obj"), ball), HasSubstr("triangle 5 of 6 has no area"));
  EXPECT_THAT(message(mesh("ring.obj"), mesh("ring.obj")),
              HasSubstr("contact of a mesh with a mesh is not supported"));
  EXPECT_EQ(message(mesh("ring.obj"), mesh("cube.obj")), "(nothing was thrown)");
  EXPECT_THAT(message(mesh("cube.obj") + ", scale: [1, 0, 1]", ball), HasSubstr("0 is zero"));
  EXPECT_THAT(message("type: height_field, file: field.txt, scale: [1, -1, 1]", ball),
              HasSubstr("-1 is negative"));
  EXPECT_THAT(message("type: height_field, file: field.txt", mesh("ring.obj")),
              HasSubstr("is not supported"));
}

}  // namespace
}  // namespace sestina
