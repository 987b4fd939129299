// Compiled once for each instruction set: see the header, and CMakeLists.txt for the flags.
//
// Everything here but the last function is in an unnamed namespace, so that no inline function compiled for
// one processor can replace the same one compiled for all.
#include "sestina/particles/kernels/particle_kernels.h"

#include "sestina/particles/kernels/lanes.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace sestina {
namespace {

[[gnu::always_inline]] inline LaneMask mask_of(unsigned bits) {
  const LaneMask lane_bits = {1, 2, 4, 8, 16, 32, 64, 128};
  const LaneMask given = LaneMask{} + static_cast<std::int64_t>(bits);
  return (given & lane_bits) != 0;
}

// --- Lennard-Jones ---

struct ClusterForces {
  Lanes x{}, y{}, z{}, energy{}, virial{};
};

// Coefficients of the eight lanes with one species.
struct LaneCoefficients {
  Lanes twelve, six, cutoff_squared, offset;
};

struct ShiftedLanes {
  Lanes x, y, z;
};

//   F = (48 epsilon sigma^12 / r^12 - 24 epsilon sigma^6 / r^6) r / r^2
template <bool kSums, bool kMasked>
[[gnu::always_inline]] inline void add_neighbour(const ShiftedLanes& at, double x, double y, double z,
                                                 const LaneCoefficients& c, unsigned mask, ClusterForces& f) {
  const Lanes dx = at.x - x, dy = at.y - y, dz = at.z - z;
  const Lanes r2 = dx * dx + dy * dy + dz * dz;
  LaneMask acts = r2 < c.cutoff_squared;
  if constexpr (kMasked) acts &= mask_of(mask);
  const Lanes inverse = 1.0 / r2;
  const Lanes inverse6 = inverse * inverse * inverse;
  const Lanes strength = inverse6 * (c.twelve * inverse6 - c.six);
  const Lanes none{};
  const Lanes factor = acts ? strength * inverse : none;
  f.x += factor * dx;
  f.y += factor * dy;
  f.z += factor * dz;
  if constexpr (kSums) {
    f.virial += acts ? strength : none;
    f.energy +=
        acts ? inverse6 * (c.twelve * inverse6 * (1.0 / 12.0) - c.six * (1.0 / 6.0)) - c.offset : none;
  }
}

constexpr int kMostCachedSpecies = 8;

[[gnu::always_inline]] inline LaneCoefficients coefficients_with(const LennardJonesTask& task, int cluster,
                                                                 int species) {
  LaneCoefficients c{};
  for (int l = 0; l < kClusterSize; ++l) {
    const int own = task.species ? task.species[cluster * kClusterSize + l] : 0;
    const LennardJonesCoefficients& pair = task.coefficients[own * task.species_count + species];
    c.twelve[l] = pair.twelve, c.six[l] = pair.six;
    c.cutoff_squared[l] = pair.cutoff_squared, c.offset[l] = pair.offset;
  }
  return c;
}

template <bool kSums, bool kOneSpecies>
[[gnu::always_inline]] inline void add_run(const LennardJonesTask& task, const NeighbourRun& run,
                                           const ShiftedLanes& at, const LaneCoefficients* cached,
                                           int cluster, ClusterForces& sums) {
  const std::int32_t* const neighbours = task.chunk.neighbours + run.begin;
  const std::uint8_t* const masks = task.chunk.masks + run.masks;
  const double *const x = task.at.x, *const y = task.at.y, *const z = task.at.z;
  ClusterForces f = sums;
  const LaneCoefficients single = cached[0];
  const auto coefficients = [&](int j) __attribute__((always_inline)) {
    if constexpr (kOneSpecies) return single;
    const int species = task.species[j];
    return species < kMostCachedSpecies ? cached[species] : coefficients_with(task, cluster, species);
  };
  for (int k = 0; k < run.masked; ++k) {
    const int j = neighbours[k];
    add_neighbour<kSums, true>(at, x[j], y[j], z[j], coefficients(j), masks[k], f);
  }
  for (int k = run.masked; k < run.count; ++k) {
    const int j = neighbours[k];
    add_neighbour<kSums, false>(at, x[j], y[j], z[j], coefficients(j), 0, f);
  }
  sums = f;
}

template <bool kSums, bool kOneSpecies>
PairSums calc_lennard_jones(const LennardJonesTask& task) {
  PairSums sums;
  int run = 0;
  for (int c = task.chunk.first_cluster; c < task.chunk.last_cluster; ++c) {
    const int first = c * kClusterSize;
    LaneCoefficients cached[kMostCachedSpecies];
    for (int s = 0; s < task.species_count && s < kMostCachedSpecies; ++s) {
      cached[s] = coefficients_with(task, c, s);
    }
    const Lanes x = load(task.at.x + first), y = load(task.at.y + first), z = load(task.at.z + first);
    ClusterForces f;
    for (const int end = task.chunk.run_ends[c - task.chunk.first_cluster]; run < end; ++run) {
      const NeighbourRun& part = task.chunk.runs[run];
      const ShiftedLanes at{x + part.shift[0], y + part.shift[1], z + part.shift[2]};
      add_run<kSums, kOneSpecies>(task, part, at, cached, c, f);
    }
    store(f.x, task.fx + first);
    store(f.y, task.fy + first);
    store(f.z, task.fz + first);
    sums.energy += 0.5 * sum_of(f.energy);
    sums.virial += 0.5 * sum_of(f.virial);
  }
  return sums;
}

PairSums lennard_jones(const LennardJonesTask& task, bool with_sums) {
  const bool one = task.species == nullptr;
  if (with_sums) return one ? calc_lennard_jones<true, true>(task) : calc_lennard_jones<true, false>(task);
  return one ? calc_lennard_jones<false, true>(task) : calc_lennard_jones<false, false>(task);
}

// --- search for neighbours ---

[[gnu::always_inline]] inline unsigned bits_of(const LaneMask& mask) {
#if defined(__AVX512DQ__)
  return _mm512_movepi64_mask(__builtin_bit_cast(__m512i, mask));
#else
  unsigned bits = 0;
  for (int l = 0; l < kClusterSize; ++l) bits |= static_cast<unsigned>(mask[l] & 1) << l;
  return bits;
#endif
}

// Here the candidates are in the lanes, and the cluster's particles are taken one by one.
int search(const SearchTask& task) {
  int count = 0;
  for (int j = task.begin; j < task.end; j += kClusterSize) {
    const Lanes x = load(task.at.x + j), y = load(task.at.y + j), z = load(task.at.z + j);
    LaneMask near{};
    for (int l = 0; l < kClusterSize; ++l) {
      const Lanes dx = x - task.lanes[l], dy = y - task.lanes[l + 8], dz = z - task.lanes[l + 16];
      near |= dx * dx + dy * dy + dz * dz < task.reach_squared;
    }
    unsigned bits = bits_of(near);
    const int rest = task.end - j;
    if (rest < kClusterSize) bits &= (1U << rest) - 1U;
    while (bits != 0) {
      task.found[count++] = j + __builtin_ctz(bits);
      bits &= bits - 1U;
    }
  }
  return count;
}

// --- Coulomb ---

// 1 / sqrt(a), to an error of about one unit in the last place.
[[gnu::always_inline]] inline Lanes inverse_root(const Lanes& a) {
#if defined(__AVX512F__)
  Lanes y = __builtin_bit_cast(Lanes, _mm512_rsqrt14_pd(__builtin_bit_cast(__m512d, a)));
  // Newton's method on 1/y^2 - a; each step doubles the 14 digits.
  for (int i = 0; i < 2; ++i) y = y + y * (0.5 - (0.5 * a * y) * y);
  return y;
#else
  Lanes y;
  for (int l = 0; l < kClusterSize; ++l) y[l] = 1.0 / __builtin_sqrt(a[l]);
  return y;
#endif
}

void coulomb(const CoulombTask& task) {
  const double *const sx = task.source.x, *const sy = task.source.y, *const sz = task.source.z;
  for (int i = task.begin; i < task.end; i += kClusterSize) {
    const Lanes x = load(task.target.x + i), y = load(task.target.y + i), z = load(task.target.z + i);
    Lanes potential = load(task.potential + i);
    Lanes gx = load(task.gx + i), gy = load(task.gy + i), gz = load(task.gz + i);
    const Lanes none{};
    for (int range = 0; range < task.range_count; ++range) {
      const int end = task.ranges[2 * range + 1];
      for (int j = task.ranges[2 * range]; j < end; ++j) {
        const Lanes dx = x - sx[j], dy = y - sy[j], dz = z - sz[j];
        const Lanes r2 = dx * dx + dy * dy + dz * dz;
        const Lanes root = inverse_root(r2);
        const Lanes inverse = r2 > none ? root : none;
        const Lanes u = task.charge[j] * inverse;
        const Lanes slope = u * (inverse * inverse);
        potential += u;
        gx -= slope * dx;
        gy -= slope * dy;
        gz -= slope * dz;
      }
    }
    store(potential, task.potential + i);
    store(gx, task.gx + i);
    store(gy, task.gy + i);
    store(gz, task.gz + i);
  }
}

}  // namespace

const ParticleKernels* SESTINA_KERNEL_TABLE();

const ParticleKernels* SESTINA_KERNEL_TABLE() {
  static constexpr ParticleKernels kKernels{lennard_jones, search, coulomb};
  return &kKernels;
}

}  // namespace sestina
