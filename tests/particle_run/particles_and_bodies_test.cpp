// Bodies that carry walls and tethers of particles.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <string_view>

#include "message_of.h"
#include "sestina/io/result_file.h"
#include "sestina/parallel/executor.h"
#include "sestina/particle_run/particle_run.h"

namespace sestina {
namespace {

using testing::HasSubstr;
using testing_support::message_of;

class ParticlesAndBodiesTest : public testing::Test {
 protected:
  ParticlesAndBodiesTest()
      : folder_(std::filesystem::temp_directory_path() / ("carriers" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ParticlesAndBodiesTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  ResultTable run(const std::string& model, const std::vector<std::string>& set = {}, int threads = 1) {
    Executor executor(threads);
    report_ = run_particles(model, path("model.yaml"), set, {.result_file = path("rows.csv")}, executor);
    EXPECT_EQ(report_.status, ParticleReport::Status::kComplete) << report_.failure;
    return read_result(path("rows.csv"));
  }

  std::filesystem::path folder_;
  ParticleReport report_;
};

constexpr const char* kTether = R"(sestina: 1
bodies:
  - {name: block, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: free, type: free, parent: ground.origin, child: block.origin, u: [0, 0, 0, 0.1, 0, 0]}
particles:
  species: [{name: a, mass: 1}]
  box: {lengths: [9, 9, 9], periodic: [false, false, false]}
  positions: {list: [[a, 1.5, 0, 0]]}
  fields: [{type: tether, body: block, at: [0.5, 0, 0], stiffness: 3}]
analysis: {step: {dt: 0.002}, duration: 4}
output: {every: 0.5}
)";

// Two masses and a spring: with the reduced mass 2/3 the distance oscillates at sqrt(4.5) rad/s.
double calc_block(double t) {
  const double omega = std::sqrt(4.5);
  const double stretch = std::cos(omega * t) - 0.1 / omega * std::sin(omega * t);
  return (1.5 + 0.2 * t) / 3.0 - (stretch + 0.5) / 3.0;
}

TEST_F(ParticlesAndBodiesTest, ATetherPullsBothWithOrderTwo) {
  std::vector<double> worst;
  for (const char* dt : {"0.002", "0.001"}) {
    const ResultTable table = run(kTether, {std::string("analysis.step.dt=") + dt});
    const std::vector<double> t = table.column("t"), x = table.column("block.origin.x");
    ASSERT_EQ(t.size(), 9U);
    worst.push_back(0.0);
    for (std::size_t i = 0; i < t.size(); ++i)
      worst.back() = std::max(worst.back(), std::abs(x[i] - calc_block(t[i])));
    EXPECT_LT(report_.energy_drift, 1e-5);
  }
  EXPECT_LT(worst[0], 1e-5);
  EXPECT_NEAR(worst[0] / worst[1], 4.0, 0.1);
}

// A particle that turns with the block, which it was at the side of: the angular momentum stays.
TEST_F(ParticlesAndBodiesTest, TethersConserveAngularMomentum) {
  const ResultTable table = run(kTether, {"particles.positions.list=[[a, 0.5, 0, 0]]", "joints[0].u[2]=1",
                                          "joints[0].u[3]=0", "analysis.step.dt=0.001"});
  const std::vector<double> x = table.column("particles.block.force.x"),
                            y = table.column("particles.block.force.y"),
                            spin = table.column("angular_momentum.z"),
                            to_bodies = table.column("particles.energy.to_bodies"),
                            total = table.column("particles.energy.total"),
                            supplied = table.column("energy.supplied");
  EXPECT_GT(std::hypot(x.back(), y.back()), 0.01);
  EXPECT_LT(spin.back(), 0.9999);
  for (std::size_t i = 0; i < total.size(); ++i) {
    EXPECT_NEAR(total[i], total[0], 1e-6);
    EXPECT_NEAR(supplied[i], to_bodies[i], 1e-12);
  }
}

// A plate of mass 2 hits a grain of mass 1 at rest. The dashpot is that of a fixed wall, b sqrt(m) with the
// mass of the grain alone, so that the restitution is e' = exp(-pi z/sqrt(1 - z^2)), z = b sqrt(3/2), instead
// of 0.5.
constexpr const char* kPlate = R"(sestina: 1
bodies: [{name: plate, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: slide, type: prismatic, axis: [0, 0, 1], parent: ground.origin, child: plate.origin, u: 3}]
particles:
  species: [{name: grain, mass: 1, radius: 0.1}]
  box: {lengths: [9, 9, 9], periodic: [false, false, false]}
  positions: {list: [[grain, 0.3, 0.2, 0.2]]}
  pairs: [{type: hooke, species: [grain, grain], stiffness: 1e4, restitution: 0.5}]
  walls: [{type: plane, body: plate, at: [0, 0, 0.01], normal: [0, 0, 1]}]
analysis: {step: {dt: 1e-4}, duration: 0.2}
output: {every: 0.1}
)";

// Five bodies in a ring, from rest, pulled by a spring: a mechanism whose last joint is cut, and beside it
// the same bodies of four particles each.
std::string make_ring_twice(const char* joint) {
  constexpr int kBodies = 5;
  const auto hub = [](int b) {
    const double angle = 2.0 * M_PI * b / kBodies;
    return std::array{1.2 * std::cos(angle), 1.2 * std::sin(angle), 0.3 * std::cos(2.0 * (b % kBodies))};
  };
  std::string bodies, joints, list, members;
  for (int b = 0; b < kBodies; ++b) {
    const auto [x, y, z] = hub(b);
    const auto [next_x, next_y, next_z] = hub(b + 1);
    bodies += fmt::format(
        "  - {{name: b{}, mass: 4, center_of_mass: [0.15, 0.15, 0.15], inertia: {{xx: 0.54, "
        "yy: 0.54, zz: 0.54, xy: 0.09, xz: 0.09, yz: 0.09}}, "
        "points: {{next: [{:.17g}, {:.17g}, {:.17g}]}}}}\n",
        b, next_x - x, next_y - y, next_z - z);
    for (int k = 0; k < 4; ++k) {
      list += fmt::format("      - [a, {:.17g}, {:.17g}, {:.17g}]\n", x + (k == 1 ? 0.6 : 0.0),
                          y + (k == 2 ? 0.6 : 0.0), z + (k == 3 ? 0.6 : 0.0));
    }
    std::string held;
    if (b > 0) {
      joints += fmt::format("  - {{name: j{0}, type: spherical, parent: b{1}.next, child: b{0}.origin}}\n", b,
                            b - 1);
      held = fmt::format(", parent: {}, at: {}", b - 1, 4 * b);
    }
    members += fmt::format("    - {{particles: [{}, {}, {}, {}]{}}}\n", 4 * b, 4 * b + 1, 4 * b + 2,
                           4 * b + 3, held);
  }
  const auto [x, y, z] = hub(0);
  const bool is_ball = std::string_view(joint) == "spherical";
  return fmt::format(R"(sestina: 1
ground: {{points: {{post: [2, 1, 1]}}}}
bodies:
{0}joints:
  - {{name: j0, type: free, parent: ground.origin, child: b0.origin, q: [{1:.17g}, {2:.17g}, {3:.17g}, 1, 0, 0, 0]}}
{4}  - {{name: last, type: {5}, parent: b4.next, child: b0.origin{6}}}
forces: [{{name: spring, type: spring_damper, from: ground.post, to: b2.origin, stiffness: 20}}]
particles:
  species: [{{name: a, mass: 1}}]
  box: {{lengths: [20, 20, 20], lower: [-10, -10, -10]}}
  positions:
    list:
{7}  bodies:
{8}  closures: [{{bodies: [4, 0], joint: {5}, at: 0{9}}}]
  fields: [{{type: tether, particles: [8], at: [2, 1, 1], stiffness: 20}}]
analysis: {{step: {{dt: 0.01}}, duration: 1}}
output: {{every: 1}}
)",
                     bodies, x, y, z, joints, joint, is_ball ? "" : ", axis: [1, 0, 0]", list, members,
                     is_ball ? "" : ", along: [0, 1]");
}

TEST_F(ParticlesAndBodiesTest, ClosedLoopsMoveAsThoseOfMechanismsDo) {
  for (const char* joint : {"spherical", "revolute", "cylindrical", "prismatic"}) {
    double errors[2] = {};
    for (const int refinement : {0, 1}) {
      const ResultTable rows =
          run(make_ring_twice(joint), {fmt::format("analysis.step.dt={}", 0.01 / (1 << refinement))});
      double moved = 0.0;
      for (const auto& [axis, post] : {std::pair('x', 2.0), std::pair('y', 1.0), std::pair('z', 1.0)}) {
        const std::vector<double> origin = rows.column(fmt::format("b2.origin.{}", axis)),
                                  force = rows.column(fmt::format("particles.field[0].force.{}", axis));
        errors[refinement] =
            std::max(errors[refinement], std::abs(post - force.back() / 20.0 - origin.back()));
        moved = std::max(moved, std::abs(origin.back() - origin.front()));
      }
      EXPECT_GT(moved, 0.5) << joint;
    }
    EXPECT_LT(errors[0], 3e-4) << joint;  // of order h^2, that of the particles' step
    EXPECT_NEAR(errors[0] / errors[1], 4.0, 0.4) << joint;
  }
}

TEST_F(ParticlesAndBodiesTest, APlateHitsAGrain) {
  const ResultTable table = run(kPlate);
  const double plate = table.column("slide.u").back();
  const double grain = std::sqrt(2.0 * table.column("particles.energy.kinetic").back());
  const double log = std::log(0.5), z = -log / std::sqrt(log * log + M_PI * M_PI) * std::sqrt(1.5);
  const double e = std::exp(-M_PI * z / std::sqrt(1.0 - z * z));
  EXPECT_NEAR(plate, 2.0 - e, 2e-3);
  EXPECT_NEAR(2.0 * plate + grain, 6.0, 1e-12);
  EXPECT_NEAR(table.column("particles.energy.dissipated").back(), 3.0 * (1.0 - e * e), 2e-2);
  EXPECT_LT(report_.energy_drift, 2e-2);
}

// A drum that a motor turns: the motor has to bear what the grains do to the drum.
constexpr const char* kDrum = R"(sestina: 1
bodies: [{name: drum, mass: 0.5, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}]
joints: [{name: hinge, type: revolute, axis: [0, 1, 0], parent: ground.origin, child: drum.origin}]
constraints: [{name: motor, type: motion, joint: hinge, value: 5*t}]
particles:
  species: [{name: grain, mass: 1e-3, radius: 0.005}]
  box: {lengths: [0.2, 0.04, 0.2], lower: [-0.1, -0.02, -0.1], periodic: [false, false, false]}
  positions: {lattice: {type: sc, cells: [7, 3, 5], density: 8e5, offset: [0.06, 0.01, 0.07]}}
  pairs: [{type: hooke, species: [grain, grain], stiffness: 500, restitution: 0.5, friction: 0.5}]
  walls:
    - {type: cylinder, body: drum, at: [0, -0.02, 0], axis: [0, 1, 0], radius: 0.08, length: 0.04}
    - {type: plane, at: [0, -0.02, 0], normal: [0, 1, 0]}
    - {type: plane, at: [0, 0.02, 0], normal: [0, -1, 0]}
  fields: [{type: gravity, acceleration: [0, 0, -9.81]}]
analysis: {step: {dt: 1e-4}, duration: 0.4}
output: {every: 0.02}
)";

