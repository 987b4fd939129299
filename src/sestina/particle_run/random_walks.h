// Polymers as random walks: chains, rings and stars, whose beads may overlap.
#pragma once

#include <cstdint>
#include <optional>

#include "sestina/particles/particle_model.h"

namespace sestina {

enum class WalkShape { kChain, kRing, kStar };

struct WalkSpec {
  WalkShape shape = WalkShape::kChain;
  int molecules = 1;
  int beads = 1;                       // of a chain, a ring (at least 3) or an arm of a star
  int arms = 3;                        // of a star, which has one more bead at its centre
  double bond_length = 1.0;            // m
  std::optional<double> bond_angle{};  // rad between bonds, pi where they are in line; of chains and arms
  int species = 0;
  std::uint32_t seed = 1;

  double beads_of_molecule() const {
    return shape == WalkShape::kStar ? 1.0 + static_cast<double>(arms) * beads : beads;
  }
};

// The types of the terms along walks; -1: none.
struct WalkTerms {
  int bond = -1, angle = -1, dihedral = -1;
};

// Adds the beads with their molecules, counted from 1, and bonds, angles and dihedrals along the walks. Each
// step of a walk has a random direction that does not lead back onto the bead before the last or, with a bond
// angle, a random rotation about the previous bond.
void add_random_walks(const WalkSpec& spec, const WalkTerms& terms, ParticleModel& model);

}  // namespace sestina
