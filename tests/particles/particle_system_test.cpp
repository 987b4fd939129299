#include "sestina/particles/particle_system.h"

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
using testing_support::make_oracle;
using testing_support::message_of;
using testing_support::positions_of;
using testing_support::velocities_of;

double energy_at(ParticleModel model, int particle, int axis, double shift) {
  Executor executor(1);
  model.position[3 * particle + axis] += shift;
  return ParticleSystem(model, executor).measure().potential();
}

TEST(ParticleSystem, HasForcesThatAreTheSlopeOfTheEnergy) {
  Executor executor(1);
  ParticleModel charged = make_oracle(true, 1);
  charged.box.periodic = {false, false, false};
  charged.central = CentralForce{0.3, false, 0.0};
  for (int i = 0; i < charged.size(); ++i) charged.charge.push_back(i % 2 == 0 ? 1.0 : -0.5);
  ParticleModel shifted = make_oracle(true, 2);
  for (LennardJones& pair : shifted.pairs) pair.is_shifted = true;
  for (const ParticleModel& model : {shifted, charged}) {
    ParticleSystem system(model, executor);
    std::vector<double> forces(3 * 256);
    system.copy_forces(forces);
    for (const int particle : {0, 5, 18, 133, 254}) {
      for (int a = 0; a < 3; ++a) {
        constexpr double h = 1e-5;
        const double slope =
            (energy_at(model, particle, a, h) - energy_at(model, particle, a, -h)) / (2.0 * h);
        // h^2 U'''/6 with U''' about 1e4, and 1e3 eps / h of rounding.
        EXPECT_NEAR(forces[3 * particle + a], -slope, 2e-5 * std::max(1.0, std::fabs(slope)));
      }
    }
  }
}

// The virial is -3 V dU/dV where all positions grow with the box.
TEST(ParticleSystem, HasThePressureOfAChangeOfVolume) {
  Executor executor(1);
  const auto energy = [&](double scale) {
    ParticleModel model = make_oracle(true, 1);
    for (LennardJones& pair : model.pairs) pair.is_shifted = true;
    for (double& length : model.box.length) length *= scale;
    for (double& x : model.position) x *= scale;
    ParticleSystem system(model, executor);
    return system.measure();
  };
  constexpr double h = 1e-5;
  const double slope = (energy(1.0 + h).potential() - energy(1.0 - h).potential()) / (2.0 * h);
  EXPECT_NEAR(energy(1.0).virial, -slope, 1e-5 * std::fabs(slope));
}

// The largest deviation of the energy over the time, for a step.
double calc_energy_error(double h, double duration) {
  Executor executor(2);
  ParticleModel model = make_fluid(5, 0.8442, true);
  draw_velocities(1.44, 3, model);
  ParticleSystem system(model, executor);
  // Past the melting, in which the error of a lattice grows.
  for (int i = 0; i < 400; ++i) system.step(0.0025);
  const double start = system.measure().total();
  double worst = 0.0;
  for (int i = 1; i <= std::lround(duration / h); ++i) {
    system.step(h);
    worst = std::max(worst, std::fabs(system.measure().total() - start));
  }
  return worst / system.measure().kinetic;
}

TEST(ParticleSystem, ConservesEnergyToTheOrderOfTheRule) {
  const double coarse = calc_energy_error(0.008, 0.8), fine = calc_energy_error(0.004, 0.8);
  EXPECT_GT(coarse, 1e-5);
  // Order 2: a factor of 4; the cut force bends it a little.
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.5);
}

