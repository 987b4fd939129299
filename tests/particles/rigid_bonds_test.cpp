#include "sestina/particles/rigid_bonds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/bond_structure.h"
#include "sestina/particles/particle_system.h"
#include "test_models.h"

namespace sestina {
namespace {

using testing::HasSubstr;
using testing_support::make_noise;
using testing_support::message_of;

const Bonds kChain{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}};
const Bonds kStar{{0, 1}, {0, 2}, {0, 3}, {3, 4}, {4, 5}};
const Bonds kRing{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}};

// Six beads with bonds of length 1, at which neighbours are: a bent hexagon for the ring, else one after the
// other, turned.
std::vector<double> place_beads(const Bonds& bonds) {
  std::vector<double> x(18, 0.0);
  for (int b = 0; b < 6; ++b) {
    const double flat = std::sqrt(1.0 - 0.09), angle = b * M_PI / 3.0;
    const double at[] = {flat * std::cos(angle), flat * std::sin(angle), b % 2 == 0 ? 0.0 : 0.3};
    std::copy_n(at, 3, x.begin() + 3 * b);
  }
  if (bonds.size() == 6) return x;
  for (std::size_t k = 0; k < bonds.size(); ++k) {
    const double turn = 1.9 * static_cast<double>(k), z = 0.4 * std::cos(2.3 * static_cast<double>(k));
    const double flat = std::sqrt(1.0 - z * z);
    const double way[] = {flat * std::cos(turn), flat * std::sin(turn), z};
    for (int a = 0; a < 3; ++a) x[3 * bonds[k][1] + a] = x[3 * bonds[k][0] + a] + way[a];
  }
  return x;
}

// Molecules across the face of the box, with masses that alternate; each bead is off by at most the spread.
ParticleModel make_molecules(const Bonds& bonds, int count, double spread = 0.0) {
  ParticleModel model;
  model.box.length = {20.0, 20.0, 20.0};
  model.species = {{"light", 1.0}, {"heavy", 2.5}};
  model.term_types = {{TermLaw::kRigidBond, 0.0, 1.0, 0.0, 1.0, 1}};
  const std::vector<double> noise = make_noise(18 * count, 7), beads = place_beads(bonds);
  for (int m = 0; m < count; ++m) {
    const double corner[] = {3.2 * (m % 6), 3.2 * std::floor(m / 6.0), 19.9};
    for (int i = 0; i < 18; ++i)
      model.position.push_back(corner[i % 3] + beads[i] + spread * noise[18 * m + i]);
    for (int b = 0; b < 6; ++b) model.species_of.push_back((b + m) % 2);
    for (const auto& [i, j] : bonds) model.terms.push_back({0, {6 * m + i, 6 * m + j, -1, -1}});
  }
  return model;
}

struct Motion {
  std::vector<double> x, v;
};

Motion motion_of(const ParticleSystem& system) {
  const std::size_t n = 3 * static_cast<std::size_t>(system.size());
  Motion m{std::vector<double>(n), std::vector<double>(n)};
  system.copy_positions(m.x);
  system.copy_velocities(m.v);
  return m;
}

// Errors of lengths, relative, and of the speeds along the bonds.
struct BondErrors {
  double length = 0.0, speed = 0.0;
};

BondErrors bond_errors_of(const ParticleSystem& system) {
  const Motion m = motion_of(system);
  BondErrors errors;
  for (const Term& term : system.model().terms) {
    const TermType& type = system.model().term_types[term.type];
    if (type.law != TermLaw::kRigidBond) continue;
    const int i = 3 * term.particles[0], j = 3 * term.particles[1];
    double square = 0.0, rate = 0.0;
    for (int a = 0; a < 3; ++a) {
      const double d = system.box().nearest(a, m.x[i + a] - m.x[j + a]);
      square += d * d, rate += d * (m.v[i + a] - m.v[j + a]);
    }
    errors.length = std::max(errors.length, std::abs(std::sqrt(square) / type.rest - 1.0));
    errors.speed = std::max(errors.speed, std::abs(rate));
  }
  return errors;
}

