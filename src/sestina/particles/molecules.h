// Molecules: particles connected by bonds.
#pragma once

#include <array>
#include <vector>

#include "sestina/particles/particle_model.h"

namespace sestina {

// The largest deviation of a bond of fixed length at the start, as a fraction of that length.
inline constexpr double kLargestMisfit = 0.25;

using Bonds = std::vector<std::array<int, 2>>;  // particles

// Returns the bonds of all types.
Bonds list_bonds(const ParticleModel& model);

// Returns, for each particle, the particles that share a bond with it.
std::vector<std::vector<int>> find_bonded(int particles, const Bonds& bonds);

// Returns the particles of each molecule in the order of a walk along its bonds. The walk begins at an end if
// there is one, so that a chain is in order from end to end. Molecules with ends come first.
std::vector<std::vector<int>> find_molecules(const std::vector<std::vector<int>>& bonded);

}  // namespace sestina