TEST_F(ParticlesAndBodiesTest, AMotorTurnsADrumWithGrains) {
  const ResultTable table = run(kDrum);
  const std::vector<double> motor = table.column("motor.force"),
                            load = table.column("particles.drum.torque.y"),
                            dissipated = table.column("particles.energy.dissipated");
  for (std::size_t i = 0; i < motor.size(); ++i) EXPECT_NEAR(motor[i], -load[i], 1e-12);
  EXPECT_GT(motor.back(), 0.01);  // the grains are lifted
  EXPECT_GT(dissipated.back(), 0.02);
  EXPECT_LT(report_.energy_drift, 1e-3 * dissipated.back());
  EXPECT_NEAR(table.column("hinge.q").back(), 2.0, 1e-12);
}

// The same rows with threads, and from a run that was cut in two, of a drum that turns and of one that is
// shaken: its wall moves away from where the lists of contacts were made.
TEST_F(ParticlesAndBodiesTest, RunsAndResumesBitForBit) {
  const std::vector<std::string> turned,
      shaken{"joints[0].type=prismatic", "joints[0].axis=[0, 0, 1]", "constraints[0].value=0.01*sin(40*t)"};
  for (const std::vector<std::string>& set : {turned, shaken}) {
    const ResultTable whole = run(kDrum, set), by_threads = run(kDrum, set, 3);
    Executor executor(2);
    ParticleRunOptions options{.result_file = path("cut.csv"), .checkpoint = path("cut.checkpoint")};
    options.limits.steps = 1733;
    run_particles(kDrum, path("model.yaml"), set, options, executor);
    const ParticleReport resumed =
        resume_particles(path("cut.checkpoint"), {.limits = {.steps = 9999}}, executor);
    EXPECT_EQ(resumed.status, ParticleReport::Status::kComplete) << resumed.failure;
    const ResultTable cut = read_result(path("cut.csv"));
    ASSERT_EQ(cut.rows(), whole.rows());
    for (std::size_t row = 0; row < whole.rows(); ++row) {
      EXPECT_THAT(cut.row(row), testing::ElementsAreArray(whole.row(row))) << row;
      EXPECT_THAT(by_threads.row(row), testing::ElementsAreArray(whole.row(row))) << row;
    }
  }
}

