// The rigid bodies of a model of particles: those that it lists, and the beads of spherical and torsion
// bonds.
#pragma once

#include <vector>

#include "sestina/particles/articulated_bodies.h"
#include "sestina/particles/particle_model.h"

namespace sestina {

struct JointedBodies {
  std::vector<ParticleBody> bodies;
  std::vector<ParticleClosure> closures;
};

// Lists the bodies of the model, then the beads connected by joints of bonds, each after its parent; likewise
// the joints that close loops. Throws InputError if a particle would belong to two bodies.
//
// The bond that closes a ring belongs to the first bead of its molecule if it ends there, so that each bead
// of a ring holds one bond. Otherwise, or if beads have no inertia, it is a link without mass. A torsion bond
// that closes a ring keeps its length and two angles, which are three distances.
JointedBodies list_bodies(const ParticleModel& model);

// Moves the beads of spherical and torsion bonds to the bonds' lengths: bead by bead, or those of molecules
// with rings all at once. Throws InputError if a bond is off by more than a quarter of its length.
void satisfy_joint_bonds(ParticleModel& model);

}  // namespace sestina