class OfEachStructure : public testing::TestWithParam<Bonds> {};

INSTANTIATE_TEST_SUITE_P(RigidBonds, OfEachStructure, testing::Values(kChain, kStar, kRing));

// A tree has no fill. Whether the elimination is right, the projection of velocities shows.
TEST_P(OfEachStructure, HasNoMoreFillThanItNeeds) {
  const BondStructure made = make_bond_structure(6, GetParam());
  ASSERT_EQ(made.bonds(), static_cast<int>(GetParam().size()));
  const bool is_ring = GetParam().size() == 6;
  // A tree has as many pairs as bonds meet; the ring's fill is n - 3.
  if (!is_ring) {
    std::size_t meeting = 0;
    for (std::size_t k = 0; k < GetParam().size(); ++k) {
      for (std::size_t l = 0; l < k; ++l) {
        for (const int bead : GetParam()[k]) {
          meeting += bead == GetParam()[l][0] || bead == GetParam()[l][1];
        }
      }
    }
    EXPECT_EQ(made.below.size(), meeting);
  } else {
    EXPECT_EQ(made.below.size(), 6u + 3u);
  }
}

// The velocity that remains is the nearest in the metric of the masses: v - m^-1 G^T (G m^-1 G^T)^-1 G v.
TEST_P(OfEachStructure, ProjectsVelocitiesAsTheDenseFormulaDoes) {
  constexpr int kCount = 11;  // a whole group of eight, and one of three
  ParticleModel model = make_molecules(GetParam(), kCount, 0.02);
  model.velocity = make_noise(18 * kCount, 3);
  const std::vector<double> before = model.velocity;
  for (const InstructionSet set : {InstructionSet::kPortable, default_instruction_set()}) {
    ParticleModel at_lengths = model;
    at_lengths.velocity.clear();
    satisfy_rigid_bonds(at_lengths);
    at_lengths.velocity = before;
    Executor executor(1);
    const Motion after = motion_of(ParticleSystem(at_lengths, executor, set));
    for (int m = 0; m < kCount; ++m) {
      const int bonds = static_cast<int>(GetParam().size());
      Eigen::MatrixXd G = Eigen::MatrixXd::Zero(bonds, 18);
      Eigen::VectorXd w(18), v(18);
      for (int i = 0; i < 18; ++i) {
        w[i] = 1.0 / model.species[model.species_of[6 * m + i / 3]].mass;
        v[i] = before[18 * m + i];
      }
      for (int k = 0; k < bonds; ++k) {
        const auto [i, j] = GetParam()[k];
        for (int a = 0; a < 3; ++a) {
          const double d = model.box.nearest(
              a, at_lengths.position[3 * (6 * m + i) + a] - at_lengths.position[3 * (6 * m + j) + a]);
          G(k, 3 * i + a) = d, G(k, 3 * j + a) = -d;
        }
      }
      const Eigen::MatrixXd A = G * w.asDiagonal() * G.transpose();
      const Eigen::VectorXd expected = v - w.asDiagonal() * (G.transpose() * A.ldlt().solve(G * v));
      for (int i = 0; i < 18; ++i) EXPECT_NEAR(after.v[18 * m + i], expected[i], 1e-13);
    }
  }
}

ParticleModel make_moving(const Bonds& bonds, int count) {
  ParticleModel model = make_molecules(bonds, count, 0.02);
  satisfy_rigid_bonds(model);
  draw_velocities(1.0, 5, model);
  return model;
}

