#include "sestina/particles/particle_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "test_models.h"

namespace sestina {
namespace {

using testing::HasSubstr;
using testing_support::make_fluid;
using testing_support::message_of;
using testing_support::positions_of;
using testing_support::velocities_of;

ParticleField make_field(FieldLaw law) {
  ParticleField field;
  field.law = law;
  return field;
}

ParticleField make_gravity(const Vector3d& acceleration) {
  ParticleField field = make_field(FieldLaw::kGravity);
  field.vector = acceleration;
  return field;
}

ParticleField make_wall(FieldLaw law, bool is_upper, double cutoff) {
  ParticleField field = make_field(law);
  field.is_upper = is_upper, field.cutoff = cutoff, field.stiffness = 50.0;
  return field;
}

// A fluid between walls, in gravity and an electric field, some of its atoms tethered.
ParticleModel make_confined() {
  ParticleModel model = make_fluid(4, 0.5, true);
  model.box.periodic[2] = false;
  model.species.push_back({"B", 2.0});
  model.pairs.push_back({0, 1, 1.0, 1.0, 2.5, true});
  model.pairs.push_back({1, 1, 1.0, 1.0, 2.5, true});
  for (int i = 0; i < model.size(); ++i) {
    model.position[3 * i + 2] += 0.3;
    model.charge.push_back(i % 5 - 2.0);
    if (i % 3 == 0) model.species_of[i] = 1;
  }
  model.box.length[2] += 0.85;  // no particle where a wall ends, and the force jumps
  ParticleField electric = make_field(FieldLaw::kElectric);
  electric.vector = {0.2, 0.0, -0.1}, electric.species = {1};
  ParticleField tether = make_field(FieldLaw::kTether);
  tether.stiffness = 3.0, tether.particles = {0, 7, 133}, tether.at = Vector3d{1.0, 2.0, 3.0};
  ParticleField ceiling = make_wall(FieldLaw::kLennardJonesWall, true, 2.5);
  ceiling.is_shifted = true, ceiling.sigma = 0.9, ceiling.epsilon = 1.7;
  model.fields = {make_gravity({0.0, 0.0, -0.4}), electric, tether,
                  make_wall(FieldLaw::kHarmonicWall, false, 0.5), ceiling};
  draw_velocities(0.8, 5, model);
  return model;
}

TEST(ParticleFields, HaveForcesThatAreTheSlopeOfTheEnergy) {
  Executor executor(1);
  const ParticleModel model = make_confined();
  ParticleSystem system(model, executor);
  std::vector<double> forces(3 * static_cast<std::size_t>(model.size()));
  system.copy_forces(forces);
  const auto energy_at = [&](int particle, int axis, double shift) {
    ParticleModel moved = model;
    moved.position[3 * particle + axis] += shift;
    ParticleSystem there(moved, executor);
    return there.measure().potential();
  };
  for (const int particle : {0, 7, 3, 133, 254, 255}) {
    for (int a = 0; a < 3; ++a) {
      constexpr double h = 1e-5;
      const double slope = (energy_at(particle, a, h) - energy_at(particle, a, -h)) / (2.0 * h);
      EXPECT_NEAR(forces[3 * particle + a], -slope, 2e-6 * std::max(1.0, std::fabs(slope)));
    }
  }
  // Each law takes part.
  const ParticleMeasures m = system.measure();
  for (const FieldSums& field : system.field_sums()) EXPECT_GT(std::fabs(field.energy), 1e-3);
  EXPECT_GT(std::fabs(m.field), 1.0);
}

// The step is exact for a constant force, and for a spring has the frequency acos(1 - k h^2/(2 m))/h.
TEST(ParticleFields, MoveParticlesAsInClosedForm) {
  ParticleModel model;
  model.box.length = {5.0, 5.0, 5.0}, model.box.periodic = {true, true, false};
  model.species = {{"falls", 2.0}, {"swings", 3.0}};
  model.position = {1.0, 2.0, 3.0, 4.8, 1.0, 1.0};
  model.velocity = {0.5, -1.0, 2.0, 0.0, 0.0, 0.0};
  model.species_of = {0, 1};
  ParticleField spring = make_field(FieldLaw::kTether);
  spring.stiffness = 7.0, spring.species = {1};
  spring.at = Vector3d{0.1, 1.2, 0.8};  // beyond the face of the box: 0.3 from its nearest image
  ParticleField gravity = make_gravity({0.3, 0.0, -9.81});
  gravity.species = {0};
  model.fields = {gravity, spring};
  Executor executor(1);
  ParticleSystem system(model, executor);
  constexpr double h = 0.05;
  for (int i = 0; i < 100; ++i) system.step(h);
  const std::vector<double> x = positions_of(system);
  const double t = 100 * h;
  EXPECT_NEAR(x[0], 1.0 + 0.5 * t + 0.15 * t * t, 1e-11);
  EXPECT_NEAR(x[1], 2.0 - 1.0 * t, 1e-11);
  EXPECT_NEAR(x[2], 3.0 + 2.0 * t - 0.5 * 9.81 * t * t, 1e-10);
  const double swing = std::cos(100.0 * std::acos(1.0 - 0.5 * 7.0 / 3.0 * h * h));
  EXPECT_NEAR(x[3], 5.1 - 0.3 * swing, 1e-11);
  EXPECT_NEAR(x[4], 1.2 - 0.2 * swing, 1e-11);
  EXPECT_NEAR(x[5], 0.8 + 0.2 * swing, 1e-11);
}

TEST(ParticleFields, ConserveEnergyAndTheMomentumAlongFreeAxes) {
  ParticleModel model = make_confined();
  model.fields.erase(model.fields.begin() + 1, model.fields.begin() + 3);  // walls and gravity stay
  draw_velocities(0.8, 5, model);
  Executor executor(2);
  const auto momentum_of = [&](const ParticleSystem& system, int axis) {
    const std::vector<double> v = velocities_of(system);
    double sum = 0.0;
    for (int i = 0; i < model.size(); ++i) sum += model.species[model.species_of[i]].mass * v[3 * i + axis];
    return sum;
  };
  const auto drift_of = [&](double h) {
    ParticleSystem system(model, executor);
    EXPECT_DOUBLE_EQ(system.degrees_of_freedom(), 3.0 * model.size() - 2.0);
    EXPECT_NEAR(system.measure().temperature, 0.8, 1e-12);
    const double start = system.measure().total();
    double worst = 0.0, largest_z = 0.0;
    for (int i = 0; i < std::lround(2.0 / h); ++i) {
      system.step(h);
      worst = std::max(worst, std::fabs(system.measure().total() - start));
      largest_z = std::max(largest_z, std::fabs(momentum_of(system, 2)));
    }
    EXPECT_GT(largest_z, 1.0);
    for (const int a : {0, 1}) EXPECT_NEAR(momentum_of(system, a), 0.0, 1e-10);
    return worst;
  };
  const double coarse = drift_of(0.004), fine = drift_of(0.002);
  EXPECT_GT(coarse, 1e-4);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.5);  // second order, which the cut force bends a little
}

// Independent particles over a floor: the density is that of Boltzmann, and the floor carries their weight.
TEST(ParticleFields, GiveTheBarometricFormula) {
  constexpr int kCount = 2000;
  constexpr double kT = 1.5, g = 2.0, kStiffness = 50.0;
  ParticleModel model;
  model.box.length = {10.0, 10.0, 10.0}, model.box.periodic = {true, true, false};
  model.species = {{"A", 1.0}};
  for (int i = 0; i < kCount; ++i) {
    const auto u = calc_uniform(3, RandomUse::kWalk, 0, static_cast<std::uint32_t>(i));
    model.position.insert(model.position.end(), {10.0 * u[0], 10.0 * u[1], -kT / g * std::log(u[2])});
    model.species_of.push_back(0);
  }
  model.fields = {make_gravity({0.0, 0.0, -g}), make_wall(FieldLaw::kHarmonicWall, false, 0.0)};
  model.langevin = Langevin{kT, 1.0, 17};
  draw_velocities(kT, 8, model);
  Executor executor(2);
  ParticleSystem system(model, executor);
  for (int i = 0; i < 250; ++i) system.step(0.02);
  double energy = 0.0, weight = 0.0;
  constexpr int kSamples = 400;
  for (int k = 0; k < kSamples; ++k) {
    for (int i = 0; i < 5; ++i) system.step(0.02);
    energy += system.measure().field / kCount / kSamples;
    weight += system.field_sums()[1].force[2] / kCount / kSamples;
  }
  double sum = 0.0, moment = 0.0;
  for (double z = -2.0; z < 20.0; z += 1e-4) {
    const double U = g * z + (z < 0.0 ? 0.5 * kStiffness * z * z : 0.0);
    sum += std::exp(-U / kT), moment += U * std::exp(-U / kT);
  }
  // 2000 particles that forget their heights about every 4 time units: 10 independent samples of each, whose
  // energy has the deviation kT; three deviations.
  EXPECT_NEAR(energy, moment / sum, 0.032);
  EXPECT_NEAR(weight, g, 0.05 * g);
}

// Uniform gravity moves the whole molecule: within it nothing changes, and neither does the pressure.
TEST(ParticleFields, LetMoleculesFallAsTheyAre) {
  const auto run = [](bool falls) {
    ParticleModel model;
    model.box.length = {20.0, 20.0, 20.0}, model.box.periodic = {true, true, false};
    model.species = {{"A", 1.0}};
    model.term_types = {{TermLaw::kSphericalBond, 0.0, 1.0, 0.0, 1.0, 1, 0.1},
                        {TermLaw::kHarmonicAngle, 5.0, 2.0, 0.0, 1.0, 1}};
    for (int i = 0; i < 6; ++i) {
      model.position.insert(model.position.end(), {5.0 + i, 5.0, 5.0});
      model.species_of.push_back(0);
      if (i > 0) model.terms.push_back({0, {i - 1, i, -1, -1}});
      if (i > 1) model.terms.push_back({1, {i - 2, i - 1, i, -1}});
    }
    draw_velocities(1.0, 4, model);
    if (falls) model.fields = {make_gravity({0.0, 0.0, -3.0})};
    Executor executor(1);
    ParticleSystem system(model, executor);
    for (int i = 0; i < 200; ++i) system.step(0.005);
    return std::pair(positions_of(system), system.measure());
  };
  const auto [floating, at_rest] = run(false);
  const auto [falling, in_fall] = run(true);
  double moved = 0.0;
  for (int i = 0; i < 6; ++i) {
    for (int a = 0; a < 3; ++a) {
      const double fall = a == 2 ? -1.5 : 0.0;  // -3/2 t^2 at t = 1
      EXPECT_NEAR(falling[3 * i + a], floating[3 * i + a] + fall, 1e-9);
      moved = std::max(moved, std::fabs(floating[3 * i + a] - (a == 0 ? 5.0 + i : 5.0)));
    }
  }
  EXPECT_GT(moved, 0.3);
  // The momentum of the fall adds 2 K = (m v)^2/m to 3 V P.
  const double of_fall = 6.0 * 3.0 * 3.0 / (3.0 * at_rest.volume);
  EXPECT_NEAR(in_fall.pressure, at_rest.pressure + of_fall, 1e-9);
}

TEST(ParticleFields, HaveTheSameBitsForAnyNumberOfThreadsAndAfterARestart) {
  ParticleModel model = make_confined();
  model.langevin = Langevin{0.8, 1.0, 77};
  std::vector<std::vector<double>> results;
  std::vector<double> energies;
  for (const int threads : {1, 2, 3}) {
    Executor executor(threads);
    ParticleSystem whole(model, executor);
    ParticleCheckpoint middle;
    for (int i = 0; i < 200; ++i) {
      whole.step(0.004);
      if (i == 99) middle = whole.save();
    }
    results.push_back(positions_of(whole));
    energies.push_back(whole.measure().total());
    ParticleSystem resumed(model, executor);
    resumed.restore(middle);
    for (int i = 100; i < 200; ++i) resumed.step(0.004);
    results.push_back(positions_of(resumed));
  }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
  for (const double energy : energies) EXPECT_EQ(energy, energies[0]);
}

TEST(ParticleFields, NameTheParticleBehindAWall) {
  ParticleModel model = make_confined();
  model.position[3 * 41 + 2] = model.box.length[2] + 0.2;
  Executor executor(1);
  EXPECT_THAT(message_of<ComputationError>([&] { ParticleSystem(model, executor); }),
              HasSubstr("particles[41] is behind the wall of fields[4] (at z ="));
}

TEST(ParticleFields, AreCheckedBeforeTheRun) {
  ParticleModel model = make_confined();
  model.charge.clear();
  model.box.periodic[2] = true;
  model.fields[2].particles = {256};
  model.fields[2].stiffness = -1.0;
  model.fields[4].sigma = 0.0;
  model.fields[0].vector[1] = std::nan("");
  const std::string message = message_of([&] { check(model); });
  for (const char* expected :
       {"fields[1]: an electric field needs the charges",
        "fields[2].particles: particles[256] does not exist", "fields[2].stiffness: -1 is negative",
        "fields[3].face: the box is periodic along z", "fields[4].sigma: 0 is not a positive",
        "fields[0]: the field is not finite"}) {
    EXPECT_THAT(message, HasSubstr(expected));
  }
  model = make_fluid(3);
  model.langevin = Langevin{};
  model.barostat = Barostat{};
  model.fields = {make_gravity({0.0, 0.0, -1.0})};
  EXPECT_THAT(message_of([&] { check(model); }), HasSubstr("there can be no fields"));
}

}  // namespace
}  // namespace sestina
