#include "sestina/io/reduced_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <fstream>
#include <limits>

#include "flexible/reduced_models.h"
#include "message_of.h"
#include "sestina/io/model_file.h"
#include "sestina/io/model_writer.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using testing::HasSubstr;
using testing_support::make_particle_body;
using testing_support::message_of;

std::filesystem::path folder() {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "sestina_reduced_file_test";
  std::filesystem::create_directories(path);
  return path;
}

TEST(ReducedFile, ComesBackAsItWasWritten) {
  const auto modes = make_particle_body(3, 9, 5).reduced;
  const std::filesystem::path path = folder() / "body.h5";
  write_reduced_modes(*modes, path);
  const auto read = read_reduced_modes(path);
  ASSERT_EQ(read->count, modes->count);
  EXPECT_EQ(read->mass, modes->mass);
  EXPECT_EQ(read->center_of_mass.y, modes->center_of_mass.y);
  EXPECT_EQ(read->J0.xy, modes->J0.xy);
  EXPECT_EQ(read->frequencies, modes->frequencies);
  for (std::size_t i = 0; i < modes->count; ++i) {
    EXPECT_EQ(read->J1[i].yz, modes->J1[i].yz);
    for (std::size_t j = 0; j < modes->count; ++j) {
      const std::size_t ij = i * modes->count + j;
      EXPECT_EQ(read->J2[ij].xx, modes->J2[ij].xx);
      EXPECT_EQ(read->g[ij].z, modes->g[ij].z);
    }
  }
  ASSERT_EQ(read->interfaces.size(), 2U);
  for (std::size_t p = 0; p < 2; ++p) {
    const ReducedModes::Interface &own = read->interfaces[p], &given = modes->interfaces[p];
    EXPECT_EQ(own.name, given.name);
    EXPECT_EQ(own.position.x, given.position.x);
    EXPECT_EQ(own.axes.zy, given.axes.zy);
    EXPECT_EQ(own.shifts[4].y, given.shifts[4].y);
    EXPECT_EQ(own.turns[2].z, given.turns[2].z);
    ASSERT_EQ(own.second.size(), 25U);
    EXPECT_EQ(own.second[7].x, given.second[7].x);
  }
}

TEST(ReducedFile, MayLackShiftsOfSecondOrder) {
  const auto modes = make_particle_body(3, 9, 5).reduced;
  for (ReducedModes::Interface& interface : modes->interfaces) interface.second.clear();
  write_reduced_modes(*modes, folder() / "first_order.h5");
  const auto read = read_reduced_modes(folder() / "first_order.h5");
  EXPECT_TRUE(read->interfaces[1].second.empty());
  EXPECT_EQ(read->interfaces[1].turns[2].z, modes->interfaces[1].turns[2].z);
}

TEST(ReducedFile, MayHaveStresses) {
  const auto modes = make_particle_body(3, 9, 5).reduced;
  modes->stress_nodes = {4, 7};
  for (int i = 0; i < 2 * 5 * 6; ++i) modes->stresses.push_back(0.1 * i - 3.0);
  write_reduced_modes(*modes, folder() / "stresses.h5");
  const auto read = read_reduced_modes(folder() / "stresses.h5");
  EXPECT_EQ(read->stress_nodes, modes->stress_nodes);
  EXPECT_EQ(read->stresses, modes->stresses);
  modes->stresses.pop_back();
  EXPECT_THAT(message_of([&] { write_reduced_modes(*modes, folder() / "no_body.h5"); }),
              HasSubstr("stresses has 59 numbers for 2 nodes and 5 modes"));
  modes->stresses.push_back(std::numeric_limits<double>::infinity());
  EXPECT_THAT(message_of([&] { write_reduced_modes(*modes, folder() / "no_body.h5"); }),
              HasSubstr("stresses are not finite"));
  modes->stresses.back() = 0.0, modes->stress_nodes[1] = -1;
  EXPECT_THAT(message_of([&] { write_reduced_modes(*modes, folder() / "no_body.h5"); }),
              HasSubstr("stress_nodes are not numbers of nodes"));
}

TEST(ReducedFile, RefusesShiftsOfSecondOrderOfNoBody) {
  const auto message = [](const auto& change) {
    const auto modes = make_particle_body(3, 9, 5).reduced;
    change(*modes);
    return message_of([&] { write_reduced_modes(*modes, folder() / "no_body.h5"); });
  };
  EXPECT_THAT(message([](ReducedModes& modes) { modes.interfaces[1].second.clear(); }),
              HasSubstr("only some of its interfaces have shifts of second order"));
  EXPECT_THAT(message([](ReducedModes& modes) { modes.interfaces[0].second.pop_back(); }),
              HasSubstr("the interface 'left' has 24 shifts of second order for 5 modes"));
  EXPECT_THAT(message([](ReducedModes& modes) { modes.interfaces[1].second[1].x += 1.0; }),
              HasSubstr("second_shifts of the interface 'right' are not symmetric"));
  EXPECT_THAT(message([](ReducedModes& modes) { modes.interfaces[1].second[0].x = std::nan(""); }),
              HasSubstr("the numbers of the interface 'right' are not finite"));
}