TEST_P(OfEachStructure, KeepsLengthsMomentaAndEnergy) {
  const ParticleModel model = make_moving(GetParam(), 11);
  Executor executor(2);
  ParticleSystem system(model, executor);
  const double energy = system.measure().total();
  EXPECT_NEAR(system.measure().temperature, 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(system.degrees_of_freedom(), 3.0 * 66 - 11.0 * GetParam().size() - 3.0);
  double worst = 0.0;
  for (int i = 0; i < 4000; ++i) {
    system.step(0.005);
    worst = std::max(worst, std::abs(system.measure().total() - energy));
  }
  const BondErrors errors = bond_errors_of(system);
  EXPECT_LT(errors.length, 1e-12);
  EXPECT_LT(errors.speed, 1e-12);
  EXPECT_LT(worst, 2e-3 * energy);  // of order h^2, without drift
  std::array<double, 3> momentum{};
  const Motion m = motion_of(system);
  for (int i = 0; i < 198; ++i) {
    momentum[i % 3] += m.v[i] * model.species[model.species_of[i / 3]].mass;
  }
  for (const double p : momentum) EXPECT_NEAR(p, 0.0, 1e-11);
}

TEST_P(OfEachStructure, IsReversible) {
  const ParticleModel model = make_moving(GetParam(), 3);
  Executor executor(1);
  ParticleSystem system(model, executor);
  for (int i = 0; i < 200; ++i) system.step(0.01);
  Motion there = motion_of(system);
  ParticleModel back = model;
  back.position = there.x, back.velocity = there.v;
  for (double& v : back.velocity) v = -v;
  ParticleSystem reverse(back, executor);
  for (int i = 0; i < 200; ++i) reverse.step(0.01);
  const Motion again = motion_of(reverse);
  for (std::size_t i = 0; i < again.x.size(); ++i) {
    const double d = model.box.nearest(static_cast<int>(i % 3), again.x[i] - model.position[i]);
    EXPECT_NEAR(d, 0.0, 1e-9);
    EXPECT_NEAR(again.v[i], -model.velocity[i], 1e-9);
  }
}

// Halving the step quarters the error.
TEST(RigidBonds, ConvergeWithSecondOrder) {
  const ParticleModel model = make_moving(kChain, 1);
  Executor executor(1);
  const auto end_with = [&](int steps) {
    ParticleSystem system(model, executor);
    for (int i = 0; i < steps; ++i) system.step(1.0 / steps);
    return motion_of(system).x;
  };
  const std::vector<double> exact = end_with(12800), coarse = end_with(100), fine = end_with(200);
  double coarse_error = 0.0, fine_error = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    coarse_error = std::max(coarse_error, std::abs(coarse[i] - exact[i]));
    fine_error = std::max(fine_error, std::abs(fine[i] - exact[i]));
  }
  EXPECT_NEAR(coarse_error / fine_error, 4.0, 0.1);
}

// Two beads turn about their centre with constant speed.
TEST(RigidBonds, LetADumbbellTurn) {
  ParticleModel model;
  model.box.length = {10.0, 10.0, 10.0};
  model.species = {{"a", 1.0}, {"b", 3.0}};
  model.position = {0.0, 0.0, 0.0, 1.6, 0.0, 0.0};
  model.velocity = {0.0, -0.9, 0.0, 0.0, 0.3, 0.0};
  model.species_of = {0, 1};
  model.term_types = {{TermLaw::kRigidBond, 0.0, 1.6, 0.0, 1.0, 1}};
  model.terms = {{0, {0, 1, -1, -1}}};
  Executor executor(1);
  ParticleSystem system(model, executor);
  const double rate = 1.2 / 1.6, tension = 0.75 * rate * rate * 1.6;  // reduced mass 3/4
  EXPECT_NEAR(system.measure().virial, -tension * 1.6, 1e-12);
  for (int i = 0; i < 2000; ++i) system.step(0.001);
  const Motion m = motion_of(system);
  EXPECT_NEAR(m.x[0], 1.2 - 1.2 * std::cos(2.0 * rate), 1e-6);
  EXPECT_NEAR(m.x[1], -1.2 * std::sin(2.0 * rate), 1e-6);
}

