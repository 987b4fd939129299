// Particles in spatial order: clusters of eight that are near each other are consecutive in memory. The order
// changes whenever neighbour lists are made; `number` has the particle at each place.
#pragma once

#include <cstdint>
#include <vector>

#include "sestina/numerics/cache_line_vector.h"

namespace sestina {

using Numbers64 = CacheLineVector<double>;

inline constexpr int kLanes = 8;             // molecules of one structure that are solved at once
inline constexpr int kParticleGrain = 2048;  // particles in a chunk of parallel work: some microseconds

struct ParticleArrays {
  int size = 0;            // n; the arrays are padded to whole clusters
  Numbers64 x, y, z;       // m, in the box when lists are made, near it afterwards
  Numbers64 vx, vy, vz;    // m/s
  Numbers64 fx, fy, fz;    // N
  Numbers64 inverse_mass;  // 1/kg
  Numbers64 charge;        // empty: none
  std::vector<std::int32_t> image_x, image_y, image_z;  // box lengths to add for the unwrapped position
  std::vector<std::int32_t> species;
  std::vector<std::int32_t> number;  // of the particle at a place
  std::vector<std::int32_t> place;   // of the particle with a number
};

}  // namespace sestina
