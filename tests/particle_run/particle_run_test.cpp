#include "sestina/particle_run/particle_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "message_of.h"
#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/io/hdf5_handle.h"
#include "sestina/io/result_file.h"
#include "sestina/parallel/executor.h"
#include "sestina/particle_run/lammps_data.h"
#include "sestina/particle_run/trajectory_reader.h"

namespace sestina {
namespace {

using testing::HasSubstr;
using testing_support::message_of;

class ParticleRunTest : public testing::Test {
 protected:
  ParticleRunTest()
      : folder_(std::filesystem::temp_directory_path() / ("particles" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ParticleRunTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string contents(const char* name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  ParticleReport run(const std::string& model, const ParticleRunOptions& options = {},
                     const std::vector<std::string>& set = {}) {
    return run_particles(model, path("model.yaml"), set, options, executor_);
  }

  std::filesystem::path folder_;
  Executor executor_{2};
};

constexpr const char* kFluid = R"(sestina: 1
name: fluid
parameters: {rho: 0.8442, start: 2*T, T: 0.72}
particles:
  species: [{name: A, mass: 1}]
  positions: {lattice: {type: fcc, cells: [4, 4, 4], density: rho}}
  velocities: {temperature: start, seed: 5}
  pairs: [{type: lj, species: [A, A], epsilon: 1, sigma: 1, cutoff: 2.5, shift: true}]
  trajectory: {file: path.lammpstrj, every: 0.1}
analysis: {step: {dt: 0.004}, duration: 0.4}
output: {every: 0.02}
)";

TEST_F(ParticleRunTest, RecordsTemperaturePressureAndEnergies) {
  const ParticleReport report = run(kFluid, {.result_file = path("fluid.csv")});
  EXPECT_EQ(report.status, ParticleReport::Status::kComplete);
  EXPECT_EQ(report.particles, 256);
  EXPECT_EQ(report.steps, 100);
  EXPECT_EQ(report.rows, 21);
  const ResultTable table = read_result(path("fluid.csv"));
  ASSERT_EQ(table.rows(), 21U);
  EXPECT_NEAR(table.at(0, table.column_index("temperature")), 1.44, 1e-12);
  EXPECT_DOUBLE_EQ(table.at(20, 0), 0.4);  // k times the step
  // It melts: potential energy rises, the total stays.
  EXPECT_GT(report.last.pair, report.first.pair + 50.0);
  EXPECT_LT(report.energy_drift, 0.01 * report.last.kinetic);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto at = [&](const char* name) { return table.at(i, table.column_index(name)); };
    EXPECT_DOUBLE_EQ(at("energy.total"), at("energy.kinetic") + at("energy.pair"));
    EXPECT_NEAR(at("temperature"), at("energy.kinetic") * 2.0 / (3.0 * 255.0), 1e-12);
  }
}

TEST_F(ParticleRunTest, TwoForcesOfOnePairOfSpeciesAreRefused) {
  const auto fault_of = [&](const std::string& pairs) {
    return message_of([&] {
      run(kFluid, {},
          {"particles.species=[{name: A, mass: 1}, {name: B, mass: 1}]",
           "particles.positions={list: [[A, 0, 0, 0], [B, 2, 0, 0]]}", "particles.box={lengths: [9, 9, 9]}",
           "particles.pairs=[" + pairs + "]"});
    });
  };
  const std::string first = "{type: lj, species: [A, B], epsilon: 1, sigma: 1}, ";
  EXPECT_THAT(fault_of(first + "{type: lj, species: [A, B], epsilon: 5, sigma: 1}"),
              HasSubstr("particles.pairs[1].species: A and B have a force already: particles.pairs[0]"));
  EXPECT_THAT(fault_of(first + "{type: wca, species: [B, A], epsilon: 5, sigma: 1}"),
              HasSubstr("particles.pairs[1].species: B and A have a force already: particles.pairs[0]"));
  EXPECT_EQ(fault_of(first + "{type: lj, species: [B, B], epsilon: 5, sigma: 1}"), "(nothing was thrown)");
}

TEST_F(ParticleRunTest, WritesFramesOfADump) {
  EXPECT_EQ(run(kFluid).frames, 5);
  std::istringstream dump(contents("path.lammpstrj"));
  std::string line;
  int frames = 0, atoms = 0;
  while (std::getline(dump, line)) {
    if (line == "ITEM: TIMESTEP") ++frames;
    if (line == "ITEM: ATOMS id type xu yu zu vx vy vz") {
      for (int i = 1; i <= 256 && std::getline(dump, line); ++i) {
        std::istringstream words(line);
        int id = 0, type = 0;
        double x = 0.0;
        words >> id >> type >> x;
        EXPECT_EQ(id, i);
        EXPECT_EQ(type, 1);
        ++atoms;
      }
    }
  }
  EXPECT_EQ(frames, 5);
  EXPECT_EQ(atoms, 5 * 256);
}

TEST_F(ParticleRunTest, WritesH5md) {
  EXPECT_EQ(run(kFluid, {}, {"particles.trajectory.file=path.h5"}).frames, 5);
  const Hdf5File file(H5Fopen(path("path.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const Hdf5Dataset value(H5Dopen2(file.get(), "particles/all/position/value", H5P_DEFAULT));
  const Hdf5Space space(H5Dget_space(value.get()));
  hsize_t size[3] = {};
  ASSERT_EQ(H5Sget_simple_extent_dims(space.get(), size, nullptr), 3);
  EXPECT_EQ(size[0], 5U);
  EXPECT_EQ(size[1], 256U);
  std::vector<double> x(5 * 256 * 3);
  H5Dread(value.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.data());
  const double length = 4.0 * std::cbrt(4.0 / 0.8442);
  for (const double s : x) EXPECT_TRUE(s >= 0.0 && s <= length) << s;
  EXPECT_GT(H5Aexists_by_name(file.get(), "h5md", "version", H5P_DEFAULT), 0);
}

TEST_F(ParticleRunTest, RecordsTheVolumeThatABarostatChanges) {
  const std::vector<std::string> set{
      "particles.trajectory.file=path.h5",
      "particles.thermostat={type: nose_hoover, temperature: 1, period: 0.3}",
      "particles.barostat={pressure: 2, period: 1, compressibility: 0.1, every: 5, seed: 2}"};
  const ParticleReport report = run(kFluid, {.result_file = path("fluid.csv")}, set);
  EXPECT_EQ(report.status, ParticleReport::Status::kComplete) << report.failure;
  const ResultTable table = read_result(path("fluid.csv"));
  const std::size_t last = table.rows() - 1, volume = table.column_index("volume");
  const double length = 4.0 * std::cbrt(4.0 / 0.8442);
  EXPECT_NEAR(table.at(0, volume), length * length * length, 1e-9);
  EXPECT_GT(std::abs(table.at(last, volume) / table.at(0, volume) - 1.0), 1e-3);
  const auto at_end = [&](const char* name) { return table.at(last, table.column_index(name)); };
  EXPECT_DOUBLE_EQ(at_end("energy.total"), at_end("energy.kinetic") + at_end("energy.potential") +
                                               at_end("energy.thermostat") + at_end("energy.barostat"));
  const Hdf5File file(H5Fopen(path("path.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const Hdf5Dataset edges(H5Dopen2(file.get(), "particles/all/box/edges/value", H5P_DEFAULT));
  double lengths[5][3] = {};
  ASSERT_GE(H5Dread(edges.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, lengths), 0);
  EXPECT_NEAR(lengths[0][1], length, 1e-12);
  EXPECT_DOUBLE_EQ(lengths[4][0] * lengths[4][1] * lengths[4][2], table.at(last, volume));
}

// Interrupts a run that writes everything after some steps, and resumes it.
TEST_F(ParticleRunTest, GoesOnBitForBitInAnotherProcess) {
  const std::string langevin = "particles.thermostat={type: langevin, temperature: 1, friction: 2, seed: 3}";
  const std::string nose_hoover = "particles.thermostat={type: nose_hoover, temperature: 1, period: 0.3}";
  const std::string barostat = "particles.barostat={pressure: 2, period: 1, compressibility: 0.1, every: 5}";
  for (const std::vector<std::string>& set :
       {std::vector{langevin}, {nose_hoover}, {nose_hoover, barostat}}) {
    run(kFluid, {.result_file = path("whole.csv")}, set);
    const std::string whole = contents("whole.csv"), frames = contents("path.lammpstrj");

    std::atomic<bool> interrupt{false};
    ParticleRunOptions options{.result_file = path("parts.csv"), .checkpoint = path("state")};
    options.limits.steps = 37;
    options.interrupt = &interrupt;
    ParticleReport report = run(kFluid, options, set);
    EXPECT_EQ(report.status, ParticleReport::Status::kFailed);
    EXPECT_THAT(report.failure, HasSubstr("37"));
    EXPECT_EQ(report.checkpoints, 1);
    ASSERT_TRUE(is_particle_checkpoint(path("state")));
    report = resume_particles(path("state"), {}, executor_);
    EXPECT_EQ(report.status, ParticleReport::Status::kComplete);
    EXPECT_EQ(report.rows, 21);
    EXPECT_EQ(contents("parts.csv"), whole);
    EXPECT_EQ(contents("path.lammpstrj"), frames);
    EXPECT_THAT(message_of([&] { resume_particles(path("state"), {}, executor_); }),
                HasSubstr("is complete"));
  }
}

TEST_F(ParticleRunTest, RefusesADamagedCheckpoint) {
  ParticleRunOptions options{.checkpoint = path("state")};
  options.limits.steps = 3;
  run(kFluid, options);
  std::string text = contents("state");
  text[text.size() / 2] ^= 1;
  std::ofstream(path("state"), std::ios::binary) << text;
  EXPECT_THAT(message_of([&] { resume_particles(path("state"), {}, executor_); }), HasSubstr("damaged"));
}

TEST_F(ParticleRunTest, RefusesASkinOfAnotherUnit) {
  EXPECT_THAT(message_of([&] { run(kFluid, {}, {"particles.skin=30"}); }),
              HasSubstr("skin: 30 m is more than ten times the largest cutoff, 2.5 m"));
}

// Argon in SI units and in those of Lennard and Jones: one motion.
TEST_F(ParticleRunTest, UnitsDoNotMatter) {
  constexpr double kSigma = 3.4e-10, kEpsilon = 1.65e-21, kMass = 6.63e-26;
  const double time = kSigma * std::sqrt(kMass / kEpsilon);
  const auto fluid = [](double sigma, double epsilon, double mass, double time_unit, double boltzmann) {
    return fmt::format(R"(sestina: 1
particles:
  boltzmann: {}
  species: [{{name: atom, mass: {}}}]
  positions: {{lattice: {{type: fcc, cells: [4, 4, 4], density: {}}}}}
  velocities: {{temperature: {}, seed: 87287}}
  pairs: [{{type: lj, species: [atom, atom], epsilon: {}, sigma: {}, cutoff: {}}}]
analysis: {{step: {{dt: {}}}, duration: {}}}
)",
                       boltzmann, mass, 0.8442 / (sigma * sigma * sigma), 1.44 * epsilon / boltzmann, epsilon,
                       sigma, 2.5 * sigma, 0.005 * time_unit, 0.25 * time_unit);
  };
  const ParticleReport plain = run(fluid(1.0, 1.0, 1.0, 1.0, 1.0));
  const ParticleReport si = run(fluid(kSigma, kEpsilon, kMass, time, 1.380649e-23));
  ASSERT_EQ(si.status, ParticleReport::Status::kComplete) << si.failure;
  EXPECT_NEAR(si.last.pair / kEpsilon, plain.last.pair, 1e-8 * std::abs(plain.last.pair));
  EXPECT_NEAR(si.last.kinetic / kEpsilon, plain.last.kinetic, 1e-8 * plain.last.kinetic);
}

// The melt of Kremer and Grest, small: random walks, separated, then held at a temperature.
TEST_F(ParticleRunTest, MakesAMeltOfChains) {
  const ParticleReport report = run(R"(sestina: 1
particles:
  species: [{name: bead, mass: 1}]
  positions: {random_walk: {chains: 12, beads: 10, bond_length: 0.97, density: 0.6, seed: 2}}
  velocities: {temperature: 1, seed: 1}
  bonds: [{type: fene, stiffness: 30, max_length: 1.5, epsilon: 1, sigma: 1}]
  pairs: [{type: wca, species: [bead, bead], epsilon: 1, sigma: 1}]
  thermostat: {type: langevin, temperature: 1, friction: 2, seed: 7}
  relax: {steps: 500, move: 0.1}
  skin: 0.4
analysis: {step: {dt: 0.004}, duration: 8}
)");
  EXPECT_EQ(report.status, ParticleReport::Status::kComplete) << report.failure;
  EXPECT_EQ(report.rows, 101);
  EXPECT_NEAR(report.last.temperature, 1.0, 0.25);     // 360 degrees of freedom: sqrt(2/360) = 0.075
  EXPECT_NEAR(report.last.bonded / 108.0, 20.0, 1.5);  // of a FENE bond with its own repulsion, at T = 1
}

// No bead is caught in a bond, which would stay at 1.35.
TEST_F(ParticleRunTest, SeparatesAMeltWithoutCaughtBonds) {
  std::ifstream stream(repository() + "/examples/particles/02_polymer_melt.yaml");
  std::ostringstream text;
  text << stream.rdbuf();
  run(text.str(), {},
      {"particles.trajectory={file: " + path("melt.h5") + ", every: 1}", "analysis.duration=1"});
  Box box;
  box.periodic = {false, false, false};
  TrajectoryReader reader(path("melt.h5"), 512, box);
  std::vector<double> x;
  for (std::size_t frame = 0; frame < 2; ++frame) {
    reader.read(frame, x, box);
    for (std::size_t i = 0; i + 1 < 512; ++i) {
      if (i % 16 == 15) continue;
      EXPECT_LT(std::hypot(x[3 * i] - x[3 * i + 3], x[3 * i + 1] - x[3 * i + 4], x[3 * i + 2] - x[3 * i + 5]),
                1.2);
    }
  }
}

constexpr const char* kArticulated = R"(sestina: 1
particles:
  species: [{name: bead, mass: 1}]
  positions: {random_walk: {chains: 9, beads: 10, bond_length: 0.97, density: 0.5, seed: 2}}
  velocities: {temperature: 1, seed: 1}
  bonds: [{type: rigid, length: 0.97}]
  pairs: [{type: wca, species: [bead, bead], epsilon: 1, sigma: 1}]
  thermostat: {type: langevin, temperature: 1, friction: 2, seed: 7, until: 4}
  relax: {steps: 500, move: 0.1}
  skin: 0.4
analysis: {step: {dt: 0.01}, duration: 8}
output: {every: 0.1}
)";

// Chains, rings and stars of rigid links. After the thermostat has ended the energy is conserved.
TEST_F(ParticleRunTest, RunsArticulatedPolymersOfEachShape) {
  const auto with = [](const char* shape) {
    return std::vector<std::string>{std::string("particles.positions.random_walk.") + shape};
  };
  for (const char* shape : {"shape=chain", "shape=ring", "shape=star"}) {
    const ParticleReport report = run(kArticulated, {.result_file = path("melt.csv")}, with(shape));
    ASSERT_EQ(report.status, ParticleReport::Status::kComplete) << report.failure;
    EXPECT_EQ(report.particles, std::string(shape) == "shape=star" ? 9 * 31 : 90);
    EXPECT_NEAR(report.last.temperature, 1.0, 0.35);
    const ResultTable rows = read_result(path("melt.csv"));
    const std::size_t total = rows.column_index("energy.total");
    for (std::size_t i = 41; i < rows.rows(); ++i) {
      EXPECT_NEAR(rows.at(i, total), rows.at(41, total), 0.02 * report.last.kinetic);
    }
  }
}

TEST_F(ParticleRunTest, ResumesArticulatedPolymersBitForBit) {
  run(kArticulated, {.result_file = path("whole.csv")});
  for (const long steps : {237L, 637L}) {  // with the thermostat, and after it
    ParticleRunOptions options{.result_file = path("parts.csv"), .checkpoint = path("state")};
    options.limits.steps = steps;
    run(kArticulated, options);
    ASSERT_EQ(resume_particles(path("state"), {}, executor_).status, ParticleReport::Status::kComplete);
    EXPECT_EQ(contents("parts.csv"), contents("whole.csv"));
    std::filesystem::remove(path("state"));
  }
}

// Beads with inertia on ball joints, chains whose angles between bonds are fixed, and rings of both.
TEST_F(ParticleRunTest, RunsMoleculesOfBodies) {
  const std::vector<std::vector<std::string>> kinds{
      {"particles.bonds=[{type: spherical, length: 0.97, inertia: 0.1}]"},
      {"particles.bonds=[{type: spherical, length: 0.97}]", "particles.positions.random_walk.shape=star"},
      {"particles.bonds=[{type: torsion, length: 0.97}]", "particles.positions.random_walk.bond_angle=1.91",
       "particles.relax.move=0.3"},
      {"particles.bonds=[{type: spherical, length: 0.97, inertia: 0.1}]",
       "particles.positions.random_walk.shape=ring"},
      {"particles.bonds=[{type: spherical, length: 0.97}]", "particles.positions.random_walk.shape=ring"},
      {"particles.bonds=[{type: torsion, length: 0.97, inertia: 0.1}]", "particles.exclude=angles",
       "particles.positions.random_walk.shape=ring", "particles.positions.random_walk.beads=20"}};
  for (const std::vector<std::string>& set : kinds) {
    const ParticleReport report = run(kArticulated, {.result_file = path("whole.csv")}, set);
    ASSERT_EQ(report.status, ParticleReport::Status::kComplete) << set[0] << report.failure;
    const ResultTable rows = read_result(path("whole.csv"));
    const std::size_t total = rows.column_index("energy.total");
    for (std::size_t i = 41; i < rows.rows(); ++i) {
      EXPECT_NEAR(rows.at(i, total), rows.at(41, total), 0.02 * report.last.kinetic);
    }
    ParticleRunOptions options{.result_file = path("parts.csv"), .checkpoint = path("state")};
    options.limits.steps = 237;
    run(kArticulated, options, set);
    ASSERT_EQ(resume_particles(path("state"), {}, executor_).status, ParticleReport::Status::kComplete);
    EXPECT_EQ(contents("parts.csv"), contents("whole.csv"));
    std::filesystem::remove(path("state"));
  }
}

constexpr const char* kClosures = R"(sestina: 1
particles:
  species: [{name: A, mass: 1}]
  box: {lengths: [20, 20, 20]}
  positions:
    list:
      [[A, 0, 0, 0], [A, 1, 0, 1], [A, 2, 0, 0], [A, 2, 1, 1], [A, 2, 2, 0], [A, 1, 2, 1], [A, 0, 2, 0], [A, 0, 1, 1]]
  velocities: {temperature: 1, seed: 1}
  bodies:
    - {particles: [0, 1], inertia: 0.1}
    - {particles: [2, 3], parent: 0, at: 2, inertia: 0.1}
    - {particles: [4, 5], parent: 1, at: 4, inertia: 0.1}
    - {particles: [6, 7], parent: 2, at: 6, inertia: 0.1}
  closures:
    - {bodies: [3, 0], joint: universal, at: 0, along: [0, 4], across: [2, 6]}
    - {bodies: [0, 2], joint: distance, between: [1, 5]}
analysis: {step: {dt: 0.005}, duration: 1}
)";

TEST_F(ParticleRunTest, ReadsJointsThatCloseLoops) {
  const ParticleRunSpec spec = read_particle_run(parse_model_tree(kClosures, path("model.yaml"), {}));
  ASSERT_EQ(spec.model.closures.size(), 2U);
  EXPECT_EQ(spec.model.closures[0].joint, ParticleJoint::kUniversal);
  EXPECT_THAT(spec.model.closures[0].across, testing::ElementsAre(2, 6));
  EXPECT_THAT(spec.model.closures[1].bodies, testing::ElementsAre(0, 2));
  EXPECT_THAT(spec.model.closures[1].between, testing::ElementsAre(1, 5));
  EXPECT_EQ(ParticleSystem(spec.model, executor_).degrees_of_freedom(), 4 * 6 - 3 * 3 - 4 - 1 - 3);
  EXPECT_NEAR(run(kClosures, {}, {}).last.temperature, 1.0, 0.05);
  const auto message_with = [&](std::vector<std::string> set) {
    return message_of([&] { run(kClosures, {}, set); });
  };
  const std::string closure = "particles.closures[0].";
  EXPECT_THAT(message_with({closure + "bodies=[3]"}), HasSubstr("particles.closures[0].bodies"));
  EXPECT_THAT(message_with({closure + "bodies=[3, 0.5]"}), HasSubstr("0.5 is not the number of a body"));
  EXPECT_THAT(message_with({closure + "bodies=[3, 9]"}), HasSubstr("9 is not one of the 4 bodies"));
  EXPECT_THAT(message_with({closure + "joint=weld"}), HasSubstr("'weld'"));
  EXPECT_THAT(message_with({closure + "at=4"}), HasSubstr("closures[0].at"));
  EXPECT_THAT(message_with({"particles.bodies[1].joint=distance"}), HasSubstr("'distance'"));
  EXPECT_THAT(message_with({"particles.closures[1].between=[1, 7]"}),
              HasSubstr("particles.closures[1].between: has to name a particle of bodies[0] and one of"));
}

constexpr const char* kBodies = R"(sestina: 1
particles:
  species: [{name: A, mass: 1}]
  box: {lengths: [20, 20, 20]}
  positions:
    list: [[A, 1, 1, 1], [A, 2, 1, 1], [A, 1, 2, 1], [A, 3, 1, 1], [A, 4, 1, 1], [A, 3, 2, 1], [A, 3, 2, 19.5]]
  velocities: {temperature: 1, seed: 1}
  bodies:
    - {particles: [0, 1, 2]}
    - {particles: [3, 4, 5], parent: 0, joint: universal, at: 3, along: [1, 3], across: [3, 5]}
    - {particles: [6], parent: 1, at: 5, inertia: 0.1}
analysis: {step: {dt: 0.01}, duration: 1}
)";

TEST_F(ParticleRunTest, ReadsBodies) {
  const ParticleRunSpec spec = read_particle_run(parse_model_tree(kBodies, path("model.yaml"), {}));
  ASSERT_EQ(spec.model.bodies.size(), 3U);
  EXPECT_EQ(spec.model.bodies[1].joint, ParticleJoint::kUniversal);
  EXPECT_THAT(spec.model.bodies[1].particles, testing::ElementsAre(3, 4, 5));
  EXPECT_THAT(spec.model.bodies[1].across, testing::ElementsAre(3, 5));
  EXPECT_EQ(spec.model.bodies[2].joint, ParticleJoint::kSpherical);
  EXPECT_EQ(spec.model.bodies[2].inertia, 0.1);
  EXPECT_EQ(ParticleSystem(spec.model, executor_).degrees_of_freedom(), 6 + 2 + 3 - 3);
  EXPECT_NEAR(run(kBodies, {}, {}).last.temperature, 1.0, 0.05);
  const auto message_with = [&](std::vector<std::string> set) {
    return message_of([&] { run(kBodies, {}, set); });
  };
  const std::string body = "particles.bodies[1].";
  EXPECT_THAT(message_with({body + "particles=[3, 4, 9]"}),
              HasSubstr("particles.bodies[1].particles[2]: 9 is not the number of a particle; there are 7"));
  EXPECT_THAT(message_with({body + "particles=[3, 4, 2]"}),
              HasSubstr("particles[2] belongs to bodies[0] already"));
  EXPECT_THAT(message_with({body + "joint=hinge"}), HasSubstr("'hinge'"));
  EXPECT_THAT(message_with({body + "along=[1]"}), HasSubstr("expected a list of 2 particles"));
  EXPECT_THAT(message_with({body + "parent=1"}),
              HasSubstr("bodies[1].parent: 1 is not one of the bodies before"));
  EXPECT_THAT(message_with({body + "at=6"}), HasSubstr("bodies[1].at"));
  EXPECT_THAT(message_with({"particles.bodies[0].joint=revolute"}), HasSubstr("give parent"));
  EXPECT_THAT(message_with({"particles.bodies[2].inertia=-1"}),
              HasSubstr("bodies[2].inertia: -1 is negative"));
}

// Frames come back as the writer wrote them, also of a box that changes.
TEST_F(ParticleRunTest, ReadsATrajectoryBack) {
  const std::string frames = "particles.trajectory={file: " + path("frames.h5") + ", every: 0.1}";
  const std::string barostat = "particles.barostat={pressure: 2, period: 1, compressibility: 0.1, every: 5}";
  const std::string thermostat = "particles.thermostat={type: nose_hoover, temperature: 1, period: 0.3}";
  for (const std::vector<std::string>& set : {std::vector{frames}, {frames, thermostat, barostat}}) {
    run(kFluid, {}, set);
    const ParticleRunSpec spec = read_particle_run(parse_model_tree(kFluid, path("model.yaml"), {set}));
    TrajectoryReader reader(path("frames.h5"), 256, spec.model.box);
    ASSERT_EQ(reader.frames(), 5U);
    EXPECT_NEAR(reader.time_of(4), 0.4, 1e-12);
    ParticleSystem system(spec.model, executor_);
    for (int i = 0; i < 100; ++i) system.step(0.004);
    std::vector<double> expected(768), found;
    system.copy_positions(expected);
    Box box;
    reader.read(4, found, box);
    for (std::size_t i = 0; i < 768; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12);
    EXPECT_EQ(box.length, system.box().length);
  }
  EXPECT_THAT(message_of([&] { TrajectoryReader(path("frames.h5"), 255, {}); }),
              HasSubstr("it has 256 particles, the model has 255"));
  std::ofstream(path("letter.h5")) << "dear";
  EXPECT_THAT(message_of([&] { TrajectoryReader(path("letter.h5"), 256, {}); }),
              HasSubstr("cannot be read as an H5MD trajectory"));
  std::filesystem::resize_file(path("frames.h5"), 4000);
  EXPECT_THAT(message_of([&] { TrajectoryReader(path("frames.h5"), 256, {}); }),
              HasSubstr("cannot be read as an H5MD trajectory"));
}

TEST_F(ParticleRunTest, TellsWhereArticulatedPolymersAreWrong) {
  const auto message_with = [&](std::vector<std::string> set) {
    return message_of([&] { run(kArticulated, {}, set); });
  };
  const std::string walk = "particles.positions.random_walk.";
  EXPECT_THAT(
      message_with({walk + "bond_length=2"}),
      HasSubstr("particles: particles[0] and particles[1] are 2 apart: too far from the length 0.97 of "
                "their rigid bond; up to 25 % are corrected"));
  EXPECT_THAT(message_with({"particles.bonds[0].length=0"}),
              HasSubstr("particles.bonds[0].length: 0 is not positive"));
  EXPECT_THAT(message_with({walk + "shape=comb"}), HasSubstr("'comb'"));
  EXPECT_THAT(message_with({walk + "shape=ring", walk + "beads=2"}),
              HasSubstr("a ring has at least 3 beads, not 2"));
  EXPECT_THAT(message_with({walk + "arms=3"}), HasSubstr("only stars have arms"));
  EXPECT_THAT(message_with({walk + "shape=star", walk + "arms=0"}),
              HasSubstr("a star with 0 arms is not possible"));
  EXPECT_THAT(message_with({walk + "bond_angle=0.2"}), HasSubstr("0.2 is not from 0.3 to pi"));
  EXPECT_THAT(message_with({walk + "bond_angle=2", walk + "shape=ring"}),
              HasSubstr("rings have no fixed angle"));
  EXPECT_THAT(message_with({"particles.bonds=[{type: spherical, length: 0.97, inertia: -1}]"}),
              HasSubstr("inertia: -1 is negative"));
  EXPECT_THAT(message_with({"particles.fixman_temperature=-1"}), HasSubstr("-1 is negative"));
  EXPECT_THAT(message_with({"particles.thermostat.until=-1"}), HasSubstr("-1 is negative"));
}

TEST_F(ParticleRunTest, RunsTheExamples) {
  for (const char* name :
       {"01_lennard_jones_fluid", "02_polymer_melt", "03_coulomb_explosion", "04_articulated_melt",
        "05_molecules_of_bodies", "06_molten_salt", "07_settling_fluid", "08_hopper", "09_rotating_drum"}) {
    const std::string file = repository() + "/examples/particles/" + name + ".yaml";
    const ModelTree tree = read_model_tree(
        file, {{"particles.trajectory={file: " + path("frames.dump") + "}", "analysis.duration=1.2"}});
    EXPECT_TRUE(has_particles(tree));
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    const ParticleReport report =
        run(text.str(), {.result_file = path("example.csv")},
            {"particles.trajectory={file: " + path("frames.dump") + "}", "analysis.duration=1.2"});
    EXPECT_EQ(report.status, ParticleReport::Status::kComplete) << report.failure;
    EXPECT_GT(report.frames, 1);
  }
}

TEST_F(ParticleRunTest, OverwritesNothingButCheckpoints) {
  std::ofstream(path("letter")) << "dear";
  EXPECT_THAT(message_of([&] { run(kFluid, {.checkpoint = path("letter")}); }),
              HasSubstr("is not overwritten"));
  EXPECT_EQ(contents("letter"), "dear");
}

// Charges by species or by particle, summed directly or by the fast multipole method.
TEST_F(ParticleRunTest, TakesChargesOfSpeciesAndATolerance) {
  const auto total_at_end = [&](const char* species, const char* charges, const char* tolerance) {
    const std::string model = fmt::format(R"(sestina: 1
particles:
  species: [{{name: ion, mass: 1{}}}]
  box: {{periodic: [false, false, false]}}
  positions: {{lattice: {{type: sc, cells: [2, 2, 2], density: 1}}}}
  {}
  pairs: [{{type: coulomb, strength: 1{}}}]
analysis: {{step: {{dt: 0.004}}, duration: 0.4}}
output: {{every: 0.4}}
)",
                                          species, charges, tolerance);
    return run(model, {.result_file = path("ions.csv")}).last.kinetic;
  };
  const double by_species = total_at_end(", charge: 0.5", "", "");
  EXPECT_GT(by_species, 0.3);
  EXPECT_EQ(total_at_end("", "charges: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]", ""), by_species);
  EXPECT_NEAR(total_at_end(", charge: 0.5", "", ", tolerance: 1.0e-9"), by_species, 1e-8);
  EXPECT_NEAR(total_at_end(", charge: 0.5", "", ", every: 5"), by_species, 1e-4);
  EXPECT_THAT(message_of([&] { total_at_end(", charge: 0.5", "", ", every: 0"); }),
              HasSubstr("particles.pairs[0].every: 0 is not a number of steps"));
  EXPECT_THAT(message_of([&] { total_at_end(", charge: 0.5", "", ", every: 3"); }),
              HasSubstr("output.every: 0.4 is not a whole number of steps of 0.012"));
  EXPECT_THAT(message_of([&] {
                total_at_end(", charge: 0.5", "trajectory: {file: ions.h5, every: 0.1}", ", every: 20");
              }),
              HasSubstr("particles.trajectory.every: 0.1 is not a whole number of steps of 0.08"));
}

constexpr const char* kSettling = R"(sestina: 1
parameters: {g: 0.5}
particles:
  species: [{name: A, mass: 1, charge: 0}, {name: B, mass: 2, charge: 1}]
  box: {lengths: [6, 6, 8], lower: [0, 0, -1], periodic: [true, true, false]}
  positions: {list: [[A, 1, 1, 1], [A, 3, 3, 1], [B, 5, 5, 1]]}
  pairs: [{type: lj, species: [A, A], epsilon: 1, sigma: 1}]
  fields:
    - {type: gravity, acceleration: [0, 0, -g]}
    - {type: electric, field: [0, 0, 1.5], species: B}
    - {type: tether, stiffness: 2, particles: [1], at: [3, 3, 2]}
    - {type: lj_wall, face: -z, epsilon: 3, sigma: 2, cutoff: 4}
    - {type: harmonic_wall, face: +z, stiffness: 10, reach: 7, species: [A, B]}
analysis: {step: {dt: 0.004}, duration: 0.004}
output: {every: 0.004}
)";

TEST_F(ParticleRunTest, RecordsTheForcesOfFields) {
  run(kSettling, {.result_file = path("fields.csv")});
  const ResultTable table = read_result(path("fields.csv"));
  const auto first = [&](const char* name) { return table.at(0, table.column_index(name)); };
  EXPECT_NEAR(first("field[0].force.z"), -0.5 * 4.0, 1e-12);
  EXPECT_NEAR(first("field[1].force.z"), 1.5, 1e-12);
  EXPECT_NEAR(first("field[2].force.z"), 2.0, 1e-12);
  EXPECT_NEAR(first("field[3].force.z"), 3.0 * 3.0 * (1.2 - 3.0) / 2.0,
              1e-12);                                          // all are sigma from the floor
  EXPECT_NEAR(first("field[4].force.z"), -3.0 * 10.0, 1e-12);  // and 6 from the ceiling
  EXPECT_NEAR(first("field[4].force.x"), 0.0, 1e-12);
  EXPECT_NEAR(first("energy.field"),
              0.5 * 4.0 - 1.5 + 1.0 + 3.0 * 3.0 * (2.0 / 15.0 - 1.0) + 3.0 * 0.5 * 10.0, 1e-12);
  EXPECT_NEAR(first("energy.potential"), first("energy.pair") + first("energy.field"), 1e-12);
}

constexpr const char* kGrains = R"(sestina: 1
particles:
  species: [{name: grain, mass: 0.004, radius: 0.01}, {name: steel, mass: 1}]
  box: {lengths: [1, 1, 1], periodic: [false, false, false]}
  positions: {list: [[grain, 0.05, 0.05, 0.0099], [grain, 0.05, 0.0698, 0.0099]]}
  spins: [[1, 2, 3], [0, 0, 0]]
  pairs:
    - {type: hertz, species: [grain, grain], young: 2e6, poisson: 0.25, restitution: 0.7, friction: 0.3}
    - {type: hooke, species: [grain, steel], stiffness: 3000, damping: 40, friction: 0.2}
  walls:
    - {type: plane, at: [0, 0, 0], normal: [0, 0, 2], species: steel}
    - {type: cylinder, at: [0.05, 0.05, -0.1], axis: [0, 0, 1], radius: 0.4, length: 1}
    - {type: cone, at: [0.05, 0.05, 0.5], axis: [0, 0, 1], radii: [0.1, 0.2], length: 0}
  fields: [{type: gravity, acceleration: [0, 0, -9.81]}]
analysis: {step: {dt: 1e-5}, duration: 0.02}
output: {every: 0.002}
)";

TEST_F(ParticleRunTest, RecordsAndResumesGrains) {
  const ParticleReport whole =
      run(kGrains, {.result_file = path("whole.csv"), .checkpoint = path("whole.txt")});
  ASSERT_EQ(whole.status, ParticleReport::Status::kComplete);
  const ResultTable table = read_result(path("whole.csv"));
  const auto at = [&](std::size_t row, const char* name) { return table.at(row, table.column_index(name)); };
  const double inertia = 0.4 * 0.004 * 1e-4;
  EXPECT_NEAR(at(0, "energy.rotational"), 0.5 * inertia * 14.0, 1e-15);
  EXPECT_NEAR(at(0, "wall[0].force.z"), 2.0 * 3000.0 * 1e-4, 1e-12);
  EXPECT_EQ(at(0, "wall[2].force.z"), 0.0);
  // Hertz: 2/5 k sqrt(R d) d^2, k = 2/3 E/(1 - nu^2), R = 5 mm, d = 0.2 mm; hooke: k/2 d^2.
  const double hertz = 0.4 * 2.0 / 3.0 * 2e6 / 0.9375 * std::sqrt(0.005 * 2e-4) * 4e-8;
  EXPECT_NEAR(at(0, "energy.pair"), hertz + 2.0 * 0.5 * 3000.0 * 1e-8, 1e-12);
  EXPECT_EQ(at(0, "energy.dissipated"), 0.0);
  EXPECT_GT(at(10, "energy.dissipated"), 0.2 * at(0, "energy.pair"));
  EXPECT_NEAR(at(10, "energy.total"), at(0, "energy.total"), 1e-4 * at(0, "energy.pair"));
  run(kGrains, {.result_file = path("part.csv"), .checkpoint = path("part.txt"), .limits = {.steps = 700}});
  resume_particles(path("part.txt"), {}, executor_);
  const auto rows = [this](const char* name) {
    const std::string text = contents(name);
    return text.substr(text.find("\nt,"));
  };
  EXPECT_EQ(rows("part.csv"), rows("whole.csv"));
}

TEST_F(ParticleRunTest, TellsWhereGrainsAreWrong) {
  const auto message_with = [&](std::vector<std::string> set) {
    return message_of([&] { run(kGrains, {}, set); });
  };
  const std::string pairs = "particles.pairs", walls = "particles.walls";
  EXPECT_THAT(message_with({pairs + "[0].stiffness=5"}),
              HasSubstr("give either stiffness or young and poisson"));
  EXPECT_THAT(message_with({pairs + "[0].poisson=0.6"}), HasSubstr("pairs[0].poisson: 0.6 is out of range"));
  EXPECT_THAT(message_with({pairs + "[1].young=5"}), HasSubstr("the key 'young' does not fit a"));
  EXPECT_THAT(message_with({pairs + "[1].friction=-0.1"}),
              HasSubstr("pairs[1].friction: -0.1 is not zero or a positive number"));
  EXPECT_THAT(message_with({pairs + "[0].restitution=1.5"}),
              HasSubstr("pairs[0].restitution: 1.5 is not a number from 0 (not included) to 1"));
  EXPECT_THAT(message_with({pairs + "[1].species=[grain, stel]"}), HasSubstr("unknown species 'stel'"));
  EXPECT_THAT(message_with({walls + "[0].species=grain"}), testing::Not(HasSubstr("walls")));
  EXPECT_THAT(message_with({walls + "[0].type=sphere"}), HasSubstr("unknown wall 'sphere'"));
  EXPECT_THAT(message_with({walls + "[1].radius=0", walls + "[1].length=-1"}),
              HasSubstr("walls[1].length: -1 is not zero or a positive number"));
  EXPECT_THAT(message_with({walls + "[2].radii=[0.1, 0.1]"}), HasSubstr("walls[2]: has no area"));
  EXPECT_THAT(message_with({walls + "[1].radius=0"}), HasSubstr("walls[1]: has no area"));
  EXPECT_THAT(message_with({"particles.species[0].radius=0"}),
              HasSubstr("species[0].radius: 0 is not positive"));
  EXPECT_THAT(message_with({"particles.spins=[[1, 2, 3]]"}),
              HasSubstr("spins: has 3 numbers for 2 particles; expected 6"));
  EXPECT_THAT(message_with({"particles.skin=0"}), HasSubstr("skin: has to be positive"));
}

TEST_F(ParticleRunTest, TellsWhereFieldsAreWrong) {
  const auto message_with = [&](std::vector<std::string> set) {
    return message_of([&] { run(kSettling, {}, set); });
  };
  const std::string fields = "particles.fields";
  EXPECT_THAT(message_with({fields + "[0].type=wind"}), HasSubstr("unknown field 'wind'"));
  EXPECT_THAT(message_with({fields + "[3].face=z"}), HasSubstr("fields[3].face"));
  EXPECT_THAT(message_with({fields + "[3].face=+x"}),
              HasSubstr("fields[3].face: the box is periodic along x, where it has no face"));
  EXPECT_THAT(message_with({fields + "[4].species=C"}), HasSubstr("fields[4].species: unknown species 'C'"));
  EXPECT_THAT(message_with({fields + "[2].particles=[3]"}),
              HasSubstr("fields[2].particles[0]: 3 is not the number of a particle; there are 3"));
  EXPECT_THAT(message_with({fields + "[0].acceleration=[0, 1]"}), HasSubstr("fields[0].acceleration"));
  EXPECT_THAT(message_with({fields + "[2].stiffness=-1"}), HasSubstr("fields[2].stiffness: -1 is negative"));
  EXPECT_THAT(message_with({fields + "[4].cutoff=1"}), HasSubstr("the key 'cutoff' does not fit a"));
  EXPECT_THAT(message_with({"particles.positions.list[1]=[A, 3, 3, -1.5]"}),
              HasSubstr("particles[1] is behind the wall of fields[3] (at z = -1.5, the wall is at -1)"));
}

TEST_F(ParticleRunTest, WithoutDurationHasItsFirstRowAlone) {
  const ParticleReport report = run(kFluid, {}, {"analysis.duration=0"});
  EXPECT_EQ(report.status, ParticleReport::Status::kComplete);
  EXPECT_EQ(report.steps, 0);
  EXPECT_EQ(report.rows, 1);
}

TEST_F(ParticleRunTest, LetsPairsActEveryFewSteps) {
  const auto with = [&](const std::vector<std::string>& set) { return run(kFluid, {}, set).last; };
  const std::vector<std::string> coarse{"output.every=0.1", "analysis.step.dt=0.002"};
  auto slow = coarse;
  slow.emplace_back("particles.pairs[0].every=2");
  EXPECT_NEAR(with(slow).total(), with(coarse).total(), 1e-3 * with(coarse).kinetic);
  EXPECT_NE(with(slow).total(), with(coarse).total());
  EXPECT_THAT(message_of([&] { with({"particles.pairs[0].every=0"}); }),
              HasSubstr("particles.pairs[0].every: 0 is not a number of steps"));
  EXPECT_THAT(message_of([&] { with({"particles.pairs[0].every=3"}); }),
              HasSubstr("is not a whole number of steps of 0.012"));
  EXPECT_THAT(
      message_of([&] {
        with(
            {"particles.pairs=[{type: lj, species: [A, A], epsilon: 1, sigma: 1, every: 2}, {type: wca, "
             "species: [A, A], epsilon: 1, sigma: 1}]"});
      }),
      HasSubstr("particles.pairs[1]: acts every 1 steps, and the pairs before every 2"));
}

// In proportion to Madelung's constants, the energies of an ion by the nearest distance.
TEST_F(ParticleRunTest, BuildsCrystalsOfSeveralSpecies) {
  const auto energy_of = [&](const char* lattice, const char* species) {
    const std::string model = fmt::format(R"(sestina: 1
particles:
  species: [{{name: Na, mass: 1, charge: 1}}, {{name: Cl, mass: 1, charge: -1}}]
  positions: {{lattice: {{type: {}, cells: [2, 2, 2], density: 1, species: {}}}}}
  pairs: [{{type: coulomb, strength: 1}}]
analysis: {{step: {{dt: 0.001}}, duration: 0.001}}
output: {{every: 0.001}}
)",
                                          lattice, species);
    const ParticleReport report = run(model, {.result_file = path("crystal.csv")});
    return report.last.pair / report.particles;
  };
  EXPECT_NEAR(energy_of("rock_salt", "[Na, Cl]"), -0.5 * 1.747564594633182, 1e-10);
  EXPECT_NEAR(energy_of("bcc", "[Na, Cl]"), -0.5 * 1.76267477307099 / (std::sqrt(0.75) * std::cbrt(2.0)),
              1e-10);
  EXPECT_NEAR(energy_of("zinc_blende", "[Na, Cl]"), -0.5 * 1.63805505338879 / (std::sqrt(3.0) / 4.0 * 2.0),
              1e-10);
  EXPECT_THAT(message_of([&] { energy_of("rock_salt", "[Na, K]"); }),
              HasSubstr("particles.positions.lattice.species[1]: unknown species 'K'"));
  EXPECT_THAT(message_of([&] { energy_of("rock_salt", "[]"); }),
              HasSubstr("lattice.species: names no species"));
  EXPECT_THAT(message_of([&] { energy_of("rock_salt", "Na"); }),
              HasSubstr("the charges of a periodic box add up to 64 and not to zero"));
}

TEST_F(ParticleRunTest, ReportsEveryFaultWithItsPlace) {
  const std::string message = message_of([&] {
    run(R"(sestina: 1
particles:
  species: [{name: A, mass: -1}, {name: A, mass: 1}]
  box: {lengths: [4, 0, 8], periodic: [yes, true]}
  positions: {lattice: {type: hcp, cells: [2, 2.5, 2], density: 1}}
  pairs:
    - {type: ljj, species: [A, A], epsilon: 1, sigma: 1}
    - {type: lj, species: [A, B], epsilon: eps, sigma: 1, cutof: 2}
    - {type: gravity, strength: 1, tolerance: 2}
  thermostat: {type: langevin, temperature: 1}
  trajectory: {file: path.xyz}
analysis: {step: {dt: 0.004}, duration: 0.401, solver: kane}
output: {every: 0.001}
)");
  });
  for (const char* expected :
       {"model.yaml:3:", "particles.species[0].mass: -1 is not positive",
        "the species 'A' stands there twice", "0 is not positive", "expected a list of 3 booleans",
        "unknown type 'hcp'", "2.5 is not a whole number from 1", "unknown pair 'ljj'",
        "particles.pairs[2].tolerance: 2 is out of range: expected a number from 1e-12 to 0.1",
        "unknown species 'B'", "unknown name 'eps'", "cutof", "the key 'friction' is missing",
        "'path.xyz' does not end in", "0.401 is not a whole number of steps of 0.004",
        "analysis.solver: does not fit", "0.001 is not a whole number"}) {
    EXPECT_THAT(message, HasSubstr(expected));
  }
}

TEST_F(ParticleRunTest, PartsOfBodiesNeedBodies) {
  EXPECT_THAT(message_of([&] { run(std::string(kFluid) + "gravity: [0, 0, -9.81]\n"); }),
              HasSubstr("a model of particles without 'bodies' cannot have 'gravity'"));
  EXPECT_THAT(message_of([&] { read_model(kFluid); }), HasSubstr("models of bodies"));
}

TEST_F(ParticleRunTest, RefusesAnOverlappingStart) {
  const std::string message = message_of([&] {
    run(R"(sestina: 1
particles:
  species: [{name: A, mass: 1}]
  box: {lengths: [10, 10, 10]}
  positions: {list: [[A, 1, 1, 1], [A, 5, 5, 5], [A, 5, 5, 5]]}
  pairs: [{type: lj, species: [A, A], epsilon: 1, sigma: 1}]
analysis: {step: {dt: 0.004}, duration: 0.4}
)",
        {.result_file = path("none.csv")});
  });
  EXPECT_THAT(message, HasSubstr("the force on particles[1] is not finite: particles overlap"));
  EXPECT_FALSE(std::filesystem::exists(path("none.csv")));
}