TEST(ParticleSystem, ConservesMomentum) {
  Executor executor(2);
  ParticleModel model = make_oracle(true, 1);
  for (LennardJones& pair : model.pairs) pair.is_shifted = true;
  for (TermType& type : model.term_types) {
    if (type.law == TermLaw::kFene) type.rest = 2.0;
  }
  draw_velocities(1.0, 9, model);
  ParticleSystem system(model, executor);
  const auto before = positions_of(system);
  for (int i = 0; i < 500; ++i) system.step(0.001);
  const auto v = velocities_of(system), after = positions_of(system);
  double momentum[3] = {}, size = 0.0, moved = 0.0;
  for (int i = 0; i < system.size(); ++i) {
    for (int a = 0; a < 3; ++a) {
      const double p = v[3 * i + a] * model.species[model.species_of[i]].mass;
      momentum[a] += p, size += std::fabs(p);
      moved = std::max(moved, std::fabs(after[3 * i + a] - before[3 * i + a]));
    }
  }
  EXPECT_GT(moved, 0.5);
  EXPECT_GT(system.list_builds(), 2);
  for (const double p : momentum) EXPECT_NEAR(p, 0.0, 1e-12 * size);  // rounding of 500 steps
}

enum class Bath { kLangevin, kNoseHoover, kBarostat };
constexpr Bath kBaths[] = {Bath::kLangevin, Bath::kNoseHoover, Bath::kBarostat};

ParticleModel make_busy(Bath bath) {
  ParticleModel model = make_oracle(true, 1);
  for (TermType& type : model.term_types) {
    if (type.law == TermLaw::kFene) type.rest = 2.0;
  }
  draw_velocities(1.0, 9, model);
  if (bath == Bath::kLangevin) {
    model.langevin = Langevin{1.0, 1.0, 77};
  } else {
    model.nose_hoover = NoseHoover{1.0, 0.5};
  }
  if (bath == Bath::kBarostat) model.barostat = Barostat{3.0, 0.5, 0.05, 7, 5};
  return model;
}