// Against the same energies at a shifted place: forces of Fixman's potential, of all structures.
TEST_P(OfEachStructure, HaveFixmanForcesThatAreTheSlopeOfTheEnergy) {
  ParticleModel model = make_molecules(GetParam(), 9, 0.02);
  satisfy_rigid_bonds(model);
  Executor executor(1);
  const auto arrays_at = [&](int coordinate, double shift) {
    ParticleArrays arrays;
    arrays.size = model.size();
    for (int i = 0; i < model.size(); ++i) {
      for (Numbers64* zeros : {&arrays.vx, &arrays.vy, &arrays.vz, &arrays.fx, &arrays.fy, &arrays.fz}) {
        zeros->push_back(0.0);
      }
      arrays.x.push_back(model.position[3 * i]);
      arrays.y.push_back(model.position[3 * i + 1]);
      arrays.z.push_back(model.position[3 * i + 2]);
      arrays.place.push_back(i), arrays.number.push_back(i);
    }
    Numbers64* axes[] = {&arrays.x, &arrays.y, &arrays.z};
    (*axes[coordinate % 3])[coordinate / 3] += shift;
    return arrays;
  };
  RigidBonds bonds(model, default_instruction_set());
  ParticleArrays at = arrays_at(0, 0.0);
  bonds.set_places(at);
  const double energy = bonds.add_fixman(0.7, at, executor);
  // Dense: kT/2 ln det A of all molecules.
  double expected = 0.0;
  for (int m = 0; m < 9; ++m) {
    const int n = static_cast<int>(GetParam().size());
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(n, 18);
    for (int k = 0; k < n; ++k) {
      for (int e = 0; e < 2; ++e) {
        const int bead = 6 * m + GetParam()[k][e];
        for (int a = 0; a < 3; ++a) {
          const int first = 3 * (6 * m + GetParam()[k][0]) + a, second = 3 * (6 * m + GetParam()[k][1]) + a;
          G(k, 3 * GetParam()[k][e] + a) =
              (e == 0 ? 1.0 : -1.0) * model.box.nearest(a, model.position[first] - model.position[second]) /
              std::sqrt(model.species[model.species_of[bead]].mass);
        }
      }
    }
    A = G * G.transpose();
    expected += 0.35 * (std::log(A.determinant()) - A.diagonal().array().log().sum());
  }
  EXPECT_NEAR(energy, expected, 1e-11 * std::abs(expected));
  // A length that is shifted is no longer what the energy takes it for: along directions that keep lengths,
  // or with the part along the bonds taken out. Random moves are made such by projection.
  for (const int seed : {1, 2, 3}) {
    ParticleModel moved = model;
    moved.velocity = make_noise(3 * model.size(), static_cast<std::uint32_t>(seed));
    satisfy_rigid_bonds(moved);
    constexpr double h = 1e-4;
    double side[2];
    for (const int s : {0, 1}) {
      ParticleModel shifted = model;
      for (std::size_t i = 0; i < shifted.position.size(); ++i) {
        shifted.position[i] += (s == 0 ? h : -h) * moved.velocity[i];
      }
      satisfy_rigid_bonds(shifted);
      ParticleArrays there = arrays_at(0, 0.0);
      for (int i = 0; i < model.size(); ++i) {
        there.x[i] = shifted.position[3 * i], there.y[i] = shifted.position[3 * i + 1];
        there.z[i] = shifted.position[3 * i + 2];
      }
      side[s] = bonds.add_fixman(0.7, there, executor);
    }
    double power = 0.0;
    for (int i = 0; i < model.size(); ++i) {
      power += at.fx[i] * moved.velocity[3 * i] + at.fy[i] * moved.velocity[3 * i + 1] +
               at.fz[i] * moved.velocity[3 * i + 2];
    }
    EXPECT_NEAR(power, -(side[0] - side[1]) / (2.0 * h), 1e-5);
  }
}

