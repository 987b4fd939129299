// The rigid bodies of a model of particles: those that it lists, and the beads of spherical and torsion
// bonds.
#pragma once

#include <vector>

#include "sestina/particles/articulated_bodies.h"
#include "sestina/particles/particle_model.h"

namespace sestina {

// The bodies of the model, then the beads that joints of bonds connect, each after its parent. Throws
// InputError where such bonds close a ring, or a particle would belong to two bodies.
std::vector<ParticleBody> list_bodies(const ParticleModel& model);

// Moves the beads of spherical and torsion bonds to the bonds' lengths, bead by bead. Throws InputError if a
// bond is off by more than a quarter of its length.
void satisfy_joint_bonds(ParticleModel& model);

}  // namespace sestina