TEST(ParticleSystem, HasTheSameBitsForAnyNumberOfThreads) {
  for (const Bath bath : kBaths) {
    std::vector<std::vector<double>> results;
    std::vector<double> energies;
    for (const int threads : {1, 2, 3}) {
      Executor executor(threads);
      ParticleSystem system(make_busy(bath), executor);
      for (int i = 0; i < 300; ++i) system.step(0.001);
      EXPECT_GT(system.list_builds(), 1);
      results.push_back(positions_of(system));
      energies.push_back(system.measure().total());
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
    EXPECT_EQ(energies[0], energies[1]);
    EXPECT_EQ(energies[0], energies[2]);
  }
}

TEST(ParticleSystem, GoesOnBitForBitAfterARestart) {
  Executor executor(2);
  for (const Bath bath : kBaths) {
    ParticleSystem system(make_busy(bath), executor);
    for (int i = 0; i < 137; ++i) system.step(0.001);
    const ParticleCheckpoint saved = system.save();
    ParticleSystem other(make_busy(bath), executor);
    other.restore(saved);
    EXPECT_EQ(positions_of(other), positions_of(system));
    for (int i = 0; i < 200; ++i) {
      system.step(0.001);
      other.step(0.001);
      if (i % 7 == 0) other.measure();  // looking changes nothing
    }
    EXPECT_EQ(positions_of(other), positions_of(system));
    EXPECT_EQ(velocities_of(other), velocities_of(system));
    EXPECT_EQ(other.measure().total(), system.measure().total());
    EXPECT_EQ(other.t(), system.t());
  }
}

TEST(ParticleSystem, RefusesACheckpointOfOtherParticles) {
  Executor executor(1);
  ParticleSystem small(make_fluid(4), executor), large(make_fluid(5), executor);
  EXPECT_THAT(message_of([&] { large.restore(small.save()); }),
              HasSubstr("256 particles, the model has 500"));
  ParticleCheckpoint twice = small.save();
  twice.number[3] = twice.number[4];
  EXPECT_THAT(message_of([&] { small.restore(twice); }), HasSubstr("each particle once"));
}

// Harmonic bonds to nothing else: the exact distribution is known, and BAOAB samples positions of a harmonic
// oscillator without an error of the step.
TEST(Langevin, KeepsTheTemperature) {
  Executor executor(2);
  ParticleModel model;
  model.box = {{0, 0, 0}, {100, 100, 100}, {false, false, false}};
  model.species = {{"light", 1.0}, {"heavy", 4.0}};
  model.term_types = {{TermLaw::kHarmonicBond, 50.0, 0.0, 0.0, 1.0, 1}};
  constexpr int kPairs = 2000;
  for (int i = 0; i < kPairs; ++i) {
    model.position.insert(model.position.end(), {0.05 * i, 0, 0, 0.05 * i, 0, 0.1});
    model.species_of.insert(model.species_of.end(), {0, 1});
    model.terms.push_back({0, {2 * i, 2 * i + 1, -1, -1}});
  }
  model.langevin = Langevin{1.7, 2.0, 4};
  ParticleSystem system(model, executor);
  double bonded = 0.0, kinetic = 0.0;
  constexpr int kSamples = 20;
  for (int i = 0; i < 200 + 20 * kSamples; ++i) {
    system.step(0.05);
    if (i < 200 || i % 20 != 0) continue;
    const ParticleMeasures m = system.measure();
    bonded += m.bonded / kSamples, kinetic += m.kinetic / kSamples;
  }
  // U = 3/2 k T for each pair; 40,000 samples of a quantity with a relative spread of sqrt(2/3), correlated
  // over some of them: 4 standard errors are below 2 %.
  EXPECT_NEAR(bonded / kPairs, 1.5 * 1.7, 0.02 * 1.5 * 1.7);
  // The kinetic energy has BAOAB's error of order (omega h)^2 / 4 with omega^2 = 50 (1 + 1/4): at most 4 %.
  EXPECT_NEAR(kinetic / (2 * kPairs), 1.5 * 1.7, 0.05 * 1.5 * 1.7);
}

TEST(NoseHoover, KeepsTheTemperatureAndItsEnergy) {
  Executor executor(2);
  const auto run = [&](double h, double& temperature) {
    ParticleModel model = make_fluid(5, 0.8442, true);
    draw_velocities(1.5, 3, model);
    model.nose_hoover = NoseHoover{0.9, 0.5};
    ParticleSystem system(model, executor);
    for (int i = 0; i < 500; ++i) system.step(0.004);
    const double start = system.measure().total();
    double worst = 0.0;
    temperature = 0.0;
    const int steps = static_cast<int>(std::lround(4.0 / h));
    for (int i = 0; i < steps; ++i) {
      system.step(h);
      const ParticleMeasures m = system.measure();
      worst = std::max(worst, std::fabs(m.total() - start));
      temperature += m.temperature / steps;
    }
    EXPECT_GT(std::fabs(system.measure().thermostat), 1.0);
    return worst / system.measure().kinetic;
  };
  double temperature = 0.0;
  const double coarse = run(0.008, temperature);
  EXPECT_NEAR(temperature, 0.9, 0.02);  // the mean is pulled to it within few periods
  EXPECT_LT(coarse, 4e-3);
  EXPECT_LT(run(0.004, temperature), coarse / 2.5);  // order 2
}

// An ideal gas of n particles has the volumes V^n exp(-pressure V/kT): mean (n + 1) kT/pressure, variance
// (n + 1) (kT/pressure)^2. The compressibility that is given is not the right one.
TEST(Barostat, HasTheVolumesOfAnIdealGas) {
  Executor executor(1);
  ParticleModel model;
  constexpr int kCount = 8;
  constexpr double kT = 1.3, kPressure = 0.8;
  const double expected = (kCount + 1) * kT / kPressure;
  model.box.length = {2.5, 2.5, 2.5};
  model.species = {{"A", 1.0}};
  for (int i = 0; i < kCount; ++i) {
    model.position.insert(model.position.end(), {0.06 * i, 0.05 * i, 0.04 * i});
    model.species_of.push_back(0);
  }
  model.langevin = Langevin{kT, 2.0, 4};
  model.barostat = Barostat{kPressure, 0.5, 0.7 / kPressure, 1, 8};
  draw_velocities(kT, 3, model);
  ParticleSystem system(model, executor);
  double sum = 0.0, squares = 0.0;
  constexpr int kSteps = 400000;
  for (int i = 0; i < 2000; ++i) system.step(0.01);
  for (int i = 0; i < kSteps; ++i) {
    system.step(0.01);
    const double V = system.box().volume() / expected;
    sum += V / kSteps, squares += V * V / kSteps;
  }
  // Volumes are correlated over the time 0.5/0.7, of which there are 5600: a standard error of 0.5 % of the
  // mean. Without the term kT/(2 V) it would be off by 5 %.
  EXPECT_NEAR(sum, 1.0, 0.02);
  EXPECT_NEAR((squares - sum * sum) * (kCount + 1), 1.0, 0.12);
}

// A fluid at the mean pressure that it has in a box of constant volume fills this volume.
TEST(Barostat, FillsTheVolumeThatHasThePressure) {
  Executor executor(2);
  const auto make = [] {
    ParticleModel model = make_fluid(4, 0.65, true);
    draw_velocities(1.4, 3, model);
    model.nose_hoover = NoseHoover{1.4, 0.5};
    return model;
  };
  ParticleSystem constant(make(), executor);
  double pressure = 0.0;
  constexpr int kSamples = 800;
  for (int i = 0; i < 400 + kSamples; ++i) {
    for (int k = 0; k < 10; ++k) constant.step(0.005);
    if (i >= 400) pressure += constant.measure().pressure / kSamples;
  }
  ParticleModel model = make();
  for (double& length : model.box.length) length *= 1.05;  // from another volume
  for (double& x : model.position) x *= 1.05;
  model.barostat = Barostat{pressure, 1.0, 0.3, 10, 2};
  ParticleSystem system(model, executor);
  double volume = 0.0, mean = 0.0, worst = 0.0;
  for (int i = 0; i < 400; ++i) {
    for (int k = 0; k < 10; ++k) system.step(0.005);
  }
  const double start = system.measure().total();
  for (int i = 0; i < 2 * kSamples; ++i) {
    for (int k = 0; k < 10; ++k) system.step(0.005);
    const ParticleMeasures m = system.measure();
    volume += m.volume / (2 * kSamples), mean += m.pressure / (2 * kSamples);
    worst = std::max(worst, std::abs(m.total() - start));
  }
  EXPECT_NEAR(volume / constant.box().volume(), 1.0, 0.02);
  EXPECT_NEAR(mean, pressure, 0.05 * pressure);
  EXPECT_GT(std::abs(system.measure().barostat), 10.0);
  EXPECT_LT(worst, 0.02 * system.measure().kinetic);
}

// LAMMPS (22 Jul 2025, lj/cut 2.5 with pair_modify shift yes, fix npt temp 1.4 1.4 0.5 iso 1.5 1.5 2, 864
// atoms, step 0.005) has the mean density 0.6716 +- 0.0004 over 500 units of time.
TEST(Barostat, HasTheDensityOfLammps) {
  Executor executor(2);
  ParticleModel model = make_fluid(6, 0.5, true);
  draw_velocities(1.4, 3, model);
  model.nose_hoover = NoseHoover{1.4, 0.5};
  model.barostat = Barostat{1.5, 1.0, 0.1, 10, 3};
  ParticleSystem system(model, executor);
  for (int i = 0; i < 4000; ++i) system.step(0.005);
  double density = 0.0;
  constexpr int kSamples = 1000;
  for (int i = 0; i < kSamples; ++i) {
    for (int k = 0; k < 10; ++k) system.step(0.005);
    density += system.size() / system.box().volume() / kSamples;
  }
  // The standard error over 50 units is 0.0035; a pressure that is wrong by a tenth changes it by 0.012.
  EXPECT_NEAR(density, 0.6716, 0.01);
}

TEST(Barostat, TellsThatThePeriodIsTooShort) {
  Executor executor(1);
  ParticleModel model = make_fluid(4, 0.8, true);
  draw_velocities(1.4, 3, model);
  model.nose_hoover = NoseHoover{1.4, 0.5};
  model.barostat = Barostat{500.0, 0.01, 1.0, 5, 2};
  ParticleSystem system(model, executor);
  EXPECT_THAT(message_of<ComputationError>([&] {
                for (int i = 0; i < 20; ++i) system.step(0.005);
              }),
              HasSubstr("a longer period changes it more slowly"));
}

TEST(Barostat, TellsThatTheBoxBecomesTooSmall) {
  Executor executor(1);
  ParticleModel model = make_fluid(3, 0.8, true);
  draw_velocities(1.4, 3, model);
  model.nose_hoover = NoseHoover{1.4, 0.5};
  model.barostat = Barostat{30.0, 1.0, 0.1, 5, 2};
  ParticleSystem system(model, executor);
  EXPECT_THAT(message_of<ComputationError>([&] {
                for (int i = 0; i < 500; ++i) system.step(0.005);
              }),
              HasSubstr("less than twice the cutoff"));
  EXPECT_EQ(system.box().length[0], system.box().length[2]);  // as it was before
  EXPECT_GE(system.box().length[0], 5.0);
}

TEST(ParticleModel, RefusesABarostatWithoutThermostatOrInAnOpenBox) {
  ParticleModel model = make_fluid(4, 0.8, true);
  model.barostat = Barostat{};
  model.box.periodic[1] = false;
  model.barostat->period = -1;
  const std::string told = message_of([&] { check(model); });
  EXPECT_THAT(told, HasSubstr("barostat: needs a thermostat"));
  EXPECT_THAT(told, HasSubstr("periodic in all directions"));
  EXPECT_THAT(told, HasSubstr("barostat.period: -1 is not a positive number"));
}

TEST(ParticleSystem, FollowsTwoMassesUnderGravity) {
  Executor executor(1);
  ParticleModel model;
  model.box = {{-2, -2, -2}, {4, 4, 4}, {false, false, false}};
  model.species = {{"sun", 3.0}, {"planet", 1.0}};
  model.position = {-0.25, 0, 0, 0.75, 0, 0};
  // A circle of radius 1 of the separation: relative speed sqrt(G M / r) = 2 with G = 1.
  model.velocity = {0, -0.5, 0, 0, 1.5, 0};
  model.species_of = {0, 1};
  model.central = CentralForce{1.0, true, 0.0};
  ParticleSystem system(model, executor);
  EXPECT_NEAR(system.measure().potential(), -3.0, 1e-14);
  const int steps = 2000;
  for (int i = 0; i < steps; ++i) system.step(M_PI / steps);  // one turn
  const auto x = positions_of(system);
  EXPECT_NEAR(x[0], -0.25, 1e-5);  // (omega h)^2 / 24 of 2 pi
  EXPECT_NEAR(x[3], 0.75, 1e-5);
  EXPECT_NEAR(x[4], 0.0, 1e-4);
}

// Ions of both signs around a lattice in an open box.
ParticleModel make_ions(double tolerance) {
  ParticleModel model = make_oracle(false, 1);
  model.box.periodic = {false, false, false};
  model.central = CentralForce{1.5, false, tolerance};
  for (int i = 0; i < model.size(); ++i) model.charge.push_back(i % 2 == 0 ? 1.0 : -0.7);
  draw_velocities(1.0, 4, model);
  return model;
}

TEST(ParticleSystem, SumsCentralForcesToATolerance) {
  Executor executor(2);
  ParticleSystem direct(make_ions(0.0), executor);
  std::vector<double> expected(3 * static_cast<std::size_t>(direct.size())), forces(expected.size());
  direct.copy_forces(expected);
  for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
    ParticleSystem system(make_ions(tolerance), executor);
    system.copy_forces(forces);
    double error = 0.0, size = 0.0;
    for (std::size_t i = 0; i < forces.size(); ++i) {
      error += std::pow(forces[i] - expected[i], 2), size += std::pow(expected[i], 2);
    }
    EXPECT_LT(std::sqrt(error / size), tolerance);
    EXPECT_GT(error, 0.0);  // by another way
    EXPECT_NEAR(system.measure().pair, direct.measure().pair, tolerance * std::abs(direct.measure().pair));
    EXPECT_NEAR(system.measure().pressure, direct.measure().pressure,
                tolerance * std::abs(direct.measure().pressure));
  }
}