// Bad models of a few particles: what is refused, and that nothing is written.
constexpr const char* kThree = R"(sestina: 1
particles:
  species: [{name: A, mass: 1, charge: 0}]
  box: {lengths: [10, 10, 10]}
  positions: {list: [[A, 1, 1, 1], [A, 5, 5, 5], [A, 6, 5, 5]]}
  pairs: [{type: lj, species: [A, A], epsilon: 1, sigma: 1}]
analysis: {step: {dt: 0.004}, duration: 0.4}
output: {every: 0.04}
)";

TEST_F(ParticleRunTest, RefusesBadModelsAndWritesNothing) {
  const std::string at_1 = "particles.positions.list[1]=[A, ",
                    pairs = "particles.pairs=[{type: ", bodies = "particles.bodies=[{particles: [1, 2]}";
  const struct {
    std::vector<std::string> set;
    const char* message;
  } cases[] = {
      {{at_1 + "1e300, 5, 5]"},
       "particles[1].position: 1e+300 is more than a million lengths of the box away"},
      {{"particles.box.lengths=[10, 4, 10]"}, "box.lengths[1]: 4 is smaller than twice the cutoff 2.5"},
      {{"particles.thermostat={temperature: 1, friction: 1}"},
       "particles.thermostat.type: is missing; allowed: langevin and nose_hoover"},
      {{"particles.pairs=[{species: [A, A], epsilon: 1, sigma: 1}]"}, "particles.pairs[0].type: is missing"},
      {{pairs + "coulomb, strength: 1}]", at_1 + "1, 1, 11]", "particles.charges=[1, -1, 0]"},
       "particles[1].position: is that of particles[0]: the energy of the force between all pairs is "
       "infinite"},
      {{"particles.bonds=[{type: harmonic, stiffness: 1, length: 1}, {type: rigid, length: 6}]"},
       "particles.bonds[1].length: 6 is not less than half of the box's length 10 along x"},
      {{"particles.bonds=[{type: harmonic, stiffness: 1, length: 6}]"},
       "particles.bonds[0].length: 6 is not less than half of the box's length 10 along x"},
      {{"particles.bonds=[{type: fene, stiffness: 1, max_length: 6, epsilon: 1, sigma: 1}]"},
       "particles.bonds[0].max_length: 6 is not less than half of the box's length 10 along x"},
      {{"particles.bonds=[{type: fene, stiffness: -1, max_length: 1.5, epsilon: 1, sigma: 1}]"},
       "particles.bonds[0].stiffness: -1 is negative"},
      {{"particles.thermostat={type: langevin, temperature: -1, friction: 1}"},
       "particles.thermostat.temperature: -1 is negative"},
      {{bodies + ", {particles: [0], parent: 0}]"}, "bodies[1].at: is missing: the particle"},
      {{"particles.bodies=[{particles: [1, 2], parent: 0, at: 1}]"},
       "bodies[0].parent: the first body has no other before it"},
      {{"particles.fixman_temperature=1"}, "particles.fixman_temperature: is that of a potential of rigid"},
      {{"particles.trajectory={file: " + path("nowhere/x.h5") + "}"}, "nowhere/x.h5"},
      {{"particles.positions={random_walk: {chains: 2, beads: 3, bond_length: 1, density: -1}}",
        "particles.bonds=[{type: harmonic, stiffness: 1, length: 1}]"},
       "random_walk.density: -1 is not positive"}};
  for (const auto& bad : cases) {
    EXPECT_THAT(message_of([&] { run(kThree, {.result_file = path("bad.csv")}, bad.set); }),
                HasSubstr(bad.message));
    EXPECT_FALSE(std::filesystem::exists(path("bad.csv"))) << bad.message;
  }
  // One fault, not also those of numbers that could not be read.
  EXPECT_THAT(message_of([&] { run(kThree, {}, {"particles.box.lengths=[10, 10]"}); }),
              testing::Not(HasSubstr("is not positive")));
  // The energy of a close start is finite; the first step shows what it is.
  const ParticleReport report = run(kThree, {}, {at_1 + "5.95, 5, 5]"});
  EXPECT_EQ(report.status, ParticleReport::Status::kFailed);
  EXPECT_THAT(report.failure, testing::ContainsRegex("particles.[12]. flies half across the box"));
  EXPECT_THAT(report.failure, testing::ContainsRegex("its neighbour particles.[12]. was 0.05 away"));
}