// Three beads of mass 1 without forces: cos(theta) between the links has the density sqrt(4 - cos^2), and is
// uniform with Fixman's potential. Means of cos^2: 0.32257 and 1/3.
TEST(RigidBonds, HaveTheAnglesOfTheirMetricAndWithFixmanUniformOnes) {
  const auto mean_square = [](double fixman) {
    ParticleModel model;
    model.box.length = {1e3, 1e3, 1e3};
    model.species = {{"bead", 1.0}};
    constexpr int kCount = 2000;
    for (int m = 0; m < kCount; ++m) {
      const double x = 10.0 * (m % 40), y = 10.0 * std::floor(m / 40.0);
      for (const double d : {x, y, 0.0, x + 1.0, y, 0.0, x + 1.0, y + 1.0, 0.0}) model.position.push_back(d);
      for (int b = 0; b < 3; ++b) model.species_of.push_back(0);
      model.terms.push_back({0, {3 * m, 3 * m + 1, -1, -1}});
      model.terms.push_back({0, {3 * m + 1, 3 * m + 2, -1, -1}});
    }
    model.term_types = {{TermLaw::kRigidBond, 0.0, 1.0, 0.0, 1.0, 1}};
    model.fixman_temperature = fixman;
    model.langevin = Langevin{1.0, 1.0, 9};
    draw_velocities(1.0, 3, model);
    Executor executor(2);
    ParticleSystem system(model, executor);
    for (int i = 0; i < 200; ++i) system.step(0.05);
    double sum = 0.0;
    constexpr int kSamples = 40;
    for (int s = 0; s < kSamples; ++s) {
      for (int i = 0; i < 20; ++i) system.step(0.05);
      sum += testing_support::mean_square_cosine(motion_of(system).x);
    }
    return sum / kSamples;
  };
  // Integrals over [0, 1] of c^2 sqrt(4 - c^2) and sqrt(4 - c^2), by antiderivatives.
  const double theta = std::asin(0.5), root = std::sqrt(3.0);
  const double metric = (2.0 * theta - 0.5 * std::sin(4.0 * theta)) / (2.0 * theta + 0.5 * root);
  EXPECT_NEAR(mean_square(0.0), metric, 0.004);  // 8e4 samples: 0.001
  EXPECT_NEAR(mean_square(1.0), 1.0 / 3.0, 0.004);
}

ParticleModel make_melt(int chains) {
  ParticleModel model = make_molecules(kRing, chains, 0.02);
  model.pairs = {{0, 0, 1.0, 0.5, 1.2, true}, {0, 1, 1.0, 0.5, 1.2, true}, {1, 1, 1.0, 0.5, 1.2, true}};
  model.skin = 0.2;
  satisfy_rigid_bonds(model);
  draw_velocities(1.0, 5, model);
  return model;
}

TEST(RigidBonds, HaveTheSameBitsForAnyNumberOfThreadsAndAfterARestart) {
  for (const bool with_thermostat : {false, true}) {
    ParticleModel model = make_melt(36);
    if (with_thermostat) model.langevin = Langevin{1.0, 0.5, 4};
    Executor one(1), three(3);
    ParticleSystem serial(model, one), parallel(model, three);
    ParticleCheckpoint middle;
    for (int i = 0; i < 600; ++i) {
      serial.step(0.01), parallel.step(0.01);
      if (i % 50 == 0) serial.measure();  // which does not change the motion
      if (i == 333) middle = parallel.save();
    }
    ASSERT_GT(serial.list_builds(), 3);
    EXPECT_EQ(motion_of(serial).x, motion_of(parallel).x);
    ParticleSystem resumed(model, three);
    resumed.restore(middle);
    for (int i = 334; i < 600; ++i) resumed.step(0.01);
    EXPECT_EQ(motion_of(serial).x, motion_of(resumed).x);
    EXPECT_EQ(motion_of(serial).v, motion_of(resumed).v);
    EXPECT_LT(bond_errors_of(serial).length, 1e-12);
  }
}

