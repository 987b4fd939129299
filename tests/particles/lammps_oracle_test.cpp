// Energies, virials and forces against LAMMPS: oracle/lammps_configuration.py printed the numbers (version
// 22 Jul 2025).
#include <gtest/gtest.h>

#include <cmath>

#include "sestina/parallel/executor.h"
#include "sestina/particles/particle_system.h"
#include "test_models.h"

namespace sestina {
namespace {

struct Expected {
  bool with_terms;
  int exclude_up_to;
  double pair, bonded, virial;
  struct {
    int particle;
    double force[3];
  } forces[6];
};

constexpr double kBonded = 3396.1896383336853 + 190.943250540769 + 6.599019852098437;

const Expected kExpected[] = {{false,
                               0,
                               -1175.2317791633443,
                               0.0,
                               -3845.410355874609,
                               {{0, {-0.0230571490451581, -0.17473608273663332, 0.128149527910157}},
                                {1, {0.37040914136846315, -0.40468899519214396, -0.10594715610131855}},
                                {2, {-2.5342773722633325, 5.318596591086712, 1.2205088026313193}},
                                {5, {-9.54912697713004, -8.223309618081364, -1.2258847869666751}},
                                {100, {3.7899481799954153, -2.540671318732842, 3.395981814886353}},
                                {255, {-0.5216587011899948, 0.5805234230035391, 2.003869344405076}}}},
                              {true,
                               1,
                               -1057.768319214818,
                               kBonded,
                               -16282.51751774714,
                               {{0, {-1.672700834159079, 2.024508693840414, 1.4603725885969552}},
                                {1, {2.884466022417584, -7.148036363566114, -1.417206505001209}},
                                {2, {-5.06696621228679, 14.16349369013391, -1.84792563576671}},
                                {5, {84.24461937919939, -242.55417593563587, -102.57359429604219}},
                                {100, {2.587110168411341, 49.1138113164425, 61.155397053405586}},
                                {255, {-1.264449333506732, -83.85924510771734, 79.56883910657541}}}},
                              {true,
                               2,
                               -977.4378242889562,
                               kBonded,
                               -15996.852610184767,
                               {{0, {-2.8672358933643496, 2.0856700773359518, 0.3411884992851921}},
                                {1, {1.625648449380372, -7.204337558446056, -0.22497231548631857}},
                                {2, {-3.8724311530815188, 14.102332306638372, -0.7287415464549464}},
                                {5, {83.46195143829243, -242.54132939924781, -101.74005296497458}},
                                {100, {1.2881595486224735, 49.180029012875636, 59.892875040595406}},
                                {255, {-0.025734131879911835, -83.91452632414392, 78.39947643587784}}}}};

TEST(ParticleSystem, HasTheEnergiesVirialAndForcesOfLammps) {
  Executor executor(2);
  for (const Expected& expected : kExpected) {
    SCOPED_TRACE(testing::Message() << "excluded up to " << expected.exclude_up_to);
    for (const InstructionSet set : available_instruction_sets()) {
      ParticleSystem system(testing_support::make_oracle(expected.with_terms, expected.exclude_up_to),
                            executor, set);
      const ParticleMeasures measured = system.measure();
      // Sums of some thousand terms of about 1.
      EXPECT_NEAR(measured.pair, expected.pair, 1e-10 * std::fabs(expected.pair));
      EXPECT_NEAR(measured.bonded, expected.bonded, 1e-10 * std::fabs(expected.bonded));
      EXPECT_NEAR(measured.virial, expected.virial, 1e-10 * std::fabs(expected.virial));
      std::vector<double> forces(3 * 256);
      system.copy_forces(forces);
      for (const auto& [particle, force] : expected.forces) {
        for (int a = 0; a < 3; ++a) {
          EXPECT_NEAR(forces[3 * particle + a], force[a], 1e-10 * std::max(1.0, std::fabs(force[a])));
        }
      }
    }
  }
}

// The log of bench/in.lj that comes with LAMMPS: step 0, E_pair -6.7733681, pressure -5.0197073 at T = 1.44.
TEST(ParticleSystem, HasTheEnergyOfTheLattice) {
  Executor executor(1);
  ParticleSystem system(testing_support::make_fluid(8), executor);
  const ParticleMeasures measured = system.measure();
  EXPECT_NEAR(measured.pair / system.size(), -6.7733681, 5e-8);
  const double kinetic_part = 0.8442 * 1.44 * (1.0 - 1.0 / 32000);
  EXPECT_NEAR(measured.pressure, -5.0197073 - kinetic_part, 1e-7);
}

// The same log: after 100 steps of 0.005 from T = 1.44, T = 0.757 with 32,000 atoms.
TEST(ParticleSystem, MeltsToTheTemperatureOfLammps) {
  Executor executor(2);
  ParticleModel model = testing_support::make_fluid(10);
  draw_velocities(1.44, 87287, model);
  ParticleSystem system(model, executor);
  EXPECT_NEAR(system.measure().temperature, 1.44, 1e-12);
  for (int i = 0; i < 100; ++i) system.step(0.005);
  // 4000 atoms fluctuate by about T/sqrt(N) = 0.012; three times that.
  EXPECT_NEAR(system.measure().temperature, 0.757, 0.036);
}

}  // namespace
}  // namespace sestina