TEST_F(ParticleRunTest, TellsEachStepToAWatcherAndWritesNoTrajectoryUnlessAsked) {
  std::vector<double> times;
  long rows = 0;
  ParticleRunOptions options{.writes_trajectory = false};
  options.on_step = [&](const ParticleSystem& system, bool has_row) {
    times.push_back(system.t());
    rows += has_row ? 1 : 0;
  };
  const ParticleReport report = run(kFluid, options);
  ASSERT_EQ(times.size(), 101U);  // the start, too
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], 0.004 * static_cast<double>(i), 1e-12);
  EXPECT_EQ(rows, report.rows);
  EXPECT_EQ(rows, 21);
  EXPECT_EQ(report.frames, 0);
  EXPECT_FALSE(std::filesystem::exists(path("path.lammpstrj")));
  EXPECT_EQ(report.last.pair, run(kFluid).last.pair);  // watching changes nothing
}

TEST_F(ParticleRunTest, MovesALatticeByAnOffset) {
  const auto energy_with = [&](std::vector<std::string> set) {
    set.insert(set.end(), {"particles.box={periodic: [true, true, false]}", "particles.pairs=[]",
                           "particles.fields=[{type: gravity, acceleration: [0, 0, -1]}]"});
    return run(kFluid, {}, set).first.field;
  };
  const std::string offset = "particles.positions.lattice.offset=[0.1, 0, 0.25]";
  EXPECT_NEAR(energy_with({offset}) - energy_with({}), 256 * 0.25, 1e-9);
}

