#include "sestina/particles/structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/particles/radial_distribution.h"
#include "sestina/particles/random_numbers.h"
#include "test_models.h"

namespace sestina {
namespace {

using testing::HasSubstr;
using testing_support::make_lattice;
using testing_support::message_of;

// Ideal chains of unit steps: random walks without any correlation.
ParticleModel make_ideal_chains(int chains, int beads, std::uint32_t seed) {
  ParticleModel model;
  model.box.length = {50.0, 50.0, 50.0};
  model.species = {{"bead", 1.0}};
  model.term_types = {{TermLaw::kRigidBond, 0.0, 1.0, 0.0, 1.0, 1}};
  std::uint32_t draw = 0;
  for (int c = 0; c < chains; ++c) {
    double at[3] = {};
    for (int b = 0; b < beads; ++b) {
      const auto u = calc_uniform(seed, RandomUse::kWalk, 0, draw++);
      const double z = 2.0 * u[0] - 1.0, turn = 2.0 * M_PI * u[1], s = std::sqrt(1.0 - z * z);
      const double way[] = {s * std::cos(turn), s * std::sin(turn), z};
      for (int a = 0; a < 3; ++a) {
        at[a] = b == 0 ? 50.0 * u[a] : at[a] + way[a];
        model.position.push_back(at[a]);
      }
      model.species_of.push_back(0);
      const int number = model.size() - 1;
      // Bonds in an order that is not that of the chain.
      if (b > 0) model.terms.insert(model.terms.begin(), {0, {number, number - 1, -1, -1}});
    }
  }
  return model;
}

// R^2 = (N - 1) b^2 and Rg^2 = (N^2 - 1)/(6 N) b^2; cosines are uniform.
TEST(Structure, OfIdealChainsIsThatOfRandomWalks) {
  constexpr int kChains = 100, kBeads = 10;
  StructureAnalysis analysis(make_ideal_chains(kChains, kBeads, 1), {});
  for (std::uint32_t frame = 0; frame < 40; ++frame) {
    const ParticleModel model = make_ideal_chains(kChains, kBeads, frame + 1);
    analysis.add(frame, model.position, model.box);
  }
  const StructureResult result = analysis.finish();
  EXPECT_EQ(result.molecules, kChains);
  EXPECT_EQ(result.chains, kChains);
  const double end_to_end = kBeads - 1, gyration = (kBeads * kBeads - 1.0) / (6.0 * kBeads);
  EXPECT_NEAR(result.end_to_end_square.value, end_to_end, 4.0 * result.end_to_end_square.error);
  EXPECT_NEAR(result.gyration_square.value, gyration, 4.0 * result.gyration_square.error);
  // 4000 chains with a relative deviation of about 0.8.
  EXPECT_NEAR(result.end_to_end_square.error, 0.8 * end_to_end / std::sqrt(4000.0), 0.06);
  EXPECT_NEAR(result.bond_length.value, 1.0, 1e-13);
  const std::vector<double>& density = result.angles.columns[1];
  for (const double value : density) EXPECT_NEAR(value, 0.5, 0.12);
  EXPECT_NEAR(std::accumulate(density.begin(), density.end(), 0.0) * 2.0 / density.size(), 1.0, 1e-12);
  EXPECT_EQ(result.sizes.columns[1].size(), 40U);
}

// Molecules that fly apart from each other without turning, in a common drift, while their beads shake:
// displacements in closed form.
TEST(Structure, HasDisplacementsOfGivenMotions) {
  ParticleModel model = make_ideal_chains(2, 5, 3);
  StructureAnalysis analysis(model, {});
  constexpr double kSpacing = 0.25;
  for (int frame = 0; frame < 41; ++frame) {
    std::vector<double> x = model.position;
    const double t = kSpacing * frame;
    for (int i = 0; i < 10; ++i) {
      x[3 * i] += (i < 5 ? 0.7 : -0.7) * t + 9.0 * t;
      // Two inner beads shake against each other, so that the centre stays.
      const double shake = frame % 2 == 0 ? 0.0 : 0.3;
      if (i % 5 == 1) x[3 * i + 1] += shake;
      if (i % 5 == 3) x[3 * i + 1] -= shake;
    }
    analysis.add(t, x, model.box);
  }
  const StructureResult result = analysis.finish();
  const StructureTable& table = result.displacements;
  ASSERT_THAT(table.names, testing::ElementsAre("t", "g1", "g1.inner", "g2", "g3"));
  for (std::size_t i = 0; i < table.columns[0].size(); ++i) {
    const double t = table.columns[0][i], flight = 0.49 * t * t;
    const bool is_odd = std::lround(t / kSpacing) % 2 == 1;
    const double shake = is_odd ? 0.09 * 2.0 / 5.0 : 0.0;
    EXPECT_NEAR(table.columns[4][i], flight, 1e-10);
    EXPECT_NEAR(table.columns[3][i], shake, 1e-10);
    EXPECT_NEAR(table.columns[1][i], flight + shake, 1e-10);
    EXPECT_NEAR(table.columns[2][i], flight, 1e-10);  // the middle one of five beads
  }
  EXPECT_GE(table.columns[0].back(), 18 * kSpacing);
}

// Diffusion of particles that take independent steps: D = variance / (2 dt).
TEST(Structure, FindsTheCoefficientOfDiffusion) {
  ParticleModel model = make_lattice(5, 1.0);
  std::vector<double> x = model.position;
  StructureAnalysis analysis(model, {});
  for (int frame = 0; frame < 200; ++frame) {
    analysis.add(0.5 * frame, x, model.box);
    for (int i = 0; i < model.size(); ++i) {
      const auto xi = calc_normal(3, RandomUse::kVelocity, static_cast<std::uint64_t>(frame),
                                  static_cast<std::uint32_t>(i));
      for (int a = 0; a < 3; ++a) x[3 * i + a] += 0.2 * xi[a];
    }
  }
  const StructureResult result = analysis.finish();
  EXPECT_EQ(result.molecules, 0);
  EXPECT_THAT(result.displacements.names, testing::ElementsAre("t", "g1"));
  EXPECT_NEAR(result.diffusion, 0.04, 0.004);
}

// Shells of fcc: 12 at a/sqrt(2), 6 at a, 24 at a sqrt(3/2), 12 at a sqrt(2); across the faces of the box.
TEST(Structure, OfALatticeHasItsShells) {
  const ParticleModel model = make_lattice(4, 4.0);  // a = 1
  RadialDistribution radial(1.5, 300);
  radial.add(model.box, model.position, std::vector<int>(256, -1));
  const std::vector<double> r = radial.distances(), g = radial.all();
  const auto neighbours_between = [&](double low, double high) {
    double sum = 0.0;
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (r[i] < low || r[i] > high) continue;
      const double inner = r[i] - 0.0025, outer = r[i] + 0.0025;
      sum += g[i] * 255.0 / 64.0 * 4.0 / 3.0 * M_PI * (std::pow(outer, 3) - std::pow(inner, 3));
    }
    return sum;
  };
  EXPECT_NEAR(neighbours_between(0.6, 0.8), 12.0, 1e-9);
  EXPECT_NEAR(neighbours_between(0.9, 1.1), 6.0, 1e-9);
  EXPECT_NEAR(neighbours_between(1.15, 1.3), 24.0, 1e-9);
  EXPECT_NEAR(neighbours_between(1.35, 1.49), 12.0, 1e-9);
  EXPECT_NEAR(neighbours_between(0.0, 0.6), 0.0, 1e-9);
}

// With cells and without, in periodic and open boxes, against all pairs.
TEST(Structure, CountsPairsByCellsAsOneByOne) {
  for (const bool is_periodic : {true, false}) {
    ParticleModel model = make_ideal_chains(40, 10, 9);
    model.box.length = {12.0, 15.0, 9.0};
    model.box.periodic = {is_periodic, is_periodic, true};
    std::vector<int> molecule_of;
    for (int i = 0; i < model.size(); ++i) molecule_of.push_back(i / 10);
    for (const double reach : {1.7, 4.4}) {
      RadialDistribution radial(reach, 20);
      radial.add(model.box, model.position, molecule_of);
      std::vector<double> all(20, 0.0), between(20, 0.0);
      for (int i = 0; i < model.size(); ++i) {
        for (int j = 0; j < i; ++j) {
          double square = 0.0;
          for (int a = 0; a < 3; ++a) {
            square +=
                std::pow(model.box.nearest(a, model.position[3 * i + a] - model.position[3 * j + a]), 2);
          }
          if (square >= reach * reach) continue;
          const auto bin = static_cast<std::size_t>(std::sqrt(square) / reach * 20.0);
          all[bin] += 1.0;
          if (i / 10 != j / 10) between[bin] += 1.0;
        }
      }
      const std::vector<double> g = radial.all(), other = radial.between();
      const double expected = 0.5 * 400.0 * 399.0 / (12.0 * 15.0 * 9.0), width = reach / 20.0;
      for (std::size_t b = 0; b < 20; ++b) {
        const double shell =
            4.0 / 3.0 * M_PI * (std::pow((b + 1.0) * width, 3) - std::pow(static_cast<double>(b) * width, 3));
        EXPECT_NEAR(g[b] * expected * shell, all[b], 1e-6);
        EXPECT_NEAR(other[b] * expected * shell, between[b], 1e-6);
      }
    }
  }
}

TEST(Structure, TellsRingsAndStarsFromChains) {
  ParticleModel model = make_ideal_chains(3, 6, 5);
  model.terms.push_back({0, {0, 5, -1, -1}});   // closes a ring
  model.terms.push_back({0, {8, 17, -1, -1}});  // joins two chains: a molecule with four ends
  StructureAnalysis analysis(model, {});
  analysis.add(0.0, model.position, model.box);
  analysis.add(1.0, model.position, model.box);
  const StructureResult result = analysis.finish();
  EXPECT_EQ(result.molecules, 2);
  EXPECT_EQ(result.chains, 0);
  EXPECT_THAT(result.displacements.names, testing::ElementsAre("t", "g1", "g2", "g3"));
}

TEST(Structure, RefusesFramesThatDoNotServe) {
  const ParticleModel model = make_lattice(2, 1.0);
  const auto analyse = [&](const std::vector<double>& times, StructureOptions options = {}) {
    StructureAnalysis analysis(model, options);
    for (const double t : times) analysis.add(t, model.position, model.box);
    return analysis.finish();
  };
  EXPECT_THAT(message_of([&] { analyse({1.0}); }), HasSubstr("has 1 frames; at least 2 are needed"));
  EXPECT_THAT(message_of([&] { analyse({1.0, 1.0}); }), HasSubstr("the frame at t = 1 follows one at t = 1"));
  EXPECT_THAT(message_of([&] { analyse({0.0, 1.0, 3.0}); }), HasSubstr("not equally far apart in time"));
  EXPECT_THAT(message_of([&] {
                analyse({0.0, 1.0}, {.reach = 3.0});
              }),
              HasSubstr("distances up to 3 are asked for; the box allows up to 1.58"));
}

}  // namespace
}  // namespace sestina
