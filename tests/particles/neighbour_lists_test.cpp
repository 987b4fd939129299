#include "sestina/particles/neighbour_lists.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "sestina/parallel/executor.h"
#include "sestina/particles/particle_arrays.h"
#include "test_models.h"

namespace sestina {
namespace {

using testing_support::make_noise;

struct Setting {
  Box box;
  int count;
  double reach;
};

ParticleArrays make_particles(const Setting& setting) {
  ParticleArrays particles;
  particles.size = setting.count;
  const auto padded = static_cast<std::size_t>((setting.count + 7) / 8 * 8 + 8);
  for (Numbers64* values : {&particles.x, &particles.y, &particles.z, &particles.vx, &particles.vy,
                            &particles.vz, &particles.inverse_mass}) {
    values->assign(padded, 0.0);
  }
  for (auto* values : {&particles.image_x, &particles.image_y, &particles.image_z, &particles.species,
                       &particles.number, &particles.place}) {
    values->assign(padded, 0);
  }
  const auto noise = make_noise(3 * setting.count, 5);
  for (int i = 0; i < setting.count; ++i) {
    // Beyond the box, too.
    particles.x[i] = setting.box.length[0] * 0.8 * noise[3 * i];
    particles.y[i] = setting.box.length[1] * 0.8 * noise[3 * i + 1];
    particles.z[i] = setting.box.length[2] * 0.8 * noise[3 * i + 2];
    particles.number[i] = particles.place[i] = i;
  }
  return particles;
}

using Pairs = std::map<std::pair<int, int>, int>;  // how often i sees j

Pairs find_all(const Setting& setting, const ParticleArrays& p, const Exclusions& exclusions) {
  Pairs pairs;
  const auto images = [&](int a) {
    return setting.box.periodic[a] ? static_cast<int>(std::ceil(setting.reach / setting.box.length[a])) : 0;
  };
  for (int i = 0; i < p.size; ++i) {
    for (int j = 0; j < p.size; ++j) {
      const auto excluded = exclusions.empty() ? std::span<const int>() : exclusions.of(p.number[i]);
      if (std::count(excluded.begin(), excluded.end(), p.number[j]) > 0) continue;
      for (int ix = -images(0); ix <= images(0); ++ix) {
        for (int iy = -images(1); iy <= images(1); ++iy) {
          for (int iz = -images(2); iz <= images(2); ++iz) {
            if (i == j && ix == 0 && iy == 0 && iz == 0) continue;
            const double dx = p.x[i] - p.x[j] - ix * setting.box.length[0];
            const double dy = p.y[i] - p.y[j] - iy * setting.box.length[1];
            const double dz = p.z[i] - p.z[j] - iz * setting.box.length[2];
            if (dx * dx + dy * dy + dz * dz < setting.reach * setting.reach) ++pairs[{i, j}];
          }
        }
      }
    }
  }
  return pairs;
}

// Pairs of the lists that are within the reach; the others are only near another lane of the cluster.
Pairs find_listed(const Setting& setting, const ParticleArrays& p, const NeighbourLists& lists) {
  Pairs pairs;
  for (int i = 0; i < lists.chunk_count(); ++i) {
    const NeighbourChunk chunk = lists.chunk(i);
    int run = 0;
    for (int c = chunk.first_cluster; c < chunk.last_cluster; ++c) {
      for (; run < chunk.run_ends[c - chunk.first_cluster]; ++run) {
        const NeighbourRun& part = chunk.runs[run];
        for (int k = 0; k < part.count; ++k) {
          const int j = chunk.neighbours[part.begin + k];
          const unsigned mask = k < part.masked ? chunk.masks[part.masks + k] : 0xFFU;
          for (int l = 0; l < kClusterSize && c * kClusterSize + l < p.size; ++l) {
            const int own = c * kClusterSize + l;
            const double dx = p.x[own] + part.shift[0] - p.x[j];
            const double dy = p.y[own] + part.shift[1] - p.y[j];
            const double dz = p.z[own] + part.shift[2] - p.z[j];
            const bool is_near = dx * dx + dy * dy + dz * dz < setting.reach * setting.reach;
            if (is_near && (mask >> l & 1U) != 0) ++pairs[{own, j}];
          }
        }
      }
    }
  }
  return pairs;
}

class NeighbourListsOf : public testing::TestWithParam<Setting> {};

TEST_P(NeighbourListsOf, HaveEachNearPairOnceInEachDirection) {
  const Setting& setting = GetParam();
  Executor executor(2);
  ParticleArrays particles = make_particles(setting);
  SpatialOrder order;
  order.sort(setting.box, particles);
  Exclusions exclusions;  // of the particle with the next number
  exclusions.begins.push_back(0);
  for (int i = 0; i < setting.count; ++i) {
    if (i % 3 == 0 && i + 1 < setting.count) exclusions.partners.push_back(i + 1);
    if (i % 3 == 1) exclusions.partners.push_back(i - 1);
    exclusions.begins.push_back(static_cast<int>(exclusions.partners.size()));
  }
  for (const InstructionSet set : available_instruction_sets()) {
    for (const Exclusions& excluded : {Exclusions{}, exclusions}) {
      NeighbourLists lists;
      lists.build(setting.box, order, particles, excluded, setting.reach, particle_kernels(set), executor);
      const Pairs expected = find_all(setting, particles, excluded);
      EXPECT_EQ(find_listed(setting, particles, lists), expected);
      if (setting.count >= 31) {
        EXPECT_GT(expected.size(), 100U);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, NeighbourListsOf,
    testing::Values(Setting{{{0, 0, 0}, {8, 9, 10}, {true, true, true}}, 220, 1.7},
                    Setting{{{-3, 1, 2}, {4, 4, 4}, {true, true, true}}, 83, 3.9},  // images of itself
                    Setting{{{0, 0, 0}, {8, 9, 10}, {false, false, false}}, 220, 1.7},
                    Setting{{{0, 0, 0}, {8, 2, 10}, {true, false, true}}, 201, 1.2},
                    Setting{{{0, 0, 0}, {30, 1, 1}, {true, false, false}}, 100, 2.0},
                    Setting{{{0, 0, 0}, {3, 3, 3}, {true, true, true}}, 1, 2.9},
                    Setting{{{0, 0, 0}, {3, 3, 3}, {false, false, false}}, 2, 2.9},
                    Setting{{{0, 0, 0}, {20, 20, 20}, {true, true, true}}, 30, 2.0}));

TEST(SpatialOrder, LeavesWhatIsSortedWhereItIs) {
  const Setting setting{{{0, 0, 0}, {8, 9, 10}, {true, true, false}}, 1000, 1.7};
  ParticleArrays particles = make_particles(setting);
  SpatialOrder order;
  order.sort(setting.box, particles);
  const auto numbers = particles.number;
  EXPECT_FALSE(std::is_sorted(numbers.begin(), numbers.begin() + particles.size));
  const auto images = particles.image_x;
  order.sort(setting.box, particles);
  EXPECT_EQ(particles.number, numbers);
  EXPECT_EQ(particles.image_x, images);
}

// The lists are short because eight consecutive particles in the spatial order fill about a cube.
TEST(SpatialOrder, PutsEightNearEachOther) {
  const Setting setting{{{0, 0, 0}, {20, 20, 20}, {true, true, true}}, 8000, 2.8};
  ParticleArrays particles = make_particles(setting);
  SpatialOrder order;
  order.sort(setting.box, particles);
  double mean = 0.0;
  for (int c = 0; c < 1000; ++c) {
    for (const Numbers64* x : {&particles.x, &particles.y, &particles.z}) {
      const auto [low, high] = std::minmax_element(x->begin() + 8 * c, x->begin() + 8 * c + 8);
      mean += (*high - *low) / 3000.0;
    }
  }
  EXPECT_LT(mean, 2.5);  // a cube of eight has an edge of 2
}

}  // namespace
}  // namespace sestina
