// The code that is compiled once for each instruction set: inner loops over particles, eight at a time.
//
// Particles are in spatial order, and eight consecutive ones are a cluster: one SIMD register of eight lanes,
// or several narrower ones. A kernel holds a cluster in its lanes and takes the particles near it one by one,
// each against all eight. So nothing is gathered or scattered, each lane's sum has the order of the list, and
// results do not depend on how many threads share the clusters.
//
// Only plain numbers and pointers cross this interface. Arrays are padded to whole clusters.
#pragma once

#include <cstdint>

#include "sestina/parallel/instruction_set.h"

namespace sestina {

inline constexpr int kClusterSize = 8;

// Neighbours of a cluster with the same shift (m): relative to them, lane i of the cluster is at
// position + shift.
struct NeighbourRun {
  std::int64_t begin = 0;   // in the neighbour list
  std::int32_t masked = 0;  // the first of them have a mask; they precede the others
  std::int32_t count = 0;   // masked ones included
  std::int64_t masks = 0;   // place of the first mask
  double shift[3] = {};     // m
};

struct Positions {
  const double* x;
  const double* y;
  const double* z;
};

// Clusters first..last of a chunk of the lists.
struct NeighbourChunk {
  int first_cluster = 0, last_cluster = 0;
  const int* run_ends = nullptr;  // (last - first) runs of cluster c end before run_ends[c - first]
  const NeighbourRun* runs = nullptr;
  const std::int32_t* neighbours = nullptr;
  const std::uint8_t* masks = nullptr;  // bit l: the neighbour acts on lane l
};

struct PairSums {
  double energy = 0.0;  // J
  double virial = 0.0;  // J, sum of r . F
};

// U = 4 epsilon ((sigma/r)^12 - (sigma/r)^6) - offset for r < cutoff, else 0.
struct LennardJonesCoefficients {
  double twelve = 0.0;          // 48 epsilon sigma^12
  double six = 0.0;             // 24 epsilon sigma^6
  double cutoff_squared = 0.0;  // m^2; 0: the two species do not act on each other
  double offset = 0.0;          // J, the energy at the cutoff where the potential is shifted, else 0
};

struct LennardJonesTask {
  Positions at;
  NeighbourChunk chunk;
  const std::int32_t* species;  // of each particle; null where there is one
  int species_count;
  const LennardJonesCoefficients* coefficients;  // (species x species)
  double *fx, *fy, *fz;                          // N, set for the chunk's clusters
};

// Searches the particles begin..end for those within reach of a lane of the cluster, and writes their numbers
// to `found`. `lanes`: x, y and z of the eight lanes, shifted.
struct SearchTask {
  Positions at;
  const double* lanes;  // (3 x 8)
  int begin = 0, end = 0;
  double reach_squared;  // m^2
  std::int32_t* found;
};

// The potential sum_j q_j / r and its gradient at targets begin..end, from sources in ranges of the same or
// other arrays; a source at exactly the place of a target is omitted. Targets are in whole clusters: places
// beyond `end` up to a multiple of eight from `begin` are read, and their results written, too.
struct CoulombTask {
  Positions target, source;
  const double* charge;    // of sources
  int begin = 0, end = 0;  // targets
  const int* ranges;       // (2 x range_count) begin and end of sources
  int range_count = 0;
  double* potential;     // added to
  double *gx, *gy, *gz;  // added to
};

struct ParticleKernels {
  // Computes forces and, where wanted, the sums, to which each particle of a pair contributes half.
  PairSums (*lennard_jones)(const LennardJonesTask& task, bool with_sums);
  int (*search)(const SearchTask& task);  // returns how many were found
  void (*coulomb)(const CoulombTask& task);
};

// Returns the kernels for an instruction set, which must be available.
const ParticleKernels& particle_kernels(InstructionSet set);

}  // namespace sestina
