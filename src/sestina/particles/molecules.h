// Molecules: what bonds connect.
#pragma once

#include <array>
#include <vector>

#include "sestina/particles/particle_model.h"

namespace sestina {

// How far from its length a bond that keeps it may be at the start, as a part of it.
inline constexpr double kLargestMisfit = 0.25;

using Bonds = std::vector<std::array<int, 2>>;  // particles

// The bonds of all types.
Bonds list_bonds(const ParticleModel& model);

// The particles that share a bond with each particle.
std::vector<std::vector<int>> find_bonded(int particles, const Bonds& bonds);

// The particles of each molecule in the order of a walk along its bonds. It begins at an end if there is one,
// so that a chain is in order from end to end. Molecules with ends come first.
std::vector<std::vector<int>> find_molecules(const std::vector<std::vector<int>>& bonded);

}  // namespace sestina