TEST(ParticleSystem, HasTheSameBitsWithATolerance) {
  Executor one(1), three(3);
  ParticleSystem first(make_ions(1e-6), one), second(make_ions(1e-6), three);
  for (int i = 0; i < 40; ++i) first.step(0.002), second.step(0.002);
  EXPECT_EQ(positions_of(first), positions_of(second));
  ParticleSystem resumed(make_ions(1e-6), one);
  resumed.restore(first.save());
  for (int i = 0; i < 60; ++i) first.step(0.002), resumed.step(0.002);
  EXPECT_EQ(positions_of(first), positions_of(resumed));
  EXPECT_EQ(velocities_of(first), velocities_of(resumed));
}

// The error of the steps dominates: the energy is kept as well as with direct sums.
TEST(ParticleSystem, KeepsTheEnergyWithATolerance) {
  Executor executor(2);
  const auto drift = [&](double tolerance) {
    ParticleModel model = make_ions(tolerance);
    for (LennardJones& pair : model.pairs) pair.is_shifted = true;
    ParticleSystem system(model, executor);
    const double begin = system.measure().total();
    double largest = 0.0;
    for (int i = 0; i < 200; ++i) {
      system.step(0.002);
      largest = std::max(largest, std::abs(system.measure().total() - begin));
    }
    return largest;
  };
  const double direct = drift(0.0);
  EXPECT_GT(direct, 1e-4);
  EXPECT_NEAR(drift(1e-6), direct, 0.02 * direct);
}

