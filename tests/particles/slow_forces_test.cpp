// Forces that act once in several steps (reversible RESPA).
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

// Ions that also repel each other at short range, in an open box.
ParticleModel make_ions(int every) {
  ParticleModel model = make_fluid(3, 0.4, true);
  model.box.periodic = {false, false, false};
  model.pairs[0].cutoff = 30.0;  // all pairs: no jump of forces
  for (int i = 0; i < model.size(); ++i) model.charge.push_back(i % 2 == 0 ? 1.0 : -1.0);
  model.central = CentralForce{0.5, false, 0.0, every};
  draw_velocities(0.5, 3, model);
  return model;
}

// Where slow forces act every k steps, the energy is as good as with k times the step for them alone; all
// motions tend to the same one.
TEST(SlowForces, GiveTheSameMotionInTheLimit) {
  Executor executor(2);
  const auto end_of = [&](int every, int steps) {
    ParticleSystem system(make_ions(every), executor);
    for (int i = 0; i < steps; ++i) system.step(0.4 / steps);
    return positions_of(system);
  };
  const std::vector<double> exact = end_of(1, 6400);
  const auto error_of = [&](const std::vector<double>& x) {
    double worst = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - exact[i]));
    return worst;
  };
  const double coarse = error_of(end_of(4, 200)), fine = error_of(end_of(4, 400));
  EXPECT_LT(coarse, 1e-3);
  EXPECT_NEAR(coarse / fine, 4.0, 0.4);  // second order
}

TEST(SlowForces, KeepTheEnergyAtTheInstantsWhereTheyAct) {
  Executor executor(2);
  ParticleSystem system(make_ions(4), executor);
  const ParticleMeasures first = system.measure();
  EXPECT_NEAR(first.total(), ParticleSystem(make_ions(1), executor).measure().total(), 1e-10);
  double worst = 0.0;
  for (int i = 1; i <= 2000; ++i) {
    system.step(0.002);
    if (i % 4 == 0) worst = std::max(worst, std::abs(system.measure().total() - first.total()));
  }
  EXPECT_LT(worst, 2e-3 * first.kinetic);
  std::vector<double> forces(3 * 108), all(3 * 108);
  system.copy_forces(forces);
  ParticleModel there = make_ions(1);
  there.position = positions_of(system);
  ParticleSystem(there, executor).copy_forces(all);
  for (std::size_t i = 0; i < forces.size(); ++i) EXPECT_NEAR(forces[i], all[i], 1e-9);
}

TEST(SlowForces, HaveTheSameBitsAfterARestartBetweenThem) {
  Executor executor(2);
  ParticleSystem whole(make_ions(5), executor);
  ParticleCheckpoint middle;
  for (int i = 0; i < 400; ++i) {
    whole.step(0.004);
    if (i == 202) middle = whole.save();
    if (i % 7 == 0) whole.measure();
  }
  ParticleSystem resumed(make_ions(5), executor);
  resumed.restore(middle);
  for (int i = 203; i < 400; ++i) resumed.step(0.004);
  EXPECT_EQ(positions_of(whole), positions_of(resumed));
  EXPECT_EQ(velocities_of(whole), velocities_of(resumed));
}

// Molecules of four beads with stiff angles, that collide; `law` is that of their bonds.
ParticleModel make_molecules(TermLaw law, int every) {
  ParticleModel model;
  model.box.length = {11.0, 6.0, 4.0}, model.box.periodic = {false, false, false};
  model.species = {{"A", 1.0}};
  model.pairs = {{0, 0, 1.0, 1.0, 30.0, true}};  // all pairs: no jump of forces
  model.term_types = {{law, 2000.0, 1.0, 0.0, 1.0, 1, law == TermLaw::kSphericalBond ? 0.1 : 0.0},
                      {TermLaw::kHarmonicAngle, 60.0, 1.9, 0.0, 1.0, 1}};
  constexpr double kBeads[4][3] = {{0, 0, 0}, {1, 0, 0}, {1.32, 0.947, 0}, {2.32, 0.947, 0}};
  for (int molecule = 0; molecule < 27; ++molecule) {
    const int row = molecule / 3 % 3, layer = molecule / 9;
    const double corner[3] = {3.5 * (molecule % 3), 2.1 * row, 1.25 * layer};
    for (int k = 0; k < 4; ++k) {
      const int i = model.size();
      for (int a = 0; a < 3; ++a) model.position.push_back(corner[a] + kBeads[k][a]);
      model.species_of.push_back(0);
      if (k > 0) model.terms.push_back({0, {i - 1, i, -1, -1}});
      if (k > 1) model.terms.push_back({1, {i - 2, i - 1, i, -1}});
    }
  }
  model.exclude_up_to = 2;
  model.pairs_every = every;
  draw_velocities(0.5, 3, model);
  return model;
}