constexpr const char* kData = R"(title

3 atoms
1 bonds
2 atom types
1 bond types
-1 5 xlo xhi
0 6 ylo yhi
0 6 zlo zhi

Masses

1 1.5
2 2.5

Atoms # full

7 1 2 -1.0 0.5 1 1 1 0 0
3 1 1 1.0 0.25 2 2
9 2 1 0.0 3 3 3 0 -1 0

Velocities

3 1 2 3
7 4 5 6
9 0 0 0

Bonds

1 1 9 3
)";

TEST(LammpsData, IsReadById) {
  const LammpsData data = parse_lammps_data(kData, "start.data");
  EXPECT_EQ(data.box.lower[0], -1.0);
  EXPECT_EQ(data.box.length[0], 6.0);
  EXPECT_EQ(data.masses, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(data.type, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(data.charge, (std::vector<double>{1.0, -1.0, 0.0}));
  EXPECT_EQ(data.position, (std::vector<double>{0.25, 2, 2, 6.5, 1, 1, 3, -3, 3}));
  EXPECT_EQ(data.velocity, (std::vector<double>{1, 2, 3, 4, 5, 6, 0, 0, 0}));
  ASSERT_EQ(data.bonds.size(), 1U);
  EXPECT_EQ(data.bonds[0].atoms[0], 2);
  EXPECT_EQ(data.bonds[0].atoms[1], 0);
}

TEST_F(ParticleRunTest, RefusesADataFileWithOtherMasses) {
  std::ofstream(path("start.data"))
      << "two\n\n2 atoms\n1 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\n"
         "Masses\n\n1 2.5\n\nAtoms # atomic\n\n1 1 1 1 1\n2 1 4 4 4\n\n"
         "Velocities\n\n1 2 0 0\n2 -2 0 0\n";
  const auto first_row = [&](const std::string& species) {
    run("sestina: 1\nparticles:\n  species: [{" + species + "}]\n  positions: {file: start.data}\n" +
            "  pairs: [{type: lj, species: [A, A], epsilon: 1, sigma: 1, cutoff: 2.5}]\n" +
            "analysis: {step: {dt: 0.001}, duration: 0.001}\n",
        {.result_file = path("row.csv")});
    std::istringstream rows(contents("row.csv"));
    std::string line;
    while (std::getline(rows, line) && !line.starts_with("0,")) {
    }
    return line;
  };
  EXPECT_THAT(first_row("name: A, mass: 2.5"), HasSubstr("10"));  // J
  EXPECT_THAT(message_of([&] { first_row("name: A, mass: 1"); }),
              HasSubstr("the file's mass of type 1 is 2.5, particles.species[0].mass of A is 1"));
}

// In the format of LAMMPS' write_data.
TEST(LammpsData, SkipsWhatTheModelFileStandsFor) {
  std::string text = kData;
  const auto insert = [&](const std::string& before, const std::string& lines) {
    text.insert(text.find(before), lines);
  };
  insert("Masses", "2 extra bond per atom\n0 0 0 xy xz yz\n\n");
  insert("Atoms", "Pair Coeffs # lj/cut\n\n1 1 1\n2 0.5 1\n\nBond Coeffs\n\n1 30 1.5 1 1\n\n");
  const LammpsData data = parse_lammps_data(text, "start.data");
  EXPECT_EQ(data.masses, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(data.position.size(), 9U);
  EXPECT_EQ(data.bonds.size(), 1U);
  text.replace(text.find("0 0 0 xy"), 8, "0 1 0 xy");
  EXPECT_THAT(message_of([&] { parse_lammps_data(text, "start.data"); }), HasSubstr("the box is tilted"));
}

TEST(LammpsData, TellsTheLineOfAFault) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kData;
    text.replace(text.find(from), from.size(), to);
    return message_of([&] { parse_lammps_data(text, "start.data"); });
  };
  EXPECT_THAT(with("1 1 9 3", "1 1 9 4"), HasSubstr("start.data:30:1: there is no atom 4"));
  EXPECT_THAT(with("9 2 1 0.0 3 3 3", "9 2 3 0.0 3 3 3"), HasSubstr("3 is not one of the 2 atom types"));
  EXPECT_THAT(with("# full", ""), HasSubstr("is not a style"));
  EXPECT_THAT(with("7 1 2 -1.0 0.5", "7 1 2 -1.0 half"), HasSubstr("'half' is not a number"));
  EXPECT_THAT(with("3 1 1 1.0", "7 1 1 1.0"), HasSubstr("the atom 7 stands there twice"));
  EXPECT_THAT(with("1 1.5", "1 0"), HasSubstr("the mass 0 is not positive"));
}

}  // namespace
}  // namespace sestina