TEST(ParticleModel, ReportsAllFaultsWithTheNumberOfTheParticle) {
  ParticleModel model = make_oracle(true, 1);
  model.position[3 * 17 + 1] = std::nan("");
  model.species[1].mass = -2.0;
  model.box.length[2] = 4.0;
  model.terms[5].particles[1] = 256;
  const std::string message = message_of([&] { check(model); });
  EXPECT_THAT(message, HasSubstr("particles[17].position: nan is not finite"));
  EXPECT_THAT(message, HasSubstr("species[1].mass: -2 is not a positive number"));
  EXPECT_THAT(message, HasSubstr("box.lengths[2]: 4 is smaller than twice the cutoff 2.5"));
  EXPECT_THAT(message, HasSubstr("particles[256] does not exist; there are 256"));
}

TEST(ParticleModel, RefusesTwoForcesOfOnePairOfSpecies) {
  ParticleModel model = make_oracle(true, 1);
  const std::size_t pairs = model.pairs.size();
  model.pairs.push_back(model.pairs[0]);
  std::swap(model.pairs[pairs].first, model.pairs[pairs].second);
  EXPECT_THAT(message_of([&] { check(model); }),
              HasSubstr("pairs[" + std::to_string(pairs) + "].species: has a force already: pairs[0]"));
}

