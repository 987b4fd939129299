// Lists of the particles near each cluster (Verlet, Phys. Rev. 159, 1967): all within the cutoff plus a skin,
// so that a list is valid until a particle has moved by half the skin.
//
// Each cluster has one list for its eight particles, and a pair is in the lists of both clusters: a force is
// the sum over one list, in its order, independent of other threads. Neighbours in other images of the box
// are stored in runs with a shift. Bonded pairs that are excluded, and a particle's own place, are masked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sestina/particles/kernels/particle_kernels.h"
#include "sestina/particles/spatial_order.h"

namespace sestina {

class Executor;

// For each particle, those with which it has no pair force: partners[begins[i] .. begins[i + 1]).
struct Exclusions {
  std::vector<int> begins, partners;
  bool empty() const { return partners.empty(); }
  std::span<const int> of(int number) const {
    return {partners.data() + begins[number], partners.data() + begins[number + 1]};
  }
};

class NeighbourLists {
 public:
  // Builds lists for the particles that are not silent. `reach`: cutoff plus skin (m).
  void build(const Box& box, const SpatialOrder& order, const ParticleArrays& particles,
             const Exclusions& exclusions, double reach, const ParticleKernels& kernels, Executor& executor);

  int chunk_count() const { return static_cast<int>(chunks_.size()); }
  NeighbourChunk chunk(int i) const;
  std::int64_t calc_size() const;  // all entries

 private:
  struct Chunk {
    int first_cluster = 0, last_cluster = 0;
    std::vector<int> run_ends;
    std::vector<NeighbourRun> runs;
    std::vector<std::int32_t> neighbours;
    std::vector<std::uint8_t> masks;
    std::vector<std::int32_t> masked;  // scratch
  };
  class Builder;

  std::vector<Chunk> chunks_;
};

}  // namespace sestina
