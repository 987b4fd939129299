// Charges in periodic boxes, by Ewald's sum and by the fast multipole method.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fields.h"
#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/copied_cube.h"
#include "sestina/particles/ewald_sum.h"
#include "sestina/particles/fast_multipole.h"
#include "test_models.h"

namespace sestina {
namespace {

using ::testing::HasSubstr;
using testing_support::compare;
using testing_support::Errors;
using testing_support::Field;
using testing_support::make_fluid;
using testing_support::make_noise;
using testing_support::message_of;
using testing_support::positions_of;

struct Ions {
  Box box;
  std::vector<double> x, y, z, q;
  std::size_t size() const { return x.size(); }
  void add(double at_x, double at_y, double at_z, double charge) {
    x.push_back(at_x), y.push_back(at_y), z.push_back(at_z), q.push_back(charge);
  }
};

Field calc_ewald(const Ions& ions, double tolerance = 1e-13, int threads = 2) {
  Executor executor(threads);
  EwaldSum sum(tolerance, executor);
  Field f(ions.size());
  sum.calc(ions.box, ions.x, ions.y, ions.z, ions.q, f.u, f.gx, f.gy, f.gz);
  return f;
}

Field calc_multipoles(const Ions& ions, FastMultipole& method) {
  method.set_cube(ions.box);
  Field f(ions.size());
  method.calc(ions.x, ions.y, ions.z, ions.q, f.u, f.gx, f.gy, f.gz);
  return f;
}

// Ions of both signs, which leave their cube on all sides.
Ions make_random_ions(int n, double side = 1.1) {
  Ions ions;
  ions.box = {{-0.5, -0.4, -0.3}, {side, side, side}};
  const auto noise = make_noise(3 * n, 5);
  for (int i = 0; i < n; ++i)
    ions.add(noise[3 * i], noise[3 * i + 1], 0.3 + noise[3 * i + 2], i % 2 == 0 ? 1.0 : -1.0);
  return ions;
}

// Clumps beside a face and in a corner of the cube, so that boxes of many sizes touch through its faces.
Ions make_clumped_ions(int n) {
  Ions ions;
  ions.box = {{0, 0, 0}, {2, 2, 2}};
  const auto noise = make_noise(3 * n, 29);
  for (int i = 0; i < n; ++i) {
    const double size = std::pow(0.2, i % 4);
    ions.add(size * noise[3 * i], 0.3 * (i % 3) + size * noise[3 * i + 1], 2.0 + size * noise[3 * i + 2],
             i % 2 == 0 ? 0.8 : -0.8);
  }
  return ions;
}

struct Crystal {
  const char* name;
  Ions ions;
  double madelung;  // energy of an ion by that of one pair
  double distance;  // of nearest neighbours
};

// Madelung's constants: Crandall and Buhler, J. Phys. A 20, 5497 (1987); Borwein et al., Lattice Sums Then
// and Now.
std::vector<Crystal> crystals() {
  std::vector<Crystal> list{{"NaCl", {}, 1.74756459463318219, 1.0},
                            {"CsCl", {}, 1.76267477307098836, std::sqrt(3.0) / 2.0},
                            {"ZnS", {}, 1.63805505338878895, std::sqrt(3.0) / 4.0}};
  list[0].ions.box = {{0, 0, 0}, {2, 2, 2}};
  for (int i = 0; i < 8; ++i) {
    const int a = i / 4, b = i / 2 % 2, c = i % 2;
    list[0].ions.add(a + 0.1, b - 0.3, c + 7.2, (a + b + c) % 2 == 0 ? 1.0 : -1.0);
  }
  list[1].ions.box = list[2].ions.box = {{0, 0, 0}, {1, 1, 1}};
  list[1].ions.add(0.2, 0.2, 0.2, 1.0);
  list[1].ions.add(0.7, 0.7, 0.7, -1.0);
  constexpr double kFaces[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
  for (const auto& face : kFaces) {
    list[2].ions.add(face[0] + 0.1, face[1] + 0.17, face[2] - 0.08, 1.0);
    list[2].ions.add(face[0] + 0.35, face[1] + 0.42, face[2] + 0.17, -1.0);
  }
  return list;
}

TEST(PeriodicCharges, HaveTheEnergiesOfCrystals) {
  Executor executor(1);
  for (const Crystal& crystal : crystals()) {
    const double expected = -crystal.madelung / crystal.distance;
    const Field ewald = calc_ewald(crystal.ions);
    EXPECT_NEAR(ewald.u[0], expected, 3e-13) << crystal.name;
    EXPECT_NEAR(ewald.gx[0], 0.0, 1e-12) << crystal.name;
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
      FastMultipole method({.tolerance = tolerance, .is_periodic = true}, executor);
      EXPECT_NEAR(calc_multipoles(crystal.ions, method).u[0], expected, 3.0 * tolerance * std::abs(expected))
          << crystal.name;
    }
  }
}

// In boxes that are no cubes, copies of the box fill one.
TEST(PeriodicCharges, HaveTheSamePotentialByCopiesInACubeAsByEwald) {
  Executor executor(2);
  const struct {
    Vector3d length;
    std::array<int, 3> copies;
  } boxes[] = {{{1.1, 2.2, 1.1}, {2, 1, 2}}, {{3.3, 2.2, 3.3}, {2, 3, 2}}, {{1.1, 3.3, 3.3}, {3, 1, 1}}};
  for (const auto& [length, copies] : boxes) {
    Ions ions = make_random_ions(300);
    ions.box.length = length;
    ASSERT_EQ(CopiedCube::find_copies(ions.box), copies);
    CopiedCube cube(copies);
    const Field exact = calc_ewald(ions);
    for (const double tolerance : {1e-3, 1e-8}) {
      FastMultipole method({.tolerance = tolerance, .is_periodic = true}, executor);
      Field f(ions.size());
      cube.calc(method, ions.box, {ions.x, ions.y, ions.z}, ions.q, f.u, {f.gx, f.gy, f.gz});
      const Errors errors = compare(f, exact);
      EXPECT_LT(errors.potential, tolerance);
      EXPECT_LT(errors.gradient, tolerance);
    }
  }
}

TEST(PeriodicCharges, HaveCopiesInACubeWhereFewSuffice) {
  const auto copies_of = [](double x, double y, double z) {
    return CopiedCube::find_copies({{0, 0, 0}, {x, y, z}}).has_value();
  };
  EXPECT_TRUE(copies_of(1, 1, 1));
  EXPECT_TRUE(copies_of(1, 1, 4));
  EXPECT_FALSE(copies_of(1, 1, 5));  // 25 copies
  EXPECT_TRUE(copies_of(2, 3, 3));
  EXPECT_FALSE(copies_of(1, 1.01, 1));
  EXPECT_FALSE(copies_of(1e-12, 1, 1));
}

// A salt in a box of 1 : 1 : 2: both sums give the same motion.
TEST(PeriodicCharges, MoveInABoxThatIsNoCube) {
  Executor executor(2);
  const auto run = [&](double tolerance) {
    ParticleModel model = make_fluid(2, 0.5, true);
    const int n = model.size();
    for (int i = 0; i < n; ++i) {
      for (int a = 0; a < 3; ++a) {
        model.position.push_back(model.position[3 * i + a] + (a == 2 ? model.box.length[2] : 0.0));
      }
      model.species_of.push_back(0);
    }
    model.box.length[2] *= 2.0;
    model.pairs[0].cutoff = 1.5;
    for (int i = 0; i < model.size(); ++i) model.charge.push_back(i % 2 == 0 ? 1.0 : -1.0);
    model.central = CentralForce{2.0, false, tolerance};
    draw_velocities(1.0, 3, model);
    ParticleSystem system(model, executor);
    for (int i = 0; i < 40; ++i) system.step(0.002);
    return std::pair(positions_of(system), system.measure().total());
  };
  const auto [ewald, ewald_energy] = run(0.0);
  const auto [copied, energy] = run(1e-9);
  for (std::size_t k = 0; k < ewald.size(); ++k) EXPECT_NEAR(copied[k], ewald[k], 1e-8);
  EXPECT_NEAR(energy, ewald_energy, 1e-6);
  EXPECT_NE(energy, ewald_energy);  // they are two sums
}

TEST(PeriodicCharges, HaveTheSamePotentialByMultipolesAsByEwald) {
  Executor executor(2);
  struct Case {
    Ions ions;
    int most_in_leaf, levels;  // at least
  };
  const Case cases[] = {{make_random_ions(2), 0, 1},
                        {make_random_ions(40), 0, 1},
                        {make_random_ions(1000), 20, 3},
                        {make_clumped_ions(1000), 10, 6}};
  for (const Case& c : cases) {
    const Field exact = calc_ewald(c.ions);
    for (const double tolerance : {1e-2, 1e-3, 1e-6, 1e-9}) {
      FastMultipole method({.tolerance = tolerance, .most_in_leaf = c.most_in_leaf, .is_periodic = true},
                           executor);
      const Errors errors = compare(calc_multipoles(c.ions, method), exact);
      EXPECT_GE(method.tree().levels(), c.levels);
      EXPECT_LT(errors.potential, tolerance) << c.ions.size();
      EXPECT_LT(errors.gradient, tolerance) << c.ions.size();
    }
  }
}

TEST(PeriodicCharges, HaveTheSameBitsForAnyNumberOfThreads) {
  const Ions ions = make_clumped_ions(600);
  Executor one(1), three(3);
  for (const InstructionSet set : available_instruction_sets()) {
    FastMultipole first({.most_in_leaf = 10, .is_periodic = true}, one, set),
        second({.most_in_leaf = 10, .is_periodic = true}, three, set);
    const Field a = calc_multipoles(ions, first), b = calc_multipoles(ions, second);
    EXPECT_EQ(a.u, b.u);
    EXPECT_EQ(a.gz, b.gz);
  }
  EXPECT_EQ(calc_ewald(ions, 1e-6, 1).u, calc_ewald(ions, 1e-6, 3).u);
}

// Each pair of boxes, one of which is in the other's list, and each image once.
TEST(PeriodicCharges, BoxesAreInEachOthersLists) {
  Executor executor(1);
  FastMultipole method({.tolerance = 1e-2, .most_in_leaf = 5, .is_periodic = true}, executor);
  calc_multipoles(make_clumped_ions(500), method);
  const Octree& tree = method.tree();
  long w = 0, x = 0, u_of_images = 0;
  for (int i = 0; i < static_cast<int>(tree.nodes().size()); ++i) {
    w += static_cast<long>(tree.w(i).size()), x += static_cast<long>(tree.x(i).size());
    for (const Octree::Near& near : tree.u(i)) {
      if (near.image == Octree::kOwnImage) continue;
      ++u_of_images;
      const auto back = tree.u(near.node);
      const auto mirrored = [&](const Octree::Near& other) {
        return other.node == i && other.image == 26 - near.image;
      };
      EXPECT_EQ(std::count_if(back.begin(), back.end(), mirrored), 1);
    }
  }
  EXPECT_GT(w, 100);
  EXPECT_EQ(w, x);
  EXPECT_GT(u_of_images, 100);
}

// Two cubes beside each other, one as it is and one with other charges in the same places, are a box that is
// no cube.
TEST(EwaldSum, OfACuboidIsThatOfTheCubesInIt) {
  const Ions cube = make_random_ions(60);
  const Field of_cube = calc_ewald(cube);
  for (int axis = 0; axis < 3; ++axis) {
    Ions cuboid = cube;
    cuboid.box.length[axis] *= 3.0;
    for (int copy = 1; copy < 3; ++copy) {
      const double d = copy * cube.box.length[axis];
      for (std::size_t i = 0; i < cube.size(); ++i) {
        cuboid.add(cube.x[i] + (axis == 0 ? d : 0), cube.y[i] + (axis == 1 ? d : 0),
                   cube.z[i] + (axis == 2 ? d : 0), cube.q[i]);
      }
    }
    const Field f = calc_ewald(cuboid);
    for (std::size_t i = 0; i < cuboid.size(); ++i) {
      EXPECT_NEAR(f.u[i], of_cube.u[i % cube.size()], 1e-10);
      EXPECT_NEAR(f.gy[i], of_cube.gy[i % cube.size()], 2e-9);
    }
  }
}

TEST(EwaldSum, HasTheToleranceThatIsAskedFor) {
  Ions ions = make_random_ions(100);
  ions.box.length = {1.1, 1.7, 1.3};
  const Field exact = calc_ewald(ions);
  for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
    const Errors errors = compare(calc_ewald(ions, tolerance), exact);
    EXPECT_LT(errors.potential, tolerance);
    EXPECT_LT(errors.gradient, tolerance);
    EXPECT_GT(errors.gradient, 1e-5 * tolerance);
  }
}

// Positive and negative ions that repel each other at short range, at the sites of a lattice, roughly.
ParticleModel make_salt(double tolerance, bool is_cube = true) {
  ParticleModel model = make_fluid(3, 0.4, true);
  const auto noise = make_noise(3 * model.size(), 7);
  for (std::size_t i = 0; i < noise.size(); ++i) model.position[i] += 0.1 * noise[i];
  if (!is_cube) {
    model.box.length[2] *= 1.25;
    for (int i = 0; i < model.size(); ++i) model.position[3 * i + 2] *= 1.25;
  }
  for (int i = 0; i < model.size(); ++i) model.charge.push_back(i % 2 == 0 ? 1.0 : -1.0);
  model.central = CentralForce{1.5, false, tolerance};
  draw_velocities(1.0, 4, model);
  return model;
}

TEST(PeriodicCharges, OfAParticleSystemHaveTheForcesOfItsEnergy) {
  Executor executor(2);
  for (const bool is_cube : {true, false}) {
    const ParticleModel model = make_salt(0.0, is_cube);
    ParticleSystem system(model, executor);
    std::vector<double> forces(3 * static_cast<std::size_t>(system.size()));
    system.copy_forces(forces);
    const auto energy_at = [&](std::size_t k, double d) {
      ParticleModel moved = model;
      moved.position[k] += d;
      return ParticleSystem(moved, executor).measure().potential();
    };
    constexpr double kStep = 1e-4;
    for (const std::size_t k : {0UL, 17UL, 100UL}) {
      const double slope = (energy_at(k, kStep) - energy_at(k, -kStep)) / (2.0 * kStep);
      EXPECT_NEAR(forces[k], -slope, 2e-6 * std::abs(slope)) << k;
    }
    ParticleSystem fast(make_salt(1e-8, is_cube), executor);
    std::vector<double> other(forces.size());
    fast.copy_forces(other);
    double error = 0.0, size = 0.0;
    for (std::size_t i = 0; i < forces.size(); ++i)
      error += std::pow(other[i] - forces[i], 2), size += std::pow(forces[i], 2);
    // Near their sites ions feel a tenth of what they do at random places.
    EXPECT_LT(std::sqrt(error / size), 2e-7);
    EXPECT_GT(error, 0.0);
  }
}

// P = N k T/V - dU/dV, all positions in proportion.
TEST(PeriodicCharges, HaveThePressureOfTheirEnergy) {
  Executor executor(2);
  const ParticleModel model = make_salt(0.0);
  const auto energy_at = [&](double scale) {
    ParticleModel scaled = model;
    for (double& x : scaled.position) x *= scale;
    for (double& length : scaled.box.length) length *= scale;
    return ParticleSystem(scaled, executor).measure().potential();
  };
  const ParticleMeasures measured = ParticleSystem(model, executor).measure();
  constexpr double kStep = 1e-4;
  const double slope =
      (energy_at(1.0 + kStep) - energy_at(1.0 - kStep)) / (2.0 * kStep);  // dU/d ln L = 3 V dU/dV
  const double expected = (2.0 * measured.kinetic - slope) / (3.0 * model.box.volume());
  EXPECT_NEAR(measured.pressure, expected, 1e-5 * std::abs(expected));
}

TEST(PeriodicCharges, KeepTheEnergyByMultipolesAsByEwald) {
  Executor executor(2);
  const auto variation = [&](double tolerance) {
    ParticleSystem system(make_salt(tolerance), executor);
    const double begin = system.measure().total();
    double largest = 0.0;
    for (int i = 0; i < 100; ++i) {
      system.step(0.004);
      largest = std::max(largest, std::abs(system.measure().total() - begin));
    }
    return largest;
  };
  const double by_ewald = variation(0.0);
  EXPECT_GT(by_ewald, 1e-5);
  EXPECT_NEAR(variation(1e-6), by_ewald, 0.02 * by_ewald);
}

TEST(PeriodicCharges, GoOnBitForBitAfterARestart) {
  Executor executor(2);
  ParticleSystem whole(make_salt(1e-5), executor), resumed(make_salt(1e-5), executor);
  for (int i = 0; i < 20; ++i) whole.step(0.004);
  resumed.restore(whole.save());
  for (int i = 0; i < 20; ++i) whole.step(0.004), resumed.step(0.004);
  EXPECT_EQ(positions_of(whole), positions_of(resumed));
}

void calc_unset(FastMultipole& method) {
  const std::vector<double> x{0.0, 1.0}, charge{1.0, -1.0};
  Field f(2);
  method.calc(x, x, x, charge, f.u, f.gx, f.gy, f.gz);
}

TEST(PeriodicCharges, AreRefusedWhereTheirSumHasNoValue) {
  ParticleModel charged = make_salt(1e-4);
  charged.charge[3] = 1.5;
  EXPECT_THAT(message_of([&] { check(charged); }),
              HasSubstr("the charges of a periodic box add up to 2.5 and not to zero"));
  ParticleModel slab = make_salt(1e-4);
  slab.box.periodic[2] = false;
  EXPECT_THAT(message_of([&] { check(slab); }), HasSubstr("open or periodic along all axes"));
  ParticleModel masses = make_salt(1e-4);
  masses.central->is_gravity = true;
  EXPECT_THAT(message_of([&] { check(masses); }), HasSubstr("gravity acts between all pairs of an open box"));
  Executor executor(1);
  EXPECT_THAT(message_of([&] { EwaldSum(1e-20, executor); }), HasSubstr("not from 1e-14 to 0.1"));
  FastMultipole method({.is_periodic = true}, executor);
  EXPECT_THAT(message_of([&] {
                method.set_cube({{}, {1, 1, 2}});
              }),
              HasSubstr("needs a periodic cube, not a box of 1 x 1 x 2"));
  EXPECT_THAT(message_of([&] { calc_unset(method); }), HasSubstr("call set_cube first"));
}

}  // namespace
}  // namespace sestina