TEST_F(ParticlesAndBodiesTest, ABodyThatTurnsAPlaneInAPeriodicBoxIsRefused) {
  Executor executor(1);
  const ParticleReport report = run_particles(
      kPlate, path("model.yaml"),
      {"joints[0].type=revolute", "joints[0].axis=[1, 0, 0]", "particles.box.periodic=[true, true, false]"},
      {}, executor);
  EXPECT_EQ(report.status, ParticleReport::Status::kFailed);
  EXPECT_THAT(report.failure, HasSubstr("the body that carries walls[0] turns it"));
}

TEST_F(ParticlesAndBodiesTest, NamesWhatDoesNotFit) {
  const auto message = [&](const char* model, const std::vector<std::string>& set) {
    return message_of([&] { run(model, set); });
  };
  EXPECT_THAT(
      message(kPlate, {"particles.walls[0].body=plat"}),
      HasSubstr(
          "particles.walls[0].body: there is no rigid body 'plat' in `bodies` (did you mean 'plate'?)"));
  EXPECT_THAT(message(kDrum, {"particles.box.periodic=[false, true, false]"}),
              HasSubstr("walls[0].body: a body may carry the wall anywhere"));
  EXPECT_THAT(message(kPlate, {"analysis.coordinates=cartesian"}),
              HasSubstr("analysis.coordinates: 'cartesian'"));
  EXPECT_THAT(message(kPlate, {"events=[{name: end, when: slide.q - 1, terminal: true}]"}),
              HasSubstr("events[0].terminal: an event of bodies cannot end a run of particles"));
  EXPECT_THAT(message(kPlate, {"joints[0].type=hinge"}), HasSubstr("joints[0].type"));
  EXPECT_THAT(message(kPlate, {"analysis.step.driver=variable"}),
              HasSubstr("particles are run with a fixed step"));
}

}  // namespace
}  // namespace sestina