TEST(ParticleModel, RefusesABondOverHalfTheBox) {
  ParticleModel model = make_oracle(true, 1);
  model.position[3 * 5] = model.position[3 * 4] + 0.5 * model.box.length[0];
  EXPECT_THAT(message_of([&] { check(model); }), HasSubstr("which image is bonded cannot be told"));
}

TEST(ParticleSystem, NamesTheParticleWhereTheEnergyIsNotFinite) {
  Executor executor(1);
  ParticleModel overlapping = make_fluid(4);
  for (int a = 0; a < 3; ++a) overlapping.position[3 * 11 + a] = overlapping.position[3 * 10 + a];
  EXPECT_THAT(message_of<ComputationError>([&] { ParticleSystem(overlapping, executor); }),
              HasSubstr("the force on particles[1"));
  ParticleModel broken = make_oracle(true, 1);
  broken.term_types[1].rest = 1.0;
  EXPECT_THAT(message_of<ComputationError>([&] { ParticleSystem(broken, executor); }),
              HasSubstr("a FENE bond must stay below its largest length 1"));
}

TEST(ParticleSystem, TellsThatAStepIsTooLong) {
  Executor executor(1);
  ParticleModel model = make_fluid(4);
  draw_velocities(1.0, 1, model);
  ParticleSystem system(model, executor);
  const std::string message = message_of<ComputationError>([&] {
    for (int i = 0; i < 100; ++i) system.step(0.2);
  });
  EXPECT_THAT(message, HasSubstr("the step is too long"));
}