TEST(ReducedFile, ModelsNameIt) {
  write_reduced_modes(*make_particle_body(3, 9, 5).reduced, folder() / "body.h5");
  std::ofstream(folder() / "model.yaml") << R"(sestina: 1
bodies:
  - {name: link, type: reduced, file: body.h5, position: [0, 0, 1], axes: {rpy: [0, 0, 1.5]}, damping: 0.02}
joints: [{name: pin, type: revolute, parent: ground.origin, child: link.left, axis: [0, 1, 0]}]
)";
  const System system = read_model_file((folder() / "model.yaml").string());
  const auto model = freeze(system);
  EXPECT_EQ(model->nu(), 6 + 5);
  EXPECT_EQ(model->reduced_bodies()[0].name, "link");
  const std::string text = write_model(system);
  EXPECT_THAT(text, HasSubstr("file: body.h5"));
  EXPECT_THAT(text, HasSubstr("damping: 0.02"));
  EXPECT_THAT(text, HasSubstr("position: [0, 0, 1]"));
}

TEST(ReducedFile, RefusesWhatIsNoReducedBody) {
  const auto modes = make_particle_body(3, 9, 5).reduced;
  const std::filesystem::path path = folder() / "other.h5";
  std::filesystem::remove(path);
  const auto fault_of = [&](const std::function<void(ReducedModes&)>& spoil) {
    ReducedModes spoiled = *modes;
    spoil(spoiled);
    return message_of([&] { write_reduced_modes(spoiled, path); });
  };
  EXPECT_THAT(fault_of([](ReducedModes& m) { m.mass = -1; }), HasSubstr("its mass, -1 kg, is not positive"));
  EXPECT_THAT(fault_of([](ReducedModes& m) { m.J0.xx = -1; }), HasSubstr("is not positive definite"));
  EXPECT_THAT(fault_of([](ReducedModes& m) { m.frequencies[2] = 0; }),
              HasSubstr("the frequency of mode 3, 0"));
  EXPECT_THAT(fault_of([](ReducedModes& m) { m.g[1].x += 1; }), HasSubstr("antisymmetric"));
  EXPECT_THAT(fault_of([](ReducedModes& m) { m.J1[0].xx = NAN; }), HasSubstr("not finite"));
  EXPECT_THAT(fault_of([](ReducedModes& m) { m.J1.pop_back(); }), HasSubstr("not those of 5 modes"));
  EXPECT_THAT(fault_of([](ReducedModes& m) { m.interfaces[1].name = "left"; }), HasSubstr("occurs twice"));
  EXPECT_THAT(fault_of([](ReducedModes& m) { m.interfaces[1].name = "a b"; }),
              HasSubstr("'a b' is not the name"));
  EXPECT_THAT(fault_of([](ReducedModes& m) { m.interfaces[0].axes.xx += 0.1; }), HasSubstr("not a rotation"));
  EXPECT_THAT(fault_of([](ReducedModes& m) { m.interfaces[0].shifts[1].z = INFINITY; }),
              HasSubstr("not finite"));
  EXPECT_THAT(fault_of([](ReducedModes& m) { m.interfaces[0].turns.pop_back(); }),
              HasSubstr("4 turns for 5"));
  EXPECT_FALSE(std::filesystem::exists(path)) << "something half-written remains";
  EXPECT_THAT(message_of([&] { read_reduced_modes(folder()); }), HasSubstr("not a regular file"));
  EXPECT_THAT(message_of([&] { read_reduced_modes(folder() / "none.h5"); }), HasSubstr("none.h5"));
  std::ofstream(path) << "no HDF5";
  EXPECT_THAT(message_of([&] { read_reduced_modes(path); }), HasSubstr("cannot be read as a reduced body"));
  std::ofstream(folder() / "model.yaml")
      << "sestina: 1\nbodies: [{name: link, type: reduced, file: other.h5}]\n";
  EXPECT_THAT(message_of([&] { read_model_file((folder() / "model.yaml").string()); }),
              HasSubstr("bodies[0].file"));
}

// A file that is cut anywhere is refused, and ends nothing.
TEST(ReducedFile, NamesWhatIsMissing) {
  const std::string path = (folder() / "incomplete.h5").string();
  const auto message_without = [&](auto remove) {
    write_reduced_modes(*make_particle_body(3, 9, 5).reduced, path);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    remove(file);
    H5Fclose(file);
    return message_of([&] { static_cast<void>(read_reduced_modes(path)); });
  };
  EXPECT_THAT(message_without([](hid_t file) { H5Ldelete(file, "turns", H5P_DEFAULT); }),
              HasSubstr("it has no 'turns'"));
  EXPECT_THAT(message_without([](hid_t file) { H5Adelete(file, "version"); }),
              HasSubstr("it has no attribute 'version'"));
}

TEST(ReducedFile, RefusesDamagedFiles) {
  const std::filesystem::path path = folder() / "whole.h5", cut = folder() / "cut.h5";
  write_reduced_modes(*make_particle_body(3, 9, 5).reduced, path);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  int refused = 0;
  for (std::size_t i = 1; i <= 100; ++i) {
    std::string spoiled = bytes;
    if (i % 2 == 0) {
      spoiled.resize(bytes.size() * i / 101);
    } else {
      for (std::size_t k = 0; k < 40; ++k) spoiled[(i * 7919 + k * 104729) % bytes.size()] ^= 0x5a;
    }
    std::ofstream(cut, std::ios::binary) << spoiled;
    try {
      static_cast<void>(read_reduced_modes(cut));
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GE(refused, 50);
}

}  // namespace
}  // namespace sestina
