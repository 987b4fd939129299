// Fixman's potential of molecules of rigid bodies.
#include <gtest/gtest.h>

#include <cmath>

#include "sestina/parallel/executor.h"
#include "test_models.h"

namespace sestina {
namespace {

using testing_support::make_noise;
using testing_support::positions_of;
using testing_support::velocities_of;

// A star whose arms are bent, of beads with different masses; every bond keeps its length.
ParticleModel make_star(TermLaw law, std::uint32_t seed) {
  ParticleModel model;
  model.box.length = {100.0, 100.0, 100.0};
  model.species = {{"A", 1.0}, {"B", 2.5}};
  model.term_types = {{law, 0.0, 1.0, 0.0, 1.0, 1}};
  constexpr int kParents[] = {-1, 0, 1, 2, 1, 4, 1, 6, 7};
  const std::vector<double> noise = make_noise(27, seed);
  for (int i = 0; i < 9; ++i) {
    model.species_of.push_back(i % 3 == 1 ? 1 : 0);
    const double d[3] = {noise[3 * i], noise[3 * i + 1], noise[3 * i + 2]};
    const double length = std::hypot(d[0], d[1], d[2]);
    for (int a = 0; a < 3; ++a) {
      model.position.push_back(kParents[i] < 0 ? 50.0 : model.position[3 * kParents[i] + a] + d[a] / length);
    }
    if (kParents[i] >= 0) model.terms.push_back({0, {kParents[i], i, -1, -1}});
  }
  model.fixman_temperature = 0.7;
  return model;
}

// The determinant of the mass matrix and that of the links' conditions, which RigidBonds takes, differ by a
// constant factor for point beads.
TEST(FixmanOfBodies, IsThatOfRigidBonds) {
  Executor executor(1);
  const auto energy_of = [&](TermLaw law, std::uint32_t seed) {
    return ParticleSystem(make_star(law, seed), executor).measure().bonded;
  };
  const double first = energy_of(TermLaw::kRigidBond, 1) - energy_of(TermLaw::kSphericalBond, 1);
  double spread = 0.0;
  for (std::uint32_t seed = 2; seed < 12; ++seed) {
    const double rigid = energy_of(TermLaw::kRigidBond, seed);
    EXPECT_NEAR(rigid - energy_of(TermLaw::kSphericalBond, seed), first, 1e-10);
    spread = std::max(spread, std::abs(rigid - energy_of(TermLaw::kRigidBond, 1)));
  }
  EXPECT_GT(spread, 0.1);
}

TEST(FixmanOfBodies, MovesPointBeadsAsWithRigidBonds) {
  Executor executor(1);
  const auto run = [&](TermLaw law, double fixman) {
    ParticleModel model = make_star(law, 3);
    model.fixman_temperature = fixman;
    ParticleSystem system(model, executor);  // at rest: Fixman's forces alone move it
    for (int i = 0; i < 2000; ++i) system.step(0.0005);
    return positions_of(system);
  };
  const std::vector<double> rigid = run(TermLaw::kRigidBond, 5.0),
                            jointed = run(TermLaw::kSphericalBond, 5.0);
  const std::vector<double> start = make_star(TermLaw::kRigidBond, 3).position;
  double moved = 0.0;
  for (std::size_t k = 0; k < start.size(); ++k) {
    EXPECT_NEAR(jointed[k], rigid[k], 1e-5);  // both rules are of second order, with errors of their own
    moved = std::max(moved, std::abs(rigid[k] - start[k]));
  }
  EXPECT_GT(moved, 0.1);
}

// A molecule with all types of joints, branched, whose bodies have inertia.
ParticleModel make_jointed(double fixman) {
  ParticleModel model;
  model.box.length = {100.0, 100.0, 100.0};
  model.species = {{"A", 1.0}};
  const double places[][3] = {{0, 0, 0},       {1, 0, 0},       {0.3, 1, 0},      {1, 0.2, 1},
                              {1.5, 1.1, 0.7}, {2.1, 0.1, 0.4}, {2.9, 1, 0},      {0.2, 2, 1},
                              {0, 2.8, 0},     {3.5, 2, 1},     {-0.9, 3.2, 0.5}, {3.1, 2.4, 2}};
  for (const auto& place : places) {
    for (const double x : place) model.position.push_back(50.0 + x);
    model.species_of.push_back(0);
  }
  model.bodies = {{{0, 1, 2}},
                  {{3, 4}, 0, ParticleJoint::kRevolute, 1, {0, 2}, {-1, -1}, 0.3},
                  {{5, 6}, 1, ParticleJoint::kSpherical, 3, {-1, -1}, {-1, -1}, 0.2},
                  {{7, 8}, 0, ParticleJoint::kCylindrical, 2, {0, 7}, {-1, -1}, 0.2},
                  {{9, 11}, 2, ParticleJoint::kPrismatic, 6, {5, 9}, {-1, -1}, 0.1},
                  {{10}, 3, ParticleJoint::kPlanar, 8, {7, 8}, {-1, -1}, 0.4}};
  model.fixman_temperature = fixman;
  model.term_types = {{TermLaw::kHarmonicBond, 4.0, 1.0, 0.0, 1.0, 1}};
  for (const auto& [i, j] : {std::pair(4, 5), {2, 7}, {6, 9}, {8, 10}}) {
    model.terms.push_back({0, {i, j, -1, -1}});  // what slides comes back
  }
  draw_velocities(0.6, 8, model);
  return model;
}

// Forces that are not the slope of (1) would change the energy however short the steps are.
TEST(FixmanOfBodies, ConservesEnergyAndMomentaWithAllJoints) {
  Executor executor(1);
  const auto momenta_of = [](const ParticleSystem& system) {
    const std::vector<double> v = velocities_of(system);
    Vector3d linear{};
    for (int i = 0; i < system.size(); ++i) {
      for (int a = 0; a < 3; ++a) linear[a] += v[3 * i + a];
    }
    return linear;
  };
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  const auto error_of = [&](double h) {
    ParticleSystem system(make_jointed(2.0), executor), without(make_jointed(0.0), executor);
    const double start = system.measure().total();
    double worst = 0.0;
    for (int i = 0; i < std::lround(3.0 / h); ++i) {
      system.step(h), without.step(h);
      worst = std::max(worst, std::abs(system.measure().total() - start));
      const double potential = system.measure().bonded;
      lowest = std::min(lowest, potential), highest = std::max(highest, potential);
    }
    for (const double p : momenta_of(system)) EXPECT_NEAR(p, 0.0, 1e-9);
    EXPECT_GT(std::abs(positions_of(system)[20] - positions_of(without)[20]), 0.01);
    return worst;
  };
  const double coarse = error_of(0.004), fine = error_of(0.002);
  EXPECT_GT(highest - lowest, 0.5);
  EXPECT_NEAR(coarse / fine, 4.0, 0.5);
}

// Chains of two rods on ball joints, without forces: what stiff springs in place of the joints would give is
// a uniform cosine between the rods, whose mean square is 1/3.
TEST(FixmanOfBodies, MakesTheCosineBetweenRodsUniform) {
  const auto mean_square = [](double fixman) {
    ParticleModel model;
    model.box.length = {1e3, 1e3, 1e3};
    model.species = {{"bead", 1.0}};
    constexpr int kCount = 1000;
    for (int m = 0; m < kCount; ++m) {
      const double x = 10.0 * (m % 40), y = 10.0 * std::floor(m / 40.0);
      for (const double d : {x, y, 0.0, x + 1.0, y, 0.0, x + 1.0, y + 1.0, 0.0}) model.position.push_back(d);
      for (int b = 0; b < 3; ++b) model.species_of.push_back(0);
      model.bodies.push_back({{3 * m, 3 * m + 1}});
      model.bodies.push_back({{3 * m + 2}, 2 * m, ParticleJoint::kSpherical, 3 * m + 1, {-1, -1}, {-1, -1}});
    }
    model.fixman_temperature = fixman;
    model.langevin = Langevin{1.0, 1.0, 9};
    draw_velocities(1.0, 3, model);
    Executor executor(2);
    ParticleSystem system(model, executor);
    for (int i = 0; i < 100; ++i) system.step(0.1);
    double sum = 0.0;
    constexpr int kSamples = 60;
    for (int s = 0; s < kSamples; ++s) {
      for (int i = 0; i < 10; ++i) system.step(0.1);
      sum += testing_support::mean_square_cosine(positions_of(system));
    }
    return sum / kSamples;
  };
  // Beads of one mass: the density without the potential is sqrt(4 - cos^2); see rigid_bonds_test.cpp.
  const double theta = std::asin(0.5), root = std::sqrt(3.0);
  const double metric = (2.0 * theta - 0.5 * std::sin(4.0 * theta)) / (2.0 * theta + 0.5 * root);
  EXPECT_NEAR(mean_square(0.0), metric, 0.005);  // 6e4 samples, not all independent: about 0.0015
  EXPECT_NEAR(mean_square(1.0), 1.0 / 3.0, 0.005);
}

TEST(FixmanOfBodies, HasTheSameBitsForAnyNumberOfThreadsAndAfterARestart) {
  ParticleModel model = make_jointed(1.0);
  model.langevin = Langevin{0.6, 1.0, 3};
  std::vector<std::vector<double>> results;
  for (const int threads : {1, 3}) {
    Executor executor(threads);
    ParticleSystem whole(model, executor);
    ParticleCheckpoint middle;
    for (int i = 0; i < 200; ++i) {
      whole.step(0.004);
      if (i == 99) middle = whole.save();
      if (i % 30 == 0) whole.measure();
    }
    ParticleSystem resumed(model, executor);
    resumed.restore(middle);
    for (int i = 100; i < 200; ++i) resumed.step(0.004);
    results.push_back(positions_of(whole)), results.push_back(positions_of(resumed));
  }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

}  // namespace
}  // namespace sestina