// It leaves no total momentum, which is then no longer counted; and the energy is conserved.
TEST(ParticleSystem, EndsItsThermostat) {
  ParticleModel model = make_fluid(3, 0.8442, true);
  model.species.push_back({"heavy", 3.0});
  model.pairs.push_back({0, 1, 1.0, 1.0, 2.5, true});
  model.pairs.push_back({1, 1, 1.0, 1.0, 2.5, true});
  for (int i = 0; i < model.size(); i += 3) model.species_of[i] = 1;
  model.langevin = Langevin{1.0, 2.0, 4};
  model.thermostat_until = 0.4;
  Executor executor(1);
  ParticleSystem system(model, executor);
  const auto momentum = [&](int axis) {
    const std::vector<double> v = velocities_of(system);
    double sum = 0.0;
    for (int i = 0; i < system.size(); ++i) sum += model.species[model.species_of[i]].mass * v[3 * i + axis];
    return sum;
  };
  for (int i = 0; i < 99; ++i) system.step(0.004);
  EXPECT_TRUE(system.has_thermostat());
  EXPECT_DOUBLE_EQ(system.degrees_of_freedom(), 3.0 * system.size());
  EXPECT_GT(std::abs(momentum(0)), 0.1);
  system.step(0.004);
  EXPECT_FALSE(system.has_thermostat());
  EXPECT_DOUBLE_EQ(system.degrees_of_freedom(), 3.0 * system.size() - 3.0);
  for (int a = 0; a < 3; ++a) EXPECT_NEAR(momentum(a), 0.0, 1e-10);
  const ParticleMeasures at_end = system.measure();
  for (int i = 0; i < 200; ++i) system.step(0.004);
  EXPECT_NEAR(system.measure().total(), at_end.total(), 5e-3 * at_end.kinetic);
}

// Particles of a species without pair forces stand behind the others and in no list.
TEST(ParticleSystem, SilentParticlesDisturbNothing) {
  ParticleModel model = make_fluid(5);
  draw_velocities(1.0, 4, model);
  ParticleModel with = model;
  with.species.insert(with.species.begin(), {"silent", 0.5});
  with.pairs[0].first = with.pairs[0].second = 1;
  with.position.clear(), with.velocity.clear(), with.species_of.clear();
  for (int i = 0; i < model.size(); ++i) {
    for (const bool is_silent : {true, false}) {
      if (is_silent && i % 3 != 0) continue;
      for (int a = 0; a < 3; ++a) {
        with.position.push_back(model.position[3 * i + a] + (is_silent ? 0.3 : 0.0));
        with.velocity.push_back(model.velocity[3 * i + a]);
      }
      with.species_of.push_back(is_silent ? 0 : 1);
    }
  }
  Executor executor(1);
  ParticleSystem alone(model, executor), mixed(with, executor);
  for (int k = 0; k < 50; ++k) alone.step(0.004), mixed.step(0.004);
  const std::vector<double> x = positions_of(alone), y = positions_of(mixed);
  int other = 0;
  for (int i = 0; i < model.size(); ++i) {
    if (i % 3 == 0) {
      for (int a = 0; a < 3; ++a) {
        EXPECT_NEAR(y[3 * other + a], with.position[3 * other + a] + 0.2 * with.velocity[3 * other + a],
                    1e-12);
      }
      ++other;
    }
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(x[3 * i + a], y[3 * other + a], 1e-10);
    ++other;
  }
}

}  // namespace
}  // namespace sestina