constexpr TermLaw kBondLaws[] = {TermLaw::kHarmonicBond, TermLaw::kRigidBond, TermLaw::kSphericalBond};

TEST(SlowPairs, GiveTheSameMotionInTheLimit) {
  Executor executor(2);
  for (const TermLaw law : kBondLaws) {
    const auto end_of = [&](int every, int steps) {
      ParticleSystem system(make_molecules(law, every), executor);
      for (int i = 0; i < steps; ++i) system.step(0.1 / steps);
      return positions_of(system);
    };
    const std::vector<double> exact = end_of(1, 3200);
    const auto error_of = [&](const std::vector<double>& x) {
      double worst = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - exact[i]));
      return worst;
    };
    const double coarse = error_of(end_of(4, 100)), fine = error_of(end_of(4, 200));
    EXPECT_GT(coarse, 1e-8);
    EXPECT_LT(coarse, 2e-3);
    EXPECT_NEAR(coarse / fine, 4.0, 0.4);  // second order
  }
}

// At a step that pairs alone allow, four times of what the stiff bonds allow.
TEST(SlowPairs, KeepTheEnergyOfStiffBonds) {
  Executor executor(2);
  for (const TermLaw law : kBondLaws) {
    ParticleSystem system(make_molecules(law, 4), executor);
    const ParticleMeasures first = system.measure();
    EXPECT_NEAR(first.total(), ParticleSystem(make_molecules(law, 1), executor).measure().total(), 1e-9);
    double worst = 0.0, early = 0.0, late = 0.0;
    for (int i = 1; i <= 4000; ++i) {
      system.step(0.002);
      if (i % 4 != 0) continue;
      const double change = system.measure().total() - first.total();
      worst = std::max(worst, std::abs(change));
      if (i <= 1000) early += change / 250.0;
      if (i > 3000) late += change / 250.0;
    }
    EXPECT_LT(worst, 0.02 * first.kinetic);
    EXPECT_LT(std::abs(late - early), 2e-3 * first.kinetic);  // no drift
  }
}

TEST(SlowPairs, HaveTheSameBitsAfterARestartBetweenThem) {
  Executor executor(2);
  ParticleModel model = make_molecules(TermLaw::kSphericalBond, 2);
  for (int i = 0; i < model.size(); ++i) model.charge.push_back(i % 2 == 0 ? 1.0 : -1.0);
  model.central = CentralForce{0.2, false, 0.0, 6};
  ParticleSystem whole(model, executor);
  ParticleCheckpoint middle;
  for (int i = 0; i < 300; ++i) {
    whole.step(0.002);
    if (i == 150) middle = whole.save();
    if (i % 7 == 0) whole.measure();
  }
  EXPECT_GT(whole.list_builds(), 1);
  ParticleSystem resumed(model, executor);
  resumed.restore(middle);
  for (int i = 151; i < 300; ++i) resumed.step(0.002);
  EXPECT_EQ(positions_of(whole), positions_of(resumed));
  EXPECT_EQ(velocities_of(whole), velocities_of(resumed));
}

// Between the steps at which they act, and after particles have changed their places in memory.
TEST(SlowPairs, AreAmongTheForcesAtAnyTime) {
  Executor executor(1);
  ParticleModel model = make_fluid(4);
  draw_velocities(2.0, 3, model);
  model.pairs_every = 3;
  ParticleSystem system(model, executor);
  for (int i = 0; i < 200; ++i) system.step(0.002);
  EXPECT_GT(system.list_builds(), 2);
  std::vector<double> forces(3 * 256), all(3 * 256);
  system.copy_forces(forces);
  model.position = positions_of(system);
  ParticleSystem(model, executor).copy_forces(all);
  for (std::size_t i = 0; i < forces.size(); ++i) EXPECT_NEAR(forces[i], all[i], 1e-9);
}

TEST(SlowPairs, ActAtStepsThatFitEachOther) {
  ParticleModel model = make_ions(3);
  model.pairs_every = 2;
  EXPECT_THAT(message_of([&] { check(model); }),
              HasSubstr("acts every 3 steps, and those with a cutoff every 2"));
  model.central->every = 4;
  EXPECT_NO_THROW(check(model));
  EXPECT_EQ(model.outer_steps(), 4);
  ParticleModel fluid = make_fluid(3);
  fluid.pairs_every = 3, fluid.langevin = Langevin{}, fluid.barostat = Barostat{};
  EXPECT_THAT(message_of([&] { check(fluid); }),
              HasSubstr("barostat.every: 20 is not a multiple of the 3 steps after which all forces"));
}

}  // namespace
}  // namespace sestina