// The mean pressure of the constrained fluid is what the change of the free energy with the volume says; here
// the identity is used that the virial of all forces, with those of the bonds, balances the kinetic energy of
// a cluster that no wall holds together: d/dt sum m x . v = 2 kinetic + virial.
TEST(RigidBonds, HaveAVirialThatIsTheRateOfTheScalarMoment) {
  ParticleModel model = make_melt(4);
  model.box.periodic = {false, false, false};
  for (Term& term : model.terms) term.type = 0;
  Executor executor(1);
  ParticleSystem system(model, executor);
  const auto moment = [&] {
    const Motion m = motion_of(system);
    double sum = 0.0;
    for (std::size_t i = 0; i < m.x.size(); ++i) {
      sum += model.species[model.species_of[i / 3]].mass * m.x[i] * m.v[i];
    }
    return sum;
  };
  constexpr double h = 1e-4;
  const double before = moment();
  system.step(h);
  const ParticleMeasures now = system.measure();
  system.step(h);
  EXPECT_NEAR((moment() - before) / (2.0 * h), 2.0 * now.kinetic + now.virial, 1e-5 * now.kinetic);
}

TEST(RigidBonds, MoveBeadsThatAreOffAndRefuseThoseThatAreFarOff) {
  ParticleModel model = make_molecules(kRing, 2);
  model.terms[3] = {0, {0, 2, -1, -1}};
  EXPECT_THAT(message_of([&] { satisfy_rigid_bonds(model); }),
              HasSubstr("particles[0] and particles[2] are 1.65"));
  model = make_molecules(kChain, 2, 0.05);
  model.velocity = make_noise(36, 4);
  Executor executor(1);
  const ParticleSystem system(model, executor);
  EXPECT_LT(bond_errors_of(system).length, 1e-13);
  EXPECT_LT(bond_errors_of(system).speed, 1e-13);
  model.term_types[0].rest = 10.0;
  EXPECT_THAT(message_of([&] { ParticleSystem(model, executor); }),
              HasSubstr("10 is not less than half of the box's length 20 along x"));
  model.term_types[0].rest = 1.0;
  model.langevin = Langevin{};
  model.barostat = Barostat{};
  EXPECT_THAT(message_of([&] { ParticleSystem(model, executor); }),
              HasSubstr("barostat: scales all distances, which rigid bonds and bodies do not allow"));
}

// Six beads of which each has a bond with each other: 15 conditions, 12 of which can be independent.
TEST(RigidBonds, ThatDependOnEachOtherAreRefused) {
  ParticleModel model;
  model.box.length = {10.0, 10.0, 10.0};
  model.species = {{"bead", 1.0}};
  for (const double x : {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1})
    model.position.push_back(x);
  model.species_of.assign(6, 0);
  model.term_types = {{TermLaw::kRigidBond, 0.0, std::sqrt(2.0), 0.0, 1.0, 1},
                      {TermLaw::kRigidBond, 0.0, 2.0, 0.0, 1.0, 1}};
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < i; ++j) {
      const bool is_diagonal = i % 2 == 1 && j == i - 1;
      if (!is_diagonal) model.terms.push_back({0, {i, j, -1, -1}});
    }
  }
  Executor executor(1);
  EXPECT_NO_THROW(ParticleSystem(model, executor));  // the octahedron is rigid, with 12 edges
  model.terms.push_back({1, {0, 1, -1, -1}});
  EXPECT_THAT(message_of([&] { ParticleSystem(model, executor); }),
              HasSubstr("the rigid bonds of the molecule of particles[0] depend on each other"));
}

TEST(RigidBonds, NameTheBondThatFails) {
  ParticleModel model = make_molecules(kChain, 1);
  satisfy_rigid_bonds(model);
  model.velocity.assign(18, 0.0);
  model.velocity[3 * 4 + 2] = 60.0;
  Executor executor(1);
  ParticleSystem system(model, executor);
  EXPECT_THAT(message_of<ComputationError>([&] {
                for (int i = 0; i < 100; ++i) system.step(0.1);
              }),
              HasSubstr("cannot keep its length 1"));
}

}  // namespace
}  // namespace sestina
